//! Validates machine code against every rule of the hardware whose violation can be detected statically.
//!
//! Rules on single instructions are checked everywhere; rules on order (waits, discarded registers, ends)
//! along every path from the first instruction, with states joined where paths meet. A jump is assumed to go
//! both ways.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use thiserror::Error;

use crate::desc::{Effects, OperandDesc, Reach, Role};
use crate::disasm::{Line, Piece, disassemble};
use crate::half_set::HalfSet;
use crate::inst::{Halves, Inst, Operand, OperandFlags, Size, Tag};
use crate::table::Opcode;

/// The part of a shader that code belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Part {
    /// The main part, or a linked program.
    #[default]
    Main,
    /// A preamble: one lane runs it before a draw or dispatch to set uniforms. It is a separate program.
    Preamble,
    /// Code before a main part, which always follows it.
    Prolog,
    /// Code after a main part.
    Epilog,
}

impl Part {
    /// Every kind of part with its name.
    pub const ALL: [(&'static str, Part); 4] = [
        ("main", Part::Main),
        ("preamble", Part::Preamble),
        ("prolog", Part::Prolog),
        ("epilog", Part::Epilog),
    ];

    /// The part with this name.
    pub fn from_name(name: &str) -> Option<Part> {
        Part::ALL.iter().find(|(known, _)| *known == name).map(|(_, part)| *part)
    }
}

/// The resources available to a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Half registers of the program, 0 to 256.
    pub register_halves: u16,
    /// Uniform half-words of the program, 0 to 512.
    pub uniform_halves: u16,
    /// The part of a shader it belongs to.
    pub part: Part,
    /// Whether another part of the program follows: the code need not stop, may branch to its end, and must
    /// not leave a register that an outstanding operation will write. A prolog always continues.
    pub goes_on: bool,
}

impl Limits {
    /// The whole register and uniform file, for a whole program.
    pub const MACHINE: Limits =
        Limits { register_halves: 256, uniform_halves: 512, part: Part::Main, goes_on: false };

    fn continues(&self) -> bool {
        self.goes_on || self.part == Part::Prolog
    }
}

/// A violated rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum Problem {
    /// Bytes that are not an instruction.
    #[error("these bytes are not an instruction")]
    Undecodable,
    /// A register beyond those of the program.
    #[error("`{operand}` extends to half-register {end}; the limit is {limit}")]
    Register {
        /// Operand name.
        operand: &'static str,
        /// One past the last half-register it covers.
        end: u16,
        /// Number of half-registers available.
        limit: u16,
    },
    /// A 64-bit ALU register that is not aligned to four half-registers.
    #[error("the 64-bit `{operand}` does not start at an even register")]
    Alignment {
        /// Operand name.
        operand: &'static str,
    },
    /// A uniform operand where none may be read, or out of range.
    #[error("`{operand}` cannot read uniform half-word {half}")]
    Uniform {
        /// Operand name.
        operand: &'static str,
        /// The half-word.
        half: u32,
    },
    /// A branch out of the program or into the middle of an instruction.
    #[error("the branch goes to {target:#x}, where no instruction of the program starts")]
    Target {
        /// Distance of the target from the program's start.
        target: i64,
    },
    /// The nesting counter used as an ordinary register in a program with control flow.
    #[error("r0l is the nesting counter and holds no data")]
    NestingCounter,
    /// A register that is read or overwritten while an asynchronous operation is still to write it.
    #[error("an outstanding operation of group {group} writes half-register {half}")]
    Pending {
        /// The half-register.
        half: u16,
        /// The group to wait for.
        group: u32,
    },
    /// More outstanding operations than a group has slots.
    #[error("group {group} has more than 8 operations outstanding")]
    Slots {
        /// The group.
        group: u32,
    },
    /// A register that is read after a hint discarded its value.
    #[error("half-register {half} was discarded and not written since")]
    Discarded {
        /// The half-register.
        half: u16,
    },
    /// A path past the last instruction.
    #[error("the program continues past its end")]
    NoStop,
    /// A path to the next part on which an asynchronous operation may still write a register.
    #[error("the next part begins while an operation of group {group} is outstanding")]
    Unfinished {
        /// The group to wait for.
        group: u32,
    },
    /// An operation on fragments, vertices or workgroups in a preamble, which has none of them.
    #[error("a preamble cannot use `{operation}`")]
    NotInPreamble {
        /// Mnemonic.
        operation: &'static str,
    },
}

/// A violated rule and its location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Offset of the instruction in bytes.
    pub pc: usize,
    /// The instruction; `the end` for a program without instructions.
    pub text: String,
    /// The rule.
    pub problem: Problem,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#x}: {}: {}", self.pc, self.text, self.problem)
    }
}

/// All findings in a program, by offset.
pub fn validate(code: &[u8], limits: Limits) -> Vec<Finding> {
    if code.is_empty() && !limits.continues() {
        return vec![Finding { pc: 0, text: "the end".to_owned(), problem: Problem::NoStop }];
    }
    let lines = disassemble(code);
    let mut checker = Checker {
        limits,
        has_nesting: lines.iter().any(uses_nesting),
        lines: &lines,
        length: code.len(),
        found: Vec::new(),
    };
    for line in &lines {
        checker.check_alone(line);
    }
    checker.check_paths();
    checker.found.sort_by_key(|(line, _)| line.pc);
    checker.found.dedup();
    let finding = |(line, problem): (&Line, Problem)| {
        let text = match &line.piece {
            Piece::Inst(inst) => inst.to_string(),
            Piece::Unknown(value) => format!("<unknown {value:#06x}>"),
        };
        Finding { pc: line.pc, text, problem }
    };
    checker.found.into_iter().map(finding).collect()
}

fn uses_nesting(line: &Line) -> bool {
    matches!(&line.piece, Piece::Inst(inst) if inst.op.desc().effects.contains(Effects::MASK))
}

/// Maximum number of operations that a group tracks (Mesa 25.0).
const SLOTS: u8 = 8;

/// The operations of a group that may be outstanding.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Group {
    /// Half registers that they write.
    pending: HalfSet,
    /// Their number, at most [`SLOTS`].
    outstanding: u8,
}

/// The possible state before an instruction, over all paths to it.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct State {
    groups: [Group; 2],
    discarded: HalfSet,
}

impl State {
    /// The group of this number, of which there are two.
    fn group(&mut self, number: u32) -> &mut Group {
        let [even, odd] = &mut self.groups;
        if number & 1 == 0 { even } else { odd }
    }

    fn join(&mut self, other: &State) {
        for (mine, theirs) in self.groups.iter_mut().zip(&other.groups) {
            mine.pending.join(&theirs.pending);
            mine.outstanding = mine.outstanding.max(theirs.outstanding);
        }
        self.discarded.join(&other.discarded);
    }
}

struct Checker<'a> {
    limits: Limits,
    has_nesting: bool,
    lines: &'a [Line],
    /// Bytes of the code.
    length: usize,
    found: Vec<(&'a Line, Problem)>,
}

impl<'a> Checker<'a> {
    fn check_alone(&mut self, line: &'a Line) {
        match &line.piece {
            Piece::Unknown(_) => self.found.push((line, Problem::Undecodable)),
            Piece::Inst(inst) => {
                for (index, operand, spec) in inst.specified() {
                    let problem = operand_problem(inst, index, operand, spec, self.limits);
                    self.found.extend(problem.map(|problem| (line, problem)));
                }
                if self.limits.part == Part::Preamble && !may_be_in_preamble(inst) {
                    let problem = Problem::NotInPreamble { operation: inst.op.name() };
                    self.found.push((line, problem));
                }
                if self.has_nesting && misuses_nesting(inst) {
                    self.found.push((line, Problem::NestingCounter));
                }
                if let Some(distance) = inst.target()
                    && self.target_index(line).is_none()
                    && !(self.limits.continues() && line.target() == Some(self.length))
                {
                    let target = (line.pc as i64).saturating_add(distance.into());
                    self.found.push((line, Problem::Target { target }));
                }
            }
        }
    }

    /// The index of the line at the target of a branch.
    fn target_index(&self, line: &Line) -> Option<usize> {
        let target = line.target()?;
        self.lines.binary_search_by_key(&target, |line| line.pc).ok()
    }

    /// Follows every path until the states no longer change, then reports once for each reachable
    /// instruction.
    fn check_paths(&mut self) {
        let mut states: Vec<Option<State>> = vec![None; self.lines.len()];
        let mut work = Vec::new();
        if let Some(first) = states.first_mut() {
            *first = Some(State::default());
            work.push(0);
        }
        while let Some(index) = work.pop() {
            let (Some(line), Some(Some(state))) = (self.lines.get(index), states.get(index)) else {
                continue;
            };
            let Piece::Inst(inst) = &line.piece else { continue };
            if ends(inst) {
                continue;
            }
            let mut state = *state;
            step(inst, &mut state);
            for next in [index.checked_add(1), self.target_index(line)].into_iter().flatten() {
                let Some(known) = states.get_mut(next) else { continue };
                let joined = known.map_or(state, |mut old| {
                    old.join(&state);
                    old
                });
                if *known != Some(joined) {
                    *known = Some(joined);
                    work.push(next);
                }
            }
        }
        for (line, state) in self.lines.iter().zip(&states) {
            if let (Some(state), Piece::Inst(inst)) = (state, &line.piece) {
                self.check_state(line, inst, state);
            }
        }
    }

    fn check_state(&mut self, line: &'a Line, inst: &Inst, state: &State) {
        for (group, Group { pending, outstanding }) in (0..).zip(&state.groups) {
            let touched = inst.registers_read().chain(inst.registers_written());
            if let Some(half) = touched.filter_map(|halves| pending.first_of(halves)).min() {
                self.found.push((line, Problem::Pending { half, group }));
            }
            if inst.wait_group() == Some(group) && *outstanding >= SLOTS {
                self.found.push((line, Problem::Slots { group }));
            }
        }
        if let Some(half) = inst.registers_read().filter_map(|halves| state.discarded.first_of(halves)).min()
        {
            self.found.push((line, Problem::Discarded { half }));
        }
        let falls_out = !ends(inst) && line.end() == self.length;
        let leaves = falls_out || line.target() == Some(self.length);
        if self.limits.continues() && leaves {
            let mut after = *state;
            step(inst, &mut after);
            let unfinished = (0..).zip(&after.groups).find(|(_, group)| !group.pending.is_empty());
            self.found.extend(unfinished.map(|(group, _)| (line, Problem::Unfinished { group })));
        } else if falls_out {
            self.found.push((line, Problem::NoStop));
        }
    }
}

/// A preamble runs before there are workgroups, vertices or fragments: it has no barriers, tile, samples,
/// interpolated inputs or vertex outputs (Mesa 25.0 driver).
fn may_be_in_preamble(inst: &Inst) -> bool {
    use Opcode::{Barrier, Iter, Iterproj, LdTile, Ldcf, NoVar, Pixrel, Pixwait, StTile, StVar};
    let outside = matches!(
        inst.op,
        Barrier | Iter | Iterproj | LdTile | Ldcf | NoVar | Pixrel | Pixwait | StTile | StVar
    );
    !outside && !inst.op.desc().effects.contains(Effects::WRITES_COVERAGE)
}

/// Whether control never continues to the next instruction.
fn ends(inst: &Inst) -> bool {
    inst.op.desc().effects.contains(Effects::STOP) || inst.op == Opcode::Ret
}

/// The effect of an instruction on the state.
fn step(inst: &Inst, state: &mut State) {
    if inst.op == Opcode::Wait {
        *state.group(inst.modifier("group")) = Group::default();
    }
    for (index, operand, spec) in inst.specified() {
        if spec.role == Role::Src
            && operand.flags.contains(OperandFlags::DISCARD)
            && let Some(halves) = inst.operand_halves(index)
        {
            state.discarded.insert_all(halves);
        }
    }
    for halves in inst.registers_written() {
        state.discarded.remove_all(halves.clone());
        if let Some(group) = inst.wait_group() {
            state.group(group).pending.insert_all(halves);
        }
    }
    if let Some(group) = inst.wait_group() {
        let group = state.group(group);
        group.outstanding = group.outstanding.saturating_add(1).min(SLOTS);
    }
}

/// The first rule that the operand of an index violates.
fn operand_problem(
    inst: &Inst,
    index: usize,
    operand: &Operand,
    spec: &OperandDesc,
    limits: Limits,
) -> Option<Problem> {
    match operand.tag {
        Tag::Reg => {
            let end = inst.operand_halves(index)?.end;
            let pair = spec.kind == crate::operand::ADD_SRC || spec.kind == crate::operand::ALU_DST64;
            if end > limits.register_halves {
                Some(Problem::Register { operand: spec.name, end, limit: limits.register_halves })
            } else {
                let odd = pair && operand.size == Size::B64 && !operand.value.is_multiple_of(4);
                odd.then_some(Problem::Alignment { operand: spec.name })
            }
        }
        Tag::Uniform => {
            let reach = match spec.reach {
                Reach::None => 0,
                Reach::Low => 256,
                Reach::All => 512,
            };
            let halves =
                u32::from(operand.size.halves()).saturating_mul(inst.operand_count(index).max(1).into());
            let end = operand.value.saturating_add(halves);
            let bad = end > reach.min(limits.uniform_halves.into());
            bad.then_some(Problem::Uniform { operand: spec.name, half: end.saturating_sub(1) })
        }
        _ => None,
    }
}

/// Whether the nesting counter is used as data. Breaks and continues write constants to the counter, and
/// conditional ones select between a constant and the counter itself; all other uses are misuse.
fn misuses_nesting(inst: &Inst) -> bool {
    if inst.op.desc().effects.contains(Effects::MASK) {
        return false;
    }
    let counter = |i: usize| inst.operand_halves(i).filter(|halves| halves.contains(&0));
    let named: Vec<Halves> = (0..inst.op.desc().operands.len()).filter_map(counter).collect();
    let allowed = matches!(inst.op, Opcode::Ldimm16 | Opcode::Icsel | Opcode::Fcsel | Opcode::Bitop);
    let alone = named.iter().all(|halves| *halves == (0..1));
    let writes = allowed && alone && inst.operand_halves(0) == Some(0..1);
    !named.is_empty() && !writes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asm::assemble;

    /// The findings of a program as `pc: problem`.
    fn findings(text: &str, registers: u16) -> Vec<String> {
        let code = assemble(text).unwrap_or_else(|error| panic!("{error}"));
        let limits = Limits { register_halves: registers, ..Limits::MACHINE };
        validate(&code, limits)
            .iter()
            .map(|finding| format!("{:x}: {}", finding.pc, finding.problem))
            .collect()
    }

    #[test]
    fn clean_programs_have_no_findings() {
        for text in [
            "load.i32.x r2, u0_u1, 0\n wait 0\n fadd r3, r2, r2\n stop\n trap",
            "ldimm16 r0l, 0\n L: if_icmp.ult r1, 3, nest 1\n jmp_none E\n pop_exec nest 1\n jmp_any L\n E: stop",
            "mov r0, r1\n stop",
            "fadd r2, r1.discard, r1\n mov r1, 3\n fadd r2, r1, r1\n stop",
        ] {
            assert_eq!(findings(text, 256), [""; 0], "{text}");
        }
    }

    #[test]
    fn each_rule_is_checked() {
        for (text, expected) in [
            ("<unknown 0xffff>\n stop", "0: these bytes are not an instruction"),
            ("mov r8, r1\n stop", "0: `dst` extends to half-register 18; the limit is 16"),
            ("iadd r1_r2, r4_r5, 1\n stop", "0: the 64-bit `dst` does not start at an even register"),
            ("icmp_ballot.ueq.simd r1, u1, 1\n stop", "0: `a` cannot read uniform half-word 3"),
            ("jmp_any +3\n stop", "0: the branch goes to 0x3, where no instruction of the program starts"),
            ("pop_exec nest 1\n mov r0h, r0\n stop", "6: r0l is the nesting counter and holds no data"),
            (
                "load.i32.x r2, u0_u1, 0\n mov r1, r2\n stop",
                "8: an outstanding operation of group 0 writes half-register 4",
            ),
            (
                "load.i32.x r2, u0_u1, 0, group 1\n wait 0\n mov r2, 1\n stop",
                "a: an outstanding operation of group 1 writes half-register 4",
            ),
            (
                "fadd r2, r1.discard, r1\n fadd r2, r1, r2\n stop",
                "6: half-register 2 was discarded and not written since",
            ),
            ("mov r1, 0", "0: the program continues past its end"),
            ("", "0: the program continues past its end"),
        ] {
            assert_eq!(findings(text, 16), [expected], "{text}");
        }
    }

    #[test]
    fn a_part_with_a_successor_leaves_no_outstanding_register() {
        let limits = Limits { goes_on: true, ..Limits::MACHINE };
        let problems = |text: &str| {
            let code = assemble(text).unwrap_or_else(|error| panic!("{error}"));
            validate(&code, limits)
                .into_iter()
                .map(|finding| (finding.pc, finding.problem))
                .collect::<Vec<_>>()
        };
        assert_eq!(problems("jmp_none E\n mov r1, 0\n E:"), []);
        assert_eq!(problems("load.i32.x r2, u0_u1, 0\n wait 0"), []);
        assert_eq!(problems("store.i32.x r2, u0_u1, 0, group 1"), [], "a store has nothing to write");
        assert_eq!(
            problems("load.i32.x r2, u0_u1, 0, group 1"),
            [(0, Problem::Unfinished { group: 1 })],
            "the next part could read r2"
        );
        let text = "load.i32.x r2, u0_u1, 0\n jmp_none E\n wait 0\n stop\n E:";
        assert_eq!(problems(text), [(8, Problem::Unfinished { group: 0 })]);
        assert_eq!(problems("jmp_any +8"), [(0, Problem::Target { target: 8 })]);
    }

    #[test]
    fn each_part_has_its_rules() {
        let problems = |part: Part, text: &str| {
            let code = assemble(text).unwrap_or_else(|error| panic!("{error}"));
            let findings = validate(&code, Limits { part, ..Limits::MACHINE });
            findings.into_iter().map(|finding| finding.problem).collect::<Vec<_>>()
        };
        let outside = |operation| vec![Problem::NotInPreamble { operation }];
        for (text, operation) in [
            ("barrier\n stop", "barrier"),
            ("iter.center r1, cf0, _, count 1\n stop", "iter"),
            ("sample_mask 1, 1\n stop", "sample_mask"),
        ] {
            assert_eq!(problems(Part::Preamble, text), outside(operation));
            assert_eq!(problems(Part::Main, text), []);
        }
        assert_eq!(problems(Part::Prolog, "mov r1, 0"), [], "the main part follows");
        for part in [Part::Main, Part::Preamble, Part::Epilog] {
            assert_eq!(problems(part, "mov r1, 0"), [Problem::NoStop]);
        }
        assert_eq!(Part::ALL.map(|(name, _)| Part::from_name(name)), Part::ALL.map(|(_, part)| Some(part)));
    }

    #[test]
    fn uniforms_beyond_the_limit_are_errors() {
        let limits = Limits { uniform_halves: 6, ..Limits::MACHINE };
        let problems = |text: &str| {
            let code = assemble(text).unwrap_or_else(|error| panic!("{error}"));
            validate(&code, limits).into_iter().map(|finding| finding.problem).collect::<Vec<_>>()
        };
        assert_eq!(problems("mov r1, u2\n mov r2l, u2h\n stop"), []);
        assert_eq!(problems("mov r1, u3\n stop"), [Problem::Uniform { operand: "a", half: 7 }]);
        assert_eq!(problems("mov r1l, u3l\n stop"), [Problem::Uniform { operand: "a", half: 6 }]);
    }

    #[test]
    fn a_ninth_operation_is_rejected() {
        let stores = "store.i32.x r1, u0_u1, 0\n".repeat(9);
        assert_eq!(findings(&(stores + "stop"), 16), ["40: group 0 has more than 8 operations outstanding"]);
    }

    #[test]
    fn paths_are_joined() {
        // The load happens on one path only, and around a loop.
        let text = "jmp_none B\n load.i32.x r2, u0_u1, 0\n B: mov r1, 1\n mov r3, r2\n stop";
        assert_eq!(findings(text, 16), ["14: an outstanding operation of group 0 writes half-register 4"]);
        // Each iteration of the loop starts another load, into a register that the previous one may still be
        // writing.
        let text = "L: mov r3, r2\n load.i32.x r2, u0_u1, 0\n jmp_any L\n stop";
        let expected = [
            "0: an outstanding operation of group 0 writes half-register 4",
            "6: an outstanding operation of group 0 writes half-register 4",
            "6: group 0 has more than 8 operations outstanding",
        ];
        assert_eq!(findings(text, 16), expected);
    }

    #[test]
    fn any_bytes_are_judged() {
        let mut state = 9u32;
        for len in 0..400 {
            let next = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            };
            let code: Vec<u8> = std::iter::repeat_with(next).take(len).collect();
            let found = validate(&code, Limits::MACHINE);
            assert!(found.iter().all(|finding| finding.pc < len.max(1)));
        }
    }
}
