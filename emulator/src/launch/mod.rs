//! Acts as the driver for compute shaders: assigns addresses to buffers, fills the uniform file, runs the dispatch, and
//! copies the new contents back to the buffers.
//!
//! Every buffer has its own mapping, exact to the byte, with unmapped memory around it, so that an access past its end
//! is a fault and never reaches another buffer.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

mod draw;
mod sets;
mod targets;
pub mod textures;
mod vertex;

use agx_abi::layout::{BLOCK_GRANULE_BYTES, DESCRIPTOR_BYTES, UNIFORM_HALVES, ZEROS_BYTES};
use agx_abi::textures::{BIAS_STRIDE, NUMBER_STRIDE};
use agx_abi::{DescriptorKind, SamplerBinding, ShaderInfo, Stage, UniformRange, UniformSource};
use half::f16;
use thiserror::Error;

pub use self::draw::{AttributeData, DrawLaunch, ShadeLaunch, StageProgram};
pub use self::targets::SpilledTarget;
use self::textures::{SamplerRegisters, SamplerResource, SamplerState, TextureResource};
pub use self::vertex::{MAX_VERTICES, VertexLaunch};

use crate::textures::{SAMPLER_BYTES, TEXTURE_BYTES};
use crate::{Access, Dispatch, MapError, Memory, Options, Program, Report, States, Stop, dispatch};

/// Address of the first mapping, which is the first buffer; everything below is unmapped, including null pointers.
pub const FIRST_ADDRESS: u64 = 0x1_0000_0000;

/// Alignment of mappings.
const ALIGNMENT: u64 = 0x1000;

/// Minimum number of unmapped bytes between two mappings.
const GUARD_BYTES: u64 = 0x1_0000;

/// A buffer that a shader can access.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BufferBinding {
    /// Descriptor set.
    pub set: u32,
    /// Binding within the set.
    pub binding: u32,
    /// Array element; 0 if the binding is not an array.
    pub element: u32,
    /// Contents before the run, and after it.
    pub bytes: Vec<u8>,
    /// Whether the shader may write it; other writes are faults.
    pub writable: bool,
}

impl BufferBinding {
    fn is_at(&self, set: u32, binding: u32, element: u32) -> bool {
        (self.set, self.binding, self.element) == (set, binding, element)
    }
}

/// One dispatch of a compiled compute shader.
#[derive(Debug)]
pub struct Launch<'a> {
    /// Code of the main part.
    pub code: &'a [u8],
    /// Code of the preamble, if the shader has one.
    pub preamble: Option<&'a [u8]>,
    /// The compiler's information about the shader.
    pub info: &'a ShaderInfo,
    /// The buffers, which the shader may write.
    pub buffers: &'a mut [BufferBinding],
    /// Textures, images and texel buffers, which the shader may write.
    pub textures: &'a mut [TextureResource],
    /// Samplers.
    pub samplers: &'a [SamplerResource],
    /// Push constants; bytes beyond them read as zero.
    pub push_constants: &'a [u8],
    /// Arguments of a test kernel, by parameter.
    pub arguments: &'a [u64],
    /// Receives the results of a test kernel; empty for other shaders.
    pub results: &'a mut [u64],
    /// Number of workgroups.
    pub workgroups: [u32; 3],
    /// Options of the machine.
    pub options: Options,
}

/// The reason why a shader could not be launched or did not finish.
#[derive(Debug, Error)]
pub enum LaunchError {
    /// The shader uses a resource that is not bound.
    #[error(
        "the shader uses set {set}, binding {binding}, element {element}, where no such resource is bound"
    )]
    Unbound {
        /// Descriptor set.
        set: u32,
        /// Binding within the set.
        binding: u32,
        /// Array element.
        element: u32,
    },
    /// The shader has more parameters than there are arguments.
    #[error("the kernel reads argument {index}, but only {count} are given")]
    MissingArgument {
        /// The parameter without an argument.
        index: u32,
        /// Number of arguments.
        count: usize,
    },
    /// The error of one of the shaders of a draw.
    #[error("{error}")]
    Stage {
        /// Its stage.
        stage: Stage,
        /// The error.
        error: Box<LaunchError>,
    },
    /// There are more distinct samplers than state registers.
    #[error("there are more different samplers than sampler state registers")]
    TooManySamplers,
    /// A range is outside the uniform file.
    #[error("uniform range {start}+{halves} exceeds the uniform file")]
    UniformRange {
        /// First half-word.
        start: u16,
        /// Length in half-words.
        halves: u16,
    },
    /// Memory could not be laid out.
    #[error(transparent)]
    Map(#[from] MapError),
    /// The machine stopped on a fatal finding.
    #[error(transparent)]
    Stopped(#[from] Stop),
}

/// Memory of one launch and the addresses assigned so far.
struct Layout<'b> {
    memory: Memory,
    next: u64,
    results: u64,
    buffers: &'b [BufferBinding],
    /// Addresses of the buffers, then of the textures.
    addresses: Vec<u64>,
    textures: &'b [TextureResource],
    samplers: &'b [SamplerResource],
    sampler_registers: SamplerRegisters,
}

impl Launch<'_> {
    /// Runs the dispatch and copies the new contents back to the buffers, even if the machine stops early.
    ///
    /// # Errors
    /// [`LaunchError`]: a resource of the shader is missing, or the machine stopped on a fatal finding.
    pub fn run(self) -> Result<Report, LaunchError> {
        let mut prepared = self.prepare()?;
        let mut memory = std::mem::take(&mut prepared.memory);
        let result = dispatch(&mut memory, &prepared.dispatch());
        take_back(&memory, &prepared.addresses, self.buffers, self.textures);
        let bytes = memory.bytes(prepared.results, size_of_val(self.results)).unwrap_or_default();
        for (result, bytes) in self.results.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *result = u64::from_le_bytes(*bytes);
        }
        Ok(result?)
    }

    /// Lays out memory and fills the uniform file, as for a run.
    ///
    /// # Errors
    /// A resource of the shader is missing.
    pub fn prepare(&self) -> Result<PreparedLaunch, LaunchError> {
        let mut layout = Layout::new(self.buffers, self.textures, self.samplers)?;
        let textures = layout.states(self.info)?;
        layout.results = layout.map(vec![0; size_of_val(self.results)], Access::READ | Access::WRITE)?;
        let mut uniforms = vec![0u16; usize::from(UNIFORM_HALVES)];
        let block = layout.arguments(self.info, self.push_constants);
        for range in &self.info.uniforms {
            let bytes = layout.source_bytes(range, self.info, &block, self.arguments)?;
            write_range(&mut uniforms, range, &bytes, self.workgroups)?;
        }
        // Half-words past the last range were never set.
        let ends = self.info.uniforms.iter().map(|range| range.start.saturating_add(range.halves));
        uniforms.truncate(ends.max().unwrap_or(0).into());
        Ok(PreparedLaunch {
            memory: layout.memory,
            addresses: layout.addresses,
            results: layout.results,
            program: Program::new(self.code),
            preamble: self.preamble.map(Program::new),
            uniforms,
            textures,
            samplers: layout.sampler_registers.0,
            workgroups: self.workgroups,
            info: self.info.clone(),
            options: self.options.clone(),
        })
    }
}

/// A dispatch that can start: memory, programs and uniforms.
#[derive(Clone, Debug)]
pub struct PreparedLaunch {
    /// Memory before the run.
    pub memory: Memory,
    /// Addresses of the buffers, then of the textures.
    pub addresses: Vec<u64>,
    results: u64,
    program: Program,
    preamble: Option<Program>,
    uniforms: Vec<u16>,
    textures: Vec<[u8; TEXTURE_BYTES]>,
    samplers: Vec<[u8; SAMPLER_BYTES]>,
    workgroups: [u32; 3],
    info: ShaderInfo,
    options: Options,
}

impl PreparedLaunch {
    /// The dispatch to run on the memory.
    pub fn dispatch(&self) -> Dispatch<'_> {
        Dispatch {
            program: &self.program,
            preamble: self.preamble.as_ref(),
            uniforms: &self.uniforms,
            states: States { textures: &self.textures, samplers: &self.samplers, ..States::default() },
            workgroups: self.workgroups,
            workgroup_size: self.info.workgroup_size,
            threads: None,
            tile: None,
            local_bytes: self.info.local_bytes,
            scratch_bytes: self.info.scratch_bytes.max(self.info.preamble_scratch_bytes),
            options: self.options.clone(),
        }
    }
}

/// Copies the contents of memory after the run back to buffers, then textures.
fn take_back(
    memory: &Memory,
    addresses: &[u64],
    buffers: &mut [BufferBinding],
    textures: &mut [TextureResource],
) {
    let textures = textures.iter_mut().map(|texture| &mut texture.buffer);
    for (buffer, address) in buffers.iter_mut().chain(textures).zip(addresses) {
        if let Some(bytes) = memory.bytes(*address, buffer.bytes.len()) {
            buffer.bytes.copy_from_slice(bytes);
        }
    }
}

impl<'b> Layout<'b> {
    /// Memory that contains `buffers` and `textures`.
    fn new(
        buffers: &'b [BufferBinding],
        textures: &'b [TextureResource],
        samplers: &'b [SamplerResource],
    ) -> Result<Self, MapError> {
        let mut layout = Layout {
            memory: Memory::new(),
            next: FIRST_ADDRESS,
            results: 0,
            buffers,
            addresses: Vec::new(),
            textures,
            samplers,
            sampler_registers: SamplerRegisters::default(),
        };
        layout.map_buffers()?;
        Ok(layout)
    }
}

impl Layout<'_> {
    /// Maps `bytes` at the next free address and returns the address.
    fn map(&mut self, bytes: Vec<u8>, access: Access) -> Result<u64, MapError> {
        let address = self.next;
        let end = address.saturating_add(bytes.len() as u64).saturating_add(GUARD_BYTES);
        self.next = end.checked_next_multiple_of(ALIGNMENT).unwrap_or(u64::MAX);
        if !bytes.is_empty() {
            self.memory.map(address, bytes, access)?;
        }
        Ok(address)
    }

    /// The address of `bytes`, as bytes.
    fn address_of(&mut self, bytes: Vec<u8>) -> Result<Vec<u8>, MapError> {
        Ok(self.map(bytes, Access::READ)?.to_le_bytes().to_vec())
    }

    fn map_buffers(&mut self) -> Result<(), MapError> {
        let access = |buffer: &BufferBinding| match buffer.writable {
            true => Access::READ | Access::WRITE,
            false => Access::READ,
        };
        let textures = self.textures.iter().map(|texture| &texture.buffer);
        for buffer in self.buffers.iter().chain(textures) {
            // A read-only buffer may be a uniform buffer, which can be read to the end of a granule.
            let mut bytes = buffer.bytes.clone();
            if !buffer.writable {
                bytes.resize(bytes.len().max(1).next_multiple_of(BLOCK_GRANULE_BYTES as usize), 0);
            }
            let address = self.map(bytes, access(buffer))?;
            self.addresses.push(address);
        }
        Ok(())
    }

    /// The contents of the shader's texture state registers. Sampler state registers are filled for the samplers that
    /// the shader names; tables of samplers may use more.
    fn states(&mut self, info: &ShaderInfo) -> Result<Vec<[u8; TEXTURE_BYTES]>, LaunchError> {
        self.sampler_registers = SamplerRegisters::default();
        for sampler in &info.samplers {
            let state = match *sampler {
                SamplerBinding::Bound { set, binding, element }
                | SamplerBinding::Paired { set, binding, element, .. } => {
                    self.sampler(set, binding, element)?
                }
                SamplerBinding::Loads => SamplerState::LOADS.descriptor(),
            };
            self.sampler_registers.0.push(state);
        }
        let textures = info.textures.iter();
        textures
            .map(|texture| self.texture(texture.set, texture.binding, texture.element, texture.kind))
            .collect()
    }

    fn texture_addresses(&self) -> &[u64] {
        self.addresses.get(self.buffers.len()..).unwrap_or(&[])
    }

    fn texture(
        &self,
        set: u32,
        binding: u32,
        element: u32,
        kind: DescriptorKind,
    ) -> Result<[u8; TEXTURE_BYTES], LaunchError> {
        self.textures
            .iter()
            .zip(self.texture_addresses())
            .find(|(texture, _)| texture.buffer.is_at(set, binding, element))
            .map(|(texture, address)| texture.descriptor(kind, *address))
            .ok_or(LaunchError::Unbound { set, binding, element })
    }

    fn sampler_state(&self, set: u32, binding: u32, element: u32) -> Result<&SamplerState, LaunchError> {
        self.samplers
            .iter()
            .find(|sampler| (sampler.set, sampler.binding, sampler.element) == (set, binding, element))
            .map(|sampler| &sampler.state)
            .ok_or(LaunchError::Unbound { set, binding, element })
    }

    fn sampler(&self, set: u32, binding: u32, element: u32) -> Result<[u8; SAMPLER_BYTES], LaunchError> {
        self.sampler_state(set, binding, element).map(SamplerState::descriptor)
    }

    /// Maps the table of level biases of an array of samplers; unbound samplers have none.
    fn sampler_bias_table(&mut self, set: u32, binding: u32) -> Result<u64, LaunchError> {
        let bound = self.samplers.iter().map(|sampler| (sampler.set, sampler.binding, sampler.element));
        let elements = elements(bound, set, binding)?;
        let mut table = Vec::new();
        for element in 0..elements {
            let bias = self.sampler_state(set, binding, element).map_or(0.0, |state| state.bias);
            table.extend(f16::from_f32(bias).to_le_bytes());
            table.resize(table.len().next_multiple_of(BIAS_STRIDE as usize), 0);
        }
        Ok(self.map(table, Access::READ)?)
    }

    /// Maps the table of descriptors of an array of textures; unbound elements are zeros.
    fn texture_table(&mut self, set: u32, binding: u32, kind: DescriptorKind) -> Result<u64, LaunchError> {
        let bound = self.textures.iter().map(|texture| &texture.buffer);
        let elements =
            elements(bound.map(|buffer| (buffer.set, buffer.binding, buffer.element)), set, binding)?;
        let mut table = Vec::new();
        for element in 0..elements {
            table.extend(self.texture(set, binding, element, kind).unwrap_or([0; TEXTURE_BYTES]));
        }
        Ok(self.map(table, Access::READ)?)
    }

    /// Maps the table of register numbers of an array of samplers.
    fn sampler_table(&mut self, set: u32, binding: u32) -> Result<u64, LaunchError> {
        let bound = self.samplers.iter().map(|sampler| (sampler.set, sampler.binding, sampler.element));
        let elements = elements(bound, set, binding)?;
        let mut table = Vec::new();
        for element in 0..elements {
            let register = match self.sampler(set, binding, element) {
                Ok(state) => self.sampler_registers.register(state).ok_or(LaunchError::TooManySamplers)?,
                Err(_) => 0,
            };
            table.extend(register.to_le_bytes());
            table.resize(table.len().next_multiple_of(NUMBER_STRIDE as usize), 0);
        }
        Ok(self.map(table, Access::READ)?)
    }

    fn buffer(&self, set: u32, binding: u32, element: u32) -> Result<(u64, u32), LaunchError> {
        self.buffers
            .iter()
            .zip(&self.addresses)
            .find(|(buffer, _)| buffer.is_at(set, binding, element))
            .map(|(buffer, address)| (*address, buffer.bytes.len() as u32))
            .ok_or(LaunchError::Unbound { set, binding, element })
    }

    /// Maps the table of descriptors of an array of buffers; unbound elements have address and size zero.
    fn descriptor_table(&mut self, set: u32, binding: u32) -> Result<u64, LaunchError> {
        let bound = self.buffers.iter().map(|buffer| (buffer.set, buffer.binding, buffer.element));
        let elements = elements(bound, set, binding)?;
        let mut table = vec![0u8; (elements as usize).saturating_mul(DESCRIPTOR_BYTES as usize)];
        for (element, record) in (0..elements).zip(table.chunks_exact_mut(DESCRIPTOR_BYTES as usize)) {
            if let Ok((address, size)) = self.buffer(set, binding, element) {
                let bytes = address.to_le_bytes().into_iter().chain(size.to_le_bytes());
                record.iter_mut().zip(bytes).for_each(|(place, byte)| *place = byte);
            }
        }
        Ok(self.map(table, Access::READ)?)
    }

    /// The push constants; those of a kernel with the addresses of the buffers that are bound at set 0 and the numbers of its
    /// parameters.
    fn arguments(&self, info: &ShaderInfo, push_constants: &[u8]) -> Vec<u8> {
        let mut block = push_constants.to_vec();
        let Some(kernel) = &info.kernel else { return block };
        block.resize(block.len().max(kernel.block_bytes as usize), 0);
        for argument in kernel.arguments.iter().filter(|argument| argument.kind.is_address()) {
            let Ok((address, _)) = self.buffer(0, argument.index, 0) else { continue };
            let place = block.iter_mut().skip(argument.offset as usize);
            place.zip(address.to_le_bytes()).for_each(|(place, byte)| *place = byte);
        }
        block
    }

    /// The data that the driver writes to `range`, shorter than the range if the rest is zero. [`write_range`] writes
    /// workgroup counts, and the draw writes the uniforms between parts.
    fn source_bytes(
        &mut self,
        range: &UniformRange,
        info: &ShaderInfo,
        push_constants: &[u8],
        arguments: &[u64],
    ) -> Result<Vec<u8>, LaunchError> {
        let from = |bytes: &[u8], offset: u32| bytes.get(offset as usize..).unwrap_or(&[]).to_vec();
        Ok(match range.source {
            UniformSource::BufferAddress { set, binding, element } => {
                self.buffer(set, binding, element)?.0.to_le_bytes().to_vec()
            }
            UniformSource::BufferSize { set, binding, element } => {
                self.buffer(set, binding, element)?.1.to_le_bytes().to_vec()
            }
            UniformSource::DescriptorTable { set, binding } => {
                self.descriptor_table(set, binding)?.to_le_bytes().to_vec()
            }
            UniformSource::TextureTable { set, binding, kind } => {
                self.texture_table(set, binding, kind)?.to_le_bytes().to_vec()
            }
            UniformSource::TextureTableLow { set, binding, kind } => {
                (self.texture_table(set, binding, kind)? as u32).to_le_bytes().to_vec()
            }
            // What is mapped for a launch is in the first four gigabytes after this address.
            UniformSource::TableBase => FIRST_ADDRESS.to_le_bytes().to_vec(),
            UniformSource::SamplerTable { set, binding } => {
                self.sampler_table(set, binding)?.to_le_bytes().to_vec()
            }
            UniformSource::SamplerBias { set, binding, element } => {
                f16::from_f32(self.sampler_state(set, binding, element)?.bias).to_le_bytes().to_vec()
            }
            UniformSource::SamplerBiasTable { set, binding } => {
                self.sampler_bias_table(set, binding)?.to_le_bytes().to_vec()
            }
            UniformSource::TextureWords { set, binding, element } => {
                self.texture(set, binding, element, DescriptorKind::Texture)?.to_vec()
            }
            UniformSource::Zeros => self.address_of(vec![0; ZEROS_BYTES as usize])?,
            UniformSource::ConstantAddress => self.address_of(info.constants.clone())?,
            UniformSource::SetAddress { set } => self.set_memory(info, set)?.to_le_bytes().to_vec(),
            UniformSource::PushConstantAddress => self.address_of(push_constants.to_vec())?,
            UniformSource::PushConstants { offset } => from(push_constants, offset),
            UniformSource::Promoted { offset } => from(&info.promoted, offset),
            UniformSource::SampleMask => u32::MAX.to_le_bytes().to_vec(),
            UniformSource::KernelResults => self.results.to_le_bytes().to_vec(),
            UniformSource::KernelArgument { index } => argument(arguments, index)?.to_le_bytes().to_vec(),
            // The machine, the draw and the stages write the others; dynamic offsets are 0, and workgroup numbers start at 0.
            _ => Vec::new(),
        })
    }
}

/// The argument of a test kernel.
fn argument(arguments: &[u64], index: u32) -> Result<u64, LaunchError> {
    let missing = LaunchError::MissingArgument { index, count: arguments.len() };
    arguments.get(index as usize).copied().ok_or(missing)
}

/// Elements of the array at (set, binding), among resources with set, binding and element.
fn elements(
    bound: impl Iterator<Item = (u32, u32, u32)>,
    set: u32,
    binding: u32,
) -> Result<u32, LaunchError> {
    let mine = bound.filter(|place| (place.0, place.1) == (set, binding));
    let last = mine.map(|place| place.2).max();
    last.and_then(|last| last.checked_add(1)).ok_or(LaunchError::Unbound { set, binding, element: 0 })
}

/// Writes `bytes`, or the workgroup counts, into `range` of the uniform file.
fn write_range(
    uniforms: &mut [u16],
    range: &UniformRange,
    bytes: &[u8],
    workgroups: [u32; 3],
) -> Result<(), LaunchError> {
    let counts: Vec<u8> = workgroups.iter().flat_map(|count| count.to_le_bytes()).collect();
    let bytes = if range.source == UniformSource::WorkgroupCount { &counts } else { bytes };
    let start = usize::from(range.start);
    let halves = uniforms
        .get_mut(start..start.saturating_add(range.halves.into()))
        .ok_or(LaunchError::UniformRange { start: range.start, halves: range.halves })?;
    let mut bytes = bytes.iter().copied();
    for half in halves {
        let Some(low) = bytes.next() else { break };
        *half = u16::from_le_bytes([low, bytes.next().unwrap_or(0)]);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(buffers: &[BufferBinding]) -> Layout<'_> {
        Layout::new(buffers, &[], &[]).expect("buffers fit")
    }

    fn buffer(binding: u32, element: u32, bytes: usize, writable: bool) -> BufferBinding {
        BufferBinding { set: 0, binding, element, bytes: vec![binding as u8 + 1; bytes], writable }
    }

    fn bytes_of(layout: &mut Layout<'_>, source: UniformSource) -> Result<Vec<u8>, LaunchError> {
        let info = ShaderInfo { constants: vec![7; 32], promoted: vec![1, 2, 3, 4], ..ShaderInfo::default() };
        layout.source_bytes(&UniformRange { start: 0, halves: 4, source }, &info, &[9, 8, 7, 6, 5], &[42])
    }

    fn address(bytes: Vec<u8>) -> u64 {
        u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
    }

    #[test]
    fn buffers_lie_apart_and_aligned() {
        let buffers = [buffer(0, 0, 5, false), buffer(1, 0, 4096, true), buffer(2, 0, 0, true)];
        let layout = layout(&buffers);
        for pair in layout.addresses.windows(2) {
            assert!(pair[1] - pair[0] >= GUARD_BYTES);
            assert_eq!(pair[1] % ALIGNMENT, 0);
        }
        assert_eq!(layout.memory.bytes(layout.addresses[0], 5), Some(&[1u8; 5][..]));
        // Read-only buffers are padded with zeros to the end of a granule.
        assert_eq!(layout.memory.bytes(layout.addresses[0] + 5, 59), Some(&[0u8; 59][..]));
        assert_eq!(layout.memory.bytes(layout.addresses[0], 65), None);
        assert!(layout.memory.bytes(layout.addresses[1], 4096).is_some());
        assert_eq!(layout.memory.bytes(layout.addresses[1], 4097), None, "mapped to the byte");
    }

    #[test]
    fn every_source_finds_its_value() {
        let buffers = [buffer(0, 0, 5, false), buffer(3, 0, 8, true), buffer(3, 2, 12, true)];
        let mut layout = layout(&buffers);
        let layout = &mut layout;
        let third = UniformSource::BufferAddress { set: 0, binding: 3, element: 2 };
        assert_eq!(address(bytes_of(layout, third).expect("bound")), layout.addresses[2]);
        let size = UniformSource::BufferSize { set: 0, binding: 3, element: 2 };
        assert_eq!(bytes_of(layout, size).expect("bound"), [12, 0, 0, 0]);
        let table =
            address(bytes_of(layout, UniformSource::DescriptorTable { set: 0, binding: 3 }).expect("bound"));
        let table = layout.memory.bytes(table, 48).expect("three records").to_vec();
        assert_eq!(table[..8], layout.addresses[1].to_le_bytes());
        assert_eq!(table[8..32], [[8, 0, 0, 0, 0, 0, 0, 0], [0; 8], [0; 8]].concat()[..]);
        assert_eq!(table[40..48], [12, 0, 0, 0, 0, 0, 0, 0]);
        let constants = address(bytes_of(layout, UniformSource::ConstantAddress).expect("mapped"));
        assert_eq!(constants % 16, 0);
        assert_eq!(layout.memory.bytes(constants, 32), Some(&[7u8; 32][..]));
        assert_eq!(bytes_of(layout, UniformSource::PushConstants { offset: 3 }).expect("there"), [6, 5]);
        assert_eq!(bytes_of(layout, UniformSource::Promoted { offset: 2 }).expect("there"), [3, 4]);
        assert_eq!(bytes_of(layout, UniformSource::KernelArgument { index: 0 }).expect("given")[0], 42);
    }

    #[test]
    fn what_is_missing_is_named() {
        let mut layout = layout(&[]);
        let unbound = UniformSource::BufferAddress { set: 1, binding: 2, element: 3 };
        let error = bytes_of(&mut layout, unbound).expect_err("nothing is bound").to_string();
        assert!(error.contains("set 1, binding 2, element 3"), "{error}");
        let error =
            bytes_of(&mut layout, UniformSource::KernelArgument { index: 4 }).expect_err("one argument");
        assert!(error.to_string().contains("argument 4"), "{error}");
        let range = UniformRange { start: 510, halves: 4, source: UniformSource::WorkgroupCount };
        let error = write_range(&mut [0; 512], &range, &[], [1; 3]).expect_err("past the end");
        assert!(error.to_string().contains("510+4"), "{error}");
    }

    #[test]
    fn the_last_element_number_has_no_array() {
        let elements = |last: u32| elements([(0, 2, 1), (0, 2, last)].into_iter(), 0, 2).ok();
        assert_eq!([4, u32::MAX].map(elements), [Some(5), None]);
    }

    #[test]
    fn workgroup_counts_go_into_six_halves() {
        let mut uniforms = [0xffff; 8];
        let range = UniformRange { start: 1, halves: 6, source: UniformSource::WorkgroupCount };
        write_range(&mut uniforms, &range, &[], [2, 0x1_0003, 4]).expect("inside");
        assert_eq!(uniforms, [0xffff, 2, 0, 3, 1, 4, 0, 0xffff]);
    }
}
