//! PICA200 programs compiled and run on the strict machine, compared with the interpreter of the format's crate.

mod mutations;
mod oracle;
mod recorded;
mod structured;
mod support;
mod table;
