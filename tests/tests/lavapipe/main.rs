//! The project's own shaders, compared with lavapipe: the strict machine must leave the same contents in buffers as
//! Mesa's software driver, bit for bit or within the tolerance that a shader specifies.
//!
//! `//@` lines of a shader specify how to run it, see [`case`]. The module next to it is compiled; `BLESS=1 cargo test
//! -p agx-tests --test lavapipe` regenerates the modules with glslangValidator.

#![expect(clippy::print_stderr, reason = "a test says what it skips")]

mod case;
mod compare;
mod oracle;
mod pictures;
mod textures;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use agx_compiler::{CompileKey, Input};
use agx_tests::driver::{Resources, compile, launch_with};
use agx_tests::tools::{ToolError, Tools};
use case::Case;
use oracle::Oracle;

/// Minimum number of shaders for a meaningful comparison.
const LEAST_CASES: usize = 40;

/// Target environment of modules.
const TARGET: &str = "vulkan1.2";

/// Shared by all threads, because it numbers the files that it creates.
static TOOLS: LazyLock<Tools> =
    LazyLock::new(|| Tools::find(std::env::temp_dir().join("agx-tests-lavapipe-modules")));

fn shaders() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lavapipe/shaders");
    let entries = std::fs::read_dir(folder).expect("the folder of shaders");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "comp"))
        .collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> String {
    path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Generates the module `module` of the shader at `path`.
fn bless(path: &Path, module: &Path) {
    let arguments = ["-V", "--quiet", "--target-env", TARGET, "-o"];
    let made = Command::new("glslangValidator")
        .args(arguments)
        .arg(module)
        .arg(path)
        .status()
        .expect("glslangValidator is installed (Debian package glslang-tools)");
    assert!(made.success(), "{}", path.display());
}

/// The module of a shader of `stage`: compiled from `source` if glslangValidator is installed, else the one at `kept`.
/// If the same version of the program made the stored module, both must be equal.
fn module(kept: &Path, source: &str, stage: &str) -> Result<Vec<u8>, String> {
    let kept = std::fs::read(kept).map_err(|error| format!("module: {error}"))?;
    let made = match TOOLS.glsl_to_spirv_for(source, stage, TARGET) {
        Ok(made) => made,
        Err(ToolError::Absent { .. }) => return Ok(kept),
        Err(error) => return Err(error.to_string()),
    };
    let generator = |module: &[u8]| module.get(8..12).map(<[u8]>::to_vec);
    if generator(&made) == generator(&kept) && made != kept {
        return Err("the module beside the shader is not made from it: run with BLESS=1".to_owned());
    }
    Ok(made)
}

/// Runs the shader on the strict machine and on lavapipe, if it is installed.
fn check(path: &Path, oracle: Option<&Oracle>) -> Result<(), String> {
    let source = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let case = Case::parse(&source)?;
    let module = module(&path.with_extension("spv"), &source, "comp")?;
    let mut key = CompileKey::default();
    key.spec_constants = case.constants.iter().map(|(id, value)| (*id, u64::from(*value))).collect();
    let shader = compile(Input::spirv(&module), &key).map_err(|outcome| format!("compile: {outcome:?}"))?;
    let mut buffers = case.bindings();
    let mut textures: Vec<_> = case.textures.iter().map(|texture| texture.resource.clone()).collect();
    let samplers: Vec<_> = case.samplers.iter().map(|sampler| sampler.resource).collect();
    let resources = Resources {
        buffers: &mut buffers,
        textures: &mut textures,
        samplers: &samplers,
        push_constants: &case.push_constants,
    };
    launch_with(&shader, resources, case.groups, 1).map_err(|outcome| format!("run: {outcome:?}"))?;
    let Some(oracle) = oracle else { return Ok(()) };
    let expected = oracle.run(&case, &module)?;
    let asked = case.buffers.iter().map(|buffer| buffer.comparison);
    let asked = asked.chain(case.textures.iter().map(|texture| texture.comparison));
    let ours = buffers.iter().chain(textures.iter().map(|texture| &texture.buffer));
    for ((comparison, ours), expected) in asked.zip(ours).zip(&expected) {
        compare::buffers(&ours.bytes, expected, comparison)
            .map_err(|difference| format!("binding {}: {difference}", ours.binding))?;
    }
    Ok(())
}

/// Without lavapipe the shaders are still compiled and run on the strict machine.
#[test]
fn shaders_agree_with_lavapipe() {
    let paths = shaders();
    assert!(paths.len() >= LEAST_CASES, "{} shaders are too few", paths.len());
    if std::env::var_os("BLESS").is_some() {
        paths.iter().for_each(|path| bless(path, &path.with_extension("spv")));
        pictures::sources()
            .iter()
            .for_each(|path| bless(path, &PathBuf::from(format!("{}.spv", path.display()))));
    }
    let oracle = Oracle::find();
    if oracle.is_none() {
        eprintln!("skipped comparison: lavapipe is not installed (Debian: mesa-vulkan-drivers, libvulkan1)");
    }
    let failures: Vec<String> = paths
        .iter()
        .filter_map(|path| check(path, oracle.as_ref()).err().map(|error| format!("{}: {error}", name(path))))
        .collect();
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), paths.len(), failures.join("\n"));
}
