//! A session with the hardware: experiments in order, as long as the kernel answers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use agx_device::kernel::MODELS;
use agx_driver::gpu::{Gpu, Parameters};

use crate::Problem;
use crate::experiments::{Row, find, rows};
use crate::lab::Side;
use crate::outputs::{Output, differences};
use crate::process::{self, End, Ran, Setup};
use crate::report::{Entry, Recorded, Report, Tried, Verdict};
use crate::words::Subject;

/// What a session does.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Highest level.
    pub level: u8,
    /// Only experiments of these names, whatever their level.
    pub only: Vec<String>,
    /// The driver: the project's, or another.
    pub side: Side,
    /// The manifest of the other driver; `None` if the Vulkan loader finds it.
    pub manifest: Option<PathBuf>,
    /// Whether Vulkan programs run on the other driver too.
    pub against: bool,
    /// Words of which variants are tried.
    pub words: Vec<&'static Subject>,
    /// Whether all submissions are recorded; otherwise those of experiments that differ are, in another run.
    pub records: bool,
    /// Folder for files.
    pub folder: PathBuf,
    /// Seconds that an experiment may take on the hardware.
    pub seconds: u64,
}

/// Seconds that an experiment may take on the machine, which is slower.
const MACHINE_SECONDS: u64 = 300;
/// Factor of the time that a recorded run may take: memory is read before and after each submission.
const RECORDED: u64 = 4;

impl Default for Plan {
    /// Calls of the kernel.
    fn default() -> Plan {
        Plan {
            level: 0,
            only: Vec::new(),
            side: Side::Hardware,
            manifest: None,
            against: false,
            words: Vec::new(),
            records: false,
            folder: "agx-kit-report".into(),
            seconds: 5,
        }
    }
}

impl Plan {
    /// The experiments of the plan; those of words first run without a change.
    pub fn rows(&self) -> Vec<Row> {
        let of_words = |row: &Row| self.words.iter().any(|subject| subject.experiments.contains(&row.name));
        let chosen = |row: &Row| match self.only.as_slice() {
            [] if !self.words.is_empty() => row.name == "lanes" || of_words(row),
            [] => row.level <= self.level,
            names => names.iter().any(|name| name == row.name) || of_words(row),
        };
        rows().into_iter().filter(chosen).collect()
    }

    /// The hardware, by the driver of the plan.
    fn setup(&self, side: Side) -> Setup<'_> {
        Setup { manifest: self.manifest.as_deref(), ..Setup::new(side, self.seconds) }
    }
}

/// The parameters of the GPU, if the kernel answers.
fn parameters() -> Result<Parameters, Problem> {
    match agx_node::open() {
        Some(node) => Ok(node?.parameters().clone()),
        None => Err("no render node of an AGX GPU is in /dev/dri: the kit needs Linux on an Apple GPU, and permission to open the node \
             (often the group `render`)"
            .into()),
    }
}

/// The name of the chip for the machine.
fn model(parameters: &Parameters) -> Option<&'static str> {
    let same = |masks: &[u64]| masks == parameters.core_masks;
    let known = || MODELS.iter().filter(|model| model.id == parameters.chip && model.dies == parameters.dies);
    known().find(|model| same(model.core_masks)).or(known().next()).map(|model| model.name)
}

/// A line of a file of the system; a dash if there is none.
fn read(path: &str) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let line = text.trim_matches(['\0', '\n']).replace('|', "/");
    if line.is_empty() { String::from("–") } else { line }
}

/// Facts for the report.
fn facts(plan: &Plan, found: Option<&Parameters>) -> Vec<(&'static str, String)> {
    let chip = found.map_or_else(
        || String::from("unknown"),
        |found| {
            let Parameters { generation, variant, revision, chip, core_masks, .. } = found;
            format!(
                "G{generation}{variant} revision {revision:#x}, chip {chip:#x}, core masks {core_masks:x?}"
            )
        },
    );
    let other = plan.manifest.as_deref().map_or_else(
        || String::from("the one that the Vulkan loader finds"),
        |manifest| format!("`{}`", manifest.display()),
    );
    let driver = match plan.side {
        Side::Other => other.clone(),
        Side::Hardware | Side::Machine => String::from("agxc"),
    };
    let mut facts = vec![
        ("machine", read("/proc/device-tree/model")),
        ("kernel", read("/proc/sys/kernel/osrelease")),
        ("processor", std::env::consts::ARCH.to_owned()),
        ("chip", chip),
        ("kit", env!("CARGO_PKG_VERSION").to_owned()),
        ("driver", driver),
        ("level", plan.level.to_string()),
    ];
    if plan.against {
        facts.push(("second driver", other));
    }
    facts
}

/// A session that is under way.
struct Session<'p> {
    plan: &'p Plan,
    chip: Option<&'static str>,
    /// What the machine gave, by the names of experiments.
    known: BTreeMap<&'static str, Ran>,
}

impl Session<'_> {
    /// What the machine gives.
    fn expected(&mut self, row: &Row) -> Result<Ran, Problem> {
        if let Some(known) = self.known.get(row.name) {
            return Ok(known.clone());
        }
        let ran = process::run(row, &Setup::machine(self.chip, MACHINE_SECONDS), &self.plan.folder)?;
        self.known.insert(row.name, ran.clone());
        Ok(ran)
    }

    /// Compares a run with the machine.
    fn verdict(&mut self, row: &Row, found: &Ran) -> Result<Verdict, Problem> {
        if found.end != End::Complete {
            return Ok(Verdict::Ended(found.end.clone()));
        }
        let expected = self.expected(row)?;
        Ok(match expected.end {
            End::Complete => match differences(&found.outputs, &expected.outputs) {
                list if list.is_empty() => Verdict::Same,
                list => Verdict::Differs(list),
            },
            end => Verdict::Kit(end),
        })
    }

    /// Runs an experiment and compares it with the machine; returns the entry of the report.
    fn experiment(&mut self, row: Row) -> Result<Entry, Problem> {
        let plan = self.plan;
        if plan.side == Side::Other && row.needs_own_driver() {
            let verdict = Verdict::Skipped(String::from("it needs the project's driver"));
            return Ok(Entry { row, verdict, outputs: Vec::new(), second: None, recorded: None });
        }
        let records = plan.side == Side::Hardware && !row.needs_own_driver() && !row.is_of_processes();
        let path = plan.folder.join(format!("{}.agxrec", row.name));
        // A recording of an earlier session is not of this run.
        let _ = std::fs::remove_file(&path);
        let recording = (records && plan.records).then(|| path.clone());
        let seconds = if recording.is_some() { RECORDED * plan.seconds } else { plan.seconds };
        let setup = Setup { recording, seconds, ..plan.setup(plan.side) };
        let found = process::run(&row, &setup, &plan.folder)?;
        let verdict = self.verdict(&row, &found)?;
        if records && !plan.records && matches!(verdict, Verdict::Differs(_)) && parameters().is_ok() {
            let seconds = RECORDED * plan.seconds;
            let setup = Setup { recording: Some(path.clone()), seconds, ..plan.setup(plan.side) };
            process::run(&row, &setup, &plan.folder)?;
        }
        let recorded = Recorded::of(&path).filter(|_| records);
        let second = match plan.against && !row.needs_own_driver() {
            true => Some(self.second(&row, &found.outputs)?),
            false => None,
        };
        Ok(Entry { row, verdict, outputs: found.outputs, second, recorded })
    }

    /// What the second driver gives, and whether that is what the project's gave.
    fn second(&mut self, row: &Row, own: &[Output]) -> Result<(Verdict, bool), Problem> {
        let found = process::run(row, &self.plan.setup(Side::Other), &self.plan.folder)?;
        let verdict = self.verdict(row, &found)?;
        Ok((verdict, found.end == End::Complete && differences(&found.outputs, own).is_empty()))
    }

    /// Runs the experiments of a kind of words with a variant.
    fn variant(&mut self, subject: &'static Subject, variant: &str) -> Result<Tried, Problem> {
        let mut results = Vec::new();
        for row in subject.experiments.iter().filter_map(|name| find(name)) {
            let setup = Setup { words: Some(variant), ..self.plan.setup(Side::Hardware) };
            let found = process::run(&row, &setup, &self.plan.folder)?;
            results.push((row.name, self.verdict(&row, &found)?));
            if parameters().is_err() {
                break;
            }
        }
        Ok(Tried { subject: subject.name, variant: variant.to_owned(), results })
    }
}

/// Runs the experiments; `tell` gets a line for each.
///
/// # Errors
/// Files or processes fail. Failures of experiments are in the report.
pub fn run(plan: &Plan, mut tell: impl FnMut(&str)) -> Result<Report, Problem> {
    create(&plan.folder)?;
    let found = if plan.side == Side::Other { None } else { Some(parameters()?) };
    let mut session = Session { plan, chip: found.as_ref().and_then(model), known: BTreeMap::new() };
    let mut report = Report { facts: facts(plan, found.as_ref()), ..Report::default() };
    let file = plan.folder.join("report.md");
    for row in plan.rows() {
        let entry = session.experiment(row)?;
        tell(&format!("{:2} {}: {}", row.number, row.name, entry.verdict.word()));
        let basic = row.name == "lanes" && !matches!(entry.verdict, Verdict::Same);
        report.entries.push(entry);
        std::fs::write(&file, report.text())?;
        report.stopped = match basic {
            true => Some(String::from("not even one launch is right, so nothing else would be")),
            false => stop(plan, row.name),
        };
        if report.stopped.is_some() {
            break;
        }
    }
    let variants = plan.words.iter().flat_map(|subject| {
        let variants = subject.variants().into_iter();
        variants.map(move |variant| (*subject, variant))
    });
    for (subject, variant) in variants {
        if report.stopped.is_some() {
            break;
        }
        let tried = session.variant(subject, &variant)?;
        tell(&format!("{} {variant}: {}", subject.name, tried.words()));
        report.tried.push(tried);
        std::fs::write(&file, report.text())?;
        report.stopped = stop(plan, &variant);
    }
    std::fs::write(&file, report.text())?;
    clear(&plan.folder);
    Ok(report)
}

/// Why nothing more is run after an experiment or a variant: the kernel does not answer.
fn stop(plan: &Plan, name: &str) -> Option<String> {
    let is_gone = plan.side == Side::Hardware && parameters().is_err();
    is_gone.then(|| format!("after `{name}` the kernel no longer answers; restart the machine"))
}

/// Most processes of an experiment.
const PROCESSES: u32 = 8;

/// Makes the folder, and one for each process of an experiment.
fn create(folder: &Path) -> Result<(), Problem> {
    for number in 0..PROCESSES {
        std::fs::create_dir_all(folder.join(number.to_string()))?;
    }
    Ok(())
}

/// Removes the folders of processes.
fn clear(folder: &Path) {
    for number in 0..PROCESSES {
        // A process that was ended may have left files, which stay.
        let _ = std::fs::remove_dir(folder.join(number.to_string()));
    }
}
