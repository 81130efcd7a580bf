//! Generated dispatches.

use std::sync::Arc;

use agx_abi::record as r;
use agx_abi::streams::AFTER_LAUNCH;

use super::template::Templates;
use super::{Sequences, SetProgram};
use crate::Error;
use crate::command::{Recorder, call_launches};
use crate::gpu::SHADER_BASE;
use crate::kernels::Kernel;
use crate::pipeline::ComputePipeline;
use crate::render::count_launches;
use crate::scratch;
use crate::words::Direct;

/// Words of the records of a launch: resources, pipeline, sizes of the grid and of workgroups, and the barrier.
pub(crate) const LAUNCH_WORDS: u32 = 9;

/// Alignment of words of shaders, in words.
const ALIGNMENT: u32 = 16;

/// Memory that the program writes.
struct Memory {
    /// Address of the records.
    records: u64,
    records_bytes: u64,
    /// Address of the blocks, of this number of words each.
    blocks: u64,
    block_words: u32,
}

/// Generates dispatches, whose numbers of workgroups begin at a word of a sequence, and executes them.
///
/// # Errors
/// Nothing is bound, or out of memory.
pub(super) fn execute(recorder: &mut Recorder, sequences: &Sequences, groups: u32) -> Result<(), Error> {
    let programs: Vec<Option<Arc<ComputePipeline>>> = match &sequences.programs {
        Some(programs) => programs.iter().map(|known| known.as_ref().and_then(SetProgram::compute)).collect(),
        None => vec![recorder.bound_compute()],
    };
    let known = || programs.iter().flatten();
    if known().next().is_none() {
        return Err(Error::Invalid { what: "generated dispatches without pipeline" });
    }
    let reserve = |pipeline: &Arc<ComputePipeline>| {
        recorder.device.scratch.reserve(scratch::Stage::Compute, &pipeline.program)
    };
    known().try_for_each(reserve)?;
    let chunks = recorder.device.chunks.clone();
    let templates = Templates::new(&chunks, (&sequences.layout, groups), &recorder.compute_state, &programs)?;
    let memory = room(recorder, sequences.most, templates.block_words)?;
    generate(recorder, (sequences, groups), &templates, &memory)?;
    call_launches(recorder, known().map(|pipeline| &pipeline.program), memory.records)?;
    match recorder.graphics.feedback.statistics {
        Some(statistics) => {
            count_launches(recorder, statistics, (memory.records, memory.records_bytes), sequences.most)
        }
        None => Ok(()),
    }
}

/// Memory for the records and blocks of this number of sequences, without any yet.
fn room(recorder: &mut Recorder, most: u32, block_words: u32) -> Result<Memory, Error> {
    let end = r::compute_return::new().bytes();
    let records_bytes = 4 * u64::from(most) * u64::from(LAUNCH_WORDS);
    let (records, chunk, at) = recorder.upload.part(records_bytes + end.len() as u64)?;
    chunk.write(at, &end);
    chunk.write(at + records_bytes, &end);
    let block_words = block_words.next_multiple_of(ALIGNMENT);
    let count = most as usize * block_words as usize;
    let (chunk, at) = recorder.upload.words(count, 4 * u64::from(ALIGNMENT))?;
    Ok(Memory { records, records_bytes, blocks: chunk.address + at, block_words })
}

/// Has the records and blocks of the sequences written.
fn generate(
    recorder: &mut Recorder,
    (sequences, groups): (&Sequences, u32),
    templates: &Templates,
    memory: &Memory,
) -> Result<(), Error> {
    let Sequences { layout, values: (values, bytes), most, .. } = sequences;
    let count = sequences.counted(recorder)?;
    let known = recorder.upload.put_words(&templates.words, 16)?;
    let end = r::compute_return::new().bits();
    let blocks_bytes = 4 * u64::from(*most) * u64::from(memory.block_words);
    let parameters = [
        memory.blocks as u32,
        (memory.blocks >> 32) as u32,
        (memory.blocks - SHADER_BASE) as u32,
        memory.block_words,
        *most,
        layout.stride,
        layout.program.map_or(u32::MAX, |(at, _)| at),
        groups,
        AFTER_LAUNCH.bits(),
        end as u32,
        (end >> 32) as u32,
    ];
    let buffers = [
        Direct::Buffer(*values, *bytes),
        Direct::Buffer(count, 4),
        Direct::Buffer(known, 4 * templates.words.len() as u64),
        Direct::Buffer(memory.records, memory.records_bytes + 8),
        Direct::Buffer(memory.blocks, blocks_bytes),
    ];
    recorder.run_kernel(Kernel::Sequences, &parameters, &buffers, [*most, 1, 1])
}
