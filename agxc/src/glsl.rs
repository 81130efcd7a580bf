//! GLSL: the Khronos reference compiler, when it is installed, translates it to SPIR-V, which our front end reads.
//! Otherwise naga reads it, which supports a subset of the language.

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

/// Stages that are not supported, by the extension of files.
const OTHER_STAGES: [(&str, &str); 11] = [
    ("geom", "geometry"),
    ("tesc", "tessellation control"),
    ("tese", "tessellation evaluation"),
    ("mesh", "mesh"),
    ("task", "task"),
    ("rgen", "ray generation"),
    ("rint", "ray intersection"),
    ("rahit", "any-hit"),
    ("rchit", "closest-hit"),
    ("rmiss", "miss"),
    ("rcall", "callable"),
];

/// A GLSL shader, translated or not.
pub enum Made {
    /// SPIR-V.
    SpirV(Vec<u8>),
    /// The reference compiler is not installed.
    #[cfg_attr(not(feature = "glsl"), allow(dead_code, reason = "nothing else reads GLSL"))]
    Absent(Stage),
}

/// The SPIR-V of the GLSL shader `text` from the file called `name`; without a `stage` the name's extension decides.
pub fn to_spirv(text: &str, name: &str, stage: Option<Stage>) -> Result<Made, Failure> {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
    let row = STAGES.iter().find(|(ours, theirs)| match stage {
        Some(wanted) => *ours == wanted,
        None => extension == Some(*theirs),
    });
    let Some((ours, stage)) = row else { return Err(unknown_stage(name, extension)) };
    let output = std::env::temp_dir().join(format!("agxc-glsl-{}.spv", std::process::id()));
    let result = run(text, name, stage, &output).map(|made| made.map_or(Made::Absent(*ours), Made::SpirV));
    // Absent when the source was rejected; nothing to be done when it cannot be removed.
    let _ = std::fs::remove_file(&output);
    result
}

fn unknown_stage(name: &str, extension: Option<&str>) -> Failure {
    let other = OTHER_STAGES.iter().find(|(known, _)| extension == Some(*known));
    let diagnostic = match other {
        Some((_, stage)) => Diagnostic::new(
            109,
            format!("{stage} shaders are not supported; expected a vertex, fragment or compute shader"),
        ),
        None => Diagnostic::new(105, "cannot infer the shader stage; use .vert, .frag, .comp or --stage"),
    };
    diagnostic.in_file(name).into()
}

/// Adds to an error of the built-in GLSL reader that the Khronos compiler, which reads all of the language, is missing.
pub fn with_hint(mut diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.message.push_str(&format!(
        "; {PROGRAM} is not installed, and the built-in GLSL reader supports a subset (install glslang-tools on Debian)"
    ));
    diagnostic
}

/// Why there is no way to read a GLSL shader.
#[cfg(not(feature = "glsl"))]
pub fn absent(name: &str) -> Failure {
    let message = format!(
        "GLSL needs {PROGRAM}, which is not installed (install glslang-tools on Debian), or a build with the feature `glsl`"
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
        // A program that rejects its input early closes the pipe; its exit code says so.
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
        let message = format!("{PROGRAM} failed: {}", printed.lines().next().unwrap_or("no message"));
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
