//! Texture shapes, and the selection among several texture units.

use agx_tgsi::{File, Instruction, Shader, Src as Source, Target, view_target};

use super::program::Program;
use super::registers::Number;
use crate::error::{CompileError, TgsiError};
use crate::frontend::four;
use crate::frontend::kit::Kit;
use crate::frontend::kit::sampling::{Dim, Shape};
use crate::frontend::kit::textures::Handle;
use crate::ir::{Arithmetic, Src};

/// Descriptor set of textures and samplers.
const TEXTURES: u32 = 1;

/// Maximum number of units among which a computed number selects: the number of sampler views in Gallium's
/// drivers.
pub(super) const MAX_UNITS: u32 = 128;

/// The shape of a texture of a target.
///
/// # Errors
/// An unknown target.
pub(super) fn shape(target: Target) -> Result<Shape, CompileError> {
    let dim = match target {
        Target::Buffer => Dim::Buffer,
        Target::Unknown => {
            return Err(TgsiError::Feature {
                what: "a texture of the target UNKNOWN",
                why: "its dimension is not specified",
            }
            .into());
        }
        _ if target.is_cube() => Dim::Cube,
        _ => match target.dimensions() {
            1 => Dim::D1,
            2 => Dim::D2,
            _ => Dim::D3,
        },
    };
    Ok(Shape { dim, arrayed: target.is_array(), multisampled: target.is_multisampled(), storage: false })
}

/// The texture of a unit.
pub(super) fn texture(unit: u32) -> Handle {
    Handle::new(TEXTURES, unit)
}

/// The target of a sampler view.
pub(super) fn target_of_view(shader: &Shader, number: Number) -> Target {
    let fixed = match number {
        Number::Fixed(number) => view_target(shader, number),
        Number::Computed(_) => None,
    };
    let first = || shader.of_file(File::SamplerView).find_map(|each| view_target(shader, each.range.first));
    fixed.or_else(first).unwrap_or(Target::Two)
}

impl Program<'_> {
    /// The number of a sampler or view: that of its register, or a handle.
    pub fn unit(&self, kit: &mut Kit<'_, '_>, src: &Source) -> Number {
        match src.file {
            File::Sampler | File::SamplerView | File::Resource | File::Image => self.number(kit, src.index),
            _ => Number::Computed(self.raw(kit, src, 0)),
        }
    }

    /// The result of an operation on the given unit or, if its number is computed, on each candidate, with
    /// the right one selected.
    ///
    /// # Errors
    /// The errors of `act`.
    pub fn on_unit<'f, 'a>(
        &self,
        kit: &mut Kit<'f, 'a>,
        (number, file): (Number, File),
        mut act: impl FnMut(&mut Kit<'f, 'a>, u32) -> Result<[Src; 4], CompileError>,
    ) -> Result<[Src; 4], CompileError> {
        let declared = self.shader.size_of(file).clamp(1, MAX_UNITS);
        let mut result: Option<[Src; 4]> = None;
        for (unit, is_here) in self.choices(kit, number, declared) {
            let value = act(kit, unit)?;
            result = Some(match (result, is_here) {
                (Some(before), Some(is_here)) => {
                    std::array::from_fn(|at| kit.b.select(is_here, four::of(value, at), four::of(before, at)))
                }
                _ => value,
            });
        }
        Ok(result.unwrap_or([Src::imm32(0); 4]))
    }

    /// The offsets of an instruction, three words each.
    pub fn offsets(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction) -> Vec<[Src; 3]> {
        let offsets = instruction.texture.iter().flat_map(|texture| &texture.offsets);
        let mut words = Vec::new();
        for offset in offsets {
            let [x, y, z] = offset.swizzle;
            let source = Source {
                file: offset.file,
                dimension: None,
                index: agx_tgsi::Index::fixed(offset.index),
                swizzle: [x, y, z, z],
                negate: false,
                absolute: false,
                place: instruction.place,
            };
            words.push([0, 1, 2].map(|axis| self.raw(kit, &source, axis)));
        }
        words
    }
}
