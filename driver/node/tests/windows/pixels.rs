//! Where the pixels of a buffer are, as `drm_fourcc.h` says.

use std::os::fd::OwnedFd;
use std::sync::Arc;

/// The codes of `drm_fourcc.h`.
pub const XRGB: u32 = u32::from_le_bytes(*b"XR24");
pub const ARGB: u32 = u32::from_le_bytes(*b"AR24");
pub const LINEAR: u64 = 0;
pub const TILED: u64 = 0x0c00_0000_0000_0001;

/// Where the pixels of a buffer are.
#[derive(Debug)]
pub struct Pixels {
    pub file: Arc<OwnedFd>,
    pub offset: u64,
    pub size: [u32; 2],
    pub row: u32,
    pub modifier: u64,
    pub format: u32,
    /// Whether its memory is that of the device.
    pub shared: bool,
}

impl Pixels {
    /// The pixel that all are equal to.
    pub fn colour(pixels: &[u32]) -> Option<u32> {
        pixels.first().copied().filter(|first| pixels.iter().all(|pixel| pixel == first))
    }

    /// The byte of a pixel: of the tiled layout, `drm_fourcc.h` says that tiles of 64 by 64 pixels of four bytes follow each other in
    /// rows, and that the bits of x and y take turns in a tile.
    fn byte(&self, x: u32, y: u32) -> u64 {
        if self.modifier == LINEAR {
            return u64::from(y * self.row + 4 * x);
        }
        let tiles = self.size[0].div_ceil(64);
        let within =
            (0..6).fold(0, |sum, bit| sum | (x >> bit & 1) << (2 * bit) | (y >> bit & 1) << (2 * bit + 1));
        4 * u64::from(((y / 64) * tiles + x / 64) * 4096 + within)
    }

    /// All pixels, in rows from the top.
    pub fn read(&self) -> Vec<u32> {
        let [width, height] = self.size;
        let mut bytes =
            vec![
                0;
                (u64::from(self.row.max(4 * width)) * u64::from(height.next_multiple_of(64))) as usize * 2
            ];
        let len = rustix::io::pread(&*self.file, &mut bytes, self.offset).expect("a file of memory");
        bytes.truncate(len);
        let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let word = |(x, y)| {
            let at = self.byte(x, y) as usize;
            u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
        };
        places.map(word).collect()
    }
}
