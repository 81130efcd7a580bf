//! The normal form of the algebra: a sum of terms, each a product of factors with a sign.

use arrayvec::ArrayVec;

use crate::ir::Src;

/// Maximum number of factors of a product.
const MOST_FACTORS: usize = 8;
/// Maximum number of terms of a sum.
pub(super) const MOST_TERMS: usize = 12;

/// The factors of a product.
pub(super) type Factors = ArrayVec<Src, MOST_FACTORS>;

/// A product with a sign.
#[derive(Clone, Default, Debug)]
pub(super) struct Term {
    pub negative: bool,
    pub factors: Factors,
}

/// The terms of a sum.
pub(super) type Sum = ArrayVec<Term, MOST_TERMS>;

impl Term {
    /// A term of one factor.
    pub(super) fn of(factor: Src) -> Term {
        Term { negative: false, factors: std::iter::once(factor).collect() }
    }

    /// Whether the preamble can compute it.
    pub(super) fn is_uniform(&self, is_uniform: impl Fn(Src) -> bool) -> bool {
        self.factors.iter().all(|factor| is_uniform(*factor))
    }

    /// The number of factors where the preamble multiplies the uniform ones.
    pub(super) fn weight(&self, is_uniform: impl Fn(Src) -> bool) -> usize {
        let varying = self.factors.iter().filter(|factor| !is_uniform(**factor)).count();
        varying + usize::from(varying < self.factors.len())
    }

    /// The term without `factor`, if that is one of its factors.
    pub(super) fn without(&self, factor: Src) -> Term {
        let mut rest = self.clone();
        remove(&mut rest.factors, factor);
        rest
    }
}

/// Removes a factor once, if it is there.
pub(super) fn remove(factors: &mut Factors, factor: Src) {
    if let Some(at) = factors.iter().position(|other| *other == factor) {
        factors.remove(at);
    }
}

/// The cost of a sum in operations of every invocation: those within each product, of which the last one is fused with the
/// sum, and one for each further term that is not a product. The preamble computes the sum of the uniform terms.
pub(super) fn cost<'t>(terms: impl IntoIterator<Item = &'t Term>, is_uniform: impl Fn(Src) -> bool) -> usize {
    let (mut products, mut singles, mut any_uniform) = (0, 0_usize, false);
    for term in terms {
        match term.weight(&is_uniform) {
            _ if term.is_uniform(&is_uniform) => any_uniform = true,
            1 => singles += 1,
            weight => products += weight - 1,
        }
    }
    products + (singles + usize::from(any_uniform)).saturating_sub(1)
}
