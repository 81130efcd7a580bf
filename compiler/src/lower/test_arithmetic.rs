//! Tests of arithmetic lowerings: lowers one operation and compares it with its semantics on edge cases and
//! random inputs.

use agx_isa::semantics::{PureArgs, Source};
use agx_random::Random;
use bumpalo::Bump;

use crate::error::CompileError;
use crate::ir::{Build, Builder, Function, InstData, IrOp, Op, Side, Src, SrcKind, Type, Value};

/// An operation to check.
pub(super) struct Case {
    pub op: Op,
    pub dst_width: u8,
    pub widths: Vec<u8>,
    pub mods: Vec<u32>,
    /// Constants that replace sources.
    pub constants: Vec<Option<u64>>,
}

impl Case {
    pub(super) fn new(op: impl Into<Op>, dst_width: u8, widths: &[u8], mods: &[u32]) -> Case {
        let constants = vec![None; widths.len()];
        Case { op: op.into(), dst_width, widths: widths.to_vec(), mods: mods.to_vec(), constants }
    }

    /// The same case with a constant as source `index`.
    pub(super) fn with_constant(mut self, index: usize, constant: u64) -> Case {
        self.constants[index] = Some(constant);
        self
    }

    /// The result according to the semantics.
    pub(super) fn expected(&self, inputs: &[u64]) -> u64 {
        let source =
            |(bits, width): (&u64, &u8)| Source { bits: *bits, width: *width, flags: Default::default() };
        let sources: Vec<Source> = inputs.iter().zip(&self.widths).map(source).collect();
        let pure = self.op.pure_fn().expect("pure");
        pure(&PureArgs { dst_width: self.dst_width, sources: &sources, mods: &self.mods })
    }
}

/// A function that contains only the operation.
pub(super) fn build<'a>(bump: &'a Bump, case: &Case) -> Function<'a> {
    let mut f = Function::new(bump, "case");
    let params: Vec<Value> = case.widths.iter().map(|width| f.add_value(Type::scalar(*width))).collect();
    f.params = params.clone();
    let mut builder = Builder::start(&mut f);
    let srcs: Vec<Src> = (params.iter().zip(&case.widths).zip(&case.constants))
        .map(|((param, width), constant)| constant.map_or(Src::value(*param), |bits| Src::imm(bits, *width)))
        .collect();
    let result = builder.value(case.op, Type::scalar(case.dst_width), &srcs, &case.mods);
    builder.effect(IrOp::Keep, &[result.into()], &[]);
    builder.halt();
    builder.finish();
    f
}

/// Runs a single-block function on its parameters and returns what it keeps.
pub(super) fn run(f: &Function<'_>, inputs: &[u64]) -> u64 {
    let mut values: Side<Value, u64> = Side::new(f.values.len());
    for (param, input) in f.params.iter().zip(inputs) {
        values[*param] = *input;
    }
    for inst in &f.block(f.entry()).insts {
        let data = f.insts[*inst];
        let sources: Vec<Source> = data.srcs.iter().map(|src| read(f, &values, *src)).collect();
        match data.op {
            Op::Ir(IrOp::Keep) => return sources[0].bits,
            Op::Ir(IrOp::Collect) => {
                let (mut bits, mut at) = (0, 0);
                for source in &sources {
                    bits |= source.bits << at;
                    at += source.width;
                }
                values[data.dsts[0]] = bits;
            }
            Op::Ir(IrOp::Split) => {
                let mut at = 0;
                for dst in data.dsts {
                    let width = f.ty(*dst).bits;
                    values[*dst] = Src::imm(sources[0].bits >> at, width).payload;
                    at += width;
                }
            }
            op => {
                let pure = op.pure_fn().unwrap_or_else(|| panic!("{op:?} is not pure"));
                let dst_width = f.ty(data.dsts[0]).bits;
                values[data.dsts[0]] = pure(&PureArgs { dst_width, sources: &sources, mods: data.mods });
            }
        }
    }
    panic!("the function keeps nothing");
}

fn read(f: &Function<'_>, values: &Side<Value, u64>, src: Src) -> Source {
    let bits = match src.kind {
        SrcKind::Value => src.as_value().map_or(0, |value| values[value]),
        SrcKind::Imm => src.payload,
        SrcKind::Uniform | SrcKind::None => panic!("no such source in these tests"),
    };
    Source { bits, width: f.width(src), flags: src.flags }
}

const EDGES: [u64; 24] = [
    0,
    1,
    2,
    3,
    5,
    7,
    10,
    31,
    32,
    33,
    63,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    u64::MAX,
];

/// An integer of `width` bits: an edge case, its neighbour, or random with random length.
pub(super) fn integer(random: &mut Random, width: u8) -> u64 {
    let edge = EDGES[random.below(EDGES.len())];
    let bits = match random.below(4) {
        0 => random.next_u64(),
        1 => random.next_u64() >> random.below(64),
        2 => edge,
        _ => edge.wrapping_neg().wrapping_add(random.next_u64() & 1),
    };
    Src::imm(bits, width).payload
}

type Lowering = fn(&mut Function<'_>) -> Result<(), CompileError>;

/// Lowers `case` and compares it with the semantics; every remaining instruction must satisfy `may_stay`.
pub(super) fn check(
    case: &Case,
    lowering: Lowering,
    may_stay: impl Fn(&Function<'_>, &InstData<'_>) -> bool,
) {
    check_where(case, &[lowering], may_stay, |_| true);
}

/// Like [`check`], through several lowerings and on the inputs that `defined` accepts.
pub(super) fn check_where(
    case: &Case,
    lowerings: &[Lowering],
    may_stay: impl Fn(&Function<'_>, &InstData<'_>) -> bool,
    defined: impl Fn(&[u64]) -> bool,
) {
    let bump = Bump::new();
    let mut f = build(&bump, case);
    for lowering in lowerings {
        lowering(&mut f).expect("lowers");
    }
    for inst in &f.block(f.entry()).insts {
        let data = f.insts[*inst];
        let ends = matches!(data.op, Op::Ir(IrOp::Keep | IrOp::Halt));
        assert!(ends || may_stay(&f, &data), "{:?} remains of {:?}", data.op, case.op);
    }
    let mut random = Random::new(11);
    for _ in 0..3000 {
        let inputs: Vec<u64> = (case.widths.iter().zip(&case.constants))
            .map(|(width, constant)| constant.unwrap_or_else(|| integer(&mut random, *width)))
            .collect();
        if defined(&inputs) {
            let (expected, got) = (case.expected(&inputs), run(&f, &inputs));
            assert_eq!(got, expected, "{:?} {:?} of {inputs:x?}", case.op, case.mods);
        }
    }
}
