//! TGSI: text and tokens are read or rejected; what can be read survives printing and encoding; what is valid
//! can be run.

use std::fmt::Write;

use agx_tgsi::binary::{Edition, decode, encode};
use agx_tgsi::interpret::{Empty, run};
use agx_tgsi::{OPCODES, Shader, Target, parse, print, validate};

use agx_random::Entropy;

/// Maximum number of steps of a run.
const STEPS: u64 = 300;

/// Tests `data` as text, as tokens, and as choices for a text that is more likely to be valid.
pub fn tgsi(data: &[u8]) {
    text(&String::from_utf8_lossy(data));
    let words: Vec<u32> =
        data.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    for edition in [Edition::Early, Edition::Late] {
        if let Ok(shader) = decode(&words, edition) {
            check(&shader);
        }
    }
    text(&likely(&mut Entropy::new(data)));
}

fn text(text: &str) {
    if let Ok(shader) = parse(text) {
        assert_eq!(parse(&print(&shader)).as_ref(), Ok(&shader), "{text}");
        check(&shader);
    }
}

/// Encodes, checks the rules and runs.
fn check(shader: &Shader) {
    for edition in [Edition::Early, Edition::Late] {
        if let Ok(tokens) = encode(shader, edition) {
            assert!(tokens.len() >= 2);
            // Names without a number in an edition may change, but decoding must not panic.
            drop(decode(&tokens, edition));
        }
    }
    if validate(shader).is_ok() {
        drop(run(shader, 4, &|lane| lane == 3, &mut Empty, STEPS));
    }
}

const DECLARATIONS: &str = "DCL IN[0..3], GENERIC[0], LINEAR\nDCL OUT[0..2], COLOR\nDCL TEMP[0..3]\nDCL TEMP[4..7], ARRAY(1)\n\
    DCL CONST[0..7]\nDCL ADDR[0]\nDCL SAMP[0..1]\nDCL SVIEW[0..1], 2D, FLOAT\nDCL BUFFER[0]\nDCL IMAGE[0], 2D, WR\n\
    IMM FLT32 {0.5, -1.0, 2.0, 0x7f800000}\nIMM INT32 {-1, 0, 3, 31}\n";

/// Instructions of the table with operands in declared registers, and balanced blocks.
fn likely(entropy: &mut Entropy<'_>) -> String {
    let mut text = format!("FRAG\n{DECLARATIONS}");
    let mut open: Vec<&str> = Vec::new();
    while !entropy.is_empty() && text.len() < 4000 {
        let row = &OPCODES[entropy.below(OPCODES.len())];
        match row.name {
            "IF" | "UIF" | "IFC" => open.push("ENDIF"),
            "BGNLOOP" => open.push("ENDLOOP"),
            "SWITCH" => open.push("ENDSWITCH"),
            "ELSE" | "ENDIF" | "ENDLOOP" | "ENDSWITCH" | "BGNSUB" | "ENDSUB" | "CASE" | "DEFAULT" | "BRK"
            | "CONT" | "BREAKC" | "CAL" | "CALLNZ" => match open.pop() {
                Some(close) => {
                    text.push_str(close);
                    text.push('\n');
                    continue;
                }
                None => continue,
            },
            _ => {}
        }
        text.push_str(row.name);
        let mut operands: Vec<String> = (0..row.dsts).map(|_| destination(row.name, entropy)).collect();
        operands.extend(sources(row, entropy));
        let _ = write!(text, " {}", operands.join(", "));
        if row.opcode.has_target() {
            let _ = write!(text, ", {}", Target::ALL[entropy.below(Target::ALL.len())].name());
        }
        if row.name == "BRA" {
            let _ = write!(text, " :{}", entropy.below(9));
        }
        text.push('\n');
    }
    for close in open.iter().rev() {
        text.push_str(close);
        text.push('\n');
    }
    text + "END\n"
}

fn destination(name: &str, entropy: &mut Entropy<'_>) -> String {
    if name == "STORE" {
        return "BUFFER[0].xyz".to_owned();
    }
    let register = ["TEMP[1]", "TEMP[ADDR[0].x+4](1)", "OUT[0]", "ADDR[0]", "TEMP[2]"][entropy.below(5)];
    let mask = ["", ".x", ".xy", ".zw", ".yw"][entropy.below(5)];
    format!("{register}{mask}")
}

fn sources(row: &agx_tgsi::OpcodeInfo, entropy: &mut Entropy<'_>) -> Vec<String> {
    use agx_tgsi::Class;
    let last = row.srcs.saturating_sub(1);
    let source = |number: u8| match row.class {
        Class::Texture if number == last => "SAMP[0]".to_owned(),
        Class::View if number == 1 => "SVIEW[1]".to_owned(),
        Class::View if number == 2 => "SAMP[1]".to_owned(),
        Class::Load | Class::Atomic | Class::Query if number == 0 => "BUFFER[0]".to_owned(),
        Class::Handle => "IMAGE[0]".to_owned(),
        Class::Interpolate if number == 0 => "IN[1]".to_owned(),
        Class::Framebuffer => "OUT[0]".to_owned(),
        _ => {
            let register =
                ["IN[0]", "TEMP[1]", "TEMP[2]", "CONST[ADDR[0].y+1]", "IMM[0]", "IMM[1]"][entropy.below(6)];
            let sign = ["", "-"][entropy.below(2)];
            let swizzle = ["", ".xxxx", ".wzyx", ".zwxy"][entropy.below(4)];
            format!("{sign}{register}{swizzle}")
        }
    };
    (0..row.srcs).map(source).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use agx_random::Random;

    #[test]
    fn most_likely_texts_are_valid() {
        let mut random = Random::new(1);
        let valid = |_: &usize| {
            let data = random.bytes(200);
            let text = likely(&mut Entropy::new(&data));
            parse(&text).is_ok_and(|shader| validate(&shader).is_ok())
        };
        let count = (0..500).filter(valid).count();
        assert!(count > 100, "{count} of 500");
    }
}
