//! Swapchains: images that are rendered, copied to memory and shown.

use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use ash::vk;

use crate::Error;
use crate::command::{CommandBuffer, Level};
use crate::device::Device;
use crate::image::{Image, ImageInfo};
use crate::memory::{Allocation, Place, lock};
use crate::modifier::Tiling;
use crate::queue::Submission;
use crate::surface::Surface;
use crate::transfer::{Box3, BufferImageCopy};

/// The parameters of a swapchain.
#[derive(Clone, Copy, Debug)]
pub struct SwapchainInfo {
    /// Minimum number of images.
    pub images: u32,
    /// Their format.
    pub format: vk::Format,
    /// Their width and height.
    pub size: [u32; 2],
    /// Their layers; the first is shown.
    pub layers: u32,
    /// Their uses.
    pub usage: vk::ImageUsageFlags,
}

/// An image and the commands that copy it to memory.
struct Slot {
    image: Arc<Image>,
    memory: Arc<Allocation>,
    copy: CommandBuffer,
}

/// A swapchain.
pub struct Swapchain {
    device: Arc<Device>,
    surface: Arc<dyn Surface>,
    size: [u32; 2],
    slots: Vec<Slot>,
    /// Pixels of the presented image.
    pixels: Mutex<Allocation>,
    /// The images that the application has acquired.
    taken: Mutex<Vec<bool>>,
    /// The greatest number of a presentation that is over.
    shown: Mutex<u64>,
    returned: Condvar,
    presented: Condvar,
}

/// Minimum number of images of a swapchain.
pub const LEAST_IMAGES: u32 = 3;

impl Swapchain {
    /// A swapchain whose images are all free.
    ///
    /// # Errors
    /// Unsupported format, or out of memory.
    pub fn new(
        device: &Arc<Device>,
        surface: Arc<dyn Surface>,
        info: &SwapchainInfo,
    ) -> Result<Swapchain, Error> {
        let [width, height] = info.size;
        let bytes = 4 * u64::from(width) * u64::from(height);
        let pixels = device.space.allocate(bytes, Place::High)?;
        let count = info.images.max(LEAST_IMAGES);
        let slots = (0..count).map(|_| slot(device, info, pixels.address)).collect::<Result<Vec<_>, _>>()?;
        Ok(Swapchain {
            device: device.clone(),
            surface,
            size: info.size,
            taken: Mutex::new(vec![false; slots.len()]),
            slots,
            pixels: Mutex::new(pixels),
            shown: Mutex::new(0),
            returned: Condvar::new(),
            presented: Condvar::new(),
        })
    }

    /// Its images.
    pub fn images(&self) -> impl Iterator<Item = &Arc<Image>> {
        self.slots.iter().map(|slot| &slot.image)
    }

    /// The memory of an image.
    pub fn memory(&self, number: u32) -> Option<&Arc<Allocation>> {
        self.slots.get(number as usize).map(|slot| &slot.memory)
    }

    /// Acquires a free image, with a timeout in nanoseconds.
    ///
    /// # Errors
    /// No image became free, or the size of the surface has changed.
    pub fn acquire(&self, nanoseconds: u64) -> Result<u32, Error> {
        self.check_size()?;
        let deadline = Instant::now().checked_add(Duration::from_nanos(nanoseconds));
        let mut taken = lock(&self.taken);
        loop {
            if let Some((number, slot)) = taken.iter_mut().enumerate().find(|(_, taken)| !**taken) {
                *slot = true;
                return Ok(number as u32);
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            match left {
                Some(Duration::ZERO) if nanoseconds == 0 => return Err(Error::NotReady),
                Some(Duration::ZERO) => return Err(Error::Timeout),
                _ => {}
            }
            let waited = self.returned.wait_timeout(taken, left.unwrap_or(Duration::from_secs(1)));
            taken = waited.unwrap_or_else(std::sync::PoisonError::into_inner).0;
        }
    }

    /// Releases an image without showing it.
    pub fn release(&self, number: u32) {
        if let Some(taken) = lock(&self.taken).get_mut(number as usize) {
            *taken = false;
        }
        self.returned.notify_all();
    }

    /// Waits until a presentation with this number or a greater one is complete, for at most `nanoseconds`.
    ///
    /// # Errors
    /// A timeout.
    pub fn wait_for(&self, id: u64, nanoseconds: u64) -> Result<(), Error> {
        let deadline = Instant::now().checked_add(Duration::from_nanos(nanoseconds));
        let mut shown = lock(&self.shown);
        while *shown < id {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Err(Error::Timeout);
            }
            let waited = self.presented.wait_timeout(shown, left.unwrap_or(Duration::from_secs(1)));
            shown = waited.unwrap_or_else(std::sync::PoisonError::into_inner).0;
        }
        Ok(())
    }

    /// Shows an image after the waits of `submission` are complete, and releases it. `id` is the number of the presentation, or 0.
    ///
    /// # Errors
    /// The device or the surface is lost, or the size of the surface has changed.
    pub fn present(&self, number: u32, mut submission: Submission, id: u64) -> Result<(), Error> {
        let slot = self
            .slots
            .get(number as usize)
            .ok_or(Error::Invalid { what: "an image number outside the swapchain" })?;
        let pixels = lock(&self.pixels);
        submission.commands.push(slot.copy.commands());
        let copied = self.device.queue.submit(vec![submission]).and_then(|()| self.device.queue.wait_idle());
        let shown = copied.and_then(|()| self.check_size()).and_then(|()| {
            let mut bytes = vec![0; 4 * self.size[0] as usize * self.size[1] as usize];
            pixels.read(0, &mut bytes);
            self.surface.show(self.size, &bytes)
        });
        self.release(number);
        // Presentations end in the order in which they began, whether or not their images are seen.
        let mut last = lock(&self.shown);
        *last = id.max(*last);
        self.presented.notify_all();
        shown
    }

    fn check_size(&self) -> Result<(), Error> {
        match self.surface.size()? {
            Some(size) if size != self.size => Err(Error::OutOfDate),
            _ => Ok(()),
        }
    }
}

/// An image with memory, and the commands that copy it to `pixels`.
fn slot(device: &Arc<Device>, info: &SwapchainInfo, pixels: u64) -> Result<Slot, Error> {
    let [width, height] = info.size;
    let image = Image::new(ImageInfo {
        format: info.format,
        kind: vk::ImageType::TYPE_2D,
        size: [width, height, 1],
        levels: 1,
        layers: info.layers,
        samples: 1,
        usage: info.usage,
        tiling: Tiling::Optimal,
        disjoint: false,
    })?;
    let (bytes, _) = image.requirements(vk::ImageAspectFlags::NONE);
    let memory = Arc::new(device.space.allocate(bytes, Place::High)?);
    image.bind(vk::ImageAspectFlags::NONE, memory.clone(), 0)?;
    let image = Arc::new(image);
    let mut copy = CommandBuffer::new(device.clone(), Level::Primary);
    let place = Box3 { aspect: vk::ImageAspectFlags::COLOR, level: 0, at: [0; 3] };
    let whole = BufferImageCopy { address: pixels, row: 0, rows: 0, image: place, size: [width, height, 1] };
    copy.begin();
    let source = image.clone();
    copy.record(move |recorder| recorder.copy_from_image(&source, &whole));
    copy.end()?;
    Ok(Slot { image, memory, copy })
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::surface::Headless;

    #[test]
    fn presentations_are_awaited_by_number() {
        let device = Device::in_test();
        let info = SwapchainInfo {
            images: 3,
            format: vk::Format::B8G8R8A8_UNORM,
            size: [8, 8],
            layers: 1,
            usage: vk::ImageUsageFlags::COLOR_ATTACHMENT,
        };
        let swapchain = Swapchain::new(&device, Arc::new(Headless), &info).expect("images");
        assert!(swapchain.wait_for(0, 0).is_ok());
        assert!(matches!(swapchain.wait_for(5, 1000), Err(Error::Timeout)));
        let image = swapchain.acquire(0).expect("a free image");
        swapchain.present(image, Submission::default(), 5).expect("a surface");
        assert!(swapchain.wait_for(5, 0).is_ok() && swapchain.wait_for(4, 0).is_ok());
        assert!(matches!(swapchain.wait_for(6, 0), Err(Error::Timeout)));
        // A presentation without a number leaves the others as they were.
        let image = swapchain.acquire(0).expect("a free image");
        swapchain.present(image, Submission::default(), 0).expect("a surface");
        assert!(swapchain.wait_for(5, 0).is_ok());
    }
}
