//! Within a folder of the compiler, modules do not import each other in a circle, so that each can be read and changed
//! separately.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Existing circles, by folder and modules, with the reason.
const ALLOWED: &[(&str, &[&str], &str)] = &[
    ("", &["opt", "pipeline"], "passes take the pipeline's context"),
    (
        "",
        &["analysis", "context", "emit", "lower", "regalloc", "ssa"],
        "the context holds what the back end leaves; lower_retired repairs dominance",
    ),
    ("frontend/pica200", &["body", "geometry"], "a geometry program runs its body for each primitive"),
    ("ir", &["families", "function"], "families of operations are questions about instructions"),
    ("ir", &["parse", "validate"], "validator tests are written as text"),
    ("link", &["advanced_blend", "blend"], "an advanced equation is one of the blend equations"),
    ("regalloc", &["assign", "exports"], "exports are assigned with the values they export"),
    ("regalloc/spill", &["slot_lives", "slots"], "slots are shared by their live ranges"),
];

fn source_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../compiler/src")
}

/// The Rust files of a folder and the folders in it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The code of a file without comments and without the tests at its end.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a readable file");
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The first names after `prefix` wherever it occurs: one, or those of a list in braces.
fn names_after<'t>(text: &'t str, prefix: &str) -> Vec<&'t str> {
    let first = |part: &'t str| {
        let part = part.trim_start();
        &part[..part.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(part.len())]
    };
    let mut names = Vec::new();
    for (at, _) in text.match_indices(prefix) {
        let before = &text[..at];
        if before.ends_with("super::") || before.ends_with(|letter: char| letter.is_alphanumeric()) {
            continue;
        }
        let rest = &text[at + prefix.len()..];
        let Some(list) = rest.strip_prefix('{') else {
            names.push(first(rest));
            continue;
        };
        let (mut depth, mut start) = (1, 0);
        for (end, letter) in list.char_indices() {
            match letter {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 || depth == 1 && letter == ',' {
                names.push(first(&list[start..end]));
                start = end + 1;
            }
            if depth == 0 {
                break;
            }
        }
    }
    names.retain(|name| *name != "super");
    names
}

/// For each module of a folder, the sibling modules that it imports.
fn imports(folder: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let relative = folder.strip_prefix(source_folder()).expect("a folder of the compiler");
    let absolute: String = std::iter::once("crate".to_owned())
        .chain(relative.iter().map(|part| part.to_string_lossy().into_owned()))
        .map(|part| part + "::")
        .collect();
    for file in files(folder) {
        let inside = file.strip_prefix(folder).expect("a file of the folder");
        let parts: Vec<String> = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        let module = parts[0].trim_end_matches(".rs").to_owned();
        let is_test = parts.iter().any(|part| part.starts_with("test") || part.ends_with("tests.rs"));
        if is_test || ["mod", "lib", "tests"].contains(&module.as_str()) {
            continue;
        }
        let levels =
            if parts.last().is_some_and(|name| name == "mod.rs") { parts.len() - 1 } else { parts.len() };
        let text = code(&file);
        let up = "super::".repeat(levels);
        let found = names_after(&text, &up).into_iter().chain(names_after(&text, &absolute));
        let entry = imports.entry(module.clone()).or_default();
        entry.extend(found.filter(|name| *name != module).map(str::to_owned));
    }
    imports
}

/// The modules that can be reached from one; the module itself only through a circle.
fn reachable(imports: &BTreeMap<String, BTreeSet<String>>, from: &str) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut rest: Vec<&String> = imports.get(from).into_iter().flatten().collect();
    while let Some(module) = rest.pop() {
        if imports.contains_key(module) && seen.insert(module.clone()) {
            rest.extend(imports.get(module).into_iter().flatten());
        }
    }
    seen
}

/// The circles of a folder: the modules of each.
fn circles(imports: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<Vec<String>> {
    let reach: BTreeMap<&String, BTreeSet<String>> =
        imports.keys().map(|module| (module, reachable(imports, module))).collect();
    let in_circle = |a: &String, b: &String| reach[a].contains(b) && reach[b].contains(a);
    imports
        .keys()
        .filter(|module| reach[module].contains(*module))
        .map(|module| imports.keys().filter(|other| in_circle(module, other)).cloned().collect())
        .collect()
}

#[test]
fn no_folder_of_the_compiler_has_a_circle_of_imports() {
    let root = source_folder();
    let mut folders: BTreeSet<PathBuf> =
        files(&root).iter().filter_map(|file| file.parent().map(Path::to_owned)).collect();
    folders.insert(root.clone());
    let mut complaints = Vec::new();
    for folder in folders.iter().filter(|folder| !folder.ends_with("tests")) {
        let name = folder.strip_prefix(&root).expect("inside").to_string_lossy().replace('\\', "/");
        for circle in circles(&imports(folder)) {
            let is_allowed = |(place, modules, reason): &(&str, &[&str], &str)| {
                assert!(!reason.is_empty());
                *place == name && circle.iter().all(|module| modules.contains(&module.as_str()))
            };
            if !ALLOWED.iter().any(is_allowed) {
                complaints.push(format!("compiler/src/{name}: {} import each other", circle.join(", ")));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn circles_are_seen() {
    let text = "use super::{a::B, c};\nfn f(x: super::d::E) {}\nuse super::super::far;\nuse crate::here::{self, g::{h, i}, j};";
    assert_eq!(names_after(text, "super::"), ["a", "c", "d"]);
    assert_eq!(names_after(text, "super::super::"), ["far"]);
    assert_eq!(names_after(text, "crate::here::"), ["self", "g", "j"]);
    let modules = |pairs: &[(&str, &str)]| {
        let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (from, to) in pairs {
            imports.entry((*from).to_owned()).or_default().insert((*to).to_owned());
            imports.entry((*to).to_owned()).or_default();
        }
        imports
    };
    assert!(circles(&modules(&[("a", "b"), ("b", "c"), ("a", "c")])).is_empty());
    assert_eq!(circles(&modules(&[("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")])).len(), 1);
}
