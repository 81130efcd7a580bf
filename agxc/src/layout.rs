//! The layout of a pipeline and its robustness in a key.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use agx_abi::pipeline::{
    BindingAccess, BindingLayout, DescriptorForm, DescriptorParts, PipelineLayout, SetLayout,
};
use agx_compiler::{Bounds, Robustness};
use serde::{Deserialize, Serialize};

use crate::scene::{Names, choose};

const BOUNDS: Names<Bounds> =
    &[("unchecked", Bounds::Unchecked), ("clamped", Bounds::Clamped), ("exact", Bounds::Exact)];
const ACCESSES: Names<BindingAccess> = &[
    ("constant", BindingAccess::Constant),
    ("memory", BindingAccess::Memory),
    ("partially_bound", BindingAccess::PartiallyBound),
];

/// The results of accesses outside buffers and images, as JSON.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RobustnessFile {
    uniform: String,
    storage: String,
    image: String,
}

impl Default for RobustnessFile {
    fn default() -> Self {
        RobustnessFile::of(Robustness::default())
    }
}

impl RobustnessFile {
    /// The names for the levels of a key.
    pub fn of(robustness: Robustness) -> RobustnessFile {
        let name = |bounds| name_of(bounds, BOUNDS);
        let Robustness { uniform, storage, image } = robustness;
        RobustnessFile { uniform: name(uniform), storage: name(storage), image: name(image) }
    }

    /// The levels that the names denote.
    pub fn read(&self) -> Result<Robustness, String> {
        let bounds = |at: &str, name: &str| choose(&format!("robustness.{at}"), "bounds", name, BOUNDS);
        Ok(Robustness {
            uniform: bounds("uniform", &self.uniform)?,
            storage: bounds("storage", &self.storage)?,
            image: bounds("image", &self.image)?,
        })
    }
}

/// A set of a pipeline layout as JSON.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetFile {
    set: u32,
    bindings: Vec<BindingFile>,
}

/// A binding as JSON: offsets of descriptors in an element, or `inline`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BindingFile {
    binding: u32,
    offset: u32,
    #[serde(default = "element_bytes")]
    stride: u32,
    #[serde(default)]
    inline: bool,
    #[serde(default = "parts")]
    parts: PartsFile,
    #[serde(default = "memory")]
    access: String,
    #[serde(default)]
    dynamic_offset: Option<u32>,
}

/// Byte offsets of the descriptors in an element.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PartsFile {
    buffer: u32,
    texture: u32,
    image: u32,
    sampler: u32,
}

fn element_bytes() -> u32 {
    DescriptorParts::ALL_BYTES
}

fn parts() -> PartsFile {
    let DescriptorParts { buffer, texture, image, sampler } = DescriptorParts::ALL;
    PartsFile { buffer, texture, image, sampler }
}

fn memory() -> String {
    name_of(BindingAccess::Memory, ACCESSES)
}

/// The name of a value.
fn name_of<T: Copy + PartialEq>(value: T, names: Names<T>) -> String {
    let found = names.iter().find(|(_, known)| *known == value);
    found.expect("invariant: every value has a name").0.to_owned()
}

/// The layout of a list of sets.
pub fn read(sets: &[SetFile]) -> Result<PipelineLayout, String> {
    let set = |(at, file): (usize, &SetFile)| {
        let bindings = file.bindings.iter().enumerate();
        let bindings = bindings.map(|(number, binding)| {
            let access = format!("layout[{at}].bindings[{number}].access");
            let access = choose(&access, "access", &binding.access, ACCESSES)?;
            let PartsFile { buffer, texture, image, sampler } = binding.parts;
            let form = match binding.inline {
                true => DescriptorForm::Inline,
                false => DescriptorForm::Descriptors(DescriptorParts { buffer, texture, image, sampler }),
            };
            let BindingFile { binding, offset, stride, dynamic_offset, .. } = *binding;
            Ok(BindingLayout { binding, offset, stride, form, access, dynamic_offset })
        });
        Ok(SetLayout { set: file.set, bindings: bindings.collect::<Result<_, String>>()? })
    };
    let sets: Result<Vec<SetLayout>, String> = sets.iter().enumerate().map(set).collect();
    Ok(PipelineLayout { sets: sets? })
}

/// A layout as JSON.
pub fn write(layout: &PipelineLayout) -> Vec<SetFile> {
    let binding = |found: &BindingLayout| {
        let (inline, parts) = match found.form {
            DescriptorForm::Inline => (true, parts()),
            DescriptorForm::Descriptors(DescriptorParts { buffer, texture, image, sampler }) => {
                (false, PartsFile { buffer, texture, image, sampler })
            }
        };
        let access = name_of(found.access, ACCESSES);
        let BindingLayout { binding, offset, stride, dynamic_offset, .. } = *found;
        BindingFile { binding, offset, stride, inline, parts, access, dynamic_offset }
    };
    let set = |found: &SetLayout| SetFile {
        set: found.set,
        bindings: found.bindings.iter().map(binding).collect(),
    };
    layout.sets.iter().map(set).collect()
}
