//! Lowers `interpolate` to the hardware's interpolations, and assigns coefficient registers to the inputs.
//!
//! Of a vector only the components in use are read. Small inputs that a block reads alike take consecutive registers, and one instruction interpolates them.
//!
//! Before: stage source. After: the same; no `interpolate`.

mod groups;
mod narrow;

use agx_abi::fragment::{CoefficientSource, Interpolation, MAX_COEFFICIENTS};
use agx_isa::sr::Sr;
use agx_isa::table::Opcode;
use agx_isa::table::names::{InterpolationPlace, Truth};
use arrayvec::ArrayVec;
use bumpalo::Bump;

use crate::context::Context;
use crate::error::{BackEndError, CompileError};
use crate::ir::families::INTERPOLATIONS;
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::vocabulary::{Input, interpolation};
use crate::ir::{Build, Function, IrOp, Rewrite, Rewriter, Src, Type, Value};
use groups::{Group, Groups, MOST_COMPONENTS};

/// Mask of a pixel's coordinate within its tile, to which coefficients are relative.
const IN_TILE: u64 = 31;

/// Lowers fragment inputs and records the coefficient registers that they read.
///
/// # Errors
/// More coefficients than registers; inputs that no front end produces are internal errors.
pub fn lower_interpolation(f: &mut Function<'_>, context: &mut Context<'_>) -> Result<(), CompileError> {
    let sources = &mut context.facts.info.fragment.coefficients;
    f.with_scratch(|f, scratch| lower_all(f, sources, scratch))
}

fn lower_all(
    f: &mut Function<'_>,
    sources: &mut Vec<CoefficientSource>,
    scratch: &Bump,
) -> Result<(), CompileError> {
    narrow::narrow(f, scratch);
    let mut lowering = Lowering { sources };
    let groups = Groups::of(f, scratch);
    INTERPOLATIONS.try_map(f, |r, inst| {
        let data = r.f.insts[inst];
        let (Some(dst), [input, mode, place]) = (data.dst(), data.mods) else { return Ok(Rewrite::Keep) };
        match groups.get(inst) {
            Some(group) if group.first == inst => lowering.lower_group(r, group, [*mode, *place])?,
            Some(_) => {}
            None => lowering.lower(r, dst, Input(*input), [*mode, *place], data.srcs)?,
        }
        Ok(Rewrite::Remove)
    })
}

/// The contents of the registers of an interpolation.
type Wanted = ArrayVec<CoefficientSource, MOST_COMPONENTS>;

struct Lowering<'l> {
    /// The contents of the coefficient registers.
    sources: &'l mut Vec<CoefficientSource>,
}

impl Lowering<'_> {
    fn lower(
        &mut self,
        r: &mut Rewriter<'_, '_>,
        dst: Value,
        input: Input,
        [mode, place]: [u32; 2],
        at: &[Src],
    ) -> Result<(), CompileError> {
        let count = u32::from(r.f.ty(dst).comps);
        let interpolation = interpolation(mode);
        if interpolation.is_flat() {
            return self.flat(r, dst, (input, interpolation), count);
        }
        if !(1..=4).contains(&count) {
            return Err(CompileError::internal(format!("lower_interpolation: {count} components")));
        }
        let first = self.registers(input, count, interpolation)?;
        if let (3, [right, down]) = (place, at) {
            let point = Self::point(r, [*right, *down]);
            return self.evaluate(r, dst, [input.0, count], interpolation, point);
        }
        self.interpolate(r, dst, first, interpolation, interpolation_place(place, at)?)
    }

    /// Interpolates the coefficients of registers from `first` on.
    fn interpolate(
        &mut self,
        r: &mut Rewriter<'_, '_>,
        dst: Value,
        first: Src,
        interpolation: Interpolation,
        (place, sample): (InterpolationPlace, Src),
    ) -> Result<(), CompileError> {
        let count = u32::from(r.f.ty(dst).comps) % 4;
        let modifiers = |op| mods(op).with(key::COUNT, count).with(key::INTERP, place);
        if interpolation == Interpolation::Perspective {
            let w = self.registers(Input::ONE_OVER_W, 1, Interpolation::Linear)?;
            r.push(Opcode::Iterproj, &[dst], &[first, w, sample], &modifiers(Opcode::Iterproj));
        } else {
            r.push(Opcode::Iter, &[dst], &[first, sample], &modifiers(Opcode::Iter));
        }
        Ok(())
    }

    /// Interpolates all inputs of a group.
    fn lower_group(
        &mut self,
        r: &mut Rewriter<'_, '_>,
        group: &Group,
        [mode, place]: [u32; 2],
    ) -> Result<(), CompileError> {
        let interpolation = interpolation(mode);
        let place = interpolation_place(place, &[])?;
        let mut wanted = Wanted::new();
        for member in &group.members {
            wanted.extend(sources(Input(member.input), member.count, interpolation)?);
        }
        let first = self.hold(&wanted)?;
        let all = r.f.add_value(Type::vector(32, group.count() as u8));
        self.interpolate(r, all, Src::imm(u64::from(first), 16), interpolation, place)?;
        let parts = (0..group.count()).map(|_| r.f.add_value(Type::B32));
        let parts: ArrayVec<Value, MOST_COMPONENTS> = parts.collect();
        r.push(IrOp::Split, &parts, &[all.into()], &[]);
        let mut parts = parts.into_iter().map(Src::value);
        for member in &group.members {
            let own: ArrayVec<Src, MOST_COMPONENTS> = parts.by_ref().take(member.count as usize).collect();
            r.push(if own.len() == 1 { IrOp::Mov } else { IrOp::Collect }, &[member.dst], &own, &[]);
        }
        Ok(())
    }

    /// The position of a point of the pixel in its tile.
    fn point(r: &mut Rewriter<'_, '_>, offset: [Src; 2]) -> [Src; 2] {
        let axes = [Sr::THREAD_X, Sr::THREAD_Y].map(|axis| {
            let pixel = r.value(Opcode::Mfsr, Type::B32, &[], &mods(Opcode::Mfsr).with(key::SR, axis));
            let within = [pixel.into(), Src::imm(IN_TILE, 32)];
            let within = r.alu(Opcode::Bitop, 32, &within, &mods(Opcode::Bitop).with(key::TABLE, Truth::AND));
            let corner = r.op(Opcode::U32ToF, 32, &[within]);
            float_sum(r, corner, Src::imm32(0.5_f32.to_bits()))
        });
        [float_sum(r, axes[0], offset[0]), float_sum(r, axes[1], offset[1])]
    }

    /// Evaluates `count` components from `input` on at a point of the tile, directly from the coefficients.
    fn evaluate(
        &mut self,
        r: &mut Rewriter<'_, '_>,
        dst: Value,
        [input, count]: [u32; 2],
        interpolation: Interpolation,
        point: [Src; 2],
    ) -> Result<(), CompileError> {
        let one_over = match interpolation {
            Interpolation::Perspective => {
                let register = self.registers(Input::ONE_OVER_W, 1, Interpolation::Linear)?;
                let over_w = plane(r, register, point);
                Some(r.op(Opcode::Rcp, 32, &[over_w]))
            }
            _ => None,
        };
        let mut parts = Vec::with_capacity(count as usize);
        for at in 0..count {
            let register = self.registers(Input(input + at), 1, interpolation)?;
            let value = plane(r, register, point);
            parts.push(match one_over {
                Some(w) => r.op(Opcode::Fmul, 32, &[value, w]),
                None => value,
            });
        }
        r.push(IrOp::Collect, &[dst], &parts, &[]);
        Ok(())
    }

    /// A flat input: the constant term of each coefficient.
    fn flat(
        &mut self,
        r: &mut Rewriter<'_, '_>,
        dst: Value,
        (input, interpolation): (Input, Interpolation),
        count: u32,
    ) -> Result<(), CompileError> {
        let mut parts = Vec::with_capacity(count as usize);
        for at in 0..count {
            let register = self.registers(Input(input.0 + at), 1, interpolation)?;
            parts.push(coefficients(r, register)[2]);
        }
        r.push(IrOp::Collect, &[dst], &parts, &[]);
        Ok(())
    }

    /// The first of `count` consecutive registers that hold `input`: existing ones, or new ones.
    fn registers(
        &mut self,
        input: Input,
        count: u32,
        interpolation: Interpolation,
    ) -> Result<Src, CompileError> {
        // The hardware binds both axes of the position within a point together.
        let point = [CoefficientSource::PointX, CoefficientSource::PointY];
        let (wanted, skipped) = match input {
            Input::POINT_X => (Wanted::from_iter(point), 0),
            Input::POINT_Y => (Wanted::from_iter(point), 1),
            _ => (sources(input, count, interpolation)?, 0),
        };
        Ok(Src::imm(u64::from(self.hold(&wanted)? + skipped), 16))
    }

    /// The first of the consecutive registers that hold `wanted`: existing ones, or new ones.
    fn hold(&mut self, wanted: &[CoefficientSource]) -> Result<u32, CompileError> {
        let known = self.sources.windows(wanted.len()).position(|window| window == wanted);
        let first = known.unwrap_or(self.sources.len());
        if known.is_none() {
            self.sources.extend_from_slice(wanted);
        }
        if self.sources.len() > MAX_COEFFICIENTS as usize {
            return Err(BackEndError::Coefficients { most: MAX_COEFFICIENTS }.into());
        }
        Ok(first as u32)
    }
}

/// The place that a modifier stands for, and the sample there.
fn interpolation_place(place: u32, at: &[Src]) -> Result<(InterpolationPlace, Src), CompileError> {
    match (place, at) {
        (0, []) => Ok((InterpolationPlace::CENTRE, Src::NONE)),
        (1, []) => Ok((InterpolationPlace::CENTROID, Src::NONE)),
        (2, [sample]) if sample.as_imm().is_some() => Ok((InterpolationPlace::SAMPLE, *sample)),
        (2, [sample]) => Ok((InterpolationPlace::SAMPLE_REGISTER, *sample)),
        _ => Err(CompileError::internal(format!(
            "lower_interpolation: {} sources for place {place}",
            at.len()
        ))),
    }
}

/// The contents of the registers of `count` components from `input` on.
fn sources(input: Input, count: u32, interpolation: Interpolation) -> Result<Wanted, CompileError> {
    let mut wanted = Wanted::new();
    for at in 0..count {
        let source = input.source(at, interpolation);
        source.and_then(|source| wanted.try_push(source).ok()).ok_or_else(|| {
            CompileError::internal(format!("lower_interpolation: unknown input {}", input.0))
        })?;
    }
    Ok(wanted)
}

fn float_sum(r: &mut Rewriter<'_, '_>, a: Src, b: Src) -> Src {
    r.op(Opcode::Fadd, 32, &[a, b])
}

/// The three terms of a coefficient register.
fn coefficients(r: &mut Rewriter<'_, '_>, register: Src) -> [Src; 3] {
    let vector = r.value(Opcode::Ldcf, Type::vector(32, 3), &[register], &mods(Opcode::Ldcf));
    let terms = [0; 3].map(|_| r.f.add_value(Type::B32));
    r.push(IrOp::Split, &terms, &[vector.into()], &[]);
    terms.map(Src::value)
}

/// `A x + B y + C`. If A or B is a denormal with its lowest bit set, the coefficient is constant across the
/// primitive and only C is meaningful (Mesa 25.0 AGX compiler).
fn plane(r: &mut Rewriter<'_, '_>, register: Src, [x, y]: [Src; 2]) -> Src {
    let [a, b, c] = coefficients(r, register);
    let plain = mods(Opcode::Ffma);
    let sum = r.alu(Opcode::Ffma, 32, &[y, b, c], &plain);
    let sum = r.alu(Opcode::Ffma, 32, &[x, a, sum], &plain);
    let marked = [a, b].map(|term| {
        // Exponent 0 and the lowest bit set.
        let bitop = mods(Opcode::Bitop).with(key::TABLE, Truth::AND);
        let masked = r.alu(Opcode::Bitop, 32, &[term, Src::imm(0x7f80_0001, 32)], &bitop);
        r.op(IrOp::Icmp, 1, &[masked, Src::imm32(1)])
    });
    let either = r.alu(Opcode::Bitop, 1, &marked, &mods(Opcode::Bitop).with(key::TABLE, Truth::OR));
    r.alu(IrOp::Select, 32, &[either, c, sum], &[])
}
