//! A compositor of the test's own, which checks what it gets.

use std::collections::BTreeMap;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

use agx_driver::gpu::{Gpu, SyncPoint, WaitFor};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use wayland_client::Connection;
use wayland_protocols::wp::fifo::v1::server::wp_fifo_manager_v1::{self, WpFifoManagerV1};
use wayland_protocols::wp::fifo::v1::server::wp_fifo_v1::{self, WpFifoV1};
use wayland_protocols::wp::linux_dmabuf::zv1::server::zwp_linux_buffer_params_v1::{
    self, ZwpLinuxBufferParamsV1,
};
use wayland_protocols::wp::linux_dmabuf::zv1::server::zwp_linux_dmabuf_feedback_v1::{
    self, TrancheFlags, ZwpLinuxDmabufFeedbackV1,
};
use wayland_protocols::wp::linux_dmabuf::zv1::server::zwp_linux_dmabuf_v1::{self, ZwpLinuxDmabufV1};
use wayland_protocols::wp::linux_drm_syncobj::v1::server::wp_linux_drm_syncobj_manager_v1::{
    self, WpLinuxDrmSyncobjManagerV1,
};
use wayland_protocols::wp::linux_drm_syncobj::v1::server::wp_linux_drm_syncobj_surface_v1::{
    self, WpLinuxDrmSyncobjSurfaceV1,
};
use wayland_protocols::wp::linux_drm_syncobj::v1::server::wp_linux_drm_syncobj_timeline_v1::{
    self, WpLinuxDrmSyncobjTimelineV1,
};
use wayland_protocols::wp::presentation_time::server::wp_presentation::{self, WpPresentation};
use wayland_protocols::wp::presentation_time::server::wp_presentation_feedback::{
    self, WpPresentationFeedback,
};
use wayland_protocols::wp::tearing_control::v1::server::wp_tearing_control_manager_v1::{
    self, WpTearingControlManagerV1,
};
use wayland_protocols::wp::tearing_control::v1::server::wp_tearing_control_v1::{self, WpTearingControlV1};
use wayland_server::backend::{ClientData, ClientId, DisconnectReason};
use wayland_server::protocol::wl_buffer::{self, WlBuffer};
use wayland_server::protocol::wl_callback::{self, WlCallback};
use wayland_server::protocol::wl_compositor::{self, WlCompositor};
use wayland_server::protocol::wl_shm::{self, WlShm};
use wayland_server::protocol::wl_shm_pool::{self, WlShmPool};
use wayland_server::protocol::wl_surface::{self, WlSurface};
use wayland_server::{
    Client, DataInit, Dispatch, Display, DisplayHandle, GlobalDispatch, New, Resource as _, WEnum,
};

use super::pixels::{ARGB, LINEAR, Pixels, TILED, XRGB};

/// What a compositor offers.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    /// Modifiers of shared buffers.
    pub modifiers: &'static [u64],
    /// The device of its buffers.
    pub device: [u32; 2],
    /// Whether clients need not wait for frames themselves.
    pub fifo: bool,
    /// Whether it lets clients tear.
    pub tearing: bool,
    /// Whether it tells when frames are shown.
    pub presentation: bool,
    /// Whether frames begin only when the test says so.
    pub paused: bool,
    /// Whether buffers have points of timelines in place of fences and releases.
    pub points: bool,
}

impl Offer {
    /// An offer of nothing but buffers.
    pub fn new(modifiers: &'static [u64]) -> Offer {
        let device = [226, 128];
        let [fifo, tearing, presentation, paused, points] = [false; 5];
        Offer { modifiers, device, fifo, tearing, presentation, paused, points }
    }
}

/// A frame that was committed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// Its pixel, if all are equal.
    pub colour: Option<u32>,
    pub pixels: Vec<u32>,
    pub modifier: u64,
    pub format: u32,
    pub shared: bool,
    /// Whether a barrier of frames was set and waited for, and whether tearing is allowed.
    pub barrier: bool,
    pub tears: bool,
}

impl Offer {
    /// Makes the interfaces.
    fn announce(&self, handle: &DisplayHandle) {
        handle.create_global::<Server, WlCompositor, ()>(4, ());
        handle.create_global::<Server, WlShm, ()>(1, ());
        if !self.modifiers.is_empty() {
            handle.create_global::<Server, ZwpLinuxDmabufV1, ()>(4, ());
        }
        if self.fifo {
            handle.create_global::<Server, WpFifoManagerV1, ()>(1, ());
        }
        if self.tearing {
            handle.create_global::<Server, WpTearingControlManagerV1, ()>(1, ());
        }
        if self.points {
            handle.create_global::<Server, WpLinuxDrmSyncobjManagerV1, ()>(1, ());
        }
        if self.presentation {
            handle.create_global::<Server, WpPresentation, ()>(1, ());
        }
    }
}

/// When every image is seen, in seconds and nanoseconds, and the nanoseconds of a refresh.
pub const SEEN: [u32; 2] = [7, 5];
pub const REFRESH: u32 = 16_666_667;

/// What the test sees of a compositor.
#[derive(Default)]
pub struct Seen {
    pub frames: Vec<Frame>,
    /// Commits of buffers that the compositor had not released.
    pub reused: usize,
    /// The greatest number of frames that wait for their beginning.
    pub most_waiting: usize,
    /// Frames that may begin, if they are paused.
    pub allowed: usize,
    /// Pixels of frames are kept.
    pub keep: bool,
    /// Points are not signalled when a buffer is not shown any more.
    pub withholds: bool,
    /// Frames with points.
    pub with_points: usize,
}

/// The compositor.
struct Server {
    offer: Offer,
    seen: Arc<Mutex<Seen>>,
    pending: Pending,
    /// The buffer that is shown.
    shown: Option<WlBuffer>,
    callbacks: Vec<WlCallback>,
    feedback: Vec<WpPresentationFeedback>,
    /// The device, if there are points.
    node: Option<Box<dyn Gpu>>,
    /// The points of buffers that are not shown any more, the shown one's last.
    releases: Vec<SyncPoint>,
}

/// The state of a surface until the next commit.
#[derive(Default)]
struct Pending {
    buffer: Option<WlBuffer>,
    callbacks: Vec<WlCallback>,
    feedback: Vec<WpPresentationFeedback>,
    barrier: [bool; 2],
    tears: bool,
    /// When the buffer can be read, and when it is released.
    points: [Option<SyncPoint>; 2],
}

/// What is behind a lock.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no thread panics with it")
}

impl Server {
    fn commit(&mut self) {
        let Pending { buffer, callbacks, feedback, barrier, tears, points } =
            std::mem::take(&mut self.pending);
        self.pending.tears = tears;
        self.callbacks.extend(callbacks);
        self.feedback.extend(feedback);
        let mut seen = lock(&self.seen);
        seen.most_waiting = seen.most_waiting.max(self.callbacks.len());
        let Some(buffer) = buffer else {
            assert_eq!(points, [None; 2], "points without a buffer");
            return;
        };
        if let (Some(node), [Some(ready), Some(release)]) = (&self.node, points) {
            seen.with_points += 1;
            drop(seen);
            node.wait(&[ready], WaitFor::All, 5_000_000_000).expect("the device signals the point");
            seen = lock(&self.seen);
            self.releases.push(release);
        } else {
            assert_eq!(points, [None; 2], "one of two points");
        }
        if self.shown.as_ref() == Some(&buffer) {
            seen.reused += 1;
        }
        let data: &Arc<Pixels> = buffer.data().expect("a buffer of this compositor");
        let pixels = data.read();
        let colour = Pixels::colour(&pixels);
        let pixels = if seen.keep { pixels } else { Vec::new() };
        let Pixels { modifier, format, shared, .. } = **data;
        seen.frames.push(Frame {
            colour,
            pixels,
            modifier,
            format,
            shared,
            barrier: barrier == [true; 2],
            tears,
        });
        // The one before is not shown any more.
        let before = self.shown.replace(buffer);
        match &self.node {
            Some(_) => {}
            None => drop(before.inspect(WlBuffer::release)),
        }
    }

    /// Begins a frame.
    fn frame(&mut self) {
        let mut seen = lock(&self.seen);
        if let Some(node) = self.node.as_ref().filter(|_| !seen.withholds) {
            let shown = self.releases.pop();
            self.releases.drain(..).for_each(|point| node.signal(point));
            self.releases.extend(shown);
        }
        if self.offer.paused && (seen.allowed == 0 || self.callbacks.is_empty()) {
            return;
        }
        seen.allowed = seen.allowed.saturating_sub(1);
        self.callbacks.drain(..).for_each(|callback| callback.done(0));
        self.feedback.drain(..).for_each(|feedback| {
            let [seconds, nanoseconds] = SEEN;
            feedback.presented(
                0,
                seconds,
                nanoseconds,
                REFRESH,
                0,
                0,
                wp_presentation_feedback::Kind::empty(),
            );
        });
    }
}

/// A compositor in a thread, and the application's connection to it.
pub struct Running {
    pub seen: Arc<Mutex<Seen>>,
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    pub connection: Connection,
}

struct Nobody;

impl ClientData for Nobody {
    fn initialized(&self, _: ClientId) {}
    fn disconnected(&self, _: ClientId, _: DisconnectReason) {}
}

/// Starts a compositor.
pub fn start(offer: Offer) -> Running {
    let (near, far) = UnixStream::pair().expect("sockets");
    let (seen, ends) = (Arc::new(Mutex::new(Seen::default())), Arc::new(AtomicBool::new(false)));
    let (see, end) = (seen.clone(), ends.clone());
    let thread = std::thread::spawn(move || {
        let mut display = Display::<Server>::new().expect("a display");
        let mut handle = display.handle();
        offer.announce(&handle);
        handle.insert_client(far, Arc::new(Nobody)).expect("a client");
        let pending = Pending::default();
        let node = offer.points.then(|| agx_node::open().expect("the library shows a node"));
        let mut server = Server {
            offer,
            seen: see,
            pending,
            shown: None,
            callbacks: Vec::new(),
            feedback: Vec::new(),
            node: node.map(|node| -> Box<dyn Gpu> { Box::new(node.expect("it opens")) }),
            releases: Vec::new(),
        };
        while !end.load(Ordering::Relaxed) {
            let time = Timespec::try_from(Duration::from_millis(1)).expect("a time");
            let backend = display.backend();
            let _ = poll(&mut [PollFd::new(&backend.poll_fd(), PollFlags::IN)], Some(&time));
            display.dispatch_clients(&mut server).expect("requests are right");
            server.frame();
            display.flush_clients().expect("sent");
        }
    });
    let connection = Connection::from_socket(near).expect("a connection");
    Running { seen, ends, thread: Some(thread), connection }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(matches!(ended, Some(Ok(()))), "the compositor found a wrong request");
    }
}

macro_rules! globals {
    ($($kind:ident)*) => {
        $(impl GlobalDispatch<$kind, ()> for Server {
            fn bind(
                _: &mut Server,
                _: &DisplayHandle,
                _: &Client,
                resource: New<$kind>,
                (): &(),
                init: &mut DataInit<'_, Server>,
            ) {
                init.init(resource, ());
            }
        })*
    };
}

globals! { WlCompositor WpFifoManagerV1 WpTearingControlManagerV1 WpLinuxDrmSyncobjManagerV1 }

/// Requests: the state, the object, its data, the request, and what initialises new objects.
macro_rules! requests {
    ($($kind:ident: $data:ty, $module:ident, |$server:ident, $object:ident, $own:ident, $request:ident, $init:ident| $act:block)*) => {
        $(impl Dispatch<$kind, $data> for Server {
            fn request(
                $server: &mut Server,
                _: &Client,
                $object: &$kind,
                $request: $module::Request,
                $own: &$data,
                _: &DisplayHandle,
                $init: &mut DataInit<'_, Server>,
            ) $act
        })*
    };
}

impl GlobalDispatch<WlShm, ()> for Server {
    fn bind(
        _: &mut Server,
        _: &DisplayHandle,
        _: &Client,
        resource: New<WlShm>,
        (): &(),
        init: &mut DataInit<'_, Server>,
    ) {
        let shm = init.init(resource, ());
        shm.format(wl_shm::Format::Argb8888);
        shm.format(wl_shm::Format::Xrgb8888);
    }
}

impl GlobalDispatch<WpPresentation, ()> for Server {
    fn bind(
        _: &mut Server,
        _: &DisplayHandle,
        _: &Client,
        resource: New<WpPresentation>,
        (): &(),
        init: &mut DataInit<'_, Server>,
    ) {
        init.init(resource, ()).clock_id(1);
    }
}

impl GlobalDispatch<ZwpLinuxDmabufV1, ()> for Server {
    fn bind(
        _: &mut Server,
        _: &DisplayHandle,
        _: &Client,
        resource: New<ZwpLinuxDmabufV1>,
        (): &(),
        init: &mut DataInit<'_, Server>,
    ) {
        init.init(resource, ());
    }
}

/// Sends the formats: a table of pairs, and a tranche of all of them.
fn answer(offer: Offer, feedback: &ZwpLinuxDmabufFeedbackV1) {
    let pairs =
        [XRGB, ARGB].into_iter().flat_map(|format| offer.modifiers.iter().map(move |one| (format, *one)));
    let table: Vec<u8> = pairs
        .flat_map(|(format, modifier)| [u64::from(format).to_le_bytes(), modifier.to_le_bytes()].concat())
        .collect();
    let file = rustix::fs::memfd_create("table", rustix::fs::MemfdFlags::CLOEXEC).expect("a file");
    assert_eq!(rustix::io::pwrite(&file, &table, 0), Ok(table.len()));
    feedback.format_table(file.as_fd(), table.len() as u32);
    let [major, minor] = offer.device;
    let device = rustix::fs::makedev(major, minor).to_ne_bytes().to_vec();
    feedback.main_device(device.clone());
    feedback.tranche_target_device(device);
    feedback.tranche_flags(TrancheFlags::empty());
    feedback.tranche_formats((0..table.len() as u16 / 16).flat_map(u16::to_ne_bytes).collect());
    feedback.tranche_done();
    feedback.done();
}

/// The planes of a buffer that is being made.
type Planes = Mutex<BTreeMap<u32, (OwnedFd, u32, u32, u64)>>;

requests! {
    WlCompositor: (), wl_compositor, |_server, _object, _own, request, init| {
        if let wl_compositor::Request::CreateSurface { id } = request {
            init.init(id, ());
        }
    }
    WlSurface: (), wl_surface, |server, _object, _own, request, init| {
        match request {
            wl_surface::Request::Attach { buffer, .. } => server.pending.buffer = buffer,
            wl_surface::Request::Frame { callback } => server.pending.callbacks.push(init.init(callback, ())),
            wl_surface::Request::Commit => server.commit(),
            _ => {}
        }
    }
    WlShm: (), wl_shm, |_server, _object, _own, request, init| {
        if let wl_shm::Request::CreatePool { id, fd, .. } = request {
            init.init(id, Arc::new(fd));
        }
    }
    WlShmPool: Arc<OwnedFd>, wl_shm_pool, |_server, _object, own, request, init| {
        if let wl_shm_pool::Request::CreateBuffer { id, offset, width, height, stride, format } = request {
            let format = match format {
                WEnum::Value(wl_shm::Format::Xrgb8888) => XRGB,
                _ => ARGB,
            };
            let (offset, row) = (offset as u64, stride as u32);
            let size = [width, height].map(|side| side as u32);
            let pixels = Pixels { file: own.clone(), offset, size, row, modifier: LINEAR, format, shared: false };
            init.init(id, Arc::new(pixels));
        }
    }
    WlBuffer: Arc<Pixels>, wl_buffer, |server, object, _own, _request, _init| {
        // Its only request destroys it.
        if server.shown.as_ref() == Some(object) {
            server.shown = None;
        }
    }
    WlCallback: (), wl_callback, |_server, _object, _own, _request, _init| {}
    ZwpLinuxDmabufV1: (), zwp_linux_dmabuf_v1, |server, _object, _own, request, init| {
        match request {
            zwp_linux_dmabuf_v1::Request::CreateParams { params_id } => {
                init.init(params_id, Planes::default());
            }
            zwp_linux_dmabuf_v1::Request::GetDefaultFeedback { id }
            | zwp_linux_dmabuf_v1::Request::GetSurfaceFeedback { id, .. } => {
                answer(server.offer, &init.init(id, ()));
            }
            _ => {}
        }
    }
    ZwpLinuxDmabufFeedbackV1: (), zwp_linux_dmabuf_feedback_v1, |_server, _object, _own, _request, _init| {}
    ZwpLinuxBufferParamsV1: Planes, zwp_linux_buffer_params_v1, |server, _object, own, request, init| {
        use zwp_linux_buffer_params_v1::Request;
        match request {
            Request::Add { fd, plane_idx, offset, stride, modifier_hi, modifier_lo } => {
                let modifier = u64::from(modifier_hi) << 32 | u64::from(modifier_lo);
                lock(own).insert(plane_idx, (fd, offset, stride, modifier));
            }
            Request::CreateImmed { buffer_id, width, height, format, .. } => {
                let planes = std::mem::take(&mut *lock(own));
                assert_eq!(planes.keys().copied().collect::<Vec<_>>(), [0]);
                let (file, offset, row, modifier) = planes.into_values().next().expect("a plane");
                assert!(server.offer.modifiers.contains(&modifier) && offset == 0 && row >= 4 * width as u32);
                // Of tiles, Mesa's drivers take the row of the pixels only.
                let fits = if modifier == TILED { row == 4 * width as u32 } else { row % 128 == 0 };
                assert!(fits, "rows of {row} bytes");
                let (file, offset) = (Arc::new(file), u64::from(offset));
                let size = [width, height].map(|side| side as u32);
                let pixels = Pixels { file, offset, size, row, modifier, format, shared: true };
                init.init(buffer_id, Arc::new(pixels));
            }
            _ => {}
        }
    }
    WpLinuxDrmSyncobjManagerV1: (), wp_linux_drm_syncobj_manager_v1, |server, _object, _own, request, init| {
        use wp_linux_drm_syncobj_manager_v1::Request;
        match request {
            Request::GetSurface { id, .. } => _ = init.init(id, ()),
            Request::ImportTimeline { id, fd } => {
                let node = server.node.as_ref().expect("points are offered");
                init.init(id, node.import_sync(fd.as_fd()).expect("a sync object"));
            }
            _ => {}
        }
    }
    WpLinuxDrmSyncobjTimelineV1: u32, wp_linux_drm_syncobj_timeline_v1, |_server, _object, _own, _request, _init| {}
    WpLinuxDrmSyncobjSurfaceV1: (), wp_linux_drm_syncobj_surface_v1, |server, _object, _own, request, _init| {
        use wp_linux_drm_syncobj_surface_v1::Request;
        let point = |timeline: &WpLinuxDrmSyncobjTimelineV1, upper: u32, lower: u32| SyncPoint {
            handle: *timeline.data().expect("a timeline of this compositor"),
            value: Some(u64::from(upper) << 32 | u64::from(lower)),
        };
        match request {
            Request::SetAcquirePoint { timeline, point_hi, point_lo } => {
                server.pending.points[0] = Some(point(&timeline, point_hi, point_lo));
            }
            Request::SetReleasePoint { timeline, point_hi, point_lo } => {
                server.pending.points[1] = Some(point(&timeline, point_hi, point_lo));
            }
            _ => {}
        }
    }
    WpPresentation: (), wp_presentation, |server, _object, _own, request, init| {
        if let wp_presentation::Request::Feedback { callback, .. } = request {
            server.pending.feedback.push(init.init(callback, ()));
        }
    }
    WpPresentationFeedback: (), wp_presentation_feedback, |_server, _object, _own, _request, _init| {}
    WpFifoManagerV1: (), wp_fifo_manager_v1, |_server, _object, _own, request, init| {
        if let wp_fifo_manager_v1::Request::GetFifo { id, .. } = request {
            init.init(id, ());
        }
    }
    WpFifoV1: (), wp_fifo_v1, |server, _object, _own, request, _init| {
        match request {
            wp_fifo_v1::Request::SetBarrier => server.pending.barrier[0] = true,
            wp_fifo_v1::Request::WaitBarrier => server.pending.barrier[1] = true,
            _ => {}
        }
    }
    WpTearingControlManagerV1: (), wp_tearing_control_manager_v1, |_server, _object, _own, request, init| {
        if let wp_tearing_control_manager_v1::Request::GetTearingControl { id, .. } = request {
            init.init(id, ());
        }
    }
    WpTearingControlV1: (), wp_tearing_control_v1, |server, _object, _own, request, _init| {
        if let wp_tearing_control_v1::Request::SetPresentationHint { hint } = request {
            let hint = hint.into_result().expect("a hint");
            server.pending.tears = hint == wp_tearing_control_v1::PresentationHint::Async;
        }
    }
}
