//! The table of commands: what `agxc` can do, with the options of each.

mod asm;
mod batch;
mod compile;
mod completions;
mod demo;
mod device;
mod diff;
mod disasm;
mod explain;
mod list_targets;
mod man;
mod pass;
mod reduce;
mod render;
mod replay;
mod run;
mod run_plan;
mod stats;
mod trace;
mod validate;

use clap::ArgMatches;

pub use self::compile::{check_ir, under, with_key};
pub use self::pass::find as find_pass;
pub use self::stats::{Row as StatisticsRow, read_baseline};

use crate::context::Context;
use crate::diagnostic::Failure;

/// What follows an option, or how many words an argument without dashes takes.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    /// A required word without dashes.
    Word,
    /// One or more words without dashes.
    Words,
    /// A word without dashes that may be absent.
    Optional,
    /// Everything after `--`.
    Rest,
    /// Nothing: the option is a switch.
    Nothing,
    /// A value, shown under this name.
    Value(&'static str),
    /// Values, the option may be repeated.
    Values(&'static str),
    /// One of these values, the first when absent.
    Choice(&'static [&'static str]),
}

/// One option or argument.
#[derive(Clone, Copy, Debug)]
pub struct Arg {
    /// Long name, or the name of the word.
    pub name: &'static str,
    /// One-letter name.
    pub short: Option<char>,
    /// What it takes.
    pub takes: Takes,
    /// One line of help.
    pub doc: &'static str,
}

/// One command.
pub struct Command {
    /// Name.
    pub name: &'static str,
    /// One line of help.
    pub doc: &'static str,
    /// What else there is to say.
    pub details: &'static str,
    /// Arguments and options.
    pub args: &'static [&'static [Arg]],
    /// Does it.
    pub run: fn(&ArgMatches, &mut Context) -> Result<(), Failure>,
}

pub(crate) const fn arg(name: &'static str, takes: Takes, doc: &'static str) -> Arg {
    Arg { name, short: None, takes, doc }
}

pub(crate) const fn short(name: &'static str, letter: char, takes: Takes, doc: &'static str) -> Arg {
    Arg { name, short: Some(letter), takes, doc }
}

const FILE: &[Arg] = &[arg("FILE", Takes::Word, "Input; - is standard input")];
const FILES: &[Arg] = &[arg("FILE", Takes::Words, "Inputs; - is standard input")];
const SCENE: &[Arg] = &[arg("FILE", Takes::Word, "Scene file, or the name of a bundled scene")];
const RECORDING: &[Arg] = &[arg("FILE", Takes::Word, "Recording of `agxc device --record`")];
const OUTPUT: &[Arg] =
    &[short("output", 'o', Takes::Value("FILE"), "Output file [default: - for standard output]")];
const TARGET: &[Arg] =
    &[arg("target", Takes::Value("CHIP"), "Chip to compile for: g13g (default), g13x, g14g, g14x")];
const KIND: &[Arg] = &[short(
    "kind",
    'x',
    Takes::Value("KIND"),
    "Input language: spirv, wgsl, glsl, hlsl, ir, asm, code, hex, …",
)];
/// Options of the translation of GLSL and HLSL.
const SOURCE: &[Arg] = &[
    short("include", 'I', Takes::Values("FOLDER"), "Search this folder for files that GLSL and HLSL include"),
    short("define", 'D', Takes::Values("NAME[=VALUE]"), "Define a macro of GLSL and HLSL"),
];
/// Options that make up the compile key.
const KEY: &[Arg] = &[
    arg("entry", Takes::Value("NAME"), "Entry point, if the module has several"),
    arg("stage", Takes::Value("STAGE"), "Stage of the entry point: vertex, fragment, compute"),
    arg(
        "spec",
        Takes::Values("ID=VALUE"),
        "Value of a specialization constant or override, by number or name",
    ),
    arg("option", Takes::Values("NAME[=VALUE]"), "Option of the input's language, 1 without a value"),
    arg("disable-pass", Takes::Values("PASS"), "Skip an optional pass"),
    arg("max-registers", Takes::Value("HALVES"), "Use at most this many half-registers and spill the rest"),
    arg("spill-everything", Takes::Nothing, "Spill every value (stress test)"),
    arg("check", Takes::Nothing, "Run the validator after every pass"),
    arg("key", Takes::Value("FILE"), "Read all of these from JSON; command-line options override it"),
];

/// Every command, in the order of the help.
pub static COMMANDS: &[Command] = &[
    Command {
        name: "compile",
        doc: "Compile shaders",
        details: "The default output is assembly. `bin` is the machine code of one part; `json` holds all parts and what \
                  a driver needs. With several inputs, -o names a folder.",
        args: &[FILES, compile::ARGS, TARGET, KEY, SOURCE, KIND, OUTPUT],
        run: compile::run,
    },
    Command {
        name: "disasm",
        doc: "Disassemble machine code",
        details: "Bytes that do not decode are printed as <unknown …>. Code for another instruction set (M3 and later) is \
                  recognised and refused. PICA200 containers become their own assembly.",
        args: &[FILE, disasm::ARGS, KIND, OUTPUT],
        run: disasm::run,
    },
    Command {
        name: "asm",
        doc: "Assemble",
        details: "The syntax is that of the output of `disasm` and `compile`. PICA200 assembly becomes a container.",
        args: &[FILE, asm::ARGS, KIND, OUTPUT],
        run: asm::run,
    },
    Command {
        name: "run",
        doc: "Compile a compute shader, run it on the reference machine and check its buffers",
        details: "Buffers are specified as TYPE:VALUES (u8 to u64, i8 to i64, f16, f32, f64), zero:BYTES or file:PATH. \
                  The shader may write every buffer; an access outside all buffers is a fault. \
                  Of vertex shaders and PICA200 programs registers are given, one vertex or primitive runs, and its outputs are printed.",
        args: &[FILE, run::ARGS, TARGET, KEY, SOURCE, KIND, OUTPUT],
        run: run::run,
    },
    Command {
        name: "render",
        doc: "Draw a scene file on the reference machine",
        details: "docs/scenes.md describes scene files; spheres, glass, plasma, mirror and floor are bundled. The image is a PNG.",
        args: &[SCENE, render::ARGS, TARGET, OUTPUT],
        run: render::run,
    },
    Command {
        name: "demo",
        doc: "Compile, run and check the bundled shaders; draw the bundled scenes",
        details: "",
        args: &[demo::ARGS, TARGET],
        run: demo::run,
    },
    Command {
        name: "stats",
        doc: "Compile shaders and print their statistics",
        details: "The figures have the names and follow the cycle model of Mesa's AGX compiler; docs/statistics.md explains \
                  them. Every entry point of a module has a row.",
        args: &[FILES, stats::ARGS, TARGET, KEY, SOURCE, KIND, OUTPUT],
        run: stats::run,
    },
    Command {
        name: "diff",
        doc: "Compare two shaders, targets, keys, or the statistics of two builds",
        details: "One file is compared with itself under --to-target or --to-key.",
        args: &[diff::ARGS, TARGET, KEY, SOURCE, KIND, OUTPUT],
        run: diff::run,
    },
    Command {
        name: "batch",
        doc: "Compile, measure or validate many inputs in parallel",
        details: "A failing input does not stop the others. `compile` writes into the folder that -o names. With --journal, a \
                  run that was interrupted is resumed.",
        args: &[batch::ARGS, validate::ARGS, TARGET, KEY, SOURCE, KIND, OUTPUT],
        run: batch::run,
    },
    Command {
        name: "reduce",
        doc: "Make an input smaller that a command fails on",
        details: "The command is run on smaller and smaller inputs that give the same exit code and the same message. \
                  Example: agxc reduce big.spv -o small.spv -- agxc compile --check {}",
        args: &[reduce::ARGS, KIND, OUTPUT],
        run: reduce::run,
    },
    Command {
        name: "validate",
        doc: "Check that machine code is valid for the hardware",
        details: "Takes machine code, assembly, or a shader, whose parts are checked against the registers and uniforms \
                  that the compiler reports.",
        args: &[FILE, validate::ARGS, TARGET, KEY, SOURCE, KIND],
        run: validate::run,
    },
    Command {
        name: "pass",
        doc: "Run passes on textual IR and print the result",
        details: "The passes run in the given order. The IR is validated before and after each. `agxc pass list` lists \
                  all passes.",
        args: &[pass::ARGS, TARGET, OUTPUT],
        run: pass::run,
    },
    Command {
        name: "device",
        doc: "Start a program that finds an AGX GPU, executed on the reference machine",
        details: "`agxc device [option ...] -- PROGRAM [argument ...]`. The program sees the render node of an M1, so that \
                  Mesa's driver runs on it; what the driver submits is executed and checked. docs/device.md describes the \
                  device and its environment.",
        args: &[device::ARGS],
        run: device::run,
    },
    Command {
        name: "trace",
        doc: "List the control streams and programs of a recording",
        details: "Every record is printed as it was before its submission ran, with the programs disassembled.",
        args: &[RECORDING, trace::ARGS, OUTPUT],
        run: trace::run,
    },
    Command {
        name: "replay",
        doc: "Run a recording without the driver and compare what memory holds",
        details: "Findings are warnings (AGX0504), faults and differences are errors.",
        args: &[RECORDING, replay::ARGS, OUTPUT],
        run: replay::run,
    },
    Command {
        name: "explain",
        doc: "Explain a diagnostic code, an instruction or a pass",
        details: "",
        args: &[explain::ARGS],
        run: explain::run,
    },
    Command {
        name: "list-targets",
        doc: "List the chips to compile for",
        details: "",
        args: &[],
        run: list_targets::run,
    },
    Command {
        name: "completions",
        doc: "Print a completion script for a shell",
        details: "bash: source <(agxc completions). zsh: source <(agxc completions zsh). fish: agxc completions fish | \
                  source. PowerShell: agxc completions powershell | Out-String | Invoke-Expression.",
        args: &[completions::ARGS],
        run: completions::run,
    },
    Command {
        name: "man",
        doc: "Print a manual page",
        details: "`agxc man --folder DIR` writes all pages.",
        args: &[man::ARGS],
        run: man::run,
    },
];
