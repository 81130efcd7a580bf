//! Registers: variables for those that a program writes, values for others.

use agx_abi::{Stage, agal};
use agx_agal::{Index, Read, RegisterFile, Shader, Write};

use super::options::Options;
use crate::error::CompileError;
use crate::frontend::four;
use crate::frontend::kit::Kit;
use crate::frontend::kit::buffers::{self, Buffer};
use crate::frontend::kit::fragment::{self, FragmentModes, FragmentOutput, Varying};
use crate::frontend::kit::vertex::{self, VertexInput, VertexOutput};
use crate::ir::build::alu::{IntCond, float};
use crate::ir::vocabulary::{Input, Mode};
use crate::ir::{Arithmetic, Src};
use crate::ssa::Variable;

/// A register's components.
pub(super) type Vector = [Src; 4];

/// Registers of varyings, and of inputs.
const REGISTERS: usize = 16;

/// Colours of a fragment, or the position of a vertex.
const OUTPUTS: usize = 4;

/// Zero, the value of unwritten registers.
pub(super) const ZERO: Src = Src::f32(0.0);

/// The registers of a program.
pub(super) struct Registers {
    /// Set and binding of the constants.
    constants: (u32, u32),
    /// Number of constant registers available to relative sources.
    constant_count: u32,
    /// Attributes or varyings that are read.
    inputs: [Vector; REGISTERS],
    /// The instance number as a float.
    instance: Src,
    temporaries: Variable,
    outputs: Variable,
    varyings: Variable,
    depth: Variable,
}

impl Registers {
    /// Reads the inputs of `shader`; must be called before anything else is built.
    pub(super) fn begin(kit: &mut Kit<'_, '_>, shader: &Shader) -> Result<Registers, CompileError> {
        let (inputs, instance, constants) = match kit.stage {
            Stage::Vertex => {
                let inputs = attributes(kit, &shader.interface.attributes)?;
                let instance = if shader.interface.instance { instance(kit) } else { ZERO };
                (inputs, instance, agal::VERTEX_CONSTANTS)
            }
            _ => (varyings(kit, &shader.interface.varyings_read), ZERO, agal::FRAGMENT_CONSTANTS),
        };
        let mut variables = |registers: usize| kit.vars.add(&vec![32; registers.saturating_mul(4)]);
        Ok(Registers {
            constants,
            constant_count: shader.interface.constants.into(),
            inputs,
            instance,
            temporaries: variables(shader.interface.temporaries.into()),
            outputs: variables(OUTPUTS),
            varyings: variables(REGISTERS),
            depth: variables(1),
        })
    }

    /// The components of a source in `mask`; others are zero.
    pub(super) fn read(&self, kit: &mut Kit<'_, '_>, source: &Read, mask: u8) -> Vector {
        let places = source.swizzle.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1);
        let components = places.fold(0, |components, (_, component)| components | 1 << component);
        let register = match source.index {
            Some(index) => self.relative(kit, index, source.register, components),
            None => self.register(kit, (source.file, source.register), components),
        };
        std::array::from_fn(|at| match mask >> at & 1 {
            1 => four::of(register, four::of(source.swizzle, at)),
            _ => ZERO,
        })
    }

    /// The `components` of a register.
    fn register(
        &self,
        kit: &mut Kit<'_, '_>,
        (file, register): (RegisterFile, u16),
        components: u8,
    ) -> Vector {
        let variables = match file {
            RegisterFile::Temporary => self.temporaries,
            RegisterFile::Varying if kit.stage == Stage::Vertex => self.varyings,
            RegisterFile::Varying | RegisterFile::Attribute => {
                return self.inputs.get(usize::from(register) % REGISTERS).copied().unwrap_or([ZERO; 4]);
            }
            RegisterFile::Instance => return [self.instance; 4],
            RegisterFile::Constant => {
                let constants = self.constants(kit);
                return buffers::load_vec4(kit, constants, Src::imm32(register.into()));
            }
            // Checked shaders do not read these.
            RegisterFile::Output | RegisterFile::Sampler | RegisterFile::Depth => return [ZERO; 4],
        };
        std::array::from_fn(|at| match components >> at & 1 {
            1 => kit.vars.read(&mut kit.b, component(variables, register, at)),
            _ => ZERO,
        })
    }

    /// The buffer of constants, which only programs that read one have.
    fn constants(&self, kit: &mut Kit<'_, '_>) -> Buffer {
        let (set, binding) = self.constants;
        Buffer::uniform(kit, set, binding)
    }

    /// A constant at a computed index; zeros if out of range. The index is truncated.
    fn relative(&self, kit: &mut Kit<'_, '_>, index: Index, offset: u16, components: u8) -> Vector {
        let place = usize::from(index.component % 4);
        let index = four::of(self.register(kit, (index.file, index.register), 1 << place), place);
        let b = &mut kit.b;
        let whole = b.float_to_int(index, true, 32);
        let number = b.iadd(whole, Src::imm32(offset.into()));
        let exists = b.icmp(IntCond::ULT, number, Src::imm32(self.constant_count));
        let safe = b.umin(number, Src::imm32(self.constant_count.saturating_sub(1)));
        let constants = self.constants(kit);
        let found = buffers::load_vec4(kit, constants, safe);
        std::array::from_fn(|at| match components >> at & 1 {
            1 => kit.b.select(exists, four::of(found, at), ZERO),
            _ => ZERO,
        })
    }

    /// Writes the components in the mask of `write`.
    pub(super) fn write(&self, kit: &mut Kit<'_, '_>, write: &Write, result: &Vector) {
        let variables = match write.file {
            RegisterFile::Temporary => self.temporaries,
            RegisterFile::Output => self.outputs,
            RegisterFile::Varying => self.varyings,
            RegisterFile::Depth => self.depth,
            // Checked shaders do not write these.
            _ => return,
        };
        for (at, word) in result.iter().enumerate().filter(|(at, _)| write.has(*at)) {
            kit.vars.write(&kit.b, component(variables, write.register, at), *word);
        }
    }

    /// Passes the written outputs to the next stage.
    pub(super) fn end(
        &self,
        kit: &mut Kit<'_, '_>,
        shader: &Shader,
        options: &Options,
    ) -> Result<(), CompileError> {
        match kit.stage {
            Stage::Vertex => self.end_vertex(kit, shader, options),
            _ => self.end_fragment(kit, shader),
        }
    }

    fn all(&self, kit: &mut Kit<'_, '_>, variables: Variable, register: u16) -> Vector {
        std::array::from_fn(|at| kit.vars.read(&mut kit.b, component(variables, register, at)))
    }

    fn end_vertex(
        &self,
        kit: &mut Kit<'_, '_>,
        shader: &Shader,
        options: &Options,
    ) -> Result<(), CompileError> {
        let mut position = self.all(kit, self.outputs, 0);
        if options.flip_y {
            position[1] = kit.b.fneg(position[1]);
        }
        if options.depth_from_minus_w {
            let sum = kit.b.fadd(position[2], position[3]);
            position[2] = kit.b.fmul(sum, float(0.5, 32));
        }
        let mut outputs: Vec<(VertexOutput, Src)> =
            (0..).zip(position).map(|(component, word)| (VertexOutput::Position(component), word)).collect();
        for (location, _) in written(&shader.interface.varyings_written) {
            let words = (0..).zip(self.all(kit, self.varyings, location));
            outputs.extend(words.map(|(component, word)| {
                (VertexOutput::User { location: location.into(), component }, word)
            }));
        }
        vertex::end(kit, &outputs)
    }

    fn end_fragment(&self, kit: &mut Kit<'_, '_>, shader: &Shader) -> Result<(), CompileError> {
        let mut outputs = Vec::new();
        // A program that writes no colour produces zeros (tolerant mode).
        let mut masks = shader.interface.outputs;
        if masks == [0; OUTPUTS] {
            masks[0] = 15;
        }
        for (target, _) in written(&masks) {
            let words = (0..).zip(self.all(kit, self.outputs, target));
            outputs.extend(words.map(|(component, word)| {
                (FragmentOutput::Colour { target: target.into(), component }, word)
            }));
        }
        if shader.interface.depth {
            outputs.push((FragmentOutput::Depth, kit.vars.read(&mut kit.b, self.depth)));
        }
        fragment::end(kit, &outputs)
    }
}

/// The variable of a component of a register.
fn component(variables: Variable, register: u16, at: usize) -> Variable {
    variables.at(u32::from(register) << 2).at(at as u32)
}

/// Registers with a non-zero mask, with the mask.
fn written(masks: &[u8]) -> impl Iterator<Item = (u16, u8)> + '_ {
    (0..).zip(masks).filter(|(_, mask)| **mask != 0).map(|(register, mask)| (register, *mask))
}

/// The components of attributes that are read.
fn attributes(kit: &mut Kit<'_, '_>, masks: &[u8; REGISTERS]) -> Result<[Vector; REGISTERS], CompileError> {
    let components = |(location, mask): (u16, u8)| {
        (0..4).filter(move |at| mask >> at & 1 == 1).map(move |at| (u32::from(location), at))
    };
    vertex::begin(kit, written(masks).flat_map(components))?;
    let mut inputs = [[ZERO; 4]; REGISTERS];
    for (location, component) in written(masks).flat_map(components) {
        let word = vertex::attribute(kit, location, component);
        if let (Some(word), Some(input)) = (word, inputs.get_mut(location as usize)) {
            four::set(input, component as usize, word);
        }
    }
    Ok(inputs)
}

fn instance(kit: &mut Kit<'_, '_>) -> Src {
    let number = vertex::input(kit, VertexInput::InstanceNumber);
    kit.b.int_to_float(number, false, 32)
}

/// The components of varyings that are read, from the first to the last of each.
fn varyings(kit: &mut Kit<'_, '_>, masks: &[u8; REGISTERS]) -> [Vector; REGISTERS] {
    fragment::begin(kit, FragmentModes::default());
    let mut inputs = [[ZERO; 4]; REGISTERS];
    for (location, mask) in written(masks) {
        let first = mask.trailing_zeros();
        let count = u8::BITS.saturating_sub(mask.leading_zeros()).saturating_sub(first) as u8;
        let input = Input::user(location.into(), first);
        let words = fragment::varying(
            kit,
            Varying { input, mode: Mode::Perspective, centroid: false, count, bits: 32 },
        );
        let input = inputs.get_mut(usize::from(location)).into_iter().flatten();
        for (place, word) in input.skip(first as usize).zip(words) {
            *place = word;
        }
    }
    inputs
}
