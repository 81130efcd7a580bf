//! `agxc batch`: compiles, measures or validates many inputs in parallel and continues after failures.

use std::io::{IsTerminal as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;

use clap::ArgMatches;

use super::compile::Outputs;
use super::{Arg, Takes, arg, has_effect, stats, validate};
use crate::batch::{self, Inputs, Journal};
use crate::codes;
use crate::context::{Context, ErrorFormat};
use crate::diagnostic::{self, Diagnostic, Failure, Problems};
use crate::emit::Emit;
use crate::output;

/// Options of this command.
pub const ARGS: &[Arg] = &[
    arg("COMMAND", Takes::Word, "compile, stats or validate"),
    arg("PATH", Takes::Words, "Files, folders (searched for shaders), or @LIST with a path on each line"),
    arg("emit", Takes::Value("WHAT"), "Output of `compile` [default: asm]; the values are listed below"),
    arg("format", Takes::Choice(&["text", "json", "csv"]), "Output format of `stats`"),
    arg("jobs", Takes::Value("NUMBER"), "Number of threads [default: number of processors]"),
    arg(
        "journal",
        Takes::Value("FILE"),
        "Record inputs that `compile` or `validate` succeeds on in this file, and skip inputs that it already records",
    ),
];

/// Options that only one of the commands has.
const OWN: [(&str, &str); 6] = [
    ("emit", "compile"),
    ("format", "stats"),
    ("registers", "validate"),
    ("uniforms", "validate"),
    ("part", "validate"),
    ("continues", "validate"),
];

/// The work for each input; only `stats` has rows.
type Work = fn(&str, &ArgMatches, &mut Context, &mut Problems) -> Result<Vec<stats::Row>, Failure>;

const COMMANDS: [(&str, Work); 3] =
    [("compile", compile_one), ("stats", stats::of_file), ("validate", validate_one)];

/// Result of an input.
struct Outcome {
    index: usize,
    result: Result<Vec<stats::Row>, Vec<Diagnostic>>,
    context: Context,
}

/// Runs the command on every input. Prints failures as they occur, then the table of `stats`, then a summary.
pub fn run(options: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    let name = options.get_one::<String>("COMMAND").map_or("", String::as_str);
    let work = COMMANDS.iter().find(|(known, _)| *known == name).map(|(_, work)| *work).ok_or_else(|| {
        Failure::usage(format!("batch: unknown command `{name}`; expected compile, stats or validate"))
    })?;
    let paths = options.get_many::<String>("PATH").into_iter().flatten();
    let Inputs { names: all, refused } = batch::inputs(paths.map(String::as_str))?;
    prepare(name, &all, options)?;
    let mut journal = match options.get_one::<String>("journal") {
        Some(path) => Some(Journal::open(path, &settings(name, options))?),
        None => None,
    };
    let begin = Instant::now();
    let todo: Vec<String> = match &journal {
        Some(journal) => all.iter().filter(|input| !journal.has(input)).cloned().collect(),
        None => all.clone(),
    };
    let refused = refused.into_inner();
    diagnostic::print(&refused, context);
    let (rows, failed) = each(&todo, work, options, context, &mut journal)?;
    let succeeded = todo.len() - failed.len();
    let refused = refused.into_iter().map(|problem| (problem.file.unwrap_or_default(), problem.code));
    let failed: Vec<(String, u16)> = failed.into_iter().chain(refused).collect();
    if name == "stats" {
        let format = options.get_one::<String>("format").map_or("text", String::as_str);
        let target = options.get_one::<String>("output").map(String::as_str);
        output::text(target, &stats::table(format, &rows))?;
    }
    let skipped = all.len() - todo.len();
    let total = skipped + succeeded + failed.len();
    let skipped = if skipped > 0 { format!(", {skipped} skipped") } else { String::new() };
    let line = format!(
        "{}: {succeeded} succeeded, {} failed{skipped}, in {:.1} s",
        counted(total),
        failed.len(),
        begin.elapsed().as_secs_f64()
    );
    // The other formats have nothing but diagnostics on standard error.
    if context.error_format == ErrorFormat::Text {
        output::stderr_lines(&[line]);
    }
    let is_internal = |(_, code): &&(String, u16)| codes::exit(*code) == codes::Exit::Internal;
    match failed.iter().find(is_internal).or(failed.first()) {
        Some((name, code)) => {
            let before = if failed.len() == 1 { ": " } else { ", among them " };
            let all = counted(succeeded + failed.len());
            let message = format!("{} of {all} failed{before}{name}", failed.len());
            Err(Diagnostic::new(*code, message).into())
        }
        None => Ok(()),
    }
}

/// `1 input`, `2 inputs`.
fn counted(inputs: usize) -> String {
    format!("{inputs} input{}", if inputs == 1 { "" } else { "s" })
}

/// Runs `work` on every input and prints warnings and failures. Returns the rows, and the names and first codes of inputs
/// that failed, both in the order of the inputs.
fn each(
    todo: &[String],
    work: Work,
    options: &ArgMatches,
    context: &Context,
    journal: &mut Option<Journal>,
) -> Result<(Vec<stats::Row>, Vec<(String, u16)>), Failure> {
    let mut progress = Progress::new(todo.len());
    let mut rows: Vec<Option<Vec<stats::Row>>> = vec![None; todo.len()];
    let mut codes: Vec<(usize, u16)> = Vec::new();
    parallel(todo, work, options, context, |outcome| {
        let input = todo.get(outcome.index).map_or("", String::as_str);
        progress.clear();
        let mut warned = outcome.context;
        diagnostic::print(&warned.warnings.take(), &warned);
        match outcome.result {
            Ok(found) => {
                if let Some(journal) = journal {
                    journal.record(input)?;
                }
                rows[outcome.index] = Some(found);
            }
            Err(problems) => {
                diagnostic::print(&problems, &warned);
                codes.push((outcome.index, problems.first().map_or(codes::INTERNAL, |problem| problem.code)));
            }
        }
        progress.advance(input, codes.len());
        Ok(())
    })?;
    progress.clear();
    codes.sort_unstable();
    let name = |index: usize| todo.get(index).cloned().unwrap_or_default();
    let failed = codes.into_iter().map(|(index, code)| (name(index), code)).collect();
    Ok((rows.into_iter().flatten().flatten().collect(), failed))
}

/// Checks for errors that would affect every input, and that no output of `compile` would replace another.
fn prepare(name: &str, inputs: &[String], options: &ArgMatches) -> Result<(), Failure> {
    for (option, command) in OWN {
        has_effect(options, option, command == name, &format!("on {name}"))?;
    }
    has_effect(options, "output", name != "validate", "on validate")?;
    // A table without the rows of skipped inputs would replace that of the interrupted run.
    has_effect(options, "journal", name != "stats", "on stats, whose table has a row for every input")?;
    let emit = emit(options)?;
    if name == "compile" { outputs(options, &emit)?.check_names(inputs) } else { Ok(()) }
}

/// Everything except the input that determines a result, as text.
fn settings(name: &str, options: &ArgMatches) -> String {
    let mut text = format!("{} {name}", env!("CARGO_PKG_VERSION"));
    for id in options.ids().filter(|id| !["PATH", "jobs", "journal"].contains(&id.as_str())) {
        let values = options.try_get_raw(id.as_str()).ok().flatten().into_iter().flatten();
        text.push_str(&format!(" {id}={:?}", values.collect::<Vec<_>>()));
    }
    text
}

fn emit(options: &ArgMatches) -> Result<Emit<'_>, Failure> {
    Emit::from_option(options.get_one::<String>("emit").map_or("asm", String::as_str))
}

fn compile_one(
    name: &str,
    options: &ArgMatches,
    context: &mut Context,
    problems: &mut Problems,
) -> Result<Vec<stats::Row>, Failure> {
    let emit = emit(options)?;
    outputs(options, &emit)?.write(name, options, context, problems)?;
    Ok(Vec::new())
}

/// The folder for the outputs of `compile`.
fn outputs<'o>(options: &'o ArgMatches, emit: &'o Emit<'o>) -> Result<Outputs<'o>, Failure> {
    let folder = options.get_one::<String>("output");
    let folder = folder.ok_or_else(|| Failure::usage("batch compile needs -o FOLDER"))?;
    Outputs::new(folder, emit, flat)
}

/// A path as one name: inputs of the same name in different folders get different outputs.
fn flat(path: &str) -> String {
    crate::baseline::normal(path).trim_start_matches('/').replace(['/', '\\'], "_")
}

fn validate_one(
    name: &str,
    options: &ArgMatches,
    context: &mut Context,
    problems: &mut Problems,
) -> Result<Vec<stats::Row>, Failure> {
    validate::check(name, options, context, problems).map(|()| Vec::new())
}

/// Runs `work` on every input in several threads and passes the outcomes to `done` in order of completion.
fn parallel(
    inputs: &[String],
    work: Work,
    options: &ArgMatches,
    context: &Context,
    mut done: impl FnMut(Outcome) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let jobs = match options.get_one::<String>("jobs") {
        None => std::thread::available_parallelism().map_or(1, usize::from),
        Some(text) => text.parse().ok().filter(|jobs| (1..=1024).contains(jobs)).ok_or_else(|| {
            Failure::usage(format!("--jobs: expected a number from 1 to 1024, found `{text}`"))
        })?,
    };
    let next = AtomicUsize::new(0);
    let forks: Vec<Context> = (0..jobs.min(inputs.len())).map(|_| context.fork()).collect();
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for fork in forks {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                while let Some((index, input)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    inputs.get(index).map(|input| (index, input))
                } {
                    let mut context = fork.fork();
                    let result = attempt(work, input, options, &mut context);
                    // The receiver is dropped when the run has failed: stop.
                    if sender.send(Outcome { index, result, context }).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        receiver.iter().try_for_each(&mut done)
    })
}

/// Runs one input; a panic is reported as a problem.
fn attempt(
    work: Work,
    name: &str,
    options: &ArgMatches,
    context: &mut Context,
) -> Result<Vec<stats::Row>, Vec<Diagnostic>> {
    let mut problems = Problems::default();
    let work = AssertUnwindSafe(|| {
        let rows = work(name, options, context, &mut problems)?;
        problems.result().map(|()| rows)
    });
    match catch_unwind(work) {
        Ok(Ok(rows)) => Ok(rows),
        Ok(Err(Failure::Problems(problems))) => Err(problems),
        Ok(Err(Failure::ClosedPipe)) => Ok(Vec::new()),
        Err(_) => {
            Err(vec![Diagnostic::new(codes::INTERNAL, "panic; compile this input alone").in_file(name)])
        }
    }
}

/// A bar on a terminal; nothing elsewhere.
struct Progress {
    total: usize,
    finished: usize,
    is_terminal: bool,
}

const BAR_COLUMNS: usize = 30;

impl Progress {
    fn new(total: usize) -> Progress {
        Progress { total, finished: 0, is_terminal: std::io::stderr().is_terminal() }
    }

    fn clear(&self) {
        if self.is_terminal {
            // Ignore errors: standard error may be closed.
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }

    fn advance(&mut self, name: &str, failed: usize) {
        self.finished += 1;
        if self.is_terminal {
            let bar = "#".repeat(BAR_COLUMNS * self.finished / self.total.max(1));
            let name: String = name.chars().rev().take(40).collect::<Vec<_>>().into_iter().rev().collect();
            let (finished, total) = (self.finished, self.total);
            // As for `clear`.
            let _ = write!(
                std::io::stderr(),
                "[{bar:<BAR_COLUMNS$}] {finished}/{total}, {failed} failed  {name}"
            );
        }
    }
}
