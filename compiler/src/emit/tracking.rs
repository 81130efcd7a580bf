//! Follows source variables to machine code: where values are defined in registers, and where assignments take effect.
//!
//! A value of the front end survives passes with its number, or the function knows its replacement. Numbers ascend in the
//! order of the source, so an assignment takes effect before the first instruction of its block whose result was built
//! later. What happens to registers afterwards, moves and stack accesses included, is in the machine code itself.

use agx_abi::variables::{Change, Content, Definition, Moment};
use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;

use crate::ir::named::{Assigned, Assignment, Named, SourceVariable};
use crate::ir::op::{IrOp, Op};
use crate::ir::{Block, Entity, Function, Inst, SrcKind, Value};
use crate::regalloc::Allocation;

/// The source variables of a program in its machine code.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tracking {
    /// The variables.
    pub variables: Vec<SourceVariable>,
    /// Definitions of values.
    pub definitions: Vec<Definition>,
    /// Changes of scalars, those of one moment in order.
    pub changes: Vec<Change>,
}

/// Offsets of instructions, by block in the order of the code.
pub(super) type Offsets = Vec<(Block, u32, Vec<(Inst, u32)>)>;

/// Follows the variables of `f` to the code whose instructions have these offsets.
pub(super) fn track(f: &Function<'_>, named: &Named, allocation: &Allocation, offsets: &Offsets) -> Tracking {
    let tracker = Tracker { f, named, allocation, offsets, times: named.times() };
    let changes = tracker.changes();
    let wanted = changes.iter().filter_map(|change| match change.content {
        Content::Value(value) => Some(Value(value)),
        _ => None,
    });
    let definitions = tracker.definitions(&wanted.collect());
    Tracking { variables: named.variables.clone(), definitions, changes }
}

struct Tracker<'t, 'a> {
    f: &'t Function<'a>,
    named: &'t Named,
    allocation: &'t Allocation,
    offsets: &'t Offsets,
    times: HashMap<Value, u32, FxBuildHasher>,
}

impl Tracker<'_, '_> {
    /// The changes, in the order of the assignments.
    fn changes(&self) -> Vec<Change> {
        let mut changes = Vec::new();
        let (joins, writes): (Vec<&Assignment>, Vec<&Assignment>) =
            self.named.assignments.iter().partition(|assignment| assignment.time.is_none());
        // At the same moment, what a block starts with precedes what is assigned in it.
        for assignment in joins.into_iter().chain(writes) {
            let content = match assignment.to {
                Assigned::Stack(byte) => Content::Stack(byte),
                Assigned::Source(src) => self.content(src),
            };
            if let Some(at) = self.moment(assignment.block, assignment.time) {
                changes.push(Change { at, variable: assignment.variable, leaf: assignment.leaf, content });
            }
        }
        changes
    }

    fn content(&self, src: crate::ir::Src) -> Content {
        let Some(src) = self.named.resolve(src) else { return Content::Lost };
        match src.kind {
            SrcKind::Imm => Content::Constant(src.payload),
            SrcKind::Uniform => Content::Uniform(src.payload as u16),
            SrcKind::Value => self.copied(Value(src.payload as u32)),
            SrcKind::None => Content::Lost,
        }
    }

    /// The content of a value, which may be a copy of another one.
    fn copied(&self, mut value: Value) -> Content {
        // A chain of copies is short; the limit protects from a cycle.
        for _ in 0..8 {
            let data = self.f.values[value].def.map(|def| &self.f.insts[def]);
            let source = data.filter(|data| data.op == Op::Ir(IrOp::Copy)).and_then(|data| {
                let at = data.dsts.iter().position(|dst| *dst == value)?;
                data.srcs.get(at).copied()
            });
            match source {
                Some(src) if !src.flags.is_empty() => return Content::Lost,
                Some(src) => match src.kind {
                    SrcKind::Value => value = Value(src.payload as u32),
                    _ => return self.content(src),
                },
                None => break,
            }
        }
        Content::Value(value.0)
    }

    /// When a result was built; `None` for those of passes.
    fn time(&self, value: Value) -> Option<u32> {
        match value.0 < self.named.built {
            true => Some(value.0),
            false => self.times.get(&value).copied(),
        }
    }

    /// When an assignment takes effect.
    fn moment(&self, block: Block, time: Option<u32>) -> Option<Moment> {
        let own = self.offsets.iter().find(|(other, ..)| *other == block);
        let (Some((_, start, insts)), Some(time)) = (own, time) else {
            return match (own, time) {
                (Some((_, start, _)), None) => Some(Moment::Before(*start)),
                (_, Some(time)) => self.anywhere(time),
                (None, None) => None,
            };
        };
        if let Some(offset) = self.first_later(insts, time) {
            return Some(Moment::Before(offset));
        }
        // Before the instructions that end the block, or with its last one.
        let directs = |inst: &Inst| self.f.insts[*inst].op.effects().intersects(CONTROL);
        let end = insts.iter().rposition(|(inst, _)| !directs(inst)).map_or(0, |at| at + 1);
        match (insts.get(end), end.checked_sub(1).and_then(|at| insts.get(at))) {
            (Some((_, offset)), _) => Some(Moment::Before(*offset)),
            (None, Some((_, offset))) => Some(Moment::With(*offset)),
            (None, None) => Some(Moment::Before(*start)),
        }
    }

    /// The first instruction with a result that was built at or after a time.
    fn first_later(&self, insts: &[(Inst, u32)], time: u32) -> Option<u32> {
        let is_later = |inst: &Inst| {
            let times = self.f.insts[*inst].dsts.iter().filter_map(|dst| self.time(*dst));
            times.min().is_some_and(|built| built >= time)
        };
        insts.iter().find(|(inst, _)| is_later(inst)).map(|(_, offset)| *offset)
    }

    /// The moment of an assignment whose block was merged with another one.
    fn anywhere(&self, time: u32) -> Option<Moment> {
        self.offsets.iter().find_map(|(_, _, insts)| self.first_later(insts, time)).map(Moment::Before)
    }

    /// Where registers get the values of `wanted`.
    fn definitions(&self, wanted: &HashSet<Value, FxBuildHasher>) -> Vec<Definition> {
        let mut parts: HashMap<Value, Vec<(Value, u16)>, FxBuildHasher> = HashMap::default();
        let mut definitions = Vec::new();
        for value in wanted {
            let Some(def) = self.f.values[*value].def else { continue };
            let data = &self.f.insts[def];
            match data.op {
                Op::Ir(IrOp::Split) => {
                    let before = data.dsts.iter().take_while(|dst| *dst != value);
                    let skip = before.map(|dst| self.f.ty(*dst).halves()).sum();
                    if let Some(vector) = data.srcs.first().and_then(|src| src.as_value()) {
                        parts.entry(vector).or_default().push((*value, skip));
                    }
                }
                Op::Ir(IrOp::Phi) => {
                    let block = self.named.assignments.iter().find(|assignment| {
                        assignment.time.is_none() && matches!(assignment.to, Assigned::Source(src) if src.as_value() == Some(*value))
                    });
                    let start = block.and_then(|assignment| self.moment(assignment.block, None));
                    definitions.extend(start.and_then(|at| self.definition(at, *value, *value, 0)));
                }
                _ => {}
            }
        }
        for (_, start, insts) in self.offsets {
            for (inst, offset) in insts {
                let data = &self.f.insts[*inst];
                let at = match data.op {
                    Op::Ir(IrOp::Preload) => Moment::Before(*start),
                    _ => Moment::With(*offset),
                };
                for dst in data.dsts {
                    if wanted.contains(dst) {
                        definitions.extend(self.definition(at, *dst, *dst, 0));
                    }
                    let parts = parts.get(dst).into_iter().flatten();
                    definitions
                        .extend(parts.filter_map(|(part, skip)| self.definition(at, *part, *dst, *skip)));
                }
            }
        }
        definitions.sort_by_key(|definition| (definition.at, definition.value));
        definitions
    }

    /// `value` is in the register of `holder`, after `skip` half registers.
    fn definition(&self, at: Moment, value: Value, holder: Value, skip: u16) -> Option<Definition> {
        let half = u8::try_from(self.allocation.half(holder)?.checked_add(skip)?).ok()?;
        Some(Definition { at, value: value.index() as u32, half, halves: self.f.ty(value).halves() as u8 })
    }
}

/// What ends a block.
const CONTROL: agx_isa::desc::Effects =
    agx_isa::desc::Effects::MASK.union(agx_isa::desc::Effects::JUMP).union(agx_isa::desc::Effects::STOP);
