//! Commands that depend on a condition (`VK_EXT_conditional_rendering`): a word in memory that is zero or not.
//!
//! A control stream leaves out what depends on it: it continues at a link in memory, which a program of the driver writes
//! (`kernels/condition.comp`), to the commands or to what follows them. A draw stream has one such link for all commands of a scope in a
//! pass. As the state that they write may be left out too, everything is written again after them, and draws are recorded as they are without a
//! condition. A compute stream has a link for each dispatch, and for the launches that prepare a draw before its pass.

use std::sync::Arc;

use super::{Graphics, Pass, draw_link};
use crate::Error;
use crate::command::{Recorder, compute_link, jump_launches, launches_end};
use crate::dirty::Dirty;
use crate::kernels::Kernel;
use crate::memory::Allocation;
use crate::words::Direct;

/// Links that a launch of the program writes, a SIMD-group.
const LINKS: u64 = 32;
/// Bytes of a link, and of the two links that the program chooses from.
const LINK_BYTES: u64 = 8;
const CHOICE_BYTES: u64 = 2 * LINK_BYTES;

/// The condition of the scope under way.
#[derive(Clone)]
pub(crate) struct Condition {
    /// Address of the word.
    predicate: u64,
    /// Whether the word is zero if the commands are executed.
    inverted: bool,
    /// Links that the latest launch of the program writes.
    links: Option<Links>,
    /// Those in the streams of the pass under way.
    of_pass: Vec<Fork>,
}

/// Links, and after them what they are chosen from.
#[derive(Clone)]
struct Links {
    address: u64,
    chunk: Arc<Allocation>,
    at: u64,
    /// Number of links in streams.
    used: u64,
}

/// A place in a stream that continues at a link.
#[derive(Clone)]
struct Fork {
    chunk: Arc<Allocation>,
    /// Address of the link, and its offset in the chunk.
    link: u64,
    link_at: u64,
    /// Offset of what it is chosen from.
    choice_at: u64,
}

impl Fork {
    /// Has the stream continue at an address if the commands are executed, as it also does before the program runs.
    fn begin(&self, link: [u8; LINK_BYTES as usize]) {
        self.chunk.write(self.link_at, &link);
        self.chunk.write(self.choice_at, &link);
    }

    /// Has the stream continue at an address if they are not.
    fn end(&self, link: [u8; LINK_BYTES as usize]) {
        self.chunk.write(self.choice_at + LINK_BYTES, &link);
    }
}

/// Begins a scope, whose commands are executed if the word at an address is not zero, or if it is zero.
///
/// # Errors
/// Out of memory.
pub fn begin_condition(recorder: &mut Recorder, predicate: u64, inverted: bool) -> Result<(), Error> {
    let condition = Condition { predicate, inverted, links: None, of_pass: Vec::new() };
    recorder.graphics.condition = Some(Box::new(condition));
    recorder.graphics.watch();
    add_links(recorder)?;
    enter(recorder)
}

/// Ends the scope.
pub fn end_condition(recorder: &mut Recorder) {
    let Recorder { graphics, pass, .. } = recorder;
    if let Some(pass) = pass {
        leave(graphics, pass);
    }
    graphics.condition = None;
    graphics.watch();
}

/// Launches the program for more links.
fn add_links(recorder: &mut Recorder) -> Result<(), Error> {
    let Recorder { upload, graphics, .. } = recorder;
    let Some(condition) = &mut graphics.condition else { return Ok(()) };
    let (address, chunk, at) = upload.part(LINKS * (LINK_BYTES + CHOICE_BYTES))?;
    let choices = address + LINKS * LINK_BYTES;
    let list = [
        Direct::Buffer(condition.predicate, 4),
        Direct::Buffer(choices, LINKS * CHOICE_BYTES),
        Direct::Buffer(address, LINKS * LINK_BYTES),
    ];
    let parameters = [condition.inverted.into()];
    condition.links = Some(Links { address, chunk, at, used: 0 });
    recorder.before_pass(|recorder| {
        recorder.run_kernel(Kernel::Condition, &parameters, &list, [LINKS as u32, 1, 1])
    })
}

/// The next link.
fn fork(recorder: &mut Recorder) -> Result<Fork, Error> {
    const NONE: Error = Error::Invalid { what: "a conditional command without a condition" };
    let is_open = |links: &Links| links.used < LINKS;
    let condition = recorder.graphics.condition.as_ref().ok_or(NONE)?;
    if !condition.links.as_ref().is_some_and(is_open) {
        add_links(recorder)?;
    }
    let condition = recorder.graphics.condition.as_mut().ok_or(NONE)?;
    let Links { address, chunk, at, used } = condition.links.as_mut().ok_or(NONE)?;
    let number = *used;
    *used += 1;
    Ok(Fork {
        chunk: chunk.clone(),
        link: *address + LINK_BYTES * number,
        link_at: *at + LINK_BYTES * number,
        choice_at: *at + LINKS * LINK_BYTES + CHOICE_BYTES * number,
    })
}

/// Has what follows in the pass depend on the condition, if there is one.
pub(super) fn enter(recorder: &mut Recorder) -> Result<(), Error> {
    let views = match (&recorder.pass, &recorder.graphics.condition) {
        (Some(pass), Some(_)) => pass.views.len(),
        _ => return Ok(()),
    };
    let forks = (0..views).map(|_| fork(recorder)).collect::<Result<Vec<Fork>, Error>>()?;
    let Recorder { upload, pass: Some(pass), graphics, .. } = recorder else { return Ok(()) };
    for (view, fork) in pass.views.iter_mut().zip(&forks) {
        view.stream.jump(upload, fork.link)?;
        fork.begin(draw_link(view.stream.place()));
    }
    if let Some(condition) = &mut graphics.condition {
        condition.of_pass = forks;
    }
    Ok(())
}

/// Has what follows in the pass not depend on the condition. The state that was written may have been left out.
pub(super) fn leave(graphics: &mut Graphics, pass: &mut Pass) {
    let Some(condition) = &mut graphics.condition else { return };
    for (view, fork) in pass.views.iter().zip(condition.of_pass.drain(..)) {
        fork.end(draw_link(view.stream.place()));
    }
    pass.written.clear();
    graphics.state.dirty = Dirty::ALL;
}

/// Does something whose launches depend on the condition, if there is one. It may not end the compute stream.
///
/// # Errors
/// Those of what is done, and out of memory.
pub(crate) fn conditionally<T>(
    recorder: &mut Recorder,
    act: impl FnOnce(&mut Recorder) -> Result<T, Error>,
) -> Result<T, Error> {
    if recorder.graphics.condition.is_none() {
        return act(recorder);
    }
    let fork = fork(recorder)?;
    fork.begin(compute_link(jump_launches(recorder, fork.link)?));
    let result = act(recorder);
    fork.end(compute_link(launches_end(recorder)?));
    result
}

/// Does something before the pass that is under way, for a draw: its launches depend on the condition.
pub(super) fn before_draw<T>(
    recorder: &mut Recorder,
    act: impl FnOnce(&mut Recorder) -> Result<T, Error>,
) -> Result<T, Error> {
    recorder.before_pass(|recorder| conditionally(recorder, act))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{CommandBuffer, Level};
    use crate::device::Device;
    use crate::gpu::PAGE;
    use crate::memory::Place;
    use crate::render::tests::run;

    /// Words that hold conditions, before those that launches write.
    const CONDITIONS: u64 = 8;

    /// Fills a word if the condition is met.
    fn fill(recorder: &mut Recorder, address: u64) -> Result<(), Error> {
        conditionally(recorder, |recorder| recorder.fill_memory(address, 4, 1))
    }

    #[test]
    fn launches_are_executed_if_the_condition_is_met_when_the_device_reads_it() {
        let device = Device::in_test();
        let memory = device.space.allocate(PAGE, Place::High).expect("memory");
        memory.write(0, &[0, 0, 0, 1, 0, 0, 0, 0]);
        let at = memory.address;
        let mut commands = CommandBuffer::new(device.clone(), Level::Primary);
        commands.begin();
        commands.record(move |recorder| {
            // A word that the processor set, one that it did not, one that the device sets, and one that it sets too late.
            recorder.fill_memory(at + 8, 4, 7)?;
            for (number, [word, inverted]) in (0_u64..).zip([[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [3, 0]])
            {
                begin_condition(recorder, at + 4 * word, inverted != 0)?;
                fill(recorder, at + 4 * (CONDITIONS + number))?;
                end_condition(recorder);
            }
            recorder.fill_memory(at + 12, 4, 7)?;
            fill(recorder, at + 4 * (CONDITIONS + 6))
        });
        commands.end().expect("records");
        for _ in 0..2 {
            run(&commands);
            let mut found = [0; 28];
            memory.read(4 * CONDITIONS, &mut found);
            let found: Vec<u8> = found.into_iter().step_by(4).collect();
            assert_eq!(found, [1, 0, 0, 1, 1, 0, 1]);
            memory.write(12, &[0; 4]);
        }
    }

    #[test]
    fn scopes_have_any_number_of_launches() {
        let device = Device::in_test();
        let memory = device.space.allocate(PAGE, Place::High).expect("memory");
        let at = memory.address;
        let mut commands = CommandBuffer::new(device.clone(), Level::Primary);
        commands.begin();
        let count = 2 * LINKS + 5;
        commands.record(move |recorder| {
            for inverted in [false, true] {
                begin_condition(recorder, at, inverted)?;
                let first = at + if inverted { 4 * CONDITIONS } else { PAGE / 2 };
                (0..count).try_for_each(|number| fill(recorder, first + 4 * number))?;
                end_condition(recorder);
            }
            Ok(())
        });
        commands.end().expect("records");
        run(&commands);
        for (first, expected) in [(4 * CONDITIONS, 1), (PAGE / 2, 0)] {
            let mut found = vec![0; 4 * count as usize];
            memory.read(first, &mut found);
            assert!(found.iter().step_by(4).all(|byte| *byte == expected), "{found:?}");
        }
    }
}
