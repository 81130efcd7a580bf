//! Broken AGAL and TGSI programs through the compiler: mutations and prefixes of every bundled program give an error
//! with a location, or valid IR and machine code; they never cause a panic or take long.
//!
//! The feature `stress` tests 100,000 mutations of each format, and every prefix. `SOAK=N` tests N mutations and every
//! prefix without it.

use std::path::Path;
use std::time::{Duration, Instant};

use agx_agal::{AssembleOptions, assemble};
use agx_compiler::{CompileError, CompileKey, Compiler, ErrorKind, Input, Language, Location, Scratch};
use agx_random::Random;
use rayon::prelude::*;

/// Number of mutations of the programs of a format.
const MUTATIONS: u64 = if cfg!(feature = "stress") { 100_000 } else { 300 };

/// One prefix in this number of bytes is tested.
const STEP: usize = if cfg!(feature = "stress") { 1 } else { 499 };

/// One mutation in this number is compiled with the validator after every pass.
const VALIDATED: u64 = if cfg!(feature = "stress") { 16 } else { 2 };

/// The number of mutations from the environment, if set.
fn soak() -> Option<u64> {
    std::env::var("SOAK").ok()?.parse().ok()
}

/// Time limit for a program of these sizes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A format under test.
struct Format {
    language: &'static str,
    programs: Vec<Vec<u8>>,
    /// Mutates a program; the last argument has other programs.
    mutate: fn(&mut Vec<u8>, &mut Random, &[Vec<u8>]),
    /// Whether an error of kind invalid has a location.
    says_where: fn(&CompileError) -> bool,
}

/// The files of a folder of programs.
fn files(folder: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats").join(folder).join("programs");
    let entries = std::fs::read_dir(folder).expect("a folder of programs");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("a readable file")).collect()
}

/// AGAL as byte code.
fn agal_code() -> Format {
    let assembled = |text: &Vec<u8>| {
        let text = std::str::from_utf8(text).expect("UTF-8");
        assemble(text, AssembleOptions::default()).expect("a program").write()
    };
    Format {
        language: "agal",
        programs: files("agal").iter().map(assembled).collect(),
        mutate: mutate_code,
        says_where: says_token,
    }
}

/// AGAL as assembler text.
fn agal_text() -> Format {
    Format { language: "agal", programs: files("agal"), mutate: mutate_text, says_where: says_token_or_line }
}

fn tgsi() -> Format {
    Format { language: "tgsi", programs: files("tgsi"), mutate: mutate_text, says_where: says_line }
}

/// Whether the location is the whole program, a byte of the header, or a token and its field. No bytes are an empty
/// text.
fn says_token(error: &CompileError) -> bool {
    ["token ", "byte ", "header, ", "program: ", "a program begins with", "expected instructions, found none"]
        .iter()
        .any(|begin| error.message().starts_with(begin))
}

fn says_line(error: &CompileError) -> bool {
    matches!(error.location, Location::Text { line: 1.., column: 1.. })
        || error.message().ends_with("is missing")
        || error.message().starts_with("byte ")
}

fn says_token_or_line(error: &CompileError) -> bool {
    says_line(error) || says_token(error)
}

/// Replaces bytes, flips bits, and swaps tokens.
fn mutate_code(bytes: &mut Vec<u8>, random: &mut Random, others: &[Vec<u8>]) {
    let at = random.below(bytes.len());
    match random.below(8) {
        0 => {
            let other = &others[random.below(others.len())];
            let from = other.len().saturating_sub(24 * (1 + random.below(8)));
            bytes.extend_from_slice(&other[from.max(7).min(other.len())..]);
        }
        1 => bytes.truncate(at.max(7)),
        2..=4 => bytes[at] ^= 1 << random.below(8),
        _ => bytes[at] = random.next_u64() as u8,
    }
    // Keep it byte code.
    bytes[0] = 0xa0;
}

/// Characters of texts in both formats, except for names.
const LETTERS: &[u8] = b" \n.,[]{}<>|-:;#/0123456789xyzwXYZW";

/// Replaces characters and words; moves, repeats and removes lines.
fn mutate_text(bytes: &mut Vec<u8>, random: &mut Random, others: &[Vec<u8>]) {
    if bytes.is_empty() {
        return;
    }
    let at = random.below(bytes.len());
    match random.below(8) {
        0 => bytes[at] = LETTERS[random.below(LETTERS.len())],
        1 => drop(bytes.remove(at)),
        2 | 3 => {
            let other = &others[random.below(others.len())];
            let word = part(other, random.below(other.len()), |byte| !byte.is_ascii_alphanumeric());
            let place = part(bytes, at, |byte| !byte.is_ascii_alphanumeric());
            bytes.splice(place, other[word].to_vec());
        }
        4 => {
            let line = part(bytes, at, |byte| byte == b'\n');
            bytes.drain(line);
        }
        5 => {
            let other = &others[random.below(others.len())];
            let line = other[part(other, random.below(other.len()), |byte| byte == b'\n')].to_vec();
            let place = part(bytes, at, |byte| byte == b'\n').start;
            bytes.splice(place..place, line.into_iter().chain([b'\n']));
        }
        _ => {
            let line = bytes[part(bytes, at, |byte| byte == b'\n')].to_vec();
            let place = part(bytes, random.below(bytes.len()), |byte| byte == b'\n').start;
            bytes.splice(place..place, line.into_iter().chain([b'\n']));
        }
    }
}

/// The part around `at` between terminating bytes.
fn part(bytes: &[u8], at: usize, ends: impl Fn(u8) -> bool) -> std::ops::Range<usize> {
    let start = bytes[..at].iter().rposition(|byte| ends(*byte)).map_or(0, |end| end + 1);
    let length = bytes[at..].iter().position(|byte| ends(*byte)).unwrap_or(bytes.len() - at);
    start..at + length
}

/// Compiles one input; returns whether it compiled.
fn check(format: &Format, scratch: &mut Scratch, what: &str, bytes: &[u8], validate: bool) -> bool {
    let language = Language::find(format.language).expect("a language");
    let mut key = CompileKey::default();
    key.validate = validate;
    let begun = Instant::now();
    let compile = || Compiler::default().compile(scratch, Input::new(language, bytes), &key);
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(compile));
    let shown = || String::from_utf8_lossy(bytes).into_owned();
    assert!(begun.elapsed() < PATIENCE, "{what}: {:?}\n{}", begun.elapsed(), shown());
    match result {
        Err(_) => panic!("{what}: a panic\n{bytes:?}\n{}", shown()),
        Ok(Ok(_)) => true,
        Ok(Err(error)) => {
            assert_ne!(error.kind(), ErrorKind::Internal, "{what}: {error}\n{}", shown());
            let is_told = error.kind() != ErrorKind::Invalid || (format.says_where)(&error);
            assert!(is_told, "{what}: {error} does not say where\n{}", shown());
            false
        }
    }
}

fn mutations(format: &Format) {
    let count = soak().unwrap_or(MUTATIONS);
    let compiled: u64 = (0..count)
        .into_par_iter()
        .map_init(Scratch::default, |scratch, seed| {
            let mut random = Random::new(seed);
            let mut bytes = format.programs[random.below(format.programs.len())].clone();
            for _ in 0..=random.below(3) {
                (format.mutate)(&mut bytes, &mut random, &format.programs);
            }
            let validate = seed % VALIDATED == 0;
            u64::from(check(format, scratch, &format!("mutation {seed}"), &bytes, validate))
        })
        .sum();
    // The test would be useless if all mutations, or none, were rejected.
    assert!(compiled * 20 > count && compiled < count, "{compiled} of {count} compile");
}

fn prefixes(format: &Format) {
    let step = if soak().is_some() { 1 } else { STEP };
    let of =
        |number: usize| (0..format.programs[number].len()).step_by(step).map(move |length| (number, length));
    let all: Vec<(usize, usize)> = (0..format.programs.len()).flat_map(of).collect();
    all.par_iter().for_each_init(Scratch::default, |scratch, (number, length)| {
        let bytes = &format.programs[*number][..*length];
        check(format, scratch, &format!("{length} bytes of program {number}"), bytes, false);
    });
}

#[test]
fn mutated_agal_code() {
    mutations(&agal_code());
}

#[test]
fn mutated_agal_text() {
    mutations(&agal_text());
}

#[test]
fn mutated_tgsi() {
    mutations(&tgsi());
}

#[test]
fn prefixes_of_agal_code() {
    prefixes(&agal_code());
}

#[test]
fn prefixes_of_agal_text() {
    prefixes(&agal_text());
}

#[test]
fn prefixes_of_tgsi() {
    prefixes(&tgsi());
}
