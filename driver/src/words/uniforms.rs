//! Sources of uniforms.

use agx_abi::DescriptorKind;
use agx_abi::TextureBinding;
use agx_abi::fragment::{pack_sample_positions, standard_sample_positions};
use agx_abi::layout::{InterfaceUniform, UniformRange, UniformSource};

use super::{Assembler, Bound, Direct, Numbers, State, unbound};
use crate::Error;
use crate::program::Program;
use crate::render::{patch_record, record};
use crate::sampler;

impl<'a> Assembler<'a> {
    /// The address of the contents of a range.
    pub(super) fn uniform(&mut self, range: &UniformRange, program: &Program) -> Result<u64, Error> {
        let len = 2 * usize::from(range.halves);
        match self.place(range, program)? {
            Value::At(address) => Ok(address),
            Value::Small(bytes) => self.upload.put_extended(&bytes, len, 16),
            Value::Bytes(bytes) => self.upload.put_extended(bytes, len, 16),
        }
    }

    /// The source of the contents of a range.
    fn place(&mut self, range: &UniformRange, program: &Program) -> Result<Value<'a>, Error> {
        let bytes = Value::of;
        let state = self.state;
        Ok(match range.source {
            UniformSource::BufferAddress { set, binding, element } => {
                self.buffer(set, binding, element, 0)?
            }
            UniformSource::BufferSize { set, binding, element } => self.buffer(set, binding, element, 8)?,
            UniformSource::DescriptorTable { set, binding } => bytes(self.table(set, binding)?),
            UniformSource::TextureTable { set, binding, kind } => match self.state.bound(set)? {
                Bound::Set(bound, _) => {
                    bytes(bound.address() + State::binding(bound, binding)?.texture(0, kind))
                }
                Bound::Direct(_) => return Err(unbound(set)),
            },
            UniformSource::SamplerTable { set, binding } => bytes(self.sampler_table(set, binding)?),
            UniformSource::SamplerBias { set, binding, element } => {
                self.sampler_bias(set, binding, element)?
            }
            UniformSource::SamplerBiasTable { set, binding } => {
                self.sampler_bias(set, binding, 0)?.address().map(Value::of).ok_or_else(|| unbound(set))?
            }
            UniformSource::TextureWords { set, binding, element } => {
                Value::At(self.texture_words(set, binding, element)?)
            }
            UniformSource::ConstantAddress => bytes(program.constants()),
            UniformSource::Promoted { offset } => Value::At(program.promoted() + u64::from(offset)),
            UniformSource::PushConstantAddress => bytes(self.upload.put(&self.state.push, 16)?),
            UniformSource::PushConstants { offset } => {
                Value::Bytes(state.push.get(offset as usize..).unwrap_or(&[]))
            }
            UniformSource::Zeros => bytes(self.upload.zeros()),
            UniformSource::WorkgroupCount => numbers(self.state.launch.groups),
            UniformSource::WorkgroupBase => numbers(Numbers::Known(self.state.launch.first_group)),
            UniformSource::ViewIndex => bytes(self.state.view.number.into()),
            UniformSource::SampleMask => bytes(self.state.sample_mask.into()),
            UniformSource::SamplePositions => {
                bytes(pack_sample_positions(standard_sample_positions(self.state.samples)).into())
            }
            UniformSource::Interface(uniform) => self.interface(uniform)?,
            UniformSource::VertexCount => Value::At(self.state.launch.capture + record::VERTICES),
            UniformSource::FeedbackCount => Value::At(self.state.launch.capture + record::CAPTURED),
            UniformSource::FeedbackBuffer { buffer } => {
                Value::At(self.state.launch.capture + record::BUFFERS + 8 * u64::from(buffer))
            }
            UniformSource::VertexOutputs => Value::At(self.state.launch.capture + record::OUTPUTS),
            UniformSource::GeometryVertices => Value::At(self.state.launch.capture + record::EMITTED),
            UniformSource::GeometryIndices => Value::At(self.state.launch.capture + record::INDICES),
            UniformSource::PatchOutputs => Value::At(self.state.launch.patches + patch_record::RECORDS),
            UniformSource::DomainPoints => Value::At(self.state.launch.patches + patch_record::POINTS),
            UniformSource::PatchVertices => Value::At(self.state.launch.patches + patch_record::VERTICES),
            // Those of test kernels and of shaders with a layout, and those that a later compiler adds.
            _ => return Err(Error::Unsupported { what: "a uniform that this driver does not fill" }),
        })
    }

    /// Address of the words of a texture.
    fn texture_words(&mut self, set: u32, binding: u32, element: u32) -> Result<u64, Error> {
        self.texture(&TextureBinding { set, binding, element, kind: DescriptorKind::Texture })
    }

    /// The level bias of a sampler.
    fn sampler_bias(&self, set: u32, number: u32, element: u32) -> Result<Value<'a>, Error> {
        match self.state.bound(set)? {
            Bound::Set(bound, _) => {
                let record = State::binding(bound, number)?.sampler(element);
                Ok(Value::At(bound.address() + record + sampler::BORDERED_BYTES as u64))
            }
            Bound::Direct(list) => match list.get(number as usize) {
                Some(Direct::Sampler(sampler)) => Ok(Value::small(&sampler.bias.to_le_bytes())),
                _ => Err(unbound(set)),
            },
        }
    }

    fn interface(&self, uniform: InterfaceUniform) -> Result<Value<'a>, Error> {
        let attribute = |number: u32| self.state.attributes.get(number as usize).copied().unwrap_or_default();
        Ok(match uniform {
            InterfaceUniform::AttributeBase { attribute: number } => Value::of(attribute(number).0),
            InterfaceUniform::AttributeClamp { attribute: number } => Value::of(attribute(number).1.into()),
            InterfaceUniform::BaseVertexAndInstance => numbers(self.state.base),
            InterfaceUniform::DrawNumber => Value::of(self.state.draw.into()),
            InterfaceUniform::BlendConstant => Value::words(self.state.blend.map(f32::to_bits)),
            InterfaceUniform::ClearColour { target } => {
                Value::words(self.state.clear.get(target as usize).copied().unwrap_or_default())
            }
            InterfaceUniform::TargetHeap => Value::of(self.state.view.heap),
            InterfaceUniform::InputAssembly => Value::of(self.state.launch.capture + record::ASSEMBLY),
            InterfaceUniform::RootDescriptor => Value::of(self.state.launch.root),
            _ => return Err(Error::Unsupported { what: "a uniform that this driver does not fill" }),
        })
    }

    /// Address (`skip` 0) or size (`skip` 8) of a buffer.
    fn buffer(&mut self, set: u32, number: u32, element: u32, skip: u64) -> Result<Value<'a>, Error> {
        match self.state.bound(set)? {
            Bound::Set(bound, offsets) => {
                let binding = State::binding(bound, number)?;
                let record = bound.address() + binding.buffer(element);
                if binding.is_inline() {
                    let value =
                        if skip == 0 { bound.address() + binding.offset } else { binding.count.into() };
                    return Ok(Value::of(value));
                }
                if !binding.is_dynamic() || skip != 0 {
                    return Ok(Value::At(record + skip));
                }
                let mut address = [0; 8];
                bound.read(binding.buffer(element), &mut address);
                let offset = offsets.get((binding.dynamic + element) as usize).copied().unwrap_or(0);
                let address = u64::from_le_bytes(address) + u64::from(offset);
                Ok(Value::of(address))
            }
            Bound::Direct(list) => match list.get(number as usize) {
                Some(Direct::Buffer(address, bytes)) => {
                    Ok(Value::of(if skip == 0 { *address } else { *bytes }))
                }
                _ => Err(unbound(set)),
            },
        }
    }

    /// Address of the records of an array of buffers.
    fn table(&mut self, set: u32, number: u32) -> Result<u64, Error> {
        let Bound::Set(bound, offsets) = self.state.bound(set)? else { return Err(unbound(set)) };
        let binding = State::binding(bound, number)?;
        if !binding.is_dynamic() {
            return Ok(bound.address() + binding.buffer(0));
        }
        let mut records = vec![0; 16 * binding.count as usize];
        bound.read(binding.buffer(0), &mut records);
        for (element, record) in (binding.dynamic..).zip(records.as_chunks_mut::<16>().0) {
            let offset = offsets.get(element as usize).copied().unwrap_or(0);
            if let Some(address) = record.first_chunk_mut::<8>() {
                *address = (u64::from_le_bytes(*address) + u64::from(offset)).to_le_bytes();
            }
        }
        self.upload.put(&records, 16)
    }
}

/// The contents of a range.
enum Value<'v> {
    /// They are at an address.
    At(u64),
    /// They must be uploaded; missing bytes are 0.
    Small([u8; 16]),
    /// The same, for any number of bytes.
    Bytes(&'v [u8]),
}

impl Value<'_> {
    /// A number.
    fn of(value: u64) -> Self {
        Value::small(&value.to_le_bytes())
    }

    /// Words.
    fn words<const N: usize>(words: [u32; N]) -> Self {
        let mut bytes = [0; 16];
        bytes.as_chunks_mut::<4>().0.iter_mut().zip(words).for_each(|(to, word)| *to = word.to_le_bytes());
        Value::Small(bytes)
    }

    /// At most 16 bytes.
    fn small(bytes: &[u8]) -> Self {
        let mut all = [0; 16];
        all.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        Value::Small(all)
    }

    /// The address, if they are in memory.
    fn address(&self) -> Option<u64> {
        match self {
            Value::At(address) => Some(*address),
            _ => None,
        }
    }
}

fn numbers<const N: usize>(numbers: Numbers<N>) -> Value<'static> {
    match numbers {
        Numbers::Known(known) => Value::words(known),
        Numbers::Memory(address) => Value::At(address),
    }
}
