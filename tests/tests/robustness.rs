//! Broken input gives an error, never a panic: every prefix of the bundled shaders, and 10,000 mutations of them
//! and of shaders with textures.

mod bundled;

use agx_compiler::{CompileKey, Compiler, ErrorKind, Scratch};
use bundled::{Bundled, all, shaders_in};
use rayon::prelude::*;

/// Mutations of all shaders together.
const MUTATIONS: u64 = 10_000;

/// A small generator with a fixed seed (xorshift64*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// Compiles; an internal error or a panic is a defect.
fn check(what: &str, name: &str, bytes: &[u8]) {
    let Some(input) = Bundled::input(name, bytes) else { return };
    let compile = || Compiler::default().compile(&mut Scratch::default(), input, &CompileKey::default());
    match std::panic::catch_unwind(compile) {
        Err(_) => panic!("{name}, {what}: panic"),
        Ok(Err(error)) if error.kind == ErrorKind::Internal => panic!("{name}, {what}: {error}"),
        Ok(Err(error)) => assert!(!error.message.is_empty(), "{name}, {what}: an error says something"),
        Ok(Ok(_)) => {}
    }
}

#[test]
fn prefixes() {
    for shader in all() {
        // Words for modules, and their first bytes for the odd lengths; every byte for texts.
        let step = if shader.name.ends_with(".spv") { 4 } else { 1 };
        let lengths = (0..64.min(shader.bytes.len())).chain((64..shader.bytes.len()).step_by(step));
        let lengths: Vec<usize> = lengths.collect();
        lengths.par_iter().for_each(|length| {
            check(&format!("first {length} bytes"), &shader.name, &shader.bytes[..*length]);
        });
    }
}

#[test]
fn mutations() {
    let with_textures = shaders_in("tests/textures").into_iter().chain(shaders_in("tests/lavapipe/shaders"));
    let is_module = |shader: &Bundled| shader.name.ends_with(".spv");
    let is_textured = |shader: &Bundled| {
        ["texture", "texel", "image", "levels", "tables", "samples"]
            .iter()
            .any(|name| shader.name.starts_with(name))
    };
    let with_textures = with_textures.filter(is_textured);
    let modules = all().into_iter().chain(with_textures).filter(is_module);
    let shaders: Vec<Bundled> = modules.collect();
    (0..MUTATIONS).into_par_iter().for_each(|seed| {
        let mut random = Random((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let shader = &shaders[random.below(shaders.len())];
        let mut bytes = shader.bytes.clone();
        for _ in 0..=random.below(4) {
            mutate(&mut bytes, &mut random);
        }
        check(&format!("mutation {seed}"), &shader.name, &bytes);
    });
}

/// One change, mostly to whole words: these get past the header and into the front end.
fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    let words = bytes.len() / 4;
    if words < 8 {
        return;
    }
    let at = 4 * random.below(words);
    let from = 4 * random.below(words);
    let word: [u8; 4] = [bytes[from], bytes[from + 1], bytes[from + 2], bytes[from + 3]];
    match random.below(6) {
        0 => bytes[at + random.below(4)] ^= 1 << random.below(8),
        1 => bytes[at..at + 4].copy_from_slice(&word),
        2 => bytes[at..at + 4].copy_from_slice(&(random.next() as u32).to_le_bytes()),
        3 => bytes[at..at + 4].copy_from_slice(&(random.below(256) as u32).to_le_bytes()),
        4 => drop(bytes.drain(at..at + 4)),
        _ => drop(bytes.splice(at..at, word)),
    }
}

#[test]
fn byte_swapped_modules_compile_to_the_same_code() {
    for shader in all().into_iter().filter(|shader| shader.name.ends_with(".spv")) {
        let swapped: Vec<u8> =
            shader.bytes.as_chunks::<4>().0.iter().flat_map(|word| word.iter().rev().copied()).collect();
        let compile = |bytes: &[u8]| {
            let input = Bundled::input(&shader.name, bytes).expect("a module");
            Compiler::default().compile(&mut Scratch::default(), input, &CompileKey::default())
        };
        assert_eq!(compile(&swapped), compile(&shader.bytes), "{}", shader.name);
    }
}
