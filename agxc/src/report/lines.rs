//! Costs by source line.

use std::fmt::Write as _;

use agx_compiler::CompiledShader;

use super::PartReport;
use crate::assembly;

/// The cost of a source line in one part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineCost {
    /// Index in the list of files.
    pub file: u32,
    /// Line, from 1; 0 for code without a source position.
    pub line: u32,
    /// Instructions.
    pub instructions: u32,
    /// Cycles of a SIMD-group alone on a core.
    pub cycles: u32,
    /// The part of these spent waiting.
    pub stalled: u32,
    /// Maximum number of live half-registers at one of its instructions.
    pub live_halves: u32,
}

/// The costs of a part by line, in the order of files and lines.
pub fn costs(shader: &CompiledShader, part: &PartReport) -> Vec<LineCost> {
    let mut costs: Vec<LineCost> = Vec::new();
    for row in part.rows.iter().filter(|row| !row.is_padding) {
        let place = row.position.and_then(|position| shader.sources.get(position));
        let (file, line) = place.map_or((0, 0), |place| (place.file, place.line));
        let at = costs.binary_search_by_key(&(file, line), |cost| (cost.file, cost.line));
        let index = at.unwrap_or_else(|index| {
            let cost = LineCost { file, line, instructions: 0, cycles: 0, stalled: 0, live_halves: 0 };
            costs.insert(index, cost);
            index
        });
        if let Some(cost) = costs.get_mut(index) {
            cost.instructions += 1;
            cost.cycles += row.cycles;
            cost.stalled += row.stalled;
            cost.live_halves = cost.live_halves.max(row.live.len());
        }
    }
    costs
}

/// A table for each part; `source` returns the text of a line if it is known.
pub fn text<'s>(
    shader: &CompiledShader,
    parts: &[PartReport],
    source: impl Fn(&str, u32) -> Option<&'s str>,
) -> String {
    let mut text = String::new();
    for part in parts {
        let costs = costs(shader, part);
        let total: u32 = costs.iter().map(|cost| cost.cycles).sum();
        let _ = writeln!(text, "{}: {total} cycles", assembly::role_name(part.role));
        let _ = writeln!(text, "cycles  share  stalled  instructions  live  line");
        for cost in &costs {
            let name = shader.sources.files.get(cost.file as usize).map_or("", String::as_str);
            let place = if cost.line == 0 { "(no line)".to_owned() } else { format!("{name}:{}", cost.line) };
            let code = source(name, cost.line).map_or_else(String::new, |line| format!("  {}", line.trim()));
            let share = 100.0 * f64::from(cost.cycles) / f64::from(total.max(1));
            let _ = writeln!(
                text,
                "{:6} {share:5.1}%  {:7}  {:12}  {:4}  {place}{code}",
                cost.cycles, cost.stalled, cost.instructions, cost.live_halves
            );
        }
    }
    text
}
