//! Tessellation shaders ([`agx_abi::tessellation`]): control shaders run as compute shaders, evaluation shaders are
//! vertex shaders of the hardware.

use agx_abi::UniformSource;
use agx_abi::occupancy::SUBGROUP_SIZE;
use agx_abi::tessellation::{Domain, IS_TRIANGLE, PATCH_NUMBER, POINT_BYTES, TessellationInfo};
use agx_isa::sr::Sr;

use super::vertex::{self, VertexInput};
use super::{Kit, compute};
use crate::ir::build::alu::{IntCond, float};
use crate::ir::{Access, Arithmetic, Build, IrOp, Src, Type};

/// Bytes of a word.
const WORD_BYTES: u32 = 4;

/// A place in device memory.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// 64-bit address.
    pub base: Src,
    /// Bytes after it, 32 bits.
    pub offset: Src,
}

/// State of a tessellation shader.
pub struct TessellationStage {
    /// Its properties.
    pub info: TessellationInfo,
    /// The record of its patch.
    pub record: Place,
    /// What its stage adds.
    stage: Stage,
}

enum Stage {
    /// Numbers of the invocation in the patch, of the patch in its instance, and through all instances.
    Control { invocation: Src, number: Src, patch: Src },
    /// Coordinates of the domain point.
    Evaluation { point: [Src; 2] },
}

/// Begins a control shader. The invocations of a patch are in one SIMD-group, which executes in lockstep.
pub fn begin_control(kit: &mut Kit<'_, '_>, info: TessellationInfo) {
    let vertices = info.record.vertices.max(1);
    let patches = SUBGROUP_SIZE.checked_div(vertices).unwrap_or(1).max(1);
    kit.compute.workgroup_size = [vertices.saturating_mul(patches), 1, 1];
    let [x, y] = [0, 1].map(|axis: u8| compute::register(kit, Sr::THREAD_X.axis(axis)));
    let width = kit.uniforms.get(UniformSource::VertexCount, 0, 32);
    let b = &mut kit.b;
    let (number, invocation) = (b.udiv(x, Src::imm32(vertices)), b.umod(x, Src::imm32(vertices)));
    let of_instance = b.udiv(width, Src::imm32(vertices));
    let before = b.imul(y, of_instance);
    let patch = b.iadd(before, number);
    let offset = b.imul(patch, Src::imm32(info.record.bytes()));
    let base = kit.uniforms.get(UniformSource::PatchOutputs, 0, 64);
    let at = kit.b.iadd(offset, Src::imm32(PATCH_NUMBER));
    let is_triangle = Src::imm32((info.domain == Some(Domain::Triangles)).into());
    let words = kit.b.collect(Type::vector(32, 2), &[number, is_triangle]);
    kit.b.effect(IrOp::StoreGlobal, &[words, base, at], &[0, WORD_BYTES]);
    kit.memory.writes_memory = true;
    let stage = Stage::Control { invocation, number, patch };
    kit.software.tessellation =
        Some(Box::new(TessellationStage { info, record: Place { base, offset }, stage }));
}

/// Begins an evaluation shader, after [`vertex::begin`].
pub fn begin_evaluation(kit: &mut Kit<'_, '_>, info: TessellationInfo) {
    let vertex = vertex::input(kit, VertexInput::VertexIndex);
    let points = kit.uniforms.get(UniformSource::DomainPoints, 0, 64);
    let at = kit.b.imul(vertex, Src::imm32(POINT_BYTES));
    let mods = [Access::READONLY.bits(), WORD_BYTES];
    let words = kit.b.value(IrOp::LoadGlobal, Type::vector(32, 3), &[points, at], &mods);
    let words = kit.b.split(Src::value(words), Type::B32, 3).to_vec();
    let word = |at: usize| words.get(at).copied().unwrap_or(Src::imm32(0));
    let offset = kit.b.imul(word(2), Src::imm32(info.record.bytes()));
    let base = kit.uniforms.get(UniformSource::PatchOutputs, 0, 64);
    let stage = Stage::Evaluation { point: [word(0), word(1)] };
    kit.software.tessellation =
        Some(Box::new(TessellationStage { info, record: Place { base, offset }, stage }));
}

/// The vertices that the control shader of the patch reads; `None` in other stages.
pub fn input_vertices(kit: &mut Kit<'_, '_>) -> Option<Place> {
    let (info, patch) = kit.software.tessellation.as_ref().and_then(|stage| match stage.stage {
        Stage::Control { patch, .. } => Some((stage.info, patch)),
        Stage::Evaluation { .. } => None,
    })?;
    let count = kit.uniforms.get(UniformSource::PatchVertices, 0, 32);
    let vertices = kit.b.imul(patch, count);
    let offset = kit.b.imul(vertices, Src::imm32(info.inputs.bytes()));
    let base = kit.uniforms.get(UniformSource::VertexOutputs, 0, 64);
    Some(Place { base, offset })
}

/// Number of the invocation among those of its patch; `None` outside control shaders.
pub fn invocation(kit: &Kit<'_, '_>) -> Option<Src> {
    match kit.software.tessellation.as_ref()?.stage {
        Stage::Control { invocation, .. } => Some(invocation),
        Stage::Evaluation { .. } => None,
    }
}

/// Number of the patch in its instance; `None` outside tessellation shaders.
pub fn patch_number(kit: &mut Kit<'_, '_>) -> Option<Src> {
    match kit.software.tessellation.as_ref()?.stage {
        Stage::Control { number, .. } => Some(number),
        Stage::Evaluation { .. } => header(kit, PATCH_NUMBER),
    }
}

/// A word of the header of the patch's record.
fn header(kit: &mut Kit<'_, '_>, byte: u32) -> Option<Src> {
    let Place { base, offset } = kit.software.tessellation.as_ref()?.record;
    let at = kit.b.iadd(offset, Src::imm32(byte));
    let mods = [Access::READONLY.bits(), WORD_BYTES];
    Some(Src::value(kit.b.value(IrOp::LoadGlobal, Type::B32, &[base, at], &mods)))
}

/// Number of vertices of the patch that the stage reads; `None` outside tessellation shaders.
pub fn patch_vertices(kit: &mut Kit<'_, '_>) -> Option<Src> {
    let stage = kit.software.tessellation.as_ref()?;
    match stage.stage {
        Stage::Control { .. } => Some(kit.uniforms.get(UniformSource::PatchVertices, 0, 32)),
        Stage::Evaluation { .. } => Some(Src::imm32(stage.info.record.vertices)),
    }
}

/// A coordinate of the domain point; `None` outside evaluation shaders.
pub fn coordinate(kit: &mut Kit<'_, '_>, component: u32) -> Option<Src> {
    let stage = kit.software.tessellation.as_ref()?;
    let (Stage::Evaluation { point: [u, v] }, domain) = (&stage.stage, stage.info.domain) else {
        return None;
    };
    let (u, v) = (*u, *v);
    match (component, domain) {
        (0, _) => Some(u),
        (1, _) => Some(v),
        (_, Some(Domain::Quads | Domain::Isolines)) => Some(Src::imm32(0)),
        (_, Some(Domain::Triangles)) => Some(third(kit, u, v)),
        (_, None) => {
            let word = header(kit, IS_TRIANGLE)?;
            let is_triangle = kit.b.icmp(IntCond::NE, word, Src::imm32(0));
            let third = third(kit, u, v);
            Some(kit.b.select(is_triangle, third, Src::imm32(0)))
        }
    }
}

/// The third coordinate of a triangle: its coordinates add up to 1.
fn third(kit: &mut Kit<'_, '_>, u: Src, v: Src) -> Src {
    let sum = kit.b.fadd(u, v);
    kit.b.fsub(float(1.0, 32), sum)
}
