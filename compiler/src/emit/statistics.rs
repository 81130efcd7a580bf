//! Statistics of emitted code, by Mesa's cycle model: an instruction of the integer/complex pipe adds twice its
//! throughput there and one cycle to the other pipes, every other ALU instruction its throughput to those.

use agx_abi::{ShaderInfo, occupancy};
use agx_isa::desc::Unit;
use agx_isa::table::Opcode;

use super::Code;
use crate::ir::{Function, Seam};
use crate::stats::Statistics;

/// Counts what `code`, emitted from `f`, costs. Spills, fills and the preamble are for others to count.
pub fn statistics(f: &Function<'_>, code: &Code, info: &ShaderInfo) -> Statistics {
    let mut stats = Statistics {
        instructions: code.insts.len() as u32,
        code_bytes: code.bytes.len() as u32,
        gpr_halves: info.gpr_halves.into(),
        uniform_halves: info.uniform_halves.into(),
        scratch_bytes: info.scratch_bytes,
        threads: occupancy::max_threads(info.gpr_halves),
        loops: f.layout.iter().filter(|segment| segment.seam == Seam::Loop).count() as u32,
        ..Statistics::default()
    };
    for inst in &code.insts {
        let desc = inst.op.desc();
        match desc.unit {
            Unit::None => {}
            Unit::Ic => {
                stats.ic += 2 * u32::from(desc.throughput);
                stats.fscib += 1;
            }
            Unit::F32 | Unit::F16 | Unit::Scib => stats.fscib += u32::from(desc.throughput),
        }
        stats.waits += u32::from(inst.op == Opcode::Wait);
    }
    stats.alu = stats.ic.max(stats.fscib);
    stats
}
