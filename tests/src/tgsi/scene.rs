//! The resources of a program, in a form for both the machine and the interpreter.

use std::collections::BTreeMap;

use agx_emulator::launch::BufferBinding;
use agx_emulator::launch::textures::{
    Dimension, Format, SamplerResource, SamplerState, Shape, TextureResource,
};
use agx_tgsi::{Detail, File, ReturnType, Shader, Target};

use super::Vector;
use super::directives::{Kind, Numbers};
use super::left::{Left, Place};
use crate::driver::storage_buffer;

/// Sets of resources, as in the front end.
pub const CONSTANTS: u32 = 0;
const TEXTURES: u32 = 1;
const IMAGES: u32 = 2;
/// Set of buffers.
pub const BUFFERS: u32 = 3;
/// Set of atomic counters.
pub const COUNTERS: u32 = 4;
/// Set of the buffer with the height of the render target.
const HEIGHT: u32 = 7;

/// Texels along each side of a texture, and its depth or layers.
const SIDE: u32 = 8;
const DEPTH: u32 = 4;

/// Number of texels of a texel buffer.
const BUFFER_TEXELS: u32 = 64;

/// A texture, image or texel buffer.
#[derive(Clone, Debug)]
pub struct Texture {
    /// Its kind.
    pub target: Target,
    /// Its shape for the machine.
    pub shape: Shape,
    /// Its texels in rows, then layers; samples of a texel are consecutive.
    pub texels: Vec<Vector>,
    is_image: bool,
}

/// The resources of a program.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// Buffers by set and binding; the bytes, and whether the program may write them.
    pub buffers: BTreeMap<(u32, u32), (Vec<u8>, bool)>,
    /// Textures by unit.
    pub textures: BTreeMap<u32, Texture>,
    /// Images by unit.
    pub images: BTreeMap<u32, Texture>,
    /// The size of the render target.
    pub height: f32,
}

impl Scene {
    /// Resources for all declarations of a program: those that it reads are filled with random numbers of a kind, those
    /// that it writes with zeros.
    pub fn random(shader: &Shader, kind: Kind, random: &mut Numbers, edges: bool) -> Scene {
        let mut scene = Scene { height: 8.0, ..Scene::default() };
        scene.buffers.insert((HEIGHT, 0), (8f32.to_le_bytes().to_vec(), false));
        for declaration in shader.of_file(File::Constant) {
            let bytes = 16 * (declaration.range.last as usize + 1);
            let floats = if kind == Kind::Integral { kind } else { Kind::Small };
            let words = random.words(floats, bytes / 4, false);
            let place = (CONSTANTS, declaration.dimension.unwrap_or(0));
            let known = scene.buffers.entry(place).or_default();
            if known.0.len() < bytes {
                known.0 = to_bytes(&words);
            }
        }
        for number in 0..shader.size_of(File::Buffer) {
            let contents = if number == 0 { random.words(kind, 1024, edges) } else { vec![0; 8192] };
            scene.buffers.insert((BUFFERS, number), (to_bytes(&contents), true));
        }
        if shader.size_of(File::HwAtomic) > 0 {
            scene.buffers.insert((COUNTERS, 0), (vec![0; 256], true));
        }
        scene.random_textures(shader, random);
        scene
    }

    fn random_textures(&mut self, shader: &Shader, random: &mut Numbers) {
        for unit in 0..shader.size_of(File::Sampler).max(shader.size_of(File::SamplerView)) {
            let (target, is_integer) = sampled(shader, unit);
            self.textures.insert(unit, Texture::random(target, is_integer, false, random));
        }
        for declaration in shader.of_file(File::Image) {
            let Detail::Image { target, format, .. } = &declaration.detail else { continue };
            for unit in declaration.range.first..=declaration.range.last {
                let is_integer = format.ends_with("UINT") || format.ends_with("SINT");
                let mut image = Texture::random(*target, is_integer, true, random);
                if format.starts_with("PIPE_FORMAT_R32_") {
                    image.shape.format = Format::R32UI;
                    image.shape.linear = true;
                }
                self.images.insert(unit, image);
            }
        }
    }

    /// The buffers as resources of the machine.
    pub fn bindings(&self) -> Vec<BufferBinding> {
        let binding = |((set, binding), (bytes, writable)): (&(u32, u32), &(Vec<u8>, bool))| {
            storage_buffer(*set, *binding, bytes.clone(), *writable)
        };
        self.buffers.iter().map(binding).collect()
    }

    /// The textures and images as resources of the machine.
    pub fn resources(&self) -> Vec<TextureResource> {
        let textures = self.textures.iter().map(|(unit, texture)| texture.resource(TEXTURES, *unit));
        textures.chain(self.images.iter().map(|(unit, image)| image.resource(IMAGES, *unit))).collect()
    }

    /// The samplers: nearest filters, and the comparison less-or-equal.
    pub fn samplers(&self) -> Vec<SamplerResource> {
        let state = SamplerState { compare: 0, ..SamplerState::default() };
        let sampler = |unit: &u32| SamplerResource { set: TEXTURES, binding: *unit, element: 0, state };
        self.textures.keys().map(sampler).collect()
    }

    /// Number of words in the buffers that programs may write.
    pub fn written_words(&self) -> usize {
        self.buffers
            .iter()
            .filter(|(place, _)| place.0 >= BUFFERS)
            .map(|(_, (bytes, _))| bytes.len() / 4)
            .sum()
    }

    /// Every word of buffers, then of images, in the order of `bound_words`.
    pub fn left(&self) -> Vec<Left> {
        let mut left = Vec::new();
        for ((set, binding), (bytes, _)) in &self.buffers {
            let place = |word| Place::Buffer { set: *set, binding: *binding, word };
            left.extend(words(bytes).enumerate().map(|(at, word)| Left { place: place(at), word }));
        }
        for (unit, image) in &self.images {
            let place = |word| Place::Image { unit: *unit, word };
            left.extend(words(&image.bytes()).enumerate().map(|(at, word)| Left { place: place(at), word }));
        }
        left
    }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
}

/// Every word of the buffers and images after a run of the machine.
pub fn bound_words(buffers: &[BufferBinding], textures: &[TextureResource]) -> Vec<u32> {
    let images = textures.iter().filter(|resource| resource.buffer.set == IMAGES);
    buffers.iter().chain(images.map(|image| &image.buffer)).flat_map(|buffer| words(&buffer.bytes)).collect()
}

/// The target of a texture unit, and whether its texels are integers, from its view or else from the instructions.
fn sampled(shader: &Shader, unit: u32) -> (Target, bool) {
    let view = shader.declaration(File::SamplerView, None, unit).map(|declaration| &declaration.detail);
    let (target, is_integer) = match view {
        Some(Detail::View { target, returns }) => {
            (Some(*target), matches!(returns[0], ReturnType::Uint | ReturnType::Sint))
        }
        _ => (None, false),
    };
    let named = shader.instructions.iter().find_map(|instruction| {
        let is_here = |src: &agx_tgsi::Src| src.file == File::Sampler && src.index.offset == unit as i32;
        let texture = instruction.texture.as_ref().filter(|_| instruction.srcs.iter().any(is_here))?;
        Some(texture.target).filter(|target| *target != Target::Unknown)
    });
    let compares = |instruction: &agx_tgsi::Instruction| {
        matches!(instruction.opcode, agx_tgsi::Opcode::SampleC | agx_tgsi::Opcode::SampleCLz)
    };
    let target = named.or(target).unwrap_or(Target::Two);
    let is_compared = target == Target::Two && shader.instructions.iter().any(compares);
    (if is_compared { Target::Shadow2d } else { target }, is_integer)
}

fn to_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

impl Texture {
    fn random(target: Target, is_integer: bool, is_image: bool, random: &mut Numbers) -> Texture {
        let dimension = match (target, target.is_array()) {
            (Target::Buffer, _) => Dimension::Buffer,
            (Target::TwoMs, _) => Dimension::PlaneSamples,
            (Target::TwoArrayMs, _) => Dimension::PlaneSamplesArray,
            _ if target.is_cube() && target.is_array() => Dimension::CubeArray,
            _ if target.is_cube() => Dimension::Cube,
            (_, is_array) => match (target.dimensions(), is_array) {
                (1, false) => Dimension::Line,
                (1, true) => Dimension::LineArray,
                (3, _) => Dimension::Volume,
                (_, true) => Dimension::PlaneArray,
                (_, false) => Dimension::Plane,
            },
        };
        let height = if target.dimensions() == 1 { 1 } else { SIDE };
        let is_deep = target.is_array() || target == Target::Three;
        let size = match target {
            Target::Buffer => [BUFFER_TEXELS, 1, 1],
            _ => [SIDE, height, if is_deep { DEPTH } else { 1 }],
        };
        let format = match is_integer {
            _ if target.is_shadow() => Format::R32F,
            true => Format::RGBA32UI,
            false => Format::RGBA32F,
        };
        let samples = if target.is_multisampled() { 4 } else { 1 };
        let shape = Shape { samples, ..Shape::new(dimension, format, size) };
        let faces = if target.is_cube() { 6 } else { 1 };
        let count = size.iter().product::<u32>() * faces * samples;
        let texel = |random: &mut Numbers| {
            let kind = if is_integer { Kind::Integer } else { Kind::Unit };
            let words = random.words(kind, 4, false);
            [words[0], words[1], words[2], words[3]]
        };
        let texels = (0..count).map(|_| texel(random)).collect();
        Texture { target, shape, texels, is_image }
    }

    /// Words of a texel in memory.
    fn words(&self) -> usize {
        if self.shape.format == Format::R32F || self.shape.format == Format::R32UI { 1 } else { 4 }
    }

    fn bytes(&self) -> Vec<u8> {
        let words = self.texels.iter().flat_map(|texel| texel.iter().copied().take(self.words()));
        let mut bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        if self.shape.linear {
            bytes.resize(bytes.len().next_multiple_of(128), 0);
        }
        bytes
    }

    fn resource(&self, set: u32, unit: u32) -> TextureResource {
        let buffer = storage_buffer(set, unit, self.bytes(), self.is_image);
        TextureResource { buffer, shape: self.shape, storage: self.is_image }
    }

    /// The texel at coordinates and layer, with missing components filled in; zeros outside.
    pub fn texel(&self, [x, y, z]: [i64; 3], sample: u32) -> Vector {
        let Some(at) = self.index([x, y, z], sample) else { return [0; 4] };
        self.filled(self.texels.get(at).copied().unwrap_or_default())
    }

    fn filled(&self, texel: Vector) -> Vector {
        match self.words() {
            1 if self.shape.format == Format::R32UI => [texel[0], 0, 0, 1],
            1 => [texel[0], 0, 0, 1f32.to_bits()],
            _ => texel,
        }
    }

    /// Total number of layers, slices or faces.
    pub fn layers(&self) -> i64 {
        i64::from(self.shape.size[2]) * if self.target.is_cube() { 6 } else { 1 }
    }

    /// The index of a texel.
    pub fn index(&self, [x, y, z]: [i64; 3], sample: u32) -> Option<usize> {
        let [width, height, _] = self.shape.size.map(i64::from);
        let is_inside =
            (0..width).contains(&x) && (0..height).contains(&y) && (0..self.layers()).contains(&z);
        let texel = is_inside.then(|| (z * height + y) * width + x)? as usize;
        (sample < self.shape.samples).then(|| texel * self.shape.samples as usize + sample as usize)
    }
}
