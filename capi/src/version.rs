//! The version of the interface.

/// The version of this interface, and of the shared library: it grows with every change of the header.
pub const AGX_INTERFACE_VERSION: u32 = 4;
