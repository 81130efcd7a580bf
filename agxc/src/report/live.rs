//! Live registers of machine code: half-registers with a value that a lane reads later.

use agx_isa::desc::Effects;
use agx_isa::disasm::Piece;
pub use agx_isa::half_set::HalfSet;

use super::flow::Flow;

/// For each instruction of `flow`, the registers that are live before it in some lane. `at_end` are the live registers
/// after the last instruction.
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
                    inst.registers_written().for_each(|halves| set.remove_all(halves));
                    inst.registers_read().for_each(|halves| set.insert_all(halves));
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
        // The then-arm writes r2; lanes of the else-arm still have the first value.
        assert!(found[2].contains("r2l"), "{found:?}");
        assert!(!found[0].contains("r2"), "{found:?}");
    }

    #[test]
    fn what_the_next_part_reads_is_live_to_the_end() {
        let flow = Flow::new(&assemble("mov r4, 1\n mov r5, 2").unwrap());
        let mut at_end = HalfSet::default();
        at_end.insert_all(8..12);
        let found = live(&flow, at_end);
        assert_eq!(found[1].to_string(), "r4");
        assert_eq!((at_end.to_string(), at_end.len()), ("r4..r5".to_owned(), 4));
    }
}
