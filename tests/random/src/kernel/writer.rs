//! The text of a kernel under construction: names, blocks, and existing values.

use std::fmt::Write as _;

use super::control::Exit;
use super::operations::Kind;
use super::{LANE_REGISTER, LANES, OWN_WORDS, RESULTS, SHARED_WORDS};
use crate::entropy::Entropy;

/// Maximum nesting of constructs.
const MOST_NESTED: usize = 4;

/// Names of values, by kind.
pub(super) type Pools = [Vec<String>; 6];

/// A kernel under construction.
pub(super) struct Writer {
    pub(super) text: String,
    next_value: u32,
    next_block: u32,
    /// The current block.
    pub(super) block: u32,
    pub(super) depth: usize,
    pub(super) pools: Pools,
    /// Constructs that a jump may leave or continue, outermost first.
    pub(super) exits: Vec<Exit>,
    /// Byte offsets of the lane's own words and of its results.
    pub(super) own: String,
    results: String,
}

impl Writer {
    pub(super) fn new() -> Writer {
        Writer {
            text: String::from(
                "kernel @k(%0:64, %1:32, %2:32, %3:32, %4:32) stage source no_contract {\nb0:\n",
            ),
            next_value: 5,
            next_block: 1,
            block: 0,
            depth: 0,
            pools: Pools::default(),
            exits: Vec::new(),
            own: String::new(),
            results: String::new(),
        }
    }

    /// Creates values of every kind that depend on the lane, and some that are the same in all lanes.
    pub(super) fn begin_lane(&mut self) {
        let lane = self.unnamed(Kind::Int, &format!("mfsr sr={LANE_REGISTER}"), &[]);
        let place = |index: usize| [lane.clone(), format!("#{}", index * 4)];
        let stride = self.unnamed(Kind::Int, "imul", &place(OWN_WORDS));
        self.own = self.unnamed(Kind::Int, "iadd", &[stride, format!("#{}", SHARED_WORDS * 4)]);
        let stride = self.unnamed(Kind::Int, "imul", &place(2 * RESULTS.len()));
        let first = (SHARED_WORDS + LANES * OWN_WORDS) * 4;
        self.results = self.unnamed(Kind::Int, "iadd", &[stride, format!("#{first}")]);
        let word = self.unnamed(Kind::Int, "imul", &place(1));
        self.pools[Kind::Int as usize].extend(["%1".into(), lane, "%2".into()]);
        self.pools[Kind::Float as usize].extend(["%3".into(), "%4".into()]);
        self.value(Kind::Int, "load_global align=4", &["%0".into(), self.own.clone()]);
        self.value(Kind::Float, "load_global access=readonly align=4", &["%0".into(), word]);
        let [int, float] = [Kind::Int, Kind::Float].map(|kind| self.pools[kind as usize].last().cloned());
        let (int, float) = (int.unwrap_or_default(), float.unwrap_or_default());
        self.value(Kind::Short, "uconv", std::slice::from_ref(&int));
        self.value(Kind::Long, "collect", &[int.clone(), "%2".into()]);
        self.value(Kind::Bool, "icmp cond=slt", &[int, "#0".into()]);
        self.value(Kind::Half, "fconv", &[float]);
    }

    /// Stores the results.
    pub(super) fn end_lane(&mut self, entropy: &mut Entropy<'_>) {
        for (index, kind) in RESULTS.into_iter().enumerate() {
            let mut value = self.latest(kind, entropy);
            if matches!(kind.bits(), 1 | 16) {
                value = self.unnamed(Kind::Int, "uconv", &[value]);
            }
            let at = self.unnamed(Kind::Int, "iadd", &[self.results.clone(), format!("#{}", index * 8)]);
            self.line(&format!("store_global {value}, %0, {at} align=4"));
        }
        self.line("halt");
    }

    pub(super) fn finish(mut self) -> String {
        self.text.push_str("}\n");
        self.text
    }

    pub(super) fn line(&mut self, line: &str) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "    {line}");
    }

    /// A new name for a value.
    pub(super) fn new_value(&mut self) -> String {
        self.next_value += 1;
        format!("%{}", self.next_value - 1)
    }

    /// A new block number.
    pub(super) fn new_block(&mut self) -> u32 {
        self.next_block += 1;
        self.next_block - 1
    }

    pub(super) fn begin_block(&mut self, block: u32) {
        self.block = block;
        let _ = writeln!(self.text, "b{block}:");
    }

    /// A value of `row`, an operation whose modifiers follow the sources, that later statements do not use.
    pub(super) fn unnamed(&mut self, kind: Kind, row: &str, sources: &[String]) -> String {
        let (operation, modifiers) = row.split_once(' ').unwrap_or((row, ""));
        let name = self.new_value();
        let line = format!("{name}:{} = {operation} {} {modifiers}", kind.bits(), sources.join(", "));
        self.line(line.trim_end());
        name
    }

    /// As [`Writer::unnamed`], but available to later statements.
    pub(super) fn value(&mut self, kind: Kind, row: &str, sources: &[String]) -> String {
        let name = self.unnamed(kind, row, sources);
        self.pools[kind as usize].push(name.clone());
        name
    }

    /// One of the latest values, which are the most interesting ones.
    pub(super) fn latest(&self, kind: Kind, entropy: &mut Entropy<'_>) -> String {
        let names = &self.pools[kind as usize];
        let window = names.len().min(6);
        names[names.len() - 1 - entropy.below(window)].clone()
    }

    /// One of the latest values or a constant.
    pub(super) fn source(&self, kind: Kind, entropy: &mut Entropy<'_>) -> String {
        match entropy.below(4) {
            0 => kind.constants()[entropy.below(kind.constants().len())].into(),
            _ => self.latest(kind, entropy),
        }
    }

    /// One to `most` + 1 statements.
    pub(super) fn body(&mut self, entropy: &mut Entropy<'_>, most: usize) {
        for _ in 0..=entropy.below(most) {
            self.statement(entropy);
        }
    }

    fn statement(&mut self, entropy: &mut Entropy<'_>) {
        let construct = self.depth < MOST_NESTED && !entropy.is_empty();
        match entropy.below(16) {
            10 => self.load(entropy),
            11 => self.store(entropy),
            12..=13 if construct => self.branch(entropy),
            14 if construct => self.counted_loop(entropy),
            15 if construct => self.scope(entropy),
            _ => self.operation(entropy),
        }
    }
}
