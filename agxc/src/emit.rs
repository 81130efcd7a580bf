//! The outputs of `--emit`, as a table.

use std::cell::{Cell, RefCell};

use agx_abi::{PartRole, Target};
use agx_compiler::internal::pipeline::PIPELINE;
use agx_compiler::{CompileKey, CompiledShader, Compiler, IrPoint, Scratch, Statistics};
use agx_debug::Code;
use clap::ArgMatches;

use crate::baseline::Document;
use crate::commands::{check_ir, find_pass, tracked_with, under};
use crate::debugger::{places, symbols};
use crate::diagnostic::{Diagnostic, Failure};
use crate::draw::Draw;
use crate::input::File;
use crate::{assembly, key, lint, listing, report, shader_json, spirv_listing};

/// An output.
pub enum Made {
    /// Text.
    Text(String),
    /// Binary data.
    Binary(Vec<u8>),
}

/// The inputs for an output.
pub struct Job<'j> {
    /// The input.
    pub file: &'j File,
    /// The chip compiled for.
    pub chip: Target,
    /// The key.
    pub key: &'j CompileKey,
    /// The state of a draw, if the key has one.
    pub draw: Option<&'j Draw>,
    /// The command's other options.
    pub options: &'j ArgMatches,
    /// Warnings for the compiled shader.
    pub warnings: RefCell<Vec<Diagnostic>>,
    /// Statistics of the compiled shader, if the output is about machine code.
    pub statistics: Cell<Option<Statistics>>,
}

impl Job<'_> {
    /// The compiled shader.
    pub fn shader(&self) -> Result<CompiledShader, Failure> {
        let shader = under(self.file, self.chip, self.key, self.draw)?;
        self.note(&shader);
        Ok(shader)
    }

    /// Keeps the warnings and the statistics of the compiled shader.
    fn note(&self, shader: &CompiledShader) {
        self.warnings.replace(lint::warnings(self.file, shader));
        self.statistics.set(Some(shader.stats));
    }
}

impl<'j> Job<'j> {
    /// The value of an option that only some commands have.
    fn option(&self, name: &str) -> Option<&'j str> {
        self.options.try_get_one::<String>(name).ok().flatten().map(String::as_str)
    }
}

/// A value of `--emit`.
pub struct EmitRow {
    /// Its name.
    pub name: &'static str,
    /// Extension of its files.
    pub extension: &'static str,
    /// Lines that begin with `;` are comments in it, so that the outputs of several inputs may follow each other.
    pub has_comments: bool,
    /// Description.
    pub doc: &'static str,
    /// Creates it; the second argument is the text after `=`.
    make: fn(&Job<'_>, Option<&str>) -> Result<Made, Failure>,
}

/// Every value of `--emit`; the first is the default.
pub static EMITS: &[EmitRow] = &[
    EmitRow {
        name: "asm",
        extension: "s",
        has_comments: true,
        doc: "assembly of all parts",
        make: |job, _| Ok(Made::Text(listing::shader(&job.shader()?))),
    },
    EmitRow {
        name: "asm-loc",
        extension: "s",
        has_comments: true,
        doc: "assembly with source positions as .file and .loc, as Compiler Explorer reads them",
        make: |job, _| Ok(Made::Text(listing::located(&job.shader()?))),
    },
    EmitRow {
        name: "bin",
        extension: "bin",
        has_comments: false,
        doc: "machine code of one part, see --part",
        make: |job, _| binary(job),
    },
    EmitRow {
        name: "json",
        extension: "json",
        has_comments: false,
        doc: "code, assembly, costs and the information for a driver",
        make: |job, _| Ok(Made::Text(format!("{:#}\n", shader_json::shader(&job.shader()?, job.chip)))),
    },
    EmitRow {
        name: "live",
        extension: "s",
        has_comments: true,
        doc: "assembly with the live registers before each instruction",
        make: |job, _| Ok(Made::Text(report::live_listing(&job.shader()?))),
    },
    EmitRow {
        name: "lines",
        extension: "txt",
        has_comments: true,
        doc: "cycles, instructions and live registers by source line",
        make: |job, _| {
            let shader = job.shader()?;
            let source = |file: &str, line: u32| job.file.line(file, line);
            Ok(Made::Text(report::lines::text(&shader, &report::parts(&shader), source)))
        },
    },
    EmitRow {
        name: "locations",
        extension: "txt",
        has_comments: true,
        doc: "where source variables are: registers, uniforms, constants or stack by range of bytes",
        make: |job, _| locations(job),
    },
    EmitRow {
        name: "dot",
        extension: "dot",
        has_comments: false,
        doc: "control-flow graph in the language of Graphviz",
        make: |job, _| Ok(Made::Text(report::dot::graph(&job.file.name, &report::parts(&job.shader()?)))),
    },
    EmitRow {
        name: "html",
        extension: "html",
        has_comments: false,
        doc: "a report in one file: source beside assembly, costs, registers, control flow",
        make: |job, _| page(job),
    },
    EmitRow {
        name: "ir",
        extension: "ir",
        has_comments: true,
        doc: "the IR from the front end",
        make: |job, _| ir(job, IrPoint::Start),
    },
    EmitRow {
        name: "ir-after",
        extension: "ir",
        has_comments: true,
        doc: "the IR after a phase, or the last run of a pass: ir-after=NAME",
        make: |job, name| ir(job, IrPoint::After(step("ir-after", name)?)),
    },
    EmitRow {
        name: "ir-before",
        extension: "ir",
        has_comments: true,
        doc: "the IR before a phase, or the last run of a pass: ir-before=NAME",
        make: |job, name| ir(job, IrPoint::Before(step("ir-before", name)?)),
    },
    EmitRow {
        name: "divergence",
        extension: "ir",
        has_comments: true,
        doc: "the optimised IR with its divergent values marked",
        make: |job, _| divergence(job),
    },
];

/// The value of `--emit`.
#[derive(Clone, Copy)]
pub struct Emit<'o> {
    /// The row.
    pub row: &'static EmitRow,
    /// The text after `=`.
    value: Option<&'o str>,
}

impl<'o> Emit<'o> {
    /// Parses the value `text` of the option.
    pub fn from_option(text: &'o str) -> Result<Emit<'o>, Failure> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let takes_value = |row: &EmitRow| ["ir-after", "ir-before"].contains(&row.name);
        let row = EMITS.iter().find(|row| row.name == name && (value.is_none() || takes_value(row)));
        row.map(|row| Emit { row, value }).ok_or_else(|| {
            let names: Vec<&str> = EMITS.iter().map(|row| row.name).collect();
            Failure::usage(format!(
                "unknown output `{text}` for --emit; expected one of {}",
                names.join(", ")
            ))
        })
    }
}

/// Creates the output.
pub fn make(emit: &Emit<'_>, job: &Job<'_>) -> Result<Made, Failure> {
    (emit.row.make)(job, emit.value)
}

/// The report, compared with the row of the input in the file of --baseline.
fn page(job: &Job<'_>) -> Result<Made, Failure> {
    let name = &job.file.name;
    let before = match job.option("baseline") {
        Some(path) => {
            let document = Document::read(path)?;
            // The row of an entry point, if the module has several.
            let entry =
                job.key.entry_point.iter().find_map(|entry| document.figures(&format!("{name}:{entry}")));
            let missing = || Diagnostic::new(204, format!("`{name}` is not in the baseline")).in_file(path);
            Some(document.figures(name).or(entry).ok_or_else(missing)?.clone())
        }
        None => None,
    };
    let key = key::text(job.options, job.chip, job.key)?;
    let (shader, listing) =
        spirv_listing::compiled(job.file, |file| under(file, job.chip, job.key, job.draw))?;
    job.note(&shader);
    let sources = report::html::Sources {
        chip: job.chip,
        key: &key,
        name: &job.file.name,
        text: listing
            .as_ref()
            .map(|listing| listing.text.as_str())
            .or(std::str::from_utf8(&job.file.bytes).ok()),
        baseline: before,
    };
    Ok(Made::Text(report::html::page(&shader, &sources)))
}

fn locations(job: &Job<'_>) -> Result<Made, Failure> {
    let (shader, tracking) = tracked_with(job.file, job.chip, job.key)?;
    let code = shader.part(PartRole::Main).unwrap_or_default();
    let symbols = symbols::of(&shader, &tracking);
    let starts = Code::new(code).line_starts(&symbols.main);
    Ok(Made::Text(places::text(code, &tracking, |offset| starts.contains(&offset))))
}

fn binary(job: &Job<'_>) -> Result<Made, Failure> {
    let wanted = job.option("part").map(assembly::role).transpose()?;
    let role = wanted.unwrap_or(PartRole::Main);
    let shader = job.shader()?;
    let code = shader.part(role).ok_or_else(|| {
        job.file.problem(303, &format!("the compiled shader has no part `{}`", assembly::role_name(role)))
    })?;
    Ok(Made::Binary(code.to_vec()))
}

/// The name of a phase or a pass, which the output called `emit` needs.
pub fn step<'n>(emit: &str, name: Option<&'n str>) -> Result<&'n str, Failure> {
    let name = name.ok_or_else(|| Failure::usage(format!("--emit {emit}: expected {emit}=NAME")))?;
    if PIPELINE.iter().all(|phase| phase.name != name) {
        find_pass(name)?;
    }
    Ok(name)
}

fn ir(job: &Job<'_>, point: IrPoint<'_>) -> Result<Made, Failure> {
    ir_at(job.file, job.chip, job.key, point).map(Made::Text)
}

/// The IR of a shader at a point of its compilation.
pub fn ir_at(file: &File, chip: Target, key: &CompileKey, point: IrPoint<'_>) -> Result<String, Failure> {
    check_ir(file)?;
    let result = Compiler::new(chip).compile_to_ir(&mut Scratch::default(), file.shader(key)?, key, point);
    result.map_err(|error| file.refused(error))
}

fn divergence(job: &Job<'_>) -> Result<Made, Failure> {
    check_ir(job.file)?;
    let input = job.file.shader(job.key)?;
    let result = Compiler::new(job.chip).divergence_text(&mut Scratch::default(), input, job.key);
    result.map(Made::Text).map_err(|error| job.file.refused(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_told_apart() {
        let name = |text| Emit::from_option(text).ok().map(|emit| (emit.row.name, emit.value));
        assert_eq!(name("asm"), Some(("asm", None)));
        assert_eq!(name("ir-after=opt_cse"), Some(("ir-after", Some("opt_cse"))));
        assert_eq!(name("asm=1"), None);
        assert_eq!(name("html5"), None);
    }
}
