//! Execution: walks control streams and runs their programs on the reference machine.

mod caches;
pub(crate) mod compute;
mod depth;
mod parameters;
pub(crate) mod render;
mod rules;
mod scratch;
pub(crate) mod state;
mod tile;
pub(crate) mod vertices;

use std::collections::BTreeMap;

use agx_emulator::{Lines, Memory, Options, Report, States, Stop, Watch};

use crate::changes::change_command;
use crate::findings::{Notebook, PixelHistory, Place};
use crate::programs::Programs;
use crate::record::{Record, Scope, usc_fragment};
use crate::settings::{Deviation, Settings};
use crate::statistics::{Statistics, Work};
use crate::stream::Words;
use crate::trace;
use agx_abi::words::ProgramKind;

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

    pub(crate) fn is_compute(&self) -> bool {
        matches!(self, Command::Compute(_))
    }
}

/// The context of a command's execution.
pub(crate) struct Submission<'m> {
    pub(crate) memory: &'m mut Memory,
    /// Address to which shader addresses are relative.
    pub(crate) shader_base: u64,
    /// Number of the address space.
    pub(crate) vm: u32,
    /// Number of the submission, from 1 on.
    pub(crate) submission: u64,
    /// Number of the command in it, from 0 on.
    pub(crate) number: u32,
}

/// The device.
pub(crate) struct Device {
    pub(crate) settings: Settings,
    programs: Programs,
    pub(crate) notebook: Notebook,
    pub(crate) statistics: Statistics,
    pub(crate) trace: String,
    /// The fragments that touched the pixel of the settings.
    pub(crate) history: Vec<PixelHistory>,
    pub(crate) place: Place,
    /// Whether the command ended early.
    failed: bool,
    /// The stage that uses each list of scratch memory, by address space and address.
    scratch_lists: BTreeMap<(u32, u64), scratch::User>,
    caches: caches::Caches,
}

impl Device {
    pub(crate) fn new(settings: Settings) -> Device {
        Device {
            settings,
            programs: Programs::default(),
            notebook: Notebook::default(),
            statistics: Statistics::default(),
            trace: String::new(),
            history: Vec::new(),
            place: Place::default(),
            failed: false,
            scratch_lists: BTreeMap::new(),
            caches: caches::Caches::default(),
        }
    }

    /// Runs a command. An error becomes a finding and ends the command early; returns whether this happened.
    pub(crate) fn execute(&mut self, mut submission: Submission<'_>, command: &Command) -> bool {
        self.statistics.begin(submission.submission);
        self.place =
            Place { submission: submission.submission, command: submission.number, ..Place::default() };
        self.failed = false;
        if self.settings.trace {
            let listing = trace::command(submission.memory, submission.shader_base, command);
            self.trace.push_str(&format!("submission {}, ", self.place.submission));
            self.trace.push_str(&listing);
        }
        let seed = self.settings.seed;
        let mut command = std::borrow::Cow::Borrowed(command);
        if let Some(Deviation::Field(change)) = self.settings.difference {
            let base = submission.shader_base;
            change_command(&[change], submission.memory, base, command.to_mut());
        }
        submission.memory.texels = self.settings.caches.then(|| Box::new(Lines::new(seed)));
        let outcome = match &*command {
            Command::Compute(bytes) => self.compute(&mut submission, bytes),
            Command::Render(bytes) => self.render(&mut submission, bytes),
        };
        let stale = submission.memory.texels.take().and_then(|mut texels| texels.take_stale());
        note_all(self, stale.map(caches::stale_texels));
        if let Err(error) = outcome {
            self.note(error.to_string(), true);
        }
        self.failed
    }

    /// Records a finding at the current location.
    pub(crate) fn note(&mut self, text: String, fatal: bool) {
        self.failed |= fatal;
        if self.settings.strict || fatal {
            self.notebook.add(self.place.clone(), text, fatal);
        }
    }

    /// Records invalid bits of a record outside passes, and what no conformant driver writes, as findings.
    fn check(&mut self, record: &Record, bytes: &[u8]) {
        self.check_in(record, bytes, &Scope::NONE);
    }

    /// As [`Device::check`], for a record with these surroundings.
    fn check_in(&mut self, record: &Record, bytes: &[u8], scope: &Scope<'_>) {
        if self.settings.strict {
            for complaint in record.complaints(bytes).into_iter().chain(record.violations(bytes, scope)) {
                self.note(complaint, false);
            }
        }
    }

    /// Checks the words of a shader.
    fn check_words(&mut self, words: &Words, scope: &Scope<'_>) {
        for (_, record, bytes) in &words.list {
            self.check_in(record, bytes, scope);
        }
        let has_fragment = words.list.iter().any(|(_, record, _)| record.name == usc_fragment::RECORD.name);
        if has_fragment != (scope.kind == ProgramKind::Fragment) {
            let problem = if has_fragment { "has" } else { "lacks" };
            self.note(format!("a program of kind {:?} {problem} a fragment word", scope.kind), false);
        }
    }

    fn options(&self) -> Options {
        let (mutant, perturb) = match self.settings.difference {
            Some(Deviation::Operation(mutant)) => (Some(mutant), false),
            Some(Deviation::Rounding) => (None, true),
            Some(Deviation::Field(_) | Deviation::Errors | Deviation::Clock) | None => (None, false),
        };
        Options {
            mutant,
            perturb,
            strict: self.settings.strict,
            seed: self.settings.seed,
            max_steps: self.settings.max_steps,
            soft_fault: self.settings.soft_faults,
            trace: self.settings.instructions,
            threads: self.settings.threads,
            watch: Watch { history: self.settings.pixel, capture: None },
            ..Options::default()
        }
    }

    /// Records the report of a run.
    fn conclude(&mut self, program: u64, work: Work, outcome: Result<Report, Stop>) {
        let (mut report, fatal) = match outcome {
            Ok(report) => (report, None),
            Err(stop) => {
                let mut report = *stop.report;
                // The last finding is the fault itself, which is recorded separately.
                report.findings.pop();
                (report, Some(stop.finding))
            }
        };
        self.place.program = Some(program);
        self.statistics.add(program, work, &report);
        if !report.history.is_empty() {
            let touches = std::mem::take(&mut report.history);
            self.history.push(PixelHistory { place: self.place.clone(), work, touches });
        }
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

/// Records violated rules of a stream.
fn note_all(device: &mut Device, found: impl IntoIterator<Item = String>) {
    found.into_iter().for_each(|text| device.note(text, false));
}

/// State registers from the words of a shader.
fn states<'w>(words: &'w Words, sampler_heap: Option<(u64, u32)>) -> States<'w> {
    States {
        textures: &words.textures,
        samplers: &words.samplers,
        borders: &words.borders,
        sampler_heap,
        unset_uniforms: &words.unset,
    }
}

/// The sampler heap of a command; `None` if it has no samplers.
fn sampler_heap(address: u64, count: u64) -> Option<(u64, u32)> {
    (address != 0 && count > 0).then_some((address, count as u32))
}
