//! Compares every program in every mode, and generates the table of docs/pica200.md.

use std::path::Path;

use agx_pica200::opcode::{OPCODES, OpcodeDesc};
use agx_pica200::{Inst, Opcode, assemble, disasm};
use rayon::prelude::*;

use super::oracle::{MODES, compare};
use super::support::{Named, programs};

/// Markers around the table.
const BEGIN: &str = "<!-- begin opcodes -->\n";
const END: &str = "<!-- end opcodes -->";

/// A program with its result in each mode: number of compared cases, or the first difference.
struct Compared {
    program: Named,
    results: Vec<Result<usize, String>>,
}

impl Compared {
    fn cases(&self) -> usize {
        self.results.iter().flatten().sum()
    }

    fn agrees(&self) -> bool {
        self.results.iter().all(Result::is_ok)
    }
}

fn compared() -> Vec<Compared> {
    let results = |program: Named| {
        let results = MODES.iter().map(|mode| compare(&program, mode)).collect();
        Compared { program, results }
    };
    programs().into_par_iter().map(results).collect()
}

/// Whether words of an opcode decode, with every bit of every field, and encode to the same words.
fn decodes(row: &OpcodeDesc) -> bool {
    (0..32 - u32::from(row.bits)).all(|bit| {
        let word = row.base() | 1 << bit;
        Inst::decode(word).is_some_and(|inst| inst.opcode == row.opcode && inst.encode() == word)
    })
}

/// Whether the text of the programs with an opcode assembles to their words, with the opcode by name.
fn assembles(opcode: Opcode, programs: &[&Compared]) -> bool {
    programs.iter().all(|compared| {
        let program = &compared.program.container.program;
        let text = disasm::disassemble(program, None);
        let name = opcode.desc().name;
        let named = text.lines().any(|line| line.split_whitespace().next() == Some(name));
        named && assemble(&text).is_ok_and(|container| container.program == *program)
    })
}

fn yes(value: bool) -> &'static str {
    if value { "yes" } else { "no" }
}

fn table(compared: &[Compared]) -> String {
    let mut text =
        "| opcode | number | decodes | assembles | programs that compile | oracle cases | agrees | \
                    meaning |\n|---|---|---|---|---:|---:|---|---|\n"
            .to_owned();
    for row in OPCODES {
        let with: Vec<&Compared> =
            compared.iter().filter(|compared| compared.program.opcodes().contains(&row.opcode)).collect();
        let cases: usize = with.iter().map(|compared| compared.cases()).sum();
        let agree = !with.is_empty() && with.iter().all(|compared| compared.agrees());
        let assembled = !with.is_empty() && assembles(row.opcode, &with);
        let (name, number, meaning) = (row.name, row.value, row.meaning);
        let (decoded, assembled, agree) = (yes(decodes(row)), yes(assembled), yes(agree));
        let count = with.len();
        text.push_str(&format!(
            "| `{name}` | {number:#04x} | {decoded} | {assembled} | {count} | {cases} | {agree} | {meaning} |\n"
        ));
    }
    text
}

#[test]
fn every_program_agrees_and_the_table_says_so() {
    let compared = compared();
    let differences: Vec<&String> = compared
        .iter()
        .flat_map(|compared| &compared.results)
        .filter_map(|result| result.as_ref().err())
        .collect();
    let list = differences.iter().map(|text| text.as_str()).collect::<Vec<_>>().join("\n");
    assert!(differences.is_empty(), "{} differences:\n{list}", differences.len());
    let table = table(&compared);
    assert!(!table.contains("| no |"), "{table}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/pica200.md");
    let text = std::fs::read_to_string(&path).expect("docs/pica200.md");
    let (before, rest) = text.split_once(BEGIN).expect("the beginning of the table");
    let (old, after) = rest.split_once(END).expect("the end of the table");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{table}{END}{after}")).expect("a writable document");
        return;
    }
    assert!(old == table, "docs/pica200.md differs; BLESS=1 writes\n{table}");
}
