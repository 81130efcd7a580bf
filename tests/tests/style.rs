//! The house rules that a program can check, over every source file of the workspace.

mod source;

use std::path::{Path, PathBuf};

use source::{Function, Source};

/// Most lines of a function.
const MAX_FUNCTION_LINES: usize = 60;

/// Functions that are longer, with the reason: (end of path, function, reason).
const LONG_FUNCTIONS: &[(&str, &str, &str)] = &[];

/// Folders with sources, from the workspace's root.
const ROOMS: &[&str] = &[
    "isa",
    "abi",
    "compiler",
    "emulator",
    "formats/agal",
    "formats/pica200",
    "formats/tgsi",
    "agxc",
    "fuzz",
    "tests",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every Rust file of the workspace.
fn sources() -> Vec<Source> {
    let mut folders: Vec<PathBuf> = ROOMS.iter().map(|room| root().join(room)).collect();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() && !path.ends_with("target") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    assert!(files.len() > 50, "the workspace has sources");
    let read = |path: PathBuf| Source::new(&path, &std::fs::read_to_string(&path).expect("UTF-8"));
    files.into_iter().map(read).collect()
}

/// Fails with every complaint.
fn report(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn functions_fit_a_screen() {
    let mut complaints = Vec::new();
    let mut used = Vec::new();
    for source in sources() {
        for Function { name, line, lines } in source.functions() {
            if lines <= MAX_FUNCTION_LINES {
                continue;
            }
            let exception = LONG_FUNCTIONS
                .iter()
                .position(|(path, known, _)| source.path.ends_with(path) && *known == name);
            match exception {
                Some(index) => used.push(index),
                None => complaints.push(format!("{}:{line}: {name} has {lines} lines", source.path)),
            }
        }
    }
    let unused = (0..LONG_FUNCTIONS.len()).filter(|index| !used.contains(index));
    complaints.extend(unused.map(|index| format!("{:?} is no longer an exception", LONG_FUNCTIONS[index])));
    report(complaints);
}

#[test]
fn sources_say_what_they_are() {
    let missing = sources().into_iter().filter(|source| !source.text.starts_with("//! "));
    report(missing.map(|source| format!("{}: the first line is not `//! …`", source.path)).collect());
}

#[test]
fn nothing_is_left_half_done() {
    // Written so that this file does not contain the words itself.
    let words = [
        ["TO", "DO"],
        ["FIX", "ME"],
        ["XX", "X:"],
        ["todo", "!("],
        ["unimple", "mented!("],
        ["#[ign", "ore"],
    ];
    let mut complaints = Vec::new();
    for source in sources() {
        for (index, line) in source.text.lines().enumerate() {
            // Some names of applegpu's contain such a word; a point stands beside it there.
            let marks = |word: &String| {
                line.match_indices(word.as_str())
                    .any(|(at, _)| !line[..at].ends_with('.') && !line[at + word.len()..].starts_with('.'))
            };
            if let Some(word) = words.iter().map(|parts| parts.concat()).find(marks) {
                complaints.push(format!("{}:{}: {word}", source.path, index + 1));
            }
        }
    }
    report(complaints);
}

#[test]
fn code_outside_tests_does_not_unwrap() {
    let mut complaints = Vec::new();
    for source in sources().into_iter().filter(|source| !source.is_test()) {
        for (line, text) in source.code_outside_tests() {
            for word in [".unwrap()", ".unwrap_err()", "unreachable!()", ".expect(\"\")"] {
                if text.contains(word) {
                    complaints.push(format!("{}:{line}: {word}", source.path));
                }
            }
        }
    }
    report(complaints);
}

#[test]
fn libraries_keep_no_state_and_read_no_environment() {
    let libraries = [
        "/isa/src/",
        "/abi/src/",
        "/compiler/src/",
        "/emulator/src/",
        "/formats/agal/src/",
        "/formats/tgsi/src/",
    ];
    let words = [
        "std::env",
        "std::thread",
        "thread_local!",
        "static mut",
        "OnceLock",
        "LazyLock",
        "HashMap<",
        "HashSet<",
    ];
    let allowed = ["hashbrown", "FxHash"];
    let mut complaints = Vec::new();
    for source in sources() {
        if source.is_test() || !libraries.iter().any(|library| source.path.contains(library)) {
            continue;
        }
        for (line, text) in source.code_outside_tests() {
            let word = words.iter().find(|word| text.contains(**word));
            if let Some(word) = word.filter(|_| !allowed.iter().any(|allowed| text.contains(allowed))) {
                complaints.push(format!("{}:{line}: {word}", source.path));
            }
        }
    }
    report(complaints);
}

#[test]
fn every_crate_takes_the_common_lints() {
    let mut complaints = Vec::new();
    for room in ROOMS {
        let manifest = std::fs::read_to_string(root().join(room).join("Cargo.toml")).expect("a manifest");
        let library = root().join(room).join("src/lib.rs");
        let forbids =
            std::fs::read_to_string(library).is_ok_and(|text| text.contains("#![forbid(unsafe_code)]"));
        if !manifest.contains("[lints]\nworkspace = true") && !forbids {
            complaints.push(format!("{room}: neither the common lints nor a ban on unsafe code"));
        }
    }
    report(complaints);
}
