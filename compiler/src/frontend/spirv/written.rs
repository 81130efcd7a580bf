//! Which outputs a module may write: whole variables, or members of blocks. A geometry shader stores its outputs
//! whenever it emits a vertex, so unwritten ones must be found before it is translated.

use spirv::Op;

use super::module::{Def, Global, Module};
use super::types::Kind;
use crate::error::CompileError;
use crate::ir::watch::Watch;

/// The outputs that instructions refer to.
pub(super) struct Written {
    /// By id: whether an instruction uses the variable as a whole.
    whole: Vec<bool>,
    /// Variables and members that chains of constant indices point to, ascending.
    members: Vec<(u32, u32)>,
}

/// Scans the bodies of a module.
pub(super) fn scan(module: &Module<'_>, watch: &Watch) -> Result<Written, CompileError> {
    let mut written = Written { whole: vec![false; module.words.bound as usize], members: Vec::new() };
    if let Some(first) = module.functions.first() {
        for inst in module.words.instructions_from(first.start) {
            let inst = inst?;
            watch.visit(1);
            written.instruction(module, inst.op, inst.operands);
        }
    }
    written.members.sort_unstable();
    written.members.dedup();
    Ok(written)
}

impl Written {
    fn instruction(&mut self, module: &Module<'_>, op: Op, operands: &[u32]) {
        let member = match operands {
            [_, _, base, member, ..] if matches!(op, Op::AccessChain | Op::InBoundsAccessChain) => {
                constant(module, *member).map(|member| (*base, member))
            }
            _ => None,
        };
        match member {
            Some(place) => self.members.push(place),
            // Literals that happen to be the id of an output are harmless.
            None => operands.iter().for_each(|operand| {
                if let Some(whole) = self.whole.get_mut(*operand as usize) {
                    *whole = true;
                }
            }),
        }
    }

    /// Which scalars of an output may be written; `None` for all.
    pub fn scalars(
        &self,
        module: &Module<'_>,
        global: &Global<'_>,
    ) -> Result<Option<Vec<bool>>, CompileError> {
        if global.init.is_some() || self.whole.get(global.id as usize) == Some(&true) {
            return Ok(None);
        }
        let is_member = |member: u32| self.members.binary_search(&(global.id, member)).is_ok();
        let Kind::Struct { members } = module.types.kind(global.ty) else {
            let start = self.members.partition_point(|(id, _)| *id < global.id);
            let any = self.members.get(start).is_some_and(|(id, _)| *id == global.id);
            return Ok(if any { None } else { Some(Vec::new()) });
        };
        let mut kept = Vec::new();
        for (number, member) in (0..).zip(members) {
            let count = module.types.leaf_count(member.ty)?;
            kept.extend(std::iter::repeat_n(is_member(number), count));
        }
        Ok(Some(kept))
    }
}

/// The value of a scalar constant.
fn constant(module: &Module<'_>, id: u32) -> Option<u32> {
    match module.defs.get(id as usize) {
        Some(Def::Value(_, [leaf])) => leaf.as_imm().map(|bits| bits as u32),
        _ => None,
    }
}
