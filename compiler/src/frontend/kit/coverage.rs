//! Coverage: which samples of a fragment shader's pixel are live. Handles discards, sample masks, and effects
//! restricted to live lanes.
//!
//! Normally the hardware tracks coverage: a discard kills samples, and a special register tells whether one
//! is left. Two kinds of shaders have to track it themselves. After early tests samples can no longer be
//! killed, so a discard only removes samples from the mask of stored samples; and if the program runs per
//! sample, the special register describes the whole pixel.

use agx_abi::{Stage, fragment};
use agx_isa::sr::Sr;
use agx_isa::table::Opcode;

use super::fragment_modes::FragmentModes;
use super::{Kit, compute};
use crate::error::{CompileError, KitError};
use crate::ir::build::alu::IntCond;
use crate::ir::op::mods;
use crate::ir::{Arithmetic, Build, IrOp, Src, Type};
use crate::ssa::Variable;

/// All samples of a pixel.
const ALL_SAMPLES: Src = Src::imm(0xff, 16);

/// Coverage that a fragment shader tracks in software.
#[derive(Clone, Copy, Default)]
pub(super) struct Coverage {
    /// The samples that a lane shades, if the program runs per sample.
    shaded: Option<Src>,
    tracked: Option<Tracked>,
    /// Lanes that are killed have to leave loops.
    has_loops: bool,
    /// Helper lanes take part in operations on the subgroup.
    helpers_take_part: bool,
    /// Whether the lane was killed, if it must not read memory then.
    ended: Option<Variable>,
    /// Killed lanes go on where definitions are missing that the others executed.
    pub(super) has_bypasses: bool,
}

#[derive(Clone, Copy)]
struct Tracked {
    /// Whether the lane has discarded its samples.
    demoted: Variable,
    /// Samples that are not stored, after early tests.
    dropped: Variable,
}

/// An if around an effect that helper lanes must not have.
#[must_use]
pub struct Guard {
    is_open: bool,
}

/// Starts tracking coverage; if the shader runs per sample, reads the mask of samples being shaded.
pub(super) fn begin(kit: &mut Kit<'_, '_>, modes: FragmentModes) {
    kit.fragment.coverage.has_loops = modes.has_loops;
    kit.fragment.coverage.helpers_take_part = modes.helpers_take_part;
    kit.fragment.coverage.ended = modes.reads_addresses.then(|| kit.vars.add(&[1]));
    let info = &kit.fragment.info;
    let (sample_shading, early_tests) = (info.sample_shading, info.early_tests);
    if sample_shading {
        let half = u32::from(fragment::SAMPLES);
        let shaded = kit.b.value(IrOp::Preload, Type::B16, &[], &[half]);
        kit.fragment.coverage.shaded = Some(Src::value(shaded));
    }
    if sample_shading || early_tests {
        let first = kit.vars.add(&[1, 16]);
        kit.fragment.coverage.tracked = Some(Tracked { demoted: first, dropped: first.at(1) });
    }
}

/// The samples that the lane shades, 16 bits.
pub fn shaded_samples(kit: &Kit<'_, '_>) -> Src {
    kit.fragment.coverage.shaded.unwrap_or(ALL_SAMPLES)
}

/// The number of the sample that the lane shades, 16 bits, if the shader runs per sample.
pub fn shaded_sample(kit: &mut Kit<'_, '_>) -> Option<Src> {
    let shaded = kit.fragment.coverage.shaded?;
    Some(Src::value(kit.b.value(Opcode::Ffs, Type::B16, &[shaded], &mods(Opcode::Ffs))))
}

/// The samples that the primitive covers, among those that the lane shades, 32 bits.
pub fn covered_samples(kit: &mut Kit<'_, '_>) -> Src {
    let covered = compute::register(kit, Sr::SAMPLE_MASK);
    match kit.fragment.coverage.shaded {
        Some(shaded) => {
            let shaded = kit.b.uconv(shaded, 32);
            kit.b.and(covered, shaded)
        }
        None => covered,
    }
}

/// Whether the lane covers no live sample: a boolean.
pub fn is_helper(kit: &mut Kit<'_, '_>) -> Src {
    let live = compute::register(kit, Sr::IS_ACTIVE);
    let helper = kit.b.icmp(IntCond::EQ, live, Src::imm32(0));
    match is_tracked_helper(kit) {
        Some(tracked) => kit.b.or(helper, tracked),
        None => helper,
    }
}

/// Whether the lane covers no live sample according to the coverage tracked in software; `None` if the
/// hardware tracks all of it.
fn is_tracked_helper(kit: &mut Kit<'_, '_>) -> Option<Src> {
    let beside = kit.fragment.coverage.shaded.is_some().then(|| {
        let covered = covered_samples(kit);
        kit.b.icmp(IntCond::EQ, covered, Src::imm32(0))
    });
    let Some(tracked) = kit.fragment.coverage.tracked else { return beside };
    let demoted = kit.vars.read(&mut kit.b, tracked.demoted);
    Some(beside.map_or(demoted, |beside| kit.b.or(beside, demoted)))
}

/// Kills the samples that the lane shades; the lane continues as a helper. Inside an if this affects only the
/// lanes that execute it.
///
/// # Errors
/// The shader is not a fragment shader.
pub fn discard(kit: &mut Kit<'_, '_>) -> Result<(), CompileError> {
    if kit.stage != Stage::Fragment {
        return Err(KitError::Discard.into());
    }
    if let Some(tracked) = kit.fragment.coverage.tracked {
        kit.vars.write(&kit.b, tracked.demoted, Src::imm(1, 1));
        kit.vars.write(&kit.b, tracked.dropped, Src::imm(0xff, 16));
    }
    if !kit.fragment.info.early_tests {
        kit.b.effect(IrOp::Discard, &[Src::imm(1, 1)], &[]);
    }
    Ok(())
}

/// Like [`discard`], for a lane that the program ends: it goes on as a helper, but leaves loops that only such lanes execute.
///
/// # Errors
/// The shader is not a fragment shader.
pub fn kill(kit: &mut Kit<'_, '_>) -> Result<(), CompileError> {
    discard(kit)?;
    if let Some(ended) = kit.fragment.coverage.ended {
        kit.vars.write(&kit.b, ended, Src::imm(1, 1));
    }
    if kit.fragment.coverage.has_loops {
        kit.b.effect(IrOp::Retire, &[Src::imm(1, 1)], &[]);
    }
    Ok(())
}

/// Lets lanes that were just killed go on where definitions may be missing. If `forget`, the variable assignments of the
/// current block are irrelevant for them.
pub fn bypass(kit: &mut Kit<'_, '_>, forget: bool) {
    kit.fragment.coverage.has_bypasses = true;
    if !forget {
        return;
    }
    let Coverage { tracked, ended, .. } = kit.fragment.coverage;
    let tracked = tracked.into_iter().flat_map(|tracked| [tracked.demoted, tracked.dropped]);
    let kept: Vec<Variable> = tracked.chain(ended).collect();
    kit.vars.forget(kit.b.block(), &kept);
}

/// Whether the lane was killed and must not read memory at an address that is not bounds-checked: a boolean; `None` if it
/// was not.
pub fn has_ended(kit: &mut Kit<'_, '_>) -> Option<Src> {
    let ended = kit.fragment.coverage.ended?;
    let ended = kit.vars.read(&mut kit.b, ended);
    (ended.as_imm() != Some(0)).then_some(ended)
}

/// Whether the lane takes part in operations on the subgroup other than those on quads: the constant true, or all lanes but
/// helpers. Vulkan leaves this open unless the shader reconverges maximally; programs expect that the elected lane has
/// effects.
pub fn takes_part(kit: &mut Kit<'_, '_>) -> Src {
    if kit.stage != Stage::Fragment || kit.fragment.coverage.helpers_take_part {
        return Src::imm(1, 1);
    }
    let helper = is_helper(kit);
    kit.b.not(helper)
}

/// Opens an if around an atomic, which helper lanes must not execute; outside fragment shaders all lanes do.
pub fn guard(kit: &mut Kit<'_, '_>) -> Guard {
    let helper = (kit.stage == Stage::Fragment).then(|| is_helper(kit));
    guard_against(kit, helper)
}

/// Opens an if around stores to memory or images, if lanes are helpers that the hardware takes for live ones:
/// it ignores the stores of helper lanes, but executes their atomics.
pub fn guard_store(kit: &mut Kit<'_, '_>) -> Guard {
    let helper = if kit.stage == Stage::Fragment { is_tracked_helper(kit) } else { None };
    guard_against(kit, helper)
}

fn guard_against(kit: &mut Kit<'_, '_>, helper: Option<Src>) -> Guard {
    let is_open = helper.is_some();
    if let Some(helper) = helper {
        let live = kit.b.not(helper);
        kit.b.begin_if(live);
    }
    Guard { is_open }
}

/// Closes the if.
pub fn end_guard(kit: &mut Kit<'_, '_>, guard: Guard) {
    if guard.is_open {
        kit.b.begin_else();
        kit.b.end_if();
    }
}

/// Closes the if; the scalar `result` is 0 in lanes without the effect.
pub fn end_guard_with(kit: &mut Kit<'_, '_>, guard: Guard, result: Src) -> Src {
    if !guard.is_open {
        return result;
    }
    let variable = kit.vars.add(&[kit.b.f.width(result)]);
    kit.vars.write(&kit.b, variable, result);
    kit.b.begin_else();
    kit.b.end_if();
    kit.vars.read(&mut kit.b, variable)
}

/// Finishes coverage at the end: samples outside `mask`, if the shader writes one, are killed or, after early
/// tests, not stored.
pub(super) fn end(kit: &mut Kit<'_, '_>, mask: Option<Src>, exports: &mut Vec<(u8, Src)>) {
    let mask = mask.map(|mask| kit.b.uconv(mask, 16));
    if !kit.fragment.info.early_tests {
        if let Some(mask) = mask {
            let dead = kit.b.not(mask);
            let shaded = shaded_samples(kit);
            let dead = kit.b.and(dead, shaded);
            kit.b.effect(IrOp::KillSamples, &[dead], &[]);
        }
    } else if let Some(emitted) = emitted_samples(kit, mask) {
        kit.fragment.info.writes_sample_mask = true;
        exports.push((fragment::SAMPLE_MASK, emitted));
    }
    if let Some(shaded) = kit.fragment.coverage.shaded {
        exports.push((fragment::SAMPLES, shaded));
    }
}

/// The mask of samples to store after early tests; `None` for all.
fn emitted_samples(kit: &mut Kit<'_, '_>, mask: Option<Src>) -> Option<Src> {
    let tracked = kit.fragment.coverage.tracked?;
    if !kit.vars.is_written(tracked.dropped) {
        return mask;
    }
    let dropped = kit.vars.read(&mut kit.b, tracked.dropped);
    let kept = kit.b.xor(dropped, ALL_SAMPLES);
    Some(mask.map_or(kept, |mask| kit.b.and(kept, mask)))
}
