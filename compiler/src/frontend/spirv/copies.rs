//! Copies from memory to memory: loops over the elements of arrays, of which each iteration copies a few scalars.
//!
//! A copy has the result of a load of everything before a store of everything. Where source and destination may overlap, it
//! goes up or down, away from what it still has to read.

use super::memory;
use super::pointer::{Pointer, Root};
use super::types::{Kind, Layout, Ty};
use super::values::Values;
use super::{pointers, variables};
use crate::error::{CompileError, MemoryError};
use crate::ir::Arithmetic;
use crate::ir::build::alu::IntCond;
use crate::ir::function::Access;
use crate::ir::src::Src;

/// Maximum number of scalars that are loaded before they are stored.
const MOST_AT_ONCE: u32 = 16;

/// Maximum number of scalars of an array that is copied without a loop.
const MOST_IN_ROW: u32 = 64;

/// What is copied.
#[derive(Clone, Copy)]
pub(super) enum Source<'p, 'a> {
    Memory(&'p Pointer<'a>),
    Zeros,
}

/// What is left to copy: source, `None` for zeros, and destination, of the same structure.
#[derive(Clone, Copy)]
struct Job<'a> {
    from: Option<Pointer<'a>>,
    to: Pointer<'a>,
    /// The last scalars are copied first.
    is_downward: bool,
}

/// Copies what `from` points to.
pub(super) fn copy<'a>(
    v: &mut Values<'_, 'a>,
    from: Source<'_, 'a>,
    to: &Pointer<'a>,
) -> Result<(), CompileError> {
    let from = match from {
        Source::Zeros => return Job { from: None, to: *to, is_downward: false }.run(v),
        Source::Memory(from) => *from,
    };
    let upward = Job { from: Some(from), to: *to, is_downward: false };
    if !may_overlap(&from, to) {
        return upward.run(v);
    }
    let is_parallel =
        (from.layout, from.matrix) == (to.layout, to.matrix) && v.types.have_same_layout(from.ty, to.ty);
    let Some(is_above) = is_above(v, to, &from).filter(|_| is_parallel) else {
        let between = variables::in_stack(v, from.ty)?;
        Job { to: between, ..upward }.run(v)?;
        return Job { from: Some(between), to: *to, is_downward: false }.run(v);
    };
    v.kit.b.begin_if(is_above);
    Job { is_downward: true, ..upward }.run(v)?;
    v.kit.b.begin_else();
    upward.run(v)?;
    v.kit.b.end_if();
    Ok(())
}

/// Whether a part of `to` may be another part of `from`: bindings may be parts of one buffer, and blocks of workgroup memory
/// share it. Two values of one type in any other variable are the same, or apart.
fn may_overlap(from: &Pointer<'_>, to: &Pointer<'_>) -> bool {
    match (from.root, to.root) {
        (Root::Buffer { .. }, Root::Buffer { .. }) => !from.access.contains(Access::READONLY),
        (Root::Local, Root::Local) => from.layout == Layout::Explicit || to.layout == Layout::Explicit,
        _ => false,
    }
}

/// Whether a pointer is above another one in the same kind of memory.
fn is_above(v: &mut Values<'_, '_>, pointer: &Pointer<'_>, other: &Pointer<'_>) -> Option<Src> {
    let (a, b) = (pointers::address(v, pointer)?, pointers::address(v, other)?);
    (v.kit.b.f.width(a) == v.kit.b.f.width(b)).then(|| v.kit.b.icmp(IntCond::ULT, b, a))
}

impl<'a> Job<'a> {
    /// Copies. The recursion depth is the nesting depth of types, which is limited.
    fn run(self, v: &mut Values<'_, 'a>) -> Result<(), CompileError> {
        if v.types.has_at_most(self.to.ty, MOST_AT_ONCE) {
            let data = self.load(v)?;
            return memory::store(v, &self.to, data, Access::empty());
        }
        match v.types.kind(self.to.ty) {
            Kind::Struct { members } => {
                let mut numbers: Vec<(u32, u32)> =
                    (0..).zip(members).map(|(number, member)| (member.offset, number)).collect();
                if self.to.layout == Layout::Explicit {
                    numbers.sort_unstable();
                }
                for (_, number) in self.in_order(numbers) {
                    self.part(v, number)?.run(v)?;
                }
                Ok(())
            }
            Kind::Array { count, .. } if v.types.has_at_most(self.to.ty, MOST_IN_ROW) => {
                for index in self.in_order((0..count).collect()) {
                    self.part(v, index)?.run(v)?;
                }
                Ok(())
            }
            Kind::Array { elem, count, .. } => self.run_elements(v, elem, count),
            _ => Err(MemoryError::NotInMemory.into()),
        }
    }

    fn in_order<T>(&self, mut parts: Vec<T>) -> Vec<T> {
        if self.is_downward {
            parts.reverse();
        }
        parts
    }

    /// The scalars to store.
    fn load(&self, v: &mut Values<'_, 'a>) -> Result<&'a [Src], CompileError> {
        match &self.from {
            Some(from) => memory::load(v, from, Access::empty()),
            None => v.eval().zeros(self.to.ty),
        }
    }

    /// Member or element `index`.
    fn part(&self, v: &mut Values<'_, 'a>, index: u32) -> Result<Job<'a>, CompileError> {
        let mut part = *self;
        for pointer in part.from.iter_mut().chain([&mut part.to]) {
            pointers::step(v, pointer, Src::imm32(index))?;
        }
        Ok(part)
    }

    /// Copies the elements of an array, a group in each iteration of a loop.
    fn run_elements(self, v: &mut Values<'_, 'a>, elem: Ty, count: u32) -> Result<(), CompileError> {
        let scalars = v.types.leaves(elem).map_or(MOST_AT_ONCE, |leaves| leaves.len() as u32).max(1);
        let group = MOST_AT_ONCE.checked_div(scalars).unwrap_or(1).max(1);
        let groups = count.checked_div(group).unwrap_or(0);
        let rest = count.wrapping_sub(groups.wrapping_mul(group));
        let last = |v: &mut Values<'_, 'a>| self.run_group(v, groups.saturating_mul(group), rest);
        if self.is_downward {
            last(v)?;
        }
        let counter = v.kit.vars.add(&[32]);
        v.kit.vars.write(&v.kit.b, counter, Src::imm32(0));
        let blocks = v.kit.b.begin_loop();
        v.kit.vars.open_loop(blocks.header);
        let number = v.kit.vars.read(&mut v.kit.b, counter);
        let goes_on = v.kit.b.icmp(IntCond::ULT, number, Src::imm32(groups));
        v.kit.b.begin_if(goes_on);
        let place = match self.is_downward {
            true => v.kit.b.isub(Src::imm32(groups.saturating_sub(1)), number),
            false => number,
        };
        self.moved(v, place, group)?.run_group(v, 0, group)?;
        let next = v.kit.b.iadd(number, Src::imm32(1));
        v.kit.vars.write(&v.kit.b, counter, next);
        v.kit.b.begin_else();
        v.kit.b.jump(blocks.after);
        v.kit.b.end_if();
        v.kit.b.end_loop();
        v.kit.vars.close_loop(v.kit.b.f);
        if self.is_downward { Ok(()) } else { last(v) }
    }

    /// The arrays, moved by `place` groups of elements.
    fn moved(mut self, v: &mut Values<'_, 'a>, place: Src, group: u32) -> Result<Job<'a>, CompileError> {
        for pointer in self.from.iter_mut().chain([&mut self.to]) {
            pointers::move_by_groups(v, pointer, place, group)?;
        }
        Ok(self)
    }

    /// Copies `count` elements from number `first` on: small ones at once.
    fn run_group(self, v: &mut Values<'_, 'a>, first: u32, count: u32) -> Result<(), CompileError> {
        let mut parts = Vec::with_capacity(count as usize);
        for index in first..first.saturating_add(count) {
            parts.push(self.part(v, index)?);
        }
        if let [only] = parts.as_slice() {
            return only.run(v);
        }
        let mut data = Vec::with_capacity(parts.len());
        for part in &parts {
            data.push(part.load(v)?);
        }
        for (part, data) in parts.iter().zip(data) {
            memory::store(v, &part.to, data, Access::empty())?;
        }
        Ok(())
    }
}
