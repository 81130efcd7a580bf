//! Images: PNG files, the screen of an X server, and comparison.

/// An image with red, green and blue pixels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 3]>,
}

/// Maximum difference of channels.
const TOLERANCE: u8 = 2;
/// One in this number of pixels may differ by more, because edges and texels can be on either side of a threshold.
const EXCEPTIONS: usize = 1000;

impl Picture {
    /// A PNG file of 8-bit channels.
    ///
    /// # Errors
    /// It is not a valid file.
    pub fn from_png(bytes: &[u8]) -> Result<Picture, String> {
        let mut reader =
            png::Decoder::new(std::io::Cursor::new(bytes)).read_info().map_err(|error| error.to_string())?;
        let size = reader.output_buffer_size().ok_or("a picture without size")?;
        let mut data = vec![0; size];
        let info = reader.next_frame(&mut data).map_err(|error| error.to_string())?;
        let channels = info.color_type.samples();
        if info.bit_depth != png::BitDepth::Eight || channels < 3 {
            return Err("a picture whose channels are not bytes".into());
        }
        let pixels = data.chunks_exact(channels).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
        Ok(Picture { width: info.width as usize, height: info.height as usize, pixels })
    }

    /// An XWD file of 32-bit pixels, blue first, as Xvfb stores its screen.
    ///
    /// # Errors
    /// It is not a valid file.
    pub fn from_xwd(bytes: &[u8]) -> Result<Picture, String> {
        let word = |at: usize| {
            let word = bytes.get(4 * at..4 * at + 4).and_then(|word| word.try_into().ok());
            word.map(|word| u32::from_be_bytes(word) as usize).ok_or("a screen without header")
        };
        // `XWDFileHeader`: sizes and counts by position.
        let (header, width, height, bits, row, colours) =
            (word(0)?, word(4)?, word(5)?, word(11)?, word(12)?, word(19)?);
        if bits != 32 {
            return Err(format!("a screen of {bits} bits a pixel; expected 32"));
        }
        let rows = bytes.get(header + 12 * colours..).unwrap_or(&[]).chunks_exact(row.max(1)).take(height);
        let pixels: Vec<[u8; 3]> = rows
            .flat_map(|row| row.chunks_exact(4).take(width).map(|pixel| [pixel[2], pixel[1], pixel[0]]))
            .collect();
        match pixels.len() == width * height {
            true => Ok(Picture { width, height, pixels }),
            false => Err("a screen that is cut short".into()),
        }
    }

    /// Whether all pixels are the same.
    pub fn is_blank(&self) -> bool {
        self.pixels.windows(2).all(|pair| pair[0] == pair[1])
    }

    /// Compares images.
    ///
    /// # Errors
    /// A sentence about the difference.
    pub fn compare(&self, found: &Picture) -> Result<(), String> {
        if (self.width, self.height) != (found.width, found.height) {
            return Err(format!(
                "a picture of {} × {}; expected {} × {}",
                found.width, found.height, self.width, self.height
            ));
        }
        let difference =
            |(a, b): (&[u8; 3], &[u8; 3])| a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0);
        let differences: Vec<u8> = self.pixels.iter().zip(&found.pixels).map(difference).collect();
        let wrong = differences.iter().filter(|difference| **difference > TOLERANCE).count();
        let most = differences.iter().max().copied().unwrap_or(0);
        match wrong * EXCEPTIONS <= self.pixels.len() {
            true => Ok(()),
            false => Err(format!(
                "{wrong} of {} pixels differ by more than {TOLERANCE}, at most by {most}",
                self.pixels.len()
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grey(values: &[u8]) -> Picture {
        Picture { width: values.len(), height: 1, pixels: values.iter().map(|value| [*value; 3]).collect() }
    }

    #[test]
    fn small_differences_and_rare_ones_are_allowed() {
        let mut values = [7; 1000];
        let expected = grey(&values);
        values[3] = 200;
        assert_eq!(expected.compare(&grey(&values)), Ok(()));
        values[4] = 9;
        assert_eq!(expected.compare(&grey(&values)), Ok(()));
        values[5] = 10;
        assert!(expected.compare(&grey(&values)).is_err());
        assert!(expected.compare(&grey(&values[1..])).is_err());
        assert!(expected.is_blank() && !grey(&values).is_blank());
    }

    #[test]
    fn screens_have_blue_first() {
        let mut words = [0_u32; 25];
        (words[0], words[4], words[5], words[11], words[12], words[19]) = (100, 1, 2, 32, 4, 1);
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        bytes.extend([0; 12]);
        bytes.extend([1, 2, 3, 0, 4, 5, 6, 0]);
        let picture = Picture::from_xwd(&bytes).expect("a screen");
        assert_eq!(picture.pixels, [[3, 2, 1], [6, 5, 4]]);
        assert!(Picture::from_xwd(&bytes[..bytes.len() - 1]).is_err());
    }
}
