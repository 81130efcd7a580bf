//! Live registers of machine code: which half-registers hold a value that a lane reads later.

use std::fmt;

use agx_isa::desc::Effects;
use agx_isa::disasm::Piece;
use agx_isa::inst::Halves;

use super::flow::Flow;

/// A set of half-registers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct HalfSet([u64; 4]);

impl HalfSet {
    /// Adds a range; halves beyond the register file are ignored.
    pub fn insert(&mut self, halves: Halves) {
        for half in halves.filter(|half| *half < 256) {
            self.0[usize::from(half / 64)] |= 1 << (half % 64);
        }
    }

    fn remove(&mut self, halves: Halves) {
        for half in halves.filter(|half| *half < 256) {
            self.0[usize::from(half / 64)] &= !(1 << (half % 64));
        }
    }

    fn join(&mut self, other: &HalfSet) {
        self.0.iter_mut().zip(other.0).for_each(|(mine, theirs)| *mine |= theirs);
    }

    /// Number of half-registers.
    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    fn contains(&self, half: u16) -> bool {
        self.0[usize::from(half / 64)] >> (half % 64) & 1 == 1
    }
}

/// Registers in order, `r3l` for a lower half alone, `r4..r7` for a run of whole ones.
impl fmt::Display for HalfSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        let mut register = 0;
        while register < 128 {
            let is_whole = |register: u16| {
                register < 128 && self.contains(2 * register) && self.contains(2 * register + 1)
            };
            let end = (register..128).take_while(|next| is_whole(*next)).count() as u16 + register;
            match (end - register, self.contains(2 * register), self.contains(2 * register + 1)) {
                (0, false, false) => {}
                (0, true, _) => write!(f, "{separator}r{register}l")?,
                (0, _, _) => write!(f, "{separator}r{register}h")?,
                (1, ..) => write!(f, "{separator}r{register}")?,
                _ => write!(f, "{separator}r{register}..r{}", end - 1)?,
            }
            if end > register || self.contains(2 * register) || self.contains(2 * register + 1) {
                separator = " ";
            }
            register = end.max(register + 1);
        }
        Ok(())
    }
}

/// For each instruction of `flow`, the registers that are live before it in some lane. `at_end` is live where the code
/// runs past its last instruction.
pub fn live(flow: &Flow, at_end: HalfSet) -> Vec<HalfSet> {
    let mut before = vec![HalfSet::default(); flow.states.len()];
    let mut order: Vec<usize> = (0..flow.states.len()).collect();
    order.sort_unstable_by_key(|index| std::cmp::Reverse(flow.states[*index].line));
    loop {
        let mut changed = false;
        for &index in &order {
            let state = flow.states[index];
            let mut set = HalfSet::default();
            for next in &flow.successors[index] {
                set.join(&before[*next]);
            }
            if let Piece::Inst(inst) = &flow.lines[state.line].piece {
                let ends = inst.op.desc().effects.contains(Effects::STOP);
                if state.line + 1 == flow.lines.len() && !ends {
                    set.join(&at_end);
                }
                if state.is_active {
                    inst.registers_written().for_each(|halves| set.remove(halves));
                    inst.registers_read().for_each(|halves| set.insert(halves));
                }
            }
            changed |= std::mem::replace(&mut before[index], set) != set;
        }
        if !changed {
            break;
        }
    }
    let mut lines = vec![HalfSet::default(); flow.lines.len()];
    for (state, set) in flow.states.iter().zip(&before) {
        lines[state.line].join(set);
    }
    lines
}

#[cfg(test)]
mod tests {
    use agx_isa::asm::assemble;

    use super::*;

    fn texts(text: &str) -> Vec<String> {
        let flow = Flow::new(&assemble(text).unwrap());
        live(&flow, HalfSet::default()).iter().map(HalfSet::to_string).collect()
    }

    #[test]
    fn values_live_from_their_definition_to_their_last_use() {
        let found = texts("mov r1, 1\n mov r2, 2\n fadd r1h, r1l, r2\n uniform_store.i16.x r1h, u4l\n stop");
        assert_eq!(found[..4], ["", "r1l", "r1l r2", "r1h"], "{found:?}");
    }

    #[test]
    fn a_value_survives_a_write_in_the_other_arm() {
        let text = "mov r2, 7\n if_icmp.ult r1, 5, nest 1\n mov r2, 1\n uniform_store.i16.x r2l, u4l\n \
                    else_exec nest 1\n uniform_store.i16.x r2l, u5l\n pop_exec nest 1\n stop";
        let found = texts(text);
        // The then-arm writes r2; lanes of the else-arm still hold the first value.
        assert!(found[2].contains("r2l"), "{found:?}");
        assert!(!found[0].contains("r2"), "{found:?}");
    }

    #[test]
    fn what_the_next_part_reads_is_live_to_the_end() {
        let flow = Flow::new(&assemble("mov r4, 1\n mov r5, 2").unwrap());
        let mut at_end = HalfSet::default();
        at_end.insert(8..12);
        let found = live(&flow, at_end);
        assert_eq!(found[1].to_string(), "r4");
        assert_eq!((at_end.to_string(), at_end.len()), ("r4..r5".to_owned(), 4));
    }
}
