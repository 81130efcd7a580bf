//! Experiments in processes of their own, with a time limit.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::Problem;
use crate::experiments::{Row, Run};
use crate::lab::Side;
use crate::outputs::{self, Output};

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// It is complete.
    Complete,
    /// It could not be carried out, or ended by a signal: a sentence.
    Failed(String),
    /// It was ended after so many seconds.
    Late(u64),
}

/// A run of an experiment.
#[derive(Clone, Debug)]
pub struct Ran {
    /// How it ended.
    pub end: End,
    /// What it had found.
    pub outputs: Vec<Output>,
}

/// How an experiment is run.
#[derive(Clone, Debug)]
pub struct Setup<'s> {
    /// Where it runs.
    pub side: Side,
    /// The chip that the machine is.
    pub chip: Option<&'s str>,
    /// The manifest of the other driver; `None` if the Vulkan loader finds it.
    pub manifest: Option<&'s Path>,
    /// Changes of words, for the project's driver.
    pub words: Option<&'s str>,
    /// File for a recording of the submissions of the project's driver.
    pub recording: Option<PathBuf>,
    /// Seconds that it may take.
    pub seconds: u64,
}

impl<'s> Setup<'s> {
    /// A side with a time limit.
    pub fn new(side: Side, seconds: u64) -> Setup<'s> {
        Setup { side, chip: None, manifest: None, words: None, recording: None, seconds }
    }

    /// The machine as a chip.
    pub fn machine(chip: Option<&'s str>, seconds: u64) -> Setup<'s> {
        Setup { chip, ..Setup::new(Side::Machine, seconds) }
    }

    /// The environment of the process: which driver, which chip, and what the driver does besides.
    fn environment(&self, command: &mut Command) {
        command.env_remove("AGX_DRIVER_WORDS").env_remove("AGX_DRIVER_RECORD");
        match self.side {
            Side::Hardware => {
                command.env("AGX_DRIVER", "node");
                command.envs(self.words.map(|words| ("AGX_DRIVER_WORDS", words)));
                command.envs(self.recording.as_ref().map(|path| ("AGX_DRIVER_RECORD", path)));
            }
            Side::Machine => {
                // Settings of a device that stands for the hardware are not for the machine.
                for (name, _) in std::env::vars_os() {
                    if name.to_string_lossy().starts_with("AGX_DEVICE_") {
                        command.env_remove(name);
                    }
                }
                command.env("AGX_DRIVER", "device").env_remove("LD_PRELOAD");
                command.envs(self.chip.map(|chip| ("AGX_DEVICE_CHIP", chip)));
            }
            Side::Other => {
                command.envs(self.manifest.map(|path| ("VK_DRIVER_FILES", path)));
                command.envs(self.manifest.map(|path| ("VK_ICD_FILENAMES", path)));
            }
        }
    }
}

/// A process with the files of its output.
struct Started {
    child: Child,
    streams: [PathBuf; 2],
}

fn start(row: &Row, setup: &Setup<'_>, folder: &Path, number: u32) -> Result<Started, Problem> {
    let side = setup.side.name();
    let streams = ["out", "err"].map(|end| folder.join(format!("{}.{side}.{number}.{end}", row.name)));
    let [out, err] = [File::create(&streams[0])?, File::create(&streams[1])?];
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--run", row.name, "--side", side, "--folder"]).arg(folder.join(number.to_string()));
    setup.environment(&mut command);
    let child = command.stdin(Stdio::null()).stdout(out).stderr(err).spawn()?;
    Ok(Started { child, streams })
}

/// Time between two looks at a process.
const PAUSE: Duration = Duration::from_millis(5);

/// The status of a process that ends within the limit; otherwise it is killed.
fn wait(child: &mut Child, until: Instant) -> Result<Option<ExitStatus>, Problem> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() > until {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(PAUSE);
    }
}

/// Characters of standard error that a report shows.
const SHOWN: usize = 300;

fn finish(mut started: Started, until: Instant, limit: u64) -> Result<Ran, Problem> {
    let status = wait(&mut started.child, until)?;
    let [out, err] = started.streams.each_ref().map(|path| std::fs::read(path).unwrap_or_default());
    for path in &started.streams {
        std::fs::remove_file(path)?;
    }
    let text = String::from_utf8_lossy(&err).trim().replace(['\n', '`'], " ");
    let end = match status {
        Some(status) if status.success() => End::Complete,
        Some(status) => {
            let last: String = text.chars().take(SHOWN).collect();
            End::Failed(if last.is_empty() { status.to_string() } else { format!("{status}: {last}") })
        }
        None => End::Late(limit),
    };
    Ok(Ran { end, outputs: outputs::parse(&String::from_utf8_lossy(&out)) })
}

/// Runs an experiment.
///
/// # Errors
/// A process cannot be started, or a file cannot be written.
pub fn run(row: &Row, setup: &Setup<'_>, folder: &Path) -> Result<Ran, Problem> {
    let count = match row.run {
        // The machine gives each process the same.
        Run::Together(_, count) if setup.side != Side::Machine => count,
        _ => 1,
    };
    let until = Instant::now() + Duration::from_secs(setup.seconds);
    let started = (0..count).map(|number| start(row, setup, folder, number));
    let started: Vec<Started> = started.collect::<Result<_, _>>()?;
    let mut all = Ran { end: End::Complete, outputs: Vec::new() };
    for started in started {
        let ran = finish(started, until, setup.seconds)?;
        if all.outputs.is_empty() {
            all.outputs = ran.outputs;
        } else if ran.outputs != all.outputs && all.end == End::Complete {
            all.end = End::Failed(String::from("processes found different things"));
        }
        if all.end == End::Complete {
            all.end = ran.end;
        }
    }
    Ok(all)
}
