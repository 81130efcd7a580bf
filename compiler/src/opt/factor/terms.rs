//! Terms of a sum, and the factors they have in common.

use arrayvec::ArrayVec;

use crate::ir::Src;

/// Maximum number of factors of a product.
const MAX_FACTORS: usize = 8;
/// Maximum number of terms of a sum.
const MAX_TERMS: usize = 12;

/// The factors of a product.
pub(super) type Leaves = ArrayVec<Src, MAX_FACTORS>;

/// A product with a sign.
#[derive(Clone, Default, Debug)]
pub(super) struct Term {
    pub negative: bool,
    pub leaves: Leaves,
}

/// Removes a factor once, if it is there.
pub(super) fn remove(leaves: &mut Leaves, factor: Src) {
    if let Some(at) = leaves.iter().position(|leaf| *leaf == factor) {
        leaves.remove(at);
    }
}

/// The terms of a sum.
pub(super) type Terms = ArrayVec<Term, MAX_TERMS>;

/// Terms with common factors.
pub(super) struct Group {
    /// Mask of the member terms.
    members: u32,
    common: Leaves,
}

impl Group {
    /// Takes the group out of `terms`: returns the rest of each term, and the common factors.
    pub(super) fn split(self, terms: &mut Terms) -> (Terms, Leaves) {
        let (mut inner, mut rest) = (Terms::new(), Terms::new());
        for (index, mut term) in terms.drain(..).enumerate() {
            if self.members >> index & 1 == 0 {
                rest.push(term);
                continue;
            }
            self.common.iter().for_each(|factor| remove(&mut term.leaves, *factor));
            inner.push(term);
        }
        *terms = rest;
        (inner, self.common)
    }
}

/// The group whose common factors save the most operations, if any saves one. `products` gives the number of
/// products of the function that contain a factor, `are_shared` whether other sums contain what remains of two
/// terms; `scaled` means that the sum is multiplied by a uniform factor.
pub(super) fn best_group(
    terms: &Terms,
    is_uniform: impl Fn(Src) -> bool,
    products: impl Fn(Src) -> u16,
    are_shared: impl Fn(&Term, &Term) -> bool,
    scaled: bool,
) -> Option<Group> {
    let mut best: Option<(usize, Group)> = None;
    for (first, term) in terms.iter().enumerate() {
        for factor in &term.leaves {
            // The product of a value with a constant is fused with the sum.
            if factor.as_imm().is_some() && term.leaves.len() < 3 {
                continue;
            }
            let members = members_with(terms, *factor);
            // Each factor is examined where it occurs first.
            if members.count_ones() < 2 || members.trailing_zeros() as usize != first {
                continue;
            }
            let group = Group { members, common: common(terms, members) };
            let saved = saving(terms, &group, &is_uniform, &products, &are_shared, scaled);
            if saved > best.as_ref().map_or(0, |(most, _)| *most) {
                best = Some((saved, group));
            }
        }
    }
    best.map(|(_, group)| group)
}

/// Mask of the terms that have a factor.
fn members_with(terms: &Terms, factor: Src) -> u32 {
    let has = |term: &Term| u32::from(term.leaves.contains(&factor));
    terms.iter().enumerate().fold(0, |members, (index, term)| members | has(term) << index)
}

/// Whether two factors may be equal; a quick check, since mostly none are.
pub(super) fn may_repeat(terms: &Terms) -> bool {
    let mut seen = 0u64;
    terms.iter().flat_map(|term| &term.leaves).any(|factor| {
        let bit = 1 << (factor.payload % 64);
        let is_seen = seen & bit != 0;
        seen |= bit;
        is_seen
    })
}

fn members_of(terms: &Terms, members: u32) -> impl Iterator<Item = &Term> {
    terms.iter().enumerate().filter(move |(index, _)| members >> index & 1 == 1).map(|(_, term)| term)
}

/// The factors that all members have, with the smallest multiplicity.
fn common(terms: &Terms, members: u32) -> Leaves {
    let mut members = members_of(terms, members);
    let mut common = members.next().map_or_else(Leaves::new, |first| first.leaves.clone());
    for term in members {
        let mut left = term.leaves.clone();
        common.retain(|factor| match left.iter().position(|leaf| leaf == factor) {
            Some(at) => {
                left.remove(at);
                true
            }
            None => false,
        });
    }
    common
}

/// Number of saved operations. Originally each product of m factors takes m - 1 operations, the last of which
/// is fused with the sum. Within the parentheses, one term that is not a product begins the sum, and each
/// further one costs an addition. Uniform factors count as one, because the preamble multiplies them, and
/// likewise uniform terms. A sum within the parentheses whose terms are shared by more products than the
/// common factors are costs nothing: other sums, such as those of the other components of a vector, contain
/// it too.
fn saving(
    terms: &Terms,
    group: &Group,
    is_uniform: impl Fn(Src) -> bool,
    products: impl Fn(Src) -> u16,
    are_shared: impl Fn(&Term, &Term) -> bool,
    scaled: bool,
) -> usize {
    let weight = |leaves: &[Src]| {
        let varying = leaves.iter().filter(|leaf| !is_uniform(**leaf)).count();
        varying + usize::from(varying < leaves.len())
    };
    let (mut before, mut inner, mut singles) = (0, 0, 0usize);
    let mut any_uniform = false;
    let own = group.common.iter().map(|leaf| products(*leaf)).max().unwrap_or(0);
    let mut is_shared = true;
    for term in members_of(terms, group.members) {
        before += weight(&term.leaves) - 1;
        let mut left = term.leaves.clone();
        group.common.iter().for_each(|factor| remove(&mut left, *factor));
        let is_common = |leaf: &Src| products(*leaf) > own.max(2);
        is_shared &= left.iter().all(|leaf| is_uniform(*leaf) || is_common(leaf));
        match left.iter().all(|leaf| is_uniform(*leaf)) {
            true => any_uniform = true,
            // Other sums contain the same product.
            false if left.iter().all(|leaf| leaf.as_imm().is_some() || is_common(leaf)) => singles += 1,
            false if weight(&left) > 1 => inner += weight(&left) - 1,
            false => singles += 1,
        }
    }
    singles += usize::from(any_uniform);
    let mut members = members_of(terms, group.members);
    let is_pair = match (members.next(), members.next(), members.next()) {
        (Some(first), Some(second), None) => are_shared(first, second),
        _ => false,
    };
    let additions = if is_pair || is_shared && inner == 0 { 0 } else { singles.saturating_sub(1) };
    // The preamble multiplies uniform factors of the whole sum with the one that scales it.
    let is_whole = group.members.count_ones() as usize == terms.len();
    let merged = usize::from(scaled && is_whole && group.common.iter().any(|leaf| is_uniform(*leaf)));
    let after = inner + additions + weight(&group.common) - merged;
    before.saturating_sub(after)
}
