//! Constants and specialization constants.

use spirv::Op;

use super::eval::Eval;
use super::types::{Kind, Ty};
use super::words::Inst;
use super::{composite, pure};
use crate::error::{CompileError, ModuleError, TypeError};
use crate::ir::src::Src;

/// Scalars of the constant that `inst` declares; `chosen` is the key's value for a specialization constant.
pub(super) fn constant<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    inst: &Inst<'a>,
    ty: Ty,
    chosen: Option<u64>,
) -> Result<&'a [Src], CompileError> {
    let bool = |default: bool| [Src::bool(chosen.map_or(default, |bits| bits != 0))];
    let leaves = match inst.op {
        Op::ConstantTrue | Op::SpecConstantTrue => eval.keep(&bool(true)),
        Op::ConstantFalse | Op::SpecConstantFalse => eval.keep(&bool(false)),
        Op::Constant | Op::SpecConstant => {
            let scalar = number(eval, inst, ty, chosen)?;
            eval.keep(&[scalar])
        }
        Op::ConstantNull | Op::Undef => return eval.zeros(ty),
        Op::ConstantComposite | Op::SpecConstantComposite => composite::construct(eval, ty, inst.rest(2))?,
        Op::ConstantCompositeReplicateEXT | Op::SpecConstantCompositeReplicateEXT => {
            composite::replicate(eval, ty, inst.rest(2))?
        }
        Op::SpecConstantOp => operation(eval, inst, ty)?,
        _ => return Err(TypeError::ConstantKind { op: inst.op }.into()),
    };
    eval.checked(ty, leaves)
}

fn number(
    eval: &Eval<'_, '_, '_>,
    inst: &Inst<'_>,
    ty: Ty,
    chosen: Option<u64>,
) -> Result<Src, CompileError> {
    let bits = match eval.types.kind(ty) {
        Kind::Int { bits } | Kind::Float { bits } => bits,
        Kind::Bfloat16 => 16,
        _ => return Err(TypeError::NotNumeric.into()),
    };
    let mut value = u64::from(inst.word(2)?);
    if bits == 64 {
        value |= u64::from(inst.word(3)?) << 32;
    }
    Ok(Src::imm(chosen.unwrap_or(value), bits))
}

/// An operation on constants. It is built like any other operation and folds because its operands are
/// constant.
fn operation<'a>(eval: &mut Eval<'_, '_, 'a>, inst: &Inst<'a>, ty: Ty) -> Result<&'a [Src], CompileError> {
    let number = inst.word(2)?;
    let op = Op::from_u32(number).ok_or(ModuleError::UnknownOpcode { number })?;
    let operands = inst.rest(3);
    let row = pure::find(op).ok_or(TypeError::SpecOp { op })?;
    let leaves = pure::evaluate(eval, row.compute, ty, operands)?;
    if leaves.iter().any(|leaf| leaf.as_imm().is_none()) {
        return Err(TypeError::SpecFold { op }.into());
    }
    Ok(leaves)
}
