//! Texts in WGSL: what is accepted, what is refused and how; byte order marks; signs in messages.

use crate::harness::{Folder, agxc, alone, fails, out, out_with, stderr};

const HEAD: &str = "@group(0) @binding(0) var<storage, read_write> d: array<f32>;\n";

/// The contents of buffer 0.0 after a run of `text`, whose entry point is one invocation.
fn ran(name: &str, text: &str, buffer: &str) -> String {
    let folder = Folder::new("texts-run");
    let file = folder.file(&format!("{name}.wgsl"), text.as_bytes());
    let buffer = format!("0.0=f32:{buffer}");
    out(&["run", &file, "--buffer", &buffer, "--dump", "0.0:f32"]).trim_end().to_owned()
}

#[test]
fn pointers_to_parts_are_arguments() {
    let add = "struct F { v: f32, w: array<f32, 2> }\nfn g(p: ptr<function, f32>) { *p += 1.0; }\n";
    let cases = [
        // A member, twice: (10 + 1 + 1) and the other one stays.
        (
            "member",
            "var f = F(d[1], array(2.0, 3.0)); g(&f.v); g(&f.v); d[0] = f.v; d[2] = f.w[0];",
            "12, 10, 2",
        ),
        // Elements by computed indices; the last one is clamped.
        (
            "element",
            "var a = array(1.0, 2.0, 3.0); for (var i = 0u; i < 4u; i++) { g(&a[i]); } d[0] = a[0]; d[1] = a[1]; d[2] = a[2];",
            "2, 3, 5",
        ),
        (
            "nested",
            "var f = F(1.0, array(2.0, 3.0)); h(&f); d[0] = f.v; d[1] = f.w[0]; d[2] = f.w[1];",
            "2, 3, 4",
        ),
        (
            "named",
            "var f = F(1.0, array(2.0, 3.0)); let p = &f.w[1]; g(p); d[0] = f.w[1]; d[1] = *p;",
            "4, 4, 0",
        ),
        (
            "column",
            "var m = mat2x2f(1, 2, 3, 4); c(&m[1]); d[0] = m[0].y; d[1] = m[1].y; d[2] = m[1].x;",
            "2, 7, 3",
        ),
        (
            "private",
            "q.w[0] = 5.0; r(&q.w[0]); r(&q.w[u32(d[1]) - 9u]); d[0] = q.w[0]; d[2] = q.w[1];",
            "7, 10, 2",
        ),
        (
            "result",
            "var f = F(4.0, array(2.0, 3.0)); d[0] = s(&f.v, 0.5) + s(&f.v, 0.25); d[1] = f.v;",
            "8.5, 4.75, 0",
        ),
    ];
    let more = "fn h(p: ptr<function, F>) { g(&(*p).v); g(&(*p).w[1]); let r = &(*p).w[0]; g(r); }\n\
        fn c(p: ptr<function, vec2f>) { (*p).y = 7.0; }\nvar<private> q: F;\n\
        fn r(p: ptr<private, f32>) { *p += 2.0; }\n\
        fn s(p: ptr<function, f32>, by: f32) -> f32 { let old = *p; *p += by; return old; }\n";
    for (name, body, expected) in cases {
        let text = format!("{HEAD}{add}{more}@compute @workgroup_size(1) fn main() {{ {body} }}\n");
        assert_eq!(ran(name, &text, "0,10,0"), expected, "{name}");
    }
}

#[test]
fn pointers_to_shared_variables_are_arguments() {
    let cases = [
        (
            "array",
            "var<workgroup> t: array<f32, 4>;\nfn put(p: ptr<workgroup, array<f32, 4>>, i: u32, v: f32) { (*p)[i] = v; }\n\
             fn twice(x: f32, p: ptr<workgroup, array<f32, 4>>) -> f32 { put(p, 1u, x); return 2.0 * (*p)[1]; }\n",
            "d[0] = twice(5.0, &t); let p = &t; put(p, 2u, 3.0); d[2] = t[2] + twice(1.0, p);",
            "10, 10, 5",
        ),
        (
            "atomic",
            "var<workgroup> a: atomic<u32>;\nvar<workgroup> b: atomic<u32>;\n\
             fn bump(p: ptr<workgroup, atomic<u32>>, by: u32) -> u32 { return atomicAdd(p, by); }\n\
             fn both(p: ptr<workgroup, atomic<u32>>, q: ptr<workgroup, atomic<u32>>) { bump(p, 1u); bump(q, 10u); }\n",
            "both(&a, &b); both(&b, &a); both(&a, &b); d[0] = f32(atomicLoad(&a)); d[1] = f32(atomicLoad(&b)); d[2] = f32(bump(&a, 1u));",
            "12, 21, 12",
        ),
        (
            "storage",
            "fn put(p: ptr<storage, array<f32>, read_write>, v: f32) -> u32 { (*p)[1] = v; return arrayLength(p); }\n\
             fn unused(p: ptr<workgroup, f32>) { *p = 1.0; }\n",
            "d[0] = f32(put(&d, 7.0)); d[2] = d[1];",
            "3, 7, 7",
        ),
        (
            "parts",
            "struct F { v: vec2f, w: array<array<f32, 4>, 3> }\nvar<workgroup> f: array<F, 2>;\n\
             fn add(p: ptr<workgroup, f32>, x: f32) -> f32 { *p += x; return *p; }\n\
             fn row(p: ptr<workgroup, array<f32, 4>>, at: u32) { add(&(*p)[at], 3.0); }\n\
             fn both(p: ptr<workgroup, F>, i: i32) { row(&(*p).w[i], 2u); (*p).v.y = add(&(*p).w[2][2], 0.5); }\n\
             fn put(p: ptr<storage, f32, read_write>, v: f32) { *p = v; }\n",
            // Row 2 of the second element: 3 + 0.5, and 1 more; the first one stays 0.
            "let i = i32(d[1]) - 8; both(&f[1], i); put(&d[i], add(&f[1].w[i][2], 1.0)); d[0] = f[1].v.y; d[1] = f[0].w[2][2];",
            "3.5, 0, 4.5",
        ),
    ];
    for (name, functions, body, expected) in cases {
        let text = format!("{HEAD}{functions}@compute @workgroup_size(1) fn main() {{ {body} }}\n");
        assert_eq!(ran(name, &text, "0,10,0"), expected, "{name}");
    }
}

#[test]
fn functions_that_return_from_loops_have_no_end() {
    let main = "@compute @workgroup_size(1) fn main() { d[0] = f(d[1]); d[2] = f(d[3]); }\n";
    let accepted = [
        // The first whole number above x.
        ("loop", "var i = 0; loop { i++; if f32(i) > x { return f32(i); } }", "4, 3.5, 1, 0.5"),
        ("for", "for (var i = 0; ; i++) { if f32(i) > x { return f32(i) + 0.5; } }", "4.5, 3.5, 1.5, 0.5"),
        (
            "arms",
            "if x > 1.0 { loop { if x > 2.0 { return 1.0; } } } else { loop { return 7.0; } }",
            "1, 3.5, 7, 0.5",
        ),
        (
            "switch",
            "switch i32(x) { case 3: { loop { return 1.0; } } default: { return 2.0; } }",
            "1, 3.5, 2, 0.5",
        ),
        ("inner", "loop { loop { if x > 1.0 { break; } return 9.0; } return 8.0; }", "8, 3.5, 9, 0.5"),
    ];
    for (name, body, expected) in accepted {
        let text = format!("{HEAD}fn f(x: f32) -> f32 {{ {body} }}\n{main}");
        assert_eq!(ran(name, &text, "0,3.5,0,0.5"), expected, "{name}");
    }
    let folder = Folder::new("texts-ends");
    let refused = [
        "loop { if x > 1.0 { break; } return 2.0; }",
        "while x > 1.0 { return 2.0; }",
        "loop { continuing { break if x > 1.0; } }",
        "for (var i = 0; i < 4; i++) { return 2.0; }",
        "switch i32(x) { case 3: { break; } default: { return 2.0; } }",
        "if x > 1.0 { return 1.0; }",
        "return;",
    ];
    for body in refused {
        let text = format!("{HEAD}fn f(x: f32) -> f32 {{ {body} }}\n{main}");
        fails(&["compile", &folder.file("a.wgsl", text.as_bytes())], b"", 1, "error[AGX2201]");
    }
}

#[test]
fn valid_wgsl_that_is_not_supported_has_its_own_exit_code() {
    let body = |text: &str| format!("{HEAD}@compute @workgroup_size(1) fn main() {{ {text} }}\n");
    let cases = [
        (body("const c = smoothstep(0.0, 1.0, 0.5); d[0] = c;"), "AGX2225"),
        (body("const c = pack4x8unorm(vec4f(1)); d[0] = f32(c);"), "AGX2225"),
        (
            (0..65).fold(format!("{HEAD}fn g(p: ptr<workgroup, f32>) {{ *p = 1.0; }}\n"), |text, at| {
                text + &format!("var<workgroup> w{at}: f32;\n")
            }) + &body(&(0..65).map(|at| format!("g(&w{at});")).collect::<String>()),
            "AGX2214",
        ),
        (format!("enable chromium_internal_graphite;\n{}", body("d[0] = 1.0;")), "AGX2226"),
    ];
    let folder = Folder::new("texts-unsupported");
    for (text, code) in cases {
        let file = folder.file("a.wgsl", text.replacen(HEAD, "", text.matches(HEAD).count() - 1).as_bytes());
        fails(&["compile", &file], b"", 4, &format!("error[{code}]"));
    }
}

#[test]
fn subgroups_may_be_enabled() {
    let text = format!(
        "enable f16, subgroups;\n{HEAD}@compute @workgroup_size(32)\n\
         fn main(@builtin(subgroup_invocation_id) i: u32) {{ d[i] = subgroupAdd(f32(i)) + f32(1h); }}\n"
    );
    // The numbers below 32 add up to 496.
    assert_eq!(ran("subgroups", &text, "0,0,0"), "497, 497, 497");
}

#[test]
fn deep_texts_end_with_a_limit() {
    let folder = Folder::new("texts-deep");
    let body = |text: String| format!("{HEAD}@compute @workgroup_size(1) fn main() {{ {text} }}\n");
    let sum = |terms: usize| body(format!("d[0] = d[1]{};", " + d[1]".repeat(terms)));
    out(&["compile", &folder.file("sum.wgsl", sum(5_000).as_bytes()), "-o", &folder.path("sum.s")]);
    let message = "error[AGX2211]: expressions and statements nest 50";
    fails(&["compile", &folder.file("long.wgsl", sum(50_000).as_bytes())], b"", 4, message);
    let brackets = body(format!("d[0] = {}d[1]{};", "(".repeat(198), ")".repeat(198)));
    fails(&["compile", &folder.file("brackets.wgsl", brackets.as_bytes())], b"", 4, "brackets.wgsl:2:");
    let name = body(format!("let {} = 1;", "n".repeat(100_000)));
    fails(
        &["compile", &folder.file("name.wgsl", name.as_bytes())],
        b"",
        4,
        "error[AGX2213]: a name is too long",
    );
    // A batch goes on.
    let batch = agxc(&["batch", "compile", folder.0.to_str().unwrap(), "-o", &folder.path("out")]);
    let text = stderr(&batch);
    assert_eq!(batch.status.code(), Some(4), "{text}");
    assert_eq!(std::fs::read_dir(folder.path("out")).unwrap().count(), 1, "{text}");
}

#[test]
#[cfg(feature = "glsl")]
fn deep_glsl_ends_with_a_limit_without_the_khronos_compiler() {
    let folder = Folder::new("texts-deep-glsl");
    let head = "#version 450\nlayout(set = 0, binding = 0) buffer B { float d[]; };\nvoid main() { d[0] = ";
    let nested = |levels: usize| format!("{head}{}d[1]{}; }}\n", "(".repeat(levels), ")".repeat(levels));
    let code = |name: &str, text: &str| {
        let output = alone(&["compile", &folder.file(name, text.as_bytes()), "-o", &folder.path("x.s")]);
        (output.status.code(), stderr(&output))
    };
    assert_eq!(code("a.comp", &nested(3_000)), (Some(0), String::new()));
    let (exit, text) = code("b.comp", &nested(100_000));
    assert!(exit == Some(4) && text.contains("error[AGX2211]"), "{text}");
    let macros = (1..7).map(|at| format!("#define M{at} {}\n", format!("M{} ", at - 1).repeat(10)));
    let macros: String = ["#define M0 -\n".to_owned()].into_iter().chain(macros).collect();
    let text = format!("#version 450\n{macros}void main() {{ float x = M6 1.0; }}\n");
    let (exit, text) = code("c.comp", &text);
    assert!(exit == Some(4) && text.contains("error[AGX2211]"), "{text}");
}

#[test]
fn a_byte_order_mark_is_ignored_in_every_text() {
    let folder = Folder::new("texts-mark");
    let texts = [
        ("a.wgsl", "@compute @workgroup_size(1) fn main() {}\n"),
        ("a.vert", "#version 450\nvoid main() { gl_Position = vec4(0.0); }\n"),
        ("a.agal", ".agal 1 vertex\nmov op, va0\n"),
        ("a.vsh", ".out p position\n.proc main\nmov p, v0\nend\n.end\n"),
        ("a.tgsi", "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND\n"),
        ("a.ir", "kernel @k() stage source {\nb0:\n}\n"),
    ];
    for (name, text) in texts {
        let plain = out(&["compile", &folder.file(name, text.as_bytes())]);
        let marked = folder.file(name, format!("\u{feff}{text}").as_bytes());
        assert_eq!(out(&["compile", &marked]), plain, "{name}");
        let kind = if name == "a.vert" { vec!["--stage", "vertex", "-"] } else { vec!["-"] };
        if name != "a.wgsl" && name != "a.ir" {
            let bytes = format!("\u{feff}{text}");
            out_with(&[&["compile"], &kind[..]].concat(), bytes.as_bytes());
        }
    }
    out(&["asm", &folder.file("a.s", "\u{feff}    stop\n".as_bytes()), "-o", &folder.path("a.bin")]);
    let key = folder.file("key.json", "\u{feff}{\"target\": \"g14g\"}".as_bytes());
    out(&["compile", &folder.file("a.wgsl", texts[0].1.as_bytes()), "--key", &key]);
    let wrong = folder.file("b.wgsl", "\u{feff}fn main() { let x = y; }".as_bytes());
    let text = stderr(&agxc(&["compile", &wrong]));
    let expected = "    1 | fn main() { let x = y; }\n      |                     ^\n";
    assert!(text.contains(":1:21: ") && text.ends_with(expected), "{text}");
}

#[test]
fn signs_that_a_terminal_obeys_are_not_printed() {
    let folder = Folder::new("texts-signs");
    let file = folder.file("a\x1b[31m.wgsl", b"fn main() { let x = \x1b[2Jy\x07; }\n");
    let text = stderr(&agxc(&["-v", "compile", &file]));
    assert!(text.contains("a␛[31m.wgsl:1:") && text.contains("let x = ␛[2Jy␇; }"), "{text}");
    assert!(!text.contains(['\x1b', '\x07']), "{text}");
    let long = folder.file("b.wgsl", format!("fn f() {{{}\n", "{".repeat(100_000)).as_bytes());
    let text = stderr(&agxc(&["compile", &long]));
    assert!(text.lines().all(|line| line.chars().count() < 300), "{text}");
}
