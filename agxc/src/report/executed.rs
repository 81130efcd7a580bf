//! What was executed, by source line: executions, active lanes, cycles and lines of memory.

use agx_debug::{Part, Symbols};
use agx_emulator::{Line, Profile};

/// What the instructions of a source line did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Row {
    /// File and line; `None` for code without a source position.
    pub place: Option<(u32, u32)>,
    /// Executed instructions, summed over SIMD-groups.
    pub executions: u64,
    /// The same, summed over active lanes.
    pub lanes: u64,
    /// Busy cycles of the ALU's slower pipe.
    pub cycles: u64,
    /// Lines of memory that were accessed.
    pub memory_lines: u64,
}

impl Row {
    /// Active lanes of an instruction, on average.
    pub fn active(&self) -> f64 {
        self.lanes as f64 / self.executions.max(1) as f64
    }
}

/// The rows of a profile by file and line.
pub fn rows(profile: &Profile, symbols: &Symbols) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for line in profile.lines.iter().filter(|line| line.executions != 0) {
        let place = place(line, symbols);
        let at = rows.binary_search_by_key(&place, |row| row.place).unwrap_or_else(|at| {
            rows.insert(at, Row { place, ..Row::default() });
            at
        });
        let Some(row) = rows.get_mut(at) else { continue };
        row.executions += line.executions;
        row.lanes += line.lanes;
        row.cycles += line.cycles.estimate();
        row.memory_lines += line.memory_lines;
    }
    rows
}

fn place(line: &Line, symbols: &Symbols) -> Option<(u32, u32)> {
    symbols.part(Part::Main).line(line.pc).map(|row| (row.file, row.line))
}

/// The name of a place.
pub fn name(place: Option<(u32, u32)>, symbols: &Symbols) -> String {
    match place {
        Some((file, line)) => {
            format!("{}:{line}", symbols.files.get(file as usize).map_or("", String::as_str))
        }
        None => "(no line)".to_owned(),
    }
}

/// A table of the lines of a program called `title`; `source` returns the text of a line if it is known.
pub fn text(
    title: &str,
    profile: &Profile,
    symbols: &Symbols,
    source: impl Fn(&str, u32) -> Option<String>,
) -> String {
    let rows = rows(profile, symbols);
    let total: u64 = rows.iter().map(|row| row.cycles).sum();
    let mut text =
        format!("{title}: {total} cycles\n cycles  share  executions  lanes  memory lines  line\n");
    for row in &rows {
        let share = 100.0 * row.cycles as f64 / total.max(1) as f64;
        let lanes = row.active();
        let code = row.place.and_then(|(file, line)| source(symbols.files.get(file as usize)?, line));
        let code = code.map_or_else(String::new, |code| format!("  {}", code.trim()));
        text.push_str(&format!(
            "{:7} {share:5.1}%  {:10}  {lanes:5.2}  {:12}  {}{code}\n",
            row.cycles,
            row.executions,
            row.memory_lines,
            name(row.place, symbols)
        ));
    }
    text
}

/// The cycles of an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stack {
    /// File and line; `None` for code without a source position.
    pub place: Option<(u32, u32)>,
    /// The instruction.
    pub text: String,
    /// Busy cycles of the ALU's slower pipe, not 0.
    pub cycles: u64,
}

/// The instructions that took cycles, by file and line.
pub fn stacks(profile: &Profile, symbols: &Symbols) -> Vec<Stack> {
    let stack = |line: &Line| {
        let cycles = line.cycles.estimate();
        (cycles != 0).then(|| Stack { place: place(line, symbols), text: line.text.clone(), cycles })
    };
    let mut stacks: Vec<Stack> = profile.lines.iter().filter_map(stack).collect();
    stacks.sort_by_key(|stack| stack.place);
    stacks
}

/// The cycles of each instruction as folded stacks of program, line and instruction, from which flame graphs are drawn.
pub fn folded(title: &str, profile: &Profile, symbols: &Symbols) -> String {
    let frame = |text: &str| text.replace([';', '\n'], ",");
    let line = |Stack { place, text, cycles }: Stack| {
        format!("{};{};{} {cycles}\n", frame(title), frame(&name(place, symbols)), frame(&text))
    };
    stacks(profile, symbols).into_iter().map(line).collect()
}
