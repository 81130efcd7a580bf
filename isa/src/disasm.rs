//! Disassembly: the text of one instruction, and listings of whole programs with labels.
//!
//! [`crate::asm`] describes the syntax and parses everything that this module writes.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use std::fmt::{self, Display, Formatter, Write};

use crate::alias::Alias;
use crate::desc::OperandDesc;
use crate::encode::{MAX_BYTES, needs_long};
use crate::inst::{Inst, Operand, OperandFlags, Size, Tag};
use crate::operand::Style;
use crate::{decode, minifloat, sr};

/// Names of operand flags, in output order.
pub const FLAG_NAMES: &[(&str, OperandFlags)] = &[
    ("abs", OperandFlags::ABS),
    ("neg", OperandFlags::NEG),
    ("sx", OperandFlags::SX),
    ("zx", OperandFlags::ZX),
    ("wide", OperandFlags::WIDE),
    ("cache", OperandFlags::CACHE),
    ("discard", OperandFlags::DISCARD),
];

/// The suffix of a component mask without components.
pub const NO_COMPONENTS: &str = "none";

impl Display for Inst {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_inst(f, self, None)
    }
}

/// Writes an instruction; `label` names its branch target.
fn write_inst(f: &mut impl Write, inst: &Inst, label: Option<&str>) -> fmt::Result {
    let alias = Alias::of(inst);
    f.write_str(alias.map_or(inst.op.name(), |alias| alias.name))?;
    let written: Vec<(usize, &Operand, &OperandDesc)> =
        inst.specified().filter(|(_, _, spec)| alias.is_none_or(|alias| !alias.fixes(spec.name))).collect();
    for (_, operand, spec) in &written {
        write_suffix(f, spec, operand.value)?;
    }
    match (inst.long, inst.op.desc().prefers_long() || needs_long(inst)) {
        (true, false) => f.write_str(".long")?,
        (false, true) if !needs_long(inst) => f.write_str(".short")?,
        _ => {}
    }
    let mut separator = " ";
    for (index, operand, spec) in written {
        if in_operand_position(spec.kind.style) {
            f.write_str(separator)?;
            write_operand(f, operand, spec, inst.operand_count(index), label)?;
            separator = ", ";
        } else if is_trailing(spec, operand.value) {
            write!(f, "{separator}{} {}", spec.name, operand.value)?;
            separator = ", ";
        }
    }
    Ok(())
}

/// Whether operands of a style are written in sequence after the mnemonic.
pub(crate) fn in_operand_position(style: Style) -> bool {
    matches!(style, Style::Plain | Style::Float | Style::Integer | Style::Target | Style::Special)
}

/// Whether a modifier is written as name and number.
fn is_trailing(spec: &OperandDesc, value: u32) -> bool {
    match spec.kind.style {
        Style::Number => value != spec.default.value,
        Style::Names(names) => value as usize >= names.len(),
        _ => false,
    }
}

fn write_suffix(f: &mut impl Write, spec: &OperandDesc, value: u32) -> fmt::Result {
    match spec.kind.style {
        Style::Names(names) => match names.get(value as usize) {
            None | Some(&"") => Ok(()),
            Some(name) => write!(f, ".{name}"),
        },
        Style::Flag if value != 0 => write!(f, ".{}", spec.name),
        Style::Components if value == 0 => write!(f, ".{NO_COMPONENTS}"),
        Style::Components => {
            f.write_char('.')?;
            "xyzw"
                .chars()
                .enumerate()
                .filter(|(i, _)| value >> i & 1 == 1)
                .try_for_each(|(_, c)| f.write_char(c))
        }
        _ => Ok(()),
    }
}

/// Writes an operand of `count` registers.
fn write_operand(
    f: &mut impl Write,
    operand: &Operand,
    spec: &OperandDesc,
    count: u16,
    label: Option<&str>,
) -> fmt::Result {
    match (spec.kind.style, operand.tag) {
        (Style::Target, _) => match label {
            Some(label) => return f.write_str(label),
            None => return write!(f, "{:+}", operand.value as i32),
        },
        (Style::Special, _) => match sr::by_number(operand.value) {
            Some(register) => return f.write_str(register.name),
            None => return write!(f, "sr{}", operand.value),
        },
        (Style::Float, Tag::Imm) => write!(f, "{:?}", minifloat::decode(operand.value as u8))?,
        (_, Tag::Imm) => write_integer(f, operand.value, spec)?,
        _ => write_registers(f, operand, count.max(1))?,
    }
    for (name, flag) in FLAG_NAMES {
        if operand.flags.contains(*flag) {
            write!(f, ".{name}")?;
        }
    }
    Ok(())
}

fn write_integer(f: &mut impl Write, value: u32, spec: &OperandDesc) -> fmt::Result {
    let signed = spec.kind.forms.iter().any(|form| form.signed);
    if signed {
        write!(f, "{}", value as i32)
    } else if value < 0x1_0000 {
        write!(f, "{value}")
    } else {
        write!(f, "{value:#x}")
    }
}

/// Writes `count` registers starting with the operand, joined by underscores.
pub(crate) fn write_registers(f: &mut impl Write, operand: &Operand, count: u16) -> fmt::Result {
    let (prefix, in_halves) = match operand.tag {
        Tag::Reg => ("r", true),
        Tag::Uniform => ("u", true),
        Tag::TextureState => ("ts", false),
        Tag::SamplerState => ("ss", false),
        Tag::Coefficient => ("cf", false),
        Tag::None | Tag::Imm => return f.write_char('_'),
    };
    if !in_halves {
        return write!(f, "{prefix}{}", operand.value);
    }
    let (count, size) = match operand.size {
        Size::B64 => (count.saturating_mul(2), Size::B32),
        size => (count, size),
    };
    for i in 0..u32::from(count) {
        let half = operand.value.saturating_add(i.saturating_mul(size.halves().into()));
        let joint = if i == 0 { "" } else { "_" };
        let part = match size {
            Size::B16 if half & 1 == 0 => "l",
            Size::B16 => "h",
            _ => "",
        };
        write!(f, "{joint}{prefix}{}{part}", half / 2)?;
    }
    Ok(())
}

/// A piece of a disassembled program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Piece {
    /// An instruction.
    Inst(Inst),
    /// Two bytes (one at an odd end) that do not start an instruction.
    Unknown(u16),
}

/// A piece of a program and its position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    /// Offset of its first byte.
    pub pc: usize,
    /// Its length in bytes.
    pub len: usize,
    /// Its contents.
    pub piece: Piece,
}

impl Line {
    /// Offset of the first byte after it.
    pub fn end(&self) -> usize {
        self.pc.saturating_add(self.len)
    }

    /// The branch target of the instruction, if it has one that is not before byte 0.
    pub fn target(&self) -> Option<usize> {
        let Piece::Inst(inst) = &self.piece else { return None };
        self.pc.checked_add_signed(inst.target()? as isize)
    }
}

/// Decodes a program from its first byte, piece by piece. At an undecodable word, continues two bytes further.
pub fn pieces(code: &[u8]) -> impl Iterator<Item = Line> {
    let (mut pc, mut rest) = (0_usize, code);
    std::iter::from_fn(move || {
        let (piece, len) = match (decode(rest), rest) {
            (Ok((inst, len)), _) => (Piece::Inst(inst), len),
            (Err(_), [low, high, ..]) => (Piece::Unknown(u16::from_le_bytes([*low, *high])), 2),
            (Err(_), [last]) => (Piece::Unknown((*last).into()), 1),
            (Err(_), []) => return None,
        };
        let line = Line { pc, len, piece };
        (pc, rest) = (pc.saturating_add(len), rest.get(len..).unwrap_or(&[]));
        Some(line)
    })
}

/// All [`pieces`] of a program.
pub fn disassemble(code: &[u8]) -> Vec<Line> {
    pieces(code).collect()
}

/// A program as text: labels for branch targets, one instruction per line. `pc` adds the offset and the bytes
/// as a comment before each.
pub fn listing(code: &[u8], pc: bool) -> String {
    listing_with_notes(code, pc, |_| None)
}

/// Like [`listing`], with the text that `note` returns for an instruction's offset on a separate line before
/// it: a comment or a directive.
pub fn listing_with_notes(code: &[u8], pc: bool, note: impl FnMut(usize) -> Option<String>) -> String {
    let mut text = String::new();
    write_listing(&mut text, code, pc, note).expect("invariant: writing to a string cannot fail");
    text
}

/// Writes [`listing_with_notes`] line by line, so that a long program needs no memory for its text.
///
/// # Errors
/// The error of `to`.
pub fn write_listing(
    to: &mut impl Write,
    code: &[u8],
    pc: bool,
    mut note: impl FnMut(usize) -> Option<String>,
) -> fmt::Result {
    let targets = targets(code);
    let label = |pc: usize| targets.binary_search(&pc).ok().map(|i| format!("L{i}"));
    let mut text = String::new();
    for line in pieces(code) {
        if let Some(label) = label(line.pc) {
            writeln!(to, "{label}:")?;
        }
        if let Some(note) = note(line.pc) {
            writeln!(to, "    {note}")?;
        }
        text.clear();
        text.push_str("    ");
        match &line.piece {
            Piece::Inst(inst) => write_inst(&mut text, inst, line.target().and_then(label).as_deref())?,
            Piece::Unknown(value) if line.len == 1 => write!(text, "<unknown {value:#04x}>")?,
            Piece::Unknown(value) => write!(text, "<unknown {value:#06x}>")?,
        }
        if pc {
            text.push_str(&" ".repeat(56usize.saturating_sub(text.len()).max(1)));
            write!(text, "; {:5x}: ", line.pc)?;
            let bytes = code.get(line.pc..line.end()).unwrap_or(&[]);
            bytes.iter().try_for_each(|byte| write!(text, "{byte:02x}"))?;
        }
        writeln!(to, "{text}")?;
    }
    Ok(())
}

/// Offsets of the branch targets at which a piece starts, ascending.
fn targets(code: &[u8]) -> Vec<usize> {
    let mut targets: Vec<usize> = pieces(code).filter_map(|line| line.target()).collect();
    targets.sort_unstable();
    targets.dedup();
    if targets.is_empty() {
        return targets;
    }
    let mut starts = pieces(code).map(|line| line.pc).peekable();
    targets.retain(|target| {
        while starts.next_if(|start| start < target).is_some() {}
        starts.peek() == Some(target)
    });
    targets
}

/// Whether bytes are code of this instruction set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recognition {
    /// Everything up to the first `stop` decodes.
    Code,
    /// Mostly code, with this many undecodable bytes.
    Damaged {
        /// Number of bytes that do not start an instruction.
        unknown: usize,
    },
    /// Not code of this instruction set: M3 and later chips use another one.
    Foreign,
}

/// Number of bytes from which [`recognise`] judges a program.
const RECOGNISED_BYTES: usize = 1 << 20;

/// Checks whether `code` is for this instruction set: up to the first `stop`, or in its first MiB, at most one byte in
/// sixteen may be undecodable. Code without a `stop` may end within an instruction, if most of it decodes.
pub fn recognise(code: &[u8]) -> Recognition {
    let judged = code.get(..RECOGNISED_BYTES).unwrap_or(code);
    let (mut unknown, mut total, mut stopped) = (0_usize, 0_usize, false);
    // Undecodable bytes after the last instruction.
    let mut cut = 0_usize;
    for line in pieces(judged) {
        total = line.end();
        match line.piece {
            Piece::Inst(inst) => (cut, stopped) = (0, inst.op == crate::Opcode::Stop),
            Piece::Unknown(_) => {
                unknown = unknown.saturating_add(line.len);
                cut = cut.saturating_add(line.len);
            }
        }
        if stopped {
            break;
        }
    }
    let ends_within = !stopped && cut == unknown && cut < MAX_BYTES && cut <= total / 4;
    if unknown == 0 || (ends_within && judged.len() < code.len()) {
        Recognition::Code
    } else if ends_within || (stopped && unknown <= total / 16) {
        Recognition::Damaged { unknown }
    } else {
        Recognition::Foreign
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asm::assemble;

    #[test]
    fn any_bytes_survive_a_round_trip() {
        let mut state = 7u32;
        for len in 0..600 {
            let code: Vec<u8> = (0..len)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 24) as u8
                })
                .collect();
            let text = listing(&code, len % 2 == 0);
            let back = assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(back, code, "{text}");
        }
    }

    /// An operand of several registers that begins with the last one of the file.
    #[test]
    fn ranges_past_the_file_survive_a_round_trip() {
        let text = "simd_matrix_fmadd32 r68_r69, r13_r14.wide, u255h_u256l, u52l_u52h, b_mods 2, c_mods 2, a_mods 3\n";
        let code = assemble(text).unwrap();
        assert_eq!(listing(&code, false).trim_start(), text);
        assert!(assemble("fadd r0, r1, u256").is_err() && assemble("fadd r0, r1, u65536").is_err());
    }

    #[test]
    fn suffixes_of_a_row_are_distinct() {
        for op in crate::Opcode::ALL {
            let mut seen = vec!["long", "short", NO_COMPONENTS];
            let has_mask = op.desc().operands.iter().any(|spec| spec.kind.style == Style::Components);
            for spec in op.desc().operands {
                let names = match spec.kind.style {
                    Style::Names(names) => names,
                    Style::Flag => &[spec.name],
                    _ => &[],
                };
                for name in names.iter().filter(|name| !name.is_empty()) {
                    assert!(!seen.contains(name), "{}.{name}", op.name());
                    let is_mask = name.trim_matches(['x', 'y', 'z', 'w']).is_empty();
                    assert!(!(has_mask && is_mask), "{}.{name}", op.name());
                    seen.push(name);
                }
            }
        }
    }

    #[test]
    fn foreign_code_is_recognised() {
        let own = assemble("mov r0, 1\n stop\n <unknown 0xffff>").unwrap();
        assert_eq!(recognise(&own), Recognition::Code);
        assert_eq!(recognise(&[0xff; 64]), Recognition::Foreign);
        // Six-byte additions and a four-byte stop, as on chips from M3 on.
        let later = [0x29, 0x30, 0x4c, 0x13, 0x7f, 0x2b, 0x0e, 0, 0, 0];
        assert_eq!(recognise(&later), Recognition::Foreign);
    }

    #[test]
    fn code_that_ends_within_an_instruction_is_recognised() {
        let code = assemble(&format!("{}icsel.ult r0, r0, u4, r0, u4\n stop", "wait 0\n".repeat(8))).unwrap();
        assert_eq!(code.len(), 8 * 2 + 8 + 2);
        assert_eq!(recognise(&code[..20]), Recognition::Damaged { unknown: 4 });
        assert_eq!(recognise(&code[..1]), Recognition::Foreign);
        let long = vec![code[..16].to_vec(); RECOGNISED_BYTES / 16 + 2].concat();
        assert_eq!(recognise(&long), Recognition::Code, "the first MiB ends within an instruction");
    }
}
