//! Page tables of sparse textures, which software keeps: the descriptor of such a texture has the address of a table
//! instead of that of its texels (Mesa 26.1).
//!
//! A layer has a folio of 512 words for each 256 pages. Its first 256 words are entries; how hardware uses the others is
//! not known.

use crate::textures::Texture;

/// Bytes of a page.
const PAGE: u64 = 1 << 14;
/// Pages of a folio, and its words.
const FOLIO_PAGES: u64 = 256;
const FOLIO_WORDS: u64 = 512;

/// Whether the page of an entry is resident.
pub(crate) fn is_resident(entry: u32) -> bool {
    entry >> 31 != 0
}

/// The address of the page of an entry.
pub(crate) fn page_address(entry: u32) -> u64 {
    u64::from(entry & 0x3ff_ffff) * PAGE
}

impl Texture {
    /// The address of the table entry of a texel, and the texel's offset in its page; `None` for other textures.
    pub(crate) fn page(&self, level: u32, [x, y, slice]: [u32; 3], sample: u32) -> Option<(u64, u64)> {
        let layout = self.layout.filter(|_| self.sparse)?;
        let first = layout.offset(0, [0, 0], slice);
        let layer_bytes = layout.offset(0, [0, 0], 1);
        let offset = (self.texel(level, [x, y, slice], sample) - self.address).wrapping_sub(first);
        let folio = u64::from(slice) * layer_bytes.div_ceil(PAGE * FOLIO_PAGES) + offset / PAGE / FOLIO_PAGES;
        let entry = folio * FOLIO_WORDS + offset / PAGE % FOLIO_PAGES;
        Some((self.address + 4 * entry, offset % PAGE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_has_a_page_number_and_a_flag() {
        assert_eq!(page_address(0xc00b_fffd), 0x2_ffff_4000);
        assert!(is_resident(0xc00b_fffd));
        assert!(!is_resident(0x400b_fffd));
    }
}
