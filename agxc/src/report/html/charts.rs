//! Charts of the report, as SVG.

use std::fmt::Write as _;

use agx_abi::occupancy::{MAX_GPR_HALVES, MAX_THREADS, OCCUPANCY};

use super::super::PartReport;
use super::escaped;
use crate::assembly;

const WIDTH: usize = 520;
const HEIGHT: usize = 120;

/// Live half-registers over the instructions of a part; a click on a bar shows the instruction.
pub fn live(part: &PartReport) -> String {
    let rows: Vec<_> = part.rows.iter().filter(|row| !row.is_padding).collect();
    let most = part.peak_halves().max(1) as usize;
    let width = WIDTH as f64 / rows.len().max(1) as f64;
    let role = assembly::role_name(part.role);
    let mut svg = open(WIDTH, HEIGHT);
    for (index, row) in rows.iter().enumerate() {
        let height = (HEIGHT - 16) * row.live.len() as usize / most;
        let _ = write!(
            svg,
            "<rect class=\"live\" data-go=\"{role}-{:x}\" x=\"{:.2}\" y=\"{}\" width=\"{:.2}\" height=\"{height}\"><title>{:x}: {} \
             live: {}</title></rect>",
            row.offset,
            index as f64 * width,
            HEIGHT - height,
            width.max(0.5),
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
    let x = |halves: u16| WIDTH * usize::from(halves) / usize::from(MAX_GPR_HALVES);
    let y = |threads: u32| HEIGHT - (HEIGHT - 16) * threads as usize / MAX_THREADS as usize;
    let mut path = format!("M0 {}", y(MAX_THREADS));
    let mut mark = y(0);
    for (index, (most, threads)) in OCCUPANCY.iter().enumerate() {
        let _ = write!(path, " V{} H{}", y(*threads), x(*most));
        let below = index.checked_sub(1).and_then(|index| OCCUPANCY.get(index)).map_or(0, |row| row.0);
        if halves <= *most && (halves > below || index == 0) {
            mark = y(*threads);
        }
    }
    let mut svg = open(WIDTH, HEIGHT);
    let _ = write!(
        svg,
        "<path class=\"axis\" d=\"M0 {HEIGHT} H{WIDTH}\"/><path class=\"curve\" d=\"{path}\"/><circle class=\"here\" cx=\"{}\" \
         cy=\"{mark}\" r=\"4\"><title>{halves} half-registers</title></circle>",
        x(halves)
    );
    let mut below = 0;
    for (most, threads) in OCCUPANCY {
        // Only wide steps have room for a label.
        if most - std::mem::replace(&mut below, most) < LABELLED_HALVES {
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
    let mut svg = open(BLOCK_WIDTH + 2 * MARGIN, y);
    for (index, (block, (top, height))) in part.blocks.iter().zip(&tops).enumerate() {
        let rows = part.rows.get(block.lines.clone()).unwrap_or_default();
        let cycles: u32 = rows.iter().map(|row| row.cycles).sum();
        let go = rows.first().map_or(0, |row| row.offset);
        let _ = write!(
            svg,
            "<g data-go=\"{role}-{go:x}\"><rect class=\"block\" x=\"{MARGIN}\" y=\"{top}\" width=\"{BLOCK_WIDTH}\" \
             height=\"{height}\" rx=\"3\"/>"
        );
        let mut texts = vec![format!("block {index}: {} instructions, {cycles} cycles", rows.len())];
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

fn open(width: usize, height: usize) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">"
    )
}
