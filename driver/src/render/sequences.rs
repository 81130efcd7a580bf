//! Draws that the device generates.
//!
//! Each sequence becomes an indirect draw, or several. Programs that run before the pass copy their parameters, which are zeros for draws
//! that do not exist, and write what else tokens set to memory from which programs load it: push constants, and the places of
//! attributes. The record of a draw whose tokens set the index buffer is in memory too, and the stream continues there; if programs
//! read indices before the pass, they read a copy.

use agx_abi::record as r;
use agx_compiler::link::DYNAMIC_STRIDE;
use ash::vk;

use super::assembly::is_decomposed;
use super::condition::before_draw;
use super::draw::{DrawNumbers, ready};
use super::encode::{draw_head, stride_of};
use super::{Graphics, IndexBuffer};
use crate::Error;
use crate::command::{Groups, Recorder};
use crate::dirty::Dirty;
use crate::draw_state::BindingInfo;
use crate::format;
use crate::kernels::Kernel;
use crate::words::{ATTRIBUTE_WORDS, Direct, InMemory, LOCATIONS, PUSH_WORDS};

/// Words of the records of a draw whose tokens set the index buffer.
const RECORD_WORDS: u32 = 8;
/// Maximum number of indices of an index buffer that programs read before the pass.
const MOST_COPIED: u32 = 1 << 20;
/// Maximum number of draws, with all choices, and about the bytes that each takes.
const MOST_DRAWS: u32 = 1 << 24;
const BYTES_OF_DRAW: u64 = 256;
/// Threads that copy them.
const COPYING: u32 = 1024;

/// The error for strides that the application does not leave to commands.
const FIXED: Error = Error::Invalid { what: "generated draws with vertex buffers of fixed strides" };

/// Kinds of draws.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DrawKind {
    /// Of vertices.
    Vertices,
    /// Of indices.
    Indices,
    /// Of workgroups of task or mesh shaders.
    Meshes,
}

impl DrawKind {
    /// Words of the parameters.
    fn words(self) -> u32 {
        match self {
            DrawKind::Vertices => 4,
            DrawKind::Indices => 5,
            DrawKind::Meshes => 3,
        }
    }
}

/// Programs that a sequence may choose.
pub struct Choice {
    /// The words of a sequence that chooses them.
    pub words: Vec<u32>,
    /// Binds them.
    pub bind: Box<dyn Fn(&mut Recorder)>,
}

/// Draws to generate.
pub struct DrawSequences<'s> {
    /// Address and bytes of the values.
    pub values: (u64, u64),
    /// Address of the number of sequences.
    pub count: u64,
    /// Maximum number of sequences.
    pub most: u32,
    /// Words from one sequence to the next.
    pub stride: u32,
    /// The kind of draws, and the first word of their parameters.
    pub action: (DrawKind, u32),
    /// Maximum number of draws of a sequence, if it has the place of their parameters instead of them.
    pub draws: Option<u32>,
    /// Push constants that are copied, as their words and those of the sequence, and those that are the number of the sequence.
    pub push: (&'s [[u32; 2]], &'s [u32]),
    /// Numbers of vertex buffers with the first of their words.
    pub buffers: &'s [[u32; 2]],
    /// The first word of the index buffer.
    pub indices: Option<u32>,
    /// The first of the words that choose programs.
    pub programs: u32,
    /// What they choose from; nothing for the bound programs.
    pub choices: Vec<Choice>,
}

impl DrawSequences<'_> {
    /// The values and the number of sequences, for programs.
    fn sources(&self) -> [Direct; 2] {
        [Direct::Buffer(self.values.0, self.values.1), Direct::Buffer(self.count, 4)]
    }

    /// Draws of a sequence.
    fn each(&self) -> u32 {
        self.draws.unwrap_or(1)
    }

    /// Draws of a sequence with all choices.
    fn whole(&self) -> u32 {
        self.each().saturating_mul(self.choices.len().max(1) as u32)
    }

    /// All draws that there may be, with all choices.
    fn all(&self) -> u32 {
        self.most.saturating_mul(self.whole())
    }

    /// The address of a word of a sequence.
    fn word(&self, sequence: u32, word: u32) -> u64 {
        self.values.0 + 4 * (u64::from(sequence) * u64::from(self.stride) + u64::from(word))
    }
}

/// The halves of a number.
fn halves(number: u64) -> [u32; 2] {
    [number as u32, (number >> 32) as u32]
}

/// The address of the part of a list that has a number, if there is the list.
fn part(list: Option<u64>, number: u32, words: u32) -> Option<u64> {
    list.map(|at| at + 4 * u64::from(number) * u64::from(words))
}

/// Generates draws and executes them.
///
/// # Errors
/// As [`Recorder::draw`], or vertex buffers of fixed strides.
pub fn draw_sequences(recorder: &mut Recorder, draws: &DrawSequences<'_>) -> Result<(), Error> {
    if recorder.pass.is_none() || draws.all() == 0 {
        return Ok(());
    }
    let graphics = &mut recorder.graphics;
    if !draws.buffers.is_empty() && graphics.shaders.has_strides() {
        return Err(FIXED);
    }
    if draws.all() > MOST_DRAWS {
        return Err(Error::DeviceMemory { bytes: u64::from(draws.all()) * BYTES_OF_DRAW });
    }
    let (strides, indices, shaders) = (graphics.strides, graphics.indices, graphics.shaders.clone());
    graphics.set_strides(draws.buffers.iter().map(|[number, _]| (*number, DYNAMIC_STRIDE)));
    // The words of programs are others if numbers are in memory.
    graphics.state.dirty = Dirty::ALL;
    let result = execute(recorder, draws);
    let graphics = &mut recorder.graphics;
    (graphics.strides, graphics.indices, graphics.record) = (strides, indices, None);
    graphics.shaders = shaders;
    graphics.state.in_memory = InMemory::NONE;
    graphics.state.dirty = Dirty::ALL;
    if let Some(pass) = &mut recorder.pass {
        pass.written.clear();
    }
    result
}

/// What programs have written for the draws: addresses of lists.
struct Prepared {
    numbers: u64,
    push: Option<u64>,
    attributes: Option<u64>,
    records: Option<u64>,
    /// Where the indices of a draw are copied, with the word of their buffer.
    copy: Option<(u64, u32)>,
}

fn execute(recorder: &mut Recorder, draws: &DrawSequences<'_>) -> Result<(), Error> {
    ready(recorder)?;
    let numbers = numbers(recorder, draws)?;
    let push = push(recorder, draws)?;
    let attributes = if draws.buffers.is_empty() { None } else { Some(attributes(recorder, draws)?) };
    let (records, copy) = indices(recorder, draws, numbers)?;
    let prepared = Prepared { numbers, push, attributes, records, copy };
    (0..draws.most).try_for_each(|sequence| {
        prepared.enter(&mut recorder.graphics, sequence);
        (0..draws.whole()).try_for_each(|draw| {
            if let (0, Some(choice)) =
                (draw % draws.each(), draws.choices.get((draw / draws.each()) as usize))
            {
                (choice.bind)(recorder);
            }
            prepared.draw(recorder, draws, [sequence, draw])
        })
    })
}

impl Prepared {
    /// Has the draws of a sequence read what belongs to it.
    fn enter(&self, graphics: &mut Graphics, sequence: u32) {
        graphics.state.in_memory = InMemory {
            push: part(self.push, sequence, PUSH_WORDS as u32),
            attributes: part(self.attributes, sequence, ATTRIBUTE_WORDS),
        };
        if self.push.is_some() {
            graphics.state.dirty |= Dirty::PUSH;
        }
        if self.attributes.is_some() {
            graphics.state.dirty |= Dirty::BUFFERS;
        }
    }

    /// Executes a draw of a sequence, with one of its choices.
    fn draw(
        &self,
        recorder: &mut Recorder,
        draws: &DrawSequences<'_>,
        [sequence, draw]: [u32; 2],
    ) -> Result<(), Error> {
        let (kind, _) = draws.action;
        let number = sequence * draws.whole() + draw;
        let draw = draw % draws.each();
        let numbers = self.numbers + 4 * u64::from(kind.words()) * u64::from(number);
        recorder.graphics.record = part(self.records, number, RECORD_WORDS);
        if let Some((to, word)) = self.copy {
            let restart = recorder.graphics.dynamic.restart;
            let [a, b] = halves(draws.word(sequence, word));
            let [c, d] = halves(numbers);
            let [e, f] = halves(to);
            let parameters = [a, b, c, d, e, f, MOST_COPIED, COPYING, restart.into()];
            before_draw(recorder, |recorder| {
                recorder.run_kernel(Kernel::SequenceIndexCopies, &parameters, &[], [COPYING, 1, 1])
            })?;
        }
        match kind {
            DrawKind::Meshes => recorder.draw_meshes(Groups::Indirect(numbers), draw),
            _ => recorder.draw(DrawNumbers::Indirect(numbers), kind == DrawKind::Indices, draw),
        }
    }
}

/// Address of the parameters of the draws, with all choices.
fn numbers(recorder: &mut Recorder, draws: &DrawSequences<'_>) -> Result<u64, Error> {
    let plain = plain_numbers(recorder, draws)?;
    let Some(first) = draws.choices.first() else { return Ok(plain) };
    let known: Vec<u32> = draws.choices.iter().flat_map(|choice| choice.words.iter().copied()).collect();
    let known_at = recorder.upload.put_words(&known, 16)?;
    let size = draws.action.0.words() * draws.each();
    let bytes = 4 * u64::from(draws.action.0.words()) * u64::from(draws.all());
    let to = recorder.upload.reserve(bytes)?;
    let choices = draws.choices.len() as u32;
    let [values, count] = draws.sources();
    let list = [
        values,
        count,
        Direct::Buffer(known_at, 4 * known.len() as u64),
        Direct::Buffer(plain, 4 * u64::from(size) * u64::from(draws.most)),
        Direct::Buffer(to, bytes),
    ];
    let parameters = [draws.most, draws.stride, draws.programs, first.words.len() as u32, choices, size];
    before_draw(recorder, |recorder| {
        recorder.run_kernel(Kernel::SequenceChoices, &parameters, &list, [draws.most * choices, 1, 1])
    })?;
    Ok(to)
}

/// Address of the parameters of the draws of each sequence.
fn plain_numbers(recorder: &mut Recorder, draws: &DrawSequences<'_>) -> Result<u64, Error> {
    let (kind, at) = draws.action;
    let words = kind.words();
    let bytes = 4 * u64::from(words) * u64::from(draws.most) * u64::from(draws.each());
    let copied = recorder.upload.reserve(bytes)?;
    if let Some(most) = draws.draws {
        let [a, b] = halves(draws.word(0, at));
        let [c, d] = halves(draws.count);
        let [e, f] = halves(copied);
        let parameters = [a, b, c, d, e, f, draws.most, draws.stride, most, words];
        before_draw(recorder, |recorder| {
            recorder.run_kernel(Kernel::SequenceCounts, &parameters, &[], [draws.most * draws.each(), 1, 1])
        })?;
        return Ok(copied);
    }
    let offset = 4 * u64::from(at);
    let list = [
        Direct::Buffer(draws.values.0 + offset, draws.values.1.saturating_sub(offset)),
        Direct::Buffer(draws.count, 4),
        Direct::Buffer(copied, bytes),
    ];
    let parameters = [draws.stride, words];
    before_draw(recorder, |recorder| {
        recorder.run_kernel(Kernel::Draws, &parameters, &list, [draws.most, 1, 1])
    })?;
    Ok(copied)
}

/// Runs a program with a thread for each sequence that reads the values, their number and a list; returns the address of what it
/// writes, of this number of words for each sequence.
fn written(
    recorder: &mut Recorder,
    draws: &DrawSequences<'_>,
    kernel: Kernel,
    (parameters, known, words): (&[u32], &[u32], u32),
) -> Result<u64, Error> {
    let bytes = 4 * u64::from(words) * u64::from(draws.most);
    let to = recorder.upload.reserve(bytes)?;
    let known_at = recorder.upload.put_words(known, 16)?;
    let [values, count] = draws.sources();
    let list = [values, count, Direct::Buffer(known_at, 4 * known.len() as u64), Direct::Buffer(to, bytes)];
    before_draw(recorder, |recorder| recorder.run_kernel(kernel, parameters, &list, [draws.most, 1, 1]))?;
    Ok(to)
}

/// Address of the push constants of the draws, if tokens set some.
fn push(recorder: &mut Recorder, draws: &DrawSequences<'_>) -> Result<Option<u64>, Error> {
    let (copies, numbers) = draws.push;
    if copies.is_empty() && numbers.is_empty() {
        return Ok(None);
    }
    let mut known = recorder.graphics.state.push.to_vec();
    known.extend(copies.iter().flatten());
    known.extend(numbers);
    let parameters = [draws.most, draws.stride, copies.len() as u32, numbers.len() as u32];
    let given = (parameters.as_slice(), known.as_slice(), PUSH_WORDS as u32);
    written(recorder, draws, Kernel::SequencePush, given).map(Some)
}

/// Address of the places of the attributes of the draws.
fn attributes(recorder: &mut Recorder, draws: &DrawSequences<'_>) -> Result<u64, Error> {
    let zeros = recorder.device.zeros.address;
    let Graphics { dynamic, buffers, strides, .. } = &recorder.graphics;
    let stride = |_: usize, binding: &BindingInfo| stride_of(binding, false, strides);
    let mut known = Vec::new();
    for location in 0..LOCATIONS {
        let token = dynamic.input.source(location).and_then(|source| {
            let [_, at] = draws.buffers.iter().rev().find(|[number, _]| *number == source.binding)?;
            Some([*at, source.offset, format::vertex_bytes(source.format)?.into()])
        });
        let (address, last) = dynamic.input.place(location, buffers, stride).unwrap_or((zeros, 0));
        known.extend(token.unwrap_or([u32::MAX, 0, 0]));
        known.extend(halves(address));
        known.push(last);
    }
    let [low, high] = halves(zeros);
    let parameters = [low, high, draws.most, draws.stride];
    let given = (parameters.as_slice(), known.as_slice(), ATTRIBUTE_WORDS);
    written(recorder, draws, Kernel::SequenceBuffers, given)
}

/// The records of draws whose tokens set the index buffer, and the memory to which indices are copied. Draws of what a shader emits have
/// no such record, and decomposed ones do not use it; copies are for programs that read indices before the pass.
fn indices(
    recorder: &mut Recorder,
    draws: &DrawSequences<'_>,
    numbers: u64,
) -> Result<(Option<u64>, Option<(u64, u32)>), Error> {
    let Some(word) = draws.indices else { return Ok((None, None)) };
    let is_other = |Graphics { shaders, dynamic, .. }: &Graphics| {
        is_decomposed(dynamic.topology, shaders.fragment.as_deref())
    };
    let mut is_read = is_other(&recorder.graphics);
    for choice in &draws.choices {
        (choice.bind)(recorder);
        is_read |= is_other(&recorder.graphics);
    }
    let Graphics { shaders, dynamic, .. } = &recorder.graphics;
    let is_emitted = shaders.evaluation.is_some() || shaders.geometry.is_some();
    is_read |= is_emitted || dynamic.restart && recorder.graphics.needs_launches();
    let records = if is_emitted { None } else { Some(records(recorder, draws, word, numbers)?) };
    let bytes = if is_read { 4 * u64::from(MOST_COPIED) } else { 0 };
    let address = if is_read { recorder.upload.reserve(bytes)? } else { recorder.device.zeros.address };
    recorder.graphics.indices = Some(IndexBuffer { address, bytes, kind: vk::IndexType::UINT32 });
    Ok((records, is_read.then_some((address, word))))
}

/// Address of the records of draws whose index buffer begins at a word of the sequence.
fn records(
    recorder: &mut Recorder,
    draws: &DrawSequences<'_>,
    word: u32,
    numbers: u64,
) -> Result<u64, Error> {
    let bytes = 4 * u64::from(RECORD_WORDS) * u64::from(draws.all());
    let (to, chunk, start) = recorder.upload.part(bytes)?;
    let end = r::draw_barrier::new().flag(&r::draw_barrier::RETURNS, true).bits();
    (0..draws.all()).for_each(|number| {
        chunk.write_words(start + 4 * u64::from(RECORD_WORDS) * u64::from(number), &[end]);
    });
    let restart = match recorder.graphics.dynamic.restart {
        true => r::vertex_state::new().flag(&r::vertex_state::RESTART_INDEX, true).bits(),
        false => 0,
    };
    let [low, high] = halves(numbers);
    let head = draw_head(&recorder.graphics)?;
    let parameters = [low, high, draws.most, draws.whole(), draws.stride, word, head, restart, end];
    let [values, count] = draws.sources();
    let list = [values, count, Direct::Buffer(to, bytes)];
    before_draw(recorder, |recorder| {
        recorder.run_kernel(Kernel::SequenceIndices, &parameters, &list, [draws.all(), 1, 1])
    })?;
    Ok(to)
}
