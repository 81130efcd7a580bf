//! Execution, with one file for each family of instructions. Operands are resolved once, when a program is decoded;
//! execution then operates on all lanes of a SIMD-group.

pub(crate) mod alu;
pub(crate) mod block;
pub(crate) mod control;
pub(crate) mod fields;
pub(crate) mod fragment;
pub(crate) mod helper;
pub(crate) mod local;
pub(crate) mod matrix;
pub(crate) mod memory;
pub(crate) mod plain;
pub(crate) mod rows;
pub(crate) mod simd_ops;
pub(crate) mod stack;
pub(crate) mod state;
pub(crate) mod texture;

use agx_isa::inst::Inst;
use agx_isa::key;
use agx_isa::table::Opcode;

use crate::core::Core;
use crate::findings::{FindingKind, Observation};
use crate::group::Group;
use crate::order::Fence;
use alu::{Alu, Compare};
use block::BlockStore;
use control::{Indirect, Jump, Mask, Nesting, Taken};
use fragment::{Decide, Interpolate, LoadCoefficient, StoreVarying, Tile};
use helper::Helper;
use local::{LocalAtomic, Threadgroup};
use matrix::Matrix;
use memory::{Atomic, Device};
use simd_ops::{Ballot, Derivative, Reduce, Shuffle};
use stack::{Adjust, Stack};
use state::{ReadSpecial, StateStore, UniformStore};
use texture::{ImageStore, Sample};

/// Where execution continues.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flow {
    /// The following instruction.
    Next,
    /// A byte offset from the program's first byte.
    Jump(u32),
    /// The following instruction, after the whole workgroup has reached this one.
    Barrier,
    /// The following instruction, after earlier fragments of the same pixels have ended.
    PixelWait,
    /// Nowhere.
    Stop,
}

/// An instruction, ready to execute.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Alu(Alu),
    Mask(Mask),
    Jump(Jump),
    Indirect(Indirect),
    Stop,
    Trap,
    Wait(u32),
    Barrier,
    Fence(Fence),
    PixelWait,
    Load(Device),
    Store(Device),
    Atomic(Atomic),
    LocalLoad(Threadgroup),
    LocalStore(Threadgroup),
    LocalAtomic(LocalAtomic),
    StackLoad(Stack),
    StackStore(Stack),
    StackAdjust(Adjust),
    UniformStore(UniformStore),
    StateStore(StateStore),
    ReadSpecial(ReadSpecial),
    Ballot(Ballot),
    Shuffle(Shuffle),
    Reduce(Reduce),
    Derivative(Derivative),
    Matrix(Matrix),
    TileLoad(Tile),
    TileStore(Tile),
    Decide(Decide),
    Interpolate(Interpolate),
    LoadCoefficient(LoadCoefficient),
    StoreVarying(StoreVarying),
    Sample(Sample),
    ImageStore(ImageStore),
    BlockStore(BlockStore),
    Helper(Helper),
    Unsupported(&'static str),
    Undecodable(Box<str>),
}

impl Action {
    /// Resolves an instruction.
    pub(crate) fn new(inst: &Inst) -> Action {
        if let Some(function) = inst.op.desc().pure {
            return Alu::new(inst, function).map_or(Action::Unsupported("these operands"), Action::Alu);
        }
        control_action(inst)
            .or_else(|| memory_action(inst))
            .or_else(|| lanes_action(inst))
            .or_else(|| fragment_action(inst))
            .or_else(|| Helper::new(inst).map(Action::Helper))
            .unwrap_or_else(|| otherwise(inst))
    }

    /// Lanes whose sources the instruction reads.
    pub(crate) fn reading_lanes(&self, group: &Group) -> u32 {
        match self {
            Action::Mask(mask) => mask.deciding_lanes(group),
            _ => group.exec,
        }
    }

    /// Executes the instruction in the active lanes; `next` is the offset of the following instruction.
    pub(crate) fn run(&self, group: &mut Group, core: &mut Core<'_>, next: u32) -> Result<Flow, Observation> {
        match self {
            Action::Alu(op) => op.run(group, core),
            Action::Mask(op) => op.run(group, core),
            Action::Jump(op) => return Ok(op.run(group, next)),
            Action::Indirect(op) => return op.run(group, core, next),
            // Without active lanes a stop has no effect; Mesa's kernels end early in this way.
            Action::Stop if group.exec == 0 => {}
            Action::Stop => return Ok(Flow::Stop),
            Action::Trap if group.exec == 0 => return Ok(Flow::Stop),
            Action::Trap => return Err(FindingKind::Trap.into()),
            Action::Wait(index) => group.pending[(*index & 1) as usize] = Default::default(),
            Action::Barrier => return Ok(Flow::Barrier),
            Action::Fence(fence) => core.fence(*fence),
            Action::PixelWait => return Ok(Flow::PixelWait),
            Action::Load(op) => op.load(group, core)?,
            Action::Store(op) => op.store(group, core)?,
            Action::Atomic(op) => op.run(group, core)?,
            Action::LocalLoad(op) => op.load(group, core)?,
            Action::LocalStore(op) => op.store(group, core)?,
            Action::LocalAtomic(op) => op.run(group, core),
            Action::StackLoad(op) => op.load(group, core)?,
            Action::StackStore(op) => op.store(group, core)?,
            Action::StackAdjust(op) => op.run(group, core),
            Action::UniformStore(op) => op.run(group, core),
            Action::StateStore(op) => op.run(group, core)?,
            Action::ReadSpecial(op) => op.run(group, core)?,
            Action::Ballot(op) => op.run(group, core),
            Action::Shuffle(op) => op.run(group, core),
            Action::Reduce(op) => op.run(group, core),
            Action::Derivative(op) => op.run(group, core),
            Action::Matrix(op) => op.run(group, core)?,
            Action::TileLoad(op) => op.load(group, core)?,
            Action::TileStore(op) => op.store(group, core)?,
            Action::Decide(op) => op.run(group, core)?,
            Action::Interpolate(op) => op.run(group, core)?,
            Action::LoadCoefficient(op) => op.run(group, core)?,
            Action::StoreVarying(op) => op.run(group, core)?,
            Action::Sample(op) => op.run(group, core)?,
            Action::ImageStore(op) => op.run(group, core)?,
            Action::BlockStore(op) => op.run(group, core)?,
            Action::Helper(op) => op.run(group, core)?,
            Action::Unsupported(what) => return Err(FindingKind::Unsupported(what).into()),
            Action::Undecodable(why) => return Err(FindingKind::Undecodable(why.to_string()).into()),
        }
        Ok(Flow::Next)
    }
}

/// A comparison with the semantics of the select `select`.
fn compare(inst: &Inst, select: Opcode) -> Option<Compare> {
    Compare::new(inst, select)
}

fn control_action(inst: &Inst) -> Option<Action> {
    use Opcode::*;
    let integer = || compare(inst, Icsel);
    let float = || compare(inst, Fcsel);
    let mask = |nesting, compare| Some(Action::Mask(Mask::new(inst, nesting, compare)));
    match inst.op {
        IfIcmp => mask(Nesting::If, integer()),
        IfFcmp => mask(Nesting::If, float()),
        ElseIcmp => mask(Nesting::Else, integer()),
        ElseFcmp => mask(Nesting::Else, float()),
        WhileIcmp => mask(Nesting::While, integer()),
        WhileFcmp => mask(Nesting::While, float()),
        PopExec => mask(Nesting::Pop, None),
        JmpAny => Some(Action::Jump(Jump::new(inst, Taken::Any))),
        JmpNone => Some(Action::Jump(Jump::new(inst, Taken::None))),
        Call => Some(Action::Jump(Jump::new(inst, Taken::Call))),
        CallReg => Some(Action::Indirect(Indirect::new(inst, true))),
        Ret => Some(Action::Indirect(Indirect::new(inst, false))),
        Stop => Some(Action::Stop),
        Trap => Some(Action::Trap),
        Wait => Some(Action::Wait(fields::Fields::new(inst).number(key::GROUP))),
        Barrier => Some(Action::Barrier),
        // The jump is never taken, so every doorbell is executed.
        JmpIfSkippingDoorbell => Some(Action::Jump(Jump::new(inst, Taken::Never))),
        _ => None,
    }
}

fn memory_action(inst: &Inst) -> Option<Action> {
    use Opcode::*;
    let unknown_format = Action::Unsupported("this memory format");
    let device = |data| Device::new(inst, data);
    let local = |data| Threadgroup::new(inst, data);
    let stack = |data| Stack::new(inst, data);
    let action = match inst.op {
        Load => device(key::DST).map(Action::Load),
        Store => device(key::DATA).map(Action::Store),
        Lload => local(key::DST).map(Action::LocalLoad),
        Lstore => local(key::DATA).map(Action::LocalStore),
        StackLoad => stack(key::DST).map(Action::StackLoad),
        StackStore => stack(key::DATA).map(Action::StackStore),
        StackAdjust => Some(Action::StackAdjust(Adjust::new(inst))),
        Atomic => memory::Atomic::new(inst).map(Action::Atomic),
        Latomic => LocalAtomic::new(inst).map(Action::LocalAtomic),
        UniformStore => state::UniformStore::new(inst).map(Action::UniformStore),
        TexStateStore => Some(Action::StateStore(StateStore::new(inst, false))),
        SamplerStateStore => Some(Action::StateStore(StateStore::new(inst, true))),
        _ => return None,
    };
    Some(action.unwrap_or(unknown_format))
}

fn lanes_action(inst: &Inst) -> Option<Action> {
    use Opcode::*;
    let action = match inst.op {
        Mfsr => ReadSpecial::new(inst).map(Action::ReadSpecial),
        IcmpBallot => Ballot::new(inst, Icsel).map(Action::Ballot),
        FcmpBallot => Ballot::new(inst, Fcsel).map(Action::Ballot),
        Shuffle => simd_ops::Shuffle::new(inst).map(Action::Shuffle),
        SimdReduce => Reduce::new(inst, true).map(Action::Reduce),
        QuadReduce => Reduce::new(inst, false).map(Action::Reduce),
        Dfdx => Derivative::new(inst, false).map(Action::Derivative),
        Dfdy => Derivative::new(inst, true).map(Action::Derivative),
        SimdMatrixFmadd16 | SimdMatrixFmadd32 => Matrix::new(inst).map(Action::Matrix),
        _ => return None,
    };
    Some(action.unwrap_or(Action::Unsupported("this form of the operation")))
}

fn fragment_action(inst: &Inst) -> Option<Action> {
    use Opcode::*;
    let action = match inst.op {
        LdTile => Tile::new(inst, key::DST).map(Action::TileLoad),
        StTile => Tile::new(inst, key::DATA).map(Action::TileStore),
        SampleMask => Some(Action::Decide(Decide::sample_mask(inst))),
        ZsEmit => Decide::emit(inst).map(Action::Decide),
        Iter => Interpolate::new(inst, false).map(Action::Interpolate),
        Iterproj => Interpolate::new(inst, true).map(Action::Interpolate),
        Ldcf => LoadCoefficient::new(inst).map(Action::LoadCoefficient),
        StVar => StoreVarying::new(inst).map(Action::StoreVarying),
        NoVar => Some(Action::Fence(Fence::Unknown)),
        Smpf => Sample::new(inst, false).map(Action::Sample),
        Smpi => Sample::new(inst, true).map(Action::Sample),
        Imgw => ImageStore::new(inst).map(Action::ImageStore),
        Imgwblk => BlockStore::new(inst).map(Action::BlockStore),
        _ => return None,
    };
    Some(action.unwrap_or(Action::Unsupported("this form of the operation")))
}

/// The remaining instructions: fences, and instructions that the machine does not model.
fn otherwise(inst: &Inst) -> Action {
    use agx_isa::desc::Effects;
    let desc = inst.op.desc();
    match inst.op {
        Opcode::MemoryBarrier => Action::Fence(Fence::Memory),
        Opcode::ImageBarrier1 => Action::Fence(Fence::ImagesLeave),
        Opcode::ImageBarrier2 => Action::Fence(Fence::ImagesLeft),
        Opcode::ImageBarrier3 => Action::Fence(Fence::ImagesSeen),
        Opcode::FlushMemoryToTexture => Action::Fence(Fence::TexelsSeen),
        Opcode::Pixwait => Action::PixelWait,
        Opcode::Pixrel => Action::Fence(Fence::Unknown),
        _ if desc.effects == Effects::BARRIER && desc.operands.is_empty() => Action::Fence(Fence::Unknown),
        _ => Action::Unsupported(desc.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_the_operands_that_its_action_reads() {
        for op in Opcode::ALL {
            // A key that the row lacks panics.
            let action = std::panic::catch_unwind(|| Action::new(&Inst::new(*op)));
            assert!(action.is_ok(), "the action of {} reads an operand that its row lacks", op.name());
        }
    }
}
