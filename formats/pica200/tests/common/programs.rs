//! The project's PICA200 programs, for the tests of two packages.

use std::path::Path;

use agx_pica200::{Container, assemble};

/// A program of the project.
#[allow(dead_code, reason = "not every test looks at the text")]
pub struct Named {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The assembled container.
    pub container: Container,
}

/// Every program in a folder, by name.
pub fn programs_in(folder: &Path) -> Vec<Named> {
    let entries = std::fs::read_dir(folder).expect("the folder of programs");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    paths.sort();
    let read = |path: &Path| {
        let text = std::fs::read_to_string(path).expect("a readable program");
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let container = assemble(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        Named { name, text, container }
    };
    paths.iter().map(|path| read(path)).collect()
}
