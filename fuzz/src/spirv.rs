//! The SPIR-V front end and the rest of the compiler: any bytes give code or an error, but never a panic or
//! an internal error; the code is valid.

use agx_compiler::Input;

use crate::compile::compile;
use agx_random::Entropy;

macro_rules! modules {
    ($($name:literal;)*) => {
        /// Modules to mutate, of all stages: bundled shaders and those of tests.
        const MODULES: &[&[u8]] = &[$(include_bytes!(concat!("../../", $name, ".spv")),)*];
    };
}

modules! {
    "agxc/shaders/life";
    "agxc/shaders/raymarch";
    "tests/tests/lavapipe/shaders/hash_rounds";
    "tests/tests/lavapipe/shaders/mediump";
    "tests/tests/lavapipe/shaders/image_access";
    "tests/tests/lavapipe/shaders/compare_select";
    "tests/tests/lavapipe/shaders/texel_fetch";
    "tests/tests/lavapipe/shaders/matrix_product";
    "tests/tests/lavapipe/shaders/texture_arrays";
    "tests/tests/lavapipe/shaders/int8";
    "tests/tests/lavapipe/shaders/int64";
    "tests/tests/lavapipe/shaders/int16";
    "tests/tests/lavapipe/shaders/struct_copies";
    "tests/tests/lavapipe/shaders/private_arrays";
    "tests/tests/lavapipe/shaders/shared_bitonic_sort";
    "tests/tests/lavapipe/shaders/extended_arithmetic";
    "tests/tests/lavapipe/shaders/mixed_widths";
    "tests/tests/lavapipe/shaders/float64";
    "tests/tests/lavapipe/shaders/subgroup_reduction";
    "tests/tests/lavapipe/shaders/texture_shadows";
    "tests/tests/lavapipe/shaders/specialization";
    "tests/tests/lavapipe/shaders/texture_gather";
    "tests/tests/lavapipe/shaders/vector_geometry";
    "tests/tests/lavapipe/shaders/pack";
    "tests/tests/lavapipe/shaders/image_atomics";
    "tests/tests/lavapipe/shaders/byte_vectors";
    "tests/tests/lavapipe/shaders/float16";
    "tests/tests/lavapipe/shaders/subgroup_quads";
    "tests/tests/lavapipe/pictures/lit.vert";
    "tests/tests/lavapipe/pictures/loops.frag";
    "tests/tests/lavapipe/pictures/calls.frag";
    "tests/tests/stages/shaders/patches.tesc";
    "tests/tests/stages/shaders/patches.tese";
    "tests/tests/stages/shaders/strips.geom";
    "tests/tests/stages/shaders/derivatives_quads.comp";
    "tests/tests/stages/shaders/feedback.vert";
    "tests/tests/stages/shaders/attributes_double.vert";
    "tests/tests/stages/shaders/shuffle_samples.frag";
}

/// Compiles `data` as a module, or as mutations of a valid module.
pub fn spirv(data: &[u8]) {
    let mut entropy = Entropy::new(data);
    match entropy.below(4) {
        0 => compile(Input::spirv(entropy.rest())),
        _ => compile(Input::spirv(&mutated(&mut entropy))),
    }
}

/// A bundled module with words overwritten, swapped, removed or cut off.
fn mutated(entropy: &mut Entropy<'_>) -> Vec<u8> {
    let module = MODULES[entropy.below(MODULES.len())];
    let mut words: Vec<[u8; 4]> =
        module.chunks_exact(4).map(|word| [word[0], word[1], word[2], word[3]]).collect();
    for _ in 0..=entropy.below(4) {
        let at = entropy.below(words.len().max(257));
        let other = entropy.below(words.len().max(257));
        if at >= words.len() || other >= words.len() {
            continue;
        }
        match entropy.below(5) {
            0 => words[at] = entropy.word().to_le_bytes(),
            // Small numbers are the ids, literals and enumerants of a module.
            1 => words[at] = u32::from(entropy.byte()).to_le_bytes(),
            2 => words.swap(at, other),
            3 => words[at] = words[other],
            _ => words.truncate(at.max(5)),
        }
    }
    words.concat()
}
