//! Device memory, stack memory, the uniform file.

macro_rules! memory_rows { ($then:ident $($args:tt)*) => { $then! { $($args)*
@family "memory" "Device memory, stack memory, the uniform file";

/// Loads elements `(index << shift) + component` from `base`, for each component in `mask`, into consecutive registers.
/// Integers are zero-extended; normalised and float formats give floats of the register's size.
Load "load" = row(0x4000_0400_0005, 0x4000_0400_007f, prefers(6, 8, 47))
    .operands(ops![
        dst("dst", kinds::SIZED, bits![10:15, 40:41, 49]).count(Count::Mask),
        src("base", kinds::MEMORY_BASE, bits![16:19, 36:39, 27]).reach(Reach::Low),
        src("index", kinds::MEMORY_INDEX, bits![20:23, 32:35, 56:63, 24, 25]),
        modifier("format", kinds::names(names::FORMATS), bits![7:9, 48]).default(2),
        modifier("mask", kinds::COMPONENTS, bits![52:55]).default(1),
        modifier("shift", kinds::NUMBER, bits![42:43]),
        modifier("coherency", kinds::names(names::COHERENCY), bits![44:45]),
        modifier("group", kinds::NUMBER, bits![30]),
        unknown("u28", bits![28:29]),
        unknown("u31", bits![31]),
        unknown("u50", bits![50:51]),
    ])
    .effects(Effects::READS_MEMORY, OrderClass::Memory).asynchronous().source(from::ALL)
    .applegpu("device_load{todo:coherency} {group}, {name:format}, {letters:mask}, {dst}, {base}, {index}, {sign:index}{, lsl shift}{load_tail:coherency}");

/// Stores consecutive registers to elements `(index << shift) + component` of `base`.
Store "store" = row(0x4000_0400_0045, 0x4000_0400_007f, prefers(6, 8, 47))
    .operands(ops![
        src("data", kinds::SIZED, bits![10:15, 40:41, 49]).count(Count::Mask),
        src("base", kinds::MEMORY_BASE, bits![16:19, 36:39, 27]).reach(Reach::Low),
        src("index", kinds::MEMORY_INDEX, bits![20:23, 32:35, 56:63, 24, 25]),
        modifier("format", kinds::names(names::FORMATS), bits![7:9, 48]).default(2),
        modifier("mask", kinds::COMPONENTS, bits![52:55]).default(1),
        modifier("shift", kinds::NUMBER, bits![42:43]),
        modifier("coherency", kinds::names(names::COHERENCY), bits![44:45]),
        modifier("group", kinds::NUMBER, bits![30]),
        unknown("u28", bits![28:29]),
        unknown("u31", bits![31]),
        unknown("u50", bits![50:51]),
    ])
    .effects(Effects::WRITES_MEMORY.union(Effects::READS_COVERAGE), OrderClass::Memory).asynchronous().source(from::ALL)
    .applegpu("device_store{todo:coherency} {group}, {name:format}, {letters:mask}, {data}, {base}, {index}, {sign:index}{, lsl shift}{store_tail:coherency}");

/// Atomic on the 32-bit word at `base + 4 * index`; the destination, if present, receives the old value.
/// `cmpxchg` takes two registers: the new value, then the expected one.
Atomic "atomic" = row(0x4000_8400_0015, 0x4000_8400_003f, fixed(8))
    .operands(ops![
        dst("dst", kinds::OPTIONAL32, bits![10:15, 40:41, 47]),
        src("data", kinds::REGISTER32, bits![48:55]).count(Count::Exchange),
        src("base", kinds::MEMORY_BASE, bits![16:19, 36:39, 27]).reach(Reach::Low),
        src("index", kinds::MEMORY_INDEX, bits![20:23, 32:35, 56:63, 24, 25]),
        modifier("op", kinds::names(names::ATOMICS), bits![6:9]),
        modifier("shift", kinds::NUMBER, bits![42:43]),
        modifier("coherency", kinds::names(names::COHERENCY), bits![44:45]).default(1),
        modifier("group", kinds::NUMBER, bits![30]),
        unknown("u28", bits![28:29]),
    ])
    .effects(Effects::READS_MEMORY.union(Effects::WRITES_MEMORY).union(Effects::READS_COVERAGE), OrderClass::Memory)
    .asynchronous()
    .source(from::ALL)
    .assumed("coherency 3 reaches all dies of an M1 Ultra; the index is scaled by 4 regardless of shift")
    .applegpu("atomic {name:op}, {group}, {dst}, {base}, {index}, {sign:index}, {data}, 1, 0, 1, {atomic_tail:coherency}");

/// Loads from stack memory; the index counts bytes from the stack pointer.
StackLoad "stack_load" = row(0x4000_0400_0035, 0x7070_040f_00ff, prefers(6, 8, 47))
    .operands(ops![
        dst("dst", kinds::SIZED, bits![10:15, 40:41, 49]).count(Count::Mask),
        src("index", kinds::MEMORY_INDEX, bits![20:23, 32:35, 56:63, 24, 25]),
        modifier("format", kinds::names(names::FORMATS), bits![8:9, 50:51]).default(2),
        modifier("mask", kinds::COMPONENTS, bits![52:55]).default(1),
        modifier("shift", kinds::NUMBER, bits![42:43]),
        modifier("group", kinds::NUMBER, bits![30]),
        unknown("u48", bits![48]),
    ])
    .effects(Effects::READS_MEMORY, OrderClass::Memory).asynchronous().source(from::ALL)
    .applegpu("stack_load {dst}, {name:format}, 1, 0, {letters:mask}, 4, {index}, {group}");

/// Stores to stack memory; the index counts bytes from the stack pointer.
StackStore "stack_store" = row(0x4000_0400_00b5, 0x7070_040f_00ff, prefers(6, 8, 47))
    .operands(ops![
        src("data", kinds::SIZED, bits![10:15, 40:41, 49]).count(Count::Mask),
        src("index", kinds::MEMORY_INDEX, bits![20:23, 32:35, 56:63, 24, 25]),
        modifier("format", kinds::names(names::FORMATS), bits![8:9, 50:51]).default(2),
        modifier("mask", kinds::COMPONENTS, bits![52:55]).default(1),
        modifier("shift", kinds::NUMBER, bits![42:43]),
        modifier("group", kinds::NUMBER, bits![30]),
        unknown("u48", bits![48]),
    ])
    .effects(Effects::WRITES_MEMORY, OrderClass::Memory).asynchronous().source(from::ALL)
    .applegpu("stack_store {name:format}, 1, 0, {letters:mask}, 4, {data}, {index}, {group}");

/// Adds a signed number of 4-byte words to the stack pointer.
StackAdjust "stack_adjust" = row(0x20_0501_00b5, 0x7070_070f_00ff, prefers(6, 8, 47))
    .operands(ops![
        src("index", kinds::SIGNED, bits![20:23, 32:35, 56:63]),
        unknown("u8", bits![8:9]),
        unknown("u48", bits![48:55]),
    ])
    .effects(Effects::STATE, OrderClass::Memory).source(from::ALL);

/// Adds a register to the stack pointer.
StackAdjustReg "stack_adjust_reg" = row(0x1_00b5, 0x030f_00ff, prefers(6, 8, 47))
    .operands(ops![
        src("index", kinds::REGISTER32, bits![20:23, 32:35]),
        unknown("u8", bits![8:9]),
        unknown("u26", bits![26]).default(1),
        unknown("u36", bits![36:38]).default(2),
        unknown("u44", bits![44:46]),
        unknown("u50", bits![50:55]),
    ])
    .effects(Effects::STATE, OrderClass::Memory).source(from::APPLEGPU)
    .assumed("the constant bits are those of stack_adjust").unseen();

/// Reads the stack pointer.
StackGetPtr "stack_get_ptr" = row(0x2_0000_0001_0035, 0x3_0000_000f_00ff, prefers(6, 8, 47))
    .operands(ops![
        dst("dst", kinds::REGISTER32, bits![10:15, 40:41]),
        unknown("u8", bits![8:9]),
        unknown("u26", bits![26]),
        unknown("u36", bits![36:38]),
        unknown("u44", bits![44:46]),
        unknown("u50", bits![50:55]),
    ])
    .effects(Effects::empty(), OrderClass::Memory).source(from::APPLEGPU)
    .assumed("the base of the pointer is unknown").unseen();

/// Stores half registers to the uniform file, for preambles. 32-bit values are two half-words of format i16.
UniformStore "uniform_store" = row(0x3c00_0045, 0x000c_40f0_3c0f_007f, prefers(6, 8, 47))
    .operands(ops![
        src("data", kinds::SIZED, bits![10:15, 40:41, 49]).count(Count::Mask),
        src("index", kinds::UNIFORM_INDEX, bits![20:23, 32:35, 56:63, 24, 25]),
        modifier("format", kinds::names(names::FORMATS), bits![7:9, 48]).default(1),
        modifier("mask", kinds::COMPONENTS, bits![52:55]).default(1),
        modifier("shift", kinds::NUMBER, bits![42:43]),
        modifier("group", kinds::NUMBER, bits![30]),
        unknown("u31", bits![31]),
        unknown("u44", bits![44:45]),
    ])
    .effects(Effects::STATE, OrderClass::Memory).source(from::ALL)
    .assumed("forms other than i16 to an immediate index are seen by applegpu only")
    .applegpu("uniform_store 2, {name:format}, {letters:mask}, 0, {data}, {halfword:index}");

}}}
