//! The documentation as a book: `docs/SUMMARY.md` lists every page, and all links to files are valid.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The Markdown files of a folder and its subfolders.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of documents") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    pages
}

/// Targets of the links of a page, without links to other hosts and without anchors. Text in code blocks has no links.
fn links(text: &str) -> Vec<&str> {
    let prose = text.split("```").step_by(2);
    let targets = prose.flat_map(|prose| prose.split("](").skip(1)).filter_map(|rest| rest.split(')').next());
    targets
        .map(|target| target.split('#').next().unwrap_or_default())
        .filter(|target| !target.is_empty() && !target.contains("://"))
        .collect()
}

#[test]
fn every_page_is_in_the_book() {
    let docs = root().join("docs");
    let summary = std::fs::read_to_string(docs.join("SUMMARY.md")).expect("docs/SUMMARY.md");
    let listed: BTreeSet<PathBuf> = links(&summary).into_iter().map(|link| docs.join(link)).collect();
    let there: BTreeSet<PathBuf> =
        pages(&docs).into_iter().filter(|page| !page.ends_with("SUMMARY.md")).collect();
    let missing: Vec<_> = there.symmetric_difference(&listed).collect();
    assert!(missing.is_empty(), "pages that are not in docs/SUMMARY.md, or are not there: {missing:?}");
}

#[test]
fn links_lead_to_files() {
    let root = root();
    let mut all = pages(&root.join("docs"));
    all.extend(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| root.join(name)));
    let mut broken = Vec::new();
    for page in &all {
        let text = std::fs::read_to_string(page).expect("readable");
        let folder = page.parent().unwrap_or(&root);
        let missing = links(&text).into_iter().filter(|link| !folder.join(link).exists());
        broken.extend(missing.map(|link| format!("{}: {link}", page.display())));
    }
    assert!(all.len() > 20, "{} pages", all.len());
    assert!(broken.is_empty(), "links to files that do not exist:\n{}", broken.join("\n"));
}

#[test]
fn links_are_found() {
    let text = "see [a](b.md#c), [d](https://e.f) and\n```\n[g](h.md)\n```\n[i](../j.md), [k](#l)";
    assert_eq!(links(text), ["b.md", "../j.md"]);
}
