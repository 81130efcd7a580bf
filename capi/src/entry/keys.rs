//! Keys.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use agx_abi::Stage;
use agx_abi::linking::VertexOutputs;
use agx_compiler::{CompileKey, CompileLimits, Robustness};

use super::{answer, list, text};
use crate::bytes::AgxText;
use crate::error::{AgxError, AgxStatus, attempt, given};
use crate::key::{self, AgxBinding, AgxKey};
use crate::program::inputs_of;
use crate::shader::AgxShader;
use crate::stages;

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

/// A binding in the memory of its set with all descriptors of an element one after another, from byte 0, without a dynamic
/// offset.
#[unsafe(no_mangle)]
pub extern "C" fn agx_binding_default(set: u32, binding: u32) -> AgxBinding {
    key::default_binding(set, binding)
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
        let inputs = inputs_of(fragment)?.map(<[_]>::to_vec);
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
        vertex.map_or(Ok(()), |shader| shader.expect(Stage::Vertex, "the vertex shader"))?;
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
    attempt(error, || stages::set_geometry(given(key, "the key")?, vertex, last_provokes))
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
