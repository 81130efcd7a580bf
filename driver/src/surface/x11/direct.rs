//! Images whose memory an X server shows, by its extensions DRI3 and Present.
//!
//! The driver has a connection of its own for them: all events of the application's connection belong to the application.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ash::vk;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{fstat, major, minor};
use x11rb::connection::{Connection as _, RequestConnection as _};
use x11rb::protocol::Event;
use x11rb::protocol::dri3::{self, ConnectionExt as _};
use x11rb::protocol::present::{
    self, CompleteMode, CompleteNotifyEvent, ConnectionExt as _, EventMask, IdleNotifyEvent,
};
use x11rb::protocol::xproto::{ConnectionExt as _, Pixmap, Window};
use x11rb::rust_connection::RustConnection;

use super::super::{Chain, Look, Presentation, Seen, SharedImage, Uses, lost};
use crate::Error;
use crate::memory::lock;
use crate::modifier::{MODIFIERS, Modifier};

/// The versions of the extensions that have modifiers, and pixmaps.
const DRI3: [u32; 2] = [1, 2];
const PRESENT: [u32; 2] = [1, 0];
/// Bits of a pixel.
const BITS: u8 = 32;
/// The longest wait for an event: another thread may have read it from the connection.
const SLICE: Duration = Duration::from_millis(20);

/// What the server has said about the pixmaps of a chain.
#[derive(Default)]
struct Heard {
    pixmaps: Vec<Pixmap>,
    images: Uses,
    /// Presentations that are not over: their numbers here, and those of the swapchain.
    waiting: BTreeMap<u32, u64>,
    /// The frame in which the last presentation was shown.
    frame: Frame,
}

/// A frame of a screen.
#[derive(Clone, Copy, Default)]
struct Frame {
    number: u64,
    /// When it began, in microseconds.
    time: u64,
}

impl Frame {
    /// Nanoseconds of a frame between an earlier one and this one; 0 if they are the same.
    fn length(self, earlier: Frame) -> u64 {
        let frames = self.number.saturating_sub(earlier.number);
        let time = self.time.saturating_sub(earlier.time).saturating_mul(1000);
        if earlier.time == 0 { 0 } else { time.checked_div(frames).unwrap_or(0) }
    }
}

/// A window, on a connection of the driver's own.
pub struct Direct {
    connection: RustConnection,
    window: Window,
    depth: u8,
    modifiers: Vec<Modifier>,
    /// What was said to each chain, by the number of its events.
    heard: Mutex<BTreeMap<present::Event, Heard>>,
}

impl Direct {
    /// A window whose pixels have this depth; `None` if the server cannot show memory of the device. `node`: major and minor
    /// number of the device's node.
    pub fn open(
        connection: RustConnection,
        window: Window,
        depth: u8,
        node: [u32; 2],
    ) -> Option<Arc<Direct>> {
        connection.extension_information(dri3::X11_EXTENSION_NAME).ok()??;
        connection.extension_information(present::X11_EXTENSION_NAME).ok()??;
        let dri3 = connection.dri3_query_version(DRI3[0], DRI3[1]).ok()?.reply().ok()?;
        connection.present_query_version(PRESENT[0], PRESENT[1]).ok()?.reply().ok()?;
        if [dri3.major_version, dri3.minor_version] < DRI3 {
            return None;
        }
        let opened = connection.dri3_open(window, 0).ok()?.reply().ok()?;
        let device = fstat(&opened.device_fd).ok()?.st_rdev;
        let is_same = [major(device), minor(device)] == node;
        let listed = connection.dri3_get_supported_modifiers(window, depth, BITS).ok()?.reply().ok()?;
        let knows = |modifier: &Modifier| {
            let number = modifier.number();
            listed.window_modifiers.contains(&number) || listed.screen_modifiers.contains(&number)
        };
        // Another device does not know the layouts of this one.
        let usable = |modifier: &Modifier| knows(modifier) && (is_same || *modifier == Modifier::Linear);
        let modifiers: Vec<Modifier> = MODIFIERS.into_iter().filter(usable).collect();
        let heard = Mutex::default();
        (!modifiers.is_empty()).then(|| Arc::new(Direct { connection, window, depth, modifiers, heard }))
    }

    /// The layouts of images that the server can show.
    pub(super) fn modifiers(&self) -> Vec<Modifier> {
        self.modifiers.clone()
    }

    /// What shows images.
    pub(super) fn chain(
        self: &Arc<Direct>,
        look: &Look,
        shared: &[SharedImage<'_>],
    ) -> Result<Pixmaps, Error> {
        let events = self.connection.generate_id().map_err(lost)?;
        let [width, height] = look.size.map(|side| side as u16);
        let mut pixmaps = Vec::new();
        for image in shared {
            let pixmap = self.connection.generate_id().map_err(lost)?;
            let file = image.file.try_clone_to_owned().map_err(lost)?;
            let [row, offset] = [image.place.row, image.place.offset].map(|bytes| bytes as u32);
            let (depth, modifier, files) = (self.depth, image.modifier.number(), vec![file]);
            // Stride and offset of the only plane; those of the other three are 0.
            let made = self.connection.dri3_pixmap_from_buffers(
                pixmap,
                self.window,
                width,
                height,
                row,
                offset,
                0,
                0,
                0,
                0,
                0,
                0,
                depth,
                BITS,
                modifier,
                files,
            );
            made.map_err(lost)?.check().map_err(lost)?;
            pixmaps.push(pixmap);
        }
        let mask = EventMask::IDLE_NOTIFY | EventMask::COMPLETE_NOTIFY;
        self.connection
            .present_select_input(events, self.window, mask)
            .map_err(lost)?
            .check()
            .map_err(lost)?;
        let heard = Heard { images: Uses::none(pixmaps.len()), pixmaps, ..Heard::default() };
        lock(&self.heard).insert(events, heard);
        Ok(Pixmaps { direct: self.clone(), events, last: Mutex::new(0) })
    }

    /// Takes the events that have come.
    fn take(&self) -> Result<bool, Error> {
        let mut any = false;
        while let Some(event) = self.connection.poll_for_event().map_err(lost)? {
            any = true;
            let mut heard = lock(&self.heard);
            match event {
                Event::PresentIdleNotify(IdleNotifyEvent { event, pixmap, .. }) => {
                    if let Some(heard) = heard.get_mut(&event) {
                        heard.idle(pixmap);
                    }
                }
                Event::PresentCompleteNotify(CompleteNotifyEvent {
                    event, serial, msc, ust, mode, ..
                }) => {
                    if let Some(heard) = heard.get_mut(&event) {
                        let frame = Frame { number: msc, time: ust };
                        heard.complete(serial, frame, mode != CompleteMode::SKIP);
                    }
                }
                Event::Error(error) => return Err(lost(format!("{error:?}"))),
                _ => {}
            }
        }
        Ok(any)
    }
}

impl Heard {
    fn idle(&mut self, pixmap: Pixmap) {
        if let Some(image) = self.pixmaps.iter().position(|known| *known == pixmap) {
            self.images.set_busy(image, false);
        }
    }

    fn complete(&mut self, serial: u32, frame: Frame, is_shown: bool) {
        if let Some(number) = self.waiting.remove(&serial) {
            let time = if is_shown { frame.time.saturating_mul(1000) } else { 0 };
            self.images.see(Seen { number, time, refresh: frame.length(self.frame) });
            self.frame = frame;
        }
    }
}

/// The images of a swapchain as pixmaps.
pub(super) struct Pixmaps {
    direct: Arc<Direct>,
    events: present::Event,
    /// The number of the last presentation.
    last: Mutex<u32>,
}

impl Pixmaps {
    /// Looks at what the server has said.
    fn heard<R>(&self, look: impl FnOnce(&mut Heard) -> R) -> Result<R, Error> {
        self.direct.take()?;
        let mut all = lock(&self.direct.heard);
        all.get_mut(&self.events).map(look).ok_or(Error::Invalid { what: "a swapchain without events" })
    }

    /// Waits until all presentations are over.
    fn wait_for_frames(&self) -> Result<(), Error> {
        while !self.heard(|heard| heard.waiting.is_empty())? {
            self.wait(SLICE)?;
        }
        Ok(())
    }
}

impl Chain for Pixmaps {
    fn show(&self, presentation: &Presentation<'_>) -> Result<(), Error> {
        let Presentation { image, mode, number, .. } = *presentation;
        if mode == vk::PresentModeKHR::FIFO {
            self.wait_for_frames()?;
        }
        let mut last = lock(&self.last);
        *last = last.wrapping_add(1);
        let serial = *last;
        let (pixmap, frame) = self.heard(|heard| {
            heard.waiting.insert(serial, number);
            heard.images.set_busy(image, true);
            (heard.pixmaps.get(image).copied(), heard.frame.number)
        })?;
        let pixmap = pixmap.ok_or(Error::Invalid { what: "an image outside the swapchain" })?;
        // A frame after the last, or else the next one.
        let (options, target) = match mode {
            vk::PresentModeKHR::FIFO => (present::Option::NONE, frame + 1),
            vk::PresentModeKHR::IMMEDIATE => (present::Option::ASYNC, 0),
            _ => (present::Option::NONE, 0),
        };
        let Direct { connection, window, .. } = &*self.direct;
        let options = u32::from(options);
        let sent = connection.present_pixmap(
            *window,
            pixmap,
            serial,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            options,
            target,
            0,
            0,
            &[],
        );
        drop(sent.map_err(lost)?);
        connection.flush().map_err(lost)
    }

    fn is_free(&self, image: usize) -> bool {
        // If the connection is lost, the next request says so.
        self.heard(|heard| heard.images.is_free(image)).unwrap_or(true)
    }

    fn shown(&self) -> Option<u64> {
        Some(self.heard(|heard| heard.images.shown).unwrap_or(u64::MAX))
    }

    fn take_seen(&self) -> Vec<Seen> {
        self.heard(|heard| std::mem::take(&mut heard.images.seen)).unwrap_or_default()
    }

    fn wait(&self, time: Duration) -> Result<bool, Error> {
        if !self.direct.take()? {
            let time = Timespec::try_from(time.min(SLICE)).ok();
            let stream = self.direct.connection.stream();
            // An interrupted wait is a short one.
            let _ = poll(&mut [PollFd::new(stream, PollFlags::IN)], time.as_ref());
            self.direct.take()?;
        }
        Ok(true)
    }
}

impl Drop for Pixmaps {
    fn drop(&mut self) {
        let Direct { connection, window, .. } = &*self.direct;
        // Ignore errors: if the server or the window is gone, so is everything else.
        drop(connection.present_select_input(self.events, *window, EventMask::NO_EVENT));
        let heard = lock(&self.direct.heard).remove(&self.events);
        for pixmap in heard.into_iter().flat_map(|heard| heard.pixmaps) {
            drop(connection.free_pixmap(pixmap));
        }
        drop(connection.flush());
    }
}
