//! The texture state registers.

use crate::code::{Instruction, Part};
use crate::session::Session;

/// Registers that instructions can name.
const REGISTERS: u32 = 256;

/// The texture state registers that were set, by number, as text.
pub fn textures(session: &Session<'_>) -> Vec<(u32, String)> {
    let code = || [Part::Preamble, Part::Main].into_iter().flat_map(|part| session.code(part).instructions());
    let one = |number: u32| {
        let name = format!("ts{number}");
        let is_image = code().any(|instruction| writes(instruction, &name));
        Some((number, session.machine().texture(number, is_image)?))
    };
    (0..REGISTERS).filter_map(one).collect()
}

/// Whether an instruction writes the image in a register: the code tells images from textures.
fn writes(instruction: &Instruction, register: &str) -> bool {
    let text = &instruction.text;
    text.starts_with("imgw") && text.split([' ', ',']).any(|word| word == register)
}
