//! The execution modes of a fragment shader.

use agx_abi::fragment::DepthLayout;

/// Execution modes of a fragment shader.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FragmentModes {
    /// Tests always run before the program.
    pub early_tests: bool,
    /// The layout that it declares for the depths it writes.
    pub depth_layout: DepthLayout,
    /// It runs per sample.
    pub sample_shading: bool,
    /// It has loops: a discard that ends the invocation must end them too.
    pub has_loops: bool,
    /// Helper lanes take part in operations on the subgroup.
    pub helpers_take_part: bool,
    /// It reads memory at addresses that are not bounds-checked: discards that end the invocation may guard them.
    pub reads_addresses: bool,
}
