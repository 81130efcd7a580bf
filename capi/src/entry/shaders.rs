//! Compilation, and the properties of shaders.

use std::mem::MaybeUninit;

use agx_compiler::{CompiledShader, FIGURES};

use super::{answer, list, text};
use crate::bytes::{AgxBuffer, AgxBytes, AgxText};
use crate::error::{AgxError, AgxStatus, attempt, given, make};
use crate::key::{AgxCompiler, AgxKey};
use crate::shader::{self, AgxField, AgxFigure, AgxShader, AgxShaderInfo, AgxStateRegister, AgxUniform};
use crate::stages::{AgxGeometryInfo, AgxTessellationInfo};

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

/// Like `agx_compile`, and returns the intermediate representation as text: `source` as the front end produces it,
/// `optimised` before instruction selection.
///
/// # Safety
/// Like `agx_compile`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agx_compile_with_texts(
    compiler: Option<&mut AgxCompiler>,
    language: AgxText,
    input: AgxBytes,
    key: Option<&AgxKey>,
    shader: Option<&mut MaybeUninit<Option<Box<AgxShader>>>>,
    source: Option<&mut MaybeUninit<Option<Box<AgxBuffer>>>>,
    optimised: Option<&mut MaybeUninit<Option<Box<AgxBuffer>>>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    make(shader, error, || {
        let source = given(source, "the place of the source text")?.write(None);
        let optimised = given(optimised, "the place of the optimised text")?.write(None);
        // SAFETY: guaranteed by the caller.
        let language = unsafe { text(language, "the language") }?;
        // SAFETY: as above.
        let input = unsafe { list(input.data, input.length, "the input") }?;
        let (compiler, key) = (given(compiler, "the compiler")?, given(key, "the key")?);
        let (shader, texts) = shader::compile_with_texts(compiler, language, input, key)?;
        *source = Some(Box::new(AgxBuffer(texts.source.into_bytes())));
        *optimised = Some(Box::new(AgxBuffer(texts.optimised.into_bytes())));
        Ok(shader)
    })
}

/// A hash of everything that determines the result of `agx_compile`: build and chip of the compiler, language, input and
/// key. It is the name of the shader in a cache, the same in every run and on every machine: `hash` takes 16 bytes.
///
/// # Safety
/// Like `agx_compile`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agx_cache_key(
    compiler: Option<&AgxCompiler>,
    language: AgxText,
    input: AgxBytes,
    key: Option<&AgxKey>,
    hash: Option<&mut MaybeUninit<[u8; 16]>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        // SAFETY: guaranteed by the caller.
        let language = unsafe { text(language, "the language") }?;
        // SAFETY: as above.
        let input = unsafe { list(input.data, input.length, "the input") }?;
        let (compiler, key) = (given(compiler, "the compiler")?, given(key, "the key")?);
        let name = compiler.compiler.cache_key(shader::input(language, input, key)?, &key.0);
        answer(hash, name.to_le_bytes());
        Ok(())
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

/// Assembly text of a part, a number of `AgxPart`; empty if the shader does not have it.
#[unsafe(no_mangle)]
pub extern "C" fn agx_shader_assembly(
    shader: Option<&AgxShader>,
    part: u32,
    assembly: Option<&mut MaybeUninit<Option<Box<AgxBuffer>>>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    make(assembly, error, || given(shader, "the shader")?.assembly(part))
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
