//! Values of hundreds or thousands of scalars are copied by loops, in time and code that do not depend on their size, and with
//! the results of a load of everything before a store of everything.

use agx_abi::PartRole;
use agx_compiler::{Bounds, CompileKey, CompiledShader, Input, Robustness};
use agx_tests::driver::{Resources, compile, instructions, launch_with, storage_buffer};

/// Maximum number of instructions of a program: each copy has the loads and stores of an iteration, twice where the direction
/// depends on the addresses.
const MOST_INSTRUCTIONS: usize = 1000;

/// Compiles WGSL.
fn build(text: &str, robust: bool) -> CompiledShader {
    let mut key = CompileKey::default();
    key.validate = true;
    let bounds = if robust { Bounds::Exact } else { Bounds::Unchecked };
    key.robustness = Robustness { storage: bounds, uniform: bounds, ..Robustness::default() };
    compile(Input::wgsl(text), &key).unwrap_or_else(|outcome| panic!("{outcome:?}\n{text}"))
}

/// Runs one workgroup with the given words in bindings 0, 1, … of group 0; returns what they hold afterwards.
fn run(text: &str, given: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let results = [false, true].map(|robust| {
        let shader = build(text, robust);
        let mut buffers: Vec<_> = (0..)
            .zip(given)
            .map(|(binding, words)| {
                let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                storage_buffer(0, binding, bytes, true)
            })
            .collect();
        let resources = Resources { buffers: &mut buffers, ..Resources::default() };
        launch_with(&shader, resources, [1; 3], 1).unwrap_or_else(|outcome| panic!("{outcome:?}\n{text}"));
        let code = shader.part(PartRole::Main).unwrap_or_default();
        assert!(instructions(code) < MOST_INSTRUCTIONS, "{} instructions\n{text}", instructions(code));
        let words =
            |bytes: &[u8]| bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        buffers.iter().map(|buffer| words(&buffer.bytes)).collect::<Vec<Vec<u32>>>()
    });
    let [plain, robust] = results;
    assert_eq!(plain, robust, "robust accesses change results\n{text}");
    plain
}

/// Different words.
fn words(first: u32, count: usize) -> Vec<u32> {
    (0..count as u32).map(|at| first + 3 * at).collect()
}

fn float_words(count: usize) -> Vec<u32> {
    (0..count).map(|at| (at as f32).to_bits()).collect()
}

#[test]
fn arrays_are_copied_to_locals_and_passed_by_value() {
    let text = "@group(0) @binding(0) var<storage, read_write> a: array<vec4<f32>, 1500>;
        @group(0) @binding(1) var<storage, read_write> b: array<vec4<f32>, 4>;
        fn pick(t: array<vec4<f32>, 1500>, i: u32) -> vec4<f32> {
            var copy = t;
            copy[i + 1u] = vec4<f32>(-1.0);
            return copy[i] + copy[i + 1u] + t[3];
        }
        @compute @workgroup_size(1) fn main() {
            var local = a;
            local[5] = vec4<f32>(100.0);
            b[0] = pick(local, u32(b[3].x));
            b[1] = local[u32(b[3].y)];
        }";
    let mut given = float_words(16);
    given[12..].copy_from_slice(&[4.0, 1499.0, 0.0, 0.0].map(f32::to_bits));
    let found = run(text, &[float_words(6000), given]);
    let (at, of) =
        (|vector: usize| [0, 1, 2, 3].map(|part| (4 * vector + part) as f32), |at: usize| found[1][4 * at]);
    // Vector 4, minus 1 for the one behind, and vector 3.
    let wanted: Vec<u32> =
        at(4).iter().zip(at(3)).map(|(four, three)| (four - 1.0 + three).to_bits()).collect();
    assert_eq!(found[1][..4], wanted);
    assert_eq!(found[1][4..8], at(1499).map(f32::to_bits));
    assert_eq!(of(2), 8.0_f32.to_bits());
}

#[test]
fn buffers_are_copied_to_buffers() {
    let text = "@group(0) @binding(0) var<storage, read_write> a: array<vec4<u32>, 4000>;
        @group(0) @binding(1) var<storage, read_write> b: array<vec4<u32>, 4000>;
        @compute @workgroup_size(1) fn main() { b = a; }";
    let given = words(7, 16_000);
    let found = run(text, &[given.clone(), vec![0; 16_000]]);
    assert_eq!(found, [given.clone(), given]);
}

#[test]
fn values_do_not_change_with_the_memory_that_they_were_loaded_from() {
    let text = "struct Pair { first: array<u32, 1200>, second: array<u32, 1200> }
        @group(0) @binding(0) var<storage, read_write> a: Pair;
        @compute @workgroup_size(1) fn main() {
            let old = a.second;
            a.second = a.first;
            a.first = old;
            a.first[7] = old[8] + a.second[9];
        }";
    let given = words(1, 2400);
    let found = run(text, std::slice::from_ref(&given));
    let (first, second) = given.split_at(1200);
    let mut wanted = [second, first].concat();
    wanted[7] = second[8] + first[9];
    assert_eq!(found, [wanted]);
}

/// Words of a structure with padding after each column and at its end.
const ELEMENT_WORDS: usize = 24;

#[test]
fn arrays_of_structures_with_padding_are_copied() {
    let text = "struct Inner { k: array<vec2<u32>, 5>, z: u32 }
        struct Element { p: vec3<u32>, q: u32, m: mat2x3<f32>, i: Inner }
        struct All { n: u32, list: array<Element, 40> }
        @group(0) @binding(0) var<storage, read_write> a: All;
        @group(0) @binding(1) var<storage, read_write> b: All;
        @compute @workgroup_size(1) fn main() {
            var local = a;
            local.list[local.n].i.k[local.n] = vec2<u32>(5u, 6u);
            b = local;
            b.n = local.list[39].i.z;
        }";
    // p and q: 4 words; m: two columns of 4; i: 5 pairs, z and padding: 12.
    let is_padding = |word: usize| matches!(word, 7 | 11 | 23);
    let size = ELEMENT_WORDS;
    let mut given = words(1000, 4 + 40 * size);
    given[0] = 3;
    let found = run(text, &[given.clone(), vec![0; 4 + 40 * size]]);
    let mut wanted = vec![0; 4 + 40 * size];
    wanted[0] = given[4 + 39 * size + 12 + 10];
    for element in 0..40 {
        for word in (0..size).filter(|word| !is_padding(*word)) {
            wanted[4 + element * size + word] = given[4 + element * size + word];
        }
    }
    wanted[4 + 3 * size + 12 + 6..][..2].copy_from_slice(&[5, 6]);
    assert_eq!(found[1], wanted);
}

#[test]
fn workgroup_memory_and_private_variables_are_copied() {
    let text = "var<workgroup> shared_words: array<u32, 1000>;
        var<private> own: array<u32, 1000>;
        @group(0) @binding(0) var<storage, read_write> a: array<u32, 1000>;
        @group(0) @binding(1) var<storage, read_write> b: array<u32, 1000>;
        @compute @workgroup_size(1) fn main() {
            shared_words = a;
            workgroupBarrier();
            shared_words[a[1]] = 1u;
            own = shared_words;
            own[a[2]] = 2u;
            b = own;
        }";
    let mut given = words(50, 1000);
    (given[1], given[2]) = (998, 999);
    let found = run(text, &[given.clone(), vec![0; 1000]]);
    (given[998], given[999]) = (1, 2);
    assert_eq!(found[1], given);
}

#[test]
fn locals_begin_with_zeros_and_are_returned() {
    let text = "@group(0) @binding(0) var<storage, read_write> a: array<u32, 4>;
        @group(0) @binding(1) var<storage, read_write> b: array<u32, 1333>;
        fn some(at: u32) -> array<u32, 1333> {
            var result: array<u32, 1333>;
            result[at] = 7u;
            return result;
        }
        fn more(given: array<u32, 1333>, at: u32) -> array<u32, 1333> {
            var result = given;
            result[at] += 9u;
            if at > 1300u { return given; }
            return result;
        }
        @compute @workgroup_size(1) fn main() {
            var sum = some(a[0]);
            for (var at = 1u; at < 4u; at++) { sum = more(sum, a[at]); }
            b = sum;
        }";
    let found = run(text, &[vec![20, 21, 1301, 20], vec![1; 1333]]);
    let mut wanted = vec![0; 1333];
    (wanted[20], wanted[21]) = (16, 9);
    assert_eq!(found[1], wanted);
}

#[test]
fn elements_of_every_size_are_copied() {
    // Booleans take words in locals; the last elements do not fill an iteration.
    let text = "@group(0) @binding(0) var<storage, read_write> a: array<array<vec3<u32>, 7>, 61>;
        @group(0) @binding(1) var<storage, read_write> b: array<array<vec3<u32>, 7>, 61>;
        @group(0) @binding(2) var<storage, read_write> c: array<u32, 4>;
        @compute @workgroup_size(1) fn main() {
            var flags: array<bool, 1301>;
            flags[c[0]] = true;
            let copy = flags;
            flags[c[1]] = true;
            var again = copy;
            c[2] = u32(again[c[0]]) + 2u * u32(again[c[1]]) + 4u * u32(flags[c[1]]);
            b = a;
        }";
    let given = words(9, 61 * 28);
    let found = run(text, &[given.clone(), vec![0; 61 * 28], vec![1300, 5, 0, 0]]);
    assert_eq!(found[2], [1300, 5, 1 + 4, 0]);
    let wanted: Vec<u32> =
        given.iter().enumerate().map(|(at, word)| if at % 4 == 3 { 0 } else { *word }).collect();
    assert_eq!(found[1], wanted);
}

#[test]
fn calls_share_stack_memory() {
    // Each value that is passed or changed takes 18,000 bytes, and there is room for seven.
    let text = "@group(0) @binding(0) var<storage, read_write> a: array<u32, 4500>;
        @group(0) @binding(1) var<storage, read_write> b: array<u32, 8>;
        fn inner(given: array<u32, 4500>, at: u32) -> u32 {
            var own = given;
            own[at] += 1u;
            return own[at] + own[at + 1u];
        }
        fn outer(at: u32) -> u32 {
            var own: array<u32, 4500>;
            own[at] = 100u;
            return inner(own, at) + 1000u * inner(a, at);
        }
        @compute @workgroup_size(1) fn main() {
            for (var at = 0u; at < 2u; at++) { b[at] = inner(a, b[at]); }
            for (var at = 2u; at < 4u; at++) { b[at] = outer(b[at]); }
            b[4] = inner(a, b[4]);
            b[5] = outer(b[5]);
        }";
    let found = run(text, &[words(0, 4500), vec![0, 1, 2, 3, 4, 5, 6, 7]]);
    // The word at `at` is 3 · at.
    let inner = |at: u32| 3 * at + 1 + 3 * (at + 1);
    let outer = |at: u32| 101 + 1000 * inner(at);
    assert_eq!(found[1], [inner(0), inner(1), outer(2), outer(3), inner(4), outer(5), 6, 7]);
}

#[test]
fn values_of_any_size_are_copied_between_buffers() {
    let text = "@group(0) @binding(0) var<storage, read_write> a: array<vec4<u32>, 6001>;
        @group(0) @binding(1) var<storage, read_write> b: array<vec4<u32>, 6001>;
        @compute @workgroup_size(1) fn main() { b = a; }";
    let given = words(3, 24_004);
    let found = run(text, &[given.clone(), vec![0; 24_004]]);
    assert_eq!(found[1], given);
}

/// Memory operands reach the addresses of 64 buffers; the program copies those of the others to registers.
#[test]
fn many_buffers_are_read() {
    const COUNT: u32 = 80;
    let mut text = String::from("@group(0) @binding(0) var<storage, read_write> sum: array<u32, 4>;\n");
    let mut body = String::new();
    for number in 1..COUNT {
        text += &format!("@group(0) @binding({number}) var<storage, read> b{number}: array<u32, 4>;\n");
        body += &format!("sum[i] = sum[i] * 3u + b{number}[i];\n");
    }
    text += &format!(
        "@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {{\n{body}}}\n"
    );
    let given: Vec<_> = (0..COUNT).map(|number| words(7 * number, 4)).collect();
    let expected =
        |at: usize| given.iter().fold(0_u32, |sum, buffer| sum.wrapping_mul(3).wrapping_add(buffer[at]));
    assert_eq!(run(&text, &given)[0], [0, 1, 2, 3].map(expected));
}
