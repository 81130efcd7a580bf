//! Information that the stages of a pipeline have about each other, as JSON: written with a shader's information, read
//! as `vertex_outputs` and `moved` of a key.

use agx_abi::linking::{DrawWord, KnownOutput, MovedSteps, SharedAddress, Step, VertexOutputs};
use serde::{Deserialize, Serialize};

use crate::varying::{OutputFile, mirrored};

/// A word that is the same in every invocation of a draw.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum WordFile {
    Constant { bits: u32 },
    PushConstant { offset: u32 },
    Memory { base: AddressFile, pointer: Option<u32>, offset: u32 },
}

mirrored! {
    /// An address that all stages share.
    #[serde(deny_unknown_fields)]
    AddressFile SharedAddress;
    BufferAddress { set, binding, element };
    DescriptorTable { set, binding };
    PushConstantAddress;
    SetAddress { set };
}

/// An output with a known value.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownFile {
    output: OutputFile,
    value: WordFile,
}

/// The outputs of the vertex shader before a fragment shader.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VertexOutputsFile {
    written: Vec<OutputFile>,
    #[serde(default)]
    known: Vec<KnownFile>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum StepFile {
    Scale(WordFile),
    Offset(WordFile),
}

/// Operations on an input that the vertex shader executes.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MovedFile {
    output: OutputFile,
    steps: Vec<StepFile>,
}

impl From<DrawWord> for WordFile {
    fn from(word: DrawWord) -> WordFile {
        match word {
            DrawWord::Constant(bits) => WordFile::Constant { bits },
            DrawWord::PushConstant { offset } => WordFile::PushConstant { offset },
            DrawWord::Memory { base, pointer, offset } => {
                WordFile::Memory { base: base.into(), pointer, offset }
            }
        }
    }
}

impl From<WordFile> for DrawWord {
    fn from(file: WordFile) -> DrawWord {
        match file {
            WordFile::Constant { bits } => DrawWord::Constant(bits),
            WordFile::PushConstant { offset } => DrawWord::PushConstant { offset },
            WordFile::Memory { base, pointer, offset } => {
                DrawWord::Memory { base: base.into(), pointer, offset }
            }
        }
    }
}

impl From<&KnownOutput> for KnownFile {
    fn from(known: &KnownOutput) -> KnownFile {
        KnownFile { output: known.output.into(), value: known.value.into() }
    }
}

impl From<&VertexOutputs> for VertexOutputsFile {
    fn from(outputs: &VertexOutputs) -> VertexOutputsFile {
        let written = outputs.written.iter().map(|output| OutputFile::from(*output)).collect();
        VertexOutputsFile { written, known: outputs.known.iter().map(KnownFile::from).collect() }
    }
}

impl From<VertexOutputsFile> for VertexOutputs {
    fn from(file: VertexOutputsFile) -> VertexOutputs {
        let known = |known: KnownFile| KnownOutput { output: known.output.into(), value: known.value.into() };
        VertexOutputs {
            written: file.written.into_iter().map(OutputFile::into).collect(),
            known: file.known.into_iter().map(known).collect(),
        }
    }
}

impl From<&MovedSteps> for MovedFile {
    fn from(moved: &MovedSteps) -> MovedFile {
        let step = |step: &Step| match *step {
            Step::Scale(factor) => StepFile::Scale(factor.into()),
            Step::Offset(addend) => StepFile::Offset(addend.into()),
        };
        MovedFile { output: moved.output.into(), steps: moved.steps.iter().map(step).collect() }
    }
}

impl From<MovedFile> for MovedSteps {
    fn from(file: MovedFile) -> MovedSteps {
        let step = |step| match step {
            StepFile::Scale(factor) => Step::Scale(factor.into()),
            StepFile::Offset(addend) => Step::Offset(addend.into()),
        };
        MovedSteps { output: file.output.into(), steps: file.steps.into_iter().map(step).collect() }
    }
}

#[cfg(test)]
mod tests {
    use agx_abi::vertex::Output;

    use super::*;

    #[test]
    fn outputs_and_operations_survive_their_json() {
        let addresses = [
            SharedAddress::BufferAddress { set: 1, binding: 2, element: 3 },
            SharedAddress::DescriptorTable { set: 1, binding: 2 },
            SharedAddress::PushConstantAddress,
            SharedAddress::SetAddress { set: 4 },
        ];
        let memory = addresses.map(|base| DrawWord::Memory { base, pointer: Some(8), offset: 12 });
        let words = [&memory[..], &[DrawWord::Constant(7), DrawWord::PushConstant { offset: 4 }]].concat();
        let output = Output::User { location: 1, component: 2 };
        let known = words.iter().map(|value| KnownOutput { output, value: *value }).collect();
        let outputs = VertexOutputs { written: vec![output, Output::PointSize], known };
        let json = serde_json::to_string(&VertexOutputsFile::from(&outputs)).expect("is JSON");
        let read: VertexOutputsFile = serde_json::from_str(&json).expect("is valid");
        assert_eq!(VertexOutputs::from(read), outputs);
        let steps = words.iter().flat_map(|word| [Step::Scale(*word), Step::Offset(*word)]).collect();
        let moved = MovedSteps { output, steps };
        let json = serde_json::to_string(&MovedFile::from(&moved)).expect("is JSON");
        let read: MovedFile = serde_json::from_str(&json).expect("is valid");
        assert_eq!(MovedSteps::from(read), moved);
    }
}
