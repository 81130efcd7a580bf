//! `agxc disasm`: machine code to assembly.

use agx_isa::disasm::{self, Recognition};
use clap::ArgMatches;

use super::{Arg, Takes, arg, compile};
use crate::context::Context;
use crate::diagnostic::Failure;
use crate::input::{File, Kind};
use crate::output;

/// Options of this command alone.
pub const ARGS: &[Arg] = &[
    arg("plain", Takes::Nothing, "Leave out offsets and bytes"),
    arg("force", Takes::Nothing, "Go on when this is code of another instruction set"),
];

/// Disassembles one program.
pub fn run(options: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    let file = compile::read(options, context)?;
    let code = code(&file)?;
    if disasm::recognise(&code) == Recognition::Foreign && !options.get_flag("force") {
        return Err(
            file.problem(300, "this is not code for G13 or G14 chips; --force takes it apart all the same")
        );
    }
    let text = disasm::listing(&code, !options.get_flag("plain"));
    output::text(options.get_one::<String>("output").map(String::as_str), &text)
}

/// The machine code in a file of bytes or of hexadecimal text.
pub fn code(file: &File) -> Result<Vec<u8>, Failure> {
    match file.kind {
        Kind::Code => Ok(file.bytes.clone()),
        Kind::Hex => {
            from_hex(file.text()?).ok_or_else(|| file.problem(300, "this is not pairs of hexadecimal digits"))
        }
        kind => Err(file.problem(101, &format!("machine code is wanted here, and this is {}", kind.name()))),
    }
}

/// Bytes of hexadecimal digits; white space between bytes does not matter.
fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16).map(|digit| digit as u8))
        .collect();
    let digits = digits.filter(|digits| digits.len().is_multiple_of(2))?;
    Some(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_text() {
        assert_eq!(from_hex("88 00\n1F").as_deref(), Some(&[0x88, 0, 0x1f][..]));
        assert_eq!(from_hex("880"), None);
        assert_eq!(from_hex("8g"), None);
    }
}
