//! Prints programs as text that [`crate::asm`] assembles to the same words.
//!
//! Operand descriptors come first, by number, and every instruction has its descriptor's number in braces.
//! Targets are labels. Words that have an unknown opcode or unknown bits are printed as `.word`.

use std::fmt::Write;

use crate::descriptor::{COMPONENTS, MaskText, SelectorText};
use crate::f24;
use crate::inst::Inst;
use crate::opcode::{Field, Format, Opcode};
use crate::program::{
    BOOL_BASE, Constant, FLOAT_BASE, GeometryMode, INT_BASE, Output, Program, Semantic, Shader, Stage,
    Uniform, uniform_name,
};
use crate::register::Combine;

/// The text of a program and, if one is given, the directives of a shader.
pub fn disassemble(program: &Program, shader: Option<&Shader>) -> String {
    let mut out = String::new();
    if let Some(shader) = shader {
        directives(&mut out, program, shader);
    }
    for (index, descriptor) in program.descriptors.iter().enumerate() {
        line(&mut out, format_args!(".opdesc {:#010x} ; {{{index}}}", descriptor.0));
    }
    let targets = targets(program);
    for (address, word) in program.code.iter().enumerate() {
        if targets.get(address).copied().unwrap_or(false) {
            line(&mut out, format_args!("L{address}:"));
        }
        line(&mut out, format_args!("    {}", word_text(program, *word)));
    }
    if targets.get(program.code.len()).copied().unwrap_or(false) {
        line(&mut out, format_args!("L{}:", program.code.len()));
    }
    out
}

/// Appends a line.
fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    let written = writeln!(out, "{text}");
    debug_assert!(written.is_ok(), "a string takes any text");
}

/// The text of one instruction, without a line end.
pub fn inst_text(program: &Program, inst: &Inst) -> String {
    let name = inst.opcode.desc().name;
    match operands(program, inst) {
        text if text.is_empty() => name.to_owned(),
        text => format!("{name} {text}"),
    }
}

fn word_text(program: &Program, word: u32) -> String {
    match Inst::decode(word) {
        Some(inst) if inst.unused == 0 && fits(program, &inst) => inst_text(program, &inst),
        Some(inst) => format!(".word {word:#010x} ; {}", inst.opcode.desc().name),
        None => format!(".word {word:#010x}"),
    }
}

/// Whether assembly can express the word: the descriptor exists, an address register applies to a uniform,
/// and a jump's count is 0 or 1.
fn fits(program: &Program, inst: &Inst) -> bool {
    let described = inst.descriptor().is_none_or(|index| index < program.descriptors.len());
    let addressed = inst.get(Field::Address) == 0 || (1..=3).any(|number| inst.address(number).is_some());
    let count = inst.get(Field::Count);
    let counted = match inst.opcode {
        Opcode::Jmpc => count == 0,
        Opcode::Jmpu => count <= 1,
        _ => true,
    };
    // The reference value of an unused code is printed as 1.
    let conditional = matches!(inst.opcode.desc().format, Format::Conditional | Format::Break);
    let condition = inst.condition();
    let tested = !conditional
        || match condition.combine {
            Combine::X => condition.y,
            Combine::Y => condition.x,
            Combine::Or | Combine::And => true,
        };
    // An empty mask cannot be printed, nor can a mova of z or w.
    let written = match inst.opcode {
        Opcode::Mova => !mova_mask(program, inst).is_empty(),
        _ => inst.dest().is_none() || program.descriptor(inst).0 & 0xf != 0,
    };
    described && addressed && counted && tested && written
}

/// The components of a0 that a mova writes; empty for masks that cannot be printed.
fn mova_mask(program: &Program, inst: &Inst) -> &'static str {
    match program.descriptor(inst).0 & 0xf {
        0b1000 => "a0.x",
        0b0100 => "a0.y",
        0b1100 => "a0.xy",
        _ => "",
    }
}

/// Addresses that need a label.
fn targets(program: &Program) -> Vec<bool> {
    let mut labels = vec![false; program.code.len() + 1];
    let mut mark = |address: u32| {
        if let Some(label) = labels.get_mut(address as usize) {
            *label = true;
        }
    };
    for inst in program.code.iter().filter_map(|word| Inst::decode(*word)) {
        match inst.opcode.desc().format {
            Format::Loop => mark(inst.target()),
            Format::Call | Format::Conditional | Format::Uniform => {
                mark(inst.target());
                if !matches!(inst.opcode, Opcode::Jmpc | Opcode::Jmpu) {
                    mark(inst.range_end());
                }
            }
            _ => {}
        }
    }
    labels
}

/// A label, or a number for an address past the end.
fn target(program: &Program, address: u32) -> String {
    if address as usize <= program.code.len() { format!("L{address}") } else { format!("@{address}") }
}

fn source(program: &Program, inst: &Inst, number: usize) -> String {
    let Some(register) = inst.source(number) else { return String::new() };
    let descriptor = program.descriptor(inst);
    let sign = if descriptor.negates(number) { "-" } else { "" };
    let address = inst.address(number).map_or(String::new(), |address| format!("[{}]", address.name()));
    format!("{sign}{register}{address}{}", SelectorText(descriptor.selector(number)))
}

fn operands(program: &Program, inst: &Inst) -> String {
    let descriptor = program.descriptor(inst);
    let suffix = inst.descriptor().map_or(String::new(), |index| format!(" {{{index}}}"));
    let dest = inst.dest().map_or(String::new(), |dest| format!("{dest}{}", MaskText(descriptor)));
    let src = |number| source(program, inst, number);
    let place = || target(program, inst.target());
    let end = || target(program, inst.range_end());
    match inst.opcode.desc().format {
        Format::Plain => String::new(),
        Format::Unary => format!("{dest}, {}{suffix}", src(1)),
        Format::AddressMove => format!("{}, {}{suffix}", mova_mask(program, inst), src(1)),
        Format::Binary | Format::BinaryInverted => format!("{dest}, {}, {}{suffix}", src(1), src(2)),
        Format::Compare => {
            let [x, y] = inst.comparisons().map(|compare| compare.name());
            format!("{}, {x}, {y}, {}{suffix}", src(1), src(2))
        }
        Format::MultiplyAdd | Format::MultiplyAddInverted => {
            format!("{dest}, {}, {}, {}{suffix}", src(1), src(2), src(3))
        }
        Format::Call => format!("{}, {}", place(), end()),
        Format::Conditional if inst.opcode == Opcode::Jmpc => format!("{}, {}", inst.condition(), place()),
        Format::Conditional => format!("{}, {}, {}", inst.condition(), place(), end()),
        Format::Uniform if inst.opcode == Opcode::Jmpu => {
            let sign = if inst.expected_bool() { "" } else { "!" };
            format!("{sign}b{}, {}", inst.bool_uniform(), place())
        }
        Format::Uniform => format!("b{}, {}, {}", inst.bool_uniform(), place(), end()),
        Format::Break => inst.condition().to_string(),
        Format::Loop => format!("i{}, {}", inst.int_uniform(), place()),
        Format::SetEmit => {
            let primitive = if inst.get(Field::Primitive) != 0 { " prim" } else { "" };
            let inverted = if inst.get(Field::Winding) != 0 { " inv" } else { "" };
            let comma = if primitive.is_empty() && inverted.is_empty() { "" } else { "," };
            format!("{}{comma}{primitive}{inverted}", inst.get(Field::Vertex))
        }
    }
}

/// Prints the directives of a shader.
fn directives(out: &mut String, program: &Program, shader: &Shader) {
    match shader.stage {
        Stage::Geometry => line(out, format_args!("{}", mode_text(shader))),
        // The directive matters only to a text with `setemit`.
        Stage::Vertex => {
            let mut opcodes = program.code.iter().filter_map(|word| Inst::decode(*word));
            if opcodes.any(|inst| inst.opcode == Opcode::Setemit) {
                line(out, format_args!(".vsh"));
            }
        }
    }
    line(out, format_args!(".entry @{} @{}", shader.entry, shader.end));
    for constant in &shader.constants {
        line(out, format_args!("{}", constant_text(constant)));
    }
    for output in &shader.outputs {
        let components = COMPONENTS.iter().enumerate().filter(|(index, _)| output.mask >> index & 1 != 0);
        let mask: String = components.map(|(_, name)| *name).collect();
        line(out, format_args!(".out - {} o{}.{mask}", output.semantic.name(), output.register));
    }
    for uniform in &shader.uniforms {
        line(out, format_args!("{}", uniform_text(uniform)));
    }
}

/// The directive that states the mode of a geometry shader. Its form without operands is for shaders that do
/// not merge their outputs.
fn mode_text(shader: &Shader) -> String {
    let geometry = shader.geometry;
    let is_dummy = |output: &Output| output.semantic == Semantic::Dummy;
    let rest = match geometry.mode {
        GeometryMode::Point if shader.outputs.iter().any(is_dummy) && !shader.merges_outputs => {
            return ".gsh".to_owned();
        }
        GeometryMode::Point => String::new(),
        GeometryMode::Variable => format!(" {}", geometry.variable_vertices),
        GeometryMode::Fixed => format!(" c{} {}", geometry.fixed_start, geometry.fixed_vertices),
    };
    format!(".gsh {} c0{rest}", geometry.mode.name())
}

fn constant_text(constant: &Constant) -> String {
    let list = |parts: Vec<String>| parts.join(", ");
    match constant {
        Constant::Bool { register, value } => format!(".setb b{register} {value}"),
        Constant::Int { register, value } => {
            format!(".seti i{register}({})", list(value.iter().map(u8::to_string).collect()))
        }
        Constant::Float { register, value } => {
            let parts = value.iter().map(|bits| number(f24::to_f32(*bits))).collect();
            format!(".setf c{register}({})", list(parts))
        }
    }
}

/// A number that parses to the same bits.
fn number(value: f32) -> String {
    format!("{value:?}")
}

fn uniform_text(uniform: &Uniform) -> String {
    let register = uniform_name(uniform.first);
    let directive = match uniform.first {
        0..FLOAT_BASE => ".in",
        FLOAT_BASE..INT_BASE => ".fvec",
        INT_BASE..BOOL_BASE => ".ivec",
        _ => ".bool",
    };
    let name = uniform.name.replace('.', "$");
    match uniform.last.saturating_sub(uniform.first) {
        0 => format!("{directive} {name} {register}"),
        more => format!("{directive} {name}[{}] {register}", more + 1),
    }
}
