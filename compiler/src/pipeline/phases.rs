//! The order of the passes: phases, each a list of steps.

use super::passes::{self as pass, Pass};
use crate::ir::Stage;

/// A row of [`PIPELINE`].
pub struct PhaseDesc {
    /// The phase.
    pub phase: Phase,
    /// Name on the command line and in messages.
    pub name: &'static str,
    /// Its purpose, in one sentence.
    pub doc: &'static str,
    /// The stage that a function is at afterwards.
    pub leaves: Stage,
    /// Its passes, in order.
    pub steps: &'static [&'static Pass],
}

macro_rules! phases {
    ($($phase:ident $name:literal -> $leaves:ident [$($step:ident)*] $doc:literal;)*) => {
        /// A part of the pipeline.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Phase {
            $(#[doc = $doc] $phase,)*
        }

        /// Every phase in order. A pass may occur in several phases, and several times in one.
        pub static PIPELINE: &[PhaseDesc] = &[$(PhaseDesc {
            phase: Phase::$phase,
            name: $name,
            doc: $doc,
            leaves: Stage::$leaves,
            steps: &[$(&pass::$step),*],
        }),*];
    };
}

phases! {
    Prepare "prepare" -> Source [
        LOWER_UNREACHABLE LOWER_TEST_KERNEL LOWER_INVARIANT
    ] "Prepares functions from a front end or a text for optimisation.";

    Improve "improve" -> Source [
        OPT_MEMORY OPT_SIMPLIFY OPT_DCE OPT_SIMPLIFY_CONTROL OPT_UNROLL OPT_RANGES OPT_SIMPLIFY
        OPT_SIMPLIFY_CONTROL OPT_DCE OPT_MOVE_TO_VERTEX
    ] "Optimises before any operation of the front end is lowered.";

    CrossLane "cross_lane" -> Source [
        LOWER_RETIRED LOWER_SUBGROUPS
    ] "Lowers subgroup operations, before the phases that lower their arithmetic, and the ends of lanes by votes.";

    Memory "memory" -> Source [
        OPT_MEMORY OPT_SIMPLIFY OPT_DCE OPT_VECTORIZE_MEMORY
    ] "Optimises memory accesses while addresses are in bytes.";

    Arithmetic "arithmetic" -> Source [
        LOWER_FLOAT64 LOWER_INT8 LOWER_DIVISION LOWER_MULTIPLY_HIGH LOWER_FLOAT_DIVISION LOWER_TRIGONOMETRY LOWER_INT64
    ] "Lowers arithmetic that the hardware lacks.";

    Interface "interface" -> Source [
        LOWER_BARRIER LOWER_LOCAL LOWER_VARYINGS
    ] "Lowers barriers, threadgroup memory and vertex outputs.";

    Coverage "coverage" -> Source [
        LOWER_FRAG_SIDEFX LOWER_COVERAGE
    ] "Lowers sample operations of fragment shaders, and collects the requirements of the epilog.";

    Resources "resources" -> Source [
        LOWER_INTERPOLATION LOWER_TEXTURE LOWER_SCRATCH
    ] "Lowers fragment inputs, textures and stack memory.";

    Uniform "uniform" -> Source [
        OPT_SIMPLIFY OPT_DCE OPT_LINEAR OPT_CSE OPT_DCE OPT_PREAMBLE
    ] "Optimises the lowered code, and moves uniform computations to the preamble.";

    Place "place" -> Source [
        OPT_DCE OPT_SIMPLIFY_CONTROL OPT_NEST_CONDITIONS OPT_DCE OPT_PLACE
    ] "Removes code that moved to the preamble, converts and nests ifs, and moves instructions to where they cost least.";

    Address "address" -> Lowered [
        LOWER_ADDRESS OPT_CSE OPT_FUSE OPT_DCE
    ] "Forms addresses and fused operations.";

    Select "select" -> Machine [
        LOWER_SELECT OPT_DCE OPT_NARROW OPT_PROMOTE_CONSTANTS LOWER_OPERANDS
    ] "Selects instructions and legalises their operands.";

    Allocate "allocate" -> Allocated [
        SCHEDULE_PRESSURE REGALLOC LOWER_LAST_VARYING LOWER_DIVERGENT_SHUFFLE
    ] "Allocates registers.";

    Finish "finish" -> Final [
        LOWER_CONTROL_FLOW LOWER_FRAME SCHEDULE_LATENCY INSERT_WAITS
    ] "Lowers control flow to mask instructions, schedules for latency, and inserts waits.";
}

impl Phase {
    /// The row of the phase.
    pub fn desc(self) -> &'static PhaseDesc {
        &PIPELINE[self as usize]
    }

    /// The phase after this one, if there is one.
    pub fn next(self) -> Option<Phase> {
        PIPELINE.get(self as usize + 1).map(|row| row.phase)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::{MOST_STEPS, PASSES};

    #[test]
    fn requirements_of_every_step_are_met() {
        let mut stage = Stage::Source;
        let mut gone = Vec::new();
        for row in PIPELINE {
            for step in row.steps {
                assert!(step.takes(stage), "{} at stage {}", step.name, stage.name());
                for family in step.needs {
                    assert!(gone.contains(family), "{} needs {} to be gone", step.name, family.name);
                }
                gone.extend(step.removes);
                stage = step.leaves.unwrap_or(stage);
            }
            assert_eq!(stage, row.leaves, "after phase {}", row.name);
        }
    }

    #[test]
    fn lists_of_steps_do_not_grow() {
        assert!(PIPELINE.iter().map(|row| row.steps.len()).sum::<usize>() <= MOST_STEPS);
    }

    #[test]
    fn rows_are_in_order_and_every_pass_is_a_step() {
        assert!(PIPELINE.iter().enumerate().all(|(at, row)| row.phase as usize == at));
        for pass in PASSES {
            let is_step = |row: &PhaseDesc| row.steps.iter().any(|step| step.name == pass.name);
            assert!(PIPELINE.iter().any(is_step), "{}", pass.name);
        }
    }
}
