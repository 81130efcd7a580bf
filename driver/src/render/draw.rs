//! Draws.

use std::sync::Arc;

use ash::vk;
use ash::vk::QueryPipelineStatisticFlags as Flags;

use super::condition::before_draw;
use super::encode::{Encoder, encode};
use super::results::{INDIRECT, claim};
use super::statistics::{ASSEMBLED, CLIPPED};
use super::tessellation::tessellate;
use super::{Graphics, Shaders, interrupt, renew, resume};
use crate::Error;
use crate::command::Recorder;
use crate::dirty::Dirty;
use crate::graphics::GraphicsPipeline;
use crate::kernels::Kernel;
use crate::stages::LinkedVertex;
use crate::words::Direct;

/// Indices of a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IndexBuffer {
    /// First byte.
    pub address: u64,
    /// Bytes.
    pub bytes: u64,
    /// Size of an index.
    pub kind: vk::IndexType,
}

impl IndexBuffer {
    /// The logarithm of the bytes of an index.
    pub(super) fn shift(&self) -> u64 {
        match self.kind {
            vk::IndexType::UINT32 => 2,
            vk::IndexType::UINT8_EXT => 0,
            _ => 1,
        }
    }
}

/// The parameters of a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DrawNumbers {
    /// Number of vertices or indices and of instances, the first of each, and the base vertex.
    Direct {
        /// Vertices or indices.
        count: u32,
        /// Instances.
        instances: u32,
        /// First vertex or index.
        first: u32,
        /// Base vertex.
        base: i32,
        /// First instance.
        first_instance: u32,
    },
    /// `VkDrawIndirectCommand` or `VkDrawIndexedIndirectCommand` at an address.
    Indirect(u64),
}

/// A draw with its state.
#[derive(Clone)]
pub(super) struct Drawn {
    /// The state.
    pub graphics: Graphics,
    /// The parameters.
    pub numbers: DrawNumbers,
    /// Whether it has indices.
    pub indexed: bool,
    /// The vertex program, if it is not that of the vertex shader.
    pub linked: Option<Arc<LinkedVertex>>,
}

impl Drawn {
    /// Statistics to which its vertices and its primitives are added: those of input assembly, unless its vertices are those of
    /// tessellated patches, and some that depend on the stage after it.
    pub(super) fn statistics(&self, after: Flags) -> [Flags; 2] {
        match self.graphics.shaders.evaluation {
            Some(_) => [Flags::empty(), after],
            None => [ASSEMBLED[0], ASSEMBLED[1] | after],
        }
    }
}

/// Error of a draw without a vertex shader.
pub(super) const UNSHADED: Error = Error::Invalid { what: "a draw without vertex shader" };

impl Recorder {
    /// Binds a graphics pipeline and applies its static state.
    pub fn bind_graphics(&mut self, pipeline: &GraphicsPipeline) {
        self.graphics.state.dirty |= self.graphics.dynamic.take(&pipeline.state, &pipeline.made.fixed_parts);
        // Whether there are fragments depends on the geometry shader.
        if self.graphics.dynamic.raster.stream != 0 {
            self.graphics.state.dirty |= Dirty::RASTER;
        }
        self.graphics.shaders.clone_from(&pipeline.made.shaders);
    }

    /// Draws, in every view.
    ///
    /// # Errors
    /// Nothing is bound, or out of memory.
    pub fn draw(&mut self, numbers: DrawNumbers, indexed: bool, number: u32) -> Result<(), Error> {
        // The hardware does not draw nothing (Mesa 26.1).
        let is_empty = matches!(
            numbers,
            DrawNumbers::Direct { count: 0, .. } | DrawNumbers::Direct { instances: 0, .. }
        );
        if self.pass.is_none() || is_empty {
            return Ok(());
        }
        if self.graphics.state.dirty.intersects(Dirty::RECORDS) {
            ready(self)?;
            if self.graphics.needs_launches() {
                let result = draw_after_launches(self, numbers, indexed, number);
                self.graphics.state.dirty = Dirty::ALL;
                return result;
            }
        }
        let Recorder { device, upload, pass, graphics, .. } = self;
        let Some(pass) = pass else { return Ok(()) };
        encode(&mut Encoder { device, upload, pass, graphics, linked: None }, numbers, indexed, number)
    }

    /// Runs the programs of a draw that come before its pass; returns the draw of the hardware.
    fn prepared(&mut self, drawn: Drawn, number: u32) -> Result<Drawn, Error> {
        if let Some(geometry) = drawn.graphics.shaders.geometry.clone() {
            return self.emit(drawn, &geometry, number);
        }
        if self.graphics.feedback.statistics.is_some() {
            let draw = self.assemble(&drawn)?;
            self.count_draw(&draw, drawn.statistics(CLIPPED), 1)?;
        }
        let drawn = self.decomposed(drawn)?;
        self.capture(&drawn, number)?;
        Ok(drawn)
    }

    /// Executes as many draws as the word at `count` has, at most `most`, with parameters from `first` on, `stride` bytes
    /// apart.
    ///
    /// # Errors
    /// As [`Recorder::draw`].
    pub fn draw_count(
        &mut self,
        [first, count]: [u64; 2],
        [most, stride]: [u32; 2],
        indexed: bool,
    ) -> Result<(), Error> {
        let words: u32 = if indexed { 5 } else { 4 };
        let Some(copied) = self.counted_numbers([first, count], [most, stride], words)? else {
            return Ok(());
        };
        (0..most).try_for_each(|at| {
            let address = copied + 4 * u64::from(words) * u64::from(at);
            self.draw(DrawNumbers::Indirect(address), indexed, at)
        })
    }

    /// Address of the parameters of as many draws as the word at `count` has, copied from `first` on, of `words` words each;
    /// further ones up to `most` are zero. `None` if there are none.
    pub(super) fn counted_numbers(
        &mut self,
        [first, count]: [u64; 2],
        [most, stride]: [u32; 2],
        words: u32,
    ) -> Result<Option<u64>, Error> {
        if most == 0 {
            return Ok(None);
        }
        let bytes = 4 * u64::from(words) * u64::from(most);
        let copied = self.upload.put(&vec![0; bytes as usize], 16)?;
        let stride = if most == 1 { words } else { stride / 4 };
        let list = [
            Direct::Buffer(first, 4 * u64::from(stride) * u64::from(most)),
            Direct::Buffer(count, 4),
            Direct::Buffer(copied, bytes),
        ];
        // Compute launches run before the pass, whose commands are submitted later.
        self.run_kernel(Kernel::Draws, &[stride, words], &list, [most, 1, 1])?;
        Ok(Some(copied))
    }
}

/// Has a pass that can have the next draw.
pub(super) fn ready(recorder: &mut Recorder) -> Result<(), Error> {
    take_samples(recorder)?;
    renew(recorder)
}

/// Gives a pass without images the samples of the next draw.
fn take_samples(recorder: &mut Recorder) -> Result<(), Error> {
    let count = recorder.graphics.dynamic.samples.count.max(1);
    let Some(pass) = &mut recorder.pass else { return Ok(()) };
    if pass.shown.samples == count || pass.shown.info.images().next().is_some() {
        return Ok(());
    }
    pass.shown.info.samples = count;
    if pass.draws > 0 {
        return interrupt(recorder);
    }
    // Nothing has been drawn yet: the pass begins anew.
    recorder.pass.take().map_or(Ok(()), |pass| resume(recorder, pass))
}

/// Draws something that programs prepare before the pass.
fn draw_after_launches(
    recorder: &mut Recorder,
    numbers: DrawNumbers,
    indexed: bool,
    number: u32,
) -> Result<(), Error> {
    let mut graphics = recorder.graphics.clone();
    // The programs may be others than those of the pipeline.
    Arc::make_mut(&mut graphics.shaders).fixed = None;
    graphics.state.launch.root =
        graphics.feedback.statistics.and_then(|statistics| statistics.root).unwrap_or(0);
    let drawn = Drawn { graphics, numbers, indexed, linked: None };
    let Shaders { control, evaluation, geometry, .. } = (*drawn.graphics.shaders).clone();
    if let Some((control, evaluation)) = control.zip(evaluation) {
        return tessellate(recorder, drawn, (&control, &evaluation), number);
    }
    if geometry.is_some() && matches!(numbers, DrawNumbers::Indirect(_)) {
        claim(recorder, INDIRECT)?;
    }
    draw_primitives(recorder, drawn, number)
}

/// Draws points, lines or triangles.
pub(super) fn draw_primitives(recorder: &mut Recorder, drawn: Drawn, number: u32) -> Result<(), Error> {
    if recorder.pass.is_none() {
        return Ok(());
    }
    let drawn = before_draw(recorder, |recorder| recorder.prepared(drawn, number))?;
    encode_drawn(recorder, drawn, number)
}

/// Writes a draw of the hardware.
pub(super) fn encode_drawn(recorder: &mut Recorder, drawn: Drawn, number: u32) -> Result<(), Error> {
    let Drawn { mut graphics, numbers, indexed, linked } = drawn;
    graphics.state.dirty = Dirty::ALL;
    let Recorder { device, upload, pass: Some(pass), .. } = recorder else { return Ok(()) };
    let mut encoder = Encoder { device, upload, pass, graphics: &mut graphics, linked };
    encode(&mut encoder, numbers, indexed, number)
}
