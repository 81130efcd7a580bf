//! Constants and uniforms as operands.

use agx_isa::desc::{OperandDesc, Reach};
use agx_isa::inst::{Operand, Size};
use agx_isa::minifloat;
use agx_isa::operand::Style;
use half::f16;

use crate::ir::{Src, SrcKind};

/// Half-words of the uniform file that operands of low reach can name.
const LOW_REACH: u64 = 256;

/// The operand that encodes a constant or uniform, when the place of `desc` has one.
pub fn encodable(src: Src, desc: &OperandDesc) -> Option<Operand> {
    let operand = match src.kind {
        SrcKind::Imm if desc.kind.style == Style::Float => Operand::imm(u32::from(minifloat_code(src)?)),
        SrcKind::Imm => Operand::imm(u32::try_from(src.payload).ok()?),
        SrcKind::Uniform => {
            let reachable = match desc.reach {
                Reach::None => false,
                Reach::Low => src.payload < LOW_REACH,
                Reach::All => true,
            };
            reachable.then(|| Operand::uniform(src.payload as u16, Size::for_bits(src.bits)))?
        }
        SrcKind::None | SrcKind::Value => return None,
    };
    let operand = operand.with(src.flags);
    desc.kind.check(&operand, desc.width()).is_ok().then_some(operand)
}

fn minifloat_code(src: Src) -> Option<u8> {
    match src.bits {
        16 => minifloat::encode(f16::from_bits(src.payload as u16).to_f32()),
        32 => minifloat::encode(f32::from_bits(src.payload as u32)),
        _ => None,
    }
}
