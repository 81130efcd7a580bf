//! Query pools: timestamps, occlusion counters, counts of primitives, and statistics of pipelines.
//!
//! A pool has a 64-bit word for each value of a result, and a word that is set when the result is available. Occlusion counters are in an
//! array of the device, because draws refer to them by index.

use std::sync::{Arc, Mutex};

use ash::vk;

use crate::Error;
use crate::memory::{Allocation, Place, Space, lock};
use crate::poll;
use crate::ranges::Ranges;

/// Counters that draws can name: the index has 15 bits.
const COUNTERS: u64 = 1 << 15;

/// The occlusion counters of a device.
pub struct Counters {
    memory: Arc<Allocation>,
    free: Mutex<Ranges>,
}

impl Counters {
    /// All counters are free.
    ///
    /// # Errors
    /// Memory is used up.
    pub fn new(space: &Arc<Space>) -> Result<Counters, Error> {
        let memory = Arc::new(space.allocate(8 * COUNTERS, Place::Low)?);
        Ok(Counters { memory, free: Mutex::new(Ranges::new([0, COUNTERS])) })
    }

    /// The address of the first.
    pub fn address(&self) -> u64 {
        self.memory.address
    }
}

/// The location of the results of a pool.
enum Results {
    /// In a buffer that the kernel writes timestamps to: its number in commands.
    Times(Allocation, u32),
    /// Among the counters, from this one on.
    Counters(Arc<Counters>, u64),
    /// In its own memory: the number of captured primitives, and of those that would have been captured with enough space.
    Captured(Allocation),
    /// In its own memory: the number of drawn primitives, visible or not.
    Drawn(Allocation),
    /// In its own memory: the number of primitives of meshes.
    Meshes(Allocation),
    /// In its own memory: the size of an acceleration structure.
    Sizes(Allocation),
    /// In its own memory: all statistics, of which those with these flags are reported.
    Statistics(Allocation, vk::QueryPipelineStatisticFlags),
}

/// What programs count before draws and after dispatches for the queries of a pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counted {
    /// Primitives that are captured.
    Captured,
    /// Primitives that are drawn.
    Drawn,
    /// Primitives of meshes.
    Meshes,
    /// Statistics, and invocations of fragment shaders if they are among those that are reported.
    Statistics {
        /// Whether fragment shaders count their invocations.
        fragments: bool,
    },
}

/// Statistics of a query, in the order of their flags.
pub(crate) const STATISTICS: u32 = 13;

/// A query pool.
pub struct QueryPool {
    space: Arc<Space>,
    results: Results,
    available: Allocation,
    /// Queries.
    pub count: u32,
}

impl QueryPool {
    /// A pool; `statistics` are those that its queries report.
    ///
    /// # Errors
    /// Unsupported kinds of queries; exhausted memory or counters.
    pub fn new(
        space: &Arc<Space>,
        counters: &Arc<Counters>,
        kind: vk::QueryType,
        statistics: vk::QueryPipelineStatisticFlags,
        count: u32,
    ) -> Result<QueryPool, Error> {
        let available = space.allocate(4 * u64::from(count), Place::High)?;
        let results = match kind {
            vk::QueryType::TIMESTAMP => {
                let memory = space.allocate(8 * u64::from(count), Place::High)?;
                let object = space.gpu().bind_times(memory.handle(), memory.bytes)?;
                Results::Times(memory, object)
            }
            vk::QueryType::OCCLUSION => {
                let first = lock(&counters.free).take(count.into(), 1);
                let first = first.ok_or(Error::DeviceMemory { bytes: 8 * u64::from(count) })?;
                Results::Counters(counters.clone(), first)
            }
            vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT => {
                Results::Captured(space.allocate(16 * u64::from(count), Place::High)?)
            }
            vk::QueryType::PRIMITIVES_GENERATED_EXT => {
                Results::Drawn(space.allocate(8 * u64::from(count), Place::High)?)
            }
            vk::QueryType::MESH_PRIMITIVES_GENERATED_EXT => {
                Results::Meshes(space.allocate(8 * u64::from(count), Place::High)?)
            }
            vk::QueryType::ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR
            | vk::QueryType::ACCELERATION_STRUCTURE_SERIALIZATION_SIZE_KHR
            | vk::QueryType::ACCELERATION_STRUCTURE_SIZE_KHR
            | vk::QueryType::ACCELERATION_STRUCTURE_SERIALIZATION_BOTTOM_LEVEL_POINTERS_KHR => {
                Results::Sizes(space.allocate(8 * u64::from(count), Place::High)?)
            }
            vk::QueryType::PIPELINE_STATISTICS => {
                let bytes = 8 * u64::from(STATISTICS) * u64::from(count);
                Results::Statistics(space.allocate(bytes, Place::High)?, statistics)
            }
            _ => return Err(Error::Unsupported { what: "this type of query" }),
        };
        Ok(QueryPool { space: space.clone(), results, available, count })
    }

    /// The buffer of timestamps.
    pub fn times(&self) -> Option<u32> {
        match self.results {
            Results::Times(_, object) => Some(object),
            _ => None,
        }
    }

    /// The index of a query's counter.
    pub fn counter(&self, query: u32) -> Option<u64> {
        match self.results {
            Results::Counters(_, first) => Some(first + u64::from(query)),
            _ => None,
        }
    }

    /// What programs count for its queries, if anything.
    pub fn counted(&self) -> Option<Counted> {
        match self.results {
            Results::Captured(_) => Some(Counted::Captured),
            Results::Drawn(_) => Some(Counted::Drawn),
            Results::Meshes(_) => Some(Counted::Meshes),
            Results::Statistics(_, reported) => {
                let fragments = vk::QueryPipelineStatisticFlags::FRAGMENT_SHADER_INVOCATIONS;
                Some(Counted::Statistics { fragments: reported.contains(fragments) })
            }
            Results::Times(..) | Results::Counters(..) | Results::Sizes(_) => None,
        }
    }

    /// Values that a query has in memory, of 64 bits each.
    pub fn values(&self) -> u32 {
        match self.results {
            Results::Captured(_) => 2,
            Results::Statistics(..) => STATISTICS,
            _ => 1,
        }
    }

    /// The values that are reported, bit 0 the first.
    pub fn reported(&self) -> u32 {
        match self.results {
            Results::Captured(_) => 0b11,
            Results::Statistics(_, reported) => reported.as_raw(),
            _ => 1,
        }
    }

    /// The memory of the results, and the first byte of a query's.
    fn place(&self, query: u32) -> (&Allocation, u64) {
        let at = 8 * u64::from(self.values()) * u64::from(query);
        match &self.results {
            Results::Times(memory, _)
            | Results::Captured(memory)
            | Results::Drawn(memory)
            | Results::Meshes(memory)
            | Results::Sizes(memory)
            | Results::Statistics(memory, _) => (memory, at),
            Results::Counters(counters, first) => (&counters.memory, 8 * first + at),
        }
    }

    /// Address of a query's result.
    pub fn result_address(&self, query: u32) -> u64 {
        let (memory, at) = self.place(query);
        memory.address + at
    }

    /// Address of the word that is set when a query's result is available.
    pub fn available_address(&self, query: u32) -> u64 {
        self.available.address + 4 * u64::from(query)
    }

    /// Makes results unavailable, from the processor.
    pub fn reset(&self, first: u32, count: u32) {
        self.available.write(4 * u64::from(first), &vec![0; 4 * count as usize]);
        let (memory, at) = self.place(first);
        memory.write(at, &vec![0; 8 * (self.values() * count) as usize]);
    }

    /// The reported values of a result, and whether it is available.
    pub fn result(&self, query: u32) -> (Vec<u64>, bool) {
        // The values were stored before they became available.
        let available = self.available.words_at(4 * u64::from(query), 1).first().is_some_and(poll::is_set);
        let (memory, at) = self.place(query);
        let mut bytes = vec![0; 8 * self.values() as usize];
        memory.read(at, &mut bytes);
        let reported = self.reported();
        let values = bytes.as_chunks().0.iter().zip(0..).filter(|(_, at)| reported >> at & 1 != 0);
        let values = values.map(|(value, _)| u64::from_le_bytes(*value)).collect();
        (values, available)
    }
}

impl Drop for QueryPool {
    fn drop(&mut self) {
        match &self.results {
            Results::Times(_, object) => self.space.gpu().unbind_times(*object),
            Results::Counters(counters, first) => lock(&counters.free).give(*first, self.count.into()),
            Results::Captured(_)
            | Results::Drawn(_)
            | Results::Meshes(_)
            | Results::Sizes(_)
            | Results::Statistics(..) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;

    #[test]
    fn statistics_are_reported_in_the_order_of_their_flags() {
        use vk::QueryPipelineStatisticFlags as F;
        let device = Device::in_test();
        let flags = F::COMPUTE_SHADER_INVOCATIONS | F::INPUT_ASSEMBLY_PRIMITIVES | F::CLIPPING_INVOCATIONS;
        let kind = vk::QueryType::PIPELINE_STATISTICS;
        let pool = QueryPool::new(&device.space, &device.counters, kind, flags, 2).expect("memory");
        let (memory, at) = pool.place(1);
        for statistic in 0..u64::from(STATISTICS) {
            memory.write(at + 8 * statistic, &(100 + statistic).to_le_bytes());
        }
        assert_eq!(pool.result(1), (vec![101, 105, 110], false));
        assert_eq!(pool.result(0).0, [0; 3]);
        assert_eq!(pool.counted(), Some(Counted::Statistics { fragments: false }));
        pool.reset(1, 1);
        assert_eq!(pool.result(1).0, [0; 3]);
    }
}
