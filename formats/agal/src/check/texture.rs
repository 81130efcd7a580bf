//! Sampler fields of texture instructions.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)]

use super::Checker;
use crate::opcode::{Opcode, OpcodeRow};
use crate::register::RegisterFile;
use crate::rule::{Field, Rule, Violation};
use crate::sampler::{DIMENSION, Dimension, FILTER, FLAGS, FORMAT, MIP, Mip, WRAP, Wrap, settings};
use crate::shader::TextureUse;
use crate::token::{SamplerField, SourceWord};

impl Checker<'_> {
    /// The texture that an instruction samples.
    pub(super) fn texture(&mut self, row: &OpcodeRow, word: SourceWord) -> Result<TextureUse, Violation> {
        let (field, word) = (Field::Sampler, SamplerField(word.0));
        let file = u64::from(word.file());
        let sampler = word.file() == RegisterFile::Sampler.number();
        self.require(!sampler, Rule::SamplerExpected, field, file)?;
        let reserved = word.reserved() | u64::from(word.nibble(FORMAT));
        self.require(reserved != 0, Rule::ReservedBits, field, reserved)?;
        self.bounds(RegisterFile::Sampler, word.register(), 1, field)?;
        let settings = match settings(word) {
            Ok(settings) => settings,
            Err(shift) => return Err(self.unknown_setting(word, shift)),
        };
        self.beyond_document(word)?;
        let cube = settings.dimension == Dimension::Cube;
        let levels = settings.mip != Mip::None;
        let bits = word.0 >> 32;
        self.require(cube && settings.wrap != Wrap::Clamp, Rule::CubeNotClamped, field, bits)?;
        self.require(cube && !levels, Rule::CubeWithoutMips, field, bits)?;
        let ted = row.opcode == Opcode::Ted;
        self.require(ted && settings.bias_eighths != 0, Rule::TedBias, field, bits)?;
        self.require(ted && !levels, Rule::TedWithoutMips, field, bits)?;
        self.use_of(TextureUse { register: word.register(), settings })
    }

    fn unknown_setting(&self, word: SamplerField, shift: u32) -> Violation {
        let rule = setting_rule(shift);
        let found = word.nibble(shift).into();
        Violation { rule, token: self.at, field: Field::Sampler, found, adobe: rule.row().adobe }
    }

    /// Checks for settings that players support and the document does not mention.
    fn beyond_document(&mut self, word: SamplerField) -> Result<(), Violation> {
        for (shift, last) in [(DIMENSION, 1), (FILTER, 1), (WRAP, 1), (FLAGS, 0)] {
            let value = word.nibble(shift);
            self.require(value > last, setting_rule(shift), Field::Sampler, value.into())?;
        }
        Ok(())
    }

    /// Adds a use to the interface.
    fn use_of(&mut self, texture: TextureUse) -> Result<TextureUse, Violation> {
        let known = self.interface.textures.iter().find(|known| known.register == texture.register);
        match known {
            Some(known) => {
                let differs = *known != texture;
                self.require(differs, Rule::SamplerDiffers, Field::Sampler, texture.register.into())?;
            }
            None => self.interface.textures.push(texture),
        }
        Ok(texture)
    }
}

fn setting_rule(shift: u32) -> Rule {
    match shift {
        DIMENSION => Rule::DimensionUnknown,
        FILTER => Rule::FilterUnknown,
        MIP => Rule::MipUnknown,
        WRAP => Rule::WrapUnknown,
        _ => Rule::SpecialFlags,
    }
}
