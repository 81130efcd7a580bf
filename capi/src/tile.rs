//! Programs that run at the start and the end of a render pass, for each tile.

use agx_abi::fragment::MAX_TARGETS;
use agx_abi::tile::ColourFormat;
use agx_compiler::CompileKey;
use agx_compiler::link::{BackgroundKey, BackgroundOp, EndOfTileKey, PassTargets, ResolveMode, TileProgram};

use crate::bytes::AgxText;
use crate::error::AgxError;
use crate::key::{AgxCompiler, numbered};

/// The targets of a render pass.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxPassTargets {
    /// Their formats, at most 8: Vulkan's names without `VK_FORMAT_`; empty for none.
    pub formats: *const AgxText,
    /// Number of formats.
    pub format_count: usize,
    /// Samples of a pixel: 1, 2 or 4.
    pub samples: u8,
    /// Whether images are arrays, of which the layer being rendered is loaded and stored.
    pub layered: bool,
}

/// Initial contents of a target.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgxBackgroundKind {
    /// Undefined.
    None = 0,
    /// The colour in the uniform for the target.
    Clear = 1,
    /// The contents of the image.
    Load = 2,
    /// The resolved samples of a multisampled image.
    Resolve = 3,
}

/// How the samples of a pixel are resolved.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgxResolve {
    /// The first one.
    First = 0,
    /// Their mean; not for integers.
    Average = 1,
    /// The minimum of each component.
    Least = 2,
    /// The maximum of each component.
    Greatest = 3,
}

/// The operation of a background program on a target.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxBackground {
    /// A number of `AgxBackgroundKind`.
    pub kind: u32,
    /// Samples of the image to be resolved: 2 or 4.
    pub samples: u8,
    /// How it is resolved: a number of `AgxResolve`.
    pub resolve: u32,
}

/// The targets of a pass with formats of these names.
pub(crate) fn targets(found: &AgxPassTargets, names: &[&str]) -> Result<PassTargets, AgxError> {
    let mut formats = [None; MAX_TARGETS as usize];
    if names.len() > formats.len() {
        return Err(AgxError::argument(format!("{} formats: expected at most {MAX_TARGETS}", names.len())));
    }
    for (place, name) in formats.iter_mut().zip(names).filter(|(_, name)| !name.is_empty()) {
        let known = ColourFormat::from_name(name);
        *place = Some(known.ok_or_else(|| AgxError::argument(format!("unknown colour format `{name}`")))?);
    }
    Ok(PassTargets { formats, samples: found.samples, layered: found.layered })
}

/// The operation on a target; `None` leaves its contents undefined.
fn operation(found: &AgxBackground) -> Result<Option<BackgroundOp>, AgxError> {
    let kinds = [
        AgxBackgroundKind::None,
        AgxBackgroundKind::Clear,
        AgxBackgroundKind::Load,
        AgxBackgroundKind::Resolve,
    ];
    let modes = [ResolveMode::First, ResolveMode::Average, ResolveMode::Least, ResolveMode::Greatest];
    Ok(match numbered("background kind", &kinds, found.kind)? {
        AgxBackgroundKind::None => None,
        AgxBackgroundKind::Clear => Some(BackgroundOp::Clear),
        AgxBackgroundKind::Load => Some(BackgroundOp::Load),
        AgxBackgroundKind::Resolve => {
            let mode = numbered("resolve mode", &modes, found.resolve)?;
            Some(BackgroundOp::Resolve { samples: found.samples, mode })
        }
    })
}

/// The program at the start of a pass.
pub(crate) fn background(
    compiler: &mut AgxCompiler,
    targets: PassTargets,
    given: &[AgxBackground],
) -> Result<TileProgram, AgxError> {
    let mut operations = [None; MAX_TARGETS as usize];
    if given.len() > operations.len() {
        let count = given.len();
        return Err(AgxError::argument(format!("{count} operations: expected at most {MAX_TARGETS}")));
    }
    for (place, found) in operations.iter_mut().zip(given) {
        *place = operation(found)?;
    }
    let AgxCompiler { compiler, scratch } = compiler;
    let key = BackgroundKey { targets, operations };
    Ok(compiler.background_program(scratch, &key, &CompileKey::default())?)
}

/// The program at the end of a pass.
pub(crate) fn end_of_tile(
    compiler: &mut AgxCompiler,
    targets: PassTargets,
    stored: u8,
) -> Result<TileProgram, AgxError> {
    let AgxCompiler { compiler, scratch } = compiler;
    Ok(compiler.end_of_tile_program(scratch, &EndOfTileKey { targets, stored }, &CompileKey::default())?)
}
