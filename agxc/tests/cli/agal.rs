//! AGAL programs: assembly, byte code, compilation.

use crate::harness::{Folder, agxc, fails, out, out_with, stderr};

/// A vertex program that transforms its position, in the assembler's syntax.
const TRANSFORM: &[u8] = b".agal 1 vertex\nm44 op, va0, vc0\nmov v0, va1\n";

#[test]
fn assembly_becomes_byte_code_and_comes_back() {
    let folder = Folder::new("agal-asm");
    let source = folder.file("transform.agal", TRANSFORM);
    let code = folder.path("transform.bin");
    out(&["asm", "-x", "agal", &source, "-o", &code]);
    let bytes = std::fs::read(&code).unwrap();
    assert_eq!((bytes.len(), &bytes[..7]), (7 + 2 * 24, &[0xa0, 1, 0, 0, 0, 0xa1, 0][..]));
    let text = out(&["disasm", "-x", "agal", &code]);
    assert!(text.contains("m44 op, va0, vc0"), "{text}");
    let again = folder.file("again.agal", text.as_bytes());
    let second = folder.path("again.bin");
    out(&["asm", "-x", "agal", &again, "-o", &second]);
    assert_eq!(bytes, std::fs::read(&second).unwrap());
    fails(&["disasm", "-x", "agal", &code, "--shader", "1"], b"", 1, "the file has one, with number 0");
}

#[test]
fn byte_code_and_text_compile_to_the_same_code() {
    let folder = Folder::new("agal-compile");
    let source = folder.file("transform.agal", TRANSFORM);
    let code = folder.path("transform.bin");
    out(&["asm", "-x", "agal", &source, "-o", &code]);
    let [from_text, from_code] = [&source, &code].map(|path| {
        let listing = out(&["compile", "-x", "agal", path]);
        // Only text has lines.
        listing.lines().filter(|line| !line.contains("transform.")).map(str::to_owned).collect::<Vec<_>>()
    });
    assert_eq!(from_text, from_code);
    assert!(out(&["stats", &source]).contains("Instrs:"));
    let broken = folder.file("broken.agal", b".agal 1 vertex\nmov op, qq0\n");
    fails(&["compile", &broken], b"", 1, "broken.agal:2:");
}

#[test]
fn a_vertex_runs_with_its_registers() {
    let folder = Folder::new("agal-run");
    let source = folder.file("scaled.agal", b".agal 1 vertex\nmul vt0, va0, vc4\nmov op, vt0\nmov v1, va1\n");
    let run = ["run", &source, "--register", "va0=1,2,3", "--register", "vc4=2,2,2,1", "--register", "va1=5"];
    assert_eq!(out(&run), "position: 2.0, 4.0, 6.0, 1.0\nlocation 1: 5.0, 0.0, 0.0, 1.0\n");
    fails(&["run", &source, "--register", "fc0=1"], b"", 2, "expected va0=\u{2026} or vc0=\u{2026}");
}

#[test]
fn text_with_the_directive_is_recognised_without_extension() {
    let text = b"// a copy\n.agal 2 fragment\nmov oc, v0\n";
    assert!(out_with(&["stats", "-"], text).contains("Instrs: "));
    let folder = Folder::new("agal-stats");
    let source = folder.file("copy.txt", text);
    assert!(out(&["compile", &source]).contains("fragment shader"));
    assert_eq!(
        out(&["disasm", "-x", "agal", &{
            let code = folder.path("copy.bin");
            out(&["asm", "-x", "agal", &source, "-o", &code]);
            code
        }]),
        ".agal 2 fragment\nmov oc, v0\n"
    );
}

#[test]
fn errors_name_the_line_of_the_text() {
    let folder = Folder::new("agal-errors");
    let source = folder.file("wrong.agal", b"// a comment\nmov op, va0\nmov v0, va1.xyzwx\n  mov vc3, va0\n");
    let message = "wrong.agal:4:7: error[AGX2303]: destination: a constant is written (register 3; Adobe error 3652)\n    \
                   4 |   mov vc3, va0\n      |       ^\n";
    fails(&["compile", &source], b"", 1, message);
    let source = folder.file("short.agal", b"mov v0, va0\n");
    let message = "a vertex program must write all components of its position (Adobe error 3635)\n";
    fails(&["compile", "--option", "strict", &source], b"", 1, message);
}

#[test]
fn costs_have_source_lines() {
    let folder = Folder::new("agal-lines");
    let source = folder.file("transform.agal", TRANSFORM);
    let text = out(&["compile", "--emit", "lines", &source]);
    assert!(text.contains("transform.agal:2  m44 op, va0, vc0"), "{text}");
}

#[test]
fn texts_without_instructions_are_refused() {
    let folder = Folder::new("agal-empty");
    let [empty, comment, heading] = [("e", &b""[..]), ("c", b"// nothing\n"), ("h", b".agal 1 fragment\n")]
        .map(|(name, text)| folder.file(&format!("{name}.agal"), text));
    for path in [&empty, &comment] {
        fails(&["compile", path], b"", 1, "error[AGX2302]: expected instructions, found none");
        fails(&["asm", "-x", "agal", path], b"", 1, "error[AGX0200]: expected instructions, found none");
    }
    fails(
        &["compile", &heading],
        b"",
        1,
        "error[AGX2303]: program: the program has no tokens (Adobe error 3615)",
    );
    fails(&["asm", "-x", "agal", &heading], b"", 1, "error[AGX0200]: expected instructions, found none");
    fails(&["compile", "-x", "agal", "-"], b"", 1, "expected instructions, found none");
    fails(&["asm", "-x", "asm", "-"], b"", 1, "error[AGX0301]: expected instructions, found none");
    fails(&["asm", "-x", "asm", "-"], b"; nothing\n", 1, "error[AGX0301]: expected instructions, found none");
    fails(&["validate", "-x", "asm", "-"], b"", 1, "error[AGX0301]: expected instructions, found none");
    fails(&["compile", "-x", "pica200", "-"], b"", 1, "error[AGX2401]: expected instructions, found none");
    fails(
        &["asm", "-x", "pica200", "-"],
        b"; nothing\n",
        1,
        "error[AGX0200]: expected instructions, found none",
    );
    fails(&["compile", "-x", "tgsi", "-"], b"", 1, "found the end of the text");
}

/// A scene of a pair of programs.
fn scene(vertex: &str, fragment: &str, buffers: &str) -> String {
    format!(
        r#"{{ "size": [4, 4], "buffers": [{buffers}], "draws": [{{ "vertex": {{ "file": "{vertex}" }},
        "fragment": {{ "file": "{fragment}" }}, "vertices": 3, "vertex_buffers": [{{ "stride": 16,
        "f32": [-1,-1,0,1, 3,-1,0,1, -1,3,0,1], "attributes": [{{ "location": 0, "format": "R32G32B32A32_SFLOAT" }}] }}] }}] }}"#
    )
}

#[test]
fn a_pair_must_fit_together() {
    let folder = Folder::new("agal-pair");
    folder.file("v.agal", b".agal 1 vertex\nmov op, va0\nmov v0.xy, va0\n");
    folder.file("reads3.agal", b".agal 1 fragment\nadd ft0, v0, v3\nmov oc, ft0\n");
    folder.file("reads0.agal", b".agal 1 fragment\nmov oc, v0\n");
    folder.file(
        "v.wgsl",
        b"struct O { @builtin(position) p: vec4f, @location(1) a: vec4f }\n\
          @vertex fn main(@location(0) p: vec4f) -> O { return O(p, p); }\n",
    );
    folder.file(
        "f.wgsl",
        b"@fragment fn main(@location(2) a: vec2f) -> @location(0) vec4f { return a.xyxy; }\n",
    );
    folder.file(
        "g.wgsl",
        b"@fragment fn main(@location(1) a: vec2f) -> @location(0) vec4f { return a.xyxy; }\n",
    );
    folder.file(
        "f.tgsi",
        b"FRAG\nDCL IN[0], GENERIC[5], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n",
    );
    let png = folder.path("none.png");
    let unwritten = "a varying is read that the vertex program does not write (register 3; Adobe error 3632)";
    let cases = [
        ("v.agal", "reads3.agal", Some(unwritten)),
        ("v.agal", "reads0.agal", None),
        ("v.wgsl", "f.wgsl", Some("location 2 is read, which the vertex shader")),
        ("v.wgsl", "g.wgsl", None),
        ("v.agal", "f.tgsi", Some("location 5 is read, which the vertex shader")),
        ("v.wgsl", "reads0.agal", Some("location 0 is read, which the vertex shader")),
    ];
    for (vertex, fragment, message) in cases {
        let path = folder.file("pair.json", scene(vertex, fragment, "").as_bytes());
        let output = agxc(&["render", &path, "-o", &png]);
        let text = stderr(&output);
        match message {
            None => assert_eq!((output.status.code(), text.as_str()), (Some(0), ""), "{vertex} {fragment}"),
            Some(message) => {
                assert_eq!(output.status.code(), Some(1), "{vertex} {fragment}: {text}");
                let place = format!("{fragment}: error[AGX0205]: ");
                assert!(text.contains(&place) && text.contains(message), "{text}");
            }
        }
    }
}

#[test]
fn a_missing_buffer_is_that_of_the_program_that_reads_it() {
    let folder = Folder::new("agal-buffers");
    folder.file("plain.agal", b".agal 1 vertex\nmov op, va0\nmov v0, va0\n");
    folder.file("scaled.agal", b".agal 1 vertex\nmul op, va0, vc0\nmov v0, va0\n");
    folder.file("tinted.agal", b".agal 1 fragment\nmul oc, v0, fc0\n");
    folder.file("bare.agal", b".agal 1 fragment\nmov oc, v0\n");
    let png = folder.path("none.png");
    let render = |vertex: &str, fragment: &str| {
        let path = folder.file("pair.json", scene(vertex, fragment, "").as_bytes());
        stderr(&agxc(&["render", &path, "-o", &png]))
    };
    // A program without constants needs no buffer.
    assert_eq!(render("plain.agal", "bare.agal"), "");
    for (vertex, fragment, name, binding) in [
        ("scaled.agal", "bare.agal", "scaled.agal", 0),
        ("scaled.agal", "tinted.agal", "scaled.agal", 0),
        ("plain.agal", "tinted.agal", "tinted.agal", 1),
    ] {
        let text = render(vertex, fragment);
        let expected = format!("{name}: error[AGX0400]: the shader uses set 0, binding {binding}, ");
        assert!(text.contains(&expected), "{text}");
    }
}
