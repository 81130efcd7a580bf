//! Translates an IR instruction to the machine instruction it denotes.
//!
//! The emitter encodes the result; the validator calls it with stand-in registers to check whether the
//! operands are legal for their row.

use agx_isa::desc::{Count, OperandDesc, Reach, Role};
use agx_isa::half::Half;
use agx_isa::inst::{OperandFlags, Size, Tag};
use agx_isa::operand::Style;
use agx_isa::table::Opcode;
use agx_isa::{EncodeError, Operand, minifloat};
use thiserror::Error;

use super::entity::Value;
use super::function::{Function, InstData};
use super::src::{Src, SrcKind};

/// Half-words of the uniform file that [`Reach::Low`] operands can address.
const LOW_UNIFORMS: u16 = 256;

/// Half-words of the uniform file.
const UNIFORMS: u16 = 512;

/// Why an IR instruction does not denote a machine instruction.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum MachineError {
    /// A value has no register.
    #[error("{0} has no register")]
    NoRegister(Value),
    /// A float that the 8-bit float format cannot represent.
    #[error("operand `{operand}`: the constant has no 8-bit float encoding")]
    Float {
        /// Name of the operand.
        operand: &'static str,
    },
    /// A constant of more than 32 bits, or above the maximum of the operand.
    #[error("operand `{operand}`: the constant does not fit")]
    Constant {
        /// Name of the operand.
        operand: &'static str,
    },
    /// A uniform register that the operand cannot address.
    #[error("operand `{operand}` cannot address this uniform register")]
    Uniform {
        /// Name of the operand.
        operand: &'static str,
    },
    /// A vector of the wrong length.
    #[error("operand `{operand}`: expected {expected} registers, found {given}")]
    Registers {
        /// Name of the operand.
        operand: &'static str,
        /// Registers required by the modifiers.
        expected: u16,
        /// Components of the value.
        given: u8,
    },
    /// The encoder rejects it.
    #[error(transparent)]
    Encoding(#[from] EncodeError),
}

/// The constant `payload` of `bits` bits as an operand `desc`: a float becomes the 8-bit float of the same
/// value. [`agx_isa::encode()`] checks whether the number is in range.
///
/// # Errors
/// The constant cannot be an operand there.
pub fn machine_constant(desc: &OperandDesc, payload: u64, bits: u8) -> Result<Operand, MachineError> {
    if desc.kind.style == Style::Float {
        let number = match bits {
            16 => Half::from_bits(payload as u16).to_f32(),
            _ => f32::from_bits(payload as u32),
        };
        let code = minifloat::encode(number).ok_or(MachineError::Float { operand: desc.name })?;
        return Ok(Operand::imm(u32::from(code)));
    }
    let is_signed = desc.kind.takes_signed;
    let unused = 64 - u32::from(bits.clamp(1, 64));
    let number = if is_signed { ((payload << unused) as i64 >> unused) as u64 } else { payload };
    match u32::try_from(number) {
        Ok(number) if number > desc.largest => Err(MachineError::Constant { operand: desc.name }),
        Ok(number) => Ok(Operand { tag: desc.kind.constant, ..Operand::imm(number) }),
        Err(_) if is_signed && i32::try_from(number as i64).is_ok() => Ok(Operand::imm(number as u32)),
        Err(_) => Err(MachineError::Constant { operand: desc.name }),
    }
}

/// Whether the operand `desc` can encode the constant directly.
pub fn is_legal_constant(desc: &OperandDesc, payload: u64, bits: u8, flags: OperandFlags) -> bool {
    machine_constant(desc, payload, bits)
        .is_ok_and(|operand| desc.kind.check(&operand.with(flags), desc.width()).is_ok())
}

/// Whether the operand `desc` can address the uniform register at half-word `half`, `bits` bits wide.
pub fn is_legal_uniform(desc: &OperandDesc, half: u16, bits: u8) -> bool {
    is_in_reach(desc, half, bits)
        && desc.kind.check(&Operand::uniform(half, Size::for_bits(bits)), desc.width()).is_ok()
}

/// Whether compilers use the uniform register at half-word `half`, `bits` bits wide, as operand `desc`.
fn is_in_reach(desc: &OperandDesc, half: u16, bits: u8) -> bool {
    let end = match desc.reach {
        Reach::None => return false,
        Reach::Low => LOW_UNIFORMS,
        Reach::All => UNIFORMS,
    };
    half + u16::from(Size::for_bits(bits).halves()) <= end
}

/// Whether the operand `desc` can encode `src`, a constant or uniform; values are in registers and always
/// encodable.
pub fn is_legal_source(desc: &OperandDesc, src: Src) -> bool {
    match src.kind {
        SrcKind::None | SrcKind::Value => true,
        SrcKind::Imm => is_legal_constant(desc, src.payload, src.bits, src.flags),
        SrcKind::Uniform => is_legal_uniform(desc, src.payload as u16, src.bits),
    }
}

/// The machine instruction of a hardware operation; `register` gives the first half register of a value.
/// [`check_vectors`] checks the length of vectors, and [`agx_isa::encode()`] the range of constants and the form of
/// uniform registers.
///
/// # Errors
/// A constant or uniform register is not legal for its operand, or a value has no register.
pub fn machine_inst(
    f: &Function<'_>,
    opcode: Opcode,
    data: &InstData<'_>,
    register: impl Fn(Value) -> Option<u16>,
) -> Result<agx_isa::Inst, MachineError> {
    let mut inst = agx_isa::Inst::new(opcode);
    fill_operands(f, &mut inst, data, register)?;
    Ok(inst)
}

/// Sets the operands of a new machine instruction from `data`; otherwise as [`machine_inst`].
///
/// # Errors
/// Same as [`machine_inst`].
pub fn fill_operands(
    f: &Function<'_>,
    inst: &mut agx_isa::Inst,
    data: &InstData<'_>,
    register: impl Fn(Value) -> Option<u16>,
) -> Result<(), MachineError> {
    let desc = inst.op.desc();
    // Usually all are 0, as in a new instruction.
    if !(desc.zero_defaults && data.mods.iter().all(|code| *code == 0)) {
        let (start, end) = desc.role_bounds(Role::Mod);
        for (place, code) in inst.operands[start..end].iter_mut().zip(data.mods) {
            *place = Operand::imm(*code);
        }
    }
    let (start, end) = desc.role_bounds(Role::Src);
    for (place, dst) in inst.operands[..start].iter_mut().zip(data.dsts) {
        *place = value_operand(f, *dst, &register)?;
    }
    for (index, (place, src)) in inst.operands[start..end].iter_mut().zip(data.srcs).enumerate() {
        *place = match src.kind {
            SrcKind::None => Operand::NONE,
            SrcKind::Value => value_operand(f, Value(src.payload as u32), &register)?,
            SrcKind::Imm | SrcKind::Uniform => fixed_operand(&desc.operands[start + index], *src)?,
        }
        .with(src.flags);
    }
    Ok(())
}

fn value_operand(
    f: &Function<'_>,
    value: Value,
    register: &impl Fn(Value) -> Option<u16>,
) -> Result<Operand, MachineError> {
    let half = register(value).ok_or(MachineError::NoRegister(value))?;
    Ok(Operand {
        tag: Tag::Reg,
        size: Size::for_bits(f.ty(value).bits),
        value: u32::from(half),
        ..Operand::NONE
    })
}

/// A constant or uniform register as an operand `desc`, without flags.
fn fixed_operand(desc: &OperandDesc, src: Src) -> Result<Operand, MachineError> {
    if src.kind == SrcKind::Imm {
        return machine_constant(desc, src.payload, src.bits);
    }
    if !is_in_reach(desc, src.payload as u16, src.bits) {
        return Err(MachineError::Uniform { operand: desc.name });
    }
    Ok(Operand::uniform(src.payload as u16, Size::for_bits(src.bits)))
}

/// Checks that every value has as many components as its operand denotes, or uses. Half registers that follow the
/// operand's own, such as offsets and minimum levels, count as one more component.
///
/// # Errors
/// Names the first operand of a different length.
pub fn check_vectors(
    f: &Function<'_>,
    inst: &agx_isa::Inst,
    data: &InstData<'_>,
) -> Result<(), MachineError> {
    let desc = inst.op.desc();
    let dsts = desc.with_role(Role::Dst).zip(data.dsts.iter().map(|dst| Some(*dst)));
    let srcs = desc.with_role(Role::Src).zip(data.srcs.iter().map(|src| src.as_value()));
    for ((index, operand), value) in dsts.chain(srcs) {
        let Some(value) = value else { continue };
        let size = inst.operands.get(index).map_or(1, |operand| u16::from(operand.size.halves()));
        let halves = inst.operand_halves(index).map_or(0, |halves| halves.end - halves.start);
        let (expected, given) = (halves.div_ceil(size), f.ty(value).comps);
        let is_part = matches!(operand.count, Count::UpTo(_)) && u16::from(given) < expected;
        if expected != u16::from(given) && !is_part {
            return Err(MachineError::Registers { operand: operand.name, expected, given });
        }
    }
    Ok(())
}
