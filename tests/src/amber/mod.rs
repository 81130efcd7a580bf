//! The Amber tests: data model and checks.

pub mod check;
pub mod image;
pub mod model;
pub mod pipeline;
