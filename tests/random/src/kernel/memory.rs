//! Loads and stores. Every lane writes only its own words, so the order of lanes does not matter.

use super::operations::Kind;
use super::writer::Writer;
use super::{OWN_WORDS, SHARED_WORDS};
use crate::entropy::Entropy;

impl Writer {
    /// Byte offset of a word among `words`, a power of two, such that `span` words from it on are within them.
    fn place(&mut self, entropy: &mut Entropy<'_>, words: usize, span: usize) -> String {
        if entropy.flip() {
            return format!("#{}", entropy.below(words / span) * span * 4);
        }
        let index = self.latest(Kind::Int, entropy);
        let mask = format!("#{}", (words / span - 1) * span);
        let index = self.unnamed(Kind::Int, "bitop table=8", &[index, mask]);
        self.unnamed(Kind::Int, "shl", &[index, "#2".into()])
    }

    /// Byte offset of one of the lane's own words.
    fn own_place(&mut self, entropy: &mut Entropy<'_>, span: usize) -> String {
        let place = self.place(entropy, OWN_WORDS, span);
        self.unnamed(Kind::Int, "iadd", &[self.own.clone(), place])
    }

    pub(super) fn load(&mut self, entropy: &mut Entropy<'_>) {
        let base = String::from("%0");
        match entropy.below(5) {
            0 => {
                let place = self.place(entropy, SHARED_WORDS, 1);
                self.value(Kind::Int, "load_global access=readonly align=4", &[base, place]);
            }
            1 => {
                let place = self.place(entropy, SHARED_WORDS, 1);
                self.value(Kind::Float, "load_global access=readonly|speculatable align=4", &[base, place]);
            }
            2 => {
                let place = self.own_place(entropy, 1);
                self.value(Kind::Short, "load_global align=2", &[base, place]);
            }
            3 => self.load_vector(entropy),
            _ => {
                let place = self.own_place(entropy, 1);
                self.value(Kind::Int, "load_global align=4", &[base, place]);
            }
        }
    }

    fn load_vector(&mut self, entropy: &mut Entropy<'_>) {
        let count = [2, 4][entropy.below(2)];
        let place = self.own_place(entropy, count);
        let vector = self.new_value();
        self.line(&format!("{vector}:32x{count} = load_global %0, {place} align=4"));
        let parts: Vec<String> = (0..count).map(|_| self.new_value()).collect();
        let typed: Vec<String> = parts.iter().map(|part| format!("{part}:32")).collect();
        self.line(&format!("{} = split {vector}", typed.join(", ")));
        self.pools[Kind::Int as usize].extend(parts);
    }

    pub(super) fn store(&mut self, entropy: &mut Entropy<'_>) {
        match entropy.below(4) {
            0 => {
                let (data, place) = (self.latest(Kind::Short, entropy), self.own_place(entropy, 1));
                self.line(&format!("store_global {data}, %0, {place} align=2"));
            }
            1 => {
                let count = [2, 4][entropy.below(2)];
                let parts: Vec<String> = (0..count).map(|_| self.source(Kind::Int, entropy)).collect();
                let place = self.own_place(entropy, count);
                let vector = self.new_value();
                self.line(&format!("{vector}:32x{count} = collect {}", parts.join(", ")));
                self.line(&format!("store_global {vector}, %0, {place} align=4"));
            }
            _ => {
                let (data, place) = (self.latest(Kind::Int, entropy), self.own_place(entropy, 1));
                self.line(&format!("store_global {data}, %0, {place} align=4"));
            }
        }
    }
}
