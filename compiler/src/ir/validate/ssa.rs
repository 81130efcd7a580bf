//! Static single assignment: every value is defined once, and its definition dominates its uses.

use super::structure::Order;
use super::{Report, Rule};
use crate::ir::entity::{Block, Inst, Value};
use crate::ir::op::{IrOp, Op};
use crate::ir::table::Side;

/// Position of a definition: the block's position in the layout, then the position in the block from 1; 0 for
/// parameters.
type Place = (usize, usize);

/// Checks definitions and uses.
pub(super) fn check(report: &mut Report<'_, '_>, order: &Order) {
    let places = definitions(report);
    let dominators = Dominators::new(order);
    let f = report.f;
    for (position, segment) in f.layout.iter().enumerate() {
        for (at, inst) in f.block(segment.block).insts.iter().enumerate() {
            let data = f.insts[*inst];
            for (index, src) in data.srcs.iter().enumerate() {
                let Some(value) = src.as_value() else { continue };
                // A phi reads its source at the end of the predecessor.
                let reader = match (data.op, data.mods.get(index)) {
                    (Op::Ir(IrOp::Phi), Some(pred)) => {
                        order.position[Block(*pred)].map(|pred| (pred, usize::MAX))
                    }
                    _ => Some((position, at + 1)),
                };
                let Some(reader) = reader else { continue };
                check_use(report, &places, &dominators, (segment.block, *inst), value, reader);
            }
        }
    }
}

fn definitions(report: &mut Report<'_, '_>) -> Side<Value, Option<Place>> {
    let f = report.f;
    let mut places: Side<Value, Option<Place>> = Side::new(f.values.len());
    for param in &f.params {
        if places[*param].replace((0, 0)).is_some() {
            report.function(Rule::Definition, format!("{param} is a parameter twice"));
        }
    }
    for (position, segment) in f.layout.iter().enumerate() {
        for (at, inst) in f.block(segment.block).insts.iter().enumerate() {
            for dst in f.insts[*inst].dsts {
                if places[*dst].replace((position, at + 1)).is_some() {
                    report.inst(Rule::Definition, segment.block, *inst, format!("{dst} is defined twice"));
                } else if f.values[*dst]
                    .def
                    .is_none_or(|def| !f.insts.contains(def) || !f.insts[def].dsts.contains(dst))
                {
                    report.inst(
                        Rule::Definition,
                        segment.block,
                        *inst,
                        format!("the definition recorded for {dst} is another instruction"),
                    );
                }
            }
        }
    }
    places
}

fn check_use(
    report: &mut Report<'_, '_>,
    places: &Side<Value, Option<Place>>,
    dominators: &Dominators,
    (block, inst): (Block, Inst),
    value: Value,
    reader: Place,
) {
    let Some(place) = places[value] else {
        report.inst(Rule::Definition, block, inst, format!("{value} is never defined"));
        return;
    };
    if place.0 == reader.0 && place.1 < reader.1 {
        return;
    }
    // In unreachable code every definition dominates.
    if dominators.is_reachable(reader.0) && (place.0 == reader.0 || !dominators.dominates(place.0, reader.0))
    {
        report.inst(
            Rule::Definition,
            block,
            inst,
            format!("the definition of {value} does not dominate this use"),
        );
    }
}

/// The dominator tree over positions of the layout.
struct Dominators {
    /// Preorder interval of each block in the tree; empty for unreachable blocks.
    intervals: Vec<(usize, usize)>,
}

impl Dominators {
    /// Forward edges go forward in the layout and back edges go to a dominator, so one sweep in layout order
    /// finds every immediate dominator (Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm").
    fn new(order: &Order) -> Self {
        let count = order.preds.len();
        let mut parent: Vec<Option<usize>> = vec![None; count];
        for block in 0..count {
            let reachable = |pred: &usize| *pred < block && (*pred == 0 || parent[*pred].is_some());
            let mut preds = order.preds[block].iter().copied().filter(reachable);
            let first = preds.next();
            parent[block] = first.map(|first| preds.fold(first, |a, b| meet(&parent, a, b)));
        }
        Dominators { intervals: intervals(&parent) }
    }

    fn is_reachable(&self, block: usize) -> bool {
        self.intervals[block].0 < self.intervals[block].1
    }

    fn dominates(&self, above: usize, below: usize) -> bool {
        let ((start, end), (at, _)) = (self.intervals[above], self.intervals[below]);
        start <= at && at < end
    }
}

fn meet(parent: &[Option<usize>], mut a: usize, mut b: usize) -> usize {
    while a != b {
        let later = if a > b { &mut a } else { &mut b };
        *later = parent[*later].unwrap_or(0);
    }
    a
}

/// Preorder intervals: parents come before their children in the layout, so sizes are summed backward and
/// positions assigned forward.
fn intervals(parent: &[Option<usize>]) -> Vec<(usize, usize)> {
    let mut size: Vec<usize> = parent
        .iter()
        .enumerate()
        .map(|(block, parent)| usize::from(block == 0 || parent.is_some()))
        .collect();
    for block in (1..parent.len()).rev() {
        if let Some(parent) = parent[block] {
            size[parent] += size[block];
        }
    }
    let mut next: Vec<usize> = vec![1; parent.len()];
    let mut intervals = vec![(0, 0); parent.len()];
    for block in 0..parent.len() {
        let start = match parent[block] {
            Some(parent) => {
                let start = next[parent];
                next[parent] += size[block];
                start
            }
            None => 0,
        };
        intervals[block] = (start, start + size[block]);
        next[block] = start + 1;
    }
    intervals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dominators_of_nested_diamonds() {
        // A loop 1 → 2, 3 → 5 → 1 entered from 0, which can also bypass it through 4; 6 is unreachable.
        let preds = vec![vec![], vec![0, 5], vec![1], vec![1], vec![0], vec![2, 3, 4], vec![]];
        let dominators = Dominators::new(&Order { position: Side::new(0), preds });
        let above =
            |below: usize| (0..6).filter(|above| dominators.dominates(*above, below)).collect::<Vec<_>>();
        assert_eq!([above(1), above(2), above(5)], [vec![0, 1], vec![0, 1, 2], vec![0, 5]]);
        assert!(dominators.is_reachable(5) && !dominators.is_reachable(6));
    }
}
