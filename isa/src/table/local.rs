//! Local (threadgroup) memory.

macro_rules! local_rows { ($then:ident $($args:tt)*) => { $then! { $($args)*
@family "local" "Local (threadgroup) memory";

/// Loads from local memory at `base` bytes plus the index. Synchronous.
Lload "lload" = row(0x69, 0x7f, prefers(6, 8, 15))
    .operands(ops![
        dst("dst", kinds::SIZED, bits![9:14, 60:61, 8]).count(Count::Mask),
        src("base", kinds::LOCAL_BASE, bits![16:21, 58:59, 23, 22]),
        src("index", kinds::LOCAL_INDEX, bits![28:33, 48:57, 34]),
        modifier("format", kinds::names(names::FORMATS), bits![24:27]).default(2),
        modifier("mask", kinds::COMPONENTS, bits![36:39]).default(1),
        modifier("scale", kinds::NUMBER, bits![40:42]),
        unknown("u7", bits![7]),
        unknown("u35", bits![35]),
        unknown("u43", bits![43:47]),
    ])
    .effects(Effects::READS_MEMORY, OrderClass::Memory).source(from::ALL)
    .assumed("only immediate index 0 is understood; scale is a one-hot left shift of it (measured on M1 Ultra)")
    .applegpu("threadgroup_load {name:format}, {letters:mask}, {dst}, {base}, {index}");

/// Stores to local memory at `base` bytes plus the index. Synchronous.
Lstore "lstore" = row(0x29, 0x7f, prefers(6, 8, 15))
    .operands(ops![
        src("data", kinds::SIZED, bits![9:14, 60:61, 8]).count(Count::Mask),
        src("base", kinds::LOCAL_BASE, bits![16:21, 58:59, 23, 22]),
        src("index", kinds::LOCAL_INDEX, bits![28:33, 48:57, 34]),
        modifier("format", kinds::names(names::FORMATS), bits![24:27]).default(2),
        modifier("mask", kinds::COMPONENTS, bits![36:39]).default(1),
        modifier("scale", kinds::NUMBER, bits![40:42]),
        unknown("u7", bits![7]),
        unknown("u35", bits![35]),
        unknown("u43", bits![43:47]),
    ])
    .effects(Effects::WRITES_MEMORY, OrderClass::Memory).source(from::ALL)
    .assumed("only immediate index 0 is understood; scale is a one-hot left shift of it (measured on M1 Ultra)")
    .applegpu("threadgroup_store {name:format}, {letters:mask}, {data}, {base}, {index}");

/// Atomic on a 32-bit word of local memory; the destination, if present, receives the old value. `cmpxchg`
/// takes two registers: the new value, then the expected one. Synchronous.
Latomic "latomic" = row(0x8010_0000_0019, 0x8010_0000_003f, prefers(6, 10, 15))
    .operands(ops![
        dst("dst", kinds::OPTIONAL_SIZED, bits![9:14, 60:61, 38, 8]),
        src("data", kinds::REGISTER32, bits![64:71]).count(Count::Exchange).reach(Reach::None),
        src("base", kinds::LOCAL_BASE, bits![16:21, 58:59, 23, 22]).reach(Reach::None),
        src("index", kinds::LOCAL_INDEX, bits![28:33, 48:57, 34]),
        modifier("op", kinds::names(names::ATOMICS), bits![24:27]),
        unknown("u40", bits![40:46]),
    ])
    .effects(Effects::READS_MEMORY.union(Effects::WRITES_MEMORY), OrderClass::Memory).source(from::ALL)
    .assumed("bit 40 is set for cmpxchg (applegpu)")
    .applegpu("threadgroup_atomic {name:op}, {dst}, {base}, {index}, {data}, 0, 2, {plus128:u40}, 0");

}}}
