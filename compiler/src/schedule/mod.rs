//! Instruction scheduling, and waits for asynchronous instructions.

mod insert_waits;
mod schedule_latency;
mod schedule_pressure;

pub use insert_waits::insert_waits;
pub use schedule_latency::schedule_latency;
pub use schedule_pressure::{ENOUGH_HALVES, ENOUGH_HALVES_ONCE, schedule_pressure};
