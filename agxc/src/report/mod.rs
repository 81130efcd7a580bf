//! Facts about each instruction of a compiled shader: its source position, cost and live registers; and the same per
//! source line. The assembly with live registers, costs by line, graphs, JSON and the HTML report are generated from
//! them.

pub mod dot;
pub mod executed;
pub mod flow;
pub mod html;
pub mod lines;
pub mod live;

use std::fmt::Write as _;

use agx_abi::{PartRole, ShaderInfo, Stage};
use agx_compiler::{CompiledShader, ShaderPart};
use agx_isa::Opcode;
use agx_isa::disasm::{Line, Piece};
use agx_isa::timing::Alone;

use self::flow::{Block, Flow};
use self::live::HalfSet;
use crate::{assembly, listing, output};

/// An instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Offset of its first byte.
    pub offset: usize,
    /// Its bytes in hexadecimal.
    pub bytes: String,
    /// Its label, if it is the target of a branch.
    pub label: Option<String>,
    /// Assembly.
    pub text: String,
    /// Number of its source position in [`CompiledShader::sources`].
    pub position: Option<u32>,
    /// Cycles until the next instruction can issue, for a SIMD-group alone on a core.
    pub cycles: u32,
    /// The part of these spent waiting for memory or textures.
    pub stalled: u32,
    /// Registers that are live before it.
    pub live: HalfSet,
    /// Whether it is padding after the end.
    pub is_padding: bool,
}

/// A part of a shader.
pub struct PartReport {
    /// Role.
    pub role: PartRole,
    /// Another part follows in memory.
    pub continues: bool,
    /// Its bytes.
    pub size_bytes: usize,
    /// Its instructions.
    pub rows: Vec<Row>,
    /// The control flow of a lane.
    pub blocks: Vec<Block>,
}

impl PartReport {
    /// Maximum number of half-registers that are live at once.
    pub fn peak_halves(&self) -> u32 {
        self.rows.iter().map(|row| row.live.len()).max().unwrap_or(0)
    }
}

/// Returns the instructions of a part without padding, or an empty list if the shader lacks the part.
pub fn instructions(parts: &[PartReport], role: PartRole) -> Vec<&str> {
    let part = parts.iter().find(|part| part.role == role);
    let rows = part.into_iter().flat_map(|part| part.rows.iter().filter(|row| !row.is_padding));
    rows.map(|row| row.text.as_str()).collect()
}

/// Every part of `shader`.
pub fn parts(shader: &CompiledShader) -> Vec<PartReport> {
    shader.parts.iter().map(|each| part(shader, each)).collect()
}

fn part(shader: &CompiledShader, part: &ShaderPart) -> PartReport {
    let flow = Flow::new(&part.code);
    let live = live::live(&flow, live_at_end(&shader.info, part.role));
    let reached = flow.reached();
    let labels = labels(&flow);
    let label = |pc: usize| labels.binary_search(&pc).ok().map(|index| format!("L{index}"));
    let mut alone = Alone::default();
    let mut rows = Vec::new();
    for ((line, live), is_reached) in flow.lines.iter().zip(live).zip(reached) {
        let (cycles, stalled) = (alone.cycles(), alone.stalled());
        let text = match &line.piece {
            Piece::Inst(inst) => {
                alone.issue(inst);
                match (line.target().and_then(label), inst.to_string()) {
                    // The target is the last operand.
                    (Some(label), text) => match text.rsplit_once(' ') {
                        Some((before, _)) => format!("{before} {label}"),
                        None => text,
                    },
                    (None, text) => text,
                }
            }
            Piece::Unknown(value) => format!("<unknown {value:#0width$x}>", width = 2 + 2 * line.len),
        };
        let bytes = part.code.get(line.pc..line.pc + line.len).unwrap_or_default();
        rows.push(Row {
            offset: line.pc,
            bytes: output::hex(bytes),
            label: label(line.pc),
            text,
            position: part.position_at(line.pc),
            cycles: alone.cycles() - cycles,
            stalled: alone.stalled() - stalled,
            live,
            is_padding: !is_reached && is_trap(line),
        });
    }
    let continues = shader.info.goes_on(part.role);
    PartReport { role: part.role, continues, size_bytes: part.code.len(), rows, blocks: flow.blocks() }
}

fn is_trap(line: &Line) -> bool {
    matches!(&line.piece, Piece::Inst(inst) if inst.op == Opcode::Trap)
}

/// Offsets of branch targets, ascending.
fn labels(flow: &Flow) -> Vec<usize> {
    let starts = |pc: &usize| flow.lines.binary_search_by_key(pc, |line| line.pc).is_ok();
    let mut labels: Vec<usize> = flow.lines.iter().filter_map(|line| line.target()).filter(starts).collect();
    labels.sort_unstable();
    labels.dedup();
    labels
}

/// Registers that the next part reads: for a fragment main part the colours, four registers for each target from r4 on,
/// and r2 and r3 (`agx_abi::fragment`).
fn live_at_end(info: &ShaderInfo, role: PartRole) -> HalfSet {
    let mut live = HalfSet::default();
    if info.stage != Stage::Fragment || role != PartRole::Main || info.whole {
        return live;
    }
    let fragment = &info.fragment;
    for (target, components) in fragment.components.iter().enumerate() {
        for component in 0..4u16 {
            if u32::from(*components) >> component & 1 == 1 {
                let register = 4 * (target as u16 + 1) + component;
                live.insert_all(2 * register..2 * register + 2);
            }
        }
    }
    let others =
        [(fragment.writes_depth, 4..6), (fragment.writes_stencil, 6..7), (fragment.writes_sample_mask, 7..8)];
    others.into_iter().filter(|(written, _)| *written).for_each(|(_, halves)| live.insert_all(halves));
    live
}

/// The shader as assembly with the live registers before each instruction; it assembles to the same parts.
pub fn live_listing(shader: &CompiledShader) -> String {
    let mut text = listing::heading(&shader.info);
    for part in parts(shader) {
        text.push_str(&assembly::directive(part.role, part.continues, part.size_bytes));
        let _ = writeln!(text, "; at most {} half-registers live", part.peak_halves());
        for row in part.rows {
            if let Some(label) = &row.label {
                let _ = writeln!(text, "{label}:");
            }
            match row.is_padding {
                false => {
                    let _ = writeln!(text, "    {:<51} ; {:>3}: {}", row.text, row.live.len(), row.live);
                }
                true => {
                    let _ = writeln!(text, "    {}", row.text);
                }
            }
        }
    }
    text
}
