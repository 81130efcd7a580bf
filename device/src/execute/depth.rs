//! Depth and stencil in memory: loaded before a pass, stored after it.

use agx_abi::image_layout::{ImageLayout, depth_stride_bytes, metadata_stride_bytes};
use agx_emulator::compression::{Subtiles, plain_code, solid_code};
use agx_emulator::{Framebuffer, Memory, MemoryFault};

use crate::bytes;
use crate::record::{Field, render_command, zls_control, zls_pixels};

/// Pixels of the smallest subtile along each axis.
const LEAST_SUBTILE: [usize; 2] = [4, 2];

/// Depth or stencil of a pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DepthBuffer {
    base: u64,
    metadata: u64,
    stride: u64,
    metadata_stride: u64,
    size: [u32; 2],
    samples: u32,
    /// Bytes of a sample: 4 or 2 of depth, 1 of stencil.
    bytes: u32,
    loads: bool,
    stores: bool,
    twiddled: bool,
    /// Loads follow the metadata.
    loads_compressed: bool,
    /// Stores write the metadata.
    stores_compressed: bool,
}

impl DepthBuffer {
    /// The depth buffer of a command.
    pub(crate) fn depth(command: &[u8]) -> DepthBuffer {
        use zls_control::*;
        let control = render_command::ZLS_CONTROL.get(command).to_le_bytes();
        let bytes = if Z_FORMAT.get(&control) == 2 { 2 } else { 4 };
        let fields = [Z_LOAD, Z_STORE, Z_STORE_TWIDDLED, Z_LOAD_COMPRESSED, Z_STORE_COMPRESSED];
        let depth = DepthBuffer::new(command, &control, fields, bytes);
        DepthBuffer {
            base: render_command::DEPTH_BASE.get(command),
            metadata: render_command::DEPTH_METADATA.get(command),
            stride: depth_stride_bytes(render_command::DEPTH_STRIDE.get(command)),
            metadata_stride: metadata_stride_bytes(render_command::DEPTH_METADATA_STRIDE.get(command)),
            twiddled: depth.twiddled || Z_LOAD_TWIDDLED.is_set(&control),
            ..depth
        }
    }

    /// The stencil buffer of a command.
    pub(crate) fn stencil(command: &[u8]) -> DepthBuffer {
        use zls_control::*;
        let control = render_command::ZLS_CONTROL.get(command).to_le_bytes();
        let fields = [S_LOAD, S_STORE, S_STORE_TWIDDLED, S_LOAD_COMPRESSED, S_STORE_COMPRESSED];
        let stencil = DepthBuffer::new(command, &control, fields, 1);
        DepthBuffer {
            base: render_command::STENCIL_BASE.get(command),
            metadata: render_command::STENCIL_METADATA.get(command),
            stride: depth_stride_bytes(render_command::STENCIL_STRIDE.get(command)),
            metadata_stride: metadata_stride_bytes(render_command::STENCIL_METADATA_STRIDE.get(command)),
            twiddled: stencil.twiddled || S_LOAD_TWIDDLED.is_set(&control),
            ..stencil
        }
    }

    fn new(
        command: &[u8],
        control: &[u8],
        [load, store, twiddled, loads_compressed, stores_compressed]: [Field; 5],
        bytes: u32,
    ) -> Self {
        let pixels = render_command::ZLS_PIXELS.get(command).to_le_bytes();
        DepthBuffer {
            base: 0,
            metadata: 0,
            stride: 0,
            metadata_stride: 0,
            size: [zls_pixels::WIDTH, zls_pixels::HEIGHT].map(|field| field.get(&pixels) as u32),
            samples: render_command::SAMPLES.get(command).max(1) as u32,
            bytes,
            loads: load.is_set(control),
            stores: store.is_set(control),
            twiddled: twiddled.is_set(control),
            loads_compressed: loads_compressed.is_set(control),
            stores_compressed: stores_compressed.is_set(control),
        }
    }

    /// The buffer of a resumed pass, which loads what the interruption stored.
    pub(crate) fn resumed(self) -> DepthBuffer {
        DepthBuffer { loads: self.stores, ..self }
    }

    /// Whether depth is a 16-bit normalised number.
    pub(crate) fn is_unorm16(&self) -> bool {
        self.bytes == 2
    }

    /// The layout of a layer.
    fn layout(&self) -> ImageLayout {
        ImageLayout::single(self.size, self.bytes.saturating_mul(self.samples), self.twiddled)
    }

    /// Calls `visit` with each sample of a tile that is in the buffer, and its address.
    fn each(
        &self,
        rectangle: [u32; 4],
        layer: u32,
        mut visit: impl FnMut([u32; 3], u64) -> Result<(), MemoryFault>,
    ) -> Result<(), MemoryFault> {
        let layout = self.layout();
        let [left, top, right, bottom] = rectangle;
        let first = layer_address(self.base, layer, self.stride);
        for y in top..bottom.min(self.size[1]) {
            for x in left..right.min(self.size[0]) {
                let element = bytes::address(first, layout.element([x, y]));
                for sample in 0..self.samples {
                    let address = bytes::address(element, sample.saturating_mul(self.bytes).into());
                    visit([x, y, sample], address)?;
                }
            }
        }
        Ok(())
    }

    /// Loads a tile of a layer if the command requests it.
    pub(crate) fn load(
        &self,
        memory: &Memory,
        tile: &mut Framebuffer,
        layer: u32,
    ) -> Result<(), MemoryFault> {
        if !self.loads {
            return Ok(());
        }
        let solid = if self.loads_compressed && self.metadata != 0 { Some(self.solid(layer)) } else { None };
        self.each(tile.rectangle(), layer, |place, address| {
            let one = solid.as_ref().map(|solid| solid(memory, place)).transpose()?.flatten();
            let raw = bytes::number(memory, one.unwrap_or(address), self.bytes as usize)?;
            let [x, y, sample] = place;
            let Some((depth, stencil)) = tile.depth_stencil(x, y, sample) else { return Ok(()) };
            let (depth, stencil) = match self.bytes {
                1 => (depth, raw as u8),
                2 => ((f64::from(raw) / 65535.0) as f32, stencil),
                _ => (f32::from_bits(raw), stencil),
            };
            tile.set_depth_stencil(x, y, sample, depth, stencil);
            Ok(())
        })
    }

    /// Stores a tile of a layer if the command requests it.
    pub(crate) fn store(
        &self,
        memory: &mut Memory,
        tile: &Framebuffer,
        layer: u32,
    ) -> Result<(), MemoryFault> {
        if !self.stores {
            return Ok(());
        }
        self.each(tile.rectangle(), layer, |[x, y, sample], address| {
            let Some((depth, stencil)) = tile.depth_stencil(x, y, sample) else { return Ok(()) };
            match self.bytes {
                1 => memory.write(address, &[stencil]),
                2 => memory.write(address, &((f64::from(depth) * 65535.0).round() as u16).to_le_bytes()),
                _ => memory.write(address, &depth.to_bits().to_le_bytes()),
            }
        })?;
        if self.stores_compressed && self.metadata != 0 {
            self.mark(memory, tile.rectangle(), layer)?;
        }
        Ok(())
    }

    /// A function that returns the address of a sample whose subtile consists of one value, and `None` for other samples.
    fn solid(&self, layer: u32) -> impl Fn(&Memory, [u32; 3]) -> Result<Option<u64>, MemoryFault> {
        let subtiles = Subtiles::of_image(self.size, self.samples);
        let layout = self.layout();
        let first = layer_address(self.base, layer, self.stride);
        let metadata = layer_address(self.metadata, layer, self.metadata_stride);
        let size = self.bytes;
        move |memory, [x, y, sample]| {
            let found = subtiles.locate([x, y], sample);
            let code = bytes::number(memory, bytes::address(metadata, found.metadata), 1)?;
            let value = bytes::address(first, layout.element(found.corner));
            let value = bytes::address(value, found.number.saturating_mul(size).into());
            Ok((code == u32::from(solid_code(size))).then_some(value))
        }
    }

    /// Marks the subtiles of a tile as uncompressed in the metadata.
    fn mark(
        &self,
        memory: &mut Memory,
        [left, top, right, bottom]: [u32; 4],
        layer: u32,
    ) -> Result<(), MemoryFault> {
        let subtiles = Subtiles::of_image(self.size, self.samples);
        let first = layer_address(self.metadata, layer, self.metadata_stride);
        for y in (top..bottom).step_by(LEAST_SUBTILE[1]) {
            for x in (left..right).step_by(LEAST_SUBTILE[0]) {
                let address = bytes::address(first, subtiles.locate([x, y], 0).metadata);
                memory.write(address, &[plain_code(self.bytes)])?;
            }
        }
        Ok(())
    }
}

/// The address of a layer.
fn layer_address(base: u64, layer: u32, stride: u64) -> u64 {
    bytes::address(base, stride.saturating_mul(layer.into()))
}

#[cfg(test)]
mod tests {
    use agx_emulator::Access;

    use super::*;

    /// A depth buffer of 16 by 16 pixels at 0x1_0000, with metadata at 0x2_0000.
    fn depth(loads_compressed: bool) -> DepthBuffer {
        DepthBuffer {
            base: 0x1_0000,
            metadata: 0x2_0000,
            stride: 0,
            metadata_stride: 0,
            size: [16; 2],
            samples: 1,
            bytes: 4,
            loads: true,
            stores: true,
            twiddled: true,
            loads_compressed,
            stores_compressed: true,
        }
    }

    #[test]
    fn a_subtile_of_one_value_is_loaded_as_a_whole() {
        let mut memory = Memory::default();
        // Texel `n` has the value n, and the second subtile has only one value.
        let texels: Vec<u8> = (0..256).flat_map(|at| (at as f32).to_le_bytes()).collect();
        memory.map(0x1_0000, texels, Access::READ | Access::WRITE).expect("free");
        let codes = [[0x7f, 0x03, 0x7f, 0x7f], [0x7f; 4]].concat();
        memory.map(0x2_0000, codes, Access::READ | Access::WRITE).expect("free");
        let mut buffer = Framebuffer::new(16, 16, 1, 4);
        let found = |buffer: &Framebuffer, x, y| buffer.depth_stencil(x, y, 0).expect("inside").0;
        depth(true).load(&memory, &mut buffer, 0).expect("mapped");
        assert_eq!([found(&buffer, 8, 0), found(&buffer, 15, 3)], [1.0; 2]);
        assert_eq!([found(&buffer, 1, 0), found(&buffer, 0, 1)], [1.0, 2.0]);
        depth(false).load(&memory, &mut buffer, 0).expect("mapped");
        assert_eq!(found(&buffer, 8, 0), 64.0);
        // A store leaves nothing compressed.
        depth(true).store(&mut memory, &buffer, 0).expect("mapped");
        assert_eq!(memory.bytes(0x2_0000, 8).expect("mapped"), [0x7f; 8]);
    }
}
