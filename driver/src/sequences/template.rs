//! Templates of launches, from which a program makes those of sequences (`kernels/sequences.comp`).

use std::sync::Arc;

use agx_abi::record as r;

use super::SequenceLayout;
use crate::Error;
use crate::pipeline::ComputePipeline;
use crate::upload::Chunks;
use crate::words::{LaunchNumbers, Portable, Sources, State};

/// Templates for the programs of a set: a table of their places, then the templates.
pub(super) struct Templates {
    /// All of them.
    pub words: Vec<u32>,
    /// Number of words of the largest block.
    pub block_words: u32,
}

impl Templates {
    /// Templates of the programs, launched in a state. A number without a program has place 0.
    ///
    /// # Errors
    /// A resource of a shader is not bound, or out of memory.
    pub(super) fn new(
        chunks: &Arc<Chunks>,
        (layout, groups): (&SequenceLayout, u32),
        state: &State,
        programs: &[Option<Arc<ComputePipeline>>],
    ) -> Result<Templates, Error> {
        let state = State { launch: LaunchNumbers::ONE, ..state.clone() };
        let sources = Sources::of_launch(&state);
        let mut all = Templates { words: vec![0; programs.len()], block_words: 0 };
        for (number, pipeline) in programs.iter().enumerate() {
            let Some(pipeline) = pipeline else { continue };
            let block = Portable::new(chunks, &sources, &pipeline.program)?;
            let at = all.words.len() as u32;
            all.block_words = all.block_words.max(block.words.len() as u32);
            add(&mut all.words, &block, (layout, groups), pipeline.program.info.workgroup_size);
            if let Some(place) = all.words.get_mut(number) {
                *place = at;
            }
        }
        Ok(all)
    }
}

/// Adds a template, for sequences whose numbers of workgroups begin at a word.
fn add(all: &mut Vec<u32>, block: &Portable, (layout, groups): (&SequenceLayout, u32), local: [u32; 3]) {
    let (mut copies, numbers) = layout.pushed(block.push.iter().copied());
    for place in &block.groups {
        copies.extend((0..3).map(|axis| [place + axis, groups + axis]));
    }
    let launch = r::launch::new().or(block.resources).bits();
    let lists = [block.words.len(), block.loads.len(), block.pointers.len(), copies.len(), numbers.len()];
    all.extend(lists.map(|len| len as u32));
    all.extend(local);
    all.push(launch as u32);
    all.extend(&block.words);
    all.extend(&block.loads);
    all.extend(&block.pointers);
    all.extend(copies.iter().flatten());
    all.extend(&numbers);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_have_what_changes_after_the_block() {
        use super::super::{Action, Token};
        let tokens = vec![
            Token::Push { at: 2, first: 0, count: 1 },
            Token::Number { first: 1 },
            Token::Action(Action::Dispatch { at: 5 }),
        ];
        let layout = SequenceLayout::new(tokens, 64).expect("a layout");
        let block = Portable {
            words: vec![7; 40],
            loads: vec![0, 2],
            pointers: vec![12],
            push: vec![(0, 20), (1, 21)],
            groups: vec![36],
            ..Portable::default()
        };
        let mut all = vec![0];
        add(&mut all, &block, (&layout, 5), [8, 4, 1]);
        assert_eq!(all[1..9], [40, 2, 1, 4, 1, 8, 4, 1]);
        assert_eq!(all[10..50], [7; 40]);
        assert_eq!(all[50..], [0, 2, 12, 20, 2, 36, 5, 37, 6, 38, 7, 21]);
    }
}
