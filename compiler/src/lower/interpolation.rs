//! Fragment inputs: `interpolate` becomes the hardware's interpolations, and what they read gets coefficient registers.

use agx_abi::fragment::{CoefficientSource, Interpolation, MAX_COEFFICIENTS};
use agx_isa::table::Opcode;

use crate::error::CompileError;
use crate::ir::op::mods_with;
use crate::ir::{Function, IrOp, Op, Rewrite, Rewriter, Src, Type, Value};
use crate::pipeline::Context;

/// What `interpolate` interpolates: the modifier `input`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Input(pub u32);

impl Input {
    /// Where the numbers of inputs begin that are not locations.
    const BUILT_IN: u32 = 1 << 16;
    /// 1/w.
    pub const ONE_OVER_W: Input = Input(Self::BUILT_IN);
    /// Depth.
    pub const DEPTH: Input = Input(Self::BUILT_IN + 1);
    /// Position across a point.
    pub const POINT_X: Input = Input(Self::BUILT_IN + 2);
    /// Position down a point.
    pub const POINT_Y: Input = Input(Self::BUILT_IN + 3);

    /// A component of a location.
    pub fn user(location: u32, component: u32) -> Input {
        Input(4 * location + component)
    }

    /// What coefficient `at` from this one on holds.
    fn source(self, at: u32, interpolation: Interpolation) -> Option<CoefficientSource> {
        let number = self.0 + at;
        Some(match number {
            0..Self::BUILT_IN => {
                CoefficientSource::User { location: number / 4, component: number % 4, interpolation }
            }
            _ if at != 0 => return None,
            _ => match self {
                Input::ONE_OVER_W => CoefficientSource::OneOverW,
                Input::DEPTH => CoefficientSource::Depth,
                Input::POINT_X => CoefficientSource::PointX,
                Input::POINT_Y => CoefficientSource::PointY,
                _ => return None,
            },
        })
    }
}

/// How `interpolate` interpolates: the modifier `mode`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// The value of the provoking vertex.
    Flat = 0,
    /// Linear on the screen.
    Linear = 1,
    /// Linear in space.
    Perspective = 2,
}

/// Where in the pixel `interpolate` takes the value: the modifier `place`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The centre.
    Centre = 0,
    /// Somewhere the primitive covers.
    Centroid = 1,
}

/// The hardware's number of interpolation at the centroid.
const CENTROID: u32 = 2;

/// Lowers fragment inputs and lists the coefficient registers they read.
///
/// # Errors
/// More coefficients than there are registers; inputs that no front end makes are internal errors.
pub fn lower_interpolation(f: &mut Function<'_>, context: &mut Context<'_>) -> Result<(), CompileError> {
    let mut lowering =
        Lowering { sources: std::mem::take(&mut context.info.fragment.coefficients), error: None };
    f.map_insts(|r, inst| {
        let data = r.f.insts[inst];
        if data.op != Op::Ir(IrOp::Interpolate) {
            return Rewrite::Keep;
        }
        let (Some(dst), [input, mode, place]) = (data.dst(), data.mods) else { return Rewrite::Keep };
        if let Err(error) = lowering.lower(r, dst, Input(*input), [*mode, *place]) {
            lowering.error.get_or_insert(error);
        }
        Rewrite::Remove
    });
    context.info.fragment.coefficients = lowering.sources;
    lowering.error.map_or(Ok(()), Err)
}

struct Lowering {
    /// What the coefficient registers hold.
    sources: Vec<CoefficientSource>,
    error: Option<CompileError>,
}

impl Lowering {
    fn lower(
        &mut self,
        r: &mut Rewriter<'_, '_>,
        dst: Value,
        input: Input,
        [mode, place]: [u32; 2],
    ) -> Result<(), CompileError> {
        let count = u32::from(r.f.ty(dst).comps);
        let interpolation = match mode {
            0 => Interpolation::Flat,
            1 => Interpolation::Linear,
            _ => Interpolation::Perspective,
        };
        if interpolation == Interpolation::Flat {
            return self.flat(r, dst, input, count);
        }
        if !(1..=4).contains(&count) {
            return Err(CompileError::internal(format!("lower_interpolation: {count} components")));
        }
        let first = self.registers(input, count, interpolation)?;
        let interp = if place == Place::Centroid as u32 { CENTROID } else { 0 };
        let mods = [("count", count % 4), ("interp", interp)];
        if interpolation == Interpolation::Perspective {
            let w = self.registers(Input::ONE_OVER_W, 1, Interpolation::Linear)?;
            let srcs = [first, w, Src::NONE];
            r.push(Opcode::Iterproj, &[dst], &srcs, &mods_with(Opcode::Iterproj, &mods));
        } else {
            r.push(Opcode::Iter, &[dst], &[first, Src::NONE], &mods_with(Opcode::Iter, &mods));
        }
        Ok(())
    }

    /// A flat input: the constant term of each coefficient.
    fn flat(
        &mut self,
        r: &mut Rewriter<'_, '_>,
        dst: Value,
        input: Input,
        count: u32,
    ) -> Result<(), CompileError> {
        let mut parts = Vec::with_capacity(count as usize);
        for at in 0..count {
            let register = self.registers(Input(input.0 + at), 1, Interpolation::Flat)?;
            let mods = mods_with(Opcode::Ldcf, &[]);
            let vector = r.value(Opcode::Ldcf, Type::vector(32, 3), &[register], &mods);
            let terms: Vec<Value> = (0..3).map(|_| r.f.add_value(Type::B32)).collect();
            r.push(IrOp::Split, &terms, &[vector.into()], &[]);
            parts.push(Src::value(terms[2]));
        }
        r.push(IrOp::Collect, &[dst], &parts, &[]);
        Ok(())
    }

    /// The first of `count` consecutive registers that hold `input`: those known, or new ones.
    fn registers(
        &mut self,
        input: Input,
        count: u32,
        interpolation: Interpolation,
    ) -> Result<Src, CompileError> {
        let wanted: Option<Vec<CoefficientSource>> =
            (0..count).map(|at| input.source(at, interpolation)).collect();
        let wanted = wanted.ok_or_else(|| {
            CompileError::internal(format!("lower_interpolation: there is no input {}", input.0))
        })?;
        let known = self.sources.windows(wanted.len()).position(|window| window == wanted);
        let first = known.unwrap_or(self.sources.len());
        if known.is_none() {
            self.sources.extend(wanted);
        }
        if self.sources.len() > MAX_COEFFICIENTS as usize {
            return Err(CompileError::limit(format!("more than {MAX_COEFFICIENTS} coefficients of inputs")));
        }
        Ok(Src::imm(first as u64, 16))
    }
}
