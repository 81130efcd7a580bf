//! The words of a shader, which load its state before it starts.
//!
//! This module determines the sources of uniforms, textures and samplers. Data that is already in memory, in a set or
//! with a program, is referenced by address; other data is uploaded.

mod registers;
mod uniforms;

use std::sync::Arc;

use agx_abi::fragment::MAX_TARGETS;
use agx_abi::tile::TileLayout;
use agx_abi::words::{LocalUse, ProgramKind, Resources, ShaderWords};
use agx_abi::{DescriptorKind, TextureBinding, pass};

use crate::Error;
use crate::descriptor::{Binding, Set};
use crate::dirty::{Dirty, of_source};
use crate::gpu::SHADER_BASE;
use crate::program::Program;
use crate::sampler::{self, Sampler};
use crate::scratch;
use crate::upload::Upload;

/// Alignment of the words of a shader in bytes.
const ALIGNMENT: u64 = 64;
/// Maximum number of bound sets.
pub const MAX_SETS: usize = 8;
/// Bytes of push constants.
pub const PUSH_BYTES: usize = 256;

/// Parameters of a dispatch or a draw, which may be in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Numbers<const N: usize> {
    /// Known values.
    Known([u32; N]),
    /// At an address.
    Memory(u64),
}

/// A descriptor that an internal program provides directly.
#[derive(Clone, Copy, Debug)]
pub enum Direct {
    /// A buffer: address and bytes.
    Buffer(u64, u64),
    /// Descriptors for loads and stores.
    Texture([[u8; 24]; 2]),
    /// A sampler.
    Sampler(Sampler),
}

/// A bound set.
#[derive(Clone)]
pub enum Bound {
    /// A set, with its dynamic offsets.
    Set(Arc<Set>, Vec<u32>),
    /// Descriptors by binding, for internal programs.
    Direct(Vec<Direct>),
}

/// The parameters of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaunchNumbers {
    /// Workgroups.
    pub groups: Numbers<3>,
    /// Number of the first workgroup.
    pub first_group: [u32; 3],
    /// Address of the data for a vertex shader that captures its outputs (`render::record`).
    pub capture: u64,
    /// Address of the data for tessellation shaders (`render::patch_record`).
    pub patches: u64,
    /// Address of the root descriptor, for fragment programs that read it.
    pub root: u64,
}

impl Default for LaunchNumbers {
    fn default() -> Self {
        LaunchNumbers { groups: Numbers::Known([1; 3]), first_group: [0; 3], capture: 0, patches: 0, root: 0 }
    }
}

/// A view of a render pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ViewState {
    /// Its number.
    pub number: u32,
    /// Address of the texture heap of its render targets.
    pub heap: u64,
}

/// The sources of a stage's uniforms.
#[derive(Clone)]
pub struct State {
    /// What has changed since draws or launches wrote it.
    pub dirty: Dirty,
    /// Sets by number.
    pub sets: [Option<Bound>; MAX_SETS],
    /// Push constants.
    pub push: [u8; PUSH_BYTES],
    /// Parameters of the launch.
    pub launch: LaunchNumbers,
    /// Base vertex and base instance of a draw.
    pub base: Numbers<2>,
    /// Number of the draw.
    pub draw: u32,
    /// The view.
    pub view: ViewState,
    /// Samples per pixel.
    pub samples: u32,
    /// Samples that may be covered.
    pub sample_mask: u32,
    /// Address and last element of each attribute.
    pub attributes: Vec<(u64, u32)>,
    /// Blend constant.
    pub blend: [f32; 4],
    /// Clear value of each target, as bits.
    pub clear: [[u32; 4]; 8],
}

impl Default for State {
    fn default() -> Self {
        State {
            dirty: Dirty::ALL,
            sets: [const { None }; MAX_SETS],
            push: [0; PUSH_BYTES],
            launch: LaunchNumbers::default(),
            base: Numbers::Known([0; 2]),
            draw: 0,
            view: ViewState::default(),
            samples: 1,
            sample_mask: u32::MAX,
            attributes: Vec::new(),
            blend: [0.0; 4],
            clear: [[0; 4]; 8],
        }
    }
}

/// The error for a resource without a binding.
fn unbound(set: u32) -> Error {
    let _ = set;
    Error::Invalid { what: "a shader uses a descriptor set that is not bound" }
}

impl State {
    fn bound(&self, set: u32) -> Result<&Bound, Error> {
        self.sets.get(set as usize).and_then(Option::as_ref).ok_or_else(|| unbound(set))
    }

    fn binding(set: &Set, number: u32) -> Result<&Binding, Error> {
        set.layout.bindings.get(&number).ok_or_else(|| unbound(number))
    }
}

/// The words of a launch or a draw, as records refer to them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Words {
    /// Address of the words, relative to the shader base.
    pub pipeline: u64,
    /// The resources word.
    pub resources: u32,
}

/// The kind of program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage<'t> {
    /// Compute, with bytes of local memory.
    Compute(u32),
    /// Vertex.
    Vertex,
    /// Fragment, with the tile of its pass and samples of a pixel.
    Fragment(&'t TileLayout, u32),
    /// Background or end of tile, with the same.
    Tile(&'t TileLayout, u32),
}

/// The words of a program that were written last, and where the contents of its registers are.
#[derive(Debug, Default)]
pub struct Assembled {
    /// The words.
    pub words: Words,
    /// Address of each range of uniforms, then of each texture, then of each sampler.
    addresses: Vec<u64>,
}

/// Writes the words of a shader.
pub struct Assembler<'a> {
    upload: &'a mut Upload,
    state: &'a State,
    words: ShaderWords,
}

/// The addresses of the contents of registers, in order.
struct Places<'p> {
    /// What has changed since they were found.
    dirty: Dirty,
    addresses: &'p mut Vec<u64>,
    /// The next register.
    next: usize,
}

impl Places<'_> {
    /// The next address, whose contents depend on a part of the state.
    fn next(&mut self, part: Dirty, find: impl FnOnce() -> Result<u64, Error>) -> Result<u64, Error> {
        let place = self.next;
        self.next += 1;
        match self.addresses.get_mut(place) {
            Some(address) if !self.dirty.intersects(part) => Ok(*address),
            Some(address) => {
                *address = find()?;
                Ok(*address)
            }
            None => {
                let address = find()?;
                self.addresses.push(address);
                Ok(address)
            }
        }
    }
}

/// The contents of a sampler state register.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Register {
    /// The sampler at an address in a set, read when the program starts.
    At(u64),
    /// A sampler.
    Known([u8; sampler::BORDERED_BYTES]),
}

impl<'a> Assembler<'a> {
    /// The words of a stage for a state.
    ///
    /// # Errors
    /// A resource of the shader is not bound, or out of memory.
    pub fn words(
        upload: &'a mut Upload,
        state: &'a State,
        program: &Program,
        stage: Stage<'_>,
    ) -> Result<Words, Error> {
        let mut written = Assembled::default();
        Assembler::rewrite(upload, (state, Dirty::ALL), program, stage, &mut written)?;
        Ok(written.words)
    }

    /// Writes the words of a stage anew. What has not changed since they were written is where it was.
    ///
    /// # Errors
    /// As [`Assembler::words`].
    pub fn rewrite(
        upload: &'a mut Upload,
        (state, dirty): (&'a State, Dirty),
        program: &Program,
        stage: Stage<'_>,
        written: &mut Assembled,
    ) -> Result<(), Error> {
        let textures = &program.info.textures;
        let placed = (0..).zip(textures.iter().copied());
        let resources = (placed, textures.len() as u32);
        written.words =
            Assembler::assembled(upload, (state, dirty), program, stage, resources, &mut written.addresses)?;
        Ok(())
    }

    /// The words of a background or end-of-tile program. Targets whose bit is set are in the state registers of
    /// [`agx_abi::pass::state_register`], as textures or as images.
    ///
    /// # Errors
    /// Out of memory.
    pub fn tile(
        upload: &'a mut Upload,
        state: &'a State,
        program: &Program,
        stage: Stage<'_>,
        (bound, kind): (u8, DescriptorKind),
    ) -> Result<Words, Error> {
        let targets = (0..MAX_TARGETS).filter(|target| bound >> target & 1 != 0);
        let placed = targets.map(|target| {
            let texture = TextureBinding { set: 0, binding: target, element: 0, kind };
            (u32::from(pass::state_register(target)), texture)
        });
        let count = if bound == 0 { 0 } else { MAX_TARGETS };
        Assembler::assembled(upload, (state, Dirty::ALL), program, stage, (placed, count), &mut Vec::new())
    }

    /// Words with these textures in state registers, and their number. The addresses of what has not changed are kept.
    fn assembled(
        upload: &'a mut Upload,
        (state, dirty): (&'a State, Dirty),
        program: &Program,
        stage: Stage<'_>,
        (placed, count): (impl Iterator<Item = (u32, TextureBinding)>, u32),
        addresses: &mut Vec<u64>,
    ) -> Result<Words, Error> {
        // Other programs have other registers.
        if dirty.intersects(Dirty::PROGRAMS) {
            addresses.clear();
        }
        let words = ShaderWords::reusing(std::mem::take(&mut upload.spare.shader));
        let mut assembler = Assembler { upload, state, words };
        let mut places = Places { dirty, addresses, next: 0 };
        for range in &program.info.uniforms {
            let address = places.next(of_source(range.source), || assembler.uniform(range, program))?;
            assembler.words.uniforms(range.start, range.halves, address)?;
        }
        for (register, texture) in placed {
            let address = places.next(Dirty::SETS, || assembler.texture(&texture))?;
            assembler.words.textures(register, 1, address)?;
        }
        for (register, sampler) in (0..).zip(&program.info.samplers) {
            let address = places.next(Dirty::SETS, || assembler.sampler_state(sampler))?;
            assembler.words.samplers(register, 1, address)?;
        }
        assembler.program(program, stage)?;
        let Assembler { upload, words, .. } = assembler;
        let mut bytes = words.end(program.preamble().map(|address| address - SHADER_BASE))?;
        let resources = Resources {
            uniform_halves: program.info.uniform_halves,
            textures: count,
            samplers: program.info.samplers.len() as u32,
            borders: upload.has_borders(),
            preamble_gpr_halves: program.info.preamble_gpr_halves,
        };
        let resources = resources.to_word()?;
        // Memory is written in whole words.
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let pipeline = upload.put(&bytes, ALIGNMENT)? - SHADER_BASE;
        upload.spare.shader = bytes;
        Ok(Words { pipeline, resources })
    }

    /// Local memory, the program and its registers.
    fn program(&mut self, program: &Program, stage: Stage<'_>) -> Result<(), Error> {
        let (kind, local) = match stage {
            Stage::Compute(0) | Stage::Vertex => (ProgramKind::VertexOrCompute, LocalUse::Nothing),
            Stage::Compute(bytes) => (ProgramKind::VertexOrCompute, LocalUse::Bytes(bytes)),
            Stage::Fragment(tile, samples) => (ProgramKind::Fragment, LocalUse::Tile(tile, samples)),
            Stage::Tile(tile, samples) => (ProgramKind::Tile, LocalUse::Tile(tile, samples)),
        };
        let stack = scratch::size_code(program.scratch_bytes);
        self.words.local(local)?.program(kind, program.code() - SHADER_BASE, program.gpr_halves, stack)?;
        if kind == ProgramKind::Fragment {
            self.words.fragment(program.info.fragment.late_tests);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_anew_if_what_they_depend_on_has_changed() {
        let mut addresses = vec![1, 2];
        let mut places = Places { dirty: Dirty::PUSH, addresses: &mut addresses, next: 0 };
        let found = [(Dirty::SETS, 7), (Dirty::PUSH, 8), (Dirty::NONE, 9)]
            .map(|(part, address)| places.next(part, || Ok(address)).ok());
        assert_eq!(found, [Some(1), Some(8), Some(9)]);
        assert_eq!(addresses, [1, 8, 9]);
    }
}
