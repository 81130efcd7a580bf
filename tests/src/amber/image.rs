//! Framebuffer attachments of Amber tests, and expectations about them.

use agx_abi::tile::{ColourFormat, Numeric, TileFormat};

use super::model::Expect;

/// Default tolerance of components from 0 to 1 (Amber's own rule).
const DEFAULT_TOLERANCE: f64 = 0.002;

/// Bins of a histogram: the values of 8 bits.
const BINS: usize = 256;

/// An attachment, with pixels in rows and components as in the tile.
#[derive(Clone, PartialEq, Debug)]
pub struct Image {
    /// Its format.
    pub format: ColourFormat,
    /// Width and height.
    pub size: [u32; 2],
    /// Bytes of all pixels.
    pub bytes: Vec<u8>,
}

impl Image {
    /// An image of zeros.
    ///
    /// # Errors
    /// Formats that the checks do not support.
    pub fn new(format: &str, size: [u32; 2]) -> Result<Image, String> {
        let known = ColourFormat::from_name(format).ok_or_else(|| format!("unknown format {format}"))?;
        let desc = known.desc();
        if desc.numeric != Numeric::Unorm || desc.tile != TileFormat::U8Norm {
            return Err(format!("checks of {format} images"));
        }
        let bytes = size[0] as usize * size[1] as usize * usize::from(known.tile_bytes());
        Ok(Image { format: known, size, bytes: vec![0; bytes] })
    }

    /// Bytes of a pixel.
    pub fn pixel_bytes(&self) -> usize {
        self.format.tile_bytes().into()
    }

    /// Fills the image with a colour of components 0 to 255.
    pub fn clear(&mut self, rgba: [f64; 4]) {
        let pixel: Vec<u8> =
            rgba.iter().take(self.pixel_bytes()).map(|component| component.round() as u8).collect();
        self.bytes.chunks_exact_mut(pixel.len()).for_each(|place| place.copy_from_slice(&pixel));
    }

    fn pixel(&self, x: u32, y: u32) -> Option<&[u8]> {
        let inside = x < self.size[0] && y < self.size[1];
        let at = (y as usize * self.size[0] as usize + x as usize) * self.pixel_bytes();
        inside.then(|| self.bytes.get(at..at + self.pixel_bytes())).flatten()
    }

    /// Checks an expectation; `other` is the image to compare with.
    ///
    /// # Errors
    /// The first difference, or an error in the expectation.
    pub fn check(&self, expect: &Expect, other: Option<&Image>) -> Result<(), String> {
        match expect.cmp.as_str() {
            "EQ_RGBA" => self.check_colour(expect, 4),
            "EQ_RGB" => self.check_colour(expect, 3),
            "EQ_BUFFER" => self.check_equal(other.ok_or("no image to compare with")?),
            "EQ_HISTOGRAM_EMD_BUFFER" => {
                self.check_histogram(expect, other.ok_or("no image to compare with")?)
            }
            other => Err(format!("comparison {other} does not apply to an image")),
        }
    }

    fn check_colour(&self, expect: &Expect, components: usize) -> Result<(), String> {
        let ([left, top], [width, height]) = (expect.idx.as_slice(), expect.size.as_slice()) else {
            return Err("the expectation names no rectangle".into());
        };
        if expect.rgba.len() < components || *width == 0 || *height == 0 {
            return Err("the expectation compares nothing".into());
        }
        let [left, top, width, height] = [*left, *top, *width, *height];
        for (x, y) in (top..top + height).flat_map(|y| (left..left + width).map(move |x| (x, y))) {
            let pixel = self.pixel(x, y).ok_or_else(|| format!("pixel {x}, {y} is outside the image"))?;
            for (at, (found, wanted)) in pixel.iter().zip(&expect.rgba).take(components).enumerate() {
                let tolerance = tolerance(expect, at, *wanted / 255.0)?;
                if (f64::from(*found) - wanted).abs() / 255.0 > tolerance {
                    return Err(format!(
                        "wrong: {} at {x}, {y}: got {pixel:?}, want {:?}",
                        expect.buffer, expect.rgba
                    ));
                }
            }
        }
        Ok(())
    }

    fn check_equal(&self, other: &Image) -> Result<(), String> {
        if (self.format, self.size) != (other.format, other.size) {
            return Err("the images differ in size or format".into());
        }
        match self.bytes.iter().zip(&other.bytes).position(|(a, b)| a != b) {
            None => Ok(()),
            Some(at) => Err(format!("wrong: the images differ at byte {at}")),
        }
    }

    /// The earth mover's distance of the histograms of each component, as a fraction of the maximum.
    fn check_histogram(&self, expect: &Expect, other: &Image) -> Result<(), String> {
        if (self.format, self.size) != (other.format, other.size) {
            return Err("the images differ in size or format".into());
        }
        let allowed = tolerance(expect, 0, 1.0)?;
        for component in 0..self.pixel_bytes() {
            let [a, b] = [self, other].map(|image| image.histogram(component));
            let mut carried = 0.0;
            let cost: f64 = a
                .iter()
                .zip(&b)
                .map(|(a, b)| {
                    carried += a - b;
                    f64::abs(carried)
                })
                .sum();
            let distance = cost / BINS as f64;
            if distance > allowed {
                return Err(format!(
                    "wrong: component {component} of {} and {}: histograms are {distance} apart, {allowed} allowed",
                    expect.buffer, expect.other
                ));
            }
        }
        Ok(())
    }

    /// The fraction of pixels for each value of a component.
    fn histogram(&self, component: usize) -> [f64; BINS] {
        let mut bins = [0.0; BINS];
        let share = self.pixel_bytes() as f64 / self.bytes.len() as f64;
        for pixel in self.bytes.chunks_exact(self.pixel_bytes()) {
            bins[usize::from(pixel[component])] += share;
        }
        bins
    }
}

/// The tolerance of component `at`; percentages are of `wanted`.
fn tolerance(expect: &Expect, at: usize, wanted: f64) -> Result<f64, String> {
    let Some(text) = expect.tolerance.get(at % expect.tolerance.len().max(1)) else {
        return Ok(DEFAULT_TOLERANCE);
    };
    let number = |text: &str| text.parse::<f64>().map_err(|_| format!("expected a tolerance, found {text}"));
    match text.strip_suffix('%') {
        Some(percent) => Ok(number(percent)? / 100.0 * wanted),
        None => number(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(pixels: &[[u8; 4]]) -> Image {
        let mut image = Image::new("B8G8R8A8_UNORM", [pixels.len() as u32, 1]).expect("known");
        image.bytes = pixels.concat();
        image
    }

    fn expect(json: &str) -> Expect {
        serde_json::from_str(json).expect("an expectation")
    }

    #[test]
    fn colours_are_compared_in_a_rectangle() {
        let found = image(&[[1, 2, 3, 4], [1, 2, 3, 9], [0, 0, 0, 0]]);
        let rectangle = |width: u32, cmp: &str| {
            expect(&format!(
                r#"{{"buffer":"b","cmp":"{cmp}","idx":[0,0],"size":[{width},1],"rgba":[1,2,3,4]}}"#
            ))
        };
        assert_eq!(found.check(&rectangle(1, "EQ_RGBA"), None), Ok(()));
        assert!(found.check(&rectangle(2, "EQ_RGBA"), None).is_err());
        assert_eq!(found.check(&rectangle(2, "EQ_RGB"), None), Ok(()));
        assert!(found.check(&rectangle(3, "EQ_RGB"), None).is_err());
        assert!(found.check(&rectangle(4, "EQ_RGB"), None).is_err(), "outside");
        assert!(found.check(&rectangle(0, "EQ_RGB"), None).is_err(), "compares nothing");
    }

    #[test]
    fn tolerances_are_shares_of_1() {
        let found = image(&[[10, 0, 0, 0]]);
        let with = |tolerance: &str| {
            expect(&format!(
                r#"{{"buffer":"b","cmp":"EQ_RGBA","idx":[0,0],"size":[1,1],"rgba":[11,0,0,0],"tolerance":{tolerance}}}"#
            ))
        };
        assert!(found.check(&with("[]"), None).is_err());
        assert!(found.check(&with(r#"["0.004"]"#), None).is_ok());
        assert!(found.check(&with(r#"["0.003"]"#), None).is_err());
    }

    #[test]
    fn histograms_ignore_places_and_measure_distance() {
        let compare = |tolerance: &str| {
            expect(&format!(
                r#"{{"buffer":"a","cmp":"EQ_HISTOGRAM_EMD_BUFFER","other":"b","tolerance":["{tolerance}"]}}"#
            ))
        };
        let a = image(&[[0, 0, 0, 0], [255, 0, 0, 0]]);
        let b = image(&[[255, 0, 0, 0], [0, 0, 0, 0]]);
        assert_eq!(a.check(&compare("0"), Some(&b)), Ok(()));
        // Half of the pixels moved by 128 bins: a quarter.
        let c = image(&[[128, 0, 0, 0], [255, 0, 0, 0]]);
        assert!(a.check(&compare("0.26"), Some(&c)).is_ok());
        assert!(a.check(&compare("0.24"), Some(&c)).is_err());
    }
}
