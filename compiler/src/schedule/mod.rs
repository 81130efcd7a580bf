//! Order of instructions, and waiting for those that finish later.
