//! The bundled scenes, and reading the files of a scene.

use std::path::Path;

use crate::diagnostic::Failure;
use crate::input::{self, Reader};

/// A bundled scene.
pub struct Bundled {
    /// Its name on the command line.
    pub name: &'static str,
    /// Description, one line.
    pub title: &'static str,
    /// The scene file.
    pub scene: &'static str,
    /// The shaders it names.
    pub files: &'static [(&'static str, &'static str)],
}

/// Every bundled scene.
pub const BUNDLED: &[Bundled] = &[
    Bundled {
        name: "spheres",
        title: "Lit spheres above a plain: instances, indices, a depth test",
        scene: include_str!("../../scenes/spheres.json"),
        files: &[("spheres.wgsl", include_str!("../../scenes/spheres.wgsl"))],
    },
    Bundled {
        name: "glass",
        title: "Panes of coloured glass: blending in four samples, formats of small integers",
        scene: include_str!("../../scenes/glass.json"),
        files: &[("glass.wgsl", include_str!("../../scenes/glass.wgsl"))],
    },
    Bundled {
        name: "plasma",
        title: "Waves over the whole screen, from the place of the pixel alone",
        scene: include_str!("../../scenes/plasma.json"),
        files: &[("plasma.wgsl", include_str!("../../scenes/plasma.wgsl"))],
    },
    Bundled {
        name: "mirror",
        title: "Painted boxes on a mirror: a texture with levels, stencil tests, push constants, several draws",
        scene: include_str!("../../scenes/mirror.json"),
        files: &[("mirror.wgsl", include_str!("../../scenes/mirror.wgsl"))],
    },
    Bundled {
        name: "floor",
        title: "A chequered floor with a hole, by a pair of AGAL programs: constants, a repeated texture, discarded fragments",
        scene: include_str!("../../scenes/floor.json"),
        files: &[
            ("floor_vertex.agal", include_str!("../../scenes/floor_vertex.agal")),
            ("floor_fragment.agal", include_str!("../../scenes/floor_fragment.agal")),
        ],
    },
];

/// The location of the files that a scene names.
pub enum Files<'f> {
    /// In the program.
    Bundled(&'static Bundled),
    /// In the folder of the scene file with this name.
    Beside(&'f str),
    /// Where this reader finds them; the scene has the name.
    Read(&'f str, &'f Reader<'f>),
}

impl Files<'_> {
    /// The scene's name, for messages.
    pub fn scene(&self) -> &str {
        match self {
            Files::Bundled(bundled) => bundled.name,
            Files::Beside(scene) | Files::Read(scene, _) => scene,
        }
    }

    /// A file's name for messages, and its bytes.
    pub fn read(&self, name: &str) -> Result<(String, Vec<u8>), Failure> {
        match self {
            Files::Bundled(bundled) => {
                let found = bundled.files.iter().find(|(known, _)| *known == name);
                let (_, text) = found.ok_or_else(|| Failure::usage(format!("no bundled file `{name}`")))?;
                Ok((name.to_owned(), text.as_bytes().to_vec()))
            }
            Files::Read(_, read) => Ok((name.to_owned(), read(name)?)),
            Files::Beside(scene) => {
                let path = Path::new(scene).parent().unwrap_or(Path::new("")).join(name);
                let path = path.to_string_lossy().into_owned();
                let bytes = input::read_bytes(&path)?;
                Ok((path, bytes))
            }
        }
    }
}
