//! Scratch memory: where the stacks of programs lie, and the helper program that hands it out.
//!
//! Hardware asks the helper program of a command for blocks whenever it starts a SIMD-group of a program with a stack. Blocks
//! are in memory from before the first such program is recorded; every command from then on names the helper. Memory only
//! grows: what earlier commands name stays as long as the device.

use std::sync::{Arc, Mutex};

use agx_isa::asm::assemble;

use crate::Error;
use crate::gpu::SHADER_BASE;
use crate::memory::{Allocation, Arena, Piece, Place, Space, lock};

/// Text of the helper program.
const HELPER: &str = include_str!("helper.s");
/// SIMD-groups that a core holds at most (Mesa reserves as much).
const CORE_GROUPS: u32 = 128;
/// Words of a lane's stack in the smallest block.
const UNIT_WORDS: u32 = 8;
/// Blocks that a SIMD-group can have.
const BLOCKS: usize = 4;
/// Most that blocks grow: 4 to this power times the smallest.
const LARGEST: u32 = 6;
/// Words that a frame takes beyond the bytes that a program asks for.
const FRAME_WORDS: u32 = 10;
/// Bytes of what the helper knows of a core, and before the first core.
const RECORD: u64 = 16;

/// Words of a lane's stack, for the bytes that a program asks for.
fn stack_words(bytes: u32) -> u32 {
    match bytes.div_ceil(4) {
        0 => 0,
        words => (words + FRAME_WORDS).next_multiple_of(4),
    }
}

/// The code of a stack's size in the register word, for the bytes that a program asks for: 0 without a stack, else the
/// logarithm of its words in units of eight, rounded up, and one more (seen in what Mesa's driver submits).
pub fn size_code(bytes: u32) -> u64 {
    match stack_words(bytes).div_ceil(UNIT_WORDS) {
        0 => 0,
        units => u64::from(units.next_power_of_two().ilog2() + 1).min(15),
    }
}

/// How the stack of a SIMD-group is made of blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Shape {
    /// Logarithm to base 4 of the size of a block in the smallest.
    log4: u32,
    count: u32,
}

impl Shape {
    /// The smallest that holds `words` for each lane; `None` where hardware has no block that large.
    fn of(words: u32) -> Option<Shape> {
        let fits = |log4: u32| {
            let count = words.div_ceil(UNIT_WORDS << (2 * log4));
            (count < BLOCKS as u32 || log4 == LARGEST && count == BLOCKS as u32)
                .then_some(Shape { log4, count })
        };
        (0..=LARGEST).find_map(fits)
    }

    /// Bytes of a block: 32 lanes.
    fn block_bytes(self) -> u64 {
        u64::from(4 * 32 * UNIT_WORDS) << (2 * self.log4)
    }

    /// The words that `map` takes for blocks from `address` on: address / 256, the size in the low bits of the first.
    fn words(self, address: u64) -> [u32; BLOCKS] {
        let mut words = [0; BLOCKS];
        for (at, word) in words.iter_mut().enumerate().take(self.count as usize) {
            let low = if at == 0 { (2 << self.log4) - 1 } else { 1 };
            *word = ((address + at as u64 * self.block_bytes()) >> 8) as u32 | low;
        }
        words
    }
}

/// What the commands of a device name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Helper {
    /// The program, relative to the shaders, with the bit that says that there is one.
    pub program: u64,
    /// Its argument.
    pub argument: u64,
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
    /// Words of a lane's stack that there are blocks for.
    words: u32,
    /// The latest is in use by new commands.
    memory: Vec<Allocation>,
}

impl ScratchMemory {
    /// None yet.
    pub fn new(space: Arc<Space>, code: Arc<Arena>) -> ScratchMemory {
        ScratchMemory { space, code, state: Mutex::default() }
    }

    /// Has blocks for a program with `bytes` of stack.
    ///
    /// # Errors
    /// Memory is used up, or the stack is larger than hardware can have.
    pub fn reserve(&self, bytes: u32) -> Result<(), Error> {
        let words = stack_words(bytes);
        let mut state = lock(&self.state);
        if words <= state.words {
            return Ok(());
        }
        if state.program.is_none() {
            let code = assemble(HELPER).map_err(|_| Error::Invalid { what: "the helper program" })?;
            let piece = self.code.take(code.len() as u64, 128)?;
            piece.write(0, &code);
            state.program = Some(piece);
        }
        let shape = Shape::of(words).ok_or(Error::DeviceMemory { bytes: bytes.into() })?;
        let memory = self.blocks(shape)?;
        state.memory.push(memory);
        state.words = (UNIT_WORDS << (2 * shape.log4)) * shape.count;
        Ok(())
    }

    /// What commands name; `None` as long as no program has a stack.
    pub fn helper(&self) -> Option<Helper> {
        let state = lock(&self.state);
        let (program, memory) = state.program.as_ref().zip(state.memory.last())?;
        Some(Helper { program: (program.address - SHADER_BASE) | 1, argument: memory.address })
    }

    /// Memory with what the helper knows of every core, the lists of blocks, and the blocks.
    fn blocks(&self, shape: Shape) -> Result<Allocation, Error> {
        let cores = u64::from(self.space.gpu().cores());
        let list_bytes = u64::from(CORE_GROUPS) * 4 * BLOCKS as u64;
        let head = RECORD * (1 + cores) + list_bytes * cores;
        let group_bytes = shape.block_bytes() * u64::from(shape.count);
        // Blocks start at a multiple of their size.
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
    use super::*;

    #[test]
    fn the_helper_is_code() {
        let code = assemble(HELPER).unwrap_or_else(|error| panic!("{error}"));
        assert!(code.ends_with(&[0x88, 0x00]), "the last instruction is a stop");
    }

    #[test]
    fn sizes_are_those_of_the_register_word() {
        // Stacks of 112, 512 and 2012 words, as Mesa's driver codes them.
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
}
