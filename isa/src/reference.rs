//! The reference manual: Markdown pages generated from the table.

use std::fmt::Write;

use crate::alias::ALIASES;
use crate::desc::{
    Count, InstDesc, Length, OperandDesc, OrderClass, Reach, Results, Role, Unit, WaitBehaviour,
};
use crate::inst::{OperandFlags, Size, Tag};
use crate::operand::{Form, OperandKind, Style};
use crate::sr::SPECIAL_REGISTERS;
use crate::table::{FAMILIES, INSTS};

/// A page: its path relative to `docs`, and its text.
pub type Page = (String, String);

/// All pages, the overview first.
pub fn pages() -> Vec<Page> {
    let overview = ("isa.md".to_owned(), overview());
    let family = |(name, title): &(&str, &str)| (format!("isa/{name}.md"), family_page(name, title));
    std::iter::once(overview).chain(FAMILIES.iter().map(family)).collect()
}

const INTRODUCTION: &str = "\
# The AGX instruction set (G13, G14)

Generated from the instruction table (`isa/src/table`); `BLESS=1 cargo test -p agx-isa --test reference` rewrites it.
G13G is the M1, G13X the M1 Pro, Max and Ultra, G14G the M2, G14X the M2 Pro, Max and Ultra; all of them have the same
instructions. Chips from the M3 on have another instruction set.

A SIMD-group has 32 lanes; quads are lanes 4k to 4k+3. Each lane has up to 128 32-bit registers r0 to r127, which are
256 half-registers r0l, r0h, r1l …. All lanes share 256 32-bit uniform registers u0 to u255, and texture-state
(ts), sampler-state (ss) and coefficient (cf) registers. r0l is the nesting counter of the execution mask (a lane runs
when it is 0), r1 the link register of calls.

Instructions are 2 to 12 bytes long, in steps of 2, little-endian. Bit 0 is the lowest bit of the first byte. Where two
lengths are given, the L bit selects one: 0 is the short form, whose missing bits read as 0. Bits that no field names
must be 0. Multi-part fields are given low part first; `a[7:6]` are bits 6 and 7 of field `a`.

";

const LEGEND: &str = "
## Operands

Fields are gathered from their pieces into one number, low part first. A form applies when its selector bits match; the
number is in the low bits. Registers and uniforms are numbered in halves: r5l is 10, r5h 11, r5 10. Register hints are
two bits: 1 none, 2 keep in the cache, 3 discard.

";

fn overview() -> String {
    let mut page = INTRODUCTION.to_owned();
    page.push_str("## Instructions\n\n");
    for (name, title) in FAMILIES {
        let rows = INSTS.iter().filter(|row| row.family == *name);
        let links: Vec<String> = rows.map(|row| format!("[{0}](isa/{name}.md#{0})", row.name)).collect();
        line(&mut page, format_args!("* **{title}**: {}", links.join(", ")));
    }
    page.push_str("\n## Aliases\n\nNames in assembly text for rows with some operands fixed.\n\n| name | row | fixed |\n|---|---|---|\n");
    for alias in ALIASES {
        let fixed: Vec<String> =
            alias.fixed.iter().map(|(name, value)| format!("{name} = {}", value.value)).collect();
        line(&mut page, format_args!("| {} | {} | {} |", alias.name, alias.op.name(), fixed.join(", ")));
    }
    page.push_str(LEGEND);
    kinds(&mut page);
    page.push_str("## Special registers\n\n| number | name | remarks |\n|---|---|---|\n");
    for register in SPECIAL_REGISTERS {
        line(&mut page, format_args!("| {} | {} | {} |", register.number, register.name, register.doc));
    }
    page
}

fn line(page: &mut String, text: std::fmt::Arguments<'_>) {
    writeln!(page, "{text}").expect("invariant: writing to a string cannot fail");
}

/// Every operand kind with more than trivial forms, in order of first use in the table.
fn kinds(page: &mut String) {
    let mut told: Vec<OperandKind> = Vec::new();
    for kind in INSTS.iter().flat_map(|row| row.operands).map(|operand| operand.kind) {
        if kind.plain || told.contains(&kind) {
            continue;
        }
        told.push(kind);
        line(
            page,
            format_args!(
                "### {}\n\n| operand | selector bits | number | flags |\n|---|---|---|---|",
                kind.name
            ),
        );
        for form in kind.forms {
            line(page, format_args!("| {} |", form_cells(form, kind.style).join(" | ")));
        }
        page.push('\n');
    }
}

fn form_cells(form: &Form, style: Style) -> [String; 4] {
    let size = match (form.tag, form.size) {
        (Tag::Reg | Tag::Uniform, Size::B16) => "16-bit ",
        (Tag::Reg | Tag::Uniform, Size::B32) => "32-bit ",
        (Tag::Reg | Tag::Uniform, Size::B64) => "64-bit ",
        _ => "",
    };
    let what = match form.tag {
        Tag::None => "absent",
        Tag::Imm if style == Style::Float => "minifloat",
        Tag::Imm if form.signed => "signed immediate",
        Tag::Imm => "immediate",
        Tag::Reg => "register",
        Tag::Uniform => "uniform",
        Tag::TextureState => "texture state",
        Tag::SamplerState => "sampler state",
        Tag::Coefficient => "coefficient",
    };
    let mut selected = Vec::new();
    if form.select_mask != 0 {
        selected.push(format!(
            "bits {} = {}",
            bit_list(form.select_mask.into()),
            values(form.select_mask, form.select_value)
        ));
    }
    if form.context_mask != 0 {
        let value = crate::field::extract(form.context_value, &pieces_of(form.context_mask));
        selected.push(format!("instruction {} = {value:#b}", bit_list(form.context_mask)));
    }
    let number = match (form.bits, form.scale) {
        (0, _) => "none".to_owned(),
        (bits, 0) => format!("{bits} bits"),
        (bits, scale) => format!("{bits} bits, times {}", 1 << scale),
    };
    [format!("{size}{what}"), selected.join(", "), number, flag_cell(form)]
}

fn flag_cell(form: &Form) -> String {
    let name = |flag: OperandFlags| {
        crate::disasm::FLAG_NAMES.iter().find(|(_, other)| *other == flag).map_or("", |(name, _)| *name)
    };
    let own = form.flags.iter().map(|bit| {
        let absent = if bit.set { "" } else { " when 0" };
        format!("{} at {}{absent}", name(bit.flag), bit.bit)
    });
    let hint = form.hint.map(|at| format!("hint at {at}:{}", at + 1));
    let implied = (!form.implied.is_empty()).then(|| format!("always {}", name(form.implied)));
    hint.into_iter().chain(own).chain(implied).collect::<Vec<_>>().join(", ")
}

fn pieces_of(mask: u128) -> Vec<crate::desc::Piece> {
    (0..128).filter(|bit| mask >> bit & 1 == 1).map(|lo| crate::desc::Piece { lo, len: 1 }).collect()
}

fn values(mask: u64, value: u64) -> String {
    let width = mask.count_ones() as usize + 2;
    format!("{:#0width$b}", crate::field::extract(value.into(), &pieces_of(mask.into())))
}

/// Bit positions as `3, 7:9`.
fn bit_list(mask: u128) -> String {
    crate::decode::BitList(mask).to_string()
}

fn family_page(name: &str, title: &str) -> String {
    let mut page = format!("# {title}\n\nGenerated from the instruction table. [Overview](../isa.md)\n");
    for row in INSTS.iter().filter(|row| row.family == name) {
        row_section(&mut page, row);
    }
    page
}

fn row_section(page: &mut String, row: &InstDesc) {
    line(page, format_args!("\n## {}\n\n{}\n", row.name, row.doc));
    page.push_str("```text\n");
    diagram(page, row);
    page.push_str("```\n\n");
    if !row.operands.is_empty() {
        page.push_str("| operand | role | kind | bits | remarks |\n|---|---|---|---|---|\n");
        for operand in row.operands {
            operand_row(page, operand);
        }
        page.push('\n');
    }
    facts(page, row);
}

/// The encoding of an instruction, highest bit first, 16 bits per line.
fn diagram(page: &mut String, row: &InstDesc) {
    let length = match row.length {
        Length::Fixed(bytes) => format!("{bytes} bytes"),
        Length::Extensible { short, long, l_bit, prefer_long } => {
            let preferred = if prefer_long { ", always long in practice" } else { "" };
            format!("{short} or {long} bytes, L = bit {l_bit}{preferred}")
        }
    };
    line(page, format_args!("{length}"));
    for half in 0..row.length.longest() / 2 {
        let bits = (half * 16..half * 16 + 16).map(|bit| bit_name(row, bit));
        let mut cells: Vec<(String, u8, u8)> = Vec::new();
        for (bit, (name, index)) in (half * 16..).zip(bits) {
            let joined = cells.last_mut().filter(|(last, _, _)| joins(last, &name, index));
            match joined {
                Some(cell) => *cell = extend(cell, &name, index, bit),
                None => cells.push((start(&name, index), bit, bit)),
            }
        }
        let cells: Vec<String> =
            cells.iter().rev().map(|(text, low, high)| cell_text(text, *low, *high)).collect();
        line(page, format_args!("{:>3}..{:<2} | {}", half * 16 + 15, half * 16, cells.join(" | ")));
    }
}

/// The meaning of a bit: a field's name and the index in it, or a constant.
fn bit_name(row: &InstDesc, bit: u8) -> (String, Option<u32>) {
    if let Length::Extensible { l_bit, .. } = row.length
        && l_bit == bit
    {
        return ("L".to_owned(), None);
    }
    for operand in row.operands {
        let mut at = 0;
        for piece in operand.pieces {
            if (piece.lo..piece.lo + piece.len).contains(&bit) {
                let index = (operand.bits > 1).then_some(at + u32::from(bit - piece.lo));
                return (operand.name.to_owned(), index);
            }
            at += u32::from(piece.len);
        }
    }
    ((if row.value >> bit & 1 == 1 { "1" } else { "0" }).to_owned(), None)
}

fn is_constant(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0' | b'1'))
}

/// Whether a bit extends the preceding cell: constants join, and so do adjacent bits of one field.
fn joins(last: &str, name: &str, index: Option<u32>) -> bool {
    match index {
        None => is_constant(last) && is_constant(name),
        Some(index) => last
            .strip_prefix(name)
            .and_then(|rest| {
                rest.strip_prefix('[')?.strip_suffix(']')?.split(':').next()?.parse::<u32>().ok()
            })
            .is_some_and(|high| high + 1 == index),
    }
}

fn start(name: &str, index: Option<u32>) -> String {
    index.map_or(name.to_owned(), |index| format!("{name}[{index}:{index}]"))
}

fn extend(cell: &(String, u8, u8), name: &str, index: Option<u32>, bit: u8) -> (String, u8, u8) {
    let text = match index {
        None => format!("{name}{}", cell.0),
        Some(index) => {
            let low = cell.0.rsplit(':').next().unwrap_or_default();
            format!("{name}[{index}:{low}")
        }
    };
    (text, cell.1, bit)
}

fn cell_text(text: &str, low: u8, high: u8) -> String {
    // A one-bit field needs no range, nor does a single index.
    let text = match text.split_once('[') {
        Some((name, range)) => {
            let (high, low) = range.trim_end_matches(']').split_once(':').unwrap_or((range, range));
            if high == low { format!("{name}[{high}]") } else { format!("{name}[{range}") }
        }
        None => text.to_owned(),
    };
    if low == high { format!("{low} {text}") } else { format!("{high}:{low} {text}") }
}

fn operand_row(page: &mut String, operand: &OperandDesc) {
    let role = match operand.role {
        Role::Dst => "destination",
        Role::Src => "source",
        Role::Mod => "modifier",
        Role::Unknown => "unknown",
    };
    let bits: Vec<String> = operand
        .pieces
        .iter()
        .map(|piece| match piece.len {
            1 => piece.lo.to_string(),
            len => format!("{}:{}", piece.lo, piece.lo + len - 1),
        })
        .collect();
    let remarks = remarks(operand).join("; ");
    line(
        page,
        format_args!(
            "| {} | {role} | {} | {} | {remarks} |",
            operand.name,
            operand.kind.name,
            bits.join(", ")
        ),
    );
}

fn remarks(operand: &OperandDesc) -> Vec<String> {
    let mut remarks = Vec::new();
    if let Style::Names(names) = operand.kind.style {
        let named = names.iter().enumerate().filter(|(_, name)| !name.is_empty());
        remarks.push(named.map(|(i, name)| format!("{i} {name}")).collect::<Vec<_>>().join(", "));
    }
    if operand.default.tag == Tag::Imm && operand.default.value != 0 {
        remarks.push(format!("usually {}", operand.default.value));
    }
    let count = match operand.count {
        Count::Fixed(1) => "",
        Count::Fixed(2) => "two registers",
        Count::Fixed(3) => "three registers",
        Count::Fixed(_) => "four registers",
        Count::UpTo(_) => "four registers, of which it uses those whose components the image has",
        Count::Mask => "one register per bit of mask",
        Count::CountField => "count registers, 0 means 4",
        Count::Coordinates => "as many registers as dim requires, then layer or sample",
        Count::Lod => "as many registers as lod_mode requires",
        Count::Exchange => "two registers for cmpxchg",
        Count::DepthStencil => "depth, then stencil",
        Count::CompareOffset => "reference, then offset",
    };
    remarks.extend((!count.is_empty()).then(|| count.to_owned()));
    if operand.kind.takes(Tag::Uniform) {
        match operand.reach {
            Reach::None => remarks.push("compilers do not use uniforms here".to_owned()),
            Reach::Low => remarks.push("uniforms below u128".to_owned()),
            Reach::All => {}
        }
    }
    remarks
}

fn facts(page: &mut String, row: &InstDesc) {
    let unit = match row.unit {
        Unit::None => None,
        Unit::F32 => Some("32-bit float pipe"),
        Unit::F16 => Some("16-bit float pipe"),
        Unit::Scib => Some("select, compare, integer, bitwise pipe"),
        Unit::Ic => Some("integer multiply, shift, complex pipe"),
    };
    if let Some(unit) = unit {
        line(page, format_args!("* Timing: {unit}; latency {}, throughput {}.", row.latency, row.throughput));
    }
    if let Some(variant) = row.variant {
        let (latency, throughput) = (variant.latency, variant.throughput);
        let which = format!("{} = {}", variant.modifier, variant.value);
        line(page, format_args!("* Timing with {which}: latency {latency}, throughput {throughput}."));
    }
    if !row.effects.is_empty() {
        let names: Vec<String> =
            row.effects.iter_names().map(|(name, _)| name.to_ascii_lowercase().replace('_', " ")).collect();
        line(page, format_args!("* Effects: {}.", names.join(", ")));
    }
    let order = match row.order {
        OrderClass::None => "",
        OrderClass::Coverage => "with coverage operations",
        OrderClass::Barrier => "with everything",
        OrderClass::Memory => "with memory operations",
        OrderClass::Control => "never moves",
    };
    if !order.is_empty() {
        line(page, format_args!("* Stays in order: {order}."));
    }
    let results = [
        (Results::ROUNDED, "a 16-bit destination receives the float rounded once more"),
        (Results::CUT, "a 16-bit destination receives the low half"),
        (Results::APART, "shares no register with `a` and `b`"),
    ];
    for (_, what) in results.iter().filter(|(flag, _)| row.results.contains(*flag)) {
        line(page, format_args!("* Result: {what}."));
    }
    if row.wait == WaitBehaviour::Async {
        line(page, format_args!("* Asynchronous: results are available after a `wait` on its group."));
    }
    if !row.assumed.is_empty() {
        line(page, format_args!("* Assumed: {}.", row.assumed));
    }
    line(page, format_args!("* Chips: G13G, G13X, G14G, G14X. Sources: {}.", row.source));
    if row.unseen {
        line(page, format_args!("* Not checked against a published encoding, because none was available."));
    }
}
