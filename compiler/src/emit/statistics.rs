//! Statistics of emitted code: Mesa's cycle model of the ALU, and an estimate of the bottleneck of a core.
//!
//! The bottleneck is the largest of the following costs, per SIMD-group of a fully occupied core, in cycles
//! of one of its four schedulers: arithmetic; bytes through the memory port (64 per cycle: metal-benchmarks);
//! texture quads; jumps (19 cycles: Mesa 25.0); and the time that a SIMD-group takes alone divided by the
//! number of SIMD-groups per scheduler, which is the latency that remains when the others hide as much as
//! they can. Every instruction counts once, regardless of loops.

use agx_abi::occupancy::SUBGROUP_SIZE;
use agx_abi::{ShaderInfo, occupancy};
use agx_isa::Inst;
use agx_isa::desc::{Effects, Role};
use agx_isa::table::Opcode;
use agx_isa::timing::{Alone, Cycles, JUMP_CYCLES};

use super::Code;
use crate::ir::{Function, Seam};
use crate::stats::{Binding, Statistics};

/// Schedulers per core (metal-benchmarks).
const SCHEDULERS: u32 = 4;
/// Bytes that a core's first-level cache delivers per cycle (metal-benchmarks).
const MEMORY_BYTES_PER_CYCLE: u32 = 64;
/// Texels that a core's texture units deliver per cycle. Assumed: one for each of the eight units that Apple
/// documents for a core.
const TEXELS_PER_CYCLE: u32 = 8;

/// Computes the cost of `code`, emitted from `f`. The caller adds spills, fills and the preamble.
pub fn statistics(f: &Function<'_>, code: &Code, info: &ShaderInfo) -> Statistics {
    f.watch.visit(code.insts.len() / 4);
    Statistics {
        code_bytes: code.bytes.len() as u32,
        uniform_halves: info.uniform_halves.into(),
        scratch_bytes: info.scratch_bytes,
        loops: f.layout.iter().filter(|segment| segment.seam == Seam::Loop).count() as u32,
        ..count(&code.insts, info.gpr_halves)
    }
}

/// Computes the statistics that follow from the instructions of a program which allocates `gpr_halves` half
/// registers.
pub fn count<'i>(insts: impl IntoIterator<Item = &'i Inst>, gpr_halves: u16) -> Statistics {
    let mut stats = Statistics {
        gpr_halves: gpr_halves.into(),
        threads: occupancy::max_threads(gpr_halves),
        ..Statistics::default()
    };
    let (mut cycles, mut alone) = (Cycles::default(), Alone::default());
    let mut memory_bytes = 0;
    for inst in insts {
        cycles.add(inst);
        alone.issue(inst);
        let desc = inst.op.desc();
        stats.instructions += 1;
        stats.waits += u32::from(inst.op == Opcode::Wait);
        stats.control_cycles += if desc.effects.contains(Effects::JUMP) { JUMP_CYCLES } else { 0 };
        if desc.is_texture() {
            stats.texture_cycles += SUBGROUP_SIZE / TEXELS_PER_CYCLE;
        } else if desc.effects.intersects(Effects::READS_MEMORY | Effects::WRITES_MEMORY) {
            memory_bytes += SUBGROUP_SIZE * data_bytes(inst);
        }
    }
    (stats.fscib, stats.ic, stats.alu) = (cycles.fscib, cycles.ic, cycles.alu());
    (stats.cycles, stats.stalled_cycles) = (alone.cycles(), alone.stalled());
    stats.memory_cycles = memory_bytes.div_ceil(MEMORY_BYTES_PER_CYCLE);
    stats.binds = binds(&stats);
    stats
}

/// Bytes that a memory access moves per lane: the size of its first result or, without one, of its first
/// source.
fn data_bytes(inst: &Inst) -> u32 {
    let desc = inst.op.desc();
    let data = desc.with_role(Role::Dst).chain(desc.with_role(Role::Src)).map(|(index, _)| index);
    let halves = data.filter_map(|index| inst.operand_halves(index)).map(|halves| halves.len()).next();
    halves.unwrap_or(0) as u32 * 2
}

/// The largest cost; the first one if several are equal.
fn binds(stats: &Statistics) -> Binding {
    let groups = (stats.threads / SUBGROUP_SIZE / SCHEDULERS).max(1);
    let is_full = stats.threads == occupancy::MAX_THREADS;
    let late = if is_full { Binding::Latency } else { Binding::Registers };
    let costs = [
        (stats.alu, Binding::Alu),
        (stats.memory_cycles * SCHEDULERS, Binding::Memory),
        (stats.texture_cycles * SCHEDULERS, Binding::Texture),
        (stats.control_cycles, Binding::Control),
        (stats.cycles / groups, late),
    ];
    costs.into_iter().rev().max_by_key(|(cycles, _)| *cycles).map_or(Binding::Alu, |(_, binding)| binding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_cost_binds() {
        let stats = Statistics { threads: 1024, ..Statistics::default() };
        assert_eq!(binds(&Statistics { alu: 50, cycles: 80, ..stats }), Binding::Alu);
        assert_eq!(binds(&Statistics { alu: 50, memory_cycles: 13, cycles: 80, ..stats }), Binding::Memory);
        assert_eq!(binds(&Statistics { alu: 15, texture_cycles: 4, cycles: 90, ..stats }), Binding::Texture);
        assert_eq!(binds(&Statistics { alu: 15, control_cycles: 19, cycles: 40, ..stats }), Binding::Control);
        let waits = Statistics { alu: 15, cycles: 160, ..stats };
        assert_eq!(binds(&waits), Binding::Latency);
        assert_eq!(binds(&Statistics { threads: 384, ..waits }), Binding::Registers);
    }

    #[test]
    fn accesses_count_their_bytes() {
        let bytes = |text: &str| data_bytes(&agx_isa::asm::parse_inst(text).unwrap());
        assert_eq!(bytes("load.i32.xyzw r0_r1_r2_r3, u0_u1, 0"), 16);
        assert_eq!(bytes("store.i32.xy r4_r5, u0_u1, r1"), 8);
    }
}
