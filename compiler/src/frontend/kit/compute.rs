//! Inputs of compute shaders, and lane inputs, which all stages have.

use agx_abi::UniformSource;
use agx_abi::occupancy::SUBGROUP_SIZE;
use agx_isa::sr::Sr;
use agx_isa::table::Opcode;

use super::Kit;
use crate::ir::build::alu::IntCond;
use crate::ir::builder::LoopBlocks;
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::{Access, Arithmetic, Build, IrOp, Src, Type};
use crate::ssa::Variable;

/// Which invocations of a compute shader form a quad.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quads {
    /// Two by two in x and y.
    Square,
    /// Four consecutive ones.
    Linear,
}

/// State of a compute shader.
#[derive(Clone, Copy, Debug)]
pub struct ComputeStage {
    /// Invocations of a workgroup in x, y and z.
    pub workgroup_size: [u32; 3],
    /// Which invocations form a quad, if any.
    pub quads: Option<Quads>,
    /// Workgroup numbers may start at a base other than 0.
    pub(crate) has_base: bool,
    /// Where the workgroup is, if the numbers in registers do not tell.
    pub(crate) place: Option<GroupPlace>,
}

/// The place of a workgroup in its grid.
#[derive(Clone, Copy, Debug)]
pub struct GroupPlace {
    /// Position, by axis.
    pub position: [Src; 3],
    /// Number of workgroups, by axis.
    pub count: [Src; 3],
}

impl Default for ComputeStage {
    fn default() -> Self {
        ComputeStage { workgroup_size: [1; 3], quads: None, has_base: false, place: None }
    }
}

impl ComputeStage {
    /// Number of invocations in a workgroup.
    pub fn invocations(&self) -> u32 {
        self.workgroup_size.iter().product()
    }
}

/// An input of a compute shader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ComputeInput {
    /// Position of the workgroup in the grid, by axis.
    WorkgroupId(u32),
    /// Number of workgroups along an axis.
    WorkgroupCount(u32),
    /// Size of the workgroup along an axis.
    WorkgroupSize(u32),
    /// Position in the workgroup, by axis.
    LocalInvocationId(u32),
    /// Number in the workgroup.
    LocalInvocationIndex,
    /// Position in the grid, by axis.
    GlobalInvocationId(u32),
    /// Number of the SIMD-group in the workgroup.
    SubgroupId,
    /// Number of SIMD-groups in the workgroup.
    SubgroupCount,
}

/// An input that a lane has in every stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LaneInput {
    /// Number of the lane in its SIMD-group.
    Index,
    /// Number of lanes in a SIMD-group.
    Count,
    /// Mask of the lane itself.
    EqMask,
    /// Mask of the lane itself and higher lanes.
    GeMask,
    /// Mask of higher lanes.
    GtMask,
    /// Mask of the lane itself and lower lanes.
    LeMask,
    /// Mask of lower lanes.
    LtMask,
}

/// A special register, 32 bits.
pub fn register(kit: &mut Kit<'_, '_>, register: Sr) -> Src {
    let mods = mods(Opcode::Mfsr).with(key::SR, register);
    Src::value(kit.b.value(Opcode::Mfsr, Type::B32, &[], &mods))
}

/// Number of the vertex in a vertex shader that runs as a compute shader, counted through all instances.
pub(super) fn vertex(kit: &mut Kit<'_, '_>) -> Src {
    let [x, y] = [0, 1].map(|axis: u8| register(kit, Sr::THREAD_X.axis(axis)));
    let count = kit.uniforms.get(UniformSource::VertexCount, 0, 32);
    let before = kit.b.imul(y, count);
    kit.b.iadd(before, x)
}

/// The element for an axis; the last one for axes out of range.
fn along<T>([x, y, z]: [T; 3], axis: u32) -> T {
    match axis {
        0 => x,
        1 => y,
        _ => z,
    }
}

/// Number of the first workgroup along an axis, if it may differ from 0.
fn workgroup_base(kit: &mut Kit<'_, '_>, axis: u32) -> Option<Src> {
    kit.compute
        .has_base
        .then(|| kit.uniforms.get(UniformSource::WorkgroupBase, (axis as u16).wrapping_mul(2), 32))
}

/// Number of the workgroup along an axis.
fn workgroup(kit: &mut Kit<'_, '_>, axis: u32) -> Src {
    if let Some(place) = kit.compute.place {
        return along(place.position, axis);
    }
    let number = register(kit, Sr::GROUP_X.axis(axis as u8));
    match workgroup_base(kit, axis) {
        None => number,
        Some(base) => kit.b.iadd(number, base),
    }
}

/// An input of a compute shader, 32 bits.
pub fn input(kit: &mut Kit<'_, '_>, input: ComputeInput) -> Src {
    if kit.compute.quads == Some(Quads::Square)
        && let Some(place) = input_of_squares(kit, input)
    {
        return place;
    }
    let size = kit.compute.workgroup_size;
    match input {
        ComputeInput::WorkgroupId(axis) => workgroup(kit, axis.min(2)),
        ComputeInput::WorkgroupCount(axis) => {
            if let Some(place) = kit.compute.place {
                return along(place.count, axis);
            }
            kit.uniforms.get(UniformSource::WorkgroupCount, (axis.min(2) as u16).wrapping_mul(2), 32)
        }
        ComputeInput::WorkgroupSize(axis) => Src::imm32(along(size, axis)),
        ComputeInput::LocalInvocationId(axis) => register(kit, Sr::THREAD_IN_GROUP_X.axis(axis.min(2) as u8)),
        ComputeInput::LocalInvocationIndex => register(kit, Sr::THREAD_INDEX),
        ComputeInput::GlobalInvocationId(axis) => {
            let axis = axis.min(2);
            if let Some(group) = kit.compute.place.map(|place| along(place.position, axis)) {
                let place = register(kit, Sr::THREAD_IN_GROUP_X.axis(axis as u8));
                let before = kit.b.imul(group, Src::imm32(along(size, axis)));
                return kit.b.iadd(before, place);
            }
            let place = register(kit, Sr::THREAD_X.axis(axis as u8));
            match workgroup_base(kit, axis) {
                None => place,
                Some(base) => {
                    let before = kit.b.imul(base, Src::imm32(along(size, axis)));
                    kit.b.iadd(before, place)
                }
            }
        }
        ComputeInput::SubgroupId => register(kit, Sr::SIMD_GROUP),
        ComputeInput::SubgroupCount => Src::imm32(kit.compute.invocations().div_ceil(SUBGROUP_SIZE)),
    }
}

/// Inputs that differ if invocations are arranged in quads of two by two.
fn input_of_squares(kit: &mut Kit<'_, '_>, input: ComputeInput) -> Option<Src> {
    let size = kit.compute.workgroup_size.map(Src::imm32);
    Some(match input {
        ComputeInput::LocalInvocationId(axis) => along(place_in_squares(kit), axis),
        ComputeInput::LocalInvocationIndex => {
            let [x, y, z] = place_in_squares(kit);
            let rows = kit.b.imul(z, size[1]);
            let row = kit.b.iadd(rows, y);
            let before = kit.b.imul(row, size[0]);
            kit.b.iadd(before, x)
        }
        ComputeInput::GlobalInvocationId(axis) => {
            let axis = axis.min(2);
            let place = along(place_in_squares(kit), axis);
            let group = workgroup(kit, axis);
            let first = kit.b.imul(group, along(size, axis));
            kit.b.iadd(first, place)
        }
        _ => return None,
    })
}

/// The position of an invocation in its workgroup if quads are two by two: the threads of a quad are
/// neighbours, quads go from left to right, then down.
fn place_in_squares(kit: &mut Kit<'_, '_>) -> [Src; 3] {
    let [width, height, _] = kit.compute.workgroup_size.map(|size| size / 2);
    let thread = register(kit, Sr::THREAD_INDEX);
    let b = &mut kit.b;
    let within_x = b.and(thread, Src::imm32(1));
    let half = b.ushr(thread, Src::imm32(1));
    let within_y = b.and(half, Src::imm32(1));
    let quad = b.ushr(thread, Src::imm32(2));
    let row = b.udiv(quad, Src::imm32(width.max(1)));
    let column = b.umod(quad, Src::imm32(width.max(1)));
    let layer = b.udiv(row, Src::imm32(height.max(1)));
    let row = b.umod(row, Src::imm32(height.max(1)));
    let [x, y] = [(column, within_x), (row, within_y)].map(|(pair, within)| {
        let first = b.shl(pair, Src::imm32(1));
        b.or(first, within)
    });
    [x, y, layer]
}

/// A lane input, 32 bits.
pub fn lane_input(kit: &mut Kit<'_, '_>, input: LaneInput) -> Src {
    if input == LaneInput::Count {
        return Src::imm32(SUBGROUP_SIZE);
    }
    let lane = register(kit, Sr::LANE);
    if input == LaneInput::Index {
        return lane;
    }
    let b = &mut kit.b;
    let equal = b.shl(Src::imm32(1), lane);
    let less = b.isub(equal, Src::imm32(1));
    let less_equal = b.or(less, equal);
    match input {
        LaneInput::EqMask => equal,
        LaneInput::GeMask => b.not(less),
        LaneInput::GtMask => b.not(less_equal),
        LaneInput::LeMask => less_equal,
        _ => less,
    }
}

/// A loop that is being built, over the numbers from a first one on that are below an end, `step` apart.
pub struct Turns {
    variable: Variable,
    blocks: LoopBlocks,
    step: u32,
    /// The number of the iteration.
    pub number: Src,
}

impl Turns {
    /// Opens the loop.
    pub fn begin(kit: &mut Kit<'_, '_>, first: Src, [end, step]: [u32; 2]) -> Turns {
        let variable = kit.vars.add(&[32]);
        kit.vars.write(&kit.b, variable, first);
        let blocks = kit.b.begin_loop();
        kit.vars.open_loop(blocks.header);
        let number = kit.vars.read(&mut kit.b, variable);
        let is_inside = kit.b.icmp(IntCond::ULT, number, Src::imm32(end));
        kit.b.begin_if(is_inside);
        Turns { variable, blocks, step, number }
    }

    /// Closes the loop.
    pub fn end(self, kit: &mut Kit<'_, '_>) {
        let next = kit.b.iadd(self.number, Src::imm32(self.step));
        kit.vars.write(&kit.b, self.variable, next);
        kit.b.begin_else();
        kit.b.jump(self.blocks.after);
        kit.b.end_if();
        kit.b.end_loop();
        kit.vars.close_loop(kit.b.f);
    }
}

/// Builds a loop in which an invocation takes the numbers from `first` on that are below `end`, `step` apart.
pub(super) fn take_turns(
    kit: &mut Kit<'_, '_>,
    first: Src,
    range: [u32; 2],
    act: impl FnOnce(&mut Kit<'_, '_>, Src),
) {
    let turns = Turns::begin(kit, first, range);
    act(kit, turns.number);
    turns.end(kit);
}

/// Fills the first `bytes` bytes of workgroup memory with zeros: the invocations store words in turn, then
/// all wait for each other.
pub fn clear_local(kit: &mut Kit<'_, '_>, bytes: u32) {
    let step = kit.compute.invocations().saturating_mul(4);
    let index = register(kit, Sr::THREAD_INDEX);
    let first = kit.b.shl(index, Src::imm32(2));
    take_turns(kit, first, [bytes, step], |kit, offset| {
        kit.b.effect(IrOp::StoreLocal, &[Src::imm32(0), offset], &[4]);
    });
    barrier(kit, Access::LOCAL);
}

/// All invocations of the workgroup wait for each other; earlier accesses to the kinds of memory in `memory`
/// are ordered before later ones.
pub fn barrier(kit: &mut Kit<'_, '_>, memory: Access) {
    kit.memory.uses_barrier = true;
    kit.b.effect(IrOp::ControlBarrier, &[], &[memory.bits()]);
}

/// Orders this invocation's accesses to the kinds of memory in `memory`.
pub fn fence(kit: &mut Kit<'_, '_>, memory: Access) {
    if !memory.is_empty() {
        kit.b.effect(IrOp::FenceMemory, &[], &[memory.bits()]);
    }
}
