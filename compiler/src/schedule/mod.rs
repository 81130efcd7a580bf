//! Order of instructions, and waiting for those that finish later.

mod insert_waits;

pub use insert_waits::insert_waits;
