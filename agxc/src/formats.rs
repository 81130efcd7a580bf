//! Old shader formats with their own assembly, whose files `asm` and `disasm` accept too.

use agx_agal::AssembleOptions;
use agx_compiler::Location;
use agx_pica200::container::Choice;
use agx_pica200::{Container, disasm};

use crate::diagnostic::{Diagnostic, Failure};
use crate::input::{File, Kind};

/// A format: the compiler's name of the language, and functions between text and bytes.
struct Format {
    language: &'static str,
    assemble: fn(&File) -> Result<Vec<u8>, Failure>,
    disassemble: fn(&File, usize) -> Result<String, Failure>,
}

const FORMATS: &[Format] = &[
    Format { language: "agal", assemble: assemble_agal, disassemble: disassemble_agal },
    Format { language: "pica200", assemble: assemble_pica200, disassemble: disassemble_pica200 },
];

fn format(file: &File) -> Option<&'static Format> {
    match file.kind {
        Kind::Shader(language) => FORMATS.iter().find(|format| format.language == language.name),
        _ => None,
    }
}

/// The bytes of a file of assembly; `None` if it is not in one of these formats.
pub fn assemble(file: &File) -> Option<Result<Vec<u8>, Failure>> {
    format(file).map(|format| (format.assemble)(file))
}

/// The text of shader `number` of a file; `None` if it is not in one of these formats.
pub fn disassemble(file: &File, number: usize) -> Option<Result<String, Failure>> {
    format(file).map(|format| (format.disassemble)(file, number))
}

fn assemble_pica200(file: &File) -> Result<Vec<u8>, Failure> {
    let container = agx_pica200::assemble(file.text()?).map_err(|error| {
        let location = match error.line {
            0 => Location::Whole,
            line => Location::Text { line: line as u32, column: 1 },
        };
        Failure::from(Diagnostic::new(200, error.cause.to_string()).in_file(&file.name).at(location))
    })?;
    container.write().map_err(|error| file.problem(201, &error.to_string()))
}

/// The container in a file, or assembled from it.
pub fn pica200(file: &File) -> Result<Container, Failure> {
    let assembled;
    let bytes = if file.bytes.starts_with(&agx_pica200::container::MAGIC) {
        &file.bytes
    } else {
        assembled = assemble_pica200(file)?;
        &assembled
    };
    Container::read(bytes).map_err(|error| file.problem(200, &error.to_string()))
}

fn disassemble_pica200(file: &File, number: usize) -> Result<String, Failure> {
    let container = pica200(file)?;
    let shader = match container.shaders.is_empty() && number == 0 {
        true => None,
        false => {
            let chosen = container.shader(Choice::Index(number));
            Some(chosen.map_err(|error| file.problem(200, &error.to_string()))?)
        }
    };
    Ok(disasm::disassemble(&container.program, shader))
}

fn assemble_agal(file: &File) -> Result<Vec<u8>, Failure> {
    let program = agx_agal::assemble(file.text()?, AssembleOptions::default()).map_err(|error| {
        let location = Location::Text { line: error.line as u32, column: error.column as u32 };
        Failure::from(Diagnostic::new(200, error.message).in_file(&file.name).at(location))
    })?;
    Ok(program.write())
}

/// A file has one program, whose number is 0.
fn disassemble_agal(file: &File, number: usize) -> Result<String, Failure> {
    if number != 0 {
        return Err(file.problem(200, &format!("no program {number}; the file has one, with number 0")));
    }
    let program =
        agx_agal::Program::read(&file.bytes).map_err(|error| file.problem(200, &error.to_string()))?;
    Ok(agx_agal::disassemble(&program))
}
