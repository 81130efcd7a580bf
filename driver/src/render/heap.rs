//! The texture heap of render targets that do not fit the tile: programs load and store them in memory.

use agx_abi::fragment::TargetHeap;
use agx_compiler::link::PassTargets;
use ash::vk;

use super::PassInfo;
use crate::Error;
use crate::upload::Upload;

/// The address of the heap of a view; 0 if all targets fit.
///
/// # Errors
/// Out of memory.
pub(super) fn target_heap(
    upload: &mut Upload,
    info: &PassInfo,
    targets: &PassTargets,
    view: u32,
) -> Result<u64, Error> {
    let spilled = targets.layout().spilled;
    if spilled == 0 {
        return Ok(0);
    }
    let mut heap = [0; TargetHeap::BYTES as usize];
    for (number, target) in (0..).zip(&info.colours) {
        let part = target.as_ref().and_then(|target| target.view.target(vk::ImageAspectFlags::COLOR));
        let Some(mut part) = part.filter(|_| spilled >> number & 1 != 0) else { continue };
        if info.views != 0 {
            part.layers = [part.layers[0] + view, 1];
        }
        let mut put = |at: u32, bytes: &[u8]| {
            heap.iter_mut().skip(at as usize).zip(bytes).for_each(|(to, from)| *to = *from);
        };
        put(TargetHeap::texture_offset(number), &part.texture());
        match part.sampled() {
            Some((image, place)) => {
                put(TargetHeap::image_offset(number), &image);
                put(TargetHeap::sampled_offset(number), &place.bytes());
            }
            None => put(TargetHeap::image_offset(number), &part.stored()),
        }
    }
    upload.put(&heap, 64)
}
