//! What is known of a text: the problems that the other commands would report, and the code of its entry points by line.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[cfg(feature = "wgsl")]
use agx_compiler::internal::frontend::language::WGSL;
use agx_compiler::internal::frontend::language::{GLSL, Language};
use agx_compiler::{CompiledShader, Statistics};
use clap::ArgMatches;

use crate::context::Context;
use crate::diagnostic::{Diagnostic, Failure};
use crate::input::{self, File, Kind};
use crate::report::flow::Block;
use crate::report::{self, PartReport, lines};
use crate::{assembly, codes, commands, key, lint};

/// Languages that are analysed.
const LANGUAGES: &[&Language] = &[
    #[cfg(feature = "wgsl")]
    &WGSL,
    &GLSL,
];

/// The settings of every analysis.
pub struct Settings {
    /// Options of `agxc lsp`.
    pub options: ArgMatches,
    /// Warnings to hide and to deny, include folders and macros.
    pub context: Context,
}

/// A text to analyse.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// Name of the file.
    pub name: String,
    /// The editor's name of the language, for names whose extension does not tell it.
    pub language: String,
    /// The text.
    pub text: String,
}

/// What is known of a text.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// Problems, in the order in which the commands report them.
    pub problems: Vec<Problem>,
    /// The entry points that compile.
    pub points: Vec<Point>,
}

/// A problem.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The diagnostic as the commands report it.
    pub diagnostic: Diagnostic,
    /// The entry point that was compiled, if there is one.
    pub entry: Option<String>,
}

/// An entry point that compiles.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Point {
    /// Its name.
    pub name: String,
    /// The name of its stage.
    pub stage: &'static str,
    /// Its statistics.
    pub statistics: Statistics,
    /// Its parts, without those that have no code.
    pub parts: Vec<Part>,
}

/// A part of an entry point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// The name of its role.
    pub role: &'static str,
    /// Cycles of all of its instructions.
    pub cycles: u32,
    /// The code of lines of the text, from 1.
    pub lines: BTreeMap<u32, LineCode>,
}

/// The code of a line in a part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineCode {
    /// Its cost, with each instruction once.
    pub cost: lines::LineCost,
    /// Loops around its innermost instruction.
    pub loops: usize,
    /// Its instructions as assembly.
    pub instructions: Vec<String>,
}

/// Analyses a text. A defect of this program is a problem like another.
pub fn analyse(source: &Source, settings: &Settings) -> Analysis {
    let mut context = settings.context.fork();
    let mut analysis = Analysis::default();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let outcome = compile(source, settings, &mut context, &mut analysis);
        analysis.add(outcome, None);
    }));
    if let Err(panic) = outcome {
        let defect = Diagnostic::new(codes::INTERNAL, crate::panic_message(&*panic));
        analysis.add(Err(defect.into()), None);
    }
    analysis
}

impl Analysis {
    /// Adds the problems of a failure, those that are known once.
    fn add(&mut self, outcome: Result<(), Failure>, entry: Option<&str>) {
        let Err(Failure::Problems(problems)) = outcome else { return };
        for diagnostic in problems {
            let place = (diagnostic.code, diagnostic.line());
            let is_same = |known: &Problem| (known.diagnostic.code, known.diagnostic.line()) == place;
            if !self.problems.iter().any(is_same) {
                self.problems.push(Problem { diagnostic, entry: entry.map(str::to_owned) });
            }
        }
    }
}

/// The file of a source; `None` if it is not in a language that is analysed.
fn file(source: &Source, options: &ArgMatches, context: &mut Context) -> Result<Option<File>, Failure> {
    let bytes = source.text.as_bytes();
    let by_name = commands::kind(options).map(Kind::from_name).unwrap_or(Kind::guess(&source.name, bytes));
    let language = LANGUAGES.iter().find(|language| match by_name {
        Some(kind) => kind.is(language),
        None => language.name == source.language,
    });
    let file =
        |language: &&Language| input::from_bytes(&source.name, bytes.to_vec(), Some(language.name), context);
    language.map(file).transpose()
}

fn compile(
    source: &Source,
    settings: &Settings,
    context: &mut Context,
    analysis: &mut Analysis,
) -> Result<(), Failure> {
    let Some(file) = file(source, &settings.options, context)? else { return Ok(()) };
    let draw = key::draw(&settings.options)?;
    for unit in commands::units(&file, &settings.options)? {
        let mut outcome = unit.compile(&file, draw.as_ref());
        if let Ok(shader) = &outcome {
            let denied = context.warnings.add(lint::warnings(&file, shader));
            analysis.add(Err(Failure::Problems(context.warnings.take())), unit.name());
            analysis.points.push(point(&file, shader));
            outcome = denied.and(outcome);
        }
        analysis.add(outcome.map(|_| ()), unit.name());
    }
    Ok(())
}

fn point(file: &File, shader: &CompiledShader) -> Point {
    let parts = report::parts(shader);
    let parts = parts.iter().map(|part| self::part(file, shader, part)).filter(|part| part.cycles > 0);
    Point {
        name: shader.info.entry_point.clone(),
        stage: shader.info.stage.name(),
        statistics: shader.stats,
        parts: parts.collect(),
    }
}

fn part(file: &File, shader: &CompiledShader, part: &PartReport) -> Part {
    let costs = lines::costs(shader, part);
    let cycles = costs.iter().map(|cost| cost.cycles).sum();
    let own = |cost: &lines::LineCost| {
        shader.sources.files.get(cost.file as usize) == Some(&file.name) && cost.line > 0
    };
    let code = |cost: lines::LineCost| (cost.line, LineCode { cost, loops: 0, instructions: Vec::new() });
    let mut by_line: BTreeMap<u32, LineCode> = costs.into_iter().filter(own).map(code).collect();
    let loops = loops(part);
    for (row, loops) in part.rows.iter().zip(loops).filter(|(row, _)| !row.is_padding) {
        let place = row.position.and_then(|position| shader.sources.get(position));
        let line =
            place.and_then(|place| by_line.get_mut(&place.line).filter(|line| line.cost.file == place.file));
        if let Some(line) = line {
            line.loops = line.loops.max(loops);
            line.instructions.push(row.text.clone());
        }
    }
    Part { role: assembly::role_name(part.role), cycles, lines: by_line }
}

/// The number of loops around each instruction of a part. A loop is what lies between the target of edges back and the last of
/// these edges.
fn loops(part: &PartReport) -> Vec<usize> {
    let mut ends: BTreeMap<usize, usize> = BTreeMap::new();
    for (from, block) in part.blocks.iter().enumerate() {
        for (to, _) in block.successors.iter().filter(|(_, is_back)| *is_back) {
            let end = ends.entry(*to).or_default();
            *end = from.max(*end);
        }
    }
    let mut loops = vec![0; part.rows.len()];
    for (index, Block { lines, .. }) in part.blocks.iter().enumerate() {
        let around = ends.iter().filter(|(start, end)| (**start..=**end).contains(&index)).count();
        if let Some(rows) = loops.get_mut(lines.clone()) {
            rows.fill(around);
        }
    }
    loops
}
