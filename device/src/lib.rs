//! The GPU behind the kernel interface.
