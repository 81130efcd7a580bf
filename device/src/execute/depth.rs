//! Depth and stencil in memory: loaded before a pass, stored after it.

use agx_abi::image_layout::{ImageLayout, depth_stride_bytes, metadata_stride_bytes};
use agx_emulator::{Framebuffer, Memory, MemoryFault};

use crate::bytes;
use crate::record::{Field, render_command, zls_control, zls_pixels};
use crate::stream::{StreamError, unbound};

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
    compressed: bool,
}

impl DepthBuffer {
    /// The depth buffer of a command.
    pub(crate) fn depth(command: &[u8]) -> DepthBuffer {
        use zls_control::*;
        let control = render_command::ZLS_CONTROL.get(command).to_le_bytes();
        let bytes = if Z_FORMAT.get(&control) == 2 { 2 } else { 4 };
        let fields = [Z_LOAD, Z_STORE, Z_STORE_TWIDDLED, Z_STORE_COMPRESSED];
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
        let fields = [S_LOAD, S_STORE, S_STORE_TWIDDLED, S_STORE_COMPRESSED];
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
        [load, store, twiddled, compressed]: [Field; 4],
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
            compressed: compressed.is_set(control),
        }
    }

    /// The buffer for an interrupted pass, which stores and loads everything, regardless of the settings of the pass.
    pub(crate) fn kept(self) -> DepthBuffer {
        let present = self.base != 0;
        DepthBuffer { loads: present, stores: present, ..self }
    }

    /// Whether depth is a 16-bit normalised number.
    pub(crate) fn is_unorm16(&self) -> bool {
        self.bytes == 2
    }

    /// Calls `visit` with each sample of the framebuffer that is in the buffer, and its address.
    fn each(
        &self,
        buffer: &Framebuffer,
        layer: u32,
        mut visit: impl FnMut([u32; 3], u64) -> Result<(), MemoryFault>,
    ) -> Result<(), StreamError> {
        let layout = ImageLayout::single(self.size, self.bytes.saturating_mul(self.samples), self.twiddled);
        let [width, height] = buffer.size();
        let first = layer_address(self.base, layer, self.stride);
        for y in 0..height.min(self.size[1]) {
            for x in 0..width.min(self.size[0]) {
                let element = bytes::address(first, layout.element([x, y]));
                for sample in 0..self.samples {
                    let address = bytes::address(element, sample.saturating_mul(self.bytes).into());
                    visit([x, y, sample], address).map_err(unbound("depth or stencil", address))?;
                }
            }
        }
        Ok(())
    }

    /// Loads a layer if the command requests it.
    pub(crate) fn load(
        &self,
        memory: &Memory,
        buffer: &mut Framebuffer,
        layer: u32,
    ) -> Result<(), StreamError> {
        if !self.loads {
            return Ok(());
        }
        let mut found = Vec::new();
        self.each(buffer, layer, |place, address| {
            found.push((place, bytes::number(memory, address, self.bytes as usize)?));
            Ok(())
        })?;
        for ([x, y, sample], raw) in found {
            let Some((depth, stencil)) = buffer.depth_stencil(x, y, sample) else { continue };
            let (depth, stencil) = match self.bytes {
                1 => (depth, raw as u8),
                2 => ((f64::from(raw) / 65535.0) as f32, stencil),
                _ => (f32::from_bits(raw), stencil),
            };
            buffer.set_depth_stencil(x, y, sample, depth, stencil);
        }
        Ok(())
    }

    /// Stores a layer if the command requests it.
    pub(crate) fn store(
        &self,
        memory: &mut Memory,
        buffer: &Framebuffer,
        layer: u32,
    ) -> Result<(), StreamError> {
        if !self.stores {
            return Ok(());
        }
        self.each(buffer, layer, |[x, y, sample], address| {
            let Some((depth, stencil)) = buffer.depth_stencil(x, y, sample) else { return Ok(()) };
            match self.bytes {
                1 => memory.write(address, &[stencil]),
                2 => memory.write(address, &((f64::from(depth) * 65535.0).round() as u16).to_le_bytes()),
                _ => memory.write(address, &depth.to_bits().to_le_bytes()),
            }
        })?;
        if self.compressed && self.metadata != 0 {
            self.mark(memory, layer)?;
        }
        Ok(())
    }

    /// Marks the layer as uncompressed in its metadata.
    fn mark(&self, memory: &mut Memory, layer: u32) -> Result<(), StreamError> {
        let [width, height] = self.size;
        let across = if self.samples == 4 { 2 } else { 1 };
        let down = if self.samples > 1 { 2 } else { 1 };
        let tiles = [width.saturating_mul(across), height.saturating_mul(down)]
            .map(|side| side.div_ceil(16).next_power_of_two() as usize);
        let code = match self.bytes {
            1 => 0x1f_u8,
            2 => 0x3f,
            _ => 0x7f,
        };
        let first = layer_address(self.metadata, layer, self.metadata_stride);
        let bytes = vec![code; tiles.into_iter().fold(8, usize::saturating_mul)];
        memory.write(first, &bytes).map_err(unbound("compression metadata", first))
    }
}

/// The address of a layer.
fn layer_address(base: u64, layer: u32, stride: u64) -> u64 {
    bytes::address(base, stride.saturating_mul(layer.into()))
}
