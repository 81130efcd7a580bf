//! Converts variables to SSA values during construction.
//!
//! The method is that of Braun et al., "Simple and Efficient Construction of Static Single Assignment Form"
//! (2013): a read searches for the definition through the predecessors built so far and inserts a phi where
//! paths join; the phis of a loop header are completed when the loop ends. All searches use explicit stacks.
//! Phis stay outside the function until [`Variables::finish`], so trivial ones leave no trace.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::ir::builder::Builder;
use crate::ir::entity::{Block, Inst, Value};
use crate::ir::function::{Function, InstData};
use crate::ir::op::{IrOp, Op};
use crate::ir::rows::Rows;
use crate::ir::src::{Src, SrcKind};
use crate::ir::table::Side;
use crate::ir::types::Type;
use crate::ssa::NamedVariables;

/// A scalar variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Variable(pub u32);

impl Variable {
    /// The variable `count` positions after this one.
    #[inline]
    pub fn at(self, count: u32) -> Variable {
        Variable(self.0.wrapping_add(count))
    }
}

/// A phi that is not yet in the function.
struct Pending {
    value: Value,
    block: Block,
    variable: Variable,
    /// Its inputs as a range of [`Variables::inputs`]; empty until they are known.
    inputs: (u32, u32),
}

impl Pending {
    /// Its inputs, in the list of all.
    fn inputs<'i>(&self, all: &'i [(Block, Src)]) -> &'i [(Block, Src)] {
        let (start, end) = self.inputs;
        all.get(start as usize..end as usize).unwrap_or(&[])
    }
}

/// The state of a variable.
#[derive(Clone, Copy)]
struct Row {
    /// Width in bits.
    width: u8,
    /// Whether its values are relaxed.
    relaxed: bool,
    /// Whether it was assigned anywhere.
    written: bool,
    /// Whether it is exempt from [`Variables::forget`].
    kept: bool,
    latest: Latest,
}

impl Row {
    /// An unassigned variable.
    fn new(width: u8) -> Row {
        // No region has this number, so the first read searches.
        let latest = Latest { src: Src::default(), block: None, region: u32::MAX, time: 0 };
        Row { width, relaxed: false, written: false, kept: false, latest }
    }
}

/// The last definition of a variable in program order.
#[derive(Clone, Copy)]
struct Latest {
    src: Src,
    /// The block that contains it; `None` before the first definition.
    block: Option<Block>,
    /// The region that contains it.
    region: u32,
    /// Its time stamp, which counts definitions and loops.
    time: u32,
}

/// The variables of a function under construction.
///
/// A definition in a region (`Builder::region`) that is still open dominates the current point, so a read
/// returns the last one, unless a loop was opened since, whose back edges may bring another.
pub struct Variables {
    rows: Rows<Row>,
    /// Time stamp of each open loop.
    loops: Vec<u32>,
    time: u32,
    /// The definition at the current end of each block, unless it is its variable's latest: most variables are
    /// defined in one block only.
    defs: HashMap<(Block, Variable), Src, FxBuildHasher>,
    phis: Vec<Pending>,
    /// The inputs of all phis, by predecessor.
    inputs: Vec<(Block, Src)>,
    /// Memory for a list of phis.
    pending: Vec<usize>,
    /// The replacements of values that stood for a trivial phi.
    forward: Side<Value, Option<Src>>,
    /// Loop headers with missing back edges, with the phis that wait for them.
    unsealed: Vec<(Block, Vec<usize>)>,
    /// Blocks whose assignments are irrelevant after them.
    forgotten: Side<Block, bool>,
    /// What is known of source variables, if that is asked for.
    pub(crate) named: Option<Box<NamedVariables>>,
}

impl Default for Variables {
    fn default() -> Self {
        Variables::new()
    }
}

impl Variables {
    /// A table of no variables.
    pub fn new() -> Self {
        Variables {
            rows: Rows::default(),
            loops: Vec::new(),
            time: 0,
            defs: HashMap::default(),
            phis: Vec::new(),
            inputs: Vec::new(),
            pending: Vec::new(),
            forward: Side::new(0),
            unsealed: Vec::new(),
            forgotten: Side::new(0),
            named: None,
        }
    }

    /// Adds variables of the given widths in bits; they are numbered consecutively from the result on.
    pub fn add(&mut self, widths: &[u8]) -> Variable {
        let first = Variable(self.rows.len() as u32);
        self.rows.extend(widths.iter().map(|width| Row::new(*width)));
        first
    }

    /// Marks the values of a variable as relaxed.
    pub fn relax(&mut self, variable: Variable) {
        self.rows[variable.0 as usize].relaxed = true;
    }

    /// Width in bits.
    pub fn width(&self, variable: Variable) -> u8 {
        self.rows[variable.0 as usize].width
    }

    /// Assigns `src` in the current block.
    pub fn write(&mut self, b: &Builder<'_, '_>, variable: Variable, src: Src) {
        self.note(b, variable, src);
        self.rows[variable.0 as usize].written = true;
        if let Some(named) = &mut self.named {
            named.write(b, variable, src);
        }
    }

    /// Whether the variable was assigned anywhere.
    pub fn is_written(&self, variable: Variable) -> bool {
        self.rows[variable.0 as usize].written
    }

    fn tick(&mut self) {
        self.time = self.time.wrapping_add(1);
    }

    /// Declares that the assignments to variables made in `block`, the current block, are irrelevant after
    /// it, except for those in `kept`.
    pub fn forget(&mut self, block: Block, kept: &[Variable]) {
        kept.iter().for_each(|variable| self.rows[variable.0 as usize].kept = true);
        self.forgotten[block] = true;
    }

    /// Declares that further assignments follow in `block`, the current block, which are relevant, and with them those
    /// before.
    pub fn remember(&mut self, block: Block) {
        if self.forgotten[block] {
            self.forgotten[block] = false;
        }
    }

    /// Records the definition that reaches the current point.
    fn note(&mut self, b: &Builder<'_, '_>, variable: Variable, src: Src) {
        self.tick();
        let latest = Latest { src, block: Some(b.block()), region: b.region(), time: self.time };
        let before = std::mem::replace(&mut self.rows[variable.0 as usize].latest, latest);
        if let Some(block) = before.block.filter(|block| *block != b.block()) {
            self.define(block, variable, before.src);
        }
    }

    /// Records the definition at the current end of `block`.
    pub(crate) fn define(&mut self, block: Block, variable: Variable, src: Src) {
        self.defs.insert((block, variable), src);
    }

    /// The definition at the current end of `block`.
    fn def(&self, block: Block, variable: Variable) -> Option<Src> {
        let latest = self.rows[variable.0 as usize].latest;
        if latest.block == Some(block) {
            return Some(latest.src);
        }
        self.defs.get(&(block, variable)).copied()
    }

    /// The value at the current point; zero if no assignment reaches it.
    pub fn read(&mut self, b: &mut Builder<'_, '_>, variable: Variable) -> Src {
        let latest = self.rows[variable.0 as usize].latest;
        let reaches =
            b.is_region_open(latest.region) && self.loops.last().is_none_or(|opened| *opened < latest.time);
        let found = if reaches { latest.src } else { self.search(b, variable) };
        match self.resolve(found) {
            Src::NONE => Src::imm(0, self.width(variable)),
            src => src,
        }
    }

    /// Like [`Variables::read`], if the last definition may not reach the current point.
    #[inline(never)]
    fn search(&mut self, b: &mut Builder<'_, '_>, variable: Variable) -> Src {
        let mut pending = std::mem::take(&mut self.pending);
        let found = self.find(b.f, b.block(), variable, &mut pending);
        self.complete(b.f, &mut pending);
        pending.clear();
        self.pending = pending;
        self.note(b, variable, found);
        found
    }

    /// Declares that the back edges of the loop with header `block` are not built yet.
    pub fn open_loop(&mut self, block: Block) {
        self.unsealed.push((block, Vec::new()));
        self.tick();
        self.loops.push(self.time);
    }

    /// Declares that all back edges of the innermost open loop are built.
    pub fn close_loop(&mut self, f: &mut Function<'_>) {
        self.loops.pop();
        if let Some((_, mut phis)) = self.unsealed.pop() {
            self.complete(f, &mut phis);
        }
    }

    /// The value at the end of a block, in a function whose edges are complete: to be resolved when all are
    /// [settled](Self::settle), except in the sources of instructions other than phis.
    pub(crate) fn at_end(&mut self, f: &mut Function<'_>, block: Block, variable: Variable) -> Src {
        let mut pending = Vec::new();
        let found = self.find(f, block, variable, &mut pending);
        self.complete(f, &mut pending);
        found
    }

    /// The replacement of `src` after trivial phis; `Src::NONE` in code that is not reached.
    pub(crate) fn resolve(&self, mut src: Src) -> Src {
        while let Some(next) = src.as_value().and_then(|value| self.forward[value]) {
            src = next;
        }
        src
    }

    /// The definition that reaches the end of `block`. Phis created on the way are appended to `pending`,
    /// unless they belong to an open loop. Returns `Src::NONE` for unreachable blocks.
    fn find(
        &mut self,
        f: &mut Function<'_>,
        block: Block,
        variable: Variable,
        pending: &mut Vec<usize>,
    ) -> Src {
        let mut at = block;
        let found = loop {
            if self.forgotten[at]
                && !self.rows[variable.0 as usize].kept
                && let [pred] = f.block(at).preds.as_slice()
            {
                at = *pred;
                continue;
            }
            if let Some(src) = self.def(at, variable) {
                break src;
            }
            if self.unsealed.iter().any(|(header, _)| *header == at) {
                let (src, phi) = self.new_phi(f, at, variable);
                let open = self.unsealed.iter_mut().rfind(|(header, _)| *header == at);
                open.into_iter().for_each(|(_, phis)| phis.push(phi));
                break src;
            }
            match f.block(at).preds.as_slice() {
                [] if at == Block(0) => break Src::imm(0, self.width(variable)),
                [] => break Src::NONE,
                [pred] => at = *pred,
                _ => {
                    let (src, phi) = self.new_phi(f, at, variable);
                    pending.push(phi);
                    break src;
                }
            }
        };
        // The blocks passed on the way have one predecessor each. That of the first one is found again in one step.
        let before = |block: Block| f.block(block).preds.first().copied().unwrap_or(at);
        let mut passed = if block == at { at } else { before(block) };
        while passed != at {
            self.define(passed, variable, found);
            passed = before(passed);
        }
        found
    }

    fn new_phi(&mut self, f: &mut Function<'_>, block: Block, variable: Variable) -> (Src, usize) {
        let value = f.add_value(Type::scalar(self.width(variable)));
        if self.rows[variable.0 as usize].relaxed {
            f.relax(value);
        }
        self.define(block, variable, Src::value(value));
        let phi = self.phis.len();
        self.phis.push(Pending { value, block, variable, inputs: (0, 0) });
        (Src::value(value), phi)
    }

    /// Determines the inputs of `phis` and of phis created meanwhile, which are appended, then forwards the trivial ones.
    fn complete(&mut self, f: &mut Function<'_>, phis: &mut Vec<usize>) {
        let mut next = 0usize;
        while let Some(&phi) = phis.get(next) {
            next = next.saturating_add(1);
            let Some(&Pending { block, variable, .. }) = self.phis.get(phi) else { continue };
            let start = self.inputs.len() as u32;
            for index in 0..f.block(block).preds.len() {
                let Some(pred) = f.block(block).preds.get(index).copied() else { continue };
                let src = self.find(f, pred, variable, phis);
                self.inputs.push((pred, src));
            }
            if let Some(pending) = self.phis.get_mut(phi) {
                pending.inputs = (start, self.inputs.len() as u32);
            }
        }
        for phi in phis.iter().rev() {
            self.forward_trivial(*phi);
        }
    }

    /// Forwards a phi whose inputs are a single value, itself, or unreachable. Returns whether it was
    /// trivial.
    fn forward_trivial(&mut self, phi: usize) -> bool {
        let Some(pending) = self.phis.get(phi) else { return true };
        let value = pending.value;
        let mut only = Src::NONE;
        for (_, input) in pending.inputs(&self.inputs) {
            let input = self.resolve(*input);
            if input == Src::NONE || input == only || input == Src::value(value) {
                continue;
            }
            if only != Src::NONE {
                return false;
            }
            only = input;
        }
        self.forward[value] = Some(only);
        true
    }

    /// Inserts the phis into the function and replaces forwarded values; `map` translates every other source.
    pub fn finish(mut self, f: &mut Function<'_>, map: impl Fn(Src) -> Src) {
        let live = self.settle();
        finish_named(&mut self, f, &live, &map);
        let mut heads: Vec<(Block, Inst)> = Vec::with_capacity(live.len());
        for phi in live {
            let Some(pending) = self.phis.get(phi) else { continue };
            let (Pending { value, block, variable, .. }, inputs) = (pending, pending.inputs(&self.inputs));
            let zero = Src::imm(0, self.width(*variable));
            let arrives = |src: Src| if src == Src::NONE { zero } else { map(src) };
            let srcs = inputs.iter().map(|(_, src)| arrives(self.resolve(*src)));
            let data = InstData {
                op: Op::Ir(IrOp::Phi),
                dsts: f.alloc(&[*value]),
                srcs: f.bump.alloc_slice_fill_iter(srcs),
                mods: f.bump.alloc_slice_fill_iter(inputs.iter().map(|(pred, _)| pred.0)),
                line: 0,
            };
            heads.push((*block, f.add_inst(data)));
        }
        // A stable sort: phis keep the order of their creation.
        heads.sort_by_key(|(block, _)| *block);
        for phis in heads.chunk_by(|(a, _), (b, _)| a == b) {
            let Some((block, _)) = phis.first().copied() else { continue };
            let insts = phis.iter().map(|(_, inst)| *inst);
            f.block_mut(block).insts.splice(0..0, insts);
        }
        self.rewrite_sources(f, map);
    }

    /// Forwards trivial phis to a fixed point; returns the others.
    pub(crate) fn settle(&mut self) -> Vec<usize> {
        let is_live = |(_, phi): &(usize, &Pending)| self.forward[phi.value].is_none();
        let mut live: Vec<usize> = self.phis.iter().enumerate().filter(is_live).map(|(at, _)| at).collect();
        loop {
            let before = live.len();
            live.retain(|phi| !self.forward_trivial(*phi));
            if live.len() == before {
                return live;
            }
        }
    }

    fn rewrite_sources(&self, f: &mut Function<'_>, map: impl Fn(Src) -> Src) {
        let has_phis = !self.phis.is_empty();
        let is_forwarded = |value: Value| has_phis && self.forward[value].is_some();
        let changes = |src: &Src| match src.as_value() {
            Some(value) => is_forwarded(value),
            None => src.kind == SrcKind::Uniform,
        };
        for inst in f.insts.keys() {
            let data = &f.insts[inst];
            if data.op != Op::Ir(IrOp::Phi) && data.srcs.iter().any(changes) {
                let arrive = |src: &Src| match self.resolve(*src) {
                    Src::NONE if *src == Src::NONE => Src::NONE,
                    Src::NONE => Src::imm(0, f.width(*src)),
                    src => map(src),
                };
                let srcs = f.bump.alloc_slice_fill_iter(data.srcs.iter().map(arrive));
                f.insts[inst].srcs = srcs;
            }
        }
    }
}

/// Leaves what is known of source variables beside the function; `live` are the phis that remain.
fn finish_named(variables: &mut Variables, f: &mut Function<'_>, live: &[usize], map: &impl Fn(Src) -> Src) {
    let Some(mut named) = variables.named.take() else { return };
    for phi in live.iter().filter_map(|phi| variables.phis.get(*phi)) {
        named.join(phi.block, phi.variable, phi.value);
    }
    let arrive = |src: Src| match variables.resolve(src) {
        Src::NONE => Src::NONE,
        src => map(src),
    };
    f.named = Some(named.finish(f.values.len(), arrive));
}
