//! Listings with several parts, and textual IR.

use crate::harness::{Folder, agxc, fails, out, stderr};

/// A shader with a preamble.
const DOUBLE: &[u8] = b"@group(0) @binding(0) var<storage, read_write> data: array<f32>;\n\
    @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n\
    data[id.x] = data[id.x] * 2.0; }\n";

fn bytes(arguments: &[&str]) -> Vec<u8> {
    let output = agxc(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    output.stdout
}

#[test]
fn a_listing_with_a_preamble_keeps_its_parts() {
    let folder = Folder::new("parts");
    let source = folder.file("double.wgsl", DOUBLE);
    let listing = folder.path("double.s");
    out(&["compile", &source, "-o", &listing]);
    fails(
        &["asm", "--hex", &listing],
        b"",
        1,
        "error[AGX0303]: the listing has several parts (main, preamble)",
    );
    fails(&["asm", "--part", "epilog", &listing], b"", 1, "no part `epilog`; it has main, preamble");
    fails(&["asm", "--part", "tail", &listing], b"", 2, "unknown part `tail`");
    for part in ["main", "preamble"] {
        let compiled = bytes(&["compile", "--emit", "bin", "--part", part, &source]);
        assert!(!compiled.is_empty());
        assert_eq!(bytes(&["asm", "--part", part, &listing]), compiled, "{part}");
    }
    assert_eq!(out(&["validate", &listing]), "");
    let buffer = "0.0=f32:1,2,3,4";
    let edited = std::fs::read_to_string(&listing).unwrap().replace("2.0", "4.0");
    let edited = folder.file("edited.s", edited.as_bytes());
    let words = ["run", &source, "--code", &edited, "--buffer", buffer, "--dump", "0.0:f32"];
    assert_eq!(out(&words), "4, 8, 12, 16\n");
}

#[test]
fn validate_checks_each_part_by_its_own_limits() {
    let folder = Folder::new("part-limits");
    // The preamble needs more registers than the main part; a fragment main part ends in its epilog.
    let source = folder.file("double.wgsl", DOUBLE);
    assert_eq!(out(&["validate", &source]), "");
    let fragment = b"@fragment fn main(@location(0) c: vec4<f32>) -> @location(0) vec4<f32> { return c; }\n";
    let fragment = folder.file("copy.wgsl", fragment);
    let listing = folder.path("copy.s");
    out(&["compile", &fragment, "-o", &listing]);
    assert_eq!(out(&["validate", &listing]), "");
    let code = folder.path("copy.bin");
    out(&["compile", "--emit", "bin", &fragment, "-o", &code]);
    fails(&["validate", &code], b"", 1, "AGX0302");
    assert_eq!(out(&["validate", "--continues", &code]), "");
    let broken = std::fs::read_to_string(&listing).unwrap() + ".part preamble\n    fadd r0, r1, r2\n";
    let broken = folder.file("broken.s", broken.as_bytes());
    fails(&["validate", &broken], b"", 1, "preamble 0x0000 `fadd r0, r1, r2`");
    let error = "--part has no effect on a listing that names its parts";
    fails(&["validate", "--part", "preamble", &broken], b"", 2, error);
}

#[test]
fn listings_of_graphics_stages_have_no_workgroups() {
    let folder = Folder::new("graphics-heading");
    let source = b"@fragment fn main() -> @location(0) vec4<f32> { return vec4<f32>(1.0); }\n";
    let listing = out(&["compile", &folder.file("one.wgsl", source)]);
    let heading = listing.lines().next().unwrap();
    assert!(
        heading.starts_with("; fragment shader `main`, ") && heading.ends_with(" threads per core"),
        "{heading}"
    );
    assert!(!heading.contains("workgroups"), "{heading}");
}

#[test]
fn the_ir_keeps_the_size_of_workgroups() {
    let folder = Folder::new("ir-size");
    let source = folder.file("double.wgsl", DOUBLE);
    let ir = folder.path("double.ir");
    out(&["compile", "--emit", "ir", &source, "-o", &ir]);
    assert!(std::fs::read_to_string(&ir).unwrap().contains(" workgroup_size 4 1 1 {"));
    assert!(out(&["compile", &ir]).contains("workgroups of 4×1×1,"));
    let after = folder.path("after.ir");
    let phase = out(&["compile", "--emit", "ir-after=select", &source]);
    assert!(phase.contains(" stage machine ") && phase.contains(" workgroup_size 4 1 1 {"), "{phase}");
    fails(&["compile", "--emit", "ir-after=selection", &source], b"", 2, "unknown p");
    let before = out(&["compile", "--emit", "ir-before=select", &source]);
    assert!(before.contains(" stage lowered "), "{before}");
    // Before the first phase nothing has run, and before a pass everything up to it.
    assert_eq!(
        out(&["compile", "--emit", "ir-before=prepare", &source]),
        std::fs::read_to_string(&ir).unwrap()
    );
    assert_eq!(out(&["compile", "--emit", "ir-before=lower_select", &source]), before, "its first pass");
    fails(&["compile", "--emit", "ir-before=selection", &source], b"", 2, "unknown p");
    out(&["compile", "--emit", "ir-after=lower_select", &source, "-o", &after]);
    let json: serde_json::Value = serde_json::from_str(&out(&["compile", "--emit", "json", &after])).unwrap();
    assert_eq!(json["info"]["workgroup_size"], serde_json::json!([4, 1, 1]));
}

#[test]
fn ill_formed_ir_is_answered_with_the_violations() {
    let folder = Folder::new("ill-formed");
    let text = b"kernel @k() stage source {\nb0:\n    %0:32 = fmul %1, %1\n    %2:32 = fadd %3, %0\n    keep %2\n}\n";
    let file = folder.file("k.ir", text);
    let commands: [&[&str]; 6] = [
        &["compile", &file],
        &["compile", "--emit", "ir-after=opt_cse", &file],
        &["run", &file],
        &["pass", &file],
        &["pass", "opt_cse", &file],
        &["stats", &file],
    ];
    for command in commands {
        fails(command, b"", 1, "error[AGX2619]: b0: `%0:32 = fmul %1, %1`: ");
        fails(command, b"", 1, "error[AGX2619]: b0: `%2:32 = fadd %3, %0`: ");
    }
    let size = b"kernel @k() stage source workgroup_size 0 1 1 {\nb0:\n}\n";
    fails(
        &["compile", "-x", "ir", "-"],
        size,
        1,
        "-:1:41: error[AGX2603]: the extent of a workgroup must be at least 1",
    );
}
