//! Charts of the report, as SVG.

use std::fmt::Write as _;

use agx_abi::occupancy::{MAX_GPR_HALVES, MAX_THREADS, OCCUPANCY};

use super::super::PartReport;
use super::escaped;
use crate::assembly;

const WIDTH: usize = 520;
const HEIGHT: usize = 150;
/// Space for the labels of the axes.
const LEFT: usize = 40;
const TOP: usize = 16;
const BOTTOM: usize = 20;
/// The position of zero.
const BASE: usize = HEIGHT - BOTTOM;

/// The axes of a plot: names and maxima.
struct Axes {
    x: &'static str,
    x_most: usize,
    y: &'static str,
    y_most: usize,
}

impl Axes {
    fn draw(&self) -> String {
        let Axes { x, x_most, y, y_most } = self;
        let (end, middle, below) = (LEFT - 4, LEFT + (WIDTH - LEFT) / 2, HEIGHT - 4);
        format!(
            "<path class=\"axis\" d=\"M{LEFT} {TOP} V{BASE} H{WIDTH}\"/>\
             <text x=\"{end}\" y=\"{}\" text-anchor=\"end\">{y_most}</text>\
             <text x=\"{end}\" y=\"{BASE}\" text-anchor=\"end\">0</text>\
             <text x=\"{LEFT}\" y=\"{}\">{y}</text>\
             <text x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\">{x}</text>\
             <text x=\"{WIDTH}\" y=\"{below}\" text-anchor=\"end\">{x_most}</text>",
            TOP + 4,
            TOP - 5
        )
    }

    fn y(&self, value: usize) -> usize {
        BASE - (BASE - TOP) * value / self.y_most.max(1)
    }
}

/// Live half-registers over the instructions of a part; a click on a bar shows the instruction.
pub fn live(part: &PartReport) -> String {
    let rows: Vec<_> = part.rows.iter().filter(|row| !row.is_padding).collect();
    let y_most = part.peak_halves() as usize;
    let axes = Axes { x: "instructions", x_most: rows.len(), y: "live half-registers", y_most };
    let width = (WIDTH - LEFT) as f64 / rows.len().max(1) as f64;
    let role = assembly::role_name(part.role);
    let mut svg =
        open(WIDTH, HEIGHT, &format!("live half-registers over the instructions of {role}")) + &axes.draw();
    for (index, row) in rows.iter().enumerate() {
        let y = axes.y(row.live.len() as usize);
        let _ = write!(
            svg,
            "<rect class=\"live\" data-go=\"{role}-{:x}\" x=\"{:.2}\" y=\"{y}\" width=\"{:.2}\" height=\"{}\"><title>{:x}: {} \
             live: {}</title></rect>",
            row.offset,
            LEFT as f64 + index as f64 * width,
            width.max(0.5),
            BASE - y,
            row.offset,
            row.live.len(),
            row.live
        );
    }
    svg + "</svg>"
}

/// Minimum width of a step of the occupancy curve that gets a label, in half-registers.
const LABELLED_HALVES: u16 = 16;

/// Threads per core as a function of half-registers, with a mark at `halves`.
pub fn occupancy(halves: u16) -> String {
    let axes = Axes {
        x: "half-registers",
        x_most: MAX_GPR_HALVES.into(),
        y: "threads per core",
        y_most: MAX_THREADS as usize,
    };
    let x = |halves: u16| LEFT + (WIDTH - LEFT) * usize::from(halves) / usize::from(MAX_GPR_HALVES);
    let y = |threads: u32| axes.y(threads as usize);
    let mut path = format!("M{LEFT} {}", y(MAX_THREADS));
    let mut mark = y(0);
    for (index, (most, threads)) in OCCUPANCY.iter().enumerate() {
        let _ = write!(path, " V{} H{}", y(*threads), x(*most));
        let below = index.checked_sub(1).and_then(|index| OCCUPANCY.get(index)).map_or(0, |row| row.0);
        if halves <= *most && (halves > below || index == 0) {
            mark = y(*threads);
        }
    }
    let mut svg = open(WIDTH, HEIGHT, "threads per core by half-registers") + &axes.draw();
    let _ = write!(
        svg,
        "<path class=\"curve\" d=\"{path}\"/><circle class=\"here\" cx=\"{}\" cy=\"{mark}\" r=\"4\"><title>{halves} \
         half-registers</title></circle>",
        x(halves)
    );
    let mut below = 0;
    for (most, threads) in OCCUPANCY {
        // Only wide steps have room for a label, and the first one has that of the axis.
        if most - std::mem::replace(&mut below, most) < LABELLED_HALVES || threads == MAX_THREADS {
            continue;
        }
        let _ = write!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{threads}</text>",
            x(most),
            y(threads) - 4
        );
    }
    svg + "</svg>"
}

const BLOCK_WIDTH: usize = 360;
const LINE_HEIGHT: usize = 14;
const GAP: usize = 22;
/// Number of instructions shown at the start of a block.
const SHOWN: usize = 6;
/// Space for edges on either side of the blocks.
const MARGIN: usize = 140;

/// The blocks of a part from top to bottom, with forward edges on the right and back edges on the left.
pub fn control_flow(part: &PartReport) -> String {
    let role = assembly::role_name(part.role);
    let mut tops = Vec::new();
    let mut y = 4;
    for block in &part.blocks {
        let lines = block.lines.len().min(SHOWN) + 1 + usize::from(block.lines.len() > SHOWN);
        let height = LINE_HEIGHT * lines + 8;
        tops.push((y, height));
        y += height + GAP;
    }
    let name = format!("control flow of {role}: {} blocks", part.blocks.len());
    let mut svg = open(BLOCK_WIDTH + 2 * MARGIN, y, &name);
    for (index, (block, (top, height))) in part.blocks.iter().zip(&tops).enumerate() {
        let rows = part.rows.get(block.lines.clone()).unwrap_or_default();
        let cycles: u32 = rows.iter().map(|row| row.cycles).sum();
        let go = rows.first().map_or(0, |row| row.offset);
        let _ = write!(
            svg,
            "<g data-go=\"{role}-{go:x}\"><rect class=\"block\" x=\"{MARGIN}\" y=\"{top}\" width=\"{BLOCK_WIDTH}\" \
             height=\"{height}\" rx=\"3\"/>"
        );
        let count =
            |number: usize, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
        let (size, cost) = (count(rows.len(), "instruction"), count(cycles as usize, "cycle"));
        let mut texts = vec![format!("block {index}: {size}, {cost}")];
        texts.extend(rows.iter().take(SHOWN).map(|row| row.text.chars().take(56).collect()));
        if rows.len() > SHOWN {
            texts.push("…".to_owned());
        }
        for (line, text) in texts.iter().enumerate() {
            let (x, y) = (MARGIN + 6, top + LINE_HEIGHT * (line + 1));
            let _ = write!(svg, "<text x=\"{x}\" y=\"{y}\">{}</text>", escaped(text));
        }
        svg.push_str("</g>");
    }
    for (index, block) in part.blocks.iter().enumerate() {
        for (next, is_back) in &block.successors {
            svg.push_str(&edge(&tops, index, *next, *is_back));
        }
    }
    svg + "</svg>"
}

/// An edge from block `from` to block `to`.
fn edge(tops: &[(usize, usize)], from: usize, to: usize, is_back: bool) -> String {
    let at = |index: usize| tops.get(index).copied().unwrap_or_default();
    let ((from_top, from_height), (to_top, _)) = (at(from), at(to));
    let (start, end) = (from_top + from_height, to_top);
    let middle = MARGIN + BLOCK_WIDTH / 2;
    if !is_back && to == from + 1 {
        return format!("<path class=\"edge\" d=\"M{middle} {start} V{end}\"/>");
    }
    // Longer edges bend further out, so that they rarely overlap.
    let out = (16 + 12 * from.abs_diff(to)).min(MARGIN - 8);
    let (side, bend) = match is_back {
        true => (MARGIN, MARGIN - out),
        false => (MARGIN + BLOCK_WIDTH, MARGIN + BLOCK_WIDTH + out),
    };
    let class = if is_back { "edge back" } else { "edge" };
    let (start, end) = (start - 6, end + 6);
    format!("<path class=\"{class}\" d=\"M{side} {start} C{bend} {start} {bend} {end} {side} {end}\"/>")
}

fn open(width: usize, height: usize, name: &str) -> String {
    format!(
        "<svg role=\"img\" aria-label=\"{name}\" xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">"
    )
}
