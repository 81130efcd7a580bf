//! The SPIR-V front end and the rest of the compiler: any bytes give code or an error, but never a panic or
//! an internal error; the code is valid.

use agx_compiler::Input;

use crate::compile::compile;
use agx_random::Entropy;

/// Modules to mutate: those in `agxc tour`.
const MODULES: [&[u8]; 2] =
    [include_bytes!("../../agxc/shaders/life.spv"), include_bytes!("../../agxc/shaders/raymarch.spv")];

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
