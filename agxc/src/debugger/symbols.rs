//! The compiler's information about the source, as the debugger takes it.

use agx_abi::PartRole;
use agx_compiler::{CompiledShader, ShaderPart};
use agx_debug::{LineRow, PartSymbols, Symbols};

/// The source of a shader.
pub fn of(shader: &CompiledShader) -> Symbols {
    let part = |role: PartRole| {
        let part = shader.parts.iter().find(|part| part.role == role);
        part.map_or_else(PartSymbols::default, |part| part_of(shader, part))
    };
    Symbols {
        files: shader.sources.files.clone(),
        main: part(PartRole::Main),
        preamble: part(PartRole::Preamble),
    }
}

fn part_of(shader: &CompiledShader, part: &ShaderPart) -> PartSymbols {
    let row = |row: &agx_compiler::LineRow| {
        let position = shader.sources.get(row.position)?;
        let (file, line, column) = (position.file, position.line, position.column);
        Some(LineRow { offset: row.offset, file, line, column })
    };
    PartSymbols { lines: part.lines.iter().filter_map(row).collect(), variables: Vec::new() }
}
