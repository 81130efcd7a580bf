//! What a compositor offers: its interfaces, and the formats and layouts of buffers that it takes.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::sync::Mutex;

use rustix::fs::{major, minor};
use rustix::time::ClockId;
use wayland_client::globals::{GlobalListContents, registry_queue_init};
use wayland_client::protocol::wl_registry::{self, WlRegistry};
use wayland_client::protocol::wl_shm::{self, WlShm};
use wayland_client::protocol::wl_surface::WlSurface;
use wayland_client::{Connection, Dispatch, Proxy, QueueHandle, WEnum, delegate_noop};
use wayland_protocols::wp::fifo::v1::client::wp_fifo_manager_v1::WpFifoManagerV1;
use wayland_protocols::wp::fifo::v1::client::wp_fifo_v1::WpFifoV1;
use wayland_protocols::wp::linux_dmabuf::zv1::client::zwp_linux_dmabuf_feedback_v1::{
    self, ZwpLinuxDmabufFeedbackV1,
};
use wayland_protocols::wp::linux_dmabuf::zv1::client::zwp_linux_dmabuf_v1::{self, ZwpLinuxDmabufV1};
use wayland_protocols::wp::linux_drm_syncobj::v1::client::wp_linux_drm_syncobj_manager_v1::WpLinuxDrmSyncobjManagerV1;
use wayland_protocols::wp::linux_drm_syncobj::v1::client::wp_linux_drm_syncobj_surface_v1::WpLinuxDrmSyncobjSurfaceV1;
use wayland_protocols::wp::presentation_time::client::wp_presentation::{self, WpPresentation};
use wayland_protocols::wp::tearing_control::v1::client::wp_tearing_control_manager_v1::WpTearingControlManagerV1;
use wayland_protocols::wp::tearing_control::v1::client::wp_tearing_control_v1::WpTearingControlV1;

use super::super::lost;
use crate::Error;
use crate::memory::lock;
use crate::modifier::Modifier;

/// The version of `linux-dmabuf` that has feedback.
const WITH_FEEDBACK: u32 = 4;
/// Bytes of an entry of a table of formats: format, padding, modifier.
const ENTRY: usize = 16;

/// The interfaces of a compositor.
pub(super) struct Globals {
    pub(super) connection: Connection,
    pub(super) shm: WlShm,
    pub(super) dmabuf: Option<ZwpLinuxDmabufV1>,
    pub(super) presentation: Option<WpPresentation>,
    /// Objects of which a surface can have one only.
    pub(super) fifo: Option<WpFifoV1>,
    pub(super) tearing: Option<WpTearingControlV1>,
    /// Points of timelines, and the object of the surface, which exists while its buffers have points.
    pub(super) points: Option<(WpLinuxDrmSyncobjManagerV1, Mutex<Option<WpLinuxDrmSyncobjSurfaceV1>>)>,
    known: Known,
}

/// What a compositor says at the start: the buffers that it takes, and its clock.
#[derive(Default)]
struct Known {
    /// The clock of presentations.
    clock: Option<u32>,
    /// Formats of buffers in memory of the processors.
    copies: Vec<u32>,
    /// Modifiers of other buffers by format, in the compositor's order.
    shared: BTreeMap<u32, Vec<u64>>,
    /// The table of formats and modifiers that the tranches refer to.
    table: Vec<(u32, u64)>,
    /// The device of the buffers.
    device: Option<u64>,
}

impl Known {
    fn add(&mut self, format: u32, modifier: u64) {
        let modifiers = self.shared.entry(format).or_default();
        if !modifiers.contains(&modifier) {
            modifiers.push(modifier);
        }
    }
}

impl Globals {
    /// Asks the compositor. The memory of devices is that of the render node with these numbers.
    pub(super) fn find(
        connection: Connection,
        surface: &WlSurface,
        node: Option<[u32; 2]>,
    ) -> Result<Globals, Error> {
        let (list, mut queue) = registry_queue_init::<Known>(&connection).map_err(lost)?;
        let (handle, mut known) = (queue.handle(), Known::default());
        let shm = list.bind(&handle, 1..=1, ()).map_err(lost)?;
        let dmabuf: Option<ZwpLinuxDmabufV1> = list.bind(&handle, 3..=WITH_FEEDBACK, ()).ok();
        let presentation = list.bind(&handle, 1..=1, ()).ok();
        let with_feedback = dmabuf.as_ref().filter(|dmabuf| dmabuf.version() >= WITH_FEEDBACK);
        let feedback = with_feedback.map(|dmabuf| dmabuf.get_surface_feedback(surface, &handle, ()));
        // The compositor sends all formats before it answers.
        queue.roundtrip(&mut known).map_err(lost)?;
        feedback.inspect(ZwpLinuxDmabufFeedbackV1::destroy);
        let number = |device: u64| [major(device), minor(device)];
        if known.device.is_some_and(|device| Some(number(device)) != node) {
            // Another device does not know the layouts of this one.
            known.shared.values_mut().for_each(|modifiers| modifiers.retain(|known| *known == LINEAR));
        }
        let fifo = list.bind::<WpFifoManagerV1, _, _>(&handle, 1..=1, ()).ok();
        let tearing = list.bind::<WpTearingControlManagerV1, _, _>(&handle, 1..=1, ()).ok();
        Ok(Globals {
            shm,
            dmabuf,
            presentation,
            fifo: fifo.map(|manager| {
                let fifo = manager.get_fifo(surface, &handle, ());
                manager.destroy();
                fifo
            }),
            tearing: tearing.map(|manager| {
                let tearing = manager.get_tearing_control(surface, &handle, ());
                manager.destroy();
                tearing
            }),
            points: list.bind(&handle, 1..=1, ()).ok().map(|manager| (manager, Mutex::new(None))),
            known,
            connection,
        })
    }

    /// The modifiers of buffers of a format.
    pub(super) fn modifiers(&self, code: u32) -> &[u64] {
        self.known.shared.get(&code).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether the compositor tells when images are seen, by the monotonic clock.
    pub(super) fn tells_times(&self) -> bool {
        self.presentation.is_some() && self.known.clock == Some(ClockId::Monotonic as u32)
    }

    /// Whether the compositor takes buffers of a format in memory of the processors.
    pub(super) fn takes_copies(&self, code: u32) -> bool {
        self.known.copies.contains(&memory_code(code))
    }
}

/// The number of the linear layout.
const LINEAR: u64 = Modifier::Linear.number();

/// The number of a format of buffers in memory of the processors: the two that every compositor has are numbered differently.
pub(super) fn memory_code(code: u32) -> u32 {
    match code.to_le_bytes() {
        [b'A', b'R', b'2', b'4'] => wl_shm::Format::Argb8888.into(),
        [b'X', b'R', b'2', b'4'] => wl_shm::Format::Xrgb8888.into(),
        _ => code,
    }
}

impl Drop for Globals {
    fn drop(&mut self) {
        self.presentation.iter().for_each(WpPresentation::destroy);
        self.fifo.iter().for_each(WpFifoV1::destroy);
        self.tearing.iter().for_each(WpTearingControlV1::destroy);
        if let Some((manager, surface)) = &self.points {
            lock(surface).take().inspect(WpLinuxDrmSyncobjSurfaceV1::destroy);
            manager.destroy();
        }
        self.dmabuf.iter().for_each(ZwpLinuxDmabufV1::destroy);
        // The application's connection may be gone.
        let _ = self.connection.flush();
    }
}

impl Dispatch<WlRegistry, GlobalListContents> for Known {
    fn event(
        _: &mut Known,
        _: &WlRegistry,
        _: wl_registry::Event,
        _: &GlobalListContents,
        _: &Connection,
        _: &QueueHandle<Known>,
    ) {
    }
}

impl Dispatch<WlShm, ()> for Known {
    fn event(
        known: &mut Known,
        _: &WlShm,
        event: wl_shm::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Known>,
    ) {
        if let wl_shm::Event::Format { format } = event {
            known.copies.push(match format {
                WEnum::Value(format) => format.into(),
                WEnum::Unknown(number) => number,
            });
        }
    }
}

impl Dispatch<WpPresentation, ()> for Known {
    fn event(
        known: &mut Known,
        _: &WpPresentation,
        event: wp_presentation::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Known>,
    ) {
        if let wp_presentation::Event::ClockId { clk_id } = event {
            known.clock = Some(clk_id);
        }
    }
}

impl Dispatch<ZwpLinuxDmabufV1, ()> for Known {
    fn event(
        known: &mut Known,
        _: &ZwpLinuxDmabufV1,
        event: zwp_linux_dmabuf_v1::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Known>,
    ) {
        if let zwp_linux_dmabuf_v1::Event::Modifier { format, modifier_hi, modifier_lo } = event {
            known.add(format, u64::from(modifier_hi) << 32 | u64::from(modifier_lo));
        }
    }
}

impl Dispatch<ZwpLinuxDmabufFeedbackV1, ()> for Known {
    fn event(
        known: &mut Known,
        _: &ZwpLinuxDmabufFeedbackV1,
        event: zwp_linux_dmabuf_feedback_v1::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Known>,
    ) {
        use zwp_linux_dmabuf_feedback_v1::Event;
        match event {
            Event::FormatTable { fd, size } => known.table = table(&fd, size as usize),
            Event::MainDevice { device } => {
                known.device = device.first_chunk().map(|number| u64::from_ne_bytes(*number));
            }
            Event::TrancheFormats { indices } => {
                for index in indices.as_chunks::<2>().0 {
                    let entry = known.table.get(usize::from(u16::from_ne_bytes(*index))).copied();
                    entry.into_iter().for_each(|(format, modifier)| known.add(format, modifier));
                }
            }
            _ => {}
        }
    }
}

/// The entries of a table of this number of bytes; those that cannot be read are left out.
fn table(file: &OwnedFd, bytes: usize) -> Vec<(u32, u64)> {
    let mut contents = vec![0; bytes];
    let read = rustix::io::pread(file, &mut contents, 0).unwrap_or(0);
    let entries = contents.get(..read).unwrap_or_default().as_chunks::<ENTRY>().0;
    let entry = |entry: &[u8; ENTRY]| {
        let [format, modifier] = [0, 8].map(|at| agx_abi::record::bits(entry, 8 * at, 64));
        (format as u32, modifier)
    };
    entries.iter().map(entry).collect()
}

delegate_noop!(Known: WpFifoManagerV1);
delegate_noop!(Known: WpTearingControlManagerV1);
delegate_noop!(Known: WpFifoV1);
delegate_noop!(Known: WpTearingControlV1);
delegate_noop!(Known: WpLinuxDrmSyncobjManagerV1);
