//! Compares the pages in `docs` with the table. `BLESS=1` rewrites them.

use std::path::Path;

#[test]
fn the_reference_is_current() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let bless = std::env::var_os("BLESS").is_some_and(|value| value == "1");
    for (path, text) in agx_isa::reference::pages() {
        let file = docs.join(&path);
        if bless {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, &text).unwrap();
        }
        let there = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(there == text, "docs/{path} is not current: run with BLESS=1");
    }
}
