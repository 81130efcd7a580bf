//! The pipeline as data, and the driver that runs it.
//!
//! *Architecture invariant:* [`PASSES`] is the only list of passes and [`PIPELINE`] the only order of them.
//! Help texts, disabled passes, `--emit ir-after=` and the file tests refer to their rows by name. A pass
//! that improves the code is optional: the result is correct without it, which the tests check by omitting
//! each in turn.

mod facts;
pub mod passes;
mod phases;

pub use facts::Facts;
use facts::Known;
pub use passes::{PASSES, Pass};
pub use phases::{PIPELINE, Phase, PhaseDesc};

use crate::context::Context;
use crate::emit::End;
use crate::error::{CompileError, InputError};
use crate::ir::Function;
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
    /// Before a phase.
    BeforePhase(Phase),
    /// After the last step that runs this pass.
    AfterPass(&'static Pass),
    /// Before that step.
    BeforePass(&'static Pass),
}

impl Stop {
    /// After the phase or the pass called `name`.
    pub fn after(name: &str) -> Option<Stop> {
        let phase = PIPELINE.iter().find(|row| row.name == name);
        phase.map(|row| Stop::AfterPhase(row.phase)).or_else(|| find_pass(name).map(Stop::AfterPass))
    }

    /// Before the phase or the pass called `name`.
    pub fn before(name: &str) -> Option<Stop> {
        let phase = PIPELINE.iter().find(|row| row.name == name);
        phase.map(|row| Stop::BeforePhase(row.phase)).or_else(|| find_pass(name).map(Stop::BeforePass))
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
    let steps = steps(options.from, options.stop, f.stage);
    let mut driver = Driver::new(f, context, options.disabled, options.validate);
    driver.run(f, &steps)?;
    driver.known.provide(f, Facts::EDGES);
    Ok(())
}

/// The steps from a phase up to the stopping point, without phases that end before `stage`.
fn steps(from: Option<Phase>, stop: Stop, stage: crate::ir::Stage) -> Vec<&'static Pass> {
    let mut steps = Vec::with_capacity(MOST_STEPS);
    // The number of steps up to the last occurrence of the pass to stop at.
    let mut end = None;
    let last = match stop {
        Stop::AfterPass(pass) => Some((pass, 1)),
        Stop::BeforePass(pass) => Some((pass, 0)),
        Stop::End | Stop::AfterPhase(_) | Stop::BeforePhase(_) => None,
    };
    for row in PIPELINE.iter().filter(|row| from.is_none_or(|from| from <= row.phase)) {
        let is_beyond = match stop {
            Stop::AfterPhase(last) => row.phase > last,
            Stop::BeforePhase(next) => row.phase >= next,
            Stop::End | Stop::AfterPass(_) | Stop::BeforePass(_) => false,
        };
        if is_beyond {
            break;
        }
        let start = steps.len();
        if stage <= row.leaves {
            steps.extend_from_slice(row.steps);
        }
        if let Some((last, more)) = last
            && let Some(at) = row.steps.iter().rposition(|step| step.name == last.name)
        {
            end = Some(steps.len().min(start + at + more));
        }
    }
    if last.is_some() {
        steps.truncate(end.unwrap_or(0));
    }
    steps
}

/// Runs one pass and what follows it, regardless of its position in the pipeline.
///
/// # Errors
/// Same as `run`.
pub fn run_pass(
    pass: &'static Pass,
    f: &mut Function<'_>,
    context: &mut Context<'_>,
    validate: bool,
) -> Result<(), CompileError> {
    let mut driver = Driver::new(f, context, &[], validate);
    driver.step(f, pass)?;
    driver.known.provide(f, Facts::EDGES);
    Ok(())
}

/// Runs passes on one function.
struct Driver<'d, 'c> {
    context: &'d mut Context<'c>,
    /// Names of passes that do not run.
    disabled: &'d [String],
    validate: bool,
    /// Whether the function is a program that runs once.
    runs_once: bool,
    known: Known,
}

impl<'d, 'c> Driver<'d, 'c> {
    fn new(
        f: &Function<'_>,
        context: &'d mut Context<'c>,
        disabled: &'d [String],
        validate: bool,
    ) -> Driver<'d, 'c> {
        context.back_end.demand = None;
        let runs_once = context.facts.end == End::Preamble;
        Driver { context, disabled, validate, runs_once, known: Known::nothing(f) }
    }

    /// Whether a step applies. A function read from text that is already lowered enters the pipeline at its own stage.
    fn applies(&self, f: &Function<'_>, step: &Pass) -> bool {
        let is_disabled = step.optional && self.disabled.iter().any(|name| name == step.name);
        !(is_disabled || self.runs_once && step.repeated_only) && f.stage <= step.stages.1
    }

    /// Runs steps in order.
    fn run(&mut self, f: &mut Function<'_>, steps: &[&'static Pass]) -> Result<(), CompileError> {
        for step in steps {
            if self.applies(f, step) {
                self.context.facts.key.limits.check(f)?;
                self.step(f, step)?;
            }
        }
        Ok(())
    }

    /// Runs a pass, what follows it if it has changed the function, and then the pass again if its row says so.
    fn step(&mut self, f: &mut Function<'_>, pass: &'static Pass) -> Result<(), CompileError> {
        for _ in 0..pass.times {
            if !self.pass(f, pass)? {
                break;
            }
            self.run(f, pass.then)?;
        }
        Ok(())
    }

    /// Runs one pass. Returns whether it has changed the function.
    fn pass(&mut self, f: &mut Function<'_>, pass: &'static Pass) -> Result<bool, CompileError> {
        if self.validate {
            check_needs(pass, f)?;
        }
        // A validated run ignores the operation summary, so that checks within passes run too.
        let has_work = (self.validate || pass.has_work(f)) && !self.is_done(pass);
        if has_work {
            self.known.provide(f, pass.wants);
            execute(pass, f, self.context)?;
        }
        f.stage = f.stage.max(pass.leaves.unwrap_or(f.stage));
        for family in pass.removes {
            f.removed.insert(family.operations);
        }
        let is_changed = match has_work {
            true => self.known.after(pass, f, self.context),
            false => self.known.advance(f, pass.keeps),
        };
        self.validate(f, pass.name)?;
        Ok(is_changed)
    }

    /// Whether what the pass would achieve holds already.
    fn is_done(&self, pass: &Pass) -> bool {
        !pass.spared_by.is_empty() && self.known.holds(pass.spared_by)
    }

    /// Checks the function and what is known of it, if that is asked for.
    fn validate(&mut self, f: &mut Function<'_>, pass: &str) -> Result<(), CompileError> {
        if !self.validate {
            return Ok(());
        }
        self.known.provide(f, Facts::EDGES);
        f.check(pass)?;
        self.known.check(pass, f, self.context)
    }
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
