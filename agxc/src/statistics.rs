//! Statistics as text, JSON and CSV, under the names Mesa gives them.

use agx_compiler::Statistics;
use serde_json::{Map, Value};

/// Version of the JSON form: raised when a field changes its meaning or goes away.
pub const SCHEMA_VERSION: u32 = 1;

/// One figure: name for people, name for machines, where it comes from.
struct Figure {
    title: &'static str,
    key: &'static str,
    value: fn(&Statistics) -> u32,
}

/// Every figure, in the order it is printed.
static FIGURES: &[Figure] = &[
    Figure { title: "Instrs", key: "instructions", value: |s| s.instructions },
    Figure { title: "ALU", key: "alu", value: |s| s.alu },
    Figure { title: "FSCIB", key: "fscib", value: |s| s.fscib },
    Figure { title: "IC", key: "ic", value: |s| s.ic },
    Figure { title: "Code size", key: "code_bytes", value: |s| s.code_bytes },
    Figure { title: "GPRs", key: "gpr_halves", value: |s| s.gpr_halves },
    Figure { title: "Uniforms", key: "uniform_halves", value: |s| s.uniform_halves },
    Figure { title: "Scratch", key: "scratch_bytes", value: |s| s.scratch_bytes },
    Figure { title: "Threads", key: "threads", value: |s| s.threads },
    Figure { title: "Loops", key: "loops", value: |s| s.loops },
    Figure { title: "Spills", key: "spills", value: |s| s.spills },
    Figure { title: "Fills", key: "fills", value: |s| s.fills },
    Figure { title: "Preamble instrs", key: "preamble_instructions", value: |s| s.preamble_instructions },
    Figure { title: "Waits", key: "waits", value: |s| s.waits },
    Figure { title: "Cycles", key: "cycles", value: |s| s.cycles },
    Figure { title: "Stalled", key: "stalled_cycles", value: |s| s.stalled_cycles },
    Figure { title: "Memory", key: "memory_cycles", value: |s| s.memory_cycles },
    Figure { title: "Texture", key: "texture_cycles", value: |s| s.texture_cycles },
    Figure { title: "Control", key: "control_cycles", value: |s| s.control_cycles },
];

/// One line: `NAME: 12 Instrs, 20 ALU, …, alu binds`.
pub fn line(statistics: &Statistics) -> String {
    let figures: Vec<String> =
        FIGURES.iter().map(|figure| format!("{} {}", (figure.value)(statistics), figure.title)).collect();
    format!("{}, {} binds", figures.join(", "), statistics.binds.name())
}

/// A JSON object, without the schema version.
pub fn json(statistics: &Statistics) -> Value {
    let fields = FIGURES.iter().map(|figure| (figure.key.to_owned(), (figure.value)(statistics).into()));
    let binds = ("binds".to_owned(), statistics.binds.name().into());
    Value::Object(Map::from_iter(fields.chain([binds])))
}

/// The heading of the CSV form.
pub fn csv_heading() -> String {
    let keys: Vec<&str> = FIGURES.iter().map(|figure| figure.key).collect();
    format!("name,{},binds", keys.join(","))
}

/// A row of the CSV form. Quotes the name where it must be.
pub fn csv_row(name: &str, statistics: &Statistics) -> String {
    let name = match name.contains([',', '"', '\n']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.to_owned(),
    };
    let values: Vec<String> = FIGURES.iter().map(|figure| (figure.value)(statistics).to_string()).collect();
    format!("{name},{},{}", values.join(","), statistics.binds.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heading_and_rows_have_the_same_columns() {
        let statistics = Statistics { instructions: 3, waits: 9, ..Statistics::default() };
        let row = csv_row("a", &statistics);
        assert_eq!(csv_heading().split(',').count(), row.split(',').count());
        assert!(row.starts_with("a,3,") && row.ends_with(",9,0,0,0,0,0,alu"), "{row}");
        assert!(csv_row("a,\"b", &statistics).starts_with("\"a,\"\"b\",3"));
        assert_eq!(json(&statistics)["waits"], 9);
        assert_eq!(json(&statistics)["binds"], "alu");
        assert!(line(&statistics).starts_with("3 Instrs, 0 ALU"));
    }
}
