//! Input languages, keys, and errors for unsupported inputs.

use crate::harness::{Folder, agxc, alone, fails, out, stderr};

const COMPUTE: &str = "#version 450\nlayout(local_size_x = 1) in;\nlayout(constant_id = 3) const float gain = 1.0;\n\
    layout(set = 0, binding = 0) buffer Data { float data[]; };\nvoid main() { data[0] = data[0] * gain; }\n";

#[test]
#[cfg(feature = "glsl")]
fn glsl_that_needs_the_khronos_compiler_says_so() {
    let folder = Folder::new("glsl-hint");
    let include = b"#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"a.glsl\"\nvoid main() {}\n";
    let output = alone(&["compile", &folder.file("a.comp", include)]);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(4), "{text}");
    assert!(text.contains("a.comp:3:") && text.contains("preprocessor directive is not supported"), "{text}");
    assert!(
        text.contains("glslangValidator is not installed") && text.contains("install glslang-tools"),
        "{text}"
    );
    let output = alone(&["compile", &folder.file("b.comp", b"#version 450\nvoid main() { int x = 1 }\n")]);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("expected `,` or `;`") && text.contains("found `}`"), "{text}");
}

#[test]
fn unsupported_stages_are_named() {
    let folder = Folder::new("stages");
    for (extension, name) in [("rgen", "ray generation"), ("rmiss", "miss")] {
        let file = folder.file(&format!("a.{extension}"), b"#version 450\nvoid main() {}\n");
        fails(&["compile", &file], b"", 4, &format!("error[AGX0109]: {name} shaders are not supported"));
    }
    let message = "cannot infer the shader stage; use --stage, or an extension such as .vert, .frag or .comp";
    fails(&["compile", &folder.file("a.glsl", b"#version 450\nvoid main() {}\n")], b"", 2, message);
}

#[test]
fn shaders_of_software_stages_in_glsl_need_the_khronos_compiler() {
    let folder = Folder::new("software-stages");
    let shaders = [
        ("geom", "layout(points) in; layout(points, max_vertices = 1) out; void main() { EmitVertex(); }"),
        ("tesc", "layout(vertices = 3) out; void main() { gl_TessLevelInner[0] = 1.0; }"),
        ("tese", "layout(triangles) in; void main() { gl_Position = vec4(gl_TessCoord, 1.0); }"),
        ("task", "#extension GL_EXT_mesh_shader : require\nvoid main() { EmitMeshTasksEXT(1, 1, 1); }"),
    ];
    let installed = std::process::Command::new("glslangValidator").arg("--version").output().is_ok();
    for (extension, text) in shaders {
        let file = folder.file(&format!("a.{extension}"), format!("#version 450\n{text}\n").as_bytes());
        let output = alone(&["compile", &file]);
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(4), "{text}");
        assert!(
            text.contains("geometry, tessellation, task and mesh shaders need glslangValidator"),
            "{text}"
        );
        if installed {
            let listing = out(&["compile", &file]);
            assert!(listing.contains(".part main"), "{listing}");
        }
    }
}

#[test]
fn required_passes_cannot_be_disabled() {
    let kernel = b"kernel @k() {\nb0:\n}\n";
    let words = |pass| ["compile", "-x", "ir", "-", "--disable-pass", pass];
    fails(&words("regalloc"), kernel, 2, "pass `regalloc` is required and cannot be disabled");
    fails(&words("opt_fry"), kernel, 2, "unknown pass `opt_fry`");
}

#[test]
fn colours_can_be_asked_for() {
    let red = |arguments: &[&str]| stderr(&agxc(arguments)).contains("\x1b[1;31merror");
    assert!(red(&["--color", "always", "compile", "missing.spv"]));
    assert!(red(&["compile", "--color=always", "missing.spv"]));
    assert!(!red(&["--color", "never", "compile", "missing.spv"]));
    assert!(!red(&["compile", "missing.spv"]), "standard error is not a terminal");
}

#[test]
fn errors_show_the_line() {
    let output = agxc(&["compile", "-x", "asm", "missing"]);
    assert_eq!(output.status.code(), Some(3));
    let folder = Folder::new("excerpt");
    let file = folder.file("a.s", b"    stop\n    frob r0\n");
    let text = stderr(&agxc(&["asm", &file]));
    assert!(text.ends_with("    2 |     frob r0\n      |     ^\n"), "{text}");
}

#[test]
fn constants_are_set_by_number_and_by_name() {
    let folder = Folder::new("spec");
    let wgsl = b"@id(7) override gain: f32 = 1.0;\n@group(0) @binding(0) var<storage, read_write> data: array<f32>;\n\
        @compute @workgroup_size(1) fn main() { data[0] = data[0] * gain; }\n";
    let mut files = vec![(folder.file("a.wgsl", wgsl), "7=3")];
    let installed = std::process::Command::new("glslangValidator").arg("--version").output().is_ok();
    if installed {
        files.push((folder.file("a.comp", COMPUTE.as_bytes()), "3=3"));
    }
    for (file, by_number) in files {
        for spec in [by_number, "gain=3", "gain=3.0"] {
            let words = ["run", &file, "--spec", spec, "--buffer", "0.0=f32:2", "--dump", "0.0:f32"];
            assert_eq!(out(&words), "6\n", "{file} {spec}");
        }
        fails(
            &["compile", &file, "--spec", "volume=1"],
            b"",
            2,
            "unknown specialization constant `volume`; the module has gain",
        );
        fails(
            &["compile", &file, "--spec", "gain=loud"],
            b"",
            2,
            "specialization constant `gain=loud`: expected",
        );
    }
}
