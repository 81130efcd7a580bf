//! The scoreboard: runs the suites over a folder of reference material and prints the results.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agx_compiler::CompileKey;
use agx_tests::floors::{Floors, Skipped};
use agx_tests::outcome::SuiteReport;
use agx_tests::shared::DataError;
use agx_tests::suites::{Context, SUITES, cost, find};
use agx_tests::tools::Tools;
use agx_tests::{report, runner, stress};
use clap::Parser;

/// The committed floors.
const FLOORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/floors.json");

/// Stack of a worker: the compiler must not need more than a driver's thread provides.
const STACK_BYTES: usize = 8 << 20;

/// Runs the suites and prints the results.
#[derive(Parser, Debug)]
#[command(name = "score")]
struct Arguments {
    /// Folder with vectors/, conformance/, corpus/ and baseline/
    #[arg(long, value_name = "DIR", default_value = "../shared")]
    shared: PathBuf,
    /// Only these suites
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// More cases for the suites pica-programs, agal and tgsi; the list of cases for cts, cts-mesa and cts-gl
    #[arg(long, value_name = "PATH")]
    cases: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// List failures with reasons, and reasons for unsupported cases, of one suite or, without a name, of all suites
    /// that run
    #[arg(long, value_name = "SUITE", num_args = 0..=1, default_missing_value = "all")]
    list_failures: Option<String>,
    /// Only cases whose name contains this
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Run one in N cases of the suites that draw samples (cts, cts-mesa, cts-gl)
    #[arg(long, value_name = "N", conflicts_with = "check_floors")]
    one_in: Option<u64>,
    /// Threads
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    jobs: usize,
    /// Exit with code 1 if a suite is below its floor, or if cases were not run
    #[arg(long, conflicts_with = "filter")]
    check_floors: bool,
    /// With --check-floors: accept cases that were not run because a program or a file is missing
    #[arg(long, requires = "check_floors")]
    allow_skipped: bool,
    /// Raise the floors to the current results
    #[arg(long, conflicts_with = "filter")]
    raise_floors: bool,
    #[command(flatten)]
    compilation: Compilation,
    /// Seed of the machine's scheduler
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Run the project's driver in driver, driver-vulkan, dawn, clients and cts through a render node with this seed
    #[arg(long, value_name = "SEED")]
    node: Option<u64>,
    /// Run the suites that compile shaders once for each stress mode whose name contains TEXT
    #[arg(long, value_name = "TEXT", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["only", "json", "node"])]
    stress: Option<String>,
    /// Compile the shaders in a list file and print nothing, for use under valgrind
    #[arg(long, value_name = "FILE", hide = true)]
    probe_cost: Option<PathBuf>,
}

/// How all shaders are compiled.
#[derive(clap::Args, Debug)]
struct Compilation {
    /// Optional passes to disable
    #[arg(long, value_name = "PASS", value_delimiter = ',')]
    disable_pass: Vec<String>,
    /// Maximum number of half registers per thread
    #[arg(long, value_name = "HALVES")]
    max_gpr_halves: Option<u16>,
    /// Spill every value
    #[arg(long)]
    spill_everything: bool,
    /// Order instructions at random, with this seed
    #[arg(long, value_name = "N")]
    schedule_seed: Option<u64>,
    /// Run the validator after every pass
    #[arg(long)]
    validate: bool,
}

impl Compilation {
    /// The settings of all compilations.
    fn key(&self) -> CompileKey {
        let mut key = CompileKey::default();
        key.disabled_passes.clone_from(&self.disable_pass);
        key.max_gpr_halves = self.max_gpr_halves;
        key.spill_everything = self.spill_everything;
        key.schedule_seed = self.schedule_seed;
        key.validate = self.validate;
        key
    }
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(code) => code,
        Err(message) => {
            // Standard error may be closed.
            let _ = writeln!(std::io::stderr(), "score: {message}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    if let Some(list) = &arguments.probe_cost {
        return cost::probe(list).map(|()| ExitCode::SUCCESS);
    }
    if !arguments.shared.is_dir() {
        return Err(format!("{} is not a folder", arguments.shared.display()));
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(arguments.jobs)
        .stack_size(STACK_BYTES)
        .build_global()
        .map_err(|error| error.to_string())?;
    runner::install_panic_hook();
    if let Some(wanted) = &arguments.stress {
        return run_stresses(arguments, wanted);
    }
    let reports = run_suites(arguments)?;
    print(&output(arguments, &reports));
    if arguments.raise_floors {
        let mut floors = read_floors()?;
        floors.raise(&reports);
        write_floors(&floors)?;
    }
    if arguments.check_floors {
        let skipped = if arguments.allow_skipped { Skipped::Allowed } else { Skipped::Refused };
        let breaches = read_floors()?.breaches(&reports, skipped);
        for breach in &breaches {
            print(&format!("below its floor: {breach}\n"));
        }
        if !breaches.is_empty() {
            return Ok(ExitCode::FAILURE);
        }
        print("no suite is below its floor\n");
    }
    Ok(ExitCode::SUCCESS)
}

fn run_stresses(arguments: &Arguments, wanted: &str) -> Result<ExitCode, String> {
    let tools = Tools::find(cache_folder());
    let filter = arguments.filter.as_deref();
    let context = Context {
        shared: &arguments.shared,
        cases: None,
        filter,
        one_in: None,
        tools: &tools,
        key: &CompileKey::default(),
        seed: 0,
        node: None,
    };
    let good = stress::run(&context, wanted, print).map_err(|error| error.to_string())?;
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn run_suites(arguments: &Arguments) -> Result<Vec<(&'static str, SuiteReport)>, String> {
    for name in arguments.only.iter().chain(arguments.list_failures.iter().filter(|name| *name != "all")) {
        if find(name).is_none() {
            let names: Vec<&str> = SUITES.iter().map(|suite| suite.name).collect();
            return Err(format!("unknown suite {name}; expected one of {}", names.join(", ")));
        }
    }
    let tools = Tools::find(cache_folder());
    let key = arguments.compilation.key();
    let context = Context {
        shared: &arguments.shared,
        cases: arguments.cases.as_deref(),
        filter: arguments.filter.as_deref(),
        one_in: arguments.one_in,
        tools: &tools,
        key: &key,
        seed: arguments.seed,
        node: arguments.node,
    };
    let mut reports = Vec::new();
    for suite in SUITES.iter().filter(|suite| wanted(arguments, suite.name)) {
        let report = match (suite.run)(&context) {
            Ok(report) => report,
            Err(error @ DataError::Absent(_)) => SuiteReport::absent(error.to_string()),
            Err(error) => return Err(format!("{}: {error}", suite.name)),
        };
        reports.push((suite.name, report));
    }
    Ok(reports)
}

/// Whether to run the suite; all run unless `--only` or a named `--list-failures` selects some.
fn wanted(arguments: &Arguments, name: &str) -> bool {
    let listed = arguments.list_failures.as_deref().filter(|listed| *listed != "all");
    if arguments.only.is_empty() {
        return listed.is_none_or(|listed| listed == name);
    }
    arguments.only.iter().any(|only| only == name) || listed == Some(name)
}

fn output(arguments: &Arguments, reports: &[(&'static str, SuiteReport)]) -> String {
    let mut text = String::new();
    if let Some(listed) = &arguments.list_failures {
        for (name, suite) in reports.iter().filter(|(name, _)| listed == "all" || listed == name) {
            text.push_str(&report::failures(name, suite));
        }
    }
    if arguments.json {
        text.push_str(&report::json(reports).to_string());
        text.push('\n');
    } else {
        text.push_str(&report::table(reports));
    }
    text
}

/// Outputs of external programs are cached in the target folder.
fn cache_folder() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    let target = program.parent().and_then(Path::parent).map(Path::to_owned);
    target.unwrap_or_else(std::env::temp_dir).join("tool-cache")
}

fn read_floors() -> Result<Floors, String> {
    let text = std::fs::read_to_string(FLOORS).map_err(|error| format!("{FLOORS}: {error}"))?;
    serde_json::from_str(&text).map_err(|error| format!("{FLOORS}: {error}"))
}

fn write_floors(floors: &Floors) -> Result<(), String> {
    let text = serde_json::to_string_pretty(floors).map_err(|error| error.to_string())?;
    std::fs::write(FLOORS, text + "\n").map_err(|error| format!("{FLOORS}: {error}"))
}

/// Writes to standard output; a closed pipe is not an error.
fn print(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}
