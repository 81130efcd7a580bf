//! Transform feedback. The hardware has none: before the pass that a draw is in, its vertex shader runs as a compute shader, with a
//! thread for each vertex of each primitive in order, and stores what it captures.
//!
//! How many vertices there are, and how many of them have room, may be known to the device alone: a program of one thread reads the
//! draw's numbers and writes what the launch needs ([`record`]). Strips and fans that indices restart are taken apart first.

use agx_abi::feedback::MAX_BUFFERS;
use agx_compiler::link::{Assembly, IndexSize, Primitives};
use ash::vk;

use super::draw::{DrawNumbers, IndexBuffer, UNSHADED, strides};
use crate::Error;
use crate::command::{Grid, Recorder};
use crate::kernels::Kernel;
use crate::query::Primitives as Counted;
use crate::words::{Direct, LaunchNumbers, Numbers, State};

/// What the program of one thread leaves for the launch of a vertex shader that captures.
pub(crate) mod record {
    /// Bytes of it.
    pub const BYTES: usize = 96;
    /// First byte of the number of vertices of an instance.
    pub const VERTICES: u64 = 24;
    /// First byte of the number of vertices that are captured.
    pub const CAPTURED: u64 = 28;
    /// First byte of the addresses of the first vertex in each buffer.
    pub const BUFFERS: u64 = 32;
    /// First byte of the input assembly buffer.
    pub const ASSEMBLY: u64 = 64;
    /// First byte of the results of a query that nobody asks for.
    pub const QUERY: u64 = 80;
}

/// What vertices are captured in.
#[derive(Clone, Default)]
pub struct Feedback {
    /// Address and bytes of each buffer.
    pub buffers: [(u64, u64); MAX_BUFFERS],
    /// Address of the next byte of each buffer, while vertices are captured.
    offsets: Option<u64>,
    /// Address of the results of the query that counts what is captured.
    query: Option<u64>,
    /// Address of the results of the query that counts what is drawn.
    drawn: Option<u64>,
}

/// A draw whose vertices are captured.
struct Draw {
    /// Address of its numbers.
    numbers: u64,
    indices: Option<IndexBuffer>,
    topology: vk::PrimitiveTopology,
    last_provokes: bool,
}

impl Draw {
    /// Vertices of a primitive, and whether some share theirs.
    fn shape(&self) -> (u32, bool) {
        use vk::PrimitiveTopology as T;
        match self.topology {
            T::LINE_LIST => (2, false),
            T::LINE_STRIP => (2, true),
            T::TRIANGLE_LIST => (3, false),
            T::TRIANGLE_STRIP | T::TRIANGLE_FAN => (3, true),
            _ => (1, false),
        }
    }

    fn assembly(&self) -> Assembly {
        let last_provokes = self.last_provokes;
        let index = self.indices.map(|indices| match indices.kind {
            vk::IndexType::UINT32 => IndexSize::B32,
            vk::IndexType::UINT8_EXT => IndexSize::B8,
            _ => IndexSize::B16,
        });
        let primitives = match self.topology {
            vk::PrimitiveTopology::LINE_STRIP => Primitives::LineStrip,
            vk::PrimitiveTopology::TRIANGLE_STRIP => Primitives::TriangleStrip { last_provokes },
            vk::PrimitiveTopology::TRIANGLE_FAN => Primitives::TriangleFan { last_provokes },
            _ => Primitives::List,
        };
        Assembly { index, primitives }
    }

    /// Address of base vertex and base instance.
    fn base(&self) -> u64 {
        self.numbers + if self.indices.is_some() { 12 } else { 8 }
    }
}

impl IndexBuffer {
    fn elements(&self) -> u32 {
        (self.bytes >> self.shift()).min(u64::from(u32::MAX)) as u32
    }
}

/// Adds the primitives of a draw to a query.
fn count(recorder: &mut Recorder, draw: &Draw, query: u64) -> Result<(), Error> {
    let (corners, is_strip) = draw.shape();
    let descriptors = [Direct::Buffer(draw.numbers, 20), Direct::Buffer(query, 8)];
    recorder.run_kernel(Kernel::Count, &[corners, is_strip.into()], &descriptors, [1; 3])?;
    recorder.barrier()
}

impl Recorder {
    /// Does something before the pass that is under way.
    fn before_pass(&mut self, act: impl FnOnce(&mut Recorder) -> Result<(), Error>) -> Result<(), Error> {
        let pass = self.pass.take();
        let result = act(self);
        self.pass = pass;
        result
    }

    /// Begins to capture vertices. A buffer with a counter, here its address, continues where the counter says.
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
            Ok(())
        })
    }

    /// Ends capturing vertices; counters say where it ended.
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

    /// Has the query at an address count primitives, or none.
    pub(super) fn count_primitives(&mut self, kind: Counted, query: Option<u64>) {
        match kind {
            Counted::Captured => self.graphics.feedback.query = query,
            Counted::Drawn => self.graphics.feedback.drawn = query,
        }
    }

    /// Captures the vertices of a draw and counts its primitives, where the application wants that.
    ///
    /// # Errors
    /// Nothing is bound, what the compiler says, or memory is used up.
    pub(super) fn capture(&mut self, numbers: DrawNumbers, indexed: bool, number: u32) -> Result<(), Error> {
        let Feedback { offsets, drawn, .. } = self.graphics.feedback;
        if offsets.is_none() && drawn.is_none() {
            return Ok(());
        }
        let graphics = self.graphics.clone();
        let mut draw = Draw {
            numbers: self.numbers(numbers, indexed)?,
            indices: graphics.indices.filter(|_| indexed),
            topology: graphics.dynamic.topology,
            last_provokes: graphics.dynamic.raster.provoking_last,
        };
        if graphics.dynamic.restart {
            self.take_apart(&mut draw, numbers)?;
        }
        if let Some(query) = drawn {
            count(self, &draw, query)?;
        }
        let Some(offsets) = offsets else { return Ok(()) };
        let vertex = graphics.shaders.vertex.clone().ok_or(UNSHADED)?;
        let (input, strides) = (&graphics.dynamic.input, strides(&graphics));
        let program = vertex.capturing(&self.device, input, &strides, draw.assembly())?;
        if program.info.feedback.outputs.is_empty() {
            return Ok(());
        }
        let launch = self.prepare(&draw, program.info.feedback.strides, offsets)?;
        let zeros = self.device.zeros.address;
        let state = State {
            base: Numbers::Memory(draw.base()),
            draw: number,
            attributes: input.places(&program, &graphics.buffers, &strides, zeros),
            launch: LaunchNumbers { capture: launch, ..LaunchNumbers::default() },
            ..graphics.state
        };
        self.launch(&program, &state, Grid::IndirectThreads(launch), [64, 1, 1])?;
        self.barrier()
    }

    /// Address of a draw's numbers.
    fn numbers(&mut self, numbers: DrawNumbers, indexed: bool) -> Result<u64, Error> {
        let words = match numbers {
            DrawNumbers::Indirect(address) => return Ok(address),
            DrawNumbers::Direct { count, instances, first, base, first_instance } if indexed => {
                vec![count, instances, first, base as u32, first_instance]
            }
            DrawNumbers::Direct { count, instances, first, first_instance, .. } => {
                vec![count, instances, first, first_instance]
            }
        };
        let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        self.upload.put(&bytes, 16)
    }

    /// Takes primitives apart that indices restart: the draw becomes that of a list without restarts.
    fn take_apart(&mut self, draw: &mut Draw, numbers: DrawNumbers) -> Result<(), Error> {
        let Some(indices) = draw.indices else { return Ok(()) };
        let (corners, _) = draw.shape();
        let most = match numbers {
            DrawNumbers::Direct { count, .. } => count,
            // How many indices there are is known to the device alone, but those in the buffer are all that make sense.
            DrawNumbers::Indirect(_) => indices.elements(),
        };
        let most = u64::from(most) * u64::from(corners);
        let list = self.upload.put(&vec![0; 4 * most.max(1) as usize], 16)?;
        let record = self.upload.put(&[0; 20], 16)?;
        let (shape, topology) = match draw.topology {
            vk::PrimitiveTopology::LINE_STRIP => (0, vk::PrimitiveTopology::LINE_LIST),
            vk::PrimitiveTopology::TRIANGLE_FAN => (2, vk::PrimitiveTopology::TRIANGLE_LIST),
            vk::PrimitiveTopology::TRIANGLE_STRIP => (1, vk::PrimitiveTopology::TRIANGLE_LIST),
            list => (2 + corners, list),
        };
        let skew = indices.address % 4;
        let last = u32::from(draw.last_provokes);
        let parameters = [indices.shift() as u32, skew as u32, indices.elements(), most as u32, shape, last];
        let descriptors = [
            Direct::Buffer(draw.numbers, 20),
            Direct::Buffer(indices.address - skew, (skew + indices.bytes).next_multiple_of(4)),
            Direct::Buffer(list, 4 * most),
            Direct::Buffer(record, 20),
        ];
        self.run_kernel(Kernel::Restart, &parameters, &descriptors, [1; 3])?;
        let indices = IndexBuffer { address: list, bytes: 4 * most, kind: vk::IndexType::UINT32 };
        *draw = Draw { numbers: record, indices: Some(indices), topology, ..*draw };
        Ok(())
    }

    /// Address of what the launch needs ([`record`]).
    fn prepare(&mut self, draw: &Draw, strides: [u32; MAX_BUFFERS], offsets: u64) -> Result<u64, Error> {
        let launch = self.upload.put(&[0; record::BYTES], 64)?;
        let feedback = self.graphics.feedback.clone();
        let buffers = feedback.buffers;
        let (corners, is_strip) = draw.shape();
        let indices =
            draw.indices.unwrap_or(IndexBuffer { address: 0, bytes: 0, kind: vk::IndexType::UINT32 });
        let parameters = [
            strides,
            buffers.map(|(_, bytes)| bytes.min(u64::from(u32::MAX)) as u32),
            buffers.map(|(address, _)| address as u32),
            buffers.map(|(address, _)| (address >> 32) as u32),
            [
                indices.address as u32,
                (indices.address >> 32) as u32,
                indices.elements(),
                indices.shift() as u32,
            ],
            [corners, is_strip.into(), 0, 0],
        ];
        let query = feedback.query.unwrap_or(launch + record::QUERY);
        let descriptors = [
            Direct::Buffer(draw.numbers, 20),
            Direct::Buffer(offsets, 4 * MAX_BUFFERS as u64),
            Direct::Buffer(launch, record::BYTES as u64),
            Direct::Buffer(query, 16),
        ];
        self.run_kernel(Kernel::Capture, parameters.as_flattened(), &descriptors, [1; 3])?;
        Ok(launch)
    }

    /// Draws the vertices that were captured up to the byte that a counter says, in vertices of `stride` bytes from byte `before`
    /// on.
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
