//! GLSL: the Khronos reference compiler, when it is installed, makes SPIR-V of it, which goes through our front end.
//! Otherwise naga parses it, which knows less of the language.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use agx_abi::Stage;
use agx_compiler::Location;

use crate::codes;
use crate::diagnostic::{Diagnostic, Failure};

/// The reference compiler.
const PROGRAM: &str = "glslangValidator";

/// Stages: ours, glslang's name and extension of files.
const STAGES: [(Stage, &str); 3] =
    [(Stage::Compute, "comp"), (Stage::Vertex, "vert"), (Stage::Fragment, "frag")];

/// What becomes of a GLSL shader.
pub enum Made {
    /// SPIR-V.
    SpirV(Vec<u8>),
    /// Nothing, as the reference compiler is not installed.
    #[cfg_attr(not(feature = "glsl"), allow(dead_code, reason = "nothing else reads GLSL"))]
    Absent(Stage),
}

/// The SPIR-V of the GLSL shader `text` from the file called `name`; without a `stage` the name's extension tells it.
pub fn to_spirv(text: &str, name: &str, stage: Option<Stage>) -> Result<Made, Failure> {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
    let row = STAGES.iter().find(|(ours, theirs)| match stage {
        Some(wanted) => *ours == wanted,
        None => extension == Some(*theirs),
    });
    let Some((ours, stage)) = row else {
        let message = "the stage of a GLSL shader is told by the extension of its name or by --stage";
        return Err(Diagnostic::new(105, message).in_file(name).into());
    };
    let output = std::env::temp_dir().join(format!("agxc-glsl-{}.spv", std::process::id()));
    let result = run(text, name, stage, &output).map(|made| made.map_or(Made::Absent(*ours), Made::SpirV));
    // Absent when the source was rejected; nothing to be done when it cannot be removed.
    let _ = std::fs::remove_file(&output);
    result
}

/// Why there is no way to read a GLSL shader.
#[cfg(not(feature = "glsl"))]
pub fn absent(name: &str) -> Failure {
    let message = format!(
        "GLSL needs {PROGRAM}, which is not installed (Debian package glslang-tools), or a build with the feature `glsl`"
    );
    Diagnostic::new(102, message).in_file(name).into()
}

/// Runs the reference compiler and reads what it leaves at `output`; `None` when it is not installed.
fn run(text: &str, name: &str, stage: &str, output: &PathBuf) -> Result<Option<Vec<u8>>, Failure> {
    let folder = Path::new(name).parent().filter(|folder| *folder != "").unwrap_or(Path::new("."));
    let child = Command::new(PROGRAM)
        .args(["-V", "-g", "--quiet", "--target-env", "vulkan1.3", "--stdin", "-S", stage])
        .arg(format!("-I{}", folder.display()))
        .arg("-o")
        .arg(output)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Failure::file(PROGRAM, &error)),
    };
    if let Some(mut stdin) = child.stdin.take() {
        // A program that rejects its input early closes the pipe; its exit code tells.
        let _ = stdin.write_all(text.as_bytes());
    }
    let result = child.wait_with_output().map_err(|error| Failure::file(PROGRAM, &error))?;
    if !result.status.success() {
        let printed = [result.stdout, result.stderr].concat();
        return Err(Failure::Problems(problems(&String::from_utf8_lossy(&printed), name)));
    }
    std::fs::read(output).map(Some).map_err(|error| Failure::file(&output.display().to_string(), &error))
}

/// The reference compiler's messages as ours. It counts lines, not columns.
fn problems(printed: &str, name: &str) -> Vec<Diagnostic> {
    let mut problems: Vec<Diagnostic> =
        printed.lines().filter_map(|line| problem(line.strip_prefix("ERROR: ")?, name)).collect();
    if problems.is_empty() {
        let message = format!("{PROGRAM} failed: {}", printed.lines().next().unwrap_or("it says nothing"));
        problems.push(Diagnostic::new(codes::INVALID, message).in_file(name));
    }
    problems
}

/// `FILE:LINE: MESSAGE`; sums at the end and `compilation terminated` are no problems of their own.
fn problem(text: &str, name: &str) -> Option<Diagnostic> {
    let (file, rest) = text.split_once(':')?;
    let (line, message) = rest.split_once(": ")?;
    let line = line.parse().ok()?;
    if message.contains("compilation terminated") {
        return None;
    }
    let file = if file == "stdin" { name } else { file };
    let message = message.trim().trim_start_matches("'' : ").trim_start();
    Some(Diagnostic::new(codes::INVALID, message).in_file(file).at(Location::Text { line, column: 1 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_keep_file_and_line() {
        let printed = "ERROR: stdin:2: 'x' : undeclared identifier \n\
                       ERROR: ./part.glsl:7: '' :  syntax error\n\
                       ERROR: stdin:2: '' : compilation terminated \n\
                       ERROR: 3 compilation errors.  No code generated.\n";
        let places: Vec<_> = problems(printed, "a.comp")
            .into_iter()
            .map(|problem| (problem.file, problem.location, problem.message))
            .collect();
        let at = |line| Location::Text { line, column: 1 };
        assert_eq!(
            places,
            [
                (Some("a.comp".into()), at(2), "'x' : undeclared identifier".into()),
                (Some("./part.glsl".into()), at(7), "syntax error".to_owned()),
            ]
        );
    }

    #[test]
    fn other_output_is_told_whole() {
        let problems = problems("cannot open display\n", "a.comp");
        assert_eq!(problems.len(), 1);
        assert!(problems[0].message.contains("cannot open display"));
    }
}
