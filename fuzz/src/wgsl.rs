//! WGSL: a mutated text compiles or is rejected, but never with an internal error.

use agx_compiler::Input;

use crate::compile::compile;
use agx_random::Entropy;

/// Shaders to mutate.
const SEEDS: [&str; 3] = [
    include_str!("../seeds/control.wgsl"),
    include_str!("../seeds/memory.wgsl"),
    include_str!("../seeds/picture.wgsl"),
];

/// Replacements for words.
const WORDS: [&str; 32] = [
    "0",
    "1",
    "-1",
    "31u",
    "0x7fffffff",
    "1.5",
    "1e30",
    "true",
    "i32",
    "u32",
    "f32",
    "f16",
    "vec2<f32>",
    "vec4<u32>",
    "mat3x3<f32>",
    "array<f32>",
    "ptr<function, i32>",
    "+",
    "-",
    "*",
    "/",
    "%",
    "<<",
    ">>",
    "&",
    "^",
    "min",
    "clamp",
    "dot",
    "if",
    "loop",
    "return",
];

/// Compiles a text that is made from the choices in `data`.
pub fn wgsl(data: &[u8]) {
    let mut entropy = Entropy::new(data);
    match entropy.below(8) {
        0 => compile(Input::wgsl(&String::from_utf8_lossy(entropy.rest()))),
        _ => compile(Input::wgsl(&changed(&mut entropy))),
    }
}

/// A seed with words replaced, repeated or removed.
fn changed(entropy: &mut Entropy<'_>) -> String {
    let seed = SEEDS[entropy.below(SEEDS.len())];
    let mut words: Vec<&str> = seed.split_inclusive([' ', '(', ')', ',', ';', '\n']).collect();
    for _ in 0..=entropy.below(4) {
        let (at, other) = (entropy.below(words.len()), entropy.below(words.len()));
        match entropy.below(6) {
            0 => words[at] = "",
            1 => words[at] = words[other],
            2 => words.swap(at, other),
            3 => words.insert(at, " "),
            _ => words[at] = WORDS[entropy.below(WORDS.len())],
        }
    }
    words.concat()
}
