//! Interprets compute shaders before any pass, on the same seeded inputs as the machine.
//!
//! The interpreter runs one lane at a time. Shaders that exchange values between lanes, or that sample textures, are
//! unsupported.

use agx_abi::{ShaderInfo, UniformRange, UniformSource};
use agx_compiler::internal::frontend;
use agx_compiler::internal::ir::interpret::{
    InterpretError, InterpreterMemory, Limits, MemoryFault, Space, interpret,
};
use agx_compiler::{CompileKey, Input};
use agx_emulator::launch::BufferBinding;
use agx_isa::sr::Sr;
use bumpalo::Bump;

use crate::execute::{Bound, Left, MAX_STEPS, Palette, words_of};
use crate::outcome::Outcome;

/// Address of the first buffer; each buffer has an address range of this size.
const BUFFER_RANGE: u64 = 1 << 32;
/// Number of the range of the shader's constants.
const CONSTANTS: u64 = 1 << 16;
/// Number of the range of the push constants.
const PUSH_CONSTANTS: u64 = CONSTANTS + 1;
/// Half registers of the uniform file.
const UNIFORMS: usize = 512;

/// Interprets one workgroup of a compute shader, invocation by invocation.
///
/// # Errors
/// The outcome that is not a pass: unsupported if the interpreter cannot run the shader.
pub fn workgroup(module: &[u8], key: &CompileKey, palette: Palette) -> Result<Left, Outcome> {
    let bump = Bump::new();
    let (mut f, info) = frontend::read(&bump, Input::spirv(module), key)?;
    f.compute_cfg();
    let mut bound = Bound::new(palette);
    bound.bind(&info, module);
    let before = words_of(&bound);
    if info.local_bytes > 0 {
        return Err(Outcome::Unsupported(
            "the interpreter runs one lane at a time; the shader uses local memory".into(),
        ));
    }
    let [width, height, depth] = info.workgroup_size;
    for index in 0..width * height * depth {
        let thread = [index % width, index / width % height, index / (width * height)];
        let mut surroundings =
            Surroundings { bound: &mut bound, info: &info, thread, index, stack: Vec::new() };
        let uniforms = surroundings.uniforms()?;
        interpret(&f, &[], &uniforms, &mut surroundings, Limits { steps: MAX_STEPS }).map_err(outcome)?;
    }
    let words = words_of(&bound);
    Ok(Left { changed: words != before, words })
}

fn outcome(error: InterpretError) -> Outcome {
    match error {
        InterpretError::Unsupported(_) | InterpretError::Steps(_) | InterpretError::Memory { .. } => {
            Outcome::Unsupported(format!("interpreter: {error}"))
        }
        error => Outcome::Fail(format!("interpreter: {error}")),
    }
}

/// The environment of a lane of the dispatch.
struct Surroundings<'r> {
    bound: &'r mut Bound,
    info: &'r ShaderInfo,
    /// The lane's position in the workgroup, which is the whole grid.
    thread: [u32; 3],
    /// The lane's number in the workgroup.
    index: u32,
    /// The lane's stack, up to the last accessed byte.
    stack: Vec<u8>,
}

impl Surroundings<'_> {
    /// The uniform file.
    fn uniforms(&self) -> Result<Vec<u16>, Outcome> {
        let mut halves = vec![0; UNIFORMS];
        for range in &self.info.uniforms {
            let bytes = self.source(range)?;
            let place = halves.iter_mut().skip(range.start.into()).take(range.halves.into());
            for (half, pair) in place.zip(bytes.chunks(2)) {
                *half = u16::from_le_bytes([pair[0], pair.get(1).copied().unwrap_or(0)]);
            }
        }
        Ok(halves)
    }

    fn source(&self, range: &UniformRange) -> Result<Vec<u8>, Outcome> {
        let from = |bytes: &[u8], offset: u32| bytes.get(offset as usize..).unwrap_or_default().to_vec();
        Ok(match range.source {
            UniformSource::BufferAddress { set, binding, element } => {
                (self.buffer((set, binding, element))? * BUFFER_RANGE).to_le_bytes().to_vec()
            }
            UniformSource::BufferSize { set, binding, element } => {
                let number = self.buffer((set, binding, element))?;
                (self.bound.buffers[number as usize - 1].bytes.len() as u64).to_le_bytes().to_vec()
            }
            UniformSource::ConstantAddress => (CONSTANTS * BUFFER_RANGE).to_le_bytes().to_vec(),
            UniformSource::PushConstantAddress => (PUSH_CONSTANTS * BUFFER_RANGE).to_le_bytes().to_vec(),
            UniformSource::PushConstants { offset } => from(&self.bound.push_constants, offset),
            UniformSource::Promoted { offset } => from(&self.info.promoted, offset),
            UniformSource::WorkgroupCount => {
                [1_u32; 3].iter().flat_map(|count| count.to_le_bytes()).collect()
            }
            source => return Err(Outcome::Unsupported(format!("interpreter: uniforms of kind {source:?}"))),
        })
    }

    /// The number of a buffer, from 1.
    fn buffer(&self, place: (u32, u32, u32)) -> Result<u64, Outcome> {
        let is_at = |buffer: &BufferBinding| (buffer.set, buffer.binding, buffer.element) == place;
        let found = self.bound.buffers.iter().position(is_at);
        found.map(|index| index as u64 + 1).ok_or_else(|| Outcome::Fail(format!("{place:?} is not bound")))
    }

    /// The bytes at an address; an address outside all buffers is a fault.
    fn place(&mut self, space: Space, address: u64, len: usize) -> Result<&mut [u8], MemoryFault> {
        let fault = MemoryFault { space, address };
        let (number, offset) = (address / BUFFER_RANGE, (address % BUFFER_RANGE) as usize);
        let bytes = match space {
            Space::Scratch => {
                self.stack.resize(self.stack.len().max(offset + len).min(1 << 20), 0);
                &mut self.stack
            }
            Space::Local => return Err(fault),
            Space::Device => match self.bound.buffers.get_mut((number as usize).wrapping_sub(1)) {
                Some(buffer) => &mut buffer.bytes,
                None => return Err(fault),
            },
        };
        bytes.get_mut(offset..offset + len).ok_or(fault)
    }
}

impl InterpreterMemory for Surroundings<'_> {
    fn read(&mut self, space: Space, address: u64, bytes: &mut [u8]) -> Result<(), MemoryFault> {
        let constant = match (space, address / BUFFER_RANGE) {
            (Space::Device, CONSTANTS) => Some(&self.info.constants),
            (Space::Device, PUSH_CONSTANTS) => Some(&self.bound.push_constants),
            _ => None,
        };
        let source = match constant {
            Some(constant) => {
                let offset = (address % BUFFER_RANGE) as usize;
                constant.get(offset..offset + bytes.len()).ok_or(MemoryFault { space, address })?
            }
            None => self.place(space, address, bytes.len())?,
        };
        bytes.copy_from_slice(source);
        Ok(())
    }

    fn write(&mut self, space: Space, address: u64, bytes: &[u8]) -> Result<(), MemoryFault> {
        self.place(space, address, bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }

    fn special_register(&mut self, number: u32) -> Option<u32> {
        let axis = |first: Sr| (number.wrapping_sub(first.0.into()) as usize).min(3);
        let [width, height, depth] = self.info.workgroup_size;
        [
            (Sr::GROUP_X, [0; 3]),
            (Sr::GROUP_SIZE_X, [width, height, depth]),
            (Sr::DISPATCH_SIZE_X, [width, height, depth]),
            (Sr::THREAD_IN_GROUP_X, self.thread),
            (Sr::THREAD_X, self.thread),
        ]
        .into_iter()
        .find_map(|(first, values)| values.get(axis(first)).copied())
        .or((number == u32::from(Sr::THREAD_INDEX.0)).then_some(self.index))
    }
}
