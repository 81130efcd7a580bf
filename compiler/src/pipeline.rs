//! The pipeline as data, and the driver that runs, checks, prints, disables and stops it.
//!
//! *Architecture invariant:* [`PASSES`] is the only list of passes. Help texts, `--print-after`, `--stop-after`,
//! disabled passes and the file tests all name its rows. A pass that improves the code is `optional`: the result is
//! right without it, which the tests use by leaving each out in turn.

use agx_abi::occupancy::{MAX_THREADS, max_gpr_halves};
use agx_abi::{ShaderInfo, Target};

use crate::emit::End;
use crate::error::CompileError;
use crate::ir::{Block, Function, Side, Stage};
use crate::lower::Frame;
use crate::regalloc::{AllocateOptions, Allocation};
use crate::{CompileKey, lower, opt, regalloc, schedule};

/// What passes may read beside the function, and where they leave facts about the shader.
#[derive(Clone, Debug)]
pub struct Context<'k> {
    /// The chip compiled for.
    pub target: Target,
    /// Everything else that affects the code.
    pub key: &'k CompileKey,
    /// Facts of the shader, begun by the front end.
    pub info: ShaderInfo,
    /// How the code ends.
    pub end: End,
    /// A prolog or an epilog. The main part may have control flow, so the nesting counter is its; what a fragment part
    /// does about tests is written in it.
    pub is_beside_main: bool,
    /// Who opens the stack frame.
    pub frame: Frame,
    /// The pass after which the pipeline goes on, for a function that has gone so far.
    pub resumes_after: Option<&'static str>,
    /// Registers of the values, from register allocation on.
    pub allocation: Allocation,
    /// Blocks that end with a branch which all lanes of a SIMD-group take together.
    pub uniform_branches: Side<Block, bool>,
    /// Values written to scratch for want of registers.
    pub spills: u32,
    /// Values read back.
    pub fills: u32,
}

impl<'k> Context<'k> {
    /// A context for a function without a front end's facts.
    pub fn new(target: Target, key: &'k CompileKey) -> Self {
        Context {
            target,
            key,
            info: ShaderInfo::default(),
            end: End::Stop,
            is_beside_main: false,
            frame: Frame::Own,
            resumes_after: None,
            allocation: Allocation::default(),
            uniform_branches: Side::default(),
            spills: 0,
            fills: 0,
        }
    }
}

/// A step of the pipeline.
pub struct Pass {
    /// Name of the pass, its function and its file.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub doc: &'static str,
    /// The stage a function must have reached.
    pub needs: Stage,
    /// The stage the function is in afterwards.
    pub leaves: Stage,
    /// The code is right without it.
    pub optional: bool,
    /// Runs it.
    pub run: fn(&mut Function<'_>, &mut Context<'_>) -> Result<(), CompileError>,
}

/// A pass that always succeeds, stays in its stage, and can be left out.
macro_rules! optional {
    ($name:literal, $stage:ident, $run:path, $doc:literal) => {
        Pass {
            name: $name,
            doc: $doc,
            needs: Stage::$stage,
            leaves: Stage::$stage,
            optional: true,
            run: |f, _| {
                $run(f);
                Ok(())
            },
        }
    };
    ($name:literal, $stage:ident, with context $run:path, $doc:literal) => {
        Pass {
            name: $name,
            doc: $doc,
            needs: Stage::$stage,
            leaves: Stage::$stage,
            optional: true,
            run: |f, context| {
                $run(f, context);
                Ok(())
            },
        }
    };
}

/// A pass that everything after it relies on.
macro_rules! required {
    ($name:literal, $needs:ident -> $leaves:ident, $run:expr, $doc:literal) => {
        Pass {
            name: $name,
            doc: $doc,
            needs: Stage::$needs,
            leaves: Stage::$leaves,
            optional: false,
            run: $run,
        }
    };
}

/// Every pass in the order it runs. A pass may stand in the list more than once.
#[rustfmt::skip]
pub static PASSES: &[Pass] = &[
    required!("lower_unreachable", Source -> Source, |f, _| lower::lower_unreachable(f), "Empties unreachable blocks."),
    required!("lower_kernel", Source -> Source, lower::lower_kernel, "Gives parameters and results of test kernels their place."),
    optional!("opt_copy_prop", Source, opt::opt_copy_prop, "Reads the sources of copies."),
    optional!("opt_fold", Source, opt::opt_fold, "Computes operations on constants."),
    optional!("opt_algebraic", Source, opt::opt_algebraic, "Replaces operations by simpler ones of the same value."),
    optional!("opt_cse", Source, opt::opt_cse, "Merges equal pure instructions."),
    optional!("opt_dce", Source, opt::opt_dce, "Removes pure instructions whose results nothing needs."),
    optional!("opt_simplify_control", Source, opt::opt_simplify_control, "Makes short ifs selects and drops constructs that do nothing."),
    optional!("opt_unroll", Source, opt::opt_unroll, "Unrolls loops whose number of rounds is known."),
    optional!("opt_ranges", Source, with context opt::opt_ranges, "Simplifies integer operations by the ranges of their sources."),
    optional!("opt_copy_prop", Source, opt::opt_copy_prop, "Reads the sources of copies."),
    optional!("opt_fold", Source, opt::opt_fold, "Computes operations on constants."),
    optional!("opt_algebraic", Source, opt::opt_algebraic, "Replaces operations by simpler ones of the same value."),
    optional!("opt_jump_threading", Source, opt::opt_jump_threading, "Uses what is known of conditions in arms and behind them."),
    optional!("opt_simplify_control", Source, opt::opt_simplify_control, "Makes short ifs selects and drops constructs that do nothing."),
    optional!("opt_linear", Source, opt::opt_linear, "Puts sums and products with constants together."),
    optional!("opt_cse", Source, opt::opt_cse, "Merges equal pure instructions."),
    optional!("opt_dce", Source, opt::opt_dce, "Removes pure instructions whose results nothing needs."),
    optional!("opt_uniform_subgroups", Source, with context opt::opt_uniform_subgroups, "Simplifies operations across lanes on what all lanes have alike."),
    required!("lower_subgroups", Source -> Source, |f, c| lower::lower_subgroups(f, &c.info), "Makes operations across lanes the hardware's shuffles, ballots and reductions."),
    optional!("opt_forward_memory", Source, opt::opt_forward_memory, "Forwards stored and loaded values to later loads."),
    optional!("opt_copy_prop", Source, opt::opt_copy_prop, "Reads the sources of copies."),
    optional!("opt_dce", Source, opt::opt_dce, "Removes pure instructions whose results nothing needs."),
    optional!("opt_vectorize_memory", Source, opt::opt_vectorize_memory, "Makes fewer and narrower accesses to device memory."),
    required!("lower_float64", Source -> Source, |f, _| lower::lower_float64(f), "Does 64-bit float arithmetic in integers."),
    required!("lower_bits8", Source -> Source, |f, _| lower::lower_bits8(f), "Does 8-bit arithmetic in 16 bits."),
    required!("lower_division", Source -> Source, |f, _| lower::lower_division(f), "Makes integer division multiplications."),
    required!("lower_multiply_high", Source -> Source, |f, _| lower::lower_multiply_high(f), "Makes high products wide ones."),
    required!("lower_float_division", Source -> Source, |f, _| lower::lower_float_division(f), "Makes division and square root multiplications by reciprocals."),
    required!("lower_trigonometry", Source -> Source, |f, _| lower::lower_trigonometry(f), "Makes sine and cosine the hardware's two halves."),
    required!("lower_int64", Source -> Source, |f, _| lower::lower_int64(f), "Does 64-bit arithmetic in words."),
    required!("lower_barrier", Source -> Source, |f, c| lower::lower_barrier(f, c.info.stage), "Makes barriers the hardware's sequences."),
    required!("lower_local", Source -> Source, |f, _| lower::lower_local(f), "Makes accesses to threadgroup memory the hardware's."),
    required!("lower_cull_distance", Source -> Source, |f, _| lower::lower_cull_distance(f), "Stores beside each cull distance whether it keeps the primitive."),
    required!("lower_varyings", Source -> Source, |f, c| lower::lower_varyings(f, &c.info), "Makes stores of vertex outputs the hardware's."),
    required!("lower_frag_sidefx", Source -> Source, lower::lower_frag_sidefx, "Makes fragment shaders that write memory run before their samples are tested."),
    required!("lower_discard_zs_emit", Source -> Source, lower::lower_discard_zs_emit, "Makes discards kill samples, and leaves depth and stencil to the next part."),
    required!("lower_sample_mask", Source -> Source, lower::lower_sample_mask, "Makes killing samples the hardware's decision over them."),
    required!("lower_interpolation", Source -> Source, lower::lower_interpolation, "Makes reads of fragment inputs the hardware's interpolations."),
    required!("lower_texture", Source -> Source, |f, _| lower::lower_texture(f), "Makes accesses to textures and images the hardware's."),
    required!("lower_scratch", Source -> Source, |f, _| lower::lower_scratch(f), "Makes accesses to stack memory the hardware's."),
    optional!("opt_copy_prop", Source, opt::opt_copy_prop, "Reads the sources of copies."),
    optional!("opt_fold", Source, opt::opt_fold, "Computes operations on constants."),
    optional!("opt_algebraic", Source, opt::opt_algebraic, "Replaces operations by simpler ones of the same value."),
    optional!("opt_cse", Source, opt::opt_cse, "Merges equal pure instructions."),
    optional!("opt_dce", Source, opt::opt_dce, "Removes pure instructions whose results nothing needs."),
    optional!("opt_opaque", Source, with context opt::opt_opaque, "Leaves the alpha of 1 of an opaque colour out of the registers."),
    optional!("opt_loop_invariant", Source, opt::opt_loop_invariant, "Moves out of loops what gives the same in every round."),
    optional!("opt_preamble", Source, with context opt::opt_preamble, "Moves what is the same for every invocation to a program that runs once."),
    optional!("opt_dce", Source, opt::opt_dce, "Removes pure instructions whose results nothing needs."),
    optional!("opt_uniform_branches", Source, with context opt::opt_uniform_branches, "Finds the branches that all lanes of a SIMD-group take together."),
    optional!("opt_sink", Source, opt::opt_sink, "Moves loads and interpolations into the branches that read them."),
    required!("lower_address", Source -> Lowered, |f, c| lower::lower_address(f, c.target), "Folds address arithmetic into device memory accesses."),
    optional!("opt_cse", Lowered, opt::opt_cse, "Merges equal pure instructions."),
    optional!("opt_fuse", Lowered, opt::opt_fuse, "Fuses products with sums, shifts with sums, and shifts with masks."),
    optional!("opt_dce", Lowered, opt::opt_dce, "Removes pure instructions whose results nothing needs."),
    required!("lower_select", Lowered -> Selected, |f, _| lower::lower_select(f), "Selects machine instructions."),
    optional!("opt_dce", Selected, opt::opt_dce, "Removes pure instructions whose results nothing needs."),
    optional!("opt_fold_destinations", Selected, opt::opt_fold_destinations, "Folds saturation and rounding into the operations they read."),
    optional!("opt_relaxed", Selected, opt::opt_relaxed, "Keeps floats that may be rounded as halves where that takes no conversion."),
    optional!("opt_promote_constants", Selected, with context opt::opt_promote_constants, "Reads constants that operands cannot encode from the uniform file."),
    required!("lower_operands", Selected -> Machine, |f, _| lower::lower_operands(f), "Loads constants and copies uniforms where operands cannot encode them."),
    optional!("schedule_pressure", Machine, schedule::schedule_pressure, "Reorders blocks to need fewer registers."),
    required!("lower_last_varying", Machine -> Machine, |f, _| lower::lower_last_varying(f), "Marks the last store of a vertex output."),
    required!("regalloc", Machine -> Allocated, allocate, "Gives every value a register."),
    required!("lower_divergent_shuffle", Allocated -> Allocated, divergent_shuffle, "Keeps the index of shuffles 0 in lanes that are off."),
    required!("lower_control_flow", Allocated -> Final, |f, c| lower::lower_control_flow(f, &mut c.allocation, &c.uniform_branches), "Makes control flow execution-mask instructions."),
    required!("lower_frame", Final -> Final, |f, c| lower::lower_frame(f, c.info.scratch_bytes, c.frame), "Reserves stack memory."),
    optional!("schedule_latency", Final, with context schedule_latency, "Reorders blocks to use the time that loads take."),
    required!("insert_waits", Final -> Final, insert_waits, "Waits for loads before their results are used."),
];

/// Half registers that are not handed out: the nesting counter, once there is control flow in the program or around it,
/// and the index of shuffles where lanes may be off.
fn reserved_halves(f: &Function<'_>, context: &Context<'_>) -> u16 {
    let sample_shading = context.info.fragment.sample_shading;
    if lower::shuffles_with_lanes_off(f) {
        return u16::from(lower::index_half(sample_shading)) + 1;
    }
    u16::from(f.layout.len() > 1 || sample_shading || context.is_beside_main)
}

fn divergent_shuffle(f: &mut Function<'_>, context: &mut Context<'_>) -> Result<(), CompileError> {
    let half = lower::index_half(context.info.fragment.sample_shading);
    lower::lower_divergent_shuffle(f, &mut context.allocation, half);
    Ok(())
}

/// Allocates registers within what the workgroup's size leaves to each thread.
fn allocate(f: &mut Function<'_>, context: &mut Context<'_>) -> Result<(), CompileError> {
    let threads = context.info.workgroup_size.iter().fold(1u32, |all, size| all.saturating_mul(*size));
    let limit = context.key.max_gpr_halves.unwrap_or(u16::MAX);
    let options = AllocateOptions {
        limit_halves: max_gpr_halves(threads.min(MAX_THREADS)).min(limit),
        reserved_halves: reserved_halves(f, context),
        stack_bytes: context.info.scratch_bytes,
        spill_everything: context.key.spill_everything,
        validate: context.key.validate,
    };
    context.allocation = regalloc::allocate(f, &options)?;
    context.info.scratch_bytes = context.allocation.stack_bytes;
    (context.spills, context.fills) = (context.allocation.spills, context.allocation.fills);
    context.info.gpr_halves = context.allocation.halves_used.max(options.reserved_halves);
    Ok(())
}

fn schedule_latency(f: &mut Function<'_>, context: &mut Context<'_>) {
    schedule::schedule_latency(f, &context.allocation, context.key.schedule_seed);
}

fn insert_waits(f: &mut Function<'_>, context: &mut Context<'_>) -> Result<(), CompileError> {
    schedule::insert_waits(f, &context.allocation, context.end);
    Ok(())
}

/// The first row of the pass called `name`.
pub fn find_pass(name: &str) -> Option<&'static Pass> {
    PASSES.iter().find(|pass| pass.name == name)
}

/// Sees the function after each pass.
pub type Observer<'o> = dyn FnMut(&'static Pass, &Function<'_>) + 'o;

/// How to run the pipeline.
#[derive(Default)]
pub struct Options<'o> {
    /// Names of optional passes to leave out.
    pub disabled: &'o [String],
    /// Stop after the last pass of this name.
    pub stop_after: Option<&'o str>,
    /// Check the function after every pass.
    pub validate: bool,
    /// Number of optional passes that run; later ones are left out. Halving it finds the pass that breaks a shader.
    pub fuel: Option<u32>,
    /// Called after each pass that ran.
    pub observer: Option<&'o mut Observer<'o>>,
}

/// Runs the pipeline on `f`.
///
/// # Errors
/// What a pass reports; an unknown or required pass named in the options is invalid input; with `validate`, a function
/// a pass left ill-formed is an internal error that names the pass.
pub fn run(
    f: &mut Function<'_>,
    context: &mut Context<'_>,
    mut options: Options<'_>,
) -> Result<(), CompileError> {
    check_names(&options)?;
    let passes = match options.stop_after.and_then(|name| PASSES.iter().rposition(|pass| pass.name == name)) {
        Some(last) => &PASSES[..=last],
        None => PASSES,
    };
    let done = context.resumes_after.and_then(|name| passes.iter().rposition(|pass| pass.name == name));
    let passes = done.map_or(passes, |last| &passes[last + 1..]);
    let mut fuel = options.fuel.unwrap_or(u32::MAX);
    for pass in passes {
        // A function that has already been lowered, from a text, enters the pipeline where it stands.
        if f.stage > pass.needs {
            continue;
        }
        if pass.optional {
            if fuel == 0 || options.disabled.iter().any(|name| name == pass.name) {
                continue;
            }
            fuel -= 1;
        }
        run_pass(pass, f, context, options.validate)?;
        if let Some(observer) = &mut options.observer {
            observer(pass, f);
        }
    }
    Ok(())
}

/// Runs one pass, whatever stands around it in the list.
///
/// # Errors
/// As [`run`].
pub fn run_pass(
    pass: &'static Pass,
    f: &mut Function<'_>,
    context: &mut Context<'_>,
    validate: bool,
) -> Result<(), CompileError> {
    let _span = tracing::debug_span!("pass", name = pass.name).entered();
    (pass.run)(f, context)?;
    f.stage = f.stage.max(pass.leaves);
    tracing::debug!(instructions = f.insts.len(), values = f.values.len(), "pass done");
    if validate {
        f.check(pass.name)?;
    }
    Ok(())
}

/// Names in the options must be those of passes, and only optional passes can be left out.
fn check_names(options: &Options<'_>) -> Result<(), CompileError> {
    for name in options.disabled {
        match find_pass(name) {
            None => return Err(CompileError::invalid(format!("there is no pass called `{name}`"))),
            Some(pass) if !pass.optional => {
                return Err(CompileError::invalid(format!(
                    "pass `{name}` is required and cannot be disabled"
                )));
            }
            Some(_) => {}
        }
    }
    match options.stop_after {
        Some(name) if find_pass(name).is_none() => {
            Err(CompileError::invalid(format!("there is no pass called `{name}`")))
        }
        _ => Ok(()),
    }
}
