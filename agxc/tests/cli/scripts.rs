//! The scripts of the repository name the programs that are missing, how to get them, and fail.

use std::process::Command;

use crate::harness::{Folder, out};

/// Programs that every system has.
const COMMON: &[&str] = &["bash", "sh", "env", "dirname", "cat", "mkdir", "mktemp", "rm", "sed", "id"];

/// A script with its arguments, other programs that exist, environment, exit code, message.
type Case =
    (&'static str, &'static [&'static str], &'static [(&'static str, &'static str)], i32, &'static str);

const CASES: &[Case] = &[
    ("device/environment/make.sh", &[], &[], 64, "usage: make.sh DIR"),
    (
        "device/environment/make.sh DIR",
        &[],
        &[],
        69,
        "debootstrap is not installed: apt-get install debootstrap",
    ),
    (
        "device/environment/make.sh DIR",
        &["debootstrap"],
        &[],
        69,
        "apt-get is not installed: on systems other than Debian",
    ),
    (
        "device/environment/make.sh DIR --clients",
        &["debootstrap"],
        &[("DEBIAN_MIRROR", "http://localhost")],
        69,
        "npm is not installed: apt-get install npm",
    ),
    ("docs/images/make.sh", &[], &[], 69, "cargo is not installed: rustup, https://rustup.rs"),
    ("docs/images/make.sh", &["cargo"], &[], 69, "chromium is not installed: apt-get install chromium"),
    ("docs/build.sh", &[], &[], 69, "mdbook is not installed: cargo install mdbook"),
    ("fuzz/oss-fuzz/build.sh", &[], &[], 64, "name the folder for the targets: OUT=FOLDER"),
    (
        "fuzz/oss-fuzz/build.sh",
        &[],
        &[("OUT", "DIR")],
        69,
        "rustc is not installed: rustup, https://rustup.rs",
    ),
    ("fuzz/oss-fuzz/build.sh", &["rustc"], &[("OUT", "DIR")], 69, "cargo is not installed: rustup"),
    (
        "fuzz/oss-fuzz/build.sh",
        &["rustc", "cargo"],
        &[("OUT", "DIR")],
        69,
        "c++ is not installed: apt-get install g++",
    ),
    ("fuzz/run.sh spirv 1", &[], &[], 69, "rustc is not installed: rustup, https://rustup.rs"),
];

/// The folder of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The path of a program.
fn find(name: &str) -> Option<std::path::PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

#[test]
#[cfg(unix)]
fn missing_programs_are_named() {
    let Some(bash) = find("bash") else {
        eprintln!("skipped: bash is not installed");
        return;
    };
    for (number, (line, present, environment, code, message)) in CASES.iter().enumerate() {
        let folder = Folder::new(&format!("scripts-{number}"));
        for name in COMMON.iter().filter_map(|name| find(name)) {
            std::os::unix::fs::symlink(&name, folder.0.join(name.file_name().unwrap())).unwrap();
        }
        for name in *present {
            std::os::unix::fs::symlink("/bin/false", folder.0.join(name)).unwrap();
        }
        let (place, path) = (folder.path("made"), folder.path(""));
        let words: Vec<String> = line.split(' ').map(|word| word.replace("DIR", &place)).collect();
        let output = Command::new(&bash)
            .args(&words)
            .current_dir(ROOT)
            .env_clear()
            .env("PATH", &path)
            .envs(environment.iter().map(|(name, value)| (*name, value.replace("DIR", &place))))
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(*code), "{line}: {printed}");
        assert!(printed.contains(message), "{line}: {printed}");
        assert!(!std::fs::exists(&place).unwrap(), "{line}: nothing is made");
    }
}

#[test]
#[cfg(unix)]
fn make_without_rust_says_so() {
    let Some(make) = find("make") else {
        eprintln!("skipped: make is not installed");
        return;
    };
    let run = |arguments: &[&str]| {
        let output = Command::new(&make).args(arguments).current_dir(ROOT).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, printed) = run(&["run", "CARGO=no-such-cargo"]);
    assert_eq!(code, Some(2), "{printed}");
    assert!(
        printed.contains("no-such-cargo is not installed: rustup, https://rustup.rs, installs Rust"),
        "{printed}"
    );
    assert_eq!(run(&["--dry-run", "book", "CARGO=no-such-cargo"]).0, Some(0), "the book needs no Rust");
}

/// The script of the GitHub action: the changes as Markdown, and the exit code of the comparison.
#[cfg(unix)]
#[test]
fn the_action_reports_the_changes() {
    let folder = Folder::new("action");
    let text = "@group(0) @binding(0) var<storage, read_write> a: array<f32>;\n\
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { a[id.x] = a[id.x] * 2.0; }\n";
    folder.file("a.wgsl", text.as_bytes());
    let (baseline, report) = (folder.path("base.json"), folder.path("report.md"));
    out(&["stats", "-q", "--format", "json", "-o", &baseline, &folder.path("a.wgsl")]);
    let stored = std::fs::read_to_string(&baseline).unwrap();
    // Names in a baseline are as they were given.
    std::fs::write(&baseline, stored.replace(&folder.path("a.wgsl"), "a.wgsl")).unwrap();
    let run = |options: &str| {
        let output = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../action/figures.sh"))
            .arg(&report)
            .envs([("AGXC", env!("CARGO_BIN_EXE_agxc")), ("FILES", "*.wgsl"), ("OPTIONS", options)])
            .env("BASELINE", &baseline)
            .current_dir(&folder.0)
            .output()
            .unwrap();
        (output.status.code(), std::fs::read_to_string(&report).unwrap())
    };
    let (code, text_now) = run("");
    assert_eq!(
        (code, text_now.contains("No figure of a shader has changed.")),
        (Some(0), true),
        "{text_now}"
    );
    folder.file("a.wgsl", text.replace("* 2.0", "* (2.0 + a[id.x] * a[id.x])").as_bytes());
    let (code, text_now) = run("");
    assert_eq!(code, Some(1), "{text_now}");
    assert!(
        text_now.contains("| `a.wgsl` | instructions |") && text_now.contains("error[AGX0204]"),
        "{text_now}"
    );
    let (code, text_now) = run("--threshold all=1000 --threshold=loops=1");
    assert!(text_now.contains("| `a.wgsl` | instructions |"), "{text_now}");
    assert_eq!(code, Some(0), "{text_now}");
    folder.file("a.wgsl", b"fn main() { no }");
    let (code, text_now) = run("");
    assert_eq!((code, text_now.contains("do not compile")), (Some(1), true), "{text_now}");
}
