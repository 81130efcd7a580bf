//! `docs/abi.md` is that of the layouts. `BLESS=1` rewrites it.

use std::path::Path;

#[test]
fn the_page_is_current() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/abi.md");
    let text = agx_abi::reference::page();
    if std::env::var_os("BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&file, &text).unwrap();
    }
    assert!(std::fs::read_to_string(&file).unwrap_or_default() == text, "docs/abi.md: run with BLESS=1");
}
