//! Runs glslangValidator or dxc and converts what they print.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use agx_compiler::Location;

use super::{DXC, Module, Request, dialect, functions};
use crate::codes;
use crate::diagnostic::{Diagnostic, Failure, Severity};
use crate::modules;

/// The diagnostic for a translator that fails for a reason other than the text.
const TRANSLATOR_FAILED: u16 = 111;
/// The diagnostic for a translator's warnings.
const WARNING: u16 = 508;
/// The compiler's code for an entry point that does not exist.
const NO_ENTRY: u16 = 1020;

/// Runs a translator with the text on its standard input and reads the file `output`; `None` if the translator is not
/// installed.
pub fn run(request: &Request<'_>, mut command: Command, output: &Path) -> Result<Option<Module>, Failure> {
    let program = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child: Child = match command.spawn() {
        Ok(child) => child,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Failure::file(&program, &error)),
    };
    if let Some(mut stdin) = child.stdin.take() {
        // A program that rejects its input early closes the pipe; its exit code reports the error.
        let _ = stdin.write_all(request.text.as_bytes());
    }
    let result = child.wait_with_output().map_err(|error| Failure::file(&program, &error))?;
    let printed = String::from_utf8_lossy(&[&*result.stdout, &*result.stderr].concat()).into_owned();
    let mut found = match program == DXC {
        true => clang_messages(&printed, request.name),
        false => messages(&printed, request.name),
    };
    if !result.status.success() {
        found.retain(|message| message.severity == Severity::Error);
        return Err(refusal(found, &program, &result, &printed, request));
    }
    if printed.contains("Entry point not found") {
        return Err(no_entry(request).into());
    }
    let bytes = std::fs::read(output).unwrap_or_default();
    if !modules::is_complete(&modules::words(&bytes)) || !bytes.len().is_multiple_of(4) {
        let message = format!(
            "{program} wrote {} bytes, which are not a whole module; is the folder for temporary files full?",
            bytes.len()
        );
        return Err(Diagnostic::new(codes::FILE, message).in_file(&output.display().to_string()).into());
    }
    Ok(Some(Module { bytes, warnings: found }))
}

/// The error of a translator that ended without success.
fn refusal(
    mut found: Vec<Diagnostic>,
    program: &str,
    result: &Output,
    printed: &str,
    request: &Request<'_>,
) -> Failure {
    if found.is_empty() {
        let first = printed.lines().find(|line| !line.trim().is_empty()).unwrap_or("no message");
        let message = format!("{program} failed ({}): {first}", result.status);
        return Diagnostic::new(TRANSLATOR_FAILED, message).in_file(request.name).into();
    }
    if request.language == super::Language::Glsl
        && let (Some(first), Some(note)) = (found.first_mut(), dialect::note(request.text))
    {
        first.message.push_str(&format!("; {note}"));
    }
    Failure::Problems(found)
}

/// The error for a name that no function of the text has. The reference compiler generates an empty function for it.
fn no_entry(request: &Request<'_>) -> Diagnostic {
    let known = functions::defined(request.text);
    let known = if known.is_empty() { "no function".to_owned() } else { known.join(", ") };
    let hint = if request.entry.is_none() { "; choose one with --entry" } else { "" };
    let message = format!("no entry point `{}`; the file defines {known}{hint}", request.entry());
    Diagnostic::new(NO_ENTRY, message).in_file(request.name)
}

/// An error or warning of a translator.
fn diagnostic(severity: Severity, message: &str) -> Diagnostic {
    match severity {
        Severity::Error => Diagnostic::new(codes::INVALID, message),
        Severity::Warning => Diagnostic::warning(WARNING, message),
    }
}

/// Converts dxc's messages: `FILE:LINE:COLUMN: error: MESSAGE`.
fn clang_messages(printed: &str, name: &str) -> Vec<Diagnostic> {
    let message = |line: &str, severity: Severity, separator: &str| {
        let (place, message) = line.split_once(separator)?;
        let mut words = place.rsplitn(3, ':');
        let (column, line, file) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?, words.next()?);
        let is_input = Path::new(file).starts_with(std::env::temp_dir());
        let file = if is_input { name } else { file };
        Some(diagnostic(severity, message).in_file(file).at(Location::Text { line, column }))
    };
    let either = |line: &str| {
        message(line, Severity::Error, ": error: ")
            .or_else(|| message(line, Severity::Warning, ": warning: "))
    };
    printed.lines().filter_map(either).collect()
}

/// Converts the reference compiler's messages, which have lines but no columns.
fn messages(printed: &str, name: &str) -> Vec<Diagnostic> {
    let message = |line: &str| {
        let either = line.strip_prefix("ERROR: ").map(|text| (Severity::Error, text));
        let (severity, text) =
            either.or_else(|| line.strip_prefix("WARNING: ").map(|text| (Severity::Warning, text)))?;
        message(severity, text, name)
    };
    let mut found: Vec<Diagnostic> = printed.lines().filter_map(message).collect();
    // After an error in the text, the compiler also reports that there is no entry point.
    let follows = |one: &Diagnostic| one.message.contains("Each stage requires one entry point");
    if !found.iter().all(follows) {
        found.retain(|one| !follows(one));
    }
    found
}

/// Converts `FILE:LINE: MESSAGE`, or a message without a place. Summaries at the end and `compilation terminated` are
/// ignored.
fn message(severity: Severity, text: &str, name: &str) -> Option<Diagnostic> {
    if ["compilation terminated", "compilation errors."].iter().any(|known| text.contains(known)) {
        return None;
    }
    let place = text.split_once(':').and_then(|(file, rest)| {
        let (line, message) = rest.split_once(": ")?;
        Some((file, line.parse().ok()?, message))
    });
    let Some((file, line, message)) = place else {
        return Some(diagnostic(severity, text.trim()).in_file(name));
    };
    let file = if file == "stdin" { name } else { file };
    let message = message.trim().trim_start_matches("'' : ").trim_start();
    Some(diagnostic(severity, message).in_file(file).at(Location::Text { line, column: 1 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(found: Vec<Diagnostic>) -> Vec<(u16, String, Location, String)> {
        found
            .into_iter()
            .map(|one| (one.code, one.file.unwrap_or_default(), one.location, one.message))
            .collect()
    }

    #[test]
    fn messages_keep_file_and_line() {
        let printed = "ERROR: #version: ES shaders for SPIR-V require version 310 or higher\n\
                       ERROR: stdin:2: 'x' : undeclared identifier \n\
                       ERROR: ./part.glsl:7: '' :  syntax error\n\
                       WARNING: stdin:1: '#extension' : extension is only partially supported: X\n\
                       ERROR: stdin:2: '' : compilation terminated \n\
                       ERROR: 3 compilation errors.  No code generated.\n\n\
                       ERROR: Linking fragment stage: Missing entry point: Each stage requires one entry point\n";
        let at = |line| Location::Text { line, column: 1 };
        let row =
            |code, file: &str, location, message: &str| (code, file.to_owned(), location, message.to_owned());
        assert_eq!(
            places(messages(printed, "a.comp")),
            [
                row(
                    200,
                    "a.comp",
                    Location::Whole,
                    "#version: ES shaders for SPIR-V require version 310 or higher"
                ),
                row(200, "a.comp", at(2), "'x' : undeclared identifier"),
                row(200, "./part.glsl", at(7), "syntax error"),
                row(508, "a.comp", at(1), "'#extension' : extension is only partially supported: X"),
            ]
        );
    }

    #[test]
    fn dxcs_messages_keep_file_line_and_column() {
        let input = std::env::temp_dir().join("agxc-1-0.hlsl");
        let printed = format!(
            "{}:3:7: error: use of undeclared identifier 'x'\n  x = 1;\n  ^\npart.hlsli:9:1: warning: odd\n",
            input.display()
        );
        let at = |line, column| Location::Text { line, column };
        assert_eq!(
            places(clang_messages(&printed, "a.hlsl")),
            [
                (200, "a.hlsl".into(), at(3, 7), "use of undeclared identifier 'x'".into()),
                (508, "part.hlsli".into(), at(9, 1), "odd".into()),
            ]
        );
    }
}
