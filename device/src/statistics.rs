//! Statistics of the execution: sums, and the cost of each program.

use std::collections::BTreeMap;
use std::fmt;

use agx_emulator::Report;

/// The kind of work that ran a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// A compute launch.
    Launch,
    /// The vertex or the fragment stage of a draw.
    Draw,
    /// The start or the end of a tile.
    Tile,
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Work::Launch => "launch",
            Work::Draw => "draw",
            Work::Tile => "tile",
        })
    }
}

/// The cost of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProgramStatistics {
    /// The kind of work that ran it.
    pub work: Work,
    /// Launches, parts of draws, or visits to tiles that ran it.
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
    /// Adds one to a sum.
    pub(crate) fn count(&mut self, sum: fn(&mut Statistics) -> &mut u64) {
        add(sum(self), 1);
    }

    pub(crate) fn add(&mut self, program: u64, work: Work, report: &Report) {
        let none = ProgramStatistics { work, launches: 0, instructions: 0, lane_instructions: 0, cycles: 0 };
        let sums = self.programs.entry(program).or_insert(none);
        add(&mut sums.launches, 1);
        add(&mut sums.instructions, report.instructions);
        add(&mut sums.lane_instructions, report.lane_instructions);
        add(&mut sums.cycles, report.estimated_cycles());
    }
}

fn add(sum: &mut u64, value: u64) {
    *sum = sum.saturating_add(value);
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Statistics { submissions, launches, draws, interruptions, programs } = self;
        write!(f, "{submissions} submissions, {launches} launches, {draws} draws")?;
        match interruptions {
            0 => writeln!(f)?,
            count => writeln!(f, ", {count} interruptions")?,
        }
        writeln!(f, "     program   work   launches  instructions  lane instructions        cycles")?;
        for (address, sums) in programs {
            let ProgramStatistics { work, launches, instructions, lane_instructions, cycles } = sums;
            writeln!(
                f,
                "{address:#12x} {work:>6} {launches:10} {instructions:13} {lane_instructions:18} {cycles:13}"
            )?;
        }
        Ok(())
    }
}
