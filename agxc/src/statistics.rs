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

/// The figures of tables that have a row for each shader.
pub const SUMMARY_KEYS: [&str; 8] =
    ["instructions", "alu", "fscib", "ic", "code_bytes", "gpr_halves", "threads", "spills"];

/// A table in Markdown, a row for each shader.
pub fn markdown(rows: &[(String, Statistics)]) -> String {
    let figures = || SUMMARY_KEYS.iter().filter_map(|key| figure(key));
    let titles: Vec<&str> = figures().map(|figure| figure.title).collect();
    let mut text = format!("| Shader | {} | Bottleneck |\n", titles.join(" | "));
    text.push_str(&format!("|---|{}---|\n", "--:|".repeat(titles.len())));
    for (name, statistics) in rows {
        let values: Vec<String> = figures().map(|figure| (figure.value)(statistics).to_string()).collect();
        let name = markdown_code(name);
        text.push_str(&format!("| {name} | {} | {} |\n", values.join(" | "), bottleneck(statistics.binds)));
    }
    text
}

/// A name as code in a cell of a table.
pub fn markdown_code(name: &str) -> String {
    format!("`{}`", name.replace('`', "'").replace('|', "\\|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_markdown_table_has_cells_for_its_heading() {
        let statistics = Statistics { instructions: 3, threads: 1024, ..Statistics::default() };
        let table = markdown(&[("a|b".to_owned(), statistics)]);
        let lines: Vec<&str> = table.lines().collect();
        let cells = |line: &str| line.replace("\\|", "").matches('|').count();
        assert_eq!(lines.iter().map(|line| cells(line)).collect::<Vec<_>>(), [11, 11, 11], "{table}");
        assert_eq!(
            lines[0],
            "| Shader | Instrs | ALU | FSCIB | IC | Code size | GPRs | Threads | Spills | Bottleneck |"
        );
        assert_eq!(lines[2], "| `a\\|b` | 3 | 0 | 0 | 0 | 0 | 0 | 1024 | 0 | bound by arithmetic |");
    }

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
