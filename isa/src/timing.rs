//! Cycle estimates: Mesa 25.0's "crude model" of the M1, on which its statistics are based.
//!
//! Operations without a unit (memory, textures, tile, control flow, conversions, bit counts, derivatives)
//! cost nothing in this model.

use crate::desc::{CostVariant, InstDesc, Role, Unit, WaitBehaviour};
use crate::inst::{Halves, Inst, Operand, Size, Tag};
use crate::table::Opcode;

/// The cost of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cost {
    /// Executing unit.
    pub unit: Unit,
    /// Cycles until the result can be used.
    pub latency: u8,
    /// Cycles the unit is busy.
    pub throughput: u8,
}

/// Estimated cost of a jump in cycles, for decisions whether to skip code with one.
pub const JUMP_CYCLES: u32 = 19;

/// The cost of an instruction.
#[inline]
pub fn cost(inst: &Inst) -> Cost {
    let desc = inst.op.desc();
    let variant = variant(desc, |name| inst.modifier(name));
    Cost {
        unit: desc.unit,
        latency: variant.map_or(desc.latency, |variant| variant.latency),
        throughput: variant.map_or(desc.throughput, |variant| variant.throughput),
    }
}

/// Cycles of a program, by pipe.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Cycles {
    /// Float, select, compare, integer and bitwise pipes together.
    pub fscib: u32,
    /// Integer multiply, shift and complex pipe.
    pub ic: u32,
}

impl Cycles {
    /// Counts an instruction. The complex pipe runs at half rate and takes an issue slot of the others.
    #[inline]
    pub fn add(&mut self, inst: &Inst) {
        let cost = cost(inst);
        match cost.unit {
            Unit::None => {}
            Unit::Ic => {
                self.ic += 2 * u32::from(cost.throughput);
                self.fscib += 1;
            }
            Unit::F32 | Unit::F16 | Unit::Scib => self.fscib += u32::from(cost.throughput),
        }
    }

    /// Cycles of the busier pipe.
    pub fn alu(self) -> u32 {
        self.fscib.max(self.ic)
    }
}

/// Cycles from issuing a memory access until its result is available. Assumed: no source gives a number. It
/// must be much larger than the latency of arithmetic and smaller than that of a texture access.
pub const MEMORY_CYCLES: u32 = 40;

/// Cycles from issuing a texture access until its result is available. Assumed, like [`MEMORY_CYCLES`].
pub const TEXTURE_CYCLES: u32 = 80;

/// Cycles from issuing an instruction of row `desc` until its results are available; `modifier` gives its
/// modifiers by name.
#[inline]
pub fn result_cycles(desc: &InstDesc, modifier: impl Fn(&str) -> u32) -> u32 {
    if desc.wait == WaitBehaviour::Async {
        return if desc.is_texture() { TEXTURE_CYCLES } else { MEMORY_CYCLES };
    }
    u32::from(variant(desc, modifier).map_or(desc.latency, |variant| variant.latency)).max(1)
}

/// The cost that applies instead of the row's, if there is one.
#[inline]
fn variant(desc: &InstDesc, modifier: impl Fn(&str) -> u32) -> Option<&CostVariant> {
    desc.variant.as_ref().filter(|variant| modifier(variant.modifier) == variant.value)
}

/// Cycles before the next instruction can be issued after one of row `desc`.
#[inline]
pub fn issue_cycles(desc: &InstDesc, modifier: impl Fn(&str) -> u32) -> u32 {
    u32::from(variant(desc, modifier).map_or(desc.throughput, |variant| variant.throughput)).max(1)
}

/// Half registers of the file.
const FILE: usize = 256;

/// Simulates a SIMD-group that has a core to itself and passes through a program once, from its first
/// instruction to its last: results have latency, and waits and operands stall.
#[derive(Clone, Debug)]
pub struct Alone {
    clock: u32,
    /// The cycle at which each half register can be read. The last entries lie past the file.
    ready: [u32; FILE + 4],
    /// The cycle at which each group has completed.
    groups: [u32; 2],
    /// Cycles lost to waits.
    stalled: u32,
}

impl Default for Alone {
    fn default() -> Self {
        Alone { clock: 0, ready: [0; FILE + 4], groups: [0; 2], stalled: 0 }
    }
}

impl Alone {
    /// Issues the next instruction.
    pub fn issue(&mut self, inst: &Inst) {
        let desc = inst.op.desc();
        if inst.op == Opcode::Wait {
            let done = self.groups[(inst.group() & 1) as usize];
            self.stalled += done.saturating_sub(self.clock);
            self.clock = self.clock.max(done);
        }
        let (results, sources) = desc.role_bounds(Role::Src);
        if desc.derived.has_single_registers {
            for source in registers(&inst.operands[results..sources]) {
                self.clock = self.clock.max(self.ready_at(source));
            }
        } else {
            inst.each_read(|halves| {
                self.clock =
                    self.ready[known(halves)].iter().fold(self.clock, |clock, ready| clock.max(*ready));
            });
        }
        let done = self.clock + result_cycles(desc, |name| inst.modifier(name));
        match inst.wait_group() {
            Some(group) => {
                let end = &mut self.groups[(group & 1) as usize];
                *end = done.max(*end);
            }
            None if desc.derived.has_single_registers => {
                for result in registers(&inst.operands[..results]) {
                    self.complete_at(result, done);
                }
            }
            None => inst.each_written(|halves| self.ready[known(halves)].fill(done)),
        }
        self.clock += issue_cycles(desc, |name| inst.modifier(name));
    }

    /// The cycle at which a register can be read.
    #[inline]
    fn ready_at(&self, register: &Operand) -> u32 {
        let first = (register.value as usize).min(FILE);
        let low = self.ready[first];
        match register.size {
            Size::B16 => low,
            Size::B32 => low.max(self.ready[first + 1]),
            Size::B64 => low.max(self.ready[first + 1]).max(self.ready[first + 2]).max(self.ready[first + 3]),
        }
    }

    /// Sets the cycle at which a register can be read.
    #[inline]
    fn complete_at(&mut self, register: &Operand, cycle: u32) {
        let first = (register.value as usize).min(FILE);
        match register.size {
            Size::B16 => self.ready[first] = cycle,
            Size::B32 => self.ready[first..first + 2].fill(cycle),
            Size::B64 => self.ready[first..first + 4].fill(cycle),
        }
    }

    /// Cycles so far.
    pub fn cycles(&self) -> u32 {
        self.clock
    }

    /// Cycles spent in waits.
    pub fn stalled(&self) -> u32 {
        self.stalled
    }
}

/// The registers among `operands`.
#[inline]
fn registers(operands: &[Operand]) -> impl Iterator<Item = &Operand> {
    operands.iter().filter(|operand| operand.tag == Tag::Reg)
}

/// The entries of `halves` in the file.
fn known(halves: Halves) -> std::ops::Range<usize> {
    usize::from(halves.start).min(FILE)..usize::from(halves.end).min(FILE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asm::parse_inst;

    #[test]
    fn results_have_latencies() {
        let run = |texts: &[&str]| {
            let mut alone = Alone::default();
            texts.iter().for_each(|text| alone.issue(&parse_inst(text).unwrap()));
            (alone.cycles(), alone.stalled())
        };
        assert_eq!(run(&["fadd r0, r1, r2", "fadd r3, r4, r5"]), (2, 0));
        assert_eq!(run(&["fadd r0, r1, r2", "fadd r3, r0, r5"]), (3, 0));
        let load = "load.i32.x r0, u0_u1, 0";
        assert_eq!(run(&[load, "wait 0", "fadd r3, r0, r5"]), (MEMORY_CYCLES + 2, MEMORY_CYCLES - 1));
        assert_eq!(run(&[load, "fadd r3, r4, r5", "wait 0"]), (MEMORY_CYCLES + 1, MEMORY_CYCLES - 2));
        assert_eq!(run(&[load, "wait 1", "fadd r3, r4, r5"]), (3, 0));
    }

    #[test]
    fn cycles_follow_the_model() {
        let mut cycles = Cycles::default();
        for text in ["fadd r0, r1, r2", "mfsr r0, sr80", "rcp r0, r1", "load.i32.x r0, u0_u1, 0", "stop"] {
            cycles.add(&parse_inst(text).unwrap());
        }
        assert_eq!(cycles, Cycles { fscib: 4, ic: 6 });
        assert_eq!(cycles.alu(), 6);
        assert_eq!(cost(&parse_inst("simd_reduce.iadd.prefix r0, r1").unwrap()).latency, 18);
        assert_eq!(cost(&parse_inst("simd_reduce.iadd r0, r1").unwrap()).latency, 24);
    }
}
