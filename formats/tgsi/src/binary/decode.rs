//! Decoder of the binary form.

use super::Edition;
use super::encode::has_access;
use super::layout::{DECLARATION, early_declaration, entry, instruction, late_declaration, operand, words};
use crate::error::TokenError;
use crate::model::{
    Access, Declaration, Detail, Dst, Immediate, Index, Indirect, Instruction, Interpolate, Offset, Place,
    Predicate, Property, Saturate, Semantic, Shader, Src, Texture,
};
use crate::names::{
    File, ImmediateType, Interpolation, Location, MemoryKind, Processor, PropertyName, ReturnType,
    SemanticName, Target,
};

/// Decodes a shader. Tokens after the size in the header are ignored.
///
/// # Errors
///
/// The first unknown value, or the end of the tokens inside an entry.
pub fn decode(tokens: &[u32], edition: Edition) -> Result<Shader, TokenError> {
    let mut input = Decoder { edition, tokens, at: 0 };
    let header = input.next("a header")?;
    let (header_size, body) = (header & 0xff, header >> 8);
    if header_size != 2 {
        return Err(TokenError::Unknown { at: 0, what: "size of the header", value: header_size });
    }
    let program = (body as usize).checked_add(2).and_then(|end| tokens.get(..end));
    input.tokens = program.ok_or(TokenError::Short { at: tokens.len(), expected: "the program" })?;
    let processor = input.next("a processor")? & 0xf;
    let found = edition.processors().get(processor as usize).copied();
    let processor: Processor =
        found.ok_or(TokenError::Unknown { at: 1, what: "processor", value: processor })?;
    let mut shader = Shader {
        processor,
        properties: Vec::new(),
        declarations: Vec::new(),
        immediates: Vec::new(),
        instructions: Vec::new(),
    };
    while input.at < input.tokens.len() {
        input.entry(&mut shader)?;
    }
    Ok(shader)
}

struct Decoder<'a> {
    edition: Edition,
    tokens: &'a [u32],
    at: usize,
}

impl Decoder<'_> {
    fn next(&mut self, expected: &'static str) -> Result<u32, TokenError> {
        let word = self.tokens.get(self.at).copied().zip(self.at.checked_add(1));
        let (word, after) = word.ok_or(TokenError::Short { at: self.at, expected })?;
        self.at = after;
        Ok(word)
    }

    /// An error about the last word.
    fn unknown<T>(&self, what: &'static str, value: u32) -> Result<T, TokenError> {
        Err(TokenError::Unknown { at: self.at.saturating_sub(1), what, value })
    }

    fn known<T>(&self, found: Option<T>, what: &'static str, value: u32) -> Result<T, TokenError> {
        found.map_or_else(|| self.unknown(what, value), Ok)
    }

    fn file(&self, number: u32) -> Result<File, TokenError> {
        self.known(self.edition.files().get(number as usize).copied(), "register file", number)
    }

    fn target(&self, number: u32) -> Result<Target, TokenError> {
        self.known(self.edition.target(number), "texture target", number)
    }

    fn entry(&mut self, shader: &mut Shader) -> Result<(), TokenError> {
        let start = self.at;
        let word = self.next("an entry")?;
        let kind = entry::KIND.get(word);
        let length = match kind {
            entry::IMMEDIATE => entry::IMMEDIATE_LENGTH.get(word),
            _ => entry::LENGTH.get(word),
        };
        match kind {
            entry::DECLARATION => {
                let declaration = self.declaration(word)?;
                shader.declarations.push(declaration);
            }
            entry::IMMEDIATE => shader.immediates.push(self.immediate(word, length)?),
            entry::INSTRUCTION => shader.instructions.push(self.instruction(word)?),
            entry::PROPERTY => shader.properties.push(self.property(word, length)?),
            _ => return self.unknown("kind of entry", kind),
        }
        if self.at.checked_sub(start) != Some(length as usize) {
            return Err(TokenError::Unknown { at: start, what: "length of an entry", value: length });
        }
        Ok(())
    }

    fn property(&mut self, word: u32, length: u32) -> Result<Property, TokenError> {
        let number = entry::PROPERTY_NAME.get(word);
        let name = self.known(PropertyName::ALL.get(number as usize).copied(), "property", number)?;
        let mut values = Vec::new();
        for _ in 1..length {
            values.push(self.next("a property's value")?);
        }
        Ok(Property { name, values, place: Place::default() })
    }

    fn immediate(&mut self, word: u32, length: u32) -> Result<Immediate, TokenError> {
        let number = entry::IMMEDIATE_TYPE.get(word);
        let kind =
            self.known(ImmediateType::ALL.get(number as usize).copied(), "type of an immediate", number)?;
        let mut words = [0; 4];
        let Some(count) = length.checked_sub(1).filter(|count| *count <= 4) else {
            return self.unknown("length of an immediate", length);
        };
        for value in words.iter_mut().take(count as usize) {
            *value = self.next("an immediate's word")?;
        }
        Ok(Immediate { kind, words, place: Place::default() })
    }

    fn declaration(&mut self, word: u32) -> Result<Declaration, TokenError> {
        let file = self.file(DECLARATION.file.get(word))?;
        let mut declaration = Declaration::plain(file, 0, 0);
        declaration.mask = DECLARATION.mask.get(word) as u8;
        let range = self.next("a range")?;
        declaration.range.first = words::FIRST.get(range);
        declaration.range.last = words::LAST.get(range);
        let (has_dimension, has_semantic) = match self.edition {
            Edition::Early => self.early_flags(word, &mut declaration)?,
            Edition::Late => {
                declaration.is_local = late_declaration::LOCAL.get(word) != 0;
                declaration.is_invariant = DECLARATION.invariant.get(word) != 0;
                (DECLARATION.dimension.get(word) != 0, DECLARATION.semantic.get(word) != 0)
            }
        };
        if has_dimension {
            declaration.dimension = Some(words::DIMENSION.get(self.next("a dimension")?));
        }
        if self.edition == Edition::Late && late_declaration::INTERPOLATE.get(word) != 0 {
            declaration.interpolate = Some(self.interpolate()?);
        }
        if has_semantic {
            declaration.semantic = Some(self.semantic()?);
        }
        declaration.detail = self.detail(word, &declaration)?;
        if self.edition == Edition::Late && late_declaration::ARRAY.get(word) != 0 {
            declaration.array = Some(words::ARRAY.get(self.next("an array")?));
        }
        Ok(declaration)
    }

    /// Decodes the first word of the early edition; returns whether a dimension and a semantic follow.
    fn early_flags(&self, word: u32, declaration: &mut Declaration) -> Result<(bool, bool), TokenError> {
        use early_declaration::{CENTROID, DIMENSION, INTERPOLATE, INVARIANT, SEMANTIC, WRAP};
        let number = INTERPOLATE.get(word);
        let mode = Interpolation::ALL.get(number as usize).copied();
        let mode = self.known(mode.filter(|mode| *mode != Interpolation::Color), "interpolation", number)?;
        let location = if CENTROID.get(word) != 0 { Location::Centroid } else { Location::Center };
        let interpolate = Interpolate { mode, location, cylindrical_wrap: WRAP.get(word) as u8 };
        // The field is always present, but is only meaningful for inputs.
        let is_plain = mode == Interpolation::Constant && location == Location::Center && WRAP.get(word) == 0;
        declaration.interpolate = (declaration.file == File::Input || !is_plain).then_some(interpolate);
        declaration.is_invariant = INVARIANT.get(word) != 0;
        Ok((DIMENSION.get(word) != 0, SEMANTIC.get(word) != 0))
    }

    fn interpolate(&mut self) -> Result<Interpolate, TokenError> {
        let word = self.next("an interpolation")?;
        let mode = words::INTERPOLATE.get(word);
        let mode = self.known(Interpolation::ALL.get(mode as usize).copied(), "interpolation", mode)?;
        let location = words::LOCATION.get(word);
        let location = self.known(Location::ALL.get(location as usize).copied(), "location", location)?;
        Ok(Interpolate { mode, location, cylindrical_wrap: 0 })
    }

    fn semantic(&mut self) -> Result<Semantic, TokenError> {
        let word = self.next("a semantic")?;
        let number = words::SEMANTIC.get(word);
        let name: SemanticName = self.known(self.edition.semantic(number), "semantic", number)?;
        let streams = words::STREAMS.map(|field| field.get(word) as u8);
        Ok(Semantic { name, index: words::SEMANTIC_INDEX.get(word), streams })
    }

    fn detail(&mut self, first: u32, declaration: &Declaration) -> Result<Detail, TokenError> {
        Ok(match declaration.file {
            File::Image => {
                let word = self.next("an image")?;
                Detail::Image {
                    target: self.target(words::RESOURCE.get(word))?,
                    format: format_name(words::FORMAT.get(word)),
                    is_writable: words::WRITABLE.get(word) != 0,
                    is_raw: words::RAW.get(word) != 0,
                }
            }
            File::SamplerView => {
                let word = self.next("a sampler view")?;
                let mut returns = [ReturnType::Float; 4];
                for (each, field) in returns.iter_mut().zip(words::RETURNS) {
                    let number = field.get(word);
                    *each =
                        self.known(ReturnType::ALL.get(number as usize).copied(), "return type", number)?;
                }
                Detail::View { target: self.target(words::RESOURCE.get(word))?, returns }
            }
            File::Buffer => Detail::Buffer { is_atomic: late_declaration::ATOMIC.get(first) != 0 },
            File::Memory => {
                let number = late_declaration::MEMORY.get(first);
                let kind = MemoryKind::ALL.get(number as usize).copied();
                Detail::Memory(self.known(kind, "kind of memory", number)?)
            }
            File::ImmediateArray => self.values(declaration)?,
            _ => Detail::None,
        })
    }

    /// Decodes the vectors of an immediate array.
    fn values(&mut self, declaration: &Declaration) -> Result<Detail, TokenError> {
        let range = declaration.range;
        let mut values = Vec::new();
        for _ in range.first..=range.last {
            let mut value = [0; 4];
            for word in &mut value {
                *word = self.next("an immediate's word")?;
            }
            values.push(value);
        }
        Ok(Detail::Values(values))
    }

    fn instruction(&mut self, word: u32) -> Result<Instruction, TokenError> {
        let code = instruction::OPCODE.get(word);
        let opcode = self.known(self.edition.opcode(code), "opcode", code)?;
        let is_early = self.edition == Edition::Early;
        let layout = if is_early { instruction::EARLY } else { instruction::LATE };
        let [dsts, srcs, has_target, has_texture, last] = layout.map(|field| field.get(word));
        let saturation = match self.edition {
            Edition::Early => instruction::SATURATE.get(word),
            Edition::Late => instruction::LATE_SATURATE.get(word),
        };
        let saturate =
            [Saturate::No, Saturate::ZeroOne, Saturate::MinusOneOne].get(saturation as usize).copied();
        let mut found = Instruction {
            opcode,
            label: None,
            predicate: None,
            saturate: self.known(saturate, "saturation", saturation)?,
            is_precise: !is_early && instruction::PRECISE.get(word) != 0,
            dsts: Vec::new(),
            srcs: Vec::new(),
            texture: None,
            memory: None,
            target: None,
            place: Place::default(),
        };
        if is_early && last != 0 {
            found.predicate = Some(self.predicate()?);
        }
        if has_target != 0 {
            found.target = Some(instruction::LABEL.get(self.next("a label")?));
        }
        if has_texture != 0 {
            found.texture = Some(self.texture()?);
        }
        if !is_early && last != 0 {
            found.memory = Some(self.access(has_access(opcode.info().class))?);
        }
        for _ in 0..dsts {
            found.dsts.push(self.destination()?);
        }
        for _ in 0..srcs {
            found.srcs.push(self.source()?);
        }
        Ok(found)
    }

    fn predicate(&mut self) -> Result<Predicate, TokenError> {
        let word = self.next("a predicate")?;
        Ok(Predicate {
            index: operand::PREDICATE_INDEX.get(word),
            swizzle: operand::PREDICATE_SWIZZLE.map(|field| field.get(word) as u8),
            negate: operand::PREDICATE_NEGATE.get(word) != 0,
        })
    }

    fn texture(&mut self) -> Result<Texture, TokenError> {
        let word = self.next("a texture target")?;
        let target = self.target(instruction::TARGET.get(word))?;
        let count = if self.edition == Edition::Late { instruction::OFFSETS.get(word) } else { 0 };
        let mut offsets = Vec::new();
        for _ in 0..count {
            let word = self.next("an offset")?;
            offsets.push(Offset {
                file: self.file(operand::OFFSET_FILE.get(word))?,
                index: operand::OFFSET_INDEX.get_signed(word),
                swizzle: operand::OFFSET_SWIZZLE.map(|field| field.get(word) as u8),
            });
        }
        Ok(Texture { target, offsets })
    }

    fn access(&mut self, is_access: bool) -> Result<Access, TokenError> {
        let word = self.next("memory qualifiers")?;
        if !is_access {
            return self.unknown("word about memory", word);
        }
        let target = instruction::MEMORY_TARGET.get(word);
        let format = instruction::MEMORY_FORMAT.get(word);
        Ok(Access {
            qualifiers: instruction::QUALIFIER.get(word) as u8,
            target: if target == 0 { None } else { Some(self.target(target)?) },
            format: (format != 0).then(|| format_name(format)),
        })
    }

    fn destination(&mut self) -> Result<Dst, TokenError> {
        let word = self.next("a destination")?;
        let file = self.file(operand::FILE.get(word))?;
        let has_indirect = operand::DST_INDIRECT.get(word) != 0;
        let index = self.index(operand::DST_INDEX.get_signed(word), has_indirect)?;
        let dimension = self.dimension(operand::DST_DIMENSION.get(word) != 0)?;
        Ok(Dst { file, dimension, index, mask: operand::DST_MASK.get(word) as u8, place: Place::default() })
    }

    fn source(&mut self) -> Result<Src, TokenError> {
        let word = self.next("a source")?;
        let file = self.file(operand::FILE.get(word))?;
        let has_indirect = operand::SRC_INDIRECT.get(word) != 0;
        let index = self.index(operand::SRC_INDEX.get_signed(word), has_indirect)?;
        let dimension = self.dimension(operand::SRC_DIMENSION.get(word) != 0)?;
        Ok(Src {
            file,
            dimension,
            index,
            swizzle: operand::SWIZZLE.map(|field| field.get(word) as u8),
            negate: operand::NEGATE.get(word) != 0,
            absolute: operand::ABSOLUTE.get(word) != 0,
            place: Place::default(),
        })
    }

    fn index(&mut self, offset: i32, has_indirect: bool) -> Result<Index, TokenError> {
        if !has_indirect {
            return Ok(Index::fixed(offset));
        }
        let word = self.next("an indirect register")?;
        let file = self.file(operand::FILE.get(word))?;
        let (index, component, array) = match self.edition {
            Edition::Early => (operand::SRC_INDEX.get_signed(word), operand::SWIZZLE[0].get(word), 0),
            Edition::Late => (
                operand::INDIRECT_INDEX.get_signed(word),
                operand::INDIRECT_COMPONENT.get(word),
                operand::INDIRECT_ARRAY.get(word),
            ),
        };
        Ok(Index { offset, indirect: Some(Indirect { file, index, component: component as u8 }), array })
    }

    fn dimension(&mut self, has_dimension: bool) -> Result<Option<Index>, TokenError> {
        if !has_dimension {
            return Ok(None);
        }
        let word = self.next("a dimension")?;
        let offset = operand::DIMENSION_INDEX.get_signed(word);
        self.index(offset, operand::DIMENSION_INDIRECT.get(word) != 0).map(Some)
    }
}

fn format_name(number: u32) -> String {
    if number == 0 { String::new() } else { format!("PIPE_FORMAT_NUMBER_{number}") }
}
