//! Encoder of the binary form.

use super::Edition;
use super::layout::{
    DECLARATION, Token, early_declaration, entry, instruction, late_declaration, number, operand, words,
};
use crate::error::TokenError;
use crate::model::{
    Access, Declaration, Detail, Dst, Immediate, Index, Instruction, Offset, Property, Saturate, Shader, Src,
    Texture,
};
use crate::names::{File, Interpolation, Location, Target};
use crate::opcode::Class;

/// Encodes a shader.
///
/// # Errors
///
/// A name without a number in the edition, or a number that does not fit its field.
pub fn encode(shader: &Shader, edition: Edition) -> Result<Vec<u32>, TokenError> {
    let mut out = Encoder { edition, tokens: Vec::new() };
    let find = |at: u32| edition.processors().get(at as usize).copied();
    let processor = number(find, shader.processor, "processor", shader.processor.name())?;
    for each in &shader.properties {
        out.property(each)?;
    }
    for each in &shader.declarations {
        out.declaration(each)?;
    }
    for each in &shader.immediates {
        out.immediate(each)?;
    }
    for each in &shader.instructions {
        out.instruction(each)?;
    }
    let mut header = Token(2);
    header.set(super::layout::Field(8, 24), "size of the program", out.tokens.len() as u32)?;
    let mut tokens = vec![header.0, processor];
    tokens.append(&mut out.tokens);
    Ok(tokens)
}

struct Encoder {
    edition: Edition,
    tokens: Vec<u32>,
}

impl Encoder {
    fn file(&self, file: File) -> Result<u32, TokenError> {
        let files = self.edition.files();
        number(|at| files.get(at as usize).copied(), file, "register file", file.name())
    }

    fn target(&self, target: Target) -> Result<u32, TokenError> {
        number(|at| self.edition.target(at), target, "texture target", target.name())
    }

    /// Sets the length of the entry that starts at `start`.
    fn finish(&mut self, start: usize) -> Result<(), TokenError> {
        let entry = self.tokens.get_mut(start..).unwrap_or_default();
        let length = entry.len() as u32;
        if let Some(first) = entry.first_mut() {
            let mut word = Token(*first);
            word.set(entry::LENGTH, "length of an entry", length)?;
            *first = word.0;
        }
        Ok(())
    }

    fn property(&mut self, property: &Property) -> Result<(), TokenError> {
        let start = self.tokens.len();
        let mut word = Token(entry::PROPERTY);
        word.set(entry::PROPERTY_NAME, "property", property.name as u32)?;
        self.tokens.push(word.0);
        self.tokens.extend(&property.values);
        self.finish(start)
    }

    fn immediate(&mut self, immediate: &Immediate) -> Result<(), TokenError> {
        let mut word = Token(entry::IMMEDIATE);
        word.set(entry::IMMEDIATE_TYPE, "type of an immediate", immediate.kind as u32)?;
        word.set(entry::IMMEDIATE_LENGTH, "length of an immediate", 5)?;
        self.tokens.push(word.0);
        self.tokens.extend(immediate.words);
        Ok(())
    }

    fn declaration(&mut self, declaration: &Declaration) -> Result<(), TokenError> {
        let start = self.tokens.len();
        let mut word = Token(entry::DECLARATION);
        word.set(DECLARATION.file, "register file", self.file(declaration.file)?)?;
        word.set(DECLARATION.mask, "mask", u32::from(declaration.mask))?;
        match self.edition {
            Edition::Early => early_flags(&mut word, declaration)?,
            Edition::Late => late_flags(&mut word, declaration)?,
        }
        self.tokens.push(word.0);
        let mut range = Token::default();
        range.set(words::FIRST, "register", declaration.range.first)?;
        range.set(words::LAST, "register", declaration.range.last)?;
        self.tokens.push(range.0);
        if let Some(dimension) = declaration.dimension {
            let mut word = Token::default();
            word.set(words::DIMENSION, "dimension", dimension)?;
            self.tokens.push(word.0);
        }
        if self.edition == Edition::Late {
            self.interpolate(declaration)?;
        }
        self.semantic(declaration)?;
        self.detail(&declaration.detail)?;
        if let Some(array) = declaration.array.filter(|_| self.edition == Edition::Late) {
            let mut word = Token::default();
            word.set(words::ARRAY, "array", array)?;
            self.tokens.push(word.0);
        }
        self.finish(start)
    }

    fn interpolate(&mut self, declaration: &Declaration) -> Result<(), TokenError> {
        let Some(interpolate) = declaration.interpolate else { return Ok(()) };
        let mut word = Token::default();
        word.set(words::INTERPOLATE, "interpolation", interpolate.mode as u32)?;
        word.set(words::LOCATION, "location", interpolate.location as u32)?;
        self.tokens.push(word.0);
        Ok(())
    }

    fn semantic(&mut self, declaration: &Declaration) -> Result<(), TokenError> {
        let Some(semantic) = declaration.semantic else { return Ok(()) };
        let mut word = Token::default();
        let name = number(|at| self.edition.semantic(at), semantic.name, "semantic", semantic.name.name())?;
        word.set(words::SEMANTIC, "semantic", name)?;
        word.set(words::SEMANTIC_INDEX, "semantic index", semantic.index)?;
        for (field, stream) in words::STREAMS.iter().zip(semantic.streams) {
            word.set(*field, "vertex stream", u32::from(stream))?;
        }
        self.tokens.push(word.0);
        Ok(())
    }

    fn detail(&mut self, detail: &Detail) -> Result<(), TokenError> {
        let mut word = Token::default();
        match detail {
            Detail::Image { target, format, is_writable, is_raw } => {
                word.set(words::RESOURCE, "texture target", self.target(*target)?)?;
                word.set(words::FORMAT, "format", format_number(format)?)?;
                word.flag(words::WRITABLE, *is_writable);
                word.flag(words::RAW, *is_raw);
            }
            Detail::View { target, returns } => {
                word.set(words::RESOURCE, "texture target", self.target(*target)?)?;
                for (field, each) in words::RETURNS.iter().zip(returns) {
                    word.set(*field, "return type", *each as u32)?;
                }
            }
            Detail::Values(values) => {
                self.tokens.extend(values.iter().flatten());
                return Ok(());
            }
            Detail::None | Detail::Buffer { .. } | Detail::Memory(_) => return Ok(()),
        }
        self.tokens.push(word.0);
        Ok(())
    }

    fn instruction(&mut self, each: &Instruction) -> Result<(), TokenError> {
        let start = self.tokens.len();
        self.tokens.push(self.first_word(each)?);
        if let Some(predicate) = each.predicate {
            let mut word = Token::default();
            word.set(operand::PREDICATE_INDEX, "register", predicate.index)?;
            for (field, component) in operand::PREDICATE_SWIZZLE.iter().zip(predicate.swizzle) {
                word.set(*field, "swizzle", u32::from(component))?;
            }
            word.flag(operand::PREDICATE_NEGATE, predicate.negate);
            self.tokens.push(word.0);
        }
        if let Some(target) = each.target {
            let mut word = Token::default();
            word.set(instruction::LABEL, "label", target)?;
            self.tokens.push(word.0);
        }
        if let Some(texture) = &each.texture {
            self.texture(texture)?;
        }
        if let Some(access) = each.memory.as_ref().filter(|_| self.edition == Edition::Late) {
            self.access(access)?;
        }
        for dst in &each.dsts {
            self.destination(dst)?;
        }
        for src in &each.srcs {
            self.source(src)?;
        }
        self.finish(start)
    }

    fn first_word(&self, each: &Instruction) -> Result<u32, TokenError> {
        let no_code = |what, name: &str| TokenError::NoCode { what, name: name.to_owned() };
        let mut word = Token(entry::INSTRUCTION);
        let code = self.edition.code(each.opcode).ok_or_else(|| no_code("opcode", each.opcode.name()))?;
        word.set(instruction::OPCODE, "opcode", u32::from(code))?;
        let (layout, last) = match self.edition {
            Edition::Early => {
                word.set(instruction::SATURATE, "saturation", each.saturate as u32)?;
                (instruction::EARLY, each.predicate.is_some())
            }
            Edition::Late => {
                if each.saturate == Saturate::MinusOneOne {
                    return Err(no_code("modifier", "_SATNV"));
                }
                if each.predicate.is_some() {
                    return Err(no_code("register file", "PRED"));
                }
                word.flag(instruction::LATE_SATURATE, each.saturate != Saturate::No);
                word.flag(instruction::PRECISE, each.is_precise);
                (instruction::LATE, each.memory.is_some())
            }
        };
        word.set(layout[0], "number of destinations", each.dsts.len() as u32)?;
        word.set(layout[1], "number of sources", each.srcs.len() as u32)?;
        word.flag(layout[2], each.target.is_some());
        word.flag(layout[3], each.texture.is_some());
        word.flag(layout[4], last);
        Ok(word.0)
    }

    fn texture(&mut self, texture: &Texture) -> Result<(), TokenError> {
        let mut word = Token::default();
        word.set(instruction::TARGET, "texture target", self.target(texture.target)?)?;
        if self.edition == Edition::Late {
            word.set(instruction::OFFSETS, "number of offsets", texture.offsets.len() as u32)?;
        } else if !texture.offsets.is_empty() {
            return Err(TokenError::NoCode { what: "modifier", name: "texture offset".to_owned() });
        }
        self.tokens.push(word.0);
        for Offset { file, index, swizzle } in &texture.offsets {
            let mut word = Token::default();
            word.set_signed(operand::OFFSET_INDEX, "register", *index)?;
            word.set(operand::OFFSET_FILE, "register file", self.file(*file)?)?;
            for (field, component) in operand::OFFSET_SWIZZLE.iter().zip(swizzle) {
                word.set(*field, "swizzle", u32::from(*component))?;
            }
            self.tokens.push(word.0);
        }
        Ok(())
    }

    fn access(&mut self, access: &Access) -> Result<(), TokenError> {
        let mut word = Token::default();
        word.set(instruction::QUALIFIER, "qualifiers", u32::from(access.qualifiers))?;
        // An access without a target has the number 0, like a buffer.
        let target = access.target.map_or(Ok(0), |target| self.target(target))?;
        word.set(instruction::MEMORY_TARGET, "texture target", target)?;
        let format = access.format.as_deref().unwrap_or("");
        word.set(instruction::MEMORY_FORMAT, "format", format_number(format)?)?;
        self.tokens.push(word.0);
        Ok(())
    }

    fn destination(&mut self, dst: &Dst) -> Result<(), TokenError> {
        let mut word = Token::default();
        word.set(operand::FILE, "register file", self.file(dst.file)?)?;
        word.set(operand::DST_MASK, "mask", u32::from(dst.mask))?;
        word.flag(operand::DST_INDIRECT, dst.index.indirect.is_some());
        word.flag(operand::DST_DIMENSION, dst.dimension.is_some());
        word.set_signed(operand::DST_INDEX, "register", dst.index.offset)?;
        self.tokens.push(word.0);
        self.indices(dst.index, dst.dimension)
    }

    fn source(&mut self, src: &Src) -> Result<(), TokenError> {
        let mut word = Token::default();
        word.set(operand::FILE, "register file", self.file(src.file)?)?;
        word.flag(operand::SRC_INDIRECT, src.index.indirect.is_some());
        word.flag(operand::SRC_DIMENSION, src.dimension.is_some());
        word.set_signed(operand::SRC_INDEX, "register", src.index.offset)?;
        for (field, component) in operand::SWIZZLE.iter().zip(src.swizzle) {
            word.set(*field, "swizzle", u32::from(component))?;
        }
        word.flag(operand::ABSOLUTE, src.absolute);
        word.flag(operand::NEGATE, src.negate);
        self.tokens.push(word.0);
        self.indices(src.index, src.dimension)
    }

    fn indices(&mut self, index: Index, dimension: Option<Index>) -> Result<(), TokenError> {
        self.indirect(index)?;
        if let Some(dimension) = dimension {
            let mut word = Token::default();
            word.flag(operand::DIMENSION_INDIRECT, dimension.indirect.is_some());
            word.set_signed(operand::DIMENSION_INDEX, "dimension", dimension.offset)?;
            self.tokens.push(word.0);
            self.indirect(dimension)?;
        }
        Ok(())
    }

    fn indirect(&mut self, index: Index) -> Result<(), TokenError> {
        let Some(indirect) = index.indirect else { return Ok(()) };
        let mut word = Token::default();
        word.set(operand::FILE, "register file", self.file(indirect.file)?)?;
        let component = u32::from(indirect.component);
        match self.edition {
            Edition::Early => {
                word.set_signed(operand::SRC_INDEX, "register", indirect.index)?;
                word.set(operand::SWIZZLE[0], "component", component)?;
            }
            Edition::Late => {
                word.set_signed(operand::INDIRECT_INDEX, "register", indirect.index)?;
                word.set(operand::INDIRECT_COMPONENT, "component", component)?;
                word.set(operand::INDIRECT_ARRAY, "array", index.array)?;
            }
        }
        self.tokens.push(word.0);
        Ok(())
    }
}

fn early_flags(word: &mut Token, declaration: &Declaration) -> Result<(), TokenError> {
    use early_declaration::{CENTROID, DIMENSION, INTERPOLATE, INVARIANT, SEMANTIC, WRAP};
    if let Some(interpolate) = declaration.interpolate {
        if interpolate.mode == Interpolation::Color || interpolate.location == Location::Sample {
            return Err(TokenError::NoCode { what: "interpolation", name: "COLOR or SAMPLE".to_owned() });
        }
        word.set(INTERPOLATE, "interpolation", interpolate.mode as u32)?;
        word.flag(CENTROID, interpolate.location == Location::Centroid);
        word.set(WRAP, "cylindrical wrap", u32::from(interpolate.cylindrical_wrap))?;
    }
    word.flag(DIMENSION, declaration.dimension.is_some());
    word.flag(SEMANTIC, declaration.semantic.is_some());
    word.flag(INVARIANT, declaration.is_invariant);
    Ok(())
}

fn late_flags(word: &mut Token, declaration: &Declaration) -> Result<(), TokenError> {
    word.flag(DECLARATION.dimension, declaration.dimension.is_some());
    word.flag(DECLARATION.semantic, declaration.semantic.is_some());
    word.flag(DECLARATION.invariant, declaration.is_invariant);
    word.flag(late_declaration::INTERPOLATE, declaration.interpolate.is_some());
    word.flag(late_declaration::LOCAL, declaration.is_local);
    word.flag(late_declaration::ARRAY, declaration.array.is_some());
    word.flag(late_declaration::ATOMIC, declaration.detail == Detail::Buffer { is_atomic: true });
    if let Detail::Memory(kind) = declaration.detail {
        word.set(late_declaration::MEMORY, "kind of memory", kind as u32)?;
    }
    Ok(())
}

/// The number in `PIPE_FORMAT_NUMBER_42`; 0 without a format.
fn format_number(name: &str) -> Result<u32, TokenError> {
    if name.is_empty() || name == "PIPE_FORMAT_NONE" {
        return Ok(0);
    }
    let number = name.strip_prefix("PIPE_FORMAT_NUMBER_").and_then(|number| number.parse().ok());
    number.ok_or_else(|| TokenError::NoCode { what: "format", name: name.to_owned() })
}

/// Whether an opcode's instructions have a word for memory.
pub(super) fn has_access(class: Class) -> bool {
    matches!(class, Class::Load | Class::Store | Class::Atomic | Class::Query | Class::Handle)
}
