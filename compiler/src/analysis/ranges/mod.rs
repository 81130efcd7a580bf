//! Ranges of integers.
//!
//! The range of a value is an interval of integers that contains it modulo 2^width. One interval therefore
//! describes the signed and the unsigned number, and sums need no special care for overflow. Ranges come from
//! constants, widths, masks, shifts, products, numbers of lanes and invocations, and from the conditions
//! under which a place is reached.
//!
//! [`Walk`] passes over the layout once. A condition holds in its arm, and after the if when the other arm
//! leaves. For loops, the walk is repeated a few times beforehand: phis of headers start with the range that
//! enters, and a bound that the back edge exceeds moves to the next of a few stops, the last of which is
//! unbounded. When the assumptions of all phis hold, they are their ranges.

mod conditions;
#[cfg(test)]
mod tests;
mod transfer;

use agx_abi::ShaderInfo;

use self::transfer::Rule;
use crate::ir::{Block, Function, Inst, IrOp, Op, Seam, Side, Src, Value};

/// Integers from `low` to `high`, both included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// The smallest.
    pub low: i64,
    /// The largest.
    pub high: i64,
}

/// Limit for 64-bit numbers: larger ones are not tracked, so that sums of bounds never overflow.
const LIMIT: i64 = 1 << 61;

impl Range {
    /// A single number.
    pub const fn one(number: i64) -> Range {
        Range { low: number, high: number }
    }

    /// The interval as values of `width` bits; `None` if it contains all of them.
    fn fit(low: Option<i64>, high: Option<i64>, width: u8) -> Option<Range> {
        let (low, high) = (low?, high?);
        if width == 64 {
            return (-LIMIT <= low && low <= high && high <= LIMIT).then_some(Range { low, high });
        }
        let count = 1i64 << width;
        if low > high || high.checked_sub(low)? >= count - 1 {
            return None;
        }
        let turns = if low < -(count / 2) || low >= count { (low >> width) << width } else { 0 };
        Some(Range { low: low - turns, high: high - turns })
    }

    /// The bounds as unsigned numbers of `width` bits.
    fn unsigned(range: Option<Range>, width: u8) -> (i128, i128) {
        let all = (0, (1i128 << width) - 1);
        let Some(Range { low, high }) = range else { return all };
        let (low, high) = (i128::from(low), i128::from(high));
        let turns = low >> width;
        if turns != high >> width { all } else { (low - (turns << width), high - (turns << width)) }
    }

    /// The bounds as signed numbers of `width` bits.
    fn signed(range: Option<Range>, width: u8) -> (i128, i128) {
        let half = 1i128 << (width - 1);
        let Some(Range { low, high }) = range else { return (-half, half - 1) };
        let (low, high) = (i128::from(low) + half, i128::from(high) + half);
        let turns = low >> width;
        if turns != high >> width {
            return (-half, half - 1);
        }
        (low - (turns << width) - half, high - (turns << width) - half)
    }

    fn union(a: Option<Range>, b: Option<Range>, width: u8) -> Option<Range> {
        let (a, b) = (a?, b?);
        Range::fit(Some(a.low.min(b.low)), Some(a.high.max(b.high)), width)
    }

    fn holds(self, other: Range) -> bool {
        self.low <= other.low && other.high <= self.high
    }
}

/// Whether ranges can be derived for the results of an operation.
pub fn is_known(op: Op) -> bool {
    transfer::rule(op).is_some()
}

/// The state of a phi in a loop header.
#[derive(Clone, Copy, Default, Debug)]
struct Header {
    /// The range from the back edges in the last iteration of the analysis.
    back: Option<Range>,
    /// A back edge was seen.
    returns: bool,
    /// The assumed range from the back edges.
    assumed: Option<Range>,
    /// How often the assumption was widened.
    stop: u8,
}

/// The stop from which on nothing is assumed.
const LAST_STOP: u8 = 3;

/// Maximum number of repetitions until no phi has an assumption.
const MAX_ROUNDS: usize = 8;

/// An open construct.
struct Frame {
    /// The number of recorded ranges when it opened.
    mark: usize,
    /// The condition of an if.
    condition: Src,
    /// The then-arm does not reach the join.
    then_leaves: bool,
    /// The header of a loop.
    header: Option<Block>,
}

/// A walk over the layout with the ranges at the current point.
pub struct Walk<'i> {
    info: &'i ShaderInfo,
    ranges: Side<Value, Option<Range>>,
    /// Ranges that conditions replaced, for restoring.
    undo: Vec<(Value, Option<Range>)>,
    frames: Vec<Frame>,
    headers: Side<Value, Header>,
    /// Header phis.
    phis: Vec<Value>,
    /// The segment whose block is current.
    at: usize,
}

impl<'i> Walk<'i> {
    /// A walk at the beginning of `f`, with the ranges of its loops settled.
    pub fn new(f: &Function<'_>, info: &'i ShaderInfo) -> Self {
        let mut walk = Walk {
            info,
            ranges: Side::new(f.values.len()),
            undo: Vec::new(),
            frames: Vec::new(),
            headers: Side::default(),
            phis: Vec::new(),
            at: 0,
        };
        walk.find_headers(f);
        if !walk.phis.is_empty() {
            walk.settle(f);
        }
        walk
    }

    fn find_headers(&mut self, f: &Function<'_>) {
        for pair in f.layout.windows(2).filter(|pair| pair[0].seam == Seam::Loop) {
            let header = f.block(pair[1].block);
            let phis = header.insts[..f.phi_count(pair[1].block)].iter();
            self.phis.extend(phis.filter_map(|phi| f.insts[*phi].dst()).filter(|dst| f.ty(*dst).comps == 1));
        }
    }

    /// Repeats the walk until the assumptions of all header phis hold.
    fn settle(&mut self, f: &Function<'_>) {
        for _ in 0..MAX_ROUNDS {
            self.round(f);
            let phis = self.phis.clone();
            let settled = phis.into_iter().filter(|phi| !self.assume(f, *phi)).count() == 0;
            if settled {
                for phi in &self.phis {
                    self.headers[*phi].assumed = self.headers[*phi].back;
                }
                self.restart();
                return;
            }
            self.restart();
        }
        for phi in &self.phis {
            self.headers[*phi].stop = LAST_STOP;
        }
    }

    fn round(&mut self, f: &Function<'_>) {
        for phi in &self.phis {
            let header = &mut self.headers[*phi];
            (header.back, header.returns) = (None, false);
        }
        let last = f.layout.len() - 1;
        for index in 0..=last {
            for inst in &f.block(f.layout[index].block).insts {
                self.define(f, *inst);
            }
            if index < last {
                self.cross(f);
            }
        }
        self.leave_block(f);
    }

    fn restart(&mut self) {
        self.undo_to(0);
        self.frames.clear();
        self.at = 0;
    }

    /// Whether the assumption covers the range from the back edges; if not, widens it.
    fn assume(&mut self, f: &Function<'_>, phi: Value) -> bool {
        let (header, width, current) = (&mut self.headers[phi], f.ty(phi).bits, self.ranges[phi]);
        if header.stop == LAST_STOP || !header.returns {
            return true;
        }
        let (Some(current), Some(back)) = (current, header.back) else {
            header.stop = LAST_STOP;
            return false;
        };
        if current.holds(back) {
            return true;
        }
        let half = if width == 64 { LIMIT } else { 1 << (width.max(1) - 1) };
        let low = match back.low {
            low if current.low <= low => current.low,
            0.. => 0,
            low if -half <= low => -half,
            low => low,
        };
        let high = match back.high {
            high if high <= current.high => current.high,
            high if high < half => half - 1,
            high => high,
        };
        header.assumed = Range::fit(Some(low), Some(high), width);
        header.stop = if header.assumed.is_none() { LAST_STOP } else { header.stop + 1 };
        false
    }

    /// Continues to `block`, which comes later in the layout.
    pub fn go_to(&mut self, f: &Function<'_>, block: Block) {
        while f.layout.get(self.at).is_some_and(|segment| segment.block != block) {
            self.cross(f);
        }
    }

    /// Leaves the current block and crosses the seam after it.
    fn cross(&mut self, f: &Function<'_>) {
        self.leave_block(f);
        let segment = f.layout[self.at];
        let terminator = f.terminator(segment.block).map(|inst| f.insts[inst]);
        let leaves = terminator.is_some_and(|data| data.op != Op::Ir(IrOp::If));
        let next = f.layout.get(self.at + 1).map(|next| next.block);
        self.at += 1;
        match segment.seam {
            Seam::If => {
                let condition = terminator.and_then(|data| data.srcs.first().copied()).unwrap_or(Src::NONE);
                self.frames.push(Frame {
                    mark: self.undo.len(),
                    condition,
                    then_leaves: false,
                    header: None,
                });
                self.learn(f, condition, true);
            }
            Seam::Else => {
                let Some(frame) = self.frames.last_mut() else { return };
                frame.then_leaves = leaves;
                let (mark, condition) = (frame.mark, frame.condition);
                self.undo_to(mark);
                self.learn(f, condition, false);
            }
            Seam::EndIf => {
                let Some(frame) = self.frames.pop() else { return };
                self.undo_to(frame.mark);
                if frame.then_leaves != leaves {
                    self.learn(f, frame.condition, leaves);
                }
            }
            Seam::Loop | Seam::Scope => {
                let header = next.filter(|_| segment.seam == Seam::Loop);
                let frame = Frame { mark: self.undo.len(), condition: Src::NONE, then_leaves: false, header };
                self.frames.push(frame);
            }
            Seam::EndLoop | Seam::EndScope => {
                let Some(frame) = self.frames.pop() else { return };
                self.undo_to(frame.mark);
            }
            Seam::End => {}
        }
    }

    /// Records the ranges that flow from the current block back to the header of a loop.
    fn leave_block(&mut self, f: &Function<'_>) {
        if self.phis.is_empty() {
            return;
        }
        let Some(segment) = f.layout.get(self.at) else { return };
        let header = match f.terminator(segment.block).map(|inst| f.insts[inst]) {
            Some(data) => {
                data.target().filter(|to| self.frames.iter().any(|frame| frame.header == Some(*to)))
            }
            None if segment.seam == Seam::EndLoop => self.frames.last().and_then(|frame| frame.header),
            None => None,
        };
        let Some(header) = header else { return };
        for index in 0..f.phi_count(header) {
            let data = f.insts[f.block(header).insts[index]];
            let input = data.phi_input_from(segment.block);
            let (Some(src), Some(dst)) = (input, data.dst()) else { continue };
            let (range, width) = (self.range(f, src), f.ty(dst).bits);
            let known = &mut self.headers[dst];
            known.back = if known.returns { Range::union(known.back, range, width) } else { range };
            known.returns = true;
        }
    }

    fn undo_to(&mut self, mark: usize) {
        while self.undo.len() > mark {
            if let Some((value, range)) = self.undo.pop() {
                self.ranges[value] = range;
            }
        }
    }

    /// Computes the ranges of the results of `inst`, which is in the current block.
    pub fn define(&mut self, f: &Function<'_>, inst: Inst) {
        let Some(rule) = transfer::rule(f.insts[inst].op) else { return };
        let data = f.insts[inst];
        match rule {
            Rule::Scalar(rule) => self.scalar(f, &data, rule),
            Rule::Words => self.words(f, &data),
            Rule::Phi => {
                if let Some(dst) = data.dst() {
                    self.ranges[dst] = self.phi(f, dst, &data);
                }
            }
        }
    }

    fn phi(&self, f: &Function<'_>, dst: Value, data: &crate::ir::InstData<'_>) -> Option<Range> {
        let (width, comps) = (f.ty(dst).bits, f.ty(dst).comps);
        if comps != 1 {
            return None;
        }
        let block = f.layout[self.at].block;
        let is_header = self.frames.last().is_some_and(|frame| frame.header == Some(block));
        let mut inputs = data.phi_inputs().map(|(from, src)| (from, self.range(f, src)));
        if !is_header {
            let (_, first) = inputs.next()?;
            return inputs.try_fold(first?, |known, (_, range)| Range::union(Some(known), range, width));
        }
        let before = f.layout[self.at.checked_sub(1)?].block;
        let (_, entered) = inputs.find(|(from, _)| *from == before)?;
        let header = &self.headers[dst];
        match (header.stop, header.assumed) {
            (LAST_STOP, _) => None,
            (_, None) => entered,
            (_, assumed) => Range::union(entered, assumed, width),
        }
    }

    /// The range of `src` at the current point; `None` if nothing is known.
    pub fn range(&self, f: &Function<'_>, src: Src) -> Option<Range> {
        if let Some(value) = src.as_value() {
            return self.ranges[value];
        }
        let number = src.as_imm()?;
        Range::fit(i64::try_from(number).ok(), i64::try_from(number).ok(), f.width(src))
    }

    /// The bounds of `src` as an unsigned number.
    pub fn unsigned(&self, f: &Function<'_>, src: Src) -> (i128, i128) {
        Range::unsigned(self.range(f, src), f.width(src))
    }

    /// The bounds of `src` as a signed number.
    pub fn signed(&self, f: &Function<'_>, src: Src) -> (i128, i128) {
        Range::signed(self.range(f, src), f.width(src))
    }

    /// Gives a value that replaces `old` the same range.
    pub fn copy(&mut self, old: Value, new: Value) {
        self.ranges[new] = self.ranges[old];
    }
}
