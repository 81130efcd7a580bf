//! The uses of values, kept while instructions change.

use agx_isa::table::Opcode;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::analysis::exact::exact_values;
use crate::analysis::movable::MovableValues;
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::{Block, Function, Inst, InstData, IrOp, Op, ScratchSide, Side, Src, Type, Value};

/// Distance between the places of neighbouring instructions.
const GAP: u64 = 1 << 16;
/// Ranks that are left free between an operand and its reader.
const ROOM: u64 = 8;

/// An operand that reads a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Use {
    pub inst: Inst,
    /// Number of the operand.
    pub at: usize,
}

/// A use in the list of a value.
#[derive(Clone, Copy)]
struct Entry {
    reads: Use,
    /// The next entry plus one; 0 for none.
    next: u32,
}

/// Where an instruction is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Place {
    /// Its block, counted from 1; 0 if it is in none.
    pub home: u32,
    /// Ascends within the block. Phis have equal ranks.
    pub rank: u64,
}

/// A function and the uses of its values.
pub(super) struct Graph<'f, 'a, 's> {
    pub f: &'f mut Function<'a>,
    /// Results of `rsqrt` that scale several values.
    pub scales: ArenaVec<'s, Value>,
    exact: Side<Value, bool>,
    uniform: MovableValues<'s>,
    /// The first entry of each value plus one.
    first: ScratchSide<'s, Value, u32>,
    /// Entries, which may be out of date: the operand reads another value since.
    entries: ArenaVec<'s, Entry>,
    places: ScratchSide<'s, Inst, Place>,
    /// Instructions to insert.
    made: ArenaVec<'s, Inst>,
    /// Instructions to remove.
    dead: ScratchSide<'s, Inst, bool>,
    is_changed: bool,
}

impl<'f, 'a, 's> Graph<'f, 'a, 's> {
    /// The graph of a function that scales values by divergent results of `rsqrt`.
    pub(super) fn of(f: &'f mut Function<'a>, scratch: &'s Bump) -> Option<Self> {
        let values = f.values.len();
        let mut graph = Graph {
            scales: ArenaVec::new_in(scratch),
            exact: exact_values(f),
            uniform: MovableValues::new_in(scratch, f),
            first: ScratchSide::later_in(scratch, values),
            entries: ArenaVec::new_in(scratch),
            places: ScratchSide::later_in(scratch, f.insts.len()),
            made: ArenaVec::new_in(scratch),
            dead: ScratchSide::later_in(scratch, f.insts.len()),
            is_changed: false,
            f,
        };
        graph.find_scales(scratch);
        if graph.scales.is_empty() {
            return None;
        }
        graph.find_uses();
        Some(graph)
    }

    /// Determines which values are uniform, and which results of `rsqrt` scale several values.
    fn find_scales(&mut self, scratch: &'s Bump) {
        let mut scaled: ScratchSide<'_, Value, u32> = ScratchSide::later_in(scratch, self.f.values.len());
        let mut roots: ArenaVec<'_, Value> = ArenaVec::new_in(scratch);
        for block in self.f.blocks_in_order() {
            for inst in &self.f.block(block).insts {
                let data = &self.f.insts[*inst];
                let is_uniform = self.uniform.note(data, true);
                match (data.op, data.srcs) {
                    (Op::Hw(Opcode::Rsqrt), _) if !is_uniform => roots.extend(data.dst()),
                    (Op::Hw(Opcode::Fmul), [a, b]) if !roots.is_empty() => {
                        [a, b].iter().filter_map(|src| src.as_value()).for_each(|value| scaled[value] += 1);
                    }
                    _ => {}
                }
            }
        }
        self.scales.extend(roots.iter().filter(|root| scaled[**root] > 1));
    }

    fn find_uses(&mut self) {
        // Most operations have two operands.
        self.entries.reserve(2 * self.f.insts.len());
        for block in self.f.blocks_in_order() {
            let phis = self.f.phi_count(block);
            for index in 0..self.f.block(block).insts.len() {
                let inst = self.f.block(block).insts[index];
                let rank = if index < phis { phis } else { index + 1 } as u64 * GAP;
                self.places[inst] = Place { home: block.0 + 1, rank };
                self.note(inst);
            }
        }
    }

    /// Adds the operands of an instruction to the lists.
    fn note(&mut self, inst: Inst) {
        for (at, src) in self.f.insts[inst].srcs.iter().enumerate() {
            self.add(Use { inst, at }, *src);
        }
    }

    /// Adds an operand to the list of the value that `src` reads, if it reads one.
    fn add(&mut self, reads: Use, src: Src) {
        if let Some(value) = src.as_value() {
            self.entries.push(Entry { reads, next: self.first[value] });
            self.first[value] = self.entries.len() as u32;
        }
    }

    /// The operands that read `value`.
    pub(super) fn uses(&self, value: Value) -> impl Iterator<Item = Use> + '_ {
        let mut next = self.first[value];
        std::iter::from_fn(move || {
            let entry = self.entries.get((next as usize).checked_sub(1)?)?;
            next = entry.next;
            Some(entry.reads)
        })
        .filter(move |reads| self.operand(*reads).as_value() == Some(value))
    }

    /// The source that an operand is.
    pub(super) fn operand(&self, reads: Use) -> Src {
        self.f.insts[reads.inst].srcs[reads.at]
    }

    pub(super) fn is_uniform(&self, src: Src) -> bool {
        self.uniform.has(src)
    }

    pub(super) fn place(&self, inst: Inst) -> Place {
        self.places[inst]
    }

    /// The place of the instruction that defines `src`.
    pub(super) fn place_of(&self, src: Src) -> Place {
        let def = src.as_value().and_then(|value| self.f.values[value].def);
        def.map_or(Place::default(), |def| self.places[def])
    }

    /// An instruction that computes a 32-bit float that may be rounded differently.
    pub(super) fn float(&self, inst: Inst) -> Option<(Value, &InstData<'a>)> {
        let data = &self.f.insts[inst];
        let dst = data.dst()?;
        let is_plain = match data.op {
            Op::Hw(Opcode::Fmul | Opcode::Fadd | Opcode::Ffma) => !data.get(key::SAT),
            Op::Ir(IrOp::Fneg | IrOp::Fabs | IrOp::Fmax | IrOp::Fmin | IrOp::Select) => true,
            _ => false,
        };
        let is_float = |src: &Src| src.flags.is_empty() && matches!(self.f.width(*src), 1 | 32);
        let may_change = !self.exact[dst] && !self.f.values[dst].relaxed && !self.uniform.has(dst.into());
        (is_plain && may_change && self.f.ty(dst) == Type::B32 && data.srcs.iter().all(is_float))
            .then_some((dst, data))
    }

    /// The definition of a float that may be rounded differently.
    pub(super) fn def(&self, value: Value) -> Option<&InstData<'a>> {
        self.f.values[value].def.and_then(|def| self.float(def)).map(|(_, data)| data)
    }

    /// Whether every use of the product `value` is a sum that fuses it.
    pub(super) fn is_fused(&self, value: Value) -> bool {
        self.uses(value).all(|reads| self.fuses(reads))
    }

    /// Whether `reads` adds a value to something that is not a product that only this sum reads.
    pub(super) fn fuses(&self, reads: Use) -> bool {
        let data = self.f.insts[reads.inst];
        let (Op::Hw(Opcode::Fadd), [a, b]) = (data.op, data.srcs) else { return false };
        let other = if reads.at == 0 { b } else { a };
        let product = self.f.def(*other).filter(|data| data.op == Op::Hw(Opcode::Fmul));
        product.is_none() || other.as_value().is_some_and(|value| self.uses(value).nth(1).is_some())
    }

    /// The place for an operation on `srcs`, in the block of `reader` before it.
    pub(super) fn place_between(&self, srcs: [Src; 2], reader: Place) -> Place {
        Place { rank: self.last_rank(srcs, reader).map_or(reader.rank - 1, |rank| rank + 1), ..reader }
    }

    /// Whether there is room for such an operation.
    pub(super) fn has_room(&self, srcs: [Src; 2], reader: Place) -> bool {
        self.last_rank(srcs, reader).is_none_or(|rank| rank + ROOM <= reader.rank)
    }

    /// The last rank of the definitions of `srcs` in the block of `reader`.
    fn last_rank(&self, srcs: [Src; 2], reader: Place) -> Option<u64> {
        let local = srcs.iter().map(|src| self.place_of(*src)).filter(|place| place.home == reader.home);
        local.map(|place| place.rank).max()
    }

    /// Multiplies two values at `place`.
    pub(super) fn multiply(&mut self, factors: [Src; 2], place: Place) -> Src {
        let product = self.f.add_value(Type::B32);
        let def = factors[0].as_value().and_then(|value| self.f.values[value].def);
        let line = def.map_or(0, |def| self.f.insts[def].line);
        let inst = self.f.make_inst(Opcode::Fmul, &[product], &factors, &mods(Opcode::Fmul), line);
        self.places[inst] = place;
        self.note(inst);
        self.made.push(inst);
        Src::value(product)
    }

    /// The place after the definition of `value`.
    pub(super) fn after(&self, value: Value) -> Place {
        let place = self.place_of(Src::value(value));
        Place { rank: place.rank + 1, ..place }
    }

    /// Replaces an operand.
    pub(super) fn replace(&mut self, reads: Use, src: Src) {
        self.is_changed = true;
        let srcs = self.f.bump.alloc_slice_copy(self.f.insts[reads.inst].srcs);
        srcs[reads.at] = src;
        self.f.insts[reads.inst].srcs = srcs;
        self.add(reads, src);
    }

    /// Removes the instruction that defines `value`, which nothing reads.
    pub(super) fn remove(&mut self, value: Value) {
        if let Some(def) = self.f.values[value].def {
            self.dead[def] = true;
        }
    }

    /// Inserts the instructions made, and removes dead ones.
    pub(super) fn finish(mut self) {
        if !self.is_changed {
            return;
        }
        let places = &self.places;
        self.made.sort_by_key(|inst| (places[*inst].home, places[*inst].rank));
        let mut made = self.made.iter().copied().peekable();
        let mut homes: ArenaVec<'_, Block> =
            ArenaVec::from_iter_in(self.f.blocks_in_order(), self.made.bump());
        homes.sort();
        for block in homes {
            let insts = self.f.take_insts(block);
            let mut out = self.f.inst_list();
            out.reserve(insts.len());
            for inst in insts.iter().filter(|inst| !self.dead[**inst]) {
                let place = places[*inst];
                let is_before =
                    |made: &Inst| places[*made].home == place.home && places[*made].rank < place.rank;
                while let Some(made) = made.next_if(is_before) {
                    out.push(made);
                }
                out.push(*inst);
            }
            // Phis of other blocks read carriers that are defined last.
            while let Some(made) = made.next_if(|made| places[*made].home == block.0 + 1) {
                out.push(made);
            }
            self.f.block_mut(block).insts = out;
        }
    }
}
