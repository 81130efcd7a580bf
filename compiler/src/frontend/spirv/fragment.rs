//! Inputs and outputs of fragment shaders, and the end of invocations.
//!
//! Inputs come from coefficients and special registers. Colours, depth and stencil are left in fixed registers for the
//! next part of the program, which tests, blends and stores.

use agx_abi::Stage;
use agx_abi::fragment::{self, MAX_TARGETS, SECOND_SOURCE};
use agx_isa::table::Opcode;
use spirv::{BuiltIn, Op};

use super::interface::{Leaf, Slot, Style};
use super::module::Def;
use super::stage::Output;
use super::translate::Translator;
use super::words::Inst;
use crate::error::CompileError;
use crate::frontend::alu::{IntCond, float};
use crate::ir::op::{IrOp, mods_with};
use crate::ir::src::Src;
use crate::ir::types::Type;
use crate::lower::interpolation::{Input, Mode, Place};

/// Special registers of fragment programs (applegpu, Mesa 25.0): layer, covered samples, back face, live lane, pixel.
const LAYER: u32 = 2;
const COVERED: u32 = 124;
const IS_BACK: u32 = 62;
const IS_LIVE: u32 = 63;
const PIXEL: u32 = 80;

/// All samples of a pixel.
const ALL_SAMPLES: Src = Src::imm(0xff, 16);

/// Derivatives with the operations they are made of.
const DERIVATIVES: &[(Op, &[Opcode])] = &[
    (Op::DPdx, &[Opcode::Dfdx]),
    (Op::DPdxFine, &[Opcode::Dfdx]),
    (Op::DPdxCoarse, &[Opcode::Dfdx]),
    (Op::DPdy, &[Opcode::Dfdy]),
    (Op::DPdyFine, &[Opcode::Dfdy]),
    (Op::DPdyCoarse, &[Opcode::Dfdy]),
    (Op::Fwidth, &[Opcode::Dfdx, Opcode::Dfdy]),
    (Op::FwidthFine, &[Opcode::Dfdx, Opcode::Dfdy]),
    (Op::FwidthCoarse, &[Opcode::Dfdx, Opcode::Dfdy]),
];

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
                Slot::User { location, component } => {
                    self.interpolated(first, Input::user(location, component), vector.len())
                }
                Slot::BuiltIn { built_in, index } => {
                    self.fragment_built_in(built_in, index).map(|value| vec![value])
                }
            };
            let Some(found) = found else { return Ok(None) };
            for (value, leaf) in found.into_iter().zip(vector) {
                values.push(if leaf.is_float { self.b.fconv(value, leaf.bits) } else { value });
            }
        }
        Ok(Some(values))
    }

    /// `count` components of a location; nothing when they are taken where the program does not support.
    fn interpolated(&mut self, leaf: &Leaf, input: Input, count: usize) -> Option<Vec<Src>> {
        let Style { flat, linear, centroid, sample } = leaf.style;
        if sample && !flat {
            return None;
        }
        let mode = match (flat || !leaf.is_float, linear) {
            (true, _) => Mode::Flat,
            (_, true) => Mode::Linear,
            _ => Mode::Perspective,
        };
        let place = if centroid { Place::Centroid } else { Place::Centre };
        Some(self.interpolate(input, mode, place, count))
    }

    fn interpolate(&mut self, input: Input, mode: Mode, place: Place, count: usize) -> Vec<Src> {
        let ty = Type::vector(32, count as u8);
        let mods = [input.0, mode as u32, place as u32];
        let vector = self.b.value(IrOp::Interpolate, ty, &[], &mods);
        self.b.split(Src::value(vector), Type::B32, count).to_vec()
    }

    fn fragment_register(&mut self, number: u32) -> Src {
        let mods = mods_with(Opcode::Mfsr, &[("sr", number)]);
        Src::value(self.b.value(Opcode::Mfsr, Type::B32, &[], &mods))
    }

    fn fragment_built_in(&mut self, built_in: BuiltIn, index: u32) -> Option<Src> {
        let linear = |t: &mut Self, input| t.interpolate(input, Mode::Linear, Place::Centre, 1)[0];
        Some(match (built_in, index) {
            (BuiltIn::FragCoord, 0 | 1) => {
                let pixel = self.fragment_register(PIXEL + index);
                let corner = self.b.int_to_float(pixel, false, 32);
                self.b.fadd(corner, float(0.5, 32))
            }
            (BuiltIn::FragCoord, 2) => linear(self, Input::DEPTH),
            (BuiltIn::FragCoord, 3) => linear(self, Input::ONE_OVER_W),
            (BuiltIn::PointCoord, 0) => linear(self, Input::POINT_X),
            (BuiltIn::PointCoord, 1) => linear(self, Input::POINT_Y),
            (BuiltIn::FrontFacing, 0) => {
                let back = self.fragment_register(IS_BACK);
                self.b.icmp(IntCond::EQ, back, Src::imm32(0))
            }
            (BuiltIn::HelperInvocation, 0) => self.is_helper(),
            (BuiltIn::SampleMask, 0) => self.fragment_register(COVERED),
            (BuiltIn::Layer, 0) => self.fragment_register(LAYER),
            _ => return None,
        })
    }

    /// Whether the lane covers no live sample.
    pub(super) fn is_helper(&mut self) -> Src {
        let live = self.fragment_register(IS_LIVE);
        self.b.icmp(IntCond::EQ, live, Src::imm32(0))
    }

    /// Kills the samples of the pixel; the lane goes on without effect.
    pub(super) fn discard(&mut self) -> Result<(), CompileError> {
        if self.io.stage != Stage::Fragment {
            return Err(CompileError::unsupported("this terminator outside fragment shaders"));
        }
        if self.io.fragment.early_tests {
            return Err(CompileError::unsupported("discarding after early tests"));
        }
        self.io.fragment.late_tests = true;
        self.b.effect(IrOp::Discard, &[], &[]);
        Ok(())
    }

    /// Translates derivatives and discards; false for other instructions. The machine has one kind of derivative, which
    /// is the same throughout a quad's row or column and so does for both coarse and fine ones.
    pub(super) fn fragment_instruction(&mut self, inst: &Inst<'a>) -> Result<bool, CompileError> {
        if inst.op == Op::DemoteToHelperInvocation {
            self.discard()?;
            return Ok(true);
        }
        let Some((_, axes)) = DERIVATIVES.iter().find(|(op, _)| *op == inst.op) else { return Ok(false) };
        if self.io.stage != Stage::Fragment {
            return Err(CompileError::unsupported("derivatives outside fragment shaders"));
        }
        self.io.fragment.needs_helpers = true;
        let (ty, source) = self.eval().value(inst.word(2)?)?;
        let mut result = Vec::with_capacity(source.len());
        for x in source {
            let slopes: Vec<Src> = axes.iter().map(|axis| self.derivative(*axis, *x)).collect();
            result.push(match slopes[..] {
                [dx, dy] => {
                    let (dx, dy) = (self.b.fabs(dx), self.b.fabs(dy));
                    self.b.fadd(dx, dy)
                }
                _ => slopes[0],
            });
        }
        let leaves = self.bump.alloc_slice_copy(&result);
        let wanted = self.eval().ty(inst.word(0)?)?;
        if wanted != ty {
            return Err(CompileError::invalid("a derivative is of another type than its operand"));
        }
        self.define(inst.word(1)?, Def::Value(ty, leaves))?;
        Ok(true)
    }

    fn derivative(&mut self, axis: Opcode, x: Src) -> Src {
        let ty = Type::scalar(self.b.f.width(x));
        Src::value(self.b.value(axis, ty, &[x], &mods_with(axis, &[])))
    }

    /// Leaves the outputs in their registers.
    pub(super) fn fragment_outputs(&mut self, outputs: &[Output]) -> Result<(), CompileError> {
        if self.writes_memory {
            return Err(CompileError::unsupported("stores to memory in fragment shaders"));
        }
        let mut exports: Vec<(u8, Src)> = Vec::new();
        let mut mask = None;
        for (leaf, value) in outputs {
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
                Slot::BuiltIn { built_in: BuiltIn::FragDepth, .. } => {
                    self.io.fragment.writes_depth = true;
                    exports.push((fragment::DEPTH, word));
                }
                Slot::BuiltIn { built_in: BuiltIn::FragStencilRefEXT, .. } => {
                    self.io.fragment.writes_stencil = true;
                    exports.push((fragment::STENCIL, self.b.uconv(word, 16)));
                }
                Slot::BuiltIn { built_in: BuiltIn::SampleMask, index: 0 } => {
                    mask = Some(self.b.uconv(word, 16));
                }
                Slot::BuiltIn { built_in, .. } => {
                    return Err(CompileError::unsupported(format!("output {built_in:?}")));
                }
            }
        }
        self.finish_samples(mask, &mut exports)?;
        exports.sort_by_key(|(register, _)| *register);
        // Of outputs that overlap, the one declared last counts.
        exports.reverse();
        exports.dedup_by_key(|(register, _)| *register);
        for (register, value) in exports.into_iter().rev() {
            self.b.effect(IrOp::Export, &[value], &[u32::from(register)]);
        }
        Ok(())
    }

    /// Decides the samples that no discard has killed, where the program is to do so: depth and stencil that the program
    /// gives are tested by the next part.
    fn finish_samples(
        &mut self,
        mask: Option<Src>,
        exports: &mut Vec<(u8, Src)>,
    ) -> Result<(), CompileError> {
        let fragment = &mut self.io.fragment;
        let is_deferred = fragment.writes_depth || fragment.writes_stencil;
        if fragment.early_tests {
            if let Some(mask) = mask {
                fragment.writes_sample_mask = true;
                exports.push((fragment::SAMPLE_MASK, mask));
            }
            return Ok(());
        }
        if is_deferred && mask.is_some() {
            return Err(CompileError::unsupported("a sample mask together with depth or stencil"));
        }
        let decides = (fragment.late_tests || mask.is_some()) && !is_deferred;
        fragment.late_tests |= mask.is_some() || is_deferred;
        if decides {
            self.b.effect(IrOp::TestSamples, &[mask.unwrap_or(ALL_SAMPLES)], &[]);
        }
        Ok(())
    }
}

/// Whether `b` is the component after `a` and interpolated alike.
fn follows(a: &Leaf, b: &Leaf) -> bool {
    let (Slot::User { location, component }, Slot::User { location: at, component: next }) = (a.slot, b.slot)
    else {
        return false;
    };
    (at, next) == (location, component + 1) && (a.style, a.is_float) == (b.style, b.is_float)
}
