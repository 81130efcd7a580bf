//! GLSL and HLSL. The Khronos reference compiler, if it is installed, translates them to SPIR-V for our front end; for
//! HLSL dxc has priority. Without them, naga reads a subset of GLSL.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use agx_abi::Stage;
use agx_compiler::Location;

use crate::codes;
use crate::context::Preprocessor;
use crate::diagnostic::{Diagnostic, Failure};
use crate::interrupt::Temporary;

/// The reference compiler.
const PROGRAM: &str = "glslangValidator";

/// Microsoft's compiler, which supports more of HLSL.
const DXC: &str = "dxc";

/// Stages: ours, glslang's name and extension of files, dxc's profile. The first row of a stage is its own.
const STAGES: [(Stage, &str, &str); 6] = [
    (Stage::Compute, "comp", "cs_6_2"),
    (Stage::Vertex, "vert", "vs_6_2"),
    (Stage::Fragment, "frag", "ps_6_2"),
    (Stage::Compute, "geom", "gs_6_2"),
    (Stage::Compute, "tesc", "hs_6_2"),
    (Stage::Vertex, "tese", "ds_6_2"),
];

/// Stages that are not supported, by the extension of files.
const OTHER_STAGES: [(&str, &str); 8] = [
    ("mesh", "mesh"),
    ("task", "task"),
    ("rgen", "ray generation"),
    ("rint", "ray intersection"),
    ("rahit", "any-hit"),
    ("rchit", "closest-hit"),
    ("rmiss", "miss"),
    ("rcall", "callable"),
];

/// A language that external programs translate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// OpenGL's language.
    Glsl,
    /// Direct3D's language.
    Hlsl,
}

/// A shader to translate.
#[derive(Clone, Copy)]
pub struct Request<'r> {
    /// Its language.
    pub language: Language,
    /// Its text.
    pub text: &'r str,
    /// Name of its file.
    pub name: &'r str,
    /// Its stage, if an option gives it.
    pub stage: Option<Stage>,
    /// Include folders, macros and the entry point.
    pub preprocessor: &'r Preprocessor,
}

/// The result of a translation.
pub enum Made {
    /// SPIR-V.
    SpirV(Vec<u8>),
    /// The reference compiler is not installed.
    #[cfg_attr(not(feature = "glsl"), allow(dead_code, reason = "nothing else reads GLSL"))]
    Absent(Stage),
}

/// The SPIR-V of a shader. Without a stage in the request, the extension of the name determines it (`a.vert`,
/// `a.vert.hlsl`).
pub fn to_spirv(request: &Request<'_>) -> Result<Made, Failure> {
    let name = request.name.strip_suffix(".hlsl").unwrap_or(request.name);
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
    let fits = |row: &&(Stage, &str, &str)| request.stage.is_none_or(|stage| row.0 == stage);
    let named = STAGES.iter().filter(fits).find(|row| extension == Some(row.1));
    let row = named.or(STAGES.iter().find(|row| request.stage == Some(row.0)));
    let Some((ours, stage, profile)) = row else { return Err(unknown_stage(request.name, extension)) };
    let output = std::env::temp_dir().join(format!("agxc-{}-{}.spv", std::process::id(), unique()));
    let temporary = Temporary::new(output);
    let output = temporary.path();
    let made = match request.language {
        Language::Hlsl => hlsl(request, stage, profile, output),
        Language::Glsl => run(request, glslang(request, stage, output), output),
    };
    match made? {
        Some(bytes) => Ok(Made::SpirV(bytes)),
        None if request.language == Language::Hlsl => Err(no_translator(
            request.name,
            "HLSL needs dxc or glslangValidator, and neither is installed (install glslang-tools on Debian)",
        )),
        None if !request.preprocessor.is_empty() => Err(no_translator(
            request.name,
            "-I and -D need glslangValidator, which is not installed (install glslang-tools on Debian)",
        )),
        None if !["comp", "vert", "frag"].contains(stage) => Err(no_translator(
            request.name,
            "geometry and tessellation shaders need glslangValidator, which is not installed (install glslang-tools on Debian)",
        )),
        None => Ok(Made::Absent(*ours)),
    }
}

/// A number that is unique in this process.
fn unique() -> usize {
    static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

fn no_translator(name: &str, message: &str) -> Failure {
    Diagnostic::new(102, message).in_file(name).into()
}

fn unknown_stage(name: &str, extension: Option<&str>) -> Failure {
    let other = OTHER_STAGES.iter().find(|(known, _)| extension == Some(*known));
    let diagnostic = match other {
        Some((_, stage)) => Diagnostic::new(
            109,
            format!(
                "{stage} shaders are not supported; expected a vertex, tessellation, geometry, fragment or compute shader"
            ),
        ),
        None => Diagnostic::new(
            105,
            "cannot infer the shader stage; use --stage, or an extension such as .vert, .frag or .comp",
        ),
    };
    diagnostic.in_file(name).into()
}

/// Adds a hint to an error of the built-in GLSL reader that the Khronos compiler, which supports the whole language, is
/// missing.
pub fn with_hint(mut diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.message.push_str(&format!(
        "; {PROGRAM} is not installed, and the built-in GLSL reader supports a subset (install glslang-tools on Debian)"
    ));
    diagnostic
}

/// The error for a GLSL shader without a translator.
#[cfg(not(feature = "glsl"))]
pub fn absent(name: &str) -> Failure {
    let message = format!(
        "GLSL needs {PROGRAM}, which is not installed (install glslang-tools on Debian), or a build with the feature `glsl`"
    );
    Diagnostic::new(102, message).in_file(name).into()
}

/// The folder that includes are relative to.
fn folder(name: &str) -> PathBuf {
    Path::new(name)
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
        .to_owned()
}

/// The reference compiler's command line.
fn glslang(request: &Request<'_>, stage: &str, output: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    if request.language == Language::Hlsl {
        let entry = request.preprocessor.entry.as_deref().unwrap_or("main");
        command.args(["-D", "-e", entry, "--source-entrypoint", entry]);
    }
    command.args(["-V", "-g", "--quiet", "--target-env", "vulkan1.3", "--stdin", "-S", stage]);
    command.args(request.preprocessor.defines.iter().map(|define| format!("-D{define}")));
    command.arg(format!("-I{}", folder(request.name).display()));
    command.args(request.preprocessor.includes.iter().map(|folder| format!("-I{folder}")));
    command.arg("-o").arg(output);
    command
}

/// Translates with dxc, which reads only files, or else with the reference compiler.
fn hlsl(
    request: &Request<'_>,
    stage: &str,
    profile: &str,
    output: &Path,
) -> Result<Option<Vec<u8>>, Failure> {
    let temporary = Temporary::new(output.with_extension("hlsl"));
    let input = temporary.path();
    std::fs::write(input, request.text)
        .map_err(|error| Failure::file(&input.display().to_string(), &error))?;
    let mut command = Command::new(DXC);
    command.args(["-spirv", "-fspv-target-env=vulkan1.3", "-fspv-debug=line", "-T", profile, "-E"]);
    command.arg(request.preprocessor.entry.as_deref().unwrap_or("main"));
    command.arg("-I").arg(folder(request.name));
    command.args(request.preprocessor.includes.iter().map(|folder| format!("-I{folder}")));
    command.args(request.preprocessor.defines.iter().map(|define| format!("-D{define}")));
    command.arg("-Fo").arg(output).arg(input);
    match run(request, command, output)? {
        Some(bytes) => Ok(Some(bytes)),
        None => run(request, glslang(request, stage, output), output),
    }
}

/// Runs a translator with the text on its standard input and reads the file `output`; `None` if the translator is not
/// installed.
fn run(request: &Request<'_>, mut command: Command, output: &Path) -> Result<Option<Vec<u8>>, Failure> {
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
    if !result.status.success() {
        let printed = [result.stdout, result.stderr].concat();
        let printed = String::from_utf8_lossy(&printed).into_owned();
        let problems = if program == DXC {
            clang_problems(&printed, request.name)
        } else {
            problems(&printed, request.name)
        };
        return Err(Failure::Problems(problems));
    }
    std::fs::read(output).map(Some).map_err(|error| Failure::file(&output.display().to_string(), &error))
}

/// Converts dxc's messages: `FILE:LINE:COLUMN: error: MESSAGE`.
fn clang_problems(printed: &str, name: &str) -> Vec<Diagnostic> {
    let problem = |line: &str| {
        let (place, message) = line.split_once(": error: ")?;
        let mut words = place.rsplitn(3, ':');
        let (column, line, file) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?, words.next()?);
        let is_input = Path::new(file).starts_with(std::env::temp_dir());
        let file = if is_input { name } else { file };
        let location = Location::Text { line, column };
        Some(Diagnostic::new(codes::INVALID, message).in_file(file).at(location))
    };
    let problems: Vec<Diagnostic> = printed.lines().filter_map(problem).collect();
    if !problems.is_empty() {
        return problems;
    }
    let first = printed.lines().next().unwrap_or("no message");
    vec![Diagnostic::new(codes::INVALID, format!("{DXC} failed: {first}")).in_file(name)]
}

/// Converts the reference compiler's messages, which have lines but no columns.
fn problems(printed: &str, name: &str) -> Vec<Diagnostic> {
    let mut problems: Vec<Diagnostic> =
        printed.lines().filter_map(|line| problem(line.strip_prefix("ERROR: ")?, name)).collect();
    if problems.is_empty() {
        let message = format!("{PROGRAM} failed: {}", printed.lines().next().unwrap_or("no message"));
        problems.push(Diagnostic::new(codes::INVALID, message).in_file(name));
    }
    problems
}

/// Converts `FILE:LINE: MESSAGE`. Summaries at the end and `compilation terminated` are ignored.
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
    fn dxcs_messages_keep_file_line_and_column() {
        let input = std::env::temp_dir().join("agxc-1-0.hlsl");
        let printed = format!(
            "{}:3:7: error: use of undeclared identifier 'x'\n  x = 1;\n  ^\npart.hlsli:9:1: error: no\n",
            input.display()
        );
        let found: Vec<_> = clang_problems(&printed, "a.hlsl")
            .into_iter()
            .map(|problem| (problem.file, problem.location))
            .collect();
        let at = |line, column| Location::Text { line, column };
        assert_eq!(found, [(Some("a.hlsl".into()), at(3, 7)), (Some("part.hlsli".into()), at(9, 1))]);
    }

    #[test]
    fn other_output_is_told_whole() {
        let problems = problems("cannot open display\n", "a.comp");
        assert_eq!(problems.len(), 1);
        assert!(problems[0].message.contains("cannot open display"));
    }
}
