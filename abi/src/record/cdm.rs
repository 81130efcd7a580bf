//! Records of compute control streams.

use super::records;

/// Kinds of compute records, in the top three bits of their first word.
pub const CDM_LAUNCH: u64 = 0;
/// A jump, optionally with return.
pub const CDM_LINK: u64 = 1;
/// The end.
pub const CDM_TERMINATE: u64 = 2;
/// A barrier.
pub const CDM_BARRIER: u64 = 3;
/// A return from a link.
pub const CDM_RETURN: u64 = 4;

records! {
"genxml of Mesa 25.0 and later, submissions of Mesa 26.1";

launch "launch" 8 "A compute launch: resources and pipeline. The global and local sizes, or where they are, follow." {
    UNIFORMS 1 3 Groups(64), "Uniform half-words that words or the preamble set.";
    TEXTURES 4 5 Groups(8), "Texture state registers.";
    SAMPLERS 9 3 Choice(crate::record::SAMPLER_STATES), "Sampler state registers.";
    PREAMBLE_REGISTERS 12 4 Groups(16), "Half registers of the preamble.";
    MODE 27 2 Choice(&[(0, "direct"), (1, "indirect-global"), (2, "indirect-local")]), "Where the sizes are.";
    BLOCK 29 3 Exactly(0), "Kind of record.";
    PIPELINE 38 26 Shifted(6), "Words of the shader, relative to the base of shaders.";
}
indirect_sizes "indirect sizes" 8 "Where an indirect launch reads its sizes." {
    ADDRESS_HIGH 0 8 Number, "Bits 32 to 39 of the address.";
    ADDRESS_LOW 34 30 Shifted(2), "The lower bits of the address.";
}
sizes "sizes" 12 "A size along three axes: of the grid in threads, or of a workgroup." {
    X 0 32 Number, "Along x.";
    Y 32 32 Number, "Along y.";
    Z 64 32 Number, "Along z.";
}
compute_barrier "compute barrier" 4 "Orders launches and flushes caches; drivers set these bits without a known meaning for each." {
    BITS_0_2 0 3 Unknown, must Only(7), "Seen set.";
    INVALIDATE_SHADERS 3 1 Flag, must Only(1), "Drops cached shader words.";
    BITS_4_20 4 17 Unknown, must Only(0xffff), "Seen set.";
    BIT_24 24 1 Unknown, must Only(0), "Seen set.";
    BIT_26 26 1 Unknown, must Only(0), "Seen set.";
    RETURNS 27 1 Flag, "Returns from a link.";
    BLOCK 29 3 Exactly(3), "Kind of record.";
}
compute_link "compute link" 8 "Continues elsewhere." {
    TARGET_HIGH 0 8 Number, "Bits 32 to 39 of the address.";
    WITH_RETURN 28 1 Flag, "The stream there returns.";
    BLOCK 29 3 Exactly(1), "Kind of record.";
    TARGET_LOW 32 32 Number, "The lower bits of the address.";
}
compute_return "compute return" 8 "Continues after the latest link with return." {
    BLOCK 29 3 Exactly(4), "Kind of record.";
}
compute_terminate "compute terminate" 8 "Ends the stream." {
    BLOCK 29 3 Exactly(2), "Kind of record.";
}
}
