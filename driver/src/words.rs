//! The words of a shader: what is loaded before it starts.
//!
//! Everything that says where a uniform, a texture or a sampler comes from is here. What lies in memory already, because a set
//! or a program has it, is named where it lies; the rest is uploaded.

use agx_abi::fragment::{MAX_TARGETS, pack_sample_positions, standard_sample_positions};
use agx_abi::layout::{InterfaceUniform, UniformRange, UniformSource};
use agx_abi::pass;
use agx_abi::record as r;
use agx_abi::{DescriptorKind, SamplerBinding, TextureBinding};
use ash::vk;

use crate::Error;
use crate::descriptor::{Binding, Set};
use crate::gpu::SHADER_BASE;
use crate::program::Program;
use crate::record::Writer;
use crate::sampler::{self, Sampler};
use crate::upload::Upload;
use std::sync::Arc;

/// Bytes that the words of a shader are aligned to.
const ALIGNMENT: u64 = 64;
/// Most half-words that one word sets.
const MOST_HALVES: u16 = 64;
/// Sets that can be bound.
pub const MAX_SETS: usize = 8;
/// Bytes of push constants.
pub const PUSH_BYTES: usize = 256;

/// Numbers of a dispatch or a draw that may lie in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Numbers<const N: usize> {
    /// Known.
    Known([u32; N]),
    /// At an address.
    Memory(u64),
}

/// A descriptor that internal programs bring themselves.
#[derive(Clone, Copy, Debug)]
pub enum Direct {
    /// A buffer: address and bytes.
    Buffer(u64, u64),
    /// What is loaded and what is stored.
    Texture([[u8; 24]; 2]),
    /// A sampler.
    Sampler(Sampler),
}

/// A set that is bound.
#[derive(Clone)]
pub enum Bound {
    /// A set, with the offset of each dynamic buffer.
    Set(Arc<Set>, Vec<u32>),
    /// Descriptors by binding, of internal programs.
    Direct(Vec<Direct>),
}

/// Everything that a stage's uniforms come from.
#[derive(Clone)]
pub struct State {
    /// Sets by number.
    pub sets: [Option<Bound>; MAX_SETS],
    /// Push constants.
    pub push: [u8; PUSH_BYTES],
    /// Workgroups of a dispatch.
    pub groups: Numbers<3>,
    /// Base vertex and base instance of a draw.
    pub base: Numbers<2>,
    /// Number of the draw.
    pub draw: u32,
    /// Number of the view.
    pub view: u32,
    /// Samples of a pixel.
    pub samples: u32,
    /// Address and last element of each attribute.
    pub attributes: Vec<(u64, u32)>,
    /// Blend constant.
    pub blend: [f32; 4],
    /// Address of the texture heap of the render targets.
    pub heap: u64,
    /// What each target is cleared to, as bits.
    pub clear: [[u32; 4]; 8],
}

impl Default for State {
    fn default() -> Self {
        State {
            sets: [const { None }; MAX_SETS],
            push: [0; PUSH_BYTES],
            groups: Numbers::Known([1; 3]),
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

/// Something of a shader that nothing was bound for.
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

/// What is known of a launch's or a draw's words.
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
    /// Half registers of the preamble.
    pub preamble_halves: u16,
}

impl Words {
    /// The address as records have it.
    pub fn pipeline(&self) -> u64 {
        self.address - SHADER_BASE
    }

    /// The resources as fields of render commands have them, laid out as in records of shaders.
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
        u64::from(self.samplers.div_ceil(4).min(4))
    }
}

/// What kind of program the words are for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Compute, with bytes of local memory.
    Compute(u32),
    /// Vertex.
    Vertex,
    /// Fragment, with a tile of samples of so many bytes.
    Fragment {
        /// Samples of a pixel.
        samples: u32,
        /// Bytes of a sample.
        sample_bytes: u32,
    },
}

/// Writes words.
pub struct Assembler<'a> {
    upload: &'a mut Upload,
    state: &'a State,
    bytes: Vec<u8>,
    samplers: Vec<[u8; sampler::BYTES]>,
}

impl<'a> Assembler<'a> {
    /// Words of a stage under a state.
    ///
    /// # Errors
    /// Nothing is bound for something that the shader uses, or memory is used up.
    pub fn words(
        upload: &'a mut Upload,
        state: &'a State,
        program: &Program,
        stage: Stage,
    ) -> Result<Words, Error> {
        let mut assembler = Assembler { upload, state, bytes: Vec::new(), samplers: Vec::new() };
        assembler.samplers(&program.info.samplers)?;
        for range in &program.info.uniforms {
            assembler.uniform(range, program)?;
        }
        for (register, texture) in program.info.textures.iter().enumerate() {
            let address = assembler.texture(texture)?;
            assembler.texture_word(register as u64, address);
        }
        let samplers = assembler.finish_samplers()?;
        assembler.program(program, stage);
        let bytes = std::mem::take(&mut assembler.bytes);
        let address = upload.put(&bytes, ALIGNMENT)?;
        Ok(Words {
            address,
            uniforms: program.info.uniform_halves,
            textures: program.info.textures.len() as u32,
            samplers,
            preamble_halves: program.info.preamble_gpr_halves,
        })
    }

    /// Words of a background or end-of-tile program: targets whose bit is set are in the state registers of
    /// [`agx_abi::pass::state_register`], as textures or as images.
    ///
    /// # Errors
    /// Memory is used up.
    pub fn tile(
        upload: &'a mut Upload,
        state: &'a State,
        program: &Program,
        stage: Stage,
        (bound, kind): (u8, DescriptorKind),
    ) -> Result<Words, Error> {
        let mut assembler = Assembler { upload, state, bytes: Vec::new(), samplers: Vec::new() };
        assembler.samplers(&program.info.samplers)?;
        for range in &program.info.uniforms {
            assembler.uniform(range, program)?;
        }
        for target in (0..u32::from(MAX_TARGETS as u8)).filter(|target| bound >> target & 1 != 0) {
            let texture = TextureBinding { set: 0, binding: target, element: 0, kind };
            let address = assembler.texture(&texture)?;
            assembler.texture_word(pass::state_register(target).into(), address);
        }
        let samplers = assembler.finish_samplers()?;
        assembler.program(program, stage);
        let bytes = std::mem::take(&mut assembler.bytes);
        let address = upload.put(&bytes, ALIGNMENT)?;
        Ok(Words {
            address,
            uniforms: program.info.uniform_halves,
            textures: if bound == 0 { 0 } else { MAX_TARGETS },
            samplers,
            preamble_halves: program.info.preamble_gpr_halves,
        })
    }

    fn texture_word(&mut self, register: u64, address: u64) {
        let word = Writer::new(&r::usc_texture::RECORD)
            .set(&r::usc_texture::START, register)
            .set(&r::usc_texture::COUNT, 1)
            .set(&r::usc_texture::ADDRESS, address);
        self.bytes.extend(word.bytes());
    }

    /// Uniform words for half-words that lie at an address.
    fn uniforms_at(&mut self, start: u16, halves: u16, address: u64) {
        let mut done = 0;
        while done < halves {
            let count = (halves - done).min(MOST_HALVES);
            let first = start + done;
            let (record, first) = match first.checked_sub(256) {
                Some(high) => (&r::usc_uniform_high::RECORD, high),
                None => (&r::usc_uniform::RECORD, first),
            };
            // What begins below half-word 256 and ends above it takes two words.
            let count = if first < 256 && std::ptr::eq(record, &r::usc_uniform::RECORD) {
                count.min(256 - first)
            } else {
                count
            };
            let word = Writer::new(record)
                .set(&r::usc_uniform::START, first.into())
                .set(&r::usc_uniform::COUNT, count.into())
                .set(&r::usc_uniform::ADDRESS, address + 2 * u64::from(done));
            self.bytes.extend(word.bytes());
            done += count;
        }
    }

    fn uniform(&mut self, range: &UniformRange, program: &Program) -> Result<(), Error> {
        let address = match self.place(range, program)? {
            Value::At(address) => address,
            Value::Bytes(mut bytes) => {
                bytes.resize(2 * usize::from(range.halves), 0);
                self.upload.put(&bytes, 16)?
            }
        };
        self.uniforms_at(range.start, range.halves, address);
        Ok(())
    }

    /// Where the contents of a range are.
    fn place(&mut self, range: &UniformRange, program: &Program) -> Result<Value, Error> {
        let bytes = |value: u64| Value::Bytes(value.to_le_bytes().to_vec());
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
            UniformSource::TextureWords { set, binding, element } => {
                let kind = DescriptorKind::Texture;
                Value::At(self.texture(&TextureBinding { set, binding, element, kind })?)
            }
            UniformSource::ConstantAddress => bytes(program.constants()),
            UniformSource::Promoted { offset } => Value::At(program.promoted() + u64::from(offset)),
            UniformSource::PushConstantAddress => bytes(self.upload.put(&self.state.push, 16)?),
            UniformSource::PushConstants { offset } => {
                Value::Bytes(self.state.push.get(offset as usize..).unwrap_or(&[]).to_vec())
            }
            UniformSource::WorkgroupCount => numbers(self.state.groups),
            UniformSource::ViewIndex => bytes(self.state.view.into()),
            UniformSource::SamplePositions => {
                bytes(pack_sample_positions(standard_sample_positions(self.state.samples)).into())
            }
            UniformSource::Interface(uniform) => self.interface(uniform),
            UniformSource::VertexOutputs
            | UniformSource::VertexCount
            | UniformSource::KernelResults
            | UniformSource::KernelArgument { .. }
            | UniformSource::SetAddress { .. }
            | UniformSource::DynamicOffset { .. } => {
                return Err(Error::Unsupported {
                    what: "a uniform that shaders without a layout do not have",
                });
            }
        })
    }

    fn interface(&self, uniform: InterfaceUniform) -> Value {
        let attribute = |number: u32| self.state.attributes.get(number as usize).copied().unwrap_or_default();
        match uniform {
            InterfaceUniform::AttributeBase { attribute: number } => {
                Value::Bytes(attribute(number).0.to_le_bytes().to_vec())
            }
            InterfaceUniform::AttributeClamp { attribute: number } => {
                Value::Bytes(attribute(number).1.to_le_bytes().to_vec())
            }
            InterfaceUniform::BaseVertexAndInstance => numbers(self.state.base),
            InterfaceUniform::DrawNumber => Value::Bytes(self.state.draw.to_le_bytes().to_vec()),
            InterfaceUniform::BlendConstant => {
                Value::Bytes(self.state.blend.iter().flat_map(|value| value.to_le_bytes()).collect())
            }
            InterfaceUniform::ClearColour { target } => {
                let colour = self.state.clear.get(target as usize).copied().unwrap_or_default();
                Value::Bytes(colour.iter().flat_map(|word| word.to_le_bytes()).collect())
            }
            InterfaceUniform::TargetHeap => Value::Bytes(self.state.heap.to_le_bytes().to_vec()),
            InterfaceUniform::RootDescriptor | InterfaceUniform::InputAssembly => {
                Value::Bytes(0_u64.to_le_bytes().to_vec())
            }
        }
    }

    /// Address (`skip` 0) or size (`skip` 8) of a buffer.
    fn buffer(&mut self, set: u32, number: u32, element: u32, skip: u64) -> Result<Value, Error> {
        match self.state.bound(set)? {
            Bound::Set(bound, offsets) => {
                let binding = State::binding(bound, number)?;
                let record = bound.address() + binding.buffer(element);
                if binding.kind == vk::DescriptorType::INLINE_UNIFORM_BLOCK {
                    let value =
                        if skip == 0 { bound.address() + binding.offset } else { binding.count.into() };
                    return Ok(Value::Bytes(value.to_le_bytes().to_vec()));
                }
                if !binding.is_dynamic() || skip != 0 {
                    return Ok(Value::At(record + skip));
                }
                let mut address = [0; 8];
                bound.read(binding.buffer(element), &mut address);
                let offset = offsets.get((binding.dynamic + element) as usize).copied().unwrap_or(0);
                let address = u64::from_le_bytes(address) + u64::from(offset);
                Ok(Value::Bytes(address.to_le_bytes().to_vec()))
            }
            Bound::Direct(list) => match list.get(number as usize) {
                Some(Direct::Buffer(address, bytes)) => {
                    Ok(Value::Bytes(if skip == 0 { *address } else { *bytes }.to_le_bytes().to_vec()))
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

    /// Address of a descriptor of a texture or image.
    fn texture(&mut self, texture: &TextureBinding) -> Result<u64, Error> {
        match self.state.bound(texture.set)? {
            Bound::Set(bound, _) => {
                let binding = State::binding(bound, texture.binding)?;
                Ok(bound.address() + binding.texture(texture.element, texture.kind))
            }
            Bound::Direct(list) => match list.get(texture.binding as usize) {
                Some(Direct::Texture([loaded, stored])) => {
                    let shown = if texture.kind == DescriptorKind::Image { stored } else { loaded };
                    self.upload.put(shown, 16)
                }
                _ => Err(unbound(texture.set)),
            },
        }
    }

    fn sampler(&self, set: u32, number: u32, element: u32) -> Result<[u8; sampler::BYTES], Error> {
        match self.state.bound(set)? {
            Bound::Set(bound, _) => {
                let mut descriptor = [0; sampler::BYTES];
                bound.read(State::binding(bound, number)?.sampler(element), &mut descriptor);
                Ok(descriptor)
            }
            Bound::Direct(list) => match list.get(number as usize) {
                Some(Direct::Sampler(sampler)) => Ok(sampler.descriptor),
                _ => Err(unbound(set)),
            },
        }
    }

    /// The sampler state registers that the shader names.
    fn samplers(&mut self, samplers: &[SamplerBinding]) -> Result<(), Error> {
        for binding in samplers {
            let descriptor = match *binding {
                SamplerBinding::Bound { set, binding, element } => self.sampler(set, binding, element)?,
                SamplerBinding::Loads => Sampler::loads().descriptor,
            };
            self.samplers.push(descriptor);
        }
        Ok(())
    }

    /// Address of a table of the sampler state registers that hold the samplers of an array.
    fn sampler_table(&mut self, set: u32, number: u32) -> Result<u64, Error> {
        let Bound::Set(bound, _) = self.state.bound(set)? else { return Err(unbound(set)) };
        let count = State::binding(bound, number)?.count;
        let mut table = Vec::new();
        for element in 0..count {
            let sampler = self.sampler(set, number, element)?;
            let known = self.samplers.iter().position(|known| *known == sampler);
            let register = known.unwrap_or(self.samplers.len());
            if known.is_none() && register < agx_abi::textures::MAX_SAMPLERS {
                self.samplers.push(sampler);
            }
            table.extend((register as u16).to_le_bytes());
        }
        self.upload.put(&table, 16)
    }

    fn finish_samplers(&mut self) -> Result<u32, Error> {
        let count = self.samplers.len() as u32;
        if count > 0 {
            let address = self.upload.put(&self.samplers.concat(), 16)?;
            let word = Writer::new(&r::usc_sampler::RECORD)
                .set(&r::usc_sampler::COUNT, count.into())
                .set(&r::usc_sampler::ADDRESS, address);
            self.bytes.extend(word.bytes());
        }
        Ok(count)
    }

    /// Local memory, the program, its registers and its preamble.
    fn program(&mut self, program: &Program, stage: Stage) {
        let shared = Writer::new(&r::usc_shared::RECORD);
        let shared = match stage {
            Stage::Compute(bytes) => shared
                .flag(&r::usc_shared::USED, bytes > 0)
                .set(&r::usc_shared::LAYOUT, 0x24)
                .set(&r::usc_shared::BYTES, u64::from(bytes).max(1)),
            Stage::Vertex => shared.set(&r::usc_shared::LAYOUT, 0x24).set(&r::usc_shared::BYTES, 65536),
            Stage::Fragment { samples, sample_bytes } => shared
                .set(&r::usc_shared::USED, 1)
                .set(&r::usc_shared::LAYOUT, 0x2f)
                .set(&r::usc_shared::SAMPLES, samples.into())
                .set(&r::usc_shared::SAMPLE_STRIDE, sample_bytes.max(8).into())
                .set(&r::usc_shared::BYTES, 65536),
        };
        self.bytes.extend(shared.bytes());
        let is_fragment = matches!(stage, Stage::Fragment { .. });
        let reads = is_fragment && !program.info.fragment.coefficients.is_empty();
        let shader = Writer::new(&r::usc_shader::RECORD)
            .flag(&r::usc_shader::READS_VARYINGS, reads)
            .set(&r::usc_shader::BITS_10_15, 3)
            .set(&r::usc_shader::CODE, program.code() - SHADER_BASE);
        self.bytes.extend(shader.bytes());
        let registers = Writer::new(&r::usc_registers::RECORD)
            .set(&r::usc_registers::COUNT, program.gpr_halves.into())
            .flag(&r::usc_registers::BIT_13, is_fragment)
            .set(&r::usc_registers::SPILL, spill_code(program.scratch_bytes))
            .set(&r::usc_registers::BITS_24_31, 1);
        self.bytes.extend(registers.bytes());
        if is_fragment {
            let word = Writer::new(&r::usc_fragment::RECORD)
                .flag(&r::usc_fragment::EARLY_TESTS, !program.late_tests)
                .set(&r::usc_fragment::BIT_9, 1)
                .set(&r::usc_fragment::BITS_12_15, 15)
                .set(&r::usc_fragment::BITS_24_31, 1);
            self.bytes.extend(word.bytes());
        }
        let end = match program.preamble() {
            Some(address) => Writer::new(&r::usc_preamble::RECORD)
                .set(&r::usc_preamble::CODE, address - SHADER_BASE)
                .bytes(),
            None => Writer::new(&r::usc_no_preamble::RECORD).bytes(),
        };
        self.bytes.extend(end);
    }
}

/// Contents of a range.
enum Value {
    /// They lie there.
    At(u64),
    /// They are to be uploaded; what is missing is 0.
    Bytes(Vec<u8>),
}

fn numbers<const N: usize>(numbers: Numbers<N>) -> Value {
    match numbers {
        Numbers::Known(known) => Value::Bytes(known.iter().flat_map(|number| number.to_le_bytes()).collect()),
        Numbers::Memory(address) => Value::At(address),
    }
}

/// The code of a stack's size: 0 without one, else the logarithm of its words and one.
fn spill_code(bytes: u32) -> u64 {
    match bytes.div_ceil(4) {
        0 => 0,
        words => u64::from(words.next_power_of_two().ilog2() + 1).min(15),
    }
}
