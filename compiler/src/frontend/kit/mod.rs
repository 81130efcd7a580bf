//! What front ends share.

pub mod uniforms;
