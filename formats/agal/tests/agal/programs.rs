//! The bundled programs assemble, are valid, and survive round trips through bytes and text.

use crate::support::programs;
use agx_agal::{AssembleOptions, Mode, Opcode, Program, Semantics, Shader, assemble, disassemble};

/// Programs that break rules have a marker in their name or, if long, in their first comment.
fn is_sloppy(name: &str, text: &str) -> bool {
    name.starts_with("sloppy") || text.contains("olerant mode only")
}

#[test]
fn there_are_enough_programs_and_they_reach_every_opcode() {
    let programs = programs();
    assert!(programs.len() >= 80, "{}", programs.len());
    for row in agx_agal::OPCODES {
        let uses = |program: &Program| program.tokens.iter().any(|token| token.opcode == row.opcode);
        assert!(programs.iter().any(|(_, _, program)| uses(program)), "no program uses {}", row.name);
    }
}

#[test]
fn five_programs_are_long_with_nested_blocks_and_relative_sources() {
    let nests = |shader: &Shader| {
        let step = |depth: i32, opcode: Opcode| match opcode.row().semantics {
            Semantics::If(_) => depth + 1,
            Semantics::EndIf => depth - 1,
            _ => depth,
        };
        let depths = shader.instructions.iter().scan(0, |depth, instruction| {
            *depth = step(*depth, instruction.opcode);
            Some(*depth)
        });
        depths.max().unwrap_or(0) >= 2
    };
    let long = |program: &Program| {
        let shader = program.check(Mode::Tolerant).expect("a valid program");
        program.tokens.len() > 150 && shader.interface.relative && nests(&shader)
    };
    let count = programs().iter().filter(|(_, _, program)| long(program)).count();
    assert!(count >= 5, "{count}");
}

#[test]
fn programs_are_valid() {
    for (name, text, program) in programs() {
        let strict = program.check(Mode::Strict);
        match (is_sloppy(&name, &text), strict) {
            (false, Err(violation)) => panic!("{name}: {violation}"),
            (true, Ok(_)) => panic!("{name} keeps every rule"),
            _ => {}
        }
        program.check(Mode::Tolerant).unwrap_or_else(|violation| panic!("{name}: {violation}"));
    }
}

#[test]
fn bytes_and_text_lead_back_to_the_same_bytes() {
    for (name, _, program) in programs() {
        let bytes = program.write();
        assert_eq!(Program::read(&bytes).as_ref(), Ok(&program), "{name}");
        let text = disassemble(&program);
        let again = assemble(&text, AssembleOptions::default());
        let again = again.unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        assert_eq!(again.write(), bytes, "{name}\n{text}");
    }
}

#[test]
fn version_and_stage_are_inferred() {
    for (name, text, program) in programs() {
        let bare = text.lines().skip(1).collect::<Vec<_>>().join("\n");
        let inferred = assemble(&bare, AssembleOptions::default()).expect("the text without directive");
        if !text.contains(".token") {
            assert_eq!(inferred.stage, program.stage, "{name}");
            assert!(inferred.version <= program.version, "{name}");
        }
        assert_eq!(inferred.tokens, program.tokens, "{name}");
    }
}
