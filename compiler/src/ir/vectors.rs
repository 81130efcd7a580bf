//! Vectors and their components.

use super::entity::Value;
use super::function::{Function, InstData};
use super::op::IrOp;
use super::types::Type;

/// The vector that an instruction takes apart, and its components. None for a `split` that divides a value in another way: a
/// word into halves, or a vector into pairs of its components.
pub fn taken_apart<'a>(f: &Function<'_>, data: &InstData<'a>) -> Option<(Value, &'a [Value])> {
    let vector = data.srcs.first().filter(|_| data.op == IrOp::Split.into())?.as_value()?;
    let Type { bits, comps, .. } = f.ty(vector);
    let is_component = |part: &Value| f.ty(*part) == Type::scalar(bits);
    let is_apart = data.dsts.len() == usize::from(comps) && data.dsts.iter().all(is_component);
    is_apart.then_some((vector, data.dsts))
}
