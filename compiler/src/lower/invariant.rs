//! Lowers `invariant`: marks what the values are computed from by `exact`.
//!
//! Shaders that compute an invariant output by the same expressions must agree on every bit of it. Whether passes fuse or
//! reassociate operations depends on the code around them, so the float operations that lead to an invariant value are
//! computed as written: the sources of its definition, what was stored where these may be loaded from, and the conditions
//! that choose between them.
//!
//! Before: stage source. After: the same; no `invariant`.

use bumpalo::Bump;

use agx_isa::desc::Effects;

use crate::analysis::dominance::{Dominance, dominance};
use crate::error::CompileError;
use crate::ir::{
    Arithmetic, Block, Build, Function, InstData, IrOp, Op, Rewrite, ScratchSide, Seam, Side, Src, Value,
    is_float_source,
};

/// Marks the operations that lead to invariant values.
///
/// # Errors
/// None at present; the signature is that of every lowering.
pub fn lower_invariant(f: &mut Function<'_>) -> Result<(), CompileError> {
    f.with_scratch(|f, scratch| {
        let leads = leading_values(f, scratch);
        f.map_insts(|r, inst| {
            let data = r.f.insts[inst];
            match (data.op, data.dst()) {
                (Op::Ir(IrOp::Invariant), _) => Rewrite::Forward(data.srcs[0]),
                (_, Some(dst)) if leads[dst] && is_float_operation(r.f, &data, dst) => {
                    let result = r.alu(data.op, r.f.width(dst.into()), data.srcs, data.mods);
                    Rewrite::Forward(r.apart(result))
                }
                _ => Rewrite::Keep,
            }
        });
    });
    Ok(())
}

/// Whether an operation computes a float of 16 or 32 bits, or another scalar from floats. Negations and absolute values
/// are the same however they are computed.
fn is_float_operation(f: &Function<'_>, data: &InstData<'_>, dst: Value) -> bool {
    let ty = f.ty(dst);
    let is_scalar = ty.comps == 1 && matches!(ty.bits, 16 | 32);
    let is_sign = matches!(data.op, Op::Ir(IrOp::Fneg | IrOp::Fabs));
    is_scalar && !is_sign && data.op.is_computed() && is_float_source(data.op, 0)
}

/// The values that invariant ones are computed from.
fn leading_values<'s>(f: &Function<'_>, scratch: &'s Bump) -> ScratchSide<'s, Value, bool> {
    let mut search = Search {
        f,
        leads: ScratchSide::new_in(scratch, f.values.len()),
        pending: Vec::new(),
        tree: dominance(f, scratch),
        joined_in: ScratchSide::new_in(scratch, f.values.len()),
        walked: Side::new(f.blocks.len()),
    };
    for block in f.blocks_in_order() {
        for inst in &f.block(block).insts {
            let data = f.insts[*inst];
            match (data.op, data.dst()) {
                (Op::Ir(IrOp::Phi), Some(dst)) => search.joined_in[dst] = Some(block),
                (Op::Ir(IrOp::Invariant), _) => search.add(data.srcs),
                _ => {}
            }
        }
    }
    search.run();
    search.leads
}

/// A walk from invariant values to what they are computed from.
struct Search<'f, 's, 'a> {
    f: &'f Function<'a>,
    leads: ScratchSide<'s, Value, bool>,
    pending: Vec<Value>,
    tree: Dominance<'s>,
    /// The block of each phi.
    joined_in: ScratchSide<'s, Value, Option<Block>>,
    /// The block for whose phis the choices of a block were added last.
    walked: Side<Block, Option<Block>>,
}

impl Search<'_, '_, '_> {
    fn run(&mut self) {
        let (mut has_choice, mut has_load) = (false, false);
        while let Some(value) = self.pending.pop() {
            let Some(data) = self.f.def(value.into()) else { continue };
            self.add(data.srcs);
            if let Some(block) = self.joined_in[value] {
                self.add_choices(block);
                if !std::mem::replace(&mut has_choice, true) {
                    self.add_exits();
                }
            }
            let may_change = data.effects().contains(Effects::READS_MEMORY) && !data.is_pure();
            if may_change && !std::mem::replace(&mut has_load, true) {
                self.add_stored();
            }
        }
    }

    fn add(&mut self, srcs: &[Src]) {
        for value in srcs.iter().filter_map(|src| src.as_value()) {
            if !std::mem::replace(&mut self.leads[value], true) {
                self.pending.push(value);
            }
        }
    }

    /// Adds the conditions that decide from which predecessor control reaches `block`, apart from jumps: those of the ifs
    /// around the predecessors, up to the immediate dominator.
    fn add_choices(&mut self, block: Block) {
        let Some(top) = self.tree.parent(block) else { return };
        for pred in &self.f.block(block).preds {
            let mut at = *pred;
            while at != top && self.walked[at].replace(block) != Some(block) {
                let Some(above) = self.tree.parent(at) else { break };
                if self.f.block(above).succs.contains(&at) {
                    self.add_condition(above);
                }
                at = above;
            }
        }
    }

    /// Adds the condition by which `block` branches.
    fn add_condition(&mut self, block: Block) {
        if let Some(data) = self.f.terminator(block).map(|inst| self.f.insts[inst]) {
            self.add(data.srcs);
        }
    }

    /// Adds the conditions of all jumps, which decide how often a loop is executed, and what is skipped.
    fn add_exits(&mut self) {
        // The ifs that are open, and whether each has a jump in its arms.
        let mut open: Vec<(Block, bool)> = Vec::new();
        for segment in self.f.layout {
            if self.f.terminator(segment.block).is_some_and(|inst| self.f.insts[inst].op != Op::Ir(IrOp::If))
                && let Some((_, has_jump)) = open.last_mut()
            {
                *has_jump = true;
            }
            match segment.seam {
                Seam::If => open.push((segment.block, false)),
                Seam::EndIf => {
                    if let Some((head, true)) = open.pop() {
                        self.add_condition(head);
                        if let Some((_, has_jump)) = open.last_mut() {
                            *has_jump = true;
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds everything that is stored in memory.
    fn add_stored(&mut self) {
        for inst in self.f.blocks_in_order().flat_map(|block| &self.f.block(block).insts) {
            let data = &self.f.insts[*inst];
            if data.effects().contains(Effects::WRITES_MEMORY) {
                self.add(data.srcs);
            }
        }
    }
}
