//! Swapchains: images that are rendered and shown.
//!
//! The window system shows the memory of an image, if it shares memory with the device. Otherwise an image is copied to memory
//! for the processor, and its surface gets the pixels.

use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use ash::vk;

use crate::Error;
use crate::command::{CommandBuffer, Level};
use crate::device::Device;
use crate::image::{Image, ImageInfo};
use crate::memory::{Allocation, Place, lock};
use crate::modifier::{Modifier, PlanePlace, Tiling};
use crate::queue::Submission;
use crate::surface::{Chain, Look, Presentation, SharedImage, Surface};
use crate::sync::Sync;
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
    /// Whether alpha is ignored.
    pub opaque: bool,
    /// When images are shown, unless a presentation says otherwise.
    pub mode: vk::PresentModeKHR,
}

/// A presentation of an image.
#[derive(Default)]
pub struct Present<'p> {
    /// What precedes it.
    pub submission: Submission,
    /// Its number, or 0.
    pub id: u64,
    /// When the image is shown, if it is not as the swapchain says.
    pub mode: Option<vk::PresentModeKHR>,
    /// A fence that is signalled when what precedes the presentation is over.
    pub fence: Option<&'p Sync>,
}

/// How an image reaches the window system.
enum Way {
    /// By its pixels: the commands that copy them.
    Copied(CommandBuffer),
    /// By its memory, and a semaphore for what precedes a presentation.
    Shared(OwnedFd, Sync),
}

/// An image of a swapchain.
struct Slot {
    image: Arc<Image>,
    memory: Arc<Allocation>,
    way: Way,
}

/// A swapchain.
pub struct Swapchain {
    device: Arc<Device>,
    surface: Arc<dyn Surface>,
    chain: Box<dyn Chain>,
    look: Look,
    mode: vk::PresentModeKHR,
    slots: Vec<Slot>,
    /// Pixels of the presented image, if they are copied.
    pixels: Mutex<Option<Allocation>>,
    /// The images that the application has acquired.
    taken: Mutex<Vec<bool>>,
    /// The greatest number of a presentation that is over, if the chain does not know.
    shown: Mutex<u64>,
    returned: Condvar,
    presented: Condvar,
}

/// Minimum number of images of a swapchain.
pub const LEAST_IMAGES: u32 = 3;

/// An acquired image.
pub struct Acquired {
    /// Its number.
    pub number: u32,
    /// A fence for what the window system still does with it.
    pub fence: Option<OwnedFd>,
}

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
        let images = info.images.max(LEAST_IMAGES) as usize;
        let look = Look { format: info.format, size: info.size, images, opaque: info.opaque };
        let mut modifiers = surface.modifiers(&look).into_iter();
        let modifier = modifiers.find(|modifier| info.layers == 1 && is_presentable(*modifier, info));
        let (slots, pixels) = match modifier {
            Some(modifier) => (slots(images, || shared_slot(device, info, modifier))?, None),
            None => {
                let pixels = device.space.allocate(look.bytes() as u64, Place::High)?;
                (slots(images, || copied_slot(device, info, pixels.address))?, Some(pixels))
            }
        };
        let shared: Vec<_> = slots.iter().filter_map(|slot| slot.shared(modifier?)).collect();
        let chain = surface.chain(&look, &shared)?;
        Ok(Swapchain {
            device: device.clone(),
            chain,
            surface,
            look,
            mode: info.mode,
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
    pub fn acquire(&self, nanoseconds: u64) -> Result<Acquired, Error> {
        self.check_size()?;
        let deadline = Deadline::new(nanoseconds);
        // Process pending events even if the timeout is 0.
        self.chain.wait(Duration::ZERO)?;
        loop {
            let mut taken = lock(&self.taken);
            let is_free = |(number, taken): &(usize, &mut bool)| !**taken && self.chain.is_free(*number);
            if let Some((number, slot)) = taken.iter_mut().enumerate().find(is_free) {
                *slot = true;
                drop(taken);
                return Ok(Acquired { number: number as u32, fence: self.fence_of(number) });
            }
            let left = deadline.left();
            if left.is_zero() {
                return Err(if nanoseconds == 0 { Error::NotReady } else { Error::Timeout });
            }
            // Images come back from the window system, or from the application.
            let is_used = taken.iter().any(|taken| !taken);
            if is_used {
                drop(taken);
                self.chain.wait(left)?;
            } else {
                drop(self.returned.wait_timeout(taken, left));
            }
        }
    }

    /// A fence for what the window system still does with an image. Without one, it is done.
    fn fence_of(&self, number: usize) -> Option<OwnedFd> {
        match &self.slots.get(number)?.way {
            Way::Shared(file, _) => self.device.space.gpu().buffer_fence(file.as_fd()).ok(),
            Way::Copied(_) => None,
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
        let deadline = Deadline::new(nanoseconds);
        loop {
            let known = lock(&self.shown);
            if self.chain.shown().unwrap_or(*known) >= id {
                return Ok(());
            }
            let left = deadline.left();
            if left.is_zero() {
                return Err(Error::Timeout);
            }
            if self.chain.shown().is_some() {
                drop(known);
                self.chain.wait(left)?;
            } else {
                drop(self.presented.wait_timeout(known, left));
            }
        }
    }

    /// Shows an image after what precedes the presentation, and gives it to the window system.
    ///
    /// # Errors
    /// The device or the surface is lost, or the size of the surface has changed.
    pub fn present(&self, number: u32, present: Present<'_>) -> Result<(), Error> {
        let outside = Error::Invalid { what: "an image number outside the swapchain" };
        let slot = self.slots.get(number as usize).ok_or(outside)?;
        let Present { mut submission, id, mode, fence } = present;
        fence.into_iter().for_each(|fence| submission.signal(fence, 0));
        let shown = Presentation { image: number as usize, pixels: &[], mode: mode.unwrap_or(self.mode), id };
        let shown = match &slot.way {
            Way::Copied(copy) => self.show_copy(copy, submission, shown),
            Way::Shared(file, done) => self.show_shared((file, done), submission, shown),
        };
        self.release(number);
        // Presentations end in the order in which they began, whether or not their images are seen.
        let mut last = lock(&self.shown);
        *last = id.max(*last);
        self.presented.notify_all();
        shown
    }

    fn show_copy(
        &self,
        copy: &CommandBuffer,
        mut submission: Submission,
        shown: Presentation<'_>,
    ) -> Result<(), Error> {
        let memory = lock(&self.pixels);
        submission.commands.push(copy.commands());
        self.device.queue.submit(vec![submission])?;
        self.device.queue.wait_idle()?;
        self.check_size()?;
        let mut pixels = vec![0; self.look.bytes()];
        if let Some(memory) = &*memory {
            memory.read(0, &mut pixels);
        }
        self.chain.show(&Presentation { pixels: &pixels, ..shown })
    }

    /// The window system waits for the work on the memory.
    fn show_shared(
        &self,
        (file, done): (&OwnedFd, &Sync),
        mut submission: Submission,
        shown: Presentation<'_>,
    ) -> Result<(), Error> {
        submission.signal(done, 0);
        self.device.queue.submit(vec![submission])?;
        let fence = done.export_semaphore_fence()?;
        let gpu = self.device.space.gpu();
        let added = fence.as_ref().map(|fence| gpu.add_buffer_fence(file.as_fd(), fence.as_fd()));
        if matches!(added, Some(Err(_))) {
            // The kernel is older than such fences.
            self.device.queue.wait_idle()?;
        }
        self.check_size()?;
        self.chain.show(&shown)
    }

    fn check_size(&self) -> Result<(), Error> {
        match self.surface.size()? {
            Some(size) if size != self.look.size => Err(Error::OutOfDate),
            _ => Ok(()),
        }
    }
}

/// The end of a wait.
struct Deadline(Option<Instant>);

impl Deadline {
    fn new(nanoseconds: u64) -> Deadline {
        Deadline(Instant::now().checked_add(Duration::from_nanos(nanoseconds)))
    }

    /// The time until then; a second of an endless wait.
    fn left(&self) -> Duration {
        self.0.map_or(Duration::from_secs(1), |end| end.saturating_duration_since(Instant::now()))
    }
}

/// Whether images of a swapchain can have a modifier.
fn is_presentable(modifier: Modifier, info: &SwapchainInfo) -> bool {
    let (kind, tiling) = (vk::ImageType::TYPE_2D, Tiling::Modifier(modifier));
    let flags = vk::ImageCreateFlags::empty();
    crate::physical::image_format(info.format, kind, tiling, info.usage, flags).is_some()
}

/// This number of images.
fn slots(count: usize, make: impl Fn() -> Result<Slot, Error>) -> Result<Vec<Slot>, Error> {
    (0..count).map(|_| make()).collect()
}

/// An image with memory.
fn image(
    device: &Arc<Device>,
    info: &SwapchainInfo,
    tiling: Tiling,
) -> Result<(Arc<Image>, Arc<Allocation>), Error> {
    let [width, height] = info.size;
    let image = Image::new(ImageInfo {
        format: info.format,
        kind: vk::ImageType::TYPE_2D,
        size: [width, height, 1],
        levels: 1,
        layers: info.layers,
        samples: 1,
        usage: info.usage,
        tiling,
        disjoint: false,
    })?;
    let (bytes, _) = image.requirements(vk::ImageAspectFlags::NONE);
    let memory = Arc::new(device.space.allocate(bytes, Place::High)?);
    image.bind(vk::ImageAspectFlags::NONE, memory.clone(), 0)?;
    Ok((Arc::new(image), memory))
}

/// An image, and the commands that copy it to `pixels`.
fn copied_slot(device: &Arc<Device>, info: &SwapchainInfo, pixels: u64) -> Result<Slot, Error> {
    let (image, memory) = image(device, info, Tiling::Optimal)?;
    let mut copy = CommandBuffer::new(device.clone(), Level::Primary);
    let place = Box3 { aspect: vk::ImageAspectFlags::COLOR, level: 0, at: [0; 3] };
    let [width, height] = info.size;
    let whole = BufferImageCopy { address: pixels, row: 0, rows: 0, image: place, size: [width, height, 1] };
    copy.begin();
    let source = image.clone();
    copy.record(move |recorder| recorder.copy_from_image(&source, &whole));
    copy.end()?;
    Ok(Slot { image, memory, way: Way::Copied(copy) })
}

/// An image whose memory is shown.
fn shared_slot(device: &Arc<Device>, info: &SwapchainInfo, modifier: Modifier) -> Result<Slot, Error> {
    let (image, memory) = image(device, info, Tiling::Modifier(modifier))?;
    let way = Way::Shared(memory.export()?, Sync::binary(&device.space, false)?);
    Ok(Slot { image, memory, way })
}

impl Slot {
    /// The memory of the image, for the window system.
    fn shared(&self, modifier: Modifier) -> Option<SharedImage<'_>> {
        let Way::Shared(file, _) = &self.way else { return None };
        let [offset, _, row, _] = self.image.subresource(vk::ImageAspectFlags::COLOR, 0, 0);
        Some(SharedImage { file: file.as_fd(), modifier, place: PlanePlace { offset, row } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::Headless;

    /// A swapchain of three images.
    fn headless(device: &Arc<Device>) -> Swapchain {
        let info = SwapchainInfo {
            images: 3,
            format: vk::Format::B8G8R8A8_UNORM,
            size: [8, 8],
            layers: 1,
            usage: vk::ImageUsageFlags::COLOR_ATTACHMENT,
            opaque: true,
            mode: vk::PresentModeKHR::FIFO,
        };
        Swapchain::new(device, Arc::new(Headless), &info).expect("images")
    }

    #[test]
    fn presentations_are_awaited_by_number() {
        let device = Device::in_test();
        let swapchain = headless(&device);
        let present = |id| {
            let image = swapchain.acquire(0).expect("a free image");
            swapchain.present(image.number, Present { id, ..Present::default() }).expect("a surface");
        };
        assert!(swapchain.wait_for(0, 0).is_ok());
        assert!(matches!(swapchain.wait_for(5, 1000), Err(Error::Timeout)));
        present(5);
        assert!(swapchain.wait_for(5, 0).is_ok() && swapchain.wait_for(4, 0).is_ok());
        assert!(matches!(swapchain.wait_for(6, 0), Err(Error::Timeout)));
        // A presentation without a number leaves the others as they were.
        present(0);
        assert!(swapchain.wait_for(5, 0).is_ok());
    }

    #[test]
    fn images_that_are_acquired_are_not_free() {
        let device = Device::in_test();
        let swapchain = headless(&device);
        let numbers = [(); 3].map(|()| swapchain.acquire(0).expect("a free image").number);
        assert_eq!(numbers, [0, 1, 2]);
        assert!(matches!(swapchain.acquire(0), Err(Error::NotReady)));
        assert!(matches!(swapchain.acquire(1000), Err(Error::Timeout)));
        swapchain.release(1);
        assert_eq!(swapchain.acquire(1000).expect("a free image").number, 1);
    }
}
