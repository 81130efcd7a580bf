//! A program of Khronos' suites that its user built, on a driver of the environment.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rayon::prelude::*;

use super::list::{Sample, names, read};
use super::process::{LIMIT, Ran, Runner};
use crate::device::environment::{Door, Driver, Environment};
use crate::suites::Context;

/// Number of cases that one process runs.
const TOGETHER: usize = 250;

/// Adds arguments and variables to a command.
pub type Prepare = fn(&mut Command, Driver, &Environment);

/// The program.
pub struct Program {
    /// The drivers.
    pub environment: Environment,
    /// Its file. It runs in the folder of the file, which has its data.
    pub path: PathBuf,
    /// Adds arguments and variables to a command.
    pub prepare: Prepare,
}

impl Program {
    /// The program whose file the environment variable names; the error is a sentence about what is missing. `what` describes
    /// it, `suite` names the folder for files.
    ///
    /// # Errors
    /// The variable names no file, or the environment is missing.
    pub fn find(variable: &str, what: &str, suite: &str, prepare: Prepare) -> Result<Program, String> {
        let path = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_file());
        let path = path.ok_or_else(|| format!("{variable} names no {what}"))?;
        Ok(Program { environment: Environment::find(suite)?, path, prepare })
    }

    /// Starts it on a driver.
    fn command(&self, door: &Door) -> Command {
        let mut command = self.environment.command(door, &self.path);
        (self.prepare)(&mut command, door.driver, &self.environment);
        command.current_dir(self.path.parent().unwrap_or(Path::new("."))).env("AGX_DEVICE_STRICT", "yes");
        command
    }

    /// The cases that the context asks for; without a filter or a rate, one in `one_in`.
    ///
    /// # Errors
    /// The list cannot be read or exported.
    pub fn cases(&self, context: &Context<'_>, one_in: u64) -> Result<Vec<String>, String> {
        let list = match context.cases {
            Some(path) => read(path)?,
            None => self.exported()?,
        };
        let one_in = context.one_in.unwrap_or(if context.filter.is_some() { 1 } else { one_in });
        let sample = Sample { filter: context.filter, one_in };
        Ok(names(&list).filter(|name| sample.contains(name)).map(str::to_owned).collect())
    }

    /// The names of all cases, exported by the program and cached while it does not change.
    fn exported(&self) -> Result<String, String> {
        let text = |error: std::io::Error| error.to_string();
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let file = self.environment.scratch().join(format!("cases-of-{name}.txt"));
        let modified = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
        if modified(&file) > modified(&self.path) {
            return std::fs::read_to_string(&file).map_err(text);
        }
        let mut command = self.command(&Door::plain(Driver::Lavapipe));
        command.arg("--deqp-runmode=stdout-caselist").stdin(Stdio::null()).stderr(Stdio::null());
        let output = command.output().map_err(text)?;
        let list = String::from_utf8_lossy(&output.stdout).into_owned();
        if names(&list).next().is_none() {
            return Err(format!("{} exports no cases: {}", self.path.display(), output.status));
        }
        std::fs::write(&file, &list).map_err(text)?;
        Ok(list)
    }

    /// Runs the cases on a driver.
    ///
    /// # Errors
    /// A process cannot be started.
    pub fn run(&self, door: &Door, cases: &[String]) -> Result<Vec<Ran>, String> {
        let pieces: Vec<(usize, &[String])> = cases.chunks(TOGETHER).enumerate().collect();
        let ran: Result<Vec<Vec<Ran>>, String> = pieces
            .par_iter()
            .map(|(number, piece)| {
                let names: Vec<&str> = piece.iter().map(String::as_str).collect();
                let folder = self.environment.folder(&format!("piece-{number}"))?;
                Runner { command: || self.command(door), folder, limit: LIMIT }.run(&names)
            })
            .collect();
        Ok(ran?.into_iter().flatten().collect())
    }
}
