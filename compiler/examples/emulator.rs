//! How an emulator of an old machine uses the compiler: it hands over the program that the machine was given, and
//! binds what the compiled shader lists. A pair of AGAL programs, a PICA200 program from words, a TGSI program.
//!
//! Run with `cargo run -p agx-compiler --example emulator`; the tests at the end run it too.

#![expect(clippy::print_stdout, reason = "this is what the program is for")]

use std::error::Error;

use agx_abi::Stage;
use agx_abi::agal::{FRAGMENT_CONSTANTS, TEXTURE_SET, VERTEX_CONSTANTS};
use agx_compiler::{CompileKey, CompiledShader, Compiler, Input, Language, Scratch};
use agx_pica200::{Container, Program, Shader, Stage as PicaStage};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const VERTEX: &str = "m44 op, va0, vc0\nmov v0, va1";
const FRAGMENT: &str = "tex ft0, v0, fs0 <2d, repeat, linear>\nmul oc, ft0, fc0";
const TGSI: &str = "FRAG\nDCL IN[0], COLOR, COLOR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n";

/// `add o0, v0, v1` and `end`, as an emulator finds them in the registers of the console, with their operand
/// descriptor.
const WORDS: ([u32; 2], [u32; 1]) = ([0x0000_0080, 0x8800_0000], [0x0006_c36f]);

fn compile(input: Input<'_>, options: &[(&str, u64)]) -> Result<CompiledShader> {
    let compiler = Compiler::default();
    let mut key = CompileKey::default();
    key.options = options.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    Ok(compiler.compile(&mut Scratch::default(), input, &key)?)
}

/// What the emulator binds for a shader.
fn print(name: &str, shader: &CompiledShader) {
    println!("{name}: {} bytes of code", shader.parts.iter().map(|part| part.code.len()).sum::<usize>());
    for range in &shader.info.uniforms {
        println!("  u{}: {:?}", range.start, range.source);
    }
    for texture in &shader.info.textures {
        println!("  texture {}.{}", texture.set, texture.binding);
    }
}

fn main() -> Result<()> {
    // Text without the directive `.agal` does not always tell its stage.
    let agal = |text: &'static str, stage| Input { stage: Some(stage), ..Input::agal(text.as_bytes()) };
    let vertex = compile(agal(VERTEX, Stage::Vertex), &[])?;
    let fragment = compile(agal(FRAGMENT, Stage::Fragment), &[])?;
    println!(
        "constants: {VERTEX_CONSTANTS:?} and {FRAGMENT_CONSTANTS:?}; textures of fragments: set {TEXTURE_SET}"
    );
    print("AGAL, vertex", &vertex);
    print("AGAL, fragment", &fragment);

    // Words become a container. Without an output map the registers have the locations of their numbers.
    let (code, descriptors) = WORDS;
    let program = Program::from_words(&code, &descriptors);
    let container = Container { program, shaders: vec![Shader::bare(PicaStage::Vertex, 0)] }.write()?;
    print("PICA200", &compile(Input::pica200(&container), &[("raw_outputs", 1)])?);

    // The language may also be found by its name, or by the bytes.
    let found = Language::of(TGSI.as_bytes()).or(Language::find("tgsi")).ok_or("no such language")?;
    print("TGSI", &compile(Input::new(found, TGSI.as_bytes()), &[])?);
    print("TGSI", &compile(Input::tgsi(TGSI), &[("flatshade", 1)])?);
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_example_runs() {
        super::main().expect("the example compiles its programs");
    }
}
