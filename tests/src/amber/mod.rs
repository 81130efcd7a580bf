//! The Amber tests: data model and checks.

pub mod check;
pub mod model;
