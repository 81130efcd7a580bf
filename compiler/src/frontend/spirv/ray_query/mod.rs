//! Ray queries (`SPV_KHR_ray_query`): a program asks step by step which triangles and boxes of an acceleration structure a ray
//! hits.
//!
//! The hardware traverses nothing, so a query is a structure of scalars ([`state`]) and its traversal is a loop of ordinary
//! instructions ([`traversal`]) over the layout of `agx_abi::acceleration`. The value of an acceleration structure is its
//! address. A descriptor of one is that of a buffer.

mod intersection;
mod properties;
mod state;
mod structure;
mod traversal;

use agx_abi::UniformSource;
use agx_abi::acceleration::{
    CUSTOM, INSTANCE_NUMBER, OBJECT_TO_WORLD, OPAQUE, RECORD_OFFSET, WORLD_TO_OBJECT,
};
use spirv::RayQueryIntersection;

use super::owners::Memory;
use super::values::Values;
use super::words::Inst;
use crate::error::{CompileError, ValueError};
use crate::ir::Arithmetic;
use crate::ir::build::alu::FloatCond;
use crate::ir::src::Src;

use intersection::{parts, rows, transformed};
use properties::{BOX, FRONT, IS_OPAQUE, TRIANGLE};
use state::Query;
pub(super) use state::kind;
use structure::words;
use traversal::has;

/// The bits of an instance's words that belong to the application.
const LOWER_24: u32 = (1 << 24) - 1;

/// `OpRayQueryInitializeKHR`.
pub(super) fn initialize<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let query = Query::open(m, v, inst.word(0)?)?;
    let scalar = |v: &mut Values<'_, 'a>, index: usize, bits: u8| {
        let found = inst.word(index).and_then(|id| v.eval().scalar(id))?;
        match v.kit.b.f.width(found) == bits {
            true => Ok(found),
            false => Err(CompileError::from(ValueError::RayOperand { index })),
        }
    };
    let vector = |v: &mut Values<'_, 'a>, index: usize| {
        let (_, leaves) = inst.word(index).and_then(|id| v.eval().value(id))?;
        match leaves {
            [x, y, z] if v.kit.b.f.width(*x) == 32 => Ok([*x, *y, *z]),
            _ => Err(CompileError::from(ValueError::RayOperand { index })),
        }
    };
    let top = scalar(v, 1, 64)?;
    let (flags, mask) = (scalar(v, 2, 32)?, scalar(v, 3, 32)?);
    let ([x, y, z], [dx, dy, dz]) = (vector(v, 4)?, vector(v, 6)?);
    let (nearest, farthest) = (scalar(v, 5, 32)?, scalar(v, 7, 32)?);
    let ray = [x, y, z, dx, dy, dz];
    let [nodes] = words(v, top, 0);
    let zeros = v.kit.uniforms.get(UniformSource::Zeros, 0, 64);
    let mask = v.kit.b.shl(mask, Src::imm32(24));
    query.write(v, state::TOP, [top]);
    query.write(v, state::TOP_END, [nodes]);
    query.write(v, state::FLAGS, [flags]);
    query.write(v, state::MASK, [mask]);
    query.write(v, state::WORLD_RAY, ray);
    query.write(v, state::NEAREST, [nearest]);
    query.write(v, state::FARTHEST, [farthest]);
    query.write(v, state::BASE, [top]);
    query.write(v, state::END, [nodes]);
    query.write(v, state::RAY, ray);
    for word in [state::NODE, state::KIND, state::RESUME, state::CANDIDATE, state::HIT] {
        query.write(v, word, [Src::imm32(0)]);
    }
    // What is asked without a hit is read from zeros.
    for address in [state::INSTANCE, state::LEAF, state::HIT_INSTANCE, state::HIT_LEAF] {
        query.write(v, address, [zeros]);
    }
    query.write(v, state::PLACE, [Src::f32(0.0); 3]);
    query.write(v, state::HIT_PLACE, [Src::f32(0.0); 2]);
    query.close(v)
}

/// `OpRayQueryProceedKHR`.
pub(super) fn proceed<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let query = Query::open(m, v, inst.word(2)?)?;
    let found = traversal::proceed(v, query);
    query.close(v)?;
    v.define_leaves(inst, &[found])
}

/// `OpRayQueryTerminateKHR`.
pub(super) fn terminate<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let query = Query::open(m, v, inst.word(0)?)?;
    traversal::end(v, query);
    query.close(v)
}

/// `OpRayQueryConfirmIntersectionKHR`: the candidate, a triangle, is hit.
pub(super) fn confirm<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let query = Query::open(m, v, inst.word(0)?)?;
    let ([properties], [distance, ..]) = (query.read(v, state::CANDIDATE), query.read(v, state::PLACE));
    traversal::commit(v, query, properties, distance);
    query.close(v)
}

/// `OpRayQueryGenerateIntersectionKHR`: something within the candidate, a box, is hit at a distance. A distance beyond the nearest
/// hit, or before the start of the ray, changes nothing: boxes may lie in front of the objects that programs test.
pub(super) fn generate<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let query = Query::open(m, v, inst.word(0)?)?;
    let distance = v.eval().scalar(inst.word(1)?)?;
    let [[nearest], [farthest]] = [query.read(v, state::NEAREST), query.read(v, state::FARTHEST)];
    let b = &mut v.kit.b;
    let starts_before = b.fcmp(FloatCond::LE, nearest, distance);
    let ends_after = b.fcmp(FloatCond::GE, farthest, distance);
    let is_hit = b.and(starts_before, ends_after);
    b.begin_if(is_hit);
    traversal::commit(v, query, Src::imm32(BOX), distance);
    v.kit.b.begin_else();
    v.kit.b.end_if();
    query.close(v)
}

/// What an instruction asks of a query.
#[derive(Clone, Copy, Debug)]
pub(super) enum Asked {
    NearestDistance,
    Flags,
    WorldOrigin,
    WorldDirection,
    IsOpaqueBox,
    Kind,
    Distance,
    CustomIndex,
    InstanceNumber,
    RecordOffset,
    Geometry,
    Primitive,
    Barycentrics,
    IsFront,
    ObjectOrigin,
    ObjectDirection,
    ObjectToWorld,
    WorldToObject,
    Vertices,
}

/// The hit that an instruction asks about.
#[derive(Clone, Copy)]
struct Subject<'a> {
    query: Query<'a>,
    /// Whether it is the committed one.
    is_committed: bool,
}

/// An instruction that asks.
pub(super) fn ask<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    asked: Asked,
) -> Result<(), CompileError> {
    let query = Query::open(m, v, inst.word(2)?)?;
    let is_committed = match inst.rest(3) {
        [] => false,
        [id, ..] => v.constant(*id)? == RayQueryIntersection::RayQueryCommittedIntersectionKHR as u32,
    };
    let leaves = Subject { query, is_committed }.answer(v, asked);
    v.define_leaves(inst, &leaves)
}

impl<'a> Subject<'a> {
    fn answer(self, v: &mut Values<'_, 'a>, asked: Asked) -> Vec<Src> {
        let query = self.query;
        match asked {
            Asked::NearestDistance => query.read(v, state::NEAREST).into(),
            Asked::Flags => query.read(v, state::FLAGS).into(),
            Asked::WorldOrigin => parts(query.read(v, state::WORLD_RAY))[0].into(),
            Asked::WorldDirection => parts(query.read(v, state::WORLD_RAY))[1].into(),
            Asked::IsOpaqueBox => vec![self.has(v, IS_OPAQUE)],
            Asked::Kind => vec![self.kind(v)],
            Asked::Distance if self.is_committed => query.read(v, state::FARTHEST).into(),
            Asked::Distance => query.read(v, state::PLACE)[..1].into(),
            Asked::CustomIndex => vec![self.of_instance(v, CUSTOM, LOWER_24)],
            Asked::RecordOffset => vec![self.of_instance(v, RECORD_OFFSET, LOWER_24)],
            Asked::InstanceNumber => vec![self.of_instance(v, INSTANCE_NUMBER, u32::MAX)],
            Asked::Geometry => vec![self.of_leaf(v, 12, !OPAQUE)],
            Asked::Primitive => vec![self.of_leaf(v, 28, u32::MAX)],
            Asked::Barycentrics if self.is_committed => query.read(v, state::HIT_PLACE).into(),
            Asked::Barycentrics => query.read(v, state::PLACE)[1..].into(),
            Asked::IsFront => vec![self.has(v, FRONT)],
            Asked::ObjectOrigin => self.object_ray(v)[0].into(),
            Asked::ObjectDirection => self.object_ray(v)[1].into(),
            Asked::ObjectToWorld => self.columns(v, OBJECT_TO_WORLD),
            Asked::WorldToObject => self.columns(v, WORLD_TO_OBJECT),
            Asked::Vertices => self.vertices(v),
        }
    }

    /// Whether the candidate or hit has a property.
    fn has(self, v: &mut Values<'_, 'a>, property: u32) -> Src {
        let field = if self.is_committed { state::HIT } else { state::CANDIDATE };
        let [properties] = self.query.read(v, field);
        has(&mut v.kit.b, properties, property)
    }

    /// The kind in the numbers of SPIR-V: candidates are triangles or boxes, hits none, triangles or generated.
    fn kind(self, v: &mut Values<'_, 'a>) -> Src {
        if self.is_committed {
            let [properties] = self.query.read(v, state::HIT);
            return v.kit.b.and(properties, Src::imm32(TRIANGLE | BOX));
        }
        let is_box = self.has(v, BOX);
        v.kit.b.select(is_box, Src::imm32(1), Src::imm32(0))
    }

    fn instance(self, v: &mut Values<'_, 'a>) -> Src {
        let field = if self.is_committed { state::HIT_INSTANCE } else { state::INSTANCE };
        self.query.read(v, field)[0]
    }

    fn leaf(self, v: &mut Values<'_, 'a>) -> Src {
        let field = if self.is_committed { state::HIT_LEAF } else { state::LEAF };
        self.query.read(v, field)[0]
    }

    /// Bits of the word at a byte of the instance.
    fn of_instance(self, v: &mut Values<'_, 'a>, byte: u32, bits: u32) -> Src {
        let instance = self.instance(v);
        let [word] = words(v, instance, byte);
        v.kit.b.and(word, Src::imm32(bits))
    }

    /// Bits of the word at a byte of the leaf.
    fn of_leaf(self, v: &mut Values<'_, 'a>, byte: u32, bits: u32) -> Src {
        let leaf = self.leaf(v);
        let [word] = words(v, leaf, byte);
        v.kit.b.and(word, Src::imm32(bits))
    }

    /// The vertices of the triangle in the space of the instance.
    fn vertices(self, v: &mut Values<'_, 'a>) -> Vec<Src> {
        let leaf = self.leaf(v);
        [0, 16, 32].into_iter().flat_map(|byte| words::<3>(v, leaf, byte)).collect()
    }

    /// Origin and direction of the ray in the space of the instance.
    fn object_ray(self, v: &mut Values<'_, 'a>) -> [intersection::Vector; 2] {
        let instance = self.instance(v);
        let rows = rows(v, instance, WORLD_TO_OBJECT);
        let ray = self.query.read(v, state::WORLD_RAY);
        parts(transformed(&mut v.kit.b, rows, ray))
    }

    /// A matrix of the instance: four columns of three components.
    fn columns(self, v: &mut Values<'_, 'a>, matrix: u32) -> Vec<Src> {
        let instance = self.instance(v);
        let [x, y, z] = rows(v, instance, matrix);
        x.into_iter().zip(y).zip(z).flat_map(|((x, y), z)| [x, y, z]).collect()
    }
}

const _: () = assert!(TRIANGLE == 1 && BOX == 2, "the numbers of SPIR-V for committed hits");
