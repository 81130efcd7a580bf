//! Parts of a vector that is still in use share its register.
//!
//! A `split` whose vector is read again later, for instance coordinates of a texture access that are also used
//! in arithmetic, needs no moves: the parts are read from the vector's register. The vector owns the register.
//! If it moves, its parts move with it; if it ends first, they become the owners of their registers. Likewise, a
//! `collect` of values that are in their positions already needs no moves, though they are read again later.
//!
//! Either the vector or the part ends in the block of the `split` or `collect`, so that the sharing ends there too.

use crate::ir::entity::Value;
use crate::ir::function::InstData;
use crate::ir::src::Src;

use super::assign::{Assigner, SharedPart};
use super::file::HalfSet;
use super::shapes::Shape;

impl<'a> Assigner<'_, 'a> {
    /// The vector that result `index` of `data`, a `split`, can share the register of.
    pub(super) fn shared_vector(&self, data: &InstData<'a>, index: usize) -> Option<Value> {
        let (vector, part) = (data.srcs[0].as_value()?, data.dsts[index]);
        let name = self.names.get(vector);
        let shape = self.shape(part);
        let place = range(offset(self, data, index), shape);
        // A register has one heir.
        let is_taken = |shared: &SharedPart| {
            let other = range(shared.offset, self.shape(shared.part));
            shared.part == vector
                || shared.vector == vector && other.start < place.end && place.start < other.end
        };
        let crosses = |value: Value| self.last.is_live_out(self.live, value);
        let continues = !(self.ending.contains(&name) || crosses(vector) && crosses(part));
        // Wherever the vector is.
        let align = self.shape(vector).align;
        let is_aligned = align.is_multiple_of(shape.align) && place.start.is_multiple_of(shape.align);
        (continues && is_aligned && !self.shared.iter().any(is_taken)).then_some(vector)
    }

    /// Gives the results of a `split` that can share the vector's register their positions in it. The other
    /// results have been placed, which may have moved the vector.
    #[inline(never)]
    pub(super) fn share_registers(&mut self, data: &InstData<'a>) {
        for (index, part) in data.dsts.iter().enumerate() {
            if !self.needs_register(data, *part) || self.placed.contains(part) {
                continue;
            }
            if let Some(vector) = self.shared_vector(data, index) {
                let (half, offset) = (self.place_of(self.names.get(vector)).0, offset(self, data, index));
                self.record(*part, half + offset);
                self.shared.push(SharedPart { vector, part: *part, offset });
            }
        }
    }

    /// Places the vector of `data`, a `collect`, around parts that are in their positions in it already, most of them: those that
    /// are read again share its register. `false` if that is nowhere possible.
    #[inline(never)]
    pub(super) fn collect_around(&mut self, data: &InstData<'a>) -> bool {
        let [vector] = data.dsts else { return false };
        let (mut best, mut tried) = (None, None);
        for (src, offset) in data.srcs.iter().zip(offsets(self, data)) {
            let half = half_of(self, *src).and_then(|half| half.checked_sub(offset));
            // Parts that are beside each other already suggest the same place.
            if half.is_none() || std::mem::replace(&mut tried, half) == half {
                continue;
            }
            let place = |half| Some((parts_in_place(self, data, *vector, half)?, std::cmp::Reverse(half)));
            best = best.max(half.and_then(place));
        }
        let Some((_, std::cmp::Reverse(half))) = best else { return false };
        let mut start = half;
        for src in data.srcs {
            let halves = self.f.src_ty(*src).halves();
            if !self.file.is_free(start, halves)
                && let Some(part) = src.as_value()
            {
                self.file.release(start, halves);
                self.shared.push(SharedPart { vector: *vector, part, offset: start - half });
            }
            start += halves;
        }
        self.put_result(*vector, half);
        true
    }

    /// The register of a part of `vector` at `offset` beside other parts that were placed before.
    pub(super) fn beside_parts(&self, vector: Value, offset: u16, shape: Shape) -> Option<u16> {
        let data = self.f.def(vector.into())?;
        let align = self.shape(vector).align;
        data.srcs.iter().zip(offsets(self, &data)).find_map(|(src, other)| {
            let start = half_of(self, *src)?.checked_sub(other)?;
            let is_live = self.file.owner(start + other) == src.as_value().map(|value| self.names.get(value));
            let place = start + offset;
            let fits = is_live && start.is_multiple_of(align) && self.fits(place, shape);
            fits.then_some(place)
        })
    }

    /// Releases the registers of ending names: not those of parts whose vector still owns them, and not those that parts
    /// inherit from vectors.
    #[inline]
    pub(super) fn release_ending(&mut self) {
        for index in 0..self.shared.len() {
            let SharedPart { vector, part, .. } = self.shared[index];
            if !self.ending.contains(&self.names.get(vector)) {
                let name = self.names.get(part);
                self.ending.retain(|ending| *ending != name);
            }
        }
        for index in 0..self.ending.len() {
            let (half, halves) = self.place_of(self.ending[index]);
            self.file.release(half, halves);
        }
        self.inherit_registers();
    }

    /// Makes the parts of vectors that end at the current instruction the owners of their registers, which must
    /// have been released.
    fn inherit_registers(&mut self) {
        if self.shared.is_empty() {
            return;
        }
        let mut shared = std::mem::take(&mut self.shared);
        shared.retain(|entry| {
            let vector = self.names.get(entry.vector);
            if !self.ending.contains(&vector) {
                return true;
            }
            let name = self.names.get(entry.part);
            if !self.ending.contains(&name) {
                let (half, halves) = self.place_of(name);
                self.file.take(name, half, halves);
                let (start, whole) = self.place_of(vector);
                let others = HalfSet::range(start, whole).without(HalfSet::range(half, halves));
                self.affinity.claims.keep_beside(entry.part, others);
            }
            false
        });
        self.shared = shared;
    }

    /// Forgets the parts that end at the current instruction, which has been placed.
    pub(super) fn end_shared_parts(&mut self, position: u32) {
        let (last, live) = (&self.last, self.live);
        self.affinity.claims.end_parts(|part| last.ends_at(live, part, position));
        if !self.shared.is_empty() {
            self.shared.retain(|entry| !last.ends_at(live, entry.part, position));
        }
    }

    /// Moves the parts of `vector` to its new register `half`: they are renamed as it was, without a copy. If
    /// the vector moves a second time before the current instruction, the parts keep the new names.
    pub(super) fn move_shared_parts(&mut self, vector: Value, half: u16, is_second_move: bool) {
        for index in 0..self.shared.len() {
            let SharedPart { part, offset, .. } = self.shared[index];
            if self.shared[index].vector != vector {
                continue;
            }
            let name = self.names.get(part);
            if is_second_move {
                self.record(name, half + offset);
            } else {
                let new = self.new_name(name, half + offset);
                self.names.set(part, new);
            }
        }
    }
}

fn range(start: u16, shape: Shape) -> std::ops::Range<u16> {
    start..start + shape.halves
}

/// The register of a source.
fn half_of(assigner: &Assigner<'_, '_>, src: Src) -> Option<u16> {
    assigner.allocation.half(assigner.names.get(src.as_value()?))
}

/// The number of parts of a `collect` that are in place if its vector is at `half`; `None` if it cannot be there.
fn parts_in_place(
    assigner: &Assigner<'_, '_>,
    data: &InstData<'_>,
    vector: Value,
    half: u16,
) -> Option<usize> {
    let shape = assigner.shape(vector);
    if !half.is_multiple_of(shape.align) || !assigner.usable.has_all(&(half..half + shape.halves)) {
        return None;
    }
    let mut count = 0;
    for (src, offset) in data.srcs.iter().zip(offsets(assigner, data)) {
        let halves = assigner.f.src_ty(*src).halves();
        let is_in_place = half_of(assigner, *src) == Some(half + offset);
        let is_possible = assigner.file.is_free(half + offset, halves)
            || is_in_place && src.as_value().is_some_and(|part| may_join(assigner, vector, part, offset));
        if !is_possible {
            return None;
        }
        count += usize::from(is_in_place);
    }
    Some(count)
}

/// Whether `part`, which is read again, can share the register of the vector that is collected around it, at `offset`.
fn may_join(assigner: &Assigner<'_, '_>, vector: Value, part: Value, offset: u16) -> bool {
    let crosses = |value: Value| assigner.last.is_live_out(assigner.live, value);
    let name = assigner.names.get(part);
    let (half, halves) = assigner.place_of(name);
    // Wherever the vector moves, with the alignment of its parts.
    let is_aligned = offset.is_multiple_of(assigner.shape(part).align);
    let is_owner = (half..half + halves).all(|half| assigner.file.owner(half) == Some(name))
        && !assigner.shared.iter().any(|shared| shared.vector == part);
    is_owner && is_aligned && !(crosses(vector) && crosses(part))
}

/// The positions of the sources of a `collect`, in halves.
fn offsets<'o>(
    assigner: &'o Assigner<'_, '_>,
    data: &'o InstData<'_>,
) -> impl Iterator<Item = u16> + use<'o> {
    data.srcs.iter().scan(0, |next, src| {
        let offset = *next;
        *next += assigner.f.src_ty(*src).halves();
        Some(offset)
    })
}

/// The position of result `index` of a `split`, in halves.
fn offset(assigner: &Assigner<'_, '_>, data: &InstData<'_>, index: usize) -> u16 {
    data.dsts[..index].iter().map(|dst| assigner.f.ty(*dst).halves()).sum()
}
