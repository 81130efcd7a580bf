//! Environment variables: reports, listings, statistics.

use std::io::Write as _;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Instant;

use agx_device::kernel::Chip;
use agx_device::{Change, Settings, Statistics};
use agx_driver::Error;
use agx_driver::gpu::{Gpu, Host, Keep, Observed, Outputs};

/// Destination of reports.
fn output() -> &'static Mutex<Box<dyn std::io::Write + Send>> {
    static OUTPUT: OnceLock<Mutex<Box<dyn std::io::Write + Send>>> = OnceLock::new();
    OUTPUT.get_or_init(|| {
        let append = |path| std::fs::OpenOptions::new().create(true).append(true).open(path).ok();
        let file = std::env::var_os("AGX_DEVICE_REPORT").and_then(append);
        Mutex::new(match file {
            Some(file) => Box::new(file),
            None => Box::new(std::io::stderr()),
        })
    })
}

/// Writes a sentence to the report; errors are ignored.
pub(crate) fn report(text: &str) {
    let mut output = output().lock().unwrap_or_else(PoisonError::into_inner);
    let _ = writeln!(output, "agx: {text}");
}

/// Reports why the device is refused, and returns the error.
fn refused(why: &str, what: &'static str) -> Error {
    report(why);
    Error::Unsupported { what }
}

/// Saves a shader module to a file, if requested; errors are ignored.
pub(crate) fn keep_module(code: &[u8]) {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    if let Some(folder) = std::env::var_os("AGX_DEVICE_SHADERS") {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        drop(std::fs::write(std::path::Path::new(&folder).join(format!("{number:04}.spv")), code));
    }
}

/// The conformance version that the driver reports; by default none.
pub(crate) fn conformance() -> [u8; 4] {
    let mut version = [0; 4];
    if let Ok(text) = std::env::var("AGX_CONFORMANCE_VERSION") {
        let parts = text.split('.').map(|part| part.parse().unwrap_or(0));
        version.iter_mut().zip(parts).for_each(|(to, from)| *to = from);
    }
    version
}

/// Nanoseconds since the first call.
fn clock() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64 + 1
}

/// The chip that `AGX_DEVICE_CHIP` names.
fn chip() -> Result<Chip, Error> {
    match std::env::var("AGX_DEVICE_CHIP") {
        Ok(name) => Chip::find(&name).ok_or_else(|| {
            refused(&format!("unknown chip `{name}` in AGX_DEVICE_CHIP"), "a chip of this name")
        }),
        Err(_) => Ok(Chip::default()),
    }
}

/// The doors to the kernel that `AGX_DRIVER` selects.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Doors {
    /// A render node if there is one, else a device in process.
    Auto,
    /// A render node only.
    Node,
    /// A device in process only.
    Device,
}

fn doors() -> Result<Doors, Error> {
    match std::env::var("AGX_DRIVER").as_deref() {
        Ok("auto") | Err(_) => Ok(Doors::Auto),
        Ok("node") => Ok(Doors::Node),
        Ok("device") => Ok(Doors::Device),
        Ok(other) => {
            let why = format!("unknown value `{other}` of AGX_DRIVER; expected `auto`, `node` or `device`");
            Err(refused(&why, "a door of this name"))
        }
    }
}

/// Major and minor number of the render node that devices use; `None` if they are in process.
pub(crate) fn node() -> Option<[u32; 2]> {
    static NODE: OnceLock<Option<[u32; 2]>> = OnceLock::new();
    *NODE.get_or_init(|| match doors() {
        Ok(Doors::Auto | Doors::Node) => agx_node::find(),
        Ok(Doors::Device) | Err(_) => None,
    })
}

/// Opens the device, observed if `AGX_DRIVER_WORDS` or `AGX_DRIVER_RECORD` asks for it.
pub(crate) fn open() -> Result<Box<dyn Gpu>, Error> {
    let changes = std::env::var("AGX_DRIVER_WORDS").map(|text| Change::parse_list(&text));
    let changes = changes
        .unwrap_or_else(|_| Ok(Vec::new()))
        .map_err(|error| refused(&format!("AGX_DRIVER_WORDS: {error}"), "a change of words"))?;
    let keep = std::env::var_os("AGX_DRIVER_RECORD")
        .map(|path| -> Keep { Box::new(move |recording| drop(std::fs::write(&path, recording))) });
    let gpu = unobserved()?;
    match changes.is_empty() && keep.is_none() {
        true => Ok(gpu),
        false => Ok(Box::new(Observed::new(gpu, changes, keep))),
    }
}

fn unobserved() -> Result<Box<dyn Gpu>, Error> {
    let doors = doors()?;
    if doors != Doors::Device
        && let Some(node) = agx_node::open()
    {
        return Ok(Box::new(node?));
    }
    if doors == Doors::Node {
        let why = "AGX_DRIVER is `node`, and no render node of an AGX GPU is in /dev/dri";
        return Err(refused(why, "a device without a render node"));
    }
    in_process()
}

/// Opens the device in process, which devices share.
fn in_process() -> Result<Box<dyn Gpu>, Error> {
    static HOST: Mutex<Weak<Host>> = Mutex::new(Weak::new());
    let mut host = HOST.lock().unwrap_or_else(PoisonError::into_inner);
    let shared = match host.upgrade() {
        Some(shared) => shared,
        None => Host::new(chip()?, settings()?, clock, outputs()),
    };
    *host = Arc::downgrade(&shared);
    Ok(Box::new(shared.client()?))
}

/// Settings by the variables of the device, without strict checks unless one asks for them.
fn settings() -> Result<Settings, Error> {
    let variable = |name: &str| std::env::var_os(format!("AGX_DEVICE_{name}"));
    let text = |name: &str| variable(name).map(|value| value.to_string_lossy().into_owned());
    Settings::from_variables(false, text)
        .map_err(|error| refused(&error.to_string(), "a value of a variable of the device"))
}

fn outputs() -> Outputs {
    let trace = std::env::var_os("AGX_DEVICE_TRACE").and_then(|path| std::fs::File::create(path).ok());
    let statistics = std::env::var_os("AGX_DEVICE_STATISTICS");
    Outputs {
        report: Box::new(|finding| report(&finding.to_string())),
        // Errors in writing listings and statistics are ignored.
        trace: trace.map(|mut file| -> Box<dyn FnMut(&str) + Send> {
            Box::new(move |listing| drop(file.write_all(listing.as_bytes())))
        }),
        statistics: statistics.map(|path| -> Box<dyn FnMut(&Statistics) + Send> {
            Box::new(move |statistics| drop(std::fs::write(&path, statistics.to_string())))
        }),
        recording: std::env::var_os("AGX_DEVICE_RECORD").map(|path| -> Box<dyn FnMut(&[u8]) + Send> {
            Box::new(move |recording| drop(std::fs::write(&path, recording)))
        }),
    }
}
