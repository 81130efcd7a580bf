//! The context of passes beside the function: facts about the shader and the compilation, and results of the
//! back end.

use agx_abi::{ShaderInfo, Target};

use crate::CompileKey;
use crate::analysis::pressure::Demand;
use crate::emit::End;
use crate::lower::Frame;
use crate::regalloc::Allocation;

/// Facts about the shader and the compilation.
#[derive(Clone, Debug)]
pub struct Facts<'k> {
    /// The target chip.
    pub target: Target,
    /// Everything else that affects the code.
    pub key: &'k CompileKey,
    /// The contract with the driver: started by the front end, completed by passes.
    pub info: ShaderInfo,
    /// How the code ends.
    pub end: End,
    /// Whether the part is a prolog or an epilog. Such a part preserves the nesting counter, which belongs to
    /// the main part, and contains its own sample tests.
    pub is_beside_main: bool,
    /// Which part allocates the stack frame.
    pub frame: Frame,
}

impl<'k> Facts<'k> {
    /// Facts of a function that was not read by a front end.
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

/// Results of the back end for its own later passes, the emitter and the statistics.
#[derive(Clone, Default, Debug)]
pub struct BackEnd {
    /// Register demand, until registers are allocated.
    pub demand: Option<Demand>,
    /// Registers of the values, after register allocation.
    pub allocation: Allocation,
    /// Values stored to scratch memory for lack of registers.
    pub spills: u32,
    /// Values loaded back from scratch memory.
    pub fills: u32,
}

/// The data that passes read and write beside the function.
#[derive(Clone, Debug)]
pub struct Context<'k> {
    /// Facts about the shader.
    pub facts: Facts<'k>,
    /// Results of the back end.
    pub back_end: BackEnd,
}

impl<'k> Context<'k> {
    /// A context for a function that was not read by a front end.
    pub fn new(target: Target, key: &'k CompileKey) -> Self {
        Facts::new(target, key).into()
    }
}

impl<'k> From<Facts<'k>> for Context<'k> {
    fn from(facts: Facts<'k>) -> Self {
        Context { facts, back_end: BackEnd::default() }
    }
}
