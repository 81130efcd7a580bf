//! OpenCL's kernels.

use std::mem::MaybeUninit;

use super::answer;
use crate::error::{AgxError, AgxStatus, attempt, given};
use crate::kernel::{AgxKernelArgument, AgxKernelInfo, AgxLiteralSampler, AgxPrintfFormat};
use crate::key::AgxKey;
use crate::shader::{AgxShader, element};

/// Sets the size of workgroups, for kernels whose module does not fix it.
#[unsafe(no_mangle)]
pub extern "C" fn agx_key_set_workgroup_size(
    key: Option<&mut AgxKey>,
    x: u32,
    y: u32,
    z: u32,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        given(key, "the key")?.0.workgroup_size = Some([x, y, z]);
        Ok(())
    })
}

/// Properties of a kernel. Other shaders are an argument error.
#[unsafe(no_mangle)]
pub extern "C" fn agx_shader_kernel(
    shader: Option<&AgxShader>,
    info: Option<&mut MaybeUninit<AgxKernelInfo>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        answer(info, given(shader, "the shader")?.kernel()?.into());
        Ok(())
    })
}

/// An argument of a kernel, by its place in the list.
#[unsafe(no_mangle)]
pub extern "C" fn agx_kernel_argument(
    shader: Option<&AgxShader>,
    number: usize,
    argument: Option<&mut MaybeUninit<AgxKernelArgument>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        let all = &given(shader, "the shader")?.kernel()?.arguments;
        answer(argument, element("argument", all, number)?.into());
        Ok(())
    })
}

/// A format of `printf` of a kernel.
#[unsafe(no_mangle)]
pub extern "C" fn agx_kernel_printf_format(
    shader: Option<&AgxShader>,
    number: usize,
    format: Option<&mut MaybeUninit<AgxPrintfFormat>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        let all = &given(shader, "the shader")?.kernel()?.formats;
        answer(format, element("format", all, number)?.into());
        Ok(())
    })
}

/// A sampler that the module of a kernel states.
#[unsafe(no_mangle)]
pub extern "C" fn agx_kernel_sampler(
    shader: Option<&AgxShader>,
    number: usize,
    sampler: Option<&mut MaybeUninit<AgxLiteralSampler>>,
    error: Option<&mut MaybeUninit<Option<Box<AgxError>>>>,
) -> AgxStatus {
    attempt(error, || {
        let all = &given(shader, "the shader")?.kernel()?.samplers;
        answer(sampler, element("sampler", all, number)?.into());
        Ok(())
    })
}
