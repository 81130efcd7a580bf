//! Background and end-of-tile programs on the strict machine: resulting contents of the tile and of images.

use agx_abi::fragment::{MAX_TARGETS, TargetHeap, UNIFORMS};
use agx_abi::record::{image, texture};
use agx_abi::tile::{ColourFormat, Numeric};
use agx_abi::{PartRole, Target, UniformSource, pass};
use agx_compiler::link::{BackgroundKey, BackgroundOp, EndOfTileKey, PassTargets, ResolveMode, TileProgram};
use agx_compiler::{CompileKey, Compiler, ErrorKind, Scratch};
use agx_emulator::{
    Access, EndOfTile, Framebuffer, Memory, Options, Program, Shade, Stage, States, Tests, end_of_tile, shade,
};

/// Pixels along the sides: larger than one tile of the smallest size, and not a multiple of it.
const SIZE: [u32; 2] = [20, 18];

/// Address of the first image; each has a region of this many bytes.
const IMAGES: u64 = 0x1_0000_0000;
const REGION: u64 = 0x10_0000;

/// Formats with their channels and types in descriptors.
const FORMATS: [(ColourFormat, u64, u64); 12] = [
    (ColourFormat::Rgba8Unorm, 0x28, 0),
    (ColourFormat::Rgba8Snorm, 0x28, 1),
    (ColourFormat::Rgba8Uint, 0x28, 2),
    (ColourFormat::R8Sint, 0x00, 3),
    (ColourFormat::Rg16Unorm, 0x23, 0),
    (ColourFormat::Rgba16Sfloat, 0x32, 4),
    (ColourFormat::R32Uint, 0x21, 2),
    (ColourFormat::R32Sfloat, 0x21, 4),
    (ColourFormat::Rg32Sfloat, 0x31, 4),
    (ColourFormat::Rgba32Sint, 0x38, 3),
    (ColourFormat::A2bgr10UnormPack32, 0x26, 0),
    (ColourFormat::Bgr11UfloatPack32, 0x25, 4),
];

/// An image of a target: plain rows, then the other layers, samples of a pixel consecutive.
#[derive(Clone, Copy)]
struct Image {
    format: (ColourFormat, u64, u64),
    samples: u32,
    /// Layers of an array.
    layers: Option<u32>,
    address: u64,
}

/// The code of plain rows, which exists only in this machine.
const ROWS: u64 = 3;

impl Image {
    fn new(format: (ColourFormat, u64, u64), samples: u32, layers: Option<u32>, region: u64) -> Image {
        Image { format, samples, layers, address: IMAGES + REGION * region }
    }

    fn texel_bytes(&self) -> usize {
        self.format.0.tile_bytes().into()
    }

    fn bytes(&self) -> usize {
        (SIZE[0] * SIZE[1] * self.samples * self.layers.unwrap_or(1)) as usize * self.texel_bytes()
    }

    fn dimension(&self) -> u64 {
        match (self.layers, self.samples) {
            (None, 1) => 2,
            (Some(_), 1) => 3,
            (None, _) => 4,
            (Some(_), _) => 8,
        }
    }

    fn texture(&self) -> [u8; 24] {
        use texture::*;
        let mut bytes = [0; 24];
        let layers = u64::from(self.layers.unwrap_or(1));
        let fields = [
            (DIMENSION, self.dimension()),
            (LAYOUT, ROWS),
            (CHANNELS, self.format.1),
            (TYPE, self.format.2),
            (SWIZZLE_G, 1),
            (SWIZZLE_B, 2),
            (SWIZZLE_A, 3),
            (WIDTH, u64::from(SIZE[0]) - 1),
            (HEIGHT, u64::from(SIZE[1]) - 1),
            (SAMPLES, u64::from(self.samples > 2)),
            (ADDRESS, self.address >> 4),
            (DEPTH, layers - 1),
        ];
        fields.into_iter().for_each(|(field, value)| field.set_raw(&mut bytes, value));
        bytes
    }

    fn image(&self) -> [u8; 24] {
        use image::*;
        let mut bytes = [0; 24];
        let fields = [
            (DIMENSION, self.dimension()),
            (LAYOUT, ROWS),
            (CHANNELS, self.format.1),
            (TYPE, self.format.2),
            (SWIZZLE_G, 1),
            (SWIZZLE_B, 2),
            (SWIZZLE_A, 3),
            (WIDTH, u64::from(SIZE[0]) - 1),
            (HEIGHT, u64::from(SIZE[1]) - 1),
            (SAMPLES, u64::from(self.samples > 2)),
            (ADDRESS, self.address >> 4),
            (LAYERS, u64::from(self.layers.unwrap_or(1)) - 1),
        ];
        fields.into_iter().for_each(|(field, value)| field.set_raw(&mut bytes, value));
        bytes
    }

    /// First byte of a texel.
    fn offset(&self, [x, y, layer]: [u32; 3], sample: u32) -> usize {
        let pixel = (layer * SIZE[1] + y) * SIZE[0] + x;
        (pixel * self.samples + sample) as usize * self.texel_bytes()
    }

    /// Contents that differ between texels and are finite floats in every format.
    fn pattern(&self) -> Vec<u8> {
        (0..self.bytes()).map(|at| 0x20 + (at * 7 % 23) as u8).collect()
    }
}

fn options() -> CompileKey {
    let mut key = CompileKey::default();
    key.validate = true;
    key
}

fn compiler() -> Compiler {
    Compiler::new(Target::default())
}

fn targets(images: &[Image]) -> PassTargets {
    let mut formats = [None; MAX_TARGETS as usize];
    formats.iter_mut().zip(images).for_each(|(format, image)| *format = Some(image.format.0));
    let first = images[0];
    PassTargets { formats, samples: first.samples as u8, layered: first.layers.is_some() }
}

/// The same operation for each of the first targets.
fn all(operation: BackgroundOp, count: usize) -> [Option<BackgroundOp>; MAX_TARGETS as usize] {
    let mut operations = [None; MAX_TARGETS as usize];
    operations[..count].fill(Some(operation));
    operations
}

fn background(targets: PassTargets, operations: [Option<BackgroundOp>; MAX_TARGETS as usize]) -> TileProgram {
    let key = BackgroundKey { targets, operations };
    compiler().background_program(&mut Scratch::default(), &key, &options()).expect("compiles")
}

fn stores(targets: PassTargets, stored: u8) -> TileProgram {
    let key = EndOfTileKey { targets, stored };
    compiler().end_of_tile_program(&mut Scratch::default(), &key, &options()).expect("compiles")
}

fn memory(contents: &[(Image, Vec<u8>)]) -> Memory {
    let mut memory = Memory::new();
    for (image, bytes) in contents {
        memory.map(image.address, bytes.clone(), Access::READ | Access::WRITE).expect("free");
    }
    memory
}

/// The sampler of loads, as in docs/abi.md: coordinates in texels, border of transparent black.
fn load_sampler() -> [u8; 8] {
    use agx_abi::record::sampler::*;
    let mut bytes = [0; 8];
    [WRAP_S, WRAP_T, WRAP_R].into_iter().for_each(|wrap| wrap.set_raw(&mut bytes, 3));
    PIXELS.set_raw(&mut bytes, 1);
    bytes
}

/// Uniforms of a program: clear colours by target, and the heap.
fn uniforms(program: &TileProgram, colours: &[[u32; 4]], heap: u64) -> Vec<u16> {
    let mut uniforms = vec![0; program.shader.info.uniform_halves.into()];
    for range in &program.shader.info.uniforms {
        let words: Vec<u32> = match range.source {
            UniformSource::Interface(agx_abi::InterfaceUniform::ClearColour { target }) => {
                colours[target as usize].to_vec()
            }
            _ => vec![heap as u32, (heap >> 32) as u32],
        };
        let halves = words.iter().flat_map(|word| [*word as u16, (word >> 16) as u16]);
        let place = usize::from(range.start)..usize::from(range.start + range.halves);
        uniforms[place].iter_mut().zip(halves).for_each(|(place, half)| *place = half);
    }
    uniforms
}

/// Runs a program that fills or stores a layer; there must be no findings.
struct Run<'r> {
    program: &'r TileProgram,
    uniforms: Vec<u16>,
    textures: Vec<[u8; 24]>,
    layer: u32,
}

impl Run<'_> {
    fn run(&self, memory: &mut Memory, framebuffer: &mut Framebuffer) {
        let shader = &self.program.shader;
        let main = Program::new(shader.part(PartRole::Main).expect("a main part"));
        let preamble = shader.part(PartRole::Preamble).map(Program::new);
        let samplers = [load_sampler()];
        let stage = Stage {
            program: &main,
            preamble: preamble.as_ref(),
            uniforms: &self.uniforms,
            states: States { textures: &self.textures, samplers: &samplers, ..States::default() },
            scratch_bytes: shader.info.scratch_bytes,
        };
        let options = Options { strict: true, ..Options::default() };
        let report = match self.program.kind {
            agx_abi::DescriptorKind::Texture => shade(
                memory,
                framebuffer,
                &Shade {
                    fragment: stage,
                    rectangle: [0, 0, SIZE[0], SIZE[1]],
                    coefficients: &[],
                    depth: 0.0,
                    tests: Tests::default(),
                    late_tests: false,
                    layer: self.layer,
                    keeps_tests: true,
                    options,
                },
            ),
            agx_abi::DescriptorKind::Image => {
                end_of_tile(memory, framebuffer, &EndOfTile { stage, layer: self.layer, options })
            }
        };
        assert_eq!(report.expect("runs").findings, []);
    }
}

fn framebuffer(targets: &PassTargets) -> Framebuffer {
    let layout = targets.layout();
    let mut framebuffer =
        Framebuffer::new(SIZE[0], SIZE[1], targets.samples.into(), layout.sample_bytes.into());
    framebuffer.clear(&[0xa5; 64], 1.0, 0);
    framebuffer
}

/// Loads `source` and stores the result to `destination`, layer by layer.
fn through_the_tile(
    source: &[Image],
    destination: &[Image],
    operation: BackgroundOp,
) -> (Memory, PassTargets) {
    let pass = targets(destination);
    let count = destination.len();
    let load = background(pass, all(operation, count));
    let store = stores(pass, u8::MAX >> (8 - count));
    assert_eq!((load.bound, store.bound), (u8::MAX >> (8 - count), u8::MAX >> (8 - count)));
    let contents = source.iter().map(|image| (*image, image.pattern()));
    let blank = destination.iter().map(|image| (*image, vec![0; image.bytes()]));
    let mut memory = memory(&contents.chain(blank).collect::<Vec<_>>());
    for layer in 0..destination[0].layers.unwrap_or(1) {
        let mut framebuffer = framebuffer(&pass);
        let textures = source.iter().map(Image::texture).collect();
        Run { program: &load, uniforms: Vec::new(), textures, layer }.run(&mut memory, &mut framebuffer);
        let images = destination.iter().map(Image::image).collect();
        Run { program: &store, uniforms: Vec::new(), textures: images, layer }
            .run(&mut memory, &mut framebuffer);
    }
    (memory, pass)
}

#[test]
fn what_is_loaded_and_stored_is_the_same() {
    for (at, format) in FORMATS.into_iter().enumerate() {
        let (samples, layers) = [(1, None), (4, None), (1, Some(3)), (2, Some(2))][at % 4];
        let other = FORMATS[(at + 6) % FORMATS.len()];
        let images = |first: u64| {
            [(format, 0), (other, 1)].map(|(format, at)| Image::new(format, samples, layers, first + at))
        };
        let (source, destination) = (images(0), images(2));
        let (memory, _) = through_the_tile(&source, &destination, BackgroundOp::Load);
        for (source, destination) in source.iter().zip(&destination) {
            let found = memory.bytes(destination.address, destination.bytes()).expect("mapped");
            let name = source.format.0.desc().name;
            assert!(found == source.pattern(), "{name}, {samples} samples, layers {layers:?}");
        }
    }
}

#[test]
fn clears_give_every_sample_of_every_target_its_colour() {
    let images =
        [(0, 0), (2, 1), (5, 2), (7, 3)].map(|(format, at)| Image::new(FORMATS[format], 2, None, at));
    let pass = targets(&images);
    let clear = background(pass, all(BackgroundOp::Clear, 4));
    assert_eq!((clear.bound, clear.shader.info.samplers.len()), (0, 0));
    let float = |colour: [f32; 4]| colour.map(f32::to_bits);
    let colours = [
        float([0.0, 1.0, 0.2, 2.0]),
        [1, 2, 255, 256],
        float([0.5, -2.0, 1.0, 0.25]),
        float([1234.5, 0.0, 0.0, 0.0]),
    ];
    let mut framebuffer = framebuffer(&pass);
    let values = uniforms(&clear, &colours, 0);
    Run { program: &clear, uniforms: values, textures: Vec::new(), layer: 0 }
        .run(&mut Memory::new(), &mut framebuffer);
    let mut expected = vec![0, 255, 51, 255, 1, 2, 255, 255];
    expected.extend([0x3800_u16, 0xc000, 0x3c00, 0x3400].iter().flat_map(|half| half.to_le_bytes()));
    expected.extend(1234.5_f32.to_le_bytes());
    for (x, y, sample) in [(0, 0, 0), (SIZE[0] - 1, SIZE[1] - 1, 1), (16, 3, 0)] {
        assert_eq!(framebuffer.colour(x, y, sample).expect("inside")[..expected.len()], expected);
    }
}

/// The mean of the samples, the first one, the minimum, the maximum.
fn combined(mode: ResolveMode, samples: &[f64]) -> f64 {
    match mode {
        ResolveMode::First => samples[0],
        ResolveMode::Average => samples.iter().sum::<f64>() / samples.len() as f64,
        ResolveMode::Least => samples.iter().copied().fold(f64::INFINITY, f64::min),
        ResolveMode::Greatest => samples.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    }
}

#[test]
fn resolves_combine_the_samples_of_a_pixel() {
    let modes = [ResolveMode::First, ResolveMode::Average, ResolveMode::Least, ResolveMode::Greatest];
    for (samples, mode) in [2, 4].into_iter().flat_map(|samples| modes.map(|mode| (samples, mode))) {
        for format in [FORMATS[0], FORMATS[6]] {
            if mode == ResolveMode::Average && format.0.is_integer() {
                continue;
            }
            let layers = (samples == 2).then_some(2);
            let source = Image::new(format, samples, layers, 0);
            let destination = Image::new(format, 1, layers, 1);
            let operation = BackgroundOp::Resolve { samples: samples as u8, mode };
            let (memory, _) = through_the_tile(&[source], &[destination], operation);
            let found = memory.bytes(destination.address, destination.bytes()).expect("mapped");
            let pattern = source.pattern();
            let width = if format.0.desc().numeric == Numeric::Unorm { 1 } else { 4 };
            let number =
                |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)) as f64;
            for place in [[0, 0, 0], [19, 17, layers.unwrap_or(1) - 1], [7, 5, 0]] {
                for at in (0..source.texel_bytes()).step_by(width) {
                    let of = |sample: u32| number(&pattern[source.offset(place, sample) + at..][..width]);
                    let expected = combined(mode, &(0..samples).map(of).collect::<Vec<_>>());
                    let result = number(&found[destination.offset(place, 0) + at..][..width]);
                    assert!((result - expected).abs() <= 0.5, "{mode:?} of {samples}: {result}, {expected}");
                }
            }
        }
    }
}

#[test]
fn spilled_targets_are_cleared_in_memory_and_neither_loaded_nor_stored() {
    let wide = FORMATS[9];
    let images: Vec<Image> = (0..5).map(|at| Image::new(wide, 1, Some(2), at)).collect();
    let pass = targets(&images);
    assert_eq!(pass.layout().spilled, 0b1_0000);
    assert_eq!(stores(pass, 0b1_1111).bound, 0b1111);
    let load = background(pass, all(BackgroundOp::Load, 5));
    assert_eq!((load.bound, load.shader.info.writes_memory), (0b1111, false));
    let clear = background(pass, all(BackgroundOp::Clear, 5));
    assert!(clear.shader.info.writes_memory);
    assert_eq!(clear.shader.info.uniforms[0].source, UNIFORMS[0].source);
    let spilled = images[4];
    let heap_address = IMAGES + REGION * 8;
    let mut heap = vec![0; TargetHeap::BYTES as usize];
    heap[TargetHeap::image_offset(4) as usize..][..24].copy_from_slice(&spilled.image());
    let mut memory = memory(&[(spilled, spilled.pattern())]);
    memory.map(heap_address, heap, Access::READ).expect("free");
    let colours = [[1, 2, 3, 4], [5; 4], [6; 4], [7; 4], [8, 9, 10, 11]];
    let mut framebuffer = framebuffer(&pass);
    let values = uniforms(&clear, &colours, heap_address);
    Run { program: &clear, uniforms: values, textures: Vec::new(), layer: 1 }
        .run(&mut memory, &mut framebuffer);
    let found = memory.bytes(spilled.address, spilled.bytes()).expect("mapped");
    let second = spilled.offset([0, 0, 1], 0);
    assert_eq!(found[..second], spilled.pattern()[..second], "the other layer stays");
    let colour: Vec<u8> = [8_u32, 9, 10, 11].iter().flat_map(|word| word.to_le_bytes()).collect();
    assert!(found[second..].chunks(16).all(|texel| texel == colour));
    let first: Vec<u8> = [1_u32, 2, 3, 4].iter().flat_map(|word| word.to_le_bytes()).collect();
    assert_eq!(framebuffer.colour(3, 3, 0).expect("inside")[..16], first);
}

#[test]
fn what_a_pass_cannot_do_is_refused() {
    let pass = |samples, format| {
        let mut formats = [None; MAX_TARGETS as usize];
        formats[0] = Some(format);
        PassTargets { formats, samples, layered: false }
    };
    let refused = |targets, operation: BackgroundOp, count| {
        let key = BackgroundKey { targets, operations: all(operation, count) };
        let error = compiler().background_program(&mut Scratch::default(), &key, &options());
        let error = error.expect_err("refused");
        assert_eq!(error.kind(), ErrorKind::Invalid);
        error.message()
    };
    let resolve = |samples, mode| BackgroundOp::Resolve { samples, mode };
    let cases = [
        (pass(3, FORMATS[0].0), BackgroundOp::Clear, 1, "samples, found 3"),
        (pass(1, FORMATS[0].0), BackgroundOp::Load, 2, "no target 1"),
        (pass(4, FORMATS[0].0), resolve(4, ResolveMode::First), 1, "in a pass of 4 samples"),
        (pass(1, FORMATS[0].0), resolve(8, ResolveMode::First), 1, "of an image of 8 samples"),
        (pass(1, FORMATS[2].0), resolve(4, ResolveMode::Average), 1, "mean of R8G8B8A8_UINT"),
    ];
    for (targets, operation, count, expected) in cases {
        let message = refused(targets, operation, count);
        assert!(message.contains(expected), "{message}");
    }
    let key = EndOfTileKey { targets: pass(1, FORMATS[0].0), stored: 0b10 };
    let error = compiler().end_of_tile_program(&mut Scratch::default(), &key, &options());
    assert_eq!(error.expect_err("refused").kind(), ErrorKind::Invalid);
}

#[test]
fn programs_are_as_short_as_those_of_the_production_driver() {
    // Mesa 26.1: four moves, a store and `stop` for a clear of RGBA8; a constant, a block store and `stop` to store it.
    let pass = targets(&[Image::new(FORMATS[0], 1, None, 0)]);
    let listing = |program: &TileProgram| {
        agx_isa::disasm::listing(program.shader.part(PartRole::Main).expect("a main part"), false)
    };
    let lines = |text: &str| text.lines().filter(|line| !line.contains("trap")).count();
    let clear = listing(&background(pass, all(BackgroundOp::Clear, 1)));
    assert!(lines(&clear) <= 6, "{clear}");
    let store = listing(&stores(pass, 1));
    assert!(lines(&store) <= 4 && store.contains("imgwblk.u8norm.2d"), "{store}");
    assert_eq!(pass::state_register(3), 3);
}
