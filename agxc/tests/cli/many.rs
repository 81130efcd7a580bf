//! Several inputs, several entry points, baselines.

use serde_json::Value;

use crate::harness::{Folder, agxc, fails, out, stderr};

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
    fails(&["compile", "--emit", "bin", &good, &good], b"", 2, "-o FOLDER");
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
