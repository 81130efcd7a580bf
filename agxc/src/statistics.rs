//! Statistics as text, JSON and CSV, under Mesa's names.

use agx_compiler::Binding;
use agx_compiler::Statistics;
pub use agx_compiler::{FIGURES, Figure};
use serde_json::{Map, Value};

/// Version of the JSON form, increased when a field changes its meaning or is removed.
pub const SCHEMA_VERSION: u32 = 1;

/// The figure with this key.
pub fn figure(key: &str) -> Option<&'static Figure> {
    FIGURES.iter().find(|figure| figure.key == key)
}

/// The bottleneck of a full core, as a phrase.
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

/// A row of the CSV form. Quotes the name if necessary.
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
