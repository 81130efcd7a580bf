//! The pipeline as data, and the driver that runs it.
//!
//! *Architecture invariant:* [`PASSES`] is the only list of passes and [`PIPELINE`] the only order of them.
//! Help texts, disabled passes, `--emit ir-after=` and the file tests refer to their rows by name. A pass
//! that improves the code is optional: the result is correct without it, which the tests check by omitting
//! each in turn.

pub mod passes;
mod phases;

pub use passes::{PASSES, Pass};
pub use phases::{PIPELINE, Phase, PhaseDesc};

use crate::context::Context;
use crate::emit::End;
use crate::error::{CompileError, InputError};
use crate::ir::Function;
use crate::opt::{LocalRewrites, rewrite_locally};
use crate::stopping;

/// Maximum number of pipeline steps, for preallocation.
const MOST_STEPS: usize = 112;

/// The pass called `name`.
pub fn find_pass(name: &str) -> Option<&'static Pass> {
    PASSES.iter().copied().find(|pass| pass.name == name)
}

/// Where the pipeline stops.
#[derive(Clone, Copy, Default)]
pub enum Stop {
    /// At the end of the pipeline.
    #[default]
    End,
    /// After a phase.
    AfterPhase(Phase),
    /// After the last step that runs this pass.
    AfterPass(&'static Pass),
}

impl Stop {
    /// After the phase or the pass called `name`.
    pub fn after(name: &str) -> Option<Stop> {
        let phase = PIPELINE.iter().find(|row| row.name == name);
        phase.map(|row| Stop::AfterPhase(row.phase)).or_else(|| find_pass(name).map(Stop::AfterPass))
    }
}

/// How to run the pipeline.
#[derive(Clone, Copy, Default)]
pub struct Options<'o> {
    /// Names of optional passes to skip.
    pub disabled: &'o [String],
    /// The phase to begin with; `None` for the first.
    pub from: Option<Phase>,
    /// Where to stop.
    pub stop: Stop,
    /// Check the function after every pass.
    pub validate: bool,
}

/// Runs the pipeline on `f`.
///
/// # Errors
/// The errors of passes; an unknown or required pass among the disabled ones is invalid input; with
/// `validate`, a function that a pass left ill-formed is an internal error that names the pass.
pub fn run(
    f: &mut Function<'_>,
    context: &mut Context<'_>,
    options: Options<'_>,
) -> Result<(), CompileError> {
    check_names(options.disabled)?;
    let limits = context.facts.key.limits.clone();
    stopping::guarded(f, &limits, |f| run_steps(f, context, options))
}

fn run_steps(
    f: &mut Function<'_>,
    context: &mut Context<'_>,
    options: Options<'_>,
) -> Result<(), CompileError> {
    let is_disabled = |pass: &Pass| pass.optional && options.disabled.iter().any(|name| name == pass.name);
    let runs_once = context.facts.end == End::Preamble;
    let mut steps = steps(options.from, options.stop, f.stage);
    if runs_once || !options.disabled.is_empty() {
        steps.retain(|step| !(is_disabled(step) || runs_once && step.repeated_only));
    }
    let mut steps = steps.into_iter().peekable();
    while let Some(step) = steps.next() {
        // A function read from text that is already lowered enters the pipeline at its own stage.
        if f.stage > step.stages.1 {
            continue;
        }
        context.facts.key.limits.check(f)?;
        let Some(mut rewrites) = step.local else {
            run_pass(step, f, context, options.validate)?;
            continue;
        };
        while let Some(next) = steps.next_if(|next| next.local.is_some() && f.stage <= next.stages.1) {
            rewrites |= next.local.unwrap_or(LocalRewrites::empty());
        }
        run_local(rewrites, f, options.validate)?;
    }
    Ok(())
}

/// Runs adjacent passes that rewrite one instruction at a time as a single pass.
fn run_local(rewrites: LocalRewrites, f: &mut Function<'_>, validate: bool) -> Result<(), CompileError> {
    let _span = tracing::debug_span!("pass", name = "rewrite_locally").entered();
    rewrite_locally(f, rewrites);
    tracing::debug!(instructions = f.insts.len(), values = f.values.len(), "pass done");
    if validate { f.check("rewrite_locally") } else { Ok(()) }
}

/// The steps from a phase up to the stopping point, without phases that end before `stage`.
fn steps(from: Option<Phase>, stop: Stop, stage: crate::ir::Stage) -> Vec<&'static Pass> {
    let mut steps = Vec::with_capacity(MOST_STEPS);
    // The number of steps up to and including the last occurrence of the pass to stop after.
    let mut end = None;
    for row in PIPELINE.iter().filter(|row| from.is_none_or(|from| from <= row.phase)) {
        if matches!(stop, Stop::AfterPhase(last) if row.phase > last) {
            break;
        }
        let start = steps.len();
        if stage <= row.leaves {
            steps.extend_from_slice(row.steps);
        }
        if let Stop::AfterPass(last) = stop
            && let Some(at) = row.steps.iter().rposition(|step| step.name == last.name)
        {
            end = Some(steps.len().min(start + at + 1));
        }
    }
    if matches!(stop, Stop::AfterPass(_)) {
        steps.truncate(end.unwrap_or(0));
    }
    steps
}

/// Runs one pass, regardless of its position in the pipeline.
///
/// # Errors
/// Same as `run`.
#[inline]
pub fn run_pass(
    pass: &'static Pass,
    f: &mut Function<'_>,
    context: &mut Context<'_>,
    validate: bool,
) -> Result<(), CompileError> {
    if validate {
        check_needs(pass, f)?;
    }
    // A validated run ignores the operation summary, so that checks within passes run too.
    if validate || pass.has_work(f) {
        execute(pass, f, context)?;
    }
    f.stage = f.stage.max(pass.leaves.unwrap_or(f.stage));
    for family in pass.removes {
        f.removed.insert(family.operations);
    }
    if validate {
        return f.check(pass.name);
    }
    Ok(())
}

/// Runs one pass that has work.
#[inline]
fn execute(pass: &'static Pass, f: &mut Function<'_>, context: &mut Context<'_>) -> Result<(), CompileError> {
    if !tracing::enabled!(tracing::Level::DEBUG) {
        return (pass.run)(f, context);
    }
    let _span = tracing::debug_span!("pass", name = pass.name).entered();
    (pass.run)(f, context)?;
    tracing::debug!(instructions = f.insts.len(), values = f.values.len(), "pass done");
    Ok(())
}

/// Checks that the operations which the pass does not support have been removed.
fn check_needs(pass: &Pass, f: &Function<'_>) -> Result<(), CompileError> {
    let insts = || f.layout.iter().flat_map(|segment| &f.block(segment.block).insts);
    for family in pass.needs {
        if let Some(inst) = insts().find(|inst| family.operations.contain(f, &f.insts[**inst])) {
            return Err(CompileError::internal(format!(
                "{} requires a function without {}, but `{}` has `{}`",
                pass.name,
                family.name,
                f.name,
                f.inst_text(*inst)
            )));
        }
    }
    Ok(())
}

/// Checks that the disabled passes exist and are optional.
fn check_names(disabled: &[String]) -> Result<(), CompileError> {
    for name in disabled {
        match find_pass(name) {
            None => return Err(InputError::UnknownPass { name: name.clone() }.into()),
            Some(pass) if !pass.optional => {
                return Err(InputError::RequiredPass { name: name.clone() }.into());
            }
            Some(_) => {}
        }
    }
    Ok(())
}
