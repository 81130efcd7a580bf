//! The bundled examples, and the names that settings may have.

use agx_abi::Target;
use agx_compiler::FRONT_ENDS;
use agx_compiler::internal::pipeline::{PASSES, PIPELINE};
use rustc_hash::FxHashSet;
use serde_json::{Value, json};

use super::Files;
use crate::demo::{DEMOS, Demo, Source};
use crate::scene::{BUNDLED, Bundled};
use crate::values::{self, Element};

/// Names and titles of the examples, shaders before scenes.
pub fn examples() -> String {
    let shaders = DEMOS.iter().map(|demo| json!({ "name": demo.name, "title": demo.title }));
    let scenes = BUNDLED.iter().map(|scene| json!({ "name": scene.name, "title": scene.title }));
    shaders.chain(scenes).collect::<Value>().to_string()
}

/// Adds the files of the example called `name` to `files`. Returns its settings: the file to show, and for a shader its
/// key and its run, in the form of requests.
pub fn example(name: &str, files: &mut Files) -> Option<String> {
    let shader = DEMOS.iter().find(|demo| demo.name == name).map(|demo| of_shader(demo, files));
    let scene = || BUNDLED.iter().find(|scene| scene.name == name).map(|scene| of_scene(scene, files));
    shader.or_else(scene).map(|value| value.to_string())
}

fn of_scene(bundled: &Bundled, files: &mut Files) -> Value {
    let scene = format!("{}.json", bundled.name);
    files.add(&scene, bundled.scene.as_bytes().to_vec());
    bundled.files.iter().for_each(|(name, text)| files.add(name, text.as_bytes().to_vec()));
    let names: Vec<&str> = bundled.files.iter().map(|(name, _)| *name).collect();
    json!({ "file": names.first(), "files": names.iter().copied().chain([scene.as_str()]).collect::<Vec<_>>(), "scene": scene })
}

fn of_shader(demo: &Demo, files: &mut Files) -> Value {
    let (file, bytes) = match demo.source {
        Source::Wgsl(text) => (format!("{}.wgsl", demo.name), text.as_bytes().to_vec()),
        Source::SpirV { text, .. } => (format!("{}.comp", demo.name), text.as_bytes().to_vec()),
    };
    files.add(&file, bytes);
    let mut names = vec![file.clone()];
    let mut buffers = Vec::new();
    for (binding, bytes) in (demo.buffers)().into_iter().enumerate() {
        let spec = match bytes.iter().all(|byte| *byte == 0) {
            true => format!("zero:{}", bytes.len()),
            false if bytes.len() <= SHORT_BYTES => words(&bytes),
            false => {
                let name = format!("{}-{binding}.bin", demo.name);
                files.add(&name, bytes);
                names.push(name.clone());
                format!("file:{name}")
            }
        };
        buffers.push(format!("0.{binding}={spec}"));
    }
    let push = Some((demo.push_constants)()).filter(|bytes| !bytes.is_empty()).map(|bytes| words(&bytes));
    let key = match demo.spec_constants {
        [] => json!({}),
        constants => json!({ "spec_constants": constants }),
    };
    let picture = demo.picture.as_ref();
    let picture = picture
        .map(|shown| json!({ "place": format!("0.{}", shown.binding), "size": [shown.width, shown.height] }));
    json!({
        "file": file,
        "files": names,
        "key": key,
        "resources": { "buffers": buffers, "push": push },
        "groups": demo.workgroups.map(|count| count.to_string()).join(","),
        "picture": picture,
    })
}

/// Contents up to this size are shown as values.
const SHORT_BYTES: usize = 256;

/// Bytes as the specification of words.
fn words(bytes: &[u8]) -> String {
    let text = values::print(bytes, Element::U32);
    format!("u32:{}", text.trim_end().replace('\n', ", "))
}

/// The languages with the extensions of their files and their options; the chips.
pub fn languages() -> String {
    let row = |language: &&agx_compiler::Language| json!({ "name": language.name, "extensions": language.extensions, "options": language.options });
    let chips: Vec<&str> = Target::ALL.iter().map(|(name, _)| *name).collect();
    json!({ "languages": FRONT_ENDS.iter().map(row).collect::<Vec<_>>(), "chips": chips }).to_string()
}

/// The phases in order, each with its passes, and whether each pass can be skipped.
pub fn passes() -> String {
    let pass = |name: &'static str| {
        let row = PASSES.iter().find(|pass| pass.name == name);
        json!({ "name": name, "doc": row.map(|row| row.doc), "optional": row.is_some_and(|row| row.optional) })
    };
    let phase = |phase: &agx_compiler::internal::pipeline::PhaseDesc| {
        let mut names: Vec<&'static str> = phase.steps.iter().map(|step| step.name).collect();
        let mut known = FxHashSet::default();
        names.retain(|name| known.insert(*name));
        json!({ "name": phase.name, "doc": phase.doc, "passes": names.into_iter().map(pass).collect::<Vec<_>>() })
    };
    PIPELINE.iter().map(phase).collect::<Value>().to_string()
}
