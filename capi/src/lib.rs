//! The C interface of the AGX compiler.
//!
//! `include/agx.h` is what C programs include; a test writes it from these sources with cbindgen and compares it. `entry` has the
//! functions and follows pointers, which is all the `unsafe` code of the crate; the other modules say what the functions do.
//!
//! Rules of the interface, which the header repeats:
//!
//! * Objects are opaque and belong to the caller, who frees each with its own function; freeing a null pointer does nothing.
//! * Texts and bytes that come in are copied, and their lengths are explicit. Those that come out belong to the object they were
//!   asked of and live as long as it does.
//! * A function that can fail gives a status and, where the caller passes a place for it, an error with code and text. What it was
//!   to make is null then.
//! * A defect of the compiler is a status as well: no panic leaves a function.
//! * A compiler is used by one thread at a time; shaders, programs and errors may be read by several.

// `entry` alone is excepted.
#![deny(unsafe_code)]

// The public items are those of the header.
pub mod bytes;
pub mod entry;
pub mod error;
pub mod key;
pub mod program;
pub mod shader;
pub mod words;
