//! Prefixes and mutations of the bundled programs give an error with its place, or a valid shader; never a
//! panic.

use crate::support::programs;
use agx_agal::{AssembleOptions, Mode, Program, assemble, disassemble};

/// Reads bytes in both modes; a program that can be read must survive the round trip through text.
fn read(bytes: &[u8]) {
    let program = match Program::read(bytes) {
        Ok(program) => program,
        Err(error) => {
            assert!(error.token().is_some() || error.to_string().contains("header"), "{error}");
            return;
        }
    };
    for mode in [Mode::Strict, Mode::Tolerant] {
        if let Err(violation) = program.check(mode) {
            assert!(violation.to_string().contains(violation.field.name()), "{violation}");
        }
    }
    let again = assemble(&disassemble(&program), AssembleOptions::default()).expect("its own text");
    assert_eq!(again.write(), bytes);
}

#[test]
fn every_prefix_is_accepted_or_rejected() {
    for (_, _, program) in programs().iter().filter(|(_, _, program)| program.tokens.len() < 40) {
        let bytes = program.write();
        (0..bytes.len()).for_each(|end| read(&bytes[..end]));
    }
}

#[test]
fn mutations_are_accepted_or_rejected() {
    let mut seed = 0x5eed_u64;
    let mut next = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize
    };
    let programs: Vec<Vec<u8>> = programs()
        .iter()
        .filter(|(_, _, program)| program.tokens.len() < 40)
        .map(|(_, _, program)| program.write())
        .collect();
    for _ in 0..4000 {
        let mut bytes = programs[next() % programs.len()].clone();
        for _ in 0..=next() % 3 {
            let at = next() % bytes.len();
            bytes[at] = if next() % 2 == 0 { next() as u8 } else { bytes[at] ^ 1 << (next() % 8) };
        }
        read(&bytes);
    }
}

#[test]
fn texts_are_assembled_or_rejected() {
    let pieces = [
        "mov ", "tex ", "ft0", "vc[", "va0", ".x", "+5]", ", ", "<2d", ">", "-1.5", "é", ".agal 1 ", "\n",
        "// ",
    ];
    let mut seed = 7_u32;
    for _ in 0..3000 {
        let mut text = String::new();
        for _ in 0..12 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            text.push_str(pieces[(seed >> 16) as usize % pieces.len()]);
        }
        if let Err(error) = assemble(&text, AssembleOptions::default()) {
            assert!(error.line >= 1 && error.column >= 1);
        }
    }
}
