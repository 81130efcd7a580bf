//! Partitions: which colours a texel of a block uses.

/// Blocks with fewer texels have patterns of twice the frequency.
const SMALL: u32 = 31;

/// The partition of the texel at `at` in a block of `texels` with `count` partitions.
pub(super) fn of_texel(seed: u32, count: u32, texels: [u32; 2], at: [u32; 2]) -> usize {
    let [x, y] = at.map(|place| place << u32::from(texels[0] * texels[1] < SMALL));
    let random = hash(seed + (count - 1) * 1024);
    let (by_seed, by_count) = (if seed & 2 != 0 { 4 } else { 5 }, if count == 3 { 6 } else { 5 });
    let shifts = if seed & 1 != 0 { [by_seed, by_count] } else { [by_count, by_seed] };
    let slope = |at: u32, shift: u32| {
        let part = random >> at & 0xf;
        (part * part) >> shift
    };
    let value = |partition: u32| {
        let first = 8 * partition;
        let sum = slope(first, shifts[0]) * x + slope(first + 4, shifts[1]) * y;
        sum.wrapping_add(random >> (14 - 4 * partition)) & 0x3f
    };
    // The first of the largest values: of equal ones, the last that is compared is taken.
    (0..count).rev().max_by_key(|partition| value(*partition)).unwrap_or(0) as usize
}

/// Mixes the bits of a seed.
fn hash(seed: u32) -> u32 {
    let mut mixed = seed ^ seed >> 15;
    mixed = mixed.wrapping_sub(mixed << 17);
    mixed = mixed.wrapping_add(mixed << 7);
    mixed = mixed.wrapping_add(mixed << 4);
    mixed ^= mixed >> 5;
    mixed = mixed.wrapping_add(mixed << 16);
    mixed ^= mixed >> 7;
    mixed ^= mixed >> 3;
    mixed ^= mixed << 6;
    mixed ^ mixed >> 17
}
