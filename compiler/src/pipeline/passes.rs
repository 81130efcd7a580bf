//! Every pass: its name, what it does, and what it asks for and leaves.

use crate::context::Context;
use crate::emit::End;
use crate::error::CompileError;
use crate::ir::families::{
    ACCESSES, BARRIERS, CROSS_LANE, CULL_DISTANCES, DISCARDS, DIVISIONS, FLOAT_DIVISIONS, FLOAT64, Family,
    GLOBAL, HIGH_PRODUCTS, INT8, INT64, INTERPOLATIONS, KEEPS, KILLS, LANES, LOCAL, SCRATCH, STORES,
    TEXTURES, TRIGONOMETRY, VARYINGS,
};
use crate::ir::{Function, Stage};
use crate::opt::LocalRewrites;
use crate::regalloc::AllocateOptions;
use crate::schedule::{ENOUGH_HALVES, ENOUGH_HALVES_ONCE};
use crate::{analysis, lower, opt, regalloc, schedule};
use agx_abi::occupancy::{MAX_THREADS, max_gpr_halves};

/// Runs a pass.
pub type Run = fn(&mut Function<'_>, &mut Context<'_>) -> Result<(), CompileError>;

/// A pass.
pub struct Pass {
    /// Name of the pass, its function and its file.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub doc: &'static str,
    /// The first and the last stage a function may be at.
    pub stages: (Stage, Stage),
    /// The stage the function is at afterwards; `None` where it stays.
    pub leaves: Option<Stage>,
    /// The code is right without it.
    pub optional: bool,
    /// Operations that must be gone.
    pub needs: &'static [&'static Family],
    /// Operations that it removes for good.
    pub removes: &'static [&'static Family],
    /// Operations without which it does nothing; empty where it may do something to any function.
    pub acts_on: &'static [&'static Family],
    /// What it does to one instruction at a time, if it is of that kind: the pipeline joins it with its neighbours.
    pub local: Option<LocalRewrites>,
    /// Runs it.
    pub run: Run,
}

impl Pass {
    const fn named(mut self, name: &'static str, doc: &'static str) -> Pass {
        (self.name, self.doc) = (name, doc);
        self
    }

    const fn leaves(mut self, stage: Stage) -> Pass {
        self.leaves = Some(stage);
        self
    }

    const fn needs(mut self, families: &'static [&'static Family]) -> Pass {
        self.needs = families;
        self
    }

    const fn removes(mut self, families: &'static [&'static Family]) -> Pass {
        self.removes = families;
        self
    }

    const fn acts_on(mut self, families: &'static [&'static Family]) -> Pass {
        self.acts_on = families;
        self
    }

    const fn local(mut self, rewrites: LocalRewrites) -> Pass {
        self.local = Some(rewrites);
        self
    }

    /// It does nothing but remove `families`.
    const fn only_removes(self, families: &'static [&'static Family]) -> Pass {
        self.removes(families).acts_on(families)
    }

    /// Whether it may have something to do.
    pub fn has_work(&self, f: &Function<'_>) -> bool {
        self.acts_on.is_empty() || self.acts_on.iter().any(|family| family.may_occur(f))
    }

    /// Whether a function at `stage` may be given to it.
    pub fn takes(&self, stage: Stage) -> bool {
        self.stages.0 <= stage && stage <= self.stages.1
    }

    /// What holds before and after it, in the words of its header.
    pub fn contract(&self) -> String {
        let (first, last) = self.stages;
        let mut text = format!("Before: stage {}", first.name());
        if first != last {
            text += &format!(" to {}", last.name());
        }
        let families = |families: &[&Family]| -> String {
            families.iter().map(|family| format!("; no {}", family.name)).collect()
        };
        text += &families(self.needs);
        match self.leaves {
            Some(stage) => text += &format!(". After: stage {}", stage.name()),
            None => text += ". After: the same",
        }
        text + &families(self.removes) + "."
    }
}

const fn required(stage: Stage, run: Run) -> Pass {
    let stages = (stage, stage);
    Pass {
        name: "",
        doc: "",
        stages,
        leaves: None,
        optional: false,
        needs: &[],
        removes: &[],
        acts_on: &[],
        local: None,
        run,
    }
}

const fn optional(first: Stage, last: Stage, run: Run) -> Pass {
    Pass { optional: true, stages: (first, last), ..required(first, run) }
}

/// A pass that always succeeds.
macro_rules! sure {
    ($run:path) => {
        |f, _| {
            $run(f);
            Ok(())
        }
    };
    ($run:path, context) => {
        |f, context| {
            $run(f, context);
            Ok(())
        }
    };
}

macro_rules! passes {
    ($($id:ident $name:literal $doc:literal = $row:expr;)*) => {
        $(#[doc = $doc] pub static $id: Pass = $row.named($name, $doc);)*

        /// Every pass.
        pub static PASSES: &[&Pass] = &[$(&$id),*];
    };
}

use Stage::{Allocated, Final, Lowered, Machine, Selected, Source};

#[rustfmt::skip]
passes! {
    LOWER_UNREACHABLE "lower_unreachable" "Empties unreachable blocks." =
        required(Source, |f, _| lower::lower_unreachable(f));
    LOWER_TEST_KERNEL "lower_test_kernel" "Gives parameters and results of test kernels their place." =
        required(Source, lower::lower_test_kernel).removes(&[&KEEPS]);

    OPT_COPY_PROP "opt_copy_prop" "Reads the sources of copies." =
        optional(Source, Source, sure!(opt::opt_copy_prop)).local(LocalRewrites::COPY_PROP);
    OPT_CONSTANT_FOLDING "opt_constant_folding" "Computes operations on constants." =
        optional(Source, Source, sure!(opt::opt_constant_folding)).local(LocalRewrites::CONSTANT_FOLDING);
    OPT_ALGEBRAIC "opt_algebraic" "Replaces operations by simpler ones of the same value." =
        optional(Source, Source, sure!(opt::opt_algebraic)).local(LocalRewrites::ALGEBRAIC);
    OPT_CSE "opt_cse" "Merges equal pure instructions." =
        optional(Source, Lowered, sure!(opt::opt_cse)).local(LocalRewrites::CSE);
    OPT_DCE "opt_dce" "Removes pure instructions whose results nothing needs." =
        optional(Source, Selected, sure!(opt::opt_dce));
    OPT_SIMPLIFY_CONTROL "opt_simplify_control" "Makes short ifs selects and drops constructs that do nothing." =
        optional(Source, Source, sure!(opt::opt_simplify_control));
    OPT_UNROLL "opt_unroll" "Unrolls loops whose number of iterations is known." =
        optional(Source, Source, sure!(opt::opt_unroll));
    OPT_RANGES "opt_ranges" "Simplifies integer operations by the ranges of their sources." =
        optional(Source, Source, sure!(opt::opt_ranges, context));
    OPT_JUMP_THREADING "opt_jump_threading" "Uses known conditions in arms and after them." =
        optional(Source, Source, sure!(opt::opt_jump_threading));
    OPT_REASSOCIATE "opt_reassociate" "Reassociates float sums and products with constants." =
        optional(Source, Source, sure!(opt::opt_reassociate));
    OPT_FACTOR "opt_factor" "Factors sums of products, and multiplies what is shared or uniform first." =
        optional(Source, Source, sure!(opt::opt_factor));
    OPT_UNIFORM_OPERANDS "opt_uniform_operands" "Puts uniform operands of integer sums and products together." =
        optional(Source, Source, sure!(opt::opt_uniform_operands));
    OPT_UNIFORM_SUBGROUPS "opt_uniform_subgroups" "Simplifies operations across lanes on uniform values." =
        optional(Source, Source, sure!(opt::opt_uniform_subgroups, context)).acts_on(&[&LANES]);

    LOWER_SUBGROUPS "lower_subgroups" "Makes operations across lanes the hardware's shuffles, ballots and reductions." =
        required(Source, |f, c| lower::lower_subgroups(f, &c.facts.info)).only_removes(&[&CROSS_LANE]);

    OPT_FORWARD_MEMORY "opt_forward_memory" "Forwards stored and loaded values to later loads." =
        optional(Source, Source, sure!(opt::opt_forward_memory)).acts_on(&[&ACCESSES]);
    OPT_DEAD_STORES "opt_dead_stores" "Removes stores that are overwritten before they are read, or never read." =
        optional(Source, Source, sure!(opt::opt_dead_stores, context)).acts_on(&[&STORES]);
    OPT_VECTORIZE_MEMORY "opt_vectorize_memory" "Makes fewer and narrower accesses to memory." =
        optional(Source, Source, sure!(opt::opt_vectorize_memory)).acts_on(&[&ACCESSES]);

    LOWER_FLOAT64 "lower_float64" "Does 64-bit float arithmetic in integers." =
        required(Source, |f, _| lower::lower_float64(f)).needs(&[&CROSS_LANE]).only_removes(&[&FLOAT64]);
    LOWER_INT8 "lower_int8" "Does 8-bit arithmetic in 16 bits." =
        required(Source, |f, _| lower::lower_int8(f)).needs(&[&CROSS_LANE]).only_removes(&[&INT8]);
    LOWER_DIVISION "lower_division" "Makes integer division multiplications." =
        required(Source, |f, _| lower::lower_division(f)).needs(&[&INT8]).only_removes(&[&DIVISIONS]);
    LOWER_MULTIPLY_HIGH "lower_multiply_high" "Makes high products wide ones." =
        required(Source, |f, _| lower::lower_multiply_high(f)).needs(&[&INT8, &DIVISIONS]).only_removes(&[&HIGH_PRODUCTS]);
    LOWER_FLOAT_DIVISION "lower_float_division" "Makes division and square root multiplications by reciprocals." =
        required(Source, |f, _| lower::lower_float_division(f)).needs(&[&FLOAT64]).only_removes(&[&FLOAT_DIVISIONS]);
    LOWER_TRIGONOMETRY "lower_trigonometry" "Makes sine and cosine the hardware's two halves." =
        required(Source, |f, _| lower::lower_trigonometry(f)).needs(&[&FLOAT64]).only_removes(&[&TRIGONOMETRY]);
    LOWER_INT64 "lower_int64" "Does 64-bit arithmetic in words." =
        required(Source, |f, _| lower::lower_int64(f)).needs(&[&FLOAT64, &DIVISIONS, &HIGH_PRODUCTS]).only_removes(&[&INT64]);

    LOWER_BARRIER "lower_barrier" "Makes barriers the hardware's sequences." =
        required(Source, |f, c| lower::lower_barrier(f, c.facts.info.stage)).only_removes(&[&BARRIERS]);
    LOWER_LOCAL "lower_local" "Makes accesses to threadgroup memory the hardware's." =
        required(Source, |f, _| lower::lower_local(f)).only_removes(&[&LOCAL]);
    LOWER_CULL_DISTANCE "lower_cull_distance" "Stores beside each cull distance whether it keeps the primitive." =
        required(Source, |f, _| lower::lower_cull_distance(f)).only_removes(&[&CULL_DISTANCES]);
    LOWER_VARYINGS "lower_varyings" "Makes stores of vertex outputs the hardware's." =
        required(Source, |f, c| lower::lower_varyings(f, &c.facts.info)).needs(&[&CULL_DISTANCES]).removes(&[&VARYINGS]);

    LOWER_FRAG_SIDEFX "lower_frag_sidefx" "Makes fragment shaders that write memory run before their samples are tested." =
        required(Source, lower::lower_frag_sidefx);
    LOWER_DISCARD_ZS_EMIT "lower_discard_zs_emit" "Makes discards kill samples, and leaves depth and stencil to the next part." =
        required(Source, lower::lower_discard_zs_emit).only_removes(&[&DISCARDS]);
    LOWER_SAMPLE_MASK "lower_sample_mask" "Makes killing samples the hardware's decision over them." =
        required(Source, lower::lower_sample_mask).needs(&[&DISCARDS]).only_removes(&[&KILLS]);

    OPT_NARROW_INPUTS "opt_narrow_inputs" "Reads of fragment inputs no more than what is used." =
        optional(Source, Source, sure!(opt::opt_narrow_inputs)).acts_on(&[&INTERPOLATIONS]);
    LOWER_INTERPOLATION "lower_interpolation" "Makes reads of fragment inputs the hardware's interpolations." =
        required(Source, lower::lower_interpolation).only_removes(&[&INTERPOLATIONS]);
    LOWER_TEXTURE "lower_texture" "Makes accesses to textures and images the hardware's." =
        required(Source, |f, _| lower::lower_texture(f)).needs(&[&BARRIERS]).only_removes(&[&TEXTURES]);
    LOWER_SCRATCH "lower_scratch" "Makes accesses to stack memory the hardware's." =
        required(Source, |f, _| lower::lower_scratch(f)).only_removes(&[&SCRATCH]);

    OPT_CONSTANT_ALPHA "opt_constant_alpha" "Leaves the alpha of 1 of an opaque colour out of the registers." =
        optional(Source, Source, sure!(opt::opt_constant_alpha, context));
    OPT_LOOP_INVARIANT "opt_loop_invariant" "Moves loop-invariant instructions out of loops." =
        optional(Source, Source, sure!(opt::opt_loop_invariant));
    OPT_PREAMBLE "opt_preamble" "Moves what is the same for every invocation to a program that runs once." =
        optional(Source, Source, sure!(opt::opt_preamble, context));
    OPT_NEST_CONDITIONS "opt_nest_conditions" "Makes an if on several conditions nested ifs." =
        optional(Source, Source, sure!(opt::opt_nest_conditions));
    MARK_UNIFORM_BRANCHES "mark_uniform_branches" "Finds the branches that all lanes of a SIMD-group take together." =
        optional(Source, Source, sure!(analysis::uniform_branches::mark_uniform_branches, context));
    OPT_SINK "opt_sink" "Moves loads and interpolations into the branches that read them." =
        optional(Source, Source, sure!(opt::opt_sink));

    LOWER_ADDRESS "lower_address" "Folds address arithmetic into device memory accesses." =
        required(Source, |f, c| lower::lower_address(f, c.facts.target)).leaves(Lowered).only_removes(&[&GLOBAL]);
    OPT_FUSE "opt_fuse" "Fuses products with sums, shifts with sums, and shifts with masks." =
        optional(Lowered, Lowered, sure!(opt::opt_fuse));

    LOWER_SELECT "lower_select" "Selects machine instructions." =
        required(Lowered, |f, _| lower::lower_select(f)).needs(&[&INT8, &INT64]).leaves(Selected);
    OPT_FOLD_DESTINATIONS "opt_fold_destinations" "Folds saturation and rounding into the operations they read." =
        optional(Selected, Selected, sure!(opt::opt_fold_destinations));
    OPT_NARROW_MEDIUMP "opt_narrow_mediump" "Keeps floats that may be rounded as halves where that takes no conversion." =
        optional(Selected, Selected, sure!(opt::opt_narrow_mediump));
    OPT_PROMOTE_CONSTANTS "opt_promote_constants" "Reads constants that operands cannot encode from the uniform file." =
        optional(Selected, Selected, sure!(opt::opt_promote_constants, context));
    LOWER_OPERANDS "lower_operands" "Loads constants and copies uniforms where operands cannot encode them." =
        required(Selected, |f, _| lower::lower_operands(f)).leaves(Machine);

    SCHEDULE_PRESSURE "schedule_pressure" "Reorders blocks to need fewer registers." =
        optional(Machine, Machine, schedule_pressure);
    OPT_SHARE_VECTORS "opt_share_vectors" "Lets values that were gathered into a vector live on in it." =
        optional(Machine, Machine, sure!(opt::opt_share_vectors));
    LOWER_LAST_VARYING "lower_last_varying" "Marks the last store of a vertex output." =
        required(Machine, |f, _| lower::lower_last_varying(f));
    REGALLOC "regalloc" "Gives every value a register." =
        required(Machine, allocate).leaves(Allocated);
    LOWER_DIVERGENT_SHUFFLE "lower_divergent_shuffle" "Keeps the index of shuffles 0 in inactive lanes." =
        required(Allocated, divergent_shuffle);
    LOWER_CONTROL_FLOW "lower_control_flow" "Makes control flow execution-mask instructions." =
        required(Allocated, control_flow).leaves(Final);
    LOWER_FRAME "lower_frame" "Reserves stack memory." =
        required(Final, |f, c| lower::lower_frame(f, c.facts.info.scratch_bytes, c.facts.frame));
    SCHEDULE_LATENCY "schedule_latency" "Reorders blocks to use the time that loads take." =
        optional(Final, Final, schedule_latency);
    INSERT_WAITS "insert_waits" "Waits for loads before their results are used." =
        required(Final, insert_waits);
}

/// Lowers register demand as far as the program gains by it.
fn schedule_pressure(f: &mut Function<'_>, context: &mut Context<'_>) -> Result<(), CompileError> {
    let runs_once = context.facts.end == End::Preamble;
    schedule::schedule_pressure(f, if runs_once { ENOUGH_HALVES_ONCE } else { ENOUGH_HALVES });
    Ok(())
}

/// Half registers that are not handed out: the nesting counter, once there is control flow in the program or around it,
/// and the index of shuffles where lanes may be inactive.
fn reserved_halves(f: &Function<'_>, context: &Context<'_>) -> u16 {
    let sample_shading = context.facts.info.fragment.sample_shading;
    if lower::shuffles_with_lanes_off(f) {
        return u16::from(lower::index_half(sample_shading)) + 1;
    }
    u16::from(f.layout.len() > 1 || sample_shading || context.facts.is_beside_main)
}

/// Allocates registers within what the workgroup's size leaves to each thread.
fn allocate(f: &mut Function<'_>, context: &mut Context<'_>) -> Result<(), CompileError> {
    let facts = &context.facts;
    let threads = facts.info.workgroup_size.iter().fold(1u32, |all, size| all.saturating_mul(*size));
    let limit = facts.key.max_gpr_halves.unwrap_or(u16::MAX);
    let options = AllocateOptions {
        limit_halves: max_gpr_halves(threads.min(MAX_THREADS)).min(limit),
        reserved_halves: reserved_halves(f, context),
        stack_bytes: facts.info.scratch_bytes,
        spill_everything: facts.key.spill_everything,
        validate: facts.key.validate,
    };
    let allocation = regalloc::allocate(f, &options)?;
    let (info, back_end) = (&mut context.facts.info, &mut context.back_end);
    info.scratch_bytes = allocation.stack_bytes;
    info.gpr_halves = allocation.halves_used.max(options.reserved_halves);
    (back_end.spills, back_end.fills) = (allocation.spills, allocation.fills);
    back_end.allocation = allocation;
    Ok(())
}

fn divergent_shuffle(f: &mut Function<'_>, context: &mut Context<'_>) -> Result<(), CompileError> {
    let half = lower::index_half(context.facts.info.fragment.sample_shading);
    lower::lower_divergent_shuffle(f, &mut context.back_end.allocation, half);
    Ok(())
}

fn control_flow(f: &mut Function<'_>, context: &mut Context<'_>) -> Result<(), CompileError> {
    let back_end = &mut context.back_end;
    lower::lower_control_flow(f, &mut back_end.allocation, &back_end.uniform_branches)
}

/// Reorders for latency what runs more than once; a preamble begins with its loads in any case.
fn schedule_latency(f: &mut Function<'_>, context: &mut Context<'_>) -> Result<(), CompileError> {
    if context.facts.end == End::Preamble && context.facts.key.schedule_seed.is_none() {
        return Ok(());
    }
    schedule::schedule_latency(f, &context.back_end.allocation, context.facts.key.schedule_seed);
    Ok(())
}

fn insert_waits(f: &mut Function<'_>, context: &mut Context<'_>) -> Result<(), CompileError> {
    schedule::insert_waits(f, &context.back_end.allocation, context.facts.end);
    Ok(())
}
