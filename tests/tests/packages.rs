//! Published packages have the metadata that a registry requires, and depend only on published packages.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the workspace").to_owned()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// Folders of the members, from the workspace's manifest.
fn members() -> Vec<String> {
    let manifest = read(&root().join("Cargo.toml"));
    let (_, list) = manifest.split_once("members = [").expect("a list of members");
    let (list, _) = list.split_once(']').expect("the end of the list");
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The section of a manifest between its heading and the next one.
fn section<'m>(manifest: &'m str, heading: &str) -> &'m str {
    let rest = manifest.split_once(&format!("[{heading}]\n")).map_or("", |(_, rest)| rest);
    rest.split_once("\n[").map_or(rest, |(section, _)| section)
}

#[test]
fn published_packages_are_complete() {
    let workspace = read(&root().join("Cargo.toml"));
    let fields = [
        "description = ",
        "readme = \"README.md\"",
        "license.workspace = true",
        "repository.workspace = true",
        "rust-version.workspace = true",
        "keywords = ",
        "categories = ",
    ];
    let mut complaints = Vec::new();
    let mut published = 0;
    for member in members() {
        let folder = root().join(&member);
        let manifest = read(&folder.join("Cargo.toml"));
        let package = section(&manifest, "package");
        if package.contains("publish = false") {
            continue;
        }
        published += 1;
        let missing = fields.iter().filter(|field| !package.contains(**field));
        complaints.extend(missing.map(|field| format!("{member}: no `{field}`")));
        let files = ["README.md", "LICENSE-APACHE", "LICENSE-MIT"];
        let missing = files.iter().filter(|file| !folder.join(file).is_file());
        complaints.extend(missing.map(|file| format!("{member}: no {file}")));
        for line in section(&manifest, "dependencies").lines().filter(|line| line.starts_with("agx-")) {
            let name: String = line.chars().take_while(|letter| !" .".contains(*letter)).collect();
            let row = workspace.lines().find(|row| row.starts_with(&format!("{name} = ")));
            if !row.is_some_and(|row| row.contains("version = ")) {
                complaints.push(format!("{member}: {name} has no version"));
            }
        }
    }
    assert!(published > 5, "{published} packages are published");
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Maximum number of packages that a driver builds for the compiler, without front ends of texts and old languages.
const MOST_PACKAGES: usize = 21;

/// The packages of which the compiler is built, from `cargo tree`: names and versions.
fn tree() -> Vec<String> {
    let arguments =
        ["tree", "-p", "agx-compiler", "--no-default-features", "--edges", "normal", "--prefix", "none"];
    let output = std::process::Command::new(env!("CARGO"))
        .args(arguments)
        .args(["--locked", "--offline", "--format", "{p}"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let package = |line: &str| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
    let mut packages: Vec<String> = text.lines().map(package).filter(|line| !line.is_empty()).collect();
    packages.sort_unstable();
    packages.dedup();
    packages
}

#[test]
fn a_driver_builds_few_packages_and_none_twice() {
    let packages = tree();
    assert!(packages.iter().any(|package| package.starts_with("agx-compiler ")));
    assert!(packages.len() <= MOST_PACKAGES, "{} packages:\n{}", packages.len(), packages.join("\n"));
    let names: Vec<&str> = packages.iter().filter_map(|package| package.split(' ').next()).collect();
    let twice = names.windows(2).find(|pair| pair[0] == pair[1]);
    assert_eq!(twice, None, "in two versions");
}

/// Whether a text contains a name as part of a path, a macro or an attribute.
fn names(text: &str, name: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = &text[at + name.len()..];
        !before.is_some_and(is_part) && ["::", ";", "!"].iter().any(|next| after.starts_with(next))
    })
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_package = path.join("Cargo.toml").is_file();
        if path.is_dir() && !is_package && !path.ends_with("target") {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_dependency_is_used() {
    let mut unused = Vec::new();
    let mut looked_at = 0;
    for member in members() {
        let folder = root().join(&member);
        let manifest = read(&folder.join("Cargo.toml"));
        let mut files = Vec::new();
        sources(&folder, &mut files);
        // Sources that the package shares with another one.
        let path = section(&manifest, "lib").lines().find_map(|line| line.strip_prefix("path = "));
        if let Some(shared) =
            path.and_then(|path| folder.join(path.trim_matches('"')).parent().map(Path::to_owned))
        {
            sources(&shared, &mut files);
        }
        let texts: Vec<String> = files.iter().map(|file| read(file)).collect();
        for heading in ["dependencies", "dev-dependencies", "build-dependencies"] {
            for line in section(&manifest, heading).lines() {
                let name: String = line.chars().take_while(|letter| !" .=#".contains(*letter)).collect();
                let name = name.replace('-', "_");
                if name.is_empty() {
                    continue;
                }
                looked_at += 1;
                if !texts.iter().any(|text| names(text, &name)) {
                    unused.push(format!("{member}: {name}"));
                }
            }
        }
    }
    assert!(looked_at > 50, "{looked_at} dependencies");
    assert!(unused.is_empty(), "{}", unused.join("\n"));
}
