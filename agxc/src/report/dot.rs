//! The control flow of a lane as a graph for Graphviz.

use std::fmt::Write as _;

use super::PartReport;
use crate::assembly;

/// A digraph with a cluster for each part.
pub fn graph(name: &str, parts: &[PartReport]) -> String {
    let mut text = format!("digraph \"{}\" {{\n  node [shape=box, fontname=monospace];\n", escaped(name));
    for part in parts {
        let role = assembly::role_name(part.role);
        let _ = writeln!(text, "  subgraph cluster_{role} {{\n    label=\"{role}\";");
        for (index, block) in part.blocks.iter().enumerate() {
            let rows = part.rows.get(block.lines.clone()).unwrap_or_default();
            let cycles: u32 = rows.iter().map(|row| row.cycles).sum();
            let lines: String = rows.iter().map(|row| format!("{}\\l", escaped(&row.text))).collect();
            let _ = writeln!(text, "    {role}{index} [label=\"block {index}, {cycles} cycles\\l{lines}\"];");
        }
        for (index, block) in part.blocks.iter().enumerate() {
            for (next, is_back) in &block.successors {
                let style = if *is_back { " [style=dashed]" } else { "" };
                let _ = writeln!(text, "    {role}{index} -> {role}{next}{style};");
            }
        }
        text.push_str("  }\n");
    }
    text.push_str("}\n");
    text
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
