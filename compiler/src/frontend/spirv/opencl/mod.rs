//! OpenCL's kernels: their parameters, and the instructions that only they have.

mod arguments;
pub(super) mod casts;
mod components;
pub(super) mod conversions;
pub(super) mod copies;
pub(super) mod flags;
pub(super) mod groups;
mod images;
mod integers;
mod library;
mod math;
mod printf;
mod shaped;

pub(super) use self::components::extended;

use spirv::{Decoration, ExecutionMode, Op};

use super::module::{Def, Entry, Module};
use super::owners::Memory;
use super::translate::Translator;
use super::values::Values;
use super::words::Inst;
use crate::error::{CompileError, KernelError};
use crate::ir::Function;

/// Sets the rules for simplifications of floats: products and sums may be fused unless the module forbids it, and the signs of
/// zeros count.
pub(super) fn set_float_rules(function: &mut Function<'_>, module: &Module<'_>, entry: u32) {
    let is_off =
        |mode: &&(u32, u32, &[u32])| (mode.0, mode.1) == (entry, ExecutionMode::ContractionOff as u32);
    function.contract = !module.modes().iter().any(|mode| is_off(&mode));
    function.signed_zeros = true;
    function.special_values = true;
}

/// Starts a kernel: defines its parameters and the addresses that the module computes.
pub(super) fn begin<'a>(t: &mut Translator<'_, 'a>, entry: &Entry<'a>) -> Result<(), CompileError> {
    arguments::define(&mut t.memory, &mut t.values, entry)?;
    let module = t.values.module;
    let declarations = module.words.instructions().map_while(Result::ok);
    for inst in declarations.take_while(|inst| inst.op != Op::Function) {
        if inst.op == Op::ConstantSampler {
            images::literal_sampler(&mut t.memory, &mut t.values, &inst)
                .map_err(|error| inst.locate(error))?;
        }
        if inst.op != Op::SpecConstantOp {
            continue;
        }
        let id = inst.word(1)?;
        if matches!(module.defs.get(id as usize), Some(Def::None)) {
            let computed = computed(&t.values, &inst).map_err(|error| inst.locate(error))?;
            t.instruction(&computed).map_err(|error| inst.locate(error))?;
        }
    }
    Ok(())
}

/// The instruction that computes a constant.
fn computed<'a>(v: &Values<'_, 'a>, inst: &Inst<'a>) -> Result<Inst<'a>, CompileError> {
    let number = inst.word(2)?;
    let op = Op::from_u32(number).filter(|op| is_constant_operation(*op));
    let op = op.ok_or(KernelError::PointerUse { what: "a constant of this operation" })?;
    let operands = [inst.word(0)?, inst.word(1)?].into_iter().chain(inst.rest(3).iter().copied());
    let operands: Vec<u32> = operands.collect();
    Ok(Inst { op, operands: v.bump.alloc_slice_copy(&operands), offset: inst.offset })
}

/// The operations on addresses that a module may contain as constants.
fn is_constant_operation(op: Op) -> bool {
    matches!(
        op,
        Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain
            | Op::Bitcast
            | Op::ConvertPtrToU
            | Op::ConvertUToPtr
            | Op::PtrCastToGeneric
            | Op::GenericCastToPtr
            | Op::IAdd
            | Op::ISub
            | Op::UConvert
            | Op::SConvert
            | Op::Select
            | Op::IEqual
            | Op::INotEqual
    )
}

/// A call of a function that is declared, but not defined.
pub(super) fn call_imported<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    id: u32,
) -> Result<(), CompileError> {
    let declarations = v.module.words.instructions().map_while(Result::ok);
    let mut names = declarations.take_while(|inst| inst.op != Op::Function);
    let is_link = |inst: &Inst<'_>| {
        let of = [inst.word(0).ok(), inst.word(1).ok()];
        inst.op == Op::Decorate && of == [Some(id), Some(Decoration::LinkageAttributes as u32)]
    };
    let name = names.find(is_link).and_then(|inst| inst.string(2).ok()).map(|(name, _)| name);
    library::call(m, v, inst, name.unwrap_or_else(|| format!("%{id}")))
}
