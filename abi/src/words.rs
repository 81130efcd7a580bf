//! The words of a shader, as a driver writes them: the state loaded before it starts, and its program.
//!
//! Values without another source are those that Mesa's driver 26.1 submits.

use crate::record::{
    FieldError, Packed, fragment_control, usc_fragment, usc_no_preamble, usc_preamble, usc_registers,
    usc_sampler, usc_shader, usc_shared, usc_texture, usc_uniform, usc_uniform_high, vertex_shader_0,
};
use crate::tile::TileLayout;

/// Half-word from which on uniforms are set by separate words.
const HIGH_UNIFORMS: u16 = 256;

/// Maximum number of half-words that one word sets.
const UNIFORMS_OF_WORD: u16 = 64;

/// Bytes of local memory in the word of a program that uses none.
pub(crate) const NO_LOCAL_BYTES: u64 = 65_536;

/// The stage of a program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ProgramKind {
    /// The vertex stage, or a compute launch.
    VertexOrCompute,
    /// The fragment stage of a draw.
    Fragment,
    /// The start or the end of a tile.
    Tile,
}

impl ProgramKind {
    /// Bits 10 to 15 of the shader word.
    pub(crate) const fn shader_bits(self) -> u64 {
        match self {
            ProgramKind::VertexOrCompute => 3,
            ProgramKind::Fragment => 2,
            ProgramKind::Tile => 0,
        }
    }

    /// Bit 13 of the register word.
    pub(crate) const fn register_bit(self) -> u64 {
        matches!(self, ProgramKind::Fragment) as u64
    }

    /// Bits 24 to 31 of the register word.
    pub(crate) const fn register_bits(self) -> u64 {
        !matches!(self, ProgramKind::Tile) as u64
    }
}

/// Local memory of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LocalUse<'l> {
    /// None.
    Nothing,
    /// Threadgroup memory of the given size in bytes.
    Bytes(u32),
    /// The tile of a render pass, with the number of samples per pixel.
    Tile(&'l TileLayout, u32),
}

impl LocalUse<'_> {
    /// The word that specifies it.
    ///
    /// # Errors
    /// More than the maximum.
    pub fn to_word(self) -> Result<u32, FieldError> {
        use usc_shared::*;
        const PLAIN: u64 = 0x24;
        let word = match self {
            LocalUse::Nothing => new().set(&LAYOUT, PLAIN).set(&SAMPLES, 1).set(&BYTES, NO_LOCAL_BYTES),
            LocalUse::Bytes(bytes) => {
                new().flag(&USED, true).set(&LAYOUT, PLAIN).set(&SAMPLES, 1).checked(&BYTES, bytes.into())?
            }
            LocalUse::Tile(tile, samples) => {
                let [width, height] = tile.tile_size(samples);
                let layout = match [width, height] {
                    [32, 32] => 0x2f,
                    [32, 16] => 0x3f,
                    _ => 0x36,
                };
                let stride = u64::from(tile.sample_bytes);
                new()
                    .flag(&USED, true)
                    .set(&LAYOUT, layout)
                    .checked(&SAMPLES, samples.into())?
                    .checked(&SAMPLE_STRIDE, stride)?
                    .checked(&BYTES, stride * u64::from(width * height * samples))?
            }
        };
        Ok(word.bits())
    }
}

/// A word that sets registers from memory, with an address added to its own: that is 0, or the distance to the first word of a
/// long range. The sum must be a multiple of four for uniforms, of eight for textures and samplers.
#[inline(always)]
pub const fn with_address(word: u64, address: u64) -> u64 {
    /// Position of an address's bit 0 in each of the words.
    const SHIFT: u32 = 24;
    const {
        assert!(
            usc_uniform::ADDRESS.start == SHIFT + 2
                && usc_uniform_high::ADDRESS.start == SHIFT + 2
                && usc_texture::ADDRESS.start == SHIFT + 3
                && usc_sampler::ADDRESS.start == SHIFT + 3
        );
    }
    word.wrapping_add(address << SHIFT)
}

/// The words of a shader, in insertion order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ShaderWords {
    bytes: Vec<u8>,
}

impl ShaderWords {
    /// No words.
    pub fn new() -> ShaderWords {
        ShaderWords::default()
    }

    /// Bytes of the words so far.
    pub fn byte_count(&self) -> usize {
        self.bytes.len()
    }

    fn add<const N: usize>(&mut self, word: Packed<N>) -> &mut Self {
        self.bytes.extend_from_slice(&word.bytes());
        self
    }

    /// Sets `halves` uniform half-words starting at `start` from memory, which must be aligned to four bytes.
    /// Long ranges, and those across half-word 256, take several words.
    ///
    /// # Errors
    /// A misaligned address, or a part of the range at a misaligned address.
    pub fn uniforms(&mut self, start: u16, halves: u16, address: u64) -> Result<&mut Self, FieldError> {
        let (mut start, mut left, mut address) = (start, halves, address);
        while left > 0 {
            let border = if start < HIGH_UNIFORMS { HIGH_UNIFORMS - start } else { left };
            let count = left.min(UNIFORMS_OF_WORD).min(border);
            // The two records differ only in their tags.
            use usc_uniform::*;
            let (word, first) = match start.checked_sub(HIGH_UNIFORMS) {
                Some(high) => (usc_uniform_high::new(), high),
                None => (new(), start),
            };
            let word = word.checked(&START, first.into())?.checked(&COUNT, count.into())?;
            self.add(word.checked(&ADDRESS, address)?);
            (start, left, address) = (start + count, left - count, address + 2 * u64::from(count));
        }
        Ok(self)
    }

    /// Sets texture state registers from memory: 24 bytes each.
    ///
    /// # Errors
    /// An address that is not a multiple of eight, too many registers.
    pub fn textures(&mut self, first: u32, count: u32, address: u64) -> Result<&mut Self, FieldError> {
        use usc_texture::*;
        let word = new().checked(&START, first.into())?.checked(&COUNT, count.into())?;
        Ok(self.add(word.checked(&ADDRESS, address)?))
    }

    /// Sets sampler state registers from memory: eight bytes each, or 24 with border colours.
    ///
    /// # Errors
    /// An address that is not a multiple of eight, too many registers.
    pub fn samplers(&mut self, first: u32, count: u32, address: u64) -> Result<&mut Self, FieldError> {
        use usc_sampler::*;
        let word = new().checked(&START, first.into())?.checked(&COUNT, count.into())?;
        Ok(self.add(word.checked(&ADDRESS, address)?))
    }

    /// Specifies the local memory.
    ///
    /// # Errors
    /// More than the maximum.
    pub fn local(&mut self, local: LocalUse<'_>) -> Result<&mut Self, FieldError> {
        self.bytes.extend_from_slice(&local.to_word()?.to_le_bytes());
        Ok(self)
    }

    /// Specifies the program by its first instruction, relative to the base of shaders, and its number of
    /// half registers. `stack` is the driver's code of the stack size, 0 for none.
    ///
    /// # Errors
    /// Numbers out of range.
    pub fn program(
        &mut self,
        kind: ProgramKind,
        code: u64,
        gpr_halves: u16,
        stack: u64,
    ) -> Result<&mut Self, FieldError> {
        let shader = usc_shader::new().set(&usc_shader::BITS_10_15, kind.shader_bits());
        self.add(shader.checked(&usc_shader::CODE, code)?);
        use usc_registers::*;
        let registers = new().set(&BIT_13, kind.register_bit()).set(&BITS_24_31, kind.register_bits());
        Ok(self.add(registers.checked(&COUNT, gpr_halves.into())?.checked(&SPILL, stack)?))
    }

    /// Specifies when samples of a fragment program are tested: by the program if `late_tests`, else before
    /// it. Programs of a tile have no such word.
    pub fn fragment(&mut self, late_tests: bool) -> &mut Self {
        use usc_fragment::*;
        let word = new().flag(&EARLY_TESTS, !late_tests).set(&BIT_9, 1).set(&BITS_12_15, 0xf);
        self.add(word.set(&BITS_16_23, 2))
    }

    /// Ends the words, with the address of the preamble if there is one.
    ///
    /// # Errors
    /// An address out of range.
    pub fn end(mut self, preamble: Option<u64>) -> Result<Vec<u8>, FieldError> {
        match preamble {
            Some(code) => self.add(usc_preamble::new().checked(&usc_preamble::CODE, code)?),
            None => self.add(usc_no_preamble::new()),
        };
        Ok(self.bytes)
    }
}

/// The resources of a shader: the first word of vertex and fragment shaders, of launches, and of the programs
/// of a tile.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Resources {
    /// Uniform half-words in use, including those that a preamble writes.
    pub uniform_halves: u16,
    /// Number of texture state registers: the last one in use plus one.
    pub textures: u32,
    /// Number of sampler state registers: the last one in use plus one.
    pub samplers: u32,
    /// Whether border colours follow the samplers.
    pub borders: bool,
    /// Half registers of the preamble.
    pub preamble_gpr_halves: u16,
}

impl Resources {
    /// The word.
    ///
    /// # Errors
    /// More than the hardware provides.
    pub fn to_word(self) -> Result<u32, FieldError> {
        use vertex_shader_0::*;
        let samplers = match (self.samplers.div_ceil(4), self.borders) {
            (0, _) => 0,
            (count @ 1..=4, false) => count.into(),
            (1 | 2, true) => 6,
            (3 | 4, true) => 7,
            _ => {
                return Err(FieldError {
                    field: SAMPLERS.name,
                    value: self.samplers.into(),
                    expected: "at most 16",
                });
            }
        };
        let word = new()
            .checked(&UNIFORMS, self.uniform_halves.into())?
            .checked(&TEXTURES, self.textures.into())?
            .checked(&SAMPLERS, samplers)?
            .checked(&PREAMBLE_REGISTERS, self.preamble_gpr_halves.into())?;
        Ok(word.bits())
    }
}

/// The effects of a fragment program that [`FragmentControl`] depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct FragmentEffects {
    /// It reads a render target, or leaves one as it is.
    pub reads_targets: bool,
    /// It stores to a render target.
    pub stores_targets: bool,
    /// It determines itself which samples are live, and when they are tested.
    pub late_tests: bool,
    /// It writes device memory.
    pub writes_memory: bool,
    /// Adjacent triangles may be shaded together.
    pub merges_triangles: bool,
}

/// Properties of a fragment program for the rasteriser.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct FragmentControl {
    /// It reads the tile: earlier fragments must be shaded and stored before it.
    pub reads_tile: bool,
    /// It determines itself which samples are live, and when they are tested.
    pub late_tests: bool,
    /// It has no effect except on depth and stencil, so it need not run.
    pub tag_write_disable: bool,
    /// Adjacent triangles must not be shaded together: lanes read other pixels' lanes, or memory is written.
    pub disable_tri_merging: bool,
}

impl FragmentControl {
    /// The control of a program with these effects. A program that only tests need not run, so it neither reads nor keeps
    /// pixels.
    pub fn new(effects: &FragmentEffects) -> FragmentControl {
        let FragmentEffects { reads_targets, stores_targets, late_tests, writes_memory, merges_triangles } =
            *effects;
        let only_tests = !stores_targets && !late_tests && !writes_memory;
        FragmentControl {
            reads_tile: reads_targets && !only_tests,
            late_tests,
            tag_write_disable: only_tests,
            disable_tri_merging: !merges_triangles,
        }
    }

    /// The pass type of objects with the program.
    pub fn pass(self) -> &'static str {
        match (self.reads_tile, self.late_tests) {
            (false, false) => "opaque",
            (true, false) => "translucent",
            (false, true) => "punch-through",
            (true, true) => "translucent-punch-through",
        }
    }

    /// The second word of fragment control; the first depends on the draw state.
    pub fn packed(self) -> Packed<4> {
        use fragment_control::*;
        let pass = u64::from(self.late_tests) << 1 | u64::from(self.reads_tile);
        new()
            .set(&BIT_9, 1)
            .flag(&NO_TAG_WRITE, self.tag_write_disable)
            .flag(&NO_MERGING, self.disable_tri_merging)
            .set(&PASS, pass)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Record, fragment_shader};
    use crate::tile::ColourFormat;

    fn words(add: impl Fn(&mut ShaderWords) -> Result<(), FieldError>) -> Vec<u8> {
        let mut words = ShaderWords::new();
        add(&mut words).expect("fits");
        words.bytes
    }

    fn text(record: &Record, bytes: &[u8]) -> String {
        assert_eq!(record.complaints(bytes), Vec::<String>::new());
        record.text(bytes)
    }

    #[test]
    fn words_match_those_of_the_production_driver() {
        // From Mesa 26.1 on the device: a background program and a fragment program.
        let mut formats = [None; 8];
        formats[0] = Some(ColourFormat::Rgba8Unorm);
        let tile = TileLayout::new(&formats, 1);
        let local = words(|words| words.local(LocalUse::Tile(&tile, 1)).map(drop));
        let expected = "shared word USED LAYOUT=32x32 SAMPLES=1 SAMPLE_STRIDE=0x8 BYTES=8192";
        assert_eq!(text(&usc_shared::RECORD, &local), expected);
        let none = words(|words| words.local(LocalUse::Nothing).map(drop));
        let expected = "shared word LAYOUT=vertex-or-compute SAMPLES=1 BYTES=65536";
        assert_eq!(text(&usc_shared::RECORD, &none), expected);
        let program = words(|words| words.program(ProgramKind::Fragment, 0xfff8_0000, 24, 0).map(drop));
        let (shader, registers) = program.split_at(usc_shader::RECORD.bytes);
        assert_eq!(text(&usc_shader::RECORD, shader), "shader word BITS_10_15=0x2 CODE=0xfff80000");
        let expected = "register word COUNT=24 BIT_13=0x1 BITS_24_31=0x1";
        assert_eq!(text(&usc_registers::RECORD, registers), expected);
        let fragment = words(|words| {
            words.fragment(false);
            Ok(())
        });
        let expected = "fragment word EARLY_TESTS BIT_9=0x1 BITS_12_15=0xf BITS_16_23=0x2";
        assert_eq!(text(&usc_fragment::RECORD, &fragment), expected);
        let tile = words(|words| words.program(ProgramKind::Tile, 0xfffb_c000, 8, 0).map(drop));
        assert_eq!(text(&usc_registers::RECORD, &tile[6..]), "register word COUNT=8");
    }

    #[test]
    fn long_ranges_of_uniforms_take_several_words() {
        let bytes = words(|words| words.uniforms(200, 130, 0x1_0000_0000).map(drop));
        let found: Vec<(u64, u64, u64, u64)> = bytes
            .chunks(8)
            .map(|word| {
                use usc_uniform::*;
                (TAG.get(word), START.get(word), COUNT.get(word), ADDRESS.get(word))
            })
            .collect();
        let expected =
            [(0x1d, 200, 56, 0x1_0000_0000), (0x3d, 0, 64, 0x1_0000_0070), (0x3d, 64, 10, 0x1_0000_00f0)];
        assert_eq!(found, expected);
        assert!(ShaderWords::new().uniforms(0, 4, 2).is_err(), "not aligned");
    }

    #[test]
    fn addresses_are_entered_into_words() {
        let at = |address| {
            words(|words| {
                words.uniforms(200, 130, address)?.textures(3, 1, 2 * address)?.samplers(
                    4,
                    1,
                    2 * address,
                )?;
                Ok(())
            })
        };
        let (known, none) = (at(0x12_3456_789c), at(0));
        let known = known.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
        for ((at, word), known) in (0..).zip(none.as_chunks::<8>().0).zip(known) {
            let factor = if at < 3 { 1 } else { 2 };
            assert_eq!(with_address(u64::from_le_bytes(*word), factor * 0x12_3456_789c), known, "{at}");
        }
    }

    #[test]
    fn words_end_with_or_without_a_preamble() {
        assert_eq!(ShaderWords::new().end(None), Ok(vec![0x88, 0]));
        let preamble = ShaderWords::new().end(Some(0x1234)).expect("fits");
        assert_eq!(preamble, [0x38, 0x00, 0x80, 0xc0, 0x34, 0x12, 0, 0]);
    }

    #[test]
    fn resources_are_those_of_the_production_driver() {
        // BACKGROUND_RESOURCES of a clear, and of a load with a sampler.
        let clear = Resources { uniform_halves: 12, ..Resources::default() };
        assert_eq!(clear.to_word(), Ok(0x1012));
        let load = Resources { textures: 1, samplers: 1, ..Resources::default() };
        assert_eq!(load.to_word(), Ok(0x1212));
        assert!(Resources { samplers: 17, ..Resources::default() }.to_word().is_err());
        assert!(Resources { uniform_halves: 513, ..Resources::default() }.to_word().is_err());
        let large = Resources {
            uniform_halves: 512,
            textures: 20,
            samplers: 9,
            borders: true,
            preamble_gpr_halves: 256,
        };
        let bytes = large.to_word().expect("fits").to_le_bytes();
        use fragment_shader::*;
        assert_eq!(
            [UNIFORMS.get(&bytes), TEXTURES.get(&bytes), PREAMBLE_REGISTERS.get(&bytes)],
            [512, 24, 256]
        );
        assert_eq!(SAMPLERS.text(&bytes), "16-with-border");
    }

    #[test]
    fn control_names_the_pass() {
        let control = FragmentControl { reads_tile: true, ..FragmentControl::default() };
        let bytes = control.packed().bytes();
        assert_eq!(
            text(&fragment_control::RECORD, &bytes),
            "fragment control BIT_9=0x1 VISIBILITY=none PASS=translucent"
        );
        let kills = FragmentControl { late_tests: true, disable_tri_merging: true, ..control };
        assert_eq!(kills.pass(), "translucent-punch-through");
        assert!(fragment_control::NO_MERGING.is_set(&kills.packed().bytes()));
    }
}
