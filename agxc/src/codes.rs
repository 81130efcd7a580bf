//! The codes of diagnostics, what they mean and the exit code each leads to.

/// What became of a run, as the process's exit code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// The input was read and rejected, or a check failed.
    Rejected = 1,
    /// The command line was wrong.
    Usage = 2,
    /// A file could not be read or written.
    File = 3,
    /// The input is valid and this version cannot do it.
    Unsupported = 4,
    /// A defect of this program.
    Internal = 70,
}

/// One code.
#[derive(PartialEq, Eq, Debug)]
pub struct Code {
    /// Number, printed as `AGX0123`.
    pub number: u16,
    /// What happened, in a few words.
    pub title: &'static str,
    /// What it means and what to do.
    pub explanation: &'static str,
    /// The exit code.
    pub exit: Exit,
}

/// Every code, ascending: 00 the program itself, 01 inputs, 02 compiling, 03 machine code, 04 running.
pub static CODES: &[Code] = &[
    Code {
        number: 1,
        title: "wrong command line",
        explanation: "An option, command or value is not known or is missing. `agxc help` lists the commands and \
                      `agxc COMMAND --help` the options of one.",
        exit: Exit::Usage,
    },
    Code {
        number: 2,
        title: "file not read or written",
        explanation: "The operating system refused to read an input or to write an output; the message is its own. \
                      Outputs are written beside their place and renamed, so an older output is still intact.",
        exit: Exit::File,
    },
    Code {
        number: 3,
        title: "binary output to a terminal",
        explanation: "The output is not text and standard output is a terminal. Name a file with -o, or redirect.",
        exit: Exit::Usage,
    },
    Code {
        number: 70,
        title: "defect of the compiler",
        explanation: "The input is not at fault. The message names a reproducer: the input and the command line that \
                      led here. Please report both.",
        exit: Exit::Internal,
    },
    Code {
        number: 100,
        title: "kind of input not recognised",
        explanation: "Inputs are told apart by their first bytes, then by the extension of their name. Neither was \
                      known: say what it is with -x.",
        exit: Exit::Usage,
    },
    Code {
        number: 101,
        title: "kind of input not usable here",
        explanation: "The input was recognised, but the command wants another kind: `asm` takes assembly, `disasm` \
                      machine code, `compile` a shader.",
        exit: Exit::Rejected,
    },
    Code {
        number: 102,
        title: "kind of input without a front end",
        explanation: "The input was recognised as a shader language that this version does not compile. GLSL needs \
                      glslangValidator, which Debian has in the package glslang-tools.",
        exit: Exit::Unsupported,
    },
    Code {
        number: 103,
        title: "input is not text",
        explanation: "The input should be text of the stated kind, and is not valid UTF-8.",
        exit: Exit::Rejected,
    },
    Code {
        number: 104,
        title: "JSON not understood",
        explanation: "A file of --key or --baseline is not JSON of the form that --print-key and `stats --format json` \
                      print, or a scene file is not of the form that docs/scenes.md describes. The message names the \
                      line and the field.",
        exit: Exit::Rejected,
    },
    Code {
        number: 105,
        title: "stage of the shader not known",
        explanation: "A GLSL shader does not say for which stage it is. Its name's extension does (comp, vert, frag), or \
                      --stage.",
        exit: Exit::Usage,
    },
    Code {
        number: 106,
        title: "scene not understood",
        explanation: "A scene file is of the right form, and a field says something that there is not: a word that is no \
                      blend factor, a texture with too few bytes. The message names the field; docs/scenes.md lists \
                      what each may say.",
        exit: Exit::Rejected,
    },
    Code {
        number: 200,
        title: "invalid shader",
        explanation: "The shader breaks the rules of its own language. The message names the place: a line and column \
                      of a text, or a word offset and an opcode of a SPIR-V module.",
        exit: Exit::Rejected,
    },
    Code {
        number: 201,
        title: "shader not supported",
        explanation: "The shader is valid, and uses something that this compiler cannot do. The message names it.",
        exit: Exit::Unsupported,
    },
    Code {
        number: 202,
        title: "shader beyond a limit",
        explanation: "The shader is larger or deeper than the compiler accepts. Limits keep time and memory bounded \
                      on hostile input.",
        exit: Exit::Rejected,
    },
    Code {
        number: 203,
        title: "intermediate representation rejected",
        explanation: "The textual IR does not parse, or breaks a rule of its stage. docs/ir.md states the rules.",
        exit: Exit::Rejected,
    },
    Code {
        number: 204,
        title: "statistics differ from the baseline",
        explanation: "A shader costs more or less than the file of --baseline says, or one of both lacks it. Look at the \
                      change, then accept it with --update.",
        exit: Exit::Rejected,
    },
    Code {
        number: 300,
        title: "not an instruction",
        explanation: "Bytes do not decode to an instruction of this instruction set (G13 and G14).",
        exit: Exit::Rejected,
    },
    Code {
        number: 301,
        title: "assembly rejected",
        explanation: "A line of assembly does not name an instruction or an operand is not legal there. `agxc explain \
                      MNEMONIC` prints the operands of an instruction.",
        exit: Exit::Rejected,
    },
    Code {
        number: 302,
        title: "machine code breaks a rule",
        explanation: "The code decodes, but breaks a rule of the machine: a register beyond the declared count, a \
                      result used before its wait, a branch into the middle of an instruction.",
        exit: Exit::Rejected,
    },
    Code {
        number: 400,
        title: "launch refused",
        explanation: "The shader wants a buffer or push constants that were not given, or the numbers do not fit.",
        exit: Exit::Rejected,
    },
    Code {
        number: 401,
        title: "the machine reported a fault",
        explanation: "The reference machine stopped the program, or saw it break a rule that hardware does not check: \
                      an unmapped address, a register read before it was written, a missing wait.",
        exit: Exit::Rejected,
    },
    Code {
        number: 402,
        title: "result differs from the expectation",
        explanation: "The program ran, and a buffer does not hold what --expect demands. The message names the first \
                      element that differs.",
        exit: Exit::Rejected,
    },
    Code {
        number: 403,
        title: "the run was cut short",
        explanation: "The machine had executed as many instructions as the run may take: the program does not end, or the \
                      grid is larger than the machine runs in a reasonable time. Raise the bound with --budget, or run \
                      fewer workgroups.",
        exit: Exit::Unsupported,
    },
];

/// Number of the code for defects of the compiler.
pub const INTERNAL: u16 = 70;
/// Number of the code for command lines.
pub const USAGE: u16 = 1;
/// Number of the code for shaders that break the rules of their language.
pub const INVALID: u16 = 200;
/// Number of the code for files.
pub const FILE: u16 = 2;

/// The code with `number`.
pub fn find(number: u16) -> Option<&'static Code> {
    CODES.iter().find(|code| code.number == number)
}

/// The code with `number`, where the number is this program's own.
pub fn known(number: u16) -> &'static Code {
    find(number).expect("invariant: diagnostics carry numbers from CODES")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_ascend_and_every_text_is_a_sentence() {
        for pair in CODES.windows(2) {
            assert!(pair[0].number < pair[1].number, "{} before {}", pair[0].number, pair[1].number);
        }
        for code in CODES {
            assert!(code.explanation.ends_with('.'), "{}", code.number);
        }
        assert_eq!(known(INTERNAL).exit as u8, 70);
    }
}
