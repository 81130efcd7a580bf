//! Acts as the driver for descriptor sets that shaders read from memory.

use agx_abi::pipeline::{BindingAccess, BindingLayout, DescriptorForm, PipelineLayout};
use agx_abi::{DescriptorKind, ShaderInfo};

use super::{LaunchError, Layout};
use crate::Access;

impl Layout<'_> {
    /// Maps the memory of a set, with descriptors of the bound resources in the shader's layout, and zeros elsewhere.
    /// Bindings that the shader expects in registers are omitted.
    pub(super) fn set_memory(&mut self, info: &ShaderInfo, set: u32) -> Result<u64, LaunchError> {
        let layout = info.layout.clone().unwrap_or_default();
        let mut memory = SetMemory { layout: &layout, set, bytes: Vec::new() };
        for (buffer, address) in self.buffers.iter().zip(&self.addresses) {
            let Some((start, binding)) = memory.element(buffer.set, buffer.binding, buffer.element) else {
                continue;
            };
            match binding.form {
                DescriptorForm::Inline => memory.put(start, 0, &buffer.bytes),
                DescriptorForm::Descriptors(parts) => {
                    let size = buffer.bytes.len() as u32;
                    memory.put(
                        start,
                        parts.buffer,
                        &[&address.to_le_bytes()[..], &size.to_le_bytes()].concat(),
                    );
                }
            }
        }
        for (texture, address) in self.textures.iter().zip(self.texture_addresses()) {
            let at = &texture.buffer;
            let found = memory.element(at.set, at.binding, at.element);
            if let Some((start, DescriptorForm::Descriptors(parts))) =
                found.map(|(at, binding)| (at, binding.form))
            {
                // If texture and image descriptors have the same offset, write the one for the kind of the resource.
                if parts.texture != parts.image || !texture.storage {
                    memory.put(start, parts.texture, &texture.descriptor(DescriptorKind::Texture, *address));
                }
                if texture.storage {
                    memory.put(start, parts.image, &texture.descriptor(DescriptorKind::Image, *address));
                }
            }
        }
        for sampler in self.samplers {
            let found = memory.element(sampler.set, sampler.binding, sampler.element);
            if let Some((start, DescriptorForm::Descriptors(parts))) =
                found.map(|(at, binding)| (at, binding.form))
            {
                let number = self.sampler_registers.register(sampler.state.descriptor());
                let number = number.ok_or(LaunchError::TooManySamplers)?;
                memory.put(start, parts.sampler, &number.to_le_bytes());
            }
        }
        let bytes = memory.bytes;
        Ok(self.map(bytes, Access::READ)?)
    }
}

/// The memory of a set while it is being filled.
struct SetMemory<'l> {
    layout: &'l PipelineLayout,
    set: u32,
    bytes: Vec<u8>,
}

impl SetMemory<'_> {
    /// First byte of an element that the shader reads from this set, and the layout of its binding. Extends the memory
    /// to contain the element.
    fn element(&mut self, set: u32, binding: u32, element: u32) -> Option<(u32, BindingLayout)> {
        let found = *self.layout.binding(set, binding).filter(|_| set == self.set)?;
        if found.access == BindingAccess::Constant {
            return None;
        }
        let start = found.offset.checked_add(element.checked_mul(found.stride)?)?;
        let end = start.checked_add(found.stride)? as usize;
        self.bytes.resize(self.bytes.len().max(end), 0);
        Some((start, found))
    }

    /// Writes bytes at an offset in the element that begins at `start`.
    fn put(&mut self, start: u32, offset: u32, bytes: &[u8]) {
        let start = (start as usize).saturating_add(offset as usize);
        let end = start.saturating_add(bytes.len());
        self.bytes.resize(self.bytes.len().max(end), 0);
        if let Some(place) = self.bytes.get_mut(start..end) {
            place.copy_from_slice(bytes);
        }
    }
}
