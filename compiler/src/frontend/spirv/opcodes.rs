//! One row for each opcode that a function body may contain: its handler, its effect on pointers, and its
//! requirements on the stage and the hardware.
//!
//! The scan of a module reads declarations ([`Handler::Declaration`]), the graph reads terminators. Pure
//! operations have their rows in `pure`, component-wise ones in `arith`. Opcodes without a row are rejected
//! by name.

use spirv::Op;

use super::interface::StageIo;
use super::lanes::Vote;
use super::module::Def;
use super::owners::Memory;
use super::pure::{self, Compute};
use super::ray_query::Asked;
use super::sampling::{Form, IMPLICIT, PLAIN};
use super::translate::Translator;
use super::values::Values;
use super::words::Inst;
use super::{
    acceleration, conversions, cooperative, debug, derivatives, fragment, geometry, images, instructions,
    lanes, mesh, opencl, partition, ray_query, resources, sampling, sync, tile_image,
};
use crate::error::{CompileError, ModuleError};
use crate::frontend::kit::buffers::Atomic;
use crate::frontend::kit::coverage;
use crate::frontend::kit::derivatives::Axis;
use crate::ir::Arithmetic;
use crate::ir::op::IrOp;
use crate::ir::src::Src;

/// Translates an instruction, given the values.
type WithValues = for<'i, 't, 'a> fn(&mut Values<'t, 'a>, &'i Inst<'a>) -> Result<(), CompileError>;
/// The same, given the memory.
type WithMemory =
    for<'i, 't, 'a> fn(&mut Memory<'a>, &mut Values<'t, 'a>, &'i Inst<'a>) -> Result<(), CompileError>;
/// The same, given the inputs and outputs of the stage.
type WithStage = for<'i, 't, 'a> fn(
    &mut StageIo<'a>,
    &mut Memory<'a>,
    &mut Values<'t, 'a>,
    &'i Inst<'a>,
) -> Result<(), CompileError>;
/// The same, given the open calls.
type WithControl = for<'i, 't, 'a> fn(&mut Translator<'t, 'a>, &'i Inst<'a>) -> Result<(), CompileError>;

/// The handler of an opcode, with the state that it needs.
#[derive(Clone, Copy)]
pub(super) enum Handler {
    /// It has no effect.
    Nothing,
    /// The scan of the module or the graph of the function has processed it.
    Declaration,
    /// The result depends on the operands alone.
    Pure(Compute),
    /// A function of values.
    Values(WithValues),
    /// A function of values and memory.
    Memory(WithMemory),
    /// A function of values, memory, and inputs and outputs.
    Stage(WithStage),
    /// A function of the whole translator, including control flow.
    Control(WithControl),
}

/// The requirements of an instruction on the stage and the hardware.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Needs {
    /// None.
    Nothing,
    /// A fragment.
    Fragment,
    /// A geometry shader.
    Geometry,
    /// A mesh shader.
    Mesh,
    /// Quads of invocations: fragments, or a compute shader that declares how its invocations form quads.
    Quads,
    /// A feature that the hardware or this compiler lacks.
    Missing(&'static str),
}

/// The effect of an instruction on its pointer operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pointers {
    /// The pointees may be read and written.
    Escape,
    /// Pointers are used as numbers, and their pointees may be read and written.
    Values,
    /// The result points into the pointee of operand 2; indices follow.
    Chain,
    /// The pointee of operand 2 is read.
    Load,
    /// The pointee of operand 0 is set to operand 1.
    Store,
    /// Operand 1 is a new variable of the pointer type 0, with an initial value in operand 3.
    Variable,
    /// Operand 1 is a parameter of type 0.
    Parameter,
    /// Operands starting at 3 become parameters of function 2.
    Call,
    /// The effect of an extended instruction.
    Extended,
}

/// The properties of an opcode.
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

const fn values(op: Op, handler: WithValues) -> Row {
    row(op, Handler::Values(handler))
}

const fn memory(op: Op, handler: WithMemory) -> Row {
    row(op, Handler::Memory(handler))
}

const fn stage(op: Op, handler: WithStage) -> Row {
    row(op, Handler::Stage(handler))
}

const fn control(op: Op, handler: WithControl) -> Row {
    row(op, Handler::Control(handler))
}

const fn with(pointers: Pointers, row: Row) -> Row {
    Row { pointers, ..row }
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
        values(Op::$op, |v, inst| sampling::sample_instruction(v, inst, $form))
    };
}

/// A derivative in directions.
macro_rules! derivative {
    ($op:ident, $($axis:ident),+) => {
        needing(
            Needs::Quads,
            values(Op::$op, |v, inst| derivatives::derivative_instruction(v, inst, &[$(Axis::$axis),+])),
        )
    };
}

/// An atomic with the index of its semantics operand: the handler adds the fences that the semantics require.
macro_rules! ordered {
    ($op:expr, $semantics:literal, $atomic:expr) => {
        memory($op, |m, v, inst| sync::ordered(m, v, inst, $semantics, $atomic))
    };
}

/// An atomic on integers.
macro_rules! atomic {
    ($op:ident, $atomic:ident) => {
        ordered!(Op::$op, 4, |m, v, inst| sync::atomic_with_operand(m, v, inst, Atomic::$atomic))
    };
}

/// A subgroup operation, given as the scalars of its result.
macro_rules! lanes {
    ($op:ident, |$v:ident, $inst:ident| $result:expr) => {
        values(Op::$op, |$v, $inst| {
            let result = $result;
            $v.define_leaves($inst, &result)
        })
    };
}

/// A reduction or scan.
macro_rules! reduction {
    ($op:ident, $name:literal) => {
        lanes!($op, |v, inst| lanes::arithmetic(v, inst, $name)?)
    };
}

/// A question about a ray query.
macro_rules! asks {
    ($op:ident, $asked:ident) => {
        memory(Op::$op, |m, v, inst| ray_query::ask(m, v, inst, Asked::$asked))
    };
}

/// A move between lanes: the operation, and the index of the value operand.
macro_rules! moves {
    ($op:ident, $move:ident, $operand:literal) => {
        lanes!($op, |v, inst| lanes::move_between_lanes(v, inst, IrOp::$move, $operand)?)
    };
}

/// An extended instruction, of OpenCL or another set.
fn extended<'a>(
    io: &mut StageIo<'a>,
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    match v.defs.get(inst.word(2)? as usize) {
        Some(Def::OpenClSet) => opencl::extended(m, v, inst),
        _ => instructions::extended_instruction(io, m, v, inst),
    }
}

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
    values(Op::Line, debug::line),
    values(Op::NoLine, |v, _| { v.kit.b.line = 0; Ok(()) }),

    // Processed by the graph.
    row(Op::Label, Handler::Declaration),
    row(Op::Branch, Handler::Declaration),
    row(Op::BranchConditional, Handler::Declaration),
    row(Op::Switch, Handler::Declaration),
    row(Op::Return, Handler::Declaration),
    row(Op::ReturnValue, Handler::Declaration),
    row(Op::Kill, Handler::Declaration),
    row(Op::TerminateInvocation, Handler::Declaration),
    row(Op::EmitMeshTasksEXT, Handler::Declaration),
    row(Op::Unreachable, Handler::Declaration),
    row(Op::Function, Handler::Declaration),
    row(Op::FunctionEnd, Handler::Declaration),
    Row { pointers: Pointers::Parameter, ..row(Op::FunctionParameter, Handler::Declaration) },

    with(Pointers::Variable, memory(Op::Variable, instructions::local_variable)),
    control(Op::Phi, |t, inst| t.phi(inst)),
    with(Pointers::Call, control(Op::FunctionCall, |t, inst| t.call(inst))),
    values(Op::Undef, instructions::undefined),
    with(Pointers::Extended, stage(Op::ExtInst, extended)),

    with(Pointers::Chain, memory(Op::AccessChain, instructions::access_chain_instruction)),
    with(Pointers::Chain, memory(Op::InBoundsAccessChain, instructions::access_chain_instruction)),
    memory(Op::PtrAccessChain, instructions::element_chain_instruction),
    memory(Op::InBoundsPtrAccessChain, instructions::element_chain_instruction),
    with(Pointers::Load, memory(Op::Load, instructions::load_instruction)),
    with(Pointers::Store, memory(Op::Store, instructions::store_instruction)),
    memory(Op::CopyMemory, instructions::copy_memory),
    memory(Op::CopyMemorySized, opencl::copies::copy_sized),
    memory(Op::Bitcast, opencl::casts::bitcast),
    memory(Op::GroupIAdd, opencl::groups::arithmetic),
    memory(Op::GroupFAdd, opencl::groups::arithmetic),
    memory(Op::GroupFMin, opencl::groups::arithmetic),
    memory(Op::GroupUMin, opencl::groups::arithmetic),
    memory(Op::GroupSMin, opencl::groups::arithmetic),
    memory(Op::GroupFMax, opencl::groups::arithmetic),
    memory(Op::GroupUMax, opencl::groups::arithmetic),
    memory(Op::GroupSMax, opencl::groups::arithmetic),
    memory(Op::GroupAll, opencl::groups::vote),
    memory(Op::GroupAny, opencl::groups::vote),
    memory(Op::GroupBroadcast, opencl::groups::broadcast),
    memory(Op::GroupAsyncCopy, opencl::groups::copy),
    values(Op::GroupWaitEvents, opencl::groups::wait),
    values(Op::SatConvertSToU, opencl::conversions::saturate),
    values(Op::SatConvertUToS, opencl::conversions::saturate),
    memory(Op::PtrCastToGeneric, opencl::casts::cast),
    memory(Op::GenericCastToPtr, opencl::casts::cast),
    memory(Op::GenericCastToPtrExplicit, opencl::casts::cast_explicit),
    memory(Op::GenericPtrMemSemantics, opencl::casts::semantics),
    ordered!(Op::AtomicFlagTestAndSet, 4, opencl::flags::test_and_set),
    ordered!(Op::AtomicFlagClear, 2, opencl::flags::clear_flag),
    memory(Op::CooperativeMatrixLoadKHR, cooperative::load_instruction),
    memory(Op::CooperativeMatrixStoreKHR, cooperative::store_instruction),
    values(Op::CooperativeMatrixMulAddKHR, cooperative::multiply_add),
    with(Pointers::Chain, memory(Op::CopyObject, instructions::copy_object)),
    memory(Op::ArrayLength, instructions::array_length),
    memory(Op::CompositeExtract, instructions::composite_extract),
    values(Op::FConvert, conversions::convert_float),

    values(Op::SampledImage, resources::sampled_image),
    values(Op::Image, resources::image_alone),
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
    values(Op::ImageQueryLod, sampling::query_lod),
    values(Op::ImageFetch, |v, inst| images::load_texel(v, inst, false)),
    values(Op::ImageRead, |v, inst| images::load_texel(v, inst, false)),
    values(Op::ImageWrite, images::store_texel),
    memory(Op::ImageTexelPointer, images::texel_pointer),
    values(Op::ImageQuerySizeLod, images::query_size),
    values(Op::ImageQuerySize, images::query_size),
    values(Op::ImageQueryLevels, images::query_levels),
    values(Op::ImageQuerySamples, images::query_samples),
    sample!(ImageSparseSampleImplicitLod, Form { sparse: true, ..IMPLICIT }),
    sample!(ImageSparseSampleExplicitLod, Form { sparse: true, ..PLAIN }),
    sample!(ImageSparseSampleDrefImplicitLod, Form { sparse: true, compares: true, ..IMPLICIT }),
    sample!(ImageSparseSampleDrefExplicitLod, Form { sparse: true, compares: true, ..PLAIN }),
    sample!(ImageSparseGather, Form { sparse: true, gathers: true, ..PLAIN }),
    sample!(ImageSparseDrefGather, Form { sparse: true, gathers: true, compares: true, ..PLAIN }),
    values(Op::ImageSparseFetch, |v, inst| images::load_texel(v, inst, true)),
    values(Op::ImageSparseRead, |v, inst| images::load_texel(v, inst, true)),
    values(Op::ImageSparseTexelsResident, sampling::texels_are_resident),

    values(Op::ConvertUToAccelerationStructureKHR, acceleration::structure_of_address),
    memory(Op::RayQueryInitializeKHR, ray_query::initialize),
    memory(Op::RayQueryProceedKHR, ray_query::proceed),
    memory(Op::RayQueryTerminateKHR, ray_query::terminate),
    memory(Op::RayQueryConfirmIntersectionKHR, ray_query::confirm),
    memory(Op::RayQueryGenerateIntersectionKHR, ray_query::generate),
    asks!(RayQueryGetRayTMinKHR, NearestDistance),
    asks!(RayQueryGetRayFlagsKHR, Flags),
    asks!(RayQueryGetWorldRayOriginKHR, WorldOrigin),
    asks!(RayQueryGetWorldRayDirectionKHR, WorldDirection),
    asks!(RayQueryGetIntersectionCandidateAABBOpaqueKHR, IsOpaqueBox),
    asks!(RayQueryGetIntersectionTypeKHR, Kind),
    asks!(RayQueryGetIntersectionTKHR, Distance),
    asks!(RayQueryGetIntersectionInstanceCustomIndexKHR, CustomIndex),
    asks!(RayQueryGetIntersectionInstanceIdKHR, InstanceNumber),
    asks!(RayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR, RecordOffset),
    asks!(RayQueryGetIntersectionGeometryIndexKHR, Geometry),
    asks!(RayQueryGetIntersectionPrimitiveIndexKHR, Primitive),
    asks!(RayQueryGetIntersectionBarycentricsKHR, Barycentrics),
    asks!(RayQueryGetIntersectionFrontFaceKHR, IsFront),
    asks!(RayQueryGetIntersectionObjectRayOriginKHR, ObjectOrigin),
    asks!(RayQueryGetIntersectionObjectRayDirectionKHR, ObjectDirection),
    asks!(RayQueryGetIntersectionObjectToWorldKHR, ObjectToWorld),
    asks!(RayQueryGetIntersectionWorldToObjectKHR, WorldToObject),
    asks!(RayQueryGetIntersectionTriangleVertexPositionsKHR, Vertices),

    values(Op::ControlBarrier, sync::control_barrier),
    values(Op::MemoryBarrier, sync::memory_barrier),
    ordered!(Op::AtomicLoad, 4, sync::atomic_load),
    ordered!(Op::AtomicStore, 2, sync::atomic_store),
    ordered!(Op::AtomicExchange, 4, sync::atomic_exchange),
    ordered!(Op::AtomicCompareExchange, 4, sync::atomic_compare_exchange),
    ordered!(Op::AtomicCompareExchangeWeak, 4, sync::atomic_compare_exchange),
    ordered!(Op::AtomicIIncrement, 4, |m, v, inst| sync::update(m, v, inst, Atomic::Add, &[Src::imm32(1)])),
    ordered!(Op::AtomicIDecrement, 4, |m, v, inst| sync::update(m, v, inst, Atomic::Add, &[Src::imm32(u32::MAX)])),
    atomic!(AtomicIAdd, Add), atomic!(AtomicISub, Sub),
    atomic!(AtomicSMin, Imin), atomic!(AtomicUMin, Umin), atomic!(AtomicSMax, Imax), atomic!(AtomicUMax, Umax),
    atomic!(AtomicAnd, And), atomic!(AtomicOr, Or), atomic!(AtomicXor, Xor),
    ordered!(Op::AtomicFAddEXT, 4, |m, v, inst| sync::float_atomic(m, v, inst, |b, x, y| b.fadd(x, y))),
    ordered!(Op::AtomicFMinEXT, 4, |m, v, inst| sync::float_atomic(m, v, inst, |b, x, y| b.fmin(x, y))),
    ordered!(Op::AtomicFMaxEXT, 4, |m, v, inst| sync::float_atomic(m, v, inst, |b, x, y| b.fmax(x, y))),

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
    lanes!(GroupNonUniformElect, |v, inst| [lanes::elect(v, inst)?]),
    lanes!(GroupNonUniformAll, |v, inst| [lanes::vote(v, inst, 3, Vote::All)?]),
    lanes!(GroupNonUniformAny, |v, inst| [lanes::vote(v, inst, 3, Vote::Any)?]),
    lanes!(SubgroupAllKHR, |v, inst| [lanes::vote(v, inst, 2, Vote::All)?]),
    lanes!(SubgroupAnyKHR, |v, inst| [lanes::vote(v, inst, 2, Vote::Any)?]),
    lanes!(GroupNonUniformAllEqual, |v, inst| [lanes::all_equal(v, inst, 3)?]),
    lanes!(SubgroupAllEqualKHR, |v, inst| [lanes::all_equal(v, inst, 2)?]),
    lanes!(GroupNonUniformQuadAllKHR, |v, inst| [lanes::quad_vote(v, inst, "and")?]),
    lanes!(GroupNonUniformQuadAnyKHR, |v, inst| [lanes::quad_vote(v, inst, "or")?]),
    lanes!(GroupNonUniformBallot, |v, inst| lanes::ballot(v, inst, 3)?),
    lanes!(SubgroupBallotKHR, |v, inst| lanes::ballot(v, inst, 2)?),
    lanes!(GroupNonUniformBroadcastFirst, |v, inst| lanes::first(v, inst, 3)?),
    lanes!(SubgroupFirstInvocationKHR, |v, inst| lanes::first(v, inst, 2)?),
    lanes!(GroupNonUniformQuadSwap, |v, inst| lanes::quad_swap(v, inst)?),
    lanes!(GroupNonUniformRotateKHR, |v, inst| lanes::rotate(v, inst)?),
    lanes!(GroupNonUniformPartitionEXT, |v, inst| partition::partition(v, inst)?),
    lanes!(GroupNonUniformInverseBallot, |v, inst| [lanes::ballot_query(v, inst)?]),
    lanes!(GroupNonUniformBallotBitExtract, |v, inst| [lanes::ballot_query(v, inst)?]),
    lanes!(GroupNonUniformBallotBitCount, |v, inst| [lanes::ballot_query(v, inst)?]),
    lanes!(GroupNonUniformBallotFindLSB, |v, inst| [lanes::ballot_query(v, inst)?]),
    lanes!(GroupNonUniformBallotFindMSB, |v, inst| [lanes::ballot_query(v, inst)?]),

    values(Op::DemoteToHelperInvocation, |v, _| coverage::discard(&mut v.kit)),
    values(Op::IsHelperInvocationEXT, |v, inst| {
        let helper = coverage::is_helper(&mut v.kit);
        v.define_leaves(inst, &[helper])
    }),
    needing(Needs::Fragment, values(Op::BeginInvocationInterlockEXT, |v, inst| fragment::interlock(v, inst.op))),
    needing(Needs::Fragment, values(Op::EndInvocationInterlockEXT, |v, inst| fragment::interlock(v, inst.op))),
    needing(Needs::Geometry, stage(Op::EmitVertex, geometry::emit_vertex)),
    needing(Needs::Geometry, stage(Op::EmitStreamVertex, geometry::emit_vertex)),
    needing(Needs::Geometry, values(Op::EndPrimitive, geometry::end_primitive)),
    needing(Needs::Geometry, values(Op::EndStreamPrimitive, geometry::end_primitive)),
    needing(Needs::Mesh, values(Op::SetMeshOutputsEXT, mesh::set_outputs)),
    derivative!(DPdx, X), derivative!(DPdxFine, X), derivative!(DPdxCoarse, X),
    derivative!(DPdy, Y), derivative!(DPdyFine, Y), derivative!(DPdyCoarse, Y),
    derivative!(Fwidth, X, Y), derivative!(FwidthFine, X, Y), derivative!(FwidthCoarse, X, Y),
    needing(Needs::Fragment, values(Op::ColorAttachmentReadEXT, tile_image::colour_attachment_read)),
    refused(Op::DepthAttachmentReadEXT, DEPTH_IN_TILE),
    refused(Op::StencilAttachmentReadEXT, DEPTH_IN_TILE),
];

/// Upper bound of the opcodes with a row.
const OPCODES: usize = 6144;

/// By opcode, the index of its row plus one; 0 for opcodes without one.
#[expect(
    clippy::indexing_slicing,
    reason = "evaluated at compile time, which fails if the table is too short"
)]
static INDEX: [u16; OPCODES] = {
    let mut index = [0; OPCODES];
    let mut at = 0;
    while at < ROWS.len() {
        index[ROWS[at].op as usize] = at as u16 + 1;
        at += 1;
    }
    index
};

/// The row of an opcode in this table, without those of pure operations.
#[inline]
pub(super) fn own_row(op: Op) -> Option<&'static Row> {
    let position = INDEX.get(op as usize).copied().unwrap_or(0);
    ROWS.get(usize::from(position).wrapping_sub(1))
}

/// The row of an opcode.
pub(super) fn find(op: Op) -> Option<Row> {
    match own_row(op) {
        Some(row) => Some(*row),
        None => pure::find(op).map(|pure::Row { compute, takes_pointers }| Row {
            pointers: if takes_pointers { Pointers::Values } else { Pointers::Escape },
            ..row(op, Handler::Pure(compute))
        }),
    }
}

/// The error for an opcode without a row.
pub(super) fn missing_row_error(op: Op) -> CompileError {
    match op.is_type() || op.is_constant() || op.is_annotation() {
        true => ModuleError::Misplaced { op }.into(),
        false => ModuleError::Opcode { op }.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsupported_operations_are_rejected_and_have_no_handler() {
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
        assert_eq!(missing, 2, "reads of depth and stencil in the tile");
        for (op, needs) in [(Op::DPdx, Needs::Quads), (Op::BeginInvocationInterlockEXT, Needs::Fragment)] {
            assert_eq!(find(op).map(|row| row.needs), Some(needs));
        }
    }

    #[test]
    fn every_opcode_has_one_row_or_an_error_with_its_name() {
        for row in ROWS {
            let found = find(row.op).expect("the index has every row");
            assert_eq!(found.op, row.op);
            assert_eq!(ROWS.iter().filter(|other| other.op == row.op).count(), 1, "{:?}", row.op);
            // Opcodes that also copy descriptors and pointers, or depend on decorations, compute other values by the
            // other row.
            let has_both =
                matches!(row.op, Op::CopyObject | Op::CompositeExtract | Op::FConvert | Op::Bitcast);
            assert_eq!(pure::find(row.op).is_some(), has_both, "{:?} has two rows", row.op);
        }
        for op in (0..=0xffff).filter_map(Op::from_u32).filter(|op| find(*op).is_none()) {
            assert!(missing_row_error(op).message().contains(&format!("Op{op:?}")), "{op:?}");
        }
    }
}
