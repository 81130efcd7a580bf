//! Every pass: its name, its purpose, its requirements and its result.

use crate::context::Context;
use crate::emit::End;
use crate::error::CompileError;
use crate::ir::families::{
    ACCESSES, BARRIERS, CROSS_LANE, DISCARDS, DIVISIONS, FLOAT_DIVISIONS, FLOAT64, Family, GLOBAL,
    HIGH_PRODUCTS, INT8, INT64, INTERPOLATIONS, INVARIANTS, KEEPS, LANES, LOCAL, RETIREMENTS, SCRATCH,
    TEXTURES, TRIGONOMETRY, VARYINGS,
};
use crate::ir::{Function, Stage};
use crate::pipeline::Facts;
use crate::regalloc::AllocateOptions;
use crate::schedule::{ENOUGH_HALVES, ENOUGH_HALVES_ONCE};
use crate::{lower, opt, regalloc, schedule};
use agx_abi::occupancy::{MAX_THREADS, max_gpr_halves};
use agx_abi::registers::VERTEX_ID;
use agx_abi::vertex::RunsAs;
use agx_abi::{ShaderInfo, Stage as ShaderStage};

/// Runs a pass.
pub type Run = fn(&mut Function<'_>, &mut Context<'_>) -> Result<(), CompileError>;

/// A pass.
pub struct Pass {
    /// Name of the pass, its function and its file.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub doc: &'static str,
    /// The first and the last stage that its input may be at.
    pub stages: (Stage, Stage),
    /// The stage that it establishes; `None` if it keeps the stage.
    pub leaves: Option<Stage>,
    /// Whether the code is correct without it.
    pub optional: bool,
    /// Whether programs that run once, the preambles, do without it, because it costs more than it saves.
    pub repeated_only: bool,
    /// Operations that its input must not contain.
    pub needs: &'static [&'static Family],
    /// Operations that it removes for good.
    pub removes: &'static [&'static Family],
    /// Operations without which it has no effect; empty if it may affect any function.
    pub acts_on: &'static [&'static Family],
    /// Facts that it relies on.
    pub wants: Facts,
    /// Facts that hold afterwards if they held before. A pass that changes nothing keeps all.
    pub keeps: Facts,
    /// Facts that hold afterwards.
    pub establishes: Facts,
    /// Facts under which it would change nothing, so that it is skipped; empty if there are none.
    pub spared_by: Facts,
    /// The steps that follow if it has changed the function.
    pub then: &'static [&'static Pass],
    /// How often it runs in succession, with what follows it, as long as it changes the function.
    pub times: u32,
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

    const fn wants(mut self, facts: Facts) -> Pass {
        self.wants = facts;
        self
    }

    /// Declares that it keeps `facts` beside the edges.
    const fn keeps(mut self, facts: Facts) -> Pass {
        self.keeps = self.keeps.union(facts);
        self
    }

    /// Declares that it changes the control flow.
    const fn restructures(mut self) -> Pass {
        self.keeps = self.keeps.difference(Facts::EDGES);
        self
    }

    const fn establishes(mut self, facts: Facts) -> Pass {
        self.establishes = facts;
        // `schedule_pressure` also has an effect where the demand is known.
        self.spared_by(facts.difference(Facts::DEMAND))
    }

    const fn spared_by(mut self, facts: Facts) -> Pass {
        self.spared_by = facts;
        self
    }

    const fn then(mut self, steps: &'static [&'static Pass]) -> Pass {
        self.then = steps;
        self
    }

    const fn times(mut self, times: u32) -> Pass {
        self.times = times;
        self
    }

    const fn repeated_only(mut self) -> Pass {
        self.repeated_only = true;
        self
    }

    /// Declares that it only removes `families`.
    const fn only_removes(self, families: &'static [&'static Family]) -> Pass {
        self.removes(families).acts_on(families)
    }

    /// Whether it may have an effect on the function.
    #[inline]
    pub fn has_work(&self, f: &Function<'_>) -> bool {
        self.acts_on.is_empty() || self.acts_on.iter().any(|family| family.may_occur(f))
    }

    /// Whether it accepts a function at `stage`.
    pub fn takes(&self, stage: Stage) -> bool {
        self.stages.0 <= stage && stage <= self.stages.1
    }

    /// Its precondition and postcondition, as worded in its header.
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

/// How often loops are unrolled, with the simplification of their copies in between.
const MAX_UNROLLINGS: u32 = 2;

const fn required(stage: Stage, run: Run) -> Pass {
    let stages = (stage, stage);
    Pass {
        name: "",
        doc: "",
        stages,
        leaves: None,
        optional: false,
        repeated_only: false,
        needs: &[],
        removes: &[],
        acts_on: &[],
        wants: Facts::empty(),
        keeps: Facts::EDGES,
        establishes: Facts::empty(),
        spared_by: Facts::empty(),
        then: &[],
        times: 1,
        run,
    }
}

const fn optional(first: Stage, last: Stage, run: Run) -> Pass {
    Pass { optional: true, stages: (first, last), ..required(first, run) }
}

/// A pass that cannot fail.
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
        required(Source, |f, _| lower::lower_unreachable(f)).wants(Facts::EDGES).restructures();
    LOWER_TEST_KERNEL "lower_test_kernel" "Reads parameters of test kernels from uniforms and stores their results to memory." =
        required(Source, lower::lower_test_kernel).removes(&[&KEEPS]);

    LOWER_INVARIANT "lower_invariant" "Marks what invariant outputs are computed from, so that it is computed as written." =
        required(Source, |f, _| lower::lower_invariant(f)).only_removes(&[&INVARIANTS]).wants(Facts::EDGES);

    OPT_MEMORY "opt_memory" "Replaces loads whose value is known, and removes stores whose data is not read." =
        optional(Source, Source, sure!(opt::opt_memory, context)).acts_on(&[&ACCESSES]).wants(Facts::EDGES);
    OPT_SIMPLIFY "opt_simplify" "Propagates copies, evaluates constants, applies the algebraic rules, and merges equal instructions." =
        optional(Source, Source, sure!(opt::opt_simplify)).establishes(Facts::SIMPLIFIED);
    OPT_CSE "opt_cse" "Merges identical pure instructions." =
        optional(Source, Lowered, sure!(opt::opt_cse)).spared_by(Facts::SIMPLIFIED);
    OPT_DCE "opt_dce" "Removes pure instructions whose results are unused." =
        optional(Source, Selected, sure!(opt::opt_dce)).keeps(Facts::SIMPLIFIED).establishes(Facts::USED);
    OPT_SIMPLIFY_CONTROL "opt_simplify_control" "Converts short ifs to selects and removes constructs without effect." =
        optional(Source, Source, sure!(opt::opt_simplify_control)).restructures().then(&[&OPT_SIMPLIFY]);
    OPT_UNROLL "opt_unroll" "Unrolls loops with a known number of iterations." =
        optional(Source, Source, sure!(opt::opt_unroll)).restructures()
            .then(&[&OPT_SIMPLIFY, &OPT_SIMPLIFY_CONTROL]).times(MAX_UNROLLINGS);
    OPT_RANGES "opt_ranges" "Simplifies integer operations by the ranges of their sources, and by the bits that they move." =
        optional(Source, Source, sure!(opt::opt_ranges, context));
    OPT_MOVE_TO_VERTEX "opt_move_to_vertex" "Moves operations on fragment inputs to the vertex shader of the pipeline." =
        optional(Source, Source, sure!(opt::opt_move_to_vertex, context)).acts_on(&[&INTERPOLATIONS]);
    OPT_LINEAR "opt_linear" "Makes sums of products cheaper: takes out common factors, composes linear maps, and adds constants of offsets to bases." =
        optional(Source, Source, sure!(opt::opt_linear, context));

    LOWER_RETIRED "lower_retired" "Lets lanes that the program has ended leave loops that no others execute." =
        required(Source, |f, _| { lower::lower_retired(f); Ok(()) }).only_removes(&[&RETIREMENTS]).wants(Facts::EDGES).restructures();
    LOWER_SUBGROUPS "lower_subgroups" "Lowers subgroup operations to the hardware's shuffles, ballots and reductions." =
        required(Source, |f, c| lower::lower_subgroups(f, &c.facts.info)).removes(&[&CROSS_LANE]).acts_on(&[&LANES]).wants(Facts::EDGES).restructures();

    OPT_VECTORIZE_MEMORY "opt_vectorize_memory" "Merges and narrows memory accesses." =
        optional(Source, Source, sure!(opt::opt_vectorize_memory)).acts_on(&[&ACCESSES]);

    LOWER_FLOAT64 "lower_float64" "Lowers 64-bit float arithmetic to integer operations." =
        required(Source, |f, _| lower::lower_float64(f)).needs(&[&CROSS_LANE]).only_removes(&[&FLOAT64]);
    LOWER_INT8 "lower_int8" "Lowers 8-bit arithmetic to 16 bits." =
        required(Source, |f, _| lower::lower_int8(f)).needs(&[&CROSS_LANE]).only_removes(&[&INT8]);
    LOWER_DIVISION "lower_division" "Lowers integer division to multiplications." =
        required(Source, |f, _| lower::lower_division(f)).needs(&[&INT8]).only_removes(&[&DIVISIONS]);
    LOWER_MULTIPLY_HIGH "lower_multiply_high" "Lowers high products to wide products." =
        required(Source, |f, _| lower::lower_multiply_high(f)).needs(&[&INT8, &DIVISIONS]).only_removes(&[&HIGH_PRODUCTS]);
    LOWER_FLOAT_DIVISION "lower_float_division" "Lowers float division and square root to multiplications by reciprocals." =
        required(Source, |f, _| lower::lower_float_division(f)).needs(&[&FLOAT64]).only_removes(&[&FLOAT_DIVISIONS]);
    LOWER_TRIGONOMETRY "lower_trigonometry" "Lowers sine and cosine to the hardware's two-part sequence." =
        required(Source, |f, _| lower::lower_trigonometry(f)).needs(&[&FLOAT64]).only_removes(&[&TRIGONOMETRY]);
    LOWER_INT64 "lower_int64" "Lowers 64-bit integer arithmetic to words." =
        required(Source, |f, _| lower::lower_int64(f)).needs(&[&FLOAT64, &DIVISIONS, &HIGH_PRODUCTS]).only_removes(&[&INT64]);

    LOWER_BARRIER "lower_barrier" "Lowers barriers to the hardware's sequences." =
        required(Source, |f, c| lower::lower_barrier(f, c.facts.info.stage)).only_removes(&[&BARRIERS]);
    LOWER_LOCAL "lower_local" "Lowers threadgroup memory accesses to hardware instructions." =
        required(Source, |f, _| lower::lower_local(f)).only_removes(&[&LOCAL]);
    LOWER_VARYINGS "lower_varyings" "Lowers vertex output stores to hardware instructions." =
        required(Source, |f, c| lower::lower_varyings(f, &mut c.facts.info)).removes(&[&VARYINGS]);

    LOWER_FRAG_SIDEFX "lower_frag_sidefx" "Delays sample tests of fragment shaders that write memory." =
        required(Source, lower::lower_frag_sidefx);
    LOWER_COVERAGE "lower_coverage" "Lowers discards to the hardware's sample mask instruction, and exports what the epilog tests with." =
        required(Source, lower::lower_coverage).removes(&[&DISCARDS]).wants(Facts::EDGES);

    LOWER_INTERPOLATION "lower_interpolation" "Lowers fragment input reads to hardware interpolations." =
        required(Source, lower::lower_interpolation).only_removes(&[&INTERPOLATIONS]);
    LOWER_TEXTURE "lower_texture" "Lowers texture and image accesses to hardware instructions." =
        required(Source, |f, _| lower::lower_texture(f)).needs(&[&BARRIERS]).only_removes(&[&TEXTURES]);
    LOWER_SCRATCH "lower_scratch" "Lowers stack memory accesses to hardware instructions." =
        required(Source, |f, _| lower::lower_scratch(f)).only_removes(&[&SCRATCH]);

    OPT_PREAMBLE "opt_preamble" "Moves computations that are the same for every invocation to the preamble." =
        optional(Source, Source, sure!(opt::opt_preamble, context)).restructures();
    OPT_NEST_CONDITIONS "opt_nest_conditions" "Converts an if on a conjunction of conditions to nested ifs." =
        optional(Source, Source, sure!(opt::opt_nest_conditions)).restructures();
    OPT_PLACE "opt_place" "Moves instructions out of loops and ifs, and into the arms that read their results." =
        optional(Source, Source, sure!(opt::opt_place)).wants(Facts::EDGES);

    LOWER_ADDRESS "lower_address" "Folds address arithmetic into device memory accesses." =
        required(Source, |f, c| lower::lower_address(f, c.facts.target)).leaves(Lowered).only_removes(&[&GLOBAL]);
    OPT_FUSE "opt_fuse" "Fuses products with sums, shifts with sums, and shifts with masks." =
        optional(Lowered, Lowered, sure!(opt::opt_fuse));

    LOWER_SELECT "lower_select" "Selects machine instructions." =
        required(Lowered, |f, _| lower::lower_select(f)).needs(&[&INT8, &INT64]).leaves(Selected);
    OPT_NARROW "opt_narrow" "Folds saturation and rounding into the operations they read, and narrows relaxed floats to halves." =
        optional(Selected, Selected, sure!(opt::opt_narrow));
    OPT_PROMOTE_CONSTANTS "opt_promote_constants" "Moves constants that operands cannot encode to uniform registers." =
        optional(Selected, Selected, sure!(opt::opt_promote_constants, context)).wants(Facts::EDGES);
    LOWER_OPERANDS "lower_operands" "Loads constants and copies uniforms where operands cannot encode them." =
        required(Selected, |f, _| lower::lower_operands(f)).leaves(Machine);

    SCHEDULE_PRESSURE "schedule_pressure" "Reorders instructions within blocks to need fewer registers." =
        optional(Machine, Machine, schedule_pressure).wants(Facts::EDGES).establishes(Facts::DEMAND);
    REGALLOC "regalloc" "Assigns a register to every value." =
        required(Machine, allocate).leaves(Allocated).wants(Facts::EDGES);
    LOWER_LAST_VARYING "lower_last_varying" "Marks the last store of a vertex output." =
        required(Allocated, |f, _| lower::lower_last_varying(f));
    LOWER_DIVERGENT_SHUFFLE "lower_divergent_shuffle" "Keeps the shuffle index 0 in inactive lanes." =
        required(Allocated, divergent_shuffle);
    LOWER_CONTROL_FLOW "lower_control_flow" "Lowers control flow to execution-mask instructions." =
        required(Allocated, control_flow).leaves(Final).wants(Facts::EDGES).restructures();
    LOWER_FRAME "lower_frame" "Reserves stack memory." =
        required(Final, |f, c| lower::lower_frame(f, c.facts.info.scratch_bytes, c.facts.frame));
    SCHEDULE_LATENCY "schedule_latency" "Reorders instructions within blocks to hide the latency of loads." =
        optional(Final, Final, schedule_latency).repeated_only();
    INSERT_WAITS "insert_waits" "Waits for loads before their results are used." =
        required(Final, insert_waits);
}

/// Lowers register demand as far as occupancy improves.
fn schedule_pressure(f: &mut Function<'_>, context: &mut Context<'_>) -> Result<(), CompileError> {
    let runs_once = context.facts.end == End::Preamble;
    let enough = if runs_once { ENOUGH_HALVES_ONCE } else { ENOUGH_HALVES };
    context.back_end.demand = Some(schedule::schedule_pressure(f, enough));
    Ok(())
}

/// Half registers excluded from allocation: the nesting counter if the program or its surroundings have
/// control flow, and the shuffle index if lanes may be inactive.
fn reserved_halves(f: &Function<'_>, context: &Context<'_>) -> u16 {
    let sample_shading = context.facts.info.fragment.sample_shading;
    if lower::shuffles_with_inactive_lanes(f) {
        return u16::from(lower::index_half(sample_shading)) + 1;
    }
    u16::from(f.layout.len() > 1 || sample_shading || context.facts.is_beside_main)
}

/// End of the registers that a program has because the hardware writes them, whether or not it reads them: vertex programs
/// have at least those up to the vertex number (Mesa 26.1).
fn preloaded_halves(info: &ShaderInfo) -> u16 {
    match (info.stage, info.runs_as) {
        (ShaderStage::Vertex, RunsAs::Vertex) => u16::from(VERTEX_ID) + 2,
        _ => 0,
    }
}

/// Allocates registers within the limit that the workgroup size sets per thread.
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
    let allocation = regalloc::allocate(f, &options, context.back_end.demand.take())?;
    let (info, back_end) = (&mut context.facts.info, &mut context.back_end);
    info.scratch_bytes = allocation.stack_bytes;
    info.gpr_halves = allocation.halves_used.max(options.reserved_halves).max(preloaded_halves(info));
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
    lower::lower_control_flow(f, &mut back_end.allocation)
}

/// Schedules parts that run more than once for latency; a preamble starts with its loads anyway.
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
