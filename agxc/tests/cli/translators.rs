//! glslangValidator: HLSL and its entry points, dialects of GLSL, names of files, and programs that fail.

use std::process::{Command, Output};

use crate::harness::{Folder, agxc, fails, glslang_is_installed, out, stderr};

const HLSL: &str = "float4 VSMain(uint i : SV_VertexID) : SV_Position { return float4(i == 1 ? 3 : -1, i == 2 ? 3 : -1, 0, 1); }\n\
    float4 Red() : SV_Target { return float4(1, 0, 0, 1); }\nfloat4 Green() : SV_Target { return float4(0, 1, 0, 1); }\n";

#[test]
fn an_hlsl_entry_point_that_does_not_exist_is_an_error() {
    if !glslang_is_installed() {
        eprintln!("skipped: glslangValidator is not installed");
        return;
    }
    let folder = Folder::new("hlsl-entry");
    let file = folder.file("a.frag.hlsl", HLSL.as_bytes());
    let missing =
        "error[AGX1020]: no entry point `main`; the file defines VSMain, Red, Green; choose one with --entry";
    fails(&["compile", &file], b"", 1, missing);
    let missing = "error[AGX1020]: no entry point `nosuch`; the file defines VSMain, Red, Green\n";
    fails(&["compile", &file, "--entry", "nosuch"], b"", 1, missing);
    fails(&["stats", &file, "--entry", "nosuch"], b"", 1, missing);
    let key = folder.file("key.json", b"{\"entry_point\": \"Red\"}");
    let red = out(&["compile", &file, "--entry", "Red"]);
    assert_eq!(out(&["compile", &file, "--key", &key]), red);
    assert_ne!(out(&["compile", &file, "--entry", "Green"]), red);
    let key = folder.file("key.json", b"{\"entry_point\": \"nosuch\"}");
    fails(&["compile", &file, "--key", &key], b"", 1, missing);
}

#[test]
fn a_scene_names_entry_points_of_hlsl() {
    if !glslang_is_installed() {
        eprintln!("skipped: glslangValidator is not installed");
        return;
    }
    let folder = Folder::new("hlsl-scene");
    folder.file("a.hlsl", HLSL.as_bytes());
    let drawn = |entry: &str| {
        let scene = format!(
            "{{\"size\": [2, 2], \"draws\": [{{\"vertices\": 3, \"vertex\": {{\"file\": \"a.hlsl\", \"entry\": \"VSMain\"}}, \
             \"fragment\": {{\"file\": \"a.hlsl\", \"entry\": \"{entry}\"}}}}]}}"
        );
        let (scene, picture) = (folder.file("scene.json", scene.as_bytes()), folder.path("a.png"));
        let output = agxc(&["render", &scene, "-o", &picture]);
        (output.status.code(), stderr(&output), std::fs::read(picture).unwrap_or_default())
    };
    let (red, green) = (drawn("Red"), drawn("Green"));
    assert_eq!((red.0, red.1.as_str(), green.0), (Some(0), "", Some(0)));
    assert_ne!(red.2, green.2);
    let missing = drawn("Blue");
    assert!(missing.0 == Some(1) && missing.1.contains("no entry point `Blue`"), "{}", missing.1);
}

#[test]
fn dialects_of_glsl_are_named() {
    let folder = Folder::new("dialects");
    let cases = [
        (
            "a.frag",
            "#version 300 es\nprecision highp float;\nin vec2 uv;\nout vec4 o;\nvoid main() { o = uv.xyxy; }\n",
            "WebGL 2",
        ),
        (
            "b.frag",
            "precision mediump float;\nvarying vec2 uv;\nvoid main() { gl_FragColor = uv.xyxy; }\n",
            "WebGL 1",
        ),
        (
            "c.vert",
            "#version 330 core\nin vec3 p;\nvoid main() { gl_Position = vec4(p, 1.0); }\n",
            "OpenGL's GLSL 3.30",
        ),
        (
            "d.frag",
            "void mainImage(out vec4 c, in vec2 p) { c = vec4(p / iResolution.xy, 0, 1); }\n",
            "Shadertoy",
        ),
    ];
    for (name, text, dialect) in cases {
        let file = folder.file(name, text.as_bytes());
        let outputs = if glslang_is_installed() { vec![agxc(&["compile", &file])] } else { Vec::new() };
        #[cfg(feature = "glsl")]
        let outputs = [outputs, vec![crate::harness::alone(&["compile", &file])]].concat();
        for output in outputs {
            let text = stderr(&output);
            assert!(text.contains(dialect) && text.contains("`#version 450`"), "{name}: {text}");
            assert_ne!(output.status.code(), Some(0), "{name}");
        }
    }
}

/// The main part of a fragment shader, without what describes its interface.
fn main_part(arguments: &[&str]) -> String {
    let text = out(arguments);
    let (_, code) = text.split_once(".part main").unwrap_or_else(|| panic!("{text}"));
    code.lines().filter(|line| !line.trim_start().starts_with("; ")).collect::<Vec<_>>().join("\n")
}

/// The same fragment shader in dialects of GLSL.
const DIALECTS: [(&str, &str); 5] = [
    (
        "webgl",
        "#ifdef GL_ES\nprecision highp float;\n#endif\nuniform float time;\nuniform sampler2D tex;\nvarying vec2 uv;\n\
         void main() { gl_FragColor = texture2D(tex, uv) * time; }\n",
    ),
    (
        "webgl",
        "#version 300 es\nprecision highp float;\nuniform float time;\nuniform sampler2D tex;\nin vec2 uv;\nout vec4 o;\n\
         void main() { o = texture(tex, uv) * time; }\n",
    ),
    (
        "es",
        "#version 310 es\nprecision highp float;\nuniform float time;\nlayout(binding = 1) uniform sampler2D tex;\n\
         layout(location = 0) in vec2 uv;\nout vec4 o;\nvoid main() { o = texture(tex, uv) * time; }\n",
    ),
    (
        "opengl",
        "#version 120\nuniform float time;\nuniform sampler2D tex;\nvarying vec2 uv;\n\
         void main() { gl_FragData[0] = texture2D(tex, uv) * time; }\n",
    ),
    (
        "opengl",
        "#version 330 core\nuniform float time;\nuniform sampler2D tex;\nin vec2 uv;\nout vec4 o;\n\
         void main() { o = texture(tex, uv) * time; }\n",
    ),
];

#[test]
fn dialects_of_glsl_are_translated() {
    if !glslang_is_installed() {
        eprintln!("skipped: glslangValidator is not installed");
        return;
    }
    let folder = Folder::new("translated-dialects");
    let vulkan = |body: &str| {
        let text = format!(
            "#version 450\nlayout(set = 0, binding = 0) uniform U {{ float time; }};\n\
             layout(set = 0, binding = 1) uniform sampler2D tex;\nlayout(location = 0) in vec2 uv;\n\
             layout(location = 0) out vec4 o;\nvoid main() {{ o = {body}; }}\n"
        );
        main_part(&["compile", &folder.file("vulkan.frag", text.as_bytes())])
    };
    let expected = vulkan("texture(tex, uv) * time");
    for (dialect, text) in DIALECTS {
        let file = folder.file("a.frag", text.as_bytes());
        assert_eq!(main_part(&["compile", &file, "--glsl", dialect]), expected, "{dialect}: {text}");
    }
    // Vulkan's GLSL without locations and bindings.
    let text = "#version 450\nuniform float time;\nuniform sampler2D tex;\nin vec2 uv;\nout vec4 o;\n\
        void main() { o = texture(tex, uv) * time; }\n";
    let file = folder.file("b.frag", text.as_bytes());
    assert_eq!(main_part(&["compile", &file, "--auto-map"]), expected);
    assert_ne!(agxc(&["compile", &file]).status.code(), Some(0));
}

#[test]
fn shaders_of_shadertoy_have_their_inputs() {
    if !glslang_is_installed() {
        eprintln!("skipped: glslangValidator is not installed");
        return;
    }
    let folder = Folder::new("shadertoy");
    let toy = "void mainImage(out vec4 c, in vec2 p) {\n\
        c = vec4(p / iResolution.xy, iTime, iTimeDelta) + iFrameRate * iMouse + float(iFrame) * iDate;\n\
        c.x += iSampleRate * iChannelTime[2] + iChannelResolution[3].y;\n\
        c += texture(iChannel0, p) + texture(iChannel3, p);\n}\n";
    let vulkan = "#version 450\n\
        layout(set = 0, binding = 0) uniform U { layout(offset = 0) vec3 size; layout(offset = 12) float time;\n\
        layout(offset = 16) float delta; layout(offset = 20) float rate; layout(offset = 24) int number;\n\
        layout(offset = 28) float samples; layout(offset = 32) vec4 mouse; layout(offset = 48) vec4 date;\n\
        layout(offset = 64) float times[4]; layout(offset = 128) vec3 sizes[4]; };\n\
        layout(set = 0, binding = 1) uniform sampler2D first;\nlayout(set = 0, binding = 4) uniform sampler2D last;\n\
        layout(location = 0) out vec4 o;\n\
        void main() { vec2 p = vec2(gl_FragCoord.x, size.y - gl_FragCoord.y);\n\
        vec4 c = vec4(p / size.xy, time, delta) + rate * mouse + float(number) * date;\n\
        c.x += samples * times[2] + sizes[3].y;\nc += texture(first, p) + texture(last, p);\no = c; }\n";
    let (toy, same) = (folder.file("a.frag", toy.as_bytes()), folder.file("b.frag", vulkan.as_bytes()));
    assert_eq!(main_part(&["compile", &toy, "--glsl", "shadertoy"]), main_part(&["compile", &same]));
    let interface = out(&["compile", &toy, "--glsl", "shadertoy"]);
    assert!(interface.contains("0.0") && interface.contains("0.4"), "{interface}");
}

#[test]
fn a_vertex_shader_of_webgl_runs() {
    if !glslang_is_installed() {
        eprintln!("skipped: glslangValidator is not installed");
        return;
    }
    let folder = Folder::new("webgl-vertex");
    let vertex = "attribute vec3 p;\nvarying vec2 uv;\nvoid main() {\n  uv = p.xy * 2.0;\n  gl_Position = vec4(p, 1.0);\n}\n";
    let file = folder.file("e.vert", vertex.as_bytes());
    let ran = out(&["run", &file, "--glsl", "webgl", "--register", "location0=1,2,3"]);
    assert_eq!(ran, "position: 1.0, 2.0, 3.0, 1.0\nlocation 0: 2.0, 4.0\n");
    let file = folder.file("f.vert", vertex.replace("p.xy", "q.xy").as_bytes());
    fails(
        &["compile", &file, "--glsl", "webgl"],
        b"",
        1,
        "f.vert:4:1: error[AGX0200]: 'q' : undeclared identifier",
    );
    fails(
        &["compile", &file, "--glsl", "metal"],
        b"",
        2,
        "unknown dialect `metal`; expected vulkan, opengl, es, webgl, shadertoy",
    );
}

#[test]
fn languages_of_other_programs_are_named_with_their_command() {
    let folder = Folder::new("elsewhere");
    for (name, command) in [
        ("a.spvasm", "`spirv-as %a.spvasm -o %a.spv`"),
        ("a.slang", "`slangc %a.slang -target spirv -o %a.spv`"),
        ("a.metal", "no program translates the Metal Shading Language to SPIR-V; `slangc "),
        ("a.cl", "`clang -cl-std=CL3.0 -target spirv64 -O2 -c %a.cl -o %a.spv`"),
    ] {
        let file = folder.file(name, b"; SPIR-V\n");
        let path = folder.path("");
        fails(&["compile", &file], b"", 2, &command.replace('%', &path));
    }
}

#[test]
fn names_of_files_give_language_and_stage() {
    let folder = Folder::new("extensions");
    let fragment =
        b"// text\n#version 450\nlayout(location = 0) out vec4 o;\nvoid main() { o = vec4(1.0); }\n";
    let vertex = b"// text\n#version 450\nvoid main() { gl_Position = vec4(1.0); }\n";
    for name in ["a.frag.glsl", "a.fs"] {
        assert!(out(&["compile", &folder.file(name, fragment)]).contains("fragment shader"), "{name}");
    }
    for name in ["a.vert.glsl", "a.vs"] {
        assert!(out(&["compile", &folder.file(name, vertex)]).contains("vertex shader"), "{name}");
    }
    fails(&["compile", &folder.file("a.glsl", fragment)], b"", 2, "error[AGX0105]");
}

/// Runs agxc with a program in place of glslangValidator.
#[cfg(unix)]
fn with_translator(folder: &Folder, script: &str, arguments: &[&str]) -> Output {
    use std::os::unix::fs::PermissionsExt as _;

    std::fs::create_dir_all(folder.path("bin")).unwrap();
    let program = folder.file("bin/glslangValidator", format!("#!/bin/sh\n{script}\n").as_bytes());
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.path("bin"), std::env::var("PATH").unwrap());
    Command::new(env!("CARGO_BIN_EXE_agxc")).args(arguments).env("PATH", path).output().unwrap()
}

#[test]
#[cfg(unix)]
fn a_translator_that_fails_is_blamed() {
    let folder = Folder::new("translator");
    let file = folder.file("a.comp", b"#version 450\nvoid main() {}\n");
    let cases = [
        ("kill -9 $$", 4, "error[AGX0111]: glslangValidator failed (signal: 9 (SIGKILL)): no message"),
        (
            "echo; echo license expired; exit 3",
            4,
            "glslangValidator failed (exit status: 3): license expired",
        ),
        (
            "exit 0",
            3,
            "error[AGX0002]: glslangValidator wrote 0 bytes, which are not a whole module; is the folder",
        ),
        (
            "while [ \"$1\" != -o ]; do shift; done; printf '\\003\\002\\043\\007' > \"$2\"",
            3,
            "glslangValidator wrote 4 bytes, which are not a whole module",
        ),
        (
            "echo 'ERROR: stdin:2: bad'; echo 'WARNING: stdin:1: odd'; exit 2",
            1,
            "a.comp:2:1: error[AGX0200]: bad\n",
        ),
    ];
    for (script, code, message) in cases {
        let output = with_translator(&folder, script, &["compile", &file]);
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{script}: {text}");
        assert!(text.contains(message) && !text.contains("AGX1003"), "{script}: {text}");
    }
    if glslang_is_installed() {
        let script =
            "echo 'WARNING: stdin:2: odd'; PATH=/usr/bin:/usr/local/bin exec glslangValidator \"$@\"";
        let output = with_translator(&folder, script, &["compile", &file]);
        assert!(stderr(&output).contains("a.comp:2:1: warning[AGX0508]: odd\n"), "{}", stderr(&output));
        assert_eq!(output.status.code(), Some(0));
        let denied = with_translator(&folder, script, &["compile", "--deny", "AGX0508", &file]);
        assert_eq!(denied.status.code(), Some(1));
    }
}
