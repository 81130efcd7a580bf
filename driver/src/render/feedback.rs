//! Transform feedback, which the hardware does not support. Before the pass of a draw, its vertex shader runs as a compute shader, with a
//! thread for each vertex of each primitive in order, and stores the captured outputs.
//!
//! The numbers of vertices, and of those that fit into the buffers, may be known to the device only: a program of one thread reads the
//! parameters of the draw and writes those of the launch ([`record`]). Strips and fans with primitive restart are decomposed first.

use super::assembly::{Draw, Shape};
use super::draw::{DrawNumbers, Drawn, UNSHADED};
use super::encode::strides;
use super::statistics::Statistics;
use crate::Error;
use crate::command::{Grid, Recorder};
use crate::dirty::Dirty;
use crate::draw_state::BindingInfo;
use crate::kernels::Kernel;
use crate::query::Counted;
use crate::words::{Direct, LaunchNumbers, Numbers, Sources, State};
use agx_abi::feedback::MAX_BUFFERS;
use agx_abi::geometry::MAX_STREAMS;

/// Data that a program of one thread writes for the launch of a vertex or geometry shader.
pub(crate) mod record {
    /// Bytes of it.
    pub const BYTES: usize = 128;
    /// First byte of the number of vertices of an instance.
    pub const VERTICES: u64 = 24;
    /// First byte of the number of vertices that are captured.
    pub const CAPTURED: u64 = 28;
    /// First byte of the addresses of the first vertex in each buffer.
    pub const BUFFERS: u64 = 32;
    /// First byte of the address of the table of the workgroups of a task or mesh shader, which captures nothing.
    pub const TABLE: u64 = 32;
    /// First byte of the address of the records of task workgroups.
    pub const TASKS: u64 = 40;
    /// First byte of the input assembly buffer.
    pub const ASSEMBLY: u64 = 64;
    /// First byte of the results of a query, if the application has none.
    pub const QUERY: u64 = 80;
    /// First byte of the address of the vertex shader's outputs.
    pub const OUTPUTS: u64 = 96;
    /// First byte of the address of the vertices that a geometry shader emits.
    pub const EMITTED: u64 = 104;
    /// First byte of the address of their indices.
    pub const INDICES: u64 = 112;
}

/// State of transform feedback.
#[derive(Clone, Default)]
pub struct Feedback {
    /// Address and bytes of each buffer.
    pub buffers: [(u64, u64); MAX_BUFFERS],
    /// Address of the next byte of each buffer, while vertices are captured.
    pub(super) offsets: Option<u64>,
    /// For each stream, address of the results of the query that counts captured primitives.
    pub(super) query: [Option<u64>; MAX_STREAMS as usize],
    /// For each stream, address of the results of the query that counts primitives.
    pub(super) drawn: [Option<u64>; MAX_STREAMS as usize],
    /// Address of the results of the query that counts primitives of meshes.
    pub(super) meshes: Option<u64>,
    /// The query that counts statistics.
    pub(crate) statistics: Option<Statistics>,
}

impl Feedback {
    /// Whether draws capture vertices or count something.
    pub(super) fn is_active(&self) -> bool {
        self.offsets.is_some() || self.drawn.iter().any(Option::is_some) || self.statistics.is_some()
    }

    /// Whether a query counts the primitives of a stream.
    pub(super) fn counts(&self, stream: u32) -> bool {
        let [captured, all] = [self.query, self.drawn].map(|queries| queries[stream as usize].is_some());
        all || captured && self.offsets.is_some()
    }
}

/// Adds the primitives of a draw to a query.
fn count(recorder: &mut Recorder, draw: &Draw, query: u64) -> Result<(), Error> {
    let Shape { base, step, .. } = draw.shape();
    let descriptors = [Direct::Buffer(draw.numbers, 20), Direct::Buffer(query, 8)];
    recorder.run_kernel(Kernel::Count, &[base, step], &descriptors, [1; 3])?;
    recorder.barrier()
}

impl Recorder {
    /// Does something before the pass that is under way.
    pub(super) fn before_pass<T>(
        &mut self,
        act: impl FnOnce(&mut Recorder) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let pass = self.pass.take();
        let result = act(self);
        self.pass = pass;
        result
    }

    /// Begins to capture vertices. A buffer with a counter, given by its address, continues at the byte in the counter.
    ///
    /// # Errors
    /// Memory is used up.
    pub fn begin_feedback(&mut self, counters: &[(u32, u64)]) -> Result<(), Error> {
        let counters = counters.to_vec();
        self.before_pass(|recorder| {
            let bytes = 4 * MAX_BUFFERS as u64;
            let offsets = recorder.upload.put(&vec![0; bytes as usize], 16)?;
            recorder.fill_memory(offsets, bytes, 0)?;
            for (number, counter) in counters {
                recorder.copy_memory(counter, offsets + 4 * u64::from(number), 4)?;
            }
            recorder.graphics.feedback.offsets = Some(offsets);
            recorder.graphics.state.dirty |= Dirty::QUERY;
            Ok(())
        })
    }

    /// Ends capturing vertices, and stores the ends of the captured data to the counters.
    ///
    /// # Errors
    /// Memory is used up.
    pub fn end_feedback(&mut self, counters: &[(u32, u64)]) -> Result<(), Error> {
        let counters = counters.to_vec();
        let Some(offsets) = self.graphics.feedback.offsets.take() else { return Ok(()) };
        self.before_pass(|recorder| {
            counters.into_iter().try_for_each(|(number, counter)| {
                recorder.copy_memory(offsets + 4 * u64::from(number), counter, 4)
            })
        })
    }

    /// Has the query at an address count what belongs to a stream, or none. Streams that do not exist have no primitives.
    pub(super) fn set_counting(
        &mut self,
        kind: Counted,
        query: Option<u64>,
        stream: u32,
    ) -> Result<(), Error> {
        let feedback = &mut self.graphics.feedback;
        let queries = match kind {
            Counted::Captured => feedback.query.as_mut_slice(),
            Counted::Drawn => &mut feedback.drawn,
            Counted::Meshes => std::slice::from_mut(&mut feedback.meshes),
            Counted::Statistics { fragments } => {
                let start = |query| Statistics::new(&mut self.upload, query, fragments);
                feedback.statistics = query.map(start).transpose()?;
                &mut []
            }
        };
        if let Some(of_stream) = queries.get_mut(stream as usize) {
            *of_stream = query;
        }
        self.graphics.watch();
        self.graphics.state.dirty |= Dirty::QUERY | Dirty::PROGRAMS;
        Ok(())
    }

    /// Captures the vertices of a draw and counts its primitives, if the application has requested it.
    ///
    /// # Errors
    /// Nothing is bound, the compiler's error, or out of memory.
    pub(super) fn capture(&mut self, drawn: &Drawn, number: u32) -> Result<(), Error> {
        let Feedback { offsets, drawn: [counted, ..], .. } = self.graphics.feedback;
        if offsets.is_none() && counted.is_none() {
            return Ok(());
        }
        let graphics = &drawn.graphics;
        let draw = self.assemble(drawn)?;
        if let Some(query) = counted {
            count(self, &draw, query)?;
        }
        let Some(offsets) = offsets else { return Ok(()) };
        let vertex = graphics.shaders.vertex.clone().ok_or(UNSHADED)?;
        let (input, strides) = (&graphics.dynamic.input, strides(graphics));
        let program = vertex.capturing(&self.device, input, &strides, draw.assembly())?;
        if program.info.feedback.outputs.is_empty() {
            return Ok(());
        }
        let launch = self.prepare(&draw, program.info.feedback.strides, offsets)?;
        let mut attributes = Vec::new();
        let (zeros, stride) = (self.device.zeros.address, |at, _: &BindingInfo| strides[at]);
        input.places(&program, &graphics.buffers, stride, zeros, &mut attributes);
        let state = State {
            base: Numbers::Memory(draw.base()),
            draw: number,
            attributes,
            launch: LaunchNumbers { capture: launch, ..graphics.state.launch },
            ..graphics.state.clone()
        };
        self.launch(&program, &Sources::of_launch(&state), Grid::IndirectThreads(launch), [64, 1, 1])?;
        self.barrier()
    }

    /// Address of what the launch needs ([`record`]).
    fn prepare(&mut self, draw: &Draw, strides: [u32; MAX_BUFFERS], offsets: u64) -> Result<u64, Error> {
        let launch = self.upload.put(&[0; record::BYTES], 64)?;
        let feedback = self.graphics.feedback.clone();
        let buffers = feedback.buffers;
        let Shape { corners, base, step, .. } = draw.shape();
        let parameters = [
            strides,
            buffers.map(|(_, bytes)| bytes.min(u64::from(u32::MAX)) as u32),
            buffers.map(|(address, _)| address as u32),
            buffers.map(|(address, _)| (address >> 32) as u32),
            draw.index_words(),
            [corners, base, step, 0],
        ];
        let query = feedback.query[0].unwrap_or(launch + record::QUERY);
        let descriptors = [
            Direct::Buffer(draw.numbers, 20),
            Direct::Buffer(offsets, 4 * MAX_BUFFERS as u64),
            Direct::Buffer(launch, record::BYTES as u64),
            Direct::Buffer(query, 16),
        ];
        self.run_kernel(Kernel::Capture, parameters.as_flattened(), &descriptors, [1; 3])?;
        Ok(launch)
    }

    /// Draws captured vertices of `stride` bytes, from byte `before` up to the byte in a counter.
    ///
    /// # Errors
    /// As [`Recorder::draw`].
    pub fn draw_captured(
        &mut self,
        counter: u64,
        [before, stride]: [u32; 2],
        [instances, first_instance]: [u32; 2],
    ) -> Result<(), Error> {
        let numbers = self.upload.put(&[0; 16], 16)?;
        let descriptors = [Direct::Buffer(counter, 4), Direct::Buffer(numbers, 16)];
        let parameters = [instances, first_instance, before, stride.max(1)];
        self.before_pass(|recorder| {
            recorder.run_kernel(Kernel::ByteCount, &parameters, &descriptors, [1; 3])
        })?;
        self.draw(DrawNumbers::Indirect(numbers), false, 0)
    }
}
