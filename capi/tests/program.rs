//! Compiles a C program with the header, links it with the shared and with the static library, and runs it.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// System libraries that the static library needs on systems with GNU's C library.
const SYSTEM: [&str; 4] = ["-lpthread", "-ldl", "-lm", "-lgcc_s"];

/// The folder of the libraries, next to this test.
fn libraries() -> PathBuf {
    let test = std::env::current_exe().expect("a running test");
    test.parent().expect("a folder").to_owned()
}

/// Compiles the program with these arguments and runs it; `None` without a C compiler.
fn run(name: &str, link: &[String]) -> Option<Output> {
    if Command::new("cc").arg("--version").output().is_err() {
        println!("skipped: no C compiler `cc`");
        return None;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let built = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I"])
        .arg(folder.join("include"))
        .arg(folder.join("tests/program.c"))
        .arg("-o")
        .arg(&program)
        .args(link)
        .output()
        .expect("a C compiler that starts");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    // The modules are not part of the package.
    let modules = folder.join("../tests/tests/stages/shaders");
    Some(
        Command::new(program)
            .args(Some(modules).filter(|modules| modules.is_dir()))
            .output()
            .expect("a program that starts"),
    )
}

fn check(name: &str, link: &[String]) {
    let Some(found) = run(name, link) else { return };
    let text = String::from_utf8_lossy(&found.stdout);
    assert!(found.status.success(), "{text}{}", String::from_utf8_lossy(&found.stderr));
    assert!(text.ends_with("every check passed\n"), "{text}");
}

#[test]
fn a_c_program_with_the_shared_library() {
    let folder = libraries().display().to_string();
    check("shared", &[format!("{folder}/libagx.so"), format!("-Wl,-rpath,{folder}")]);
}

#[test]
fn a_c_program_with_the_static_library() {
    let mut link = vec![format!("{}/libagx.a", libraries().display())];
    link.extend(SYSTEM.map(str::to_owned));
    check("static", &link);
}
