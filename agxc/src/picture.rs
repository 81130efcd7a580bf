//! Images: rgba8 words to PNG.

use crate::diagnostic::{Diagnostic, Failure};
use crate::output;

/// The PNG of `width` × `height` pixels of four bytes: red, green, blue, alpha.
pub fn encode(rgba: &[u8], width: u32, height: u32) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(rgba)?;
    writer.finish()?;
    Ok(bytes)
}

/// Writes the first `width` × `height` pixels of `buffer` to `path`.
pub fn save(path: &str, buffer: &[u8], width: u32, height: u32) -> Result<(), Failure> {
    let size = u64::from(width) * u64::from(height) * 4;
    let pixels = usize::try_from(size).ok().and_then(|size| buffer.get(..size)).ok_or_else(|| {
        Failure::usage(format!(
            "an image of {width} × {height} pixels needs {size} bytes; the buffer has {}",
            buffer.len()
        ))
    })?;
    let bytes = encode(pixels, width, height)
        .map_err(|error| Failure::from(Diagnostic::new(crate::codes::USAGE, error.to_string())))?;
    output::binary(Some(path), &bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_survives() {
        let pixels = [1, 2, 3, 255, 4, 5, 6, 128];
        let bytes = encode(&pixels, 2, 1).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut found = vec![0; 8];
        reader.next_frame(&mut found).unwrap();
        assert_eq!(found, pixels);
        assert!(encode(&pixels, 0, 1).is_err());
    }
}
