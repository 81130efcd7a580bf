//! The C interface of the AGX compiler.
//!
//! C programs include `include/agx.h`; a test generates it from these sources with cbindgen and compares it.
//! `entry` has the functions and dereferences pointers, which is all the `unsafe` code of the crate; the
//! other modules implement the functions.
//!
//! A structure that describes a state has a function that makes the default, `agx_…_default`: zeros are a sample mask
//! without samples and a target that is not written.
//!
//! Rules of the interface, repeated in the header:
//!
//! * Objects are opaque and belong to the caller, who frees each with its own function; freeing a null pointer does nothing.
//! * Texts and bytes passed in are copied, and their lengths are explicit. Those returned belong to the
//!   object they were obtained from and live as long as it does.
//! * A function that can fail returns a status and, if the caller passes a place for it, an error with code, text
//!   and location. Its output object is null then.
//! * A defect of the compiler is also a status: no panic leaves a function.
//! * A compiler is used by one thread at a time; shaders, programs and errors may be read by several.

// Except in `entry`.
#![deny(unsafe_code)]

// The public items are those of the header.
pub mod bytes;
pub mod entry;
pub mod error;
pub mod interface;
pub mod kernel;
pub mod key;
pub mod program;
pub mod shader;
pub mod stages;
pub mod tile;
pub mod version;
pub mod words;
