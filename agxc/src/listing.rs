//! Assembly listings of compiled shaders: the uniforms and state that the driver provides, as comments, then the code
//! of each part, divided by the directives that [`crate::assembly`] reads.

use std::fmt::Write as _;

use agx_abi::occupancy::max_threads;
use agx_abi::{SamplerBinding, ShaderInfo, Stage, UniformRange};
use agx_compiler::{CompiledShader, Position, ShaderPart};
use agx_isa::disasm;

use crate::assembly;

/// The whole shader, as text that assembles to the same parts.
pub fn shader(shader: &CompiledShader) -> String {
    let mut text = heading(&shader.info);
    for part in &shader.parts {
        let continues = shader.info.goes_on(part.role);
        text.push_str(&assembly::directive(part.role, continues, part.code.len()));
        text.push_str(&disasm::listing_with_notes(&part.code, true, |pc| source_line(shader, part, pc)));
    }
    text
}

/// The whole shader with source positions as the directives `.file` and `.loc` of GNU assemblers, which debuggers and
/// Compiler Explorer read. It assembles to the same parts.
pub fn located(shader: &CompiledShader) -> String {
    let mut text = heading(&shader.info);
    for (number, file) in (1..).zip(&shader.sources.files) {
        let _ = writeln!(text, "    .file {number} {file:?}");
    }
    for part in &shader.parts {
        let continues = shader.info.goes_on(part.role);
        text.push_str(&assembly::directive(part.role, continues, part.code.len()));
        let directive = |pc| {
            let position = position(shader, part, pc)?;
            Some(format!(".loc {} {} {}", position.file + 1, position.line, position.column))
        };
        text.push_str(&disasm::listing_with_notes(&part.code, false, directive));
    }
    text
}

/// The source position that begins with the instruction at `pc`.
fn position(shader: &CompiledShader, part: &ShaderPart, pc: usize) -> Option<Position> {
    let row = part.lines.binary_search_by_key(&(pc as u32), |row| row.offset).ok()?;
    shader.sources.get(part.lines[row].position)
}

/// That position as a comment.
fn source_line(shader: &CompiledShader, part: &ShaderPart, pc: usize) -> Option<String> {
    let position = position(shader, part, pc)?;
    let file = shader.sources.file(position);
    Some(match position.column {
        0 => format!("; {file}:{}", position.line),
        column => format!("; {file}:{}:{column}", position.line),
    })
}

/// Comments on the shader and on the state that the driver provides.
pub fn heading(info: &ShaderInfo) -> String {
    let mut text = format!("; {}\n", title(info));
    for (registers, contents) in bindings(info) {
        let _ = writeln!(text, "; {registers}: {contents}");
    }
    text
}

/// Stage, entry point, workgroups, registers and threads.
pub fn title(info: &ShaderInfo) -> String {
    let [x, y, z] = info.workgroup_size;
    let threads = max_threads(info.gpr_halves);
    let workgroups = match info.stage {
        Stage::Compute => format!(", workgroups of {x}×{y}×{z}"),
        Stage::Vertex | Stage::Fragment => String::new(),
    };
    format!(
        "{} shader `{}`{workgroups}, {} half-registers, {threads} threads per core",
        info.stage.name(),
        info.entry_point,
        info.gpr_halves,
    )
}

/// The registers that the driver fills, and with what.
pub fn bindings(info: &ShaderInfo) -> Vec<(String, String)> {
    let uniform = |range: &UniformRange| (registers(range), range.source.to_string());
    let mut rows: Vec<(String, String)> = info.uniforms.iter().map(uniform).collect();
    for (register, texture) in info.textures.iter().enumerate() {
        let place = place(texture.set, texture.binding, texture.element);
        rows.push((format!("ts{register}"), format!("{} {place}", texture.kind.name())));
    }
    for (register, sampler) in info.samplers.iter().enumerate() {
        let what = match sampler {
            SamplerBinding::Bound { set, binding, element } => {
                format!("sampler {}", place(*set, *binding, *element))
            }
            SamplerBinding::Paired {
                set,
                binding,
                element,
                texture_set,
                texture_binding,
                texture_element,
            } => {
                let sampler = place(*set, *binding, *element);
                format!("sampler {sampler} for {}", place(*texture_set, *texture_binding, *texture_element))
            }
            SamplerBinding::Loads => "sampler of loads".to_owned(),
        };
        rows.push((format!("ss{register}"), what));
    }
    rows
}

/// `u4_u5` or `u4..u9`, with `l` and `h` if a range does not consist of whole registers.
fn registers(range: &UniformRange) -> String {
    let (start, end) = (range.start, range.start + range.halves.max(1) - 1);
    let whole = start.is_multiple_of(2) && !end.is_multiple_of(2);
    let name = |half: u16| match (whole, half.is_multiple_of(2)) {
        (true, _) => format!("u{}", half / 2),
        (false, true) => format!("u{}l", half / 2),
        (false, false) => format!("u{}h", half / 2),
    };
    match (name(start), name(end)) {
        (first, last) if first == last => first,
        (first, last) if range.halves <= 4 => format!("{first}_{last}"),
        (first, last) => format!("{first}..{last}"),
    }
}

/// `set.binding`, with the element of an array after the first.
fn place(set: u32, binding: u32, element: u32) -> String {
    match element {
        0 => format!("{set}.{binding}"),
        _ => format!("{set}.{binding}.{element}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agx_abi::{PartRole, UniformSource};
    use agx_isa::asm;

    #[test]
    fn ranges_are_named_by_registers() {
        let name = |start, halves| {
            registers(&UniformRange { start, halves, source: UniformSource::ConstantAddress })
        };
        assert_eq!([name(0, 4), name(4, 2), name(4, 6)], ["u0_u1", "u2", "u2..u4"]);
        assert_eq!([name(3, 1), name(3, 2)], ["u1h", "u1h_u2l"]);
    }

    #[test]
    fn a_listing_assembles_to_the_code_it_shows() {
        let code = asm::assemble("L0: mov r0, 1\n jmp_none L0\n stop\n").unwrap();
        let part = ShaderPart::new(PartRole::Main, code.clone());
        let preamble = ShaderPart::new(PartRole::Preamble, code.clone());
        let mut compiled = CompiledShader::default();
        compiled.parts = vec![part, preamble];
        let text = shader(&compiled);
        let parts = assembly::parts(&text, "a.s").unwrap();
        let found: Vec<_> = parts.iter().map(|part| (part.role, part.code.clone())).collect();
        assert_eq!(found, [(PartRole::Main, code.clone()), (PartRole::Preamble, code)], "{text}");
    }
}
