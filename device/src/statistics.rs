//! Statistics of the execution: sums, and the cost of each program.

use std::collections::BTreeMap;
use std::fmt;

use agx_emulator::Report;

/// The cost of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ProgramStatistics {
    /// Launches or draws that ran it.
    pub launches: u64,
    /// Instructions executed, summed over SIMD-groups.
    pub instructions: u64,
    /// Instructions executed, summed over active lanes.
    pub lane_instructions: u64,
    /// Cycles by the model of Mesa's compiler.
    pub cycles: u64,
}

/// Sums over all submissions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Submissions.
    pub submissions: u64,
    /// Compute launches.
    pub launches: u64,
    /// Draws.
    pub draws: u64,
    /// Number of interruptions of render passes.
    pub interruptions: u64,
    /// By the address of the program.
    pub programs: BTreeMap<u64, ProgramStatistics>,
}

impl Statistics {
    pub(crate) fn add(&mut self, program: u64, report: &Report) {
        let sums = self.programs.entry(program).or_default();
        sums.launches += 1;
        sums.instructions += report.instructions;
        sums.lane_instructions += report.lane_instructions;
        sums.cycles += report.estimated_cycles();
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Statistics { submissions, launches, draws, interruptions, programs } = self;
        write!(f, "{submissions} submissions, {launches} launches, {draws} draws")?;
        match interruptions {
            0 => writeln!(f)?,
            count => writeln!(f, ", {count} interruptions")?,
        }
        writeln!(f, "     program   launches  instructions  lane instructions        cycles")?;
        for (address, sums) in programs {
            let ProgramStatistics { launches, instructions, lane_instructions, cycles } = sums;
            writeln!(f, "{address:#12x} {launches:10} {instructions:13} {lane_instructions:18} {cycles:13}")?;
        }
        Ok(())
    }
}
