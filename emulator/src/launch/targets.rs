//! Acts as the driver for render targets that do not fit into the tile: their memory, and the heap with their
//! descriptors.

use agx_abi::DescriptorKind;
use agx_abi::fragment::TargetHeap;

use super::textures::TextureResource;
use super::{LaunchError, Layout};
use crate::Access;

/// A render target in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpilledTarget {
    /// Its number.
    pub target: u32,
    /// Its texels, as a 2D array, or as one with samples; set and binding are ignored.
    pub resource: TextureResource,
}

/// Addresses of targets.
pub(super) struct Targets {
    /// Address of the heap; 0 without spilled targets.
    pub heap: u64,
    addresses: Vec<u64>,
}

impl Targets {
    /// Maps the targets and the heap with their descriptors.
    pub fn map(layout: &mut Layout<'_>, targets: &[SpilledTarget]) -> Result<Targets, LaunchError> {
        if targets.is_empty() {
            return Ok(Targets { heap: 0, addresses: Vec::new() });
        }
        let mut addresses = Vec::with_capacity(targets.len());
        let mut heap = vec![0; TargetHeap::BYTES as usize];
        for SpilledTarget { target, resource } in targets {
            let address = layout.map(resource.buffer.bytes.clone(), Access::READ | Access::WRITE)?;
            addresses.push(address);
            let mut put = |offset: u32, bytes: &[u8]| {
                heap.iter_mut().skip(offset as usize).zip(bytes).for_each(|(to, from)| *to = *from);
            };
            put(TargetHeap::texture_offset(*target), &resource.descriptor(DescriptorKind::Texture, address));
            put(TargetHeap::image_offset(*target), &resource.descriptor(DescriptorKind::Image, address));
            if let Some((_, place)) = resource.shape.in_plane() {
                put(TargetHeap::sampled_offset(*target), &place.bytes());
            }
        }
        Ok(Targets { heap: layout.map(heap, Access::READ)?, addresses })
    }

    /// Copies the contents of memory after the run back to the targets.
    pub fn take_back(&self, memory: &crate::Memory, targets: &mut [SpilledTarget]) {
        for (target, address) in targets.iter_mut().zip(&self.addresses) {
            let bytes = &mut target.resource.buffer.bytes;
            if let Some(found) = memory.bytes(*address, bytes.len()) {
                bytes.copy_from_slice(found);
            }
        }
    }
}
