//! Task and mesh shaders that are refused.

use super::{PRELUDE, assemble_with, with_body};
use crate::{CompileKey, Compiler, Input, Scratch};

const MODES: &str = "ExecutionMode %main 17 1 1 1\nExecutionMode %main 26 3\nExecutionMode %main 5270 1\n";
const TRIANGLES: &str = "ExecutionMode %main 5298\n";
const PAYLOADS: &str =
    "TypePointer %sent_p 5402 %uint\nVariable %sent_p %sent 5402\nVariable %sent_p %other 5402\n";

/// The code of the error of a shader of an execution model, with these variables in its interface; `None` if it compiles.
fn code(model: u32, interface: &str, modes: &str, declarations: &str, body: &str) -> Option<u16> {
    let prelude = PRELUDE
        .replace("EntryPoint 5 %main 'main'", &format!("EntryPoint {model} %main 'main' {interface}"))
        .replace("ExecutionMode %main 17 1 1 1", modes);
    let module = assemble_with(&prelude, &with_body(declarations, body));
    let key = CompileKey { validate: true, ..CompileKey::default() };
    let result = Compiler::default().compile(&mut Scratch::default(), Input::spirv(&module), &key);
    result.map_err(|error| error.code()).err()
}

#[test]
fn modes_of_mesh_shaders_are_declared() {
    let whole = format!("{MODES}{TRIANGLES}");
    let compile = |modes: &str| code(5365, "", modes, "", "SetMeshOutputsEXT #1 #1\nReturn");
    assert_eq!(compile(&whole), None);
    for (number, missing) in whole.lines().enumerate().skip(1) {
        let rest: Vec<&str> = whole.lines().filter(|line| *line != missing).collect();
        assert_eq!(compile(&rest.join("\n")), Some(1621), "without mode {number}");
    }
    assert_eq!(compile(&whole.replace(" 26 3", " 26 300")), Some(1622));
}

#[test]
fn a_shader_has_one_payload() {
    let modes = format!("{MODES}{TRIANGLES}");
    let compile = |interface: &str| code(5365, interface, &modes, PAYLOADS, "Return");
    assert_eq!(compile("%sent"), None);
    assert_eq!(compile("%sent %other"), Some(1624));
    let load = "Load %uint %x %sent\nReturn";
    assert_eq!(code(5, "%sent", "ExecutionMode %main 17 1 1 1", PAYLOADS, load), Some(1625));
}

#[test]
fn outputs_of_meshes_are_arrays() {
    let modes = format!("{MODES}{TRIANGLES}");
    let declare = |ty: &str| {
        format!(
            "Decorate %out 30 0\nTypeArray %list %float #3\nTypePointer %out_p 3 {ty}\nVariable %out_p %out 3"
        )
    };
    let compile = |ty: &str| code(5365, "%out", &modes, &declare(ty), "Return");
    assert_eq!([compile("%list"), compile("%float")], [None, Some(1627)]);
}

#[test]
fn task_shaders_end_with_what_they_emit() {
    let modes = "ExecutionMode %main 17 1 1 1";
    assert_eq!(code(5364, "", modes, "", "EmitMeshTasksEXT #1 #2 #1\n"), None);
    assert_eq!(code(5, "", modes, "", "EmitMeshTasksEXT #1 #2 #1\n"), Some(1626));
    assert_eq!(code(5364, "", modes, "", "SetMeshOutputsEXT #1 #1\nReturn"), Some(1620));
}
