//! Runs entry points of the corpus on seeded inputs: resources for all bindings of a shader, a dispatch or a draw, and
//! the comparison of the results of two compilations.

use agx_abi::textures::SamplerBinding;
use agx_abi::tile::ColourFormat;
use agx_abi::vertex_format::VertexFormat;
use agx_abi::{PartRole, ShaderInfo, Target, UniformSource};
use agx_compiler::link::{AttributeKey, FragmentState, LinkedProgram, Target as RenderTarget};
use agx_compiler::{CompileKey, CompiledShader, Compiler, Input, Scratch};
use agx_emulator::launch::textures::{
    Dimension, Format, SamplerResource, SamplerState, Shape, TextureResource,
};
use agx_emulator::launch::{AttributeData, BufferBinding, DrawLaunch, Launch};
use agx_emulator::{Framebuffer, Options, Tests};
use agx_random::Random;

use crate::driver::{outcome, stage, storage_buffer};
use crate::outcome::Outcome;
use crate::spirv_scan::{ImageVariable, Texel, images};

/// Size of every buffer in bytes.
const BUFFER_BYTES: usize = 1 << 15;
/// Texels along each side of every image.
const IMAGE_SIDE: u32 = 8;
/// Layers, cubes or depth of every image.
const IMAGE_DEPTH: u32 = 4;
/// Number of elements of every array of descriptors.
const ARRAY_ELEMENTS: u32 = 4;
/// Pixels along each side of the framebuffer.
const SCREEN: u32 = 16;
/// Vertices of a draw.
const VERTICES: u32 = 24;
/// Maximum number of instructions of a SIMD-group.
pub(crate) const MAX_STEPS: u64 = 200_000;
/// Bytes of push constants.
const PUSH_BYTES: usize = 256;

/// The distribution of seeded words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Palette {
    /// Floats from -1 to 1.
    Signed,
    /// Floats from 0.5 to 2.
    Positive,
    /// Integers from 0 to 7.
    Integers,
}

impl Palette {
    /// Every palette, in the order in which they are tried.
    pub const ALL: [Palette; 3] = [Palette::Signed, Palette::Positive, Palette::Integers];

    fn word(self, random: u32) -> u32 {
        let fraction = (random >> 8) as f32 / (1 << 24) as f32;
        match self {
            Palette::Signed => (2.0 * fraction - 1.0).to_bits(),
            Palette::Positive => (0.5 + 1.5 * fraction).to_bits(),
            Palette::Integers => random >> 29,
        }
    }

    /// `count` bytes, determined by the palette and `seed`.
    pub fn bytes(self, seed: u32, count: usize) -> Vec<u8> {
        let mut random = Random::new(seed.into());
        let words = (0..count.div_ceil(4)).map(|_| self.word(random.next_u32()));
        words.flat_map(u32::to_le_bytes).take(count).collect()
    }
}

/// The inputs and outputs of one run.
pub struct Bound {
    palette: Palette,
    /// Buffers, in the order in which they were bound.
    pub(crate) buffers: Vec<BufferBinding>,
    textures: Vec<TextureResource>,
    samplers: Vec<SamplerResource>,
    /// Bytes of the push constants.
    pub(crate) push_constants: Vec<u8>,
}

impl Bound {
    /// Only push constants.
    pub fn new(palette: Palette) -> Bound {
        let push_constants = palette.bytes(1, PUSH_BYTES);
        Bound { palette, buffers: Vec::new(), textures: Vec::new(), samplers: Vec::new(), push_constants }
    }

    /// Adds the resources of the shader of `module` that are not bound yet.
    pub fn bind(&mut self, info: &ShaderInfo, module: &[u8]) {
        let images = images(module);
        for range in &info.uniforms {
            match range.source {
                UniformSource::BufferAddress { set, binding, element }
                | UniformSource::BufferSize { set, binding, element } => self.buffer(set, binding, element),
                UniformSource::DescriptorTable { set, binding } => {
                    (0..ARRAY_ELEMENTS).for_each(|element| self.buffer(set, binding, element));
                }
                UniformSource::TextureTable { set, binding, .. }
                | UniformSource::TextureTableLow { set, binding, .. } => {
                    (0..ARRAY_ELEMENTS).for_each(|element| self.texture(&images, set, binding, element));
                }
                UniformSource::TextureWords { set, binding, element } => {
                    self.texture(&images, set, binding, element);
                }
                UniformSource::SamplerTable { set, binding }
                | UniformSource::SamplerBiasTable { set, binding } => {
                    (0..ARRAY_ELEMENTS).for_each(|element| self.sampler(set, binding, element));
                }
                _ => {}
            }
        }
        for texture in &info.textures {
            self.texture(&images, texture.set, texture.binding, texture.element);
        }
        for sampler in &info.samplers {
            if let SamplerBinding::Bound { set, binding, element }
            | SamplerBinding::Paired { set, binding, element, .. } = *sampler
            {
                self.sampler(set, binding, element);
            }
        }
    }

    fn buffer(&mut self, set: u32, binding: u32, element: u32) {
        let known =
            |buffer: &BufferBinding| (buffer.set, buffer.binding, buffer.element) == (set, binding, element);
        if !self.buffers.iter().any(known) {
            let bytes = self.palette.bytes(set << 16 | binding << 8 | element, BUFFER_BYTES);
            self.buffers.push(BufferBinding { element, ..storage_buffer(set, binding, bytes, true) });
        }
    }

    fn texture(&mut self, images: &[ImageVariable], set: u32, binding: u32, element: u32) {
        let known = |texture: &TextureResource| {
            let buffer = &texture.buffer;
            (buffer.set, buffer.binding, buffer.element) == (set, binding, element)
        };
        let image = images.iter().find(|image| (image.set, image.binding) == (set, binding));
        if self.textures.iter().any(known) {
            return;
        }
        // In a module with specialised code an image may be used without a declaration: it cannot be bound.
        let Some(image) = image else { return };
        let shape = shape(image);
        let texels = IMAGE_SIDE * IMAGE_SIDE * IMAGE_DEPTH * 6 * shape.samples;
        let bytes = self.palette.bytes(set << 16 | binding << 8 | element, texels as usize * 16);
        let buffer = BufferBinding { element, ..storage_buffer(set, binding, bytes, true) };
        self.textures.push(TextureResource { buffer, shape, storage: image.storage });
    }

    fn sampler(&mut self, set: u32, binding: u32, element: u32) {
        let known = |sampler: &SamplerResource| {
            (sampler.set, sampler.binding, sampler.element) == (set, binding, element)
        };
        if !self.samplers.iter().any(known) {
            self.samplers.push(SamplerResource { set, binding, element, state: SamplerState::default() });
        }
    }
}

/// An image of one level that suits the variable.
fn shape(image: &ImageVariable) -> Shape {
    let dimension = match (image.dim, image.arrayed, image.multisampled) {
        (0, false, _) => Dimension::Line,
        (0, true, _) => Dimension::LineArray,
        (2, ..) => Dimension::Volume,
        (3, false, _) => Dimension::Cube,
        (3, true, _) => Dimension::CubeArray,
        (5, ..) => Dimension::Buffer,
        (6, _, false) | (_, true, false) => Dimension::PlaneArray,
        (6, _, true) | (_, true, true) => Dimension::PlaneSamplesArray,
        (_, false, true) => Dimension::PlaneSamples,
        (_, false, false) => Dimension::Plane,
    };
    let whole = match image.texel {
        Texel::Float => Format::RGBA32F,
        Texel::Signed => Format::RGBA32I,
        Texel::Unsigned => Format::RGBA32UI,
    };
    // A storage image has the components of its declared format: others are undefined.
    let format = match image.components {
        1 if image.storage => Format { channels: Format::R32F.channels, ..whole },
        2 if image.storage => Format { channels: Format::RG32F.channels, ..whole },
        _ => whole,
    };
    let size = match dimension {
        Dimension::Line => [IMAGE_SIDE, 1, 1],
        Dimension::LineArray => [IMAGE_SIDE, 1, IMAGE_DEPTH],
        Dimension::Plane | Dimension::PlaneSamples | Dimension::Cube => [IMAGE_SIDE, IMAGE_SIDE, 1],
        Dimension::Buffer => [IMAGE_SIDE * IMAGE_SIDE, 1, 1],
        _ => [IMAGE_SIDE, IMAGE_SIDE, IMAGE_DEPTH],
    };
    let samples = if image.multisampled { 4 } else { 1 };
    Shape { samples, ..Shape::new(dimension, format, size) }
}

/// The results of a run, and whether it changed anything.
#[derive(Clone, PartialEq, Debug)]
pub struct Left {
    /// Words of buffers, images and framebuffer.
    pub words: Vec<u32>,
    /// Whether anything changed.
    pub changed: bool,
}

/// Dispatches one workgroup of a compute shader.
///
/// # Errors
/// The outcome that is not a pass.
pub fn dispatch(module: &[u8], shader: &CompiledShader, palette: Palette) -> Result<Left, Outcome> {
    let mut bound = Bound::new(palette);
    bound.bind(&shader.info, module);
    let before = words_of(&bound);
    let launch = Launch {
        code: shader.part(PartRole::Main).unwrap_or_default(),
        preamble: shader.part(PartRole::Preamble),
        info: &shader.info,
        buffers: &mut bound.buffers,
        textures: &mut bound.textures,
        samplers: &bound.samplers,
        push_constants: &bound.push_constants,
        arguments: &[],
        results: &mut [],
        workgroups: [1; 3],
        options: options(),
    };
    outcome(launch.run())?;
    let words = words_of(&bound);
    Ok(Left { changed: words != before, words })
}

fn options() -> Options {
    Options { strict: true, max_steps: MAX_STEPS, ..Options::default() }
}

/// Words of buffers and images.
pub(crate) fn words_of(bound: &Bound) -> Vec<u32> {
    let textures = bound.textures.iter().map(|texture| &texture.buffer);
    let buffers = bound.buffers.iter().chain(textures);
    let words = buffers.flat_map(|buffer| buffer.bytes.as_chunks::<4>().0);
    words.map(|word| u32::from_le_bytes(*word)).collect()
}

/// A vertex and a fragment module of one draw, with the key to compile both.
pub struct Pair<'m> {
    /// The vertex module.
    pub vertex: &'m [u8],
    /// The fragment module.
    pub fragment: &'m [u8],
    /// Keys of the two, entry points included.
    pub keys: [CompileKey; 2],
}

impl Pair<'_> {
    /// Compiles and links both shaders and draws triangles.
    ///
    /// # Errors
    /// The outcome that is not a pass.
    pub fn draw(&self, palette: Palette) -> Result<Left, Outcome> {
        let (compiler, mut scratch) = (Compiler::new(Target::default()), Scratch::default());
        let vertex = compiler.compile(&mut scratch, Input::spirv(self.vertex), &self.keys[0])?;
        let mut fragment = compiler.compile(&mut scratch, Input::spirv(self.fragment), &self.keys[1])?;
        let first = compiler.vertex_program(&mut scratch, &vertex, attribute, &self.keys[0])?;
        let state = state_for(&fragment);
        let second = compiler.fragment_program(&mut scratch, &fragment, &state, &self.keys[1])?;
        fragment.info = second.info(&fragment.info);
        let mut bound = Bound::new(palette);
        bound.bind(&vertex.info, self.vertex);
        bound.bind(&fragment.info, self.fragment);
        draw(&mut bound, (&vertex, &first), (&fragment, &second), state.layout().sample_bytes.into())
    }
}

/// Attributes of every type are four words that are passed unchanged.
fn attribute(location: u32) -> Option<AttributeKey> {
    let format = VertexFormat::from_name("R32G32B32A32_UINT")?;
    Some(AttributeKey { alignment: 16, ..AttributeKey::new(location, format, 16) })
}

/// A state with every target that the shader writes.
fn state_for(shader: &CompiledShader) -> FragmentState {
    let mut state = FragmentState::default();
    let written = shader.info.fragment.targets();
    for (target, place) in state.targets.iter_mut().enumerate() {
        *place = (written >> target & 1 != 0).then(|| RenderTarget::new(ColourFormat::Rgba16Sfloat));
    }
    state
}

fn draw(
    bound: &mut Bound,
    (vertex, first): (&CompiledShader, &LinkedProgram),
    (fragment, second): (&CompiledShader, &LinkedProgram),
    sample_bytes: u32,
) -> Result<Left, Outcome> {
    let mut framebuffer = Framebuffer::new(SCREEN, SCREEN, 1, sample_bytes);
    let mut words = words_of(bound);
    let before: Vec<u32> = words.drain(..).chain(pixels(&framebuffer)).collect();
    let data: Vec<Vec<u8>> =
        (0..32).map(|number| bound.palette.bytes(77 + number, 16 * VERTICES as usize)).collect();
    let attributes: Vec<AttributeData<'_>> =
        data.iter().map(|bytes| AttributeData { bytes, offset: 0, stride: 16, element_bytes: 16 }).collect();
    let vertices: Vec<u32> = (0..VERTICES).collect();
    let push_constants = std::mem::take(&mut bound.push_constants);
    let launch = DrawLaunch {
        buffers: &mut bound.buffers,
        textures: &mut bound.textures,
        samplers: &bound.samplers,
        attributes: &attributes,
        vertices: &vertices,
        tests: Tests::default(),
        late_tests: second.late_tests,
        options: options(),
        ..DrawLaunch::new(
            stage(vertex, first, &push_constants),
            stage(fragment, second, &push_constants),
            [SCREEN; 2],
        )
    };
    outcome(launch.run(&mut framebuffer))?;
    bound.push_constants = push_constants;
    let words: Vec<u32> = words_of(bound).into_iter().chain(pixels(&framebuffer)).collect();
    Ok(Left { changed: words != before, words })
}

/// Colours as words, with halves widened so that they can be compared as floats; then depths.
fn pixels(framebuffer: &Framebuffer) -> Vec<u32> {
    let [width, height] = framebuffer.size();
    let mut words = Vec::new();
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        let halves = framebuffer.colour(x, y, 0).unwrap_or_default().as_chunks::<2>().0;
        words.extend(halves.iter().map(|half| half::f16::from_le_bytes(*half).to_f32().to_bits()));
        words.extend(framebuffer.depth_stencil(x, y, 0).map(|(depth, _)| depth.to_bits()));
    }
    words
}

/// Relative difference that other roundings may cause.
const TOLERANCE: f32 = 1e-2;

/// The first word that differs by more than rounding. Words are compared as bits, then as floats.
pub fn difference(ours: &[u32], reference: &[u32]) -> Option<String> {
    if ours.len() != reference.len() {
        return Some(format!("{} words; expected {}", ours.len(), reference.len()));
    }
    let close = |a: u32, b: u32| {
        let (x, y) = (f32::from_bits(a), f32::from_bits(b));
        a == b || (x.is_nan() && y.is_nan()) || (x - y).abs() <= TOLERANCE * (1.0 + x.abs().max(y.abs()))
    };
    let at = (0..ours.len()).find(|at| !close(ours[*at], reference[*at]))?;
    let show = |word: u32| format!("{word:#010x} ({})", f32::from_bits(word));
    Some(format!("word {at}: got {}, expected {}", show(ours[at]), show(reference[at])))
}
