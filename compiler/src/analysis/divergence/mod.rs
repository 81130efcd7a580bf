//! Divergence: which values differ between the lanes of a SIMD-group, and which branches part them.
//!
//! A value is *uniform* when all lanes that execute its definition together get the same. Everything is uniform until
//! something shows otherwise:
//!
//! * data: the index of the lane and its like, memory of the lane's own, results of divergent sources;
//! * control: a phi where lanes arrive together that took different ways at a divergent branch;
//! * time: a value that changes from iteration to iteration of a loop which lanes leave in different iterations, read outside.
//!
//! Structure makes the second and third cheap to find. A jump is divergent when some lanes of the construct it leaves
//! or repeats do not execute it at the same moment: it stands in an arm of a divergent if within that construct, or
//! beside lanes that wait, within that construct, for a loop or scope to end. From then on lanes wait at its target,
//! which makes other jumps out of that construct divergent too. A construct turns once, and the jumps inside it are
//! looked at then; a value turns once, and its users are looked at then. So the time is linear in instructions, and in
//! jumps times their nesting.

mod propagate;
mod sources;

use crate::ir::{Block, Function, Inst, Notes, Seam, Side, Src, Value};

/// What differs between the lanes of a SIMD-group.
#[derive(Clone, Debug)]
pub struct Divergence {
    divergent: Side<Value, bool>,
    /// The block that defines each value.
    home: Side<Value, Option<Block>>,
    /// Constructs in the order they open.
    constructs: Vec<Construct>,
    /// Place of each block in the layout, and the innermost construct around it.
    places: Side<Block, Place>,
}

/// Where a block stands.
#[derive(Clone, Copy, Default, Debug)]
struct Place {
    segment: usize,
    around: Option<u32>,
    /// The if that begins after the block.
    branch: Option<u32>,
    /// Some lanes may not execute it together with the others that started.
    partial: bool,
}

/// A construct and what is known of it.
#[derive(Clone, Copy, Debug)]
struct Construct {
    seam: Seam,
    parent: Option<u32>,
    /// The segments after which it begins and ends.
    start: usize,
    end: usize,
    /// The header of a loop.
    header: Block,
    after: Block,
    /// Of an if: its condition differs between lanes. Of others: lanes may wait at its targets while others continue.
    parts: bool,
    /// Lanes may arrive at the header, or after the construct, together from different jumps.
    mixes: bool,
    /// Lanes leave the loop in different iterations.
    rounds_differ: bool,
}

impl Construct {
    /// Whether the block of segment `segment` is inside.
    fn holds(&self, segment: usize) -> bool {
        self.start < segment && segment <= self.end
    }
}

impl Divergence {
    /// Whether lanes that execute the definition of `value` together may get different results.
    pub fn is_divergent(&self, value: Value) -> bool {
        self.divergent[value]
    }

    /// Whether all lanes read the same from `src` in `block`.
    pub fn is_uniform_in(&self, src: Src, block: Block) -> bool {
        src.as_value().is_none_or(|value| !self.divergent[value] && !self.round_differs(value, block))
    }

    /// Whether lanes may part at the if after `block`.
    pub fn branch_parts(&self, block: Block) -> bool {
        self.places[block].branch.is_some_and(|index| self.constructs[index as usize].parts)
    }

    /// Whether some of the lanes that started may not execute `block` together with the others.
    pub fn is_partial(&self, block: Block) -> bool {
        self.places[block].partial
    }

    /// Remarks to print with the function: what diverges, and which blocks some lanes may not execute.
    pub fn notes(&self, f: &Function<'_>) -> Notes {
        let mut notes = Notes::default();
        for block in f.blocks_in_order() {
            if self.places[block].partial {
                notes.blocks[block] = "partial";
            }
            for inst in &f.block(block).insts {
                let data = f.insts[*inst];
                let parts = data.op.is_terminator() && self.branch_parts(block);
                if parts || data.dsts.iter().any(|dst| self.divergent[*dst]) {
                    notes.insts[*inst] = "divergent";
                }
            }
        }
        notes
    }

    /// Whether `block`, which reads `value`, is outside a loop around the definition that lanes leave in different
    /// iterations.
    fn round_differs(&self, value: Value, block: Block) -> bool {
        let Some(home) = self.home[value] else { return false };
        let segment = self.places[block].segment;
        let mut around = self.places[home].around;
        while let Some(construct) = around.map(|index| self.constructs[index as usize]) {
            if construct.holds(segment) {
                return false;
            }
            if construct.rounds_differ {
                return true;
            }
            around = construct.parent;
        }
        false
    }
}

/// Computes divergence for a program of stage `stage`. Needs current edges ([`Function::compute_cfg`]).
pub fn divergence(f: &Function<'_>, stage: agx_abi::Stage) -> Divergence {
    propagate::run(f, stage)
}

/// A jump to a target of a construct around it.
#[derive(Clone, Copy, Debug)]
struct Jump {
    /// The segment it ends.
    segment: usize,
    /// The construct whose target it is.
    construct: u32,
    divergent: bool,
}

/// Users of each value, in one list.
struct Users {
    starts: Side<Value, u32>,
    list: Vec<(Inst, Block)>,
}

impl Users {
    fn of(f: &Function<'_>) -> Users {
        let mut starts: Side<Value, u32> = Side::new(f.values.len() + 1);
        for_each_use(f, |value, _, _| starts[value] += 1);
        let mut total = 0;
        for value in f.values.keys() {
            total += starts[value];
            starts[value] = total;
        }
        let mut list = vec![(Inst(0), Block(0)); total as usize];
        for_each_use(f, |value, inst, block| {
            starts[value] -= 1;
            list[starts[value] as usize] = (inst, block);
        });
        starts[Value(f.values.len() as u32)] = total;
        Users { starts, list }
    }

    fn of_value(&self, value: Value) -> std::ops::Range<usize> {
        self.starts[value] as usize..self.starts[Value(value.0 + 1)] as usize
    }
}

fn for_each_use(f: &Function<'_>, mut each: impl FnMut(Value, Inst, Block)) {
    for block in f.blocks_in_order() {
        for inst in &f.block(block).insts {
            for value in f.insts[*inst].srcs.iter().filter_map(|src| src.as_value()) {
                each(value, *inst, block);
            }
        }
    }
}
