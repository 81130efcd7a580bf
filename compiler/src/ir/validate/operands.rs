//! Checks operations against their stage, and operands against their operation.

use agx_isa::desc::{Count as Registers, Effects, OperandDesc, Role};
use agx_isa::encode;
use agx_isa::inst::{OperandFlags, Size, Tag};
use agx_isa::operand::Style;
use agx_isa::table::Opcode;

use super::{Report, Rule};
use crate::ir::entity::Value;
use crate::ir::function::{Function, InstData};
use crate::ir::machine::{check_vectors, machine_inst};
use crate::ir::op::{IrOp, Op};
use crate::ir::signature::{Slot, slot_at};
use crate::ir::src::{Src, SrcKind};
use crate::ir::text::{ModStyle, mod_style};
use crate::ir::types::{Stage, Type};

/// Half-words of the uniform file.
const UNIFORMS: u64 = 512;

/// Code of the atomic that takes two operands.
const COMPARE_EXCHANGE: u32 = 3;

/// Checks every instruction. Returns `false` if one names a value that does not exist.
pub(super) fn check(report: &mut Report<'_, '_>) -> bool {
    let f = report.f;
    let mut exist = true;
    for param in &f.params {
        exist &= f.values.contains(*param);
    }
    if !exist {
        report.function(Rule::Definition, "a parameter does not exist");
    }
    for segment in f.layout {
        for inst in &f.block(segment.block).insts {
            let data = f.insts[*inst];
            let values = data.dsts.iter().copied().chain(data.srcs.iter().filter_map(|src| src.as_value()));
            if let Some(missing) = values.into_iter().find(|value| !f.values.contains(*value)) {
                report.inst(Rule::Definition, segment.block, *inst, format!("{missing} does not exist"));
                exist = false;
                continue;
            }
            for (rule, message) in problems(f, report.stage, &data) {
                report.inst(rule, segment.block, *inst, message);
            }
        }
    }
    exist
}

/// The problems of one instruction whose values exist.
fn problems(f: &Function<'_>, stage: Stage, data: &InstData<'_>) -> Vec<(Rule, String)> {
    let removed = f
        .removed
        .contain(f, data)
        .then(|| format!("`{}` was removed by an earlier pass and may not be reintroduced", data.op.name()));
    let mut found: Vec<(Rule, String)> =
        stage_problem(stage, data.op).into_iter().chain(removed).map(|text| (Rule::Stage, text)).collect();
    let counts = count_problems(data);
    let are_counted = counts.is_empty();
    found.extend(counts.into_iter().map(|text| (Rule::Operands, text)));
    if are_counted {
        found.extend(operand_problems(f, stage, data));
    }
    found
}

/// The problems of the operands of an instruction with the right number of operands.
fn operand_problems(f: &Function<'_>, stage: Stage, data: &InstData<'_>) -> Vec<(Rule, String)> {
    let mut found: Vec<String> = Vec::new();
    for dst in data.dsts {
        found.extend(type_problem(stage, *dst, f.ty(*dst)));
    }
    for (index, src) in data.srcs.iter().enumerate() {
        found.extend(source_problem(data.op, index, *src));
    }
    let mut encoding = None;
    match data.op {
        Op::Ir(op) => {
            found.extend(signature_problems(f, op, data));
            found.extend(ir_problem(f, op, data));
        }
        Op::Hw(opcode) if stage >= Stage::Machine => encoding = machine_problem(f, opcode, data),
        Op::Hw(opcode) => found.extend(hardware_problems(f, stage, opcode, data)),
    }
    let found = found.into_iter().map(|text| (Rule::Operands, text));
    let encoding = encoding.map(|text| (Rule::Encoding, text));
    let mods = mod_problems(data).into_iter().map(|text| (Rule::Operands, text));
    found.chain(encoding).chain(mods).collect()
}

/// Checks that the operation is allowed at the stage.
fn stage_problem(stage: Stage, op: Op) -> Option<String> {
    let last = op.last_stage();
    if last < stage {
        return Some(format!("`{}` may not appear after stage {}", op.name(), last.name()));
    }
    let Op::Hw(opcode) = op else { return None };
    let first = match opcode {
        Opcode::IfIcmp | Opcode::IfFcmp => Stage::Selected,
        _ if opcode.desc().effects.intersects(Effects::MASK | Effects::JUMP | Effects::STOP) => {
            Stage::Allocated
        }
        _ => Stage::Source,
    };
    (stage < first).then(|| format!("`{}` may not appear before stage {}", op.name(), first.name()))
}

/// Checks that the instruction has as many operands as the operation requires.
fn count_problems(data: &InstData<'_>) -> Vec<String> {
    let (dsts, srcs) = match data.op {
        Op::Hw(opcode) => {
            let optional = |operand: &OperandDesc| operand.kind.takes(Tag::None);
            let all = opcode.desc().with_role(Role::Dst).count();
            let needed = opcode.desc().with_role(Role::Dst).filter(|(_, operand)| !optional(operand)).count();
            let srcs = opcode.desc().with_role(Role::Src).count();
            ((needed, all), (srcs, srcs))
        }
        Op::Ir(op) => {
            let signature = op.desc().signature;
            (bounds(signature.dsts), bounds(signature.srcs))
        }
    };
    let mods = match data.op {
        Op::Ir(IrOp::Phi) => data.srcs.len(),
        op => op.mod_names().count(),
    };
    let rows = [
        ("results", data.dsts.len(), dsts),
        ("sources", data.srcs.len(), srcs),
        ("modifiers", data.mods.len(), (mods, mods)),
    ];
    let wrong = rows.into_iter().filter(|(_, given, (least, most))| given < least || given > most);
    wrong
        .map(|(what, given, (least, most))| {
            let expected = match (least, most) {
                (_, usize::MAX) => format!("at least {least}"),
                _ if least == most => least.to_string(),
                _ => format!("{least} to {most}"),
            };
            format!("`{}` has {expected} {what}, not {given}", data.op.name())
        })
        .collect()
}

/// The minimum and maximum number of operands that a signature list accepts.
fn bounds(slots: &[Slot]) -> (usize, usize) {
    match slots.last() {
        Some(last) if last.many => (slots.len() - 1, usize::MAX),
        Some(last) if last.optional => (slots.len() - 1, slots.len()),
        _ => (slots.len(), slots.len()),
    }
}

/// Checks that the type exists, and exists at the stage.
fn type_problem(stage: Stage, value: Value, ty: Type) -> Option<String> {
    if !matches!(ty.bits, 1 | 8 | 16 | 32 | 64) || !(1..=16).contains(&ty.comps) {
        return Some(format!("{value} has type {ty}, which does not exist"));
    }
    (stage >= Stage::Selected && ty.bits == 1)
        .then(|| format!("{value} is a boolean, which is not allowed at this stage"))
}

/// Checks that the source is well formed.
fn source_problem(op: Op, index: usize, src: Src) -> Option<String> {
    let fits = |bits: u8| bits >= 64 || src.payload >> bits == 0;
    match src.kind {
        SrcKind::None => match op {
            Op::Ir(op) if !slot_at(op.desc().signature.srcs, index).is_some_and(|slot| slot.absent) => {
                Some("a source is missing".to_string())
            }
            _ => None,
        },
        SrcKind::Imm if !matches!(src.bits, 1 | 8 | 16 | 32 | 64) || !fits(src.bits) => {
            Some("a constant has an invalid width".to_string())
        }
        SrcKind::Uniform => {
            let size = Size::for_bits(src.bits);
            let is_wide = size != Size::B16;
            let end = src.payload + u64::from(size.halves());
            // A boolean occupies a half-word.
            let exists = matches!(src.bits, 1 | 16 | 32 | 64)
                && end <= UNIFORMS
                && (!is_wide || src.payload.is_multiple_of(2));
            (!exists).then(|| "this uniform register does not exist".to_string())
        }
        _ => None,
    }
}

/// Checks the operands of an IR-only operation against its signature.
fn signature_problems(f: &Function<'_>, op: IrOp, data: &InstData<'_>) -> Vec<String> {
    let signature = op.desc().signature;
    let dsts = data.dsts.iter().enumerate();
    let dsts = dsts
        .map(|(index, dst)| (slot_at(signature.dsts, index), f.ty(*dst), OperandFlags::empty(), "result"));
    let srcs = data.srcs.iter().enumerate();
    let srcs = srcs.filter(|(_, src)| src.kind != SrcKind::None);
    let srcs = srcs.map(|(index, src)| (slot_at(signature.srcs, index), f.src_ty(*src), src.flags, "source"));
    let mut agreed: Option<Type> = None;
    let mut found = Vec::new();
    for (slot, ty, flags, what) in dsts.chain(srcs) {
        let Some(slot) = slot else { continue };
        let name = if slot.name.is_empty() { what } else { slot.name };
        if !slot.class.takes(ty) {
            found.push(format!("{name} has type {ty}, but must be {}", slot.class.describe()));
        } else if slot.class.must_agree() && *agreed.get_or_insert(ty) != ty {
            found.push(format!("{name} has type {ty}, but must agree with {}", agreed.unwrap_or(ty)));
        }
        // Lowerings would have to propagate them, and selections move bits.
        if !flags.is_empty() {
            found.push(format!("{name} may not have a modifier: only hardware operations take them"));
        }
    }
    found
}

/// Checks rules specific to single IR-only operations.
fn ir_problem(f: &Function<'_>, op: IrOp, data: &InstData<'_>) -> Option<String> {
    let total = |types: &mut dyn Iterator<Item = Type>| types.map(Type::total_bits).sum::<u32>();
    let dst_types = || data.dsts.iter().map(|dst| f.ty(*dst));
    let src_types = || data.srcs.iter().map(|src| f.src_ty(*src));
    match op {
        IrOp::Collect | IrOp::Split => {
            let (parts, whole) = (total(&mut src_types()), total(&mut dst_types()));
            (parts != whole).then(|| format!("the sources have {parts} bits in total, the results {whole}"))
        }
        IrOp::AtomicGlobal | IrOp::AtomicLocal => {
            let given = data.srcs.last().map_or(Type::B32, |src| f.src_ty(*src));
            let expected = Type::vector(32, if data.mods[0] == COMPARE_EXCHANGE { 2 } else { 1 });
            (given != expected).then(|| format!("data has type {given}, but must have type {expected}"))
        }
        IrOp::Copy => {
            (!dst_types().eq(src_types())).then(|| "results and sources differ in type".to_string())
        }
        _ => {
            let align = data.op.mod_index("align").map(|index| data.mods[index]);
            align
                .filter(|align| *align != 0 && !align.is_power_of_two())
                .map(|align| format!("an alignment of {align} is not a power of two"))
        }
    }
}

/// Checks the operands of a hardware operation before selection: scalars of widths that the operation
/// supports. Operands that cannot be encoded are legalised later.
fn hardware_problems(f: &Function<'_>, stage: Stage, opcode: Opcode, data: &InstData<'_>) -> Vec<String> {
    let desc = opcode.desc();
    let reads_floats = desc.with_role(Role::Src).any(|(_, operand)| operand.kind.style == Style::Float);
    let is_integer = desc.pure.is_some() && !reads_floats;
    let dsts = desc.with_role(Role::Dst).zip(data.dsts.iter().map(|dst| Src::value(*dst)));
    let srcs = desc.with_role(Role::Src).zip(data.srcs.iter().copied());
    let mut found = Vec::new();
    for ((_, operand), src) in dsts.chain(srcs) {
        if src.kind == SrcKind::None {
            if !operand.kind.takes(Tag::None) {
                found.push(format!("operand `{}` is missing", operand.name));
            }
            continue;
        }
        let ty = f.src_ty(src);
        if operand.count == Registers::Fixed(1) && ty.comps != 1 {
            found.push(format!("operand `{}` has type {ty}, but must be a scalar", operand.name));
        }
        let size = Size::for_bits(ty.bits);
        let has_size = |tag| operand.kind.forms.iter().any(|form| form.tag == tag && form.size == size);
        let is_constant = src.kind == SrcKind::Imm && operand.kind.style != Style::Float;
        let is_exact = !is_integer || operand.kind.style == Style::Float;
        if is_exact && !is_constant && !has_size(Tag::Reg) && !has_size(Tag::Uniform) {
            found.push(format!("operand `{}` may not be {} bits wide", operand.name, ty.bits));
        }
        if is_exact && operand.kind.style == Style::Float && ty.bits < 16 {
            found.push(format!("operand `{}` is a float, but {} bits wide", operand.name, ty.bits));
        }
        let forms = operand.kind.forms.iter();
        let allowed = forms.fold(OperandFlags::empty(), |flags, form| flags | form.allowed_flags());
        if !allowed.contains(src.flags) {
            found.push(format!("operand `{}` may not have this modifier", operand.name));
        }
    }
    let values = data.dsts.iter().copied().chain(data.srcs.iter().filter_map(|src| src.as_value()));
    let mut widths = values.map(|value| f.ty(value).bits);
    let first = widths.next();
    if opcode == Opcode::Bitop && stage < Stage::Selected && widths.any(|width| Some(width) != first) {
        found.push("operands of a bitwise operation must have the same width".to_string());
    }
    found
}

/// Checks that the instruction can be encoded, with stand-in registers.
fn machine_problem(f: &Function<'_>, opcode: Opcode, data: &InstData<'_>) -> Option<String> {
    let checked = machine_inst(f, opcode, data, |_| Some(0))
        .and_then(|inst| check_vectors(f, &inst, data).map(|()| inst));
    let inst = match checked {
        Ok(inst) => inst,
        Err(problem) => return Some(problem.to_string()),
    };
    encode(&inst).err().map(|problem| problem.to_string())
}

/// Checks that modifiers have valid values.
fn mod_problems(data: &InstData<'_>) -> Vec<String> {
    if matches!(data.op, Op::Ir(IrOp::Phi | IrOp::Jump)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (index, (name, value)) in data.op.mod_names().zip(data.mods).enumerate() {
        let exists = match (data.op, mod_style(data.op, index)) {
            (Op::Hw(opcode), _) => {
                opcode.desc().with_role(Role::Mod).nth(index).is_none_or(|(_, operand)| {
                    operand.kind.check(&agx_isa::Operand::imm(*value), operand.width()).is_ok()
                })
            }
            (_, ModStyle::Names(names)) => (*value as usize) < names.len(),
            (_, ModStyle::Access) => crate::ir::Access::from_bits(*value).is_some(),
            _ => true,
        };
        if !exists {
            found.push(format!("`{name}` may not be {value}"));
        }
    }
    found
}
