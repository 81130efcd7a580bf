//! Colours between which the texels of a partition lie.

use super::integers::{Digits, Integer, Range};

/// Encoding of colours, by range from 256 levels to 6.
const RANGES: [Range; 17] = {
    use Digits::{None, Quints, Trits};
    const fn range(bits: u32, digits: Digits) -> Range {
        Range { bits, digits }
    }
    [
        range(8, None),
        range(6, Trits),
        range(5, Quints),
        range(7, None),
        range(5, Trits),
        range(4, Quints),
        range(6, None),
        range(4, Trits),
        range(3, Quints),
        range(5, None),
        range(3, Trits),
        range(2, Quints),
        range(4, None),
        range(2, Trits),
        range(1, Quints),
        range(3, None),
        range(1, Trits),
    ]
};

/// Two colours of 8 bits a channel.
pub(super) type Ends = [[u32; 4]; 2];

/// The encoding of `count` integers in `bits`: the widest range that fits.
pub(super) fn range(count: u32, bits: u32) -> Option<Range> {
    RANGES.into_iter().find(|range| range.size(count) <= bits)
}

/// Number of integers of a mode.
pub(super) fn count(mode: u32) -> u32 {
    2 * (mode / 4 + 1)
}

/// The colours of a mode from the integers of its partition, of which the first is number `first`; `None` for modes of the
/// profile with a high range.
pub(super) fn ends(mode: u32, range: Range, sequence: u128, first: u32) -> Option<Ends> {
    let mut values = [0; 8];
    for (index, value) in (0..count(mode)).zip(&mut values) {
        *value = expanded(range, range.integer(sequence, first + index));
    }
    let [v0, v1, v2, v3, v4, v5, v6, v7] = values;
    let grey = |value, alpha| [value, value, value, alpha];
    Some(match mode {
        0 => [grey(v0, 255), grey(v1, 255)],
        1 => {
            let low = v0 >> 2 | v1 & 0xc0;
            [grey(low, 255), grey((low + (v1 & 0x3f)).min(255), 255)]
        }
        4 => [grey(v0, v2), grey(v1, v3)],
        5 => {
            let ([base, step], [alpha, more]) = (offset(v0, v1), offset(v2, v3));
            [grey(base as u32, alpha as u32), grey(clamped(base + step), clamped(alpha + more))]
        }
        6 | 10 => {
            let [red, green, blue] = [v0, v1, v2].map(|value| (value * v3) >> 8);
            let [low, high] = if mode == 6 { [255, 255] } else { [v4, v5] };
            [[red, green, blue, low], [v0, v1, v2, high]]
        }
        8 => direct([v0, v2, v4, 255], [v1, v3, v5, 255]),
        9 => relative([offset(v0, v1), offset(v2, v3), offset(v4, v5), [255, 0]]),
        12 => direct([v0, v2, v4, v6], [v1, v3, v5, v7]),
        13 => relative([offset(v0, v1), offset(v2, v3), offset(v4, v5), offset(v6, v7)]),
        _ => return None,
    })
}

/// Two colours; if the second is darker, they are exchanged and their blue is contracted.
fn direct(first: [u32; 4], second: [u32; 4]) -> Ends {
    let sum = |[red, green, blue, _]: [u32; 4]| red + green + blue;
    match sum(second) >= sum(first) {
        true => [first, second],
        false => [second, first].map(|colour| contracted(colour.map(|channel| channel as i32))),
    }
}

/// A colour, and a second one at a distance from it: if that is darker, they are exchanged and their blue is contracted.
fn relative(channels: [[i32; 2]; 4]) -> Ends {
    let (first, second) = (channels.map(|[base, _]| base), channels.map(|[base, step]| base + step));
    match channels[..3].iter().map(|[_, step]| step).sum::<i32>() >= 0 {
        true => [first, second].map(|colour| colour.map(clamped)),
        false => [second, first].map(contracted),
    }
}

/// Red and green halfway to blue.
fn contracted([red, green, blue, alpha]: [i32; 4]) -> [u32; 4] {
    [(red + blue) >> 1, (green + blue) >> 1, blue, alpha].map(clamped)
}

fn clamped(channel: i32) -> u32 {
    channel.clamp(0, 255) as u32
}

/// A base of 8 bits and a signed step of 6 bits: the top bit of the base is in the step's integer.
fn offset(base: u32, step: u32) -> [i32; 2] {
    let signed = ((step >> 1 & 0x3f) ^ 0x20) as i32 - 0x20;
    [(base >> 1 | step & 0x80) as i32, signed]
}

/// A channel of 8 bits.
fn expanded(range: Range, integer: Integer) -> u32 {
    let Integer { digit, bits } = integer;
    // The lowest bit selects the half of the range.
    let high = bits >> 1;
    let (step, offset) = match (range.digits, range.bits) {
        (Digits::None, count) => return replicated(bits, count),
        (Digits::Trits, 1) => (204, 0),
        (Digits::Trits, 2) => (93, 0b1_0001_0110 * high),
        (Digits::Trits, 3) => (44, 0b0_1000_0101 * high),
        (Digits::Trits, 4) => (22, 0b0_0100_0001 * high),
        (Digits::Trits, 5) => (11, high << 5 | high >> 2),
        (Digits::Trits, _) => (5, high << 4 | high >> 4),
        (_, 1) => (113, 0),
        (_, 2) => (54, 0b1_0000_1100 * high),
        (_, 3) => (26, high << 7 | high << 1 | high >> 1),
        (_, 4) => (13, high << 6 | high >> 1),
        (_, _) => (6, high << 5 | high >> 3),
    };
    let mask = 0x1ff * (bits & 1);
    let sum = (digit * step + offset) ^ mask;
    mask & 0x80 | sum >> 2
}

/// `count` bits repeated to 8.
fn replicated(bits: u32, count: u32) -> u32 {
    let repeated = (0..8_u32).step_by(count as usize).fold(0, |all, _| all << count | bits);
    repeated >> (8_u32.next_multiple_of(count) - 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_spread_over_a_byte() {
        for range in RANGES {
            let digits = match range.digits {
                Digits::None => 1,
                Digits::Trits => 3,
                Digits::Quints => 5,
            };
            let mut levels: Vec<u32> = (0..digits)
                .flat_map(|digit| {
                    (0..1 << range.bits).map(move |bits| expanded(range, Integer { digit, bits }))
                })
                .collect();
            levels.sort_unstable();
            let last = levels.len() as u32 - 1;
            for (at, level) in levels.iter().enumerate() {
                let ideal = 255.0 * at as f64 / f64::from(last);
                assert!((f64::from(*level) - ideal).abs() <= 1.5, "{range:?}: {levels:?}");
            }
            assert_eq!((levels[0], levels[last as usize]), (0, 255), "{range:?}");
        }
    }

    #[test]
    fn the_widest_range_that_fits_is_chosen() {
        assert_eq!(range(2, 16), Some(RANGES[0]));
        assert_eq!(range(2, 15), Some(Range { bits: 5, digits: Digits::Quints }));
        assert_eq!(range(18, 47), Some(Range { bits: 1, digits: Digits::Trits }));
        assert_eq!(range(18, 46), None);
    }

    #[test]
    fn colours_that_are_darker_come_first() {
        assert_eq!(direct([1, 2, 3, 4], [5, 6, 7, 8]), [[1, 2, 3, 4], [5, 6, 7, 8]]);
        assert_eq!(direct([9, 5, 3, 8], [1, 3, 5, 4]), [[3, 4, 5, 4], [6, 4, 3, 8]]);
        // A step of -1 with the base's top bit, and one of 31.
        assert_eq!([offset(0x20, 0xfe), offset(0x20, 0x3e)], [[0x90, -1], [0x10, 31]]);
        assert_eq!(relative([[250, 31], [0, 0], [0, 0], [255, 0]]), [[250, 0, 0, 255], [255, 0, 0, 255]]);
        assert_eq!(relative([[10, -4], [8, 0], [6, 0], [9, 1]]), [[6, 7, 6, 10], [8, 7, 6, 9]]);
    }
}
