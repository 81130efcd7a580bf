//! Statistics of the execution: sums, and the cost of each program.

use std::collections::{BTreeMap, BTreeSet};
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

/// What submissions make the device read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Streams {
    /// Render passes.
    pub passes: u64,
    /// Barriers.
    pub barriers: u64,
    /// Bytes of control streams.
    pub stream_bytes: u64,
    /// Bytes of updates of the rasteriser's state, each counted once in a submission.
    pub update_bytes: u64,
    /// Bytes of the words of shaders, likewise.
    pub word_bytes: u64,
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
    /// What they made the device read.
    pub streams: Streams,
    /// By the address of the program.
    pub programs: BTreeMap<u64, ProgramStatistics>,
    /// Addresses of what was counted in the submission.
    counted: BTreeSet<u64>,
}

impl Statistics {
    /// Adds one to a sum.
    pub(crate) fn count(&mut self, sum: fn(&mut Statistics) -> &mut u64) {
        add(sum(self), 1);
    }

    /// Notes the submission of the next command.
    pub(crate) fn begin(&mut self, submission: u64) {
        if submission > self.submissions {
            self.submissions = submission;
            self.counted.clear();
        }
    }

    /// Adds to a sum of bytes of streams.
    pub(crate) fn read(&mut self, sum: fn(&mut Streams) -> &mut u64, bytes: u64) {
        add(sum(&mut self.streams), bytes);
    }

    /// Adds the bytes at an address to a sum, once in a submission.
    pub(crate) fn read_once(&mut self, sum: fn(&mut Streams) -> &mut u64, address: u64, bytes: u64) {
        if self.counted.insert(address) {
            self.read(sum, bytes);
        }
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
        let Statistics { submissions, launches, draws, interruptions, streams, programs, .. } = self;
        write!(f, "{submissions} submissions, {launches} launches, {draws} draws")?;
        match interruptions {
            0 => writeln!(f)?,
            count => writeln!(f, ", {count} interruptions")?,
        }
        let Streams { passes, barriers, stream_bytes, update_bytes, word_bytes } = streams;
        write!(f, "{passes} passes, {barriers} barriers, {stream_bytes} bytes of streams, ")?;
        writeln!(f, "{update_bytes} bytes of updates, {word_bytes} bytes of shader words")?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_at_an_address_counts_once_in_a_submission() {
        let mut statistics = Statistics::default();
        for submission in [1, 1, 2] {
            statistics.begin(submission);
            for (address, bytes) in [(0x40, 24), (0x80, 30)] {
                statistics.read_once(|sums| &mut sums.word_bytes, address, bytes);
            }
            statistics.read(|sums| &mut sums.stream_bytes, 5);
        }
        let expected = Streams { stream_bytes: 15, word_bytes: 2 * (24 + 30), ..Streams::default() };
        assert_eq!((statistics.submissions, statistics.streams), (2, expected));
        let shown = statistics.to_string();
        let second =
            "0 passes, 0 barriers, 15 bytes of streams, 0 bytes of updates, 108 bytes of shader words";
        assert_eq!(shown.lines().nth(1), Some(second));
    }
}
