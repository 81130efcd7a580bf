//! Numbers packed into a word, as in NV_fragment_program.

use agx_tgsi::Opcode;

use crate::frontend::kit::Kit;
use crate::ir::{Arithmetic, Src};

/// Packs components.
pub(super) fn pack(kit: &mut Kit<'_, '_>, opcode: Opcode, a: [Src; 4]) -> Src {
    match opcode {
        Opcode::Pk2h => {
            let parts = [a[0], a[1]].map(|part| {
                let half = kit.b.fconv(part, 16);
                kit.b.uconv(half, 32)
            });
            beside(kit, &parts, 16)
        }
        Opcode::Pk2us => {
            let parts = [a[0], a[1]].map(|part| scaled(kit, part, 65535.0));
            beside(kit, &parts, 16)
        }
        Opcode::Pk4ub => {
            let parts = a.map(|part| scaled(kit, part, 255.0));
            beside(kit, &parts, 8)
        }
        _ => {
            let parts = a.map(|part| {
                let above = kit.b.fmax(part, Src::f32(-128.0 / 127.0));
                let within = kit.b.fmin(above, Src::f32(1.0));
                let moved = kit.b.ffma(within, Src::f32(127.0), Src::f32(128.0));
                rounded(kit, moved)
            });
            beside(kit, &parts, 8)
        }
    }
}

/// Converts 0 … 1 to an integer from 0 to `most`.
fn scaled(kit: &mut Kit<'_, '_>, part: Src, most: f32) -> Src {
    let within = kit.b.fsat(part);
    let scaled = kit.b.fmul(within, Src::f32(most));
    rounded(kit, scaled)
}

fn rounded(kit: &mut Kit<'_, '_>, number: Src) -> Src {
    let whole = kit.b.rint(number);
    kit.b.float_to_int(whole, false, 32)
}

/// Concatenates parts of `bits` bits into one word, the first lowest.
fn beside(kit: &mut Kit<'_, '_>, parts: &[Src], bits: u32) -> Src {
    let mut word = Src::imm32(0);
    for (part, at) in parts.iter().zip(0..) {
        let moved = kit.b.shl(*part, Src::imm32(bits.wrapping_mul(at)));
        word = if at == 0 { *part } else { kit.b.or(word, moved) };
    }
    word
}

/// Unpacks a word.
pub(super) fn unpack(kit: &mut Kit<'_, '_>, opcode: Opcode, word: Src) -> [Src; 4] {
    match opcode {
        Opcode::Up2h => {
            let [x, y] = [0, 16].map(|at| {
                let moved = kit.b.ushr(word, Src::imm32(at));
                let half = kit.b.uconv(moved, 16);
                kit.b.fconv(half, 32)
            });
            [x, y, x, y]
        }
        Opcode::Up2us => {
            let [x, y] = [0, 16].map(|at| {
                let number = field(kit, word, at, 16);
                kit.b.fmul(number, Src::f32(1.0 / 65535.0))
            });
            [x, y, x, y]
        }
        Opcode::Up4b => [0, 8, 16, 24].map(|at| {
            let number = field(kit, word, at, 8);
            let moved = kit.b.fadd(number, Src::f32(-128.0));
            kit.b.fmul(moved, Src::f32(1.0 / 127.0))
        }),
        _ => [0, 8, 16, 24].map(|at| {
            let number = field(kit, word, at, 8);
            kit.b.fmul(number, Src::f32(1.0 / 255.0))
        }),
    }
}

/// `bits` bits of a word from `at` on, as a float.
fn field(kit: &mut Kit<'_, '_>, word: Src, at: u32, bits: u32) -> Src {
    let moved = kit.b.ushr(word, Src::imm32(at));
    let part = kit.b.and(moved, Src::imm32(1u32.wrapping_shl(bits).wrapping_sub(1)));
    kit.b.int_to_float(part, false, 32)
}
