//! Texture and sampler state, the scratch helper program, asynchronous copies, patterns of unknown purpose.

use super::*;

/// Registers and descriptor of a copy.
pub(super) const COPY: &[OperandDesc] = ops![
    src("a", kinds::COPY_REGISTER, bits![9:14, 8]),
    src("b", kinds::COPY_DESCRIPTOR, bits![16:19, 36:39, 25]),
    modifier("two_d", kinds::FLAG, bits![47]),
    unknown("u7", bits![7]),
    unknown("u15", bits![15]),
    unknown("u20", bits![20:24]),
    unknown("u26", bits![26:35]),
    unknown("u40", bits![40:46]),
    unknown("u48", bits![48:63]),
];

macro_rules! state_rows { ($then:ident $($args:tt)*) => { $then! { $($args)*
@family "state" "Texture and sampler state, the scratch helper program, asynchronous copies, patterns of unknown purpose";

/// Loads the 24-byte descriptor at `base + offset` into a texture-state register.
TexStateStore "tex_state_store" = row(0x10_00ed, 0x10_00ff, fixed(8))
    .operands(ops![
        dst("dst", kinds::TEXTURE_STATE, bits![8:14]),
        src("base", kinds::HEAP_BASE, bits![59:63]).reach(Reach::Low),
        src("offset", kinds::HEAP_OFFSET, bits![26:56, 58]),
        modifier("group", kinds::NUMBER, bits![16]),
        unknown("u15", bits![15]),
        unknown("u17", bits![17:19]),
        unknown("u21", bits![21:25]),
        unknown("u57", bits![57]),
    ])
    .effects(Effects::STATE.union(Effects::READS_MEMORY), OrderClass::Memory).asynchronous().source(from::NO_MESA);

/// Loads the 8-byte descriptor at `base + offset` into a sampler-state register.
SamplerStateStore "sampler_state_store" = row(0x10_00ad, 0x10_00ff, fixed(8))
    .operands(ops![
        dst("dst", kinds::SAMPLER_STATE, bits![8:14]),
        src("base", kinds::HEAP_BASE, bits![59:63]).reach(Reach::Low),
        src("offset", kinds::HEAP_OFFSET, bits![26:56, 58]),
        modifier("group", kinds::NUMBER, bits![16]),
        unknown("u15", bits![15]),
        unknown("u17", bits![17:19]),
        unknown("u21", bits![21:25]),
        unknown("u57", bits![57]),
    ])
    .effects(Effects::STATE.union(Effects::READS_MEMORY), OrderClass::Memory).asynchronous().source(from::NO_MESA)
    .assumed("seven bits of register number as in AGX2.xml; applegpu has five");

/// Rings a doorbell of the scratch helper: 32 next, 48 acknowledge, 49 refuse.
Doorbell "doorbell" = row(0x28, 0xff, fixed(2))
    .operands(ops![src("a", kinds::INTEGER, bits![8:15])])
    .effects(Effects::STATE, OrderClass::Control).source(from::ALL)
    .applegpu("doorbell {a}");

/// Returns a scratch block word from the stack mapper (helper program only).
Unmap "unmap" = row(0x10_c000_0500_0075, 0xff_fce0_ff0f_07ff, fixed(8))
    .operands(ops![
        dst("dst", kinds::REGISTER_NUMBER, bits![11:15, 40:41]),
        src("slot", kinds::INTEGER, bits![20:23, 32:35, 56:63]),
        unknown("u36", bits![36]),
    ])
    .effects(Effects::STATE, OrderClass::Memory).source(from::ALL);

/// Passes a scratch block word, mask or address / 256, to the stack mapper (helper program only).
Map "map" = row(0x10_c000_0501_0075, 0xff_fce0_ff0f_07ff, fixed(8))
    .operands(ops![
        src("data", kinds::REGISTER_NUMBER, bits![11:15, 40:41]),
        src("slot", kinds::INTEGER, bits![20:23, 32:35, 56:63]),
        unknown("u36", bits![36]),
    ])
    .effects(Effects::STATE, OrderClass::Memory).source(from::ALL);

/// Variants of `map` and `unmap` of unknown meaning: those without bit 26.
Unknown75 "unknown_75" = row(0x8000_0000_0075, 0x8000_0400_04ff, fixed(8))
    .operands(ops![
        unknown("u8", bits![8:9]),
        unknown("u11", bits![11:25]),
        unknown("u27", bits![27:46]),
        unknown("u48", bits![48:63]),
    ])
    .effects(Effects::STATE, OrderClass::Memory).source(from::APPLEGPU).unseen();

/// Starts an asynchronous copy from device to local memory. How it completes is unknown.
AsyncLoad "async_load" = row(0x25, 0x7f, fixed(8))
    .operands(state::COPY)
    .effects(Effects::READS_MEMORY.union(Effects::WRITES_MEMORY), OrderClass::Memory).source(from::APPLEGPU)
    .assumed("the descriptor has 3 registers, 5 with two_d").unseen();

/// Starts an asynchronous copy from local to device memory. How it completes is unknown.
AsyncStore "async_store" = row(0x65, 0x7f, fixed(8))
    .operands(state::COPY)
    .effects(Effects::READS_MEMORY.union(Effects::WRITES_MEMORY), OrderClass::Memory).source(from::APPLEGPU)
    .assumed("the descriptor has 3 registers, 5 with two_d").unseen();

/// Observed after texture sampling; the meaning is unknown.
AfterSampling2 "after_sampling_2" = row(0x62cc, 0xffff, fixed(2))
    .effects(Effects::STATE, OrderClass::Barrier).source(from::APPLEGPU).unseen();

/// Observed after texture sampling; the meaning is unknown.
AfterSampling1 "after_sampling_1" = row(0x101c, 0xffff, fixed(2))
    .effects(Effects::STATE, OrderClass::Barrier).source(from::APPLEGPU).unseen();

/// Observed after texture sampling; the meaning is unknown.
UnknownE8 "unknown_e8" = row(0xe8, 0xffff, fixed(2))
    .effects(Effects::STATE, OrderClass::Barrier).source(from::APPLEGPU).unseen();

/// The meaning is unknown.
Unknown0c "unknown_0c" = row(0x0c, 0xffff, fixed(2))
    .effects(Effects::STATE, OrderClass::Barrier).source(from::APPLEGPU).unseen();

/// The meaning is unknown.
UnknownC0 "unknown_c0" = row(0xc0, 0xffff_ffff, fixed(4))
    .effects(Effects::STATE, OrderClass::Barrier).source(from::APPLEGPU).unseen();

}}}
