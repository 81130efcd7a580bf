//! External programs that some suites need: glslangValidator, spirv-as, valgrind. Their outputs are cached in a folder
//! by a hash of the inputs, so that a second run does not need them.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use thiserror::Error;

use crate::outcome::Outcome;

/// The reason why there is no output.
#[derive(Debug, Error)]
pub enum ToolError {
    /// The program is not installed.
    #[error("{name} is not installed (Debian package {package})")]
    Absent {
        /// The program.
        name: &'static str,
        /// The package that has it.
        package: &'static str,
    },
    /// The program rejects its input.
    #[error("{name} rejects the source: {message}")]
    Rejected {
        /// The program.
        name: &'static str,
        /// Its first message.
        message: String,
    },
    /// The program could not be run, or its output not be cached.
    #[error("{name}: {error}")]
    Io {
        /// The program.
        name: &'static str,
        /// The system's error.
        error: std::io::Error,
    },
}

impl From<ToolError> for Outcome {
    /// A missing program skips the case; other errors are failures.
    fn from(error: ToolError) -> Outcome {
        match error {
            ToolError::Absent { .. } => Outcome::Skipped(error.to_string()),
            _ => Outcome::Fail(error.to_string()),
        }
    }
}

/// An external program.
#[derive(Debug)]
struct Tool {
    name: &'static str,
    package: &'static str,
    /// Output of `--version`, part of the cache key; `None` if the program is missing.
    version: Option<String>,
}

impl Tool {
    fn find(name: &'static str, package: &'static str) -> Tool {
        let output = Command::new(name).arg("--version").stdin(Stdio::null()).output();
        let version = output.ok().map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        Tool { name, package, version }
    }

    fn absent(&self) -> ToolError {
        ToolError::Absent { name: self.name, package: self.package }
    }
}

/// Number of scratch files of this process. Several tests of a process may share a cache folder.
static FILES_MADE: AtomicU64 = AtomicU64::new(0);

/// The external programs and their cache.
#[derive(Debug)]
pub struct Tools {
    cache: PathBuf,
    glslang: Tool,
    spirv_as: Tool,
    valgrind: Tool,
}

impl Tools {
    /// Locates the programs. Outputs are cached in `cache`, which is created if needed.
    pub fn find(cache: impl Into<PathBuf>) -> Tools {
        Tools {
            cache: cache.into(),
            glslang: Tool::find("glslangValidator", "glslang-tools"),
            spirv_as: Tool::find("spirv-as", "spirv-tools"),
            valgrind: Tool::find("valgrind", "valgrind"),
        }
    }

    /// The SPIR-V of the GLSL shader `source`; `stage` is glslang's name of the stage (`comp`, `frag`, `vert`).
    ///
    /// # Errors
    /// [`ToolError`].
    pub fn glsl_to_spirv(&self, source: &str, stage: &str) -> Result<Vec<u8>, ToolError> {
        let arguments = ["-V", "--quiet", "--stdin", "-S", stage, "-o"];
        self.cached(&self.glslang, &arguments, source)
    }

    /// As [`Tools::glsl_to_spirv`], for glslang's target environment (`vulkan1.3`).
    ///
    /// # Errors
    /// [`ToolError`].
    pub fn glsl_to_spirv_for(&self, source: &str, stage: &str, target: &str) -> Result<Vec<u8>, ToolError> {
        let arguments = ["-V", "--quiet", "--stdin", "-S", stage, "--target-env", target, "-o"];
        self.cached(&self.glslang, &arguments, source)
    }

    /// As [`Tools::glsl_to_spirv_for`], for a test that is skipped with a message if the program is not installed.
    ///
    /// # Panics
    /// If the program rejects the source, which is a defect of the test.
    #[expect(clippy::print_stderr, reason = "a test says what it skips")]
    pub fn glsl_or_skip(&self, source: &str, stage: &str, target: &str) -> Option<Vec<u8>> {
        match self.glsl_to_spirv_for(source, stage, target) {
            Ok(module) => Some(module),
            Err(absent @ ToolError::Absent { .. }) => {
                eprintln!("skipped: {absent}");
                None
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// The module of the SPIR-V assembly `source`, for the version in its header comment.
    ///
    /// # Errors
    /// [`ToolError`].
    pub fn assemble_spirv(&self, source: &str) -> Result<Vec<u8>, ToolError> {
        let version =
            source.lines().find_map(|line| line.strip_prefix("; Version: ")).unwrap_or("1.0").trim();
        let environment = format!("spv{version}");
        let arguments = ["--target-env", &environment, "--preserve-numeric-ids", "-", "-o"];
        self.cached(&self.spirv_as, &arguments, source)
    }

    /// A command that runs its arguments under valgrind.
    ///
    /// # Errors
    /// [`ToolError::Absent`].
    pub fn valgrind(&self) -> Result<Command, ToolError> {
        match self.valgrind.version {
            Some(_) => Ok(Command::new(self.valgrind.name)),
            None => Err(self.valgrind.absent()),
        }
    }

    /// A unique path in the cache folder.
    pub fn scratch_path(&self, extension: &str) -> PathBuf {
        let number = FILES_MADE.fetch_add(1, Ordering::Relaxed);
        self.cache.join(format!("scratch-{}-{number}.{extension}", std::process::id()))
    }

    /// Output of `tool` with `arguments` and a path to write to, fed with `source`.
    fn cached(&self, tool: &Tool, arguments: &[&str], source: &str) -> Result<Vec<u8>, ToolError> {
        let version = tool.version.as_ref().ok_or_else(|| tool.absent())?;
        let mut hasher = DefaultHasher::new();
        (tool.name, version, arguments, source).hash(&mut hasher);
        let kept = self.cache.join(format!("{}-{:016x}-{}", tool.name, hasher.finish(), source.len()));
        if let Ok(bytes) = std::fs::read(&kept) {
            return Ok(bytes);
        }
        let failed = |error| ToolError::Io { name: tool.name, error };
        std::fs::create_dir_all(&self.cache).map_err(failed)?;
        let fresh = self.scratch_path("spv");
        let result = run(tool.name, arguments, &fresh, source).and_then(|()| {
            std::fs::rename(&fresh, &kept).map_err(failed)?;
            std::fs::read(&kept).map_err(failed)
        });
        // On success the file was renamed; ignore errors.
        let _ = std::fs::remove_file(&fresh);
        result
    }
}

/// Runs the program and waits for it.
fn run(name: &'static str, arguments: &[&str], output: &Path, source: &str) -> Result<(), ToolError> {
    let failed = |error| ToolError::Io { name, error };
    let mut child = Command::new(name)
        .args(arguments)
        .arg(output)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that rejects its input early closes the pipe; its exit code reports the error.
        let _ = stdin.write_all(source.as_bytes());
    }
    let result = child.wait_with_output().map_err(failed)?;
    if result.status.success() {
        return Ok(());
    }
    let text = [result.stdout, result.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    let message = text.lines().find(|line| line.to_lowercase().contains("error")).or(text.lines().next());
    Err(ToolError::Rejected { name, message: message.unwrap_or("no message").to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools(name: &str) -> Tools {
        Tools::find(std::env::temp_dir().join(format!("agx-tests-{name}-{}", std::process::id())))
    }

    #[test]
    fn an_absent_program_skips_and_is_named() {
        let tools = tools("absent");
        let absent = Tool::find("agx-no-such-program", "no-package");
        let error = tools.cached(&absent, &["-o"], "").expect_err("absent");
        assert!(matches!(Outcome::from(error), Outcome::Skipped(reason) if reason.contains("no-package")));
    }

    #[test]
    fn outputs_are_kept_and_rejections_are_told() {
        let tools = tools("cache");
        if tools.glslang.version.is_none() {
            return;
        }
        let source = "#version 450\nvoid main() {}\n";
        let first = tools.glsl_to_spirv(source, "comp").expect("valid");
        assert_eq!(first[..4], 0x0723_0203u32.to_le_bytes());
        assert_eq!(std::fs::read_dir(&tools.cache).expect("made").count(), 1, "one output, no scratch file");
        assert_eq!(tools.glsl_to_spirv(source, "comp").expect("kept"), first);
        let error = tools.glsl_to_spirv("#version 450\nvoid main() { x }\n", "comp").expect_err("invalid");
        assert!(matches!(error, ToolError::Rejected { .. }), "{error}");
        std::fs::remove_dir_all(&tools.cache).expect("ours");
    }
}
