//! Operations whose results depend on their sources alone: all of them through the shared semantics.

use agx_isa::inst::Inst;
use agx_isa::semantics::{PureArgs, PureFn, Source};

use crate::core::Core;
use crate::exec::fields::Fields;
use crate::group::{Group, LANES};
use crate::registers::{Dst, Src, lanes_of};

/// Most sources of a pure row.
const SOURCES: usize = 4;
/// Most modifiers of a pure row.
const MODS: usize = 8;

/// A pure instruction with its operands resolved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alu {
    function: PureFn,
    dst: Dst,
    sources: [Src; SOURCES],
    source_count: usize,
    mods: [u32; MODS],
    mod_count: usize,
}

impl Alu {
    /// Resolves a pure instruction; `None` when it has no register destination.
    pub(crate) fn new(inst: &Inst, function: PureFn) -> Option<Alu> {
        let fields = Fields::new(inst);
        let dst = Dst::new(fields.get("dst"))?;
        let mut alu = Alu {
            function,
            dst,
            sources: [Src::new(agx_isa::inst::Operand::imm(0)); SOURCES],
            source_count: 0,
            mods: [0; MODS],
            mod_count: 0,
        };
        for source in fields.sources() {
            *alu.sources.get_mut(alu.source_count)? = source;
            alu.source_count += 1;
        }
        for value in fields.mods() {
            *alu.mods.get_mut(alu.mod_count)? = value;
            alu.mod_count += 1;
        }
        Some(alu)
    }

    /// Computes in the active lanes.
    pub(crate) fn run(&self, group: &mut Group, core: &Core<'_>) {
        let mut result = [0; LANES];
        let mut sources = [Source { bits: 0, width: 32, flags: Default::default() }; SOURCES];
        let mut values = [[0; LANES]; SOURCES];
        for (at, src) in self.sources[..self.source_count].iter().enumerate() {
            sources[at].width = src.size.bits();
            sources[at].flags = src.flags;
            values[at] = group.gather(core.uniforms, src);
        }
        let exec = group.exec;
        let dst_width = self.dst.size.bits();
        for lane in lanes_of(exec) {
            for (source, values) in sources.iter_mut().zip(&values) {
                source.bits = values[lane];
            }
            let args = PureArgs {
                dst_width,
                sources: &sources[..self.source_count],
                mods: &self.mods[..self.mod_count],
            };
            result[lane] = (self.function)(&args);
        }
        group.scatter(self.dst, &result, exec);
    }
}

/// A comparison, as selects, ballots and mask instructions share it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compare {
    /// The select row of the same operand kind.
    select: PureFn,
    a: Src,
    b: Src,
    condition: u32,
    inverted: bool,
}

impl Compare {
    /// Resolves operands `a`, `b`, `cond` and `inv`. `select` is the integer or float select.
    pub(crate) fn new(inst: &Inst, select: PureFn) -> Compare {
        let fields = Fields::new(inst);
        Compare {
            select,
            a: fields.source("a"),
            b: fields.source("b"),
            condition: fields.number("cond"),
            inverted: fields.flag("inv"),
        }
    }

    /// The lanes of `mask` whose comparison holds.
    pub(crate) fn holds(&self, group: &Group, core: &Core<'_>, mask: u32) -> u32 {
        let a = group.gather(core.uniforms, &self.a);
        let b = group.gather(core.uniforms, &self.b);
        lanes_of(mask).filter(|&lane| self.holds_for(a[lane], b[lane])).fold(0, |held, lane| held | 1 << lane)
    }

    fn holds_for(&self, a: u64, b: u64) -> bool {
        let source = |bits, src: &Src| Source { bits, width: src.size.bits(), flags: src.flags };
        let constant = |bits| Source { bits, width: 16, flags: Default::default() };
        let sources = [source(a, &self.a), source(b, &self.b), constant(1), constant(0)];
        let args = PureArgs { dst_width: 16, sources: &sources, mods: &[self.condition] };
        ((self.select)(&args) != 0) != self.inverted
    }
}

/// Applies a two-source operation to single values; for reductions.
pub(crate) fn combine(function: PureFn, width: u8, a: u64, b: u64, mods: &[u32]) -> u64 {
    let source = |bits| Source { bits, width, flags: Default::default() };
    function(&PureArgs { dst_width: width, sources: &[source(a), source(b)], mods })
}
