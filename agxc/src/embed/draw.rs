//! Drawing scenes on the reference machine.

use agx_emulator::Profile;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Files, answer, request};
use crate::context::Context;
use crate::diagnostic::Failure;
use crate::key;
use crate::report::html;
use crate::scene::{self, Files as SceneFiles, Picture, Shown, Wishes};

/// A scene to draw.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    /// Name of the scene file.
    scene: String,
    /// The chip to compile for.
    #[serde(default)]
    target: Option<String>,
    /// Width and height, in place of the scene's.
    #[serde(default)]
    size: Option<[u32; 2]>,
    /// Whether to count what each line does.
    #[serde(default)]
    profile: bool,
}

/// A drawn scene.
pub struct Drawn {
    answer: String,
    rgba: Vec<u8>,
}

impl Drawn {
    /// The answer: the size of the picture and the number of instructions; with a profile, `html` about the lines that ran and the names
    /// of their files for each shader of each draw.
    pub fn answer(&self) -> &str {
        &self.answer
    }

    /// Red, green, blue, alpha of each pixel; empty if the answer has an error.
    pub fn rgba(&self) -> &[u8] {
        &self.rgba
    }
}

/// Draws the scene of a request; the files that it names are beside it.
pub fn draw(files: &Files, text: &str) -> Drawn {
    let mut rgba = Vec::new();
    let made = request(text).and_then(|wanted| drawn(files, &wanted)).map(|picture| {
        let profiles = profiles(&picture);
        rgba = picture.rgba;
        let value = json!({
            "size": picture.size, "instructions": picture.instructions, "profiles": profiles,
        });
        (value, Vec::new())
    });
    Drawn { answer: answer(made), rgba }
}

fn drawn(files: &Files, wanted: &Request) -> Result<Picture, Failure> {
    let target = key::target(wanted.target.as_deref())?;
    let mut scene = scene::read(&files.bytes(&wanted.scene)?, &wanted.scene)?;
    scene.size = wanted.size.unwrap_or(scene.size);
    let read = |name: &str| files.bytes(name);
    let wishes = Wishes { profile: wanted.profile, ..Wishes::default() };
    let files = SceneFiles::Read(&wanted.scene, &read);
    scene::render_watched(&scene, &files, target, &wishes, &mut Context::new())
}

/// The lines that the shaders of a picture ran.
fn profiles(picture: &Picture) -> Vec<Value> {
    let row = |(title, profile, shown): (String, &Profile, &Shown)| {
        let title = format!("Executed lines of {title}");
        let html = html::executed(&title, profile, &shown.symbols, |name, line| shown.line(name, line));
        json!({ "html": html, "files": shown.symbols.files })
    };
    picture.profiles().map(row).collect()
}
