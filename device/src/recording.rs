//! Recordings of submissions, with the contents of memory before and after each. They can be replayed without the
//! driver.
//!
//! A recording is a sequence of submissions. Each has the shader base address, the commands, the mapped ranges with
//! their contents before, and the contents after. Equal pages are stored once, and pages of zeros are not stored.

use std::collections::BTreeMap;

use agx_emulator::{Access, Memory};

use crate::compare::{Difference, Written};
use crate::execute::{Command, Device, Submission};
use crate::findings::{Finding, PixelHistory};
use crate::kernel::parse_commands;
use crate::settings::Settings;
use crate::statistics::Statistics;

/// First bytes of a recording, followed by the version.
const MAGIC: &[u8; 6] = b"AGXREC";
/// Version of the form, big-endian in a recording.
const VERSION: u16 = 1;
/// Bytes of a page in a recording.
const PAGE: usize = 0x1000;
/// The end of the addresses of the device.
const END: u64 = 1 << 39;
/// The error for a range whose contents cannot be allocated.
const TOO_LARGE: &str = "a range that does not fit in memory";

/// The reason why a recording cannot be replayed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReplayError {
    /// The bytes are not a recording.
    #[error("not a recording: expected the signature `AGXREC`")]
    Signature,
    /// The recording is of another version.
    #[error("the recording has version {0}; this program reads version {VERSION}, record it again")]
    Version(u16),
    /// The recording ends early.
    #[error("the recording ends at byte {0}, in the middle of a submission")]
    Short(usize),
    /// A referenced page is not in the recording.
    #[error("page {0} is not in the recording")]
    Page(u32),
    /// Commands or ranges are inconsistent.
    #[error("submission {number}: {what}")]
    Content {
        /// Number of the submission, from 1 on.
        number: usize,
        /// Description of the error.
        what: &'static str,
    },
}

/// A mapped range.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Range {
    address: u64,
    bytes: u64,
    access: u8,
    /// Numbers of pages, before and after; 0 is a page of zeros.
    pages: [Vec<u32>; 2],
}

/// A submission.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Recorded {
    shader_base: u64,
    stream: Vec<u8>,
    ranges: Vec<Range>,
}

/// Creates a recording.
#[derive(Default)]
pub(crate) struct Recorder {
    pages: BTreeMap<Vec<u8>, u32>,
    submissions: Vec<Recorded>,
}

impl Recorder {
    /// Records a submission before it runs: its commands as the kernel gets them, and all memory of its address space.
    pub(crate) fn submission(&mut self, memory: &Memory, shader_base: u64, stream: &[u8]) {
        let ranges: Vec<_> = memory.ranges().collect();
        let ranges = ranges
            .into_iter()
            .map(|(address, bytes, access)| Range {
                address,
                bytes: bytes as u64,
                access: access.bits(),
                pages: [self.contents(memory, address, bytes), Vec::new()],
            })
            .collect();
        self.submissions.push(Recorded { shader_base, stream: stream.to_vec(), ranges });
    }

    /// Records the memory after the latest submission.
    pub(crate) fn result(&mut self, memory: &Memory) {
        let Some(mut last) = self.submissions.pop() else { return };
        for range in &mut last.ranges {
            range.pages[1] = self.contents(memory, range.address, range.bytes as usize);
        }
        self.submissions.push(last);
    }

    fn contents(&mut self, memory: &Memory, address: u64, bytes: usize) -> Vec<u32> {
        (0..bytes)
            .step_by(PAGE)
            .map(|offset| {
                let mut page = vec![0; PAGE.min(bytes.saturating_sub(offset))];
                if memory.fetch(address.saturating_add(offset as u64), &mut page).is_err()
                    || page.iter().all(|byte| *byte == 0)
                {
                    return 0;
                }
                let next = (self.pages.len() as u32).saturating_add(1);
                *self.pages.entry(page).or_insert(next)
            })
            .collect()
    }

    /// The recording so far.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut out = [&MAGIC[..], &VERSION.to_be_bytes()].concat();
        let word = |out: &mut Vec<u8>, value: u64| out.extend_from_slice(&value.to_le_bytes());
        word(&mut out, self.pages.len() as u64);
        let mut pages: Vec<_> = self.pages.iter().collect();
        pages.sort_by_key(|(_, number)| **number);
        for (page, _) in pages {
            word(&mut out, page.len() as u64);
            out.extend_from_slice(page);
        }
        word(&mut out, self.submissions.len() as u64);
        for submission in &self.submissions {
            word(&mut out, submission.shader_base);
            word(&mut out, submission.stream.len() as u64);
            out.extend_from_slice(&submission.stream);
            word(&mut out, submission.ranges.len() as u64);
            for range in &submission.ranges {
                for value in [range.address, range.bytes, range.access.into()] {
                    word(&mut out, value);
                }
                for pages in &range.pages {
                    runs(pages).into_iter().for_each(|value| word(&mut out, value));
                }
            }
        }
        out
    }
}

/// Page numbers, run-length encoded: number of runs, then length and number of each.
fn runs(pages: &[u32]) -> Vec<u64> {
    let run = |run: &[u32]| run.first().map(|number| [run.len() as u64, u64::from(*number)]);
    let runs: Vec<[u64; 2]> = pages.chunk_by(|a, b| a == b).filter_map(run).collect();
    [&[runs.len() as u64], runs.as_flattened()].concat()
}

/// Reads a recording from bytes.
struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    fn take(&mut self, len: usize) -> Result<&'b [u8], ReplayError> {
        let end = self.at.checked_add(len).ok_or(ReplayError::Short(self.at))?;
        let found = self.bytes.get(self.at..end).ok_or(ReplayError::Short(self.bytes.len()))?;
        self.at = end;
        Ok(found)
    }

    fn word(&mut self) -> Result<u64, ReplayError> {
        let bytes = self.take(8)?;
        Ok(bytes.first_chunk().copied().map_or(0, u64::from_le_bytes))
    }

    /// The numbers of at most `count` pages, of a range in the submission of index `at`.
    fn pages(&mut self, at: usize, count: u64) -> Result<Vec<u32>, ReplayError> {
        let mut pages = Vec::new();
        for _ in 0..self.word()? {
            let (len, number) = (self.word()?, self.word()?);
            if len > count.saturating_sub(pages.len() as u64) {
                return Err(ReplayError::Short(self.at));
            }
            let all = pages.len().saturating_add(len as usize);
            pages.try_reserve(len as usize).map_err(|_| content(at, TOO_LARGE))?;
            pages.resize(all, number as u32);
        }
        Ok(pages)
    }

    fn submission(&mut self, at: usize) -> Result<Recorded, ReplayError> {
        let shader_base = self.word()?;
        let len = self.word()? as usize;
        let stream = self.take(len)?.to_vec();
        let mut ranges = Vec::new();
        for _ in 0..self.word()? {
            let (address, bytes, access) = (self.word()?, self.word()?, self.word()? as u8);
            if address.checked_add(bytes).is_none_or(|end| end > END) {
                return Err(content(at, "a range beyond the addresses of the device"));
            }
            let count = bytes.div_ceil(PAGE as u64);
            let pages = [self.pages(at, count)?, self.pages(at, count)?];
            ranges.push(Range { address, bytes, access, pages });
        }
        Ok(Recorded { shader_base, stream, ranges })
    }
}

/// A recording, ready to replay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recording {
    pages: Vec<Vec<u8>>,
    submissions: Vec<Recorded>,
}

/// An error in the submission of an index.
fn content(at: usize, what: &'static str) -> ReplayError {
    ReplayError::Content { number: at.saturating_add(1), what }
}

/// The commands of a submission.
fn commands(submission: &Recorded, at: usize) -> Result<Vec<Command>, ReplayError> {
    let what = "commands that cannot be read";
    let commands = parse_commands(&submission.stream);
    let commands = commands.map_err(|_| content(at, what))?;
    Ok(commands.into_iter().map(|ordered| ordered.command).collect())
}

/// The result of a replay.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    /// Bytes that differ from the recording, with their addresses; at most 64.
    pub differences: Vec<(u64, u8, u8)>,
    /// Findings.
    pub findings: Vec<Finding>,
    /// Statistics of the execution.
    pub statistics: Statistics,
    /// The listing, with [`Settings::trace`].
    pub trace: String,
    /// The fragments that touched a pixel, with [`Settings::pixel`].
    pub history: Vec<PixelHistory>,
}

/// Maximum number of differences.
const KEPT: usize = 64;

impl Recording {
    /// Reads a recording.
    ///
    /// # Errors
    /// [`ReplayError`]: the bytes are not a recording.
    pub fn parse(bytes: &[u8]) -> Result<Recording, ReplayError> {
        let mut reader = Reader { bytes, at: 0 };
        if reader.take(MAGIC.len()).ok() != Some(&MAGIC[..]) {
            return Err(ReplayError::Signature);
        }
        let version = reader.take(size_of::<u16>())?.try_into().map_or(0, u16::from_be_bytes);
        if version != VERSION {
            return Err(ReplayError::Version(version));
        }
        let mut pages = Vec::new();
        for _ in 0..reader.word()? {
            let len = reader.word()? as usize;
            pages.push(reader.take(len)?.to_vec());
        }
        let mut submissions = Vec::new();
        for at in 0..reader.word()? as usize {
            submissions.push(reader.submission(at)?);
        }
        Ok(Recording { pages, submissions })
    }

    /// Number of submissions.
    pub fn submissions(&self) -> usize {
        self.submissions.len()
    }

    /// The listing of a submission, counted from 1, with memory as before it; empty if there is no such submission.
    ///
    /// # Errors
    /// [`ReplayError`]: the recording is inconsistent.
    pub fn listing(&self, number: usize) -> Result<String, ReplayError> {
        let Some(at) = number.checked_sub(1) else { return Ok(String::new()) };
        let Some(submission) = self.submissions.get(at) else { return Ok(String::new()) };
        let memory = self.memory(submission, at)?;
        let mut text = String::new();
        for command in commands(submission, at)? {
            text.push_str(&format!("submission {number}, "));
            text.push_str(&crate::trace::command(&memory, submission.shader_base, &command));
        }
        Ok(text)
    }

    /// The fields that differ from another recording, of the same program through another driver.
    ///
    /// # Errors
    /// [`ReplayError`]: a recording is inconsistent.
    pub fn differences(&self, other: &Recording) -> Result<Vec<Difference>, ReplayError> {
        Ok(self.written()?.differences(&other.written()?))
    }

    /// The records of all submissions.
    fn written(&self) -> Result<Written, ReplayError> {
        let mut written = Written::default();
        for (at, submission) in self.submissions.iter().enumerate() {
            let memory = self.memory(submission, at)?;
            let commands = commands(submission, at)?;
            commands.iter().for_each(|command| written.add(&memory, submission.shader_base, command));
        }
        Ok(written)
    }

    /// Runs all submissions and compares the resulting memory with the recorded contents.
    ///
    /// # Errors
    /// [`ReplayError`]: the recording is inconsistent.
    pub fn replay(&self, settings: Settings) -> Result<Replay, ReplayError> {
        let mut device = Device::new(settings);
        let mut replay = Replay::default();
        for (number, submission) in self.submissions.iter().enumerate() {
            let mut memory = self.memory(submission, number)?;
            for (at, command) in commands(submission, number)?.iter().enumerate() {
                let submission = Submission {
                    memory: &mut memory,
                    shader_base: submission.shader_base,
                    vm: 0,
                    submission: (number as u64).saturating_add(1),
                    number: at as u32,
                };
                device.execute(submission, command);
            }
            self.compare(submission, number, &memory, &mut replay.differences)?;
        }
        replay.findings = device.notebook.all().to_vec();
        replay.statistics = std::mem::take(&mut device.statistics);
        replay.trace = std::mem::take(&mut device.trace);
        replay.history = std::mem::take(&mut device.history);
        Ok(replay)
    }

    /// The bytes of a range, from these of its pages, in the submission of index `at`.
    fn contents(&self, at: usize, range: &Range, pages: &[u32]) -> Result<Vec<u8>, ReplayError> {
        let len = range.bytes as usize;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(len).map_err(|_| content(at, TOO_LARGE))?;
        for number in pages {
            let left = len.saturating_sub(bytes.len()).min(PAGE);
            let page: &[u8] = match number.checked_sub(1) {
                None => &[0; PAGE],
                Some(at) => self.pages.get(at as usize).ok_or(ReplayError::Page(*number))?,
            };
            bytes.extend_from_slice(page.get(..left).unwrap_or(page));
        }
        bytes.resize(len, 0);
        Ok(bytes)
    }

    fn memory(&self, submission: &Recorded, number: usize) -> Result<Memory, ReplayError> {
        let mut memory = Memory::new();
        for range in &submission.ranges {
            let bytes = self.contents(number, range, &range.pages[0])?;
            let access = Access::from_bits_truncate(range.access);
            memory.map(range.address, bytes, access).map_err(|_| content(number, "ranges that overlap"))?;
        }
        Ok(memory)
    }

    fn compare(
        &self,
        submission: &Recorded,
        number: usize,
        memory: &Memory,
        differences: &mut Vec<(u64, u8, u8)>,
    ) -> Result<(), ReplayError> {
        for range in submission.ranges.iter().filter(|range| range.access & Access::WRITE.bits() != 0) {
            let expected = self.contents(number, range, &range.pages[1])?;
            let Some(found) = memory.bytes(range.address, expected.len()) else { continue };
            if found == expected {
                continue;
            }
            let different = expected.iter().zip(found).enumerate().filter(|(_, (a, b))| a != b);
            let room = KEPT.saturating_sub(differences.len());
            let place = |at: usize| range.address.saturating_add(at as u64);
            differences
                .extend(different.take(room).map(|(at, (expected, found))| (place(at), *expected, *found)));
        }
        Ok(())
    }
}
