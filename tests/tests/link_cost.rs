//! A link is cheap enough for a draw, in host instructions.

#![expect(clippy::print_stderr, reason = "a test says what it skips")]

use std::path::Path;

use agx_tests::link_cost::{SIZES, instructions, limit};
use agx_tests::tools::Tools;

#[test]
fn a_link_costs_at_most_what_a_draw_can_spare() {
    let tools = Tools::find(env!("CARGO_TARGET_TMPDIR"));
    if let Err(absent) = tools.valgrind() {
        eprintln!("skipped: {absent}");
        return;
    }
    let counts = instructions(&tools, Path::new(env!("CARGO_BIN_EXE_link_cost"))).expect("valgrind counts");
    for (size, count) in SIZES.into_iter().zip(counts) {
        let most = limit(size);
        assert!(count <= most, "{count} instructions for a main part of {size} bytes, of at most {most}");
        assert!(count > 0, "nothing was counted");
    }
}
