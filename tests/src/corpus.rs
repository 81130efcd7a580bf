//! The corpus: entry points of real SPIR-V modules.

use std::path::{Path, PathBuf};

use agx_abi::Stage;
use agx_compiler::{CompileKey, CompiledShader, Input};

use crate::driver::compile;
use crate::outcome::Outcome;
use crate::shared::DataError;
use crate::spirv_scan::{EntryPoint, entry_points};

/// An entry point of a module of the corpus.
#[derive(Clone, Debug)]
pub struct Item {
    /// Path in the corpus folder, with `/`.
    pub file: String,
    /// The entry point.
    pub entry: EntryPoint,
    /// Whether the module has several entry points, so that the name includes the entry point.
    pub several: bool,
    /// The module.
    pub module: Vec<u8>,
}

impl Item {
    /// A name that is unique in the corpus.
    pub fn name(&self) -> String {
        if self.several { format!("{}:{}", self.file, self.entry.name) } else { self.file.clone() }
    }

    /// The key to compile it with.
    pub fn key(&self, base: &CompileKey) -> CompileKey {
        let mut key = base.clone();
        key.entry_point = Some(self.entry.name.clone());
        key.stage = self.entry.stage;
        key
    }

    /// Compiles it.
    ///
    /// # Errors
    /// The outcome that is not a pass.
    pub fn compile(&self, base: &CompileKey) -> Result<CompiledShader, Outcome> {
        if self.entry.stage.is_none() {
            return Err(Outcome::Unsupported(
                "an entry point of a stage that AGX pipelines here lack".into(),
            ));
        }
        compile(Input::spirv(&self.module), &self.key(base))
    }
}

/// Every entry point of every module below `shared/corpus/spirv`, sorted by file.
///
/// # Errors
/// [`DataError`] if the folder is absent or a file cannot be read.
pub fn load(shared: &Path) -> Result<Vec<Item>, DataError> {
    let root = shared.join("corpus/spirv");
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for path in list(&folder)? {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "spv") {
                files.push(path);
            }
        }
    }
    files.sort();
    let mut items = Vec::new();
    for path in files {
        let module = std::fs::read(&path).map_err(|error| DataError::Read { path: path.clone(), error })?;
        let file = path.strip_prefix(&root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        let mut entries = entry_points(&module);
        if entries.is_empty() {
            entries.push(EntryPoint { stage: Some(Stage::Compute), name: "main".into() });
        }
        let several = entries.len() > 1;
        items.extend(entries.into_iter().map(|entry| Item {
            file: file.clone(),
            entry,
            several,
            module: module.clone(),
        }));
    }
    Ok(items)
}

/// The fragment shader with the same name as a vertex shader.
pub fn partner<'i>(items: &'i [Item], vertex: &Item) -> Option<&'i Item> {
    if !vertex.file.contains(".vert.") {
        return None;
    }
    let file = vertex.file.replace(".vert.", ".frag.");
    items.iter().find(|item| item.file == file && item.entry.stage == Some(Stage::Fragment) && !item.several)
}

fn list(folder: &Path) -> Result<Vec<PathBuf>, DataError> {
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => DataError::Absent(folder.to_owned()),
        _ => DataError::Read { path: folder.to_owned(), error },
    };
    std::fs::read_dir(folder).map_err(failed)?.map(|entry| Ok(entry.map_err(failed)?.path())).collect()
}
