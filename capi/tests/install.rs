//! Installs the library into a folder, and builds a program with what pkg-config says about it.

#![forbid(unsafe_code)]
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// Output of a command, which must succeed.
fn output(command: &mut Command) -> String {
    let found = command.output().expect("a command that starts");
    assert!(found.status.success(), "{command:?}: {}", String::from_utf8_lossy(&found.stderr));
    String::from_utf8(found.stdout).expect("UTF-8")
}

fn exists(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        println!("skipped: no `{program}`");
    }
    found
}

/// Runs a target of the Makefile with the libraries next to this test.
fn make(target: &str, root: &Path, stage: &Path) {
    let test = std::env::current_exe().expect("a running test");
    let built = test.parent().expect("a folder");
    let mut command = Command::new("make");
    command.current_dir(root).args(["-s", target, "CARGO=true", "PREFIX=/opt/agx"]);
    command.arg(format!("BUILT={}", built.display())).arg(format!("DESTDIR={}", stage.display()));
    command.env_remove("MAKEFLAGS");
    output(&mut command);
}

/// The files below a folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

#[test]
fn an_installed_library_is_found_by_pkg_config_and_by_the_loader() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.join("..");
    // The Makefile is not part of the package.
    if !root.join("Makefile").exists() || !["make", "pkg-config", "cc"].into_iter().all(exists) {
        return;
    }
    let stage = Path::new(env!("CARGO_TARGET_TMPDIR")).join("installed");
    let _ = std::fs::remove_dir_all(&stage);
    make("install-library", &root, &stage);
    let (library, version) = (stage.join("opt/agx/lib"), env!("CARGO_PKG_VERSION"));
    let link = |name: &str| std::fs::read_link(library.join(name)).expect("a link").display().to_string();
    let soname = format!("libagx.so.{}", agx::version::AGX_INTERFACE_VERSION);
    assert_eq!([link("libagx.so"), link(&soname)], [soname.clone(), format!("{soname}.{version}")]);

    let ask = |arguments: &[&str]| {
        let mut command = Command::new("pkg-config");
        command.env("PKG_CONFIG_PATH", library.join("pkgconfig")).env("PKG_CONFIG_SYSROOT_DIR", &stage);
        output(command.args(arguments).arg("agx")).trim().to_owned()
    };
    assert_eq!(ask(&["--modversion"]), version);
    assert_eq!(ask(&["--variable=interface_version"]), agx::version::AGX_INTERFACE_VERSION.to_string());
    assert!(ask(&["--static", "--libs"]).contains("-lpthread"));
    let program = stage.join("interface");
    let mut build = Command::new("cc");
    build.args(["-std=c99", "-o"]).arg(&program).arg(package.join("tests/interface.c"));
    build.args(ask(&["--cflags", "--libs"]).split_whitespace());
    output(build.arg(format!("-Wl,-rpath,{}", library.display())));
    assert!(output(&mut Command::new(&program)).ends_with("every check passed\n"));
    std::fs::remove_file(program).expect("removed");

    make("uninstall", &root, &stage);
    assert_eq!(files(&stage), Vec::<PathBuf>::new());
}
