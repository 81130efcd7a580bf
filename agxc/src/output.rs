//! Writes outputs: to standard output, or to a temporary file that is renamed when complete.

use std::borrow::Cow;
use std::fmt;
use std::fs::{File, Metadata};
use std::io::{BufWriter, ErrorKind, IsTerminal as _, Write};
#[cfg(unix)]
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::diagnostic::{Diagnostic, Failure};
use crate::emit::Made;

/// Writes `bytes` to standard output. A closed pipe is [`Failure::ClosedPipe`].
pub fn stdout(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(bytes).and_then(|()| stdout.flush()).or_else(stdout_error)
}

/// The failure to write to standard output.
fn stdout_error(error: std::io::Error) -> Result<(), Failure> {
    match error.kind() {
        ErrorKind::BrokenPipe => Err(Failure::ClosedPipe),
        _ => Err(Failure::file("standard output", &error)),
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

/// `text` with visible signs for characters that a terminal would obey or hide: control characters, and those that
/// change the direction of text.
pub fn printable(text: &str) -> Cow<'_, str> {
    let sign = |c: char| match c {
        '\0'..='\x1f' => char::from_u32(0x2400 + c as u32),
        '\x7f' => Some('\u{2421}'),
        '\u{80}'..='\u{9f}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{feff}' => Some(char::REPLACEMENT_CHARACTER),
        _ => None,
    };
    match text.chars().any(|c| sign(c).is_some()) {
        true => text.chars().map(|c| sign(c).unwrap_or(c)).collect::<String>().into(),
        false => text.into(),
    }
}

/// Two hexadecimal digits per byte.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A path as a relative reference of a page or a log: with `/`, and percent signs for what is not plain.
pub fn reference(path: &str) -> String {
    let letter = |byte: u8| match byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    path.replace('\\', "/").bytes().map(letter).collect()
}

/// Writes lines to standard error and ignores errors.
pub fn stderr_lines(lines: &[String]) {
    let mut stderr = BufWriter::new(std::io::stderr().lock());
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

/// Text on its way to an output.
pub struct Text<'w> {
    to: &'w mut dyn Write,
    error: Option<std::io::Error>,
}

impl fmt::Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.to.write_all(text.as_bytes()).map_err(|error| {
            self.error = Some(error);
            fmt::Error
        })
    }
}

/// Writes the text that `write` makes to `target` piece by piece, so that a long text needs no memory.
pub fn streamed(
    target: Option<&str>,
    write: impl FnOnce(&mut Text<'_>) -> fmt::Result,
) -> Result<(), Failure> {
    let write = |to: &mut dyn Write| {
        let mut text = Text { to, error: None };
        let written = write(&mut text);
        match text.error {
            Some(error) => Err(error),
            None => written.map_err(std::io::Error::other).and_then(|()| to.flush()),
        }
    };
    match target {
        None | Some("-") => {
            let mut stdout = BufWriter::new(std::io::stdout().lock());
            write(&mut stdout).or_else(stdout_error)
        }
        Some(path) => file_with(path, write),
    }
}

/// Rejects a pipe or device as a file that is read and then written.
pub fn check_regular(path: &str) -> Result<(), Failure> {
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() && !found.is_dir() => Err(Failure::file(
            path,
            &std::io::Error::other("expected a regular file, which is read and written"),
        )),
        _ => Ok(()),
    }
}

/// Writes `bytes` to the file at `path`.
pub fn file(path: &str, bytes: &[u8]) -> Result<(), Failure> {
    file_with(path, |to| to.write_all(bytes))
}

/// Writes to a temporary file in the folder of `path` and renames it, so that `path` has either the whole output or its
/// old contents; it keeps its permissions. Symbolic links are followed. Devices and pipes (`/dev/null`) are written to
/// and never replaced.
fn file_with(path: &str, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<(), Failure> {
    let written = resolved(Path::new(path)).and_then(|target| match std::fs::metadata(&target) {
        Ok(old) if !old.is_file() => write(&mut File::create(&target)?),
        old => replace(&target, old.ok().as_ref(), write),
    });
    written.map_err(|error| Failure::file(path, &error))
}

/// Most links that a path goes through.
const MOST_LINKS: usize = 40;

/// The file that a path denotes; it need not exist.
fn resolved(named: &Path) -> std::io::Result<PathBuf> {
    match std::fs::canonicalize(named) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        result => return result,
    }
    // A new file, or a link to one.
    let mut path = named.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(next) = std::fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(next);
    }
    Ok(path)
}

/// Replaces `target` by a new file with the owner and permissions of the old one.
fn replace(
    target: &Path,
    old: Option<&Metadata>,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut name = target.file_name().map(ToOwned::to_owned).unwrap_or_default();
    name.push(format!(".{}.part", std::process::id()));
    let beside = target.with_file_name(name);
    let written = fill(&beside, old, write).and_then(|()| std::fs::rename(&beside, target));
    if written.is_err() {
        // The temporary file may not exist; ignore errors.
        let _ = std::fs::remove_file(&beside);
    }
    written
}

fn fill(
    path: &Path,
    old: Option<&Metadata>,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let file = File::create(path)?;
    if let Some(old) = old {
        // Only a privileged process may give files away; the output is then its own.
        #[cfg(unix)]
        let _ = std::os::unix::fs::fchown(&file, Some(old.uid()), Some(old.gid()));
        file.set_permissions(old.permissions())?;
    }
    let mut buffered = BufWriter::new(file);
    write(&mut buffered)?;
    buffered.flush()
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
