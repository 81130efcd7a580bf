//! The programs of `programs/` parse, are valid, print as they were read, and survive both binary forms;
//! truncations and random changes give a shader or an error with its place.

use std::path::PathBuf;

use agx_random::Random;
use agx_tgsi::binary::{Edition, decode, encode};
use agx_tgsi::{Generation, OPCODES, Shader, parse, print, validate};

/// Mutations of each program in `cargo test`; `make stress` runs 100,000 in all.
const MUTATIONS: usize = 8;

fn programs() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("programs");
    let mut programs: Vec<(String, String)> = std::fs::read_dir(folder)
        .expect("the folder of programs")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "tgsi"))
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).expect("a text"))
        })
        .collect();
    programs.sort();
    programs
}

fn read(name: &str, text: &str) -> Shader {
    parse(text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn programs_keep_the_rules_and_print_as_they_read() {
    let programs = programs();
    assert!(programs.len() >= 150, "{} programs", programs.len());
    for (name, text) in &programs {
        let shader = read(name, text);
        validate(&shader).unwrap_or_else(|error| panic!("{name}: {error}"));
        let printed = print(&shader);
        assert_eq!(read(name, &printed), shader, "{name}:\n{printed}");
    }
}

#[test]
fn ten_programs_are_long_and_every_opcode_is_in_one() {
    let shaders: Vec<Shader> = programs().iter().map(|(name, text)| read(name, text)).collect();
    let long = shaders.iter().filter(|shader| shader.instructions.len() > 100).count();
    assert!(long >= 10, "{long} programs of more than 100 instructions");
    let is_used =
        |opcode| shaders.iter().any(|shader| shader.instructions.iter().any(|i| i.opcode == opcode));
    let missing: Vec<&str> = OPCODES.iter().filter(|row| !is_used(row.opcode)).map(|row| row.name).collect();
    assert!(missing.is_empty(), "in no program: {missing:?}");
}

/// Whether the edition's binary form has codes for the shader's opcodes.
fn has_codes(shader: &Shader, edition: Edition) -> bool {
    shader.instructions.iter().all(|instruction| {
        let info = instruction.opcode.info();
        match edition {
            Edition::Early => info.early_code.is_some(),
            Edition::Late => info.late_code.is_some() && info.generation != Generation::First,
        }
    })
}

#[test]
fn programs_go_through_both_binary_forms() {
    for (edition, least) in [(Edition::Early, 20), (Edition::Late, 150)] {
        let mut count = 0;
        for (name, text) in programs() {
            let shader = read(&name, &text);
            let Ok(tokens) = encode(&shader, edition) else { continue };
            if !has_codes(&shader, edition) {
                continue;
            }
            count += 1;
            let again = decode(&tokens, edition).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(encode(&again, edition).as_deref(), Ok(tokens.as_slice()), "{name}");
            for length in 0..tokens.len() {
                assert!(decode(&tokens[..length], edition).is_err(), "{name}: {length} tokens");
            }
        }
        assert!(count >= least, "{edition:?}: {count} programs");
    }
}

#[test]
fn a_shader_in_tokens_is_the_same_shader() {
    let text = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION[0]\nDCL CONST[1][0..3]\nDCL TEMP[0..4], ARRAY(1)\nDCL ADDR[0]\n\
        IMM[0] INT32 {-1, 2, 3, 4}\nMAD_SAT TEMP[ADDR[0].y-2](1).xz, -|IN[0].wzyx|, CONST[1][2], IMM[0].yyyy\n\
        IF IN[0].xxxx :3\nENDIF\nMOV OUT[0], TEMP[0]\nEND";
    let shader = read("text", text);
    let tokens = encode(&shader, Edition::Late).expect("codes for everything");
    assert_eq!(decode(&tokens, Edition::Late), Ok(shader));
    // Header and processor of `p_shader_tokens.h`: two words, a body, a vertex shader.
    assert_eq!((tokens[0] & 0xff, tokens[0] >> 8, tokens[1]), (2, tokens.len() as u32 - 2, 0));
}

#[test]
fn every_prefix_is_a_shader_or_an_error() {
    for (name, text) in programs() {
        // All prefixes are tested in optimised builds, and a sample of them in others, because each is parsed
        // from its start.
        let step = if cfg!(debug_assertions) { 1 + text.len() / 16 } else { 1 };
        for end in (0..text.len()).step_by(step).filter(|end| text.is_char_boundary(*end)) {
            check(&name, &text[..end]);
        }
    }
}

/// Parses a text that may be invalid. An error must have a place inside the text.
fn check(name: &str, text: &str) {
    match parse(text) {
        Ok(shader) => {
            assert_eq!(parse(&print(&shader)).as_ref(), Ok(&shader), "{name}");
            if let Err(error) = validate(&shader) {
                assert!(error.place.line as usize <= text.lines().count() + 1, "{name}: {error}");
            }
        }
        Err(error) => {
            assert!((1..=text.lines().count() as u32 + 1).contains(&error.place.line), "{name}: {error}");
            assert!(error.place.column >= 1 && !error.expected.is_empty(), "{name}: {error}");
        }
    }
}

/// A text with a few bytes removed, repeated, exchanged or replaced by pieces of the language.
fn mutate(text: &str, random: &mut Random) -> String {
    const PIECES: [&str; 16] = [
        "[", "]", "{", "}", ",", ":", "-", "|", ".x", "TEMP[0]", "65536", "-1", "\n", "ENDIF\n", "DCL ", "0x",
    ];
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len() + 1);
        let piece = PIECES[random.below(PIECES.len())].as_bytes();
        let end = (at + random.below(12)).min(bytes.len());
        match random.below(4) {
            0 => drop(bytes.drain(at..end)),
            1 => drop(bytes.splice(at..end, piece.iter().copied())),
            2 => {
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            _ => drop(bytes.splice(at..at, piece.iter().copied())),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn mutations(each: usize) {
    let mut random = Random::new(1);
    for (name, text) in programs() {
        for _ in 0..each {
            check(&name, &mutate(&text, &mut random));
        }
    }
}

#[test]
fn mutations_are_shaders_or_errors() {
    mutations(MUTATIONS);
}

#[test]
#[cfg(not(debug_assertions))]
fn a_hundred_thousand_mutations_are_shaders_or_errors() {
    mutations(100_000usize.div_ceil(programs().len()));
}
