//! Surfaces, on which images are presented.
//!
//! A surface makes a chain for each swapchain. A chain either takes the pixels of an image, or shows its memory, which the window
//! system shares.

mod wayland;
mod x11;

use std::os::fd::BorrowedFd;
use std::time::Duration;

use ash::vk;

pub use wayland::Wayland;
pub use x11::{Direct, X11};

use crate::Error;
use crate::format;
use crate::modifier::{Modifier, PlanePlace};

/// How the images of a swapchain look.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Their format.
    pub format: vk::Format,
    /// Their width and height.
    pub size: [u32; 2],
    /// Their number.
    pub images: usize,
    /// Whether alpha is ignored; otherwise colours are multiplied by it.
    pub opaque: bool,
}

impl Look {
    /// Bytes of the pixels of an image.
    pub fn bytes(&self) -> usize {
        let texel = format::find(self.format).map_or(4, |desc| desc.bytes);
        self.size.map(|side| side as usize).iter().product::<usize>() * texel as usize
    }
}

/// The memory of an image, for a window system.
#[derive(Clone, Copy, Debug)]
pub struct SharedImage<'f> {
    /// Its `dma_buf`.
    pub file: BorrowedFd<'f>,
    /// Its layout.
    pub modifier: Modifier,
    /// Where its only plane is.
    pub place: PlanePlace,
    /// Its timelines, if the surface takes points: one that the device signals when the image can be shown, and one that the
    /// window system signals when it is done with it.
    pub timelines: Option<[BorrowedFd<'f>; 2]>,
}

/// An image that is presented.
#[derive(Clone, Copy, Debug)]
pub struct Presentation<'p> {
    /// Its number in the swapchain.
    pub image: usize,
    /// Its pixels in rows from the top, unless its memory is shared.
    pub pixels: &'p [u8],
    /// When it is shown.
    pub mode: vk::PresentModeKHR,
    /// The number of the presentation, greater than those before, or 0 if its end does not matter.
    pub number: u64,
    /// The point of the image's timelines, if it has them.
    pub point: Option<u64>,
}

/// When a presentation was over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seen {
    /// Its number.
    pub number: u64,
    /// When its first pixel went to the display, in nanoseconds of the monotonic clock; 0 if it was not shown.
    pub time: u64,
    /// Nanoseconds between refreshes of the display; 0 if they are not known.
    pub refresh: u64,
}

/// A surface that shows images.
pub trait Surface: Send + Sync {
    /// Width and height; `None` if the swapchain determines them.
    ///
    /// # Errors
    /// The window was closed.
    fn size(&self) -> Result<Option<[u32; 2]>, Error>;

    /// Supported formats, the best first.
    fn formats(&self) -> Vec<vk::Format>;

    /// Supported modes.
    fn modes(&self) -> Vec<vk::PresentModeKHR>;

    /// What can become of alpha.
    fn alphas(&self) -> vk::CompositeAlphaFlagsKHR {
        vk::CompositeAlphaFlagsKHR::OPAQUE | vk::CompositeAlphaFlagsKHR::INHERIT
    }

    /// Whether images that are presented are seen. Otherwise its chains get no pixels.
    fn shows(&self) -> bool {
        true
    }

    /// Whether chains with shared memory, or all, tell when images are seen ([`Chain::take_seen`]).
    fn tells_times(&self) -> bool {
        false
    }

    /// The layouts of images whose memory it can show.
    fn modifiers(&self, _look: &Look) -> Vec<Modifier> {
        Vec::new()
    }

    /// Whether points of timelines order the accesses to shared memory. Without them, the fences of the memory do.
    fn takes_points(&self) -> bool {
        false
    }

    /// What shows the images of a swapchain; `shared` has their memory, if it is shared.
    ///
    /// # Errors
    /// The window system refuses.
    fn chain(&self, look: &Look, shared: &[SharedImage<'_>]) -> Result<Box<dyn Chain>, Error>;
}

/// What shows the images of a swapchain.
pub trait Chain: Send + Sync {
    /// Shows an image.
    ///
    /// # Errors
    /// The window was closed.
    fn show(&self, presentation: &Presentation<'_>) -> Result<(), Error>;

    /// Whether the window system is done with an image.
    fn is_free(&self, _image: usize) -> bool {
        true
    }

    /// The greatest number of a presentation that is over; `None` if they are over when [`Chain::show`] returns.
    fn shown(&self) -> Option<u64> {
        None
    }

    /// Takes what is known of presentations with numbers that are over.
    fn take_seen(&self) -> Vec<Seen> {
        Vec::new()
    }

    /// Waits until the window system says something, for at most this time. Returns whether it could.
    ///
    /// # Errors
    /// The window was closed.
    fn wait(&self, _time: Duration) -> Result<bool, Error> {
        Ok(false)
    }
}

impl<S: Surface + ?Sized> Surface for Box<S> {
    fn size(&self) -> Result<Option<[u32; 2]>, Error> {
        (**self).size()
    }

    fn formats(&self) -> Vec<vk::Format> {
        (**self).formats()
    }

    fn modes(&self) -> Vec<vk::PresentModeKHR> {
        (**self).modes()
    }

    fn alphas(&self) -> vk::CompositeAlphaFlagsKHR {
        (**self).alphas()
    }

    fn shows(&self) -> bool {
        (**self).shows()
    }

    fn tells_times(&self) -> bool {
        (**self).tells_times()
    }

    fn modifiers(&self, look: &Look) -> Vec<Modifier> {
        (**self).modifiers(look)
    }

    fn takes_points(&self) -> bool {
        (**self).takes_points()
    }

    fn chain(&self, look: &Look, shared: &[SharedImage<'_>]) -> Result<Box<dyn Chain>, Error> {
        (**self).chain(look, shared)
    }
}

/// What a window system has said about the images of a chain.
#[derive(Default)]
struct Uses {
    /// The images that it uses.
    busy: Vec<bool>,
    /// The greatest number of a presentation that is over.
    shown: u64,
    /// What is known of those that are over.
    seen: Vec<Seen>,
}

impl Uses {
    /// It uses none of this number of images.
    fn none(images: usize) -> Uses {
        Uses { busy: vec![false; images], ..Uses::default() }
    }

    /// It uses an image, or no longer does.
    fn set_busy(&mut self, image: usize, is_busy: bool) {
        if let Some(busy) = self.busy.get_mut(image) {
            *busy = is_busy;
        }
    }

    fn is_free(&self, image: usize) -> bool {
        self.busy.get(image) != Some(&true)
    }

    /// The presentation with a number is over.
    fn end(&mut self, number: u64) {
        self.shown = self.shown.max(number);
    }

    /// A presentation is over.
    fn see(&mut self, seen: Seen) {
        self.end(seen.number);
        if seen.number > 0 {
            self.seen.push(seen);
        }
    }
}

/// The error of a window system.
fn lost(error: impl std::fmt::Display) -> Error {
    Error::Surface { what: error.to_string() }
}

/// The modes of surfaces whose presentations are over at once: images are shown in their order, so all behave alike.
const ALIKE: [vk::PresentModeKHR; 3] =
    [vk::PresentModeKHR::FIFO, vk::PresentModeKHR::MAILBOX, vk::PresentModeKHR::IMMEDIATE];

/// A surface without a window (`VK_EXT_headless_surface`).
#[derive(Clone, Copy, Debug)]
pub struct Headless;

impl Surface for Headless {
    fn size(&self) -> Result<Option<[u32; 2]>, Error> {
        Ok(None)
    }

    fn formats(&self) -> Vec<vk::Format> {
        vec![
            vk::Format::B8G8R8A8_UNORM,
            vk::Format::B8G8R8A8_SRGB,
            vk::Format::R8G8B8A8_UNORM,
            vk::Format::R8G8B8A8_SRGB,
        ]
    }

    fn modes(&self) -> Vec<vk::PresentModeKHR> {
        ALIKE.to_vec()
    }

    fn shows(&self) -> bool {
        false
    }

    fn chain(&self, _: &Look, _: &[SharedImage<'_>]) -> Result<Box<dyn Chain>, Error> {
        Ok(Box::new(Headless))
    }
}

impl Chain for Headless {
    /// Nothing is seen.
    fn show(&self, _: &Presentation<'_>) -> Result<(), Error> {
        Ok(())
    }
}
