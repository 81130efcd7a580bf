//! Accesses outside buffers, at each level of robustness.

use agx_abi::{Stage, Target};
use agx_compiler::{Bounds, CompileKey, CompiledShader, Compiler, Input, Robustness, Scratch};
use agx_emulator::launch::BufferBinding;
use agx_tests::driver::{launch, storage_buffer};

/// `outside.comp`, compiled by `glslangValidator -V --target-env vulkan1.1`.
const ACCESSES: &[u8] = include_bytes!("outside.spv");

/// Elements of `words`, `vectors` and `counts`, and of the bound part of the block.
const ELEMENTS: u32 = 4;

/// Inside: 0, 1, 2, 3. The other elements are outside, close and far; the last one times 16 is just below 2³².
const INDICES: [u32; 8] = [0, 4, 1, 5, 2, 1000, 3, 0x0fff_ffff];

fn compile(robustness: Robustness) -> CompiledShader {
    let mut key = CompileKey::default();
    (key.validate, key.stage, key.robustness) = (true, Some(Stage::Compute), robustness);
    let compiler = Compiler::new(Target::default());
    compiler.compile(&mut Scratch::default(), Input::spirv(ACCESSES), &key).expect("compiles")
}

fn words(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

fn buffers() -> Vec<BufferBinding> {
    vec![
        storage_buffer(0, 0, words((0..4 * ELEMENTS).map(|at| 10 + at)), false),
        storage_buffer(0, 1, words(INDICES), false),
        storage_buffer(0, 2, words((0..ELEMENTS).map(|at| 30 + at)), true),
        storage_buffer(0, 3, words((0..4 * ELEMENTS).map(|at| 50 + at)), true),
        storage_buffer(0, 4, words((0..ELEMENTS).map(|at| 90 + at)), true),
        storage_buffer(0, 5, vec![0xee; 24 * 16], true),
    ]
}

fn numbers(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// The buffers after a run without findings of the machine.
fn run(robustness: Robustness) -> Vec<Vec<u32>> {
    let mut buffers = buffers();
    let outcome = launch(&compile(robustness), &mut buffers, &[], [1; 3], 1);
    outcome.unwrap_or_else(|outcome| panic!("{robustness:?}: {outcome:?}"));
    buffers.iter().map(|buffer| numbers(&buffer.bytes)).collect()
}

fn is_inside(index: u32) -> bool {
    index < ELEMENTS
}

#[test]
fn exact_loads_outside_give_zeros_and_stores_do_nothing() {
    let after = run(Robustness::all(Bounds::Exact));
    for (lane, index) in (0..).zip(INDICES) {
        let found: Vec<&[u32]> = after[5].chunks(4).skip(3 * lane as usize).take(3).collect();
        let four = |first: u32| [0, 1, 2, 3].map(|at| first + at);
        let expected = match is_inside(index) {
            true => [four(10 + 4 * index), four(50 + 4 * index), [30 + index, 90 + index, 7, 7]],
            false => [[0; 4], [0; 4], [0, 0, 7, 7]],
        };
        assert_eq!(found, expected, "lane {lane}, index {index:#x}");
    }
    // Each lane with an index inside has a separate element.
    let writers: Vec<u32> = (0..ELEMENTS)
        .map(|element| INDICES.iter().position(|index| *index == element).expect("one") as u32)
        .collect();
    assert_eq!(after[2], writers.iter().map(|lane| 100 + lane).collect::<Vec<_>>());
    assert_eq!(after[3], writers.iter().flat_map(|lane| [200 + lane; 4]).collect::<Vec<_>>());
    assert_eq!(after[4], (0..ELEMENTS).map(|at| 95 + at).collect::<Vec<_>>());
}

#[test]
fn clamped_accesses_stay_within_their_buffer() {
    let after = run(Robustness::all(Bounds::Clamped));
    for (lane, index) in (0..).zip(INDICES) {
        let found: Vec<&[u32]> = after[5].chunks(4).skip(3 * lane as usize).take(3).collect();
        if is_inside(index) {
            assert_eq!(found[0], [0, 1, 2, 3].map(|at| 10 + 4 * index + at), "lane {lane}");
        } else {
            assert_eq!(found[0], [10, 11, 12, 13], "lane {lane}: the first element");
        }
    }
}

#[test]
fn unchecked_accesses_outside_are_found() {
    let mut buffers = buffers();
    assert!(launch(&compile(Robustness::default()), &mut buffers, &[], [1; 3], 1).is_err());
    // A single kind is not sufficient.
    let storage = Robustness { storage: Bounds::Exact, ..Robustness::default() };
    assert!(launch(&compile(storage), &mut self::buffers(), &[], [1; 3], 1).is_err());
}

#[test]
fn a_null_descriptor_is_a_buffer_of_no_bytes() {
    // The driver binds 16 bytes of zeros with size 0.
    let mut shader = compile(Robustness::all(Bounds::Exact));
    let mut buffers = buffers();
    for binding in [0, 2, 3, 4] {
        buffers[binding].bytes = vec![0; 16];
    }
    // Sizes come from uniforms; the launch fills those in the list.
    let is_size = |range: &agx_abi::UniformRange| {
        matches!(range.source, agx_abi::UniformSource::BufferSize { binding: 0 | 2 | 3 | 4, .. })
    };
    assert_eq!(shader.info.uniforms.iter().filter(|range| is_size(range)).count(), 4);
    for range in shader.info.uniforms.iter_mut().filter(|range| is_size(range)) {
        // A dynamic offset is 0 in a launch.
        range.source = agx_abi::UniformSource::DynamicOffset { index: 0 };
    }
    launch(&shader, &mut buffers, &[], [1; 3], 1).unwrap_or_else(|outcome| panic!("{outcome:?}"));
    let results = numbers(&buffers[5].bytes);
    for vectors in results.chunks(12) {
        assert_eq!(vectors, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 7]);
    }
    assert!([2, 3, 4].iter().all(|binding: &usize| buffers[*binding].bytes == [0; 16]), "nothing is stored");
}
