//! Geometry shaders. The hardware has none: before the pass of a draw, the vertex shader and the geometry shader run as
//! compute shaders ([`agx_abi::geometry`]); the pass draws the indices that the geometry shader stored.
//!
//! The number of primitives may be known to the device only. A program of one thread reads the parameters of the draw
//! and writes the sizes of the launches and the places of their results in memory ([`record`]).

use agx_abi::feedback::CapturedOutput;
use agx_abi::geometry::MAX_STREAMS;
use agx_abi::vertex::{Output, Varying, stored_words};
use agx_abi::{GeometryInfo, ShaderInfo};
use agx_compiler::GeometryKey;
use ash::vk;
use ash::vk::PrimitiveTopology as T;
use ash::vk::QueryPipelineStatisticFlags as Flags;

use super::assembly::{Draw, Shape};
use super::draw::{DrawNumbers, Drawn, IndexBuffer, UNSHADED};
use super::encode::strides;
use super::{record, statistics};
use crate::Error;
use crate::cache::Known;
use crate::command::Recorder;
use crate::draw_state::BindingInfo;
use crate::geometry::{Emitter, GeometryStage};
use crate::kernels::Kernel;
use crate::results_memory::Memory;
use crate::words::{Direct, Numbers, State};

/// Bytes of the records of a draw: both launches and the parameters of the draw.
const RECORDS_BYTES: u64 = 2 * record::BYTES as u64 + 24;

/// Bytes of the results for a primitive, and number of its indices.
#[derive(Clone, Copy)]
struct Sizes {
    inputs: u32,
    outputs: u32,
    indices: u32,
}

impl Sizes {
    fn new(inputs: &[Varying], outputs: &[Varying], info: GeometryInfo, corners: u32) -> Sizes {
        Sizes {
            inputs: 4 * stored_words(inputs) * corners,
            outputs: 4 * stored_words(outputs) * info.invocations * info.max_vertices,
            indices: info.invocations * info.indices(),
        }
    }

    fn total(self) -> u64 {
        [self.inputs, self.outputs, 4 * self.indices].into_iter().map(u64::from).sum()
    }
}

/// The list that a geometry shader emits.
fn emitted_list(info: GeometryInfo) -> T {
    match info.corners {
        1 => T::POINT_LIST,
        2 => T::LINE_LIST,
        _ => T::TRIANGLE_LIST,
    }
}

impl Recorder {
    /// Runs the vertex and the geometry shader of a draw; returns the draw of the emitted vertices.
    pub(super) fn emit(
        &mut self,
        mut drawn: Drawn,
        geometry: &GeometryStage,
        number: u32,
    ) -> Result<Drawn, Error> {
        let draw = self.assemble(&drawn)?;
        let graphics = &drawn.graphics;
        let vertex = graphics.shaders.vertex.clone().ok_or(UNSHADED)?;
        let (input, strides) = (&graphics.dynamic.input, strides(graphics));
        let stored = vertex.stored(&self.device, input, &strides, draw.assembly(), None, Known::default())?;
        let raster = &graphics.dynamic.raster;
        let joined = GeometryKey {
            inputs: stored.info.varyings.clone(),
            last_provokes: raster.provoking_last,
            stream: raster.stream,
        };
        let drawn_stream = raster.stream;
        let emitter = geometry.emitter(&self.device, joined, Known::default())?;
        let info = emitter.info();
        let counted = drawn.statistics(Flags::GEOMETRY_SHADER_INVOCATIONS);
        self.count_draw(&draw, counted, info.invocations)?;
        let sizes =
            Sizes::new(&stored.info.varyings, &emitter.program.info.varyings, info, draw.shape().corners);
        let memory = self.memory(draw.most.map(|most| most.saturating_mul(sizes.total())))?;
        let launches = self.prepare_launches(&draw, info, sizes, memory)?;
        let mut attributes = Vec::new();
        let (zeros, stride) = (self.device.zeros.address, |at, _: &BindingInfo| strides[at]);
        input.places(&stored, &graphics.buffers, stride, zeros, &mut attributes);
        let state =
            State { base: Numbers::Memory(draw.base()), draw: number, attributes, ..graphics.state.clone() };
        let emits = launches + record::BYTES as u64;
        self.launch_stage(&stored, &state, launches)?;
        self.launch_stage(&emitter.program, &state, emits)?;
        if self.graphics.feedback.is_active() {
            // Without several streams all primitives belong to the first.
            for stream in 0..emitter.stream_word().map_or(1, |_| MAX_STREAMS) {
                self.gather(&emitter, (launches, memory), [stream, drawn_stream])?;
            }
        }
        drawn.numbers = DrawNumbers::Indirect(launches + 2 * record::BYTES as u64);
        drawn.indexed = true;
        let (address, bytes) = (memory.address, memory.bytes.into());
        drawn.graphics.indices = Some(IndexBuffer { address, bytes, kind: vk::IndexType::UINT32 });
        drawn.graphics.dynamic.topology = emitted_list(info);
        drawn.graphics.dynamic.restart = true;
        drawn.graphics.state.launch.capture = emits;
        drawn.linked = Some(emitter.drawn.clone());
        Ok(drawn)
    }

    /// Address of the records of both launches and of the draw ([`record`]).
    fn prepare_launches(
        &mut self,
        draw: &Draw,
        info: GeometryInfo,
        sizes: Sizes,
        memory: Memory,
    ) -> Result<u64, Error> {
        let launches = self.upload.put(&[0; RECORDS_BYTES as usize], 64)?;
        let Shape { corners, base, step, .. } = draw.shape();
        let parameters = [
            draw.index_words(),
            memory.words(),
            [corners, base, step, info.invocations],
            [sizes.inputs, sizes.outputs, sizes.indices, 0],
        ];
        let descriptors = [
            Direct::Buffer(draw.numbers, 20),
            Direct::Buffer(memory.used, 4),
            Direct::Buffer(launches, RECORDS_BYTES),
        ];
        self.run_kernel(Kernel::Geometry, parameters.as_flattened(), &descriptors, [1; 3])?;
        Ok(launches)
    }

    /// Captures and counts the primitives that are emitted to a stream, if the application requests either.
    fn gather(
        &mut self,
        emitter: &Emitter,
        (launches, memory): (u64, Memory),
        [stream, drawn_stream]: [u32; 2],
    ) -> Result<(), Error> {
        let feedback = self.graphics.feedback.clone();
        let (info, modes) = (&emitter.program.info, emitter.info());
        let counts = feedback.statistics.is_some() || feedback.counts(stream);
        let captures = feedback.offsets.map_or(Vec::new(), |_| captures(info, stream));
        if captures.is_empty() && !counts {
            return Ok(());
        }
        let list: Vec<u8> = captures.as_flattened().iter().flat_map(|word| word.to_le_bytes()).collect();
        let list = self.upload.put(&[list, vec![0; 16]].concat(), 16)?;
        let unused = self.upload.put(&[0; 32 + statistics::BYTES as usize], 16)?;
        let is_drawn = u32::from(stream == drawn_stream);
        let of_stream = emitter.stream_word().map_or(0, |word| word + 1) << 3 | is_drawn << 2 | stream;
        let mut strides = info.feedback.strides;
        for (stride, of) in strides.iter_mut().zip(info.feedback.streams) {
            *stride = if feedback.offsets.is_some() && u32::from(of) == stream { *stride } else { 0 };
        }
        let parameters = [
            strides,
            feedback.buffers.map(|(_, bytes)| bytes.min(u64::from(u32::MAX)) as u32),
            [modes.corners, captures.len() as u32, stored_words(&info.varyings), of_stream],
            [modes.indices() / modes.corners.max(1), 0, 0, 0],
        ];
        let [query, drawn] = [feedback.query, feedback.drawn].map(|queries| queries[stream as usize]);
        let query = query.filter(|_| feedback.offsets.is_some());
        let mut descriptors = vec![
            Direct::Buffer(launches + 2 * record::BYTES as u64, 24),
            Direct::Buffer(memory.address, memory.bytes.into()),
            Direct::Buffer(list, 16 * captures.len().max(1) as u64),
            Direct::Buffer(feedback.offsets.unwrap_or(unused), 16),
            Direct::Buffer(query.unwrap_or(unused + 16), 16),
            Direct::Buffer(drawn.unwrap_or(unused + 16), 8),
        ];
        descriptors.extend(feedback.buffers.map(|(address, bytes)| Direct::Buffer(address, bytes)));
        let statistics = feedback.statistics.map_or(unused + 32, |statistics| statistics.results);
        descriptors.push(Direct::Buffer(statistics, statistics::BYTES));
        self.run_kernel(Kernel::Gather, parameters.as_flattened(), &descriptors, [1; 3])
    }
}

/// Buffer, byte, slot and mask of each word of a stream that is captured.
fn captures(info: &ShaderInfo, stream: u32) -> Vec<[u32; 4]> {
    let of = |captured: &CapturedOutput| {
        let slot = info.varyings.iter().find(|varying| varying.output == captured.output)?.slot;
        let mask = if captured.output == Output::LayerAndViewport { 0xffff } else { u32::MAX };
        Some([captured.buffer.into(), captured.offset, slot.into(), mask])
    };
    let streams = &info.feedback.streams;
    let belongs = |captured: &&CapturedOutput| {
        streams.get(usize::from(captured.buffer)).is_some_and(|known| u32::from(*known) == stream)
    };
    info.feedback.outputs.iter().filter(belongs).filter_map(of).collect()
}
