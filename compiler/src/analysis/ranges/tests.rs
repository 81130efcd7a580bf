//! Random straight-line functions: every value is within its range.

use agx_abi::ShaderInfo;
use agx_isa::semantics::{PureArgs, Source};
use agx_isa::table::Opcode;
use agx_random::Random;
use bumpalo::Bump;

use super::{Range, Walk};
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::{Build, Builder, Function, IrOp, Op, Side, Src, Type, Value};

const OPERATIONS: &[Op] = &[
    Op::Hw(Opcode::Iadd),
    Op::Hw(Opcode::Isub),
    Op::Hw(Opcode::Imadd),
    Op::Hw(Opcode::Imsub),
    Op::Hw(Opcode::Bitop),
    Op::Hw(Opcode::Bitop),
    Op::Hw(Opcode::Bfeil),
    Op::Hw(Opcode::Popcnt),
    Op::Hw(Opcode::Ffs),
    Op::Ir(IrOp::Imul),
    Op::Ir(IrOp::Umulh),
    Op::Ir(IrOp::Shl),
    Op::Ir(IrOp::Ushr),
    Op::Ir(IrOp::Sshr),
    Op::Ir(IrOp::Umin),
    Op::Ir(IrOp::Umax),
    Op::Ir(IrOp::Imin),
    Op::Ir(IrOp::Imax),
    Op::Ir(IrOp::Udiv),
    Op::Ir(IrOp::Umod),
    Op::Ir(IrOp::Sdiv),
    Op::Ir(IrOp::Srem),
    Op::Ir(IrOp::Uconv),
    Op::Ir(IrOp::Sconv),
    Op::Ir(IrOp::Select),
    Op::Ir(IrOp::Icmp),
];

fn constant(random: &mut Random, width: u8) -> Src {
    let bits = match random.below(4) {
        0 => random.next_u64(),
        1 => u64::MAX << random.below(usize::from(width)),
        _ => (1u64 << random.below(usize::from(width))).wrapping_add(random.below(3) as u64).wrapping_sub(1),
    };
    Src::imm(bits, width)
}

/// A value of `width` bits built so far, or a constant.
fn source(b: &Builder<'_, '_>, random: &mut Random, width: u8) -> Src {
    let fitting: Vec<Value> = b.f.values.keys().filter(|value| b.f.ty(*value).bits == width).collect();
    match random.below(3) {
        0 => constant(random, width),
        _ if fitting.is_empty() => constant(random, width),
        _ => fitting[random.below(fitting.len())].into(),
    }
}

fn add_operation(b: &mut Builder<'_, '_>, random: &mut Random) {
    let op = OPERATIONS[random.below(OPERATIONS.len())];
    let width = [16, 32, 32, 64][random.below(4)];
    let mut mods = op.default_mods();
    for (index, name) in op.mod_names().enumerate() {
        match name {
            "table" => mods[index] = [8, 14, 6, 10, 2, 4, 5, 9][random.below(8)],
            "cond" => mods[index] = [0, 1, 2, 4, 5, 6][random.below(6)],
            "inv" => mods[index] = random.below(2) as u32,
            "shift" => mods[index] = random.below(5) as u32,
            "width" => mods[index] = random.below(12) as u32,
            _ => {}
        }
    }
    let (width, sources): (u8, Vec<u8>) = match op {
        Op::Hw(Opcode::Imadd | Opcode::Imsub) => (width, vec![width.min(32), width.min(32), width]),
        Op::Hw(Opcode::Bfeil) => (32, vec![32, 32, 32]),
        Op::Hw(Opcode::Popcnt | Opcode::Ffs) => (32, vec![32]),
        Op::Ir(IrOp::Umulh) => (32, vec![32, 32]),
        Op::Ir(IrOp::Shl | IrOp::Ushr | IrOp::Sshr) => (width, vec![width, 32]),
        Op::Ir(IrOp::Uconv | IrOp::Sconv) => (width, vec![[1, 16, 32, 64][random.below(4)]]),
        Op::Ir(IrOp::Select) => (width, vec![1, width, width]),
        Op::Ir(IrOp::Icmp) => (1, vec![width, width]),
        _ => (width, vec![width, width]),
    };
    let mut srcs: Vec<Src> = sources.iter().map(|width| source(b, random, *width)).collect();
    if op == Op::Hw(Opcode::Bfeil) {
        srcs[0] = Src::imm(0, 32);
    }
    let is_shift = matches!(op, Op::Ir(IrOp::Shl | IrOp::Ushr | IrOp::Sshr));
    if (is_shift || op == Op::Hw(Opcode::Bfeil)) && random.below(2) == 0 {
        let last = srcs.len() - 1;
        srcs[last] = Src::imm32(random.below(70) as u32);
    }
    b.value(op, Type::scalar(width), &srcs, &mods);
}

/// The values of `f`, whose operations are all pure, for random parameters.
fn evaluate(f: &Function<'_>, random: &mut Random) -> Side<Value, u64> {
    let mut numbers: Side<Value, u64> = Side::new(f.values.len());
    for param in &f.params {
        numbers[*param] = constant(random, f.ty(*param).bits).payload;
    }
    for inst in &f.block(f.entry()).insts {
        let data = f.insts[*inst];
        let read = |src: &Src| Source {
            bits: src.as_value().map_or(src.payload, |value| numbers[value]),
            width: f.width(*src),
            flags: src.flags,
        };
        let sources: Vec<Source> = data.srcs.iter().map(read).collect();
        let pure = data.op.pure_fn().expect("pure");
        let dst = data.dst().expect("one result");
        numbers[dst] = pure(&PureArgs { dst_width: f.ty(dst).bits, sources: &sources, mods: data.mods });
    }
    numbers
}

fn holds(range: Range, number: u64, width: u8) -> bool {
    let number = i128::from(number);
    (-1..=1).any(|turn| {
        let number = number + (turn << width);
        i128::from(range.low) <= number && number <= i128::from(range.high)
    })
}

#[test]
fn every_value_is_within_its_range() {
    let mut random = Random::new(11);
    let (mut known, info) = (0, ShaderInfo::default());
    for _ in 0..4000 {
        let bump = Bump::new();
        let mut f = Function::new(&bump, "random");
        for width in [1, 16, 32, 32, 64] {
            let param = f.add_value(Type::scalar(width));
            f.params.push(param);
        }
        let mut b = Builder::start(&mut f);
        for _ in 0..16 {
            add_operation(&mut b, &mut random);
        }
        b.finish();
        let mut walk = Walk::new(&f, &info);
        for inst in &f.block(f.entry()).insts {
            walk.define(&f, *inst);
        }
        for _ in 0..16 {
            let numbers = evaluate(&f, &mut random);
            for value in f.values.keys() {
                let Some(range) = walk.range(&f, value.into()) else { continue };
                known += 1;
                let width = f.ty(value).bits;
                assert!(holds(range, numbers[value], width), "{value}: {range:?}, {}\n{f}", numbers[value]);
            }
        }
    }
    assert!(known > 100_000, "{known}");
}

#[test]
fn numbers_of_invocations_are_those_of_the_workgroup() {
    let info = ShaderInfo { workgroup_size: [8, 4, 1], ..ShaderInfo::default() };
    let bump = Bump::new();
    let mut f = Function::new(&bump, "ids");
    let mut b = Builder::start(&mut f);
    let ids = [(48, 7), (49, 3), (50, 0), (51, 31), (52, 31), (53, 0)];
    for (number, _) in ids {
        b.value(Opcode::Mfsr, Type::B32, &[], &mods(Opcode::Mfsr).with(key::SR, agx_isa::sr::Sr(number)));
    }
    b.finish();
    let mut walk = Walk::new(&f, &info);
    for inst in &f.block(f.entry()).insts {
        walk.define(&f, *inst);
    }
    for (value, (_, most)) in f.values.keys().zip(ids) {
        assert_eq!(walk.unsigned(&f, value.into()), (0, most));
    }
}
