//! Behaviour of accesses out of bounds, as the key requires.

/// Behaviour of buffer accesses out of bounds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Bounds {
    /// Undefined: the program makes none.
    #[default]
    Unchecked,
    /// They access some byte of the buffer (Vulkan's `robustBufferAccess`).
    Clamped,
    /// Loads return zeros, stores and atomics are dropped (`robustBufferAccess2`).
    Exact,
}

/// Behaviour of accesses out of bounds, by kind of resource. Vertex attributes have a separate clamp and need
/// no setting. Neither do image loads and stores: the hardware returns zeros for texels out of bounds and
/// drops stores to them. A null buffer descriptor has size 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Robustness {
    /// Uniform buffers.
    pub uniform: Bounds,
    /// Storage buffers.
    pub storage: Bounds,
    /// Atomics on images, which access plain memory: unless unchecked, those out of bounds have no effect and
    /// return 0.
    pub image: Bounds,
}

impl Robustness {
    /// The same behaviour for every kind.
    pub fn all(bounds: Bounds) -> Robustness {
        Robustness { uniform: bounds, storage: bounds, image: bounds }
    }
}
