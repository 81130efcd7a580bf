//! Barriers and fences. What each fence of the 0xf5 family orders is unknown; Mesa emits them in fixed sequences.

macro_rules! barrier_rows { ($then:ident $($args:tt)*) => { $then! { $($args)*
@family "barrier" "Barriers and fences";

/// Waits until every SIMD-group of the workgroup has come here.
Barrier "barrier" = row(0x68, 0xffff, fixed(2))
    .effects(Effects::BARRIER, OrderClass::Barrier).source(from::ALL)
    .applegpu("threadgroup_barrier");

/// Orders buffer memory within the device cluster.
MemoryBarrier "memory_barrier" = row(0x96f5, 0xffff, fixed(2))
    .effects(Effects::BARRIER, OrderClass::Barrier).source(from::ALL)
    .assumed("the meaning of the single fence is unknown")
    .applegpu("memory_barrier 1, 2, 9");

/// First fence of image sequences.
ImageBarrier1 "image_barrier_1" = row(0xaaf5, 0xffff, fixed(2))
    .effects(Effects::BARRIER, OrderClass::Barrier).source(from::ALL)
    .assumed("the meaning of the single fence is unknown")
    .applegpu("memory_barrier 2, 2, 10");

/// Second fence of image sequences.
ImageBarrier2 "image_barrier_2" = row(0xaef5, 0xffff, fixed(2))
    .effects(Effects::BARRIER, OrderClass::Barrier).source(from::ALL)
    .assumed("the meaning of the single fence is unknown")
    .applegpu("memory_barrier 3, 2, 10");

/// Third fence of image sequences.
ImageBarrier3 "image_barrier_3" = row(0xa9f5, 0xffff, fixed(2))
    .effects(Effects::BARRIER, OrderClass::Barrier).source(from::ALL)
    .assumed("the meaning of the single fence is unknown")
    .applegpu("memory_barrier 2, 1, 10");

/// Fourth fence of image sequences.
ImageBarrier4 "image_barrier_4" = row(0xadf5, 0xffff, fixed(2))
    .effects(Effects::BARRIER, OrderClass::Barrier).source(from::ALL)
    .assumed("the meaning of the single fence is unknown")
    .applegpu("memory_barrier 3, 1, 10");

/// Makes memory writes visible to texture reads, within a sequence of fences.
FlushMemoryToTexture "flush_memory_to_texture" = row(0x40f5, 0xffff, fixed(2))
    .effects(Effects::BARRIER, OrderClass::Barrier).source(from::ALL)
    .assumed("the meaning of the single fence is unknown")
    .applegpu("memory_barrier 0, 0, 4");

/// Fence of the sequence for scopes wider than the cluster.
MemoryBarrier2 "memory_barrier_2" = row(0x9af5, 0xffff, fixed(2))
    .effects(Effects::BARRIER, OrderClass::Barrier).source(from::ALL)
    .assumed("the meaning of the single fence is unknown")
    .applegpu("memory_barrier 2, 2, 9");

/// Fence of the sequence for scopes wider than the cluster.
MemoryBarrier3 "memory_barrier_3" = row(0x99f5, 0xffff, fixed(2))
    .effects(Effects::BARRIER, OrderClass::Barrier).source(from::ALL)
    .assumed("the meaning of the single fence is unknown")
    .applegpu("memory_barrier 2, 1, 9");

/// Fence of the sequence for scopes wider than the cluster.
UnknownBarrier1 "unknown_barrier_1" = row(0x33f5, 0xffff, fixed(2))
    .effects(Effects::BARRIER, OrderClass::Barrier).source(from::ALL)
    .assumed("the meaning of the single fence is unknown")
    .applegpu("memory_barrier 0, 3, 3");

/// Fence of the sequence for scopes wider than the cluster.
UnknownBarrier2 "unknown_barrier_2" = row(0x3f5, 0xffff, fixed(2))
    .effects(Effects::BARRIER, OrderClass::Barrier).source(from::ALL)
    .assumed("the meaning of the single fence is unknown")
    .applegpu("memory_barrier 0, 3, 0");

/// Last fence of the sequence for scopes wider than the cluster.
DeviceBarrier1 "device_barrier_1" = row(0x9df5, 0xffff, fixed(2))
    .effects(Effects::BARRIER, OrderClass::Barrier).source(from::ALL)
    .assumed("the meaning of the single fence is unknown").unseen()
    .applegpu("memory_barrier 3, 1, 9");

/// Fence of the sequence for scopes wider than the cluster.
DeviceBarrier2 "device_barrier_2" = row(0x9ef5, 0xffff, fixed(2))
    .effects(Effects::BARRIER, OrderClass::Barrier).source(from::ALL)
    .assumed("the meaning of the single fence is unknown")
    .applegpu("memory_barrier 3, 2, 9");

}}}
