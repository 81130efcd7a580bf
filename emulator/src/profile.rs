//! The report of a run: counts, cycle estimate, trace, profile.

use std::fmt::Write as _;

use agx_isa::desc::Unit;

use crate::captured::Captured;
use crate::findings::Finding;
use crate::group::Group;
use crate::history::Touch;
use crate::program::{Op, Program};
use crate::registers::lanes_of;

/// The report of a run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Instructions executed, summed over SIMD-groups; preamble included.
    pub instructions: u64,
    /// Instructions executed, summed over active lanes.
    pub lane_instructions: u64,
    /// Busy cycles by unit, summed over SIMD-groups.
    pub cycles: Cycles,
    /// 128-byte lines that device loads and stores accessed, summed over instructions.
    pub lines: u64,
    /// Failed device accesses that `soft_fault` ignored.
    pub soft_faults: u64,
    /// Fragments that the programs of a draw counted, if a prolog counts them.
    pub counted_fragments: u32,
    /// Findings in the order of their first occurrence; a fatal one is the last.
    pub findings: Vec<Finding>,
    /// One line per executed instruction, with [`crate::Options::trace`].
    pub trace: Vec<String>,
    /// Counts for each instruction of the main program, with [`crate::Options::profile`].
    pub profile: Option<Profile>,
    /// Counts for each instruction of the vertex program of a draw, with [`crate::Options::profile`].
    pub vertex_profile: Option<Profile>,
    /// The fragments that touched a pixel, with [`crate::Watch::history`].
    pub history: Vec<Touch>,
    /// A SIMD-group of a draw, with [`crate::Watch::capture`].
    pub captured: Option<Box<Captured>>,
}

impl Report {
    /// Cycles by the Mesa 25.0 model for G13G: those of the busier pipe. Memory is not included.
    pub fn estimated_cycles(&self) -> u64 {
        self.cycles.estimate()
    }
}

/// Busy cycles of the two pipes of the Mesa 25.0 model for G13G.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cycles {
    /// Float pipes, select, compare, integer, bitwise.
    pub fscib: u64,
    /// Integer multiply, shift, complex.
    pub ic: u64,
}

impl Cycles {
    /// The busier pipe.
    pub fn estimate(&self) -> u64 {
        self.fscib.max(self.ic)
    }

    /// Operations of the complex pipe also take an issue slot of the other.
    fn add(&mut self, op: &Op, executions: u64) {
        let Some(inst) = &op.inst else { return };
        let desc = inst.op.desc();
        match desc.unit {
            Unit::None => {}
            Unit::Ic => {
                self.ic += 2 * u64::from(desc.throughput) * executions;
                self.fscib += executions;
            }
            Unit::F32 | Unit::F16 | Unit::Scib => self.fscib += u64::from(desc.throughput) * executions,
        }
    }
}

/// Executions of each instruction of a program.
#[derive(Clone, Debug)]
pub(crate) struct Counts {
    counts: Vec<Count>,
    /// Accessed lines of 128 bytes by instruction, if they are counted.
    lines: Vec<u64>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    executions: u64,
    lanes: u64,
}

impl Counts {
    pub(crate) fn new(program: &Program) -> Counts {
        Counts { counts: vec![Count::default(); program.ops().len()], lines: Vec::new() }
    }

    /// One execution of instruction `at` by a given number of lanes.
    #[inline]
    pub(crate) fn count(&mut self, at: usize, lanes: u32) {
        let count = &mut self.counts[at];
        count.executions += 1;
        count.lanes += u64::from(lanes);
    }

    /// Lines of memory that instruction `at` accessed.
    pub(crate) fn count_lines(&mut self, at: usize, lines: u64) {
        self.lines.resize(self.counts.len(), 0);
        self.lines[at] += lines;
    }

    /// Adds the counts of another run of the same program.
    pub(crate) fn merge(&mut self, other: &Counts) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            count.executions += more.executions;
            count.lanes += more.lanes;
        }
        self.lines.resize(self.lines.len().max(other.lines.len()), 0);
        self.lines.iter_mut().zip(&other.lines).for_each(|(lines, more)| *lines += more);
    }

    /// Adds the program's sums to a report.
    pub(crate) fn add_to(&self, report: &mut Report, program: &Program) {
        for (op, count) in program.ops().iter().zip(&self.counts) {
            report.instructions += count.executions;
            report.lane_instructions += count.lanes;
            report.cycles.add(op, count.executions);
        }
    }
}

/// One instruction of a profile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Byte offset.
    pub pc: u32,
    /// Disassembly.
    pub text: String,
    /// Executions, summed over SIMD-groups.
    pub executions: u64,
    /// Executions, summed over active lanes.
    pub lanes: u64,
    /// Busy cycles.
    pub cycles: Cycles,
    /// 128-byte lines that it accessed.
    pub memory_lines: u64,
}

/// Counts for each instruction of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Profile {
    /// Instructions by offset.
    pub lines: Vec<Line>,
}

impl Profile {
    pub(crate) fn new(program: &Program, counts: &Counts) -> Profile {
        let mut lines: Vec<Line> = Vec::new();
        for (at, (op, count)) in program.ops().iter().zip(&counts.counts).enumerate() {
            let mut cycles = Cycles::default();
            cycles.add(op, count.executions);
            let Count { executions, lanes } = *count;
            let memory_lines = counts.lines.get(at).copied().unwrap_or(0);
            lines.push(Line { pc: op.pc, text: op.text(), executions, lanes, cycles, memory_lines });
        }
        lines.sort_by_key(|line| line.pc);
        Profile { lines }
    }

    /// A table: offset, executions, average active lanes, cycles, disassembly.
    pub fn text(&self) -> String {
        let mut text = String::from("offset  executions  lanes  fscib     ic  instruction\n");
        for line in &self.lines {
            let lanes = line.lanes as f64 / line.executions.max(1) as f64;
            let Cycles { fscib, ic } = line.cycles;
            // Writing to a String cannot fail.
            let _ = writeln!(
                text,
                "{:6x} {:11} {lanes:6.2} {fscib:6} {ic:6}  {}",
                line.pc, line.executions, line.text
            );
        }
        text
    }

    /// The same as a JSON array of objects.
    pub fn json(&self) -> String {
        let objects = self.lines.iter().map(|line| {
            let Cycles { fscib, ic } = line.cycles;
            format!(
                "{{\"pc\":{},\"text\":\"{}\",\"executions\":{},\"lanes\":{},\"fscib\":{fscib},\"ic\":{ic}}}",
                line.pc,
                line.text.replace('\\', "\\\\").replace('"', "\\\""),
                line.executions,
                line.lanes
            )
        });
        format!("[{}]", objects.collect::<Vec<_>>().join(","))
    }
}

/// One line of trace, after the instruction has executed: location, mask, text, and the results in the first active
/// lane.
pub(crate) fn trace_line(op: &Op, group: &Group) -> String {
    let [x, y, z] = group.workgroup;
    let mut line = format!("{x},{y},{z} {:2} {:06x} {:08x} {}", group.index, op.pc, group.exec, op.text());
    if let Some(lane) = lanes_of(group.exec).next() {
        for half in &op.strict.writes {
            let name = if half & 1 == 0 { 'l' } else { 'h' };
            let value = group.half(*half, lane);
            // Writing to a String cannot fail.
            let _ = write!(line, " r{}{name}={value:04x}", half >> 1);
        }
    }
    line
}
