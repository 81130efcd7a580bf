//! Compares `docs/abi.md` with the layouts and `docs/records.md` with the tables of records. `BLESS=1`
//! rewrites them.

use std::path::Path;

/// The start of the page of records.
const RECORDS: &str = "# Records\n\nControl streams, shader words and descriptors as the hardware reads them, one table for each \
    record: what `agx_abi::record` decodes and encodes, and what `agxc trace` prints. Bits count from the lowest bit of the first \
    byte.\n\n";

fn check(name: &str, text: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(name);
    if std::env::var_os("BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&file, text).expect("docs can be written");
    }
    assert!(std::fs::read_to_string(&file).unwrap_or_default() == text, "docs/{name}: run with BLESS=1");
}

#[test]
fn the_page_is_current() {
    check("abi.md", &agx_abi::reference::page());
}

#[test]
fn the_page_of_the_records_is_current() {
    check("records.md", &format!("{RECORDS}{}", agx_abi::record::reference()));
}
