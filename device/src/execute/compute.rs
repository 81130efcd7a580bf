//! Compute commands: launches of a compute control stream.

use agx_abi::barrier_sets;
use agx_abi::streams::LINKED_BYTES;
use agx_emulator::{Dispatch, Memory, Tile, dispatch};

use super::caches::{Drops, read_words};
use super::scratch::{self, User, scratch_bytes};
use super::{Device, Submission, note_all, sampler_heap, states};
use crate::bytes;
use crate::record::{
    CDM_BARRIER, CDM_LAUNCH, CDM_LINK, Scope, compute_barrier, compute_command, indirect_sizes, launch, sizes,
};
use crate::statistics::Work;
use crate::stream::{StreamError, Walk, unbound};

/// Codes of sampler registers with a border colour.
const EXTENDED: std::ops::RangeInclusive<u64> = 6..=7;

/// A launch in a stream.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) address: u64,
    /// The record itself.
    pub(crate) head: Vec<u8>,
    /// Threads along x, y, z.
    pub(crate) threads: [u32; 3],
    /// Threads of a workgroup.
    pub(crate) workgroup: [u32; 3],
}

impl Launch {
    /// Reads the launch at the walk's position and advances the walk.
    pub(crate) fn read(memory: &Memory, walk: &mut Walk) -> Result<Launch, StreamError> {
        let address = walk.at;
        let head = walk.take(memory, &launch::RECORD)?;
        let triple = |bytes: &[u8]| [sizes::X, sizes::Y, sizes::Z].map(|field| field.get(bytes) as u32);
        let (threads, workgroup) = match launch::MODE.get(&head) {
            0 => {
                let threads = triple(&walk.take(memory, &sizes::RECORD)?);
                (threads, triple(&walk.take(memory, &sizes::RECORD)?))
            }
            1 => {
                let groups: [u32; 3] = indirect(memory, walk)?;
                let workgroup = triple(&walk.take(memory, &sizes::RECORD)?);
                (each(groups, workgroup, u32::wrapping_mul), workgroup)
            }
            2 => {
                let [a, b, c, x, y, z]: [u32; 6] = indirect(memory, walk)?;
                ([a, b, c], [x, y, z])
            }
            _ => return Err(StreamError::Shape { address, what: "launches in an unknown mode" }),
        };
        Ok(Launch { address, head, threads, workgroup })
    }
}

/// Combines the sizes along each axis.
fn each([a, b, c]: [u32; 3], [x, y, z]: [u32; 3], combine: fn(u32, u32) -> u32) -> [u32; 3] {
    [combine(a, x), combine(b, y), combine(c, z)]
}

/// The sizes that an indirect launch reads from memory.
fn indirect<const N: usize>(memory: &Memory, walk: &mut Walk) -> Result<[u32; N], StreamError> {
    let record = walk.take(memory, &indirect_sizes::RECORD)?;
    let address = indirect_sizes::ADDRESS_HIGH.get(&record) << 32 | indirect_sizes::ADDRESS_LOW.get(&record);
    bytes::words(memory, address).map_err(unbound("the sizes of an indirect launch", address))
}

/// Whether the resources of a shader have border colours after the samplers.
pub(crate) fn extended(head: &[u8]) -> bool {
    EXTENDED.contains(&launch::SAMPLERS.raw(head))
}

/// Checks the end of a stream in its command.
fn check_end(device: &mut Device, command: &[u8], end: u64, is_linked: bool) {
    let [start, found] =
        [compute_command::STREAM, compute_command::STREAM_END].map(|field| field.get(command));
    let expected = if is_linked { bytes::address(start, LINKED_BYTES) } else { end };
    if found != expected {
        device.note(format!("the end of the compute stream is {found:#x}; expected {expected:#x}"), false);
    }
}

impl Device {
    pub(super) fn compute(
        &mut self,
        submission: &mut Submission<'_>,
        command: &[u8],
    ) -> Result<(), StreamError> {
        let heap = sampler_heap(
            compute_command::SAMPLER_HEAP.get(command),
            compute_command::SAMPLER_COUNT.get(command),
        );
        self.check(&compute_command::RECORD, command);
        // Drivers drop nothing at the start of a compute stream, though the processor may have rewritten shader words.
        let start = Drops { shader: true, texels: false };
        let stale = self.caches.drop((submission.vm, submission.memory), start);
        note_all(self, stale);
        let mut walk = Walk::new(compute_command::STREAM.get(command));
        let mut launches = 0_u32;
        let (mut follows_launch, mut is_linked) = (false, false);
        loop {
            let reached = walk.reach(submission.memory)?;
            self.place.record = Some(reached.address);
            // A link may be between a launch and its barrier.
            if follows_launch && !matches!(reached.kind, CDM_BARRIER | CDM_LINK) {
                self.note("a launch without a barrier after it".into(), false);
            }
            follows_launch = reached.kind == CDM_LAUNCH || follows_launch && reached.kind == CDM_LINK;
            is_linked |= reached.kind == CDM_LINK;
            match reached.kind {
                CDM_LAUNCH => {
                    let launch = Launch::read(submission.memory, &mut walk)?;
                    self.place.launch = Some(launches);
                    launches = launches.saturating_add(1);
                    self.check(&launch::RECORD, &launch.head);
                    self.launch(submission, command, &launch, heap)?;
                }
                CDM_BARRIER => {
                    let bytes = walk.take(submission.memory, &compute_barrier::RECORD)?;
                    self.check(&compute_barrier::RECORD, &bytes);
                    note_all(self, barrier_sets::doubt(&bytes));
                    self.statistics.read(|sums| &mut sums.barriers, 1);
                    let space = (submission.vm, &mut *submission.memory);
                    let stale = self.caches.drop(space, Drops::of_compute(&bytes));
                    note_all(self, stale);
                    if compute_barrier::RETURNS.is_set(&bytes) {
                        walk.back()?;
                    }
                }
                kind => match walk.compute_flow(submission.memory, kind)? {
                    Some(true) => {}
                    Some(false) => {
                        check_end(self, command, walk.at, is_linked);
                        self.statistics.read(|sums| &mut sums.stream_bytes, walk.taken);
                        return Ok(());
                    }
                    None => return Err(StreamError::Kind { address: reached.address, kind }),
                },
            }
        }
    }

    fn launch(
        &mut self,
        submission: &mut Submission<'_>,
        command: &[u8],
        launch: &Launch,
        sampler_heap: Option<(u64, u32)>,
    ) -> Result<(), StreamError> {
        self.statistics.count(|sums| &mut sums.launches);
        let base = submission.shader_base;
        let pipeline = bytes::address(base, launch::PIPELINE.get(&launch.head));
        let words = read_words(self, submission, pipeline, extended(&launch.head))?;
        self.check_words(&words, &Scope::NONE);
        if launch.threads.contains(&0) || launch.workgroup.contains(&0) {
            return Ok(());
        }
        let program = self.program(submission, words.code)?;
        let preamble = match words.preamble {
            Some(address) => Some(self.program(submission, address)?),
            None => None,
        };
        let [width, height, samples, bytes_per_sample] = words.shared.tile.unwrap_or_default();
        let tile = Tile { size: [width, height], samples, bytes_per_sample };
        let groups = each(launch.threads, launch.workgroup, u32::div_ceil);
        let lanes = launch.workgroup.iter().map(|lanes| u64::from(*lanes)).product::<u64>();
        let count =
            groups.iter().map(|count| u64::from(*count)).fold(lanes.div_ceil(32), u64::saturating_mul);
        scratch::check(self, submission, command, User::Compute, (&words, preamble.as_deref()), count)?;
        let outcome = dispatch(
            submission.memory,
            &Dispatch {
                program: &program,
                preamble: preamble.as_deref(),
                uniforms: &words.uniforms,
                states: states(&words, sampler_heap),
                workgroups: groups,
                workgroup_size: launch.workgroup,
                threads: Some(launch.threads),
                tile: words.shared.tile.map(|_| tile),
                local_bytes: words.shared.bytes,
                scratch_bytes: scratch_bytes(&words),
                options: self.options(),
            },
        );
        self.conclude(words.code, Work::Launch, outcome);
        Ok(())
    }

    /// The decoded program at an address.
    pub(super) fn program(
        &mut self,
        submission: &Submission<'_>,
        address: u64,
    ) -> Result<std::sync::Arc<agx_emulator::Program>, StreamError> {
        self.programs.get(submission.memory, address).map_err(unbound("a program", address))
    }
}
