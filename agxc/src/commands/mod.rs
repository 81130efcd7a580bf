//! The table of commands: what `agxc` can do, with the options of each.

mod asm;
mod compile;
mod completions;
mod demo;
mod disasm;
mod explain;
mod list_targets;
mod pass;
mod render;
mod run;
mod stats;
mod validate;

use clap::ArgMatches;

use crate::context::Context;
use crate::diagnostic::Failure;

/// What follows an option, or how many words an argument without dashes takes.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    /// A required word without dashes.
    Word,
    /// One or more words without dashes.
    Words,
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

const fn arg(name: &'static str, takes: Takes, doc: &'static str) -> Arg {
    Arg { name, short: None, takes, doc }
}

const fn short(name: &'static str, letter: char, takes: Takes, doc: &'static str) -> Arg {
    Arg { name, short: Some(letter), takes, doc }
}

const FILE: &[Arg] = &[arg("FILE", Takes::Word, "Input; - is standard input")];
const FILES: &[Arg] = &[arg("FILE", Takes::Words, "Inputs; - is standard input")];
const SCENE: &[Arg] = &[arg("FILE", Takes::Word, "Scene file, or the name of a bundled scene")];
const OUTPUT: &[Arg] = &[short(
    "output",
    'o',
    Takes::Value("FILE"),
    "Write here instead of to standard output; - is standard output",
)];
const TARGET: &[Arg] =
    &[arg("target", Takes::Value("CHIP"), "Chip to compile for: g13g (default), g13x, g14g, g14x")];
const KIND: &[Arg] =
    &[short("kind", 'x', Takes::Value("KIND"), "What the input is: spirv, wgsl, ir, asm, code, hex, …")];
/// Options that make up the compile key.
const KEY: &[Arg] = &[
    arg("entry", Takes::Value("NAME"), "Entry point, when the module has several"),
    arg("stage", Takes::Value("STAGE"), "Stage of the entry point: vertex, fragment, compute"),
    arg("spec", Takes::Values("ID=VALUE"), "Value of a specialization constant"),
    arg("disable-pass", Takes::Values("PASS"), "Leave out an optional pass"),
    arg("max-registers", Takes::Value("HALVES"), "Use at most so many half registers, and spill the rest"),
    arg("spill-everything", Takes::Nothing, "Keep every value on the stack, to test what does so"),
    arg("check", Takes::Nothing, "Run the validator after every pass"),
    arg("key", Takes::Value("FILE"), "Take all of these from JSON; options given beside it win"),
];

/// Every command, in the order of the help.
pub static COMMANDS: &[Command] = &[
    Command {
        name: "compile",
        doc: "Compile a shader",
        details: "The default output is assembly. `bin` is the machine code of the main part alone; `json` holds all \
                  parts and what a driver must know.",
        args: &[FILE, compile::ARGS, TARGET, KEY, KIND, OUTPUT],
        run: compile::run,
    },
    Command {
        name: "disasm",
        doc: "Take machine code apart",
        details: "Bytes that are no instruction are shown as <unknown …> and passed over. Code of another instruction \
                  set (M3 and later) is recognised and refused.",
        args: &[FILE, disasm::ARGS, KIND, OUTPUT],
        run: disasm::run,
    },
    Command {
        name: "asm",
        doc: "Put assembly together",
        details: "The syntax is the one that `disasm` and `compile` print.",
        args: &[FILE, asm::ARGS, KIND, OUTPUT],
        run: asm::run,
    },
    Command {
        name: "run",
        doc: "Compile a compute shader, run it on the reference machine, check its buffers",
        details: "Buffers are specified as TYPE:VALUES (u8, u16, u32, i32, u64, f32), zero:BYTES or file:PATH. The \
                  shader may write every buffer; an access outside one is a fault.",
        args: &[FILE, run::ARGS, TARGET, KEY, KIND, OUTPUT],
        run: run::run,
    },
    Command {
        name: "render",
        doc: "Draw a scene file on the reference machine",
        details: "docs/scenes.md describes scene files; spheres, glass, plasma and mirror are bundled and need no file. The \
                  picture is a PNG.",
        args: &[SCENE, render::ARGS, TARGET, OUTPUT],
        run: render::run,
    },
    Command {
        name: "demo",
        doc: "Compile, run and check the bundled shaders, draw the bundled scenes",
        details: "",
        args: &[demo::ARGS, TARGET],
        run: demo::run,
    },
    Command {
        name: "stats",
        doc: "Compile shaders and print what their code costs",
        details: "Figures bear the names and follow the cycle model of Mesa's AGX compiler, for comparison.",
        args: &[FILES, stats::ARGS, TARGET, KEY, KIND, OUTPUT],
        run: stats::run,
    },
    Command {
        name: "validate",
        doc: "Check that machine code keeps the rules of the machine",
        details: "Takes machine code, assembly, or a shader, whose parts are then checked against what the compiler \
                  says they use.",
        args: &[FILE, validate::ARGS, TARGET, KEY, KIND],
        run: validate::run,
    },
    Command {
        name: "pass",
        doc: "Run single passes on textual IR and print the result",
        details: "The passes run in the order given, each after a check of what it is given. `agxc pass list` names \
                  them all.",
        args: &[pass::ARGS, TARGET, OUTPUT],
        run: pass::run,
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
        doc: "List the chips that code can be made for",
        details: "",
        args: &[],
        run: list_targets::run,
    },
    Command {
        name: "completions",
        doc: "Print a completion script for bash",
        details: "Load it with: source <(agxc completions)",
        args: &[],
        run: completions::run,
    },
];
