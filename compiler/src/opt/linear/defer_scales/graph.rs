//! The uses of values, kept while instructions change.

use agx_isa::table::Opcode;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::analysis::exact::exact_values;
use crate::analysis::movable::MovableValues;
use crate::analysis::users::{Use, Users};
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::{Block, Function, Inst, InstData, IrOp, Op, ScratchSide, Side, Src, Type, Value};

/// Distance between the places of neighbouring instructions.
const GAP: u64 = 1 << 16;
/// Ranks that are left free between an operand and its reader.
const ROOM: u64 = 8;

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
    uniform: &'f MovableValues<'f>,
    /// Some may be out of date: the operand reads another value since.
    users: Users<'s>,
    places: ScratchSide<'s, Inst, Place>,
    /// Instructions to insert.
    made: ArenaVec<'s, Inst>,
    /// Instructions to remove.
    dead: ScratchSide<'s, Inst, bool>,
    is_changed: bool,
}

impl<'f, 'a, 's> Graph<'f, 'a, 's> {
    /// The graph of a function that scales values by divergent results of `rsqrt`.
    pub(super) fn of(
        f: &'f mut Function<'a>,
        uniform: &'f MovableValues<'f>,
        scratch: &'s Bump,
    ) -> Option<Self> {
        let scales = find_scales(f, uniform, scratch);
        if scales.is_empty() {
            return None;
        }
        let mut graph = Graph {
            scales,
            exact: exact_values(f),
            uniform,
            users: Users::of(f, scratch),
            places: ScratchSide::later_in(scratch, f.insts.len()),
            made: ArenaVec::new_in(scratch),
            dead: ScratchSide::later_in(scratch, f.insts.len()),
            is_changed: false,
            f,
        };
        graph.find_places();
        Some(graph)
    }

    fn find_places(&mut self) {
        for block in self.f.blocks_in_order() {
            let phis = self.f.phi_count(block);
            for (index, inst) in self.f.block(block).insts.iter().enumerate() {
                let rank = if index < phis { phis } else { index + 1 } as u64 * GAP;
                self.places[*inst] = Place { home: block.0 + 1, rank };
            }
        }
    }

    /// The operands that read `value`.
    pub(super) fn uses(&self, value: Value) -> impl Iterator<Item = Use> + '_ {
        self.users.get(value).filter(move |reads| self.operand(*reads).as_value() == Some(value))
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
            Op::Ir(IrOp::Fneg | IrOp::Fabs) => true,
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
        self.users.note(inst, &factors);
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
        self.users.add(reads, src);
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

/// The divergent results of `rsqrt` that scale several values.
fn find_scales<'s>(f: &Function<'_>, uniform: &MovableValues<'_>, scratch: &'s Bump) -> ArenaVec<'s, Value> {
    let mut scaled: ScratchSide<'_, Value, u32> = ScratchSide::later_in(scratch, f.values.len());
    let mut roots: ArenaVec<'_, Value> = ArenaVec::new_in(scratch);
    for inst in f.blocks_in_order().flat_map(|block| &f.block(block).insts) {
        let data = &f.insts[*inst];
        match (data.op, data.srcs) {
            (Op::Hw(Opcode::Rsqrt), _) => {
                roots.extend(data.dst().filter(|root| !uniform.has((*root).into())));
            }
            (Op::Hw(Opcode::Fmul), [a, b]) if !roots.is_empty() => {
                [a, b].iter().filter_map(|src| src.as_value()).for_each(|value| scaled[value] += 1);
            }
            _ => {}
        }
    }
    roots.retain(|root| scaled[*root] > 1);
    roots
}
