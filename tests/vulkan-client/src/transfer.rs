//! Copies, blits and clears of images.

use ash::vk;

use crate::Error;
use crate::device::Device;
use crate::image::{self, Image};
use crate::request::{Request, number};

/// Runs the commands of a request on the image `to`, in order; returns its contents.
///
/// # Errors
/// Vulkan's error, or unknown words.
pub fn run(device: &Device, request: &Request) -> Result<Vec<u8>, Error> {
    let resource = |key: &str| -> Result<Image, Error> {
        let words = request.words(key).ok_or_else(|| format!("`{key}` is missing"))?;
        image::resource(device, words, false)
    };
    let to = resource("to")?;
    let from = request.has("from").then(|| resource("from")).transpose()?;
    let aspect = to.aspect();
    let into = device.buffer(&vec![0; to.bytes() as usize])?;
    device.submit(|commands| {
        for words in request.all("copy").map(numbers) {
            copy(device, commands, [from.as_ref().ok_or("`from` is missing")?, &to], &words?);
        }
        for words in request.all("blit") {
            let filter = match words.first().map(String::as_str) {
                Some("linear") => vk::Filter::LINEAR,
                _ => vk::Filter::NEAREST,
            };
            let corners = numbers(words.get(1..).unwrap_or(&[]))?;
            blit(device, commands, [from.as_ref().ok_or("`from` is missing")?, &to], &corners, filter);
        }
        for words in request.all("clear").map(numbers) {
            clear(device, commands, &to, &words?);
        }
        device.barrier(commands);
        to.download(device, commands, &into, aspect);
        Ok(())
    })?;
    Ok(into.read())
}

fn numbers(words: &[String]) -> Result<Vec<u32>, Error> {
    words.iter().map(|word| number(word)).collect()
}

/// `copy X Y TO_X TO_Y W H LEVEL TO_LEVEL LAYERS`.
fn copy(device: &Device, commands: vk::CommandBuffer, [from, to]: [&Image; 2], words: &[u32]) {
    let word = |at: usize| words.get(at).copied().unwrap_or(0);
    let offset = |at: usize| vk::Offset3D { x: word(at) as i32, y: word(at + 1) as i32, z: 0 };
    let copy = [vk::ImageCopy::default()
        .src_subresource(from.layers(word(6), word(8).max(1)))
        .src_offset(offset(0))
        .dst_subresource(to.layers(word(7), word(8).max(1)))
        .dst_offset(offset(2))
        .extent(vk::Extent3D { width: word(4), height: word(5), depth: 1 })];
    let layout = vk::ImageLayout::GENERAL;
    // SAFETY: the command buffer is being recorded; the images are this device's.
    unsafe { device.functions.cmd_copy_image(commands, from.image, layout, to.image, layout, &copy) };
    device.barrier(commands);
}

/// `blit FILTER LEFT TOP RIGHT BOTTOM TO_LEFT TO_TOP TO_RIGHT TO_BOTTOM LEVEL TO_LEVEL`.
fn blit(
    device: &Device,
    commands: vk::CommandBuffer,
    [from, to]: [&Image; 2],
    words: &[u32],
    filter: vk::Filter,
) {
    let word = |at: usize| words.get(at).copied().unwrap_or(0);
    let corner = |at: usize, z: i32| vk::Offset3D { x: word(at) as i32, y: word(at + 1) as i32, z };
    let blit = [vk::ImageBlit::default()
        .src_subresource(from.layers(word(8), 1))
        .src_offsets([corner(0, 0), corner(2, 1)])
        .dst_subresource(to.layers(word(9), 1))
        .dst_offsets([corner(4, 0), corner(6, 1)])];
    let layout = vk::ImageLayout::GENERAL;
    // SAFETY: the command buffer is being recorded; the images are this device's.
    unsafe { device.functions.cmd_blit_image(commands, from.image, layout, to.image, layout, &blit, filter) };
    device.barrier(commands);
}

/// `clear R G B A LEVEL LAYER`: numbers with a point are floats. For depth and stencil the first two are used.
fn clear(device: &Device, commands: vk::CommandBuffer, to: &Image, words: &[u32]) {
    let word = |at: usize| words.get(at).copied().unwrap_or(0);
    let range = [vk::ImageSubresourceRange::default()
        .aspect_mask(to.aspect())
        .base_mip_level(word(4))
        .level_count(1)
        .base_array_layer(word(5))
        .layer_count(1)];
    let layout = vk::ImageLayout::GENERAL;
    let colour = vk::ClearColorValue { uint32: [word(0), word(1), word(2), word(3)] };
    let depth = vk::ClearDepthStencilValue { depth: f32::from_bits(word(0)), stencil: word(1) };
    // SAFETY: the command buffer is being recorded; the image is this device's.
    unsafe {
        match to.aspect() {
            vk::ImageAspectFlags::COLOR => {
                device.functions.cmd_clear_color_image(commands, to.image, layout, &colour, &range);
            }
            _ => device.functions.cmd_clear_depth_stencil_image(commands, to.image, layout, &depth, &range),
        }
    }
    device.barrier(commands);
}
