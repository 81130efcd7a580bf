//! Facts about memory accesses.

use bitflags::bitflags;

bitflags! {
    /// Facts about a memory access: the `access` modifier of `load_global`, `store_global` and `load_texture`
    /// and the `memory` modifier of barriers.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct Access: u32 {
        /// Nothing writes the memory while the shader runs: the load may be moved, merged and repeated.
        const READONLY = 1 << 0;
        /// Other invocations observe the access in order: it may not be merged or removed.
        const VOLATILE = 1 << 1;
        /// The address is valid wherever the shader can compute it: the load may be executed speculatively.
        const SPECULATABLE = 1 << 2;
        /// Device memory takes part in a barrier.
        const DEVICE = 1 << 3;
        /// Threadgroup memory takes part in a barrier.
        const LOCAL = 1 << 4;
        /// Image memory takes part in a barrier; for a load, the texel belongs to an image that shaders store
        /// to.
        const IMAGE = 1 << 5;
        /// The offset is signed: the access may be before the base.
        const SIGNED = 1 << 6;
    }
}
