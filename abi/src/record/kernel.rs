//! Structures of the kernel interface, as defined in `asahi_drm.h` of Linux 6.16 and later and in `drm.h`.

use super::records;

/// Kinds of commands in a submission.
pub const COMMANDS: &[(u64, &str)] = &[
    (0, "render"),
    (1, "compute"),
    (2, "vertex-attachments"),
    (3, "fragment-attachments"),
    (4, "compute-attachments"),
];

records! {
"linux/drm/asahi_drm.h and linux/drm/drm.h";

get_params "get params" 24 "Asks for parameters." {
    GROUP 0 32 Exactly(0), "Group of parameters.";
    PAD 32 32 Exactly(0), "Zero.";
    POINTER 64 64 Unknown, "Where they go.";
    SIZE 128 64 Number, "Bytes there.";
}
get_time "get time" 16 "Asks for the time." {
    FLAGS 0 64 Exactly(0), "Zero.";
    TIMESTAMP 64 64 Number, "Nanoseconds, on return.";
}
vm_create "vm create" 24 "Makes an address space." {
    KERNEL_START 0 64 Unknown, "First address the kernel keeps for itself.";
    KERNEL_END 64 64 Unknown, "Where they end.";
    VM 128 32 Number, "Its number, on return.";
    PAD 160 32 Exactly(0), "Zero.";
}
vm_destroy "vm destroy" 8 "Destroys an address space." {
    VM 0 32 Number, "Its number.";
    PAD 32 32 Exactly(0), "Zero.";
}
gem_create "gem create" 24 "Makes a buffer." {
    SIZE 0 64 Number, "Bytes.";
    FLAGS 64 32 Unknown, "1 cached by the processor, 2 private to an address space.";
    VM 96 32 Number, "The address space of a private buffer.";
    HANDLE 128 32 Number, "Its number, on return.";
    PAD 160 32 Exactly(0), "Zero.";
}
gem_mmap_offset "gem mmap offset" 16 "Asks where a buffer can be mapped." {
    HANDLE 0 32 Number, "The buffer.";
    FLAGS 32 32 Exactly(0), "Zero.";
    OFFSET 64 64 Unknown, "The offset, on return.";
}
bind_op "bind" 32 "Binds or unbinds a range of addresses." {
    UNBIND 0 1 Flag, "Unbinds.";
    READ 1 1 Flag, "Programs may read.";
    WRITE 2 1 Flag, "Programs may write.";
    SINGLE_PAGE 3 1 Flag, "Repeats one page over the range.";
    HANDLE 32 32 Number, "The buffer.";
    OFFSET 64 64 Unknown, "First byte in the buffer.";
    RANGE 128 64 Unknown, "Bytes.";
    ADDRESS 192 64 Unknown, "First address.";
}
vm_bind "vm bind" 24 "Binds and unbinds." {
    VM 0 32 Number, "The address space.";
    COUNT 32 32 Number, "Binds.";
    STRIDE 64 32 Number, "Bytes from one bind to the next.";
    PAD 96 32 Exactly(0), "Zero.";
    POINTER 128 64 Unknown, "Where the binds are.";
}
gem_bind_object "bind object" 40 "Makes a buffer one that timestamps are written to, or undoes it." {
    OP 0 32 Choice(&[(0, "bind"), (1, "unbind")]), "What to do.";
    FLAGS 32 32 Unknown, "1 for timestamps.";
    HANDLE 64 32 Number, "The buffer.";
    VM 96 32 Exactly(0), "Zero.";
    OFFSET 128 64 Unknown, "First byte.";
    RANGE 192 64 Unknown, "Bytes.";
    OBJECT 256 32 Number, "Its number.";
    PAD 288 32 Exactly(0), "Zero.";
}
queue_create "queue create" 24 "Makes a queue." {
    FLAGS 0 32 Exactly(0), "Zero.";
    VM 32 32 Number, "Its address space.";
    PRIORITY 64 32 Choice(&[(0, "low"), (1, "medium"), (2, "high"), (3, "realtime")]), "Its priority.";
    QUEUE 96 32 Number, "Its number, on return.";
    SHADER_BASE 128 64 Unknown, "Address that shaders are relative to.";
}
queue_destroy "queue destroy" 8 "Destroys a queue." {
    QUEUE 0 32 Number, "Its number.";
    PAD 32 32 Exactly(0), "Zero.";
}
gem_close "gem close" 8 "Frees a buffer." {
    HANDLE 0 32 Number, "The buffer.";
    PAD 32 32 Exactly(0), "Zero.";
}
sync_create "sync create" 8 "Makes a sync object." {
    HANDLE 0 32 Number, "Its number, on return.";
    SIGNALLED 32 1 Flag, "It is signalled.";
}
sync_destroy "sync destroy" 8 "Destroys a sync object." {
    HANDLE 0 32 Number, "Its number.";
    PAD 32 32 Exactly(0), "Zero.";
}
sync_array "sync array" 16 "Signals sync objects, or makes them unsignalled." {
    HANDLES 0 64 Unknown, "Where their numbers are.";
    COUNT 64 32 Number, "How many there are.";
    PAD 96 32 Exactly(0), "Zero.";
}
sync_points "sync points" 24 "Signals points of timelines, or asks for the latest." {
    HANDLES 0 64 Unknown, "Where the numbers of the sync objects are.";
    POINTS 64 64 Unknown, "Where the points are.";
    COUNT 128 32 Number, "How many there are.";
    FLAGS 160 32 Unknown, "Not used here.";
}
sync_wait "sync wait" 48 "Waits for sync objects, or for points of timelines." {
    HANDLES 0 64 Unknown, "Where their numbers are.";
    POINTS 64 64 Unknown, "Where the points are; 0 for a binary one.";
    DEADLINE 128 64 Number, "Nanoseconds of the monotonic clock.";
    COUNT 192 32 Number, "How many there are.";
    FOR_ALL 224 1 Flag, "For all of them, not for one.";
    FOR_SUBMIT 225 1 Flag, "For their submission, too.";
    AVAILABLE 226 1 Flag, "Only for their submission.";
    SIGNALLED 256 32 Number, "The first that is signalled, on return.";
    PAD 288 32 Exactly(0), "Zero.";
    HINT 320 64 Number, "A deadline for the work; not used here.";
}
sync_transfer "sync transfer" 32 "Has a sync object signalled when another is." {
    FROM 0 32 Number, "The other.";
    TO 32 32 Number, "The sync object.";
    FROM_POINT 64 64 Number, "A point of its timeline, or 0.";
    TO_POINT 128 64 Number, "The same.";
    FLAGS 192 32 Unknown, "Not used here.";
    PAD 224 32 Exactly(0), "Zero.";
}
sync "sync" 16 "A sync object that a submission waits for or signals." {
    TYPE 0 32 Choice(&[(0, "binary"), (1, "timeline")]), "Its kind.";
    HANDLE 32 32 Number, "Its number.";
    VALUE 64 64 Number, "Point of a timeline.";
}
submit "submit" 40 "Submits commands." {
    SYNCS 0 64 Unknown, "Where the sync objects are: first those waited for.";
    COMMANDS 64 64 Unknown, "Where the commands are.";
    FLAGS 128 32 Exactly(0), "Zero.";
    QUEUE 160 32 Number, "The queue.";
    IN_SYNCS 192 32 Number, "Sync objects waited for.";
    OUT_SYNCS 224 32 Number, "Sync objects signalled.";
    SIZE 256 32 Number, "Bytes of commands.";
    PAD 288 32 Exactly(0), "Zero.";
}
command_header "command" 8 "Stands before each command." {
    TYPE 0 16 Choice(super::COMMANDS), "Kind of command.";
    SIZE 16 16 Number, "Bytes that follow.";
    VDM_BARRIER 32 16 Unknown, "Render commands waited for; 0xffff for none.";
    CDM_BARRIER 48 16 Unknown, "Compute commands waited for; 0xffff for none.";
}
attachment "attachment" 24 "Memory that programs write: a hint." {
    ADDRESS 0 64 Unknown, "First address.";
    SIZE 64 64 Number, "Bytes.";
    PAD 128 32 Exactly(0), "Zero.";
    FLAGS 160 32 Exactly(0), "Zero.";
}
compute_command "compute command" 64 "A compute control stream and what it runs with." {
    FLAGS 0 32 Exactly(0), "Zero.";
    SAMPLER_COUNT 32 32 Number, must Meets("set with a heap", |given| (given.value != 0) == SAMPLER_HEAP.is_set(given.record)), "Samplers in the heap.";
    STREAM 64 64 Unknown, "The control stream.";
    STREAM_END 128 64 Unknown, must Meets("after the start", |given| given.value > STREAM.get(given.record)), "End of its first piece.";
    SAMPLER_HEAP 192 64 Unknown, "The sampler heap.";
    HELPER 256 32 Unknown, "Helper program for scratch, from the first shader; bit 0: there is one.";
    HELPER_CONFIG 288 32 Unknown, must OneOf(&[0, 0x1_0000]), "Its configuration; bit 16: preambles use scratch memory.";
    HELPER_DATA 320 64 Unknown, "Its argument.";
    TIME_START 384 32 Number, "Timestamp buffer for the start.";
    TIME_START_OFFSET 416 32 Number, "Offset in it.";
    TIME_END 448 32 Number, "Timestamp buffer for the end.";
    TIME_END_OFFSET 480 32 Number, "Offset in it.";
}
render_command "render command" 240 "A render pass: a draw control stream and what it runs with." {
    VERTEX_SCRATCH 0 1 Flag, must Equals("whether there is a helper", |given| VERTEX_HELPER.is_set(given.record).into()), "Vertex shaders use scratch memory.";
    EMPTY_TILES 1 1 Flag, "Processes tiles that nothing is drawn to.";
    NO_CLUSTERING 2 1 Flag, must Only(0), "Vertices run on one cluster.";
    INTEGER_BIAS 18 1 Flag, "Depth bias counts units of a normalised depth buffer.";
    ZLS_PIXELS 32 32 Unknown, "Size of depth and stencil buffers.";
    STREAM 64 64 Unknown, "The control stream.";
    VERTEX_HELPER 128 32 Unknown, "Helper program of vertex shaders, from the first shader; bit 0: there is one.";
    VERTEX_HELPER_CONFIG 160 32 Unknown, must OneOf(&[0, 0x1_0000]), "Its configuration; bit 16: preambles use scratch memory.";
    VERTEX_HELPER_DATA 192 64 Unknown, "Its argument.";
    FRAGMENT_HELPER 256 32 Unknown, "Helper program of fragment shaders, from the first shader; bit 0: there is one.";
    FRAGMENT_HELPER_CONFIG 288 32 Unknown, must OneOf(&[0, 0x1_0000]), "Its configuration; bit 16: preambles use scratch memory.";
    FRAGMENT_HELPER_DATA 320 64 Unknown, "Its argument.";
    SCISSORS 384 64 Unknown, "Scissor array.";
    DEPTH_BIASES 448 64 Unknown, "Depth bias array.";
    OCCLUSION 512 64 Unknown, "Array of occlusion counters.";
    DEPTH_BASE 576 64 Unknown, "Depth buffer.";
    DEPTH_METADATA 640 64 Unknown, "Its compression metadata.";
    DEPTH_STRIDE 704 32 Unknown, must Meets("low bits 1 with depth", |given| given.value & 0x3fff == DEPTH_BASE.is_set(given.record).into()), "Bit 0: there are layers. From bit 14: pages of 16 KiB between them, minus one.";
    DEPTH_METADATA_STRIDE 736 32 Unknown, "From bit 14: lines of 128 bytes between layers of metadata, minus one.";
    STENCIL_BASE 768 64 Unknown, "Stencil buffer.";
    STENCIL_METADATA 832 64 Unknown, "Its compression metadata.";
    STENCIL_STRIDE 896 32 Unknown, must Meets("low bits 1 with stencil", |given| given.value & 0x3fff == STENCIL_BASE.is_set(given.record).into()), "Bit 0: there are layers. From bit 14: pages of 16 KiB between them, minus one.";
    STENCIL_METADATA_STRIDE 928 32 Unknown, "From bit 14: lines of 128 bytes between layers of metadata, minus one.";
    ZLS_CONTROL 960 64 Unknown, "How depth and stencil are loaded and stored.";
    MULTISAMPLE 1024 64 Unknown, "Sample positions.";
    SAMPLER_HEAP 1088 64 Unknown, "The sampler heap.";
    PPP_CONTROL 1152 32 Unknown, "Rules of the pass.";
    WIDTH 1184 16 Number, must Meets("1 to 16384", |given| (1..=16384).contains(&given.value)), "Pixels along x.";
    HEIGHT 1200 16 Number, must Meets("1 to 16384", |given| (1..=16384).contains(&given.value)), "Pixels along y.";
    LAYERS 1216 16 Number, must Meets("1 to 2048", |given| (1..=2048).contains(&given.value)), "Layers.";
    SAMPLER_COUNT 1232 16 Number, must Meets("set with a heap", |given| (given.value != 0) == SAMPLER_HEAP.is_set(given.record)), "Samplers in the heap.";
    TILE_WIDTH 1248 8 Number, must Equals("the largest tile with room", |given| crate::render::tile_size(given.record)[0]), "Pixels of a tile along x.";
    TILE_HEIGHT 1256 8 Number, must Equals("the largest tile with room", |given| crate::render::tile_size(given.record)[1]), "Pixels of a tile along y.";
    SAMPLES 1264 8 Number, must OneOf(&[1, 2, 4]), "Samples of a pixel.";
    SAMPLE_BYTES 1272 8 Number, must Meets("a multiple of 8, at most 64", |given| given.value % 8 == 0 && given.value <= 64), "Bytes of a sample in the tile.";
    MERGE_X 1280 32 Float, must Equals("tan 60° / width", |given| crate::render::merge_factor(WIDTH.get(given.record) as u32).to_bits().into()), "Parameter of triangle merging.";
    MERGE_Y 1312 32 Float, must Equals("tan 60° / height", |given| crate::render::merge_factor(HEIGHT.get(given.record) as u32).to_bits().into()), "Parameter of triangle merging.";
    BACKGROUND 1344 32 Unknown, must Meets("low bits 4", |given| crate::render::is_tile_program(given.value)), "Words of the program that runs before the draws.";
    BACKGROUND_RESOURCES 1376 32 Unknown, "Its resources.";
    END_OF_TILE 1408 32 Unknown, must Meets("low bits 4", |given| crate::render::is_tile_program(given.value)), "Words of the program that runs after them.";
    END_OF_TILE_RESOURCES 1440 32 Unknown, "Its resources.";
    PARTIAL_BACKGROUND 1472 32 Unknown, must Meets("low bits 4", |given| crate::render::is_tile_program(given.value)), "The first, when a pass is resumed.";
    PARTIAL_BACKGROUND_RESOURCES 1504 32 Unknown, "Its resources.";
    PARTIAL_END_OF_TILE 1536 32 Unknown, must Meets("low bits 4", |given| crate::render::is_tile_program(given.value)), "The second, when a pass is interrupted.";
    PARTIAL_END_OF_TILE_RESOURCES 1568 32 Unknown, "Its resources.";
    CLEAR_DEPTH 1600 32 Unknown, "Depth before the draws, as the buffer has it.";
    CLEAR_STENCIL 1632 32 Unknown, must Meets("0x300 | stencil", |given| crate::render::is_clear_stencil(given.value)), "Stencil before the draws, in its low byte.";
    VERTEX_TIME_START 1664 32 Number, "Timestamp buffer for the start of vertices.";
    VERTEX_TIME_START_OFFSET 1696 32 Number, "Offset in it.";
    VERTEX_TIME_END 1728 32 Number, "Timestamp buffer for the end of vertices.";
    VERTEX_TIME_END_OFFSET 1760 32 Number, "Offset in it.";
    FRAGMENT_TIME_START 1792 32 Number, "Timestamp buffer for the start of fragments.";
    FRAGMENT_TIME_START_OFFSET 1824 32 Number, "Offset in it.";
    FRAGMENT_TIME_END 1856 32 Number, "Timestamp buffer for the end of fragments.";
    FRAGMENT_TIME_END_OFFSET 1888 32 Number, "Offset in it.";
}
}
