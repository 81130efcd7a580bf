//! Prints shaders in the form of Gallium's dumps; the text parses to an equal shader.
//!
//! Floats are printed as the hexadecimal digits of their bits, because decimal digits would lose some.

use std::fmt::Write;

use crate::model::{
    ALL_COMPONENTS, Access, Declaration, Detail, Dst, IDENTITY, Immediate, Index, Instruction, Predicate,
    Property, Saturate, Shader, Src, Texture,
};
use crate::names::{ImmediateType, Location, Qualifier, ReturnType, Target};
use crate::opcode::Opcode;

/// Letters of the components.
const LETTERS: [char; 4] = ['x', 'y', 'z', 'w'];

/// Prints a shader.
pub fn print(shader: &Shader) -> String {
    let mut out = String::new();
    out.push_str(shader.processor.name());
    out.push('\n');
    for each in &shader.properties {
        property(&mut out, each);
    }
    for each in &shader.declarations {
        declaration(&mut out, each);
    }
    for (number, each) in shader.immediates.iter().enumerate() {
        put(&mut out, format_args!("IMM[{number}] {} {{{}}}\n", each.kind.name(), numbers(each)));
    }
    let mut depth = 0usize;
    for each in &shader.instructions {
        depth = depth.saturating_sub(usize::from(each.opcode.closes()));
        instruction(&mut out, each, depth);
        depth += usize::from(each.opcode.opens());
    }
    out
}

/// Appends formatted text.
fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("invariant: writing to a string succeeds");
}

fn property(out: &mut String, property: &Property) {
    put(out, format_args!("PROPERTY {}", property.name.name()));
    let names = property.name.value_names().filter(|_| property.name.prints_names()).unwrap_or_default();
    for (number, value) in property.values.iter().enumerate() {
        out.push_str(if number > 0 { ", " } else { " " });
        match names.get(*value as usize) {
            Some(name) => out.push_str(name),
            None => put(out, format_args!("{value}")),
        }
    }
    out.push('\n');
}

fn declaration(out: &mut String, declaration: &Declaration) {
    put(out, format_args!("DCL {}", declaration.file.name()));
    if declaration.per_vertex {
        out.push_str("[]");
    }
    if let Some(dimension) = declaration.dimension {
        put(out, format_args!("[{dimension}]"));
    }
    let range = declaration.range;
    put(out, format_args!("[{}", range.first));
    if range.last != range.first {
        put(out, format_args!("..{}", range.last));
    }
    out.push(']');
    mask(out, declaration.mask);
    if let Some(array) = declaration.array {
        put(out, format_args!(", ARRAY({array})"));
    }
    if declaration.is_local {
        out.push_str(", LOCAL");
    }
    semantic(out, declaration);
    detail(out, &declaration.detail);
    interpolation(out, declaration);
    if declaration.is_invariant {
        out.push_str(", INVARIANT");
    }
    out.push('\n');
}

fn semantic(out: &mut String, declaration: &Declaration) {
    let Some(semantic) = declaration.semantic else { return };
    put(out, format_args!(", {}[{}]", semantic.name.name(), semantic.index));
    if semantic.streams != [0; 4] {
        let [x, y, z, w] = semantic.streams;
        put(out, format_args!(", STREAM({x}, {y}, {z}, {w})"));
    }
}

fn interpolation(out: &mut String, declaration: &Declaration) {
    let Some(interpolate) = declaration.interpolate else { return };
    put(out, format_args!(", {}", interpolate.mode.name()));
    if interpolate.location != Location::Center {
        put(out, format_args!(", {}", interpolate.location.name()));
    }
    if interpolate.cylindrical_wrap != 0 {
        out.push_str(", CYLWRAP_");
        letters(out, interpolate.cylindrical_wrap);
    }
}

fn detail(out: &mut String, detail: &Detail) {
    match detail {
        Detail::None => {}
        Detail::Image { target, format, is_writable, is_raw } => {
            put(out, format_args!(", {}", target.name()));
            if !format.is_empty() {
                put(out, format_args!(", {format}"));
            }
            out.push_str(if *is_writable { ", WR" } else { "" });
            out.push_str(if *is_raw { ", RAW" } else { "" });
        }
        Detail::View { target, returns } => view(out, *target, *returns),
        Detail::Buffer { is_atomic } => out.push_str(if *is_atomic { ", ATOMIC" } else { "" }),
        Detail::Memory(kind) => put(out, format_args!(", {}", kind.name())),
        Detail::Values(values) => {
            out.push_str(" {");
            for value in values {
                let words: Vec<String> = value.iter().map(|word| format!("{word:#010x}")).collect();
                put(out, format_args!(" {{{}}}", words.join(", ")));
            }
            out.push_str(" }");
        }
    }
}

fn view(out: &mut String, target: Target, returns: [ReturnType; 4]) {
    put(out, format_args!(", {}", target.name()));
    let same = returns.iter().all(|each| *each == returns[0]);
    for each in returns.iter().take(if same { 1 } else { 4 }) {
        put(out, format_args!(", {}", each.name()));
    }
}

/// The numbers of an immediate.
fn numbers(immediate: &Immediate) -> String {
    let words = immediate.words;
    let wide = |at: usize| u64::from(words[at]) | u64::from(words[at + 1]) << 32;
    let each: Vec<String> = match immediate.kind {
        ImmediateType::Float32 => words.iter().map(|word| format!("{word:#010x}")).collect(),
        ImmediateType::Uint32 => words.iter().map(u32::to_string).collect(),
        ImmediateType::Int32 => words.iter().map(|word| (*word as i32).to_string()).collect(),
        ImmediateType::Float64 => [0, 2].map(|at| format!("{:#018x}", wide(at))).to_vec(),
        ImmediateType::Uint64 => [0, 2].map(|at| wide(at).to_string()).to_vec(),
        ImmediateType::Int64 => [0, 2].map(|at| (wide(at) as i64).to_string()).to_vec(),
    };
    each.join(", ")
}

fn instruction(out: &mut String, instruction: &Instruction, depth: usize) {
    if let Some(label) = instruction.label {
        put(out, format_args!("{label:3}: "));
    }
    out.extend(std::iter::repeat_n("  ", depth.min(32)));
    if let Some(condition) = instruction.predicate {
        predicate(out, condition);
    }
    out.push_str(instruction.opcode.name());
    out.push_str(match instruction.saturate {
        Saturate::No => "",
        Saturate::ZeroOne => "_SAT",
        Saturate::MinusOneOne => "_SATNV",
    });
    out.push_str(if instruction.is_precise { "_PRECISE" } else { "" });
    let mut separator = " ";
    for dst in &instruction.dsts {
        out.push_str(separator);
        destination(out, dst);
        separator = ", ";
    }
    for src in &instruction.srcs {
        out.push_str(separator);
        source(out, src);
        separator = ", ";
    }
    if let Some(each) = &instruction.texture {
        texture(out, instruction.opcode, each);
    }
    if let Some(each) = &instruction.memory {
        access(out, each);
    }
    if let Some(target) = instruction.target {
        put(out, format_args!(" :{target}"));
    }
    out.push('\n');
}

fn predicate(out: &mut String, predicate: Predicate) {
    out.push_str(if predicate.negate { "(!" } else { "(" });
    put(out, format_args!("PRED[{}]", predicate.index));
    swizzle(out, predicate.swizzle);
    out.push_str(") ");
}

fn destination(out: &mut String, dst: &Dst) {
    out.push_str(dst.file.name());
    indices(out, dst.dimension, dst.index);
    mask(out, dst.mask);
}

/// Prints a source.
pub(crate) fn source(out: &mut String, src: &Src) {
    out.push_str(if src.negate { "-" } else { "" });
    out.push_str(if src.absolute { "|" } else { "" });
    out.push_str(src.file.name());
    indices(out, src.dimension, src.index);
    swizzle(out, src.swizzle);
    out.push_str(if src.absolute { "|" } else { "" });
}

fn indices(out: &mut String, dimension: Option<Index>, register: Index) {
    if let Some(dimension) = dimension {
        index(out, dimension);
    }
    index(out, register);
}

fn index(out: &mut String, index: Index) {
    match index.indirect {
        None => put(out, format_args!("[{}]", index.offset)),
        Some(indirect) => {
            let letter = LETTERS[usize::from(indirect.component & 3)];
            put(out, format_args!("[{}[{}].{letter}", indirect.file.name(), indirect.index));
            if index.offset != 0 {
                put(out, format_args!("{:+}", index.offset));
            }
            out.push(']');
        }
    }
    if index.array != 0 {
        put(out, format_args!("({})", index.array));
    }
}

fn mask(out: &mut String, mask: u8) {
    if mask != ALL_COMPONENTS {
        out.push('.');
        letters(out, mask);
    }
}

fn letters(out: &mut String, mask: u8) {
    out.extend((0..4).filter(|component| mask & 1 << component != 0).map(|component| LETTERS[component]));
}

fn swizzle(out: &mut String, swizzle: [u8; 4]) {
    if swizzle != IDENTITY {
        out.push('.');
        out.extend(swizzle.map(|component| LETTERS[usize::from(component & 3)]));
    }
}

fn texture(out: &mut String, opcode: Opcode, texture: &Texture) {
    if opcode.has_target() {
        put(out, format_args!(", {}", texture.target.name()));
    }
    for offset in &texture.offsets {
        put(out, format_args!(", {}[{}].", offset.file.name(), offset.index));
        out.extend(offset.swizzle.map(|component| LETTERS[usize::from(component & 3)]));
    }
}

fn access(out: &mut String, access: &Access) {
    for qualifier in Qualifier::ALL.iter().filter(|qualifier| access.has(**qualifier)) {
        put(out, format_args!(", {}", qualifier.name()));
    }
    if let Some(target) = access.target {
        put(out, format_args!(", {}", target.name()));
    }
    if let Some(format) = &access.format {
        put(out, format_args!(", {format}"));
    }
}

impl std::fmt::Display for Shader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&print(self))
    }
}
