//! Prints the text form of a function. docs/ir.md has the grammar; parsing the text yields the same function.
//!
//! Printing never fails, even on a malformed function, so that error messages can quote it.

use std::fmt::{self, Display, Formatter, Write};

use agx_isa::half::Half;
use agx_isa::inst::OperandFlags;

use super::entity::{Block, Entity, Inst, Value};
use super::function::{Access, Function, InstData, Readable, Seam};
use super::op::{IrOp, Op};
use super::src::{Src, SrcKind};
use super::table::Side;
use super::text::{
    ACCESS_NAMES, Alias, COMPONENT_NAMES, FLAG_NAMES, ModStyle, NO_RESULT_BITS, is_float_source, mod_style,
    write_register,
};
use super::types::Type;

/// First half register of every value that has one.
pub type Registers = Side<Value, Option<u16>>;

/// Maximum indentation in levels; deeper nesting is not indented further.
const MAX_INDENT: usize = 16;

/// Integers up to this value are written in decimal.
const MAX_DECIMAL: u64 = 9999;

/// Remarks of an analysis, printed as comments after instructions and labels.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// By instruction; empty notes are not printed.
    pub insts: Side<Inst, &'static str>,
    /// By block.
    pub blocks: Side<Block, &'static str>,
}

/// A function as text, with registers if known.
#[derive(Clone, Copy)]
pub struct FunctionText<'p, 'a> {
    f: &'p Function<'a>,
    registers: Option<&'p Registers>,
    notes: Option<&'p Notes>,
}

/// An instruction as text.
#[derive(Clone, Copy)]
pub struct InstText<'p, 'a> {
    f: &'p Function<'a>,
    data: InstData<'a>,
    registers: Option<&'p Registers>,
}

impl<'a> Function<'a> {
    /// The text with the register of each value that has one.
    pub fn with_registers<'p>(&'p self, registers: &'p Registers) -> FunctionText<'p, 'a> {
        FunctionText { f: self, registers: Some(registers), notes: None }
    }

    /// The text with remarks.
    pub fn with_notes<'p>(&'p self, notes: &'p Notes) -> FunctionText<'p, 'a> {
        FunctionText { f: self, registers: None, notes: Some(notes) }
    }

    /// The text of one instruction.
    pub fn inst_text(&self, inst: Inst) -> InstText<'_, 'a> {
        InstText { f: self, data: self.insts[inst], registers: None }
    }
}

impl Display for Function<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        FunctionText { f: self, registers: None, notes: None }.fmt(out)
    }
}

impl Display for FunctionText<'_, '_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        self.write_head(out)?;
        let mut depth: usize = 0;
        for (index, segment) in self.f.layout.iter().enumerate() {
            let note = Note(self.notes.map_or("", |notes| notes.blocks[segment.block]));
            writeln!(out, "{}{}:{note}", Indent(depth), segment.block)?;
            let seam = segment.seam;
            let opens_if = self.write_insts(out, index, depth)?;
            match seam {
                Seam::If if opens_if => {}
                Seam::If => writeln!(out, "{}{{", Indent(depth + 1))?,
                Seam::Loop => self.write_loop(out, index + 1, depth + 1)?,
                Seam::Scope => writeln!(out, "{}scope {{", Indent(depth + 1))?,
                Seam::Else => writeln!(out, "{}}} else {{", Indent(depth))?,
                Seam::EndIf | Seam::EndLoop | Seam::EndScope => writeln!(out, "{}}}", Indent(depth))?,
                Seam::End => {}
            }
            depth = (depth + usize::from(seam.opens())).saturating_sub(usize::from(seam.closes()));
        }
        writeln!(out, "}}")
    }
}

impl FunctionText<'_, '_> {
    /// The bracket of the loop whose header is at `header` in the layout.
    fn write_loop(&self, out: &mut Formatter<'_>, header: usize, depth: usize) -> fmt::Result {
        let header = self.f.layout.get(header).map(|segment| segment.block);
        match header.and_then(|header| self.f.declared.unroll_hints[header]) {
            Some(hint) => writeln!(out, "{}loop {} {{", Indent(depth), hint.name()),
            None => writeln!(out, "{}loop {{", Indent(depth)),
        }
    }

    fn write_head(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "kernel @")?;
        let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        if !self.f.name.is_empty() && self.f.name.chars().all(plain) {
            write!(out, "{}", self.f.name)?;
        } else {
            write!(out, "\"{}\"", self.f.name.escape_default())?;
        }
        write!(out, "(")?;
        for (index, param) in self.f.params.iter().enumerate() {
            write!(out, "{}", if index == 0 { "" } else { ", " })?;
            write_definition(out, self.f, *param, self.registers)?;
        }
        let separate = if self.f.contract { "" } else { " no_contract" };
        let signed = if self.f.signed_zeros { " signed_zeros" } else { "" };
        let special = if self.f.special_values { " special_values" } else { "" };
        write!(out, ") stage {}{separate}{signed}{special}", self.f.stage.name())?;
        if let Some([x, y, z]) = self.f.declared.workgroup_size {
            write!(out, " workgroup_size {x} {y} {z}")?;
        }
        for Readable { address, bytes } in &self.f.declared.readable {
            write!(out, " readable ")?;
            write_register(out, 'u', *address, 64)?;
            write!(out, " {bytes}")?;
        }
        writeln!(out, " {{")
    }

    /// Writes the instructions of segment `index`; returns whether the last one opened the following if.
    fn write_insts(&self, out: &mut Formatter<'_>, index: usize, depth: usize) -> Result<bool, fmt::Error> {
        let segment = self.f.layout[index];
        let Some(block) = self.f.blocks.get(segment.block.index()) else { return Ok(false) };
        let mut opens_if = false;
        for (at, inst) in block.insts.iter().enumerate() {
            if !self.f.insts.contains(*inst) {
                continue;
            }
            let data = self.f.insts[*inst];
            let last = at + 1 == block.insts.len();
            opens_if = last && segment.seam == Seam::If && data.op.is_terminator() && data.target().is_none();
            let text = InstText { f: self.f, data, registers: self.registers };
            let note = Note(self.notes.map_or("", |notes| notes.insts[*inst]));
            writeln!(out, "{}{text}{}{note}", Indent(depth + 1), if opens_if { " {" } else { "" })?;
        }
        Ok(opens_if)
    }
}

/// Writes a comment after a line, unless its text is empty.
struct Note(&'static str);

impl Display for Note {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(out, "  ; {}", self.0) }
    }
}

struct Indent(usize);

impl Display for Indent {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "{:width$}", "", width = 4 * self.0.min(MAX_INDENT))
    }
}

impl Display for InstText<'_, '_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        for (index, dst) in self.data.dsts.iter().enumerate() {
            write!(out, "{}", if index == 0 { "" } else { ", " })?;
            write_definition(out, self.f, *dst, self.registers)?;
        }
        let alias = Alias::of(&self.data, self.result_bits());
        let name = alias.map_or(self.data.op.name(), Alias::name);
        write!(out, "{}{name}", if self.data.dsts.is_empty() { "" } else { " = " })?;
        let written = |index: &usize| alias.is_none_or(|alias| !alias.fixes_source(*index));
        for (place, index) in (0..self.data.srcs.len()).filter(written).enumerate() {
            let src = &self.data.srcs[index];
            write!(out, "{}", if place == 0 { " " } else { ", " })?;
            if self.data.op == Op::Ir(IrOp::Phi)
                && let Some(block) = self.data.mods.get(index)
            {
                write!(out, "b{block}: ")?;
            }
            write_source(out, *src, is_float_source(self.data.op, index))?;
        }
        match self.data.op {
            Op::Ir(IrOp::Phi) => Ok(()),
            Op::Ir(IrOp::Jump) => self.data.mods.iter().try_for_each(|block| write!(out, " b{block}")),
            _ => self.write_mods(out, alias),
        }
    }
}

impl InstText<'_, '_> {
    /// Width of the first result, 32 if there is none.
    fn result_bits(&self) -> u8 {
        let first = self.data.dsts.first().filter(|dst| self.f.values.contains(**dst));
        first.map_or(NO_RESULT_BITS, |dst| self.f.ty(*dst).bits)
    }

    fn write_mods(&self, out: &mut Formatter<'_>, alias: Option<Alias>) -> fmt::Result {
        let defaults = self.data.op.default_mods();
        for (index, (name, value)) in self.data.op.mod_names().zip(self.data.mods).enumerate() {
            let is_fixed = alias.is_some_and(|alias| alias.fixes_mod(index));
            if !is_fixed && defaults.get(index) != Some(value) {
                write!(out, " {name}=")?;
                write_mod(out, mod_style(self.data.op, index), *value)?;
            }
        }
        Ok(())
    }
}

fn write_mod(out: &mut Formatter<'_>, style: ModStyle, value: u32) -> fmt::Result {
    match style {
        ModStyle::Names(names) => match names.get(value as usize) {
            Some(name) if !name.is_empty() => write!(out, "{name}"),
            _ => write!(out, "{value}"),
        },
        ModStyle::Components if (1..16).contains(&value) => COMPONENT_NAMES
            .chars()
            .enumerate()
            .filter(|(bit, _)| value >> bit & 1 != 0)
            .try_for_each(|(_, name)| out.write_char(name)),
        ModStyle::Access => match Access::from_bits(value) {
            Some(access) if !access.is_empty() => {
                let names = ACCESS_NAMES.iter().filter(|(_, flag)| access.contains(*flag));
                let names: Vec<&str> = names.map(|(name, _)| *name).collect();
                write!(out, "{}", names.join("|"))
            }
            _ => write!(out, "{value}"),
        },
        ModStyle::Number | ModStyle::Components => write!(out, "{value}"),
    }
}

fn write_definition(
    out: &mut Formatter<'_>,
    f: &Function<'_>,
    value: Value,
    registers: Option<&Registers>,
) -> fmt::Result {
    let ty = if f.values.contains(value) { f.ty(value) } else { Type::vector(0, 0) };
    let relaxed = f.values.contains(value) && f.values[value].relaxed;
    write!(out, "{value}:{ty}{}", if relaxed { "~" } else { "" })?;
    match registers.and_then(|registers| registers[value]) {
        Some(half) => {
            write!(out, "@")?;
            write_register(out, 'r', half, if ty.bits <= 16 { 16 } else { 32 })
        }
        None => Ok(()),
    }
}

fn write_source(out: &mut Formatter<'_>, src: Src, is_float: bool) -> fmt::Result {
    if src.flags.contains(OperandFlags::NEG) {
        write!(out, "-")?;
    }
    match src.kind {
        SrcKind::None => write!(out, "_")?,
        SrcKind::Value => write!(out, "%{}", src.payload)?,
        SrcKind::Imm => write_immediate(out, src.payload, src.bits, is_float)?,
        SrcKind::Uniform => write_register(out, 'u', src.payload as u16, src.bits)?,
    }
    for (name, flag) in FLAG_NAMES {
        if src.flags.contains(flag) {
            write!(out, ".{name}")?;
        }
    }
    Ok(())
}

fn write_immediate(out: &mut Formatter<'_>, payload: u64, bits: u8, is_float: bool) -> fmt::Result {
    if bits == 1 && payload <= 1 {
        return write!(out, "{}", payload == 1);
    }
    match float_text(payload, bits).filter(|_| is_float) {
        Some(text) => write!(out, "#{text}")?,
        None => {
            let unused = 64 - u32::from(bits.clamp(1, 64));
            let negative = ((payload << unused) as i64 >> unused).unsigned_abs();
            if payload <= MAX_DECIMAL {
                write!(out, "#{payload}")?;
            } else if negative <= MAX_DECIMAL {
                write!(out, "#-{negative}")?;
            } else {
                write!(out, "#{payload:#x}")?;
            }
        }
    }
    if bits == 32 { Ok(()) } else { write!(out, ":{bits}") }
}

/// The shortest decimal text that parses to exactly these bits; `None` for infinities and NaNs.
fn float_text(payload: u64, bits: u8) -> Option<String> {
    let (text, finite) = match bits {
        16 => {
            let number = Half::from_bits(payload as u16).to_f32();
            (format!("{number:?}"), number.is_finite())
        }
        32 => {
            let number = f32::from_bits(payload as u32);
            (format!("{number:?}"), number.is_finite())
        }
        64 => {
            let number = f64::from_bits(payload);
            (format!("{number:?}"), number.is_finite())
        }
        _ => return None,
    };
    finite.then_some(text)
}
