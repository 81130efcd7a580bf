//! Every bundled AGAL program on the reference machine, compared with the interpreter.

mod programs;
