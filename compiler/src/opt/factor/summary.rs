//! Compact summaries of products and sums, which mostly show that no shorter form exists.

use bitflags::bitflags;

use crate::ir::Src;

bitflags! {
    /// Properties of a sum or product.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub(super) struct Has: u8 {
        /// Contains a value without a summary.
        const UNKNOWN = 1 << 0;
        /// A term that is not a product.
        const SINGLE = 1 << 1;
        /// An addition whose operands are all products.
        const BARE_PRODUCT = 1 << 2;
        /// A factor that may occur in two terms.
        const REPEATED = 1 << 3;
        /// A product of three factors or more.
        const LONG = 1 << 4;
        /// A factor that may be the complement of another.
        const COMPLEMENT = 1 << 5;
    }
}

/// The kind of operation summarised.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Kind {
    /// None yet.
    #[default]
    None,
    Product,
    Sum,
}

/// The contents of a product or sum, down to the ends of its chains.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Summary {
    pub kind: Kind,
    pub has: Has,
    /// Terms of a sum or factors of a product.
    count: u16,
    /// Terms that are uniform.
    uniform: u16,
    /// Bloom filter of the factors.
    seen: u64,
}

impl Summary {
    /// An empty summary.
    pub(super) fn new(kind: Kind) -> Summary {
        Summary { kind, ..Summary::default() }
    }

    /// Whether a sum may have a shorter form: see [`Maker::shorter_sum`](super::Maker::shorter_sum).
    pub(super) fn may_be_shorter(self) -> bool {
        self.has.intersects(Has::UNKNOWN | Has::REPEATED | Has::LONG | Has::COMPLEMENT)
            || self.has.contains(Has::SINGLE | Has::BARE_PRODUCT)
            || (self.uniform >= 2 && self.uniform < self.count)
    }

    /// Adds the factors of a term, or factors to a product.
    fn see(&mut self, seen: u64) {
        if self.kind == Kind::Sum && self.seen & seen != 0 {
            self.has |= Has::REPEATED;
        }
        self.seen |= seen;
    }

    /// Adds the terms or factors of an operand of the same kind.
    pub(super) fn merge(&mut self, part: Summary) {
        self.has |= part.has;
        self.count = self.count.saturating_add(part.count);
        self.uniform = self.uniform.saturating_add(part.uniform);
        self.see(part.seen);
    }

    /// Adds a term or factor that is not a chain.
    pub(super) fn add(&mut self, src: Src, is_uniform: bool) {
        self.count = self.count.saturating_add(1);
        self.uniform = self.uniform.saturating_add(u16::from(is_uniform));
        self.see(1 << (src.payload % 64));
    }

    /// Adds a product to a sum.
    pub(super) fn add_product(&mut self, product: Summary, is_uniform: bool) {
        self.has |= product.has;
        if product.count > 2 {
            self.has |= Has::LONG;
        }
        self.see(product.seen);
        self.count = self.count.saturating_add(1);
        self.uniform = self.uniform.saturating_add(u16::from(is_uniform));
    }
}
