//! What a key asks of accesses outside of what is bound.

/// What becomes of accesses outside of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Bounds {
    /// Anything: the program does none.
    #[default]
    Unchecked,
    /// They reach some byte of the buffer (`robustBufferAccess` of Vulkan).
    Clamped,
    /// Loads give zeros, stores and atomics do nothing (`robustBufferAccess2`).
    Exact,
}

/// What becomes of accesses outside of what is bound, by kind. Vertex attributes need no choice: they have a clamp of their own. Nor
/// do loads from images and stores to them: the hardware gives zeros for texels outside and drops stores to them. A null descriptor of
/// a buffer is one of size 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Robustness {
    /// Uniform buffers.
    pub uniform: Bounds,
    /// Storage buffers.
    pub storage: Bounds,
    /// Atomics on images, which are done on memory: unless unchecked, those outside do nothing and give 0.
    pub image: Bounds,
}

impl Robustness {
    /// The same for every kind.
    pub fn all(bounds: Bounds) -> Robustness {
        Robustness { uniform: bounds, storage: bounds, image: bounds }
    }
}
