//! Writes outputs: to standard output, or beside the target file, renamed when complete.

use std::io::{ErrorKind, IsTerminal as _, Write as _};
use std::path::Path;

use crate::diagnostic::{Diagnostic, Failure};
use crate::emit::Made;

/// Writes `bytes` to standard output. A reader that has left is [`Failure::ClosedPipe`].
pub fn stdout(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::ClosedPipe),
        Err(error) => Err(Failure::file("standard output", &error)),
    }
}

/// Two hexadecimal digits a byte.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes lines to standard error, as far as anybody reads them.
pub fn stderr_lines(lines: &[String]) {
    let mut stderr = std::io::BufWriter::new(std::io::stderr().lock());
    // Nobody is left to tell when standard error itself is closed.
    let _ = lines.iter().try_for_each(|line| writeln!(stderr, "{line}"));
}

/// Writes text to `target`, standard output when absent or `-`.
pub fn text(target: Option<&str>, text: &str) -> Result<(), Failure> {
    match target {
        None | Some("-") => stdout(text.as_bytes()),
        Some(path) => file(path, text.as_bytes()),
    }
}

/// Writes binary data to `target`; never to a terminal.
pub fn binary(target: Option<&str>, bytes: &[u8]) -> Result<(), Failure> {
    match target {
        None | Some("-") if std::io::stdout().is_terminal() => Err(Diagnostic::new(
            3,
            "the output is binary and standard output is a terminal; name a file with -o",
        )
        .into()),
        None | Some("-") => stdout(bytes),
        Some(path) => file(path, bytes),
    }
}

/// Writes an output to `target`.
pub fn made(target: Option<&str>, made: &Made) -> Result<(), Failure> {
    match made {
        Made::Text(contents) => text(target, contents),
        Made::Binary(bytes) => binary(target, bytes),
    }
}

/// Writes `bytes` beside `path`, then renames: `path` holds the whole output or what it held before. A symbolic link
/// keeps pointing where it points; a device or a pipe (`/dev/null`) is written to, never replaced.
pub fn file(path: &str, bytes: &[u8]) -> Result<(), Failure> {
    let named = Path::new(path);
    // A path that does not exist yet has nothing to resolve.
    let target = std::fs::canonicalize(named).unwrap_or_else(|_| named.to_owned());
    let regular = std::fs::metadata(&target).map_or(true, |metadata| metadata.is_file());
    let written = if regular { replace(&target, bytes) } else { std::fs::write(&target, bytes) };
    written.map_err(|error| Failure::file(path, &error))
}

/// Puts a new file in the place of `target`.
fn replace(target: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut name = target.file_name().map(ToOwned::to_owned).unwrap_or_default();
    name.push(format!(".{}.part", std::process::id()));
    let beside = target.with_file_name(name);
    let written = std::fs::write(&beside, bytes).and_then(|()| std::fs::rename(&beside, target));
    if written.is_err() {
        // The part may not exist; there is nothing more to do about it either way.
        let _ = std::fs::remove_file(&beside);
    }
    written
}
