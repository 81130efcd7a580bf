//! Encoding and decoding of instructions: decoded instructions encode to the same bytes, and encoded ones
//! decode to the same instruction.

use agx_isa::inst::MAX_OPERANDS;
use agx_isa::operand::{Form, OperandKind};
use agx_isa::{Inst, Opcode, Operand, OperandFlags, Tag, decode, encode};

use agx_random::Entropy;

/// Tests `data` as machine code, and as choices for instructions of every row.
pub fn packer(data: &[u8]) {
    code(data);
    let mut entropy = Entropy::new(data);
    while !entropy.is_empty() {
        structured(&mut entropy);
    }
}

/// Decodes one instruction after the other. Returns the bytes of those that decode.
pub(crate) fn code(data: &[u8]) -> Vec<u8> {
    let (mut decoded, mut at) = (Vec::new(), 0);
    while at < data.len() {
        at += match decode(&data[at..]) {
            Ok((inst, length)) => {
                let again = encode(&inst);
                let again = again.unwrap_or_else(|error| panic!("{inst:?} decoded, but: {error}"));
                assert_eq!(again[..], data[at..at + length], "{inst:?}");
                decoded.extend_from_slice(&again);
                length
            }
            Err(_) => 2,
        };
    }
    decoded
}

/// Makes one instruction from choices; returns the opcode if the instruction has an encoding.
fn structured(entropy: &mut Entropy<'_>) -> Option<Opcode> {
    let op = Opcode::ALL[entropy.below(Opcode::ALL.len())];
    let mut inst = Inst { op, long: false, operands: [Operand::NONE; MAX_OPERANDS] };
    for (operand, desc) in inst.operands.iter_mut().zip(op.desc().operands) {
        *operand = any_operand(&desc.kind, desc.width(), entropy);
    }
    let bytes = encode(&inst).ok()?;
    let (decoded, length) = decode(&bytes).unwrap_or_else(|error| panic!("{inst:?} encoded, but: {error}"));
    assert_eq!(length, bytes.len(), "{inst:?}");
    assert_eq!((decoded.op, decoded.operands), (inst.op, inst.operands));
    let again = encode(&decoded).unwrap_or_else(|error| panic!("{decoded:?} decoded, but: {error}"));
    assert_eq!(again[..], bytes[..], "{inst:?}");
    Some(op)
}

/// An operand in one of the forms of `kind`, for a field of `width` bits.
fn any_operand(kind: &OperandKind, width: u32, entropy: &mut Entropy<'_>) -> Operand {
    if kind.forms.is_empty() {
        return Operand::NONE;
    }
    let form = &kind.forms[entropy.below(kind.forms.len())];
    let value = if form.tag == Tag::None { 0 } else { any_value(form, width, entropy) };
    let mut flags = OperandFlags::from_bits_truncate(entropy.byte().into()) & form.allowed_flags();
    if flags.contains(OperandFlags::CACHE | OperandFlags::DISCARD) {
        flags.remove(OperandFlags::DISCARD);
    }
    Operand { tag: form.tag, size: form.size, flags, value }
}

/// A number that fits the form.
fn any_value(form: &Form, width: u32, entropy: &mut Entropy<'_>) -> u32 {
    let bits = u32::from(form.bits).min(width);
    let bytes = if bits <= 8 { u32::from(entropy.byte()) } else { entropy.word() };
    let field = u64::from(bytes) & ((1 << bits) - 1) & !form.select_mask;
    let sign_bits =
        if form.signed && bits > 0 && field >> (bits - 1) & 1 == 1 { u64::MAX << bits } else { 0 };
    ((field | sign_bits) as u32) << form.scale
}

#[cfg(test)]
mod tests {
    use super::*;
    use agx_random::Random;

    /// The generator is only useful if it reaches every row.
    #[test]
    fn every_row_gets_encoded() {
        let mut random = Random::new(7);
        let mut missing: Vec<Opcode> = Opcode::ALL.to_vec();
        for _ in 0..2000 {
            let bytes = random.bytes(4096);
            let mut entropy = Entropy::new(&bytes);
            while !entropy.is_empty() {
                if let Some(op) = structured(&mut entropy) {
                    missing.retain(|other| *other != op);
                }
            }
            if missing.is_empty() {
                return;
            }
        }
        panic!("never encoded: {missing:?}");
    }
}
