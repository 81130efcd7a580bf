//! Checks that parts form a program: the roles and their order, and that each part was generated for main parts like this
//! one. A part whose registers or uniforms are elsewhere would read undefined values.

use agx_abi::fragment::{CoefficientSource, FragmentInfo};
use agx_abi::occupancy::MAX_GPR_HALVES;
use agx_abi::vertex::{self, RunsAs};
use agx_abi::{PartRole, ShaderInfo, Stage};

use super::{EpilogKey, FragmentPrologKey, LinkError, LinkPart, PartKey, Parts, VertexPrologKey};

/// Checks the parts of a program.
pub(super) fn check(parts: &Parts<'_>) -> Result<(), LinkError> {
    debug_assert!(parts.info.gpr_halves <= MAX_GPR_HALVES);
    if let Some(prolog) = parts.prolog {
        check_part(parts.info, prolog, PartRole::Prolog)?;
    }
    if let Some(epilog) = parts.epilog {
        check_part(parts.info, epilog, PartRole::Epilog)?;
    }
    check_missing(parts)?;
    check_loop(parts)?;
    check_tests(parts)?;
    match parts.info.stage {
        Stage::Vertex if parts.info.runs_as == RunsAs::Vertex => Ok(()),
        Stage::Vertex | Stage::Fragment | Stage::Compute if parts.outputs.is_none() => Ok(()),
        Stage::Vertex => Err(LinkError::NoOutputs { stage: parts.info.runs_as.stage() }),
        stage => Err(LinkError::NoOutputs { stage }),
    }
}

/// Checks a prolog or an epilog beside the main part that `info` describes.
fn check_part(info: &ShaderInfo, part: &LinkPart, role: PartRole) -> Result<(), LinkError> {
    let (stage, found) = (info.stage, part.role());
    if found != role {
        return Err(LinkError::Role { wanted: role, found });
    }
    if stage == Stage::Compute || (stage == Stage::Vertex && role == PartRole::Epilog) {
        return Err(LinkError::Stage { stage, role });
    }
    if part.key.stage() != stage {
        return Err(LinkError::OtherStage { stage, role, found: part.key.stage() });
    }
    if info.whole {
        return Err(LinkError::Whole { role });
    }
    if part.target != info.target {
        return Err(LinkError::Target { main: info.target, role, part: part.target });
    }
    match &part.key {
        PartKey::VertexProlog(key) => check_vertex_prolog(info, part, key),
        PartKey::FragmentProlog(key) => check_fragment_prolog(info, key),
        PartKey::FragmentEpilog(key) => check_epilog(&info.fragment, key),
    }
}

/// Checks that a vertex prolog passes what the main part reads, in no other registers.
fn check_vertex_prolog(info: &ShaderInfo, part: &LinkPart, key: &VertexPrologKey) -> Result<(), LinkError> {
    if key.runs_as != info.runs_as {
        return Err(LinkError::RunsAs { main: info.runs_as.stage(), prolog: key.runs_as.stage() });
    }
    let [main, prolog] = [info.attributes.len(), key.attributes.len()].map(|count| count as u32);
    if main != prolog {
        return Err(LinkError::AttributeCount { main, prolog });
    }
    for (attribute, (main, prolog)) in (0..).zip(info.attributes.iter().zip(&key.attributes)) {
        let prolog = prolog.attribute;
        if main.location != prolog.location {
            return Err(LinkError::AttributeLocation {
                attribute,
                main: main.location,
                prolog: prolog.location,
            });
        }
        if main.components & !prolog.components != 0 {
            return Err(LinkError::AttributeComponents {
                location: main.location,
                main: main.components,
                prolog: prolog.components,
            });
        }
    }
    let most = info.gpr_halves.max(vertex::interface_halves(main));
    if part.gpr_halves > most {
        return Err(LinkError::PrologRaisesRegisters { prolog: part.gpr_halves, main: most });
    }
    if info.frame_from_prolog() && part.scratch_bytes < info.scratch_bytes {
        return Err(LinkError::Frame { main: info.scratch_bytes, prolog: part.scratch_bytes });
    }
    Ok(())
}

/// Checks that a fragment prolog discards and tests as the main part requires.
fn check_fragment_prolog(info: &ShaderInfo, key: &FragmentPrologKey) -> Result<(), LinkError> {
    let FragmentInfo { sample_shading, early_tests, coefficients, .. } = &info.fragment;
    expect(
        PartRole::Prolog,
        &[
            ("the execution for each sample", key.sample_shading.into(), (*sample_shading).into()),
            ("the request for early tests", key.early_tests.into(), (*early_tests).into()),
        ],
    )?;
    if *early_tests {
        let writes = ("the access to memory", key.writes_memory.into(), info.writes_memory.into());
        expect(PartRole::Prolog, &[writes])?;
    }
    // Flags are among the main part's coefficients, or follow them without a gap.
    let mut next = coefficients.len();
    for register in &key.culled {
        match coefficients.get(usize::from(*register)) {
            Some(CoefficientSource::Culled(_)) => {}
            None if usize::from(*register) <= next => next = next.max(usize::from(*register) + 1),
            _ => return Err(LinkError::Flag { register: *register }),
        }
    }
    Ok(())
}

/// Checks that an epilog reads the registers in which the main part passes its results.
fn check_epilog(info: &FragmentInfo, key: &EpilogKey) -> Result<(), LinkError> {
    for (expected, found) in key.components.iter().zip(info.components) {
        expect(PartRole::Epilog, &[("the mask of components of a colour", *expected, found)])?;
    }
    expect(
        PartRole::Epilog,
        &[
            ("the constant alpha of 1", key.opaque.into(), info.opaque.into()),
            ("the second colour for blending", key.dual_source.into(), info.dual_source.into()),
            ("the output of a depth", key.depth.into(), info.writes_depth.into()),
            ("the output of a stencil value", key.stencil.into(), info.writes_stencil.into()),
            ("the output of a sample mask", key.sample_mask.into(), info.writes_sample_mask.into()),
            ("the request for early tests", key.early_tests.into(), info.early_tests.into()),
            ("the execution for each sample", key.sample_shading.into(), info.sample_shading.into()),
        ],
    )
}

/// Checks properties of the main part: what they are called, the values in a part's key and in the main part.
fn expect(role: PartRole, properties: &[(&'static str, u8, u8)]) -> Result<(), LinkError> {
    match properties.iter().find(|(_, expected, found)| expected != found) {
        Some((property, expected, found)) => {
            Err(LinkError::Expects { role, property, expected: *expected, found: *found })
        }
        None => Ok(()),
    }
}

/// Checks that no part is missing that the main part relies on.
fn check_missing(parts: &Parts<'_>) -> Result<(), LinkError> {
    let (stage, fragment) = (parts.info.stage, &parts.info.fragment);
    let missing = |role, provides| Err(LinkError::Missing { stage, role, provides });
    match stage {
        _ if parts.info.whole => Ok(()),
        Stage::Vertex if parts.prolog.is_some() => Ok(()),
        Stage::Vertex if !parts.info.attributes.is_empty() => {
            missing(PartRole::Prolog, "fetches its attributes")
        }
        Stage::Vertex if parts.info.runs_as == RunsAs::Compute => {
            missing(PartRole::Prolog, "computes vertex and instance number")
        }
        Stage::Fragment if parts.epilog.is_some() => Ok(()),
        Stage::Fragment if fragment.late_tests => missing(PartRole::Epilog, "tests its samples"),
        Stage::Fragment if fragment.targets() != 0 => missing(PartRole::Epilog, "stores its colours"),
        Stage::Vertex | Stage::Fragment | Stage::Compute => Ok(()),
    }
}

/// Checks the loop over samples.
fn check_loop(parts: &Parts<'_>) -> Result<(), LinkError> {
    let is_needed = parts.info.stage == Stage::Fragment && parts.info.fragment.sample_shading;
    match (parts.sample_loop, parts.epilog.map(|epilog| &epilog.key)) {
        (Some(samples), _) if !matches!(samples, 1 | 2 | 4) => Err(LinkError::Samples { samples }),
        (Some(_), _) if !is_needed => Err(LinkError::Loop { stage: parts.info.stage }),
        (None, _) if is_needed => Err(LinkError::NoLoop),
        (Some(samples), Some(PartKey::FragmentEpilog(key))) if key.samples != samples => {
            Err(LinkError::LoopSamples { samples, epilog: key.samples })
        }
        _ => Ok(()),
    }
}

/// Checks that samples are tested after the last part that kills some, unless tests always run first.
fn check_tests(parts: &Parts<'_>) -> Result<(), LinkError> {
    let Some(PartKey::FragmentEpilog(key)) = parts.epilog.map(|epilog| &epilog.key) else { return Ok(()) };
    let killer = match parts.prolog.map(|prolog| &prolog.key) {
        Some(PartKey::FragmentProlog(prolog)) if prolog.discards() => Some(PartRole::Prolog),
        _ if parts.info.fragment.late_tests => Some(PartRole::Main),
        _ => None,
    };
    match killer {
        Some(role) if key.tested && !key.early_tests => Err(LinkError::Untested { role }),
        _ => Ok(()),
    }
}
