//! Texts that nest deeply end with a result or an error on a small stack, as a thread of a driver has it.

use agx_abi::Stage;
use agx_compiler::{CompileKey, Compiler, ErrorKind, Input, Scratch};

/// Bytes of the stack; far less than naga needs.
const STACK_BYTES: usize = 256 << 10;

/// A text of a depth.
type Shape = (&'static str, fn(usize) -> String);

fn wgsl(body: String) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> d: array<f32>;\n@compute @workgroup_size(1) fn main() {{ {body} }}\n"
    )
}

fn glsl(body: String) -> String {
    format!(
        "#version 450\nlayout(set = 0, binding = 0) buffer B {{ float d[]; }};\nvoid main() {{ {body} }}\n"
    )
}

/// `before`, repeated, then `inside`, then `after`, repeated.
fn around(before: &str, inside: &str, after: &str, count: usize) -> String {
    format!("{}{inside}{}", before.repeat(count), after.repeat(count))
}

const WGSL: &[Shape] = &[
    ("sum", |n| wgsl(format!("d[0] = d[1]{};", " + d[1]".repeat(n)))),
    ("and", |n| wgsl(format!("if d[0] > 0.0 {} {{ d[1] = 0.0; }}", "&& d[1] > 0.0 ".repeat(n)))),
    ("brackets", |n| wgsl(format!("d[0] = {};", around("(", "d[1]", ")", n)))),
    ("calls", |n| wgsl(format!("d[0] = {};", around("abs(", "d[1]", ")", n)))),
    ("minus", |n| wgsl(format!("d[0] = {}d[1];", "- ".repeat(n)))),
    ("addresses", |n| wgsl(format!("var x = 1.0; d[0] = {}x;", "*&".repeat(n)))),
    ("targets", |n| wgsl(format!("var x = 1.0; {}x = 2.0;", "*&".repeat(n)))),
    ("selectors", |n| wgsl(format!("var v = vec4f(d[0]); v = v{};", ".wzyx".repeat(n)))),
    ("indices", |n| wgsl(format!("d[0] = {};", around("d[u32(", "d[1]", ")]", n)))),
    ("else", |n| {
        wgsl(format!("if d[0] > 0.0 {{ d[1] = 1.0; }} {}", "else if d[0] > 1.0 { d[1] = 2.0; } ".repeat(n)))
    }),
    ("blocks", |n| wgsl(around("{", "d[0] = 1.0;", "}", n))),
    ("ifs", |n| wgsl(around("if d[0] > 0.0 {", "d[0] = 1.0;", "}", n))),
    ("loops", |n| wgsl(around("loop {", "break;", "} break;", n))),
    ("switches", |n| wgsl(around("switch i32(d[0]) { case 1: {", "d[0] = 1.0;", "} default: {} }", n))),
    ("continuing", |n| wgsl(around("loop { break; continuing {", "d[0] = 1.0;", "} }", n))),
    ("templates", |n| wgsl(format!("let x = {}();", around("vec2<", "f32", ">", n)))),
    ("arrays", |n| {
        format!("var<private> x: {};\n{}", around("array<", "f32", ", 1>", n), wgsl(String::new()))
    }),
    ("constant", |n| wgsl(format!("const c = 1{}; d[0] = f32(c);", " + 1".repeat(n)))),
    ("constants", |n| {
        let each: String = (0..n).map(|at| format!("const c{at} = c{} + 1;\n", at + 1)).collect();
        format!("{each}const c{n} = 1;\n{}", wgsl("d[0] = f32(c0);".into()))
    }),
    ("functions", |n| {
        let each: String =
            (0..n).map(|at| format!("fn g{at}(x: i32) -> i32 {{ return g{}(x); }}\n", at + 1)).collect();
        format!("{each}fn g{n}(x: i32) -> i32 {{ return x; }}\n{}", wgsl("d[0] = f32(g0(1));".into()))
    }),
    ("structures", |n| {
        let each: String = (0..n).map(|at| format!("struct S{at} {{ a: S{} }}\n", at + 1)).collect();
        format!("{each}struct S{n} {{ a: f32 }}\nvar<private> s: S0;\n{}", wgsl(String::new()))
    }),
    ("aliases", |n| {
        let each: String = (0..n).map(|at| format!("alias A{at} = A{};\n", at + 1)).collect();
        format!("{each}alias A{n} = f32;\n{}", wgsl("var x: A0 = 1.0; d[0] = x;".into()))
    }),
    ("comments", |n| wgsl(around("/*", "-", "*/", n))),
    ("open", |n| wgsl("(".repeat(n))),
    ("attributes", |n| wgsl(format!("{}{{}}", "@diagnostic(off, derivative_uniformity) ".repeat(n)))),
];

const GLSL: &[Shape] = &[
    ("sum", |n| glsl(format!("d[0] = d[1]{};", " + d[1]".repeat(n)))),
    ("brackets", |n| glsl(format!("d[0] = {};", around("(", "d[1]", ")", n)))),
    ("calls", |n| glsl(format!("d[0] = {};", around("abs(", "d[1]", ")", n)))),
    ("constructors", |n| glsl(format!("d[0] = {};", around("float(", "d[1]", ")", n)))),
    ("minus", |n| glsl(format!("d[0] = {}d[1];", "- ".repeat(n)))),
    ("assignments", |n| glsl(format!("float a; {}1.0;", "a = ".repeat(n)))),
    ("choices", |n| glsl(format!("d[0] = {}2.0;", "d[1] > 0.0 ? 1.0 : ".repeat(n)))),
    ("conditions", |n| glsl(format!("d[0] = {};", around("d[1] > 0.0 ? ", "1.0", " : 2.0", n)))),
    ("selectors", |n| glsl(format!("vec4 v = vec4(d[0]); v = v{};", ".wzyx".repeat(n)))),
    ("indices", |n| glsl(format!("d[0] = {};", around("d[int(", "d[1]", ")]", n)))),
    ("else", |n| {
        glsl(format!("if (d[0] > 0.0) d[1] = 1.0; {}", "else if (d[0] > 1.0) d[1] = 2.0; ".repeat(n)))
    }),
    ("blocks", |n| glsl(around("{", "d[0] = 1.0;", "}", n))),
    ("ifs", |n| glsl(format!("{}d[0] = 1.0;", "if (d[0] > 0.0) ".repeat(n)))),
    ("fors", |n| glsl(format!("{}break;", "for (;;) ".repeat(n)))),
    ("whiles", |n| glsl(format!("{}break;", "while (d[0] > 0.0) ".repeat(n)))),
    ("dos", |n| glsl(around("do { ", "d[0] = 1.0;", "} while (d[0] > 1.0);", n))),
    ("switches", |n| glsl(around("switch (int(d[0])) { case 1: ", "d[0] = 1.0;", "}", n))),
    ("lists", |n| glsl(format!("float a = {};", around("{", "1.0", "}", n)))),
    ("structures", |n| glsl(around("struct A { ", "float x;", "} y;", n))),
    ("arrays", |n| glsl(format!("float a{};", "[1]".repeat(n)))),
    ("macros", |n| {
        let each: String = (0..n).map(|at| format!("#define A{} -A{at}\n", at + 1)).collect();
        glsl(format!("\n#define A0 d[1]\n{each}d[0] = A{n};"))
    }),
    ("conditions of directives", |n| glsl(format!("\n#if {}\n#endif\n", around("(", "1", ")", n)))),
    ("signs of directives", |n| glsl(format!("\n#if {}1\n#endif\n", "- ".repeat(n)))),
    ("open", |n| glsl("(".repeat(n))),
];

/// Compiles on a small stack; only naga does its whole work.
fn read(what: &str, input: Input<'_>) -> Option<ErrorKind> {
    let mut key = CompileKey::default();
    key.limits.instructions = Some(1);
    let compile = || Compiler::default().compile(&mut Scratch::default(), input, &key).err();
    let work = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, compile);
        thread.expect("a thread").join()
    });
    let error = work.unwrap_or_else(|_| panic!("{what}: panic"))?;
    assert_ne!(error.kind(), ErrorKind::Internal, "{what}: {error}");
    assert!(!error.message().contains("the reader of this language fails"), "{what}: {error}");
    Some(error.kind())
}

/// Shapes whose limit is that of declarations.
const DECLARATIONS: &[&str] = &["constants", "functions", "structures", "aliases"];

/// Shapes without a limit: comments are skipped, open brackets have no end, and attributes are a list.
const ENDLESS: &[&str] = &["comments", "open", "attributes"];

fn check(shapes: &[Shape], input: fn(&str) -> Input<'_>) {
    for (name, shape) in shapes {
        for depth in [150, 2_000] {
            read(&format!("{name}, {depth}"), input(&shape(depth)));
        }
        let beyond = if DECLARATIONS.contains(name) { 300_000 } else { 30_000 };
        let kind = read(name, input(&shape(beyond)));
        assert!(kind == Some(ErrorKind::Limit) || ENDLESS.contains(name), "{name}: {kind:?}");
    }
}

#[test]
fn deep_wgsl_needs_no_deep_stack() {
    check(WGSL, |text| Input::wgsl(text));
}

#[test]
fn deep_glsl_needs_no_deep_stack() {
    check(GLSL, |text| Input::glsl(text, Stage::Compute));
}
