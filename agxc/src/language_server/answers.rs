//! What an editor shows of an analysis: diagnostics, the text of a hover, and code lenses.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;

use agx_compiler::Location;
use lsp_types::{
    CodeLens, Command, Diagnostic, DiagnosticSeverity, Hover, HoverContents, MarkupContent, MarkupKind,
    NumberOrString, Position,
};

use super::analysis::{Analysis, LineCode, Part, Point, Problem};
use super::document::Text;
use super::entry_points::definition;
use crate::diagnostic::Severity;
use crate::{codes, statistics};

/// Instructions of a line that a hover shows.
const MOST_INSTRUCTIONS: usize = 64;

/// The diagnostics of the text called `name`.
pub fn diagnostics(analysis: &Analysis, text: &Text, name: &str) -> Vec<Diagnostic> {
    let diagnostic = |problem: &Problem| {
        let found = &problem.diagnostic;
        let message = match place(problem, name) {
            Place::Elsewhere(_) => found.line(),
            _ => found.message.clone(),
        };
        let severity = match found.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
        };
        Diagnostic {
            range: text.range(concerned(problem, text, name)),
            severity: Some(severity),
            code: Some(NumberOrString::String(format!("AGX{:04}", found.code))),
            source: Some("agxc".to_owned()),
            message,
            ..Diagnostic::default()
        }
    };
    analysis.problems.iter().map(diagnostic).collect()
}

/// Where a problem is.
enum Place<'p> {
    /// At a line and a column of the text.
    Here(u32, u32),
    /// In another file: one that the text includes, or one of the options.
    Elsewhere(&'p str),
    /// In the text as a whole.
    Whole,
}

fn place<'p>(problem: &'p Problem, name: &str) -> Place<'p> {
    let diagnostic = &problem.diagnostic;
    match (&diagnostic.location, diagnostic.file.as_deref()) {
        (Location::Source { file, line, column }, _) if file == name => Place::Here(*line, *column),
        (Location::Source { file, .. }, _) => Place::Elsewhere(file),
        (_, Some(file)) if file != name => Place::Elsewhere(file),
        (Location::Text { line, column }, _) => Place::Here(*line, *column),
        _ => Place::Whole,
    }
}

/// The bytes of the text that a problem concerns: without a place in it, where it includes the other file, or else the name of the
/// entry point, or else the first line.
fn concerned(problem: &Problem, text: &Text, name: &str) -> Range<usize> {
    let entry = || definition(text.text(), problem.entry.as_deref()?);
    let first = || text.concerned(1, 1);
    match place(problem, name) {
        Place::Here(line, column) => text.concerned(line, column),
        Place::Elsewhere(file) => inclusion(text, file).unwrap_or_else(first),
        Place::Whole => entry().unwrap_or_else(first),
    }
}

/// The line that includes a file.
fn inclusion(text: &Text, file: &str) -> Option<Range<usize>> {
    let base = Path::new(file).file_name()?.to_str()?;
    let includes = |line: &&str| line.trim_start().starts_with("#include") && line.contains(base);
    let number = text.text().split('\n').position(|line| includes(&line))?;
    Some(text.concerned(number as u32 + 1, 1))
}

/// What is known about the line at a position: the code of the line in each entry point, statistics where an entry point is
/// defined, and explanations of the problems at the position.
pub fn hover(analysis: &Analysis, text: &Text, name: &str, at: Position) -> Option<Hover> {
    let offset = text.offset(at);
    let line = text.source_line_at(offset);
    let mut sections = Vec::new();
    for problem in &analysis.problems {
        let range = concerned(problem, text, name);
        if range.start <= offset && offset <= range.end {
            let (title, explanation) = codes::texts(problem.diagnostic.code);
            sections.push(format!("**AGX{:04}** {title}\n\n{explanation}", problem.diagnostic.code));
        }
    }
    for point in &analysis.points {
        if defined(point, text).is_some_and(|range| text.source_line_at(range.start) == line) {
            sections.push(format!("{}\n\n{}", heading(point), statistics::line(&point.statistics)));
        }
        let parts = point.parts.iter().filter_map(|part| Some((part, part.lines.get(&line)?)));
        sections.extend(parts.map(|(part, code)| section(point, part, code)));
    }
    sections.dedup();
    if sections.is_empty() {
        return None;
    }
    let value = sections.join("\n\n---\n\n");
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    let range = text.source_line(line).map(|line| text.range(line));
    Some(Hover { contents, range })
}

fn heading(point: &Point) -> String {
    format!("{} ({})", statistics::markdown_code(&point.name), point.stage)
}

/// The code of a line in a part.
fn section(point: &Point, part: &Part, code: &LineCode) -> String {
    let cost = &code.cost;
    let share = 100.0 * f64::from(cost.cycles) / f64::from(part.cycles.max(1));
    let runs = match (part.role, code.loops) {
        ("preamble", 0) => "once before all invocations".to_owned(),
        (_, 0) => "outside of loops".to_owned(),
        (_, 1) => "in a loop".to_owned(),
        (_, loops) => format!("in {loops} nested loops"),
    };
    let mut text = format!(
        "{}, {}: {}, {} ({share:.1} %), {} of them waiting, {} live; {runs}\n\n```asm\n",
        heading(point),
        part.role,
        counted(cost.instructions, "instruction"),
        counted(cost.cycles, "cycle"),
        cost.stalled,
        counted(cost.live_halves, "half register"),
    );
    for instruction in code.instructions.iter().take(MOST_INSTRUCTIONS) {
        let _ = writeln!(text, "{instruction}");
    }
    let more = code.instructions.len().saturating_sub(MOST_INSTRUCTIONS);
    if more > 0 {
        let _ = writeln!(text, "; {more} more");
    }
    text + "```"
}

fn counted(number: u32, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// A lens with the statistics of each entry point, where it is defined.
pub fn lenses(analysis: &Analysis, text: &Text) -> Vec<CodeLens> {
    let lens = |point: &Point| {
        let range = text.range(defined(point, text)?);
        // An empty command: editors show the title and offer no action.
        let command = Command { title: title(point), command: String::new(), arguments: None };
        Some(CodeLens { range, command: Some(command), data: None })
    };
    analysis.points.iter().filter_map(lens).collect()
}

fn defined(point: &Point, text: &Text) -> Option<Range<usize>> {
    definition(text.text(), &point.name)
}

fn title(point: &Point) -> String {
    let figures = &point.statistics;
    let facts = [
        counted(figures.instructions, "instruction"),
        counted(figures.alu, "ALU cycle"),
        counted(figures.gpr_halves, "half register"),
        format!("{} per core", counted(figures.threads, "thread")),
        counted(figures.spills, "spill"),
    ];
    format!("{}: {}, {}", point.stage, facts.join(", "), statistics::bottleneck(figures.binds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic;

    fn problem(place: Location, file: &str) -> Problem {
        let diagnostic = diagnostic::Diagnostic::new(203, "bad").in_file(file).at(place);
        Problem { diagnostic, entry: Some("main".to_owned()) }
    }

    #[test]
    fn a_problem_without_a_place_is_at_the_entry_point_or_the_inclusion() {
        let text = Text::new("#version 450\n  #include \"../x/part.glsl\"\nvoid main() {}\n".to_owned());
        let at = |place: Location, file: &str| {
            let analysis = Analysis { problems: vec![problem(place, file)], points: Vec::new() };
            let found = diagnostics(&analysis, &text, "a.frag").remove(0);
            (found.range.start.line, found.range.start.character, found.message)
        };
        let source = |file: &str| Location::Source { file: file.to_owned(), line: 3, column: 0 };
        assert_eq!(at(Location::Whole, "a.frag"), (2, 5, "bad".to_owned()));
        assert_eq!(at(source("a.frag"), "a.frag"), (2, 0, "bad".to_owned()));
        assert_eq!(at(source("/x/part.glsl"), "a.frag"), (1, 2, "/x/part.glsl:3: bad".to_owned()));
        let key = Location::Text { line: 9, column: 9 };
        assert_eq!(at(key, "key.json"), (0, 0, "key.json:9:9: bad".to_owned()));
    }
}
