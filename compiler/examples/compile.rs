//! Compiles a SPIR-V module and prints the information that a driver needs.
//!
//! `cargo run -p agx-compiler --example compile -- shader.spv [entry point]`

#![expect(clippy::print_stdout, reason = "this is what the program is for")]

use std::error::Error;

use agx_abi::Target;
use agx_compiler::{CompileKey, Compiler, Input, Scratch};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("expected the path of a SPIR-V module")?;
    let module = std::fs::read(&path)?;
    let mut key = CompileKey::default();
    key.entry_point = arguments.next();
    let compiler = Compiler::new(Target::default());
    let shader = compiler.compile(&mut Scratch::default(), Input::spirv(&module), &key)?;

    let info = &shader.info;
    println!("{} shader `{}`: {} half-registers", info.stage.name(), info.entry_point, info.gpr_halves);
    for part in &shader.parts {
        println!("{:?}: {} bytes of code", part.role, part.code.len());
    }
    for range in &info.uniforms {
        println!("uniform half-words from {}, {} of them: {:?}", range.start, range.halves, range.source);
    }
    for (register, texture) in info.textures.iter().enumerate() {
        println!("texture state register {register}: {texture:?}");
    }
    Ok(())
}
