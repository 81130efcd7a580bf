//! Occupancy: how many threads of a shader a core can hold, depending on register use.

/// Lanes of a SIMD-group, the subgroups of the APIs: the same on every chip (docs/isa.md).
pub const SUBGROUP_SIZE: u32 = 32;

/// Maximum number of half-registers per thread.
pub const MAX_GPR_HALVES: u16 = 256;

/// Maximum number of threads on a core, and in a workgroup.
pub const MAX_THREADS: u32 = 1024;

/// Number of threads that a core holds, by half-registers allocated, ascending: the last row whose register
/// count is not below the demand applies (Mesa 25.0 AGX compiler; all rows correspond to a 208 KiB register
/// file allocated in units of 64 threads).
pub const OCCUPANCY: [(u16, u32); 10] = [
    (104, 1024),
    (112, 896),
    (128, 832),
    (136, 768),
    (144, 704),
    (160, 640),
    (184, 576),
    (208, 512),
    (232, 448),
    (256, 384),
];

/// Number of threads that a core can hold if each allocates `gpr_halves` half-registers; 0 if that exceeds
/// the limit.
pub fn max_threads(gpr_halves: u16) -> u32 {
    OCCUPANCY.iter().find(|(halves, _)| gpr_halves <= *halves).map_or(0, |(_, threads)| *threads)
}

/// Maximum number of half-registers per thread with which `threads` threads can be resident together; 0 if
/// they cannot.
pub fn max_gpr_halves(threads: u32) -> u16 {
    OCCUPANCY.iter().rev().find(|(_, resident)| threads <= *resident).map_or(0, |(halves, _)| *halves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_the_register_file_divided_by_64_threads() {
        for (halves, threads) in OCCUPANCY {
            let formula = MAX_THREADS.min(106_496 / u32::from(halves) / 64 * 64);
            assert_eq!(threads, formula, "{halves} half-registers");
        }
    }

    #[test]
    fn both_directions_agree() {
        assert_eq!(max_threads(0), 1024);
        assert_eq!(max_threads(105), 896);
        assert_eq!(max_threads(257), 0);
        assert_eq!(max_gpr_halves(1024), 104);
        assert_eq!(max_gpr_halves(512), 208);
        assert_eq!(max_gpr_halves(1), 256);
        assert_eq!(max_gpr_halves(1025), 0);
    }
}
