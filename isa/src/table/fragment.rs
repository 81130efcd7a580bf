//! Coverage, pixel waits, interpolation, varyings.

macro_rules! fragment_rows { ($then:ident $($args:tt)*) => { $then! { $($args)*
@family "fragment" "Coverage, pixel waits, interpolation, varyings";

/// Waits for earlier fragments at the pixel: mask 12 before colour stores, 8 before loads, 1 before tests.
Pixwait "pixwait" = row(0x48, 0xff, fixed(4))
    .operands(ops![
        src("a", kinds::INTEGER, bits![8:17]),
        unknown("u18", bits![18:21]),
        unknown("u22", bits![22:23]),
        unknown("u24", bits![24:31]),
    ])
    .effects(Effects::BARRIER, OrderClass::Barrier).source(from::ALL)
    .applegpu("wait_pix {a}, {u22}");

/// Lets later fragments at the pixel continue.
Pixrel "pixrel" = row(0x58, 0xff, fixed(4))
    .operands(ops![
        src("a", kinds::INTEGER, bits![8:17]),
        unknown("u18", bits![18:21]),
        unknown("u22", bits![22:23]),
        unknown("u24", bits![24:31]),
    ])
    .effects(Effects::BARRIER, OrderClass::Barrier).source(from::ALL).unseen()
    .applegpu("signal_pix {a}, {u22}");

/// For each sample of `target`: runs the depth, stencil and occlusion tests if the sample is in `live`, else kills it.
SampleMask "sample_mask" = row(0xc1, 0x80ff, fixed(4))
    .operands(ops![
        src("target", kinds::DISCARD_MASK, bits![9:14, 24:25, 8]).reach(Reach::None),
        src("live", kinds::DISCARD_MASK, bits![16:21, 26:27, 23]).reach(Reach::None).up_to(63),
        unknown("u22", bits![22]),
        unknown("u28", bits![28:31]),
    ])
    .effects(Effects::WRITES_COVERAGE, OrderClass::Coverage).source(from::ALL)
    .applegpu("sample_mask {target}, {live}");

/// Sets depth (`z`) and stencil (`s`) of the samples and runs the tests.
ZsEmit "zs_emit" = row(0x41, 0xc0_80ff, fixed(4))
    .operands(ops![
        src("samples", kinds::DISCARD_MASK, bits![9:14, 24:25, 8]).reach(Reach::None),
        src("data", kinds::DEPTH_STENCIL, bits![16:21, 26:27]).count(Count::DepthStencil).reach(Reach::None),
        flag!("z", 29),
        flag!("s", 30),
        unknown("u28", bits![28]),
        unknown("u31", bits![31]),
    ])
    .effects(Effects::WRITES_COVERAGE, OrderClass::Coverage).source(from::ALL);

/// Interpolates `count` coefficient vectors (0 = 4) without perspective.
Iter "iter" = row(0x21, 0xff, prefers(4, 8, 15))
    .operands(ops![
        dst("dst", kinds::SIZED, bits![9:14, 56:57, 8]).count(Count::CountField),
        src("a", kinds::COEFFICIENT, bits![16:21, 58:59, 23]),
        src("sample", kinds::SAMPLE_INDEX, bits![32:39]),
        modifier("interp", kinds::names(names::INTERPOLATION), bits![48:49]),
        modifier("count", kinds::NUMBER, bits![30:31]).default(1),
        flag!("forward", 22),
        flag!("elide", 46),
        flag!("kill", 52),
        unknown("u24", bits![24:29]),
        unknown("u40", bits![40:45]),
        unknown("u47", bits![47]),
        unknown("u50", bits![50:51]),
        unknown("u53", bits![53:55]),
        unknown("u60", bits![60:63]),
    ])
    .rounded().source(from::ALL)
    .applegpu("iter {dst}, {a}{, sample}, {interpolation:interp}, 0b0, {forward}, {elide}, {kill}, 0, 0");

/// Interpolates `count` coefficient vectors (0 = 4) and divides by W, interpolated from `w`.
Iterproj "iterproj" = row(0x61, 0xff, prefers(4, 8, 15))
    .operands(ops![
        dst("dst", kinds::SIZED, bits![9:14, 56:57, 8]).count(Count::CountField),
        src("a", kinds::COEFFICIENT, bits![16:21, 58:59, 23]),
        src("w", kinds::COEFFICIENT_NUMBER, bits![24:29, 60:61]),
        src("sample", kinds::SAMPLE_INDEX, bits![32:39]),
        modifier("interp", kinds::names(names::INTERPOLATION), bits![48:49]),
        modifier("count", kinds::NUMBER, bits![30:31]).default(1),
        flag!("forward", 22),
        flag!("elide", 46),
        flag!("kill", 52),
        unknown("u40", bits![40:45]),
        unknown("u47", bits![47]),
        unknown("u50", bits![50:51]),
        unknown("u53", bits![53:55]),
        unknown("u62", bits![62:63]),
    ])
    .rounded().source(from::ALL)
    .applegpu("iterproj {dst}, {a}, {w}{, sample}, {interpolation:interp}, 0b0, {forward}, {elide}, {kill}, 0, 0");

/// Reads a coefficient vector (A, B, C) into three 32-bit registers; the value at a pixel is `A x + B y + C`.
Ldcf "ldcf" = row(0x4000_00a1, 0xc000_00ff, prefers(4, 8, 15))
    .operands(ops![
        dst("dst", kinds::SIZED, bits![9:14, 56:57, 8]).count(Count::Fixed(3)),
        src("a", kinds::COEFFICIENT, bits![16:21, 58:59, 23]),
        unknown("u22", bits![22]),
        unknown("u24", bits![24:29]),
        unknown("u32", bits![32:55]),
        unknown("u60", bits![60:63]),
    ])
    .source(from::ALL)
    .applegpu("TODO.ldcf {dst}, {a}");

/// Declares that the vertex program writes no varying.
NoVar "no_var" = row(0x8000_0051, 0x8040_03ff, fixed(4))
    .operands(ops![
        unknown("u10", bits![10:21]),
        unknown("u23", bits![23:30]),
    ])
    .effects(Effects::STATE, OrderClass::Control).source(from::ALL).unseen();

/// Stores a 32-bit value to an output slot; the last one executed carries `last`.
StVar "st_var" = row(0x8000_0011, 0x8040_037f, fixed(4))
    .operands(ops![
        src("data", kinds::REGISTER_NUMBER, bits![10:14, 24:25]).reach(Reach::None),
        src("index", kinds::SLOT, bits![16:21, 26:27, 23]).reach(Reach::None),
        flag!("last", 7),
        unknown("u15", bits![15]),
        unknown("u28", bits![28:30]),
    ])
    .effects(Effects::STATE, OrderClass::None).source(from::ALL)
    .applegpu("st_var{final:last} 1, {data}, {index}");

}}}
