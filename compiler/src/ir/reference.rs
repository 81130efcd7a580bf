//! Generates the tables of docs/ir.md from the tables in the code.

use std::fmt::Write;

use super::op::IrOp;
use super::signature::CLASSES;
use super::types::Stage;

/// The table of IR-only operations.
pub fn operation_table() -> String {
    let mut table =
        String::from("| operation | signature | modifiers | until | meaning |\n|---|---|---|---|---|\n");
    for op in IrOp::ALL {
        let desc = op.desc();
        let until = if desc.last == Stage::Final { "" } else { desc.last.name() };
        let (name, signature, mods) =
            (desc.name, desc.signature.text.replace('|', "\\|"), desc.mods.join(" "));
        // Writing to a string cannot fail.
        let _ = writeln!(table, "| `{name}` | `{signature}` | {mods} | {until} | {} |", desc.doc);
    }
    table
}

/// The table of operand classes.
pub fn class_table() -> String {
    let mut table = String::from("| class | takes |\n|---|---|\n");
    for (letter, _, meaning) in CLASSES {
        let _ = writeln!(table, "| `{letter}` | {meaning} |");
    }
    table
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// Replaces the text between the markers of `name`.
    fn with_section(text: &str, name: &str, section: &str) -> String {
        let (start, end) = (format!("<!-- begin {name} -->\n"), format!("<!-- end {name} -->"));
        let (head, rest) = text.split_once(&start).expect("the section begins");
        let (_, tail) = rest.split_once(&end).expect("the section ends");
        format!("{head}{start}{section}{end}{tail}")
    }

    #[test]
    fn the_document_is_current() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/ir.md");
        let text = std::fs::read_to_string(&path).expect("docs/ir.md can be read");
        let current = with_section(&text, "operations", &operation_table());
        let current = with_section(&current, "classes", &class_table());
        if std::env::var_os("BLESS").is_some_and(|value| value != "0") {
            std::fs::write(&path, &current).expect("docs/ir.md can be written");
        } else {
            assert!(text == current, "docs/ir.md is out of date: run this test with BLESS=1");
        }
    }
}
