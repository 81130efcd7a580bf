//! Programs at the start and the end of a render pass.

use std::mem::MaybeUninit;

use agx_compiler::link::PassTargets;

use super::{answer, list, text};
use crate::error::{AgxError, AgxStatus, given, make};
use crate::key::AgxCompiler;
use crate::shader::AgxShader;
use crate::tile::{self, AgxBackground, AgxPassTargets};

/// The targets of a pass.
///
/// # Safety
/// The targets point to as many formats as they declare, with valid texts.
unsafe fn read_targets(targets: Option<&AgxPassTargets>) -> Result<PassTargets, AgxError> {
    let targets = given(targets, "the targets")?;
    // SAFETY: guaranteed by the caller.
    let formats = unsafe { list(targets.formats, targets.format_count, "the list of formats") }?;
    // SAFETY: as above.
    let names = formats.iter().map(|format| unsafe { text(*format, "the format of a target") });
    tile::targets(targets, &names.collect::<Result<Vec<_>, _>>()?)
}

/// The program that initialises the targets of a pass, by `count` operations for its first targets. It is a shader with a
/// main part that ends the program; its uniforms `interface` have the clear colours. `bound` receives the targets whose
/// images it reads, bit 0 the first: the texture state register with the target's number holds a texture.
///
/// # Safety
/// The targets must point to as many formats as they declare, with valid texts, and `operations` to `count` operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agx_background_program(
    compiler: Option<&mut AgxCompiler>,
    targets: Option<&AgxPassTargets>,
    operations: *const AgxBackground,
    count: usize,
    shader: Option<&mut MaybeUninit<Option<Box<AgxShader>>>>,
    bound: Option<&mut MaybeUninit<u8>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    make(shader, error, || {
        // SAFETY: guaranteed by the caller.
        let targets = unsafe { read_targets(targets) }?;
        // SAFETY: as above.
        let operations = unsafe { list(operations, count, "the list of operations") }?;
        let program = tile::background(given(compiler, "the compiler")?, targets, operations)?;
        answer(bound, program.bound);
        Ok(AgxShader(program.shader))
    })
}

/// The program that stores the targets `stored` of a pass to their images, bit 0 the first. It is a shader with a main part
/// that ends the program. `bound` receives the targets whose images it writes: the texture state register with the
/// target's number holds an image. Targets that do not fit into the tile are already in memory.
///
/// # Safety
/// The targets must point to as many formats as they declare, with valid texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agx_end_of_tile_program(
    compiler: Option<&mut AgxCompiler>,
    targets: Option<&AgxPassTargets>,
    stored: u8,
    shader: Option<&mut MaybeUninit<Option<Box<AgxShader>>>>,
    bound: Option<&mut MaybeUninit<u8>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    make(shader, error, || {
        // SAFETY: guaranteed by the caller.
        let targets = unsafe { read_targets(targets) }?;
        let program = tile::end_of_tile(given(compiler, "the compiler")?, targets, stored)?;
        answer(bound, program.bound);
        Ok(AgxShader(program.shader))
    })
}
