//! Swapchains: images that are rendered and shown.
//!
//! The window system shows the memory of an image, if it shares memory with the device. Otherwise an image is copied to memory
//! for the processor, and its surface gets the pixels. Images of surfaces that show nothing stay where they are.

mod presentations;

use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use ash::vk;

use crate::Error;
use crate::command::{CommandBuffer, Level};
use crate::device::Device;
use crate::gpu::{Gpu, SyncPoint, WaitFor};
use crate::image::{Binding, Image, ImageInfo};
use crate::memory::{Allocation, Place, lock};
use crate::modifier::{Modifier, PlanePlace, Tiling};
use crate::queue::Submission;
use crate::surface::{Chain, Look, Presentation, SharedImage, Surface};
use crate::sync::Sync;
use crate::transfer::{Box3, BufferImageCopy};

use presentations::Presentations;
pub use presentations::Timing;

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
    /// The number that the application gave it, or 0.
    pub id: u64,
    /// Whether the application asks when it is seen ([`Swapchain::take_timings`]).
    pub is_timed: bool,
    /// When the image is shown, if it is not as the swapchain says.
    pub mode: Option<vk::PresentModeKHR>,
    /// A fence that is signalled when what precedes the presentation is over.
    pub fence: Option<&'p Sync>,
}

/// How an image reaches the window system.
enum Way {
    /// By its pixels: the commands that copy them.
    Copied(CommandBuffer),
    /// By its memory.
    Shared(Shared),
    /// Not at all: the end of what precedes its last presentation.
    Unseen(End),
}

impl Way {
    /// The end of what precedes the last presentation, if the image is not seen.
    fn unseen(&self) -> Option<&End> {
        match self {
            Way::Unseen(end) => Some(end),
            Way::Copied(_) | Way::Shared(_) => None,
        }
    }
}

/// Memory that the window system shows.
struct Shared {
    file: OwnedFd,
    order: Order,
}

/// What orders the accesses of the device and of the window system to an image.
enum Order {
    /// The fences of its memory; the semaphore is for what precedes a presentation.
    Fences(Sync),
    /// Points of timelines.
    Points(Points),
}

/// A timeline whose last point tells when an image is free.
struct End {
    timeline: Sync,
    /// That point; 0 if the image was never presented.
    last: AtomicU64,
}

impl End {
    fn new(device: &Device) -> Result<End, Error> {
        Ok(End { timeline: Sync::timeline(&device.space, 0)?, last: AtomicU64::new(0) })
    }

    /// The last point; `None` if the image was never presented.
    fn point(&self) -> Option<SyncPoint> {
        let last = self.last.load(Ordering::Acquire);
        (last > 0).then(|| self.timeline.point(last))
    }

    /// Whether something will signal that point.
    fn is_known(&self, gpu: &dyn Gpu) -> bool {
        self.point().is_none_or(|point| gpu.wait(&[point], WaitFor::Submission, 0).is_ok())
    }

    /// The fence of that point.
    fn fence(&self, device: &Device) -> Result<Option<OwnedFd>, Error> {
        let Some(point) = self.point() else { return Ok(None) };
        let fence = Sync::binary(&device.space, false)?;
        device.space.gpu().transfer(point, fence.point(0))?;
        fence.export_semaphore_fence()
    }
}

/// The timelines of an image: for each presentation, the device signals a point of the first, and the window system the same point of
/// the second when it is done with the image.
struct Points {
    ready: Sync,
    /// The last point that the window system has got.
    released: End,
    files: [OwnedFd; 2],
    /// The last point of the first timeline.
    last: AtomicU64,
}

impl Points {
    fn new(device: &Device) -> Result<Points, Error> {
        let (ready, released) = (Sync::timeline(&device.space, 0)?, End::new(device)?);
        let files = [ready.export()?, released.timeline.export()?];
        Ok(Points { ready, released, files, last: AtomicU64::new(0) })
    }
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
    /// The number of the last presentation.
    last: AtomicU64,
    presentations: Mutex<Presentations>,
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
            None if !surface.shows() => (slots(images, || unseen_slot(device, info))?, None),
            Some(modifier) => {
                (slots(images, || shared_slot(device, info, modifier, surface.takes_points()))?, None)
            }
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
            last: AtomicU64::new(0),
            presentations: Mutex::default(),
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
            let is_free = |(number, taken): &(usize, &mut bool)| !**taken && self.is_free(*number);
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
                let points = self.awaited(&taken);
                drop(taken);
                self.wait_for_images(&points, left)?;
            } else {
                drop(self.returned.wait_timeout(taken, left));
            }
        }
    }

    /// Whether the window system is done with an image, or will be at a known time.
    fn is_free(&self, number: usize) -> bool {
        match self.slots.get(number).and_then(Slot::end) {
            Some(end) => end.is_known(self.device.space.gpu()),
            None => self.chain.is_free(number),
        }
    }

    /// The points at which images are free that the application does not have.
    fn awaited(&self, taken: &[bool]) -> Vec<SyncPoint> {
        let slots = self.slots.iter().zip(taken);
        slots.filter(|(_, taken)| !**taken).filter_map(|(slot, _)| slot.end()?.point()).collect()
    }

    /// Waits until an image may be free, for at most this time.
    fn wait_for_images(&self, points: &[SyncPoint], left: Duration) -> Result<(), Error> {
        if points.is_empty() {
            return self.chain.wait(left).map(drop);
        }
        // The window system may be gone meanwhile.
        self.chain.wait(Duration::ZERO)?;
        let slice = left.min(SLICE).as_nanos() as u64;
        match self.device.space.gpu().wait(points, WaitFor::Any, slice) {
            Ok(()) | Err(Error::Timeout) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// A fence for what the window system still does with an image. Without one, it is done.
    fn fence_of(&self, number: usize) -> Option<OwnedFd> {
        let slot = self.slots.get(number)?;
        match (slot.end(), &slot.way) {
            (Some(end), _) => end.fence(&self.device).ok()?,
            (None, Way::Shared(Shared { file, .. })) => {
                self.device.space.gpu().buffer_fence(file.as_fd()).ok()
            }
            (None, _) => None,
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
            let known = self.presentations();
            let left = deadline.left();
            if known.over >= id {
                drop(known);
                return self.wait_for_unseen(left);
            }
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

    /// Waits for what precedes the presentations of images that are not seen.
    fn wait_for_unseen(&self, left: Duration) -> Result<(), Error> {
        let points: Vec<SyncPoint> =
            self.slots.iter().filter_map(|slot| slot.way.unseen()).filter_map(End::point).collect();
        match points.is_empty() {
            true => Ok(()),
            false => self.device.space.gpu().wait(&points, WaitFor::All, left.as_nanos() as u64),
        }
    }

    /// Shows an image after what precedes the presentation, and gives it to the window system.
    ///
    /// # Errors
    /// The device or the surface is lost, or the size of the surface has changed.
    pub fn present(&self, number: u32, present: Present<'_>) -> Result<(), Error> {
        let outside = Error::Invalid { what: "an image number outside the swapchain" };
        let slot = self.slots.get(number as usize).ok_or(outside)?;
        let Present { mut submission, id, is_timed, mode, fence } = present;
        let serial = self.last.fetch_add(1, Ordering::AcqRel) + 1;
        if is_timed {
            self.presentations().timings.begin(id, serial)?;
        }
        fence.into_iter().for_each(|fence| submission.signal(fence, 0));
        let mode = mode.unwrap_or(self.mode);
        let awaited = if id > 0 || is_timed { serial } else { 0 };
        let shown = Presentation { image: number as usize, pixels: &[], mode, number: awaited, point: None };
        let shown = match &slot.way {
            Way::Copied(copy) => self.show_copy(copy, submission, shown),
            Way::Shared(shared) => self.show_shared(shared, submission, shown),
            Way::Unseen(end) => {
                let point = end.last.fetch_add(1, Ordering::AcqRel) + 1;
                submission.signal(&end.timeline, point);
                self.device.queue.submit(vec![submission])
            }
        };
        self.release(number);
        self.presentations().begin(id, serial, shown.is_ok());
        self.presented.notify_all();
        shown
    }

    /// What is known of the presentations now.
    fn presentations(&self) -> MutexGuard<'_, Presentations> {
        let mut presentations = lock(&self.presentations);
        presentations.hear(self.chain.shown(), self.chain.take_seen());
        presentations
    }

    /// Changes how many timings are kept until the application takes them; false if more are kept now.
    pub fn keep_timings(&self, count: usize) -> bool {
        self.presentations().timings.keep(count)
    }

    /// Nanoseconds between refreshes of the display; `None` before an image was seen.
    pub fn refresh(&self) -> Option<u64> {
        self.presentations().timings.refresh
    }

    /// Passes the timings that are kept, in their order, to a function, which tells whether it takes them. Those whose presentation is
    /// not over stay; with `in_order`, so do those after them.
    pub fn take_timings(&self, in_order: bool, take: impl FnMut(&Timing) -> bool) {
        self.presentations().timings.take(in_order, take);
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
        shared: &Shared,
        mut submission: Submission,
        shown: Presentation<'_>,
    ) -> Result<(), Error> {
        let done = match &shared.order {
            Order::Fences(done) => done,
            Order::Points(points) => return self.show_point(points, submission, shown),
        };
        submission.signal(done, 0);
        self.device.queue.submit(vec![submission])?;
        let fence = done.export_semaphore_fence()?;
        let gpu = self.device.space.gpu();
        let added = fence.as_ref().map(|fence| gpu.add_buffer_fence(shared.file.as_fd(), fence.as_fd()));
        if matches!(added, Some(Err(_))) {
            // The kernel is older than such fences.
            self.device.queue.wait_idle()?;
        }
        self.check_size()?;
        self.chain.show(&shown)
    }

    /// The work on the memory signals a point, for which the window system waits.
    fn show_point(
        &self,
        points: &Points,
        mut submission: Submission,
        shown: Presentation<'_>,
    ) -> Result<(), Error> {
        let point = points.last.fetch_add(1, Ordering::AcqRel) + 1;
        submission.signal(&points.ready, point);
        self.device.queue.submit(vec![submission])?;
        self.check_size()?;
        self.chain.show(&Presentation { point: Some(point), ..shown })?;
        points.released.last.store(point, Ordering::Release);
        Ok(())
    }

    fn check_size(&self) -> Result<(), Error> {
        match self.surface.size()? {
            Some(size) if size != self.look.size => Err(Error::OutOfDate),
            _ => Ok(()),
        }
    }
}

/// The longest wait for a point: the window system may end meanwhile.
const SLICE: Duration = Duration::from_millis(20);

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
        binding: Binding::Whole,
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

/// An image that is not seen.
fn unseen_slot(device: &Arc<Device>, info: &SwapchainInfo) -> Result<Slot, Error> {
    let (image, memory) = image(device, info, Tiling::Optimal)?;
    Ok(Slot { image, memory, way: Way::Unseen(End::new(device)?) })
}

/// An image whose memory is shown, with timelines or a semaphore.
fn shared_slot(
    device: &Arc<Device>,
    info: &SwapchainInfo,
    modifier: Modifier,
    has_points: bool,
) -> Result<Slot, Error> {
    let (image, memory) = image(device, info, Tiling::Modifier(modifier))?;
    let order = match has_points {
        true => Order::Points(Points::new(device)?),
        false => Order::Fences(Sync::binary(&device.space, false)?),
    };
    let way = Way::Shared(Shared { file: memory.export()?, order });
    Ok(Slot { image, memory, way })
}

impl Slot {
    /// What tells when the image is free, if that is a timeline.
    fn end(&self) -> Option<&End> {
        match &self.way {
            Way::Shared(Shared { order: Order::Points(points), .. }) => Some(&points.released),
            way => way.unseen(),
        }
    }

    /// The memory of the image, for the window system.
    fn shared(&self, modifier: Modifier) -> Option<SharedImage<'_>> {
        let Way::Shared(Shared { file, order }) = &self.way else { return None };
        let [offset, _, row, _] = self.image.subresource(vk::ImageAspectFlags::COLOR, 0, 0);
        let timelines = match order {
            Order::Points(points) => Some(points.files.each_ref().map(|file| file.as_fd())),
            Order::Fences(_) => None,
        };
        Some(SharedImage { file: file.as_fd(), modifier, place: PlanePlace { offset, row }, timelines })
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
