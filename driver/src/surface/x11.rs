//! Windows of the X Window System; the core protocol transfers the pixels.

use ash::vk;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{CreateGCAux, Drawable, Gcontext, ImageFormat, ImageOrder, create_gc, free_gc};
use x11rb::protocol::xproto::{get_geometry, put_image};

use super::Surface;
use crate::Error;

/// Bytes of a request besides its pixels, including an extended length.
const REQUEST_BYTES: usize = 64;

/// A window.
pub struct X11<C: Connection + Send + Sync> {
    connection: C,
    window: Drawable,
    context: Gcontext,
    depth: u8,
}

fn lost(error: impl std::fmt::Display) -> Error {
    Error::Surface { what: error.to_string() }
}

impl<C: Connection + Send + Sync> X11<C> {
    /// A window of a server whose pixels are 32 bits, least significant byte first.
    ///
    /// # Errors
    /// The window does not exist, or its pixel format is unsupported.
    pub fn new(connection: C, window: Drawable) -> Result<X11<C>, Error> {
        let depth = get_geometry(&connection, window).map_err(lost)?.reply().map_err(lost)?.depth;
        let setup = connection.setup();
        let wide = setup.pixmap_formats.iter().any(|f| f.depth == depth && f.bits_per_pixel == 32);
        if !wide || setup.image_byte_order != ImageOrder::LSB_FIRST {
            return Err(Error::Unsupported { what: "a window whose pixels are not words of four bytes" });
        }
        let context = connection.generate_id().map_err(lost)?;
        create_gc(&connection, context, window, &CreateGCAux::new().graphics_exposures(0)).map_err(lost)?;
        Ok(X11 { connection, window, context, depth })
    }
}

impl<C: Connection + Send + Sync> Surface for X11<C> {
    fn size(&self) -> Result<Option<[u32; 2]>, Error> {
        let geometry = get_geometry(&self.connection, self.window).map_err(lost)?.reply().map_err(lost)?;
        Ok(Some([geometry.width.into(), geometry.height.into()]))
    }

    fn formats(&self) -> &'static [vk::Format] {
        &[vk::Format::B8G8R8A8_UNORM, vk::Format::B8G8R8A8_SRGB]
    }

    fn show(&self, [width, _]: [u32; 2], pixels: &[u8]) -> Result<(), Error> {
        let row_bytes = 4 * width as usize;
        let room = self.connection.maximum_request_bytes().saturating_sub(REQUEST_BYTES);
        let rows = (room / row_bytes.max(1)).max(1);
        for (band, bytes) in pixels.chunks(rows * row_bytes.max(1)).enumerate() {
            put_image(
                &self.connection,
                ImageFormat::Z_PIXMAP,
                self.window,
                self.context,
                width as u16,
                (bytes.len() / row_bytes.max(1)) as u16,
                0,
                (band * rows) as i16,
                0,
                self.depth,
                bytes,
            )
            .map_err(lost)?
            .check()
            .map_err(lost)?;
        }
        Ok(())
    }
}

impl<C: Connection + Send + Sync> Drop for X11<C> {
    fn drop(&mut self) {
        // Ignore errors: if the server is gone, so is the context.
        drop(free_gc(&self.connection, self.context));
    }
}
