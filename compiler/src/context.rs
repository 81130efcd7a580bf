//! What passes know beside the function: facts of the shader and of the compilation, and what the back end leaves.

use agx_abi::{ShaderInfo, Target};

use crate::CompileKey;
use crate::emit::End;
use crate::ir::{Block, Side};
use crate::lower::Frame;
use crate::regalloc::Allocation;

/// What is known of the shader and of the compilation.
#[derive(Clone, Debug)]
pub struct Facts<'k> {
    /// The chip compiled for.
    pub target: Target,
    /// Everything else that affects the code.
    pub key: &'k CompileKey,
    /// The contract with the driver: begun by the front end, completed by passes.
    pub info: ShaderInfo,
    /// How the code ends.
    pub end: End,
    /// A prolog or an epilog. It preserves the nesting counter, which belongs to the main part, and the shader says
    /// itself when its samples are tested.
    pub is_beside_main: bool,
    /// Who opens the stack frame.
    pub frame: Frame,
}

impl<'k> Facts<'k> {
    /// Facts of a function that no front end has read.
    pub fn new(target: Target, key: &'k CompileKey) -> Self {
        Facts {
            target,
            key,
            info: ShaderInfo::default(),
            end: End::Stop,
            is_beside_main: false,
            frame: Frame::Own,
        }
    }
}

/// What the back end leaves for its own later passes, for the emitter and for the statistics.
#[derive(Clone, Default, Debug)]
pub struct BackEnd {
    /// Registers of the values, from register allocation on.
    pub allocation: Allocation,
    /// Blocks that end with a convergent branch: all lanes of a SIMD-group take the same arm.
    pub uniform_branches: Side<Block, bool>,
    /// Values stored to scratch memory because registers are short.
    pub spills: u32,
    /// Values loaded back.
    pub fills: u32,
}

/// What passes read and write beside the function.
#[derive(Clone, Debug)]
pub struct Context<'k> {
    /// What is known of the shader.
    pub facts: Facts<'k>,
    /// What the back end leaves.
    pub back_end: BackEnd,
}

impl<'k> Context<'k> {
    /// A context for a function without a front end's facts.
    pub fn new(target: Target, key: &'k CompileKey) -> Self {
        Facts::new(target, key).into()
    }
}

impl<'k> From<Facts<'k>> for Context<'k> {
    fn from(facts: Facts<'k>) -> Self {
        Context { facts, back_end: BackEnd::default() }
    }
}
