//! The table of commands of `agxc`, with the options of each.

mod asm;
mod batch;
mod compile;
mod completions;
mod debug;
mod demo;
mod device;
mod diff;
mod disasm;
mod explain;
mod kit_import;
mod list_targets;
mod lsp;
mod man;
mod pass;
mod reduce;
mod render;
mod replay;
mod run;
pub mod run_plan;
mod stats;
mod trace;
mod validate;

use clap::ArgMatches;
use clap::parser::ValueSource;

pub use self::compile::{check_ir, kind, read, tracked, tracked_with, under, units, with_key};
pub use self::pass::{find as find_pass, unknown as unknown_pass};
pub use self::render::pixel;
pub use self::run::replace_code;
pub use self::run_plan::{Inputs, check_workgroups, groups};
pub use self::stats::Row as StatisticsRow;
pub use self::trace::number;

use crate::context::Context;
use crate::diagnostic::Failure;

/// The value of an option, or the number of words of a positional argument.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    /// A required positional argument.
    Word,
    /// One or more positional arguments.
    Words,
    /// An optional positional argument.
    Optional,
    /// Everything after `--`.
    Rest,
    /// No value: the option is a switch.
    Nothing,
    /// A value, shown under this name.
    Value(&'static str),
    /// A value; the option may be repeated.
    Values(&'static str),
    /// One of these values; the first is the default.
    Choice(&'static [&'static str]),
}

/// One option or argument.
#[derive(Clone, Copy, Debug)]
pub struct Arg {
    /// Long name, or the name of the positional argument.
    pub name: &'static str,
    /// One-letter name.
    pub short: Option<char>,
    /// The value it takes.
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
    /// Details, printed after the options.
    pub details: &'static str,
    /// Arguments and options.
    pub args: &'static [&'static [Arg]],
    /// The function that runs the command.
    pub run: fn(&ArgMatches, &mut Context) -> Result<(), Failure>,
}

pub(crate) const fn arg(name: &'static str, takes: Takes, doc: &'static str) -> Arg {
    Arg { name, short: None, takes, doc }
}

pub(crate) const fn short(name: &'static str, letter: char, takes: Takes, doc: &'static str) -> Arg {
    Arg { name, short: Some(letter), takes, doc }
}

/// Rejects the option `name` if it is given and has no effect; `why` says when it has none.
pub(crate) fn has_effect(options: &ArgMatches, name: &str, has: bool, why: &str) -> Result<(), Failure> {
    let is_given = options.value_source(name) == Some(ValueSource::CommandLine);
    if has || !is_given { Ok(()) } else { Err(Failure::usage(format!("--{name} has no effect {why}"))) }
}

/// The names of all options in `groups`.
fn option_names(groups: &'static [&'static [Arg]]) -> impl Iterator<Item = &'static str> {
    groups.iter().flat_map(|group| group.iter().map(|arg| arg.name))
}

/// Options of `debug` that have an effect only on scenes.
pub fn scene_options() -> impl Iterator<Item = &'static str> {
    option_names(&[debug::SCENES])
}

/// Options of `debug` that have no effect on scenes, which state what they draw.
pub fn compute_options() -> impl Iterator<Item = &'static str> {
    option_names(&[run::INPUTS, KEY, SOURCE, KIND]).filter(|name| *name != "disable-pass")
}

const FILE: &[Arg] = &[arg("FILE", Takes::Word, "Input; - is standard input")];
const OPTIONAL_FILE: &[Arg] = &[arg("FILE", Takes::Optional, "Input, unless an editor names it")];
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
    short(
        "include",
        'I',
        Takes::Values("FOLDER"),
        "Search this folder for files that GLSL and HLSL shaders include",
    ),
    short("define", 'D', Takes::Values("NAME[=VALUE]"), "Define a macro for GLSL and HLSL"),
    arg("glsl", Takes::Value("NAME"), "Dialect of GLSL: vulkan, opengl, es, webgl, shadertoy"),
    arg(
        "auto-map",
        Takes::Nothing,
        "Assign locations and bindings that GLSL lacks, and collect its uniforms in a buffer",
    ),
];
/// Options for profiles by source line.
pub(crate) const PROFILE_LINES: Arg = arg(
    "profile-lines",
    Takes::Nothing,
    "Print executions, lanes, cycles and lines of memory by source line",
);
pub(crate) const FOLDED: Arg = arg(
    "folded",
    Takes::Value("FILE"),
    "Write the cycles by source line and instruction as folded stacks, for flame graphs",
);
pub(crate) const FLAME: Arg = arg("flame", Takes::Value("FILE"), "Write the same as a flame graph in SVG");
pub(crate) const EXECUTED: Arg =
    arg("executed", Takes::Value("FILE"), "Write a report in HTML of the lines that ran, with flame graphs");

/// Whether an option needs the profile of a run.
pub(crate) fn is_profiled(options: &ArgMatches) -> bool {
    let has = |arg: &Arg| options.contains_id(arg.name);
    options.get_flag("profile-lines") || [FOLDED, FLAME, EXECUTED].iter().any(has)
}

/// Options for the compile key.
const KEY: &[Arg] = &[
    arg("entry", Takes::Value("NAME"), "Entry point, if the module has several"),
    arg("stage", Takes::Value("STAGE"), "Stage of the entry point: vertex, fragment, compute"),
    arg(
        "spec",
        Takes::Values("ID=VALUE"),
        "Value of a specialization constant or override, by number or name",
    ),
    arg("option", Takes::Values("NAME[=VALUE]"), "Option of the input language; the default value is 1"),
    arg("disable-pass", Takes::Values("PASS"), "Skip an optional pass"),
    arg("max-registers", Takes::Value("HALVES"), "Use at most this many half-registers and spill the rest"),
    arg(
        "local-size",
        Takes::Value("X,Y,Z"),
        "Size of the workgroups of an OpenCL kernel that does not fix it",
    ),
    arg("spill-everything", Takes::Nothing, "Spill every value (stress test)"),
    arg("check", Takes::Nothing, "Run the validator after every pass"),
    arg(
        "key",
        Takes::Value("FILE"),
        "Read all of these settings from a JSON file; command-line options override it",
    ),
];

/// Every command, in the order of the help.
pub static COMMANDS: &[Command] = &[
    Command {
        name: "compile",
        doc: "Compile shaders",
        details: "The default output is assembly. `bin` is the machine code of one part; `json` has all parts and the information for a \
                  driver. With several inputs, every entry point is compiled, and -o names a folder.",
        args: &[FILES, compile::ARGS, TARGET, KEY, SOURCE, KIND, OUTPUT],
        run: compile::run,
    },
    Command {
        name: "disasm",
        doc: "Disassemble machine code",
        details: "Bytes that do not decode are printed as <unknown …>. Code for another instruction set (M3 and later) is \
                  recognised and rejected. PICA200 containers are disassembled to PICA200 assembly.",
        args: &[FILE, disasm::ARGS, KIND, OUTPUT],
        run: disasm::run,
    },
    Command {
        name: "asm",
        doc: "Assemble",
        details: "The syntax is that of the output of `disasm` and `compile`. PICA200 assembly is assembled to a container.",
        args: &[FILE, asm::ARGS, KIND, OUTPUT],
        run: asm::run,
    },
    Command {
        name: "run",
        doc: "Compile a compute shader, run it on the reference machine and check its buffers",
        details: "Buffers are specified as TYPE:VALUES (u8 to u64, i8 to i64, f16, f32, f64), zero:BYTES or file:PATH. \
                  Textures may name a kind before the size: 1d, 1d_array, 2d, 2d_array, 3d, cube, cube_array or buffer (a \
                  texel buffer); layers and cubes are the last side, and texels are in rows without padding. The shader may write every buffer; an access outside all buffers is a fault. For a vertex shader or a PICA200 \
                  program, --register gives the inputs of one vertex or primitive, and its outputs are printed.",
        args: &[FILE, run::INPUTS, run::ARGS, TARGET, KEY, SOURCE, KIND, OUTPUT],
        run: run::run,
    },
    Command {
        name: "debug",
        doc: "Step through a shader on the reference machine, forward and backward",
        details: "Without --terminal and with standard input redirected, an editor debugs the shader by the Debug Adapter \
                  Protocol; its launch request may name the file (`program`) and give further options (`args`). On a terminal, \
                  or with --terminal, commands are read, which `help` lists. Inputs of compute shaders are those of `run`. A vertex or fragment of a scene is selected with --vertex or --pixel. docs/stepping.md describes \
                  both.",
        args: &[OPTIONAL_FILE, debug::ARGS, debug::SCENES, run::INPUTS, TARGET, KEY, SOURCE, KIND],
        run: debug::run,
    },
    Command {
        name: "lsp",
        doc: "Serve an editor: diagnostics, costs of lines and statistics of WGSL and GLSL shaders",
        details: "Editors start it and speak the Language Server Protocol on standard input and output. The options apply to every \
                  document; `initializationOptions` of the editor may give others (`args`). docs/editors.md shows the settings \
                  of some editors.",
        args: &[lsp::ARGS, TARGET, KEY, SOURCE, KIND],
        run: lsp::run,
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
        details: "With one file, --to-target or --to-key selects the second target or key.",
        args: &[diff::ARGS, TARGET, KEY, SOURCE, KIND, OUTPUT],
        run: diff::run,
    },
    Command {
        name: "batch",
        doc: "Compile, measure or validate many inputs in parallel",
        details: "A failing input does not stop the others. `compile` writes to the folder that -o names. With --journal, an \
                  interrupted run can be resumed.",
        args: &[batch::ARGS, validate::ARGS, TARGET, KEY, SOURCE, KIND, OUTPUT],
        run: batch::run,
    },
    Command {
        name: "reduce",
        doc: "Reduce an input on which a command fails",
        details: "The command is run on smaller and smaller inputs; those with the same exit code and the same message are kept. \
                  Example: agxc reduce big.spv -o small.spv -- agxc compile --check {}",
        args: &[reduce::ARGS, KIND, OUTPUT],
        run: reduce::run,
    },
    Command {
        name: "validate",
        doc: "Check that machine code is valid for the hardware",
        details: "The input is machine code, assembly, or a shader. The parts of every entry point of a shader are checked against \
                  the registers and uniforms that the compiler reports.",
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
        doc: "Start a program with an emulated AGX GPU",
        details: "`agxc device [option ...] -- PROGRAM [argument ...]`. The program finds the render node of an M1, on which Mesa's driver runs; the reference machine executes and checks its submissions. docs/device.md describes the \
                  device and its environment.",
        args: &[device::ARGS, device::SETTINGS],
        run: device::run,
    },
    Command {
        name: "trace",
        doc: "List the control streams and programs of a recording",
        details: "Every record is printed as it was before its submission ran, with the programs disassembled. With \
                  --compare, passes and draws of two recordings are compared in order, with the state in effect at each draw, \
                  and the values in all launches; addresses are not compared.",
        args: &[RECORDING, trace::ARGS, OUTPUT],
        run: trace::run,
    },
    Command {
        name: "replay",
        doc: "Run a recording without the driver and compare the resulting memory",
        details: "Findings are warnings (AGX0504); faults and differences are errors.",
        args: &[RECORDING, device::SETTINGS, replay::ARGS, OUTPUT],
        run: replay::run,
    },
    Command {
        name: "kit-import",
        doc: "Read a report of agx-kit: contradicted assumptions, and vectors of the hardware",
        details: "`agx-kit` compares an Apple GPU with the reference machine; docs/kit.md describes it.",
        args: &[kit_import::ARGS, OUTPUT],
        run: kit_import::run,
    },
    Command {
        name: "explain",
        doc: "Explain a diagnostic code, an instruction, a pass or a phase",
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
