//! Writes outputs: to standard output, or to a temporary file that is renamed when complete.

use std::io::{ErrorKind, IsTerminal as _, Write as _};
use std::path::Path;

use crate::diagnostic::{Diagnostic, Failure};
use crate::emit::Made;

/// Writes `bytes` to standard output. A closed pipe is [`Failure::ClosedPipe`].
pub fn stdout(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::ClosedPipe),
        Err(error) => Err(Failure::file("standard output", &error)),
    }
}

/// Columns of a line of text.
const COLUMNS: usize = 100;

/// The words of `text` in lines of at most [`COLUMNS`] characters, where words allow.
pub fn wrapped(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= COLUMNS => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}

/// Two hexadecimal digits per byte.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes lines to standard error and ignores errors.
pub fn stderr_lines(lines: &[String]) {
    let mut stderr = std::io::BufWriter::new(std::io::stderr().lock());
    // Standard error may be closed.
    let _ = lines.iter().try_for_each(|line| writeln!(stderr, "{line}"));
}

/// Writes text to `target`; to standard output if absent or `-`.
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

/// Writes `bytes` to a temporary file in the folder of `path` and renames it, so that `path` has either the whole
/// output or its old contents. Symbolic links are preserved. Devices and pipes (`/dev/null`) are written to and never
/// replaced.
pub fn file(path: &str, bytes: &[u8]) -> Result<(), Failure> {
    let named = Path::new(path);
    // A path that does not exist yet cannot be resolved.
    let target = std::fs::canonicalize(named).unwrap_or_else(|_| named.to_owned());
    let regular = std::fs::metadata(&target).map_or(true, |metadata| metadata.is_file());
    let written = if regular { replace(&target, bytes) } else { std::fs::write(&target, bytes) };
    written.map_err(|error| Failure::file(path, &error))
}

/// Replaces `target` by a new file.
fn replace(target: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut name = target.file_name().map(ToOwned::to_owned).unwrap_or_default();
    name.push(format!(".{}.part", std::process::id()));
    let beside = target.with_file_name(name);
    let written = std::fs::write(&beside, bytes).and_then(|()| std::fs::rename(&beside, target));
    if written.is_err() {
        // The temporary file may not exist; ignore errors.
        let _ = std::fs::remove_file(&beside);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_before_the_margin() {
        let text = wrapped(&"twelve chars ".repeat(30));
        assert!(text.lines().all(|line| line.len() <= COLUMNS) && text.lines().count() == 4, "{text}");
    }
}
