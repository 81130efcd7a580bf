//! Words of a shader: the state loaded before it starts.

use super::records;

/// Tag of the word that sets uniforms.
pub const USC_UNIFORM: u64 = 0x1d;
/// Tag of the word that sets uniforms from 256 on.
pub const USC_UNIFORM_HIGH: u64 = 0x3d;
/// Tag of the word that sets texture state registers.
pub const USC_TEXTURE: u64 = 0xdd;
/// Tag of the word that sets sampler state registers.
pub const USC_SAMPLER: u64 = 0x9d;
/// Tag of the word for local memory.
pub const USC_SHARED: u64 = 0x4d;
/// Tag of the word that names the program.
pub const USC_SHADER: u64 = 0x0d;
/// Tag of the word for registers.
pub const USC_REGISTERS: u64 = 0x8d;
/// Tag of the word for fragment shaders.
pub const USC_FRAGMENT: u64 = 0x58;
/// Tag of the word that ends the words without a preamble.
pub const USC_NO_PREAMBLE: u64 = 0x88;
/// Tag of the word that ends the words with a preamble.
pub const USC_PREAMBLE: u64 = 0x38;

/// Layouts of local memory.
pub const SHARED_LAYOUTS: &[(u64, &str)] =
    &[(0x24, "vertex-or-compute"), (0x2f, "32x32"), (0x36, "16x16"), (0x3f, "32x16")];

/// Codes for numbers of sampler state registers.
pub const SAMPLER_STATES: &[(u64, &str)] =
    &[(0, "0"), (1, "4"), (2, "8"), (3, "12"), (4, "16"), (6, "8-with-border"), (7, "16-with-border")];

records! {
"genxml of Mesa 25.0 and later, submissions of Mesa 26.1";

usc_uniform "uniform word" 8 "Sets uniforms from memory." {
    TAG 0 8 Exactly(0x1d), "Kind of word.";
    START 8 8 Number, "First half-word.";
    COUNT 20 6 Groups(1), "Half-words.";
    ADDRESS 26 38 Shifted(2), "Where they are.";
}
usc_uniform_high "high uniform word" 8 "Sets uniforms from half-word 256 on from memory." {
    TAG 0 8 Exactly(0x3d), "Kind of word.";
    START 8 8 Number, "First half-word less 256.";
    COUNT 20 6 Groups(1), "Half-words.";
    ADDRESS 26 38 Shifted(2), "Where they are.";
}
usc_texture "texture word" 8 "Sets texture state registers from memory." {
    TAG 0 8 Exactly(0xdd), "Kind of word.";
    START 8 8 Number, "First register.";
    COUNT 20 7 Number, "Registers.";
    ADDRESS 27 36 Shifted(3), "Where the descriptors are.";
}
usc_sampler "sampler word" 8 "Sets sampler state registers from memory." {
    TAG 0 8 Exactly(0x9d), "Kind of word.";
    START 8 8 Number, "First register.";
    COUNT 20 7 Number, "Registers.";
    ADDRESS 27 36 Shifted(3), "Where the samplers are.";
}
usc_shared "shared word" 4 "Local memory, or the tile." {
    TAG 0 8 Exactly(0x4d), "Kind of word.";
    USED 8 1 Flag, "The program uses it.";
    LAYOUT 10 6 Choice(super::SHARED_LAYOUTS), "Bytes, or pixels of a tile.";
    SAMPLES 16 2 Log2, "Samples of a pixel.";
    SAMPLE_STRIDE 20 4 Shifted(3), "Bytes of a sample.";
    BYTES 24 8 Groups(256), "Bytes of a workgroup.";
}
usc_shader "shader word" 6 "Names the program." {
    TAG 0 8 Exactly(0x0d), "Kind of word.";
    READS_VARYINGS 8 1 Flag, "Loads coefficients.";
    BIT_9 9 1 Unknown, "Seen set for shaders that run once a pixel.";
    BITS_10_15 10 6 Unknown, "3.";
    CODE 16 32 Unknown, "First instruction, relative to the base of shaders.";
}
usc_registers "register word" 4 "Registers of the program." {
    TAG 0 8 Exactly(0x8d), "Kind of word.";
    COUNT 8 5 Groups(8), "Half registers.";
    BIT_13 13 1 Unknown, "Seen set in fragment shaders.";
    SPILL 18 4 Number, "The stack's size: 0 none, n up to 4 · 2^n words for each lane.";
    BITS_24_31 24 8 Unknown, "1.";
}
usc_fragment "fragment word" 4 "How a fragment shader treats samples." {
    TAG 0 8 Exactly(0x58), "Kind of word.";
    EARLY_TESTS 8 1 Flag, "Tests come before the program.";
    BIT_9 9 1 Unknown, "Set.";
    DISCARDS_1 10 1 Flag, "Every sample is discarded.";
    DISCARDS_2 11 1 Flag, "The same again.";
    BITS_12_15 12 4 Unknown, "15.";
    BITS_16_23 16 8 Unknown, "Not known.";
    BITS_24_31 24 8 Unknown, "1.";
}
usc_no_preamble "no preamble" 2 "Ends the words." {
    TAG 0 8 Exactly(0x88), "Kind of word.";
}
usc_preamble "preamble" 8 "Names the preamble and ends the words." {
    TAG 0 8 Exactly(0x38), "Kind of word.";
    BITS_8_31 8 24 Exactly(0xc08000), "The same in every word seen.";
    CODE 32 32 Unknown, "First instruction, relative to the base of shaders.";
}
}
