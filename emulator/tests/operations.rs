//! Operations without a recorded execution, one by one, through machine code. Expected values follow applegpu's
//! documentation (shifts, selects, masks, lanes) and Mesa's use of the instruction (conversions, special functions).

mod support;

use agx_emulator::{LANES, Memory, Simd};
use agx_isa::inst::{Inst, Operand, OperandFlags, Size};
use agx_isa::table::Opcode;
use agx_isa::{Opcode as Op, encode};
use support::*;

/// Runs one instruction with a = r1, b = r2, c = x = r3, y = r5, dst = r4, if it has such operands.
fn execute(simd: &mut Simd, op: Opcode, more: &[(&str, Operand)]) {
    let mut inst = Inst::new(op);
    for (name, register) in [("a", 1), ("b", 2), ("c", 3), ("x", 3), ("y", 5), ("dst", 4)] {
        if inst.operand(name).is_some() {
            inst.set(name, r(register));
        }
    }
    more.iter().for_each(|(name, operand)| inst.set(name, *operand));
    let bytes = encode(&inst).unwrap_or_else(|error| panic!("{op:?}: {error}"));
    step(simd, &mut Memory::new(), &bytes).unwrap_or_else(|stop| panic!("{stop}"));
}

fn set(simd: &mut Simd, register: u8, lane: usize, value: u32) {
    simd.set_register(2 * register, lane, value as u16);
    simd.set_register(2 * register + 1, lane, (value >> 16) as u16);
}

fn get(simd: &Simd, register: u8, lane: usize) -> u32 {
    u32::from(simd.register(2 * register, lane)) | u32::from(simd.register(2 * register + 1, lane)) << 16
}

/// A SIMD-group with these values in r1, r2, r3 and 0 in r4, r5.
fn with(values: [u32; 3]) -> Simd {
    let mut simd = Simd::new();
    for lane in 0..LANES {
        for (register, value) in (1..).zip(values.into_iter().chain([0, 0])) {
            set(&mut simd, register, lane, value);
        }
    }
    simd
}

fn compute(op: Opcode, values: [u32; 3], more: &[(&str, Operand)]) -> u32 {
    let mut simd = with(values);
    execute(&mut simd, op, more);
    get(&simd, 4, 7)
}

#[test]
fn shifts_and_interleaving() {
    let (a, b) = (0xaabb_ccdd, 0x1234_5678);
    let cases = [
        (Op::Shlhi, a, b, 40, 0x3456_78dd),
        (Op::Shlhi, a, b, 8, 0x12),
        (Op::Shrhi, a, b, 8, 0x78bb_ccdd),
        (Op::Shrhi, a, b, 32, 0x1234_5678),
        (Op::Extr, a, b, 16, 0x5678_aabb),
        (Op::Extr, a, b, 72, 0),
        (Op::Bfi, 0, b, 127, 0),
        (Op::Bfeil, 0, b, 28, 1),
        (Op::Asrh, 0x8000_0000, 36, 0, 0xf800_0000),
        (Op::Asrh, 0x8000_0001, 4, 0, 0x1000_0000),
        (Op::Asr, 0x8000_0000, 127, 0, 0xffff_ffff),
        (Op::Intl, 0xffff, 0, 0, 0x5555_5555),
        (Op::Intl, 1, 0xffff, 0, 0xaaaa_aaab),
        (Op::Popcnt, 0xf0f0_0001, 0, 0, 9),
        (Op::Bitrev, 1, 0, 0, 0x8000_0000),
        (Op::Ffs, 0x0002_0001, 0, 0, 17),
        (Op::Ffs, 0, 0, 0, u32::MAX),
    ];
    for (op, a, b, c, result) in cases {
        assert_eq!(compute(op, [a, b, c], &[]), result, "{op:?} {a:#x} {b:#x} {c}");
    }
}

#[test]
fn field_widths() {
    let (a, b) = (0xaabb_ccdd, 0x1234_5678);
    let cases = [
        (Op::Bfi, a, 0, 8, 8, 0xaabb_00dd),
        (Op::Bfeil, a, b, 4, 8, 0xaabb_cc67),
        (Op::Extr, a, b, 28, 8, 0x8a),
        (Op::Shlhi, a, b, 40, 8, 0xaabb_78dd),
        (Op::Shrhi, a, b, 8, 4, 0xa8bb_ccdd),
    ];
    for (op, a, b, c, width, result) in cases {
        assert_eq!(compute(op, [a, b, c], &[("width", i(width))]), result, "{op:?} {c} {width}");
    }
}

#[test]
fn products_and_sums_of_integers() {
    let (minus, shift) = (sx(h(2)), ("shift", i(2)));
    assert_eq!(compute(Op::Imadd, [3, 5, 7], &[shift]), 43);
    assert_eq!(compute(Op::Imsub, [3, 5, 7], &[shift]), -13_i32 as u32);
    assert_eq!(compute(Op::Imadd, [0xffff, 5, 1], &[("a", minus)]), -4_i32 as u32);
    assert_eq!(compute(Op::Imsub, [0xffff, 5, 1], &[("a", minus)]), -6_i32 as u32);
    assert_eq!(compute(Op::Isub, [0xffff, 0, 0], &[("a", i(10)), ("b", minus)]), 11);
    let sat = ("sat", i(1));
    assert_eq!(compute(Op::Imadd, [u32::MAX, 2, 0], &[sat]), u32::MAX);
    assert_eq!(compute(Op::Isub, [3, 5, 0], &[sat]), 0);
    assert_eq!(compute(Op::Iadd, [0x7fff_ffff, 5, 0], &[("a", sx(r(1))), ("b", sx(r(2))), sat]), 0x7fff_ffff);
}

#[test]
fn bitwise_tables() {
    let (a, b) = (0x0f0f_00ff_u32, 0x3333_5555_u32);
    for table in 0..16_u32 {
        let term = |bit: u32, value: u32| if table >> bit & 1 != 0 { value } else { 0 };
        let expected = match table {
            // The two tables that do not follow the rule.
            0b0011 | 0b1100 => a,
            _ => term(0, !a & !b) | term(1, a & !b) | term(2, !a & b) | term(3, a & b),
        };
        let found = compute(Op::Bitop, [a, b, 0], &[("table", Operand::imm(table))]);
        assert_eq!(found, expected, "table {table:04b}");
    }
}

#[test]
fn conversions() {
    let f = f32::to_bits;
    // (operation, rounding: 0 toward zero, 1 to nearest even; source, result)
    let cases = [
        (Op::U8ToF, 1, 0x1ff, f(255.0)),
        (Op::S8ToF, 1, 0xff, f(-1.0)),
        (Op::U16ToF, 1, 0x1_ffff, f(65535.0)),
        (Op::S16ToF, 1, 0xffff, f(-1.0)),
        (Op::U32ToF, 1, u32::MAX, f(4_294_967_296.0)),
        (Op::U32ToF, 0, u32::MAX, f(4_294_967_040.0)),
        (Op::S32ToF, 1, -7_i32 as u32, f(-7.0)),
        (Op::S32ToF, 0, 0x8000_0001, f(-2_147_483_520.0)),
        (Op::FToU32, 0, f(3.7), 3),
        (Op::FToU32, 1, f(3.7), 4),
        (Op::FToU32, 1, f(2.5), 2),
        (Op::FToU32, 0, f(-1.0), 0),
        (Op::FToU32, 0, f(1e20), u32::MAX),
        (Op::FToS32, 0, f(-3.7), -3_i32 as u32),
        (Op::FToS32, 0, f(f32::NAN), 0),
        (Op::FToS32, 0, f(-1e20), 0x8000_0000),
        (Op::FToU16, 0, f(65535.9), 65535),
        (Op::FToS16, 0, f(100.5), 100),
        (Op::FToU16, 1, f(2.7), 3),
        (Op::FToS16, 1, f(100.7), 101),
        (Op::FToS32, 1, f(-3.7), -4_i32 as u32),
        (Op::S32ToF, 1, 0x7fff_ffff, f(2_147_483_648.0)),
    ];
    for (op, round, source, result) in cases {
        let found = compute(op, [source, 0, 0], &[("round", i(round))]);
        assert_eq!(found, result, "{op:?} of {source:#x}, rounding {round}");
    }
}

#[test]
fn conversions_to_halves_round_once() {
    // 2051 lies between 2050 (0x6801) and 2052 (0x6802).
    for (op, source, round, result) in [
        (Op::U16ToF, 2051, 1, 0x6802),
        (Op::U16ToF, 2051, 0, 0x6801),
        (Op::S16ToF, -2051_i32 as u32, 1, 0xe802),
        (Op::S16ToF, -2051_i32 as u32, 0, 0xe801),
    ] {
        let mut simd = with([source, 0, 0]);
        execute(&mut simd, op, &[("dst", h(8)), ("round", i(round))]);
        assert_eq!(simd.register(8, 0), result, "{op:?} {source:#x} rounding {round}");
    }
}

#[test]
fn unary_operations_take_modifiers() {
    // (operation, source, its absolute value negated, result); then a source whose result saturates, and the saturated
    // result.
    let cases: &[(Opcode, f32, bool, f32, f32, f32)] = &[
        (Op::Floor, -1.5, false, 1.0, 7.5, 1.0),
        (Op::Ceil, -1.5, false, 2.0, 7.5, 1.0),
        (Op::Trunc, -1.5, false, 1.0, 7.5, 1.0),
        (Op::Rint, -3.5, false, 4.0, 7.5, 1.0),
        (Op::Rcp, 4.0, true, -0.25, 0.25, 1.0),
        (Op::Rsqrt, -16.0, false, 0.25, 0.0625, 1.0),
        (Op::Rsqrts, -16.0, false, 0.25, 0.0625, 1.0),
        (Op::Log2, -8.0, false, 3.0, 8.0, 1.0),
        (Op::Exp2, 3.0, true, 0.125, 3.0, 1.0),
        (Op::Sinr, -1.0, false, 1.0, 3.0, 0.0),
        (Op::Sinc, 0.0, false, std::f32::consts::FRAC_PI_2, 0.0, 1.0),
    ];
    for (op, source, negated, result, large, saturated) in cases {
        let flags = if *negated { OperandFlags::ABS | OperandFlags::NEG } else { OperandFlags::ABS };
        let found = compute(*op, [source.to_bits(), 0, 0], &[("a", r(1).with(flags))]);
        assert_eq!(f32::from_bits(found), *result, "{op:?} of {source} with modifiers");
        let found = compute(*op, [large.to_bits(), 0, 0], &[("sat", i(1))]);
        assert_eq!(f32::from_bits(found), *saturated, "{op:?} of {large}, saturated");
    }
}

#[test]
fn halves_saturate_and_negate() {
    // 1.5, 2.0, 0.5 in the low halves of r1, r2, r3.
    let (one_and_half, two, half) = (0x3e00, 0x4000, 0x3800);
    let neg = |operand: Operand| operand.with(OperandFlags::NEG);
    let (a, b, c) = (h(2), h(4), h(6));
    type Operands = Vec<(&'static str, Operand)>;
    let cases: [(Opcode, Operands, u16); 6] = [
        (Op::Hadd, vec![("a", a), ("b", b), ("sat", i(1))], 0x3c00),
        (Op::Hmul, vec![("a", a), ("b", b), ("sat", i(1))], 0x3c00),
        (Op::Hfma, vec![("a", a), ("b", b), ("c", c), ("sat", i(1))], 0x3c00),
        (Op::Hadd, vec![("a", a), ("b", neg(b))], 0xb800),
        (Op::Hmul, vec![("a", neg(a)), ("b", b)], 0xc200),
        (Op::Hfma, vec![("a", a), ("b", b), ("c", neg(c))], 0x4100),
    ];
    for (op, mut operands, result) in cases {
        let mut simd = with([one_and_half, two, half]);
        operands.push(("dst", h(8)));
        execute(&mut simd, op, &operands);
        assert_eq!(simd.register(8, 0), result, "{op:?} {operands:?}");
    }
    let found = compute(Op::Fmul, [1.5_f32.to_bits(), 2.0_f32.to_bits(), 0], &[("a", neg(r(1)))]);
    assert_eq!(f32::from_bits(found), -3.0);
}

#[test]
fn matrices_of_halves() {
    // All ones times all twos plus ones: 8 · 1 · 2 + 1 in every element.
    let both = |half: u32| half | half << 16;
    let mut simd = with([both(0x3c00), both(0x4000), both(0x3c00)]);
    let operands = [("dst", h(8)), ("a", h(2)), ("b", h(4)), ("c", h(6))];
    execute(&mut simd, Op::SimdMatrixFmadd16, &operands);
    for lane in 0..LANES {
        assert_eq!(get(&simd, 4, lane), both(0x4c40), "lane {lane}");
    }
}

#[test]
fn rounding_and_special_functions() {
    let cases: &[(Opcode, f32, f32)] = &[
        (Op::Floor, -1.5, -2.0),
        (Op::Ceil, -1.5, -1.0),
        (Op::Trunc, -1.5, -1.0),
        (Op::Trunc, 1.5, 1.0),
        (Op::Rint, 2.5, 2.0),
        (Op::Rint, 3.5, 4.0),
        (Op::Rcp, 4.0, 0.25),
        (Op::Rcp, -0.0, f32::NEG_INFINITY),
        (Op::Rcp, f32::INFINITY, 0.0),
        (Op::Rsqrt, 16.0, 0.25),
        (Op::Rsqrt, 0.0, f32::INFINITY),
        (Op::Rsqrts, 16.0, 0.25),
        (Op::Log2, 8.0, 3.0),
        (Op::Log2, 0.0, f32::NEG_INFINITY),
        (Op::Exp2, -3.0, 0.125),
        (Op::Exp2, f32::NEG_INFINITY, 0.0),
    ];
    for (op, source, result) in cases {
        let found = f32::from_bits(compute(*op, [source.to_bits(), 0, 0], &[]));
        assert_eq!(found, *result, "{op:?} of {source}");
    }
    for op in [Op::Rcp, Op::Rsqrt, Op::Log2, Op::Exp2, Op::Floor] {
        assert!(f32::from_bits(compute(op, [f32::NAN.to_bits(), 0, 0], &[])).is_nan(), "{op:?} of NaN");
    }
    // x · rsqrts(x) is also the square root of the special cases.
    for special in [0.0_f32, f32::INFINITY] {
        let factor = f32::from_bits(compute(Op::Rsqrts, [special.to_bits(), 0, 0], &[]));
        assert_eq!(special * factor, special);
    }
}

#[test]
fn sine_in_two_parts() {
    for quarter_turns in [0.0_f32, 0.25, 0.5, 1.0, 1.5, 1.75, 2.5, 3.0, 3.5] {
        let folded = compute(Op::Sinr, [quarter_turns.to_bits(), 0, 0], &[]);
        let ratio = compute(Op::Sinc, [folded, 0, 0], &[]);
        let found = f64::from(f32::from_bits(folded)) * f64::from(f32::from_bits(ratio));
        let expected = (f64::from(quarter_turns) * std::f64::consts::FRAC_PI_2).sin();
        assert!((found - expected).abs() < 1e-6, "{quarter_turns}: {found} instead of {expected}");
    }
}

#[test]
fn saturation_and_modifiers() {
    let float = |value: f32| value.to_bits();
    let cases = [
        (Op::Fadd, 3.0, 4.0, 1.0),
        (Op::Fadd, -3.0, 1.0, 0.0),
        (Op::Fmul, f32::NAN, 1.0, 0.0),
        (Op::Fmul, 0.5, 0.5, 0.25),
        (Op::Floor, 7.5, 0.0, 1.0),
    ];
    for (op, a, b, result) in cases {
        let found = compute(op, [float(a), float(b), 0], &[("sat", i(1))]);
        assert_eq!(f32::from_bits(found), result, "{op:?} {a} {b}");
    }
    let modified = r(1).with(OperandFlags::ABS | OperandFlags::NEG);
    let found = compute(Op::Fadd, [float(-2.0), float(5.0), 0], &[("a", modified)]);
    assert_eq!(f32::from_bits(found), 3.0, "the absolute value is negated");
}

#[test]
fn selects_where_nan_loses() {
    let nan = f32::NAN.to_bits();
    let one = 1.0_f32.to_bits();
    let two = 2.0_f32.to_bits();
    // (condition, a, b, whether the first result is selected)
    let cases = [
        (3, one, nan, true),
        (3, nan, one, false),
        (3, one, two, true),
        (7, one, nan, true),
        (7, two, one, true),
        (7, nan, two, false),
        (4, one, one, false),
    ];
    for (condition, a, b, first) in cases {
        let found = compute(Op::Fcsel, [a, b, 77], &[("cond", i(condition))]);
        assert_eq!(found, if first { 77 } else { 0 }, "condition {condition} of {a:#x}, {b:#x}");
    }
}

/// Nesting levels of all lanes and whether the comparison holds, and the levels after the instruction.
#[test]
fn masks_compare_and_count() {
    // r1 = lane, compared with 16: true in lanes 0 to 15. Levels are lane & 3.
    let expected = |op: Opcode, level: u16, held: bool, nest: u16| match op {
        Op::IfIcmp | Op::IfFcmp if level == 0 => u16::from(!held),
        Op::IfIcmp | Op::IfFcmp => level + nest,
        Op::ElseIcmp | Op::ElseFcmp => match level {
            0 => nest,
            1 => u16::from(!held),
            _ => level,
        },
        Op::WhileIcmp | Op::WhileFcmp if level < nest => {
            if held {
                0
            } else {
                nest
            }
        }
        Op::PopExec => level.saturating_sub(nest),
        _ => level,
    };
    for op in [Op::IfIcmp, Op::IfFcmp, Op::ElseIcmp, Op::ElseFcmp, Op::WhileIcmp, Op::WhileFcmp, Op::PopExec]
    {
        for (nest, inverted) in [(1, false), (2, false), (2, true), (0, false)] {
            let mut simd = with([0; 3]);
            let float = matches!(op, Op::IfFcmp | Op::ElseFcmp | Op::WhileFcmp);
            for lane in 0..LANES {
                let number = |value: u32| if float { (value as f32).to_bits() } else { value };
                set(&mut simd, 1, lane, number(lane as u32));
                set(&mut simd, 2, lane, number(16));
                simd.set_register(0, lane, lane as u16 & 3);
            }
            let mut operands = vec![("nest", i(i32::from(nest)))];
            if op != Op::PopExec {
                operands.extend([("cond", i(1)), ("inv", i(i32::from(inverted)))]);
            }
            execute(&mut simd, op, &operands);
            for lane in 0..LANES {
                let level = expected(op, lane as u16 & 3, (lane < 16) != inverted, nest);
                assert_eq!(simd.register(0, lane), level, "{op:?} {nest} {inverted} lane {lane}");
                assert_eq!(simd.exec() >> lane & 1, u32::from(level == 0), "{op:?} lane {lane}");
            }
        }
    }
}

/// r1 has the lane number, r2 the constant 4; only lanes of `exec` are active.
fn numbered(exec: u32) -> Simd {
    let mut simd = with([0, 4, 0]);
    for lane in 0..LANES {
        set(&mut simd, 1, lane, lane as u32);
    }
    simd.set_exec(exec);
    simd
}

#[test]
fn ballots() {
    let exec = 0x0fff_fff5;
    // (operation, condition, inverted, over the group, result in lane 4)
    let cases = [
        (Op::IcmpBallot, 1, 0, 1, 0x5),
        (Op::IcmpBallot, 1, 1, 1, 0x0fff_fff0),
        (Op::IcmpBallot, 2, 0, 0, 0xe),
        (Op::FcmpBallot, 1, 0, 1, 0x5),
        (Op::FcmpBallot, 0, 0, 0, 0x1),
        (Op::FcmpBallot, 0, 1, 0, 0xe),
    ];
    for (op, condition, inverted, simd, result) in cases {
        let mut group = numbered(exec);
        if op == Op::FcmpBallot {
            (0..LANES).for_each(|lane| {
                set(&mut group, 1, lane, (lane as f32).to_bits());
                set(&mut group, 2, lane, 4.0_f32.to_bits());
            });
        }
        let operands = [("cond", i(condition)), ("inv", i(inverted)), ("simd", i(simd))];
        execute(&mut group, op, &operands);
        assert_eq!(get(&group, 4, 4), result, "{op:?} {condition} {inverted} {simd}");
        assert_eq!(get(&group, 4, 1), 0, "inactive lanes keep their value");
    }
}

#[test]
fn quad_shuffles() {
    type From = fn(usize, usize) -> usize;
    let cases: [(i32, i32, From); 5] = [
        (0, 0, |_, amount| amount),
        (1, 0, |position, amount| position ^ amount),
        (2, 0, |position, amount| if position >= amount { position - amount } else { position }),
        (3, 0, |position, amount| if position + amount < 4 { position + amount } else { position }),
        (2, 1, |position, amount| (position + 4 - amount) & 3),
    ];
    for (op, rotate, from) in cases {
        for amount in 0..4 {
            let mut simd = numbered(u32::MAX);
            let operands = [("b", i(amount)), ("op", i(op)), ("rotate", i(rotate)), ("simd", i(0))];
            execute(&mut simd, Op::Shuffle, &operands);
            for lane in 0..LANES {
                let expected = (lane & !3) + from(lane & 3, amount as usize);
                assert_eq!(get(&simd, 4, lane), expected as u32, "op {op} by {amount}, lane {lane}");
            }
        }
    }
}

/// Group shuffles take the position in the quad from all four indices ORed together.
#[test]
fn shuffle_indices_of_a_quad_are_ored() {
    let mut simd = numbered(0x0000_ff0f);
    for lane in 0..LANES {
        // Lanes 0 to 3 read lanes 0, 1, 2, 3 of their own quad: the union of the positions is 3.
        simd.set_register(4, lane, (lane & 3) as u16);
    }
    execute(&mut simd, Op::Shuffle, &[("b", h(4))]);
    assert_eq!((0..4).map(|lane| get(&simd, 4, lane)).collect::<Vec<_>>(), [3, 3, 3, 3]);
    assert_eq!(get(&simd, 4, 4), 0, "an inactive lane keeps its value");
}

#[test]
fn reductions_and_prefixes() {
    type Combine = fn(u32, u32) -> u32;
    let integers: [(i32, u32, Combine); 8] = [
        (0, u32::MAX, |a, b| a & b),
        (2, 0, |a, b| a | b),
        (4, 0, |a, b| a ^ b),
        (16, 0, u32::wrapping_add),
        (20, i32::MAX as u32, |a, b| (a as i32).min(b as i32) as u32),
        (22, i32::MIN as u32, |a, b| (a as i32).max(b as i32) as u32),
        (28, u32::MAX, u32::min),
        (30, 0, u32::max),
    ];
    let floats: [(i32, u32, Combine); 4] = [
        (1, 0, |a, b| (f32::from_bits(a) + f32::from_bits(b)).to_bits()),
        (3, 0x3f80_0000, |a, b| (f32::from_bits(a) * f32::from_bits(b)).to_bits()),
        (5, 0x7f80_0000, |a, b| f32::from_bits(a).min(f32::from_bits(b)).to_bits()),
        (7, 0xff80_0000, |a, b| f32::from_bits(a).max(f32::from_bits(b)).to_bits()),
    ];
    let exec = 0xffff_7ff6;
    for (op, identity, combine) in integers.into_iter().chain(floats) {
        let is_float = matches!(op, 1 | 3 | 5 | 7);
        let value = |lane: usize| match is_float {
            true => (1.0 + (lane as f32 - 9.0) / 16.0).to_bits(),
            false => (lane as u32).wrapping_mul(0x9e37_79b9),
        };
        for (row, cluster) in [(Op::SimdReduce, LANES), (Op::QuadReduce, 4)] {
            for prefix in [0, 1] {
                let mut simd = numbered(exec);
                (0..LANES).for_each(|lane| set(&mut simd, 1, lane, value(lane)));
                execute(&mut simd, row, &[("op", i(op)), ("prefix", i(prefix))]);
                for lane in (0..LANES).filter(|lane| exec >> lane & 1 != 0) {
                    let start = lane / cluster * cluster;
                    let end = if prefix == 1 { lane } else { start + cluster };
                    let members = (start..end).filter(|lane| exec >> lane & 1 != 0);
                    let expected = members.fold(identity, |total, lane| combine(total, value(lane)));
                    assert_eq!(get(&simd, 4, lane), expected, "{row:?} op {op} prefix {prefix} lane {lane}");
                }
            }
        }
    }
}

#[test]
fn reductions_of_halves() {
    let mut simd = numbered(u32::MAX);
    (0..LANES).for_each(|lane| simd.set_register(2, lane, if lane == 3 { 0x8000 } else { 5 }));
    for (op, expected) in [(20, 0x8000), (28, 5), (30, 0x8000), (22, 5), (16, 0x8000_u16.wrapping_add(155))] {
        execute(&mut simd, Op::SimdReduce, &[("dst", h(8)), ("a", h(2)), ("op", i(op))]);
        assert_eq!(simd.register(8, 9), expected, "op {op}");
    }
    (0..LANES).for_each(|lane| simd.set_register(2, lane, 0x3800));
    for (op, expected) in [(1, 0x4c00), (5, 0x3800), (7, 0x3800)] {
        execute(&mut simd, Op::SimdReduce, &[("dst", h(8)), ("a", h(2)), ("op", i(op))]);
        assert_eq!(simd.register(8, 9), expected, "op {op}");
    }
}

#[test]
fn nan_in_float_reductions() {
    let reduced = |op: i32, special: u32, lane: usize| {
        let mut simd = numbered(u32::MAX);
        (0..LANES).for_each(|at| set(&mut simd, 1, at, (at as f32 + 1.0).to_bits()));
        set(&mut simd, 1, lane, special);
        execute(&mut simd, Op::SimdReduce, &[("op", i(op))]);
        get(&simd, 4, 0)
    };
    let nan = 0x7fc1_2345;
    for lane in [0, 7, 31] {
        // Minimum and maximum of the others; a sum and a product are the canonical NaN.
        let least = if lane == 0 { 2.0_f32 } else { 1.0 };
        let greatest = if lane == 31 { 31.0_f32 } else { 32.0 };
        assert_eq!(reduced(5, nan, lane), least.to_bits(), "minimum, lane {lane}");
        assert_eq!(reduced(7, nan, lane), greatest.to_bits(), "maximum, lane {lane}");
        assert_eq!((reduced(1, nan, lane), reduced(3, nan, lane)), (0x7fc0_0000, 0x7fc0_0000), "{lane}");
    }
}

#[test]
fn wide_integers() {
    // 64-bit destination and addend.
    let mut simd = with([0xffff_ffff, 0xffff_ffff, 0]);
    let wide = Operand::reg(8, Size::B64);
    execute(&mut simd, Op::Imadd, &[("dst", wide), ("c", i(1))]);
    assert_eq!((get(&simd, 4, 0), get(&simd, 5, 0)), (2, 0xffff_fffe));
    execute(&mut simd, Op::Iadd, &[("dst", wide), ("a", wide), ("b", sx(r(1))), ("shift", i(2))]);
    // 0xfffffffe_00000002 + (−1 << 2).
    assert_eq!((get(&simd, 4, 0), get(&simd, 5, 0)), (0xffff_fffe, 0xffff_fffd));
    execute(&mut simd, Op::Isub, &[("dst", wide), ("a", wide), ("b", i(255))]);
    assert_eq!((get(&simd, 4, 0), get(&simd, 5, 0)), (0xffff_feff, 0xffff_fffd));
}
