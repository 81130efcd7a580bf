//! Broken input gives an error, never a panic: every prefix of the bundled shaders, mutations of them and of shaders
//! with textures, and mutations of real modules, none of which may take long. The feature `stress` tests ten times as
//! many; `SOAK=N` sets the number for real modules.

#![expect(clippy::print_stderr, reason = "a test says what it skips")]

mod bundled;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use agx_compiler::{CompileKey, Compiler, ErrorKind, Scratch};
use agx_random::Random;
use bundled::{Bundled, all, shaders_in};
use rayon::prelude::*;

/// Factor for the long tests.
const EFFORT: u64 = if cfg!(feature = "stress") { 10 } else { 1 };

/// Number of mutations of all shaders together.
const MUTATIONS: u64 = 1_000 * EFFORT;

/// Number of mutations of real modules.
const MODULE_MUTATIONS: u64 = 200 * EFFORT;

/// Compiles; an internal error or a panic is a defect.
fn check(what: &str, name: &str, bytes: &[u8]) {
    check_with(&CompileKey::default(), what, name, bytes);
}

/// The same with a key; returns whether it compiled.
fn check_with(key: &CompileKey, what: &str, name: &str, bytes: &[u8]) -> bool {
    let Some(input) = Bundled::input(name, bytes) else { return false };
    let compile = || Compiler::default().compile(&mut Scratch::default(), input, key);
    let keep = || {
        let path = std::env::temp_dir().join("agx-robustness-failure");
        std::fs::write(&path, bytes).map_or(String::new(), |()| format!(" (kept as {})", path.display()))
    };
    match std::panic::catch_unwind(compile) {
        Err(_) => panic!("{name}, {what}: panic{}", keep()),
        Ok(Err(error)) if error.kind() == ErrorKind::Internal => panic!("{name}, {what}: {error}{}", keep()),
        Ok(Err(error)) => {
            assert!(!error.message().is_empty(), "{name}, {what}: an error says something");
            false
        }
        Ok(Ok(_)) => true,
    }
}

#[test]
fn prefixes() {
    for shader in all() {
        // Whole words for modules, plus prefixes of odd lengths of their beginning; every byte for texts.
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
        let mut random = Random::new(seed);
        let shader = &shaders[random.below(shaders.len())];
        let mut bytes = shader.bytes.clone();
        for _ in 0..=random.below(4) {
            mutate(&mut bytes, &mut random);
        }
        check(&format!("mutation {seed}"), &shader.name, &bytes);
    });
}

/// Time limit for a mutated module: a hundred times the slowest unmodified one.
const PATIENCE: Duration = Duration::from_secs(60);

/// Modules of the corpus up to this size.
fn corpus() -> Vec<Bundled> {
    const LARGEST: usize = 40_000;
    let Some(shared) = agx_tests::shared::locate() else { return Vec::new() };
    let folders = ["saschawillems", "vulkan-samples"].map(|name| shared.join("corpus/spirv").join(name));
    let mut paths: Vec<_> = folders
        .iter()
        .filter_map(|folder| std::fs::read_dir(folder).ok())
        .flat_map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path())))
        .collect();
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let name = path.file_name()?.to_string_lossy().into_owned();
        let bytes = std::fs::read(path).ok().filter(|bytes| bytes.len() <= LARGEST)?;
        name.ends_with(".spv").then_some(Bundled { name, bytes })
    };
    paths.iter().filter_map(read).collect()
}

#[test]
fn mutations_of_real_modules() {
    let shaders = corpus();
    if shaders.is_empty() {
        eprintln!("skipped: the reference material is absent");
        return;
    }
    let number = |name: &str, otherwise: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
    };
    let first = number("SOAK_FIRST", 0);
    let count = number("SOAK", MODULE_MUTATIONS);
    let compiled = AtomicU64::new(0);
    (first..first + count).into_par_iter().for_each(|seed| {
        let mut random = Random::new(seed ^ 1 << 32);
        let shader = &shaders[random.below(shaders.len())];
        let mut bytes = shader.bytes.clone();
        for _ in 0..=random.below(3) {
            match random.below(8) {
                0 => mutate(&mut bytes, &mut random),
                _ => mutate_instruction(&mut bytes, &mut random),
            }
        }
        let start = Instant::now();
        // Every second one with the validator after each pass.
        let mut key = CompileKey::default();
        key.validate = seed % 2 == 1;
        let works = check_with(&key, &format!("mutation {seed}"), &shader.name, &bytes);
        let took = start.elapsed();
        assert!(took < PATIENCE, "{}, mutation {seed}: {took:?}", shader.name);
        compiled.fetch_add(u64::from(works), Ordering::Relaxed);
    });
    // The test would be useless if all mutations were rejected immediately.
    let compiled = compiled.into_inner();
    assert!(10 * compiled > count, "{compiled} of {count} mutated modules compile");
}

/// One change of whole instructions, or of an operand to another id, after which the module is more likely to be well
/// formed.
fn mutate_instruction(bytes: &mut Vec<u8>, random: &mut Random) {
    const HEADER: usize = 20;
    let word = |bytes: &[u8], at: usize| {
        u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
    };
    let mut starts = Vec::new();
    let mut at = HEADER;
    while at + 4 <= bytes.len() {
        let length = 4 * (word(bytes, at) >> 16) as usize;
        if length == 0 || at + length > bytes.len() {
            break;
        }
        starts.push((at, length));
        at += length;
    }
    if starts.len() < 8 {
        return;
    }
    // Most of them are annotations and types; function bodies are in the second half.
    let late = |random: &mut Random| starts[starts.len() / 2 + random.below(starts.len() - starts.len() / 2)];
    let any = |random: &mut Random| starts[random.below(starts.len())];
    let (at, length) = if random.below(4) == 0 { any(random) } else { late(random) };
    let (from, other) = if random.below(4) == 0 { any(random) } else { late(random) };
    let copy: Vec<u8> = bytes[from..from + other].to_vec();
    match random.below(12) {
        0 => drop(bytes.drain(at..at + length)),
        1 => drop(bytes.splice(at..at, copy)),
        2 => drop(bytes.splice(at..at + length, copy)),
        _ if length < 8 => {}
        3 => {
            let operand = at + 4 * (1 + random.below(length / 4 - 1));
            let id = random.below(word(bytes, 12) as usize) as u32;
            bytes[operand..operand + 4].copy_from_slice(&id.to_le_bytes());
        }
        // The operand of another instruction of the same kind is more likely to have the right type.
        _ => {
            let same = |&(other, size): &(usize, usize)| {
                other != at && size == length && word(bytes, other) == word(bytes, at)
            };
            let alike: Vec<usize> = starts.iter().copied().filter(same).map(|(other, _)| other).collect();
            if alike.is_empty() {
                return;
            }
            let (other, operand) = (alike[random.below(alike.len())], 4 * (1 + random.below(length / 4 - 1)));
            bytes.copy_within(other + operand..other + operand + 4, at + operand);
        }
    }
}

/// One change, mostly of whole words, which is more likely to get past the header.
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
        2 => bytes[at..at + 4].copy_from_slice(&(random.next_u64() as u32).to_le_bytes()),
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
