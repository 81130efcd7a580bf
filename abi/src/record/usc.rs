//! Words of a shader: the state loaded before it starts.

use super::{Field, Given, records, render_command};
use crate::words::ProgramKind;

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

/// Pixels of a tile along both axes; `None` in other local memory.
pub fn tile_size(shared: &[u8]) -> Option<[u32; 2]> {
    match usc_shared::LAYOUT.raw(shared) {
        0x2f => Some([32, 32]),
        0x3f => Some([32, 16]),
        0x36 => Some([16, 16]),
        _ => None,
    }
}

/// Whether the program runs within a pass, over its tiles.
fn is_in_pass(given: &Given<'_>) -> bool {
    given.scope.kind != ProgramKind::VertexOrCompute && !given.scope.command.is_empty()
}

/// Whether a property of tiles is that of the pass.
fn is_of_pass(given: &Given<'_>, of: &Field) -> bool {
    !is_in_pass(given) || given.value == of.get(given.scope.command)
}

/// Whether tiles have the size of those of the pass. Vertex programs have none, nor have programs of a tile without
/// samples.
fn is_layout_of_pass(given: &Given<'_>) -> bool {
    use render_command::{SAMPLE_BYTES, TILE_HEIGHT, TILE_WIDTH};
    let size = tile_size(given.record);
    let is_empty = given.scope.kind == ProgramKind::Tile && !SAMPLE_BYTES.is_set(given.scope.command);
    match is_in_pass(given) {
        true if is_empty && size.is_none() => true,
        true => size == Some([TILE_WIDTH, TILE_HEIGHT].map(|field| field.get(given.scope.command) as u32)),
        false => size.is_none() || given.scope.command.is_empty(),
    }
}

/// Whether the bytes are those of a tile, or those of programs without local memory.
fn is_size(given: &Given<'_>) -> bool {
    use usc_shared::*;
    match tile_size(given.record) {
        Some([width, height]) => {
            let pixel = SAMPLES.get(given.record).saturating_mul(SAMPLE_STRIDE.get(given.record));
            let tile = u64::from(width).saturating_mul(height.into()).saturating_mul(pixel);
            given.value == tile.max(1).next_multiple_of(256)
        }
        None => USED.is_set(given.record) || given.value == crate::words::NO_LOCAL_BYTES,
    }
}

/// Whether the last byte of the register word is known.
fn is_known_registers(given: &Given<'_>) -> bool {
    let is_compute = given.scope.command.is_empty();
    given.value == given.scope.kind.register_bits() || is_compute && given.value == 0
}

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
    USED 8 1 Flag, must Meets("set with a tile", |given| given.value != 0 || super::tile_size(given.record).is_none()), "The program uses it.";
    LAYOUT 10 6 Choice(super::SHARED_LAYOUTS), must Meets("the size of the pass's tiles", super::is_layout_of_pass), "Bytes, or pixels of a tile.";
    SAMPLES 16 2 Log2, must Meets("the samples of the pass", |given| super::is_of_pass(given, &crate::record::render_command::SAMPLES)), "Samples of a pixel.";
    SAMPLE_STRIDE 20 4 Shifted(3), must Meets("the bytes of a sample in the pass", |given| super::is_of_pass(given, &crate::record::render_command::SAMPLE_BYTES)), "Bytes of a sample.";
    BYTES 24 8 Groups(256), must Meets("65536 if not used; the bytes of a tile", super::is_size), "Bytes of a workgroup.";
}
usc_shader "shader word" 6 "Names the program." {
    TAG 0 8 Exactly(0x0d), "Kind of word.";
    READS_VARYINGS 8 1 Flag, must Only(0), "Loads coefficients.";
    BIT_9 9 1 Unknown, must Only(0), "Seen set for shaders that run once a pixel.";
    BITS_10_15 10 6 Unknown, must Equals("3; 2 in fragment programs, 0 in those of a tile", |given| given.scope.kind.shader_bits()), "3.";
    CODE 16 32 Unknown, "First instruction, relative to the base of shaders.";
}
usc_registers "register word" 4 "Registers of the program." {
    TAG 0 8 Exactly(0x8d), "Kind of word.";
    COUNT 8 5 Groups(8), "Half registers.";
    BIT_13 13 1 Unknown, must Equals("set in fragment programs", |given| given.scope.kind.register_bit()), "Seen set in fragment shaders.";
    SPILL 18 4 Number, "The stack's size: 0 none, n up to 4 · 2^n words for each lane.";
    BITS_24_31 24 8 Unknown, must Meets("1; 0 in programs of a tile and some of compute", super::is_known_registers), "1.";
}
usc_fragment "fragment word" 4 "How a fragment shader treats samples." {
    TAG 0 8 Exactly(0x58), "Kind of word.";
    EARLY_TESTS 8 1 Flag, "Tests come before the program.";
    BIT_9 9 1 Unknown, must Only(1), "Set.";
    DISCARDS_1 10 1 Flag, "Every sample is discarded.";
    DISCARDS_2 11 1 Flag, "The same again.";
    BITS_12_15 12 4 Unknown, must Only(15), "15.";
    BITS_16_23 16 8 Unknown, must Only(2), "Not known.";
    BITS_24_31 24 8 Unknown, must Only(0), "1.";
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
