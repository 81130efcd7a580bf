//! Runs the kernels of rows over the registers of all lanes. Operations without a kernel, and rare forms, use the row's
//! function lane by lane; a test compares every kernel with that function.

use agx_isa::inst::{OperandFlags, Size};
use agx_isa::semantics::kernels::{self, Inputs, Kernel, KernelFn, Kind};
use agx_isa::table::Opcode;

use crate::group::{Group, HALVES, LANES, PerLane};
use crate::registers::{Dst, Place, Src, Uniforms};

/// A 32-bit word of each lane.
pub(crate) type Words = PerLane<u32>;

/// Conversion of one source to words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Zero,
    Sign,
    Single,
}

/// A pure instruction with a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    kernel: KernelFn,
    modifier: u32,
    forms: [Form; 4],
    count: usize,
    finish: Finish,
}

/// Conversion of a kernel's result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Finish {
    /// The result is its low bits.
    Cut,
    /// It is a single from a 32-bit operation.
    Single { saturate: bool, narrow: bool },
    /// It is a single, to be rounded to a half.
    Half { saturate: bool },
}

impl Row {
    /// The kernel of an instruction with these operands, if there is one for this form.
    pub(crate) fn new(op: Opcode, dst: Dst, sources: &[Src], mods: &[u32]) -> Option<Row> {
        let Kernel { kind, run } = op.desc().kernel?;
        let modifier = mods.first().copied().unwrap_or(0);
        let narrow = dst.size == Size::B16;
        // No encoding has a 32-bit register that starts at the upper half of another.
        let odd = dst.size == Size::B32 && dst.half & 1 != 0
            || sources
                .iter()
                .any(|src| src.size == Size::B32 && src.register().is_some_and(|half| half & 1 != 0));
        if dst.size == Size::B64
            || sources.len() > 4
            || sources.iter().any(|src| src.size == Size::B64)
            || odd
        {
            return None;
        }
        let saturate = modifier != 0;
        let (finish, allowed) = match kind {
            Kind::Single => (Finish::Single { saturate, narrow }, true),
            Kind::Half => (Finish::Half { saturate }, narrow && sources.iter().all(is_half)),
            Kind::Integer => (Finish::Cut, mods.get(1).is_none_or(|saturate| *saturate == 0)),
            Kind::ToSingle => (Finish::Cut, !narrow),
            Kind::ToRoundedSingle => (Finish::Cut, !narrow && modifier != 0),
            _ => (Finish::Cut, true),
        };
        let kernel = match kind {
            Kind::IntegerSelect => kernels::integer_select(modifier),
            Kind::SingleSelect => kernels::single_select(modifier),
            _ => run,
        };
        let mut forms = [Form::Zero; 4];
        for (at, (form, src)) in forms.iter_mut().zip(sources).enumerate() {
            *form = form_of(kind, at, modifier, src);
        }
        allowed.then_some(Row { kernel, modifier, forms, count: sources.len(), finish })
    }

    /// Computes in the active lanes.
    pub(crate) fn run(&self, group: &mut Group, uniforms: &Uniforms, sources: &[Src; 4], dst: Dst) {
        let [a, b, c, d, result] = &mut *group.room;
        let registers = &*group.words;
        let used = |at: usize| at < self.count;
        let source = |at: usize| (&sources[at], self.forms[at]);
        let words = [
            if used(0) { gather(registers, uniforms, source(0), a) } else { &[] },
            if used(1) { gather(registers, uniforms, source(1), b) } else { &[] },
            if used(2) { gather(registers, uniforms, source(2), c) } else { &[] },
            if used(3) { gather(registers, uniforms, source(3), d) } else { &[] },
        ];
        (self.kernel)(&Inputs { words, modifier: self.modifier }, result);
        match self.finish {
            Finish::Cut => {}
            Finish::Single { saturate, narrow } => kernels::finish_single(result, saturate, narrow),
            Finish::Half { saturate } => kernels::finish_half(result, saturate),
        }
        scatter(&mut group.words, group.exec, dst, &group.room[4]);
    }

    /// For a select of 1 and 0: the lanes in which the comparison is true.
    pub(crate) fn holds(&self, group: &Group, uniforms: &Uniforms, compared: [&Src; 2]) -> u32 {
        let mut room = [[0; LANES]; 2];
        let [a, b] = &mut room;
        let (ones, zeros) = ([1; LANES], [0; LANES]);
        let words = [
            gather(&group.words, uniforms, (compared[0], self.forms[0]), a),
            gather(&group.words, uniforms, (compared[1], self.forms[1]), b),
            &ones,
            &zeros,
        ];
        let mut held = [0; LANES];
        (self.kernel)(&Inputs { words, modifier: self.modifier }, &mut held);
        held.iter().enumerate().fold(0, |all, (lane, bit)| all | bit << lane)
    }
}

fn is_half(src: &Src) -> bool {
    src.size == Size::B16
}

fn form_of(kind: Kind, at: usize, modifier: u32, src: &Src) -> Form {
    let signed = match kind {
        Kind::Single | Kind::Half | Kind::FromSingle => return Form::Single,
        Kind::SingleSelect if at < 2 => return Form::Single,
        Kind::Integer => src.flags.contains(OperandFlags::SX),
        Kind::SignedBits => at == 0,
        Kind::IntegerSelect => at < 2 && modifier & agx_isa::desc::SIGNED_CONDITION != 0,
        Kind::Bits | Kind::ToSingle | Kind::ToRoundedSingle | Kind::SingleSelect => false,
    };
    if signed { Form::Sign } else { Form::Zero }
}

/// A source in all lanes for a kernel: in place, or converted in `room`.
#[inline]
fn gather<'g>(
    registers: &'g [Words; HALVES / 2],
    uniforms: &Uniforms,
    (src, form): (&Src, Form),
    room: &'g mut Words,
) -> &'g [u32] {
    let half = match src.place {
        Place::Register(half) => half,
        Place::Immediate(value) if form == Form::Zero => {
            room.fill(value as u32);
            return room;
        }
        Place::Immediate(value) => return fill(value as u32, src, form, room),
        Place::Uniform(half) => return fill(uniforms.read(half, src.size) as u32, src, form, room),
    };
    let from = &registers[usize::from(half >> 1)];
    if src.size == Size::B32 && form != Form::Single {
        return from;
    }
    prepare(from, src, half & 1, form, room);
    room
}

fn fill<'g>(value: u32, src: &Src, form: Form, room: &'g mut Words) -> &'g [u32] {
    let mut one = [0];
    prepare(&[value], src, 0, form, &mut one);
    room.fill(one[0]);
    room
}

/// Words as the form has them; of 16-bit sources one half each.
fn prepare(from: &[u32], src: &Src, high: u8, form: Form, into: &mut [u32]) {
    let pairs = into.iter_mut().zip(from);
    let shift = 16 * u32::from(high);
    match (form, src.size) {
        (Form::Zero, Size::B16) => pairs.for_each(|(to, word)| *to = word >> shift & 0xffff),
        (Form::Sign, Size::B16) => pairs.for_each(|(to, word)| *to = (word >> shift) as u16 as i16 as u32),
        (Form::Single, Size::B16) => {
            pairs.for_each(|(to, word)| *to = kernels::widened(word >> shift & 0xffff));
        }
        (Form::Single, _) => pairs.for_each(|(to, word)| *to = kernels::flushed(*word)),
        _ => pairs.for_each(|(to, word)| *to = *word),
    }
    if form == Form::Single && src.flags.intersects(OperandFlags::ABS | OperandFlags::NEG) {
        let keep = if src.flags.contains(OperandFlags::ABS) { 0x7fff_ffff } else { u32::MAX };
        let flip = if src.flags.contains(OperandFlags::NEG) { 0x8000_0000 } else { 0 };
        into.iter_mut().for_each(|word| *word = *word & keep ^ flip);
    }
}

/// Writes a destination of 16 or 32 bits in the active lanes.
#[inline]
fn scatter(registers: &mut [Words; HALVES / 2], exec: u32, dst: Dst, words: &Words) {
    let into = &mut registers[usize::from(dst.half >> 1)];
    match (dst.size, exec) {
        (Size::B32, u32::MAX) => *into = *words,
        (Size::B32, _) => blend(into, words, 0, u32::MAX, exec),
        _ if dst.half & 1 == 0 => blend(into, words, 0, 0xffff, exec),
        _ => blend(into, words, 16, 0xffff_0000, exec),
    }
}

/// Replaces the bits of `kept` in the active lanes.
fn blend(into: &mut [u32], words: &[u32], shift: u32, kept: u32, exec: u32) {
    for (into, (word, bit)) in into.iter_mut().zip(words.iter().zip(&LANE_BITS)) {
        let mask = if exec & bit == 0 { 0 } else { kept };
        *into = *into & !mask | word << shift & mask;
    }
}

/// The bit of each lane in a mask.
const LANE_BITS: Words = {
    let mut bits = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        bits[lane] = 1 << lane;
        lane += 1;
    }
    bits
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::UNIFORMS;
    use crate::rng::Rng;
    use agx_isa::semantics::{PureArgs, Source};

    /// Bits where functions change their ways.
    const EDGES: [u32; 24] = [
        0,
        0x8000_0000,
        1,
        0x7fff_ffff,
        0xffff_ffff,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0000,
        0x0080_0000,
        0x007f_ffff,
        0x3f80_0000,
        0x3f7f_ffff,
        0x3fff_ffff,
        0x4b00_0001,
        0x4f00_0000,
        0x4f80_0000,
        0x477f_f000,
        0x477f_efff,
        0x3880_0000,
        0x3300_0000,
        0x7c00,
        0xfc01,
        0x3c00,
        0x0400,
    ];

    fn word(rng: &mut Rng) -> u32 {
        match rng.below(4) {
            0 => EDGES[rng.below(EDGES.len() as u64) as usize],
            1 => EDGES[rng.below(EDGES.len() as u64) as usize]
                .wrapping_add(rng.below(5) as u32)
                .wrapping_sub(2),
            2 => rng.below(70) as u32,
            _ => rng.next() as u32,
        }
    }

    /// A random source of the row: a register of its own, or a uniform.
    fn source(rng: &mut Rng, at: usize, size: Size) -> Src {
        let flags = OperandFlags::from_bits_truncate(rng.next() as u16)
            & (OperandFlags::SX | OperandFlags::ABS | OperandFlags::NEG);
        let place = match rng.below(6) {
            0 => Place::Uniform(2 * rng.below(8) as u16),
            1 => Place::Immediate(word(rng).into()),
            _ => Place::Register(10 + 4 * at as u8 + u8::from(size == Size::B16) * rng.below(2) as u8),
        };
        Src { place, size, flags }
    }

    /// Compares one instruction with the table's function; whether the row has a kernel.
    fn agrees(op: Opcode, rng: &mut Rng) -> bool {
        let size = |rng: &mut Rng| if rng.below(2) == 0 { Size::B16 } else { Size::B32 };
        let desc = op.desc();
        let count = desc.with_role(agx_isa::desc::Role::Src).count();
        let halves = matches!(op, Opcode::Hadd | Opcode::Hmul);
        let mut sources =
            [Src { place: Place::Immediate(0), size: Size::B32, flags: OperandFlags::empty() }; 4];
        for (at, src) in sources.iter_mut().enumerate().take(count) {
            let size = if halves { Size::B16 } else { size(rng) };
            *src = source(rng, at, size);
        }
        let mods: Vec<u32> = desc
            .with_role(agx_isa::desc::Role::Mod)
            .map(|(_, modifier)| rng.below(1 << modifier.bits.min(5)) as u32)
            .collect();
        let size = if halves { Size::B16 } else { size(rng) };
        let dst = Dst { half: 40 + u8::from(size == Size::B16) * rng.below(2) as u8, size };
        let Some(row) = Row::new(op, dst, &sources[..count], &mods) else { return false };
        let mut registers = [[0; LANES]; HALVES / 2];
        registers.iter_mut().flatten().for_each(|register| *register = word(rng));
        let mut group = Group::new(&registers, u32::MAX);
        group.exec = if rng.below(2) == 0 { u32::MAX } else { rng.next() as u32 };
        let mut uniforms = [0; UNIFORMS];
        uniforms.iter_mut().for_each(|half| *half = word(rng) as u16);
        let uniforms = Uniforms::new(&[], &uniforms);
        let before = group.clone();
        row.run(&mut group, &uniforms, &sources, dst);
        let function = desc.pure.expect("pure").one;
        for lane in 0..LANES {
            let args: Vec<Source> = sources[..count]
                .iter()
                .map(|src| Source {
                    bits: before.gather(&uniforms, src)[lane],
                    width: src.size.bits(),
                    flags: src.flags,
                })
                .collect();
            let expected = match group.exec >> lane & 1 {
                0 => before.read(dst.half, dst.size, lane),
                _ => function(&PureArgs { dst_width: dst.size.bits(), sources: &args, mods: &mods }),
            };
            let found = group.read(dst.half, dst.size, lane);
            assert_eq!(found, expected, "{op:?} {:?} {mods:?} {args:x?}: {found:x} {expected:x}", dst.size);
        }
        true
    }

    #[test]
    fn every_row_agrees_with_the_table() {
        let mut rng = Rng::new(11);
        let rows = Opcode::ALL.iter().filter(|op| op.desc().kernel.is_some());
        for op in rows.clone() {
            let compared = (0..100).filter(|_| agrees(*op, &mut rng)).count();
            assert!(compared > 8, "{op:?}: {compared} forms have a kernel");
        }
        assert!(rows.count() > 30);
    }
}
