//! Writing containers.

use super::{Container, ContainerError, DVLE_HEADER, DVLP_HEADER, MAGIC};
use crate::program::{Constant, MAX_CODE, MAX_DESCRIPTORS, Program, Shader};

/// The version that picasso writes into DVLE parts.
const DVLE_VERSION: u16 = 0x1002;

fn word(out: &mut Vec<u8>, value: usize) {
    out.extend_from_slice(&(value as u32).to_le_bytes());
}

fn half(out: &mut Vec<u8>, value: u16) {
    out.extend_from_slice(&value.to_le_bytes());
}

/// Writes a file.
pub(super) fn write(container: &Container) -> Result<Vec<u8>, ContainerError> {
    let program = write_program(&container.program)?;
    let shaders: Vec<Vec<u8>> = container.shaders.iter().map(write_shader).collect();
    let mut out = MAGIC.to_vec();
    word(&mut out, shaders.len());
    let mut offset = 8 + 4 * shaders.len() + program.len();
    for shader in &shaders {
        word(&mut out, offset);
        offset += shader.len();
    }
    out.extend_from_slice(&program);
    shaders.iter().for_each(|shader| out.extend_from_slice(shader));
    Ok(out)
}

fn write_program(program: &Program) -> Result<Vec<u8>, ContainerError> {
    let (words, descriptors) = (program.code.len(), program.descriptors.len());
    let limited = |what, count, limit| {
        if count > limit { Err(ContainerError::TooMany { what, count, limit }) } else { Ok(()) }
    };
    limited("instructions", words, MAX_CODE)?;
    limited("operand descriptors", descriptors, MAX_DESCRIPTORS)?;
    let mut out = b"DVLP".to_vec();
    let names = DVLP_HEADER + 4 * words + 8 * descriptors;
    for value in [0, DVLP_HEADER, words, DVLP_HEADER + 4 * words, descriptors, names, 0, 0, 0] {
        word(&mut out, value);
    }
    program.code.iter().for_each(|code| word(&mut out, *code as usize));
    for descriptor in &program.descriptors {
        word(&mut out, descriptor.0 as usize);
        word(&mut out, 0);
    }
    Ok(out)
}

/// Appends a name to the symbols.
fn symbol(symbols: &mut Vec<u8>, name: &str) -> usize {
    let offset = symbols.len();
    // Names end at their first zero byte.
    symbols.extend(name.bytes().take_while(|byte| *byte != 0));
    symbols.push(0);
    offset
}

fn write_shader(shader: &Shader) -> Vec<u8> {
    let mut symbols = Vec::new();
    let mut tables = Vec::new();
    let mut places = Vec::new();
    let mut table = |rows: Vec<Vec<u8>>| {
        places.push((DVLE_HEADER + tables.len(), rows.len()));
        tables.extend(rows.into_iter().flatten());
    };
    table(shader.constants.iter().map(write_constant).collect());
    let labels = shader.labels.iter().map(|label| {
        let mut row = vec![label.id, 0, 0, 0];
        word(&mut row, label.start as usize);
        word(&mut row, label.size as usize);
        word(&mut row, symbol(&mut symbols, &label.name));
        row
    });
    table(labels.collect());
    let outputs = shader.outputs.iter().map(|output| {
        let mut row = Vec::new();
        half(&mut row, output.semantic.number());
        half(&mut row, output.register.into());
        word(&mut row, output.mask.into());
        row
    });
    table(outputs.collect());
    let uniforms = shader.uniforms.iter().map(|uniform| {
        let mut row = Vec::new();
        word(&mut row, symbol(&mut symbols, &uniform.name));
        half(&mut row, uniform.first);
        half(&mut row, uniform.last);
        row
    });
    table(uniforms.collect());
    places.push((DVLE_HEADER + tables.len(), symbols.len()));
    let mut out = write_header(shader, &places);
    out.extend_from_slice(&tables);
    out.extend_from_slice(&symbols);
    out.resize(out.len().next_multiple_of(4), 0);
    out
}

fn write_header(shader: &Shader, places: &[(usize, usize)]) -> Vec<u8> {
    let mut out = b"DVLE".to_vec();
    half(&mut out, DVLE_VERSION);
    out.extend_from_slice(&[shader.stage as u8, shader.merges_outputs.into()]);
    word(&mut out, shader.entry as usize);
    word(&mut out, shader.end as usize);
    half(&mut out, shader.input_mask);
    half(&mut out, shader.output_mask);
    let geometry = shader.geometry;
    out.extend_from_slice(&[
        geometry.mode as u8,
        geometry.fixed_start,
        geometry.variable_vertices,
        geometry.fixed_vertices,
    ]);
    for (offset, count) in places {
        word(&mut out, *offset);
        word(&mut out, *count);
    }
    out
}

fn write_constant(constant: &Constant) -> Vec<u8> {
    let (kind, register) = match constant {
        Constant::Bool { register, .. } => (0, register),
        Constant::Int { register, .. } => (1, register),
        Constant::Float { register, .. } => (2, register),
    };
    let mut out = Vec::new();
    half(&mut out, kind);
    half(&mut out, u16::from(*register));
    match constant {
        Constant::Bool { value, .. } => word(&mut out, (*value).into()),
        Constant::Int { value, .. } => out.extend_from_slice(value),
        Constant::Float { value, .. } => value.iter().for_each(|bits| word(&mut out, *bits as usize)),
    }
    out.resize(0x14, 0);
    out
}
