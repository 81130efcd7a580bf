//! The words of a program with everything that was uploaded for them, as a block that programs of the device copy to other
//! addresses: what has to be adapted in a copy.

use std::sync::Arc;

use agx_abi::layout::{UniformRange, UniformSource};
use agx_abi::words::with_address;

use super::plan::{Contents, Step, word_count};
use super::{Assembled, PUSH_WORDS, Sources};
use crate::Error;
use crate::dirty::Dirty;
use crate::program::Program;
use crate::upload::{Chunks, Upload};

/// The error for a block that does not fit into a chunk of memory.
const TOO_LARGE: Error = Error::Unsupported { what: "a generated command with so many dynamic offsets" };

/// The words of a program, then what they point to. Addresses in it are relative to its start; places are numbers of words.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Portable {
    /// The block.
    pub words: Vec<u32>,
    /// Words of 64 bits that load registers from an address in the block ([`with_address`]).
    pub loads: Vec<u32>,
    /// Words of 64 bits that are addresses in the block.
    pub pointers: Vec<u32>,
    /// Words of push constants, with their numbers.
    pub push: Vec<(u32, u32)>,
    /// Numbers of workgroups along three axes.
    pub groups: Vec<u32>,
    /// The resources word.
    pub resources: u32,
}

impl Portable {
    /// The words of a program.
    ///
    /// # Errors
    /// A resource of the shader is not bound, or out of memory.
    pub(crate) fn new(
        chunks: &Arc<Chunks>,
        sources: &Sources<'_>,
        program: &Program,
    ) -> Result<Portable, Error> {
        let mut upload = Upload::new(chunks.clone());
        let mut written = Assembled::default();
        written.rewrite(&mut upload, (sources, Dirty::ALL), program, None)?;
        let (start, words) = upload.contents().ok_or(TOO_LARGE)?;
        let mut block = Portable { words, resources: written.words.resources, ..Portable::default() };
        for (step, address) in program.plan.steps.iter().zip(&written.addresses) {
            if let Some(place) = block.place(start, *address) {
                block.add(step, start, place);
            }
        }
        Ok(block)
    }

    /// The place of an address, if it is in the block, which begins at `start`.
    fn place(&self, start: u64, address: u64) -> Option<u32> {
        let at = address.checked_sub(start)? / 4;
        (at < self.words.len() as u64).then_some(at as u32)
    }

    /// Adds the contents of a step, which are at a place of the block.
    fn add(&mut self, step: &Step, start: u64, place: u32) {
        for patch in &step.patches {
            self.set(2 * patch.pair as u32, with_address(patch.word, 4 * u64::from(place)));
            self.loads.push(2 * patch.pair as u32);
        }
        match &step.contents {
            Contents::Numbers(ranges) => {
                let mut at = place;
                for range in ranges {
                    self.add_range(range, start, at);
                    at += word_count(range) as u32;
                }
            }
            Contents::Uniform(UniformRange { source: UniformSource::WorkgroupCount, .. }) => {
                self.groups.push(place);
            }
            _ => {}
        }
    }

    fn add_range(&mut self, range: &UniformRange, start: u64, at: u32) {
        match range.source {
            UniformSource::PushConstants { offset } => {
                let words = 0..word_count(range) as u32;
                self.push.extend(words.map(|word| (offset / 4 + word, at + word)));
            }
            UniformSource::PushConstantAddress => {
                if let Some(to) = self.point(start, at) {
                    self.push.extend((0..PUSH_WORDS as u32).map(|word| (word, to + word)));
                }
            }
            UniformSource::DescriptorTable { .. } => {
                self.point(start, at);
            }
            _ => {}
        }
    }

    /// Makes the address at a place relative, if it is one in the block; returns the place that it is the address of.
    fn point(&mut self, start: u64, at: u32) -> Option<u32> {
        let [low, high] = [0, 1].map(|word| self.words.get((at + word) as usize).copied().unwrap_or(0));
        let to = self.place(start, u64::from(low) | u64::from(high) << 32)?;
        self.set(at, 4 * u64::from(to));
        self.pointers.push(at);
        Some(to)
    }

    /// Sets a word of 64 bits.
    fn set(&mut self, at: u32, value: u64) {
        let words = [value as u32, (value >> 32) as u32];
        self.words.iter_mut().skip(at as usize).zip(words).for_each(|(to, word)| *to = word);
    }
}
