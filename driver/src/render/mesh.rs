//! Draws of meshes. The hardware has no task and mesh shaders: before the pass of a draw they run as compute shaders
//! ([`agx_abi::mesh`]); the pass draws the indices that the mesh shader stored.
//!
//! Only the device has the numbers of workgroups that task shaders emit, and of those of indirect draws. Programs of the driver
//! (`kernels/mesh_groups.comp`, `kernels/mesh_tasks.comp`) write the sizes of launches and the places of their results.

use agx_abi::MeshInfo;
use agx_abi::mesh::TABLE_ENTRY_BYTES;
use ash::vk;
use ash::vk::PrimitiveTopology as T;
use ash::vk::QueryPipelineStatisticFlags as Flags;

use super::condition::before_draw;
use super::draw::{DrawNumbers, Drawn, IndexBuffer, encode_drawn, ready};
use super::interrupt;
use super::results::{Batch, INDIRECT, Later, batches, claim};
use super::statistics;
use crate::Error;
use crate::command::{Groups, Recorder};
use crate::dirty::Dirty;
use crate::kernels::Kernel;
use crate::mesh::{MeshStage, TaskStage};
use crate::program::Program;
use crate::results_memory::Memory;
use crate::words::Direct;

/// Bytes of the launches of a draw.
const LAUNCHES_BYTES: usize = 384;
/// First byte of the record of the launch of the mesh shader ([`record`]); that of the task shader is first.
const MESH: u64 = 128;
/// First byte of the parameters of the draw.
const DRAW: u64 = 256;
/// First bytes of the numbers of task and mesh workgroups, each with the number of invocations of one.
const TASK_COUNT: u64 = 320;
const MESH_COUNT: u64 = 328;

/// At least so many bytes are reserved for the results of a workgroup, so that threads of a launch can be counted.
const LEAST_GROUP: u32 = 256;
/// Threads that add up the workgroups that task workgroups emit.
const SUMMING: u32 = 32;
/// Bytes of the parameters of an indirect draw.
const NUMBERS_BYTES: u64 = 12;

/// Number of mesh workgroups of a task workgroup for which a large draw has room.
const EXPECTED: u64 = 256;
/// At most so many bytes of shared memory are for mesh workgroups that task workgroups emit.
const MOST_EMITTED: u64 = 3 << 26;
/// At most so many batches have more room than one of them: each interrupts the pass.
const MOST_BATCHES: u64 = 4;

/// Words of the parameters of `kernels/mesh.comp`; the last has the low word of an address.
const PARAMETERS: usize = 18;
/// Maximum number of workgroups of a draw.
const MOST_GROUPS: u64 = crate::physical::MESH_GROUPS as u64;

/// Error of a draw of meshes without a mesh shader.
const UNSHADED: Error = Error::Invalid { what: "a draw of meshes without mesh shader" };

/// At most so many bytes of results of a mesh workgroup.
fn mesh_bytes(info: MeshInfo) -> u32 {
    (info.record_bytes() + info.vertex_bytes() + info.index_bytes()).max(LEAST_GROUP)
}

/// At most so many bytes of results of a task workgroup: an entry of the table that the mesh shader reads, as much for its header,
/// and its record.
fn task_bytes(info: MeshInfo) -> u32 {
    (2 * TABLE_ENTRY_BYTES + info.task_bytes()).max(LEAST_GROUP)
}

/// Room for the mesh workgroups, of so many bytes each, that the task workgroups of a draw emit.
fn emitted(tasks: Option<u64>, bytes: u64) -> Later {
    let Some(tasks) = tasks else { return Later::UNKNOWN };
    let each = EXPECTED * bytes;
    let batches = tasks.saturating_mul(each).div_ceil(MOST_EMITTED).clamp(1, MOST_BATCHES);
    let parts = tasks.div_ceil(batches).max(1);
    Later { bytes: parts.saturating_mul(each).clamp(INDIRECT, MOST_EMITTED), parts }
}

/// The workgroups of a draw, if their number is known.
fn known_total(groups: Groups) -> Option<u64> {
    match groups {
        Groups::Direct([x, y, z]) => {
            let [x, y, z] = [x, y, z].map(u64::from);
            Some(x.saturating_mul(y).saturating_mul(z).min(MOST_GROUPS))
        }
        Groups::Indirect(_) => None,
    }
}

/// The list that a mesh shader emits.
fn list(info: MeshInfo) -> T {
    match info.corners {
        1 => T::POINT_LIST,
        2 => T::LINE_LIST,
        _ => T::TRIANGLE_LIST,
    }
}

/// A draw of meshes under way.
struct Meshes<'m> {
    task: Option<&'m TaskStage>,
    mesh: &'m MeshStage,
    /// Address of the numbers of workgroups.
    numbers: u64,
    /// Number of the draw.
    number: u32,
}

impl Recorder {
    /// Draws meshes, in every view.
    ///
    /// # Errors
    /// Nothing is bound, or out of memory.
    pub fn draw_meshes(&mut self, groups: Groups, number: u32) -> Result<(), Error> {
        if self.pass.is_none() || known_total(groups) == Some(0) {
            return Ok(());
        }
        ready(self)?;
        let result = draw_batches(self, groups, number);
        self.graphics.state.dirty = Dirty::ALL;
        result
    }

    /// Executes as many draws of meshes as the word at `count` has, at most `most`, with parameters from `first` on, `stride`
    /// bytes apart.
    ///
    /// # Errors
    /// As [`Recorder::draw_meshes`].
    pub fn draw_meshes_count(&mut self, places: [u64; 2], [most, stride]: [u32; 2]) -> Result<(), Error> {
        let Some(copied) = self.counted_numbers(places, [most, stride], NUMBERS_BYTES as u32 / 4)? else {
            return Ok(());
        };
        (0..most)
            .try_for_each(|at| self.draw_meshes(Groups::Indirect(copied + NUMBERS_BYTES * u64::from(at)), at))
    }
}

/// Draws the batches of workgroups: the pass is interrupted between them, because they share memory.
fn draw_batches(recorder: &mut Recorder, groups: Groups, number: u32) -> Result<(), Error> {
    let shaders = recorder.graphics.shaders.clone();
    let mesh = shaders.mesh.as_deref().ok_or(UNSHADED)?;
    let task = shaders.task.as_deref();
    let total = known_total(groups);
    let (largest, later) = match task {
        Some(task) => (task_bytes(task.info()), emitted(total, mesh_bytes(mesh.info()).into())),
        None => (mesh_bytes(mesh.info()), Later::NONE),
    };
    let numbers = match groups {
        Groups::Direct(sizes) => recorder.upload.put(sizes.map(u32::to_le_bytes).as_flattened(), 16)?,
        Groups::Indirect(address) => address,
    };
    let meshes = Meshes { task, mesh, numbers, number };
    for (at, batch) in batches(total, largest.into(), later).enumerate() {
        if at > 0 {
            interrupt(recorder)?;
        }
        if batch.claimed > 0 {
            claim(recorder, batch.claimed)?;
        }
        let drawn = before_draw(recorder, |recorder| meshes.launch(recorder, &batch))?;
        encode_drawn(recorder, drawn, number)?;
    }
    Ok(())
}

impl Meshes<'_> {
    /// Runs the shaders of a batch of workgroups; returns the draw of the primitives.
    fn launch(&self, recorder: &mut Recorder, batch: &Batch) -> Result<Drawn, Error> {
        let mut graphics = recorder.graphics.clone();
        graphics.state.launch.root =
            graphics.feedback.statistics.and_then(|statistics| statistics.root).unwrap_or(0);
        graphics.state.draw = self.number;
        let launches = recorder.upload.put(&[0; LAUNCHES_BYTES], 64)?;
        let first = recorder.memory(batch.own)?;
        let memory = match self.task {
            Some(task) => {
                self.prepare(recorder, launches, first, batch)?;
                recorder.launch_stage(&task.program, &graphics.state, launches)?;
                recorder.count_at(launches + TASK_COUNT, Flags::TASK_SHADER_INVOCATIONS_EXT)?;
                let memory = recorder.memory(None)?;
                self.prepare_emitted(recorder, launches, (first, memory))?;
                memory
            }
            None => {
                self.prepare(recorder, launches, first, batch)?;
                first
            }
        };
        recorder.launch_stage(&self.mesh.program, &graphics.state, launches + MESH)?;
        recorder.count_at(launches + MESH_COUNT, Flags::MESH_SHADER_INVOCATIONS_EXT)?;
        self.count_primitives(recorder, launches, memory)?;
        let (address, bytes) = (memory.address, memory.bytes.into());
        graphics.indices = Some(IndexBuffer { address, bytes, kind: vk::IndexType::UINT32 });
        graphics.dynamic.topology = list(self.mesh.info());
        graphics.dynamic.restart = true;
        graphics.state.launch.capture = launches + MESH;
        let numbers = DrawNumbers::Indirect(launches + DRAW);
        Ok(Drawn { graphics, numbers, indexed: true, linked: Some(self.mesh.drawn.clone()) })
    }

    /// Parameters of the programs that prepare launches of workgroups with results in memory.
    fn parameters(
        &self,
        (memory, launches): (Memory, u64),
        [first, most]: [u32; 2],
        program: &Program,
        group_bytes: u32,
    ) -> [u32; PARAMETERS] {
        let info = self.mesh.info();
        let [address, high, bytes, is_fresh] = memory.words();
        let [x, y, z] = program.info.workgroup_size;
        [
            address,
            high,
            bytes,
            is_fresh,
            launches as u32,
            (launches >> 32) as u32,
            first,
            most,
            x,
            y,
            z,
            group_bytes,
            self.task.map_or(0, |task| task.info().task_bytes()),
            info.record_bytes(),
            info.vertex_bytes(),
            info.indices(),
            self.number,
            0,
        ]
    }

    /// Number of task workgroups that leave room in shared memory for those that they emit.
    fn most_tasks(&self, batch: &Batch, bytes: u32) -> u32 {
        (batch.claimed.saturating_sub(batch.later) / u64::from(bytes)) as u32
    }

    /// Prepares the launch of the workgroups of the draw.
    fn prepare(
        &self,
        recorder: &mut Recorder,
        launches: u64,
        memory: Memory,
        batch: &Batch,
    ) -> Result<(), Error> {
        let (program, bytes) = match self.task {
            Some(task) => (&task.program, task_bytes(task.info())),
            None => (&self.mesh.program, mesh_bytes(self.mesh.info())),
        };
        // Half of the memory of an indirect draw is for what task workgroups emit.
        let most = match batch.own {
            None if self.task.is_some() => batch.most.min(self.most_tasks(batch, bytes)),
            _ => batch.most,
        };
        let parameters = self.parameters((memory, launches), [batch.first, most], program, bytes);
        let descriptors = [
            Direct::Buffer(memory.used, 4),
            Direct::Buffer(launches, LAUNCHES_BYTES as u64),
            Direct::Buffer(self.numbers, NUMBERS_BYTES),
        ];
        recorder.run_kernel(Kernel::MeshGroups, &parameters, &descriptors, [1; 3])
    }

    /// Prepares the launch of the workgroups that task workgroups emit.
    fn prepare_emitted(
        &self,
        recorder: &mut Recorder,
        launches: u64,
        (tasks, memory): (Memory, Memory),
    ) -> Result<(), Error> {
        let bytes = mesh_bytes(self.mesh.info());
        let mut parameters = self.parameters((memory, launches), [0, u32::MAX], &self.mesh.program, bytes);
        parameters[PARAMETERS - 1] = tasks.address as u32;
        let descriptors = [
            Direct::Buffer(memory.used, 4),
            Direct::Buffer(launches, LAUNCHES_BYTES as u64),
            Direct::Buffer(tasks.address, tasks.bytes.into()),
        ];
        recorder.run_kernel(Kernel::MeshTasks, &parameters, &descriptors, [SUMMING, 1, 1])
    }

    /// Counts the primitives, if a query wants them.
    fn count_primitives(&self, recorder: &mut Recorder, launches: u64, memory: Memory) -> Result<(), Error> {
        let feedback = &recorder.graphics.feedback;
        let (query, statistics) = (feedback.meshes, feedback.statistics);
        if query.is_none() && statistics.is_none() {
            return Ok(());
        }
        let unused = recorder.upload.put(&[0; 16 + statistics::BYTES as usize], 16)?;
        let descriptors = [
            Direct::Buffer(launches + DRAW, 24),
            Direct::Buffer(statistics.map_or(unused + 16, |found| found.results), statistics::BYTES),
            Direct::Buffer(memory.address, memory.bytes.into()),
            Direct::Buffer(query.unwrap_or(unused), 8),
        ];
        let corners = [self.mesh.info().corners];
        recorder.run_kernel(Kernel::MeshPrimitives, &corners, &descriptors, [1; 3])
    }
}
