//! Which inputs and outputs a module may use: whole variables, or members of blocks. A geometry shader stores its outputs
//! whenever it emits a vertex, so unwritten ones must be found before it is translated; a tessellation shader has
//! the inputs and outputs that it uses in memory.

use spirv::Op;

use super::module::{Def, Global, Module};
use super::types::{Kind, Ty};
use crate::error::CompileError;
use crate::ir::watch::Watch;

/// The outputs that instructions refer to.
pub(super) struct Written {
    /// By id: whether an instruction uses the variable as a whole.
    whole: Vec<bool>,
    /// Variables and members that chains of constant indices point to, ascending.
    members: Vec<(u32, u32)>,
    /// Variables and members of their elements that chains point to, ascending.
    element_members: Vec<(u32, u32)>,
    /// By id: whether an instruction uses a whole element of the variable, or all of it.
    whole_element: Vec<bool>,
}

/// Scans the bodies of a module.
pub(super) fn scan(module: &Module<'_>, watch: &Watch) -> Result<Written, CompileError> {
    let none = vec![false; module.words.bound as usize];
    let mut written = Written {
        whole: none.clone(),
        members: Vec::new(),
        element_members: Vec::new(),
        whole_element: none,
    };
    if let Some(first) = module.functions.first() {
        for inst in module.words.instructions_from(first.start) {
            let inst = inst?;
            watch.visit(1);
            written.instruction(module, inst.op, inst.operands);
        }
    }
    for members in [&mut written.members, &mut written.element_members] {
        members.sort_unstable();
        members.dedup();
    }
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
        let of_element = match operands {
            [_, _, base, _, member, ..] if matches!(op, Op::AccessChain | Op::InBoundsAccessChain) => {
                constant(module, *member).map(|member| (*base, member))
            }
            _ => None,
        };
        // Literals that happen to be the id of an output are harmless.
        let mark = |marked: &mut Vec<bool>| {
            for operand in operands {
                if let Some(whole) = marked.get_mut(*operand as usize) {
                    *whole = true;
                }
            }
        };
        match member {
            Some(place) => self.members.push(place),
            None => mark(&mut self.whole),
        }
        match of_element {
            Some(place) => self.element_members.push(place),
            None => mark(&mut self.whole_element),
        }
    }

    /// Which scalars of an element of type `elem` of an array may be used; `None` for all.
    pub fn element_scalars(
        &self,
        module: &Module<'_>,
        global: &Global<'_>,
        elem: Ty,
    ) -> Result<Option<Vec<bool>>, CompileError> {
        if global.init.is_some() || self.whole_element.get(global.id as usize) == Some(&true) {
            return Ok(None);
        }
        scalars_of(module, &self.element_members, global.id, elem)
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
        scalars_of(module, &self.members, global.id, global.ty)
    }
}

/// The scalars of a part of type `ty` of variable `id` whose members are in `used`; `None` for all.
fn scalars_of(
    module: &Module<'_>,
    used: &[(u32, u32)],
    id: u32,
    ty: Ty,
) -> Result<Option<Vec<bool>>, CompileError> {
    let is_member = |member: u32| used.binary_search(&(id, member)).is_ok();
    let Kind::Struct { members } = module.types.kind(ty) else {
        let start = used.partition_point(|(known, _)| *known < id);
        let any = used.get(start).is_some_and(|(known, _)| *known == id);
        return Ok(if any { None } else { Some(vec![false; module.types.leaf_count(ty)?]) });
    };
    let mut kept = Vec::new();
    for (number, member) in (0..).zip(members) {
        let count = module.types.leaf_count(member.ty)?;
        kept.extend(std::iter::repeat_n(is_member(number), count));
    }
    Ok(Some(kept))
}

/// The value of a scalar constant.
fn constant(module: &Module<'_>, id: u32) -> Option<u32> {
    match module.defs.get(id as usize) {
        Some(Def::Value(_, [leaf])) => leaf.as_imm().map(|bits| bits as u32),
        _ => None,
    }
}
