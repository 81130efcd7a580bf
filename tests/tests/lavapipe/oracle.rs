//! lavapipe, through a separate program: calling Vulkan needs unsafe code, which this workspace avoids.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::case::Case;

/// Possible paths of the driver's manifest.
const DRIVERS: [&str; 2] =
    ["/usr/share/vulkan/icd.d/lvp_icd.x86_64.json", "/usr/share/vulkan/icd.d/lvp_icd.json"];

/// The program that runs shaders on lavapipe.
pub struct Oracle {
    program: PathBuf,
    driver: &'static Path,
}

impl Oracle {
    /// Builds the program if the driver is installed.
    pub fn find() -> Option<Oracle> {
        let driver = DRIVERS.into_iter().map(Path::new).find(|path| path.exists())?;
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("lavapipe-runner");
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lavapipe-runner");
        let build = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--locked", "--target-dir"])
            .arg(&target)
            .arg("--manifest-path")
            .arg(folder.join("Cargo.toml"))
            .output()
            .expect("cargo runs");
        assert!(build.status.success(), "lavapipe-runner: {}", String::from_utf8_lossy(&build.stderr));
        Some(Oracle { program: target.join("debug/lavapipe-runner"), driver })
    }

    /// The output of the program for `request`.
    pub fn execute(&self, arguments: &[&str], request: &[u8]) -> Result<Vec<u8>, String> {
        let failed = |error: std::io::Error| format!("lavapipe: {error}");
        let mut child = Command::new(&self.program)
            .args(arguments)
            .env("VK_DRIVER_FILES", self.driver)
            .env("VK_ICD_FILENAMES", self.driver)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let mut input = child.stdin.take().ok_or("lavapipe: no standard input")?;
        input.write_all(request).map_err(failed)?;
        drop(input);
        let output = child.wait_with_output().map_err(failed)?;
        if !output.status.success() {
            let reason = String::from_utf8_lossy(&output.stderr);
            return Err(format!("lavapipe: {} {}", output.status, reason.trim()));
        }
        Ok(output.stdout)
    }

    /// The contents of buffers, images and texel buffers after the run.
    pub fn run(&self, case: &Case, module: &[u8]) -> Result<Vec<Vec<u8>>, String> {
        let output = self.execute(&[], &request(case, module))?;
        let mut rest = output.as_slice();
        let take = |bytes: &Vec<u8>| {
            let (bytes, after) = rest.split_at_checked(bytes.len())?;
            rest = after;
            Some(bytes.to_vec())
        };
        let textures = case.textures.iter().map(|texture| &texture.resource.buffer.bytes);
        let contents: Option<Vec<_>> =
            case.buffers.iter().map(|buffer| &buffer.bytes).chain(textures).map(take).collect();
        contents.ok_or_else(|| "lavapipe: the output is cut short".to_owned())
    }
}

/// The binary form that `lavapipe-runner` reads.
fn request(case: &Case, module: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let word = |bytes: &mut Vec<u8>, value: usize| bytes.extend((value as u32).to_le_bytes());
    word(&mut bytes, module.len());
    bytes.extend(module);
    case.groups.iter().for_each(|count| word(&mut bytes, *count as usize));
    word(&mut bytes, case.push_constants.len());
    bytes.extend(&case.push_constants);
    word(&mut bytes, case.constants.len());
    for (id, value) in &case.constants {
        word(&mut bytes, *id as usize);
        word(&mut bytes, *value as usize);
    }
    word(&mut bytes, case.buffers.len());
    for buffer in &case.buffers {
        word(&mut bytes, usize::from(buffer.uniform));
        word(&mut bytes, buffer.binding as usize);
        word(&mut bytes, buffer.bytes.len());
        bytes.extend(&buffer.bytes);
    }
    textures(case, &mut bytes);
    bytes
}

/// Images, texel buffers and samplers in the binary form.
fn textures(case: &Case, bytes: &mut Vec<u8>) {
    let words = |bytes: &mut Vec<u8>, words: &[u32]| {
        words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    };
    let (buffers, images): (Vec<_>, Vec<_>) = case.textures.iter().partition(|texture| texture.is_buffer());
    words(bytes, &[images.len() as u32]);
    for image in images {
        let (resource, shape) = (&image.resource, &image.resource.shape);
        let [width, height, depth] = shape.size;
        let contents = &resource.buffer.bytes;
        words(bytes, &[resource.buffer.binding, u32::from(resource.storage), shape.dimension as u32]);
        words(bytes, &[image.vulkan_format, image.texel_bytes, width, height, depth, shape.levels]);
        words(bytes, &[contents.len() as u32]);
        bytes.extend(contents);
    }
    words(bytes, &[buffers.len() as u32]);
    for texels in buffers {
        let (resource, contents) = (&texels.resource, &texels.resource.buffer.bytes);
        words(bytes, &[resource.buffer.binding, u32::from(resource.storage), texels.vulkan_format]);
        words(bytes, &[contents.len() as u32]);
        bytes.extend(contents);
    }
    words(bytes, &[case.samplers.len() as u32]);
    for sampler in &case.samplers {
        words(bytes, &[sampler.resource.binding]);
        words(bytes, &sampler.vulkan);
    }
}
