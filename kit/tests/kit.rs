//! The kit on the device behind the preloaded library, which is linked here: this program is the kit too.

use std::ffi::{c_int, c_ulong, c_void};
use std::process::{Command, ExitCode};

use agx_device::{Recording, Settings};
use agx_kit::command::{self, Command as Asked};
use agx_kit::report::{LIMIT, Verdict};
use agx_kit::session::{self, Plan};
use libtest_mimic::{Arguments, Failed, Trial};

/// Keeps the library's functions in the program.
#[used]
static LINKED: unsafe extern "C" fn(c_int, c_ulong, *mut c_void) -> c_int = agx_device_shim::ioctl;

/// Names of experiments of a session in this process, and the variable that makes the device differ.
const SESSION: &str = "AGX_KIT_SESSION";
const DIFFERENCE: &str = "AGX_DEVICE_DIFFERENCE";
/// The kind of words that a session tries, and the manifest of its second driver.
const WORDS: &str = "AGX_KIT_WORDS";
const AGAINST: &str = "AGX_KIT_AGAINST";
/// The folder of a session, which stays.
const FOLDER: &str = "AGX_KIT_FOLDER";

/// Differences of the device, the experiment that finds each, and one that it does not affect. Differences of fields that only caches make
/// visible are found on a device with caches.
const DIFFERENCES: &[[&str; 3]] = &[
    ["rounding", "special-functions", "lanes"],
    ["fadd Flip", "arithmetic", "stores"],
    ["fmul Flip", "arithmetic", "stores"],
    ["ffma Flip", "arithmetic", "stores"],
    ["floor Flip", "arithmetic", "launches"],
    ["rint Flip", "arithmetic", "launches"],
    ["f_to_u32 Flip", "arithmetic", "launches"],
    ["popcnt Flip", "arithmetic", "launches"],
    ["bitrev Flip", "arithmetic", "launches"],
    ["pop_exec Skip", "control", "lanes"],
    ["simd_reduce Flip", "subgroups", "lanes"],
    ["shuffle Flip", "subgroups", "lanes"],
    ["lload Flip", "stores", "arithmetic"],
    ["stack_load Flip", "scratch", "arithmetic"],
    ["dfdx Flip", "interpolation", "clear"],
    ["iter Flip", "interpolation", "clear"],
    ["ldcf Flip", "interpolation", "clear"],
    ["smpf Flip", "filters", "arithmetic"],
    ["ld_tile Flip", "blend", "clear"],
    ["zs_emit Skip", "triangle", "clear"],
    ["errors", "calls", "lanes"],
    ["clock", "chip", "lanes"],
    ["caches compute barrier.BITS_4_20-0x10", "launches", "lanes"],
    ["register word.SPILL=0", "scratch", "lanes"],
    ["render command.EMPTY_TILES=0", "clear", "lanes"],
    ["render command.MULTISAMPLE=0", "samples", "clear"],
    ["viewport.SCALE_X=0", "viewports", "clear"],
    ["sampler.WRAP_S=1", "filters", "lanes"],
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--run") {
        let Ok(Asked::Run(name, side, folder)) = command::parse(arguments.into_iter()) else {
            return ExitCode::FAILURE;
        };
        return match command::run(&name, side, folder) {
            Ok(()) => ExitCode::SUCCESS,
            Err(problem) => {
                eprintln!("{problem}");
                ExitCode::FAILURE
            }
        };
    }
    if let Ok(names) = std::env::var(SESSION) {
        session_of(&names);
        return ExitCode::SUCCESS;
    }
    let mut tests = vec![Trial::test("all_experiments_give_what_the_machine_gives", all)];
    tests.extend(DIFFERENCES.iter().map(|row| {
        Trial::test(format!("a_difference_is_named_{}", row[0].replace(' ', "_")), || seeded(row))
    }));
    tests.push(Trial::test("a_recording_shows_what_the_device_did_differently", recorded));
    tests.push(Trial::test("variants_of_words_are_tried", words));
    tests.push(Trial::test("a_second_driver_tells_who_is_wrong", against));
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

/// Runs a session in this process and prints the results.
fn session_of(names: &str) {
    let kept = std::env::var_os(FOLDER).map(std::path::PathBuf::from);
    let own = || std::env::temp_dir().join(format!("agx-kit-{}", std::process::id()));
    let folder = kept.clone().unwrap_or_else(own);
    let only = names.split(',').filter(|name| !name.is_empty()).map(String::from).collect();
    let words = std::env::var(WORDS).ok().and_then(|name| agx_kit::words::find(&name));
    let manifest = std::env::var_os(AGAINST).map(Into::into);
    let plan = Plan {
        level: 3,
        only,
        against: manifest.is_some(),
        manifest,
        words: words.into_iter().collect(),
        folder: folder.clone(),
        seconds: 120,
        ..Plan::default()
    };
    let report = session::run(&plan, |_| ()).expect("a session");
    let text = report.text();
    assert!(text.len() < LIMIT, "{} bytes", text.len());
    if kept.is_none() {
        std::fs::remove_dir_all(folder).expect("removed");
    }
    println!("{text}");
    for entry in &report.entries {
        let is_kit = matches!(entry.verdict, Verdict::Kit(_));
        assert!(!is_kit, "{}: {:?}", entry.row.name, entry.verdict);
    }
    assert_eq!(report.stopped, None);
}

/// The report of a session in another process.
fn report(
    names: &str,
    difference: Option<&str>,
    variables: &[(&str, &std::path::Path)],
) -> Result<String, Failed> {
    let mut command = Command::new(std::env::current_exe()?);
    command.env(SESSION, names).env("AGX_DEVICE_STRICT", "no").envs(variables.iter().copied());
    if let Some(difference) = difference {
        let without = difference.strip_prefix("caches ");
        command.env(DIFFERENCE, without.unwrap_or(difference));
        command.envs(without.map(|_| ("AGX_DEVICE_CACHES", "yes")));
    }
    let output = command.output()?;
    let text = String::from_utf8(output.stdout)?;
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    Ok(text)
}

/// The result of an experiment in a report.
fn result<'t>(report: &'t str, name: &str) -> Option<&'t str> {
    let words = report.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let mut words = words.filter(|words| words.len() == 4 && words[0] == "experiment" && words[2] == name);
    words.next().map(|words| words[3])
}

fn all() -> Result<(), Failed> {
    let text = report("", None, &[])?;
    for row in agx_kit::experiments::rows() {
        assert_eq!(result(&text, row.name), Some("same"), "{}\n{text}", row.name);
    }
    Ok(())
}

fn seeded([difference, finds, unaffected]: &[&str; 3]) -> Result<(), Failed> {
    let text = report(&format!("{finds},{unaffected}"), Some(difference), &[])?;
    assert_eq!(result(&text, finds), Some("differs"), "{text}");
    assert_eq!(result(&text, unaffected), Some("same"), "{text}");
    Ok(())
}

/// A folder that is removed at the end.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Result<Folder, Failed> {
        let path = std::env::temp_dir().join(format!("agx-kit-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // It may be gone.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The recording has what the device wrote, and a replay on the machine that is documented differs from it.
fn recorded() -> Result<(), Failed> {
    let folder = Folder::new("recorded")?;
    let text = report("arithmetic", Some("fadd Flip"), &[(FOLDER, &folder.0)])?;
    assert!(text.contains("`agxc replay arithmetic.agxrec"), "{text}");
    let recording = Recording::parse(&std::fs::read(folder.0.join("arithmetic.agxrec"))?)?;
    assert_eq!(recording.submissions(), 3);
    // Nothing else stays.
    let mut names: Vec<_> =
        std::fs::read_dir(&folder.0)?.map(|entry| Ok(entry?.file_name())).collect::<Result<_, Failed>>()?;
    names.sort();
    assert_eq!(names, ["arithmetic.agxrec", "report.md"]);
    let replay = |text| {
        let settings =
            Settings::from_variables(false, |name| (name == "DIFFERENCE").then(|| String::from(text)))?;
        Ok::<_, Failed>(recording.replay(settings)?)
    };
    assert!(!replay("")?.differences.is_empty());
    assert!(replay("fadd Flip")?.differences.is_empty(), "a device with the same difference");
    let same = report("stores", Some("fadd Flip"), &[(FOLDER, &folder.0)])?;
    assert!(!same.contains("agxc replay") && !folder.0.join("stores.agxrec").exists());
    Ok(())
}

fn words() -> Result<(), Failed> {
    let text = report("lanes", None, &[(WORDS, "background-tag".as_ref())])?;
    // The machine does not look at the tag; without its low bits, the address of a program is another.
    assert!(text.contains("\nword background-tag clear same render command.CLEAR_STENCIL-0x300\n"), "{text}");
    assert_eq!(text.matches("\nword background-tag ").count(), 10, "{text}");
    let text = report("lanes", None, &[(WORDS, "program-kinds".as_ref())])?;
    assert_eq!(text.matches("\nword program-kinds ").count(), 20, "{text}");
    Ok(())
}

/// The manifest of lavapipe, which Debian's `mesa-vulkan-drivers` installs.
const LAVAPIPE: &str = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";

fn against() -> Result<(), Failed> {
    if !std::path::Path::new(LAVAPIPE).exists() {
        eprintln!("skipped: the package mesa-vulkan-drivers is not installed");
        return Ok(());
    }
    let text = report("lanes,control,order", Some("pop_exec Skip"), &[(AGAINST, LAVAPIPE.as_ref())])?;
    let blames: Vec<&str> = text.lines().filter(|line| line.starts_with("second ")).collect();
    // On the device that differs, the machine is right, and so is the other driver.
    assert_eq!(blames, ["second same none", "second same driver", "second same driver"], "{text}");
    Ok(())
}
