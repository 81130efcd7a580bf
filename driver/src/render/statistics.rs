//! Statistics of pipelines. While a query counts them, programs that run before the pass of each draw add its vertices, primitives and
//! patches to the results; fragment programs add their invocations themselves. Other draws and dispatches are as without queries.

use agx_abi::fragment::RootDescriptor;
use ash::vk::QueryPipelineStatisticFlags as Flags;

use super::assembly::{Draw, Shape};
use crate::Error;
use crate::command::Recorder;
use crate::kernels::Kernel;
use crate::query::STATISTICS;
use crate::upload::Upload;
use crate::words::Direct;

/// Bytes of the results of a query.
pub(super) const BYTES: u64 = 8 * STATISTICS as u64;

/// Statistics to which vertices and to which primitives are added, before the first programmable stage.
pub(super) const ASSEMBLED: [Flags; 2] = [
    Flags::from_raw(Flags::INPUT_ASSEMBLY_VERTICES.as_raw() | Flags::VERTEX_SHADER_INVOCATIONS.as_raw()),
    Flags::INPUT_ASSEMBLY_PRIMITIVES,
];
/// Statistics to which the primitives are added that no geometry shader replaces.
pub(super) const CLIPPED: Flags =
    Flags::from_raw(Flags::CLIPPING_INVOCATIONS.as_raw() | Flags::CLIPPING_PRIMITIVES.as_raw());

/// A query that counts statistics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Statistics {
    /// Address of the results.
    pub(super) results: u64,
    /// Address of the root descriptor of fragment programs that count their invocations.
    pub(super) root: Option<u64>,
}

impl Statistics {
    /// A query with results at an address.
    pub(super) fn new(upload: &mut Upload, results: u64, fragments: bool) -> Result<Statistics, Error> {
        let mut root = [0; RootDescriptor::BYTES];
        let counter = results + address_of(Flags::FRAGMENT_SHADER_INVOCATIONS);
        if let Some(place) = root.first_chunk_mut() {
            *place = counter.to_le_bytes();
        }
        let root = if fragments { Some(upload.put(&root, 16)?) } else { None };
        Ok(Statistics { results, root })
    }

    /// The results, for programs.
    fn buffer(self) -> Direct {
        Direct::Buffer(self.results, BYTES)
    }
}

/// First byte of a statistic in the results.
const fn address_of(statistic: Flags) -> u64 {
    8 * statistic.as_raw().trailing_zeros() as u64
}

impl Recorder {
    /// Adds the vertices and primitives of a draw to statistics, if a query counts them. A geometry shader has this number of
    /// invocations per primitive.
    pub(super) fn count_draw(
        &mut self,
        draw: &Draw,
        [of_vertices, of_primitives]: [Flags; 2],
        invocations: u32,
    ) -> Result<(), Error> {
        let Shape { base, step, .. } = draw.shape();
        let parameters =
            [base, step, draw.vertices, of_vertices.as_raw(), of_primitives.as_raw(), invocations];
        self.add_statistics(draw.numbers, parameters)
    }

    /// Adds the number at an address, times the one after it, to a statistic, if a query counts them.
    pub(super) fn count_at(&mut self, numbers: u64, statistic: Flags) -> Result<(), Error> {
        self.add_statistics(numbers, [0, 1, 0, statistic.as_raw(), 0, 1])
    }

    fn add_statistics(&mut self, numbers: u64, parameters: [u32; 6]) -> Result<(), Error> {
        let Some(statistics) = self.graphics.feedback.statistics else { return Ok(()) };
        let descriptors = [Direct::Buffer(numbers, 24), statistics.buffer()];
        self.run_kernel(Kernel::CountDraw, &parameters, &descriptors, [1; 3])
    }

    /// Adds the invocations of a dispatch, whose numbers of workgroups are at an address, to the statistics of a query that
    /// counts them.
    pub(crate) fn count_dispatch(
        &mut self,
        statistics: Statistics,
        groups: u64,
        local: [u32; 3],
    ) -> Result<(), Error> {
        let statistic = Flags::COMPUTE_SHADER_INVOCATIONS.as_raw().trailing_zeros();
        let parameters = [local.iter().product(), statistic];
        let descriptors = [Direct::Buffer(groups, 12), statistics.buffer()];
        self.run_kernel(Kernel::CountDispatch, &parameters, &descriptors, [1; 3])
    }
}

/// Adds the invocations of up to `most` generated launches, whose records are at an address, to the statistics of a query that
/// counts them.
///
/// # Errors
/// Out of memory.
pub(crate) fn count_launches(
    recorder: &mut Recorder,
    statistics: Statistics,
    (records, bytes): (u64, u64),
    most: u32,
) -> Result<(), Error> {
    let statistic = Flags::COMPUTE_SHADER_INVOCATIONS.as_raw().trailing_zeros();
    let descriptors = [Direct::Buffer(records, bytes), statistics.buffer()];
    recorder.run_kernel(Kernel::CountLaunches, &[most, statistic], &descriptors, [1; 3])
}
