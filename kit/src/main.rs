//! `agx-kit`: asks the hardware what the reference machine assumes.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line")]

use std::io::Write as _;
use std::process::ExitCode;

use agx_kit::command::{self, Command};
use agx_kit::{Problem, session};

fn main() -> ExitCode {
    match carried_out() {
        Ok(code) => code,
        Err(problem) => {
            eprintln!("agx-kit: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn carried_out() -> Result<ExitCode, Problem> {
    match command::parse(std::env::args().skip(1))? {
        Command::Help => print!("{}", command::HELP),
        Command::Version => println!("agx-kit {}", env!("CARGO_PKG_VERSION")),
        Command::List => print!("{}", command::list()),
        Command::Run(name, side, folder) => command::run(&name, side, folder)?,
        Command::Session(plan, yes) => {
            print!("{}", command::announcement(&plan));
            if command::asks(&plan) && !yes && !agreed()? {
                println!("Nothing was done.");
                return Ok(ExitCode::SUCCESS);
            }
            let report = session::run(&plan, |line| println!("{line}"))?;
            if let Some(why) = &report.stopped {
                println!("stopped: {why}");
            }
            println!("The report is {}.", plan.folder.join("report.md").display());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Asks, and waits for the answer.
fn agreed() -> Result<bool, Problem> {
    print!("Begin? [y/N] ");
    std::io::stdout().flush()?;
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    Ok(line.trim().eq_ignore_ascii_case("y"))
}
