//! The project's own programs: each assembles, keeps its words through container and disassembly, and ends.

mod common;

use agx_pica200::container::Choice;
use agx_pica200::validate::{Severity, validate};
use agx_pica200::{Container, Inst, Opcode, Stage, assemble, disasm};

use common::{programs, random_run};

#[test]
fn there_are_enough_programs_of_both_stages() {
    let containers: Vec<Container> = programs().into_iter().map(|program| program.container).collect();
    assert!(containers.len() >= 60, "{}", containers.len());
    let geometry =
        containers.iter().filter(|container| container.shader(Choice::Stage(Stage::Geometry)).is_ok());
    assert!(geometry.count() >= 5);
}

#[test]
fn the_programs_use_every_opcode() {
    let programs = programs();
    let words = programs.iter().flat_map(|program| &program.container.program.code);
    let mut seen: Vec<Opcode> =
        words.filter_map(|word| Inst::decode(*word)).map(|inst| inst.opcode).collect();
    seen.sort_unstable();
    seen.dedup();
    let missing: Vec<&str> = agx_pica200::opcode::OPCODES
        .iter()
        .filter(|row| !seen.contains(&row.opcode))
        .map(|row| row.name)
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn containers_round_trip() {
    for program in programs() {
        let bytes = program.container.write().expect("a small program");
        let read = Container::read(&bytes).expect("what was written");
        assert_eq!(read, program.container, "{}", program.name);
    }
}

#[test]
fn disassembly_assembles_to_the_same() {
    for program in programs() {
        let container = &program.container;
        let shader = container.shader(Choice::First).expect("a shader");
        let text = disasm::disassemble(&container.program, Some(shader));
        let again = assemble(&text).unwrap_or_else(|error| panic!("{}: {error}\n{text}", program.name));
        assert_eq!(again.program, container.program, "{}\n{text}", program.name);
        let other = again.shader(Choice::First).expect("a shader");
        assert_eq!(other, shader, "{}\n{text}", program.name);
    }
}

#[test]
fn the_validator_finds_no_errors() {
    for program in programs() {
        let shader = program.container.shader(Choice::First).expect("a shader");
        for finding in validate(&program.container.program, shader) {
            assert!(finding.severity < Severity::Error, "{}: {finding}", program.name);
        }
    }
}

#[test]
fn they_end() {
    for program in programs() {
        for seed in 0..8 {
            let outcome = random_run(&program.container, seed);
            assert!(outcome.is_ok(), "{}: {outcome:?}", program.name);
        }
    }
}

#[test]
fn older_names_of_modes_are_accepted() {
    for (name, other) in [("particle", "fixed"), ("subdivision", "variable")] {
        let rest = if name == "particle" { "c24 c0 4" } else { "c24 4" };
        let text = |mode| format!(".gsh {mode} {rest}\n.proc main\n end\n.end\n");
        assert_eq!(assemble(&text(name)), assemble(&text(other)));
        assert!(assemble(&text(name)).is_ok());
    }
}
