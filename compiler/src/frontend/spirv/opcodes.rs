//! One row for each opcode that a function body may have: who translates it, what it does with pointers, and what it needs of
//! the stage and the hardware.
//!
//! The scan of a module reads declarations ([`Handler::Declaration`]), the graph reads terminators. Operations that only compute
//! have their rows in `pure`, component-wise ones in `arith`. An opcode without a row is refused by its name.

use spirv::Op;

use super::lanes::Vote;
use super::pure::{self, Compute};
use super::sampling::{Form, IMPLICIT, PLAIN};
use super::translate::Translator;
use super::words::Inst;
use crate::error::{CompileError, ModuleError};
use crate::frontend::kit::buffers::Atomic;
use crate::frontend::kit::coverage;
use crate::frontend::kit::derivatives::Axis;
use crate::ir::Arithmetic;
use crate::ir::op::IrOp;
use crate::ir::src::Src;

/// Translates an instruction.
type Build = for<'i, 't, 'a> fn(&mut Translator<'t, 'a>, &'i Inst<'a>) -> Result<(), CompileError>;

/// Who translates an opcode.
#[derive(Clone, Copy)]
pub(super) enum Handler {
    /// It has no effect.
    Nothing,
    /// The scan of the module or the graph of the function has read it.
    Declaration,
    /// Its result depends on its operands alone.
    Pure(Compute),
    /// This function.
    Build(Build),
}

/// What an instruction needs of the stage and the hardware.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Needs {
    /// Nothing that a stage lacks.
    Nothing,
    /// A fragment.
    Fragment,
    /// Invocations in quads: fragments, or a compute shader that states how its invocations form quads.
    Quads,
    /// A feature that the hardware or this compiler lacks.
    Missing(&'static str),
}

/// What an instruction does with pointers among its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pointers {
    /// What they point to may be read and written.
    Escape,
    /// They are used as numbers, and what they point to may be read and written.
    Values,
    /// The result points into what operand 2 points to; indices follow.
    Chain,
    /// What operand 2 points to is read.
    Load,
    /// What operand 0 points to becomes operand 1.
    Store,
    /// Operand 1 is a new variable of the pointer type 0, with an initial value in operand 3.
    Variable,
    /// Operand 1 is a parameter of type 0.
    Parameter,
    /// Operands from 3 on become parameters of function 2.
    Call,
    /// What an instruction of another set does.
    Extended,
}

/// What is known of an opcode.
#[derive(Clone, Copy)]
pub(super) struct Row {
    pub op: Op,
    pub handler: Handler,
    pub pointers: Pointers,
    pub needs: Needs,
}

const fn row(op: Op, handler: Handler) -> Row {
    Row { op, handler, pointers: Pointers::Escape, needs: Needs::Nothing }
}

const fn build(op: Op, build: Build) -> Row {
    row(op, Handler::Build(build))
}

const fn with(op: Op, pointers: Pointers, build: Build) -> Row {
    Row { pointers, ..row(op, Handler::Build(build)) }
}

const fn needing(needs: Needs, row: Row) -> Row {
    Row { needs, ..row }
}

const fn refused(op: Op, reason: &'static str) -> Row {
    needing(Needs::Missing(reason), row(op, Handler::Nothing))
}

/// A sampling instruction.
macro_rules! sample {
    ($op:ident, $form:expr) => {
        build(Op::$op, |t, inst| t.sample_instruction(inst, $form))
    };
}

/// A derivative in directions.
macro_rules! derivative {
    ($op:ident, $($axis:ident),+) => {
        needing(Needs::Quads, build(Op::$op, |t, inst| t.derivative_instruction(inst, &[$(Axis::$axis),+])))
    };
}

/// An atomic with the operand that holds its semantics: fences surround it as they demand.
macro_rules! ordered {
    ($op:expr, $semantics:literal, $atomic:expr) => {
        build($op, |t, inst| t.ordered(inst, $semantics, $atomic))
    };
}

/// An atomic on integers.
macro_rules! atomic {
    ($op:ident, $atomic:ident) => {
        ordered!(Op::$op, 4, |t, inst| t.atomic_with_operand(inst, Atomic::$atomic))
    };
}

/// An operation across lanes: the scalars of its result.
macro_rules! lanes {
    ($op:ident, |$t:ident, $inst:ident| $result:expr) => {
        build(Op::$op, |$t, $inst| {
            let result = $result;
            $t.define_leaves($inst, &result)
        })
    };
}

/// A reduction or scan.
macro_rules! reduction {
    ($op:ident, $name:literal) => {
        lanes!($op, |t, inst| t.arithmetic(inst, $name)?)
    };
}

/// A move between lanes: the operation, and the operand with the value.
macro_rules! moves {
    ($op:ident, $move:ident, $operand:literal) => {
        lanes!($op, |t, inst| t.move_between_lanes(inst, IrOp::$move, $operand)?)
    };
}

const RESIDENCY: &str = "residency of sparse images; sample without the sparse forms";
const DEPTH_IN_TILE: &str = "reads of depth and stencil in the tile, where they are not";

#[rustfmt::skip]
static ROWS: &[Row] = &[
    row(Op::Nop, Handler::Nothing),
    row(Op::Name, Handler::Nothing),
    row(Op::SelectionMerge, Handler::Nothing),
    row(Op::LoopMerge, Handler::Nothing),
    row(Op::AssumeTrueKHR, Handler::Nothing),
    row(Op::LifetimeStart, Handler::Nothing),
    row(Op::LifetimeStop, Handler::Nothing),
    build(Op::Line, |t, inst| t.line(inst)),
    build(Op::NoLine, |t, _| { t.kit.b.line = 0; Ok(()) }),

    // Read by the graph.
    row(Op::Label, Handler::Declaration),
    row(Op::Branch, Handler::Declaration),
    row(Op::BranchConditional, Handler::Declaration),
    row(Op::Switch, Handler::Declaration),
    row(Op::Return, Handler::Declaration),
    row(Op::ReturnValue, Handler::Declaration),
    row(Op::Kill, Handler::Declaration),
    row(Op::TerminateInvocation, Handler::Declaration),
    row(Op::Unreachable, Handler::Declaration),
    row(Op::Function, Handler::Declaration),
    row(Op::FunctionEnd, Handler::Declaration),
    Row { pointers: Pointers::Parameter, ..row(Op::FunctionParameter, Handler::Declaration) },

    with(Op::Variable, Pointers::Variable, |t, inst| t.local_variable(inst)),
    build(Op::Phi, |t, inst| t.phi(inst)),
    with(Op::FunctionCall, Pointers::Call, |t, inst| t.call(inst)),
    build(Op::Undef, |t, inst| t.undefined(inst)),
    with(Op::ExtInst, Pointers::Extended, |t, inst| t.extended_instruction(inst)),

    with(Op::AccessChain, Pointers::Chain, |t, inst| t.access_chain_instruction(inst)),
    with(Op::InBoundsAccessChain, Pointers::Chain, |t, inst| t.access_chain_instruction(inst)),
    build(Op::PtrAccessChain, |t, inst| t.element_chain_instruction(inst)),
    build(Op::InBoundsPtrAccessChain, |t, inst| t.element_chain_instruction(inst)),
    with(Op::Load, Pointers::Load, |t, inst| t.load_instruction(inst)),
    with(Op::Store, Pointers::Store, |t, inst| t.store_instruction(inst)),
    build(Op::CopyMemory, |t, inst| t.copy_memory(inst)),
    with(Op::CopyObject, Pointers::Chain, |t, inst| t.copy_object(inst)),
    build(Op::ArrayLength, |t, inst| t.array_length(inst)),
    build(Op::CompositeExtract, |t, inst| t.composite_extract(inst)),

    build(Op::SampledImage, |t, inst| t.sampled_image(inst)),
    build(Op::Image, |t, inst| t.image_alone(inst)),
    sample!(ImageSampleImplicitLod, IMPLICIT),
    sample!(ImageSampleExplicitLod, PLAIN),
    sample!(ImageSampleDrefImplicitLod, Form { compares: true, ..IMPLICIT }),
    sample!(ImageSampleDrefExplicitLod, Form { compares: true, ..PLAIN }),
    sample!(ImageSampleProjImplicitLod, Form { projects: true, ..IMPLICIT }),
    sample!(ImageSampleProjExplicitLod, Form { projects: true, ..PLAIN }),
    sample!(ImageSampleProjDrefImplicitLod, Form { compares: true, projects: true, ..IMPLICIT }),
    sample!(ImageSampleProjDrefExplicitLod, Form { compares: true, projects: true, ..PLAIN }),
    sample!(ImageGather, Form { gathers: true, ..PLAIN }),
    sample!(ImageDrefGather, Form { gathers: true, compares: true, ..PLAIN }),
    build(Op::ImageQueryLod, |t, inst| t.query_lod(inst)),
    build(Op::ImageFetch, |t, inst| t.load_texel(inst)),
    build(Op::ImageRead, |t, inst| t.load_texel(inst)),
    build(Op::ImageWrite, |t, inst| t.store_texel(inst)),
    build(Op::ImageTexelPointer, |t, inst| t.texel_pointer(inst)),
    build(Op::ImageQuerySizeLod, |t, inst| t.query_size(inst)),
    build(Op::ImageQuerySize, |t, inst| t.query_size(inst)),
    build(Op::ImageQueryLevels, |t, inst| t.query_levels(inst)),
    build(Op::ImageQuerySamples, |t, inst| t.query_samples(inst)),
    refused(Op::ImageSparseSampleImplicitLod, RESIDENCY),
    refused(Op::ImageSparseSampleExplicitLod, RESIDENCY),
    refused(Op::ImageSparseSampleDrefImplicitLod, RESIDENCY),
    refused(Op::ImageSparseSampleDrefExplicitLod, RESIDENCY),
    refused(Op::ImageSparseFetch, RESIDENCY),
    refused(Op::ImageSparseGather, RESIDENCY),
    refused(Op::ImageSparseDrefGather, RESIDENCY),
    refused(Op::ImageSparseRead, RESIDENCY),
    refused(Op::ImageSparseTexelsResident, RESIDENCY),

    build(Op::ControlBarrier, |t, inst| t.control_barrier(inst)),
    build(Op::MemoryBarrier, |t, inst| t.memory_barrier(inst)),
    ordered!(Op::AtomicLoad, 4, |t, inst| t.atomic_load(inst)),
    ordered!(Op::AtomicStore, 2, |t, inst| t.atomic_store(inst)),
    ordered!(Op::AtomicExchange, 4, |t, inst| t.atomic_exchange(inst)),
    ordered!(Op::AtomicCompareExchange, 4, |t, inst| t.atomic_compare_exchange(inst)),
    ordered!(Op::AtomicCompareExchangeWeak, 4, |t, inst| t.atomic_compare_exchange(inst)),
    ordered!(Op::AtomicIIncrement, 4, |t, inst| t.atomic(inst, Atomic::Add, &[Src::imm32(1)])),
    ordered!(Op::AtomicIDecrement, 4, |t, inst| t.atomic(inst, Atomic::Add, &[Src::imm32(u32::MAX)])),
    atomic!(AtomicIAdd, Add), atomic!(AtomicISub, Sub),
    atomic!(AtomicSMin, Imin), atomic!(AtomicUMin, Umin), atomic!(AtomicSMax, Imax), atomic!(AtomicUMax, Umax),
    atomic!(AtomicAnd, And), atomic!(AtomicOr, Or), atomic!(AtomicXor, Xor),
    ordered!(Op::AtomicFAddEXT, 4, |t, inst| t.float_atomic(inst, |b, x, y| b.fadd(x, y))),
    ordered!(Op::AtomicFMinEXT, 4, |t, inst| t.float_atomic(inst, |b, x, y| b.fmin(x, y))),
    ordered!(Op::AtomicFMaxEXT, 4, |t, inst| t.float_atomic(inst, |b, x, y| b.fmax(x, y))),

    reduction!(GroupNonUniformIAdd, "iadd"), reduction!(GroupNonUniformFAdd, "fadd"),
    reduction!(GroupNonUniformIMul, "imul"), reduction!(GroupNonUniformFMul, "fmul"),
    reduction!(GroupNonUniformSMin, "smin"), reduction!(GroupNonUniformUMin, "umin"),
    reduction!(GroupNonUniformFMin, "fmin"), reduction!(GroupNonUniformSMax, "smax"),
    reduction!(GroupNonUniformUMax, "umax"), reduction!(GroupNonUniformFMax, "fmax"),
    reduction!(GroupNonUniformBitwiseAnd, "and"), reduction!(GroupNonUniformBitwiseOr, "or"),
    reduction!(GroupNonUniformBitwiseXor, "xor"), reduction!(GroupNonUniformLogicalAnd, "and"),
    reduction!(GroupNonUniformLogicalOr, "or"), reduction!(GroupNonUniformLogicalXor, "xor"),
    moves!(GroupNonUniformBroadcast, Broadcast, 3), moves!(SubgroupReadInvocationKHR, Broadcast, 2),
    moves!(GroupNonUniformShuffle, ReadLane, 3), moves!(GroupNonUniformShuffleXor, ReadLaneXor, 3),
    moves!(GroupNonUniformShuffleUp, ReadLaneUp, 3), moves!(GroupNonUniformShuffleDown, ReadLaneDown, 3),
    moves!(GroupNonUniformQuadBroadcast, QuadBroadcast, 3),
    lanes!(GroupNonUniformElect, |t, inst| [t.elect(inst)?]),
    lanes!(GroupNonUniformAll, |t, inst| [t.vote(inst, 3, Vote::All)?]),
    lanes!(GroupNonUniformAny, |t, inst| [t.vote(inst, 3, Vote::Any)?]),
    lanes!(SubgroupAllKHR, |t, inst| [t.vote(inst, 2, Vote::All)?]),
    lanes!(SubgroupAnyKHR, |t, inst| [t.vote(inst, 2, Vote::Any)?]),
    lanes!(GroupNonUniformAllEqual, |t, inst| [t.all_equal(inst, 3)?]),
    lanes!(SubgroupAllEqualKHR, |t, inst| [t.all_equal(inst, 2)?]),
    lanes!(GroupNonUniformQuadAllKHR, |t, inst| [t.quad_vote(inst, "and")?]),
    lanes!(GroupNonUniformQuadAnyKHR, |t, inst| [t.quad_vote(inst, "or")?]),
    lanes!(GroupNonUniformBallot, |t, inst| t.ballot(inst, 3)?),
    lanes!(SubgroupBallotKHR, |t, inst| t.ballot(inst, 2)?),
    lanes!(GroupNonUniformBroadcastFirst, |t, inst| t.first(inst, 3)?),
    lanes!(SubgroupFirstInvocationKHR, |t, inst| t.first(inst, 2)?),
    lanes!(GroupNonUniformQuadSwap, |t, inst| t.quad_swap(inst)?),
    lanes!(GroupNonUniformRotateKHR, |t, inst| t.rotate(inst)?),
    lanes!(GroupNonUniformPartitionEXT, |t, inst| t.partition(inst)?),
    lanes!(GroupNonUniformInverseBallot, |t, inst| [t.ballot_query(inst)?]),
    lanes!(GroupNonUniformBallotBitExtract, |t, inst| [t.ballot_query(inst)?]),
    lanes!(GroupNonUniformBallotBitCount, |t, inst| [t.ballot_query(inst)?]),
    lanes!(GroupNonUniformBallotFindLSB, |t, inst| [t.ballot_query(inst)?]),
    lanes!(GroupNonUniformBallotFindMSB, |t, inst| [t.ballot_query(inst)?]),

    build(Op::DemoteToHelperInvocation, |t, _| coverage::discard(&mut t.kit)),
    build(Op::IsHelperInvocationEXT, |t, inst| {
        let helper = coverage::is_helper(&mut t.kit);
        t.define_leaves(inst, &[helper])
    }),
    needing(Needs::Fragment, build(Op::BeginInvocationInterlockEXT, |t, inst| t.interlock(inst.op))),
    needing(Needs::Fragment, build(Op::EndInvocationInterlockEXT, |t, inst| t.interlock(inst.op))),
    derivative!(DPdx, X), derivative!(DPdxFine, X), derivative!(DPdxCoarse, X),
    derivative!(DPdy, Y), derivative!(DPdyFine, Y), derivative!(DPdyCoarse, Y),
    derivative!(Fwidth, X, Y), derivative!(FwidthFine, X, Y), derivative!(FwidthCoarse, X, Y),
    needing(Needs::Fragment, build(Op::ColorAttachmentReadEXT, |t, inst| t.colour_attachment_read(inst))),
    refused(Op::DepthAttachmentReadEXT, DEPTH_IN_TILE),
    refused(Op::StencilAttachmentReadEXT, DEPTH_IN_TILE),
];

/// More than the highest opcode with a row.
const OPCODES: usize = 6144;

/// By opcode, one more than the position of its row; 0 for opcodes without one.
static INDEX: [u16; OPCODES] = {
    let mut index = [0; OPCODES];
    let mut at = 0;
    while at < ROWS.len() {
        index[ROWS[at].op as usize] = at as u16 + 1;
        at += 1;
    }
    index
};

/// The row of an opcode.
pub(super) fn find(op: Op) -> Option<Row> {
    let position = INDEX.get(op as usize).copied().unwrap_or(0);
    match ROWS.get(usize::from(position).wrapping_sub(1)) {
        Some(row) => Some(*row),
        None => pure::find(op).map(|pure::Row { compute, takes_pointers }| Row {
            pointers: if takes_pointers { Pointers::Values } else { Pointers::Escape },
            ..row(op, Handler::Pure(compute))
        }),
    }
}

/// Why an opcode without a row is refused.
pub(super) fn refusal(op: Op) -> CompileError {
    match op.is_type() || op.is_constant() || op.is_annotation() {
        true => ModuleError::Misplaced { op }.into(),
        false => ModuleError::Opcode { op }.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_hardware_lacks_is_refused_and_has_no_handler() {
        for row in ROWS {
            if let Needs::Missing(reason) = row.needs {
                let error = CompileError::from(ModuleError::Refused { op: row.op, reason });
                assert!(
                    error.message().contains(reason) && matches!(row.handler, Handler::Nothing),
                    "{error}"
                );
            }
        }
        let missing = ROWS.iter().filter(|row| matches!(row.needs, Needs::Missing(_))).count();
        assert!(missing > 5, "{missing} refused");
        for (op, needs) in [(Op::DPdx, Needs::Quads), (Op::BeginInvocationInterlockEXT, Needs::Fragment)] {
            assert_eq!(find(op).map(|row| row.needs), Some(needs));
        }
    }

    #[test]
    fn every_opcode_has_one_row_or_is_refused_by_its_name() {
        for row in ROWS {
            let found = find(row.op).expect("the index has every row");
            assert_eq!(found.op, row.op);
            assert_eq!(ROWS.iter().filter(|other| other.op == row.op).count(), 1, "{:?}", row.op);
            // Those that copy descriptors and pointers too compute values by the other row.
            let copies = matches!(row.op, Op::CopyObject | Op::CompositeExtract);
            assert_eq!(pure::find(row.op).is_some(), copies, "{:?} has two rows", row.op);
        }
        for op in (0..=0xffff).filter_map(Op::from_u32).filter(|op| find(*op).is_none()) {
            assert!(refusal(op).message().contains(&format!("Op{op:?}")), "{op:?}");
        }
    }
}
