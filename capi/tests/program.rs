//! Compiles programs in C and C++ with the header, links them with the shared and with the static library, and runs them.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// System libraries that the static library needs on systems with GNU's C library.
const SYSTEM: [&str; 4] = ["-lpthread", "-ldl", "-lm", "-lgcc_s"];

/// Compilers, with the options that check the header strictly.
const C: [&str; 4] = ["cc", "-x", "c", "-std=c99"];
const CXX: [&str; 4] = ["c++", "-x", "c++", "-std=c++11"];
const STRICT: [&str; 4] = ["-pedantic", "-Wall", "-Wextra", "-Werror"];

/// The SONAME of the shared library.
const SONAME: &str = "libagx.so.4";

/// The folder of this package.
fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of the libraries, next to this test.
fn libraries() -> PathBuf {
    let test = std::env::current_exe().expect("a running test");
    test.parent().expect("a folder").to_owned()
}

/// Whether a program is installed; says so if it is not.
fn exists(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        println!("skipped: no `{program}`");
    }
    found
}

/// Compiles a program of this folder; `None` without a compiler.
fn build(source: &str, name: &str, compiler: &[&str], link: &[String]) -> Option<PathBuf> {
    if !exists(compiler[0]) {
        return None;
    }
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let built = Command::new(compiler[0])
        .args(&compiler[1..])
        .args(STRICT)
        .arg("-I")
        .arg(folder().join("include"))
        .arg(folder().join("tests").join(source))
        .args(["-x", "none", "-o"])
        .arg(&program)
        .args(link)
        .output()
        .expect("a compiler that starts");
    assert!(built.status.success(), "{name}: {}", String::from_utf8_lossy(&built.stderr));
    Some(program)
}

/// Runs a program, and checks that it ends well.
fn run(mut command: Command) {
    // The modules are not part of the package.
    let modules = folder().join("../tests/tests/stages/shaders");
    let found: Output = command
        .args(Some(modules).filter(|modules| modules.is_dir()))
        .output()
        .expect("a program that starts");
    let text = String::from_utf8_lossy(&found.stdout);
    assert!(found.status.success(), "{text}{}", String::from_utf8_lossy(&found.stderr));
    assert!(text.ends_with("every check passed\n"), "{text}");
}

/// Arguments that link the shared library, which the loader finds by its SONAME.
fn shared() -> Vec<String> {
    let library = libraries().join("libagx.so");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shared");
    std::fs::create_dir_all(&folder).expect("a folder");
    let name = folder.join(SONAME);
    // Tests that run at the same time make the same link.
    #[cfg(unix)]
    if let Err(error) = std::os::unix::fs::symlink(&library, &name) {
        assert_eq!(std::fs::read_link(&name).ok(), Some(library.clone()), "{error}");
    }
    vec![library.display().to_string(), format!("-Wl,-rpath,{}", folder.display())]
}

/// Compiles a program with the compilers of both languages, links it with the shared library, and runs it.
fn check(source: &str, name: &str) {
    for (language, compiler) in [("c", C), ("cxx", CXX)] {
        if let Some(program) = build(source, &format!("{name}_{language}"), &compiler, &shared()) {
            run(Command::new(program));
        }
    }
}

#[test]
fn programs_that_compile_and_link_with_the_shared_library() {
    check("program.c", "program");
}

#[test]
fn programs_that_use_the_rest_of_the_interface() {
    check("interface.c", "interface");
}

#[test]
fn a_program_with_the_static_library() {
    let mut link = vec![format!("{}/libagx.a", libraries().display())];
    link.extend(SYSTEM.map(str::to_owned));
    if let Some(program) = build("program.c", "static", &C, &link) {
        run(Command::new(program));
    }
}

#[test]
fn a_program_that_frees_its_objects_leaks_nothing() {
    let Some(program) = build("interface.c", "valgrind", &C, &shared()) else { return };
    if exists("valgrind") {
        let mut command = Command::new("valgrind");
        command.args([
            "--quiet",
            "--error-exitcode=9",
            "--leak-check=full",
            "--show-leak-kinds=definite,indirect",
        ]);
        command.arg(program);
        run(command);
    }
}

#[test]
fn the_shared_library_has_a_soname_with_the_version_of_the_interface() {
    if !cfg!(target_os = "linux") || !exists("readelf") {
        return;
    }
    let found = Command::new("readelf").arg("-d").arg(libraries().join("libagx.so")).output();
    let text = String::from_utf8(found.expect("readelf starts").stdout).expect("UTF-8");
    assert!(text.contains(&format!("Library soname: [{SONAME}]")), "{text}");
    assert_eq!(SONAME, format!("libagx.so.{}", agx::version::AGX_INTERFACE_VERSION));
}
