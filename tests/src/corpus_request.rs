//! Requests of the Vulkan client that run shaders of the corpus: a dispatch, or a draw by a vertex and a fragment shader.

use std::path::Path;

use agx_abi::ShaderInfo;
use agx_abi::vertex::Output;
use agx_compiler::CompileKey;

use crate::bindings::{Contents, bindings, in_one_set};
use crate::corpus::Item;
use crate::outcome::Outcome;

/// Name of the only request of a file.
pub const NAME: &str = "corpus";

/// Words of push constants: the number every driver supports.
const PUSH_WORDS: usize = 32;

/// Distance between the rows of the identity matrix in words.
const MATRIX_ROW: usize = 4;

/// Resources of a draw.
#[derive(Clone, Copy, Debug)]
pub struct Scene {
    /// Width and height of the render targets in pixels.
    pub size: u32,
    /// Number of render targets.
    pub targets: usize,
    /// The attributes of three vertices, four floats each; all attributes of a vertex are equal.
    pub vertices: [[f32; 4]; 3],
    /// Contents of buffers, images and push constants.
    pub contents: Contents,
    /// The shaders are shader objects, compiled one by one, instead of a pipeline.
    pub objects: bool,
}

/// The request that draws a pair of a vertex and a fragment shader. The modules are written to `folder`.
///
/// # Errors
/// A resource that requests do not have, or a vertex shader that is refused.
pub fn draw(
    key: &CompileKey,
    [vertex, fragment]: [&Item; 2],
    scene: &Scene,
    folder: &Path,
) -> Result<String, Outcome> {
    let size = scene.size;
    let mut lines =
        vec![format!("case {NAME}"), "kind draw".into(), format!("size {size} {size}"), "vertices 3".into()];
    lines.extend((0..scene.targets).map(|_| "target rgba8".to_owned()));
    if scene.objects {
        lines.push("way objects".into());
    }
    lines.extend(shaders(&[(vertex, "vert"), (fragment, "frag")], scene.contents, folder)?);
    let ShaderInfo { attributes, varyings, .. } = vertex.compile(key)?.info;
    // Mesa's driver omits the point size where no points are drawn.
    if varyings.iter().any(|varying| varying.output == Output::PointSize) {
        lines.push("topology points".into());
    }
    if !attributes.is_empty() {
        let words: Vec<String> = scene.vertices.iter().flatten().map(|word| format!("{word:?}")).collect();
        lines.push(format!("vertex_data 16 vertex {}", words.join(" ")));
    }
    lines.extend(attributes.iter().map(|attribute| format!("attribute {} rgba32f 0", attribute.location)));
    lines.push("end".into());
    Ok(lines.join("\n") + "\n")
}

/// The request that dispatches `groups` workgroups of a compute shader, `dispatches` times. The module is written to `folder`.
///
/// # Errors
/// A resource that requests do not have.
pub fn dispatch(
    shader: &Item,
    groups: [u32; 3],
    dispatches: u32,
    contents: Contents,
    folder: &Path,
) -> Result<String, Outcome> {
    let [x, y, z] = groups;
    let mut lines = vec![
        format!("case {NAME}"),
        "kind compute".into(),
        format!("groups {x} {y} {z}"),
        format!("repeat {dispatches}"),
    ];
    lines.extend(shaders(&[(shader, "comp")], contents, folder)?);
    lines.push("end".into());
    Ok(lines.join("\n") + "\n")
}

/// The lines that name the shaders and bind what they use, push constants included.
fn shaders(shaders: &[(&Item, &str)], contents: Contents, folder: &Path) -> Result<Vec<String>, Outcome> {
    let mut lines = Vec::new();
    let mut known = Vec::new();
    for (item, stage) in shaders {
        for binding in bindings(&item.module).map_err(Outcome::Unsupported)? {
            if !known.contains(&binding.number) {
                known.push(binding.number);
                lines.extend(binding.lines(contents).map_err(Outcome::Unsupported)?);
            }
        }
        let path = folder.join(format!("{stage}.spv"));
        std::fs::write(&path, in_one_set(&item.module)).map_err(|error| Outcome::Fail(error.to_string()))?;
        lines.push(format!("shader {stage} {} {}", path.display(), item.entry.name));
    }
    lines.push(format!("push{}", push(contents)));
    Ok(lines)
}

/// The words of the push constants.
fn push(contents: Contents) -> String {
    let word = |at: usize| match contents {
        Contents::Zeros => " 0",
        Contents::Identity if at / MATRIX_ROW % MATRIX_ROW == at % MATRIX_ROW => " 1.0",
        Contents::Identity => " 0.0",
    };
    (0..PUSH_WORDS).map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn push_constants_hold_matrices() {
        assert_eq!(push(Contents::Zeros), " 0".repeat(PUSH_WORDS));
        let row = |one: usize| (0..4).map(|at| if at == one { " 1.0" } else { " 0.0" }).collect::<String>();
        let matrix: String = (0..4).map(row).collect();
        assert_eq!(push(Contents::Identity), matrix.repeat(2));
    }
}
