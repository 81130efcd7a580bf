//! A module without source positions as text, and the same module with the lines of that text as its positions, so that
//! reports can show SPIR-V instead of a source.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use agx_compiler::CompiledShader;
use agx_compiler::internal::frontend::language::SPIRV;
use rspirv::binary::{Consumer, Disassemble, ParseAction, parse_bytes};
use rspirv::dr::{Instruction, ModuleHeader, Operand};
use rspirv::spirv::Op;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::Failure;
use crate::input::File;
use crate::modules;

/// A module and its text.
pub struct Listing {
    /// The module with positions in the text.
    pub file: File,
    /// The text: a line for each instruction, after a heading.
    pub text: String,
}

/// Lines before that of the first instruction.
const HEADING_LINES: u32 = 1;

/// The listing of the module in `file`; `None` if it is another language, has positions, or cannot be read.
fn of(file: &File) -> Option<Listing> {
    let bytes = file.kind.is(&SPIRV).then_some(&file.bytes)?;
    let words = modules::words(bytes);
    let mut lines = Lines::default();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    parse_bytes(bytes, &mut lines).ok()?;
    if lines.has_positions {
        return None;
    }
    let module = with_lines(&words, &file.name)?;
    let bytes = module.iter().flat_map(|word| word.to_le_bytes()).collect();
    Some(Listing { file: file.with_bytes(bytes), text: lines.text() })
}

/// The shader in `file`, compiled by `compile`: with positions in its listing, if it has one.
pub fn compiled(
    file: &File,
    compile: impl Fn(&File) -> Result<CompiledShader, Failure>,
) -> Result<(CompiledShader, Option<Listing>), Failure> {
    if let Some(listing) = of(file)
        && let Ok(shader) = compile(&listing.file)
    {
        return Ok((shader, Some(listing)));
    }
    // Errors state the words of the module itself.
    compile(file).map(|shader| (shader, None))
}

/// The instructions of a module.
#[derive(Default)]
struct Lines {
    heading: String,
    instructions: Vec<Instruction>,
    has_positions: bool,
}

impl Consumer for Lines {
    fn initialize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn finalize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_header(&mut self, header: ModuleHeader) -> ParseAction {
        let (major, minor) = header.version();
        self.heading = format!("; SPIR-V {major}.{minor}, ids below {}", header.bound);
        ParseAction::Continue
    }

    fn consume_instruction(&mut self, instruction: Instruction) -> ParseAction {
        let is_debug_set = |operand: &Operand| matches!(operand, Operand::LiteralString(name) if name.starts_with("NonSemantic.Shader.DebugInfo") || name == "OpenCL.DebugInfo.100");
        let imports =
            instruction.class.opcode == Op::ExtInstImport && instruction.operands.iter().any(is_debug_set);
        self.has_positions |= instruction.class.opcode == Op::Line || imports;
        self.instructions.push(instruction);
        ParseAction::Continue
    }
}

impl Lines {
    fn text(&self) -> String {
        let names = self.names();
        let mut text = format!("{}\n", self.heading);
        let mut is_inside = false;
        for instruction in &self.instructions {
            let opcode = instruction.class.opcode;
            is_inside |= opcode == Op::Function;
            let is_indented = is_inside && !matches!(opcode, Op::Function | Op::FunctionEnd | Op::Label);
            is_inside &= opcode != Op::FunctionEnd;
            let line = instruction.disassemble();
            let line = if opcode == Op::Name { line } else { named(&line, &names) };
            text.push_str(if is_indented { "    " } else { "" });
            // A string may have line breaks.
            text.push_str(&line.replace(['\n', '\r'], " "));
            text.push('\n');
        }
        text
    }

    /// Names of ids that are words and belong to one id.
    fn names(&self) -> FxHashMap<String, String> {
        let mut names = FxHashMap::default();
        let (mut known, mut repeated) = (FxHashSet::default(), FxHashSet::default());
        for instruction in self.instructions.iter().filter(|found| found.class.opcode == Op::Name) {
            let [Operand::IdRef(id), Operand::LiteralString(name)] = &instruction.operands[..] else {
                continue;
            };
            // glslang appends the types of parameters to the names of functions.
            let name = name.split('(').next().unwrap_or_default();
            let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            let begins = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
            if !begins || !name.chars().all(is_letter) {
                continue;
            }
            if !known.insert(name.to_owned()) {
                repeated.insert(name.to_owned());
            }
            names.insert(format!("%{id}"), format!("%{name}"));
        }
        names.retain(|_, name| !repeated.contains(name.trim_start_matches('%')));
        names
    }
}

/// A line with names for ids and single spaces. Texts in quotes are kept.
fn named<'l>(line: &'l str, names: &'l FxHashMap<String, String>) -> String {
    let mut is_quoted = false;
    let word = |word: &'l str| {
        let name = names.get(word).filter(|_| !is_quoted);
        let is_gap = word.is_empty() && !is_quoted;
        is_quoted ^= word.matches('"').count() % 2 == 1;
        (!is_gap).then(|| name.map_or(word, String::as_str))
    };
    line.split(' ').filter_map(word).collect::<Vec<_>>().join(" ")
}

const OP_STRING: u32 = 7;
const OP_LINE: u32 = 8;
const OP_ENTRY_POINT: u32 = 15;
const OP_EXECUTION_MODE: u32 = 16;
const OP_FUNCTION_END: u32 = 56;
const OP_EXECUTION_MODE_ID: u32 = 331;
/// Instructions that keep their place at the beginning of a function or block, and those that end modules' functions.
const UNLOCATED: [u32; 6] = [modules::OP_FUNCTION, 55, OP_FUNCTION_END, 59, 245, 248];
/// Merges, directly before a branch.
const MERGES: [u32; 2] = [246, 247];

/// The module with a position for each instruction of a function: its line in the listing.
fn with_lines(words: &[u32], name: &str) -> Option<Vec<u32>> {
    let (header, _) = words.split_at_checked(modules::HEADER_WORDS)?;
    let mut module = header.to_vec();
    let bound = module.get_mut(3)?;
    let string = *bound;
    *bound = string.checked_add(1)?;
    let all: Vec<modules::Instruction<'_>> = modules::instructions(words).collect();
    let is_early = |op: u32| matches!(op, OP_ENTRY_POINT | OP_EXECUTION_MODE | OP_EXECUTION_MODE_ID);
    let last_early = all.iter().rposition(|instruction| is_early(instruction.op))?;
    let (mut is_inside, mut last) = (false, 0);
    for ((at, instruction), line) in all.iter().enumerate().zip(HEADING_LINES.saturating_add(1)..) {
        let op = instruction.op;
        is_inside |= op == modules::OP_FUNCTION;
        if is_inside && !UNLOCATED.contains(&op) && !MERGES.contains(&last) {
            push(&mut module, OP_LINE, &[string, line, 0]);
        }
        push(&mut module, op, instruction.operands);
        if at == last_early {
            push(&mut module, OP_STRING, &[&[string], &literal(name)[..]].concat());
        }
        last = op;
    }
    Some(module)
}

fn push(module: &mut Vec<u32>, op: u32, operands: &[u32]) {
    let words = (operands.len() as u32).saturating_add(1);
    module.push(words << 16 | op);
    module.extend(operands);
}

/// A string with its zero byte, in whole words.
fn literal(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize((bytes.len() / 4).saturating_add(1).saturating_mul(4), 0);
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

#[cfg(test)]
mod tests {
    use agx_compiler::CompileKey;

    use super::*;
    use crate::commands;
    use crate::context::Context;
    use crate::input;

    /// A bundled module, which has no positions.
    fn life() -> File {
        let bytes = include_bytes!("../shaders/life.spv").to_vec();
        input::from_bytes("life.spv", bytes, None, &mut Context::new()).unwrap()
    }

    #[test]
    fn instructions_have_the_lines_of_their_text() {
        let file = life();
        let Listing { file: listed, text } = of(&file).unwrap();
        let [plain, located] = [&file, &listed]
            .map(|file| commands::under(file, Default::default(), &CompileKey::default(), None).unwrap());
        assert_eq!(plain.parts[0].code, located.parts[0].code, "positions do not change the code");
        assert!(plain.sources.files.is_empty() && located.sources.files == ["life.spv"]);
        let lines: Vec<&str> = text.lines().collect();
        let part = &located.parts[0];
        let has_code = |name: &str| {
            let of_row = |row: &agx_compiler::LineRow| {
                located.sources.get(row.position).map(|place| place.line as usize)
            };
            part.lines.iter().filter_map(of_row).any(|line| lines[line - 1].contains(name))
        };
        assert!(has_code("OpLoad") && has_code("OpStore"), "{text}");
        // Constants and labels make no code of their own.
        assert!(!has_code("OpConstant") && !has_code("OpLabel") && !has_code("OpTypeInt"), "{text}");
        assert!(text.contains("%look = OpFunction"), "{text}");
    }

    #[test]
    fn a_module_with_positions_has_no_listing() {
        let listed = of(&life()).unwrap().file;
        assert!(of(&listed).is_none());
        assert!(of(&listed.with_bytes(vec![3, 2, 0x23, 7, 0, 0])).is_none(), "a part of a module");
    }
}
