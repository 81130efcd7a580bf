//! The functions of the header: C arguments become references, slices and texts, and the other modules
//! implement the functions. This file has the functions that every program uses; the others are in files by subject.
//!
//! All `unsafe` code of the crate is in this folder. A function without text, bytes or list arguments is safe: its
//! pointers are optional references, and output places are `MaybeUninit`, because C programs pass them
//! uninitialised.

#![expect(
    unsafe_code,
    reason = "C passes pointers with lengths, symbols need exact names, and a C callback cancels compilations"
)]

mod interface;
mod kernels;
mod keys;
mod programs;
mod shaders;
mod tile;

use std::mem::MaybeUninit;
use std::slice;

use agx_compiler::{BUILD_ID, Location};

use crate::bytes::{AgxBuffer, AgxBytes, AgxText};
use crate::error::{AgxError, AgxLocation, AgxStatus, make};
use crate::key::AgxCompiler;
use crate::version::AGX_INTERFACE_VERSION;

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

/// Writes a result to an output place, unless that is null.
fn answer<T>(place: Option<&mut MaybeUninit<T>>, value: T) {
    if let Some(place) = place {
        place.write(value);
    }
}

/// The version of the library's interface, to be compared with `AGX_INTERFACE_VERSION` of the header.
#[unsafe(no_mangle)]
pub extern "C" fn agx_interface_version() -> u32 {
    AGX_INTERFACE_VERSION
}

/// The build of the compiler: `build` takes 16 bytes. Only the same build accepts serialised shaders.
#[unsafe(no_mangle)]
pub extern "C" fn agx_build_id(build: Option<&mut MaybeUninit<[u8; 16]>>) {
    answer(build, BUILD_ID.to_le_bytes());
}

/// Stable number of an error, which `agxc explain` documents; 0 for errors that do not come from compiler or linker.
#[unsafe(no_mangle)]
pub extern "C" fn agx_error_code(error: Option<&AgxError>) -> u32 {
    error.map_or(0, |error| error.code.into())
}

/// A sentence that describes the error and its location; empty without an error.
#[unsafe(no_mangle)]
pub extern "C" fn agx_error_text(error: Option<&AgxError>) -> AgxText {
    error.map_or("", |error| error.text.as_str()).into()
}

/// The same without the location: kind and location are separate.
#[unsafe(no_mangle)]
pub extern "C" fn agx_error_message(error: Option<&AgxError>) -> AgxText {
    error.map_or("", |error| error.message.as_str()).into()
}

/// The location of an error in the input: a word of a module, or a line and a column of a text. Without an error it is the
/// input as a whole.
#[unsafe(no_mangle)]
pub extern "C" fn agx_error_location(
    error: Option<&AgxError>,
    location: Option<&mut MaybeUninit<AgxLocation>>,
) {
    answer(location, error.map_or(&Location::Whole, |error| &error.location).into());
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
