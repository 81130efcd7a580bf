//! The compiler's information about the source, as the debugger takes it.

use agx_abi::PartRole;
use agx_compiler::internal::tracking::{SourceClass, SourceLeaf, SourceVariable, Tracking};
use agx_compiler::{CompiledShader, ShaderPart};
use agx_debug::{Class, Kind, Leaf, LineRow, PartSymbols, Symbols, Variable};

/// The source of a shader, whose variables the compiler followed.
pub fn of(shader: &CompiledShader, tracking: &Tracking) -> Symbols {
    let part = |role: PartRole| {
        let part = shader.parts.iter().find(|part| part.role == role);
        part.map_or_else(PartSymbols::default, |part| lines(shader, part))
    };
    Symbols {
        files: shader.sources.files.clone(),
        main: PartSymbols {
            variables: tracking.variables.iter().map(variable).collect(),
            definitions: tracking.definitions.clone(),
            changes: tracking.changes.clone(),
            ..part(PartRole::Main)
        },
        preamble: part(PartRole::Preamble),
    }
}

fn lines(shader: &CompiledShader, part: &ShaderPart) -> PartSymbols {
    let row = |row: &agx_compiler::LineRow| {
        let position = shader.sources.get(row.position)?;
        let (file, line, column) = (position.file, position.line, position.column);
        Some(LineRow { offset: row.offset, file, line, column })
    };
    PartSymbols { lines: part.lines.iter().filter_map(row).collect(), ..PartSymbols::default() }
}

/// A variable in the debugger's types.
fn variable(variable: &SourceVariable) -> Variable {
    let leaf = |leaf: &SourceLeaf| Leaf { path: leaf.path.clone(), kind: kind(leaf) };
    Variable { name: variable.name.clone(), leaves: variable.leaves.iter().map(leaf).collect() }
}

/// The type of a scalar.
pub fn kind(leaf: &SourceLeaf) -> Kind {
    let class = match leaf.class {
        SourceClass::Float => Class::Float,
        SourceClass::Signed => Class::Signed,
        SourceClass::Unsigned => Class::Unsigned,
        SourceClass::Bool => Class::Bool,
    };
    Kind { class, bits: leaf.bits }
}

#[cfg(test)]
mod tests {
    use agx_compiler::internal::pipeline::PASSES;
    use agx_compiler::internal::tracking;
    use agx_compiler::{CompileKey, Compiler, Input, Scratch};

    use super::*;

    const SHADERS: [(&str, &[u8]); 5] = [
        ("mandelbrot.wgsl", include_bytes!("../../shaders/mandelbrot.wgsl")),
        ("matmul.wgsl", include_bytes!("../../shaders/matmul.wgsl")),
        ("nbody.wgsl", include_bytes!("../../shaders/nbody.wgsl")),
        ("life.spv", include_bytes!("../../shaders/life.spv")),
        ("raymarch.spv", include_bytes!("../../shaders/raymarch.spv")),
    ];

    #[test]
    fn variables_do_not_change_the_code() {
        let (compiler, mut scratch) = (Compiler::default(), Scratch::default());
        for (name, bytes) in SHADERS {
            let input = match name.ends_with(".wgsl") {
                true => Input::wgsl(std::str::from_utf8(bytes).expect("a text")),
                false => Input::spirv(bytes),
            };
            let optional = PASSES.iter().filter(|pass| pass.optional).map(|pass| pass.name.to_owned());
            for passes in [Vec::new(), optional.collect()] {
                let mut key = CompileKey::default();
                key.disabled_passes.clone_from(&passes);
                let plain = compiler.compile(&mut scratch, input, &key).expect("compiles");
                let (shader, _) = tracking::compile(&compiler, &mut scratch, input, &key).expect("compiles");
                let codes = |shader: &CompiledShader| -> Vec<Vec<u8>> {
                    shader.parts.iter().map(|part| part.code.clone()).collect()
                };
                assert!(codes(&shader) == codes(&plain), "{name} without {passes:?}");
                assert!(shader.info == plain.info, "{name} without {passes:?}");
            }
        }
    }
}
