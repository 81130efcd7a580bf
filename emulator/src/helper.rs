//! The scratch helper: a program of the driver that allocates blocks of scratch memory to the SIMD-groups of a core.
//!
//! The program communicates with the hardware through doorbells: 32 fetches the next request, 48 accepts and 49 refuses
//! it. Special registers 144, 146 and 147 have the request's code and argument; before the first doorbell they have the
//! argument of the command. `map` gives a block to the requesting SIMD-group, `unmap` takes it back (Mesa,
//! `libagx/helper.cl`; applegpu names the instructions).

use crate::dispatch::{Options, Stop};
use crate::machine::{Job, Machine, Team, conclude};
use crate::memory::Memory;
use crate::profile::Counts;
use crate::program::Program;
use crate::textures::States;

/// Maximum number of blocks of a SIMD-group.
pub const HELPER_BLOCKS: usize = 4;
/// The doorbell that fetches the next request.
const NEXT: u32 = 32;
/// The doorbell that accepts a request.
const ACCEPT: u32 = 48;
/// The doorbell that refuses a request.
const REFUSE: u32 = 49;

/// A request of the hardware to the helper.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// Allocate blocks for a SIMD-group; the argument is the stack size code of its register word.
    Allocate(u32),
    /// Free the blocks of the latest SIMD-group that still has some.
    Free(u32),
}

impl Request {
    /// Code and argument, as in the special registers.
    fn words(self) -> [u32; 2] {
        match self {
            Request::Allocate(size) => [0, size],
            Request::Free(size) => [1, size],
        }
    }
}

/// Code of the request to end the program, after the last request.
const END: u32 = 15;

/// A request and the helper's answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The request.
    pub request: Request,
    /// Whether the helper accepted it; `None` if it fetched the next request without an answer.
    pub accepted: Option<bool>,
    /// The words that it mapped: address / 256, with the logarithm to base 4 of the block's size in KiB, plus one, as
    /// the number of low bits set; 0 for none.
    pub blocks: [u32; HELPER_BLOCKS],
}

/// A run of the helper.
#[derive(Clone, Copy, Debug)]
pub struct HelperCall<'a> {
    /// The driver's program.
    pub program: &'a Program,
    /// The command's argument.
    pub argument: u64,
    /// Requests of the hardware, in order; the request to end follows the last.
    pub requests: &'a [Request],
}

/// Runs the helper until it ends.
///
/// # Errors
/// The finding that stopped it, as for a dispatch.
pub fn serve(memory: &mut Memory, call: &HelperCall<'_>, options: &Options) -> Result<Vec<Answer>, Stop> {
    let mut machine = Machine::new(memory, options, &[], States::default());
    let mut counts = Counts::new(call.program);
    let mut team = Team::alone(machine.group(0, 1), machine.local(0));
    team.helper = Some(Box::new(Helper::new(call)));
    let mut teams = [team];
    let job = Job { workgroup_size: [1; 3], full_size: [1; 3], ..Job::default() };
    let outcome = machine.execute(call.program, &mut counts, &mut teams, job, None);
    conclude(outcome, machine.report(&[(call.program, &counts)]))?;
    let [team] = teams;
    Ok(team.helper.map_or_else(Vec::new, |helper| helper.answers))
}

/// The state of the hardware while the helper runs.
#[derive(Clone, Debug)]
pub(crate) struct Helper {
    /// Contents of the special registers: the request's code, and the argument.
    registers: [u32; 3],
    /// Pending requests, the next one last.
    waiting: Vec<Request>,
    /// Blocks of the SIMD-groups that have some.
    granted: Vec<[u32; HELPER_BLOCKS]>,
    answers: Vec<Answer>,
}

impl Helper {
    fn new(call: &HelperCall<'_>) -> Helper {
        let argument = [call.argument as u32, (call.argument >> 32) as u32];
        let waiting = call.requests.iter().rev().copied().collect();
        Helper { registers: [0, argument[0], argument[1]], waiting, granted: Vec::new(), answers: Vec::new() }
    }

    /// The value of a special register that exists only for the helper.
    pub(crate) fn special(&self, number: u32) -> Option<u32> {
        match number {
            144 => Some(self.registers[0]),
            146 | 147 => Some(self.registers[number as usize - 145]),
            _ => None,
        }
    }

    /// Executes a doorbell; false if its meaning is unknown.
    pub(crate) fn ring(&mut self, doorbell: u32) -> bool {
        match doorbell {
            NEXT => self.next(),
            ACCEPT | REFUSE => self.conclude(doorbell == ACCEPT),
            _ => return false,
        }
        true
    }

    fn next(&mut self) {
        let Some(request) = self.waiting.pop() else {
            self.registers = [END, 0, 0];
            return;
        };
        let [code, argument] = request.words();
        self.registers = [code, argument, 0];
        let blocks = match request {
            Request::Allocate(_) => [0; HELPER_BLOCKS],
            Request::Free(_) => self.granted.pop().unwrap_or_default(),
        };
        self.answers.push(Answer { request, accepted: None, blocks });
    }

    fn conclude(&mut self, accepted: bool) {
        let Some(answer) = self.answers.last_mut().filter(|answer| answer.accepted.is_none()) else { return };
        answer.accepted = Some(accepted);
        if accepted && matches!(answer.request, Request::Allocate(_)) {
            self.granted.push(answer.blocks);
        }
    }

    /// Gives a block to the requesting SIMD-group.
    pub(crate) fn map(&mut self, slot: u32, block: u32) {
        if let Some(place) = self.answers.last_mut().and_then(|answer| answer.blocks.get_mut(slot as usize)) {
            *place = block;
        }
    }

    /// Takes a block back.
    pub(crate) fn unmap(&mut self, slot: u32) -> u32 {
        let place = self.answers.last_mut().and_then(|answer| answer.blocks.get_mut(slot as usize));
        place.map_or(0, |block| std::mem::replace(block, 0))
    }
}
