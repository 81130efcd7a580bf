//! Geometry programs: the banks of outputs, and texts that are geometry programs without saying so.

use agx_pica200::container::Choice;
use agx_pica200::interpret::{Numbers, Outcome, Run, Uniforms, Vector};
use agx_pica200::{Container, Stage, assemble, assemble_all};

/// Runs the first shader of a text.
fn run(text: &str, given: &[Vector]) -> Outcome {
    let container = assemble(text).expect("assembles");
    let shader = container.shader(Choice::First).expect("a shader");
    let mut inputs = [[0.0; 4]; 16];
    inputs.iter_mut().zip(given).for_each(|(slot, vector)| *slot = *vector);
    let (program, stage, uniforms) = (&container.program, shader.stage, &Uniforms::default());
    let run = Run {
        program,
        stage,
        entry: shader.entry,
        uniforms,
        inputs,
        numbers: Numbers::default(),
        limit: 1000,
    };
    run.execute().expect("ends")
}

#[test]
fn a_component_that_is_not_written_has_its_value_of_two_emits_ago() {
    let text = include_str!("../programs/geometry_banks.pica");
    let outcome = run(text, &[[1.0, 2.0, 3.0, 1.0], [10.0, 20.0, 30.0, 1.0]]);
    let [primitive] = outcome.primitives.as_slice() else { panic!("{outcome:?}") };
    let positions = primitive.vertices.map(|outputs| outputs[0]);
    assert_eq!(positions, [[1.0, 2.0, 3.0, 1.0], [10.0, 2.0, 3.0, 1.0], [1.0, 20.0, 3.0, 1.0]]);
}

#[test]
fn the_second_bank_is_zero_at_first() {
    let text = ".gsh point c0\nsetemit 0\nmov o0, v0\nemit\nsetemit 1\nemit\nsetemit 2, prim\nemit\nend\n";
    let outcome = run(text, &[[1.0, 2.0, 3.0, 4.0]]);
    let positions = outcome.primitives[0].vertices.map(|outputs| outputs[0]);
    assert_eq!(positions, [[1.0, 2.0, 3.0, 4.0], [0.0; 4], [1.0, 2.0, 3.0, 4.0]]);
}

#[test]
fn emit_has_no_effect_in_a_vertex_program() {
    let outcome = run("mov o0, v0\nemit\nmov o0.x, v1\nend\n", &[[1.0, 2.0, 3.0, 4.0], [9.0; 4]]);
    assert_eq!((outcome.outputs[0], outcome.primitives.len()), ([9.0, 2.0, 3.0, 4.0], 0));
}

/// The stages of a container's shaders.
fn stages(container: &Container) -> Vec<Stage> {
    container.shaders.iter().map(|shader| shader.stage).collect()
}

#[test]
fn setemit_makes_a_text_a_geometry_program() {
    let stage = |text: &str| stages(&assemble(text).expect("assembles"));
    assert_eq!(stage("setemit 0\nemit\nend\n"), [Stage::Geometry]);
    assert_eq!(stage("emit\nend\n"), [Stage::Vertex]);
    assert_eq!(stage(".vsh\nsetemit 0\nemit\nend\n"), [Stage::Vertex]);
    assert_eq!(stage(".gsh\nemit\nend\n"), [Stage::Geometry]);
    // Each text of a program has its own stage.
    let texts = [".proc main\n end\n.end\n", ".entry gmain\n.proc gmain\n setemit 1\n emit\n end\n.end\n"];
    let both = assemble_all(&texts).expect("assembles");
    assert_eq!(stages(&both), [Stage::Vertex, Stage::Geometry]);
}

#[test]
fn such_a_text_shares_the_uniforms_of_vertex_programs() {
    let vertex = ".fvec first, second\n.proc main\n mov o0, second\n end\n.end\n";
    let geometry = |directive: &str| {
        format!(
            "{directive}\n.fvec second\n.out - dummy o0\n.entry g\n.proc g\n setemit 0\n mov o0, second\n end\n.end\n"
        )
    };
    let second = |directive: &str| {
        let container = assemble_all(&[vertex, &geometry(directive)]).expect("assembles");
        let shader = &container.shaders[1];
        (shader.uniforms[0].first - agx_pica200::program::FLOAT_BASE, shader.merges_outputs)
    };
    assert_eq!(second(""), (1, false));
    assert_eq!(second(".gsh"), (1, false));
    assert_eq!(second(".gsh point c8"), (8, true));
}
