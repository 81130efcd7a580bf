//! Scratch memory: checks the blocks that the helper program of a command allocates to the SIMD-groups of a launch.
//!
//! The machine gives every lane a separate stack, because the hardware's distribution of stacks over blocks is not
//! known. The check covers the driver's obligations: the helper program accepts as many SIMD-groups as a core can hold;
//! blocks are as large as the register word requires, in mapped memory, and not shared by two SIMD-groups. The register
//! word also determines the limit of a stack.

use std::iter::repeat_n;
use std::ops::Range;

use agx_emulator::{Answer, HelperCall, Memory, Program, Request, serve};

use super::{Device, Submission};
use crate::bytes;
use crate::record::{Field, compute_command, render_command};
use crate::stream::{StreamError, Words};

/// Maximum number of SIMD-groups on a core (Mesa reserves scratch for this number).
const CORE_GROUPS: u64 = 128;
/// Words of stack per lane in the smallest block.
const UNIT_WORDS: u32 = 8;
/// Bytes of the smallest block: 32 lanes with that number of words.
const UNIT_BYTES: u64 = 4 * 32 * UNIT_WORDS as u64;
/// Words that a frame may take in addition to the declared bytes.
const FRAME_WORDS: u32 = 12;

/// The stage whose scratch memory is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum User {
    Compute,
    Vertex,
    Fragment,
}

impl User {
    /// Fields of the helper program, of its configuration and of its argument.
    fn helper(self) -> [Field; 3] {
        match self {
            User::Compute => {
                [compute_command::HELPER, compute_command::HELPER_CONFIG, compute_command::HELPER_DATA]
            }
            User::Vertex => [
                render_command::VERTEX_HELPER,
                render_command::VERTEX_HELPER_CONFIG,
                render_command::VERTEX_HELPER_DATA,
            ],
            User::Fragment => [
                render_command::FRAGMENT_HELPER,
                render_command::FRAGMENT_HELPER_CONFIG,
                render_command::FRAGMENT_HELPER_DATA,
            ],
        }
    }
}

/// Words of stack per lane for the code of the register word: none, eight, and its doubles (observed in submissions of
/// Mesa's driver for stacks of 112, 512 and 2012 words).
fn stack_words(code: u64) -> u32 {
    code.checked_sub(1).map_or(0, |double| UNIT_WORDS << double)
}

/// Minimum number of words that blocks must hold for a code: drivers need not round up to the full size, but a program
/// that needs fewer has a smaller code.
fn least_words(code: u64) -> u32 {
    (stack_words(code) / 2).saturating_add(4)
}

/// Bytes of stack that a program may use, by the code of the register word.
pub(super) fn scratch_bytes(words: &Words) -> u32 {
    stack_words(words.spill).saturating_sub(FRAME_WORDS).saturating_mul(4)
}

/// Memory of the blocks in an answer, and words of stack per lane in them.
fn granted(answer: &Answer) -> (Vec<Range<u64>>, u32) {
    let [first, ..] = answer.blocks;
    let Some(size) = first.trailing_ones().checked_sub(1).filter(|size| *size <= 6) else {
        return (Vec::new(), 0);
    };
    let bytes = UNIT_BYTES << size << size;
    let used = answer.blocks.iter().take_while(|block| **block & 1 != 0);
    let blocks: Vec<Range<u64>> = used
        .map(|block| {
            let start = (u64::from(*block) << 8) & bytes.wrapping_neg();
            start..start.saturating_add(bytes)
        })
        .collect();
    let words = (UNIT_WORDS << size << size).saturating_mul(blocks.len() as u32);
    (blocks, words)
}

/// The first error in the answers to allocations of `words` words, if any.
fn complaint(memory: &mut Memory, answers: &[Answer], words: u32) -> Option<String> {
    let mut taken: Vec<Range<u64>> = Vec::new();
    for (number, answer) in answers.iter().enumerate() {
        let who = || format!("the scratch helper, SIMD-group {number}");
        if !matches!(answer.request, Request::Allocate(_)) {
            continue;
        }
        if answer.accepted != Some(true) {
            return Some(format!("{}: the allocation of {words} words for each lane is not accepted", who()));
        }
        let (blocks, found) = granted(answer);
        if found < words {
            return Some(format!("{}: blocks of {found} words for each lane, {words} are needed", who()));
        }
        for block in &blocks {
            let bytes = block.end.saturating_sub(block.start) as usize;
            if memory.writable(block.start, bytes).is_err() {
                return Some(format!(
                    "{}: the block at {:#x} is not bound to writable memory",
                    who(),
                    block.start
                ));
            }
        }
        taken.extend(blocks);
    }
    taken.sort_by_key(|block| block.start);
    let (_, shared) = taken.iter().zip(taken.iter().skip(1)).find(|(first, next)| next.start < first.end)?;
    Some(format!("the scratch helper: the block at {:#x} is given to two SIMD-groups", shared.start))
}

/// Checks that the command has the flags for a preamble with a stack.
fn check_preamble(device: &mut Device, command: &[u8], user: User, words: &Words) {
    let [program, config, _] = user.helper().map(|field| field.get(command));
    if program & 1 == 0 || config >> 16 & 1 == 0 {
        device.place.program = words.preamble;
        device.note("a preamble with a stack in a command whose preambles have none".into(), false);
    }
}

/// Checks that no other stage uses a list: stages run concurrently, and the counters of a list are not atomic.
fn check_list(device: &mut Device, user: User, list: (u32, u64)) {
    let other = *device.scratch_lists.entry(list).or_insert(user);
    if other != user {
        let text = format!("{user:?} programs use the scratch list of {other:?} programs, at {:#x}", list.1);
        device.note(text, false);
    }
}

/// Runs the helper program of a command for `groups` SIMD-groups of a program with a stack.
///
/// Results do not depend on it, so it runs only in strict mode.
pub(super) fn check(
    device: &mut Device,
    submission: &mut Submission<'_>,
    command: &[u8],
    user: User,
    (words, preamble): (&Words, Option<&Program>),
    groups: u64,
) -> Result<(), StreamError> {
    if device.settings.strict && preamble.is_some_and(Program::has_stack) {
        check_preamble(device, command, user, words);
    }
    if words.spill == 0 || groups == 0 || !device.settings.strict {
        return Ok(());
    }
    let [program, _, argument] = user.helper().map(|field| field.get(command));
    device.place.program = Some(words.code);
    if program & 1 == 0 {
        device.note("a program with a stack in a command without a helper program for scratch".into(), false);
        return Ok(());
    }
    if user == User::Vertex && !render_command::VERTEX_SCRATCH.is_set(command) {
        device
            .note("a vertex program with a stack in a command whose vertex programs have none".into(), false);
    }
    check_list(device, user, (submission.vm, argument));
    let code = bytes::address(submission.shader_base, program & !1);
    let program = device.program(submission, code)?;
    let (groups, size) = (groups.min(CORE_GROUPS) as usize, words.spill as u32);
    let phases = [Request::Allocate(size), Request::Free(size)];
    let requests: Vec<Request> = phases.into_iter().flat_map(|request| repeat_n(request, groups)).collect();
    let call = HelperCall { program: &program, argument, requests: &requests };
    let options = device.options();
    // Accesses of the helper program do not belong to a command.
    let touched = submission.memory.watched();
    let outcome = serve(submission.memory, &call, &options);
    if let Some(touched) = touched {
        submission.memory.watch(touched);
    }
    match outcome {
        Ok(answers) => {
            let answered = answers.len();
            let wrong = complaint(submission.memory, &answers, least_words(words.spill));
            let missing =
                || format!("the scratch helper ends after {answered} of {} requests", requests.len());
            if let Some(text) = wrong.or_else(|| (answered < requests.len()).then(missing)) {
                device.note(text, false);
            }
        }
        Err(stop) => {
            device.place.program = Some(code);
            device.note(stop.finding.to_string(), false);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use agx_emulator::Access;

    use super::*;

    fn answer(accepted: bool, blocks: [u32; 4]) -> Answer {
        Answer { request: Request::Allocate(5), accepted: Some(accepted), blocks }
    }

    #[test]
    fn sizes_follow_the_register_word() {
        assert_eq!([0, 1, 5, 7, 9, 15].map(stack_words), [0, 8, 128, 512, 2048, 8 << 14]);
    }

    #[test]
    fn blocks_are_checked() {
        let mut memory = Memory::new();
        memory.map(0x10_0000, vec![0; 0x1_0000], Access::READ | Access::WRITE).expect("free");
        let mut complain = |answers: &[Answer], words| complaint(&mut memory, answers, words);
        // Blocks of 4 KiB, which have 32 words per lane.
        let block = |at: u32| 0b11 | (0x10_0000 + at) >> 8;
        let one = answer(true, [block(0), 0, 0, 0]);
        let three = answer(true, [block(0x1000), 1 | block(0x2000), 1 | block(0x3000), 0]);
        assert_eq!(complain(&[one, three], 32), None);
        assert_eq!(complain(&[three], 96), None);
        let mut text = |answers: &[Answer], words| complain(answers, words).unwrap_or_default();
        assert!(text(&[answer(false, one.blocks)], 32).contains("not accepted"));
        assert!(text(&[one], 33).contains("blocks of 32 words"));
        assert!(text(&[one, one], 32).contains("two SIMD-groups"));
        assert!(text(&[answer(true, [block(0x1_0000), 0, 0, 0])], 32).contains("not bound"));
        assert!(text(&[answer(true, [0; 4])], 32).contains("blocks of 0 words"));
    }
}
