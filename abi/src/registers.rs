//! Registers with a fixed meaning, by half index (r5l = 10, r5h = 11).

/// Nesting counter of the execution mask; zero in active lanes.
pub const NESTING_COUNTER: u8 = 0;

/// Kept zero when shuffles may read inactive lanes: the safe shuffle index (r0h).
pub const SAFE_SHUFFLE_INDEX: u8 = 1;

/// Link register r1, written by calls.
pub const LINK: u8 = 2;

/// Vertex id in r5 at entry of a vertex shader.
pub const VERTEX_ID: u8 = 10;

/// Instance id in r6 at entry of a vertex shader.
pub const INSTANCE_ID: u8 = 12;
