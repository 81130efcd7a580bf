//! Special registers, as `mfsr` reads them.
//!
//! Numbers: applegpu and the Mesa 25.0 AGX compiler, which agree on all of these; 12 and 13 are named only in AGX2.xml.

use crate::core::Launch;
use crate::frame::Frame;
use crate::group::{Group, LANES};
use crate::pixels::Pixels;

/// The value of special register `number` in a lane; `None` if the machine does not model it.
pub(crate) fn read(
    number: u32,
    lane: usize,
    group: &Group,
    launch: &Launch,
    frame: Option<&Frame>,
) -> Option<u32> {
    if let Some(value) =
        group.pixels.as_deref().zip(frame).and_then(|(pixels, frame)| fragment(number, lane, pixels, frame))
    {
        return Some(value);
    }
    let thread = group.index * LANES as u32 + lane as u32;
    let size = launch.workgroup_size;
    let axis = |first: u32| (number - first) as usize;
    let before = |mask: u32| (mask & ((1 << lane) - 1)).count_ones();
    let quad = 0xf << (lane & !3);
    Some(match number {
        0..=2 => group.workgroup[axis(0)],
        4..=6 => size[axis(4)],
        8..=10 => size[axis(8)],
        12 | 13 => size[axis(12)],
        // No multisampling, core 0, virtual-memory slot 0.
        14 | 20 | 21 => 0,
        48..=50 => position(thread, size)[axis(48)],
        51 => thread,
        52 => lane as u32,
        53 => group.index,
        56 => before(group.exec & quad),
        57 => (group.exec & quad).count_ones(),
        58 => before(group.exec),
        59 => group.exec.count_ones(),
        63 => u32::from(group.lanes >> lane & 1 != 0),
        80..=82 => {
            let at = axis(80);
            group.workgroup[at].wrapping_mul(launch.full_size[at]).wrapping_add(position(thread, size)[at])
        }
        _ => return None,
    })
}

/// Registers with a different value in fragment programs.
fn fragment(number: u32, lane: usize, pixels: &Pixels, frame: &Frame) -> Option<u32> {
    Some(match number {
        2 => frame.layer,
        14 => frame.buffer.samples().trailing_zeros(),
        60 => u32::from(pixels.live[lane]),
        124 => u32::from(pixels.covered[lane]),
        62 => u32::from(frame.primitive.back),
        63 => u32::from(pixels.live[lane] != 0),
        80 | 81 => pixels.position[lane][(number - 80) as usize],
        _ => return None,
    })
}

/// Position of the n-th thread in the workgroup; x varies fastest.
fn position(thread: u32, size: [u32; 3]) -> [u32; 3] {
    let [width, height, _] = size.map(|extent| extent.max(1));
    [thread % width, thread / width % height, thread / width / height]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::HALVES;

    #[test]
    fn positions_and_counts() {
        let mut group = Group::new(&[[0; LANES]; HALVES / 2], 0x0fff_ffff);
        group.exec = 0b1011_0110;
        group.index = 1;
        group.workgroup = [2, 3, 4];
        let size = [5, 4, 3];
        let launch = Launch { workgroup_size: size, full_size: size, ..Launch::default() };
        // Lane 5 of SIMD-group 1 is thread 37 = 2 + 5·3 + 20·1.
        let cases = [
            (0, 2),
            (1, 3),
            (2, 4),
            (4, 5),
            (5, 4),
            (6, 3),
            (48, 2),
            (49, 3),
            (50, 1),
            (51, 37),
            (52, 5),
            (53, 1),
            (56, 1),
            (57, 3),
            (58, 3),
            (59, 5),
            (63, 1),
            (80, 12),
            (81, 15),
            (82, 13),
        ];
        for (number, value) in cases {
            assert_eq!(read(number, 5, &group, &launch, None), Some(value), "sr{number}");
        }
        assert_eq!(read(63, 31, &group, &launch, None), Some(0), "a lane that does not exist");
        assert_eq!(read(200, 0, &group, &launch, None), None);
    }
}
