//! The bundled shaders of the command line, as inputs for tests.

use std::path::Path;

/// A bundled shader.
pub struct Bundled {
    /// File name.
    pub name: String,
    /// Contents.
    pub bytes: Vec<u8>,
}

impl Bundled {
    /// The shader as input of the compiler; `None` if it is WGSL that is not UTF-8.
    pub fn input<'b>(name: &str, bytes: &'b [u8]) -> Option<agx_compiler::Input<'b>> {
        if name.ends_with(".wgsl") {
            return std::str::from_utf8(bytes).ok().map(agx_compiler::Input::wgsl);
        }
        Some(agx_compiler::Input::spirv(bytes))
    }
}

/// Every bundled SPIR-V module and WGSL source, by name.
pub fn all() -> Vec<Bundled> {
    shaders_in("../agxc/shaders")
}

/// Every SPIR-V module and WGSL source of a folder, by name.
pub fn shaders_in(folder: &str) -> Vec<Bundled> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut shaders = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder of bundled shaders") {
        let path = entry.expect("a readable entry").path();
        if path.extension().is_some_and(|extension| extension == "spv" || extension == "wgsl") {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            shaders.push(Bundled { name, bytes: std::fs::read(&path).expect("a readable shader") });
        }
    }
    shaders.sort_by(|left, right| left.name.cmp(&right.name));
    assert!(shaders.len() >= 3, "there are shaders");
    shaders
}
