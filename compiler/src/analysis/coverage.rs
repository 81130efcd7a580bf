//! Coverage: each sample is tested or killed exactly once on each path.
//!
//! The hardware gives wrong results when a sample is tested twice, or killed after it was tested. A sample
//! that is tested on one path only leaves the depth buffer undecided on the other (Mesa 25.0 AGX compiler).
//! [`faults`] tracks the possible states of each sample along all paths. A mask that is not a constant is
//! assumed to name all samples.

use agx_isa::table::Opcode;

use crate::error::CompileError;
use crate::ir::{Block, Function, Inst, InstData, Op, Side, Src};

/// A set of samples.
type Samples = u8;

/// Every sample of a pixel.
const ALL: Samples = 0xff;

/// A coverage error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A sample may be tested twice.
    TestedTwice(Inst),
    /// A sample may be killed after it was tested.
    KilledAfterTest(Inst),
    /// At the end, a sample was tested on some paths and is undecided on others.
    SometimesTested,
}

/// The possible states of samples; a sample in neither set is dead.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct State {
    open: Samples,
    tested: Samples,
}

/// The samples that an instruction decides on: those it must reach and those it may reach.
struct Decision {
    tests: bool,
    surely: Samples,
    perhaps: Samples,
}

impl Decision {
    fn of(data: &InstData<'_>) -> Option<Decision> {
        let constant = |src: &Src| src.as_imm().map(|bits| bits as Samples);
        let (target, live) = match (data.op, data.srcs) {
            (Op::Hw(Opcode::SampleMask), [target, live]) => (constant(target), constant(live)),
            (Op::Hw(Opcode::ZsEmit), [target, ..]) => (constant(target), Some(ALL)),
            _ => return None,
        };
        let tests = live != Some(0);
        // Samples of the target that are not live become dead, which also decides them. A test with a mask
        // that is not a constant tests all samples that the lane shades; a kill with such a mask may kill
        // none.
        let surely = target.unwrap_or(if tests { ALL } else { 0 });
        Some(Decision { tests, surely, perhaps: target.unwrap_or(ALL) })
    }

    fn apply(&self, inst: Inst, state: &mut State, faults: Option<&mut Vec<Fault>>) {
        if let Some(faults) = faults.filter(|_| self.perhaps & state.tested != 0) {
            faults.push(if self.tests { Fault::TestedTwice(inst) } else { Fault::KilledAfterTest(inst) });
        }
        state.open &= !self.surely;
        if self.tests {
            state.tested |= self.perhaps;
        }
    }
}

/// All coverage errors of `f`, in program order. Requires current edges ([`Function::compute_cfg`]).
pub fn faults(f: &Function<'_>) -> Vec<Fault> {
    let mut heads: Side<Block, State> = Side::new(f.blocks.len());
    heads[f.entry()] = State { open: ALL, tested: 0 };
    let mut grew = true;
    // States only grow, by at most sixteen bits per block.
    while grew {
        grew = false;
        for block in f.blocks_in_order() {
            let end = walk(f, block, heads[block], None);
            for next in &f.block(block).succs {
                let head = &mut heads[*next];
                let joined = State { open: head.open | end.open, tested: head.tested | end.tested };
                grew |= *head != joined;
                *head = joined;
            }
        }
    }
    let mut faults = Vec::new();
    let mut end = State::default();
    for block in f.blocks_in_order() {
        end = walk(f, block, heads[block], Some(&mut faults));
    }
    if end.open & end.tested != 0 {
        faults.push(Fault::SometimesTested);
    }
    faults
}

fn walk(f: &Function<'_>, block: Block, mut state: State, mut faults: Option<&mut Vec<Fault>>) -> State {
    for inst in &f.block(block).insts {
        if let Some(decision) = Decision::of(&f.insts[*inst]) {
            decision.apply(*inst, &mut state, faults.as_deref_mut());
        }
    }
    state
}

/// Checks the coverage operations of `f`.
///
/// # Errors
/// The first fault, as an internal error.
pub fn check(f: &Function<'_>) -> Result<(), CompileError> {
    let message = match faults(f).first() {
        None => return Ok(()),
        Some(Fault::TestedTwice(inst)) => format!("coverage: {inst} tests a sample again"),
        Some(Fault::KilledAfterTest(inst)) => format!("coverage: {inst} kills a sample that was tested"),
        Some(Fault::SometimesTested) => "coverage: a sample is tested on some paths only".to_owned(),
    };
    Err(CompileError::internal(message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse;
    use bumpalo::Bump;

    /// Names of the faults of a function with this body.
    fn faults_of(body: &str) -> Vec<&'static str> {
        let bump = Bump::new();
        let text = format!("kernel @test(%0:1, %1:16) stage source {{\nb0:\n{body}\n}}\n");
        let mut f = parse(&bump, &text).unwrap_or_else(|error| panic!("{error:?}")).remove(0);
        f.compute_cfg();
        let name = |fault: Fault| match fault {
            Fault::TestedTwice(_) => "twice",
            Fault::KilledAfterTest(_) => "killed",
            Fault::SometimesTested => "sometimes",
        };
        faults(&f).into_iter().map(name).collect()
    }

    const TEST: &str = "sample_mask #255:16, #63:16";
    const KILL: &str = "sample_mask %1, #0:16";

    #[test]
    fn killing_and_then_testing_once_is_right() {
        assert_eq!(faults_of(&format!("{KILL}\n{KILL}\n{TEST}")), [""; 0]);
        assert_eq!(faults_of(&format!("{KILL}\n{KILL}")), [""; 0]);
        assert_eq!(
            faults_of("sample_mask #1:16, #1:16\nsample_mask #2:16, #2:16\nsample_mask #4:16, #0:16"),
            [""; 0]
        );
        assert_eq!(faults_of("sample_mask #255:16, #0:16\nsample_mask #255:16, #63:16"), [""; 0]);
    }

    #[test]
    fn seeded_faults_are_found() {
        assert_eq!(faults_of(&format!("{TEST}\n{TEST}")), ["twice"]);
        assert_eq!(faults_of(&format!("{TEST}\n{KILL}")), ["killed"]);
        assert_eq!(faults_of("sample_mask #3:16, #3:16\nsample_mask #2:16, #2:16"), ["twice"]);
        assert_eq!(faults_of("sample_mask #1:16, #1:16\nsample_mask %1, %1"), ["twice"]);
    }

    #[test]
    fn paths_are_joined() {
        let branch = |then: &str, otherwise: &str, after: &str| {
            format!("if %0 {{\nb1:\n{then}\n}} else {{\nb2:\n{otherwise}\n}}\nb3:\n{after}")
        };
        assert_eq!(faults_of(&branch(TEST, TEST, "")), [""; 0]);
        assert_eq!(faults_of(&branch(TEST, "", "")), ["sometimes"]);
        assert_eq!(faults_of(&branch(TEST, "", TEST)), ["twice"]);
        assert_eq!(faults_of(&branch(TEST, "sample_mask #255:16, #0:16", "")), [""; 0]);
        assert_eq!(faults_of(&branch(KILL, "", TEST)), [""; 0]);
    }

    #[test]
    fn a_test_in_a_loop_comes_again() {
        let body = format!("loop {{\nb1:\n{TEST}\nif %0 {{\nb2:\njump b5\n}} else {{\nb3:\n}}\nb4:\n}}\nb5:");
        assert_eq!(faults_of(&body), ["twice"]);
    }
}
