//! `agxc run`: buffers from and to files, expectations.

use crate::harness::{Folder, fails, out};

const DOUBLE: &[u8] = b"@group(0) @binding(0) var<storage, read_write> data: array<f32>;\n\
    @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n\
    data[id.x] = data[id.x] * 2.0; }\n";

#[test]
fn arrays_of_numpy_are_read_and_written() {
    let folder = Folder::new("npy");
    let source = folder.file("double.wgsl", DOUBLE);
    let array = folder.path("in.npy");
    let buffer = "0.0=f32:1,2,3,4";
    out(&["run", &source, "--buffer", buffer, "--save", &format!("0.0:f32={array}")]);
    assert!(std::fs::read(&array).unwrap().starts_with(b"\x93NUMPY"));
    let from_array = format!("0.0=file:{array}");
    assert_eq!(out(&["run", &source, "--buffer", &from_array, "--dump", "0.0:f32"]), "4, 8, 12, 16\n");
    out(&["run", &source, "--buffer", buffer, "--expect", &from_array]);
    let raw = folder.path("out.raw");
    out(&["run", &source, "--buffer", buffer, "--save", &format!("0.0={raw}")]);
    let expected: Vec<u8> = [2f32, 4.0, 6.0, 8.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    assert_eq!(std::fs::read(&raw).unwrap(), expected);
    let wrong = folder.file("big.npy", b"\x93NUMPY\x01\x00\x10\x00{'descr': '>f4'}");
    fails(&["run", &source, "--buffer", &format!("0.0=file:{wrong}")], b"", 1, "error[AGX0107]");
    fails(
        &["run", &source, "--buffer", "0.0=file:/dev/zero"],
        b"",
        3,
        "error[AGX0108]: more than 268435456 bytes",
    );
}

#[test]
fn dumps_go_where_the_output_goes() {
    let folder = Folder::new("dump");
    let source = folder.file("double.wgsl", DOUBLE);
    let target = folder.path("out.txt");
    let words = ["run", &source, "--buffer", "0.0=f32:1,2,3,4", "--dump", "0.0:f32", "-o", &target];
    assert_eq!(out(&words), "");
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "2, 4, 6, 8\n");
}

#[test]
fn expectations_cover_the_whole_buffer() {
    let folder = Folder::new("expect");
    let source = folder.file("double.wgsl", DOUBLE);
    let words = |expect| ["run", &source, "--buffer", "0.0=f32:1,2,3,4", "--expect", expect];
    out(&words("0.0=f32:2,4,6,8"));
    out(&words("0.0=f32:2,4,..."));
    fails(&words("0.0=f32:2,4"), b"", 1, "buffer 0.0: expected 8 bytes, got 16");
    fails(&words("0.0=f32:2,4,6,8,10"), b"", 1, "buffer 0.0: expected 20 bytes, got 16");
    fails(&words("0.0=f32:2,5,..."), b"", 1, "element 1: expected 5, got 4");
}

#[test]
fn a_vertex_runs_with_its_attributes() {
    let folder = Folder::new("run-vertex");
    let source = b"@vertex fn main(@location(0) at: vec2<f32>) -> @builtin(position) vec4<f32> { return vec4<f32>(2.0 * at, 0.5, 1.0); }\n";
    let file = folder.file("v.wgsl", source);
    assert_eq!(out(&["run", &file, "--register", "location0=3,4"]), "position: 6.0, 8.0, 0.5, 1.0\n");
    fails(&["run", &file, "--register", "va0=3"], b"", 2, "expected location0=");
}

#[test]
fn fragment_shaders_are_refused_with_one_sentence() {
    let folder = Folder::new("run-fragment");
    let source = b"@fragment fn main() -> @location(0) vec4<f32> { return vec4<f32>(); }\n";
    let file = folder.file("f.wgsl", source);
    fails(
        &["run", &file],
        b"",
        1,
        "error[AGX0101]: `run` supports compute and vertex shaders, not fragment shaders",
    );
}
