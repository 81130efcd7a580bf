//! The bundled programs.

use std::path::Path;

use agx_agal::{AssembleOptions, Program, assemble};

/// A bundled program.
pub struct Bundled {
    /// Name of its file without extension.
    pub name: String,
    /// The assembled program.
    pub program: Program,
}

/// Every bundled program, by name.
pub fn bundled() -> Vec<Bundled> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats/agal/programs");
    let entries = std::fs::read_dir(folder).expect("the folder of programs");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let read = |path: &Path| {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).expect("UTF-8");
        let program = assemble(&text, AssembleOptions::default());
        Bundled { program: program.unwrap_or_else(|error| panic!("{name}: {error}")), name }
    };
    paths.iter().map(|path| read(path)).collect()
}
