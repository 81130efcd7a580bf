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
    /// The number that the application gave the presentation, or 0.
    pub id: u64,
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

    /// The layouts of images whose memory it can show.
    fn modifiers(&self, _look: &Look) -> Vec<Modifier> {
        Vec::new()
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

    fn modifiers(&self, look: &Look) -> Vec<Modifier> {
        (**self).modifiers(look)
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
}

impl Uses {
    /// It uses none of this number of images.
    fn none(images: usize) -> Uses {
        Uses { busy: vec![false; images], shown: 0 }
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
    fn end(&mut self, id: u64) {
        self.shown = self.shown.max(id);
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

    fn chain(&self, _: &Look, _: &[SharedImage<'_>]) -> Result<Box<dyn Chain>, Error> {
        Ok(Box::new(Headless))
    }
}

impl Chain for Headless {
    /// Discards the image.
    fn show(&self, _: &Presentation<'_>) -> Result<(), Error> {
        Ok(())
    }
}
