//! The compiler's information about the source, as the debugger takes it.

use agx_abi::PartRole;
use agx_compiler::internal::tracking::{self, SourceClass, SourceLeaf, SourceVariable, Tracking};
use agx_compiler::{CompiledShader, ShaderPart};
use agx_debug::{
    Change, Class, Content, Definition, Kind, Leaf, LineRow, Moment, PartSymbols, Symbols, Variable,
};

/// The source of a shader, whose variables the compiler followed.
pub fn of(shader: &CompiledShader, tracking: &Tracking) -> Symbols {
    let part = |role: PartRole| {
        let part = shader.parts.iter().find(|part| part.role == role);
        part.map_or_else(PartSymbols::default, |part| lines(shader, part))
    };
    let (variables, definitions, changes) = of_tracking(tracking);
    Symbols {
        files: shader.sources.files.clone(),
        main: PartSymbols { variables, definitions, changes, ..part(PartRole::Main) },
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

/// Variables, definitions and changes in the debugger's types.
fn of_tracking(tracking: &Tracking) -> (Vec<Variable>, Vec<Definition>, Vec<Change>) {
    let leaf = |leaf: &SourceLeaf| Leaf { path: leaf.path.clone(), kind: kind(leaf) };
    let variable = |variable: &SourceVariable| Variable {
        name: variable.name.clone(),
        leaves: variable.leaves.iter().map(leaf).collect(),
    };
    let moment = |at: tracking::Moment| match at {
        tracking::Moment::Before(offset) => Moment::Before(offset),
        tracking::Moment::With(offset) => Moment::With(offset),
    };
    let definition = |one: &tracking::Definition| Definition {
        at: moment(one.at),
        value: one.value,
        half: one.half as u8,
        halves: one.halves as u8,
    };
    let content = |content: tracking::Content| match content {
        tracking::Content::Value(value) => Content::Value(value),
        tracking::Content::Constant(bits) => Content::Constant(bits),
        tracking::Content::Uniform(half) => Content::Uniform(half),
        tracking::Content::Stack(byte) => Content::Stack(byte),
        tracking::Content::Lost => Content::Lost,
    };
    let change = |one: &tracking::Change| Change {
        at: moment(one.at),
        variable: one.variable,
        leaf: one.leaf,
        content: content(one.content),
    };
    (
        tracking.variables.iter().map(variable).collect(),
        tracking.definitions.iter().map(definition).collect(),
        tracking.changes.iter().map(change).collect(),
    )
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
