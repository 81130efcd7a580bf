//! Generated parts and linked programs on the strict machine, compared with models in this test.

mod advanced_blend;
mod epilog;
mod fit;
mod formats;
mod pairs;
mod program;
mod prolog;
mod sentences;
mod spilled;
mod support;
mod tile_programs;
mod varyings;
mod vertex;
