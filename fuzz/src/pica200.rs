//! PICA200 programs: any bytes, words or text give a program or an error; a written program reads back the
//! same; every word survives a round trip; compiled code is valid.

use agx_pica200::container::Choice;
use agx_pica200::interpret::{Numbers, Run, Uniforms};
use agx_pica200::validate::validate;
use agx_pica200::{Container, Inst, Program, Shader, assemble, disasm};

use agx_compiler::Input;
use agx_compiler::internal::frontend::language::PICA200;

use crate::compile::compile;
use agx_random::Entropy;

/// Texts to mutate: programs of the format's crate.
const TEXTS: [&str; 4] = [
    include_str!("../../formats/pica200/programs/loop_of_calls_and_jumps.pica"),
    include_str!("../../formats/pica200/programs/jump_two_entries.pica"),
    include_str!("../../formats/pica200/programs/geometry_variable.pica"),
    include_str!("../../formats/pica200/programs/skinning.pica"),
];

/// Maximum number of instructions of a run.
const STEPS: usize = 2000;

/// Tests `data` as a container, as words, or as mutations of a container or a text.
pub fn pica200(data: &[u8]) {
    let mut entropy = Entropy::new(data);
    match entropy.below(4) {
        0 => {
            if let Ok(container) = Container::read(entropy.rest()) {
                exercise(&container);
            }
        }
        1 => {
            let words: Vec<u32> = entropy
                .rest()
                .chunks_exact(4)
                .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
                .collect();
            let (descriptors, code) = words.split_at(words.len().min(4));
            let program = Program::from_words(code, descriptors);
            exercise(&Container { program, shaders: vec![Shader::default()] });
        }
        2 => {
            if let Ok(container) = assemble(&changed_text(&mut entropy)) {
                exercise(&container);
            }
        }
        _ => {
            let text = TEXTS[entropy.below(TEXTS.len())];
            let container = assemble(text).expect("invariant: the programs assemble");
            let mut bytes = container.write().expect("invariant: the programs are small");
            for _ in 0..=entropy.below(6) {
                let at = entropy.below(bytes.len());
                bytes[at] = entropy.byte();
            }
            if let Ok(container) = Container::read(&bytes) {
                exercise(&container);
            }
        }
    }
}

/// A text with characters overwritten.
fn changed_text(entropy: &mut Entropy<'_>) -> String {
    let mut text: Vec<char> = TEXTS[entropy.below(TEXTS.len())].chars().collect();
    for _ in 0..=entropy.below(6) {
        let at = entropy.below(text.len());
        text[at] = char::from(entropy.byte());
    }
    text.into_iter().collect()
}

/// Tests everything that can be done with a container.
fn exercise(container: &Container) {
    for word in &container.program.code {
        assert!(Inst::decode(*word).is_none_or(|inst| inst.encode() == *word), "{word:#010x}");
    }
    for shader in &container.shaders {
        validate(&container.program, shader);
    }
    let text = disasm::disassemble(&container.program, None);
    // A text without instructions is refused.
    if !text.is_empty() {
        let again = assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(again.program, container.program, "{text}");
    }
    if let Ok(shader) = container.shader(Choice::First) {
        let mut uniforms = Uniforms::default();
        uniforms.apply(&shader.constants);
        let (inputs, numbers) = ([[1.5; 4]; 16], Numbers::default());
        let (program, stage, entry) = (&container.program, shader.stage, shader.entry);
        let run = Run { program, stage, entry, uniforms: &uniforms, inputs, numbers, limit: STEPS };
        // A program without an end is an error.
        let _outcome = run.execute();
    }
    let bytes = container.write().expect("invariant: what was read fits");
    assert_eq!(Container::read(&bytes).as_ref(), Ok(container));
    compile(Input::new(&PICA200, &bytes));
}
