//! Inputs and outputs of fragment shaders, and the end of invocations.
//!
//! Inputs come from coefficients and special registers. Colours, depth and stencil are left in fixed registers for the
//! next part of the program, which tests, blends and stores.

use agx_abi::fragment::{self, MAX_TARGETS, SECOND_SOURCE};
use agx_abi::{Stage, UniformSource};
use agx_isa::table::Opcode;
use spirv::{BuiltIn, GlslStd450Op, Op};

use super::interface::{Leaf, Slot, Style};
use super::module::Def;
use super::pointers::Root;
use super::stage::Output;
use super::translate::Translator;
use super::words::Inst;
use crate::error::CompileError;
use crate::ir::build::alu::{IntCond, float};
use crate::ir::op::{IrOp, mods_with};
use crate::ir::src::Src;
use crate::ir::types::Type;
use crate::ir::vocabulary::{Input, Mode, Place};

/// Special registers of fragment programs (applegpu, Mesa 25.0): layer, covered samples, back face, pixel.
const LAYER: u32 = 2;
pub(super) const COVERED: u32 = 124;
const IS_BACK: u32 = 62;
const PIXEL: u32 = 80;

/// What fragments before this one at the pixel must have done before an interlock is entered: everything they do to the
/// tile (Mesa 25.0 AGX compiler).
const INTERLOCK: Src = Src::imm(12, 16);

/// Clip or cull distances that there can be.
const MAX_DISTANCES: u32 = 8;

impl<'a> Translator<'_, 'a> {
    /// The scalars of an input; nothing when one is not supported.
    pub(super) fn fragment_inputs(&mut self, leaves: &[Leaf]) -> Result<Option<Vec<Src>>, CompileError> {
        let mut values = Vec::with_capacity(leaves.len());
        let mut rest = leaves;
        while let Some(first) = rest.first() {
            let count = rest.windows(2).take_while(|pair| follows(&pair[0], &pair[1])).count() + 1;
            let (vector, after) = rest.split_at(count);
            rest = after;
            let found = match first.slot {
                Slot::User { location, component } if first.bits == 64 => {
                    let words = self.interpolated(first, Input::user(location, component), 2);
                    Some(vec![self.b.collect(Type::B64, &words)])
                }
                Slot::User { location, component } => {
                    Some(self.interpolated(first, Input::user(location, component), vector.len()))
                }
                Slot::BuiltIn { built_in, index } => {
                    self.fragment_built_in(built_in, index).map(|value| vec![value])
                }
            };
            let Some(found) = found else { return Ok(None) };
            for (value, leaf) in found.into_iter().zip(vector) {
                if let (true, true, Some(value)) = (leaf.style.relaxed, leaf.is_float, value.as_value()) {
                    self.b.f.relax(value);
                }
                values.push(if leaf.is_float { self.b.fconv(value, leaf.bits) } else { value });
            }
        }
        Ok(Some(values))
    }

    /// Where an input is taken: in a shader that runs for each sample always at the sample.
    fn place(&mut self, style: Style) -> (Place, Option<Src>) {
        match self.shaded_sample() {
            Some(sample) => (Place::Sample, Some(sample)),
            None if style.centroid => (Place::Centroid, None),
            None => (Place::Centre, None),
        }
    }

    /// `count` components of an input.
    fn interpolated(&mut self, leaf: &Leaf, input: Input, count: usize) -> Vec<Src> {
        let (place, sample) = self.place(leaf.style);
        let ty = Type::vector(iterated_bits(leaf, place), count as u8);
        self.interpolate(input, mode(leaf), place, sample.as_slice(), ty)
    }

    fn interpolate(&mut self, input: Input, mode: Mode, place: Place, at: &[Src], ty: Type) -> Vec<Src> {
        let (place, at) = if mode == Mode::Flat { (Place::Centre, &[][..]) } else { (place, at) };
        let mods = [input.0, mode as u32, place as u32];
        let vector = self.b.value(IrOp::Interpolate, ty, at, &mods);
        self.b.split(Src::value(vector), Type::scalar(ty.bits), ty.comps.into()).to_vec()
    }

    pub(super) fn fragment_register(&mut self, number: u32) -> Src {
        let mods = mods_with(Opcode::Mfsr, &[("sr", number)]);
        Src::value(self.b.value(Opcode::Mfsr, Type::B32, &[], &mods))
    }

    fn fragment_built_in(&mut self, built_in: BuiltIn, index: u32) -> Option<Src> {
        let mut linear = |input| {
            let (place, sample) = self.place(Style::default());
            self.interpolate(input, Mode::Linear, place, sample.as_slice(), Type::B32)[0]
        };
        Some(match (built_in, index) {
            (BuiltIn::FragCoord, 0 | 1) => {
                let within = self.position_in_pixel(index);
                let pixel = self.fragment_register(PIXEL + index);
                let corner = self.b.int_to_float(pixel, false, 32);
                self.b.fadd(corner, within)
            }
            (BuiltIn::FragCoord, 2) => linear(Input::DEPTH),
            (BuiltIn::FragCoord, 3) => linear(Input::ONE_OVER_W),
            (BuiltIn::PointCoord, 0) => linear(Input::POINT_X),
            (BuiltIn::PointCoord, 1) => linear(Input::POINT_Y),
            (BuiltIn::FrontFacing, 0) => {
                let back = self.fragment_register(IS_BACK);
                self.b.icmp(IntCond::EQ, back, Src::imm32(0))
            }
            (BuiltIn::HelperInvocation, 0) => self.is_helper(),
            (BuiltIn::SampleId, 0) => {
                let sample = self.shaded_sample()?;
                self.b.uconv(sample, 32)
            }
            (BuiltIn::SamplePosition, 0 | 1) => self.position_in_pixel(index),
            (BuiltIn::SampleMask, 0) => self.covered_samples(),
            (BuiltIn::Layer, 0) => self.fragment_register(LAYER),
            (BuiltIn::ViewportIndex, 0) => {
                let word = self.flat(Input::LAYER_AND_VIEWPORT);
                self.b.ushr(word, Src::imm32(16))
            }
            (BuiltIn::PrimitiveId, 0) => self.flat(Input::PRIMITIVE_ID),
            (BuiltIn::ViewIndex, 0) => self.uniforms.get(UniformSource::ViewIndex, 0, 32),
            (BuiltIn::ClipDistance | BuiltIn::CullDistance, 0..MAX_DISTANCES) => {
                let input = match built_in {
                    BuiltIn::ClipDistance => Input::clip_distance(index),
                    _ => Input::cull_distance(index),
                };
                let (place, sample) = self.place(Style::default());
                self.interpolate(input, Mode::Perspective, place, sample.as_slice(), Type::B32)[0]
            }
            _ => return self.lane_built_in(built_in, index),
        })
    }

    fn flat(&mut self, input: Input) -> Src {
        self.interpolate(input, Mode::Flat, Place::Centre, &[], Type::B32)[0]
    }

    /// How far right of (axis 0) or below (1) the pixel's corner the lane shades.
    fn position_in_pixel(&mut self, axis: u32) -> Src {
        let Some(sample) = self.shaded_sample() else { return float(0.5, 32) };
        let positions = self.uniforms.get(UniformSource::SamplePositions, 0, 32);
        let first = self.b.shl(sample, Src::imm(3, 16));
        let first = self.b.iadd(first, Src::imm(u64::from(4 * axis), 16));
        let sixteenths = self.b.ushr(positions, first);
        let sixteenths = self.b.and(sixteenths, Src::imm32(15));
        let sixteenths = self.b.int_to_float(sixteenths, false, 32);
        self.b.fmul(sixteenths, float(1.0 / 16.0, 32))
    }

    /// The `count` scalars of the inputs from variable `at` on.
    fn input_leaves(&self, at: u32, count: usize) -> Result<Vec<Leaf>, CompileError> {
        let found = self.io.inputs.iter().find_map(|(variable, leaves)| {
            let start = at.checked_sub(variable.0)? as usize;
            leaves.get(start..start + count)
        });
        found.map(<[Leaf]>::to_vec).ok_or_else(|| CompileError::invalid("what is interpolated is no input"))
    }

    /// `interpolateAtCentroid`, `…Sample` and `…Offset`: an input taken elsewhere than its declaration says. Of an array
    /// with a computed index every element is taken, and one chosen.
    pub(super) fn interpolate_at(
        &mut self,
        op: GlslStd450Op,
        inst: &Inst<'a>,
    ) -> Result<Vec<Src>, CompileError> {
        if self.io.stage != Stage::Fragment {
            return Err(CompileError::invalid("interpolation outside fragment shaders"));
        }
        let pointer = self.pointer(inst.word(4)?)?;
        let Root::Variables(first) = pointer.root else {
            return Err(CompileError::invalid("what is interpolated is no input"));
        };
        let (place, at) = match op {
            GlslStd450Op::InterpolateAtCentroid => (Place::Centroid, Vec::new()),
            GlslStd450Op::InterpolateAtSample => {
                let sample = self.eval().scalar(inst.word(5)?)?;
                (Place::Sample, vec![self.b.uconv(sample, 16)])
            }
            _ => match self.eval().value(inst.word(5)?)?.1 {
                offset @ [_, _] => (Place::Offset, offset.to_vec()),
                _ => return Err(CompileError::invalid("an offset of other than two components")),
            },
        };
        let count = self.types.leaf_count(pointer.ty)?;
        let (elements, chosen) = self.candidates(pointer.steps)?;
        let mut result: Option<Vec<Src>> = None;
        for element in elements.into_iter().rev() {
            let leaves = self.input_leaves(first.0 + pointer.fixed + element, count)?;
            let here = self.leaves_at(&leaves, place, &at)?;
            result = Some(match result {
                None => here,
                Some(others) => {
                    let hit = self.b.icmp(IntCond::EQ, chosen, Src::imm32(element));
                    here.into_iter()
                        .zip(others)
                        .map(|(here, other)| self.b.select(hit, here, other))
                        .collect()
                }
            });
        }
        result.ok_or_else(|| CompileError::internal("an array of no elements"))
    }

    /// The scalars of inputs, taken at a place.
    fn leaves_at(&mut self, leaves: &[Leaf], place: Place, at: &[Src]) -> Result<Vec<Src>, CompileError> {
        let mut values = Vec::with_capacity(leaves.len());
        for leaf in leaves {
            let (input, mode) = match leaf.slot {
                Slot::User { location, component } => (Input::user(location, component), mode(leaf)),
                Slot::BuiltIn { built_in: BuiltIn::ClipDistance, index } => {
                    (Input::clip_distance(index), Mode::Perspective)
                }
                Slot::BuiltIn { built_in: BuiltIn::CullDistance, index } => {
                    (Input::cull_distance(index), Mode::Perspective)
                }
                Slot::BuiltIn { built_in, .. } => {
                    return Err(CompileError::unsupported(format!("interpolation of {built_in:?}")));
                }
            };
            if leaf.bits == 64 {
                return Err(CompileError::invalid("interpolation of 64-bit inputs"));
            }
            let ty = Type::scalar(iterated_bits(leaf, place));
            let value = self.interpolate(input, mode, place, at, ty)[0];
            values.push(if leaf.is_float { self.b.fconv(value, leaf.bits) } else { value });
        }
        Ok(values)
    }

    /// Interlocks: the fragments of a pixel run their parts between the two instructions in order, and what is ordered
    /// at the beginning is ordered at the end.
    fn interlock(&mut self, op: Op) -> Result<(), CompileError> {
        if self.io.stage != Stage::Fragment {
            return Err(CompileError::invalid("an interlock outside fragment shaders"));
        }
        if op == Op::BeginInvocationInterlockEXT {
            self.io.fragment.interlock = true;
            self.b.effect(Opcode::Pixwait, &[INTERLOCK], &mods_with(Opcode::Pixwait, &[]));
        }
        Ok(())
    }

    /// Translates discards and interlocks; false for other instructions.
    pub(super) fn fragment_instruction(&mut self, inst: &Inst<'a>) -> Result<bool, CompileError> {
        match inst.op {
            Op::DemoteToHelperInvocation => self.discard()?,
            Op::IsHelperInvocationEXT => {
                let ty = self.eval().ty(inst.word(0)?)?;
                let helper = self.is_helper();
                let leaves = self.bump.alloc_slice_copy(&[helper]);
                let leaves = self.eval().checked(ty, leaves)?;
                self.define(inst.word(1)?, Def::Value(ty, leaves))?;
            }
            Op::BeginInvocationInterlockEXT | Op::EndInvocationInterlockEXT => self.interlock(inst.op)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Leaves the outputs in their registers.
    pub(super) fn fragment_outputs(&mut self, outputs: &[Output]) -> Result<(), CompileError> {
        let mut exports: Vec<(u8, Src)> = Vec::new();
        let mut mask = None;
        for (leaf, value) in outputs {
            if leaf.bits == 64 {
                return Err(CompileError::invalid("a fragment output of 64 bits"));
            }
            let word = self.output_word(leaf, *value);
            match leaf.slot {
                Slot::User { location, component } => {
                    let target = if leaf.index == 0 { location } else { SECOND_SOURCE };
                    self.io.fragment.dual_source |= leaf.index != 0;
                    let register = fragment::colour_register(target, component).ok_or_else(|| {
                        CompileError::limit(format!("colour target {target} is not below {MAX_TARGETS}"))
                    })?;
                    self.io.fragment.components[target as usize] |= 1 << component;
                    exports.push((register, word));
                }
                // After early tests, depth and stencil are what they are.
                Slot::BuiltIn { built_in: BuiltIn::FragDepth | BuiltIn::FragStencilRefEXT, .. }
                    if self.io.fragment.early_tests => {}
                Slot::BuiltIn { built_in: BuiltIn::FragDepth, .. } => {
                    self.b.effect(IrOp::WriteDepth, &[word], &[]);
                }
                Slot::BuiltIn { built_in: BuiltIn::FragStencilRefEXT, .. } => {
                    let reference = self.b.uconv(word, 16);
                    self.b.effect(IrOp::WriteStencil, &[reference], &[]);
                }
                Slot::BuiltIn { built_in: BuiltIn::SampleMask, index: 0 } => mask = Some(word),
                Slot::BuiltIn { built_in, .. } => {
                    return Err(CompileError::unsupported(format!("output {built_in:?}")));
                }
            }
        }
        self.finish_coverage(mask, &mut exports);
        exports.sort_by_key(|(register, _)| *register);
        // Of outputs that overlap, the one declared last counts.
        exports.reverse();
        exports.dedup_by_key(|(register, _)| *register);
        for (register, value) in exports.into_iter().rev() {
            // An output stands where its value is made.
            self.b.line = self.b.f.def(value).map_or(0, |data| data.line);
            self.b.effect(IrOp::Export, &[value], &[u32::from(register)]);
        }
        Ok(())
    }
}

/// How an input is interpolated.
fn mode(leaf: &Leaf) -> Mode {
    match (leaf.style.flat || !leaf.is_float || leaf.bits == 64, leaf.style.linear) {
        (true, _) => Mode::Flat,
        (_, true) => Mode::Linear,
        _ => Mode::Perspective,
    }
}

/// Bits in which an input is interpolated: in 16 where it has as many, which the iterator rounds to. At an offset it is
/// computed here, and the others are words.
fn iterated_bits(leaf: &Leaf, place: Place) -> u8 {
    let is_half = leaf.bits == 16 && mode(leaf) != Mode::Flat && place != Place::Offset;
    if is_half { 16 } else { 32 }
}

/// Whether `b` is the component after `a` and interpolated alike.
fn follows(a: &Leaf, b: &Leaf) -> bool {
    let (Slot::User { location, component }, Slot::User { location: at, component: next }) = (a.slot, b.slot)
    else {
        return false;
    };
    (at, next) == (location, component + 1) && (a.style, a.is_float, a.bits) == (b.style, b.is_float, b.bits)
}
