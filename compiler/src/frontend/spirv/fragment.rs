//! Inputs and outputs of fragment shaders, mapped to those of the kit.

use agx_abi::Stage;
use spirv::{BuiltIn, GlslStd450Op, Op};

use super::interface::StageIo;
use super::interface::{Leaf, Output, Slot};
use super::interface::{input_value, output_word};
use super::memory::Candidates;
use super::owners::Memory;
use super::pointer::Root;
use super::values::Values;
use super::words::Inst;
use super::{composite, globals, memory, pointers};
use crate::error::{CompileError, StageError};
use crate::frontend::kit::barycentric::{self, Weights};
use crate::frontend::kit::fragment::{self, FragmentInput, FragmentOutput, Varying};
use crate::ir::src::Src;
use crate::ir::types::Type;
use crate::ir::vocabulary::{Input, Mode, Place};
use crate::ir::{Arithmetic, Build};

/// The scalars of an input; `None` if one is not supported.
pub(super) fn fragment_inputs(
    v: &mut Values<'_, '_>,
    leaves: &[Leaf],
) -> Result<Option<Vec<Src>>, CompileError> {
    let mut values = Vec::with_capacity(leaves.len());
    let mut rest = leaves;
    while let Some(first) = rest.first() {
        let count =
            rest.iter().zip(rest.iter().skip(1)).take_while(|(a, b)| follows(a, b)).count().saturating_add(1);
        let (vector, after) = rest.split_at(count);
        rest = after;
        let found = match first.slot {
            Slot::User { location, component } if first.bits == 64 => {
                let words = interpolated(v, first, Input::user(location, component), 2);
                Some(vec![v.kit.b.collect(Type::B64, &words)])
            }
            Slot::User { location, component } => {
                Some(interpolated(v, first, Input::user(location, component), vector.len()))
            }
            Slot::BuiltIn { built_in, index } => {
                let value = match weights(built_in) {
                    Some(weights) => {
                        let (place, sample) = fragment::place(&mut v.kit, first.style.centroid);
                        barycentric::coordinate(&mut v.kit, weights, index, (place, sample.as_slice()))
                    }
                    None => fragment_built_in(v, built_in, index),
                };
                value.map(|value| vec![value])
            }
        };
        let Some(found) = found else { return Ok(None) };
        for (value, leaf) in found.into_iter().zip(vector) {
            if let (true, true, Some(value)) = (leaf.style.relaxed, leaf.is_float, value.as_value()) {
                v.kit.b.f.relax(value);
            }
            let Some(value) = input_value(&mut v.kit.b, leaf, value) else { return Ok(None) };
            values.push(value);
        }
    }
    Ok(Some(values))
}

/// `count` components of an input.
fn interpolated(v: &mut Values<'_, '_>, leaf: &Leaf, input: Input, count: usize) -> Vec<Src> {
    if let Some(corner) = leaf.corner {
        return barycentric::at_vertex(&mut v.kit, input, corner, count as u8);
    }
    let place = if v.kit.fragment.info.sample_shading { Place::Sample } else { Place::Centre };
    let varying = Varying {
        input,
        mode: mode(leaf),
        centroid: leaf.style.centroid,
        count: count as u8,
        bits: iterated_bits(leaf, place),
    };
    fragment::varying(&mut v.kit, varying)
}

fn fragment_built_in(v: &mut Values<'_, '_>, built_in: BuiltIn, index: u32) -> Option<Src> {
    match fragment_input(built_in, index) {
        Some(input) => fragment::input(&mut v.kit, input),
        None => globals::lane_built_in(v, built_in, index),
    }
}

/// The `count` scalars of the inputs starting at variable `at`.
fn input_leaves(io: &StageIo<'_>, at: u32, count: usize) -> Result<Vec<Leaf>, CompileError> {
    let found = io.inputs.iter().find_map(|(variable, leaves)| {
        let start = at.checked_sub(variable.0)? as usize;
        leaves.get(start..start.saturating_add(count))
    });
    found.map(<[Leaf]>::to_vec).ok_or_else(|| CompileError::from(StageError::NotAnInput))
}

/// `interpolateAtCentroid`, `…Sample` and `…Offset`: interpolates an input at a position other than the
/// declared one. For an array with a computed index, every element is interpolated and one selected.
pub(super) fn interpolate_at<'a>(
    io: &mut StageIo<'a>,
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    op: GlslStd450Op,
    inst: &Inst<'a>,
) -> Result<Vec<Src>, CompileError> {
    if v.kit.stage != Stage::Fragment {
        return Err(StageError::NotFragment { what: "interpolation".to_owned() }.into());
    }
    let pointer = pointers::pointer(m, v, inst.word(4)?)?;
    let Root::Variables(first) = pointer.root else {
        return Err(StageError::NotAnInput.into());
    };
    let (place, at) = match op {
        GlslStd450Op::InterpolateAtCentroid => {
            let (place, sample) = fragment::place(&mut v.kit, true);
            (place, sample.into_iter().collect())
        }
        GlslStd450Op::InterpolateAtSample => {
            let sample = v.eval().scalar(inst.word(5)?)?;
            (Place::Sample, vec![v.kit.b.uconv(sample, 16)])
        }
        _ => match v.eval().value(inst.word(5)?)?.1 {
            offset @ [_, _] => (Place::Offset, offset.to_vec()),
            offset => return Err(StageError::Offset { found: offset.len() }.into()),
        },
    };
    let count = v.types.leaf_count(pointer.ty)?;
    let Candidates { elements, chosen } = memory::candidates(v, pointer.steps)?;
    let mut choices = vec![Vec::with_capacity(elements.len()); count];
    for (number, element) in elements {
        let leaves = input_leaves(io, first.at(pointer.fixed.wrapping_add(element)).0, count)?;
        let here = leaves_at(v, &leaves, place, &at)?;
        choices.iter_mut().zip(here).for_each(|(choice, leaf)| choice.push((number, leaf)));
    }
    choices.iter().map(|choice| composite::choose(&mut v.kit.b, choice, chosen)).collect()
}

/// The scalars of inputs, interpolated at a position.
fn leaves_at(
    v: &mut Values<'_, '_>,
    leaves: &[Leaf],
    place: Place,
    at: &[Src],
) -> Result<Vec<Src>, CompileError> {
    let mut values = Vec::with_capacity(leaves.len());
    for leaf in leaves {
        if leaf.bits == 64 {
            return Err(StageError::Double { what: "interpolation of an input" }.into());
        }
        let ty = Type::scalar(iterated_bits(leaf, place));
        let mut word = |input, mode| fragment::interpolate_one(&mut v.kit, input, mode, (place, at), ty);
        let value = match leaf.slot {
            // A value at a vertex is the same everywhere, as that of a flat input is.
            Slot::User { location, component } if leaf.corner.is_some() => {
                interpolated(v, leaf, Input::user(location, component), 1).first().copied()
            }
            Slot::User { location, component } => Some(word(Input::user(location, component), mode(leaf))),
            Slot::BuiltIn { built_in: BuiltIn::ClipDistance, index } => {
                Some(word(Input::clip_distance(index), Mode::Perspective))
            }
            Slot::BuiltIn { built_in: BuiltIn::CullDistance, index } => {
                Some(word(Input::cull_distance(index), Mode::Perspective))
            }
            Slot::BuiltIn { built_in, index } => {
                let weights = weights(built_in).ok_or(StageError::Interpolation { built_in })?;
                barycentric::coordinate(&mut v.kit, weights, index, (place, at))
            }
        };
        let Some(value) = value else { return Err(StageError::NotAnInput.into()) };
        values.push(if leaf.is_float { v.kit.b.fconv(value, leaf.bits) } else { value });
    }
    Ok(values)
}

/// Interlocks: the fragments of a pixel execute the code between the two instructions in order. The ordering
/// established at the beginning suffices, so the end does nothing.
pub(super) fn interlock(v: &mut Values<'_, '_>, op: Op) -> Result<(), CompileError> {
    if op == Op::BeginInvocationInterlockEXT {
        fragment::begin_interlock(&mut v.kit)?;
    }
    Ok(())
}

/// Exports the outputs to their registers.
pub(super) fn fragment_outputs(v: &mut Values<'_, '_>, outputs: &[Output]) -> Result<(), CompileError> {
    let mut words = Vec::with_capacity(outputs.len());
    for (leaf, value) in outputs {
        if leaf.bits == 64 {
            return Err(StageError::Double { what: "a fragment output" }.into());
        }
        let output = match leaf.slot {
            Slot::User { component, .. } if leaf.index != 0 => FragmentOutput::SecondColour { component },
            Slot::User { location, component } => FragmentOutput::Colour { target: location, component },
            Slot::BuiltIn { built_in: BuiltIn::FragDepth, .. } => FragmentOutput::Depth,
            Slot::BuiltIn { built_in: BuiltIn::FragStencilRefEXT, .. } => FragmentOutput::Stencil,
            Slot::BuiltIn { built_in: BuiltIn::SampleMask, index: 0 } => FragmentOutput::SampleMask,
            Slot::BuiltIn { built_in, .. } => {
                return Err(StageError::Output { built_in }.into());
            }
        };
        words.push((output, output_word(&mut v.kit.b, leaf, *value)));
    }
    fragment::end(&mut v.kit, &words)
}

/// The kit's input for a scalar of a built-in.
fn fragment_input(built_in: BuiltIn, index: u32) -> Option<FragmentInput> {
    Some(match (built_in, index) {
        (BuiltIn::FragCoord, _) => FragmentInput::FragCoord(index),
        (BuiltIn::PointCoord, _) => FragmentInput::PointCoord(index),
        (BuiltIn::SamplePosition, _) => FragmentInput::SamplePosition(index),
        (BuiltIn::ClipDistance, _) => FragmentInput::ClipDistance(index),
        (BuiltIn::CullDistance, _) => FragmentInput::CullDistance(index),
        (BuiltIn::FrontFacing, 0) => FragmentInput::FrontFacing,
        (BuiltIn::HelperInvocation, 0) => FragmentInput::HelperInvocation,
        (BuiltIn::SampleId, 0) => FragmentInput::SampleId,
        (BuiltIn::SampleMask, 0) => FragmentInput::SampleMask,
        (BuiltIn::Layer, 0) => FragmentInput::Layer,
        (BuiltIn::ViewportIndex, 0) => FragmentInput::Viewport,
        (BuiltIn::PrimitiveId, 0) => FragmentInput::PrimitiveId,
        (BuiltIn::ViewIndex, 0) => FragmentInput::ViewIndex,
        _ => return None,
    })
}

/// The kind of barycentric coordinates, if a built-in is one.
fn weights(built_in: BuiltIn) -> Option<Weights> {
    match built_in {
        BuiltIn::BaryCoordKHR => Some(Weights::Perspective),
        BuiltIn::BaryCoordNoPerspKHR => Some(Weights::Linear),
        _ => None,
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

/// Width in which an input is interpolated: 16 if it has 16 bits, to which the hardware's iterator rounds.
/// Interpolation at an offset is computed by the shader; all other inputs use words.
fn iterated_bits(leaf: &Leaf, place: Place) -> u8 {
    let is_half = leaf.bits == 16 && mode(leaf) != Mode::Flat && place != Place::Offset;
    if is_half { 16 } else { 32 }
}

/// Whether `b` is the component after `a`, with the same interpolation.
fn follows(a: &Leaf, b: &Leaf) -> bool {
    let (Slot::User { location, component }, Slot::User { location: at, component: next }) = (a.slot, b.slot)
    else {
        return false;
    };
    (at, next) == (location, component.wrapping_add(1))
        && (a.style, a.is_float, a.bits, a.corner) == (b.style, b.is_float, b.bits, b.corner)
}
