//! Page tables of sparse textures, which software keeps: the descriptor of such a texture has the address of a table instead of
//! that of its texels (Mesa 26.1).
//!
//! A layer has a folio of 512 words for each 256 pages. Its first 256 words are entries; how hardware uses the others is not
//! known.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

/// Bytes of a page, to which page-aligned layers are aligned.
pub const PAGE: u64 = 1 << 14;
/// Pages of a folio, and its bytes.
const FOLIO_PAGES: u64 = 256;
const FOLIO_BYTES: u64 = 2048;
/// Bits of an entry with memory.
const RESIDENT: u32 = 3 << 30;
/// Bits of the number of the page.
const NUMBER: u32 = (1 << 26) - 1;

/// Bytes of the table of a layer whose texels take this number of bytes.
pub fn layer_bytes(layer: u64) -> u64 {
    layer.div_ceil(PAGE.saturating_mul(FOLIO_PAGES)).saturating_mul(FOLIO_BYTES)
}

/// Byte offset of the entry for a byte of a layer in the table of that layer.
pub fn entry_offset(byte: u64) -> u64 {
    let page = byte / PAGE;
    (page / FOLIO_PAGES).saturating_mul(FOLIO_BYTES).saturating_add((page % FOLIO_PAGES).saturating_mul(4))
}

/// The entry of a page with memory at an address. Pages without memory have zeros.
pub fn entry(address: u64) -> u32 {
    RESIDENT | ((address / PAGE) as u32 & NUMBER)
}

/// The address of the page of an entry; `None` without memory.
pub fn page(entry: u32) -> Option<u64> {
    (entry >> 31 != 0).then(|| u64::from(entry & NUMBER).saturating_mul(PAGE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_has_a_page_number_and_a_flag() {
        assert_eq!(page(0xc00b_fffd), Some(0x2_ffff_4000));
        assert_eq!(page(0x400b_fffd), None);
        assert_eq!(page(entry(0x2_ffff_4000)), Some(0x2_ffff_4000));
    }

    #[test]
    fn a_layer_has_a_folio_for_each_256_pages() {
        assert_eq!([1, 256 * PAGE, 256 * PAGE + 1].map(layer_bytes), [2048, 2048, 4096]);
        assert_eq!([0, PAGE, 255 * PAGE, 256 * PAGE + 5].map(entry_offset), [0, 4, 1020, 2048]);
    }
}
