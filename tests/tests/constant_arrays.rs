//! Arrays that never change and are indexed dynamically come from the constant section, small ones from selections.

use agx_compiler::{CompileKey, CompiledShader, Input};
use agx_tests::driver::{compile, launch, storage_buffer};

const LANES: usize = 64;

const HEAD: &str = "
    struct Pair { key: u32, at: vec2<f32> }
    @group(0) @binding(0) var<storage, read> indices: array<u32>;
    @group(0) @binding(1) var<storage, read_write> results: array<u32>;
";

/// A constant array of `count` elements written by `element`.
fn table(name: &str, ty: &str, count: usize, element: impl Fn(usize) -> String) -> String {
    let elements: Vec<String> = (0..count).map(element).collect();
    format!("const {name} = array<{ty}, {count}>({});\n", elements.join(", "))
}

/// Compiles a body that stores the expression `value` of index `i`, and checks what every lane leaves.
fn check(tables: &str, value: &str, expected: impl Fn(usize) -> u32) -> CompiledShader {
    let text = format!(
        "{HEAD}{tables}@compute @workgroup_size({LANES}) fn main(@builtin(local_invocation_index) lane: u32) {{
            let i = indices[lane];
            results[lane] = {value};
        }}"
    );
    let mut key = CompileKey::default();
    key.validate = true;
    let shader = compile(Input::wgsl(&text), &key).expect("compiles");
    let indices: Vec<usize> = (0..LANES).map(|lane| lane * 7 % LANES).collect();
    let input = indices.iter().flat_map(|index| (*index as u32).to_le_bytes()).collect();
    let mut buffers = [storage_buffer(0, 0, input, false), storage_buffer(0, 1, vec![0; LANES * 4], true)];
    launch(&shader, &mut buffers, &[], [1; 3], 0).expect("runs");
    let results = buffers[1].bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
    for (index, result) in indices.into_iter().zip(results) {
        assert_eq!(result, expected(index), "element {index} of {value}");
    }
    shader
}

/// The section has a given number of bytes and nothing is on the stack.
fn assert_bytes(shader: &CompiledShader, bytes: usize) {
    assert_eq!((shader.info.constants.len(), shader.info.scratch_bytes), (bytes, 0));
}

#[test]
fn words_vectors_matrices_and_structures_are_read_from_the_section() {
    let words = table("words", "u32", 64, |i| format!("{}u", i * i + 3));
    assert_bytes(&check(&words, "words[i]", |i| (i * i + 3) as u32), 256);
    let vectors = table("vectors", "vec3<f32>", 64, |i| format!("vec3<f32>({i}.0, {i}.5, -{i}.25)"));
    let shader = check(&vectors, "bitcast<u32>(vectors[i].z)", |i| (-(i as f32 + 0.25)).to_bits());
    assert_bytes(&shader, 768);
    let shader = check(&vectors, "bitcast<u32>(vectors[i][i % 3u])", |i| {
        let i_float = i as f32;
        [i_float, i_float + 0.5, -i_float - 0.25][i % 3].to_bits()
    });
    assert_bytes(&shader, 768);
    let matrices = table("matrices", "mat2x2<f32>", 64, |i| format!("mat2x2<f32>({i}.0, 1.0, {i}.5, 2.0)"));
    let shader = check(&matrices, "bitcast<u32>(matrices[i][1].x)", |i| (i as f32 + 0.5).to_bits());
    assert_bytes(&shader, 1024);
    let pairs = table("pairs", "Pair", 64, |i| format!("Pair({i}u, vec2<f32>({i}.0, 9.0))"));
    let value = "pairs[i].key + u32(pairs[63u - i].at.x)";
    assert_bytes(&check(&pairs, value, |_| 63), 768);
    let truths = table("truths", "bool", 64, |i| (i % 3 == 1).to_string());
    assert_bytes(&check(&truths, "select(4u, 9u, truths[i])", |i| if i % 3 == 1 { 9 } else { 4 }), 256);
}

#[test]
fn equal_arrays_share_a_place_and_different_ones_do_not() {
    let words = table("words", "u32", 64, |i| format!("{}u", i + 1));
    let other = table("other", "u32", 64, |i| format!("{}u", i * 2));
    let shader = check(&words, "words[i] + words[63u - i]", |_| 65);
    assert_bytes(&shader, 256);
    let shader = check(&(words + &other), "words[i] + other[i]", |i| i as u32 * 3 + 1);
    assert_bytes(&shader, 512);
}

#[test]
fn few_scalars_are_selected_and_what_changes_is_on_the_stack() {
    let few = table("few", "u32", 16, |i| format!("{}u", 100 - i));
    assert_bytes(&check(&few, "few[i % 16u]", |i| 100 - i as u32 % 16), 0);
    let words = table("words", "u32", 64, |i| format!("{}u", i + 1));
    let changing =
        words + "fn changed(i: u32) -> u32 { var copy = words; copy[i] = 7u; return copy[63u - i]; }\n";
    let shader = check(&changing, "changed(i)", |i| 64 - i as u32);
    assert_eq!(shader.info.scratch_bytes, 256);
    assert!(shader.info.constants.is_empty());
}
