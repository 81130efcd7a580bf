//! The functions of the header: C arguments become references, slices and texts, and the other modules
//! implement the functions.
//!
//! All `unsafe` code of the crate is here. A function without text, bytes or list arguments is safe: its
//! pointers are optional references, and output places are `MaybeUninit`, because C programs pass them
//! uninitialised.

#![expect(
    unsafe_code,
    reason = "C passes pointers with lengths, symbols need exact names, and a C callback cancels compilations"
)]

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::slice;

use agx_abi::linking::VertexOutputs;
use agx_compiler::{BUILD_ID, CompileKey, CompileLimits, CompiledShader, FIGURES, Robustness};

use crate::bytes::{AgxBuffer, AgxBytes, AgxText};
use crate::error::{AgxError, AgxStatus, attempt, given, make};
use crate::key::{self, AgxBinding, AgxCompiler, AgxKey};
use crate::program::{self, AgxAttribute, AgxFragmentState, AgxProgram, AgxProgramInfo, AgxTarget};
use crate::shader::{self, AgxField, AgxFigure, AgxShader, AgxShaderInfo, AgxStateRegister, AgxUniform};
use crate::stages::{self, AgxGeometryInfo, AgxTessellationInfo};
use crate::words;

/// A list argument.
///
/// # Safety
/// `data` points to `length` initialised elements that live as long as the call, unless `length` is 0.
unsafe fn list<'c, T>(data: *const T, length: usize, what: &str) -> Result<&'c [T], AgxError> {
    match length {
        0 => Ok(&[]),
        _ if data.is_null() => Err(AgxError::argument(format!("{what} is null"))),
        // SAFETY: guaranteed by the caller; a null pointer was rejected.
        _ => Ok(unsafe { slice::from_raw_parts(data, length) }),
    }
}

/// A text argument.
///
/// # Safety
/// Like [`list`].
unsafe fn text<'c>(text: AgxText, what: &str) -> Result<&'c str, AgxError> {
    // SAFETY: guaranteed by the caller; the bytes may have any value.
    let bytes = unsafe { list(text.data.cast::<u8>(), text.length, what) }?;
    std::str::from_utf8(bytes).map_err(|error| AgxError::argument(format!("{what}: {error}")))
}

/// The attributes of a vertex program.
///
/// # Safety
/// `attributes` points to `count` attributes with valid texts.
unsafe fn read_attributes(
    attributes: *const AgxAttribute,
    count: usize,
) -> Result<Vec<program::Attribute>, AgxError> {
    // SAFETY: guaranteed by the caller.
    let attributes = unsafe { list(attributes, count, "the list of attributes") }?;
    let read = attributes.iter().map(|found| {
        // SAFETY: as above.
        program::attribute(found, unsafe { text(found.format, "the format of an attribute") }?)
    });
    read.collect()
}

/// Writes a result to an output place, unless that is null.
fn answer<T>(place: Option<&mut MaybeUninit<T>>, value: T) {
    if let Some(place) = place {
        place.write(value);
    }
}

/// The version of this interface. It grows with every change of the header.
#[unsafe(no_mangle)]
pub extern "C" fn agx_interface_version() -> u32 {
    2
}

/// The build of the compiler: `build` takes 16 bytes. Only the same build accepts serialised shaders.
#[unsafe(no_mangle)]
pub extern "C" fn agx_build_id(build: Option<&mut MaybeUninit<[u8; 16]>>) {
    answer(build, BUILD_ID.to_le_bytes());
}

/// Stable number of an error, which `agxc explain` documents; 0 for errors that do not come from the
/// compiler.
#[unsafe(no_mangle)]
pub extern "C" fn agx_error_code(error: Option<&AgxError>) -> u32 {
    error.map_or(0, |error| error.code.into())
}

/// A sentence that describes the error and its location; empty without an error.
#[unsafe(no_mangle)]
pub extern "C" fn agx_error_text(error: Option<&AgxError>) -> AgxText {
    error.map_or("", |error| error.text.as_str()).into()
}

/// Frees an error.
#[unsafe(no_mangle)]
pub extern "C" fn agx_error_free(error: Option<Box<AgxError>>) {
    drop(error);
}

/// The bytes of a buffer; empty for null.
#[unsafe(no_mangle)]
pub extern "C" fn agx_buffer_bytes(buffer: Option<&AgxBuffer>) -> AgxBytes {
    buffer.map_or(&[][..], |buffer| buffer.0.as_slice()).into()
}

/// Frees a buffer.
#[unsafe(no_mangle)]
pub extern "C" fn agx_buffer_free(buffer: Option<Box<AgxBuffer>>) {
    drop(buffer);
}

/// Creates a compiler for the chip `target` (`g13g`, `g13x`, `g14g`, `g14x`); an empty text selects the
/// default.
///
/// # Safety
/// `target` must be a valid text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agx_compiler_new(
    target: AgxText,
    compiler: Option<&mut MaybeUninit<Option<Box<AgxCompiler>>>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    make(compiler, error, || {
        // SAFETY: guaranteed by the caller.
        AgxCompiler::new(unsafe { text(target, "the target") }?)
    })
}

/// Frees a compiler. Its shaders and programs stay valid.
#[unsafe(no_mangle)]
pub extern "C" fn agx_compiler_free(compiler: Option<Box<AgxCompiler>>) {
    drop(compiler);
}

/// Creates a key with default settings.
#[unsafe(no_mangle)]
pub extern "C" fn agx_key_new() -> Option<Box<AgxKey>> {
    Some(Box::new(AgxKey(CompileKey::default())))
}

/// Frees a key.
#[unsafe(no_mangle)]
pub extern "C" fn agx_key_free(key: Option<Box<AgxKey>>) {
    drop(key);
}

/// Selects the entry point by name; by default, the only one of the stage is used.
///
/// # Safety
/// `name` must be a valid text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agx_key_set_entry_point(
    key: Option<&mut AgxKey>,
    name: AgxText,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        // SAFETY: guaranteed by the caller.
        let name = unsafe { text(name, "the entry point") }?;
        given(key, "the key")?.0.entry_point = Some(name.to_owned());
        Ok(())
    })
}

/// Selects the stage, a number of `AgxStage`; by default, the stage of the only entry point is used.
#[unsafe(no_mangle)]
pub extern "C" fn agx_key_set_stage(
    key: Option<&mut AgxKey>,
    stage: u32,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        given(key, "the key")?.0.stage = Some(key::stage(stage)?);
        Ok(())
    })
}

/// Sets the value of a specialization constant, as raw bits; booleans are 0 or 1.
#[unsafe(no_mangle)]
pub extern "C" fn agx_key_set_constant(
    key: Option<&mut AgxKey>,
    id: u32,
    bits: u64,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        let constants = &mut given(key, "the key")?.0.spec_constants;
        constants.retain(|(known, _)| *known != id);
        constants.push((id, bits));
        Ok(())
    })
}

/// Sets the behaviour of out-of-bounds accesses to uniform and storage buffers, as numbers of `AgxBounds`;
/// atomics on images behave like those on storage buffers.
#[unsafe(no_mangle)]
pub extern "C" fn agx_key_set_robustness(
    key: Option<&mut AgxKey>,
    uniform: u32,
    storage: u32,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        given(key, "the key")?.0.robustness = Robustness {
            uniform: key::bounds(uniform)?,
            storage: key::bounds(storage)?,
            image: key::bounds(storage)?,
        };
        Ok(())
    })
}

/// Sets the layout of descriptors. Without a layout the driver fills addresses and state registers.
///
/// # Safety
/// `bindings` must point to `count` bindings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agx_key_set_layout(
    key: Option<&mut AgxKey>,
    bindings: *const AgxBinding,
    count: usize,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        // SAFETY: guaranteed by the caller.
        let bindings = unsafe { list(bindings, count, "the list of bindings") }?;
        given(key, "the key")?.0.layout = Some(key::layout(bindings)?);
        Ok(())
    })
}

/// Runs a fragment shader per sample even if it does not request it.
#[unsafe(no_mangle)]
pub extern "C" fn agx_key_set_sample_shading(
    key: Option<&mut AgxKey>,
    sample_shading: bool,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        given(key, "the key")?.0.sample_shading = sample_shading;
        Ok(())
    })
}

/// Sets the fragment shader that will be used with a vertex shader, which then stores only the varyings that
/// it reads, in the slots of the pair's layout, and executes the operations that the fragment shader leaves to it. Null stores
/// all varyings.
#[unsafe(no_mangle)]
pub extern "C" fn agx_key_set_fragment_shader(
    key: Option<&mut AgxKey>,
    fragment: Option<&AgxShader>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        let inputs = fragment.map(|shader| shader.0.info.fragment.coefficients.clone());
        let moved = fragment.map(|shader| shader.0.info.fragment.moved.clone());
        let key = &mut given(key, "the key")?.0;
        (key.fragment_inputs, key.moved) = (inputs, moved.unwrap_or_default());
        Ok(())
    })
}

/// Sets the vertex shader that will be used with a fragment shader, which then reads outputs that are the same for all
/// vertices of a draw where the vertex shader found them, and may leave operations on its inputs to the vertex shader:
/// compile that again with `agx_key_set_fragment_shader`. Null is for any vertex shader.
#[unsafe(no_mangle)]
pub extern "C" fn agx_key_set_vertex_shader(
    key: Option<&mut AgxKey>,
    vertex: Option<&AgxShader>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        given(key, "the key")?.0.vertex_outputs = vertex.map(|shader| VertexOutputs::of(&shader.0.info));
        Ok(())
    })
}

/// Compiles a vertex or evaluation shader as a compute shader with outputs in memory. With `captures_outputs` it
/// stores the outputs that its module captures instead of all of them.
#[unsafe(no_mangle)]
pub extern "C" fn agx_key_set_vertex_as_compute(
    key: Option<&mut AgxKey>,
    vertex_as_compute: bool,
    captures_outputs: bool,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        let key = &mut given(key, "the key")?.0;
        (key.vertex_as_compute, key.captures_outputs) = (vertex_as_compute, captures_outputs);
        Ok(())
    })
}

/// Selects geometry entry points, with stage `AGX_STAGE_COMPUTE`. They read the outputs of `vertex`, a vertex or
/// evaluation shader that runs as a compute shader; null selects other entry points. With `last_provokes` the
/// provoking vertex of an output primitive is its last.
#[unsafe(no_mangle)]
pub extern "C" fn agx_key_set_geometry(
    key: Option<&mut AgxKey>,
    vertex: Option<&AgxShader>,
    last_provokes: bool,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        stages::set_geometry(given(key, "the key")?, vertex, last_provokes);
        Ok(())
    })
}

/// Selects tessellation entry points: with stage `AGX_STAGE_COMPUTE` the control shader, with `AGX_STAGE_VERTEX` the
/// evaluation shader, which reads the patches that `control` stores. `control` is null for control shaders.
#[unsafe(no_mangle)]
pub extern "C" fn agx_key_set_tessellation(
    key: Option<&mut AgxKey>,
    is_tessellation: bool,
    control: Option<&AgxShader>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || stages::set_tessellation(given(key, "the key")?, is_tessellation, control))
}

/// Stores the outputs of a vertex shader that runs as a compute shader where the tessellation control shader `control`
/// reads them. Null stores all of them, one after another.
#[unsafe(no_mangle)]
pub extern "C" fn agx_key_set_control_shader(
    key: Option<&mut AgxKey>,
    control: Option<&AgxShader>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || stages::set_stored_rows(given(key, "the key")?, control))
}

/// Gives samplers a level bias, provided by the driver. Not for shaders with a layout.
#[unsafe(no_mangle)]
pub extern "C" fn agx_key_set_sampler_bias(
    key: Option<&mut AgxKey>,
    sampler_bias: bool,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        given(key, "the key")?.0.sampler_bias = sampler_bias;
        Ok(())
    })
}

/// Numbers workgroups from a base provided by the driver.
#[unsafe(no_mangle)]
pub extern "C" fn agx_key_set_workgroup_base(
    key: Option<&mut AgxKey>,
    workgroup_base: bool,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        given(key, "the key")?.0.workgroup_base = workgroup_base;
        Ok(())
    })
}

/// Limits a compilation: the number of instructions of the intermediate representation and the bytes of
/// memory, 0 for no limit. `should_stop` is a cancellation callback, or null: the compilation ends when it
/// returns true.
///
/// # Safety
/// Every thread that compiles with the key may call `should_stop` with `data`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agx_key_set_limits(
    key: Option<&mut AgxKey>,
    instructions: u32,
    memory_bytes: usize,
    should_stop: Option<unsafe extern "C" fn(data: *mut c_void) -> bool>,
    data: *mut c_void,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        let mut limits = CompileLimits::default();
        limits.instructions = Some(instructions).filter(|most| *most != 0);
        limits.memory_bytes = Some(memory_bytes).filter(|most| *most != 0);
        // The address may be sent to other threads, which the caller permits.
        let data = data.expose_provenance();
        if let Some(should_stop) = should_stop {
            limits = limits.with_should_stop(move || {
                // SAFETY: guaranteed by the caller.
                unsafe { should_stop(std::ptr::with_exposed_provenance_mut(data)) }
            });
        }
        given(key, "the key")?.0.limits = limits;
        Ok(())
    })
}

/// A hash of the key that is the same in every run and on every machine: `hash` takes 16 bytes.
#[unsafe(no_mangle)]
pub extern "C" fn agx_key_hash(
    key: Option<&AgxKey>,
    hash: Option<&mut MaybeUninit<[u8; 16]>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        answer(hash, given(key, "the key")?.0.stable_hash().to_le_bytes());
        Ok(())
    })
}

/// Compiles `input`, in the language `language`: `spirv`, …
///
/// # Safety
/// `language` must be a valid text, and `input` valid bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agx_compile(
    compiler: Option<&mut AgxCompiler>,
    language: AgxText,
    input: AgxBytes,
    key: Option<&AgxKey>,
    shader: Option<&mut MaybeUninit<Option<Box<AgxShader>>>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    make(shader, error, || {
        // SAFETY: guaranteed by the caller.
        let language = unsafe { text(language, "the language") }?;
        // SAFETY: as above.
        let input = unsafe { list(input.data, input.length, "the input") }?;
        shader::compile(given(compiler, "the compiler")?, language, input, given(key, "the key")?)
    })
}

/// Frees a shader. Programs linked from it stay valid.
#[unsafe(no_mangle)]
pub extern "C" fn agx_shader_free(shader: Option<Box<AgxShader>>) {
    drop(shader);
}

/// Serialises the shader; only the same build of the compiler accepts the bytes.
#[unsafe(no_mangle)]
pub extern "C" fn agx_shader_to_bytes(
    shader: Option<&AgxShader>,
    bytes: Option<&mut MaybeUninit<Option<Box<AgxBuffer>>>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    make(bytes, error, || Ok(AgxBuffer(given(shader, "the shader")?.0.to_bytes())))
}

/// Creates a shader from bytes produced by `agx_shader_to_bytes`. Bytes of another build, modified and
/// truncated ones are rejected.
///
/// # Safety
/// `bytes` must be valid bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agx_shader_from_bytes(
    bytes: AgxBytes,
    shader: Option<&mut MaybeUninit<Option<Box<AgxShader>>>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    make(shader, error, || {
        // SAFETY: guaranteed by the caller.
        let bytes = unsafe { list(bytes.data, bytes.length, "the list of bytes") }?;
        Ok(AgxShader(CompiledShader::from_bytes(bytes)?))
    })
}

/// Machine code of a part, a number of `AgxPart`; empty if the shader does not have it.
#[unsafe(no_mangle)]
pub extern "C" fn agx_shader_code(
    shader: Option<&AgxShader>,
    part: u32,
    code: Option<&mut MaybeUninit<AgxBytes>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        answer(code, given(shader, "the shader")?.part(part)?.into());
        Ok(())
    })
}

/// Information about a shader for its driver.
#[unsafe(no_mangle)]
pub extern "C" fn agx_shader_info(
    shader: Option<&AgxShader>,
    info: Option<&mut MaybeUninit<AgxShaderInfo>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        answer(info, (&given(shader, "the shader")?.0.info).into());
        Ok(())
    })
}

/// Modes of a geometry shader, and its use of memory. Other shaders are an argument error.
#[unsafe(no_mangle)]
pub extern "C" fn agx_shader_geometry(
    shader: Option<&AgxShader>,
    info: Option<&mut MaybeUninit<AgxGeometryInfo>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        answer(info, given(shader, "the shader")?.geometry()?);
        Ok(())
    })
}

/// Modes of a tessellation shader, and its use of memory. Other shaders are an argument error.
#[unsafe(no_mangle)]
pub extern "C" fn agx_shader_tessellation(
    shader: Option<&AgxShader>,
    info: Option<&mut MaybeUninit<AgxTessellationInfo>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        answer(info, given(shader, "the shader")?.tessellation()?);
        Ok(())
    })
}

/// The constant section, to be placed in memory at a multiple of 16 bytes.
#[unsafe(no_mangle)]
pub extern "C" fn agx_shader_constants(shader: Option<&AgxShader>) -> AgxBytes {
    shader.map_or(&[][..], |shader| shader.0.info.constants.as_slice()).into()
}

/// Values of the promoted uniforms, for the range with that source.
#[unsafe(no_mangle)]
pub extern "C" fn agx_shader_promoted(shader: Option<&AgxShader>) -> AgxBytes {
    shader.map_or(&[][..], |shader| shader.0.info.promoted.as_slice()).into()
}

/// Number of uniform ranges that the driver fills.
#[unsafe(no_mangle)]
pub extern "C" fn agx_shader_uniform_count(shader: Option<&AgxShader>) -> usize {
    shader.map_or(0, |shader| shader.0.info.uniforms.len())
}

/// A range of the uniform file.
#[unsafe(no_mangle)]
pub extern "C" fn agx_shader_uniform(
    shader: Option<&AgxShader>,
    number: usize,
    uniform: Option<&mut MaybeUninit<AgxUniform>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        let ranges = &given(shader, "the shader")?.0.info.uniforms;
        answer(uniform, shader::element("uniform range", ranges, number)?.into());
        Ok(())
    })
}

/// A field of the source of a uniform range: its set, its binding, …
#[unsafe(no_mangle)]
pub extern "C" fn agx_shader_uniform_field(
    shader: Option<&AgxShader>,
    number: usize,
    field_number: usize,
    field: Option<&mut MaybeUninit<AgxField>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        answer(field, given(shader, "the shader")?.uniform_field(number, field_number)?);
        Ok(())
    })
}

/// Number of texture state registers that the driver fills, from 0 on.
#[unsafe(no_mangle)]
pub extern "C" fn agx_shader_texture_count(shader: Option<&AgxShader>) -> usize {
    shader.map_or(0, |shader| shader.0.info.textures.len())
}

/// The contents of a texture state register.
#[unsafe(no_mangle)]
pub extern "C" fn agx_shader_texture(
    shader: Option<&AgxShader>,
    number: usize,
    texture: Option<&mut MaybeUninit<AgxStateRegister>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        answer(texture, given(shader, "the shader")?.texture(number)?);
        Ok(())
    })
}

/// Number of sampler state registers that the driver fills, from 0 on.
#[unsafe(no_mangle)]
pub extern "C" fn agx_shader_sampler_count(shader: Option<&AgxShader>) -> usize {
    shader.map_or(0, |shader| shader.0.info.samplers.len())
}

/// The contents of a sampler state register.
#[unsafe(no_mangle)]
pub extern "C" fn agx_shader_sampler(
    shader: Option<&AgxShader>,
    number: usize,
    sampler: Option<&mut MaybeUninit<AgxStateRegister>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        let samplers = &given(shader, "the shader")?.0.info.samplers;
        answer(sampler, shader::sampler(shader::element("sampler register", samplers, number)?));
        Ok(())
    })
}

/// Number of statistics.
#[unsafe(no_mangle)]
pub extern "C" fn agx_figure_count() -> usize {
    FIGURES.len()
}

/// Name and meaning of a statistic.
#[unsafe(no_mangle)]
pub extern "C" fn agx_figure(
    number: usize,
    figure: Option<&mut MaybeUninit<AgxFigure>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        answer(figure, shader::element("statistic", FIGURES, number)?.into());
        Ok(())
    })
}

/// The value of a statistic for a shader.
#[unsafe(no_mangle)]
pub extern "C" fn agx_shader_statistic(
    shader: Option<&AgxShader>,
    number: usize,
    value: Option<&mut MaybeUninit<u32>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        answer(value, given(shader, "the shader")?.statistic(number)?);
        Ok(())
    })
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
/// The state must point to as many targets as it declares, with valid texts.
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
        let state = program::state(state, &targets)?;
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
