//! The tables of `docs/agal.md`, from the tables of the format and from test results.
//!
//! `BLESS=1 cargo test -p agx-tests --features stress --test agal document` rewrites them. Without the feature, the
//! columns of the oracle are not compared.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use agx_agal::{
    AssembleOptions, FILES, OPCODES, Opcode, OpcodeRow, Program, RULES, Semantics, Stage, Stages, Version,
    assemble,
};
use agx_compiler::CompileKey;
use agx_tests::agal::inputs::KINDS;
use agx_tests::agal::oracle::compare;
use agx_tests::agal::{input, shader};
use agx_tests::driver::compile;
use libtest_mimic::Failed;
use rayon::prelude::*;

use super::programs::bundled;

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/agal.md")
}

/// Compares the tables, or rewrites them.
pub fn is_current() -> Result<(), Failed> {
    let bless = std::env::var_os("BLESS").is_some();
    let full = cfg!(feature = "stress");
    if bless && !full {
        return Err("the oracle's columns need the feature `stress`".into());
    }
    let mut text = std::fs::read_to_string(path())?;
    let tables = [("opcodes", opcodes(full)?), ("registers", registers()), ("rules", rules())];
    for (name, table) in tables {
        let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
        let start = text.find(&begin).ok_or(format!("no table {name}"))? + begin.len();
        let length = text[start..].find(&end).ok_or(format!("the table {name} has no end"))?;
        let found = &text[start..start + length];
        if bless {
            text.replace_range(start..start + length, &table);
        } else if !same(found, &table, full || name != "opcodes") {
            return Err(format!("docs/agal.md, table {name}: expected\n{table}").into());
        }
    }
    if bless {
        std::fs::write(path(), text)?;
    }
    Ok(())
}

/// Whether tables agree; without the oracle the last columns are ignored.
fn same(found: &str, expected: &str, whole: bool) -> bool {
    let short = |text: &str| -> Vec<String> {
        let cut = |line: &str| line.rsplitn(4, " | ").last().unwrap_or(line).to_owned();
        text.lines().map(|line| if whole { line.to_owned() } else { cut(line) }).collect()
    };
    short(found) == short(expected)
}

fn yes(holds: bool) -> &'static str {
    if holds { "yes" } else { "no" }
}

/// The oracle's results for an opcode.
#[derive(Default)]
struct Found {
    programs: usize,
    cases: usize,
    differ: bool,
}

fn opcodes(full: bool) -> Result<String, Failed> {
    let programs = bundled();
    let results: Vec<(usize, bool)> =
        programs.par_iter().map(|bundled| oracle(&bundled.program, full)).collect();
    let mut found: Vec<Found> = OPCODES.iter().map(|_| Found::default()).collect();
    for (bundled, (cases, differ)) in programs.iter().zip(results) {
        for (row, found) in OPCODES.iter().zip(&mut found) {
            if bundled.program.tokens.iter().any(|token| token.opcode == row.opcode) {
                found.programs += 1;
                found.cases += cases;
                found.differ |= differ;
            }
        }
    }
    let mut text = String::from(
        "| opcode | code | since | stages | operation | decodes | assembles | compiles | programs | oracle cases | agrees |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for (row, found) in OPCODES.iter().zip(&found) {
        let program = example(row);
        writeln!(
            text,
            "| `{}` | {:#04x} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            row.name,
            row.code,
            row.since.number(),
            match row.stages {
                Stages::Both => "both",
                Stages::Vertex => "vertex",
                Stages::Fragment => "fragment",
            },
            row.text,
            yes(decodes(&program, row.opcode)),
            yes(program.tokens.iter().any(|token| token.opcode == row.opcode)),
            yes(compile(input(&program.write()), &CompileKey::default()).is_ok()),
            found.programs,
            found.cases,
            yes(!found.differ && found.programs > 0),
        )?;
    }
    Ok(text)
}

/// Number of compared scalars, and whether any differ; the program runs only if `full`.
fn oracle(program: &Program, full: bool) -> (usize, bool) {
    let (mut cases, mut differ) = (0, false);
    for kind in KINDS.into_iter().filter(|_| full) {
        match compare(program, kind, 1, &CompileKey::default()) {
            Ok(agreement) => cases += agreement.direct + agreement.rounded,
            Err(_) => differ = true,
        }
    }
    (cases, differ)
}

/// A program that uses an opcode.
fn example(row: &OpcodeRow) -> Program {
    let vertex = row.stages != Stages::Fragment;
    let (stage, source, target, input, sampler) =
        if vertex { ("vertex", "vc1", "vt0", "va0", "vs0") } else { ("fragment", "fc1", "ft0", "v0", "fs0") };
    let line = match row.semantics {
        Semantics::Texture => format!("{} {target}, {input}, {sampler} <2d>", row.name),
        Semantics::If(_) => format!("{} {input}.x, {source}.x\nmov vt0, vc0\neif", row.name),
        Semantics::Else | Semantics::EndIf => {
            "ife va0.x, vc0.x\nmov vt0, vc0\nels\nmov vt0, vc1\neif".to_owned()
        }
        Semantics::Kill => format!("kil {input}.x"),
        _ if row.operands().sources == 1 => format!("{} {target}, {input}", row.name),
        _ => format!("{} {target}, {input}, {source}", row.name),
    };
    let text = format!(".agal 4 {stage}\n{line}");
    assemble(&text, AssembleOptions::default()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn decodes(program: &Program, opcode: Opcode) -> bool {
    let read = Program::read(&program.write());
    read.is_ok_and(|read| read == *program && read.tokens.iter().any(|token| token.opcode == opcode))
        && shader(&program.write()).is_ok()
}

fn registers() -> String {
    let mut text = String::from(
        "| file | number | vertex | fragment | vertex, versions 1 to 4 | fragment, versions 1 to 4 | tolerated | Adobe error |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for row in FILES {
        let counts =
            |stage| Version::ALL.map(|version| row.file.count(stage, version).to_string()).join(", ");
        let name = |name: &str| if name.is_empty() { "–".to_owned() } else { format!("`{name}`") };
        text.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} | {} | {} |\n",
            row.name,
            row.file.number(),
            name(row.vertex),
            name(row.fragment),
            counts(Stage::Vertex),
            counts(Stage::Fragment),
            row.tolerated,
            row.bounds_error,
        ));
    }
    let tokens = Version::ALL.map(|version| version.max_tokens().to_string()).join(", ");
    text.push_str(&format!("| tokens | – | – | – | {tokens} | {tokens} | 4096 | 3629 |\n"));
    text
}

fn rules() -> String {
    let mut text =
        String::from("| a program is refused when … | Adobe error | in tolerant mode |\n|---|---|---|\n");
    for row in RULES {
        let number = row.adobe.map_or("–".to_owned(), |number| number.to_string());
        let tolerance = if row.tolerance.is_empty() { "refused" } else { row.tolerance };
        text.push_str(&format!("| {} | {number} | {tolerance} |\n", row.text));
    }
    text
}
