//! The images of a swapchain as buffers of a compositor.

use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ash::vk;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::io::{Errno, pwrite};
use wayland_client::backend::WaylandError;
use wayland_client::protocol::wl_buffer::{self, WlBuffer};
use wayland_client::protocol::wl_callback::{self, WlCallback};
use wayland_client::protocol::wl_shm::Format;
use wayland_client::protocol::wl_shm_pool::WlShmPool;
use wayland_client::protocol::wl_surface::WlSurface;
use wayland_client::{Connection, Dispatch, EventQueue, Proxy, QueueHandle, delegate_noop};
use wayland_protocols::wp::linux_dmabuf::zv1::client::zwp_linux_buffer_params_v1::{
    self, Flags, ZwpLinuxBufferParamsV1,
};
use wayland_protocols::wp::linux_drm_syncobj::v1::client::wp_linux_drm_syncobj_surface_v1::WpLinuxDrmSyncobjSurfaceV1;
use wayland_protocols::wp::linux_drm_syncobj::v1::client::wp_linux_drm_syncobj_timeline_v1::WpLinuxDrmSyncobjTimelineV1;
use wayland_protocols::wp::presentation_time::client::wp_presentation_feedback::{
    self, WpPresentationFeedback,
};
use wayland_protocols::wp::tearing_control::v1::client::wp_tearing_control_v1::PresentationHint;

use super::super::{Chain, Look, Presentation, Seen, SharedImage, Uses, lost};
use super::globals::{Globals, memory_code};
use crate::Error;
use crate::memory::lock;

/// The version of surfaces whose damage is in the coordinates of buffers.
const WITH_BUFFER_DAMAGE: u32 = 4;

/// What the compositor has said.
#[derive(Default)]
struct Heard {
    buffers: Uses,
    /// Frames that it has not begun to show.
    frames: u32,
}

/// The queue of the chain's events.
struct Inbox {
    queue: EventQueue<Heard>,
    heard: Heard,
}

/// Where pixels are copied to.
struct Pool {
    file: OwnedFd,
    pool: WlShmPool,
    /// Bytes of an image.
    bytes: u64,
}

/// The images of a swapchain as buffers.
pub(super) struct WaylandChain {
    globals: Arc<Globals>,
    surface: WlSurface,
    size: [i32; 2],
    handle: QueueHandle<Heard>,
    inbox: Mutex<Inbox>,
    buffers: Vec<WlBuffer>,
    /// The timelines of each image, if they have them.
    timelines: Vec<[WpLinuxDrmSyncobjTimelineV1; 2]>,
    /// The memory of buffers whose pixels are copied.
    pool: Option<Pool>,
}

impl WaylandChain {
    /// Makes the buffers, whose format has this code.
    pub(super) fn new(
        globals: Arc<Globals>,
        surface: &WlSurface,
        look: &Look,
        code: u32,
        shared: &[SharedImage<'_>],
    ) -> Result<WaylandChain, Error> {
        let queue = globals.connection.new_event_queue();
        let handle = queue.handle();
        let size = look.size.map(|side| side as i32);
        let heard = Heard { buffers: Uses::none(look.images), frames: 0 };
        let pool = if shared.is_empty() { Some(Pool::new(&globals, look, &handle)?) } else { None };
        let buffers = (0..look.images).map(|number| match (&pool, shared.get(number)) {
            (Some(pool), _) => Ok(pool.buffer(number, size, code, &handle)),
            (None, Some(image)) => shared_buffer(&globals, image, size, code, number, &handle),
            (None, None) => Err(Error::Invalid { what: "a swapchain of which some images are shared" }),
        });
        let timelines = timelines(&globals, shared, &handle);
        Ok(WaylandChain {
            timelines,
            buffers: buffers.collect::<Result<_, _>>()?,
            surface: surface.clone(),
            size,
            handle,
            inbox: Mutex::new(Inbox { queue, heard }),
            pool,
            globals,
        })
    }

    /// Tells the compositor which points of the image's timelines are for this presentation, or that none are from now on.
    fn tell_points(&self, image: usize, point: Option<u64>) {
        let Some((manager, of_surface)) = &self.globals.points else { return };
        let mut of_surface = lock(of_surface);
        match (self.timelines.get(image), point) {
            (Some([ready, released]), Some(point)) => {
                let surface =
                    of_surface.get_or_insert_with(|| manager.get_surface(&self.surface, &self.handle, ()));
                let [upper, lower] = [point >> 32, point].map(|word| word as u32);
                surface.set_acquire_point(ready, upper, lower);
                surface.set_release_point(released, upper, lower);
            }
            _ => drop(of_surface.take().inspect(WpLinuxDrmSyncobjSurfaceV1::destroy)),
        }
    }

    /// Looks at what the compositor has said, without waiting.
    fn heard<R>(&self, look: impl FnOnce(&mut Heard) -> R) -> Result<R, Error> {
        let mut inbox = lock(&self.inbox);
        let Inbox { queue, heard } = &mut *inbox;
        queue.dispatch_pending(heard).map_err(lost)?;
        Ok(look(heard))
    }

    /// Sends requests. What does not fit into the socket is sent later.
    fn flush(&self) -> Result<(), Error> {
        match self.globals.connection.flush() {
            Err(WaylandError::Io(error)) if error.kind() == std::io::ErrorKind::WouldBlock => Ok(()),
            other => other.map_err(lost),
        }
    }

    /// Waits until the compositor has begun to show all frames.
    fn wait_for_frames(&self) -> Result<(), Error> {
        while self.heard(|heard| heard.frames > 0)? {
            self.wait(Duration::MAX)?;
        }
        Ok(())
    }
}

impl Pool {
    fn new(globals: &Globals, look: &Look, handle: &QueueHandle<Heard>) -> Result<Pool, Error> {
        let bytes = look.bytes() as u64;
        let all = bytes * look.images as u64;
        let size = i32::try_from(all).map_err(|_| Error::DeviceMemory { bytes: all })?;
        let file = memfd_create("agx-pixels", MemfdFlags::CLOEXEC).map_err(lost)?;
        ftruncate(&file, all).map_err(lost)?;
        let pool = globals.shm.create_pool(file.as_fd(), size, handle, ());
        Ok(Pool { file, pool, bytes })
    }

    fn buffer(
        &self,
        number: usize,
        [width, height]: [i32; 2],
        code: u32,
        handle: &QueueHandle<Heard>,
    ) -> WlBuffer {
        let row = self.bytes as i32 / height.max(1);
        let format = Format::try_from(memory_code(code)).unwrap_or(Format::Xrgb8888);
        self.pool.create_buffer(number as i32 * self.bytes as i32, width, height, row, format, handle, number)
    }

    /// Copies the pixels of an image.
    fn write(&self, number: usize, mut pixels: &[u8]) -> Result<(), Error> {
        let mut at = number as u64 * self.bytes;
        while !pixels.is_empty() {
            match pwrite(&self.file, pixels, at) {
                Ok(written) => {
                    at += written as u64;
                    pixels = pixels.get(written..).unwrap_or_default();
                }
                Err(Errno::INTR) => {}
                Err(error) => return Err(lost(error)),
            }
        }
        Ok(())
    }
}

/// The buffer of an image whose memory is shared.
fn shared_buffer(
    globals: &Globals,
    image: &SharedImage<'_>,
    [width, height]: [i32; 2],
    code: u32,
    number: usize,
    handle: &QueueHandle<Heard>,
) -> Result<WlBuffer, Error> {
    let dmabuf =
        globals.dmabuf.as_ref().ok_or(Error::Unsupported { what: "a compositor that shares no memory" })?;
    let (params, modifier) = (dmabuf.create_params(handle, ()), image.modifier.number());
    let [upper, lower] = [modifier >> 32, modifier].map(|word| word as u32);
    params.add(image.file, 0, image.place.offset as u32, image.place.row as u32, upper, lower);
    let buffer = params.create_immed(width, height, code, Flags::empty(), handle, number);
    params.destroy();
    Ok(buffer)
}

/// The timelines of images, if all have them.
fn timelines(
    globals: &Globals,
    shared: &[SharedImage<'_>],
    handle: &QueueHandle<Heard>,
) -> Vec<[WpLinuxDrmSyncobjTimelineV1; 2]> {
    let Some((manager, _)) = &globals.points else { return Vec::new() };
    let of_images = shared.iter().filter_map(|image| image.timelines);
    of_images.map(|files| files.map(|file| manager.import_timeline(file, handle, ()))).collect()
}

impl Chain for WaylandChain {
    fn show(&self, presentation: &Presentation<'_>) -> Result<(), Error> {
        let Presentation { image, pixels, mode, number, point } = *presentation;
        let buffer =
            self.buffers.get(image).ok_or(Error::Invalid { what: "an image outside the swapchain" })?;
        if let Some(pool) = &self.pool {
            pool.write(image, pixels)?;
        }
        let is_fifo = mode == vk::PresentModeKHR::FIFO;
        match &self.globals.fifo {
            Some(fifo) if is_fifo => {
                fifo.set_barrier();
                fifo.wait_barrier();
            }
            None if is_fifo => self.wait_for_frames()?,
            _ => {}
        }
        if let Some(tearing) = &self.globals.tearing {
            tearing.set_presentation_hint(match mode {
                vk::PresentModeKHR::IMMEDIATE => PresentationHint::Async,
                _ => PresentationHint::Vsync,
            });
        }
        let [width, height] = self.size;
        self.surface.attach(Some(buffer), 0, 0);
        self.tell_points(image, point);
        match self.surface.version() >= WITH_BUFFER_DAMAGE {
            true => self.surface.damage_buffer(0, 0, width, height),
            false => self.surface.damage(0, 0, i32::MAX, i32::MAX),
        }
        // Without feedback, a presentation is over when its frame begins.
        let feedback = self.globals.presentation.as_ref();
        self.surface.frame(&self.handle, if feedback.is_some() { 0 } else { number });
        if let Some(presentation) = feedback.filter(|_| number > 0) {
            presentation.feedback(&self.surface, &self.handle, number);
        }
        self.heard(|heard| {
            heard.frames += 1;
            heard.buffers.set_busy(image, true);
        })?;
        self.surface.commit();
        self.flush()
    }

    fn is_free(&self, image: usize) -> bool {
        // If the connection is lost, the next request says so.
        self.heard(|heard| heard.buffers.is_free(image)).unwrap_or(true)
    }

    fn shown(&self) -> Option<u64> {
        Some(self.heard(|heard| heard.buffers.shown).unwrap_or(u64::MAX))
    }

    fn take_seen(&self) -> Vec<Seen> {
        self.heard(|heard| std::mem::take(&mut heard.buffers.seen)).unwrap_or_default()
    }

    fn wait(&self, time: Duration) -> Result<bool, Error> {
        self.flush()?;
        let mut inbox = lock(&self.inbox);
        let Inbox { queue, heard } = &mut *inbox;
        if queue.dispatch_pending(heard).map_err(lost)? > 0 {
            return Ok(true);
        }
        // `prepare_read` returns no guard while events are queued.
        let Some(guard) = queue.prepare_read() else {
            queue.dispatch_pending(heard).map_err(lost)?;
            return Ok(true);
        };
        drop(inbox);
        let deadline = Timespec::try_from(time).ok();
        let connection = guard.connection_fd();
        let ready = poll(&mut [PollFd::new(&connection, PollFlags::IN)], deadline.as_ref());
        if !matches!(ready, Ok(0) | Err(Errno::INTR)) {
            match guard.read() {
                Err(WaylandError::Io(error)) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                other => drop(other.map_err(lost)?),
            }
        }
        self.heard(|_| true)
    }
}

impl Drop for WaylandChain {
    fn drop(&mut self) {
        self.buffers.iter().for_each(WlBuffer::destroy);
        self.timelines.iter().flatten().for_each(WpLinuxDrmSyncobjTimelineV1::destroy);
        self.pool.iter().for_each(|pool| pool.pool.destroy());
        // The application's connection may be gone.
        let _ = self.flush();
    }
}

impl Dispatch<WlBuffer, usize> for Heard {
    fn event(
        heard: &mut Heard,
        _: &WlBuffer,
        event: wl_buffer::Event,
        number: &usize,
        _: &Connection,
        _: &QueueHandle<Heard>,
    ) {
        if let wl_buffer::Event::Release = event {
            heard.buffers.set_busy(*number, false);
        }
    }
}

impl Dispatch<WlCallback, u64> for Heard {
    fn event(
        heard: &mut Heard,
        _: &WlCallback,
        event: wl_callback::Event,
        number: &u64,
        _: &Connection,
        _: &QueueHandle<Heard>,
    ) {
        if let wl_callback::Event::Done { .. } = event {
            heard.frames = heard.frames.saturating_sub(1);
            heard.buffers.end(*number);
        }
    }
}

impl Dispatch<WpPresentationFeedback, u64> for Heard {
    fn event(
        heard: &mut Heard,
        _: &WpPresentationFeedback,
        event: wp_presentation_feedback::Event,
        number: &u64,
        _: &Connection,
        _: &QueueHandle<Heard>,
    ) {
        use wp_presentation_feedback::Event;
        let (time, refresh) = match event {
            Event::Presented { tv_sec_hi, tv_sec_lo, tv_nsec, refresh, .. } => {
                let seconds = u64::from(tv_sec_hi) << 32 | u64::from(tv_sec_lo);
                (seconds.saturating_mul(1_000_000_000).saturating_add(tv_nsec.into()), refresh.into())
            }
            Event::Discarded => (0, 0),
            _ => return,
        };
        heard.buffers.see(Seen { number: *number, time, refresh });
    }
}

impl Dispatch<ZwpLinuxBufferParamsV1, ()> for Heard {
    /// `create_immed` has no reply; the compositor ends the connection if it fails.
    fn event(
        _: &mut Heard,
        _: &ZwpLinuxBufferParamsV1,
        _: zwp_linux_buffer_params_v1::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Heard>,
    ) {
    }
}

delegate_noop!(Heard: WlShmPool);
delegate_noop!(Heard: WpLinuxDrmSyncobjSurfaceV1);
delegate_noop!(Heard: WpLinuxDrmSyncobjTimelineV1);
