//! The command line.

use std::path::PathBuf;

use crate::Problem;
use crate::experiments::{LEVELS, Run, find, rows};
use crate::lab::{Lab, Side};
use crate::session::Plan;
use crate::words::{self, Subject};

/// The text of `--help`.
pub const HELP: &str = "\
agx-kit asks an Apple GPU what the reference machine assumes, and writes agx-kit-report/report.md.

usage: agx-kit [--level N] [--only NAME]... [--driver agxc|mesa|PATH] [--against mesa|PATH] [--words NAME|all]... [--record]
               [--seconds N] [--folder PATH] [--yes]
       agx-kit --list

  --level N       highest level of experiments: 0 (the default) to 3; --list explains them
  --only NAME     only this experiment, whatever its level
  --driver WHICH  agxc (the default): the driver in this program; mesa: what the Vulkan loader finds;
                  PATH: the driver of this manifest (VK_DRIVER_FILES)
  --against WHICH run the Vulkan experiments on this driver too, and tell which driver differs from the machine: mesa or PATH, as above
  --words NAME    try variants of words without a known meaning: --list names them; all: every kind
  --record        record all submissions for `agxc replay`; without it, those of experiments that differ are, in a second run
  --seconds N     seconds that an experiment may take (5)
  --folder PATH   folder for the report, recordings and temporary files (agx-kit-report)
  --yes           do not ask before work for the GPU begins
  --list          list the experiments and the kinds of words, and do nothing

Run it from a console or by ssh with the desktop closed: a compositor shares the GPU, and loses its work if the GPU is reset.
No file is written outside the folder, and no root is needed.
";

/// What a command line asks for.
#[derive(Debug)]
pub enum Command {
    /// `--help`.
    Help,
    /// `--version`.
    Version,
    /// `--list`.
    List,
    /// A session, after a question unless the flag is set.
    Session(Plan, bool),
    /// An experiment in this process.
    Run(String, Side, PathBuf),
}

/// The manifest that a value names; none for the driver that the Vulkan loader finds.
///
/// # Errors
/// The file does not exist.
fn manifest(value: &str) -> Result<Option<PathBuf>, Problem> {
    match value {
        "mesa" => Ok(None),
        path => {
            let found = std::path::Path::new(path).canonicalize();
            Ok(Some(found.map_err(|error| format!("{path}: {error}"))?))
        }
    }
}

/// Reads a command line.
///
/// # Errors
/// An option is unknown, or its value is.
pub fn parse(arguments: impl Iterator<Item = String>) -> Result<Command, Problem> {
    let mut plan = Plan::default();
    let (mut yes, mut run) = (false, None);
    let mut arguments = arguments;
    while let Some(option) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("`{option}` wants a value"));
        match option.as_str() {
            "--help" | "-h" => return Ok(Command::Help),
            "--version" => return Ok(Command::Version),
            "--list" => return Ok(Command::List),
            "--level" => plan.level = level(&value()?)?,
            "--only" => plan.only.push(known(value()?)?),
            "--driver" => match value()?.as_str() {
                "agxc" => plan.side = Side::Hardware,
                other => (plan.side, plan.manifest) = (Side::Other, manifest(other)?),
            },
            "--against" => (plan.against, plan.manifest) = (true, manifest(&value()?)?),
            "--words" => plan.words.extend(subjects(&value()?)?),
            "--record" => plan.records = true,
            "--seconds" => plan.seconds = value()?.parse().map_err(|_| "`--seconds` wants a whole number")?,
            "--folder" => plan.folder = value()?.into(),
            "--yes" => yes = true,
            "--run" => run = Some(known(value()?)?),
            "--side" => plan.side = Side::of(&value()?).ok_or("unknown side")?,
            other => return Err(format!("unknown option `{other}`; --help lists the options").into()),
        }
    }
    if plan.side == Side::Other && (plan.against || !plan.words.is_empty() || plan.records) {
        return Err("`--against`, `--words` and `--record` need `--driver agxc`".into());
    }
    Ok(match run {
        Some(name) => Command::Run(name, plan.side, plan.folder),
        None => Command::Session(plan, yes),
    })
}

fn subjects(name: &str) -> Result<Vec<&'static Subject>, Problem> {
    match (name, words::find(name)) {
        ("all", _) => Ok(words::SUBJECTS.iter().collect()),
        (_, Some(subject)) => Ok(vec![subject]),
        (_, None) => Err(format!("unknown words `{name}`; --list names the kinds").into()),
    }
}

fn level(text: &str) -> Result<u8, Problem> {
    let level: Option<u8> = text.parse().ok();
    let known = level.filter(|level| usize::from(*level) < LEVELS.len());
    known.ok_or_else(|| format!("unknown level `{text}`; expected 0 to {}", LEVELS.len() - 1).into())
}

fn known(name: String) -> Result<String, Problem> {
    match find(&name) {
        Some(_) => Ok(name),
        None => Err(format!("unknown experiment `{name}`; --list lists them").into()),
    }
}

/// The list of experiments.
pub fn list() -> String {
    let levels = LEVELS.iter().enumerate().map(|(level, text)| format!("level {level}: {text}\n"));
    let rows = rows();
    let rows = rows.iter().map(|row| {
        format!("{:2} {} (level {}): {}\n   It {}.\n", row.number, row.name, row.level, row.asks, row.does)
    });
    let words = words::SUBJECTS.iter().map(|Subject { name, asks, experiments, .. }| {
        format!("words {name}: {asks}\n   It runs {} with each variant.\n", experiments.join(" and "))
    });
    let line = || [String::from("\n")];
    levels.chain(line()).chain(rows).chain(line()).chain(words).collect()
}

/// What a session will do.
pub fn announcement(plan: &Plan) -> String {
    let rows = plan.rows();
    let highest = rows.iter().map(|row| row.level).max().unwrap_or(0);
    let levels = (0..).zip(LEVELS).take_while(|(level, _)| *level <= highest);
    let levels: String = levels.map(|(level, text)| format!("  level {level}: {text}\n")).collect();
    let count = rows.len();
    let variants: usize = plan.words.iter().map(|subject| subject.variants().len()).sum();
    let words = match variants {
        0 => String::new(),
        _ => format!(
            "Then {variants} variants of words: what a wrong word does is not known, and may hang the GPU.\n"
        ),
    };
    let folder = plan.folder.display();
    let seconds = plan.seconds;
    format!(
        "{count} experiments, each in a process that is ended after {seconds} s; files are written to {folder} only.\n{levels}{words}"
    )
}

/// Whether a session needs an answer before it begins.
pub fn asks(plan: &Plan) -> bool {
    plan.rows().iter().any(|row| row.level > 0)
}

/// Runs an experiment in this process.
///
/// # Errors
/// It cannot be carried out.
pub fn run(name: &str, side: Side, folder: PathBuf) -> Result<(), Problem> {
    let row = find(name).ok_or("unknown experiment")?;
    let mut lab = Lab::new(side, folder);
    let together = match row.run {
        Run::Together(other, _) => find(other).ok_or("unknown experiment")?.run,
        run => run,
    };
    match together {
        Run::Kernel(run) => run(&*lab.kernel()?, &mut lab),
        Run::Programs(programs) => lab.programs(programs),
        Run::Together(..) => Err("an experiment of processes refers to another".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Command, String> {
        parse(line.split_whitespace().map(String::from)).map_err(|problem| problem.to_string())
    }

    #[test]
    fn a_session_is_safe_unless_a_level_is_named() {
        let session = |line: &str| match parsed(line) {
            Ok(Command::Session(plan, yes)) => (plan, yes),
            other => panic!("a session: {other:?}"),
        };
        let (plan, yes) = session("");
        assert!(!yes && !asks(&plan) && plan.rows().iter().all(|row| row.level == 0));
        let (plan, yes) = session("--level 2 --yes");
        assert!(yes && asks(&plan) && plan.rows().len() == rows().len() - 1);
        assert!(announcement(&plan).contains("firmware"));
        let (plan, _) = session("--only faults --driver mesa");
        assert_eq!((plan.rows().len(), plan.side), (1, Side::Other));
        let (plan, _) = session("--words background-tag --against mesa");
        let names: Vec<&str> = plan.rows().iter().map(|row| row.name).collect();
        assert_eq!((names.as_slice(), plan.against), (["lanes", "clear", "blend"].as_slice(), true));
        assert!(asks(&plan) && announcement(&plan).contains("5 variants"));
    }

    #[test]
    fn errors_name_the_option() {
        for (line, part) in [
            ("--level 4", "`4`"),
            ("--only x", "`x`"),
            ("--what", "`--what`"),
            ("--folder", "`--folder`"),
            ("--words x", "`x`"),
            ("--driver /nowhere", "/nowhere"),
            ("--driver mesa --record", "`--record`"),
        ] {
            assert!(parsed(line).is_err_and(|problem| problem.contains(part)), "{line}");
        }
        assert!(rows().iter().all(|row| list().contains(row.asks)));
    }
}
