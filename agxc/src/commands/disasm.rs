//! `agxc disasm`: machine code to assembly.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use std::fmt;

use agx_isa::dialect::applegpu;
use agx_isa::disasm::{self, Piece, Recognition};
use clap::ArgMatches;

use super::{Arg, Takes, arg, compile, has_effect};
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Failure};
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
        for option in ["plain", "force", "dialect"] {
            has_effect(options, option, false, &format!("on {}", file.kind.name()))?;
        }
        return output::text(target, &text?);
    }
    has_effect(options, "shader", false, "on machine code")?;
    let dialect = options.get_one::<String>("dialect").map_or("agxc", String::as_str);
    has_effect(options, "plain", dialect == "agxc", "on other dialects than agxc")?;
    let code = code(&file)?;
    match disasm::recognise(&code) {
        Recognition::Foreign if !options.get_flag("force") => {
            let message = "this is not code for G13 or G14 chips; use --force to disassemble anyway";
            return Err(file.problem(300, message));
        }
        Recognition::Damaged { unknown } => {
            let plural = if unknown == 1 { "byte does" } else { "bytes do" };
            let message = format!("{unknown} {plural} not decode; the code is damaged or ends too early");
            context.warnings.add(vec![Diagnostic::warning(DAMAGED, message).in_file(&file.name)])?;
        }
        _ => {}
    }
    let with_bytes = !options.get_flag("plain");
    match dialect {
        "agxc" => output::streamed(target, |to| disasm::write_listing(to, &code, with_bytes, |_| None)),
        "applegpu" => output::streamed(target, |to| applegpu_listing(to, &code)),
        other => Err(Failure::usage(format!("unknown dialect `{other}`; expected agxc or applegpu"))),
    }
}

/// Code of the warning on code that does not decode.
const DAMAGED: u16 = 506;

/// Which shader of a container to use.
fn shader_number(options: &ArgMatches) -> Result<usize, Failure> {
    let Some(text) = options.get_one::<String>("shader") else { return Ok(0) };
    text.parse().map_err(|_| Failure::usage(format!("--shader: expected a number, found `{text}`")))
}

/// Writes a program in applegpu's syntax: offset, bytes, text. Instructions that it does not know are written in ours.
fn applegpu_listing(to: &mut impl fmt::Write, code: &[u8]) -> fmt::Result {
    for line in disasm::pieces(code) {
        let hex = output::hex(code.get(line.pc..line.end()).unwrap_or(&[]));
        let spelled = match &line.piece {
            Piece::Inst(inst) => applegpu(inst).unwrap_or_else(|| inst.to_string()),
            Piece::Unknown(value) => format!("<unknown {value:#x}>"),
        };
        writeln!(to, "{:5x}: {hex:<24} {spelled}", line.pc)?;
    }
    Ok(())
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
        let mut text = String::new();
        applegpu_listing(&mut text, &[0x38, 0x00, 0x88, 0x00]).unwrap();
        assert_eq!(text, "    0: 3800                     wait 0\n    2: 8800                     stop\n");
    }

    #[test]
    fn hexadecimal_text() {
        assert_eq!(from_hex("88 00\n1F").as_deref(), Some(&[0x88, 0, 0x1f][..]));
        assert_eq!(from_hex("880"), None);
        assert_eq!(from_hex("8g"), None);
    }
}
