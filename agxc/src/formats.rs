//! Old shader formats with their own assembly, whose files `asm` and `disasm` accept too.

use agx_agal::AssembleOptions;
use agx_compiler::Location;
use agx_pica200::container::Choice;
use agx_pica200::{Assembled, Container, Place, disasm};

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

/// The program in a file of assembly, with its warnings.
fn assembled_pica200(file: &File) -> Result<Assembled, Failure> {
    agx_pica200::assemble_with_places(&[file.text()?]).map_err(|error| {
        let diagnostic = Diagnostic::new(200, error.cause.to_string()).in_file(&file.name);
        Failure::from(diagnostic.at(location(error.place)))
    })
}

/// The location of a place in assembly.
fn location(place: Place) -> Location {
    match place.line {
        0 => Location::Whole,
        line => Location::Text { line: line as u32, column: place.column as u32 },
    }
}

fn assemble_pica200(file: &File) -> Result<Vec<u8>, Failure> {
    let container = assembled_pica200(file)?.container;
    container.write().map_err(|error| file.problem(201, &error.to_string()))
}

/// What the assembler and the validator of the PICA200 find in a shader that the compiler accepts: message and
/// location. Words of a container are located by their number.
pub fn findings_of_pica200(file: &File) -> Vec<(String, Location)> {
    let is_container = file.bytes.starts_with(&agx_pica200::container::MAGIC);
    let read = match is_container {
        true => Container::read(&file.bytes).ok().map(|container| (container, Vec::new(), Vec::new())),
        false => assembled_pica200(file).ok().map(|all| (all.container, all.places, all.warnings)),
    };
    let Some((container, places, warnings)) = read else { return Vec::new() };
    let mut found: Vec<(String, Location)> =
        warnings.into_iter().map(|warning| (warning.message, location(warning.place))).collect();
    for shader in &container.shaders {
        for finding in agx_pica200::validate::validate(&container.program, shader) {
            let place = finding.address.map(|address| match places.get(address as usize) {
                Some(place) => location(*place),
                None => Location::Word { offset: address as usize, opcode: None },
            });
            found.push((finding.message, place.unwrap_or(Location::Whole)));
        }
    }
    // Shaders share procedures.
    let mut seen = Vec::new();
    found.retain(|finding| {
        !seen.contains(finding) && {
            seen.push(finding.clone());
            true
        }
    });
    found
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
    match program.tokens.is_empty() {
        true => Err(file.problem(200, "expected instructions, found none")),
        false => Ok(program.write()),
    }
}

/// The program in a file that the compiler accepts, if it is AGAL; `stage` is that of text that does not tell.
fn agal(file: &File, stage: agx_agal::Stage) -> Option<agx_agal::Shader> {
    if !matches!(file.kind, Kind::Shader(language) if language.name == "agal") {
        return None;
    }
    let program = match agx_agal::Program::read(&file.bytes) {
        Ok(program) => program,
        Err(_) => {
            let options = AssembleOptions { stage: Some(stage), ..AssembleOptions::default() };
            agx_agal::assemble(file.text().ok()?, options).ok()?
        }
    };
    program.check(agx_agal::Mode::Tolerant).ok()
}

/// Why the programs of a pair do not fit together, if both are AGAL.
pub fn misfit_of_agal(vertex: &File, fragment: &File) -> Option<String> {
    let vertex = agal(vertex, agx_agal::Stage::Vertex)?;
    let fragment = agal(fragment, agx_agal::Stage::Fragment)?;
    let linked = agx_agal::link(&vertex, &fragment, agx_agal::Mode::Tolerant);
    linked.err().map(|violation| violation.to_string())
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
