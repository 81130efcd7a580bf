//! Lowerings: each replaces operations the machine does not have by operations it has.

mod address;
mod barrier;
mod control_flow;
mod frame;
mod kernel;
mod local;
mod operands;
mod scratch;
mod select;
mod unreachable;

pub use address::lower_address;
pub use barrier::lower_barrier;
pub use control_flow::lower_control_flow;
pub use frame::lower_frame;
pub use kernel::lower_kernel;
pub use local::lower_local;
pub use operands::lower_operands;
pub use scratch::lower_scratch;
pub use select::lower_select;
pub use unreachable::lower_unreachable;

use select::TABLE_MOV;
