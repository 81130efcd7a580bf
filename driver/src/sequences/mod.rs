//! Commands that the device generates (`VK_EXT_device_generated_commands`).
//!
//! The application describes a sequence of tokens, and memory has the values of many sequences. A program of the driver writes the
//! records of their launches, and the words with what they point to, which it copies from a template: the words of the program
//! that is bound, or of each program of a set. The stream of the command buffer continues at these records, which return. Generated
//! commands have their memory in the command buffer and are written when they are executed, so that the application provides
//! none and nothing is to be done beforehand.

mod dispatch;
mod draw;
mod template;

use std::sync::{Arc, Mutex};

use ash::vk;

use crate::Error;
use crate::command::Recorder;
use crate::graphics::GraphicsPipeline;
use crate::memory::lock;
use crate::pipeline::ComputePipeline;
use crate::render::{DrawKind, conditionally};
use crate::shader_object::{ShaderKind, ShaderObject};

/// Maximum number of programs of a set.
pub const MAX_PROGRAMS: u32 = 1 << 12;
/// Maximum number of sequences of a command.
pub const MAX_SEQUENCES: u32 = 1 << 20;
/// Maximum number of tokens of a sequence.
pub const MAX_TOKENS: u32 = 128;
/// Maximum number of bytes before a token.
pub const MAX_OFFSET: u32 = 2047;
/// Maximum number of bytes from one sequence to the next.
pub const MAX_STRIDE: u32 = 2048;

/// A part of a sequence. Its values begin at a word of the sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Token {
    /// The numbers of programs in the set.
    Program {
        /// Their first word.
        at: u32,
        /// The stages of which each has a shader object, in the order of their bits; none for pipelines.
        stages: vk::ShaderStageFlags,
    },
    /// Push constants.
    Push {
        /// The first word of the values.
        at: u32,
        /// The first word of the push constants.
        first: u32,
        /// Number of words.
        count: u32,
    },
    /// A push constant that is the number of the sequence.
    Number {
        /// The word of the push constants.
        first: u32,
    },
    /// A vertex buffer: address, bytes and stride.
    VertexBuffer {
        /// Its first word.
        at: u32,
        /// Its number.
        number: u32,
    },
    /// The index buffer: address, bytes, and the type of indices.
    IndexBuffer {
        /// Its first word.
        at: u32,
    },
    /// What a sequence does, the last token.
    Action(Action),
}

/// What a sequence does. Its parameters begin at a word of the sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// A dispatch: numbers of workgroups.
    Dispatch {
        /// Their first word.
        at: u32,
    },
    /// A draw: the words of `VkDrawIndirectCommand`, `VkDrawIndexedIndirectCommand` or `VkDrawMeshTasksIndirectCommandEXT`.
    Draw {
        /// The first.
        at: u32,
        /// Its kind.
        kind: DrawKind,
    },
    /// Several draws: the words of `VkDrawIndirectCountIndirectCommandEXT`.
    Draws {
        /// The first.
        at: u32,
        /// Their kind.
        kind: DrawKind,
    },
}

/// The tokens of sequences.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SequenceLayout {
    tokens: Vec<Token>,
    /// Words from one sequence to the next.
    stride: u32,
    /// The first word with the number of a program, and the stages of shader objects.
    program: Option<(u32, vk::ShaderStageFlags)>,
    action: Action,
}

impl SequenceLayout {
    /// The layout of sequences that are `stride` bytes apart.
    ///
    /// # Errors
    /// The tokens do not end with a dispatch or a draw.
    pub fn new(tokens: Vec<Token>, stride: u32) -> Result<SequenceLayout, Error> {
        let Some(Token::Action(action)) = tokens.last().copied() else {
            return Err(Error::Unsupported {
                what: "a sequence of generated commands without dispatch or draw",
            });
        };
        let program = tokens.iter().find_map(|token| match token {
            Token::Program { at, stages } => Some((*at, *stages)),
            _ => None,
        });
        Ok(SequenceLayout { tokens, stride: stride / 4, program, action })
    }

    /// What tokens change of push constants that have places: words that are copied, as their places and those in the sequence, and
    /// places of the number of the sequence. Later tokens replace the values of earlier ones.
    fn pushed(&self, push: impl Iterator<Item = (u32, u32)>) -> (Vec<[u32; 2]>, Vec<u32>) {
        let (mut copies, mut numbers) = (Vec::new(), Vec::new());
        for (word, place) in push {
            let last = self.tokens.iter().rev().find(|token| match token {
                Token::Push { first, count, .. } => (*first..first + count).contains(&word),
                Token::Number { first } => *first == word,
                _ => false,
            });
            match last {
                Some(Token::Push { at, first, .. }) => copies.push([place, at + word - first]),
                Some(_) => numbers.push(place),
                None => {}
            }
        }
        (copies, numbers)
    }
}

/// The programs of a set by their numbers.
pub type Programs = Arc<Vec<Option<SetProgram>>>;

/// A program of a set.
#[derive(Clone)]
pub enum SetProgram {
    /// A compute pipeline.
    Compute(Arc<ComputePipeline>),
    /// A graphics pipeline.
    Graphics(Arc<GraphicsPipeline>),
    /// A shader object.
    Shader(Arc<ShaderObject>),
}

impl SetProgram {
    /// The compute shader.
    fn compute(&self) -> Option<Arc<ComputePipeline>> {
        match self {
            SetProgram::Compute(pipeline) => Some(pipeline.clone()),
            SetProgram::Shader(shader) => match &shader.kind {
                ShaderKind::Compute(pipeline) => Some(pipeline.clone()),
                _ => None,
            },
            SetProgram::Graphics(_) => None,
        }
    }

    /// Binds the program.
    fn bind(&self, recorder: &mut Recorder) {
        match self {
            SetProgram::Compute(pipeline) => recorder.bind_compute(pipeline.clone()),
            SetProgram::Graphics(pipeline) => recorder.bind_graphics(pipeline),
            SetProgram::Shader(shader) => shader.kind.bind(recorder),
        }
    }
}

/// A set of programs of which sequences choose one, or a shader object for each stage.
pub struct ProgramSet {
    programs: Mutex<Programs>,
}

impl ProgramSet {
    /// A set with room for `count` programs, of which the first are given.
    pub fn new(first: impl IntoIterator<Item = SetProgram>, count: u32) -> ProgramSet {
        let mut programs = vec![None; count.min(MAX_PROGRAMS) as usize];
        programs.iter_mut().zip(first).for_each(|(place, program)| *place = Some(program));
        ProgramSet { programs: Mutex::new(Arc::new(programs)) }
    }

    /// Replaces a program.
    pub fn set(&self, number: u32, program: SetProgram) {
        let mut programs = lock(&self.programs);
        if let Some(place) = Arc::make_mut(&mut programs).get_mut(number as usize) {
            *place = Some(program);
        }
    }

    /// The programs that it has now.
    pub fn programs(&self) -> Programs {
        lock(&self.programs).clone()
    }
}

/// Commands to generate and execute.
#[derive(Clone)]
pub struct Sequences {
    /// Their tokens.
    pub layout: Arc<SequenceLayout>,
    /// The programs that they choose from; without, the bound one runs.
    pub programs: Option<Programs>,
    /// Address and bytes of the values.
    pub values: (u64, u64),
    /// Maximum number of sequences.
    pub most: u32,
    /// Address of the number of sequences, if it is in memory.
    pub count: Option<u64>,
    /// Maximum number of draws of a sequence of several.
    pub draws: u32,
}

impl Sequences {
    /// Address of the number of sequences.
    fn counted(&self, recorder: &mut Recorder) -> Result<u64, Error> {
        match self.count {
            Some(address) => Ok(address),
            None => recorder.upload.put_words(&[self.most], 16),
        }
    }
}

/// Generates commands and executes them.
///
/// # Errors
/// Nothing is bound, something is not supported with it, or out of memory.
pub fn execute(recorder: &mut Recorder, sequences: &Sequences) -> Result<(), Error> {
    match (sequences.most, sequences.layout.action) {
        (0, _) => Ok(()),
        (_, Action::Dispatch { at }) => {
            conditionally(recorder, |recorder| dispatch::execute(recorder, sequences, at))
        }
        (_, Action::Draw { at, kind }) => draw::execute(recorder, sequences, (kind, at), None),
        (_, Action::Draws { at, kind }) => {
            draw::execute(recorder, sequences, (kind, at), Some(sequences.draws))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DISPATCH: Token = Token::Action(Action::Dispatch { at: 4 });

    #[test]
    fn layouts_end_with_an_action() {
        let layout = SequenceLayout::new(
            vec![Token::Program { at: 3, stages: vk::ShaderStageFlags::empty() }, DISPATCH],
            32,
        )
        .expect("a dispatch");
        assert_eq!((layout.program, layout.stride), (Some((3, vk::ShaderStageFlags::empty())), 8));
        let draw = Token::Action(Action::Draw { at: 0, kind: DrawKind::Indices });
        assert!(SequenceLayout::new(vec![Token::Number { first: 0 }, draw], 20).is_ok());
        for tokens in [vec![DISPATCH, Token::Number { first: 0 }], vec![]] {
            assert!(SequenceLayout::new(tokens, 32).is_err());
        }
    }

    #[test]
    fn later_tokens_replace_earlier_ones_and_other_words_keep_their_values() {
        let tokens = vec![
            Token::Push { at: 2, first: 0, count: 3 },
            Token::Number { first: 1 },
            Token::Push { at: 9, first: 2, count: 1 },
            DISPATCH,
        ];
        let layout = SequenceLayout::new(tokens, 64).expect("a layout");
        let push = [(0, 20), (1, 21), (2, 22), (3, 23), (1, 30)];
        let (copies, numbers) = layout.pushed(push.into_iter());
        assert_eq!(
            (copies.as_slice(), numbers.as_slice()),
            ([[20, 2], [22, 9]].as_slice(), [21, 30].as_slice())
        );
    }

    #[test]
    fn sets_keep_the_programs_that_commands_were_recorded_with() {
        let set = ProgramSet::new([], 3);
        let before = set.programs();
        set.set(3, empty());
        assert!(set.programs().iter().all(Option::is_none), "it has no such number");
        set.set(1, empty());
        assert_eq!(set.programs().iter().map(Option::is_some).collect::<Vec<_>>(), [false, true, false]);
        assert!(before.iter().all(Option::is_none));
    }

    /// The program of a shader that does nothing.
    fn empty() -> SetProgram {
        use agx_compiler::{CompileKey, Input};
        let device = crate::device::Device::in_test();
        let text = "@compute @workgroup_size(1) fn main() {}";
        let shader = device.compile(Input::wgsl(text), &CompileKey::default()).expect("compiled");
        let program = crate::program::Program::new(&device.code, shader).expect("memory");
        SetProgram::Compute(Arc::new(ComputePipeline { program }))
    }
}
