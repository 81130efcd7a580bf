//! The table's tests of itself.

use std::collections::BTreeSet;

use agx_random::Random;

use super::*;
use crate::desc::Results;
use crate::inst::{Inst, OperandFlags, Tag};
use crate::semantics::rounding::{Direction, round16};
use crate::semantics::{PureArgs, Source, evaluate};
use crate::{decode, encode};

/// The default instruction of a row with the first legal form in each register operand.
pub(crate) fn example(op: Opcode) -> Inst {
    let mut inst = Inst::new(op);
    let mut word = op.desc().value;
    for (operand, spec) in inst.operands.iter().zip(op.desc().operands) {
        if operand.tag == Tag::Imm {
            word |= crate::field::deposit(spec.pieces, operand.value.into());
        }
    }
    for (operand, spec) in inst.operands.iter_mut().zip(op.desc().operands) {
        if operand.tag == Tag::None {
            *operand = spec.kind.example(word);
        }
    }
    // Texture kinds and similar operands may be context themselves, so a second pass uses the finished word.
    for (operand, spec) in inst.operands.iter_mut().zip(op.desc().operands) {
        if spec.kind.contextual && !matches!(spec.role, Role::Mod | Role::Unknown) {
            *operand = spec.kind.example(word);
        }
    }
    inst
}

#[test]
fn fields_are_disjoint_and_inside() {
    for op in Opcode::ALL {
        let desc = op.desc();
        let size = (1u128 << (desc.length.longest() * 8)) - 1;
        let mut taken = desc.mask;
        if let Length::Extensible { l_bit, .. } = desc.length {
            assert_eq!(taken >> l_bit & 1, 0, "{}: the mask covers the L bit", desc.name);
            taken |= 1 << l_bit;
        }
        assert_eq!(desc.value & !desc.mask, 0, "{}", desc.name);
        for operand in desc.operands {
            let bits = crate::field::covered(operand.pieces);
            assert_eq!(bits & taken, 0, "{}.{} overlaps", desc.name, operand.name);
            assert_eq!(bits.count_ones(), operand.width(), "{}.{} overlaps itself", desc.name, operand.name);
            taken |= bits;
        }
        assert_eq!(taken & !size, 0, "{} has bits outside", desc.name);
        assert_eq!(taken, desc.known, "{}", desc.name);
        assert!(desc.operands.len() <= MAX_OPERANDS);
    }
}

#[test]
fn no_word_matches_two_rows() {
    for (i, a) in INSTS.iter().enumerate() {
        for b in &INSTS[i + 1..] {
            assert_ne!((a.value ^ b.value) & a.mask & b.mask, 0, "{} and {}", a.name, b.name);
        }
    }
}

#[test]
fn names_are_unique_and_rows_complete() {
    let mut names = BTreeSet::new();
    for op in Opcode::ALL {
        let desc = op.desc();
        assert!(names.insert(desc.name), "{}", desc.name);
        assert_eq!(Opcode::from_name(desc.name), Some(*op));
        assert!(!desc.doc.is_empty() && !desc.source.is_empty(), "{}", desc.name);
        let operands: BTreeSet<_> = desc.operands.iter().map(|operand| operand.name).collect();
        assert_eq!(operands.len(), desc.operands.len(), "{}", desc.name);
        let roles: Vec<u8> = desc.operands.iter().map(|operand| operand.role as u8).collect();
        assert!(roles.is_sorted(), "{}: destinations, sources, modifiers, unknowns", desc.name);
        assert_eq!(desc.pure.is_some(), desc.pure.is_some() && desc.is_pure(), "{}", desc.name);
    }
}

#[test]
fn the_default_instruction_of_every_row_encodes() {
    for &op in Opcode::ALL {
        let inst = example(op);
        let bytes = encode(&inst).unwrap_or_else(|error| panic!("{error}"));
        let (back, len) = decode(&bytes).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((Inst { long: inst.long, ..back }, len), (inst, bytes.len()), "{}", op.name());
    }
}

#[test]
fn every_operand_bit_round_trips() {
    for &op in Opcode::ALL {
        let base = encode(&example(op)).unwrap();
        for operand in op.desc().operands {
            let bits = crate::field::covered(operand.pieces);
            let mut seen = 0;
            for bit in (0..96).filter(|bit| bits >> bit & 1 == 1) {
                let mut bytes = base.bytes;
                bytes[bit / 8] ^= 1 << (bit % 8);
                if let Length::Extensible { l_bit, .. } = op.desc().length {
                    bytes[usize::from(l_bit) / 8] |= 1 << (l_bit % 8);
                }
                if let Ok((inst, len)) = decode(&bytes) {
                    assert_eq!(inst.op, op);
                    assert_eq!(&*encode(&inst).unwrap(), &bytes[..len], "{}.{}", op.name(), operand.name);
                    seen += 1;
                }
            }
            let alone =
                operand.kind.forms.iter().all(|form| form.tag == Tag::None) || operand.kind.contextual;
            assert!(seen > 0 || alone, "{}.{}: no bit can change", op.name(), operand.name);
        }
    }
}

/// A generator of legal operands: any form, any value, any allowed flags.
fn arbitrary(op: Opcode, random: &mut Random) -> Inst {
    let mut next = || random.next_u64();
    let mut inst = Inst::new(op);
    inst.long |= next() & 1 == 1 && matches!(op.desc().length, Length::Extensible { .. });
    for (operand, spec) in inst.operands.iter_mut().zip(op.desc().operands) {
        for _ in 0..40 {
            let form = &spec.kind.forms[next() as usize % spec.kind.forms.len()];
            let width = spec.width().min(form.bits.into());
            let mut value = (next() & ((1 << width) - 1)) as u32;
            if form.signed && width < 32 && value >> (width.max(1) - 1) == 1 {
                value |= u32::MAX << width;
            }
            let flags = OperandFlags::from_bits_truncate(next() as u16) & form.allowed_flags();
            let candidate = Operand { tag: form.tag, size: form.size, flags, value: value << form.scale };
            if spec.kind.check(&candidate, spec.width()).is_ok() {
                *operand = candidate;
                break;
            }
        }
    }
    inst
}

#[test]
fn decoding_undoes_encoding() {
    let mut random = Random::new(1);
    for &op in Opcode::ALL {
        let mut encoded = 0;
        for _ in 0..400 {
            let inst = arbitrary(op, &mut random);
            // Operands may contradict each other (a LOD without a mode that has one); these do not encode.
            let Ok(bytes) = encode(&inst) else { continue };
            let (mut back, len) = decode(&bytes).unwrap_or_else(|error| panic!("{inst:?}: {error}"));
            assert_eq!(len, bytes.len());
            assert!(back.long || !inst.long);
            back.long = inst.long;
            assert_eq!(back, inst, "{}", op.name());
            encoded += 1;
        }
        assert!(encoded > 0, "{}: nothing encodes", op.name());
    }
}

/// The result of a pure row for random words, in a destination of 32 bits and in one of 16.
fn results_in_both_widths(op: Opcode, random: &mut Random) -> (u64, u64) {
    let sources: Vec<Source> = (op.desc().with_role(Role::Src))
        .map(|_| Source { bits: random.next_u32().into(), width: 32, flags: OperandFlags::empty() })
        .collect();
    let mods: Vec<u32> = op.desc().with_role(Role::Mod).map(|(_, operand)| operand.default.value).collect();
    let result = |dst_width| {
        evaluate(op, &PureArgs { dst_width, sources: &sources, mods: &mods }).expect("the row is pure")
    };
    (result(32), result(16))
}

#[test]
fn semantics_agree_with_the_rows() {
    let mut random = Random::new(1);
    let rows = Opcode::ALL.iter().copied().filter(|op| op.desc().pure.is_some());
    for op in rows {
        let results = op.desc().results;
        for _ in 0..500 {
            let (wide, narrow) = results_in_both_widths(op, &mut random);
            if results.contains(Results::ROUNDED) {
                let rounded = round16(f64::from(f32::from_bits(wide as u32)), Direction::NearestEven);
                assert_eq!(narrow, rounded, "{}: {wide:#x}", op.name());
            }
            if results.contains(Results::CUT) {
                assert_eq!(narrow, wide & 0xffff, "{}", op.name());
            }
        }
    }
}
