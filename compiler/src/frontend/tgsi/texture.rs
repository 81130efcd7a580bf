//! Texture operations: the role of each operand in a lookup, for each opcode and target.

use agx_tgsi::{File, Instruction, Opcode, Target};

use super::lookup::{shape, target_of_view, texture};
use super::program::Program;
use super::registers::{Number, equals};
use super::values::reciprocal;
use crate::error::{CompileError, TgsiError};
use crate::frontend::four;
use crate::frontend::kit::images::{self, Load};
use crate::frontend::kit::sampling::{Dim, Lod, Sample, Shape, pack_offset, sample};
use crate::frontend::kit::{Kit, textures};
use crate::ir::{Arithmetic, Src};

/// A texture operation as described by its operands.
struct Lookup {
    target: Target,
    view: Number,
    sampler: Number,
    coordinates: [Src; 4],
    reference: Option<Src>,
    lod: Lod,
    gather: Option<Gather>,
    /// Whether it queries the level of detail.
    query: bool,
    offsets: Vec<[Src; 3]>,
}

/// The component of a gather.
#[derive(Clone, Copy)]
enum Gather {
    Known(u32),
    /// 32 bits, of which the lower two are significant.
    Computed(Src),
}

impl Program<'_> {
    /// TEX and related opcodes.
    ///
    /// # Errors
    /// Targets that the hardware does not support.
    pub fn texture(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction) -> Result<(), CompileError> {
        let target = instruction.texture.as_ref().map_or(Target::Unknown, |texture| texture.target);
        let Some(last) = instruction.srcs.last() else { return Ok(()) };
        let unit = self.unit(kit, last);
        let value = match instruction.opcode {
            Opcode::Txf | Opcode::TxfLz => {
                let coordinates = self.fetch_all(kit, instruction, 0);
                let level = Some(coordinates[3]).filter(|_| instruction.opcode == Opcode::Txf);
                self.fetch_texel(kit, instruction, (unit, File::Sampler), target, coordinates, level)?
            }
            Opcode::Txq => {
                let level = self.fetch(kit, instruction, 0, 0);
                self.on_unit(kit, (unit, File::Sampler), |kit, unit| size(kit, unit, target, level))?
            }
            Opcode::Txqs => {
                self.on_unit(kit, (unit, File::Sampler), |kit, unit| Ok([samples(kit, unit, target); 4]))?
            }
            _ => {
                let lookup = self.with_sampler(kit, instruction, target, unit)?;
                match lookup.gather {
                    Some(Gather::Computed(component)) => self.gather_computed(kit, lookup, component)?,
                    _ => self.look_up(kit, &lookup)?,
                }
            }
        };
        self.store(kit, instruction, value.map(Some));
        Ok(())
    }

    /// A gather with a computed component: the hardware encodes the component in the instruction, so all are
    /// gathered and the right one is selected.
    fn gather_computed(
        &self,
        kit: &mut Kit<'_, '_>,
        mut lookup: Lookup,
        component: Src,
    ) -> Result<[Src; 4], CompileError> {
        let component = kit.b.and(component, Src::imm32(3));
        let mut chosen = [Src::imm32(0); 4];
        for known in 0..4 {
            lookup.gather = Some(Gather::Known(known));
            let value = self.look_up(kit, &lookup)?;
            let is_here = equals(kit, component, known);
            chosen =
                std::array::from_fn(|at| kit.b.select(is_here, four::of(value, at), four::of(chosen, at)));
        }
        Ok(chosen)
    }

    /// SAMPLE and related opcodes.
    ///
    /// # Errors
    /// Targets that the hardware does not support.
    pub fn view(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction) -> Result<(), CompileError> {
        let opcode = instruction.opcode;
        let at = usize::from(opcode != Opcode::SampleInfo && opcode != Opcode::SamplePos);
        let Some(src) = instruction.srcs.get(at) else { return Ok(()) };
        let is_view = matches!(src.file, File::SamplerView | File::Sampler | File::Resource);
        let number = if is_view { self.unit(kit, src) } else { Number::Fixed(0) };
        let target = target_of_view(self.shader, number);
        let unit = (number, File::SamplerView);
        let mut value = match opcode {
            Opcode::SamplePos => [Src::f32(0.5), Src::f32(0.5), Src::imm32(0), Src::imm32(0)],
            Opcode::SampleInfo => {
                let count = match is_view {
                    true => self.on_unit(kit, unit, |kit, unit| Ok([samples(kit, unit, target); 4]))?[0],
                    false => Src::imm32(1),
                };
                [count, Src::imm32(0), Src::imm32(0), Src::imm32(0)]
            }
            Opcode::SampleI | Opcode::SampleIMs => {
                let mut coordinates = self.fetch_all(kit, instruction, 0);
                if opcode == Opcode::SampleIMs {
                    coordinates[3] = self.fetch(kit, instruction, 2, 0);
                }
                self.fetch_texel(kit, instruction, unit, target, coordinates, Some(coordinates[3]))?
            }
            Opcode::Sviewinfo => {
                let level = self.fetch(kit, instruction, 0, 0);
                self.on_unit(kit, unit, |kit, unit| size(kit, unit, target, level))?
            }
            _ => {
                let lookup = self.with_view(kit, instruction, target, number)?;
                self.look_up(kit, &lookup)?
            }
        };
        let keeps = matches!(opcode, Opcode::Sviewinfo | Opcode::Gather4 | Opcode::Lod);
        if src.file == File::SamplerView && !keeps {
            value = src.swizzle.map(|component| four::of(value, component));
        }
        self.store(kit, instruction, value.map(Some));
        Ok(())
    }

    /// Loads a texel by integer coordinates; `level` is the level, or the sample of a multisampled texture.
    fn fetch_texel(
        &self,
        kit: &mut Kit<'_, '_>,
        instruction: &Instruction,
        unit: (Number, File),
        target: Target,
        coordinates: [Src; 4],
        level: Option<Src>,
    ) -> Result<[Src; 4], CompileError> {
        let shape = shape(target)?;
        let count = shape.texel_coords();
        let offset = self.offsets(kit, instruction).first().map_or(Vec::new(), |offset| offset.to_vec());
        let has_level = !shape.multisampled && !target.is_rect() && shape.dim != Dim::Buffer;
        let load = Load {
            shape,
            bits: 32,
            coords: coordinates.into_iter().take(count).collect(),
            offset: offset.into_iter().take(shape.axes()).collect(),
            lod: level.filter(|_| has_level),
            sample: level.filter(|_| shape.multisampled),
            alpha: None,
            sparse: false,
        };
        self.on_unit(kit, unit, |kit, unit| Ok(images::load(kit, texture(unit), &load)?.components))
    }

    fn with_sampler(
        &self,
        kit: &mut Kit<'_, '_>,
        instruction: &Instruction,
        target: Target,
        unit: Number,
    ) -> Result<Lookup, CompileError> {
        use Opcode::{Lodq, Tex2, TexLz, Tg4, Txb, Txb2, Txd, Txl, Txl2, Txp};
        let opcode = instruction.opcode;
        let mut coordinates = self.fetch_all(kit, instruction, 0);
        if opcode == Txp {
            let inverse = reciprocal(kit, coordinates[3]);
            for part in coordinates.iter_mut().take(3) {
                *part = kit.b.fmul(*part, inverse);
            }
        }
        let second = |kit: &mut Kit<'_, '_>, component: u8| self.fetch(kit, instruction, 1, component);
        let lod = match opcode {
            Txb => Lod::Bias(coordinates[3]),
            Txb2 => Lod::Bias(second(kit, 0)),
            Txl => Lod::Explicit(coordinates[3]),
            Txl2 => Lod::Explicit(second(kit, 0)),
            TexLz => Lod::Explicit(Src::f32(0.0)),
            Txd => self.gradients(kit, instruction, 1, shape(target)?),
            Tg4 => Lod::Explicit(Src::f32(0.0)),
            _ => Lod::Quad,
        };
        let reference = match (opcode, target) {
            (Lodq, _) => None,
            (Tex2 | Tg4, Target::ShadowCubeArray) => Some(second(kit, 0)),
            (Txb2 | Txl2, Target::ShadowCubeArray) => Some(second(kit, 1)),
            _ => target.reference_component().map(|component| four::of(coordinates, component)),
        };
        let gather = (opcode == Tg4).then(|| self.gather_component(kit, instruction, target));
        let offsets = self.offsets(kit, instruction);
        let query = opcode == Lodq;
        Ok(Lookup { target, view: unit, sampler: unit, coordinates, reference, lod, gather, query, offsets })
    }

    /// The component that TG4 gathers: an operand, or the swizzle of the sampler.
    fn gather_component(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction, target: Target) -> Gather {
        match instruction.srcs.as_slice() {
            _ if target.is_shadow() => Gather::Known(0),
            [_, sampler] => Gather::Known(u32::from(sampler.swizzle[0])),
            _ => {
                let component = self.fetch(kit, instruction, 1, 0);
                component
                    .as_imm()
                    .map_or(Gather::Computed(component), |known| Gather::Known(known as u32 & 3))
            }
        }
    }

    fn with_view(
        &self,
        kit: &mut Kit<'_, '_>,
        instruction: &Instruction,
        target: Target,
        view: Number,
    ) -> Result<Lookup, CompileError> {
        use Opcode::{Gather4, SampleB, SampleC, SampleCLz, SampleD, SampleL};
        let opcode = instruction.opcode;
        let coordinates = self.fetch_all(kit, instruction, 0);
        let sampler = match instruction.srcs.get(2) {
            Some(src) => self.unit(kit, src),
            None => Number::Fixed(0),
        };
        let fourth = |kit: &mut Kit<'_, '_>| self.fetch(kit, instruction, 3, 0);
        let lod = match opcode {
            SampleB => Lod::Bias(fourth(kit)),
            SampleL => Lod::Explicit(fourth(kit)),
            SampleCLz | Gather4 => Lod::Explicit(Src::f32(0.0)),
            SampleD => self.gradients(kit, instruction, 3, shape(target)?),
            _ => Lod::Quad,
        };
        let reference = if matches!(opcode, SampleC | SampleCLz) { Some(fourth(kit)) } else { None };
        let component = instruction.srcs.get(2).map_or(0, |sampler| u32::from(sampler.swizzle[0]));
        let gather = (opcode == Gather4).then_some(Gather::Known(component));
        let offsets = self.offsets(kit, instruction);
        let query = opcode == Opcode::Lod;
        Ok(Lookup { target, view, sampler, coordinates, reference, lod, gather, query, offsets })
    }

    /// Gradients from two operands: the change of each coordinate to the right, then down.
    fn gradients(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction, first: usize, shape: Shape) -> Lod {
        let mut axes = Vec::with_capacity(3);
        for axis in 0..shape.axes() as u8 {
            axes.push(
                [first, first.saturating_add(1)].map(|number| self.fetch(kit, instruction, number, axis)),
            );
        }
        Lod::Gradients(axes)
    }

    fn look_up(&self, kit: &mut Kit<'_, '_>, lookup: &Lookup) -> Result<[Src; 4], CompileError> {
        let shape = shape(lookup.target)?;
        if shape.dim == Dim::Buffer {
            return Err(TgsiError::Feature {
                what: "a filtered sample of a buffer",
                why: "buffers have no filter",
            }
            .into());
        }
        self.on_unit(kit, (lookup.view, File::Sampler), |kit, unit| {
            let mut wanted = Sample::new(
                shape,
                lookup.coordinates.into_iter().take(shape.axes()).collect(),
                lookup.lod.clone(),
            );
            if lookup.target.is_rect() {
                unnormalised(kit, unit, &mut wanted);
            }
            wanted.layer =
                (shape.arrayed && !lookup.query).then(|| four::of(lookup.coordinates, shape.axes()));
            wanted.reference = lookup.reference;
            wanted.gather = match lookup.gather {
                Some(Gather::Known(component)) => Some(component),
                _ => None,
            };
            wanted.query = lookup.query;
            let sampler = match lookup.sampler {
                Number::Fixed(sampler) => sampler,
                Number::Computed(_) => unit,
            };
            let value = with_offsets(kit, unit, sampler, wanted, &lookup.offsets)?;
            // A comparison has one result, which is replicated like OpenGL's depths: (z, z, z, 1).
            Ok(match (lookup.reference, lookup.gather) {
                (Some(_), None) => [value[0], value[0], value[0], Src::f32(1.0)],
                _ => value,
            })
        })
    }
}

/// Samples with the offset; a gather with four offsets samples once per texel.
fn with_offsets(
    kit: &mut Kit<'_, '_>,
    unit: u32,
    sampler: u32,
    mut wanted: Sample,
    offsets: &[[Src; 3]],
) -> Result<[Src; 4], CompileError> {
    let axes = wanted.shape.axes();
    let (view, sampler) = (texture(unit), texture(sampler));
    if let (Some(_), [_, _, _, _]) = (wanted.gather, offsets) {
        let mut texels = [Src::imm32(0); 4];
        for (texel, offset) in texels.iter_mut().zip(offsets) {
            wanted.offset = Some(pack_offset(kit, offset.get(..axes).unwrap_or(offset)));
            *texel = sample(kit, view, sampler, &wanted)?.components[3];
        }
        return Ok(texels);
    }
    if let Some(offset) = offsets.first() {
        wanted.offset = Some(pack_offset(kit, offset.get(..axes).unwrap_or(offset)));
    }
    Ok(sample(kit, view, sampler, &wanted)?.components)
}

/// Converts coordinates in texels to coordinates from 0 to 1.
fn unnormalised(kit: &mut Kit<'_, '_>, unit: u32, wanted: &mut Sample) {
    let size = images::size(kit, texture(unit), wanted.shape, Src::imm32(0));
    for (coordinate, texels) in wanted.coords.iter_mut().zip(size) {
        let texels = kit.b.int_to_float(texels, false, 32);
        let inverse = reciprocal(kit, texels);
        *coordinate = kit.b.fmul(*coordinate, inverse);
    }
}

/// Number of texels along each axis at a level, then of layers, and in w the number of levels.
fn size(kit: &mut Kit<'_, '_>, unit: u32, target: Target, level: Src) -> Result<[Src; 4], CompileError> {
    let shape = shape(target)?;
    let has_levels = !shape.multisampled && !target.is_rect() && shape.dim != Dim::Buffer;
    let level = if has_levels { level } else { Src::imm32(0) };
    let axes = images::size(kit, texture(unit), shape, level);
    let mut value = [Src::imm32(0); 4];
    for (component, axis) in value.iter_mut().zip(axes) {
        *component = axis;
    }
    if has_levels {
        value[3] = textures::levels(kit, texture(unit));
    }
    Ok(value)
}

/// Number of samples of a texture.
fn samples(kit: &mut Kit<'_, '_>, unit: u32, target: Target) -> Src {
    if target.is_multisampled() { textures::samples(kit, texture(unit)) } else { Src::imm32(1) }
}
