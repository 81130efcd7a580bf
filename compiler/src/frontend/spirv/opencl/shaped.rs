//! The instructions of OpenCL.std that are not component-wise: results through pointers, geometry, loads and stores of vectors,
//! and shuffles.

use super::super::composite::choose;
use super::super::glsl_math::{frexp, modf};
use super::super::index;
use super::super::kernel::access::{self, load_at, space, store_at};
use super::super::kernel::pointers::offset;
use super::super::kernel::{has_floats, has_two_results, wrong};
use super::super::matrix::dot;
use super::super::owners::Memory;
use super::super::pointer::{Pointer, Root};
use super::super::types::Ty;
use super::super::values::Values;
use super::super::words::Inst;
use super::super::{memory, pointers};
use super::conversions::{Rounding, convert, rounding};
use super::math::{bits, gamma, remainder, trigonometry};
use crate::error::{CompileError, KernelError};
use crate::ir::build::alu::{FloatCond, float};
use crate::ir::function::Access;
use crate::ir::src::Src;
use crate::ir::types::Type;
use crate::ir::{Arithmetic, FloatMode};

/// Maximum number of components of a memory access.
const COMPONENTS: usize = 4;

/// Names of these instructions, for errors.
const NAMES: &[(u32, &str)] = &[
    (30, "fract"),
    (31, "frexp"),
    (36, "lgamma_r"),
    (45, "modf"),
    (52, "remquo"),
    (58, "sincos"),
    (104, "cross"),
    (105, "distance"),
    (106, "length"),
    (107, "normalize"),
    (108, "fast_distance"),
    (109, "fast_length"),
    (110, "fast_normalize"),
    (171, "vloadn"),
    (172, "vstoren"),
    (173, "vload_half"),
    (174, "vload_halfn"),
    (175, "vstore_half"),
    (176, "vstore_half_r"),
    (177, "vstore_halfn"),
    (178, "vstore_halfn_r"),
    (179, "vloada_halfn"),
    (180, "vstorea_halfn"),
    (181, "vstorea_halfn_r"),
    (182, "shuffle"),
    (183, "shuffle2"),
    (184, "printf"),
    (185, "prefetch"),
];

/// An instruction of the set.
pub(super) fn extended<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    number: u32,
) -> Result<(), CompileError> {
    let Some((_, name)) = NAMES.iter().find(|(known, _)| *known == number) else {
        return Err(KernelError::UnknownExtended { number }.into());
    };
    match number {
        number if has_two_results(number) => two_results(m, v, inst, (number, name)),
        104..=110 => geometry(v, inst, number),
        171 => load_vector(m, v, inst),
        172 => store_vector(m, v, inst),
        173 | 174 | 179 => load_halves(m, v, inst, number),
        175..=178 | 180 | 181 => store_halves(m, v, inst, number),
        182 | 183 => shuffle(v, inst, number == 183),
        185 => Ok(()),
        _ => super::printf::print(m, v, inst),
    }
}

/// Both results of an instruction for a component.
fn pair(v: &mut Values<'_, '_>, number: u32, x: Src, y: Src) -> (Src, Src) {
    let k = &mut v.kit;
    match number {
        30 => bits::fract(&mut k.b, x),
        31 => frexp(&mut k.b, x),
        36 => gamma::lgamma(&mut k.b, x),
        45 => modf(&mut k.b, x),
        52 => remainder::remquo(k, x, y),
        _ => trigonometry::sincos(k, x),
    }
}

fn two_results<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    (number, name): (u32, &str),
) -> Result<(), CompileError> {
    let (ty, x) = v.eval().value(inst.word(4)?)?;
    let operands = if number == 52 { 2 } else { 1 };
    let y = if operands == 2 { v.eval().value(inst.word(5)?)?.1 } else { x };
    let pointer = *pointers::pointer(m, v, inst.word(if number == 52 { 6 } else { 5 })?)?;
    if !has_floats(v, ty)? || y.len() != x.len() || v.types.leaf_count(pointer.ty)? != x.len() {
        return Err(wrong("floats, and a pointer to as many numbers"));
    }
    let is_wide = x.iter().any(|x| v.kit.b.f.width(*x) == 64);
    if is_wide && !matches!(number, 30 | 31 | 45) {
        return Err(KernelError::Extended { name: name.to_owned(), what: " for floats of 64 bits" }.into());
    }
    let widths = v.types.leaves(pointer.ty)?;
    let (mut first, mut second) = (Vec::new(), Vec::new());
    let mode = v.kit.b.mode;
    v.kit.b.mode = FloatMode { separate: true, ..mode };
    for ((x, y), bits) in x.iter().zip(y).zip(widths) {
        let width = v.kit.b.f.width(*x);
        let single = matches!(number, 36 | 52 | 58);
        let [x, y] = [*x, *y].map(|x| if single { v.kit.b.fconv(x, 32) } else { x });
        let (result, other) = pair(v, number, x, y);
        first.push(v.kit.b.fconv(result, width));
        let is_integer = matches!(number, 31 | 36 | 52);
        second.push(if is_integer { v.kit.b.sconv(other, *bits) } else { v.kit.b.fconv(other, *bits) });
    }
    v.kit.b.mode = mode;
    memory::store(v, &pointer, &second, Access::empty())?;
    v.define_leaves(inst, &first)
}

/// √(x·x) and the numbers divided by it, scaled so that the squares neither overflow nor vanish.
fn scaled_length(v: &mut Values<'_, '_>, x: &[Src]) -> (Src, Src, Vec<Src>) {
    let b = &mut v.kit.b;
    let bits = x.first().map_or(32, |x| b.f.width(*x));
    let sizes: Vec<Src> = x.iter().map(|x| b.fabs(*x)).collect();
    let large = sizes.into_iter().reduce(|x, y| b.fmax(x, y)).unwrap_or(float(0.0, bits));
    let one = float(1.0, bits);
    let is_large = b.fcmp(FloatCond::GT, large, float(1.0e15, bits));
    let is_small = b.fcmp(FloatCond::LT, large, float(1.0e-15, bits));
    let down = b.select(is_large, float(2f64.powi(-66), bits), one);
    let factor = b.select(is_small, float(2f64.powi(66), bits), down);
    let up = b.select(is_large, float(2f64.powi(66), bits), one);
    let back = b.select(is_small, float(2f64.powi(-66), bits), up);
    let scaled: Vec<Src> = x.iter().map(|x| b.fmul(*x, factor)).collect();
    let square = dot(b, &scaled, &scaled);
    (square, back, scaled)
}

fn length(v: &mut Values<'_, '_>, x: &[Src]) -> Src {
    let bits = x.first().map_or(32, |x| v.kit.b.f.width(*x));
    if let [x] = x {
        return v.kit.b.fabs(*x);
    }
    let wide: Vec<Src> = x.iter().map(|x| v.kit.b.fconv(*x, bits.max(32))).collect();
    let (square, back, _) = scaled_length(v, &wide);
    let root = v.kit.b.fsqrt(square);
    let result = v.kit.b.fmul(root, back);
    v.kit.b.fconv(result, bits)
}

fn normalize(v: &mut Values<'_, '_>, x: &[Src]) -> Vec<Src> {
    let bits = x.first().map_or(32, |x| v.kit.b.f.width(*x));
    let wide: Vec<Src> = x.iter().map(|x| v.kit.b.fconv(*x, bits.max(32))).collect();
    let (square, _, scaled) = scaled_length(v, &wide);
    let b = &mut v.kit.b;
    let factor = b.rsqrt(square);
    let zero = float(0.0, bits.max(32));
    let is_zero = b.fcmp(FloatCond::EQ, square, zero);
    let unit = |(x, scaled): (&Src, &Src)| {
        let result = b.fmul(*scaled, factor);
        let result = b.select(is_zero, *x, result);
        b.fconv(result, bits)
    };
    wide.iter().zip(&scaled).map(unit).collect()
}

fn geometry<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>, number: u32) -> Result<(), CompileError> {
    let (ty, x) = v.eval().value(inst.word(4)?)?;
    let takes_two = matches!(number, 104 | 105 | 108);
    let y = if takes_two { v.eval().value(inst.word(5)?)?.1 } else { x };
    if !has_floats(v, ty)? || y.len() != x.len() || v.eval().check_widths(x.iter().chain(y)).is_err() {
        return Err(wrong("vectors of floats of one size"));
    }
    let result = match number {
        104 => cross(v, x, y)?,
        105 | 108 => {
            let difference: Vec<Src> = x.iter().zip(y).map(|(x, y)| v.kit.b.fsub(*x, *y)).collect();
            vec![length(v, &difference)]
        }
        106 | 109 => vec![length(v, x)],
        _ => normalize(v, x),
    };
    v.define_leaves(inst, &result)
}

/// The cross product of the first three components; a fourth one is zero.
fn cross(v: &mut Values<'_, '_>, x: &[Src], y: &[Src]) -> Result<Vec<Src>, CompileError> {
    let ([x0, x1, x2, ..], [y0, y1, y2, ..]) = (x, y) else { return Err(wrong("vectors of 3 or 4 floats")) };
    let b = &mut v.kit.b;
    let bits = b.f.width(*x0);
    let mut part = |(a, d): (Src, Src), (e, f): (Src, Src)| {
        let (first, second) = (b.fmul(a, d), b.fmul(e, f));
        b.fsub(first, second)
    };
    let mut result =
        vec![part((*x1, *y2), (*x2, *y1)), part((*x2, *y0), (*x0, *y2)), part((*x0, *y1), (*x1, *y0))];
    if x.len() == 4 {
        result.push(float(0.0, bits));
    }
    Ok(result)
}

/// A pointer moved by groups of `bytes` bytes.
fn moved<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    (pointer, by): (u32, u32),
    bytes: u32,
) -> Result<Pointer<'a>, CompileError> {
    let pointer = *pointers::pointer(m, v, pointer)?;
    let by = v.eval().scalar(by)?;
    v.eval().check_integer(by)?;
    if matches!(pointer.root, Root::Variables(_) | Root::Unread) {
        return Err(KernelError::PointerUse { what: "a variable in registers has no address" }.into());
    }
    let by = index::index_word(&mut v.kit.b, by);
    let offset = index::add_scaled(&mut v.kit.b, pointer.offset, by, bytes);
    Ok(Pointer { offset: Some(offset), ..pointer })
}

/// Loads components of a width that follow each other.
fn load_units<'a>(
    v: &mut Values<'_, 'a>,
    pointer: &Pointer<'a>,
    bits: u8,
    count: usize,
) -> Result<Vec<Src>, CompileError> {
    if let Root::Generic { address } = pointer.root {
        let first = v.kit.vars.add(&vec![bits; count]);
        access::for_each_space(v, pointer, address, |v, pointer| {
            let loaded = load_units(v, pointer, bits, count)?;
            v.write_all(first, &loaded);
            Ok(())
        })?;
        let kit = &mut v.kit;
        return Ok((0..count as u32).map(|at| kit.vars.read(&mut kit.b, first.at(at))).collect());
    }
    let space = space(pointer, Access::empty())?;
    let unit = u32::from(bits) / 8;
    let mut result = Vec::with_capacity(count);
    for start in (0..count).step_by(COMPONENTS) {
        let before = (start as u32).saturating_mul(unit);
        let at = offset(v, &Pointer { fixed: pointer.fixed.wrapping_add(before), ..*pointer });
        let ty = Type::vector(bits, count.saturating_sub(start).min(COMPONENTS) as u8);
        result.extend(load_at(v, space, at, ty, unit));
    }
    Ok(result)
}

/// Stores components of one width that follow each other.
fn store_units<'a>(v: &mut Values<'_, 'a>, pointer: &Pointer<'a>, data: &[Src]) -> Result<(), CompileError> {
    if let Root::Generic { address } = pointer.root {
        return access::for_each_space(v, pointer, address, |v, pointer| store_units(v, pointer, data));
    }
    let space = space(pointer, Access::empty())?;
    let unit = data.first().map_or(4, |first| u32::from(v.kit.b.f.width(*first)) / 8);
    for (index, parts) in (0u32..).zip(data.chunks(COMPONENTS)) {
        let before = index.saturating_mul(COMPONENTS as u32).saturating_mul(unit);
        let at = offset(v, &Pointer { fixed: pointer.fixed.wrapping_add(before), ..*pointer });
        store_at(v, space, at, parts, unit);
    }
    Ok(())
}

/// Width and number of the components of a vector of numbers.
fn shape(v: &Values<'_, '_>, ty: Ty) -> Result<(u8, usize), CompileError> {
    match v.types.leaves(ty)? {
        [bits, rest @ ..] if *bits >= 8 => Ok((*bits, rest.len().saturating_add(1))),
        _ => Err(wrong("numbers")),
    }
}

/// `vloadn`: a vector from scalars in memory.
fn load_vector<'a>(m: &mut Memory<'a>, v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<(), CompileError> {
    let ty = v.eval().ty(inst.word(0)?)?;
    let (bits, count) = shape(v, ty)?;
    let bytes = u32::from(bits) / 8;
    let pointer = moved(m, v, (inst.word(5)?, inst.word(4)?), bytes.saturating_mul(count as u32))?;
    let pointer = Pointer { ty, align: bytes, ..pointer };
    let leaves = access::load(v, &pointer, Access::empty())?;
    v.define_result(inst, leaves)
}

/// `vstoren`: the scalars of a vector.
fn store_vector<'a>(m: &mut Memory<'a>, v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<(), CompileError> {
    let (ty, data) = v.eval().value(inst.word(4)?)?;
    let (bits, count) = shape(v, ty)?;
    let bytes = u32::from(bits) / 8;
    let pointer = moved(m, v, (inst.word(6)?, inst.word(5)?), bytes.saturating_mul(count as u32))?;
    access::store(v, &Pointer { ty, align: bytes, ..pointer }, data, Access::empty())
}

/// The distance in components of the vectors of an instruction that accesses halves.
fn spacing(number: u32, count: usize) -> u32 {
    let is_aligned = matches!(number, 179..=181);
    if is_aligned { (count as u32).next_power_of_two() } else { count as u32 }
}

fn load_halves<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    number: u32,
) -> Result<(), CompileError> {
    let ty = v.eval().ty(inst.word(0)?)?;
    let (bits, count) = shape(v, ty)?;
    if !has_floats(v, ty)? {
        return Err(wrong("floats"));
    }
    let bytes = spacing(number, count).saturating_mul(2);
    let pointer = moved(m, v, (inst.word(5)?, inst.word(4)?), bytes)?;
    let halves = load_units(v, &pointer, 16, count)?;
    let leaves: Vec<Src> = halves.into_iter().map(|half| v.kit.b.fconv(half, bits)).collect();
    v.define_leaves(inst, &leaves)
}

fn store_halves<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    number: u32,
) -> Result<(), CompileError> {
    let (ty, data) = v.eval().value(inst.word(4)?)?;
    let (_, count) = shape(v, ty)?;
    if !has_floats(v, ty)? {
        return Err(wrong("floats"));
    }
    let mode = match number {
        176 | 178 | 181 => rounding(inst.word(7)?)?,
        _ => Rounding::NearestEven,
    };
    let bytes = spacing(number, count).saturating_mul(2);
    let pointer = moved(m, v, (inst.word(6)?, inst.word(5)?), bytes)?;
    let halves: Vec<Src> = data.iter().map(|x| convert(&mut v.kit.b, *x, 16, mode)).collect();
    store_units(v, &pointer, &halves)
}

/// Components of one or two vectors by computed numbers.
fn shuffle<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>, takes_two: bool) -> Result<(), CompileError> {
    let mut all = v.eval().value(inst.word(4)?)?.1.to_vec();
    if takes_two {
        all.extend_from_slice(v.eval().value(inst.word(5)?)?.1);
    }
    let (_, mask) = v.eval().value(inst.word(if takes_two { 6 } else { 5 })?)?;
    v.eval().check_widths(&all)?;
    let numbered: Vec<(u32, Src)> = (0..).zip(all.iter().copied()).collect();
    let last = (all.len() as u32).next_power_of_two().saturating_sub(1);
    let mut result = Vec::with_capacity(mask.len());
    for index in mask {
        v.eval().check_integer(*index)?;
        let index = v.kit.b.uconv(*index, 32);
        let index = v.kit.b.and(index, Src::imm32(last));
        result.push(match index.as_imm() {
            Some(index) => all.get(index as usize).copied().unwrap_or(Src::imm32(0)),
            None => choose(&mut v.kit.b, &numbered, index)?,
        });
    }
    v.define_leaves(inst, &result)
}
