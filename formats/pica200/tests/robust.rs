//! Damaged containers, words and texts give an error or a result, never a panic.

mod common;

use agx_pica200::container::Choice;
use agx_pica200::validate::validate;
use agx_pica200::{Container, Program, Shader, assemble, disasm};
use agx_random::Random;

use common::{programs, random_run};

/// Calls every function on a container.
fn exercise(container: &Container) {
    for shader in &container.shaders {
        validate(&container.program, shader);
        disasm::disassemble(&container.program, Some(shader));
    }
    if container.shader(Choice::First).is_ok() {
        // Endless loops and unknown opcodes are errors.
        let _outcome = random_run(container, 1);
    }
    if let Ok(bytes) = container.write() {
        assert_eq!(Container::read(&bytes).as_ref(), Ok(container));
    }
}

#[test]
fn every_prefix_of_a_container_is_an_error() {
    for program in programs().iter().step_by(7) {
        let bytes = program.container.write().expect("a small program");
        for length in 0..bytes.len() {
            // Padding after the last name may be missing.
            if let Ok(container) = Container::read(&bytes[..length]) {
                assert!(bytes.len() - length < 4, "{}: {length} of {}", program.name, bytes.len());
                assert_eq!(container, program.container);
            }
        }
    }
}

#[test]
fn changed_containers_do_not_panic() {
    let files: Vec<Vec<u8>> =
        programs().iter().map(|program| program.container.write().expect("a small program")).collect();
    let mut random = Random::new(7);
    let mut read = 0;
    for _ in 0..3000 {
        let mut bytes = files[random.below(files.len())].clone();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len());
            bytes[at] =
                if random.below(2) == 0 { random.next_u32() as u8 } else { bytes[at] ^ 1 << random.below(8) };
        }
        if let Ok(container) = Container::read(&bytes) {
            exercise(&container);
            read += 1;
        }
    }
    assert!(read > 1000, "{read}");
}

#[test]
fn random_words_do_not_panic() {
    let mut random = Random::new(11);
    for _ in 0..500 {
        let code: Vec<u32> = (0..random.below(40)).map(|_| random.next_u32()).collect();
        let descriptors: Vec<u32> = (0..random.below(8)).map(|_| random.next_u32()).collect();
        let program = Program::from_words(&code, &descriptors);
        let text = disasm::disassemble(&program, None);
        if text.is_empty() {
            continue;
        }
        let again = assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(again.program, program, "{text}");
        exercise(&Container { program, shaders: vec![Shader::default()] });
    }
}

#[test]
fn changed_texts_do_not_panic() {
    let texts: Vec<String> = programs().into_iter().map(|program| program.text).collect();
    let mut random = Random::new(13);
    let pieces =
        ["[", "]", ".", ",", "{", "}", "-", "@", "0x", "99999999999", "aL", "(", ":", "!", "c95", "\n"];
    let mut assembled = 0;
    for _ in 0..3000 {
        let mut text: Vec<char> = texts[random.below(texts.len())].chars().collect();
        for _ in 0..=random.below(3) {
            let at = random.below(text.len());
            let piece: Vec<char> = pieces[random.below(pieces.len())].chars().collect();
            let end = (at + random.below(6)).min(text.len());
            text.splice(at..end, piece);
        }
        let text: String = text.into_iter().collect();
        if let Ok(container) = assemble(&text) {
            exercise(&container);
            assembled += 1;
        }
    }
    assert!(assembled > 100, "{assembled}");
}

#[test]
fn the_least_offset_of_an_index_cannot_be_negated() {
    let error = assemble("mov r0, c0[a0.x--9223372036854775808]").expect_err("not a register");
    let expected =
        "line 1, column 17: unknown number `-9223372036854775808`; expected a decimal or hexadecimal integer";
    assert_eq!(error.to_string(), expected);
}
