//! The bundled programs.

use std::path::Path;

use agx_agal::{AssembleOptions, Program, assemble};

/// Every program of `programs/`: name, text and assembled program.
pub fn programs() -> Vec<(String, String, Program)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
    let entries = std::fs::read_dir(folder).expect("the folder of programs");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    paths.sort();
    let read = |path: &Path| {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).expect("UTF-8");
        let program = assemble(&text, AssembleOptions::default());
        let program = program.unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, text, program)
    };
    paths.iter().map(|path| read(path)).collect()
}

/// Assembles a text without directive.
pub fn program(text: &str) -> Program {
    assemble(text, AssembleOptions::default()).unwrap_or_else(|error| panic!("{text}: {error}"))
}
