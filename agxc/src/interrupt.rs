//! Temporary files, which are removed at the end and by signals that end the program, and a last act before that end.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What happens before a signal ends the program.
type Act = Box<dyn FnMut() + Send>;

struct AtEnd {
    paths: Vec<PathBuf>,
    act: Option<Act>,
    is_watched: bool,
}

static AT_END: Mutex<AtEnd> = Mutex::new(AtEnd { paths: Vec::new(), act: None, is_watched: false });

fn at_end() -> MutexGuard<'static, AtEnd> {
    AT_END.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file or folder.
pub struct Temporary(PathBuf);

impl Temporary {
    /// The file or folder at `path`, which may not exist yet.
    pub fn new(path: PathBuf) -> Temporary {
        let mut known = at_end();
        watch(&mut known);
        known.paths.push(path.clone());
        Temporary(path)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        at_end().paths.retain(|path| *path != self.0);
        remove(&self.0);
    }
}

fn remove(path: &Path) {
    // It may not exist; ignore errors.
    let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
}

/// Has `act` run before a signal ends the program.
pub fn before_end(act: impl FnMut() + Send + 'static) {
    let mut known = at_end();
    watch(&mut known);
    known.act = Some(Box::new(act));
}

/// Removes the act.
pub fn forget_act() {
    at_end().act = None;
}

/// Starts the thread that waits for signals.
#[cfg(unix)]
fn watch(known: &mut AtEnd) {
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    if std::mem::replace(&mut known.is_watched, true) {
        return;
    }
    // Without the thread, a signal ends the program at once.
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            let mut known = at_end();
            if let Some(act) = &mut known.act {
                act();
            }
            known.paths.iter().for_each(|path| remove(path));
            // It ends the program; if it cannot, the next signal tries again.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    });
}

#[cfg(not(unix))]
fn watch(known: &mut AtEnd) {
    known.is_watched = true;
}
