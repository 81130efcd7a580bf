//! The bundled shaders, with their inputs and expected results.
//!
//! A demo's buffers are those of set 0 in the order of their bindings. The expected results are computed in Rust, in
//! double precision or by brute force, and share no code with compiler, interpreter or reference machine.

mod host;
mod life;
mod mandelbrot;
mod matmul;
mod nbody;
mod raymarch;

/// Contents of the buffers of set 0, by binding.
pub type Buffers = Vec<Vec<u8>>;

/// The shader of a demo.
pub enum Source {
    /// WGSL text.
    #[cfg_attr(not(feature = "wgsl"), allow(dead_code, reason = "refused without the front end"))]
    Wgsl(&'static str),
    /// SPIR-V module.
    SpirV {
        /// The module.
        bytes: &'static [u8],
        /// GLSL, of which it was made.
        text: &'static str,
    },
}

/// A buffer that holds a picture, with one rgba8 word per pixel.
pub struct Picture {
    /// Binding of the buffer.
    pub binding: usize,
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

/// A shader, its inputs and the expectation.
pub struct Demo {
    /// Short name, also of the picture's file.
    pub name: &'static str,
    /// Description, one line.
    pub title: &'static str,
    /// The shader.
    pub source: Source,
    /// Values of specialization constants.
    pub spec_constants: &'static [(u32, u64)],
    /// Push constants.
    pub push_constants: fn() -> Vec<u8>,
    /// The buffers before the first launch.
    pub buffers: fn() -> Buffers,
    /// Workgroups of one launch.
    pub workgroups: [u32; 3],
    /// Number of launches. The buffers of bindings 0 and 1 are swapped after each launch.
    pub launches: u32,
    /// Compares the buffers after the run with the expectation. Returns a sentence about agreement and tolerance, or as
    /// the error one about the first difference.
    pub check: fn(&Buffers) -> Result<String, String>,
    /// The picture among the buffers.
    pub picture: Option<Picture>,
}

/// Every demo, in the order in which they are shown.
pub static DEMOS: [&Demo; 5] = [&nbody::DEMO, &matmul::DEMO, &mandelbrot::DEMO, &life::DEMO, &raymarch::DEMO];

/// No push constants.
fn nothing() -> Vec<u8> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every expectation must reject a result of zeros.
    #[test]
    fn no_expectation_accepts_zeros() {
        for demo in DEMOS {
            let zeros: Buffers = (demo.buffers)().iter().map(|buffer| vec![0; buffer.len()]).collect();
            assert!((demo.check)(&zeros).is_err(), "{}", demo.name);
        }
    }

    #[test]
    fn pictures_fill_their_buffers() {
        for demo in DEMOS {
            let Some(picture) = &demo.picture else { continue };
            let bytes = (demo.buffers)()[picture.binding].len();
            assert_eq!(bytes as u32, picture.width * picture.height * 4, "{}", demo.name);
        }
    }
}
