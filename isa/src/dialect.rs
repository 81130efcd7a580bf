//! applegpu's spelling of instructions, to compare listings with applegpu's.
//!
//! Rows hold a template: text with parts in braces. `{name}` is an operand or the number of a modifier;
//! `{.name}` and `{, text name}` appear only if the operand is present (not absent, not 0); `{part:name}` is
//! one of the parts below.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use std::fmt::Write;

use crate::disasm::{NO_COMPONENTS, write_registers};
use crate::inst::{Inst, OperandFlags, Size, Tag};
use crate::operand::Style;
use crate::table::names;
use crate::{minifloat, sr};

/// The result of comparing our text of an instruction with applegpu's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Agreement {
    /// The same operands.
    Same,
    /// A deliberate difference, with its reason.
    OnPurpose(&'static str),
    /// A difference, with our text in applegpu's spelling.
    Different(String),
}

/// Compares our text of `inst` with applegpu's; runs of spaces are equivalent.
pub fn compare(inst: &Inst, text: &str) -> Agreement {
    let theirs = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let ours = applegpu(inst).unwrap_or_default();
    match differs_on_purpose(&ours, &theirs) {
        _ if ours == theirs => Agreement::Same,
        Some(reason) => Agreement::OnPurpose(reason),
        None => Agreement::Different(ours),
    }
}

/// Scans that applegpu prints as raw bits, with the names that its naming scheme implies. The bits are those
/// of the corresponding reductions.
const UNNAMED_SCANS: [(&str, &str); 2] = [
    ("simd_op 0b0, 0b0010000000011100,", "simd_prefix_min.f"),
    ("simd_op 0b0, 0b0011000000011100,", "simd_prefix_max.f"),
];

/// The reason for a deliberate difference between our text and applegpu's.
fn differs_on_purpose(ours: &str, theirs: &str) -> Option<&'static str> {
    let named =
        UNNAMED_SCANS.iter().find_map(|(raw, name)| Some(format!("{name}{}", theirs.strip_prefix(raw)?)));
    if named.is_some_and(|named| named == ours) {
        return Some("applegpu has no name for scans with a float minimum or maximum");
    }
    let is_select = theirs.starts_with("fcmpsel") || theirs.starts_with("icmpsel");
    let high = |(ours, theirs): (&str, &str)| {
        let number = |text: &str| text.strip_prefix('u').and_then(|digits| digits.parse::<u32>().ok());
        let raised = |(ours, theirs): (u32, u32)| ours.checked_sub(128) == Some(theirs);
        ours == theirs || number(ours).zip(number(theirs)).is_some_and(raised)
    };
    if is_select && ours.split(", ").zip(theirs.split(", ")).all(high) {
        return Some("applegpu drops bit 8 of the uniform index of a select's values");
    }
    None
}

/// An instruction in applegpu's spelling; `None` if it has none.
pub fn applegpu(inst: &Inst) -> Option<String> {
    let template = inst.op.desc().applegpu;
    if template.is_empty() {
        return None;
    }
    if let Some(alias) = alias(inst) {
        return Some(alias);
    }
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (part, after) = after.split_once('}')?;
        text.push_str(before);
        expand(&mut text, inst, part);
        rest = after;
    }
    text.push_str(rest);
    Some(text)
}

/// applegpu has special names for two comparisons that always hold.
fn alias(inst: &Inst) -> Option<String> {
    match crate::alias::Alias::of(inst)?.name {
        "update_exec" => Some("update_exec r0l".to_owned()),
        "push_exec" => Some(format!("push_exec r0l, {}", inst.modifier("nest"))),
        _ => None,
    }
}

fn expand(text: &mut String, inst: &Inst, part: &str) {
    if let Some((part, name)) = part.split_once(':') {
        if let Some((_, write)) = PARTS.iter().find(|(other, _)| *other == part) {
            text.push_str(&write(inst, name));
        }
    } else if let Some(name) = part.strip_prefix('.') {
        if inst.modifier(name) != 0 {
            text.push('.');
            text.push_str(name);
        }
    } else if let Some(optional) = part.strip_prefix(", ") {
        let (words, name) = optional.rsplit_once(' ').unwrap_or(("", optional));
        let absent = inst.operand(name).is_none_or(|operand| match operand.tag {
            Tag::None => true,
            Tag::Imm => operand.value == 0,
            _ => false,
        });
        if !absent {
            let space = if words.is_empty() { "" } else { " " };
            text.push_str(&format!(", {words}{space}{}", operand(inst, name)));
        }
    } else {
        text.push_str(&operand(inst, part));
    }
}

/// An operand in applegpu's spelling.
fn operand(inst: &Inst, name: &str) -> String {
    let found = inst.specified().find(|(_, _, spec)| spec.name == name);
    let Some((index, operand, spec)) = found else { return String::new() };
    let signed = spec.kind.forms.iter().any(|form| form.signed);
    let mut text = match (spec.kind.style, operand.tag) {
        (_, Tag::None) => "None".to_owned(),
        (Style::Target, _) => hex(operand.value as i32),
        (Style::Float, Tag::Imm) => format!("{:?}", minifloat::decode(operand.value as u8)),
        // applegpu shows indices sign-extended from 16 bits even if they are unsigned.
        (_, Tag::Imm) if signed && spec.bits <= 18 => (operand.value as i16).to_string(),
        (_, Tag::Imm) => operand.value.to_string(),
        _ => {
            let mut registers = String::new();
            write_registers(&mut registers, operand, inst.operand_count(index).max(1))
                .expect("invariant: writing to a string cannot fail");
            registers
        }
    };
    let shown = OperandFlags::ABS | OperandFlags::NEG | OperandFlags::CACHE | OperandFlags::DISCARD;
    let index_register = signed && operand.tag == Tag::Reg;
    let shown = if index_register { shown } else { shown | OperandFlags::SX };
    for (name, flag) in crate::disasm::FLAG_NAMES {
        if operand.flags.intersection(shown).contains(*flag) {
            text.push('.');
            text.push_str(name);
        }
    }
    text
}

fn hex(value: i32) -> String {
    let sign = if value < 0 { "-" } else { "" };
    format!("0x{sign}{:X}", value.unsigned_abs())
}

type Part = fn(&Inst, &str) -> String;

/// Parts of templates other than plain operands.
const PARTS: &[(&str, Part)] = &[
    ("name", name_of),
    ("letters", letters),
    ("sign", |inst, index| if is_signed(inst, index) { "signed".into() } else { "unsigned".into() }),
    ("condition", condition),
    ("quad", |inst, span| if inst.modifier(span) == 0 { "quad_".into() } else { String::new() }),
    ("special", special),
    ("width", width),
    ("bitop", bitop),
    ("todo", |inst, coherency| if inst.modifier(coherency) != 0 { ".TODO".into() } else { String::new() }),
    ("load_tail", |inst, coherency| {
        tail(inst.modifier(coherency), "", |value| format!(", 1, 0, {}, 0", 4 + value))
    }),
    ("store_tail", |inst, coherency| {
        tail(inst.modifier(coherency), ", 0", |value| format!(", 1, 1, 0, {value}, 0"))
    }),
    ("atomic_tail", atomic_tail),
    ("image_tail", |inst, coherency| (9 + 2 * inst.modifier(coherency)).to_string()),
    ("plus128", |inst, name| (128 + inst.modifier(name)).to_string()),
    ("halfword", |inst, index| inst.modifier(index).to_string()),
    ("shuffle", shuffle),
    ("prefix", |inst, prefix| if inst.modifier(prefix) != 0 { "prefix_".into() } else { String::new() }),
    ("reduction", reduction),
    ("final", |inst, last| if inst.modifier(last) != 0 { "_final".into() } else { String::new() }),
    ("interpolation", |inst, mode| {
        ["center", "sample", "centroid", "sample"]
            .get(inst.modifier(mode) as usize)
            .copied()
            .unwrap_or_default()
            .into()
    }),
    ("query", |inst, query| if inst.modifier(query) != 0 { ", query_lod".into() } else { String::new() }),
    ("gather", |inst, gather| match name_of(inst, gather) {
        name if name.is_empty() => "none".into(),
        name => name,
    }),
    ("coordinates", coordinates),
    ("lod", lod_mode),
    ("lod_value", |inst, lod| match operand(inst, lod) {
        text if text == "None" => "0".into(),
        text => text,
    }),
    ("rounding", |inst, rtz| if inst.modifier(rtz) != 0 { "rtz".into() } else { "rte".into() }),
];

fn tail(coherency: u32, plain: &str, other: impl Fn(u32) -> String) -> String {
    if coherency == 0 { plain.to_owned() } else { other(coherency) }
}

fn name_of(inst: &Inst, modifier: &str) -> String {
    let spec = inst.op.desc().operands.iter().find(|spec| spec.name == modifier);
    let names = match spec.map(|spec| spec.kind.style) {
        Some(Style::Names(names)) => names,
        _ => &[],
    };
    let value = inst.modifier(modifier);
    names.get(value as usize).map_or_else(|| value.to_string(), |name| (*name).to_owned())
}

fn letters(inst: &Inst, mask: &str) -> String {
    let value = inst.modifier(mask);
    let letters: String =
        "xyzw".chars().enumerate().filter(|(i, _)| value >> i & 1 == 1).map(|(_, c)| c).collect();
    if letters.is_empty() { NO_COMPONENTS.to_owned() } else { letters }
}

/// Whether an index is signed: a register by its flag, an immediate unless marked otherwise.
fn is_signed(inst: &Inst, index: &str) -> bool {
    inst.operand(index).is_some_and(|operand| match operand.tag {
        Tag::Imm => !operand.flags.contains(OperandFlags::ZX),
        _ => operand.flags.contains(OperandFlags::SX),
    })
}

fn condition(inst: &Inst, cond: &str) -> String {
    let name = name_of(inst, cond);
    let name = match name.as_str() {
        "ge" => "gte",
        "le" => "lte",
        other => other,
    };
    if inst.modifier("inv") == 0 {
        return name.to_owned();
    }
    match name {
        "ult" => "ugte".to_owned(),
        "ugt" => "ulte".to_owned(),
        "slt" => "sgte".to_owned(),
        "sgt" => "slte".to_owned(),
        other => format!("n{other}"),
    }
}

fn special(inst: &Inst, number: &str) -> String {
    let number = inst.modifier(number);
    match sr::by_number(number) {
        Some(register) => format!("sr{number} ({})", register.name),
        None => format!("sr{number}"),
    }
}

fn width(inst: &Inst, width: &str) -> String {
    match inst.modifier(width) & 31 {
        0 => String::new(),
        width => format!(", mask 0x{:X}", (1u32 << width).wrapping_sub(1)),
    }
}

fn bitop(inst: &Inst, _: &str) -> String {
    let mut text = String::new();
    let [dst, a, b] = ["dst", "a", "b"].map(|name| operand(inst, name));
    let written = match crate::alias::Alias::of(inst) {
        Some(alias) if alias.fixes("b") => write!(text, "{} {dst}, {a}", alias.name),
        Some(alias) => write!(text, "{} {dst}, {a}, {b}", alias.name),
        None => write!(text, "bitop {dst}, {}, {a}, {b}", inst.modifier("table")),
    };
    written.expect("invariant: writing to a string cannot fail");
    text
}

/// Bits 42:44 and 45:46 as two numbers.
fn atomic_tail(inst: &Inst, coherency: &str) -> String {
    let coherency = inst.modifier(coherency);
    format!("{}, {}", inst.modifier("shift") | (coherency & 1) << 2, 2 | coherency >> 1)
}

fn shuffle(inst: &Inst, op: &str) -> String {
    let span = if inst.modifier("simd") == 0 { "quad" } else { "simd" };
    let rotate = if inst.modifier("rotate") != 0 { "_rotate" } else { "" };
    match name_of(inst, op) {
        name if name.is_empty() => format!("{span}_shuffle{rotate}"),
        name => format!("{span}_shuffle{rotate}_{name}"),
    }
}

fn reduction(inst: &Inst, op: &str) -> String {
    let name = name_of(inst, op);
    let pairs = [
        ("fmin", "min.f"),
        ("fmax", "max.f"),
        ("smin", "min.s"),
        ("smax", "max.s"),
        ("umin", "min.u"),
        ("umax", "max.u"),
    ];
    pairs.iter().find(|(own, _)| *own == name).map_or(name.clone(), |(_, theirs)| (*theirs).to_owned())
}

/// applegpu counts layers and sample numbers as half registers, so it writes all registers in halves.
fn coordinates(inst: &Inst, name: &str) -> String {
    let found = inst.specified().find(|(_, _, spec)| spec.name == name);
    let Some((index, mut operand)) = found.map(|(index, operand, _)| (index, *operand)) else {
        return String::new();
    };
    let mut count = inst.operand_count(index);
    let has_layer = matches!(inst.modifier("dim"), 1 | 3 | 4 | 7 | 8) && inst.modifier("query") == 0;
    if has_layer && operand.size == Size::B32 {
        operand.size = Size::B16;
        count = count.saturating_mul(2).saturating_sub(1);
    }
    let mut text = String::new();
    write_registers(&mut text, &operand, count).expect("invariant: writing to a string cannot fail");
    text
}

fn lod_mode(inst: &Inst, mode: &str) -> String {
    match inst.modifier(mode) {
        0 => "auto_lod",
        1 | 5 => "auto_lod_bias",
        2 | 6 => "lod_min",
        4 => "lod_grad",
        12 => "lod_grad_min",
        9 | 13 => "auto_lod_bias_min",
        other => names::LOD_MODES.get(other as usize).copied().unwrap_or_default(),
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_refer_to_existing_operands_and_parts() {
        for op in crate::Opcode::ALL {
            for part in op.desc().applegpu.split('{').skip(1) {
                let part = part.split('}').next().unwrap_or_default();
                let (kind, name) = part.split_once(':').unwrap_or(("", part));
                assert!(
                    kind.is_empty() || PARTS.iter().any(|(other, _)| *other == kind),
                    "{}: {part}",
                    op.name()
                );
                let name = name.rsplit([' ', '.']).next().unwrap_or_default();
                assert!(op.desc().operand_index(name).is_some(), "{}: {part}", op.name());
            }
        }
    }
}
