//! Which rules may match an instruction. Generated from `rules.rs`: `BLESS=1 cargo test -p agx-compiler --lib
//! selection_is_that_of_the_rules` writes it.

use agx_isa::table::Opcode;

use super::pattern::Shape::{Constant, Made};
use super::pattern::Subject;
use crate::ir::IrOp;
use crate::ir::Op::{self, Hw, Ir};

/// The rules of `op` that may match an instruction of that operation, a bit for each.
#[inline(always)]
pub(super) fn candidates(op: Op, s: Subject<'_, '_>) -> u128 {
    match op {
        Hw(Opcode::Iadd) => iadd(s),
        Hw(Opcode::Isub) => isub(s),
        Ir(IrOp::Imul) => imul(s),
        Ir(IrOp::Shl) => shl(s),
        Ir(IrOp::Ushr) => ushr(s),
        Ir(IrOp::Sshr) => sshr(s),
        Hw(Opcode::Bitop) => bitop(s),
        Ir(IrOp::Select) => select(s),
        Ir(IrOp::Icmp) => icmp(s),
        Ir(IrOp::Fcmp) => fcmp(s),
        Ir(IrOp::Uconv) => uconv(s),
        Ir(IrOp::Sconv) => sconv(s),
        Ir(IrOp::Fconv) => fconv(s),
        Ir(IrOp::Fneg) => fneg(s),
        Ir(IrOp::Fabs) => fabs(s),
        Ir(IrOp::Fsat) => fsat(s),
        Ir(IrOp::Fmin) => fmin(s),
        Ir(IrOp::Fmax) => fmax(s),
        Ir(IrOp::Imin) => imin(s),
        Ir(IrOp::Imax) => imax(s),
        Ir(IrOp::Umin) => umin(s),
        Ir(IrOp::Umax) => umax(s),
        Hw(Opcode::Fadd) => fadd(s),
        Hw(Opcode::Hadd) => hadd(s),
        Hw(Opcode::Fmul) => fmul(s),
        Hw(Opcode::Hmul) => hmul(s),
        Hw(Opcode::Exp2) => exp2(s),
        Hw(Opcode::Rcp) => rcp(s),
        Hw(Opcode::Log2) => log2(s),
        Hw(Opcode::S32ToF) => s32_to_f(s),
        Hw(Opcode::U32ToF) => u32_to_f(s),
        Hw(Opcode::FToS32) => f_to_s32(s),
        Hw(Opcode::FToU32) => f_to_u32(s),
        Ir(IrOp::Fadd64) => fadd64(s),
        Hw(Opcode::Ffma) => ffma(s),
        Hw(Opcode::Hfma) => hfma(s),
        _ => 0,
    }
}

fn iadd(s: Subject<'_, '_>) -> u128 {
    let rules = match s.shape(1) {
        Constant(0x0) => 0x157,
        Constant(_) => 0x156,
        Made(Hw(Opcode::Iadd)) => 0x5c,
        Made(Hw(Opcode::Isub)) => 0xf4,
        _ => 0x54,
    };
    if rules == 0 { return 0; }
    rules & match s.shape(0) {
        Made(Hw(Opcode::Iadd)) => 0xaf,
        Made(Hw(Opcode::Isub)) => 0x1f9,
        _ => 0xa9,
    }
}

fn isub(s: Subject<'_, '_>) -> u128 {
    let rules = match s.shape(1) {
        Constant(_) => 0xf,
        Made(Hw(Opcode::Isub)) => 0x3d,
        Made(Hw(Opcode::Iadd)) => 0x4d,
        _ => 0xd,
    };
    if rules == 0 { return 0; }
    let rules = rules & match s.shape(0) {
        Constant(_) => 0x73,
        Made(Hw(Opcode::Iadd)) => 0x1f,
        _ => 0x13,
    };
    if rules == 0 { return 0; }
    let rules = rules & match s.equal(0, 1) { true => 0x7f, _ => 0x7e, };
    if rules == 0 { return 0; }
    rules & match s.repeats(0, 1) { true => 0x7f, _ => 0x77, }
}

fn imul(s: Subject<'_, '_>) -> u128 {
    let rules = match s.shape(1) {
        Constant(0x0) => 0x79,
        Constant(0x1) => 0x7e,
        Constant(0xff) | Constant(0xffff) | Constant(0xffffffff) | Constant(0xffffffffffffffff) => 0x7c,
        Constant(_) => 0x78,
        _ => 0x0,
    };
    if rules == 0 { return 0; }
    rules & match s.shape(0) {
        Made(Ir(IrOp::Imul)) => 0x1f,
        Made(Ir(IrOp::Shl)) => 0x2f,
        Made(Hw(Opcode::Iadd)) => 0x4f,
        _ => 0xf,
    }
}

fn shl(s: Subject<'_, '_>) -> u128 {
    let rules = match s.shape(1) {
        Constant(0x0) => 0x7f,
        Constant(_) => 0x7e,
        _ => 0x2,
    };
    if rules == 0 { return 0; }
    rules & match s.shape(0) {
        Constant(0x0) => 0x7,
        Made(Ir(IrOp::Shl)) => 0xd,
        Made(Ir(IrOp::Ushr)) => 0x15,
        Made(Ir(IrOp::Imul)) => 0x25,
        Made(Hw(Opcode::Iadd)) => 0x45,
        _ => 0x5,
    }
}

fn ushr(s: Subject<'_, '_>) -> u128 {
    let rules = match s.shape(1) {
        Constant(0x0) => 0x1f,
        Constant(_) => 0x1e,
        _ => 0x2,
    };
    if rules == 0 { return 0; }
    rules & match s.shape(0) {
        Constant(0x0) => 0x7,
        Made(Ir(IrOp::Ushr)) => 0xd,
        Made(Ir(IrOp::Shl)) => 0x15,
        _ => 0x5,
    }
}

fn sshr(s: Subject<'_, '_>) -> u128 {
    let rules = match s.shape(1) {
        Constant(0x0) => 0x7,
        Constant(_) => 0x6,
        _ => 0x2,
    };
    if rules == 0 { return 0; }
    rules & match s.shape(0) {
        Constant(0x0) => 0x3,
        Made(Ir(IrOp::Sshr)) => 0x5,
        _ => 0x1,
    }
}

fn bitop(s: Subject<'_, '_>) -> u128 {
    let rules = match s.modifier(0) {
        1 => 0x100000000,
        2 => 0x55000000000000000,
        4 => 0x550000000000000,
        5 => 0x3e00080000,
        6 => 0x3078000,
        7 => 0x80000000,
        8 => 0x7840003007bf,
        9 => 0x7c000000,
        10 => 0x40,
        11 => 0x2a800000000000000,
        13 => 0x2a8000000000000,
        14 => 0x7f80007878000c07800,
        _ => 0x0,
    };
    if rules == 0 { return 0; }
    let rules = rules & match s.shape(1) {
        Constant(0x0) => 0x7f8007f3aadeeff,
        Constant(0x1) | Constant(0xff) | Constant(0xffff) | Constant(0xffffffff) | Constant(0xffffffffffffffff) => 0x7f80040b6a7777f,
        Constant(_) => 0x7f8004032a5667f,
        Made(Hw(Opcode::Bitop)) => 0x66787f8004073f12240,
        Made(Ir(IrOp::Fcmp)) => 0x1981fffffc032a12240,
        Made(Ir(IrOp::Icmp)) => 0x67f8004032a12240,
        _ => 0x7f8004032a12240,
    };
    if rules == 0 { return 0; }
    let rules = rules & match s.shape(0) {
        Made(Hw(Opcode::Iadd)) => 0x7f8000001dd53bbc3,
        Made(Hw(Opcode::Isub)) => 0x7f8000001dd53bbcc,
        Made(Ir(IrOp::Imul)) => 0x7f8000001dd53bbf0,
        Made(Hw(Opcode::Bitop)) => 0x19fff80004fffffffc0,
        Made(Ir(IrOp::Icmp)) => 0x7f8600011dd53bbc0,
        Made(Ir(IrOp::Fcmp)) => 0x667f81fffa1dd53bbc0,
        _ => 0x7f8000001dd53bbc0,
    };
    if rules == 0 { return 0; }
    rules & match s.equal(0, 1) { true => 0x7ffffffffffffffffff, _ => 0x7ffffffffffeffeddff, }
}

fn select(s: Subject<'_, '_>) -> u128 {
    let rules = match s.shape(2) {
        Constant(0x0) => 0x184c6fa3f,
        Constant(0x1) => 0x184c1bc3f,
        Made(Ir(IrOp::Select)) => 0x184c0b9ff,
        Made(Ir(IrOp::Fcmp)) => 0x184c8b83f,
        Made(Ir(IrOp::Icmp)) => 0x184d0b83f,
        Made(Hw(Opcode::Bitop)) => 0x184e0b83f,
        Made(Hw(Opcode::Fmul)) => 0x187c0b83f,
        Made(Hw(Opcode::Fadd)) => 0x18cc0b83f,
        Made(Ir(IrOp::Fabs)) => 0x194c0b83f,
        Made(Ir(IrOp::Fneg)) => 0x7a4c0b83f,
        Made(Hw(Opcode::Iadd)) => 0x1c4c0b83f,
        _ => 0x184c0b83f,
    };
    if rules == 0 { return 0; }
    let rules = rules & match s.shape(1) {
        Constant(0x0) => 0x602f9dddf,
        Constant(0x1) => 0x602ff7bdf,
        Constant(0xff) | Constant(0xffff) | Constant(0xffffffff) | Constant(0xffffffffffffffff) => 0x602fd59df,
        Made(Ir(IrOp::Select)) => 0x602f959ff,
        Made(Hw(Opcode::Fmul)) => 0x607f959df,
        Made(Hw(Opcode::Fadd)) => 0x60af959df,
        Made(Ir(IrOp::Fabs)) => 0x612f959df,
        Made(Ir(IrOp::Fneg)) => 0x7a2f959df,
        Made(Hw(Opcode::Iadd)) => 0x642f959df,
        _ => 0x602f959df,
    };
    if rules == 0 { return 0; }
    let rules = rules & match s.shape(0) {
        Constant(0x0) => 0x7f07fe66,
        Constant(0x1) => 0x7f07fe65,
        Made(Hw(Opcode::Bitop)) => 0x7fe7fe6c,
        Made(Ir(IrOp::Fcmp)) => 0x7ff0ffe74,
        Made(Ir(IrOp::Icmp)) => 0x7f17ffe4,
        _ => 0x7f07fe64,
    };
    if rules == 0 { return 0; }
    let rules = rules & match s.equal(0, 1) { true => 0x7ffffffff, _ => 0x7fffff7ff, };
    if rules == 0 { return 0; }
    let rules = rules & match s.equal(0, 2) { true => 0x7ffffffff, _ => 0x7ffffefff, };
    if rules == 0 { return 0; }
    let rules = rules & match s.equal(1, 2) { true => 0x7ffffffff, _ => 0x7fffffffb, };
    if rules == 0 { return 0; }
    let rules = rules & match s.repeats(0, 1) { true => 0x7ffffffff, _ => 0x1ffffffff, };
    if rules == 0 { return 0; }
    let rules = rules & match s.repeats(1, 0) { true => 0x7ffffffff, _ => 0x7ffffffdf, };
    if rules == 0 { return 0; }
    let rules = rules & match s.repeats(0, 2) { true => 0x7ffffffff, _ => 0x67fffffff, };
    if rules == 0 { return 0; }
    let rules = rules & match s.repeats(2, 0) { true => 0x7ffffffff, _ => 0x7ffffffbf, };
    if rules == 0 { return 0; }
    let rules = rules & match s.repeats(1, 2) { true => 0x7ffffffff, _ => 0x67bffffff, };
    if rules == 0 { return 0; }
    rules & match s.repeats(2, 1) { true => 0x7ffffffff, _ => 0x1fdffffff, }
}

fn icmp(s: Subject<'_, '_>) -> u128 {
    let rules = match s.modifier(0) { 1 => 0x3ffff, _ => 0x3fffb, };
    if rules == 0 { return 0; }
    let rules = rules & match s.shape(1) {
        Constant(0x0) => 0x399e7,
        Constant(0x1) => 0x2061b,
        Constant(_) => 0x20003,
        Made(Ir(IrOp::Uconv)) => 0x2002,
        Made(Ir(IrOp::Sconv)) => 0x4002,
        _ => 0x2,
    };
    if rules == 0 { return 0; }
    let rules = rules & match s.shape(0) {
        Made(Ir(IrOp::Select)) => 0x7f,
        Made(Ir(IrOp::Uconv)) => 0x27fe,
        Made(Ir(IrOp::Sconv)) => 0x587e,
        Made(Hw(Opcode::Isub)) => 0x807e,
        Made(Hw(Opcode::Bitop)) => 0x1007e,
        Made(Hw(Opcode::Iadd)) => 0x2007e,
        _ => 0x7e,
    };
    if rules == 0 { return 0; }
    rules & match s.equal(0, 1) { true => 0x3ffff, _ => 0x3fffd, }
}

fn fcmp(s: Subject<'_, '_>) -> u128 {
    let rules = match s.shape(1) {
        Constant(_) => 0x2,
        Made(Ir(IrOp::Fconv)) => 0x1,
        _ => 0x0,
    };
    if rules == 0 { return 0; }
    rules & match s.shape(0) {
        Made(Ir(IrOp::Fconv)) => 0x1,
        Made(Ir(IrOp::Select)) => 0x2,
        _ => 0x0,
    }
}

fn uconv(s: Subject<'_, '_>) -> u128 {
    match s.shape(0) {
        Made(Hw(Opcode::Iadd)) => 0x44443,
        Made(Hw(Opcode::Isub)) => 0x88c,
        Made(Ir(IrOp::Imul)) => 0x89130,
        Made(Hw(Opcode::Bitop)) => 0x122200,
        Made(Ir(IrOp::Shl)) => 0x10000,
        Made(Ir(IrOp::Uconv)) => 0xe00000,
        Made(Ir(IrOp::Sconv)) => 0x7000000,
        _ => 0x0,
    }
}

fn sconv(s: Subject<'_, '_>) -> u128 {
    match s.shape(0) {
        Made(Ir(IrOp::Sconv)) => 0x3,
        Made(Ir(IrOp::Uconv)) => 0xc,
        _ => 0x0,
    }
}

fn fconv(s: Subject<'_, '_>) -> u128 {
    match s.shape(0) {
        Made(Ir(IrOp::Fconv)) => 0x1,
        Made(Hw(Opcode::Fadd)) => 0xa,
        Made(Hw(Opcode::Fmul)) => 0x14,
        Made(Ir(IrOp::Fmin)) => 0xa0,
        Made(Ir(IrOp::Fmax)) => 0x140,
        Made(Ir(IrOp::Fsat)) => 0x200,
        Made(Ir(IrOp::Fneg)) => 0x400,
        Made(Ir(IrOp::Fabs)) => 0x800,
        _ => 0x0,
    }
}

fn fneg(s: Subject<'_, '_>) -> u128 {
    match s.shape(0) {
        Made(Ir(IrOp::Fneg)) => 0x1,
        Made(Ir(IrOp::Select)) => 0x2,
        _ => 0x0,
    }
}

fn fabs(s: Subject<'_, '_>) -> u128 {
    match s.shape(0) {
        Made(Ir(IrOp::Fneg)) => 0x1,
        Made(Ir(IrOp::Fabs)) => 0x2,
        _ => 0x0,
    }
}

fn fsat(s: Subject<'_, '_>) -> u128 {
    match s.shape(0) {
        Made(Ir(IrOp::Fsat)) => 0x1,
        Made(Ir(IrOp::Fmax)) => 0x2,
        Made(Ir(IrOp::Fmin)) => 0x4,
        _ => 0x0,
    }
}

fn fmin(s: Subject<'_, '_>) -> u128 {
    let rules = match s.shape(1) {
        Constant(0x3c00) | Constant(0x3f800000) => 0x7e,
        Constant(_) => 0x1e,
        Made(Ir(IrOp::Fabs)) => 0xd,
        _ => 0xc,
    };
    if rules == 0 { return 0; }
    let rules = rules & match s.shape(0) {
        Made(Ir(IrOp::Fabs)) => 0x47,
        Made(Ir(IrOp::Fmin)) => 0x5c,
        Made(Ir(IrOp::Fmax)) => 0x64,
        _ => 0x44,
    };
    if rules == 0 { return 0; }
    rules & match s.equal(0, 1) { true => 0x7f, _ => 0x7b, }
}

fn fmax(s: Subject<'_, '_>) -> u128 {
    let rules = match s.shape(1) {
        Constant(0x0) => 0x7e,
        Constant(_) => 0x3e,
        Made(Ir(IrOp::Fabs)) => 0xd,
        _ => 0xc,
    };
    if rules == 0 { return 0; }
    let rules = rules & match s.shape(0) {
        Made(Ir(IrOp::Fabs)) => 0x67,
        Made(Ir(IrOp::Fmax)) => 0x7c,
        _ => 0x64,
    };
    if rules == 0 { return 0; }
    rules & match s.equal(0, 1) { true => 0x7f, _ => 0x7b, }
}

fn imin(s: Subject<'_, '_>) -> u128 {
    match s.equal(0, 1) { true => 0x1, _ => 0x0, }
}

fn imax(s: Subject<'_, '_>) -> u128 {
    match s.equal(0, 1) { true => 0x1, _ => 0x0, }
}

fn umin(s: Subject<'_, '_>) -> u128 {
    let rules = match s.shape(1) {
        Constant(0x0) => 0xb,
        Constant(0x1) | Constant(0xff) | Constant(0xffff) | Constant(0xffffffff) | Constant(0xffffffffffffffff) => 0xd,
        Constant(_) => 0x9,
        _ => 0x1,
    };
    if rules == 0 { return 0; }
    let rules = rules & match s.shape(0) { Made(Ir(IrOp::Umin)) => 0xf, _ => 0x7, };
    if rules == 0 { return 0; }
    rules & match s.equal(0, 1) { true => 0xf, _ => 0xe, }
}

fn umax(s: Subject<'_, '_>) -> u128 {
    let rules = match s.shape(1) {
        Constant(0x0) => 0x3,
        Constant(0x1) | Constant(0xff) | Constant(0xffff) | Constant(0xffffffff) | Constant(0xffffffffffffffff) => 0x5,
        _ => 0x1,
    };
    if rules == 0 { return 0; }
    rules & match s.equal(0, 1) { true => 0x7, _ => 0x6, }
}

fn fadd(s: Subject<'_, '_>) -> u128 {
    let rules = match s.shape(1) {
        Constant(0x0) => 0x14fab,
        Constant(0x8000) | Constant(0x80000000) => 0x14fad,
        Constant(_) => 0x14fa9,
        Made(Ir(IrOp::Fneg)) => 0x14870,
        Made(Hw(Opcode::Fmul)) => 0x157820,
        Made(Hw(Opcode::Fadd)) => 0xe1c820,
        Made(Hw(Opcode::Ffma)) => 0x30b4820,
        _ => 0x14820,
    };
    if rules == 0 { return 0; }
    let rules = rules & match s.shape(0) {
        Made(Ir(IrOp::Select)) => 0x2901f,
        Made(Ir(IrOp::Fneg)) => 0x29577,
        Made(Hw(Opcode::Fadd)) => 0x172d097,
        Made(Hw(Opcode::Ffma)) => 0x2879217,
        Made(Hw(Opcode::Fmul)) => 0xab817,
        _ => 0x29017,
    };
    if rules == 0 { return 0; }
    let rules = rules & match s.repeats(0, 1) { true => 0x3ffffff, _ => 0x3fef7df, };
    if rules == 0 { return 0; }
    rules & match s.repeats(1, 0) { true => 0x3ffffff, _ => 0x3fdefef, }
}

fn hadd(s: Subject<'_, '_>) -> u128 {
    let rules = match s.shape(1) {
        Constant(0x0) => 0x14fab,
        Constant(0x8000) | Constant(0x80000000) => 0x14fad,
        Constant(_) => 0x14fa9,
        Made(Ir(IrOp::Fneg)) => 0x14870,
        Made(Hw(Opcode::Hmul)) => 0x157820,
        Made(Hw(Opcode::Hadd)) => 0xe1c820,
        Made(Hw(Opcode::Hfma)) => 0x30b4820,
        _ => 0x14820,
    };
    if rules == 0 { return 0; }
    let rules = rules & match s.shape(0) {
        Made(Ir(IrOp::Select)) => 0x2901f,
        Made(Ir(IrOp::Fneg)) => 0x29577,
        Made(Hw(Opcode::Hadd)) => 0x172d097,
        Made(Hw(Opcode::Hfma)) => 0x2879217,
        Made(Hw(Opcode::Hmul)) => 0xab817,
        _ => 0x29017,
    };
    if rules == 0 { return 0; }
    let rules = rules & match s.repeats(0, 1) { true => 0x3ffffff, _ => 0x3fef7df, };
    if rules == 0 { return 0; }
    rules & match s.repeats(1, 0) { true => 0x3ffffff, _ => 0x3fdefef, }
}

fn fmul(s: Subject<'_, '_>) -> u128 {
    let rules = match s.shape(1) {
        Constant(0x0) => 0xed4,
        Constant(0x3c00) | Constant(0x3f800000) => 0xed1,
        Constant(0x8000) | Constant(0x80000000) => 0xed8,
        Constant(0xbc00) | Constant(0xbf800000) => 0xed2,
        Constant(_) => 0xed0,
        Made(Ir(IrOp::Fneg)) => 0x1a0,
        Made(Hw(Opcode::Fmul)) => 0x1080,
        Made(Ir(IrOp::Select)) => 0x2080,
        _ => 0x80,
    };
    if rules == 0 { return 0; }
    rules & match s.shape(0) {
        Made(Hw(Opcode::Fmul)) => 0x111f,
        Made(Ir(IrOp::Fneg)) => 0x1ef,
        Made(Hw(Opcode::Fadd)) => 0x70f,
        Made(Hw(Opcode::Ffma)) => 0x90f,
        Made(Ir(IrOp::Select)) => 0x210f,
        _ => 0x10f,
    }
}

fn hmul(s: Subject<'_, '_>) -> u128 {
    let rules = match s.shape(1) {
        Constant(0x0) => 0xed4,
        Constant(0x3c00) | Constant(0x3f800000) => 0xed1,
        Constant(0x8000) | Constant(0x80000000) => 0xed8,
        Constant(0xbc00) | Constant(0xbf800000) => 0xed2,
        Constant(_) => 0xed0,
        Made(Ir(IrOp::Fneg)) => 0x1a0,
        _ => 0x80,
    };
    if rules == 0 { return 0; }
    rules & match s.shape(0) {
        Made(Hw(Opcode::Hmul)) => 0x11f,
        Made(Ir(IrOp::Fneg)) => 0x1ef,
        Made(Hw(Opcode::Hadd)) => 0x70f,
        Made(Hw(Opcode::Hfma)) => 0x90f,
        _ => 0x10f,
    }
}

fn exp2(s: Subject<'_, '_>) -> u128 {
    match s.shape(0) {
        Made(Hw(Opcode::Log2)) => 0x1,
        Made(Hw(Opcode::Fmul)) => 0x3fe,
        Made(Ir(IrOp::Fneg)) => 0x400,
        _ => 0x0,
    }
}

fn rcp(s: Subject<'_, '_>) -> u128 {
    match s.shape(0) {
        Made(Hw(Opcode::Exp2)) => 0x1,
        Made(Hw(Opcode::Rcp)) => 0x2,
        Made(Hw(Opcode::Fmul)) => 0xc,
        _ => 0x0,
    }
}

fn log2(s: Subject<'_, '_>) -> u128 {
    match s.shape(0) { Made(Hw(Opcode::Exp2)) => 0x1, _ => 0x0, }
}

fn s32_to_f(s: Subject<'_, '_>) -> u128 {
    let rules = match s.modifier(0) { 1 => 0xf, _ => 0x0, };
    if rules == 0 { return 0; }
    rules & match s.shape(0) {
        Made(Hw(Opcode::FToS32)) => 0x1,
        Made(Ir(IrOp::Uconv)) => 0x2,
        Made(Ir(IrOp::Sconv)) => 0x4,
        Made(Ir(IrOp::Select)) => 0x8,
        _ => 0x0,
    }
}

fn u32_to_f(s: Subject<'_, '_>) -> u128 {
    let rules = match s.modifier(0) { 1 => 0x1, _ => 0x0, };
    if rules == 0 { return 0; }
    rules & match s.shape(0) { Made(Ir(IrOp::Uconv)) => 0x1, _ => 0x0, }
}

fn f_to_s32(s: Subject<'_, '_>) -> u128 {
    let rules = match s.modifier(0) { 0 => 0x1, _ => 0x0, };
    if rules == 0 { return 0; }
    rules & match s.shape(0) { Made(Hw(Opcode::Trunc)) => 0x1, _ => 0x0, }
}

fn f_to_u32(s: Subject<'_, '_>) -> u128 {
    let rules = match s.modifier(0) { 0 => 0x1, _ => 0x0, };
    if rules == 0 { return 0; }
    rules & match s.shape(0) { Made(Hw(Opcode::Trunc)) => 0x1, _ => 0x0, }
}

fn fadd64(s: Subject<'_, '_>) -> u128 {
    let rules = match s.shape(1) { Constant(_) => 0x3, _ => 0x2, };
    if rules == 0 { return 0; }
    rules & match s.shape(0) { Constant(_) => 0x3, _ => 0x1, }
}

fn ffma(s: Subject<'_, '_>) -> u128 {
    let rules = match s.shape(2) {
        Constant(0x0) => 0x13fd,
        Constant(0x8000) | Constant(0x80000000) => 0x13fe,
        Constant(_) => 0x13fc,
        Made(Hw(Opcode::Fmul)) => 0x4fc,
        Made(Hw(Opcode::Ffma)) => 0x8fc,
        _ => 0xfc,
    };
    if rules == 0 { return 0; }
    let rules = rules & match s.shape(1) {
        Constant(0x0) => 0x1f8f,
        Constant(0x3c00) | Constant(0x3f800000) => 0x1fab,
        Constant(0x8000) | Constant(0x80000000) => 0x1f9b,
        Constant(0xbc00) | Constant(0xbf800000) => 0x1fcb,
        Constant(_) => 0x1f8b,
        _ => 0xb,
    };
    if rules == 0 { return 0; }
    let rules = rules & match s.shape(0) {
        Constant(0x0) => 0xc7f,
        Made(Ir(IrOp::Fneg)) => 0xcf7,
        Made(Hw(Opcode::Fmul)) => 0xd77,
        Made(Hw(Opcode::Fadd)) => 0xe77,
        Made(Hw(Opcode::Ffma)) => 0x1c77,
        _ => 0xc77,
    };
    if rules == 0 { return 0; }
    rules & match s.repeats(2, 0) { true => 0x1fff, _ => 0x13ff, }
}

fn hfma(s: Subject<'_, '_>) -> u128 {
    let rules = match s.shape(2) {
        Constant(0x0) => 0x13fd,
        Constant(0x8000) | Constant(0x80000000) => 0x13fe,
        Constant(_) => 0x13fc,
        Made(Hw(Opcode::Hmul)) => 0x4fc,
        Made(Hw(Opcode::Hfma)) => 0x8fc,
        _ => 0xfc,
    };
    if rules == 0 { return 0; }
    let rules = rules & match s.shape(1) {
        Constant(0x0) => 0x1f8f,
        Constant(0x3c00) | Constant(0x3f800000) => 0x1fab,
        Constant(0x8000) | Constant(0x80000000) => 0x1f9b,
        Constant(0xbc00) | Constant(0xbf800000) => 0x1fcb,
        Constant(_) => 0x1f8b,
        _ => 0xb,
    };
    if rules == 0 { return 0; }
    let rules = rules & match s.shape(0) {
        Constant(0x0) => 0xc7f,
        Made(Ir(IrOp::Fneg)) => 0xcf7,
        Made(Hw(Opcode::Hmul)) => 0xd77,
        Made(Hw(Opcode::Hadd)) => 0xe77,
        Made(Hw(Opcode::Hfma)) => 0x1c77,
        _ => 0xc77,
    };
    if rules == 0 { return 0; }
    rules & match s.repeats(2, 0) { true => 0x1fff, _ => 0x13ff, }
}
