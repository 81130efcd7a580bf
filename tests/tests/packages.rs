//! Packages that are published say what a registry wants, and stand on packages that are published too.

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

/// What is in a manifest between the heading of the section and the next one.
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
