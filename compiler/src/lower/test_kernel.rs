//! Test kernels: parameters and results of functions that have no shader interface.
//!
//! Parameter i is read from the uniform file; `keep` stores its sources, eight bytes apart and zero-extended,
//! to memory whose address is also a uniform. A function of a file test thus runs on the hardware as in the
//! interpreter.
//!
//! Before: stage source. After: the same; no `keep`.

use agx_abi::layout::{UniformRange, UniformSource};

use crate::context::Context;
use crate::error::{BackEndError, CompileError};
use crate::ir::families::KEEPS;
use crate::ir::{Build, Function, IrOp, Op, Rewrite, Rewriter, Side, Src, Type, Value};

/// Bytes between two kept values.
const RESULT_BYTES: u32 = 8;

/// Bits of the narrowest uniform register.
const NARROWEST_UNIFORM: u8 = 16;

/// Half-words of the address of the results, and of each parameter.
const SLOT_HALVES: u16 = 4;

/// Assigns uniforms to parameters and turns `keep` into stores.
///
/// # Errors
/// Kept vectors are unsupported.
pub fn lower_test_kernel(f: &mut Function<'_>, context: &mut Context<'_>) -> Result<(), CompileError> {
    if f.params.is_empty() && !f.present.may_have(&KEEPS) {
        return Ok(());
    }
    let params = std::mem::take(&mut f.params);
    let mut slots: Side<Value, Option<Src>> = Side::new(f.values.len());
    let mut ranges =
        vec![UniformRange { start: 0, halves: SLOT_HALVES, source: UniformSource::KernelResults }];
    for (index, param) in params.iter().enumerate() {
        let start = SLOT_HALVES * (index as u16 + 1);
        slots[*param] = Some(Src::uniform(start, f.ty(*param).bits.max(NARROWEST_UNIFORM)));
        let source = UniformSource::KernelArgument { index: index as u32 };
        ranges.push(UniformRange { start, halves: SLOT_HALVES, source });
    }
    let mut kept = 0;
    let mut vector = None;
    let mut narrowed = false;
    f.map_insts(|r, inst| {
        if !std::mem::replace(&mut narrowed, true) {
            narrow_params(r, &params, &mut slots);
        }
        replace_params(r, inst, &slots);
        let data = r.f.insts[inst];
        if data.op != Op::Ir(IrOp::Keep) {
            return Rewrite::Keep;
        }
        for src in data.srcs {
            if r.f.src_ty(*src).comps != 1 {
                vector.get_or_insert(inst);
            }
            keep(r, *src, kept * RESULT_BYTES);
            kept += 1;
        }
        Rewrite::Remove
    });
    if let Some(inst) = vector {
        return Err(f.locate(inst, CompileError::from(BackEndError::KeptVector)));
    }
    if !params.is_empty() || kept != 0 {
        context.facts.info.writes_memory |= kept != 0;
        context.facts.info.uniforms = ranges;
        context.facts.info.workgroup_size = f.declared.workgroup_size.unwrap_or([1; 3]);
    }
    Ok(())
}

/// Creates values for parameters that are narrower than a uniform register.
fn narrow_params(r: &mut Rewriter<'_, '_>, params: &[Value], slots: &mut Side<Value, Option<Src>>) {
    for param in params {
        let bits = r.f.ty(*param).bits;
        if let Some(slot) = slots[*param].filter(|_| bits < NARROWEST_UNIFORM) {
            slots[*param] = Some(r.alu(IrOp::Uconv, bits, &[slot], &[]));
        }
    }
}

fn replace_params(r: &mut Rewriter<'_, '_>, inst: crate::ir::Inst, slots: &Side<Value, Option<Src>>) {
    let data = r.f.insts[inst];
    let slot = |src: &Src| {
        src.as_value().and_then(|value| slots[value]).map_or(*src, |slot| Src { flags: src.flags, ..slot })
    };
    if data.srcs.iter().any(|src| slot(src) != *src) {
        let srcs: Vec<Src> = data.srcs.iter().map(slot).collect();
        r.f.insts[inst].srcs = r.f.alloc(&srcs);
    }
}

fn keep(r: &mut Rewriter<'_, '_>, src: Src, offset: u32) {
    let wide = match r.f.width(src) {
        64 => src,
        32 => Src::value(r.value(IrOp::Collect, Type::B64, &[src, Src::imm32(0)], &[])),
        _ => {
            let word = r.alu(IrOp::Uconv, 32, &[src], &[]);
            Src::value(r.value(IrOp::Collect, Type::B64, &[word, Src::imm32(0)], &[]))
        }
    };
    r.push(IrOp::StoreGlobal, &[], &[wide, Src::uniform(0, 64), Src::imm32(offset)], &[0, RESULT_BYTES]);
}
