//! Products of a reciprocal root with a sum that contains the root: `1/√x · (√x + c)` is `1 + c/√x`.
//!
//! The force of a spring and the way out of a sphere are of this form: `normalize(d) · (length(d) − l)`.

use agx_isa::table::Opcode;

use super::Chains;
use super::terms::{Term, remove};
use crate::ir::{Function, Op, Src};

/// Such a product, without the sum.
pub(super) struct RootProduct {
    /// `1/√x`.
    root: Src,
    /// `c`.
    offset: Src,
    /// A uniform factor by which the sum may be multiplied first, since `c` is uniform, too.
    pub scale: Option<Src>,
}

impl RootProduct {
    /// Takes such a product out of `term`, if there is one.
    pub(super) fn take(chains: &Chains<'_>, f: &Function<'_>, term: &mut Term) -> Option<RootProduct> {
        let (root, sum, offset) = find(chains, f, term)?;
        let scale =
            term.leaves.iter().copied().find(|leaf| chains.is_uniform(*leaf) && leaf.as_imm().is_none());
        let scale = scale.filter(|_| chains.is_uniform(offset));
        [Some(root), Some(sum), scale]
            .into_iter()
            .flatten()
            .for_each(|factor| remove(&mut term.leaves, factor));
        Some(RootProduct { root, offset, scale })
    }

    /// The factors of the product that `scale`, or 1, is added to.
    pub(super) fn factors(&self) -> Term {
        let leaves = [Some(self.offset), self.scale, Some(self.root)].into_iter().flatten().collect();
        Term { negative: false, leaves }
    }
}

/// The root, the sum, and the other summand.
fn find(chains: &Chains<'_>, f: &Function<'_>, term: &Term) -> Option<(Src, Src, Src)> {
    term.leaves.iter().find_map(|root| {
        let radicand = radicand(f, *root)?;
        term.leaves.iter().find_map(|sum| {
            let value = sum.as_value().filter(|value| !chains.exact[*value] && sum.flags.is_empty())?;
            let (_, summands) =
                chains.operation(f, f.values[value].def?).filter(|(op, _)| *op == Opcode::Fadd)?;
            let is_root = |src: &Src| is_product(chains, f, *src, [radicand, *root]);
            let at = summands.iter().position(is_root)?;
            Some((*root, *sum, summands[1 - at]))
        })
    })
}

/// What `src` is the reciprocal root of.
fn radicand(f: &Function<'_>, src: Src) -> Option<Src> {
    let data = f.def(src).filter(|_| src.flags.is_empty())?;
    matches!(data.op, Op::Hw(Opcode::Rsqrt | Opcode::Rsqrts)).then(|| data.srcs[0])
}

/// Whether `src` is the product of two factors, in either order.
fn is_product(chains: &Chains<'_>, f: &Function<'_>, src: Src, [a, b]: [Src; 2]) -> bool {
    let def = src.as_value().filter(|value| !chains.exact[*value]).and_then(|value| f.values[value].def);
    let operation = def.and_then(|def| chains.operation(f, def));
    src.flags.is_empty()
        && operation.is_some_and(|(op, srcs)| op == Opcode::Fmul && (srcs == [a, b] || srcs == [b, a]))
}
