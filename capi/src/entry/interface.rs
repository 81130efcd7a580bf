//! The interface of a shader to other stages.

use std::mem::MaybeUninit;

use super::answer;
use crate::error::{AgxError, AgxStatus, attempt, given};
use crate::interface::{
    AgxCapturedOutput, AgxCoefficient, AgxFeedback, AgxFragmentInfo, AgxShaderAttribute, AgxVarying,
    AgxVertexInfo,
};
use crate::shader::{AgxShader, element};

/// Properties of a vertex shader. Other shaders are an argument error.
#[unsafe(no_mangle)]
pub extern "C" fn agx_shader_vertex(
    shader: Option<&AgxShader>,
    info: Option<&mut MaybeUninit<AgxVertexInfo>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        answer(info, given(shader, "the shader")?.vertex()?);
        Ok(())
    })
}

/// Properties of a fragment shader. Other shaders are an argument error.
#[unsafe(no_mangle)]
pub extern "C" fn agx_shader_fragment(
    shader: Option<&AgxShader>,
    info: Option<&mut MaybeUninit<AgxFragmentInfo>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        answer(info, given(shader, "the shader")?.fragment()?);
        Ok(())
    })
}

/// Number of attributes that a vertex shader reads.
#[unsafe(no_mangle)]
pub extern "C" fn agx_shader_attribute_count(shader: Option<&AgxShader>) -> usize {
    shader.map_or(0, |shader| shader.0.info.attributes.len())
}

/// An attribute that a vertex shader reads.
#[unsafe(no_mangle)]
pub extern "C" fn agx_shader_attribute(
    shader: Option<&AgxShader>,
    number: usize,
    attribute: Option<&mut MaybeUninit<AgxShaderAttribute>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        let all = &given(shader, "the shader")?.0.info.attributes;
        answer(attribute, element("attribute", all, number)?.into());
        Ok(())
    })
}

/// Number of output slots that a vertex shader writes, for a pass without a fragment shader, or of words of a vertex that
/// a geometry shader stores.
#[unsafe(no_mangle)]
pub extern "C" fn agx_shader_varying_count(shader: Option<&AgxShader>) -> usize {
    shader.map_or(0, |shader| shader.0.info.varyings.len())
}

/// An output slot or word, in ascending order. `agx_words` has the slots of a pair of shaders.
#[unsafe(no_mangle)]
pub extern "C" fn agx_shader_varying(
    shader: Option<&AgxShader>,
    number: usize,
    varying: Option<&mut MaybeUninit<AgxVarying>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        let all = &given(shader, "the shader")?.0.info.varyings;
        answer(varying, element("varying", all, number)?.into());
        Ok(())
    })
}

/// Number of coefficient registers that a fragment shader reads, from 0 on.
#[unsafe(no_mangle)]
pub extern "C" fn agx_shader_coefficient_count(shader: Option<&AgxShader>) -> usize {
    shader.map_or(0, |shader| shader.0.info.fragment.coefficients.len())
}

/// The contents of a coefficient register.
#[unsafe(no_mangle)]
pub extern "C" fn agx_shader_coefficient(
    shader: Option<&AgxShader>,
    number: usize,
    coefficient: Option<&mut MaybeUninit<AgxCoefficient>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        let all = &given(shader, "the shader")?.0.info.fragment.coefficients;
        answer(coefficient, (*element("coefficient", all, number)?).into());
        Ok(())
    })
}

/// The buffers in which transform feedback captures outputs. A vertex shader stores them if it is compiled with
/// `agx_key_set_vertex_as_compute`, at the addresses in its uniforms `feedback_buffer`, for as many vertices as its uniform
/// `feedback_count` has.
#[unsafe(no_mangle)]
pub extern "C" fn agx_shader_feedback(
    shader: Option<&AgxShader>,
    info: Option<&mut MaybeUninit<AgxFeedback>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        answer(info, given(shader, "the shader")?.feedback());
        Ok(())
    })
}

/// Number of captured outputs.
#[unsafe(no_mangle)]
pub extern "C" fn agx_shader_captured_output_count(shader: Option<&AgxShader>) -> usize {
    shader.map_or(0, |shader| shader.0.info.feedback.outputs.len())
}

/// A captured output, in order of buffers and bytes.
#[unsafe(no_mangle)]
pub extern "C" fn agx_shader_captured_output(
    shader: Option<&AgxShader>,
    number: usize,
    captured_output: Option<&mut MaybeUninit<AgxCapturedOutput>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        let all = &given(shader, "the shader")?.0.info.feedback.outputs;
        answer(captured_output, element("captured output", all, number)?.into());
        Ok(())
    })
}
