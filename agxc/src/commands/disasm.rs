//! `agxc disasm`: machine code to assembly.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use agx_isa::dialect::applegpu;
use agx_isa::disasm::{self, Piece, Recognition};
use clap::ArgMatches;

use super::{Arg, Takes, arg, compile};
use crate::context::Context;
use crate::diagnostic::Failure;
use crate::input::{File, Kind};
use crate::{formats, output};

/// Options of this command.
pub const ARGS: &[Arg] = &[
    arg("plain", Takes::Nothing, "Omit offsets and bytes"),
    arg("shader", Takes::Value("NUMBER"), "Which shader of a PICA200 container, from 0"),
    arg("force", Takes::Nothing, "Disassemble even if the code is for another instruction set"),
    arg(
        "dialect",
        Takes::Value("NAME"),
        "Syntax: agxc (default), or applegpu for comparison with its listings",
    ),
];

/// Disassembles one program.
pub fn run(options: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    let file = compile::read(options, context)?;
    let target = options.get_one::<String>("output").map(String::as_str);
    if let Some(text) = formats::disassemble(&file, shader_number(options)?) {
        return output::text(target, &text?);
    }
    let code = code(&file)?;
    if disasm::recognise(&code) == Recognition::Foreign && !options.get_flag("force") {
        return Err(
            file.problem(300, "this is not code for G13 or G14 chips; use --force to disassemble anyway")
        );
    }
    let text = match options.get_one::<String>("dialect").map(String::as_str) {
        None | Some("agxc") => disasm::listing(&code, !options.get_flag("plain")),
        Some("applegpu") => applegpu_listing(&code),
        Some(other) => {
            return Err(Failure::usage(format!("unknown dialect `{other}`; expected agxc or applegpu")));
        }
    };
    output::text(target, &text)
}

/// Which shader of a container to use.
fn shader_number(options: &ArgMatches) -> Result<usize, Failure> {
    let Some(text) = options.get_one::<String>("shader") else { return Ok(0) };
    text.parse().map_err(|_| Failure::usage(format!("--shader: expected a number, found `{text}`")))
}

/// A program in applegpu's syntax: offset, bytes, text. Instructions that it does not know are written in ours.
fn applegpu_listing(code: &[u8]) -> String {
    let mut text = String::new();
    for line in disasm::disassemble(code) {
        let bytes = code.get(line.pc..line.pc.saturating_add(line.len)).unwrap_or(&[]);
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let spelled = match &line.piece {
            Piece::Inst(inst) => applegpu(inst).unwrap_or_else(|| inst.to_string()),
            Piece::Unknown(value) => format!("<unknown {value:#x}>"),
        };
        text.push_str(&format!("{:5x}: {hex:<24} {spelled}\n", line.pc));
    }
    text
}

/// The machine code in a file of bytes or of hexadecimal text.
pub fn code(file: &File) -> Result<Vec<u8>, Failure> {
    match file.kind {
        Kind::Code => Ok(file.bytes.clone()),
        Kind::Hex => {
            from_hex(file.text()?).ok_or_else(|| file.problem(300, "expected pairs of hexadecimal digits"))
        }
        kind => Err(file.problem(101, &format!("expected machine code, found {}", kind.name()))),
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
    Some(digits.as_chunks::<2>().0.iter().map(|[high, low]| high << 4 | low).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn applegpus_spelling() {
        assert_eq!(
            applegpu_listing(&[0x38, 0x00, 0x88, 0x00]),
            "    0: 3800                     wait 0\n    2: 8800                     stop\n"
        );
    }

    #[test]
    fn hexadecimal_text() {
        assert_eq!(from_hex("88 00\n1F").as_deref(), Some(&[0x88, 0, 0x1f][..]));
        assert_eq!(from_hex("880"), None);
        assert_eq!(from_hex("8g"), None);
    }
}
