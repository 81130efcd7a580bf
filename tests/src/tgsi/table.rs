//! The table of opcodes in docs/tgsi.md, from test results.

use std::collections::BTreeMap;

use agx_compiler::CompileKey;
use agx_tgsi::{Class, Generation, OPCODES, Opcode, parse, print, validate};

use super::{Judged, compile};
use crate::outcome::Outcome;

/// Test results for an opcode.
#[derive(Clone, Copy, Default, Debug)]
struct Row {
    parses: usize,
    validates: usize,
    compiles: usize,
    /// Words compared with the interpreter in programs that have it.
    words: usize,
    /// Programs that were compared, and those that agreed.
    compared: usize,
    agreed: usize,
}

/// The table as Markdown, from the text of each program and its result.
pub fn table(programs: &[(String, Judged)], key: &CompileKey) -> String {
    let mut rows: BTreeMap<Opcode, Row> = BTreeMap::new();
    for (text, judged) in programs {
        let Ok(shader) = parse(text) else { continue };
        let mut opcodes: Vec<Opcode> =
            shader.instructions.iter().map(|instruction| instruction.opcode).collect();
        opcodes.sort();
        opcodes.dedup();
        let parses = parse(&print(&shader)).as_ref() == Ok(&shader);
        let is_valid = validate(&shader).is_ok();
        let compiles = judged.outcome == Outcome::Pass || compile(text, &compiling(key, &opcodes)).is_ok();
        for opcode in opcodes {
            let row = rows.entry(opcode).or_default();
            row.parses += usize::from(parses);
            row.validates += usize::from(is_valid);
            row.compiles += usize::from(compiles);
            row.words += judged.words;
            // Programs of unsupported stages are not compared.
            let is_refused = matches!(judged.outcome, Outcome::Unsupported(_));
            row.compared += usize::from(judged.words > 0 || (judged.outcome != Outcome::Pass && !is_refused));
            row.agreed += usize::from(judged.words > 0 && judged.outcome == Outcome::Pass);
        }
    }
    let mut text = String::from(
        "| opcode | editions | meaning | parses | validates | compiles | words compared | agrees |\n|---|---|---|---|---|---|---|---|\n",
    );
    for info in OPCODES {
        let row = rows.get(&info.opcode).copied().unwrap_or_default();
        let editions = match info.generation {
            Generation::Both => "first, later",
            Generation::First => "first",
            Generation::Later => "later",
        };
        let is_geometry = info.class == Class::Geometry;
        let compiles = if is_geometry { "refused".to_owned() } else { yes(row.compiles > 0) };
        let agrees =
            if is_geometry { "–".to_owned() } else { yes(row.compared > 0 && row.agreed == row.compared) };
        let meaning = info.meaning.replace('|', "\\|");
        text += &format!(
            "| `{}` | {editions} | {meaning} | {} | {} | {compiles} | {} | {agrees} |\n",
            info.name,
            yes(row.parses > 0),
            yes(row.validates > 0),
            row.words
        );
    }
    text
}

fn yes(holds: bool) -> String {
    if holds { "yes".to_owned() } else { "**no**".to_owned() }
}

/// The key, with the settings for reading render targets.
fn compiling(key: &CompileKey, opcodes: &[Opcode]) -> CompileKey {
    use agx_abi::tile::{ColourFormat, TilePass};
    let mut key = key.clone();
    if opcodes.contains(&Opcode::Fbfetch) {
        let mut formats = [None; 8];
        formats[0] = Some(ColourFormat::Rgba32Sfloat);
        key.tile = Some(TilePass { formats, samples: 1, input_attachments: Vec::new() });
    }
    key
}
