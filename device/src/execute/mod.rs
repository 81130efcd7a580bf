//! Execution: control streams are walked, and their programs run on the reference machine.

pub(crate) mod compute;
mod depth;
pub(crate) mod render;
mod scratch;
pub(crate) mod state;
mod tile;
pub(crate) mod vertices;

use agx_emulator::{Memory, Options, Report, States, Stop};

use crate::findings::{Notebook, Place};
use crate::programs::Programs;
use crate::record::Record;
use crate::statistics::Statistics;
use crate::stream::Words;
use crate::trace;

/// How the device runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Report what hardware passes over in silence.
    pub strict: bool,
    /// List every submission.
    pub trace: bool,
    /// List every executed instruction with what it wrote.
    pub instructions: bool,
    /// Loads of addresses that are not bound give 0, and stores there do nothing.
    pub soft_faults: bool,
    /// Report commands that nothing orders and that touch the same memory, one of them writing it. Every access is noted for
    /// that, which is slow.
    pub hazards: bool,
    /// Draws after which tile memory of a render pass is stored and loaded again, as when hardware runs out of memory for
    /// primitives; 0 never does.
    pub interrupt_draws: u32,
    /// Instructions a SIMD-group may execute.
    pub max_steps: u64,
    /// Chooses garbage values and interleaving.
    pub seed: u64,
    /// Threads of the host that may share the work of a launch or draw, where strict checks are off. Memory afterwards is the
    /// same for any number, unless programs race.
    pub threads: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            strict: true,
            trace: false,
            instructions: false,
            soft_faults: false,
            hazards: false,
            interrupt_draws: 0,
            max_steps: 1 << 26,
            seed: 0,
            threads: 1,
        }
    }
}

/// Threads that the host can run at once.
pub fn host_threads() -> u32 {
    std::thread::available_parallelism().map_or(1, |count| u32::try_from(count.get()).unwrap_or(u32::MAX))
}

impl Settings {
    /// Whether a pass is interrupted before its draw of this number.
    fn interrupts(&self, draw: u32) -> bool {
        draw != 0 && draw.checked_rem(self.interrupt_draws) == Some(0)
    }
}

/// A command of a submission: the bytes of its structure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Command {
    Render(Vec<u8>),
    Compute(Vec<u8>),
}

impl Command {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Command::Render(bytes) | Command::Compute(bytes) => bytes,
        }
    }
}

/// Where a command runs.
pub(crate) struct Submission<'m> {
    pub(crate) memory: &'m mut Memory,
    /// Address that shaders are relative to.
    pub(crate) shader_base: u64,
    /// Number of the command.
    pub(crate) number: u32,
}

/// The device.
pub(crate) struct Device {
    pub(crate) settings: Settings,
    programs: Programs,
    pub(crate) notebook: Notebook,
    pub(crate) statistics: Statistics,
    pub(crate) trace: String,
    pub(crate) place: Place,
}

impl Device {
    pub(crate) fn new(settings: Settings) -> Device {
        Device {
            settings,
            programs: Programs::default(),
            notebook: Notebook::default(),
            statistics: Statistics::default(),
            trace: String::new(),
            place: Place::default(),
        }
    }

    pub(crate) fn begin_submission(&mut self) {
        self.statistics.submissions += 1;
        self.place = Place { submission: self.statistics.submissions, ..Place::default() };
    }

    /// Runs a command. What goes wrong becomes a finding; the command then ends early.
    pub(crate) fn execute(&mut self, mut submission: Submission<'_>, command: &Command) {
        self.place =
            Place { submission: self.place.submission, command: submission.number, ..Place::default() };
        if self.settings.trace {
            let listing = trace::command(submission.memory, submission.shader_base, command);
            self.trace.push_str(&format!("submission {}, ", self.place.submission));
            self.trace.push_str(&listing);
        }
        let outcome = match command {
            Command::Compute(bytes) => self.compute(&mut submission, bytes),
            Command::Render(bytes) => self.render(&mut submission, bytes),
        };
        if let Err(error) = outcome {
            self.note(error.to_string(), true);
        }
    }

    /// Writes a finding down at the current place.
    pub(crate) fn note(&mut self, text: String, fatal: bool) {
        if self.settings.strict || fatal {
            self.notebook.add(self.place.clone(), text, fatal);
        }
    }

    /// Notes what is wrong with the bits of a record.
    fn check(&mut self, record: &Record, bytes: &[u8]) {
        if self.settings.strict {
            for complaint in record.complaints(bytes) {
                self.note(complaint, false);
            }
        }
    }

    fn check_words(&mut self, words: &Words) {
        for (_, record, bytes) in &words.list {
            self.check(record, bytes);
        }
    }

    fn options(&self) -> Options {
        Options {
            strict: self.settings.strict,
            seed: self.settings.seed,
            max_steps: self.settings.max_steps,
            soft_fault: self.settings.soft_faults,
            trace: self.settings.instructions,
            threads: self.settings.threads,
            ..Options::default()
        }
    }

    /// Takes what a run tells.
    fn conclude(&mut self, program: u64, outcome: Result<Report, Stop>) {
        let (report, fatal) = match outcome {
            Ok(report) => (report, None),
            Err(stop) => {
                let mut report = *stop.report;
                // The last finding is the fault itself.
                report.findings.pop();
                (report, Some(stop.finding))
            }
        };
        self.place.program = Some(program);
        self.statistics.add(program, &report);
        for line in &report.trace {
            self.trace.push_str(line);
            self.trace.push('\n');
        }
        for finding in &report.findings {
            self.note(finding.to_string(), false);
        }
        if let Some(finding) = fatal {
            self.note(finding.to_string(), true);
        }
    }
}

/// State registers as the words of a shader set them.
fn states<'w>(words: &'w Words, sampler_heap: Option<(u64, u32)>) -> States<'w> {
    States {
        textures: &words.textures,
        samplers: &words.samplers,
        borders: &words.borders,
        sampler_heap,
        unset_uniforms: &words.unset,
    }
}

/// The sampler heap of a command; none when it has no samplers.
fn sampler_heap(address: u64, count: u64) -> Option<(u64, u32)> {
    (address != 0 && count > 0).then_some((address, count as u32))
}
