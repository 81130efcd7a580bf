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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r0l_is_the_hardware_nesting_counter() {
        assert_eq!(NESTING_COUNTER, 0);
    }

    #[test]
    fn r1_is_the_hardware_link_register() {
        assert_eq!(u32::from(LINK) / 2, 1);
    }

    #[test]
    fn r5_and_r6_are_preloaded_to_the_vertex_id_and_instance_id() {
        assert_eq!([VERTEX_ID, INSTANCE_ID], [2 * 5, 2 * 6]);
    }
}
