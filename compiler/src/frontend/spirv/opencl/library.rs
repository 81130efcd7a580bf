//! Functions of OpenCL C that modules declare and do not define: producers leave those without an instruction of their own
//! to a library.

use spirv::Op;

use super::super::kernel::{access, wrong};
use super::super::owners::Memory;
use super::super::pointers;
use super::super::values::Values;
use super::super::words::Inst;
use super::conversions::{Rounding, convert_by};
use crate::error::{CompileError, KernelError};
use crate::frontend::kit::buffers::Atomic;
use crate::frontend::kit::compute;
use crate::ir::function::Access;
use crate::ir::src::Src;

/// The atomics of OpenCL 1, by their names after `atomic_` or `atom_`: the operation, and a constant operand.
const ATOMICS: &[(&str, Atomic, Option<u32>)] = &[
    ("add", Atomic::Add, None),
    ("and", Atomic::And, None),
    ("cmpxchg", Atomic::CompareExchange, None),
    ("dec", Atomic::Add, Some(u32::MAX)),
    ("inc", Atomic::Add, Some(1)),
    ("max", Atomic::Imax, None),
    ("min", Atomic::Imin, None),
    ("or", Atomic::Or, None),
    ("sub", Atomic::Sub, None),
    ("xchg", Atomic::Exchange, None),
    ("xor", Atomic::Xor, None),
];

/// Functions that order accesses to memory.
const FENCES: [&str; 4] = ["mem_fence", "read_mem_fence", "sub_group_barrier", "write_mem_fence"];

/// The name of a function and its parameters, from a mangled name.
fn demangled(name: &str) -> Option<(&str, &str)> {
    let rest = name.strip_prefix("_Z")?;
    let digits = rest.find(|letter: char| !letter.is_ascii_digit())?;
    let (length, rest) = rest.split_at_checked(digits)?;
    rest.split_at_checked(length.parse().ok()?)
}

/// The atomic that a function performs. Those of OpenCL 2 have the order and the scope as further parameters.
fn atomic(name: &str, parameters: &str) -> Option<(Atomic, Option<u32>)> {
    let short =
        name.strip_prefix("atomic_fetch_").map(|short| short.strip_suffix("_explicit").unwrap_or(short));
    let short = short.or_else(|| name.strip_prefix("atomic_")).or_else(|| name.strip_prefix("atom_"))?;
    let (_, atomic, constant) = ATOMICS.iter().find(|(known, ..)| *known == short)?;
    // The type that the pointer points to comes after the qualifiers.
    let pointee = parameters.split("_Atomic").nth(1).unwrap_or(parameters.rsplit('V').next().unwrap_or(""));
    let atomic = match (*atomic, pointee.chars().next()?) {
        (Atomic::Imax, 'j') => Atomic::Umax,
        (Atomic::Imin, 'j') => Atomic::Umin,
        (atomic, 'i' | 'j') => atomic,
        (Atomic::Exchange, 'f') => Atomic::Exchange,
        _ => return None,
    };
    Some((atomic, *constant))
}

/// The conversion that a function like `convert_uchar4_sat_rte` performs, with its rounding, and whether it limits its results.
fn conversion(name: &str, parameters: &str) -> Option<(Op, (Option<Rounding>, bool))> {
    let rest = name.strip_prefix("convert_")?;
    let end = rest.find(|letter: char| !letter.is_ascii_lowercase()).unwrap_or(rest.len());
    let (to, suffix) = rest.split_at_checked(end)?;
    let to_float = matches!(to, "half" | "float" | "double");
    let to_signed = !to.starts_with('u');
    let element = parameters.rsplit('_').next()?;
    let from_float = matches!(element, "f" | "d" | "Dh") || element.ends_with("Dh");
    let from_signed = matches!(element, "c" | "s" | "i" | "l");
    let op = match (from_float, to_float) {
        (true, true) => Op::FConvert,
        (true, false) => {
            if to_signed {
                Op::ConvertFToS
            } else {
                Op::ConvertFToU
            }
        }
        (false, true) => {
            if from_signed {
                Op::ConvertSToF
            } else {
                Op::ConvertUToF
            }
        }
        (false, false) if from_signed != to_signed && suffix.contains("_sat") => {
            if from_signed {
                Op::SatConvertSToU
            } else {
                Op::SatConvertUToS
            }
        }
        (false, false) => {
            if from_signed {
                Op::SConvert
            } else {
                Op::UConvert
            }
        }
    };
    let modes = [
        ("_rte", Rounding::NearestEven),
        ("_rtz", Rounding::TowardZero),
        ("_rtp", Rounding::Up),
        ("_rtn", Rounding::Down),
    ];
    let mode = modes.iter().find(|(known, _)| suffix.ends_with(known)).map(|(_, mode)| *mode);
    Some((op, (mode, suffix.contains("_sat"))))
}

/// A call of a function with a mangled name.
pub(in super::super) fn call<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    name: String,
) -> Result<(), CompileError> {
    let Some((function, parameters)) = demangled(&name) else {
        return Err(KernelError::Imported { name }.into());
    };
    if FENCES.contains(&function) {
        // The lanes of a subgroup run together.
        compute::fence(&mut v.kit, Access::LOCAL | Access::DEVICE);
        return Ok(());
    }
    if let Some((op, flags)) = conversion(function, parameters) {
        return convert_by(v, inst, (op, inst.word(3)?), flags);
    }
    let Some((atomic, constant)) = atomic(function, parameters) else {
        return Err(KernelError::Imported { name }.into());
    };
    let pointer = *pointers::pointer(m, v, inst.word(3)?)?;
    let count = match (atomic, constant) {
        (Atomic::CompareExchange, _) => 2,
        (_, Some(_)) => 0,
        _ => 1,
    };
    let mut operands = Vec::new();
    for id in inst.rest(4).iter().take(count) {
        operands.push(v.eval().scalar(*id)?);
    }
    if operands.len() != count || operands.iter().any(|operand| v.kit.b.f.width(*operand) != 32) {
        return Err(wrong("integers of 32 bits"));
    }
    operands.extend(constant.map(Src::imm32));
    if atomic == Atomic::CompareExchange {
        // The function takes what is expected first.
        operands.reverse();
    }
    let old = access::atomic(v, &pointer, atomic, &operands)?;
    v.define_leaves(inst, &[old])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_demangled() {
        assert_eq!(demangled("_Z10atomic_maxPU3AS1Vjj"), Some(("atomic_max", "PU3AS1Vjj")));
        assert!(["atomic_max", "_Z", "_Z99f", "_Z3ä"].into_iter().all(|name| demangled(name).is_none()));
        assert_eq!(atomic("atomic_max", "PU3AS1Vjj"), Some((Atomic::Umax, None)));
        assert_eq!(atomic("atom_max", "PU3AS1Vii"), Some((Atomic::Imax, None)));
        assert_eq!(atomic("atomic_inc", "PU3AS1Vj"), Some((Atomic::Add, Some(1))));
        assert_eq!(atomic("atomic_fetch_min_explicit", "PU3AS4VU7_Atomicjj"), Some((Atomic::Umin, None)));
        assert_eq!(atomic("atomic_fetch_max", "PU3AS4VU7_Atomicff"), None);
        assert_eq!(atomic("sin", "f"), None);
        assert_eq!(conversion("convert_half", "i"), Some((Op::ConvertSToF, (None, false))));
        assert_eq!(
            conversion("convert_uchar4_sat_rtp", "Dv4_f"),
            Some((Op::ConvertFToU, (Some(Rounding::Up), true)))
        );
        assert_eq!(conversion("convert_char2_sat", "Dv2_j"), Some((Op::SatConvertUToS, (None, true))));
        assert_eq!(conversion("convert_float", "Dh"), Some((Op::FConvert, (None, false))));
    }
}
