//! Generated draws.

use super::{Sequences, SetProgram, Token};
use crate::Error;
use crate::command::Recorder;
use crate::render::{Choice, DrawKind, DrawSequences, draw_sequences};
use crate::words::PUSH_WORDS;

/// Generates draws of a kind, whose parameters begin at a word of a sequence, and executes them; `draws` is the maximum number of
/// several.
///
/// # Errors
/// As [`draw_sequences`].
pub(super) fn execute(
    recorder: &mut Recorder,
    sequences: &Sequences,
    action: (DrawKind, u32),
    draws: Option<u32>,
) -> Result<(), Error> {
    let layout = &sequences.layout;
    let (copies, pushed) = layout.pushed((0..PUSH_WORDS as u32).map(|word| (word, word)));
    let buffers: Vec<[u32; 2]> = layout
        .tokens
        .iter()
        .filter_map(|token| match token {
            Token::VertexBuffer { at, number } => Some([*number, *at]),
            _ => None,
        })
        .collect();
    let indices = layout.tokens.iter().rev().find_map(|token| match token {
        Token::IndexBuffer { at } => Some(*at),
        _ => None,
    });
    let generated = DrawSequences {
        values: sequences.values,
        count: sequences.counted(recorder)?,
        most: sequences.most,
        stride: layout.stride,
        action,
        draws,
        push: (&copies, &pushed),
        buffers: &buffers,
        indices,
        programs: layout.program.map_or(0, |(at, _)| at),
        choices: choices(sequences),
    };
    draw_sequences(recorder, &generated)
}

/// A program of a set with its number.
type Numbered<'p> = (u32, &'p SetProgram);

/// What draws choose: a pipeline, or a shader object for each stage. Without a set there is nothing to choose.
fn choices(sequences: &Sequences) -> Vec<Choice> {
    let Some(((_, stages), programs)) = sequences.layout.program.zip(sequences.programs.as_ref()) else {
        return Vec::new();
    };
    let known = (0..).zip(programs.iter()).filter_map(|(number, program)| Some((number, program.as_ref()?)));
    let known: Vec<Numbered<'_>> = known.collect();
    let lists = match stages.is_empty() {
        true => known.iter().map(|program| vec![*program]).collect(),
        false => {
            let bits = (0..u32::BITS).map(|bit| 1 << bit).filter(|bit| stages.as_raw() & bit != 0);
            bits.fold(vec![Vec::new()], |lists, stage| with_stage(&lists, &known, stage))
        }
    };
    lists.iter().map(|list| choice(list)).collect()
}

/// The lists with each shader object of a stage.
fn with_stage<'p>(lists: &[Vec<Numbered<'p>>], known: &[Numbered<'p>], stage: u32) -> Vec<Vec<Numbered<'p>>> {
    let is_of_stage = |program: &SetProgram| match program {
        SetProgram::Shader(shader) => shader.stage().as_raw() == stage,
        SetProgram::Compute(_) | SetProgram::Graphics(_) => false,
    };
    let own: Vec<Numbered<'p>> = known.iter().copied().filter(|(_, program)| is_of_stage(program)).collect();
    lists.iter().flat_map(|list| own.iter().map(|program| [list.as_slice(), &[*program]].concat())).collect()
}

/// The choice of these programs.
fn choice(list: &[Numbered<'_>]) -> Choice {
    let programs: Vec<SetProgram> = list.iter().map(|(_, program)| (*program).clone()).collect();
    Choice {
        words: list.iter().map(|(number, _)| *number).collect(),
        bind: Box::new(move |recorder| programs.iter().for_each(|program| program.bind(recorder))),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ash::vk;

    use super::*;
    use crate::device::Device;
    use crate::pipeline::{Module, ShaderSource};
    use crate::sequences::{Action, ProgramSet, SequenceLayout};
    use crate::shader_object::ShaderObject;
    use crate::shader_object::tests::EMPTY;

    #[test]
    fn shader_objects_are_chosen_by_stage() {
        let device = Device::in_test();
        let code = Module::new(EMPTY.iter().flat_map(|word| word.to_le_bytes()).collect());
        let source = ShaderSource { code, entry_point: "main".into(), ..ShaderSource::default() };
        let stage = vk::ShaderStageFlags::COMPUTE;
        let object = ShaderObject::new(&device, stage, &source).expect("compiled");
        let shader = SetProgram::Shader(Arc::new(object));
        let set = ProgramSet::new([shader.clone()], 4);
        set.set(2, shader);
        let words = |stages: vk::ShaderStageFlags| -> Vec<Vec<u32>> {
            let draw = Token::Action(Action::Draw { at: 2, kind: DrawKind::Vertices });
            let layout = SequenceLayout::new(vec![Token::Program { at: 0, stages }, draw], 24);
            let sequences = Sequences {
                layout: Arc::new(layout.expect("a draw")),
                programs: Some(set.programs()),
                values: (0, 0),
                most: 1,
                count: None,
                draws: 0,
            };
            choices(&sequences).into_iter().map(|choice| choice.words).collect()
        };
        assert_eq!(words(stage), [[0], [2]]);
        assert_eq!(words(vk::ShaderStageFlags::empty()), [[0], [2]], "all programs of a set of pipelines");
        assert!(words(stage | vk::ShaderStageFlags::MESH_EXT).is_empty(), "no shader has this stage");
        let every = with_stage(&[vec![], vec![]], &[], stage.as_raw());
        assert!(every.is_empty());
    }
}
