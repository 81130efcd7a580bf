//! Records of draw control streams.

use super::{Given, records};

/// Rasteriser state, in memory.
pub const VDM_PPP: u64 = 0;
/// A barrier, or a return from a link.
pub const VDM_BARRIER: u64 = 1;
/// Vertex state, which follows.
pub const VDM_STATE: u64 = 2;
/// A draw.
pub const VDM_INDICES: u64 = 3;
/// A jump, optionally with return.
pub const VDM_LINK: u64 = 4;
/// Hardware tessellation.
pub const VDM_TESSELLATE: u64 = 5;
/// The end.
pub const VDM_TERMINATE: u64 = 6;

/// Primitive types of a draw.
pub const PRIMITIVES: &[(u64, &str)] = &[
    (0, "points"),
    (1, "lines"),
    (3, "line-strip"),
    (5, "line-loop"),
    (6, "triangles"),
    (9, "triangle-strip"),
    (11, "triangle-fan"),
    (14, "quads"),
    (15, "quad-strip"),
];

/// Whether a barrier of a draw stream has one of the known sets of bits.
fn is_draw_barrier(given: &Given<'_>) -> bool {
    use crate::streams::{AFTER_FEEDBACK, START};
    use draw_barrier::*;
    const RETURN: u32 = new().set_raw(&RETURNS, 1).bits();
    let found = super::bits(given.record, 0, 32) as u32;
    let others = found & !(1 << INVALIDATE_SHADERS.start);
    found == START.bits() || others == AFTER_FEEDBACK.bits() || found == RETURN
}

/// Whether the numbers of a draw follow it.
fn is_direct(given: &Given<'_>) -> u64 {
    (!index_list::HAS_INDIRECT.is_set(given.record)).into()
}

records! {
"genxml of Mesa 25.0 and later, submissions of Mesa 26.1";

ppp_state "rasteriser state" 8 "Points at an update of the rasteriser's state." {
    ADDRESS_HIGH 0 8 Number, "Bits 32 to 39 of the address.";
    WORDS 8 8 Number, "Length in words.";
    BLOCK 29 3 Exactly(0), "Kind of record.";
    ADDRESS_LOW 32 32 Number, "The lower bits of the address.";
}
draw_barrier "draw barrier" 4 "Orders draws and flushes caches; drivers set these bits without a known meaning for each." {
    INVALIDATE_SHADERS 3 1 Flag, must Meets("alone at the start; else bits 5, 6, 8, 11 and 20, or a return", super::is_draw_barrier), "Drops cached shader words.";
    BITS_4_6 4 3 Unknown, "Seen set.";
    BIT_8 8 1 Unknown, "Seen set.";
    BIT_11 11 1 Unknown, "Seen set.";
    BIT_20 20 1 Unknown, "Seen set.";
    BIT_24 24 1 Unknown, "Seen set.";
    BIT_26 26 1 Unknown, "Seen set.";
    RETURNS 27 1 Flag, "Returns from a link.";
    BLOCK 29 3 Exactly(1), "Kind of record.";
}
vertex_state "vertex state" 4 "Says which words of vertex state follow, in the order of the bits." {
    RESTART_INDEX 0 1 Flag, "A restart index follows.";
    SHADER_WORD_0 1 1 Flag, "Resources of the vertex shader follow.";
    SHADER_WORD_1 2 1 Flag, "The pipeline of the vertex shader follows.";
    OUTPUTS 3 1 Flag, "The number of vertex outputs follows.";
    TESSELLATION 4 1 Flag, must Only(0), "State of hardware tessellation follows.";
    CONTROL 5 1 Flag, "Provoking vertex and primitive numbers follow.";
    TESSELLATION_SCALE 7 1 Flag, must Only(0), "A scale of tessellation follows.";
    BLOCK 29 3 Exactly(2), "Kind of record.";
}
restart_index "restart index" 4 "The index that starts a new strip." {
    VALUE 0 32 Number, must OneOf(&[0xff, 0xffff, 0xffff_ffff]), "The index.";
}
vertex_shader_0 "vertex shader 0" 4 "Resources of the vertex shader." {
    BIT_0 0 1 Unknown, must Only(0), "Never seen set.";
    UNIFORMS 1 3 Groups(64), "Uniform half-words that words or the preamble set.";
    TEXTURES 4 5 Groups(8), "Texture state registers.";
    SAMPLERS 9 3 Choice(crate::record::SAMPLER_STATES), "Sampler state registers.";
    PREAMBLE_REGISTERS 12 4 Groups(16), "Half registers of the preamble.";
}
vertex_shader_1 "vertex shader 1" 4 "Pipeline of the vertex shader." {
    BITS_0_1 0 2 Unknown, must Only(0), "Never seen set.";
    PIPELINE 6 26 Shifted(6), "Words of the shader, relative to the base of shaders.";
}
vertex_outputs "vertex outputs" 4 "Words a vertex has." {
    COUNT_1 0 8 Number, "Words of output.";
    COUNT_2 8 8 Number, must Equals("COUNT_1", |given| COUNT_1.get(given.record)), "The same number again.";
}
tessellation "tessellation" 4 "State of hardware tessellation, which no open driver uses." {
    BITS_0_16 0 17 Unknown, "0.";
    STEP 17 2 Number, "How factors are stepped through.";
    FACTOR_FLOAT 19 1 Flag, "Factors are 32-bit floats instead of 16-bit ones.";
    QUADS 20 1 Flag, "Patches are quads instead of triangles.";
    BITS_21_22 21 2 Unknown, "1.";
    MAX_FACTOR 23 6 MinusOne, "Largest factor.";
    COUNTER_CLOCKWISE 29 1 Flag, "Triangles run counter-clockwise.";
    PARTITION 30 2 Number, "Power of two, integer, fractional odd, fractional even.";
}
vertex_control "vertex control" 4 "Provoking vertex and primitive numbers." {
    PROVOKING 0 2 Number, must UpTo(2), "Vertex of a triangle that flat values come from.";
    BIT_4 4 1 Unknown, "Seen set.";
    BIT_5 5 1 Unknown, must Equals("BIT_4", |given| BIT_4.get(given.record)), "Seen set.";
    PRIMITIVE_ID 6 1 Flag, "Numbers primitives.";
}
tessellation_scale "tessellation scale" 4 "A factor of tessellation factors." {
    SCALE 0 16 Unknown, "A 16-bit float.";
}
index_list "draw" 4 "A draw. Says which words follow, in the order of decoding that docs/device.md has." {
    INDEX_HIGH 0 8 Number, "Bits 32 to 39 of the index buffer's address.";
    PRIMITIVE 8 8 Choice(super::PRIMITIVES), must OneOf(&[0, 1, 3, 6, 9, 11]), "What the vertices make.";
    RESTART 16 1 Flag, "The restart index starts a new strip.";
    INDEX_SIZE 17 3 Choice(&[(0, "u8"), (1, "u16"), (2, "u32")]), "Size of an index.";
    HAS_INDEX_SIZE 20 1 Flag, must Equals("HAS_INDICES", |given| HAS_INDICES.get(given.record)), "The length of the index buffer follows.";
    HAS_INDICES 21 1 Flag, "The lower bits of the index buffer's address follow.";
    HAS_COUNT 22 1 Flag, must Equals("not HAS_INDIRECT", super::is_direct), "The number of vertices follows.";
    HAS_INSTANCES 23 1 Flag, must Equals("not HAS_INDIRECT", super::is_direct), "The number of instances follows.";
    HAS_START 24 1 Flag, must Equals("not HAS_INDIRECT", super::is_direct), "The first vertex, or what is added to indices, follows.";
    HAS_UNKNOWN_1 25 1 Flag, must Only(0), "Two words without a known meaning follow.";
    HAS_INDIRECT 26 1 Flag, "The address of an indirect draw follows.";
    HAS_UNKNOWN_2 27 1 Flag, must Only(0), "A word without a known meaning follows.";
    BLOCK 29 3 Exactly(3), "Kind of record.";
}
draw_word "draw word" 4 "A number of a draw: vertices, instances, first vertex, or the low half of an address." {
    VALUE 0 32 Number, "The number.";
}
index_bytes "index buffer length" 4 "The length of the index buffer." {
    BYTES 0 32 Shifted(2), "Length in bytes.";
}
indirect_draw "indirect draw" 8 "Where an indirect draw reads its numbers." {
    ADDRESS_HIGH 0 8 Number, "Bits 32 to 39 of the address.";
    ADDRESS_LOW 32 32 Number, "The lower bits of the address.";
}
draw_link "draw link" 8 "Continues elsewhere." {
    TARGET_HIGH 0 8 Number, "Bits 32 to 39 of the address.";
    WITH_RETURN 28 1 Flag, "The stream there returns.";
    BLOCK 29 3 Exactly(4), "Kind of record.";
    TARGET_LOW 32 32 Number, "The lower bits of the address.";
}
tessellate "tessellate" 4 "A draw of hardware tessellation, which no open driver uses." {
    FACTORS_HIGH 0 8 Number, "Bits 32 to 39 of the factors' address.";
    BITS_8_28 8 21 Unknown, "Which words follow; not known well enough to execute.";
    BLOCK 29 3 Exactly(5), "Kind of record.";
}
draw_terminate "draw terminate" 4 "Ends the stream." {
    BLOCK 29 3 Exactly(6), "Kind of record.";
}
}

#[cfg(test)]
mod tests {
    use super::draw_barrier::*;
    use crate::record::Scope;

    #[test]
    fn barriers_have_one_of_three_sets_of_bits() {
        let full = new().set(&BITS_4_6, 6).set(&BIT_8, 1).set(&BIT_11, 1).set(&BIT_20, 1);
        let invalidate = new().flag(&INVALIDATE_SHADERS, true);
        let known = [invalidate, full, full.flag(&INVALIDATE_SHADERS, true), new().flag(&RETURNS, true)];
        for barrier in known {
            assert_eq!(RECORD.violations(&barrier.bytes(), &Scope::NONE), [""; 0], "{:#x}", barrier.bits());
        }
        for barrier in [new(), full.set(&BIT_24, 1), full.set(&BIT_8, 0), invalidate.set(&BITS_4_6, 1)] {
            assert_eq!(RECORD.violations(&barrier.bytes(), &Scope::NONE).len(), 1, "{:#x}", barrier.bits());
        }
    }
}
