//! The cases of the WebGPU conformance suite: data model, value types and expectations.

pub mod expectation;
pub mod model;
pub mod value;
