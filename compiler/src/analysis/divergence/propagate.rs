//! Propagates divergence from its sources.
//!
//! One walk in program order finds everything except what depends on the phis of loop headers: all else depends on
//! what comes before it. A worklist then follows what these phis change.

use agx_abi::Stage;

use super::sources::{Kind, kind};
use super::{Construct, Divergence, Jump, Place, Users};
use crate::ir::{Block, Function, Inst, InstData, IrOp, Op, Seam, Side, Src, Value};

/// Computes divergence.
pub(super) fn run(f: &Function<'_>, stage: Stage) -> Divergence {
    let mut propagation = Propagation {
        f,
        stage,
        users: Users::default(),
        jumps: Vec::new(),
        values: Vec::new(),
        constructs: Vec::new(),
        spreads: false,
        result: Divergence {
            divergent: Side::new(f.values.len()),
            home: Side::later(f.values.len()),
            constructs: Vec::new(),
            places: Side::new(f.blocks.len()),
        },
    };
    propagation.read_structure();
    propagation.read_jumps();
    propagation.walk();
    propagation.follow_loops();
    propagation.mark_partial_blocks();
    propagation.result
}

struct Propagation<'f, 'a> {
    f: &'f Function<'a>,
    stage: Stage,
    users: Users,
    /// Jumps in program order.
    jumps: Vec<Jump>,
    /// Worklist: values and constructs that became divergent and whose consequences are pending.
    values: Vec<Value>,
    constructs: Vec<u32>,
    /// Whether `values` is in use: the walk in program order reaches what reads a value anyway.
    spreads: bool,
    result: Divergence,
}

impl Propagation<'_, '_> {
    fn read_structure(&mut self) {
        let (f, ends) = (self.f, self.f.construct_ends());
        let mut around: Option<u32> = None;
        for (index, segment) in f.layout.iter().enumerate() {
            let block = segment.block;
            if f.block(block).loop_depth > 0 {
                for dst in f.block(block).insts.iter().flat_map(|inst| f.insts[*inst].dsts) {
                    self.result.home[*dst] = Some(block);
                }
            }
            let mut place = Place { segment: index, around, ..Place::default() };
            if let (Some(end), Some(next)) = (ends[index], f.layout.get(index + 1)) {
                let number = self.result.constructs.len() as u32;
                place.branch = (segment.seam == Seam::If).then_some(number);
                self.result.constructs.push(Construct {
                    seam: segment.seam,
                    parent: around,
                    start: index,
                    end: end.close,
                    header: next.block,
                    after: f.layout[end.close + 1].block,
                    parts: false,
                    mixes: false,
                    rounds_differ: false,
                });
                around = Some(number);
            } else if matches!(segment.seam, Seam::EndIf | Seam::EndLoop | Seam::EndScope) {
                around = around.and_then(|number| self.result.constructs[number as usize].parent);
            }
            self.result.places[block] = place;
        }
    }

    fn read_jumps(&mut self) {
        for (index, segment) in self.f.layout.iter().enumerate() {
            let jump = self.f.terminator(segment.block).and_then(|inst| self.f.insts[inst].target());
            let mut around = self.result.places[segment.block].around;
            while let (Some(target), Some(number)) = (jump, around) {
                let construct = self.result.constructs[number as usize];
                let reached = match construct.seam {
                    Seam::Loop => construct.header == target || construct.after == target,
                    Seam::Scope => construct.after == target,
                    _ => false,
                };
                if reached {
                    self.jumps.push(Jump { segment: index, construct: number, divergent: false });
                    break;
                }
                around = construct.parent;
            }
        }
    }

    /// Visits all instructions in program order. Those that read a value which becomes divergent are yet to come, and
    /// need not be known.
    fn walk(&mut self) {
        for param in &self.f.params {
            self.turn_value(*param);
        }
        for block in self.f.blocks_in_order() {
            let insts = &self.f.block(block).insts;
            self.f.watch.visit(1 + insts.len() / 4);
            for inst in insts {
                self.reconsider(*inst, block);
            }
            while let Some(construct) = self.constructs.pop() {
                self.draw_consequences(construct);
            }
        }
    }

    /// Propagates what the phis of loop headers change for what the walk visited before.
    fn follow_loops(&mut self) {
        let is_loop = |construct: &Construct| construct.seam == Seam::Loop;
        if !self.result.constructs.iter().any(is_loop) {
            return;
        }
        self.users = Users::of(self.f);
        self.spreads = true;
        for number in 0..self.result.constructs.len() {
            let construct = self.result.constructs[number];
            if is_loop(&construct) {
                self.reconsider_phis(construct.header);
                let f = self.f;
                let phis = f.block(construct.header).insts.iter().take(f.phi_count(construct.header));
                let results = phis.flat_map(|phi| f.insts[*phi].dsts).copied();
                self.values.extend(results.filter(|value| self.result.divergent[*value]));
            }
        }
        self.spread();
    }

    fn spread(&mut self) {
        loop {
            if let Some(value) = self.values.pop() {
                self.f.watch.visit(1);
                for index in self.users.of_value(value) {
                    let (inst, block) = self.users.list[index];
                    self.reconsider(inst, block);
                }
            } else if let Some(construct) = self.constructs.pop() {
                self.draw_consequences(construct);
            } else {
                return;
            }
        }
    }

    fn turn_value(&mut self, value: Value) {
        if !std::mem::replace(&mut self.result.divergent[value], true) && self.spreads {
            self.values.push(value);
        }
    }

    fn turn_construct(&mut self, number: u32) {
        let construct = &mut self.result.constructs[number as usize];
        if !std::mem::replace(&mut construct.parts, true) {
            self.constructs.push(number);
        }
    }

    /// Re-examines an instruction after one of its sources, or its control flow, became divergent.
    fn reconsider(&mut self, inst: Inst, block: Block) {
        let f = self.f;
        let data = &f.insts[inst];
        if data.op.is_terminator() {
            if let Some(branch) = self.result.places[block].branch
                && self.any_differs(data.srcs, block)
            {
                self.turn_construct(branch);
            }
            return;
        }
        if data.dsts.iter().all(|dst| self.result.divergent[*dst]) {
            return;
        }
        let differs = match kind(data, self.stage) {
            Kind::Uniform => false,
            Kind::Divergent => true,
            Kind::LikeIndex => self.any_differs(&data.srcs[1..2], block),
            Kind::LikeSources => self.any_differs(data.srcs, block) || self.mixes_sources(data, block),
        };
        if differs {
            data.dsts.iter().for_each(|dst| self.turn_value(*dst));
        }
    }

    fn any_differs(&self, srcs: &[Src], block: Block) -> bool {
        srcs.iter().any(|src| !self.result.is_uniform_in(*src, block))
    }

    /// Whether `data` is a phi of a block in which lanes with different sources arrive together.
    fn mixes_sources(&self, data: &InstData<'_>, block: Block) -> bool {
        if data.op != Op::Ir(IrOp::Phi) {
            return false;
        }
        let place = self.result.places[block];
        if let Some(number) = place.around {
            let construct = self.result.constructs[number as usize];
            if construct.seam == Seam::Loop && construct.header == block {
                // Lanes enter the loop together; only back edges mix them.
                let inside = |from: &Block| construct.holds(self.result.places[*from].segment);
                let back = data.phi_inputs().filter(|(from, _)| inside(from)).map(|(_, src)| src);
                return construct.mixes && !all_equal(back);
            }
        }
        let ended = self.ended_before(place.segment);
        ended.is_some_and(|construct| construct.mixes) && !all_equal(data.srcs.iter().copied())
    }

    /// The construct that ends before segment `segment`.
    fn ended_before(&self, segment: usize) -> Option<&Construct> {
        // Constructs are ordered by their start: the one that ends here is found from a block within it.
        let last = self.f.layout.get(segment.checked_sub(1)?)?;
        let closes = matches!(last.seam, Seam::EndIf | Seam::EndLoop | Seam::EndScope);
        let number = self.result.places[last.block].around.filter(|_| closes)?;
        self.result.constructs.get(number as usize)
    }

    /// Propagates that lanes diverge at an if or wait at a target.
    fn draw_consequences(&mut self, number: u32) {
        let construct = self.result.constructs[number as usize];
        if construct.seam == Seam::If {
            self.mix(number);
        }
        let first = self.jumps.partition_point(|jump| jump.segment <= construct.start);
        let mut outermost = None;
        for index in first..self.jumps.len() {
            let jump = self.jumps[index];
            if jump.segment > construct.end {
                break;
            }
            if jump.construct > number {
                continue;
            }
            outermost = Some(outermost.map_or(jump.construct, |known: u32| known.min(jump.construct)));
            if !std::mem::replace(&mut self.jumps[index].divergent, true) {
                self.mix(jump.construct);
                self.turn_construct(jump.construct);
            }
        }
        if let Some(outermost) = outermost {
            self.mark_divergent_exits(number, outermost);
        }
    }

    /// Marks that lanes which took different paths arrive together at a target of the construct.
    fn mix(&mut self, number: u32) {
        let construct = &mut self.result.constructs[number as usize];
        if std::mem::replace(&mut construct.mixes, true) {
            return;
        }
        let construct = *construct;
        let header = (construct.seam == Seam::Loop).then_some(construct.header);
        for block in header.into_iter().chain([construct.after]) {
            self.reconsider_phis(block);
        }
    }

    fn reconsider_phis(&mut self, block: Block) {
        for index in 0..self.f.phi_count(block) {
            let phi = self.f.block(block).insts[index];
            self.reconsider(phi, block);
        }
    }

    /// Marks the loops from `inner` out to `outer`, which some lanes leave while others continue.
    fn mark_divergent_exits(&mut self, inner: u32, outer: u32) {
        let mut around = Some(inner);
        while let Some(number) = around.filter(|number| *number >= outer) {
            let construct = &mut self.result.constructs[number as usize];
            around = construct.parent;
            if construct.seam != Seam::Loop || std::mem::replace(&mut construct.rounds_differ, true) {
                continue;
            }
            let construct = *construct;
            for segment in construct.start + 1..=construct.end {
                let block = self.f.layout[segment].block;
                for inst in &self.f.block(block).insts {
                    for dst in self.f.insts[*inst].dsts {
                        self.reconsider_users_outside(*dst, construct);
                    }
                }
            }
        }
    }

    fn reconsider_users_outside(&mut self, value: Value, construct: Construct) {
        for index in self.users.of_value(value) {
            let (inst, block) = self.users.list[index];
            if !construct.holds(self.result.places[block].segment) {
                self.reconsider(inst, block);
            }
        }
    }

    /// Marks blocks in arms of divergent ifs, blocks that run while other lanes wait, and blocks before which
    /// some lanes may have ended.
    fn mark_partial_blocks(&mut self) {
        let mut partial: Vec<bool> = Vec::with_capacity(self.result.constructs.len());
        for construct in &self.result.constructs {
            let around = construct.parent.is_some_and(|parent| partial[parent as usize]);
            partial.push(around || construct.parts);
        }
        let lacks = |around: Option<u32>| around.is_some_and(|number| partial[number as usize]);
        let mut ended = usize::MAX;
        for (index, segment) in self.f.layout.iter().enumerate() {
            let around = self.result.places[segment.block].around;
            let halts = self.f.terminator(segment.block).map(|inst| self.f.insts[inst].op);
            if ended == usize::MAX && lacks(around) && halts == Some(Op::Ir(IrOp::Halt)) {
                // In later iterations of the loop those lanes are missing from its beginning.
                ended = self.outermost_loop(around).map_or(index + 1, |construct| construct.start + 1);
            }
        }
        for (index, segment) in self.f.layout.iter().enumerate() {
            let place = &mut self.result.places[segment.block];
            place.partial = index >= ended || lacks(place.around);
        }
    }

    fn outermost_loop(&self, mut around: Option<u32>) -> Option<&Construct> {
        let mut outermost = None;
        while let Some(construct) = around.and_then(|number| self.result.constructs.get(number as usize)) {
            outermost = if construct.seam == Seam::Loop { Some(construct) } else { outermost };
            around = construct.parent;
        }
        outermost
    }
}

fn all_equal(mut srcs: impl Iterator<Item = Src>) -> bool {
    srcs.next().is_none_or(|first| srcs.all(|src| src == first))
}
