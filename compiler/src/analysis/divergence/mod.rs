//! Divergence: which values may differ between the lanes of a SIMD-group, and which branches are divergent.
//!
//! A value is *uniform* if all lanes that execute its definition together get the same result. Values are
//! assumed uniform until one of these makes them divergent:
//!
//! * data: lane indices and similar registers, memory private to the lane, results of divergent sources;
//! * control: a phi at a reconvergence point of lanes that took different paths at a divergent branch;
//! * time: a value that varies between iterations, used outside a loop which lanes leave in different
//!   iterations.
//!
//! The structure of the layout makes the second and third kind cheap to find. A jump is divergent if some
//! lanes of the construct it leaves or repeats do not execute it at the same moment: it is in an arm of a
//! divergent if within that construct, or other lanes already wait, within that construct, for a loop or
//! scope to end. Once a jump is divergent, lanes wait at its target, which makes other jumps out of that
//! construct divergent too. A construct becomes divergent at most once, and its jumps are examined then; a
//! value becomes divergent at most once, and its users are examined then or come later. The time is therefore
//! linear in the number of instructions plus the number of jumps times their nesting depth.

mod propagate;
mod sources;

use crate::ir::{Block, Function, Inst, Notes, Seam, Side, Src, Value};

/// The divergent values, branches and blocks of a function.
#[derive(Clone, Debug)]
pub struct Divergence {
    divergent: Side<Value, bool>,
    /// The block that defines each value, if it is in a loop.
    home: Side<Value, Option<Block>>,
    /// Constructs in the order they open.
    constructs: Vec<Construct>,
    /// The layout position of each block, and its innermost enclosing construct.
    places: Side<Block, Place>,
}

/// The position of a block.
#[derive(Clone, Copy, Default, Debug)]
struct Place {
    segment: usize,
    around: Option<u32>,
    /// The if that begins after the block.
    branch: Option<u32>,
    /// Some of the lanes that started may not execute the block together with the others.
    partial: bool,
}

/// A construct and its divergence.
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
    /// For an if: its condition is divergent. For other constructs: lanes may wait at its targets while
    /// others continue.
    parts: bool,
    /// Lanes that took different jumps may arrive together at the header or after the construct.
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

    /// Whether the if after `block` is divergent.
    pub fn branch_parts(&self, block: Block) -> bool {
        self.places[block].branch.is_some_and(|index| self.constructs[index as usize].parts)
    }

    /// Whether some of the lanes that started may not execute `block` together with the others.
    pub fn is_partial(&self, block: Block) -> bool {
        self.places[block].partial
    }

    /// Remarks to print with the function: divergent values, and blocks that some lanes may not execute.
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

    /// Whether `block`, which reads `value`, is outside a loop that contains the definition and that lanes
    /// leave in different iterations.
    fn round_differs(&self, value: Value, block: Block) -> bool {
        let Some(home) = self.home[value].filter(|home| *home != block) else { return false };
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

/// Computes divergence for a program of stage `stage`. Requires current edges ([`Function::compute_cfg`]).
pub fn divergence(f: &Function<'_>, stage: agx_abi::Stage) -> Divergence {
    propagate::run(f, stage)
}

/// A jump to a target of a construct around it.
#[derive(Clone, Copy, Debug)]
struct Jump {
    /// The segment it ends.
    segment: usize,
    /// The construct whose target it jumps to.
    construct: u32,
    divergent: bool,
}

/// The users of each value, in one list.
#[derive(Default)]
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
