//! Statistics as text, JSON and CSV, under the names Mesa gives them.

use agx_compiler::Statistics;
use agx_compiler::stats::Binding;
use serde_json::{Map, Value};

/// Version of the JSON form: raised when a field changes its meaning or goes away.
pub const SCHEMA_VERSION: u32 = 1;

/// One figure: name for people, name for machines, where it comes from.
pub struct Figure {
    /// Name in text.
    pub title: &'static str,
    /// Name in JSON, CSV and options.
    pub key: &'static str,
    /// More of it is better; of every other figure less is.
    pub higher_is_better: bool,
    /// Where it comes from.
    pub value: fn(&Statistics) -> u32,
}

const fn cost(title: &'static str, key: &'static str, value: fn(&Statistics) -> u32) -> Figure {
    Figure { title, key, higher_is_better: false, value }
}

/// Every figure, in the order it is printed.
pub static FIGURES: &[Figure] = &[
    cost("Instrs", "instructions", |s| s.instructions),
    cost("ALU", "alu", |s| s.alu),
    cost("FSCIB", "fscib", |s| s.fscib),
    cost("IC", "ic", |s| s.ic),
    cost("Code size", "code_bytes", |s| s.code_bytes),
    cost("GPRs", "gpr_halves", |s| s.gpr_halves),
    cost("Uniforms", "uniform_halves", |s| s.uniform_halves),
    cost("Scratch", "scratch_bytes", |s| s.scratch_bytes),
    Figure { title: "Threads", key: "threads", higher_is_better: true, value: |s| s.threads },
    cost("Loops", "loops", |s| s.loops),
    cost("Spills", "spills", |s| s.spills),
    cost("Fills", "fills", |s| s.fills),
    cost("Preamble instrs", "preamble_instructions", |s| s.preamble_instructions),
    cost("Waits", "waits", |s| s.waits),
    cost("Cycles", "cycles", |s| s.cycles),
    cost("Stalled", "stalled_cycles", |s| s.stalled_cycles),
    cost("Memory", "memory_cycles", |s| s.memory_cycles),
    cost("Texture", "texture_cycles", |s| s.texture_cycles),
    cost("Control", "control_cycles", |s| s.control_cycles),
];

/// The figure with this key.
pub fn figure(key: &str) -> Option<&'static Figure> {
    FIGURES.iter().find(|figure| figure.key == key)
}

/// What limits a full core, as a phrase.
pub fn bottleneck(binding: Binding) -> &'static str {
    match binding {
        Binding::Alu => "bound by arithmetic",
        Binding::Memory => "bound by memory",
        Binding::Texture => "bound by textures",
        Binding::Control => "bound by control flow",
        Binding::Registers => "bound by registers",
        Binding::Latency => "bound by latency",
    }
}

/// One line: `Instrs: 12, ALU: 20, …, bound by arithmetic`.
pub fn line(statistics: &Statistics) -> String {
    let figures: Vec<String> =
        FIGURES.iter().map(|figure| format!("{}: {}", figure.title, (figure.value)(statistics))).collect();
    format!("{}; {}", figures.join(", "), bottleneck(statistics.binds))
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
        assert!(line(&statistics).starts_with("Instrs: 3, ALU: 0"));
        assert!(line(&statistics).ends_with("; bound by arithmetic"));
    }
}
