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
    let answer: Value = serde_json::from_str(drawn.answer()).unwrap();
    assert_eq!(answer["profiles"], json!([]));
    let wanted = json!({ "scene": "plasma.json", "size": [8, 6], "profile": true }).to_string();
    let answer: Value = serde_json::from_str(draw(&files, &wanted).answer()).unwrap();
    let [vertex, fragment] = &answer["profiles"].as_array().unwrap()[..] else { panic!("{answer}") };
    assert_eq!((&vertex["files"], &fragment["files"]), (&json!(["plasma.wgsl"]), &json!(["plasma.wgsl"])));
    assert!(fragment["html"].as_str().unwrap().contains("Executed lines of draw 0, fragment"));
    assert!(fragment["html"].as_str().unwrap().contains("data-l=\"0:15\""), "{fragment}");
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

const LOOP: &str = "@group(0) @binding(0) var<storage, read_write> a: array<u32>;\n\
    @compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n\
    var sum = 0u;\n\
    for (var i = 0u; i < id.x % 3u; i++) {\n\
        sum += a[i];\n\
    }\n\
    a[id.x] = sum;\n}\n";

/// A run that is stepped through, with the answer to its preparation.
fn started(files: &Files, wanted: &Value) -> (Stepping, Value) {
    let (stepping, answer) = step_through(files, &wanted.to_string());
    (stepping.unwrap_or_else(|| panic!("{answer}")), serde_json::from_str(&answer).expect("JSON"))
}

/// A run of the loop with one workgroup.
fn of_loop() -> (Stepping, Value) {
    let mut files = Files::default();
    files.add("a.wgsl", LOOP.into());
    let resources = json!({ "buffers": ["0.0=u32:10,20,3,4,5,6,7,8"] });
    let shader = json!({ "file": "a.wgsl" });
    started(&files, &json!({ "grid": { "shader": shader, "resources": resources, "groups": "1" } }))
}

fn go(stepping: &Stepping, time: &Value, step: &str, lane: Option<u32>) -> Value {
    let text = stepping.go(&json!({ "time": time, "step": step, "lane": lane }).to_string());
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn a_run_is_stepped_through_in_both_directions() {
    let mut files = Files::default();
    files.add("a.wgsl", LOOP.into());
    let resources = json!({ "buffers": ["0.0=u32:1,2,3,4,5,6,7,8"] });
    let (run, overview) = started(
        &files,
        &json!({ "grid": { "shader": { "file": "a.wgsl" }, "resources": resources, "groups": "2" } }),
    );
    assert_eq!((&overview["files"], &overview["whole"]), (&json!(["a.wgsl"]), &json!(true)));
    let (entries, code) = (overview["entries"].as_array().unwrap(), overview["code"].as_array().unwrap());
    // The state at each time is that of the time line, and steps lead from one to the next of the SIMD-group and back.
    for pair in entries.windows(2).filter(|pair| pair[0][3] == pair[1][3]).step_by(7) {
        let state = go(&run, &pair[0][0], "stay", None);
        let row = &code[pair[0][1].as_u64().unwrap() as usize];
        let at = &state["at"];
        assert_eq!((&at["part"], &at["offset"], &at["line"]), (&row["part"], &row["offset"], &row["line"]));
        assert_eq!(
            (&state["time"], &at["exec"], &state["stopped"]),
            (&pair[0][0], &pair[0][2], &json!("step"))
        );
        let active =
            state["lanes"].as_array().unwrap().iter().filter(|lane| lane["state"] == "active").count();
        assert_eq!(active as u32, (at["exec"].as_u64().unwrap() as u32).count_ones());
        assert_eq!(go(&run, &pair[0][0], "instruction", None)["time"], pair[1][0]);
        assert_eq!(go(&run, &pair[1][0], "back-instruction", None)["time"], pair[0][0]);
    }
    let groups: std::collections::BTreeSet<String> =
        entries.iter().map(|entry| entry[3].to_string()).collect();
    assert!(groups.contains("[0,0,0,0]") && groups.contains("[1,0,0,0]"), "{groups:?}");
    let end = go(&run, &json!(0), "end", None);
    assert_eq!((&end["stopped"], &end["at"]), (&json!("end"), &Value::Null), "{end}");
    assert_eq!(go(&run, &json!(u64::MAX), "stay", None)["stopped"], "end");
    assert_eq!(go(&run, &json!(0), "back-line", None)["stopped"], "start");
}

#[test]
fn a_step_shows_lanes_registers_and_variables() {
    let (run, overview) = of_loop();
    let code = overview["code"].as_array().unwrap();
    let is_last = |entry: &&Value| code[entry[1].as_u64().unwrap() as usize]["line"] == 7;
    let last = overview["entries"].as_array().unwrap().iter().rfind(is_last).unwrap();
    let state = go(&run, &last[0], "stay", Some(5));
    assert_eq!((&state["lane"], &state["lanes"][5]["place"]), (&json!(5), &json!([5, 0, 0])));
    assert_eq!(state["lanes"][31]["state"], "absent");
    // 5 % 3 iterations.
    assert!(state["variables"].as_array().unwrap().contains(&json!(["sum", "30"])), "{state}");
    let registers = state["registers"].as_array().unwrap();
    assert!(registers.iter().any(|row| row[2] == 30 && row[1] == "0x0000001e"), "{registers:?}");
    let line = go(&run, &last[0], "back-line", Some(5));
    assert!(line["time"].as_u64() < last[0].as_u64(), "{line}");
    assert!(step_through(&Files::default(), "{}").1.contains("AGX0104"));
    let text = run.go("{\"time\": 0, \"step\": \"sideways\"}");
    assert!(text.contains("AGX0104"), "{text}");
}

#[test]
fn breakpoints_and_watches_belong_to_a_step() {
    let (run, overview) = of_loop();
    let go = |time: &Value, step: &str, breaks: Value, watches: Value| -> Value {
        let wanted = json!({ "time": time, "step": step, "breaks": breaks, "watches": watches });
        serde_json::from_str(&run.go(&wanted.to_string())).expect("JSON")
    };
    // The loop runs for lanes whose number is not a multiple of three, and twice for 2 and 5.
    let breaks = json!(["a.wgsl:5 lane 5", "7 if $lane == 3", "90", "*0x1", "5 lane five"]);
    let watches = json!(["sum", "sum @ 2", "$lane * 2", "nothing", ":info groups"]);
    let first = go(&json!(0), "continue", breaks.clone(), watches.clone());
    assert_eq!((&first["stopped"], &first["breakpoint"]), (&json!("breakpoint"), &json!(1)), "{first}");
    assert_eq!((&first["at"]["line"], &first["lane"]), (&json!(5), &json!(5)));
    let values = first["watches"].as_array().unwrap();
    let value = |number: usize| values[number][1].as_str().unwrap();
    assert_eq!([value(0), value(1), value(2)], ["0", "0", "10"], "{values:?}");
    assert!(value(3).contains("nothing") && value(4).starts_with(">0,0,0 0  at "), "{values:?}");
    let set = first["breaks"].as_array().unwrap();
    assert_eq!((&set[0]["line"], &set[1]["id"]), (&json!([0, 5]), &json!(2)));
    let code = overview["code"].as_array().unwrap();
    let mut spots =
        set[0]["spots"].as_array().unwrap().iter().map(|index| &code[index.as_u64().unwrap() as usize]);
    assert!(spots.any(|spot| spot["part"] == "main" && spot["offset"] == first["at"]["offset"]), "{set:?}");
    for (number, wanted) in [(2, "no code comes from line 90"), (3, "no instruction"), (4, "a number after")]
    {
        assert!(set[number]["error"].as_str().unwrap().contains(wanted), "{set:?}");
    }
    let second = go(&first["time"], "continue", breaks.clone(), json!(["sum @ 5"]));
    assert_eq!(
        (&second["breakpoint"], &second["watches"]),
        (&json!(1), &json!([["sum @ 5", "10"]])),
        "{second}"
    );
    let third = go(&second["time"], "continue", breaks.clone(), json!([]));
    assert_eq!(
        (&third["breakpoint"], &third["at"]["line"], &third["lane"]),
        (&json!(2), &json!(7), &json!(3))
    );
    let back = go(&third["time"], "back-continue", breaks.clone(), json!([]));
    assert_eq!((&back["time"], &back["breakpoint"]), (&second["time"], &json!(1)));
    let back = go(&first["time"], "back-continue", breaks.clone(), json!([]));
    assert_eq!((&back["time"], &back["stopped"]), (&json!(0), &json!("start")));
    assert_eq!(go(&json!(0), "end", breaks, json!([]))["stopped"], "end");
    let names: Vec<&Value> = first["more"].as_array().unwrap().iter().map(|row| &row[0]).collect();
    assert_eq!(names, ["waits", "groups", "uniforms", "textures", "findings"]);
    assert!(first["more"][2][1].as_str().unwrap().contains("u0 "), "{}", first["more"]);
}

#[test]
fn constants_of_a_request_have_names() {
    let mut files = Files::default();
    let text = "override gain: f32 = 1.0;\n\
        @group(0) @binding(0) var<storage, read_write> a: array<f32>;\n\
        @compute @workgroup_size(1) fn main() { a[0] = gain; }\n";
    files.add("a.wgsl", text.into());
    let ran = |constants: Value| {
        let shader = json!({ "file": "a.wgsl", "constants": constants });
        let wanted = json!({ "shader": shader, "resources": { "buffers": ["0.0=zero:4"] }, "shown": [["0.0", "f32"]] });
        run(&files, &wanted.to_string()).answer().to_owned()
    };
    assert!(ran(json!([])).contains("\"text\":\"1\\n\""));
    assert!(ran(json!(["gain=2.5"])).contains("\"text\":\"2.5\\n\""));
    assert!(ran(json!(["gian=2.5"])).contains("unknown specialization constant `gian`; the module has gain"));
}

#[test]
fn vertices_and_fragments_of_a_scene_are_stepped_through() {
    let mut files = Files::default();
    let settings = example("mirror", &mut files).unwrap();
    let scene = serde_json::from_str::<Value>(&settings).unwrap()["scene"].clone();
    let (fragment, overview) = started(&files, &json!({ "drawn": { "scene": scene, "pixel": [128, 150] } }));
    assert_eq!(overview["files"], json!(["mirror.wgsl"]));
    let state = go(&fragment, &json!(0), "line", None);
    let lane = state["lane"].as_u64().unwrap() as usize;
    assert_eq!(state["lanes"][lane]["place"], json!([128, 150, 0]), "{state}");
    assert!(state["at"]["line"].as_u64() > Some(0), "{state}");
    let (vertex, _) = started(&files, &json!({ "drawn": { "scene": scene, "vertex": 1, "draw": 1 } }));
    assert_eq!(go(&vertex, &json!(0), "end", None)["stopped"], "end");
    let refused = |wanted: Value| step_through(&files, &json!({ "drawn": wanted }).to_string()).1;
    assert!(refused(json!({ "scene": scene })).contains("AGX0001"));
    assert!(refused(json!({ "scene": scene, "pixel": [1, 2], "vertex": 3 })).contains("AGX0001"));
    assert!(refused(json!({ "scene": scene, "pixel": [9000, 1] })).contains("AGX0404"));
}
