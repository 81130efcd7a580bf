//! Linking, and the properties of programs.

use std::mem::MaybeUninit;

use agx_compiler::link::AttributeKey;

use super::{answer, list, text};
use crate::bytes::{AgxBuffer, AgxBytes, AgxText};
use crate::error::{AgxError, AgxStatus, attempt, given, make};
use crate::interface::AgxCoefficient;
use crate::key::AgxCompiler;
use crate::program::{self, AgxAttribute, AgxFragmentState, AgxProgram, AgxProgramInfo, AgxTarget};
use crate::shader::{self, AgxShader, AgxStateRegister};
use crate::stages;
use crate::words;

/// The attributes of a vertex program.
///
/// # Safety
/// `attributes` points to `count` attributes with valid texts.
unsafe fn read_attributes(
    attributes: *const AgxAttribute,
    count: usize,
) -> Result<Vec<AttributeKey>, AgxError> {
    // SAFETY: guaranteed by the caller.
    let attributes = unsafe { list(attributes, count, "the list of attributes") }?;
    let read = attributes.iter().map(|found| {
        // SAFETY: as above.
        program::attribute(found, unsafe { text(found.format, "the format of an attribute") }?)
    });
    let read: Vec<AttributeKey> = read.collect::<Result<_, _>>()?;
    program::check_attributes(&read)?;
    Ok(read)
}

/// An attribute of which each vertex has its own element, aligned as Vulkan requires.
///
/// # Safety
/// `format` must be a valid text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agx_attribute_default(location: u32, format: AgxText, stride: u32) -> AgxAttribute {
    // SAFETY: guaranteed by the caller.
    let name = unsafe { text(format, "the format of an attribute") }.unwrap_or_default();
    program::default_attribute(location, format, name, stride)
}

/// A target of this format that takes colours unchanged.
#[unsafe(no_mangle)]
pub extern "C" fn agx_target_default(format: AgxText) -> AgxTarget {
    program::default_target(format)
}

/// The state of a draw of one sample, without targets, that discards nothing. A state of zeros would keep no sample.
#[unsafe(no_mangle)]
pub extern "C" fn agx_fragment_state_default() -> AgxFragmentState {
    program::default_state()
}

/// Links a vertex shader with the fetch of its attributes. Its outputs get the slots from which `fragment`
/// reads them; a null pointer selects the slots for a pass without a fragment shader.
///
/// # Safety
/// `attributes` must point to `count` attributes with valid texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agx_link_vertex(
    compiler: Option<&mut AgxCompiler>,
    shader: Option<&AgxShader>,
    fragment: Option<&AgxShader>,
    attributes: *const AgxAttribute,
    count: usize,
    made: Option<&mut MaybeUninit<Option<Box<AgxProgram>>>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    make(made, error, || {
        // SAFETY: guaranteed by the caller.
        let attributes = unsafe { read_attributes(attributes, count) }?;
        program::vertex(given(compiler, "the compiler")?, given(shader, "the shader")?, fragment, &attributes)
    })
}

/// Links a vertex or evaluation shader that runs as a compute shader with the fetch of its attributes and vertex numbers:
/// indices have `index_bytes` bytes, 0 without indices; `primitives` is a number of `AgxPrimitives`.
///
/// # Safety
/// Like `agx_link_vertex`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agx_link_stored_vertex(
    compiler: Option<&mut AgxCompiler>,
    shader: Option<&AgxShader>,
    attributes: *const AgxAttribute,
    count: usize,
    index_bytes: u32,
    primitives: u32,
    last_provokes: bool,
    made: Option<&mut MaybeUninit<Option<Box<AgxProgram>>>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    make(made, error, || {
        // SAFETY: guaranteed by the caller.
        let attributes = unsafe { read_attributes(attributes, count) }?;
        let assembly = stages::assembly(index_bytes, primitives, last_provokes)?;
        let (compiler, shader) = (given(compiler, "the compiler")?, given(shader, "the shader")?);
        stages::stored_vertex(compiler, shader, &attributes, assembly)
    })
}

/// The vertex shader that draws the vertices which the geometry shader `geometry` emits: it has no attributes, and
/// loads the outputs of the vertex with its number. It stores only the varyings that `fragment` reads, or all if
/// that is null.
#[unsafe(no_mangle)]
pub extern "C" fn agx_emitted_vertex(
    compiler: Option<&mut AgxCompiler>,
    geometry: Option<&AgxShader>,
    fragment: Option<&AgxShader>,
    shader: Option<&mut MaybeUninit<Option<Box<AgxShader>>>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    make(shader, error, || {
        stages::emitted_vertex(given(compiler, "the compiler")?, given(geometry, "the shader")?, fragment)
    })
}

/// Links a fragment shader with the parts required by the state of a draw.
///
/// # Safety
/// The state must point to as many targets as it declares, with valid texts, and to a shader or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agx_link_fragment(
    compiler: Option<&mut AgxCompiler>,
    shader: Option<&AgxShader>,
    state: Option<&AgxFragmentState>,
    made: Option<&mut MaybeUninit<Option<Box<AgxProgram>>>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    make(made, error, || {
        let state = given(state, "the state")?;
        // SAFETY: guaranteed by the caller.
        let targets: &[AgxTarget] =
            unsafe { list(state.targets, state.target_count, "the list of targets") }?;
        let read = targets.iter().map(|found| {
            // SAFETY: as above.
            program::target(found, unsafe { text(found.format, "the format of a target") }?)
        });
        let targets = read.collect::<Result<Vec<_>, _>>()?;
        // SAFETY: as above.
        let vertex = unsafe { state.vertex.as_ref() };
        let state = program::state(state, &targets, vertex)?;
        program::fragment(given(compiler, "the compiler")?, given(shader, "the shader")?, &state)
    })
}

/// Frees a program.
#[unsafe(no_mangle)]
pub extern "C" fn agx_program_free(program: Option<Box<AgxProgram>>) {
    drop(program);
}

/// Machine code of a program, to be placed at a multiple of 128 bytes.
#[unsafe(no_mangle)]
pub extern "C" fn agx_program_code(program: Option<&AgxProgram>) -> AgxBytes {
    program.map_or(&[][..], |program| program.0.code.as_slice()).into()
}

/// Assembly text of a program.
#[unsafe(no_mangle)]
pub extern "C" fn agx_program_assembly(
    program: Option<&AgxProgram>,
    assembly: Option<&mut MaybeUninit<Option<Box<AgxBuffer>>>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    make(assembly, error, || Ok(AgxBuffer(given(program, "the program")?.0.assembly().into_bytes())))
}

/// Information about a program for its driver.
#[unsafe(no_mangle)]
pub extern "C" fn agx_program_info(
    program: Option<&AgxProgram>,
    info: Option<&mut MaybeUninit<AgxProgramInfo>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        answer(info, (&given(program, "the program")?.0).into());
        Ok(())
    })
}

/// A sampler state register that a program needs in addition to those of its main part.
#[unsafe(no_mangle)]
pub extern "C" fn agx_program_sampler(
    program: Option<&AgxProgram>,
    number: usize,
    sampler: Option<&mut MaybeUninit<AgxStateRegister>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        let samplers = &given(program, "the program")?.0.appended.samplers;
        answer(sampler, shader::sampler(shader::element("appended sampler", samplers, number)?));
        Ok(())
    })
}

/// A coefficient register that a program needs in addition to those of its main part.
#[unsafe(no_mangle)]
pub extern "C" fn agx_program_coefficient(
    program: Option<&AgxProgram>,
    number: usize,
    coefficient: Option<&mut MaybeUninit<AgxCoefficient>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        let coefficients = &given(program, "the program")?.0.appended.coefficients;
        answer(coefficient, (*shader::element("appended coefficient", coefficients, number)?).into());
        Ok(())
    })
}

/// Rasteriser words for a pair of shaders: `kind` is a number of `AgxWords`, `provoking` one of
/// `AgxProvoking`, and `program` the program of the fragment shader.
#[unsafe(no_mangle)]
pub extern "C" fn agx_words(
    vertex: Option<&AgxShader>,
    fragment: Option<&AgxShader>,
    program: Option<&AgxProgram>,
    kind: u32,
    provoking: u32,
    made: Option<&mut MaybeUninit<Option<Box<AgxBuffer>>>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    make(made, error, || {
        let vertex = given(vertex, "the vertex shader")?;
        let fragment = given(fragment, "the fragment shader")?;
        let program = given(program, "the fragment program")?;
        words::words(vertex, fragment, program, kind, provoking)
    })
}
