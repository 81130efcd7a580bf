//! GLSL and HLSL. The Khronos reference compiler, if it is installed, translates them to SPIR-V for our front end; for
//! HLSL dxc has priority. Without them, naga reads a subset of GLSL.

mod dialect;
mod functions;
mod translator;

pub use dialect::Dialect;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::process::Command;

use agx_abi::Stage;

use crate::context::Preprocessor;
use crate::diagnostic::{Diagnostic, Failure};
use crate::interrupt::Temporary;

/// Whether this system runs programs.
const RUNS_PROGRAMS: bool = cfg!(not(target_family = "wasm"));

/// The reference compiler.
const PROGRAM: &str = "glslangValidator";

/// Microsoft's compiler, which supports more of HLSL.
const DXC: &str = "dxc";

/// A stage that the translators know.
#[derive(PartialEq, Eq, Debug)]
struct StageRow {
    /// The stage of the compiled shader.
    stage: Stage,
    /// glslang's name, an extension of files.
    name: &'static str,
    /// dxc's profile.
    profile: &'static str,
    /// Other extensions of files.
    extensions: &'static [&'static str],
}

/// Every stage. The first row of a stage is its own.
static STAGES: [StageRow; 8] = [
    StageRow { stage: Stage::Compute, name: "comp", profile: "cs_6_2", extensions: &["cs", "csh"] },
    StageRow { stage: Stage::Vertex, name: "vert", profile: "vs_6_2", extensions: &["vs", "vsh"] },
    StageRow { stage: Stage::Fragment, name: "frag", profile: "ps_6_2", extensions: &["fs", "fsh", "ps"] },
    StageRow { stage: Stage::Compute, name: "geom", profile: "gs_6_2", extensions: &["gs", "gsh"] },
    StageRow { stage: Stage::Compute, name: "tesc", profile: "hs_6_2", extensions: &["tcs", "hs"] },
    StageRow { stage: Stage::Compute, name: "task", profile: "as_6_5", extensions: &["as"] },
    StageRow { stage: Stage::Compute, name: "mesh", profile: "ms_6_5", extensions: &["ms"] },
    StageRow { stage: Stage::Vertex, name: "tese", profile: "ds_6_2", extensions: &["tes", "ds"] },
];

/// Stages that are not supported, by the extension of files.
const OTHER_STAGES: [(&str, &str); 6] = [
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
    /// Name of its entry point, if an option gives it; HLSL only.
    pub entry: Option<&'r str>,
    /// Include folders and macros.
    pub preprocessor: &'r Preprocessor,
}

/// The entry point of an HLSL shader if no option names it.
const DEFAULT_ENTRY: &str = "main";

impl Request<'_> {
    fn entry(&self) -> &str {
        self.entry.unwrap_or(DEFAULT_ENTRY)
    }
}

/// A translated shader.
#[derive(Debug)]
pub struct Module {
    /// SPIR-V.
    pub bytes: Vec<u8>,
    /// The translator's warnings.
    pub warnings: Vec<Diagnostic>,
}

/// The result of a translation.
pub enum Made {
    /// SPIR-V.
    SpirV(Module),
    /// The reference compiler is not installed.
    #[cfg_attr(not(feature = "glsl"), allow(dead_code, reason = "nothing else reads GLSL"))]
    Absent(Stage),
}

/// The row of a request's stage. Without a stage in the request, the extension of the name determines it (`a.vert`,
/// `a.vert.hlsl`, `a.vert.glsl`).
fn stage_row(request: &Request<'_>) -> Result<&'static StageRow, Failure> {
    let name =
        [".hlsl", ".glsl"].iter().find_map(|last| request.name.strip_suffix(last)).unwrap_or(request.name);
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
    let fits = |row: &&StageRow| request.stage.is_none_or(|stage| row.stage == stage);
    let is_named = |row: &&StageRow| {
        extension.is_some_and(|extension| row.name == extension || row.extensions.contains(&extension))
    };
    let named = STAGES.iter().filter(fits).find(is_named);
    let row = named.or(STAGES.iter().find(|row| request.stage == Some(row.stage)));
    row.ok_or_else(|| unknown_stage(request.name, extension))
}

/// What a translation depends on, apart from the text and the preprocessor: glslang's name of the stage, and the entry
/// point.
pub fn identity(request: &Request<'_>) -> Result<(&'static str, String), Failure> {
    let entry = match request.language {
        Language::Glsl => String::new(),
        Language::Hlsl => request.entry().to_owned(),
    };
    Ok((stage_row(request)?.name, entry))
}

/// The SPIR-V of a shader.
pub fn to_spirv(request: &Request<'_>) -> Result<Made, Failure> {
    let row = stage_row(request)?;
    match if RUNS_PROGRAMS { by_program(request, row)? } else { None } {
        Some(module) => Ok(Made::SpirV(module)),
        None if request.language == Language::Hlsl => Err(no_translator(
            request.name,
            "HLSL needs dxc or glslangValidator, and neither is installed (install glslang-tools on Debian)",
        )),
        None if !request.preprocessor.is_empty() => Err(no_translator(
            request.name,
            "-I, -D, --glsl and --auto-map need glslangValidator, which is not installed (install glslang-tools on Debian)",
        )),
        None if !["comp", "vert", "frag"].contains(&row.name) => Err(no_translator(
            request.name,
            "geometry, tessellation, task and mesh shaders need glslangValidator, which is not installed (install glslang-tools on Debian)",
        )),
        None => Ok(Made::Absent(row.stage)),
    }
}

/// The SPIR-V from a translator that is installed.
fn by_program(request: &Request<'_>, row: &StageRow) -> Result<Option<Module>, Failure> {
    let temporary =
        Temporary::new(std::env::temp_dir().join(format!("agxc-{}-{}.spv", std::process::id(), unique())));
    let output = temporary.path();
    match request.language {
        Language::Hlsl => hlsl(request, row, output),
        Language::Glsl => {
            let dialect = request.preprocessor.dialect.as_deref().map(Dialect::find).transpose()?.flatten();
            let text = dialect.map(|dialect| dialect.for_vulkan(request.text, row.name));
            let text = text.map_or(Cow::Borrowed(request.text), Cow::Owned);
            let request = Request { text: &text, ..*request };
            translator::run(&request, glslang(&request, row, output), output)
        }
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
                "{stage} shaders are not supported; expected a vertex, tessellation, geometry, task, mesh, fragment or compute shader"
            ),
        ),
        None => Diagnostic::new(
            105,
            "cannot infer the shader stage; use --stage, or an extension such as .vert, .frag or .comp",
        ),
    };
    diagnostic.in_file(name).into()
}

/// Adds a hint to an error of the built-in GLSL reader: the dialect of `text` if it is not Vulkan's, or that the Khronos
/// compiler, which supports the whole language, is missing.
pub fn with_hint(mut diagnostic: Diagnostic, text: &str) -> Diagnostic {
    diagnostic.message.push_str(&match dialect::note(text) {
        Some(note) => format!("; {note}"),
        None if !RUNS_PROGRAMS => "; the built-in GLSL reader supports a subset".to_owned(),
        None => format!(
            "; {PROGRAM} is not installed, and the built-in GLSL reader supports a subset (install glslang-tools on Debian)"
        ),
    });
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
fn glslang(request: &Request<'_>, row: &StageRow, output: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    let Preprocessor { includes, defines, dialect, auto_map } = request.preprocessor;
    if request.language == Language::Hlsl {
        let entry = request.entry();
        command.args(["-D", "-e", entry, "--source-entrypoint", entry]);
    } else if *auto_map || dialect.is_some() {
        command.args(["-R", "--auto-map-bindings", "--auto-map-locations"]);
    }
    command.args(["-V", "-g", "--quiet", "--target-env", "vulkan1.3", "--stdin", "-S", row.name]);
    command.args(defines.iter().map(|define| format!("-D{define}")));
    command.arg(format!("-I{}", folder(request.name).display()));
    command.args(includes.iter().map(|folder| format!("-I{folder}")));
    command.arg("-o").arg(output);
    command
}

/// Translates with dxc, which reads only files, or else with the reference compiler.
fn hlsl(request: &Request<'_>, row: &StageRow, output: &Path) -> Result<Option<Module>, Failure> {
    let temporary = Temporary::new(output.with_extension("hlsl"));
    let input = temporary.path();
    std::fs::write(input, request.text)
        .map_err(|error| Failure::file(&input.display().to_string(), &error))?;
    let mut command = Command::new(DXC);
    command.args(["-spirv", "-fspv-target-env=vulkan1.3", "-fspv-debug=line", "-T", row.profile, "-E"]);
    command.arg(request.entry());
    command.arg("-I").arg(folder(request.name));
    command.args(request.preprocessor.includes.iter().map(|folder| format!("-I{folder}")));
    command.args(request.preprocessor.defines.iter().map(|define| format!("-D{define}")));
    command.arg("-Fo").arg(output).arg(input);
    match translator::run(request, command, output)? {
        Some(module) => Ok(Some(module)),
        None => translator::run(request, glslang(request, row, output), output),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_give_stages() {
        let stage = |name, stage| {
            let preprocessor = &Preprocessor::default();
            let request =
                Request { language: Language::Glsl, text: "", name, stage, entry: None, preprocessor };
            stage_row(&request).ok().map(|row| row.name)
        };
        let cases = [
            ("a.frag", Some("frag")),
            ("a.frag.glsl", Some("frag")),
            ("a.vert.hlsl", Some("vert")),
            ("a.fs", Some("frag")),
            ("a.vs", Some("vert")),
            ("a.ps.hlsl", Some("frag")),
            ("a.tese", Some("tese")),
            ("a.glsl", None),
            ("frag.glsl", None),
        ];
        for (name, expected) in cases {
            assert_eq!(stage(name, None), expected, "{name}");
        }
        assert_eq!(stage("a.glsl", Some(Stage::Fragment)), Some("frag"));
        assert_eq!(stage("a.geom", Some(Stage::Compute)), Some("geom"));
        assert_eq!(stage("a.frag", Some(Stage::Vertex)), Some("vert"), "an option overrides the name");
    }
}
