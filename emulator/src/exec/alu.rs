//! Operations whose results depend only on their sources, executed by the shared semantics.

use agx_isa::desc::Results;
use agx_isa::inst::{Inst, Size};
use agx_isa::key;
use agx_isa::semantics::{LaneArgs, LanesFn, MAX_SOURCES, Pure, PureArgs, PureFn, Source};
use agx_isa::table::Opcode;

use crate::core::Core;
use crate::exec::fields::Fields;
use crate::exec::rows::Row;
use crate::group::{Group, LANES};
use crate::mutant::Fault;
use crate::registers::{Dst, Src};
use crate::rng::Rng;

/// Maximum number of modifiers of a pure row.
const MODS: usize = 8;

/// The float next to `bits`, above or below, or `bits` itself, selected by a hash of value and seed. Zeros, infinities,
/// NaNs and results with few significant bits (powers of two and the like) are unchanged.
fn perturbed(bits: u64, width: u8, seed: u64) -> u64 {
    let (mantissa, exponent) = if width == 16 { (0x3ff, 0x7c00) } else { (0x7f_ffff, 0x7f80_0000) };
    let special = bits & exponent == exponent || bits & exponent == 0 || bits & mantissa & 0x3f == 0;
    if special {
        return bits;
    }
    match Rng::new(bits ^ seed.rotate_left(17)).below(3) {
        0 => bits - 1,
        1 => bits + 1,
        _ => bits,
    }
}

/// A pure instruction with its operands resolved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alu {
    function: LanesFn,
    dst: Dst,
    sources: [Src; MAX_SOURCES],
    source_count: usize,
    mods: [u32; MODS],
    mod_count: usize,
    /// Whether the last bit of the result is unknown and may be perturbed.
    inexact: bool,
    /// The kernel over arrays of words, if there is one.
    row: Option<Row>,
}

impl Alu {
    /// Resolves a pure instruction; `None` if it has no register destination.
    pub(crate) fn new(inst: &Inst, pure: Pure) -> Option<Alu> {
        let fields = Fields::new(inst);
        let dst = Dst::new(fields.get(key::DST))?;
        let mut alu = Alu {
            function: pure.lanes,
            dst,
            sources: [Src::new(agx_isa::inst::Operand::imm(0)); MAX_SOURCES],
            source_count: 0,
            mods: [0; MODS],
            mod_count: 0,
            inexact: inst.op.desc().results.contains(Results::INEXACT),
            row: None,
        };
        for source in fields.sources() {
            *alu.sources.get_mut(alu.source_count)? = source;
            alu.source_count += 1;
        }
        for value in fields.mods() {
            *alu.mods.get_mut(alu.mod_count)? = value;
            alu.mod_count += 1;
        }
        alu.row = Row::new(inst.op, dst, &alu.sources[..alu.source_count], &alu.mods[..alu.mod_count]);
        Some(alu)
    }

    /// The same operation with a fault.
    pub(crate) fn broken(&self, fault: Fault) -> Alu {
        let mut alu = Alu { row: None, ..*self };
        match fault {
            Fault::Swap if self.source_count > 1 => alu.sources.swap(0, 1),
            Fault::NoModifiers => alu.mods = [0; MODS],
            Fault::NoFlags => alu.sources.iter_mut().for_each(|src| src.flags = Default::default()),
            _ => {}
        }
        alu
    }

    /// Computes in the active lanes.
    #[inline]
    pub(crate) fn run(&self, group: &mut Group, core: &Core<'_>) {
        match &self.row {
            Some(row) if !(self.inexact && core.launch.perturb) => {
                row.run(group, core.uniforms, &self.sources, self.dst);
            }
            _ => self.run_by_lane(group, core),
        }
    }

    /// Computes in the active lanes by the table's function.
    fn run_by_lane(&self, group: &mut Group, core: &Core<'_>) {
        let mut result = [0; LANES];
        let mut sources = [Source::ZERO; MAX_SOURCES];
        let mut values = [[0; LANES]; MAX_SOURCES];
        for (at, src) in self.sources[..self.source_count].iter().enumerate() {
            sources[at].width = src.size.bits();
            sources[at].flags = src.flags;
            group.gather_into(core.uniforms, src, &mut values[at]);
        }
        let exec = group.exec;
        let dst_width = self.dst.size.bits();
        let mods = &self.mods[..self.mod_count];
        let args = LaneArgs { dst_width, sources: &sources, values: &values, mods, exec };
        (self.function)(&args, &mut result);
        if self.inexact && core.launch.perturb {
            result.iter_mut().for_each(|bits| *bits = perturbed(*bits, dst_width, core.launch.seed));
        }
        group.scatter(self.dst, &result, exec);
    }
}

/// A comparison, used by selects, ballots and mask instructions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compare {
    /// The select row of the same operand kind.
    select: LanesFn,
    a: Src,
    b: Src,
    condition: u32,
    inverted: bool,
    /// The kernel over arrays of words, if there is one.
    row: Option<Row>,
}

impl Compare {
    /// Resolves operands `a`, `b`, `cond` and `inv`. `select` is the integer or float select.
    pub(crate) fn new(inst: &Inst, select: Opcode) -> Option<Compare> {
        let fields = Fields::new(inst);
        let (a, b, condition) = (fields.source(key::A), fields.source(key::B), fields.number(key::COND));
        let dst = Dst { half: 0, size: Size::B16 };
        Some(Compare {
            select: select.desc().pure?.lanes,
            a,
            b,
            condition,
            inverted: fields.flag(key::INV),
            row: Row::new(select, dst, &[a, b], &[condition]),
        })
    }

    /// The lanes of `mask` in which the comparison is true.
    pub(crate) fn holds(&self, group: &Group, core: &Core<'_>, mask: u32) -> u32 {
        let held = match &self.row {
            Some(row) => row.holds(group, core.uniforms, [&self.a, &self.b]) & mask,
            None => self.holds_by_lane(group, core, mask),
        };
        if self.inverted { !held & mask } else { held }
    }

    fn holds_by_lane(&self, group: &Group, core: &Core<'_>, mask: u32) -> u32 {
        let shape = |src: &Src| Source { bits: 0, width: src.size.bits(), flags: src.flags };
        let sources = [shape(&self.a), shape(&self.b), Source::ZERO, Source::ZERO];
        let [a, b] = [&self.a, &self.b].map(|src| group.gather(core.uniforms, src));
        let values = [a, b, [1; LANES], [0; LANES]];
        let mods = &[self.condition];
        let mut held = [0; LANES];
        let args = LaneArgs { dst_width: 16, sources: &sources, values: &values, mods, exec: mask };
        (self.select)(&args, &mut held);
        (0..LANES).fold(0, |all, lane| all | (held[lane] as u32) << lane)
    }
}

/// Applies a two-source operation to single values; for reductions.
pub(crate) fn combine(function: PureFn, width: u8, a: u64, b: u64, mods: &[u32]) -> u64 {
    let source = |bits| Source { bits, width, flags: Default::default() };
    function(&PureArgs { dst_width: width, sources: &[source(a), source(b)], mods })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn perturbation_moves_by_one_unit_and_spares_exact_results() {
        let bits = |value: f32| u64::from(value.to_bits());
        for exact in [0.0, 1.0, -0.5, 3.0, f32::INFINITY, f32::NEG_INFINITY] {
            assert_eq!(perturbed(bits(exact), 32, 9), bits(exact), "{exact}");
        }
        let third = bits(1.0 / 3.0);
        let reached: Vec<i64> =
            (0..40).map(|seed| perturbed(third, 32, seed) as i64 - third as i64).collect();
        assert!([-1, 0, 1].iter().all(|step| reached.contains(step)));
        assert!(reached.iter().all(|step| step.abs() <= 1));
    }
}
