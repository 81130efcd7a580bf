//! Keys: the state of a draw, layouts and robustness.

use crate::harness::{Folder, fails, out};

const SHADERS: &str = "
struct Point { @builtin(position) place: vec4f, @location(0) colour: vec4f }
@vertex fn corner(@location(0) place: vec2f, @location(1) colour: vec4f) -> Point {
    return Point(vec4f(place, 0.0, 1.0), colour);
}
@fragment fn colour(point: Point) -> @location(0) vec4f { return point.colour; }
";

const COMPUTE: &str = "
@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3u) { numbers[id.x + 1u] = id.x; }
";

/// The example of docs/keys.md.
fn example() -> String {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/keys.md")).unwrap();
    let (_, json) = text.split_once("```json\n").unwrap();
    json.split_once("```").unwrap().0.to_owned()
}

/// Parts of the shader in JSON: role and number of instructions of the statistics.
fn parts(key: &str, file: &str, arguments: &[&str]) -> Vec<String> {
    let common = ["compile", "--emit", "json", "--key", key, file];
    let text = out(&[&common[..], arguments].concat());
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    json["parts"].as_array().unwrap().iter().map(|part| part["role"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_example_is_read_and_printed() {
    let folder = Folder::new("key-example");
    let key = folder.file("key.json", example().as_bytes());
    let printed = out(&["compile", "--print-key", "--key", &key, "-"]);
    let again = folder.file("again.json", printed.as_bytes());
    assert_eq!(out(&["compile", "--print-key", "--key", &again, "-"]), printed);
    for text in
        ["\"one_minus_source_alpha\"", "\"exact\"", "\"constant\"", "\"R32G32_SFLOAT\"", "\"samples\": 4"]
    {
        assert!(printed.contains(text), "{text}: {printed}");
    }
}

#[test]
fn draws_put_parts_around_shaders_or_make_whole_programs() {
    let folder = Folder::new("key-draw");
    let key = folder.file("key.json", example().as_bytes());
    let file = folder.file("draw.wgsl", SHADERS.as_bytes());
    let compute = folder.file("compute.wgsl", COMPUTE.as_bytes());
    assert_eq!(parts(&key, &file, &["--entry", "corner"]), ["main", "prolog"]);
    assert_eq!(parts(&key, &file, &["--entry", "colour"]), ["main", "epilog"]);
    for entry in ["corner", "colour"] {
        assert!(!parts(&key, &file, &["--entry", entry, "--whole"]).iter().any(|role| role.ends_with("log")));
        for whole in [&[][..], &["--whole"]] {
            let arguments = [&["validate", "--key", &key, "--entry", entry, &file][..], whole].concat();
            assert_eq!(out(&arguments), "");
        }
    }
    assert_eq!(parts(&key, &compute, &["--whole"])[0], "main");
}

/// Half-words, numbers and contents as in docs/abi.md: the addresses of all attributes, then their clamps.
#[test]
fn attributes_have_their_numbers_in_listings_and_json() {
    let folder = Folder::new("key-attributes");
    let key = folder.file("key.json", example().as_bytes());
    let file = folder.file("draw.wgsl", SHADERS.as_bytes());
    for whole in [&[][..], &["--whole"]] {
        let common = [&["compile", "--entry", "corner", "--key", &key, &file][..], whole].concat();
        let listing = out(&common);
        let listed: Vec<&str> = listing.lines().filter(|line| line.contains("vertex attribute")).collect();
        let expected = [
            "; u0_u1: address of vertex attribute 0",
            "; u2_u3: address of vertex attribute 1",
            "; u4: clamp of vertex attribute 0",
            "; u5: clamp of vertex attribute 1",
        ];
        assert_eq!(listed, expected, "{whole:?}");
        let text = out(&[&common[..], &["--emit", "json"]].concat());
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let ranges = json["info"]["uniforms"].as_array().unwrap().iter();
        let numbered = ranges.filter_map(|range| {
            let number = range["source"]["attribute"].as_u64()?;
            Some((range["start"].as_u64()?, range["source"]["what"].as_str()?, number))
        });
        let (address, clamp) = ("address of a vertex attribute", "clamp of a vertex attribute");
        let expected = [(0, address, 0), (4, address, 1), (8, clamp, 0), (10, clamp, 1)];
        assert_eq!(numbered.collect::<Vec<_>>(), expected, "{whole:?}");
    }
}

/// The statistics of a shader with a draw are those of all parts, wherever they are printed.
#[test]
fn statistics_are_those_of_the_draw() {
    let folder = Folder::new("key-stats");
    let key = folder.file("key.json", example().as_bytes());
    let file = folder.file("draw.wgsl", SHADERS.as_bytes());
    let json = |arguments: &[&str]| -> serde_json::Value { serde_json::from_str(&out(arguments)).unwrap() };
    for (row, entry) in ["corner", "colour"].into_iter().enumerate() {
        let shader = json(&["compile", "--emit", "json", "--entry", entry, "--key", &key, &file]);
        let count = |part: &serde_json::Value| part["instructions"].as_array().unwrap().len() as u64;
        let all: u64 = shader["parts"].as_array().unwrap().iter().map(count).sum();
        let alone = json(&["stats", "--format", "json", "--entry", entry, &file]);
        let alone = alone["shaders"][0]["statistics"]["instructions"].as_u64().unwrap();
        assert!(all > alone, "{all} {alone}");
        assert_eq!(shader["statistics"]["instructions"], all);
        let rows = json(&["stats", "--format", "json", "--key", &key, &file]);
        assert_eq!(rows["shaders"][row]["statistics"]["instructions"], all);
        let figures = |arguments: &[&str]| {
            let common = ["diff", "--format", "json", "--entry", entry, &file];
            json(&[&common[..], arguments].concat())["figures"]["instructions"].take()
        };
        let expected = serde_json::json!({ "before": alone, "after": all });
        assert_eq!(figures(&["--to-key", &key]), expected);
        let both = serde_json::json!({ "before": all, "after": all });
        assert_eq!(figures(&["--key", &key, "--to-target", "g14x"]), both);
        let whole = json(&["stats", "--format", "json", "--whole", "--entry", entry, "--key", &key, &file]);
        let whole = &whole["shaders"][0]["statistics"]["instructions"];
        let both = serde_json::json!({ "before": whole, "after": whole });
        assert_eq!(figures(&["--key", &key, "--whole", "--to-target", "g14x"]), both);
        fails(
            &["diff", "--whole", "--entry", entry, &file, &file],
            b"",
            2,
            "--whole needs the state of a draw",
        );
    }
}

/// A pipe can be read once.
#[test]
#[cfg(unix)]
fn a_key_may_be_a_pipe() {
    let folder = Folder::new("key-pipe");
    let file = folder.file("draw.wgsl", SHADERS.as_bytes());
    let pipe = folder.path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for command in [&["compile", "--entry", "colour"][..], &["stats"], &["validate"], &["batch", "stats"]] {
        let writer = std::thread::spawn({
            let pipe = pipe.clone();
            move || std::fs::write(pipe, example())
        });
        let output = crate::harness::agxc(&[command, &["--key", &pipe, &file]].concat());
        assert_eq!(output.status.code(), Some(0), "{command:?}: {}", crate::harness::stderr(&output));
        writer.join().unwrap().unwrap();
    }
    let stats = crate::harness::out_with(&["stats", "--key", "-", &file], example().as_bytes());
    let key = folder.file("key.json", example().as_bytes());
    assert_eq!(stats, out(&["stats", "--key", &key, &file]));
    // Standard input that is named twice is the same input.
    let twice = crate::harness::out_with(&["diff", "-x", "wgsl", "--brief", "-", "-"], COMPUTE.as_bytes());
    assert!(twice.starts_with("                   before    after\nInstrs"), "{twice}");
}

#[test]
fn layouts_and_robustness_change_the_code() {
    let folder = Folder::new("key-layout");
    let file = folder.file("compute.wgsl", COMPUTE.as_bytes());
    let code = |key: &str| {
        let key = folder.file("key.json", key.as_bytes());
        out(&["compile", "--emit", "json", "--key", &key, &file])
    };
    let plain = code("{}");
    let exact = code(r#"{"robustness": {"storage": "exact"}}"#);
    let layout = code(r#"{"layout": [{"set": 0, "bindings": [{"binding": 0, "offset": 0}]}]}"#);
    assert!(plain.contains("buffer_address") && !plain.contains("set_address"));
    assert!(layout.contains("set_address") && !layout.contains("buffer_address"));
    assert_ne!(plain, exact);
}

#[test]
fn errors_name_the_field() {
    let folder = Folder::new("key-errors");
    let cases = [
        (r#"{"robustness": {"storage": "some"}}"#, "robustness.storage: unknown bounds `some`"),
        (r#"{"draw": {"samples": 3}}"#, "draw.samples: expected 1, 2 or 4, found 3"),
        (
            r#"{"draw": {"targets": [null, {"format": "RGB"}]}}"#,
            "draw.targets[1].format: unknown colour format",
        ),
        (
            r#"{"draw": {"targets": [{"format": "R8_UNORM", "write_mask": "x"}]}}"#,
            "draw.targets[0].write_mask: unknown component `x`",
        ),
        (
            r#"{"draw": {"targets": [{"format": "R8_UNORM", "blend": {"colour": {"source": "a", "destination": "zero"}}}]}}"#,
            "draw.targets[0].blend.colour.source: unknown blend factor `a`",
        ),
        (r#"{"draw": {"logic_op": "nothing"}}"#, "draw.logic_op: unknown logic operation `nothing`"),
        (
            r#"{"draw": {"attributes": [{"location": 0, "format": "X", "stride": 4}]}}"#,
            "draw.attributes[0].format: unknown vertex attribute format `X`",
        ),
        (
            r#"{"layout": [{"set": 0, "bindings": [{"binding": 0, "offset": 0, "access": "all"}]}]}"#,
            "layout[0].bindings[0].access: unknown access `all`",
        ),
        (
            r#"{"tile": {"formats": ["X"], "samples": 1}}"#,
            "tile.formats[0]: unknown colour format `X`; expected one of R8_UNORM, ",
        ),
        (r#"{"target": "g99"}"#, "unknown target `g99`; expected one of g13g"),
        (r#"{"stage": "pixel"}"#, "unknown stage `pixel`; expected vertex"),
        (r#"{"disabled_passes": ["regalloc"]}"#, "pass `regalloc` is required and cannot be disabled"),
        (r#"["g14x"]"#, "expected an object, found an array"),
        (r#"{"robustness": ["exact"]}"#, "robustness: expected an object, found an array"),
        (r#"{"draw": {"targets": [["R8_UNORM"]]}}"#, "draw.targets[0]: expected an object, found an array"),
        (r#"{"layout": [[0, []]]}"#, "layout[0]: expected an object, found an array"),
        (
            r#"{"draw": {"attributes": [{"location": 1, "format": "R8_UNORM", "stride": 4}, {"location": 1, "format": "R8_UNORM", "stride": 4}]}}"#,
            "draw.attributes[1]: location 1 has another attribute",
        ),
    ];
    for (json, message) in cases {
        let key = folder.file("key.json", json.as_bytes());
        let message = format!("key.json: error[AGX0104]: {message}");
        fails(&["compile", "--print-key", "--key", &key, "-"], b"", 1, &message);
    }
    let key = folder.file("key.json", br#"{"draw": {"colour": 1}}"#);
    fails(&["compile", "--print-key", "--key", &key, "-"], b"", 1, "unknown field `colour`");
    fails(
        &["compile", "--whole", "-x", "wgsl", "-"],
        COMPUTE.as_bytes(),
        2,
        "--whole needs the state of a draw",
    );
}

#[test]
fn vertex_shaders_store_what_the_fragment_shader_of_the_key_reads() {
    let folder = Folder::new("key-fragment-inputs");
    let reads_red = SHADERS.replace("return point.colour", "return vec4f(point.colour.x)");
    let file = folder.file("draw.wgsl", reads_red.as_bytes());
    let info = |arguments: &[&str]| -> serde_json::Value {
        let text = out(&[&["compile", "--emit", "json", &file][..], arguments].concat());
        serde_json::from_str::<serde_json::Value>(&text).unwrap()["info"].take()
    };
    let stored =
        |arguments: &[&str]| info(arguments)["vertex"]["varyings"].as_array().map_or(0, |list| list.len());
    assert_eq!(stored(&["--entry", "corner"]), 8);
    let inputs = &info(&["--entry", "colour"])["fragment"]["coefficients"];
    let key = folder.file("key.json", format!("{{\"fragment_inputs\": {inputs}}}").as_bytes());
    assert_eq!(stored(&["--entry", "corner", "--key", &key]), 5);
    let wrong = folder.file("wrong.json", br#"{"fragment_inputs": [{"kind": "culled"}]}"#);
    let reason = "fragment_inputs[0]: `index` is missing";
    fails(&["compile", "--entry", "corner", "--key", &wrong, &file], b"", 1, reason);
}
