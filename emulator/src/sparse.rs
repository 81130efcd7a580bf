//! Texels of sparse textures, by their page tables.

use agx_abi::page_table::{self, PAGE};

use crate::textures::Texture;

impl Texture {
    /// The address of the table entry of a texel, and the texel's offset in its page; `None` for other textures.
    pub(crate) fn page(&self, level: u32, [x, y, slice]: [u32; 3], sample: u32) -> Option<(u64, u64)> {
        let layout = self.layout.filter(|_| self.sparse)?;
        let first = layout.offset(0, [0, 0], slice);
        let layer_bytes = layout.offset(0, [0, 0], 1);
        let offset = (self.texel(level, [x, y, slice], sample) - self.address).wrapping_sub(first);
        let layer = u64::from(slice) * page_table::layer_bytes(layer_bytes);
        Some((self.address + layer + page_table::entry_offset(offset), offset % PAGE))
    }
}
