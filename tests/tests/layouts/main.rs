//! Shaders with a pipeline layout: descriptors in memory, read by the program, compared with descriptors that the
//! driver binds.

mod images;
mod robust;
mod updated;

use agx_abi::pipeline::{
    BindingAccess, BindingLayout, DescriptorForm, DescriptorParts, PipelineLayout, SetLayout,
};
use agx_abi::{Stage, Target, UniformSource};
use agx_compiler::{CompileError, CompileKey, CompiledShader, Compiler, ErrorKind, Input, Scratch};
use agx_emulator::launch::textures::{
    Dimension, Format, SamplerResource, SamplerState, Shape, TextureResource,
};
use agx_tests::driver::{Resources, launch_with, storage_buffer};

/// Every kind of descriptor of a WGSL compute shader.
const EVERY_KIND: &str = "
struct Numbers { factor: vec4f, list: array<vec4u, 4> }
@group(0) @binding(2) var<uniform> numbers: Numbers;
@group(0) @binding(5) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;
@group(1) @binding(0) var picture: texture_2d<f32>;
@group(1) @binding(4) var filter_1: sampler;
@group(1) @binding(2) var image: texture_storage_2d<rgba8unorm, write>;
@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    let texel = textureLoad(picture, vec2u(i % 4u, i / 4u), 0);
    let sample = textureSampleLevel(picture, filter_1, vec2f(f32(i) / 8.0, 0.5), 0.0);
    let size = textureDimensions(picture);
    if (numbers.list[i % 4u].x > 1u) {
        textureStore(image, vec2u(i % 4u, i / 4u), texel.bgra);
    }
    result[4u * i] = source[i] * numbers.list[i % 4u].y + u32(sample.x * 255.0);
    result[4u * i + 1u] = arrayLength(&source) + (arrayLength(&result) << 8u);
    result[4u * i + 2u] = size.x + (size.y << 8u);
    result[4u * i + 3u] = bitcast<u32>(numbers.factor.y + texel.x);
}";

/// The resources of the shader with every kind.
struct Bound {
    buffers: Vec<agx_emulator::launch::BufferBinding>,
    textures: Vec<TextureResource>,
    samplers: Vec<SamplerResource>,
}

impl Bound {
    fn new() -> Bound {
        let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let mut numbers: Vec<u32> = [1.5_f32, 2.5, 3.5, 4.5].map(f32::to_bits).to_vec();
        numbers.extend((0..16).map(|at| at % 5));
        let texels = |seed: u8, writable| {
            let bytes = (0..64).map(|at: u8| at.wrapping_mul(seed)).collect();
            storage_buffer(1, if writable { 2 } else { 0 }, bytes, writable)
        };
        let shape = Shape::new(Dimension::Plane, Format::RGBA8, [4, 4, 1]);
        Bound {
            buffers: vec![
                storage_buffer(0, 2, words(&numbers), false),
                storage_buffer(0, 5, words(&(0..8).map(|at| 100 + 3 * at).collect::<Vec<_>>()), false),
                storage_buffer(0, 1, vec![0xee; 4 * 32], true),
            ],
            textures: vec![
                TextureResource { buffer: texels(3, false), shape, storage: false },
                TextureResource { buffer: texels(0, true), shape, storage: true },
            ],
            samplers: vec![SamplerResource {
                set: 1,
                binding: 4,
                element: 0,
                state: SamplerState { linear: [true; 2], ..SamplerState::default() },
            }],
        }
    }

    /// Runs the shader; returns the contents of buffers and images.
    fn run(mut self, shader: &CompiledShader) -> Vec<Vec<u8>> {
        let resources = Resources {
            buffers: &mut self.buffers,
            textures: &mut self.textures,
            samplers: &self.samplers,
            push_constants: &[],
        };
        launch_with(shader, resources, [1; 3], 3).unwrap_or_else(|outcome| panic!("{outcome:?}"));
        let textures = self.textures.into_iter().map(|texture| texture.buffer);
        self.buffers.into_iter().chain(textures).map(|buffer| buffer.bytes).collect()
    }
}

/// All bindings of [`EVERY_KIND`] in memory.
fn in_memory() -> PipelineLayout {
    PipelineLayout {
        sets: vec![
            SetLayout::of_descriptors(0, [(1, 1), (2, 1), (5, 1)]),
            SetLayout::of_descriptors(1, [(0, 1), (2, 1), (4, 1)]),
        ],
    }
}

fn compile(text: &str, layout: Option<PipelineLayout>) -> Result<CompiledShader, CompileError> {
    let mut key = CompileKey::default();
    (key.validate, key.stage, key.layout) = (true, Some(Stage::Compute), layout);
    Compiler::new(Target::default()).compile(&mut Scratch::default(), Input::wgsl(text), &key)
}

fn compiled(text: &str, layout: Option<PipelineLayout>) -> CompiledShader {
    compile(text, layout).unwrap_or_else(|error| panic!("{error}"))
}

fn sources(shader: &CompiledShader) -> Vec<UniformSource> {
    shader.info.uniforms.iter().map(|range| range.source).collect()
}

#[test]
fn descriptors_in_memory_give_what_bound_ones_give() {
    let bound = compiled(EVERY_KIND, None);
    let memory = compiled(EVERY_KIND, Some(in_memory()));
    assert_eq!(Bound::new().run(&bound), Bound::new().run(&memory));
    assert_eq!((bound.info.textures.len(), bound.info.layout), (2, None));
    // Only the sampler of loads remains in a state register.
    assert_eq!((memory.info.textures.len(), memory.info.samplers.len()), (0, 1));
    let expected = [0, 1].map(|set| UniformSource::SetAddress { set });
    let set_dependent = |source: &UniformSource| !matches!(source, UniformSource::Promoted { .. });
    let found: Vec<UniformSource> = sources(&memory).into_iter().filter(set_dependent).collect();
    assert_eq!(found, expected);
}

#[test]
fn bindings_that_are_constant_are_bound_in_registers() {
    let mut layout = in_memory();
    for binding in layout.sets.iter_mut().flat_map(|set| &mut set.bindings) {
        *binding = binding.constant();
    }
    let (constant, bound) = (compiled(EVERY_KIND, Some(layout.clone())), compiled(EVERY_KIND, None));
    assert_eq!((&constant.parts, sources(&constant)), (&bound.parts, sources(&bound)));
    // One of the buffers, and the texture.
    for (set, binding) in [(0, 2), (1, 0)] {
        let places =
            layout.sets.iter_mut().filter(|known| known.set == set).flat_map(|known| &mut known.bindings);
        places
            .filter(|known| known.binding == binding)
            .for_each(|known| known.access = BindingAccess::Memory);
    }
    let mixed = compiled(EVERY_KIND, Some(layout));
    assert_eq!((mixed.info.textures.len(), mixed.info.samplers.len()), (1, 2));
    assert_eq!(Bound::new().run(&mixed), Bound::new().run(&bound));
}

#[test]
fn elements_may_share_the_place_of_their_descriptors() {
    // A mutable binding: one type at a time, all at byte 8 of an element of 40 bytes.
    let parts = DescriptorParts { buffer: 8, texture: 8, image: 8, sampler: 8 };
    let set = |set, bindings: [u32; 3]| SetLayout {
        set,
        bindings: (0..)
            .zip(bindings)
            .map(|(at, binding)| BindingLayout {
                binding,
                offset: 16 + 40 * at,
                stride: 40,
                form: DescriptorForm::Descriptors(parts),
                access: BindingAccess::PartiallyBound,
                dynamic_offset: None,
            })
            .collect(),
    };
    let layout = PipelineLayout { sets: vec![set(0, [5, 2, 1]), set(1, [4, 0, 2])] };
    let mutable = compiled(EVERY_KIND, Some(layout));
    assert_eq!(Bound::new().run(&mutable), Bound::new().run(&compiled(EVERY_KIND, None)));
}

#[test]
fn blocks_may_stand_in_the_set_itself() {
    let mut layout = in_memory();
    let numbers = layout.sets[0].bindings.iter_mut().find(|known| known.binding == 2).expect("there");
    (numbers.form, numbers.offset, numbers.stride) = (DescriptorForm::Inline, 512, 80);
    let inline = compiled(EVERY_KIND, Some(layout));
    assert_eq!(Bound::new().run(&inline), Bound::new().run(&compiled(EVERY_KIND, None)));
}

#[test]
fn what_the_preamble_can_read_is_read_once() {
    let memory = compiled(EVERY_KIND, Some(in_memory()));
    let bound = compiled(EVERY_KIND, None);
    let more = memory.stats.instructions.saturating_sub(bound.stats.instructions);
    assert!(memory.stats.preamble_instructions > bound.stats.preamble_instructions);
    // The main part still computes offsets of descriptors in the heap, and the number of the sampler.
    assert!(
        more <= 8,
        "{} instructions, {} with bound descriptors",
        memory.stats.instructions,
        bound.stats.instructions
    );
}

#[test]
fn layouts_that_do_not_fit_the_shader_are_refused() {
    let refused = |change: &dyn Fn(&mut PipelineLayout)| {
        let mut layout = in_memory();
        change(&mut layout);
        let error = compile(EVERY_KIND, Some(layout)).expect_err("refused");
        assert_eq!(error.kind(), ErrorKind::Invalid);
        error.message()
    };
    let message = refused(&|layout| layout.sets[1].bindings.retain(|known| known.binding != 4));
    assert!(message.contains("nothing at set 1, binding 4"), "{message}");
    let message = refused(&|layout| layout.sets[1].bindings[0].form = DescriptorForm::Inline);
    assert!(message.contains("the contents of a block"), "{message}");
}

#[test]
fn dynamic_offsets_are_added_to_the_address() {
    let mut layout = in_memory();
    layout.sets[0].bindings[2].dynamic_offset = Some(3);
    let shader = compiled(EVERY_KIND, Some(layout));
    assert!(sources(&shader).contains(&UniformSource::DynamicOffset { index: 3 }));
    assert_eq!(Bound::new().run(&shader), Bound::new().run(&compiled(EVERY_KIND, None)), "offset 0");
    // The launch provides offset 0: use a promoted constant as another offset. The buffer begins 8 bytes later.
    let mut moved = shader;
    let promoted = UniformSource::Promoted { offset: moved.info.promoted.len() as u32 };
    moved.info.promoted.extend(8_u32.to_le_bytes());
    let is_offset = |source: UniformSource| source == UniformSource::DynamicOffset { index: 3 };
    let mut ranges = moved.info.uniforms.iter_mut();
    ranges.find(|range| is_offset(range.source)).expect("there").source = promoted;
    let mut later = Bound::new();
    later.buffers[1].bytes.extend([0; 8]);
    let mut earlier = Bound::new();
    earlier.buffers[1].bytes = later.buffers[1].bytes[8..].to_vec();
    let bound = compiled(EVERY_KIND, None);
    // The descriptor's size is relative to the offset; the shader reads a multiple of the word.
    let results = |mut buffers: Vec<Vec<u8>>| {
        let words = buffers.swap_remove(2);
        words.chunks(16).map(|chunk| chunk[..4].to_vec()).collect::<Vec<_>>()
    };
    assert_eq!(results(later.run(&moved)), results(earlier.run(&bound)));
}
