//! agxc as Compiler Explorer calls it and reads it.

use std::process::Command;

use crate::harness::{Folder, out};

const SOURCE: &[u8] = b"#version 450\n\
    layout(local_size_x = 32) in;\n\
    layout(set = 0, binding = 0) buffer Data { float data[]; };\n\
    void main() {\n\
        uint i = gl_GlobalInvocationID.x;\n\
        if (data[i] > 1.0) {\n\
            data[i] = data[i] * 2.0;\n\
        }\n\
    }\n";

/// The lines that remain after Compiler Explorer's filters of directives and comments.
fn filtered(text: &str) -> Vec<&str> {
    let is_shown = |line: &&str| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('.') && !line.starts_with(';')
    };
    text.lines().filter(is_shown).collect()
}

/// The lines of the source that `.loc` directives name.
fn located(text: &str) -> Vec<u32> {
    let positions = text.lines().filter_map(|line| line.trim().strip_prefix(".loc 1 "));
    positions.filter_map(|rest| rest.split(' ').next()?.parse().ok()).collect()
}

#[test]
fn a_compiler_of_the_explorer_gives_located_assembly() {
    let folder = Folder::new("explorer");
    let wgsl = folder.file("example.wgsl", crate::reports::LOOP);
    let text = out(&["compile", "--emit", "asm-loc", &wgsl]);
    assert!(text.contains("    .file 1 \"") && text.contains("example.wgsl\""), "{text}");
    let lines = located(&text);
    assert!(lines.len() > 3 && lines.iter().all(|line| (2..=12).contains(line)), "{lines:?}");
    let shown = filtered(&text);
    assert!(shown.iter().all(|line| line.starts_with("    ") || line.ends_with(':')), "{shown:?}");
    assert!(shown.iter().any(|line| line.trim() == "stop"), "{shown:?}");
    // The listing assembles to the code it shows.
    let listing = folder.file("example.s", text.as_bytes());
    let [assembled, compiled] = ["assembled.bin", "compiled.bin"].map(|name| folder.path(name));
    out(&["asm", "--part", "main", &listing, "-o", &assembled]);
    out(&["compile", "--emit", "bin", &wgsl, "-o", &compiled]);
    assert_eq!(std::fs::read(assembled).ok(), std::fs::read(compiled).ok());
}

#[cfg(unix)]
#[test]
fn the_script_takes_the_arguments_of_the_explorer() {
    let folder = Folder::new("explorer-script");
    let source = folder.file("example.glsl", SOURCE);
    let output = folder.path("output.s");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/compiler-explorer/agxc-explorer");
    let run = |arguments: &[&str]| {
        let mut command = Command::new(script);
        command.env("AGXC", env!("CARGO_BIN_EXE_agxc")).args(arguments);
        command.output().expect("a shell")
    };
    let made = run(&["-g", "-o", &output, "-S", "--stage", "compute", "--target", "g14g", &source]);
    let error = String::from_utf8_lossy(&made.stderr).into_owned();
    if error.contains("glslang") {
        return;
    }
    assert!(made.status.success(), "{error}");
    let text = std::fs::read_to_string(&output).expect("the output");
    assert!(located(&text).contains(&7) && text.contains("fmul"), "{text}");
    let version = run(&["--version"]);
    assert!(version.status.success() && version.stdout.starts_with(b"agxc "), "{version:?}");
}
