//! `agxc pass`: runs passes on textual IR.

use std::panic::{AssertUnwindSafe, catch_unwind};

use agx_compiler::internal::Context as PassContext;
use agx_compiler::internal::ir::{self, Function, Violation};
use agx_compiler::internal::pipeline::{self, PASSES, PIPELINE, Pass, PhaseDesc};
use agx_compiler::{CompileKey, ErrorKind};
use bumpalo::Bump;
use clap::ArgMatches;

use super::{Arg, Takes, arg};
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Failure};
use crate::input::{self, File};
use crate::{key, output, suggest};

/// Arguments.
pub const ARGS: &[Arg] =
    &[arg("NAME… FILE", Takes::Words, "Names of passes, then the input; `list` lists the passes")];

/// Runs passes on every function of a text.
pub fn run(options: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    let words: Vec<&str> =
        options.get_many::<String>(ARGS[0].name).into_iter().flatten().map(String::as_str).collect();
    let target = options.get_one::<String>("output").map(String::as_str);
    let (file, names) = match words.split_last() {
        Some((&"list", [])) => return output::text(target, &list()),
        Some((file, names)) => (*file, names),
        None => return Err(Failure::usage("expected names of passes and a file")),
    };
    let passes: Vec<&'static Pass> = names.iter().map(|name| find(name)).collect::<Result<_, _>>()?;
    let chip = key::target(options.get_one::<String>("target").map(String::as_str))?;
    let file = input::read(file, Some("ir"), context)?;
    let bump = Bump::new();
    let functions = ir::parse(&bump, file.text()?)
        .map_err(|error| Failure::from(Diagnostic::from_compiler(error, &file.name)))?;
    let key = CompileKey::default();
    let mut texts = Vec::new();
    for mut function in functions {
        let mut state = PassContext::new(chip, &key);
        check(&function, &file)?;
        for pass in &passes {
            apply(pass, &mut function, &mut state, &file)?;
        }
        texts.push(function.to_string());
    }
    output::text(target, &texts.join("\n"))
}

/// Runs one pass on a valid function and checks what it leaves.
fn apply(
    pass: &'static Pass,
    f: &mut Function<'_>,
    state: &mut PassContext<'_>,
    file: &File,
) -> Result<(), Failure> {
    if f.stage > pass.stages.1 {
        let message = format!(
            "`{}` takes functions up to stage {}, and `{}` is at stage {}",
            pass.name,
            pass.stages.1.name(),
            f.name,
            f.stage.name()
        );
        return Err(file.problem(203, &message));
    }
    let stage = f.stage;
    let mut run = || pipeline::run_pass(pass, f, state, true).and_then(|()| f.check(pass.name));
    if stage >= pass.stages.0 {
        return run().map_err(|error| Diagnostic::from_compiler(error, &file.name).into());
    }
    // The operations of an earlier stage are a defect of the order of passes, which the command line determines.
    let reason = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(error)) if error.kind() != ErrorKind::Internal => {
            return Err(Diagnostic::from_compiler(error, &file.name).into());
        }
        Ok(Err(error)) => format!(": {}", error.message()),
        Err(_) => String::new(),
    };
    let (name, first, now) = (pass.name, pass.stages.0.name(), stage.name());
    let message =
        format!("`{name}` takes functions from stage {first} on, and `{}` is at stage {now}{reason}", f.name);
    Err(file.problem(203, &message))
}

/// Reports every rule of its stage that `f` breaks.
pub fn check(f: &Function<'_>, file: &File) -> Result<(), Failure> {
    let Err(violations) = ir::validate(f, f.stage) else { return Ok(()) };
    let problem = |violation: &Violation| Diagnostic::from_compiler(violation.error(0), &file.name);
    Err(Failure::Problems(violations.iter().map(problem).collect()))
}

/// The pass called `name`.
pub fn find(name: &str) -> Result<&'static Pass, Failure> {
    pipeline::find_pass(name).ok_or_else(|| Failure::usage(unknown(name)))
}

/// The sentence about a name that no pass has.
pub fn unknown(name: &str) -> String {
    let question = suggest::question(&suggest::similar(name, PASSES.iter().map(|pass| pass.name)));
    let end = if question.is_empty() { ";" } else { question.as_str() };
    format!("unknown pass `{name}`{end} `agxc pass list` lists all passes")
}

/// Every phase with its passes, in order.
fn list() -> String {
    let line = |pass: &&Pass| {
        let optional = if pass.optional { "optional" } else { "" };
        format!("  {:<24} {:<8} {}\n", pass.name, optional, pass.doc)
    };
    let phase = |row: &PhaseDesc| {
        let steps: String = row.steps.iter().map(line).collect();
        format!("{}: {}\n{steps}", row.name, row.doc)
    };
    PIPELINE.iter().map(phase).collect()
}
