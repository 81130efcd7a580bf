//! The codes of diagnostics, what they mean and the exit code each leads to.

use agx_compiler::{ErrorKind, ErrorRow};

/// The exit code of the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// The input was read and rejected, or a check failed.
    Rejected = 1,
    /// The command line is wrong.
    Usage = 2,
    /// A file could not be read or written.
    File = 3,
    /// The input is valid but not supported, or beyond a limit.
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

/// Every code of this program, ascending; the compiler has its own. 00 the program itself, 01 inputs, 02 compiling, 03
/// machine code, 04 running, 05 warnings (with the exit code of those that --deny makes errors), 06 reducing.
pub static CODES: &[Code] = &[
    Code {
        number: 1,
        title: "usage error",
        explanation: "An option, command or value is unknown or missing. `agxc help` lists the commands, and `agxc \
                      COMMAND --help` the options of a command.",
        exit: Exit::Usage,
    },
    Code {
        number: 2,
        title: "file error",
        explanation: "The operating system could not read an input or write an output; the message comes from it. \
                      Outputs are written to a temporary file and renamed, so an older output is still \
                      intact.",
        exit: Exit::File,
    },
    Code {
        number: 3,
        title: "binary output to a terminal",
        explanation: "The output is not text and standard output is a terminal. Name a file with -o, or redirect \
                      standard output.",
        exit: Exit::Usage,
    },
    Code {
        number: 70,
        title: "internal error",
        explanation: "The compiler has a defect; the input is not at fault. The message names a reproducer: the \
                      input and the command line. Please report both. `agxc reduce` makes the input smaller.",
        exit: Exit::Internal,
    },
    Code {
        number: 100,
        title: "unknown input type",
        explanation: "The type of an input is determined by its first bytes, then by the extension of its name. \
                      Neither is known; specify the type with -x.",
        exit: Exit::Usage,
    },
    Code {
        number: 101,
        title: "unexpected input type",
        explanation: "The input is of a type that the command does not accept: `asm` needs assembly, `disasm` \
                      machine code, `run` compute or vertex shaders, `compile` shaders.",
        exit: Exit::Rejected,
    },
    Code {
        number: 102,
        title: "unsupported input language",
        explanation: "The input is in a shader language that this build does not compile. GLSL needs \
                      glslangValidator (in Debian's package glslang-tools) or a build with the feature `glsl`, \
                      HLSL needs dxc or glslangValidator, and WGSL a build with the feature `wgsl`.",
        exit: Exit::Unsupported,
    },
    Code {
        number: 103,
        title: "input is not text",
        explanation: "The input should be text, but is not valid UTF-8.",
        exit: Exit::Rejected,
    },
    Code {
        number: 104,
        title: "JSON not understood",
        explanation: "A file of --key, --baseline or --journal does not have the form that --print-key, `stats --format \
                      json` or `batch` writes, or a scene file does not have the form that docs/scenes.md describes. The \
                      message names the line and the field.",
        exit: Exit::Rejected,
    },
    Code {
        number: 105,
        title: "unknown shader stage",
        explanation: "A GLSL or HLSL shader does not state its stage. Use --stage, or the extension .vert, .tesc, .tese, .geom, \
                      .frag or .comp.",
        exit: Exit::Usage,
    },
    Code {
        number: 106,
        title: "scene not understood",
        explanation: "A scene file has the right form, but a field has an invalid value, such as an unknown blend \
                      factor or a texture with too few bytes. The message names the field; docs/scenes.md lists \
                      the values of each.",
        exit: Exit::Rejected,
    },
    Code {
        number: 107,
        title: "data file not understood",
        explanation: "A .npy file has a type, order or shape that buffers do not have, or is truncated: little-endian \
                      integers and floats in C order are read. Or a file of a texture is not a PNG, or is damaged.",
        exit: Exit::Rejected,
    },
    Code {
        number: 108,
        title: "file too large",
        explanation: "A file has more bytes than agxc reads, or is a device that never ends.",
        exit: Exit::File,
    },
    Code {
        number: 109,
        title: "unsupported shader stage",
        explanation: "The extension of the input names a stage that is not supported. Vertex, tessellation, geometry, \
                      task, mesh, fragment and compute shaders are.",
        exit: Exit::Unsupported,
    },
    Code {
        number: 110,
        title: "recording not understood",
        explanation: "The file is not a recording of `agxc device --record`, is truncated, or inconsistent; the \
                      message gives the location.",
        exit: Exit::Rejected,
    },
    Code {
        number: 111,
        title: "translator failed",
        explanation: "glslangValidator or dxc was stopped by a signal, or ended with an error code and without a message \
                      about the text. The message has its exit status and the first line that it printed.",
        exit: Exit::Unsupported,
    },
    Code {
        number: 112,
        title: "report not understood",
        explanation: "The file is not a report of agx-kit, or a line of its last block is unknown; the message names it.",
        exit: Exit::Rejected,
    },
    Code {
        number: 200,
        title: "invalid shader",
        explanation: "An external compiler, such as glslangValidator, or an assembler rejects the text. The message \
                      comes from that program and names the line. Errors of agxc's compiler have codes from AGX1000 on.",
        exit: Exit::Rejected,
    },
    Code {
        number: 201,
        title: "shader binary not written",
        explanation: "A program does not fit into the fields of its container. The message names the field.",
        exit: Exit::Unsupported,
    },
    Code {
        number: 203,
        title: "IR at the wrong stage for a pass",
        explanation: "A function in textual IR is at a later stage than the pass accepts, or at an earlier one with operations \
                      that should have been lowered before. `agxc explain PASS` names the stages.",
        exit: Exit::Rejected,
    },
    Code {
        number: 204,
        title: "regression against the baseline",
        explanation: "A figure is worse than in the file of --baseline by more than --threshold allows, or the \
                      baseline lacks the shader. Inspect the change, then accept it with --update.",
        exit: Exit::Rejected,
    },
    Code {
        number: 205,
        title: "shaders do not fit together",
        explanation: "The fragment shader of a draw reads a location, a clip distance or a cull distance that its vertex \
                      shader never writes, so that its value is undefined. Write it, or read another one. Components that \
                      are missing at a location that is written are zero.",
        exit: Exit::Rejected,
    },
    Code {
        number: 300,
        title: "not an instruction",
        explanation: "The bytes do not decode to an instruction of this instruction set (G13 and G14).",
        exit: Exit::Rejected,
    },
    Code {
        number: 301,
        title: "invalid assembly",
        explanation: "A line of assembly does not name an instruction, or an operand is invalid. `agxc \
                      explain MNEMONIC` prints the operands of an instruction.",
        exit: Exit::Rejected,
    },
    Code {
        number: 302,
        title: "invalid machine code",
        explanation: "The code decodes, but violates a rule of the hardware, such as a register beyond the declared \
                      count, a result used before its wait, or a branch into the middle of an instruction.",
        exit: Exit::Rejected,
    },
    Code {
        number: 303,
        title: "no such part",
        explanation: "A listing has several parts, separated by `.part` lines, and the command needs one of them, \
                      or the shader does not have the requested part. Choose one with --part.",
        exit: Exit::Rejected,
    },
    Code {
        number: 400,
        title: "launch refused",
        explanation: "The shader needs a buffer, texture, sampler or argument that was not given, or a size is out \
                      of range.",
        exit: Exit::Rejected,
    },
    Code {
        number: 401,
        title: "fault on the reference machine",
        explanation: "The reference machine stopped the program, or found a violation of a rule that hardware does \
                      not check: an unmapped address, a register read before it was written, a missing wait.",
        exit: Exit::Rejected,
    },
    Code {
        number: 402,
        title: "unexpected result",
        explanation: "The program ran, but a buffer differs from --expect, or memory differs from the recording. The \
                      message names the first element that differs.",
        exit: Exit::Rejected,
    },
    Code {
        number: 403,
        title: "budget spent",
        explanation: "The run executed as many instructions as --budget allows, or has more workgroups than a run \
                      without --budget may have: the program does not terminate, or the grid is too large to run in a \
                      reasonable time. Raise --budget, or run fewer workgroups.",
        exit: Exit::Unsupported,
    },
    Code {
        number: 404,
        title: "debugger",
        explanation: "A command of `agxc debug`, a breakpoint or an expression is wrong, or what it asks for does not exist \
                      where execution is: the variable has no register there, or all SIMD-groups have ended. The message \
                      says which. `help` lists the commands.",
        exit: Exit::Rejected,
    },
    Code {
        number: 405,
        title: "debug adapter protocol",
        explanation: "Standard input of `agxc debug` is not a stream of messages of the Debug Adapter Protocol: the header of \
                      a message, its length or its JSON is wrong. Use --terminal to type commands.",
        exit: Exit::Rejected,
    },
    Code {
        number: 406,
        title: "language server protocol",
        explanation: "Standard input of `agxc lsp` has ended without the notification `exit`, or before the request `shutdown`: \
                      the editor has ended unexpectedly, or something else started the server. Editors start it as \
                      docs/editors.md shows.",
        exit: Exit::Rejected,
    },
    Code {
        number: 500,
        title: "warning: uninitialised variable",
        explanation: "A variable of a function is read before it is written; its value is undefined. \
                      Initialise it.",
        exit: Exit::Rejected,
    },
    Code {
        number: 501,
        title: "warning: output never written",
        explanation: "The shader declares an output and does not write it; what the next stage reads is undefined. \
                      Write it or remove the declaration.",
        exit: Exit::Rejected,
    },
    Code {
        number: 502,
        title: "warning: registers spilled",
        explanation: "The shader needs more registers than a thread has, or than --max-registers allows, and keeps \
                      values in memory. Shorten the live ranges of values, or use 16-bit types.",
        exit: Exit::Rejected,
    },
    Code {
        number: 503,
        title: "warning: registers cost occupancy",
        explanation: "A few half-registers fewer would let a core hold more threads, which hide the latency of memory \
                      and textures. `agxc compile --emit live` shows where most registers are live.",
        exit: Exit::Rejected,
    },
    Code {
        number: 504,
        title: "warning: finding of the device",
        explanation: "A submission violates a rule that hardware does not check: an unknown bit in a record, a uniform \
                      that was never written, a register read before it was written. The message names the submission, the \
                      record and the program. Results are unaffected.",
        exit: Exit::Rejected,
    },
    Code {
        number: 505,
        title: "warning: resource not used",
        explanation: "A buffer, texture, image or sampler is bound where the shader accesses nothing, or it gets push \
                      constants or an attribute that it does not read. Check the numbers; a resource whose accesses were \
                      all optimised away is unused as well.",
        exit: Exit::Rejected,
    },
    Code {
        number: 506,
        title: "warning: damaged machine code",
        explanation: "Some bytes of machine code do not decode; the listing has them as <unknown …>. The file is damaged, \
                      is cut off within an instruction, or has data after the code.",
        exit: Exit::Rejected,
    },
    Code {
        number: 507,
        title: "warning: PICA200 rule",
        explanation: "A PICA200 program breaks a rule of the hardware or is likely mistaken: two different input \
                      registers in an instruction, `emit` in a vertex program, components of a destination in an order \
                      that has no effect. The message names the rule. The compiler does what the instructions say.",
        exit: Exit::Rejected,
    },
    Code {
        number: 508,
        title: "warning: of the translator",
        explanation: "glslangValidator or dxc translates the shader with a warning, which the message quotes.",
        exit: Exit::Rejected,
    },
    Code {
        number: 600,
        title: "nothing to reduce",
        explanation: "`agxc reduce` needs a command that fails on its input, and a message that the command prints.",
        exit: Exit::Rejected,
    },
];

/// Number of the code for defects of the compiler.
pub const INTERNAL: u16 = 70;
/// Number of the code for command lines.
pub const USAGE: u16 = 1;
/// Number of the code for shaders that break the rules of their language.
pub const INVALID: u16 = 200;
/// The first number of the compiler's codes, which [`agx_compiler::CODES`] lists.
pub const FIRST_OF_COMPILER: u16 = 1000;
/// Number of the code for files.
pub const FILE: u16 = 2;

/// The code with `number`, one of this program's own.
pub fn find(number: u16) -> Option<&'static Code> {
    CODES.iter().find(|code| code.number == number)
}

/// The compiler's row for `number`: those from [`FIRST_OF_COMPILER`] on.
pub fn of_compiler(number: u16) -> Option<&'static ErrorRow> {
    let rows = || agx_compiler::CODES.iter().flat_map(|rows| rows.iter());
    rows().find(|row| row.code == number && number >= FIRST_OF_COMPILER)
}

/// Title and explanation of a number; empty if it is unknown.
pub fn texts(number: u16) -> (&'static str, &'static str) {
    let own = || find(number).map(|row| (row.title, row.explanation));
    let compilers = || of_compiler(number).map(|row| (row.title(), row.explanation.trim()));
    compilers().or_else(own).unwrap_or_default()
}

/// The exit code that a number leads to.
pub fn exit(number: u16) -> Exit {
    match of_compiler(number).map(|row| row.kind) {
        Some(ErrorKind::Unsupported | ErrorKind::Limit) => Exit::Unsupported,
        Some(ErrorKind::Internal) => Exit::Internal,
        Some(_) => Exit::Rejected,
        None => find(number).expect("invariant: diagnostics carry numbers from CODES").exit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_unique_and_ascend_and_every_text_is_a_sentence() {
        for pair in CODES.windows(2) {
            assert!(pair[0].number < pair[1].number, "{} before {}", pair[0].number, pair[1].number);
        }
        for code in CODES {
            assert!(code.explanation.ends_with('.'), "{}", code.number);
        }
        assert_eq!((exit(INTERNAL) as u8, exit(1102) as u8), (70, 1));
        assert!(CODES.iter().all(|code| code.number < FIRST_OF_COMPILER));
    }
}
