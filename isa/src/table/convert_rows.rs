//! Conversions between integers and floats.

use super::*;

/// One source and a rounding mode.
pub(super) const CONVERSION: &[OperandDesc] = ops![
    alu_dst!(44),
    alu!("a", 28, 40),
    modifier("round", kinds::names(names::ROUNDING), bits![26:27]).default(1),
];

/// The same for a signed word.
pub(super) const SIGNED_CONVERSION: &[OperandDesc] = ops![
    alu_dst!(44),
    alu!("a", 28, 40).sign(Sign::Own),
    modifier("round", kinds::names(names::ROUNDING), bits![26:27]).default(1),
];

macro_rules! convert_rows { ($then:ident $($args:tt)*) => { $then! { $($args)*
@family "convert" "Conversions between integers and floats";

/// Unsigned 8-bit integer (the low byte) to float.
U8ToF "u8_to_f" = row(0x803e, 0x0cc0_03ff_807f, fixed(6))
    .operands(convert_rows::CONVERSION)
    .pure(pure!(convert::u8_to_f)).kernel(Kind::ToSingle, kernels::u8_to_f).rounded().source(from::ALL)
    .applegpu("convert u8_to_f, {dst}, {a}, {name:round}");

/// Signed 8-bit integer (the low byte) to float.
S8ToF "s8_to_f" = row(0x1803e, 0x0cc0_03ff_807f, fixed(6))
    .operands(convert_rows::CONVERSION)
    .pure(pure!(convert::s8_to_f)).kernel(Kind::ToSingle, kernels::s8_to_f).rounded().source(from::ALL)
    .applegpu("convert s8_to_f, {dst}, {a}, {name:round}");

/// Float to unsigned 16-bit integer.
FToU16 "f_to_u16" = row(0x4803e, 0x0cc0_03ff_807f, fixed(6))
    .operands(convert_rows::CONVERSION)
    .pure(pure!(convert::f_to_u16)).source(from::ALL)
    .assumed("out-of-range values clamp and NaN gives 0").unseen()
    .applegpu("convert f_to_u16, {dst}, {a}, {name:round}");

/// Float to signed 16-bit integer.
FToS16 "f_to_s16" = row(0x5803e, 0x0cc0_03ff_807f, fixed(6))
    .operands(convert_rows::CONVERSION)
    .pure(pure!(convert::f_to_s16)).source(from::ALL)
    .assumed("out-of-range values clamp and NaN gives 0").unseen()
    .applegpu("convert f_to_s16, {dst}, {a}, {name:round}");

/// Unsigned 16-bit integer to float.
U16ToF "u16_to_f" = row(0x6803e, 0x0cc0_03ff_807f, fixed(6))
    .operands(convert_rows::CONVERSION)
    .pure(pure!(convert::u16_to_f)).kernel(Kind::ToSingle, kernels::u16_to_f).rounded().source(from::ALL)
    .applegpu("convert u16_to_f, {dst}, {a}, {name:round}");

/// Signed 16-bit integer to float.
S16ToF "s16_to_f" = row(0x7803e, 0x0cc0_03ff_807f, fixed(6))
    .operands(convert_rows::CONVERSION)
    .pure(pure!(convert::s16_to_f)).kernel(Kind::ToSingle, kernels::s16_to_f).rounded().source(from::ALL)
    .applegpu("convert s16_to_f, {dst}, {a}, {name:round}");

/// Float to unsigned 32-bit integer.
FToU32 "f_to_u32" = row(0x8803e, 0x0cc0_03ff_807f, fixed(6))
    .operands(convert_rows::CONVERSION)
    .pure(pure!(convert::f_to_u32)).kernel(Kind::FromSingle, kernels::f_to_u32).source(from::ALL)
    .assumed("out-of-range values clamp and NaN gives 0")
    .applegpu("convert f_to_u32, {dst}, {a}, {name:round}");

/// Float to signed 32-bit integer.
FToS32 "f_to_s32" = row(0x9803e, 0x0cc0_03ff_807f, fixed(6))
    .operands(convert_rows::CONVERSION)
    .pure(pure!(convert::f_to_s32)).kernel(Kind::FromSingle, kernels::f_to_s32).source(from::ALL)
    .assumed("out-of-range values clamp and NaN gives 0")
    .applegpu("convert f_to_s32, {dst}, {a}, {name:round}");

/// Unsigned 32-bit integer to float.
U32ToF "u32_to_f" = row(0xa803e, 0x0cc0_03ff_807f, fixed(6))
    .operands(convert_rows::CONVERSION)
    .pure(pure!(convert::u32_to_f)).kernel(Kind::ToRoundedSingle, kernels::u32_to_f).rounded().source(from::ALL)
    .applegpu("convert u32_to_f, {dst}, {a}, {name:round}");

/// Signed 32-bit integer to float.
S32ToF "s32_to_f" = row(0xb803e, 0x0cc0_03ff_807f, fixed(6))
    .operands(convert_rows::SIGNED_CONVERSION)
    .pure(pure!(convert::s32_to_f)).rounded().source(from::ALL)
    .applegpu("convert s32_to_f, {dst}, {a}, {name:round}");

}}}
