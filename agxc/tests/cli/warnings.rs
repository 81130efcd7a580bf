//! Warnings, -q, -v, --log, -I and -D, HLSL.

use crate::harness::{Folder, agxc, alone, fails, glslang_is_installed, out, stderr};

const UNINITIALISED: &[u8] = b"#version 450\nlayout(local_size_x = 1) in;\n\
    layout(set = 0, binding = 0) buffer Data { float data[]; };\nvoid main() {\n    float x;\n    \
    data[0] = x * data[1];\n    x = 2.0;\n    data[2] = x;\n}\n";

#[test]
fn variables_and_outputs_are_checked() {
    if !glslang_is_installed() {
        eprintln!("skipped: glslangValidator is not installed");
        return;
    }
    let folder = Folder::new("lint");
    let file = folder.file("a.comp", UNINITIALISED);
    let output = agxc(&["compile", &file]);
    assert_eq!(output.status.code(), Some(0));
    let text = stderr(&output);
    assert!(
        text.starts_with(&format!("{file}:6:1: warning[AGX0500]: `x` is read before it is written\n")),
        "{text}"
    );
    let fixed = String::from_utf8(UNINITIALISED.to_vec()).unwrap().replace("float x;", "float x = 1.0;");
    out(&["compile", &folder.file("b.comp", fixed.as_bytes())]);
    let unwritten = b"#version 450\nlayout(location = 0) out vec4 a;\nlayout(location = 1) out vec4 b;\n\
        void main() { a = vec4(1.0); }\n";
    let unwritten = folder.file("c.frag", unwritten);
    assert!(
        stderr(&agxc(&["stats", &unwritten])).contains("warning[AGX0501]: the output `b` is never written")
    );
    out(&["compile", "-q", &file]);
    out(&["compile", "--allow", "AGX0500", &file]);
    out(&["--allow", "all", "compile", &file]);
    for deny in ["AGX0500", "500", "all"] {
        let output = agxc(&["compile", "--deny", deny, &file]);
        assert_eq!(output.status.code(), Some(1), "{deny}");
        assert!(stderr(&output).contains("error[AGX0500]"), "{deny}");
        assert!(output.stdout.is_empty(), "{deny}");
    }
    let batch = agxc(&["batch", "compile", "--deny", "AGX0500", &file, "-o", &folder.path("out")]);
    assert_eq!((batch.status.code(), std::fs::read_dir(folder.path("out")).unwrap().count()), (Some(1), 0));
    fails(&["compile", "--deny", "AGX0200", &file], b"", 2, "--deny: unknown warning `AGX0200`");
}

#[test]
fn spills_are_reported() {
    let folder = Folder::new("spills");
    let source = b"@group(0) @binding(0) var<storage, read_write> d: array<vec4<f32>>;\n\
        @compute @workgroup_size(1) fn main() { let a = d[0]; let b = d[1]; let c = d[2]; let e = d[3];\n\
        d[4] = sin(a * b) + cos(c * e); d[5] = a + b.wzyx + c + e; d[6] = a * c.zyxw - b * e; }\n";
    let file = folder.file("a.wgsl", source);
    let text = stderr(&agxc(&["stats", "--max-registers", "24", &file]));
    assert!(text.contains("warning[AGX0502]: ") && text.contains(" are spilled to memory"), "{text}");
    out(&["stats", &file]);
}

#[test]
fn what_is_done_can_be_watched() {
    let kernel = "kernel @k(%0:32) stage source {\nb0:\n    %1:32 = fmul %0, %0\n    keep %1\n}\n";
    let folder = Folder::new("watch");
    let file = folder.file("k.ir", kernel.as_bytes());
    let output = agxc(&["-v", "compile", &file]);
    let text = stderr(&output);
    assert!(text.starts_with(&format!("{file}: asm in ")), "{text}");
    let table = text.split_once('\n').unwrap().1;
    assert!(table.starts_with("pass ") && table.contains("\nregalloc "), "{table}");
    let shares = table.lines().skip(1).map(|line| line.rsplit(' ').next().unwrap().trim_end_matches('%'));
    let sum: f64 = shares.map(|share| share.parse::<f64>().unwrap()).sum();
    assert!((sum - 100.0).abs() < 3.0, "{sum}: {table}");
    let output = agxc(&["compile", "--log", "debug", &file]);
    let text = stderr(&output);
    assert!(text.contains("regalloc") && text.contains("time.busy"), "{text}");
    fails(&["--log", "loud", "compile", &file], b"", 2, "unknown level `loud`");
}

#[test]
fn macros_and_include_folders_reach_the_translator() {
    let folder = Folder::new("macros");
    let source = b"#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"part.glsl\"\n\
        layout(local_size_x = SIZE) in;\nlayout(set = 0, binding = 0) buffer Data { float data[]; };\n\
        void main() { data[0] = part(); }\n";
    let file = folder.file("a.comp", source);
    std::fs::create_dir_all(folder.path("include")).unwrap();
    folder.file("include/part.glsl", b"float part() { return 7.0; }\n");
    let include = folder.path("include");
    let words = ["run", &file, "-I", &include, "-DSIZE=1", "--buffer", "0.0=zero:4", "--dump", "0.0:f32"];
    if glslang_is_installed() {
        assert_eq!(out(&words), "7\n");
        fails(&["compile", &file, "-I", &include], b"", 1, "a.comp:4:");
    }
    let output = alone(&words);
    assert_eq!(output.status.code(), Some(4));
    assert!(
        stderr(&output).contains("-I, -D, --glsl and --auto-map need glslangValidator"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn hlsl_is_translated_where_a_translator_is_installed() {
    let folder = Folder::new("hlsl");
    let source = b"RWStructuredBuffer<float> data : register(u0);\n[numthreads(4, 1, 1)]\n\
        void scale(uint3 id : SV_DispatchThreadID) { data[id.x] = data[id.x] * GAIN; }\n";
    let file = folder.file("a.comp.hlsl", source);
    let words =
        ["run", &file, "--entry", "scale", "-DGAIN=3.0", "--buffer", "0.0=f32:1,2,3,4", "--dump", "0.0:f32"];
    if glslang_is_installed() {
        assert_eq!(out(&words), "3, 6, 9, 12\n");
        let bad = folder.file("b.comp.hlsl", b"[numthreads(1, 1, 1)]\nvoid main() { x = 1; }\n");
        fails(&["compile", &bad], b"", 1, "b.comp.hlsl:2:");
        fails(&["compile", &folder.file("c.hlsl", source)], b"", 2, "error[AGX0105]");
    }
    let output = alone(&words);
    assert_eq!(output.status.code(), Some(4));
    assert!(stderr(&output).contains("HLSL needs dxc or glslangValidator"), "{}", stderr(&output));
}
