//! The words of a shader, which load its state before it starts.
//!
//! This module determines the sources of uniforms, textures and samplers. Data that is already in memory, in a set or
//! with a program, is referenced by address; other data is uploaded.

mod program;
mod registers;
mod uniforms;

use std::sync::Arc;

use agx_abi::fragment::MAX_TARGETS;
use agx_abi::record as r;
use agx_abi::{DescriptorKind, TextureBinding, pass};

use crate::Error;
use crate::descriptor::{Binding, Set};
use crate::gpu::SHADER_BASE;
use crate::program::Program;
use crate::record::Writer;
use crate::sampler::{self, Sampler};
use crate::upload::Upload;

/// Alignment of the words of a shader in bytes.
const ALIGNMENT: u64 = 64;
/// Maximum number of half-words that one word sets.
const MOST_HALVES: u16 = 64;
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
}

impl Default for LaunchNumbers {
    fn default() -> Self {
        LaunchNumbers { groups: Numbers::Known([1; 3]), first_group: [0; 3], capture: 0, patches: 0 }
    }
}

/// The sources of a stage's uniforms.
#[derive(Clone)]
pub struct State {
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
    /// Number of the view.
    pub view: u32,
    /// Samples per pixel.
    pub samples: u32,
    /// Address and last element of each attribute.
    pub attributes: Vec<(u64, u32)>,
    /// Blend constant.
    pub blend: [f32; 4],
    /// Address of the texture heap of the render targets.
    pub heap: u64,
    /// Clear value of each target, as bits.
    pub clear: [[u32; 4]; 8],
}

impl Default for State {
    fn default() -> Self {
        State {
            sets: [const { None }; MAX_SETS],
            push: [0; PUSH_BYTES],
            launch: LaunchNumbers::default(),
            base: Numbers::Known([0; 2]),
            draw: 0,
            view: 0,
            samples: 1,
            attributes: Vec::new(),
            blend: [0.0; 4],
            heap: 0,
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
        self.sets.get(set as usize).and_then(Option::as_ref).ok_or(unbound(set))
    }

    fn binding(set: &Set, number: u32) -> Result<&Binding, Error> {
        set.layout.bindings.get(&number).ok_or(unbound(number))
    }
}

/// Properties of the words of a launch or a draw.
#[derive(Clone, Copy, Debug, Default)]
pub struct Words {
    /// Address of the words.
    pub address: u64,
    /// Uniform half-words in use.
    pub uniforms: u16,
    /// Texture state registers.
    pub textures: u32,
    /// Sampler state registers.
    pub samplers: u32,
    /// Whether the samplers have border colours.
    pub borders: bool,
    /// Half registers of the preamble.
    pub preamble_halves: u16,
}

impl Words {
    /// The address in the encoding of records.
    pub fn pipeline(&self) -> u64 {
        self.address - SHADER_BASE
    }

    /// The resources in the encoding of render commands, which is that of shader records.
    pub fn resources(&self) -> u64 {
        use r::fragment_shader as f;
        let record = Writer::new(&f::RECORD)
            .set(&f::UNIFORMS, self.uniforms.into())
            .set(&f::TEXTURES, self.textures.into())
            .set(&f::SAMPLERS, self.sampler_code())
            .set(&f::PREAMBLE_REGISTERS, self.preamble_halves.into());
        r::bits(&record.bytes(), 0, 32)
    }

    /// The code for the number of sampler state registers.
    pub fn sampler_code(&self) -> u64 {
        match (self.samplers, self.borders) {
            (1..=8, true) => 6,
            (9.., true) => 7,
            (count, _) => u64::from(count.div_ceil(4).min(4)),
        }
    }
}

/// The kind of program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Compute, with bytes of local memory.
    Compute(u32),
    /// Vertex.
    Vertex,
    /// Fragment, with the properties of the tile.
    Fragment {
        /// Samples of a pixel.
        samples: u32,
        /// Bytes of a sample.
        sample_bytes: u32,
    },
}

/// Writes the words of a shader.
pub struct Assembler<'a> {
    upload: &'a mut Upload,
    state: &'a State,
    bytes: Vec<u8>,
    samplers: Vec<Register>,
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
        stage: Stage,
    ) -> Result<Words, Error> {
        let textures = &program.info.textures;
        let placed = (0..).zip(textures.iter().copied());
        Assembler::assembled(upload, state, program, stage, (placed, textures.len() as u32))
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
        stage: Stage,
        (bound, kind): (u8, DescriptorKind),
    ) -> Result<Words, Error> {
        let targets = (0..MAX_TARGETS).filter(|target| bound >> target & 1 != 0);
        let placed = targets.map(|target| {
            let texture = TextureBinding { set: 0, binding: target, element: 0, kind };
            (u64::from(pass::state_register(target)), texture)
        });
        let count = if bound == 0 { 0 } else { MAX_TARGETS };
        Assembler::assembled(upload, state, program, stage, (placed, count))
    }

    /// Words with these textures in state registers, and their number.
    fn assembled(
        upload: &'a mut Upload,
        state: &'a State,
        program: &Program,
        stage: Stage,
        (placed, count): (impl Iterator<Item = (u64, TextureBinding)>, u32),
    ) -> Result<Words, Error> {
        let mut assembler = Assembler { upload, state, bytes: Vec::new(), samplers: Vec::new() };
        assembler.samplers(&program.info.samplers)?;
        for range in &program.info.uniforms {
            assembler.uniform(range, program)?;
        }
        for (register, texture) in placed {
            let address = assembler.texture(&texture)?;
            assembler.texture_word(register, address);
        }
        let samplers = assembler.finish_samplers()?;
        assembler.program(program, stage);
        let bytes = std::mem::take(&mut assembler.bytes);
        let address = upload.put(&bytes, ALIGNMENT)?;
        Ok(Words {
            address,
            uniforms: program.info.uniform_halves,
            textures: count,
            samplers,
            borders: upload.has_borders(),
            preamble_halves: program.info.preamble_gpr_halves,
        })
    }
}
