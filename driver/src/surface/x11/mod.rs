//! Windows of the X Window System. If the server can show the memory of images, it does; otherwise the core protocol transfers the
//! pixels.

mod direct;

use std::sync::Arc;

use ash::vk;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{CreateGCAux, Drawable, Gcontext, ImageFormat, ImageOrder, create_gc, free_gc};
use x11rb::protocol::xproto::{get_geometry, put_image};

pub use direct::Direct;

use super::{ALIKE, Chain, Look, Presentation, SharedImage, Surface, lost};
use crate::Error;
use crate::modifier::Modifier;

/// Bytes of a request besides its pixels, including an extended length.
const REQUEST_BYTES: usize = 64;

/// A window.
pub struct X11<C: Connection + Send + Sync>(Arc<Window<C>>);

struct Window<C: Connection + Send + Sync> {
    connection: C,
    window: Drawable,
    context: Gcontext,
    depth: u8,
    direct: Option<Arc<Direct>>,
}

impl<C: Connection + Send + Sync> X11<C> {
    /// A window of a server whose pixels are 32 bits, least significant byte first. `direct` tries to show the memory of images, for
    /// the depth of the window.
    ///
    /// # Errors
    /// The window does not exist, or its pixel format is unsupported.
    pub fn new(
        connection: C,
        window: Drawable,
        direct: impl FnOnce(u8) -> Option<Arc<Direct>>,
    ) -> Result<X11<C>, Error> {
        let depth = get_geometry(&connection, window).map_err(lost)?.reply().map_err(lost)?.depth;
        let setup = connection.setup();
        let wide = setup.pixmap_formats.iter().any(|f| f.depth == depth && f.bits_per_pixel == 32);
        if !wide || setup.image_byte_order != ImageOrder::LSB_FIRST {
            return Err(Error::Unsupported { what: "a window whose pixels are not words of four bytes" });
        }
        let context = connection.generate_id().map_err(lost)?;
        create_gc(&connection, context, window, &CreateGCAux::new().graphics_exposures(0)).map_err(lost)?;
        Ok(X11(Arc::new(Window { connection, window, context, depth, direct: direct(depth) })))
    }
}

impl<C: Connection + Send + Sync + 'static> Surface for X11<C> {
    fn size(&self) -> Result<Option<[u32; 2]>, Error> {
        let Window { connection, window, .. } = &*self.0;
        let geometry = get_geometry(connection, *window).map_err(lost)?.reply().map_err(lost)?;
        Ok(Some([geometry.width.into(), geometry.height.into()]))
    }

    fn formats(&self) -> Vec<vk::Format> {
        vec![vk::Format::B8G8R8A8_UNORM, vk::Format::B8G8R8A8_SRGB]
    }

    fn modes(&self) -> Vec<vk::PresentModeKHR> {
        ALIKE.to_vec()
    }

    fn tells_times(&self) -> bool {
        self.0.direct.is_some()
    }

    fn modifiers(&self, _: &Look) -> Vec<Modifier> {
        self.0.direct.as_ref().map(|direct| direct.modifiers()).unwrap_or_default()
    }

    fn chain(&self, look: &Look, shared: &[SharedImage<'_>]) -> Result<Box<dyn Chain>, Error> {
        match &self.0.direct {
            Some(direct) if !shared.is_empty() => Ok(Box::new(direct.chain(look, shared)?)),
            _ => Ok(Box::new(Put { window: self.0.clone(), size: look.size })),
        }
    }
}

/// Sends the pixels of images to a window.
struct Put<C: Connection + Send + Sync> {
    window: Arc<Window<C>>,
    size: [u32; 2],
}

impl<C: Connection + Send + Sync> Chain for Put<C> {
    fn show(&self, presentation: &Presentation<'_>) -> Result<(), Error> {
        let Window { connection, window, context, depth, .. } = &*self.window;
        let [width, _] = self.size;
        let row_bytes = 4 * width as usize;
        let room = connection.maximum_request_bytes().saturating_sub(REQUEST_BYTES);
        let rows = (room / row_bytes.max(1)).max(1);
        for (band, bytes) in presentation.pixels.chunks(rows * row_bytes.max(1)).enumerate() {
            put_image(
                connection,
                ImageFormat::Z_PIXMAP,
                *window,
                *context,
                width as u16,
                (bytes.len() / row_bytes.max(1)) as u16,
                0,
                (band * rows) as i16,
                0,
                *depth,
                bytes,
            )
            .map_err(lost)?
            .check()
            .map_err(lost)?;
        }
        Ok(())
    }
}

impl<C: Connection + Send + Sync> Drop for Window<C> {
    fn drop(&mut self) {
        // Ignore errors: if the server is gone, so is the context.
        drop(free_gc(&self.connection, self.context));
    }
}
