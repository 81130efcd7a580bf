//! What placement knows of blocks: the loops around them, what may leave those, and the arms that they are in.

use bumpalo::Bump;

use crate::analysis::memory::{MemoryAccess, disturbs_memory};
use crate::ir::{Access, Block, Function, InstData, ScratchSide, Seam, has_left};

/// Where a block is.
#[derive(Clone, Copy, Default)]
pub(super) struct Surroundings {
    /// The innermost loop around it, by number.
    around: Option<usize>,
    /// The innermost arm that it is in, of an if in the same loop.
    pub arm: Option<Arm>,
    /// Whether the first iteration of the loop always comes to it.
    is_certain: bool,
}

/// An arm of an if.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Arm {
    /// The block that ends with the if.
    pub head: Block,
    /// Whether it is the second one.
    pub is_else: bool,
}

/// A loop.
struct Loop {
    /// The block before it.
    before: Block,
    /// The loop around it, by number.
    outer: Option<usize>,
    /// What it stores to; `None` if unknown.
    stores: Option<Vec<MemoryAccess>>,
    /// Whether it contains a discard.
    changes_coverage: bool,
}

/// How an instruction may leave loops.
pub(super) enum Mobility {
    /// Its results are the same wherever it is executed.
    Free,
    /// They depend on which lanes are helpers.
    Coverage,
    /// It loads from memory.
    Load(MemoryAccess),
}

impl Mobility {
    /// How the instruction may move; `None` if it stays.
    pub(super) fn of(f: &Function<'_>, data: &InstData<'_>) -> Option<Mobility> {
        match () {
            () if data.is_speculatable() => Some(Mobility::Free),
            () if data.reads_only_coverage() => Some(Mobility::Coverage),
            () => MemoryAccess::of_load(f, data).map(Mobility::Load),
        }
    }
}

/// The blocks of a function.
pub(super) struct Blocks<'s> {
    pub at: ScratchSide<'s, Block, Surroundings>,
    /// In the order in which they begin.
    loops: Vec<Loop>,
}

impl<'s> Blocks<'s> {
    /// Walks over the layout.
    pub(super) fn of(f: &Function<'_>, scratch: &'s Bump) -> Blocks<'s> {
        let mut blocks = Blocks { at: ScratchSide::new_in(scratch, f.blocks.len()), loops: Vec::new() };
        let mut current = Surroundings { is_certain: true, ..Surroundings::default() };
        let mut open: Vec<Surroundings> = Vec::new();
        for segment in f.layout {
            let block = segment.block;
            blocks.at[block] =
                Surroundings { is_certain: current.is_certain && current.arm.is_none(), ..current };
            // After a jump or halt, however deeply nested, the first iteration may not arrive.
            current.is_certain &= !has_left(f, block);
            if let Some(around) = current.around {
                blocks.loops[around].note_effects(f, block);
            }
            match segment.seam {
                Seam::If | Seam::Loop | Seam::Scope => open.push(current),
                Seam::EndIf | Seam::EndLoop | Seam::EndScope => {
                    let is_certain = current.is_certain;
                    current = open.pop().unwrap_or_default();
                    current.is_certain &= is_certain;
                }
                Seam::Else | Seam::End => {}
            }
            match (segment.seam, current.arm) {
                (Seam::If, _) => current.arm = Some(Arm { head: block, is_else: false }),
                (Seam::Else, Some(arm)) => current.arm = Some(Arm { is_else: true, ..arm }),
                (Seam::Loop, _) => current = blocks.open_loop(block, current.around),
                _ => {}
            }
        }
        blocks.close_loops();
        blocks
    }

    fn open_loop(&mut self, before: Block, outer: Option<usize>) -> Surroundings {
        let number = self.loops.len();
        let stores = Some(Vec::new());
        self.loops.push(Loop { before, outer, stores, changes_coverage: false });
        Surroundings { around: Some(number), arm: None, is_certain: true }
    }

    /// Adds inner loops to outer ones.
    fn close_loops(&mut self) {
        for number in (0..self.loops.len()).rev() {
            let Some(outer) = self.loops[number].outer else { continue };
            let (before, after) = self.loops.split_at_mut(number);
            let (outer, inner) = (&mut before[outer], &after[0]);
            outer.changes_coverage |= inner.changes_coverage;
            match (&mut outer.stores, &inner.stores) {
                (Some(stores), Some(more)) => stores.extend(more),
                (stores, _) => *stores = None,
            }
        }
    }

    /// The block before the innermost loop around a block.
    pub(super) fn before_loop(&self, block: Block) -> Option<Block> {
        self.at[block].around.map(|around| self.loops[around].before)
    }

    /// Whether an instruction in `block` may be executed before the innermost loop around that instead.
    pub(super) fn may_leave(&self, block: Block, mobility: &Mobility) -> bool {
        let at = self.at[block];
        let Some(around) = at.around.map(|around| &self.loops[around]) else { return false };
        match mobility {
            Mobility::Free => true,
            Mobility::Coverage => !around.changes_coverage,
            Mobility::Load(load) => {
                let is_unwritten = || {
                    let stores = around.stores.as_ref();
                    stores.is_some_and(|stores| stores.iter().all(|store| store.is_disjoint(load)))
                };
                (at.is_certain || load.flags.contains(Access::SPECULATABLE))
                    && (load.is_readonly() || is_unwritten())
            }
        }
    }
}

impl Loop {
    /// Adds the effects of a block.
    fn note_effects(&mut self, f: &Function<'_>, block: Block) {
        for inst in &f.block(block).insts {
            let data = &f.insts[*inst];
            if data.is_speculatable() {
                continue;
            }
            self.changes_coverage |= data.writes_coverage();
            match MemoryAccess::of_store(f, data) {
                Some(store) => self.stores.iter_mut().for_each(|stores| stores.push(store)),
                None if disturbs_memory(data) => self.stores = None,
                None => {}
            }
        }
    }
}
