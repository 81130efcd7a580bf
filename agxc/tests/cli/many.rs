//! Several inputs, several entry points, baselines.

use serde_json::Value;

use crate::harness::{Folder, agxc, agxc_with, fails, out, stderr};

const GOOD: &[u8] = b"@group(0) @binding(0) var<storage, read_write> data: array<f32>;\n\
    @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] = 2.0; }\n";
const BAD: &[u8] = b"fn main( {}\n";
const TWO: &[u8] = b"@vertex fn vs() -> @builtin(position) vec4<f32> { return vec4<f32>(); }\n\
    @fragment fn fs() -> @location(0) vec4<f32> { return vec4<f32>(1.0); }\n";

#[test]
fn one_bad_file_does_not_hide_the_others() {
    let folder = Folder::new("many");
    let (good, bad, two) =
        (folder.file("good.wgsl", GOOD), folder.file("bad.wgsl", BAD), folder.file("two.wgsl", TWO));
    let output = agxc(&["stats", "--format", "csv", &bad, &good, "missing.wgsl", &two]);
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let names: Vec<&str> = text.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(names, [good.as_str(), &format!("{two}:vs"), &format!("{two}:fs")]);
    assert_eq!(output.status.code(), Some(1));
    let errors = stderr(&output);
    assert!(errors.contains("bad.wgsl:1:") && errors.contains("missing.wgsl: error[AGX0002]"), "{errors}");

    let results = folder.path("results");
    let output = agxc(&["compile", &bad, &good, "-o", &results]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let listing = std::fs::read_to_string(format!("{results}/good.wgsl.s")).unwrap();
    assert!(listing.contains("compute shader `main`"));
    let output = agxc(&["compile", &good, &bad, &good]);
    assert_eq!(String::from_utf8(output.stdout).unwrap().matches("compute shader `main`").count(), 2);
    for emit in ["bin", "json", "html", "dot"] {
        fails(&["compile", "--emit", emit, &good, &good], b"", 2, "of several inputs needs -o FOLDER");
    }
}

/// A module with a vertex and a fragment shader of one name.
fn twins() -> Vec<u8> {
    let main = u32::from_le_bytes(*b"main");
    let function =
        |id: u32, label: u32| [5 << 16 | 54, 3, id, 0, 4, 2 << 16 | 248, label, 1 << 16 | 253, 1 << 16 | 56];
    let head = [0x0723_0203, 0x1_0000, 0, 7, 0, 2 << 16 | 17, 1, 3 << 16 | 14, 0, 1];
    let entries = [5 << 16 | 15, 0, 1, main, 0, 5 << 16 | 15, 4, 2, main, 0, 3 << 16 | 16, 2, 7];
    let types = [2 << 16 | 19, 3, 3 << 16 | 33, 4, 3];
    let words = [&head[..], &entries, &types, &function(1, 5), &function(2, 6)].concat();
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn entry_points_of_one_name_have_their_stage_in_names() {
    let folder = Folder::new("twins");
    let module = folder.file("m.spv", &twins());
    let rows = out(&["-q", "stats", "--format", "csv", &module]);
    let names: Vec<&str> = rows.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(names, [format!("{module}:main:vertex"), format!("{module}:main:fragment")]);
    let results = folder.path("out");
    let run = agxc(&["-q", "batch", "compile", &module, "-o", &results]);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    let mut made =
        std::fs::read_dir(&results).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
    made.sort();
    assert_eq!(made.len(), 2, "{made:?}");
    assert!(made.iter().all(|name| name.to_str().unwrap().contains("m.spv.main.")), "{made:?}");
    assert_eq!(out(&["validate", &module]), "");
}

#[test]
fn no_output_replaces_another() {
    let folder = Folder::new("replaced");
    for deep in ["a/b", "a_b"] {
        std::fs::create_dir_all(folder.path(deep)).unwrap();
    }
    let (first, second) = (folder.file("a/x.wgsl", GOOD), folder.file("a_b/x.wgsl", GOOD));
    let results = folder.path("out");
    let message = format!("the output `{results}/x.wgsl.s` would replace that of `{first}`");
    fails(&["compile", &first, &second, "-o", &results], b"", 2, &message);
    folder.file("a/b/x.wgsl", GOOD);
    folder.file("a/b_x.wgsl", GOOD);
    fails(
        &["batch", "compile", &folder.path("a"), "-o", &results],
        b"",
        2,
        "a_b_x.wgsl.s` would replace that of `",
    );
    assert_eq!(std::fs::read_dir(&results).unwrap().count(), 0, "nothing is written");
    let message = "the output would replace the input";
    fails(&["compile", &first, "-o", &format!("{}/./x.wgsl", folder.path("a"))], b"", 2, message);
    assert_eq!(std::fs::read(&first).unwrap(), GOOD);
    let run = agxc_with(&["compile", "-x", "wgsl", "-", &first, "-o", &folder.path("mixed")], GOOD);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    assert!(std::fs::exists(folder.path("mixed/stdin.s")).unwrap());
    // An input that is named twice is compiled once.
    let run = agxc(&["batch", "compile", &first, &second, &first, "-o", &results]);
    assert!(stderr(&run).contains("2 inputs: 2 succeeded, 0 failed"), "{}", stderr(&run));
}

#[test]
fn an_unknown_entry_point_lists_those_there_are() {
    let folder = Folder::new("entries");
    let two = folder.file("two.wgsl", TWO);
    let names = "`vs` (Vertex), `fs` (Fragment)";
    fails(
        &["compile", "--entry", "foo", &two],
        b"",
        1,
        &format!("no entry point `foo`; the module has {names}"),
    );
    fails(
        &["compile", "--stage", "compute", &two],
        b"",
        1,
        "no entry point of stage compute; the module has",
    );
    fails(
        &["compile", &two],
        b"",
        1,
        &format!("several entry points; select one by name and stage: {names}"),
    );
    assert_eq!(out(&["stats", "--entry", "fs", &two]).lines().count(), 1);
}

#[test]
fn a_baseline_fails_on_regressions_only() {
    let folder = Folder::new("baseline");
    let (good, two) = (folder.file("good.wgsl", GOOD), folder.file("two.wgsl", TWO));
    let baseline = folder.path("stats.json");
    out(&["stats", "--baseline", &baseline, "--update", &good]);
    out(&["stats", "--baseline", &baseline, "--update", &two]);
    let mut document: Value = serde_json::from_slice(&std::fs::read(&baseline).unwrap()).unwrap();
    assert_eq!(document["shaders"].as_array().unwrap().len(), 3, "an update keeps other rows");
    assert_eq!(out(&["stats", "--baseline", &baseline, &good]), "");

    let instructions = document["shaders"][0]["statistics"]["instructions"].as_u64().unwrap();
    document["shaders"][0]["statistics"]["instructions"] = (instructions + 1).into();
    let worse = folder.file("worse.json", document.to_string().as_bytes());
    let improved = out(&["stats", "--baseline", &worse, &good]);
    assert!(
        improved.contains(&format!("instructions: {instructions}, was {}", instructions + 1)),
        "{improved}"
    );

    document["shaders"][0]["statistics"]["instructions"] = (instructions - 1).into();
    let better = folder.file("better.json", document.to_string().as_bytes());
    fails(&["stats", "--baseline", &better, &good], b"", 1, "error[AGX0204]");
    out(&["stats", "--baseline", &better, "--threshold", "instructions=100%", &good]);
    fails(&["stats", "--baseline", &better, "--threshold", "speed=1", &good], b"", 2, "unknown figure");
}

/// A baseline that is not understood compares nothing, so it fails.
#[test]
fn baselines_are_read_strictly() {
    let folder = Folder::new("baseline-strict");
    let good = folder.file("good.wgsl", GOOD);
    let json = out(&["stats", "--format", "json", &good]);
    let alu = json.lines().find(|line| line.contains("\"alu\"")).unwrap().trim();
    let row = json.split_once('[').unwrap().1.rsplit_once(']').unwrap().0.trim().to_owned();
    let version = "\"schema_version\": 1";
    let cases: [(String, &str); 15] = [
        (json.replace(alu, "\"alu\": \"x\","), "invalid type: string \"x\", expected u64"),
        (json.replace(alu, "\"alu\": 1.5,"), "invalid type: floating point `1.5`, expected u64"),
        (json.replace(alu, "\"alu\": -1,"), "invalid value: integer `-1`, expected u64"),
        (json.replace(alu, "\"alu\": null,"), "invalid type: null, expected u64"),
        (json.replace(alu, &format!("{alu}{alu}")), "duplicate figure `alu`"),
        (json.replace("\"alu\"", "\"alus\""), "unknown figure `alus`"),
        (json.replace(version, "\"schema_version\": 99"), "schema_version: expected 1, found 99"),
        (json.replace(version, "\"schema_version\": \"1\""), "invalid type: string \"1\""),
        (json.replace(version, "\"version\": 1"), "unknown field `version`"),
        (json.replace(version, &format!("{version}, {version}")), "duplicate field `schema_version`"),
        (json.replace(&row, &format!("{row}, {row}")), "good.wgsl` appears twice"),
        (json.replace(&row, "[\"good.wgsl\", {}]"), "shaders[0]: expected an object, found an array"),
        (json.replace("\"shaders\": [", "\"shaders\": [3, "), "invalid type: integer `3`"),
        (format!("[1, [{row}]]"), "expected an object, found an array"),
        (String::new(), "EOF while parsing a value"),
    ];
    for (text, message) in &cases {
        let baseline = folder.file("b.json", text.as_bytes());
        fails(&["stats", "--baseline", &baseline, &good], b"", 1, message);
        fails(&["stats", "--baseline", &baseline, "--update", &good], b"", 1, message);
        fails(&["diff", &baseline, &baseline], b"", 1, message);
        fails(&["compile", "--emit", "html", "--baseline", &baseline, &good], b"", 1, message);
        assert_eq!(std::fs::read(&baseline).unwrap(), text.as_bytes(), "it is unchanged");
    }
    let without = json.replace(&format!("{alu}\n"), "");
    let baseline = folder.file("b.json", without.as_bytes());
    fails(
        &["stats", "--baseline", &baseline, &good],
        b"",
        1,
        "alu is not in the baseline; add it with --update",
    );
    out(&["stats", "--baseline", &baseline, "--update", &good]);
    assert_eq!(std::fs::read_to_string(&baseline).unwrap(), json);
    let two = folder.file("two.wgsl", TWO);
    let words = ["compile", "--emit", "html", "--entry", "vs", "--baseline", &baseline, &two];
    fails(&words, b"", 1, "two.wgsl` is not in the baseline");
    fails(
        &["diff", "--target", "g14x", &baseline, &baseline],
        b"",
        2,
        "--target has no effect on files of statistics",
    );
    fails(&["diff", "--brief", &baseline, &baseline], b"", 2, "--brief has no effect on files of statistics");
}
