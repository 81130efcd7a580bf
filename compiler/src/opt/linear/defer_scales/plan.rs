//! Where the multiplications by a scale go.

use agx_isa::table::Opcode;
use agx_isa::table::names::{Dimension, LodMode};
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::graph::Graph;
use crate::analysis::users::Use;
use crate::ir::key;
use crate::ir::{InstData, IrOp, Op, ScratchSide, Src, Value};

/// Maximum number of values that carry a scale.
const MOST_CARRIERS: usize = 48;
/// Maximum number of operands that read them.
const MOST_READS: usize = 192;

/// What becomes of an operand that reads a carrier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    /// The result is a carrier.
    Carried,
    /// The result does not depend on the scale.
    Free,
    /// The operand is scaled.
    Scaled,
    /// The other factor of the product is scaled.
    Moved,
}

/// A value that can carry the scale.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    value: Value,
    /// Its rank in the block.
    rank: u64,
    /// The index of the first of its readers, and of the first one that is not.
    readers: (usize, usize),
}

/// An operand that reads a candidate, and what is known of it whichever candidates are carriers.
#[derive(Clone, Copy, Debug)]
struct Reader {
    reads: Use,
    /// The result of the operation, if it may be rounded differently.
    result: Option<Value>,
    /// The operand is a factor of a product in the block of the candidate.
    is_factor: bool,
}

/// An operand that reads a carrier.
#[derive(Clone, Copy, Debug)]
struct Read {
    carrier: Value,
    reads: Use,
    fate: Fate,
}

/// A component of the vector that is scaled.
#[derive(Clone, Copy, Debug)]
struct Member {
    product: Value,
    component: Src,
}

/// Where a scale is multiplied.
pub(super) struct Plan<'s> {
    scale: Value,
    members: ArenaVec<'s, Member>,
    /// Values that can carry the scale, in program order; the members are among them.
    candidates: ArenaVec<'s, Candidate>,
    /// The operands that read candidates, by candidate.
    readers: ArenaVec<'s, Reader>,
    /// The number of the plan in which each value is a carrier.
    carriers: ScratchSide<'s, Value, u32>,
    number: u32,
    /// The operands that read carriers, by carrier.
    reads: ArenaVec<'s, Read>,
}

impl<'s> Plan<'s> {
    /// A plan for no scale.
    pub(super) fn new(scratch: &'s Bump, values: usize) -> Self {
        Plan {
            scale: Value(0),
            members: ArenaVec::new_in(scratch),
            candidates: ArenaVec::with_capacity_in(MOST_CARRIERS, scratch),
            readers: ArenaVec::with_capacity_in(MOST_READS, scratch),
            carriers: ScratchSide::new_in(scratch, values),
            number: 0,
            reads: ArenaVec::with_capacity_in(MOST_READS, scratch),
        }
    }

    /// Plans to save as many multiplications by `scale` as possible; returns whether any is saved.
    pub(super) fn find(&mut self, graph: &Graph<'_, '_, '_>, scale: Value) -> bool {
        self.scale = scale;
        self.number += 1;
        if self.find_members(graph).is_none() || self.grow(graph).is_none() {
            return false;
        }
        self.exclude_scaled_members();
        self.candidates.sort_by_key(|candidate| candidate.rank);
        self.drop_carriers(graph);
        self.find_reads(graph);
        self.cost(graph) < self.members.len() && self.has_room(graph)
    }

    /// Finds the products by the scale in one block.
    fn find_members(&mut self, graph: &Graph<'_, '_, '_>) -> Option<()> {
        self.members.clear();
        self.candidates.clear();
        self.readers.clear();
        let mut home = None;
        for reads in graph.uses(self.scale) {
            let Some((product, data)) = graph.float(reads.inst) else { continue };
            let component = match (data.op, data.srcs) {
                (Op::Hw(Opcode::Fmul), [a, b]) if a != b => [*b, *a][reads.at],
                _ => continue,
            };
            let place = graph.place(reads.inst);
            if !graph.is_uniform(component) && *home.get_or_insert(place.home) == place.home {
                self.members.push(Member { product, component });
                self.add(graph, product)?;
            }
        }
        (self.members.len() > 1).then_some(())
    }

    /// Adds a carrier; `None` if there are too many.
    fn add(&mut self, graph: &Graph<'_, '_, '_>, carrier: Value) -> Option<()> {
        let rank = graph.place_of(Src::value(carrier)).rank;
        self.candidates.push(Candidate { value: carrier, rank, readers: (0, 0) });
        self.carriers[carrier] = self.number;
        (self.candidates.len() <= MOST_CARRIERS).then_some(())
    }

    /// Adds the results of operations on carriers that are carriers themselves, and lists the readers of all.
    fn grow(&mut self, graph: &Graph<'_, '_, '_>) -> Option<()> {
        let home = graph.place_of(Src::value(self.candidates[0].value)).home;
        let mut at = 0;
        while let Some(carrier) = self.candidates.get(at).map(|candidate| candidate.value) {
            let first = self.readers.len();
            for reads in graph.uses(carrier) {
                let (float, is_local) = (graph.float(reads.inst), graph.place(reads.inst).home == home);
                let is_product = |data: &InstData<'_>| matches!(data.op, Op::Hw(Opcode::Fmul | Opcode::Ffma));
                let is_factor = is_local && reads.at < 2 && float.is_some_and(|(_, data)| is_product(data));
                self.readers.push(Reader { reads, result: float.map(|(result, _)| result), is_factor });
                if self.readers.len() > MOST_READS {
                    return None;
                }
                if let Some((result, data)) = float.filter(|_| is_local)
                    && self.carriers[result] != self.number
                    && self.carries(data)
                {
                    self.add(graph, result)?;
                }
            }
            self.candidates[at].readers = (first, self.readers.len());
            at += 1;
        }
        Some(())
    }

    /// Makes products of carriers by the scale carriers like others: their other factor is scaled, too.
    fn exclude_scaled_members(&mut self) {
        let Plan { members, carriers, number, .. } = self;
        members.retain(|member| member.component.as_value().is_none_or(|value| carriers[value] != *number));
    }

    fn is_carrier(&self, src: Src) -> bool {
        src.as_value().is_some_and(|value| self.carriers[value] == self.number)
    }

    /// Whether the result of an operation is a multiple of the scale.
    fn carries(&self, data: &InstData<'_>) -> bool {
        let is = |src: &Src| self.is_carrier(*src);
        match (data.op, data.srcs) {
            (Op::Hw(Opcode::Fmul), [a, b]) => a != b && (is(a) || is(b)),
            (Op::Hw(Opcode::Ffma), [a, b, c]) => a != b && (is(a) || is(b)) && is(c),
            (Op::Hw(Opcode::Fadd), [a, b]) => is(a) && is(b),
            (Op::Ir(IrOp::Fneg | IrOp::Fabs), [a]) => is(a),
            _ => false,
        }
    }

    /// Drops carriers whose scaling only moves multiplications.
    fn drop_carriers(&mut self, graph: &Graph<'_, '_, '_>) {
        self.number += 1;
        for candidate in &self.candidates {
            self.carriers[candidate.value] = self.number;
        }
        for at in (0..self.candidates.len()).rev() {
            let candidate = self.candidates[at];
            if self.member(candidate.value).is_none() && self.is_moved(graph, candidate) {
                self.carriers[candidate.value] = 0;
            }
        }
    }

    fn member(&self, carrier: Value) -> Option<&Member> {
        self.members.iter().find(|member| member.product == carrier)
    }

    /// The operands that read a candidate.
    fn readers(&self, candidate: Candidate) -> &[Reader] {
        let (first, end) = candidate.readers;
        &self.readers[first..end]
    }

    /// Whether the operands of the operation that makes a carrier are scaled instead of its result.
    fn is_moved(&self, graph: &Graph<'_, '_, '_>, candidate: Candidate) -> bool {
        let mut is_scaled = false;
        for reader in self.readers(candidate) {
            match self.fate(graph, reader) {
                Fate::Carried | Fate::Free => return false,
                Fate::Scaled => is_scaled = true,
                Fate::Moved => {}
            }
        }
        let Some(data) = graph.def(candidate.value).filter(|_| is_scaled) else { return false };
        let operands = data.srcs.iter().filter(|src| self.is_carrier(**src));
        let is_single = operands.clone().all(|src| Some(src) == operands.clone().next());
        is_single && data.op != Op::Hw(Opcode::Ffma) || data.op == Op::Hw(Opcode::Fmul)
    }

    /// What becomes of an operand that reads a carrier.
    #[inline]
    fn fate(&self, graph: &Graph<'_, '_, '_>, reader: &Reader) -> Fate {
        let Some(result) = reader.result else { return self.fate_elsewhere(graph, reader.reads) };
        let is_carried = self.carriers[result] == self.number;
        match reader.is_factor {
            true if self.is_other_factor(graph, reader.reads) => Fate::Scaled,
            true if !is_carried => Fate::Moved,
            _ if is_carried => Fate::Carried,
            _ => Fate::Scaled,
        }
    }

    /// Whether a factor is not the one that stays a carrier.
    fn is_other_factor(&self, graph: &Graph<'_, '_, '_>, reads: Use) -> bool {
        self.carrying_factor(graph, graph.f.insts[reads.inst].srcs) != Some(reads.at)
    }

    /// The number of the factor of a product that stays a carrier: the first one in program order, because the other
    /// may depend on it.
    fn carrying_factor(&self, graph: &Graph<'_, '_, '_>, srcs: &[Src]) -> Option<usize> {
        match [srcs[0], srcs[1]].map(|src| self.is_carrier(src)) {
            _ if srcs[0] == srcs[1] => None,
            [true, true] => {
                let [first, second] = [srcs[0], srcs[1]].map(|src| graph.place_of(src).rank);
                Some(usize::from(second < first))
            }
            [true, false] => Some(0),
            [false, true] => Some(1),
            [false, false] => None,
        }
    }

    /// What becomes of an operand of an operation whose result cannot carry the scale.
    fn fate_elsewhere(&self, graph: &Graph<'_, '_, '_>, reads: Use) -> Fate {
        let data = graph.f.insts[reads.inst];
        let is_plain = data.srcs.iter().all(|src| src.flags.is_empty());
        let is_free = match (data.op, data.srcs) {
            (Op::Ir(IrOp::Fcmp), [a, b]) => {
                [a, b].iter().all(|src| self.is_carrier(**src) || **src == Src::f32(0.0))
            }
            (Op::Ir(IrOp::Collect), [x, y, z, ..]) if reads.at < 3 => {
                [x, y, z].iter().all(|src| self.is_carrier(**src))
                    && data
                        .dst()
                        .is_some_and(|vector| graph.uses(vector).all(|reads| is_direction(graph, reads)))
            }
            _ => false,
        };
        if is_plain && is_free { Fate::Free } else { Fate::Scaled }
    }

    /// Determines what becomes of every operand.
    fn find_reads(&mut self, graph: &Graph<'_, '_, '_>) {
        self.reads.clear();
        for at in 0..self.candidates.len() {
            let Candidate { value: carrier, readers: (first, end), .. } = self.candidates[at];
            if self.carriers[carrier] != self.number {
                continue;
            }
            let from = self.reads.len();
            for reader in first..end {
                let reader = self.readers[reader];
                let fate = self.fate(graph, &reader);
                self.reads.push(Read { carrier, reads: reader.reads, fate });
            }
            // Products of a carrier that is scaled anyway read it scaled.
            let own = &mut self.reads[from..];
            if own.iter().any(|read| read.fate == Fate::Scaled) {
                own.iter_mut()
                    .filter(|read| read.fate == Fate::Moved)
                    .for_each(|read| read.fate = Fate::Scaled);
            }
        }
    }

    /// The number of multiplications that apply the scale: one for each carrier, and one for each factor.
    fn cost(&self, graph: &Graph<'_, '_, '_>) -> usize {
        let factor = |read: &Read| graph.operand(other_factor(read.reads));
        let is_new = |(at, read): &(usize, &Read)| {
            let mut before = self.reads[..*at].iter().filter(|other| other.fate == read.fate);
            match read.fate {
                Fate::Carried | Fate::Free => false,
                Fate::Scaled => before.all(|other| other.carrier != read.carrier),
                Fate::Moved => before.all(|other| factor(other) != factor(read)),
            }
        };
        self.reads.iter().enumerate().filter(is_new).count()
    }

    /// Whether there is room for these multiplications before their readers.
    fn has_room(&self, graph: &Graph<'_, '_, '_>) -> bool {
        self.reads.iter().all(|read| {
            let scaled = match read.fate {
                Fate::Carried | Fate::Free => return true,
                Fate::Scaled => Src::value(read.carrier),
                Fate::Moved => graph.operand(other_factor(read.reads)),
            };
            graph.has_room([scaled, Src::value(self.scale)], graph.place(read.reads.inst))
        })
    }

    /// Changes the function.
    pub(super) fn apply(&self, graph: &mut Graph<'_, '_, '_>) {
        let scale = Src::value(self.scale);
        let mut own = &self.reads[..];
        while let [Read { carrier, .. }, ..] = *own {
            let (reads, others) = own.split_at(own.iter().take_while(|read| read.carrier == carrier).count());
            own = others;
            let is_scaled = |read: &&Read| read.fate == Fate::Scaled;
            let any_scaled = reads.iter().any(|read| is_scaled(&read));
            match self.member(carrier) {
                Some(Member { component, .. }) => {
                    let unscaled = reads.iter().filter(|read| !is_scaled(read));
                    unscaled.for_each(|read| graph.replace(read.reads, *component));
                    if !any_scaled {
                        graph.remove(carrier);
                    }
                }
                None if any_scaled => {
                    let product = graph.multiply([Src::value(carrier), scale], graph.after(carrier));
                    reads.iter().filter(is_scaled).for_each(|read| graph.replace(read.reads, product));
                }
                None => {}
            }
        }
        self.move_factors(graph);
    }

    /// Scales the other factors of products.
    fn move_factors(&self, graph: &mut Graph<'_, '_, '_>) {
        let reads = self.reads.iter().filter(|read| read.fate == Fate::Moved);
        let moved = reads.map(|read| other_factor(read.reads)).map(|factor| (graph.operand(factor), factor));
        let moved = ArenaVec::from_iter_in(moved, self.reads.bump());
        for (at, (factor, _)) in moved.iter().enumerate() {
            if moved[..at].iter().any(|(other, _)| other == factor) {
                continue;
            }
            let group = || moved.iter().filter(|(other, _)| other == factor).map(|(_, reads)| *reads);
            let readers = group().map(|reads| graph.place(reads.inst));
            let Some(first) = readers.min_by_key(|place| place.rank) else { continue };
            let operands = [*factor, Src::value(self.scale)];
            let product = graph.multiply(operands, graph.place_between(operands, first));
            group().for_each(|reads| graph.replace(reads, product));
        }
    }
}

/// The other factor of the product that reads a factor.
fn other_factor(reads: Use) -> Use {
    Use { at: 1 - reads.at, ..reads }
}

/// Whether `reads` is the direction in which a cube texture is sampled, at a level that derivatives of the direction
/// do not determine explicitly.
fn is_direction(graph: &Graph<'_, '_, '_>, reads: Use) -> bool {
    let data = graph.f.insts[reads.inst];
    data.op == Op::Hw(Opcode::Smpf)
        && reads.at == 0
        && matches!(data.get(key::DIM), Dimension::CUBE | Dimension::CUBE_ARRAY)
        && !matches!(data.get(key::LOD_MODE), LodMode::GRADIENTS | LodMode::GRADIENTS_MIN)
}
