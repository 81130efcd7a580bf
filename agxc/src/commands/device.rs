//! `agxc device`: starts a program to which the device appears as a render node.
//!
//! The library of `device/shim` is preloaded and reads its options from environment variables. The program replaces this
//! process, so that it has its own exit code, streams and signals.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::ArgMatches;

use super::{Arg, Takes, arg};
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Failure};

/// Options of this command.
pub const ARGS: &[Arg] = &[
    arg("PROGRAM", Takes::Rest, "Program to start and its arguments"),
    arg("hazards", Takes::Nothing, "Report unordered commands that touch the same memory; slow"),
    arg(
        "caches",
        Takes::Nothing,
        "Read texels and shader words through caches, and report reads of old bytes",
    ),
    arg("report", Takes::Value("FILE"), "Append findings to this file [default: standard error]"),
    arg("trace", Takes::Value("FILE"), "Append a listing of every submission to this file"),
    arg("instructions", Takes::Nothing, "List every executed instruction in --trace"),
    arg("statistics", Takes::Value("FILE"), "Append instructions and cycles by program to this file"),
    arg("record", Takes::Value("FILE"), "Write a recording of all submissions to this file, for `replay`"),
    arg("calls", Takes::Nothing, "Print every kernel call to standard error"),
    arg(
        "environment",
        Takes::Value("FOLDER"),
        "Use the driver of this environment, created by device/environment/make.sh",
    ),
    arg("library", Takes::Value("FILE"), "The library to preload [default: in the folder of agxc]"),
];

/// Settings of the device, which `replay` has too.
pub const SETTINGS: &[Arg] = &[
    arg("strict", Takes::Choice(&["yes", "no"]), "Report errors that hardware ignores silently"),
    arg(
        "soft-faults",
        Takes::Nothing,
        "Make loads from unmapped addresses give 0, and ignore stores to them",
    ),
    arg(
        "interrupt",
        Takes::Value("DRAWS"),
        "Interrupt every render pass after this number of draws [default: never]",
    ),
    arg(
        "parameter-bytes",
        Takes::Value("BYTES"),
        "Size of the buffer for primitives; render passes are interrupted when it is full [default: 64 MiB]",
    ),
    arg(
        "seed",
        Takes::Value("NUMBER"),
        "Seed for the order of tiles and SIMD-groups, and for undefined values",
    ),
    arg(
        "threads",
        Takes::Value("NUMBER"),
        "Threads that share a launch or draw, with --strict no [default: all]",
    ),
];

/// The file name of the library, as Cargo builds it.
const LIBRARY: &str = "libagx_device_shim.so";
/// Folders of the installed library, from that of the program: Debian's, and Fedora's on systems with 64 bits.
const INSTALLED: [&str; 2] = ["../lib/agxc", "../lib64/agxc"];
/// Folder of libraries in an environment.
const LIBRARIES: &str = "usr/lib/x86_64-linux-gnu";

/// Options with a value, and the environment variables they set.
const VALUES: [(&str, &str); 8] = [
    ("report", "AGX_DEVICE_REPORT"),
    ("trace", "AGX_DEVICE_TRACE"),
    ("statistics", "AGX_DEVICE_STATISTICS"),
    ("record", "AGX_DEVICE_RECORD"),
    ("interrupt", "AGX_DEVICE_INTERRUPT"),
    ("parameter-bytes", "AGX_DEVICE_PARAMETER_BYTES"),
    ("seed", "AGX_DEVICE_SEED"),
    ("threads", "AGX_DEVICE_THREADS"),
];
/// Switches, and the environment variables they set.
const SWITCHES: [(&str, &str); 5] = [
    ("hazards", "AGX_DEVICE_HAZARDS"),
    ("caches", "AGX_DEVICE_CACHES"),
    ("soft-faults", "AGX_DEVICE_SOFT_FAULTS"),
    ("instructions", "AGX_DEVICE_INSTRUCTIONS"),
    ("calls", "AGX_DEVICE_CALLS"),
];

/// Starts the program.
pub fn run(options: &ArgMatches, _context: &mut Context) -> Result<(), Failure> {
    let words: Vec<&String> = options.get_many::<String>("PROGRAM").into_iter().flatten().collect();
    let Some((program, arguments)) = words.split_first() else {
        return Err(Failure::usage("no program; write it and its arguments after `--`"));
    };
    let library = library(options)?;
    let mut command = match options.get_one::<String>("environment") {
        Some(root) => inside(Path::new(root), &library, program)?,
        None => preloading(&library, program),
    };
    command.args(arguments).env("MESA_SHADER_CACHE_DISABLE", "true");
    for (name, variable) in VALUES {
        if let Some(value) = options.get_one::<String>(name) {
            command.env(variable, value);
        }
    }
    for (name, variable) in SWITCHES {
        if options.get_flag(name) {
            command.env(variable, "1");
        }
    }
    let strict = options.get_one::<String>("strict").map_or("yes", String::as_str);
    command.env("AGX_DEVICE_STRICT", strict);
    replace(command, program)
}

/// The path of the library.
fn library(options: &ArgMatches) -> Result<PathBuf, Failure> {
    // Beside the program, or where `make install` puts it.
    let beside = || {
        let program = std::env::current_exe().unwrap_or_default();
        let folder = program.parent().unwrap_or(Path::new(""));
        let installed = INSTALLED.map(|place| folder.join(place).join(LIBRARY));
        installed.into_iter().find(|path| path.exists()).unwrap_or_else(|| folder.join(LIBRARY))
    };
    let path = options.get_one::<String>("library").map_or_else(beside, PathBuf::from);
    std::fs::canonicalize(&path).map_err(|error| {
        let name = path.display().to_string();
        let advice = "build it with `cargo build --release -p agx-device-shim`, or name it with --library";
        Diagnostic::new(2, format!("{error}; {advice}")).in_file(&name).into()
    })
}

/// A command that starts a program of the host with the host's driver.
fn preloading(library: &Path, program: &str) -> Command {
    let mut preload = OsString::from(library);
    if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        preload.push(":");
        preload.push(others);
    }
    let mut command = Command::new(program);
    command.env("LD_PRELOAD", preload);
    command
}

/// A command that starts a program with the libraries and the driver of an environment. It uses the environment's
/// dynamic loader, because the host's C library may be older than the driver requires.
fn inside(root: &Path, library: &Path, program: &str) -> Result<Command, Failure> {
    let root = std::fs::canonicalize(root).map_err(|error| Failure::file(&root.to_string_lossy(), &error))?;
    let own = root.join("usr/bin").join(program);
    let program = if program.contains('/') || !own.exists() { PathBuf::from(program) } else { own };
    let mut command = Command::new(root.join("lib64/ld-linux-x86-64.so.2"));
    command.arg("--preload").arg(library);
    command.arg("--library-path").arg(root.join(LIBRARIES)).arg(program);
    let manifests = root.join("usr/share/vulkan/icd.d");
    let entries = std::fs::read_dir(&manifests);
    let entries = entries.map_err(|error| Failure::file(&manifests.to_string_lossy(), &error))?;
    let manifest = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("asahi_icd")));
    if let Some(manifest) = manifest {
        command.env("VK_DRIVER_FILES", manifest);
    }
    command.env("LIBGL_DRIVERS_PATH", root.join(LIBRARIES).join("dri"));
    Ok(command)
}

/// Replaces this process by the program; returns only on failure.
#[cfg(unix)]
fn replace(mut command: Command, program: &str) -> Result<(), Failure> {
    use std::os::unix::process::CommandExt as _;
    Err(Failure::file(program, &command.exec()))
}

/// Render nodes exist only on Linux.
#[cfg(not(unix))]
fn replace(_command: Command, _program: &str) -> Result<(), Failure> {
    Err(Diagnostic::new(201, "`agxc device` needs Linux").into())
}
