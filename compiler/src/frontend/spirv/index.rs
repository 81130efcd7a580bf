//! Indices of pointers: conversion to words, and scaled sums.

use crate::ir::Arithmetic;
use crate::ir::builder::Builder;
use crate::ir::src::Src;

/// An index as a 32-bit integer; narrower ones are signed.
pub(super) fn index_word(b: &mut Builder<'_, '_>, index: Src) -> Src {
    b.sconv(index, 32)
}

/// `sum + index · stride`.
pub(super) fn add_scaled(b: &mut Builder<'_, '_>, sum: Option<Src>, index: Src, stride: u32) -> Src {
    let scaled = match stride {
        1 => index,
        stride if stride.is_power_of_two() => b.shl(index, Src::imm32(stride.trailing_zeros())),
        stride => b.imul(index, Src::imm32(stride)),
    };
    match sum {
        Some(sum) => b.iadd(sum, scaled),
        None => scaled,
    }
}
