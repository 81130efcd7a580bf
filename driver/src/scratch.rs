//! Scratch memory: the stacks of programs, and the helper program that allocates them.
//!
//! The hardware runs the helper program of a command to get blocks whenever it starts a SIMD-group of a program with a
//! stack. The blocks are allocated before the first such program is recorded; commands with such programs refer to the helper
//! program. The memory only grows: memory that earlier commands refer to is kept for the lifetime of the device.

use std::sync::{Arc, Mutex};

use agx_isa::asm::assemble;

use crate::Error;
use crate::gpu::SHADER_BASE;
use crate::memory::{Allocation, Arena, Piece, Place, Space, lock};
use crate::program::Program;

/// Text of the helper program.
const HELPER: &str = include_str!("helper.s");
/// Maximum number of SIMD-groups on a core (Mesa reserves scratch for this number).
const CORE_GROUPS: u32 = 128;
/// Words of stack per lane in the smallest block.
const UNIT_WORDS: u32 = 8;
/// Maximum number of blocks of a SIMD-group.
const BLOCKS: usize = 4;
/// Maximum size of blocks: 4 to this power times the smallest.
const LARGEST: u32 = 6;
/// Words that a frame takes in addition to the declared bytes.
const FRAME_WORDS: u32 = 10;
/// Size of the helper's record for a core, and of the header before the first.
const RECORD: u64 = 16;

/// Words of stack per lane for a declared size in bytes.
fn stack_words(bytes: u32) -> u32 {
    match bytes.div_ceil(4) {
        0 => 0,
        words => (words + FRAME_WORDS).next_multiple_of(4),
    }
}

/// The code of a stack size in the register word, for a declared size in bytes: 0 without a stack, else one more than
/// the logarithm of its words in units of eight, rounded up (observed in submissions of Mesa's driver).
pub fn size_code(bytes: u32) -> u64 {
    match stack_words(bytes).div_ceil(UNIT_WORDS) {
        0 => 0,
        units => u64::from(units.next_power_of_two().ilog2() + 1).min(15),
    }
}

/// The blocks of a SIMD-group's stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Shape {
    /// Logarithm to base 4 of the block size in units of the smallest.
    log4: u32,
    count: u32,
}

impl Shape {
    /// The smallest shape with `words` words per lane; `None` if the hardware has no block that large.
    fn of(words: u32) -> Option<Shape> {
        let fits = |log4: u32| {
            let count = words.div_ceil(UNIT_WORDS << (2 * log4));
            (count < BLOCKS as u32 || log4 == LARGEST && count == BLOCKS as u32)
                .then_some(Shape { log4, count })
        };
        (0..=LARGEST).find_map(fits)
    }

    /// Bytes of a block, for 32 lanes.
    fn block_bytes(self) -> u64 {
        u64::from(4 * 32 * UNIT_WORDS) << (2 * self.log4)
    }

    /// The operands of `map` for blocks from `address` on: address / 256, with the size in the low bits of the first.
    fn words(self, address: u64) -> [u32; BLOCKS] {
        let mut words = [0; BLOCKS];
        for (at, word) in words.iter_mut().enumerate().take(self.count as usize) {
            let low = if at == 0 { (2 << self.log4) - 1 } else { 1 };
            *word = ((address + at as u64 * self.block_bytes()) >> 8) as u32 | low;
        }
        words
    }
}

/// The helper program, as commands refer to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Helper {
    /// The program, relative to the shader base, with the enable bit.
    pub program: u64,
    /// Its argument.
    pub argument: u64,
    /// Its configuration: bit 16 if preambles have a stack (Mesa, `hk_queue.c`).
    pub config: u64,
}

/// The stages. They run concurrently, so that each has a list of its own: the helper program counts without atomics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Vertex programs.
    Vertex,
    /// Fragment programs.
    Fragment,
    /// Compute programs.
    Compute,
}

/// What the programs of a stage need in a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stacks {
    /// Whether a program has a stack.
    has_stack: bool,
    /// Whether a preamble has one.
    has_preamble: bool,
}

impl Stacks {
    /// Adds a program.
    pub fn add(&mut self, program: &Program) {
        self.has_stack |= program.scratch_bytes > 0;
        self.has_preamble |= program.info.preamble_scratch_bytes > 0;
    }
}

/// The scratch memory of a device.
pub struct ScratchMemory {
    space: Arc<Space>,
    code: Arc<Arena>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    program: Option<Piece>,
    /// The lists of the stages.
    lists: [List; 3],
}

/// The blocks of a stage.
#[derive(Default)]
struct List {
    /// Words of stack per lane that the blocks have.
    words: u32,
    /// The last allocation is in use by new commands.
    memory: Vec<Allocation>,
}

impl ScratchMemory {
    /// No scratch memory yet.
    pub fn new(space: Arc<Space>, code: Arc<Arena>) -> ScratchMemory {
        ScratchMemory { space, code, state: Mutex::default() }
    }

    /// Ensures that there are blocks for the stack of a program.
    ///
    /// # Errors
    /// Out of memory, or the stack is larger than the hardware supports.
    #[inline]
    pub fn reserve(&self, stage: Stage, program: &Program) -> Result<(), Error> {
        match program.scratch_bytes {
            0 => Ok(()),
            bytes => self.reserve_bytes(stage, bytes),
        }
    }

    /// As [`ScratchMemory::reserve`], for a stack of this size.
    fn reserve_bytes(&self, stage: Stage, bytes: u32) -> Result<(), Error> {
        let words = stack_words(bytes);
        let mut state = lock(&self.state);
        let State { program, lists } = &mut *state;
        let [vertex, fragment, compute] = lists;
        let list = match stage {
            Stage::Vertex => vertex,
            Stage::Fragment => fragment,
            Stage::Compute => compute,
        };
        if words <= list.words {
            return Ok(());
        }
        if program.is_none() {
            let code = assemble(HELPER).map_err(|_| Error::Invalid { what: "the helper program" })?;
            let piece = self.code.take(code.len() as u64, 128)?;
            piece.write(0, &code);
            *program = Some(piece);
        }
        let shape = Shape::of(words).ok_or(Error::DeviceMemory { bytes: bytes.into() })?;
        list.memory.push(self.blocks(shape)?);
        list.words = (UNIT_WORDS << (2 * shape.log4)) * shape.count;
        Ok(())
    }

    /// The helper program for the programs of a stage in a command; `None` if they have no stacks.
    pub fn helper(&self, stage: Stage, stacks: Stacks) -> Option<Helper> {
        let state = lock(&self.state);
        let list = state.lists.get(stage as usize).filter(|_| stacks.has_stack)?;
        let (program, memory) = state.program.as_ref().zip(list.memory.last())?;
        let config = u64::from(stacks.has_preamble) << 16;
        Some(Helper { program: (program.address - SHADER_BASE) | 1, argument: memory.address, config })
    }

    /// Memory with the helper's records of every core, the lists of blocks, and the blocks.
    fn blocks(&self, shape: Shape) -> Result<Allocation, Error> {
        let cores = u64::from(self.space.gpu().parameters().core_numbers());
        let list_bytes = u64::from(CORE_GROUPS) * 4 * BLOCKS as u64;
        let head = RECORD * (1 + cores) + list_bytes * cores;
        let group_bytes = shape.block_bytes() * u64::from(shape.count);
        // Blocks are aligned to their size.
        let bytes = head + shape.block_bytes() + group_bytes * u64::from(CORE_GROUPS) * cores;
        let memory = self.space.allocate(bytes, Place::High)?;
        memory.write(0, &CORE_GROUPS.to_le_bytes());
        let mut block = (memory.address + head).next_multiple_of(shape.block_bytes());
        for core in 0..cores {
            let list = RECORD * (1 + cores) + list_bytes * core;
            memory.write(RECORD * (1 + core), &(memory.address + list).to_le_bytes());
            let mut words = Vec::new();
            for _ in 0..CORE_GROUPS {
                words.extend(shape.words(block).iter().flat_map(|word| word.to_le_bytes()));
                block += group_bytes;
            }
            memory.write(list, &words);
        }
        Ok(memory)
    }
}

#[cfg(test)]
mod tests {
    use agx_compiler::{CompileKey, CompiledShader, Input};

    use super::*;
    use crate::device::Device;

    #[test]
    fn the_helper_is_code() {
        let code = assemble(HELPER).unwrap_or_else(|error| panic!("{error}"));
        let trap = assemble("trap\n").unwrap_or_else(|error| panic!("{error}"));
        let end = [[0x88, 0x00].as_slice(), &trap.repeat(8)].concat();
        assert!(code.ends_with(&end), "the last instruction is a stop, and eight traps follow");
    }

    #[test]
    fn sizes_are_those_of_the_register_word() {
        // Stacks of 112, 512 and 2012 words, as Mesa's driver encodes them.
        let codes = [408, 2008, 8008].map(|bytes| (stack_words(bytes), size_code(bytes)));
        assert_eq!(codes, [(112, 5), (512, 7), (2012, 9)]);
        assert_eq!((stack_words(0), size_code(0)), (0, 0));
    }

    #[test]
    fn blocks_hold_the_stack() {
        for words in (4..=131_072).step_by(4) {
            let shape = Shape::of(words).unwrap_or_else(|| panic!("{words}"));
            assert!((UNIT_WORDS << (2 * shape.log4)) * shape.count >= words, "{words}: {shape:?}");
        }
        assert_eq!(Shape::of(131_073), None);
        let shape = Shape { log4: 1, count: 2 };
        assert_eq!(shape.words(0x10_0000), [0x1003, 0x1011, 0, 0]);
    }

    #[test]
    fn a_preamble_with_a_stack_is_in_the_configuration() {
        let device = Device::in_test();
        let text = "#version 450\nvoid main() {}";
        let input = Input::glsl(text, agx_abi::Stage::Compute);
        let mut shader = device.compile(input, &CompileKey::default()).expect("compiles");
        let config = |shader: &CompiledShader| {
            let program = Program::new(&device.code, shader.clone()).expect("memory");
            device.scratch.reserve(Stage::Vertex, &program).expect("memory");
            let mut stacks = Stacks::default();
            stacks.add(&program);
            let helper = device.scratch.helper(Stage::Vertex, stacks);
            (program.scratch_bytes, helper.map(|helper| helper.config))
        };
        assert_eq!(config(&shader), (0, None));
        shader.info.scratch_bytes = 64;
        assert_eq!(config(&shader), (64, Some(0)));
        shader.info.preamble_scratch_bytes = 112;
        assert_eq!(config(&shader), (112, Some(1 << 16)));
    }
    #[test]
    fn stages_have_lists_of_their_own() {
        let device = Device::in_test();
        let input = Input::glsl("#version 450\nvoid main() {}", agx_abi::Stage::Compute);
        let mut shader = device.compile(input, &CompileKey::default()).expect("compiles");
        let plain = Program::new(&device.code, shader.clone()).expect("memory");
        shader.info.scratch_bytes = 64;
        let program = Program::new(&device.code, shader).expect("memory");
        let mut stacks = Stacks::default();
        stacks.add(&plain);
        let mut lists = Vec::new();
        for stage in [Stage::Vertex, Stage::Fragment, Stage::Compute] {
            device.scratch.reserve(stage, &program).expect("memory");
            assert_eq!(device.scratch.helper(stage, stacks), None, "a command without stacks");
            let mut needed = stacks;
            needed.add(&program);
            lists.extend(device.scratch.helper(stage, needed).map(|helper| helper.argument));
        }
        lists.dedup();
        assert_eq!(lists.len(), 3);
    }
}
