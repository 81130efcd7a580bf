//! Tests of requests and answers.

use serde_json::{Value, json};

use super::*;
use crate::demo::DEMOS;
use crate::scene::BUNDLED;

const TEXT: &str = "@group(0) @binding(0) var<storage, read_write> a: array<f32>;\n\
    @compute @workgroup_size(32) fn one(@builtin(global_invocation_id) id: vec3<u32>) {\n    a[id.x] = a[id.x] * 2.0;\n}\n\
    @compute @workgroup_size(1) fn other() { a[0] = 1.0; }\n";

fn ask(work: fn(&Files, &str) -> String, text: &str, wanted: Value) -> Value {
    let mut files = Files::default();
    files.add("a.wgsl", text.as_bytes().to_vec());
    serde_json::from_str(&work(&files, &wanted.to_string())).expect("JSON")
}

#[test]
fn an_answer_has_what_the_command_line_shows() {
    let answer = ask(compile, TEXT, json!({ "file": "a.wgsl" }));
    assert_eq!(answer["diagnostics"], json!([]), "{answer}");
    assert_eq!(answer["shader"]["info"]["entry_point"], "one", "the first of two");
    assert_eq!(answer["entry_points"][1], json!({ "name": "other", "stage": "compute" }));
    assert!(answer["html"]["assembly"].as_str().unwrap().contains("data-l=\"0:3\""));
    let other = json!({ "file": "a.wgsl", "key": { "entry_point": "other", "target": "g14x" } });
    let answer = ask(compile, TEXT, other);
    assert_eq!(
        (&answer["shader"]["info"]["entry_point"], &answer["shader"]["target"]),
        (&json!("other"), &json!("g14x"))
    );
}

#[test]
fn an_error_has_its_place() {
    let answer = ask(compile, "fn f() {\n  let x = y;\n}", json!({ "file": "a.wgsl" }));
    let found = &answer["diagnostics"][0];
    assert_eq!((&found["line"], &found["severity"]), (&json!(2), &json!("error")), "{answer}");
    assert!(answer["listing"].is_null());
    let answer = ask(compile, TEXT, json!({ "file": "a.wgsl", "key": { "colour": 1 } }));
    assert_eq!(answer["diagnostics"][0]["code"], "AGX0104", "{answer}");
    let answer = ask(compile, TEXT, json!({ "file": "b.wgsl" }));
    assert_eq!(answer["diagnostics"][0]["file"], "b.wgsl");
}

#[test]
fn the_ir_is_shown_before_and_after_a_pass() {
    let wanted = json!({ "shader": { "file": "a.wgsl" }, "step": "lower_select" });
    let answer = ask(ir, TEXT, wanted);
    let [before, after] = ["before", "after"].map(|side| answer[side].as_str().unwrap().to_owned());
    assert!(before.contains("fmul") && before != after, "{before}\n{after}");
    let answer = ask(ir, TEXT, json!({ "shader": { "file": "a.wgsl" }, "step": "no_pass" }));
    assert_eq!(answer["diagnostics"][0]["severity"], "error");
}

#[test]
fn two_versions_are_compared() {
    let (mut old, mut new) = (Files::default(), Files::default());
    old.add("a.wgsl", TEXT.as_bytes().to_vec());
    new.add("a.wgsl", TEXT.replace("* 2.0", "* 3.0 + 1.0").into_bytes());
    let shader = json!({ "file": "a.wgsl" });
    let answer = compare(&old, &new, &json!({ "before": shader, "after": shader }).to_string());
    assert!(answer.contains("class=\\\"differs\\\""), "{answer}");
}

#[test]
fn buffers_come_back_with_their_values() {
    let text = "@group(0) @binding(0) var<storage, read_write> a: array<f32>;\n\
        @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) { a[id.x] = a[id.x] * 2.0; }\n";
    let mut files = Files::default();
    files.add("a.wgsl", text.into());
    files.add("in.bin", [1.5f32, 2.0, -3.0, 0.25].iter().flat_map(|value| value.to_le_bytes()).collect());
    let wanted = |buffer: &str| {
        json!({
            "shader": { "file": "a.wgsl" }, "resources": { "buffers": [buffer] }, "shown": [["0.0", "f32"]],
        })
    };
    let done = run(&files, &wanted("0.0=file:in.bin").to_string());
    let answer: Value = serde_json::from_str(done.answer()).unwrap();
    assert_eq!(answer["buffers"][0]["text"], "3, 4, -6, 0.5\n", "{answer}");
    assert_eq!(done.bytes(0)[..4], 3.0f32.to_le_bytes());
    let done = run(&files, &wanted("0.0=file:other.bin").to_string());
    assert!(done.answer().contains("no such file") && done.bytes(0).is_empty(), "{}", done.answer());
    // The shader's buffer is absent.
    let done = run(&files, &wanted("0.7=f32:1").to_string());
    assert!(done.answer().contains("AGX0400"), "{}", done.answer());
}

#[test]
fn a_scene_has_the_size_of_the_request() {
    let bundled = BUNDLED.iter().find(|bundled| bundled.name == "plasma").unwrap();
    let mut files = Files::default();
    files.add("plasma.json", bundled.scene.into());
    let wanted = json!({ "scene": "plasma.json", "size": [8, 6] }).to_string();
    assert!(draw(&files, &wanted).answer().contains("no such file"));
    bundled.files.iter().for_each(|(name, text)| files.add(name, (*text).into()));
    let drawn = draw(&files, &wanted);
    assert_eq!(drawn.rgba().len(), 8 * 6 * 4, "{}", drawn.answer());
    assert!(drawn.rgba().chunks(4).all(|pixel| pixel[3] == 255));
}

/// Every example compiles; the scenes are drawn by their own tests.
#[test]
fn every_example_has_its_files() {
    let list: Vec<Value> = serde_json::from_str(&examples()).unwrap();
    assert_eq!(list.len(), DEMOS.len() + BUNDLED.len());
    for row in &list {
        let mut files = Files::default();
        let text = example(row["name"].as_str().unwrap(), &mut files).unwrap();
        let settings: Value = serde_json::from_str(&text).unwrap();
        let shader = json!({ "file": settings["file"], "key": settings["key"] });
        let answer = compile(&files, &shader.to_string());
        assert!(answer.contains("\"listing\""), "{row}: {answer}");
        if let Some(scene) = settings["scene"].as_str() {
            let drawn = draw(&files, &json!({ "scene": scene, "size": [4, 4] }).to_string());
            assert_eq!(drawn.rgba().len(), 64, "{row}: {}", drawn.answer());
        }
    }
    assert!(example("no such", &mut Files::default()).is_none());
}

#[test]
fn the_run_of_an_example_has_its_result() {
    let mut files = Files::default();
    let settings: Value = serde_json::from_str(&example("matmul", &mut files).unwrap()).unwrap();
    let wanted = json!({
        "shader": { "file": settings["file"], "key": settings["key"] },
        "resources": settings["resources"], "groups": settings["groups"],
    });
    let done = run(&files, &wanted.to_string());
    let mut buffers = (DEMOS.iter().find(|demo| demo.name == "matmul").unwrap().buffers)();
    buffers[2] = done.bytes(2).to_vec();
    let check = DEMOS.iter().find(|demo| demo.name == "matmul").unwrap().check;
    assert!(check(&buffers).is_ok(), "{}", done.answer());
}
