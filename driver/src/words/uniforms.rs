//! Sources of uniforms.

use std::sync::atomic::{AtomicU32, Ordering};

use agx_abi::DescriptorKind;
use agx_abi::TextureBinding;
use agx_abi::layout::{InterfaceUniform, UniformRange, UniformSource};

use super::{Assembler, Bound, Numbers, State};
use crate::Error;
use crate::gpu::SHADER_BASE;
use crate::render::{patch_record, record};
use crate::sampler;

/// The error for sources of test kernels and of shaders with a layout, and for those that a later compiler adds.
const UNKNOWN: Error = Error::Unsupported { what: "a uniform that this driver does not fill" };

/// Writes numbers, and zeros to the places after them; numbers without a place are dropped.
#[inline]
pub(super) fn words(into: &[AtomicU32], from: &[u32]) {
    let (own, rest) = into.split_at(from.len().min(into.len()));
    own.iter().zip(from).for_each(|(to, word)| to.store(*word, Ordering::Relaxed));
    rest.iter().for_each(|to| to.store(0, Ordering::Relaxed));
}

/// Writes a number of 64 bits.
fn long(into: &[AtomicU32], value: u64) {
    words(into, &[value as u32, (value >> 32) as u32]);
}

/// Where the size of a buffer is in its record.
const SIZE: u64 = 8;

/// Adds a dynamic offset to the address in the record of a buffer.
fn add_offset(record: &mut [u8; 16], offset: u32) {
    if let Some(address) = record.first_chunk_mut() {
        *address = (u64::from_le_bytes(*address) + u64::from(offset)).to_le_bytes();
    }
}

impl Assembler<'_> {
    /// The address of the contents of a range that may be in memory.
    #[inline(never)]
    pub(super) fn uniform(&mut self, range: &UniformRange) -> Result<u64, Error> {
        let launch = &self.sources.state.launch;
        Ok(match range.source {
            UniformSource::BufferSize { set, binding, element } => self.buffer_size(set, binding, element)?,
            UniformSource::SamplerBias { set, binding, element } => {
                self.sampler_bias(set, binding, element)?
            }
            UniformSource::TextureWords { set, binding, element } => {
                self.texture(&TextureBinding { set, binding, element, kind: DescriptorKind::Texture })?
            }
            UniformSource::WorkgroupCount => self.numbers(launch.groups)?,
            UniformSource::Interface(InterfaceUniform::BaseVertexAndInstance) => {
                self.numbers(self.sources.state.base)?
            }
            UniformSource::VertexCount => launch.capture + record::VERTICES,
            UniformSource::FeedbackCount => launch.capture + record::CAPTURED,
            UniformSource::FeedbackBuffer { buffer } => {
                launch.capture + record::BUFFERS + 8 * u64::from(buffer)
            }
            UniformSource::VertexOutputs => launch.capture + record::OUTPUTS,
            UniformSource::GeometryVertices => launch.capture + record::EMITTED,
            UniformSource::GeometryIndices => launch.capture + record::INDICES,
            UniformSource::WorkgroupTable => launch.capture + record::TABLE,
            UniformSource::TaskRecords => launch.capture + record::TASKS,
            UniformSource::PatchOutputs => launch.patches + patch_record::RECORDS,
            UniformSource::DomainPoints => launch.patches + patch_record::POINTS,
            UniformSource::PatchVertices => launch.patches + patch_record::VERTICES,
            _ => return Err(UNKNOWN),
        })
    }

    /// Writes numbers that are in no memory.
    #[inline]
    pub(super) fn fill(&mut self, source: UniformSource, into: &[AtomicU32]) -> Result<(), Error> {
        match source {
            UniformSource::PushConstants { offset } => {
                let first = offset as usize / 4;
                let push = &self.sources.state.push;
                words(into, push.get(first..first + into.len()).or(push.get(first..)).unwrap_or(&[]));
                Ok(())
            }
            UniformSource::Interface(InterfaceUniform::AttributeBase { attribute }) => {
                long(into, self.attribute(attribute).0);
                Ok(())
            }
            UniformSource::Interface(InterfaceUniform::AttributeClamp { attribute }) => {
                words(into, &[self.attribute(attribute).1]);
                Ok(())
            }
            _ => self.fill_rest(source, into),
        }
    }

    /// Writes those that few launches need, or that cost more.
    #[inline(never)]
    fn fill_rest(&mut self, source: UniformSource, into: &[AtomicU32]) -> Result<(), Error> {
        match source {
            UniformSource::DescriptorTable { set, binding } => long(into, self.table(set, binding)?),
            UniformSource::TextureTable { set, binding, kind } => {
                long(into, self.texture_table(set, binding, kind)?);
            }
            UniformSource::TextureTableLow { set, binding, kind } => {
                words(into, &[self.texture_table(set, binding, kind)? as u32]);
            }
            // Sets are in the four gigabytes that streams can address.
            UniformSource::TableBase => long(into, SHADER_BASE),
            UniformSource::SamplerTable { set, binding } => long(into, self.sampler_table(set, binding)?),
            UniformSource::SamplerBiasTable { set, binding } => {
                long(into, self.sampler_bias(set, binding, 0)?);
            }
            UniformSource::PushConstantAddress => {
                let address = match self.sources.state.in_memory.push {
                    Some(address) => address,
                    None => self.upload.put_words(&self.sources.state.push, 16)?,
                };
                long(into, address);
            }
            UniformSource::WorkgroupBase => words(into, &self.sources.state.launch.first_group),
            UniformSource::ViewIndex => words(into, &[self.sources.view.number]),
            UniformSource::SampleMask => words(into, &[self.sources.view.sample_mask]),
            UniformSource::PrimitiveVertices => words(into, &[self.sources.view.primitive_vertices]),
            UniformSource::SamplePositions => words(into, &[self.sources.view.sample_positions]),
            UniformSource::Interface(uniform) => self.interface(uniform, into)?,
            _ => return Err(UNKNOWN),
        }
        Ok(())
    }

    /// The address of the descriptors of an array of textures.
    fn texture_table(&self, set: u32, binding: u32, kind: DescriptorKind) -> Result<u64, Error> {
        let Bound { set, .. } = self.sources.state.bound(set)?;
        Ok(set.address() + State::binding(set, binding)?.texture(0, kind))
    }

    /// Address and last element of an attribute.
    #[inline(always)]
    fn attribute(&self, number: u32) -> (u64, u32) {
        self.sources.state.attributes.get(number as usize).copied().unwrap_or_default()
    }

    fn interface(&self, uniform: InterfaceUniform, into: &[AtomicU32]) -> Result<(), Error> {
        let (state, view) = (self.sources.state, self.sources.view);
        match uniform {
            InterfaceUniform::DrawNumber => words(into, &[state.draw]),
            InterfaceUniform::BlendConstant => words(into, &view.blend.map(f32::to_bits)),
            InterfaceUniform::ClearColour { target } => {
                words(into, &view.clear.get(target as usize).copied().unwrap_or_default());
            }
            InterfaceUniform::TargetHeap => long(into, view.heap),
            InterfaceUniform::InputAssembly => long(into, state.launch.capture + record::ASSEMBLY),
            InterfaceUniform::RootDescriptor => long(into, state.launch.root),
            _ => return Err(UNKNOWN),
        }
        Ok(())
    }

    /// Address of numbers.
    fn numbers<const N: usize>(&mut self, numbers: Numbers<N>) -> Result<u64, Error> {
        match numbers {
            Numbers::Known(known) => self.upload.put_words(&known, 16),
            Numbers::Memory(address) => Ok(address),
        }
    }

    /// Address of the level bias of a sampler.
    fn sampler_bias(&self, set: u32, number: u32, element: u32) -> Result<u64, Error> {
        let Bound { set, .. } = self.sources.state.bound(set)?;
        let record = State::binding(set, number)?.sampler(element);
        Ok(set.address() + record + sampler::BORDERED_BYTES as u64)
    }

    /// Address of the record of a buffer: its address, then its size.
    pub(super) fn buffer(&mut self, set: u32, number: u32, element: u32) -> Result<u64, Error> {
        let Bound { set, offsets } = self.sources.state.bound(set)?;
        let binding = State::binding(set, number)?;
        if binding.is_inline() {
            let record = [set.address() + binding.offset, binding.count.into()];
            return self.upload.put(record.map(u64::to_le_bytes).as_flattened(), 16);
        }
        let place = binding.buffer(element);
        let offset = match binding.is_dynamic() {
            true => offsets.get((binding.dynamic + element) as usize).copied().unwrap_or(0),
            false => 0,
        };
        if offset == 0 {
            return Ok(set.address() + place);
        }
        let mut record = [0; 16];
        set.read(place, &mut record);
        add_offset(&mut record, offset);
        self.upload.put(&record, 16)
    }

    /// Address of the size of a buffer.
    fn buffer_size(&mut self, set: u32, number: u32, element: u32) -> Result<u64, Error> {
        let Bound { set: memory, .. } = self.sources.state.bound(set)?;
        let binding = State::binding(memory, number)?;
        match binding.is_inline() {
            true => Ok(self.buffer(set, number, element)? + SIZE),
            // A dynamic offset changes the address only.
            false => Ok(memory.address() + binding.buffer(element) + SIZE),
        }
    }

    /// Address of the records of an array of buffers.
    fn table(&mut self, set: u32, number: u32) -> Result<u64, Error> {
        let Bound { set, offsets } = self.sources.state.bound(set)?;
        let binding = State::binding(set, number)?;
        if !binding.is_dynamic() {
            return Ok(set.address() + binding.buffer(0));
        }
        let mut records = vec![0; 16 * binding.count as usize];
        set.read(binding.buffer(0), &mut records);
        for (element, record) in (binding.dynamic..).zip(records.as_chunks_mut::<16>().0) {
            let offset = offsets.get(element as usize).copied().unwrap_or(0);
            add_offset(record, offset);
        }
        self.upload.put(&records, 16)
    }
}
