//! The device: address space, compiler, queue, and memory from which other objects allocate.

use std::sync::Arc;

use agx_abi::layout::ZEROS_BYTES;
use agx_abi::record::initial_update;
use agx_compiler::{CompileKey, CompiledShader, Compiler, Input, Robustness, Scratch};

use crate::Error;
use crate::descriptor::Sets;
use crate::gpu::Gpu;
use crate::kernels::{Kernel, Kernels};
use crate::memory::{Arena, Piece, Place, Space};
use crate::program::{Code, Program};
use crate::query::Counters;
use crate::queue::Queue;
use crate::render::{ClearShaders, Tiles};
use crate::sampler_heap::{self, SamplerHeap};
use crate::scratch::ScratchMemory;
use crate::stages::FragmentStage;
use crate::upload::Chunks;

/// Effects of the features that an application enables.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Enabled {
    /// The results of accesses outside buffers.
    pub robustness: Robustness,
    /// Whether samplers may have custom border colours.
    pub borders: bool,
    /// Whether such colours may be without a format.
    pub open_borders: bool,
}

/// A device.
pub struct Device {
    /// The address space and the kernel.
    pub space: Arc<Space>,
    /// The compiler.
    pub compiler: Compiler,
    /// Effects of the enabled features.
    pub enabled: Enabled,
    /// Memory of command buffers.
    pub chunks: Arc<Chunks>,
    /// Memory of programs.
    pub code: Arc<Code>,
    /// Memory of descriptor sets.
    pub sets: Arc<Sets>,
    /// Occlusion counters.
    pub counters: Arc<Counters>,
    /// Memory for stacks.
    pub scratch: ScratchMemory,
    /// The queue.
    pub queue: Queue,
    /// Background and end-of-tile programs.
    pub tiles: Tiles,
    /// Zeros, for attributes outside their buffer and for loads outside buffers.
    pub zeros: Piece,
    kernels: Kernels,
}

impl Device {
    /// A device on a kernel.
    ///
    /// # Errors
    /// Out of memory.
    pub fn new(gpu: Box<dyn Gpu>, enabled: Enabled) -> Result<Arc<Device>, Error> {
        let space = Arc::new(Space::new(gpu));
        let programs = Arena::new(space.clone(), Place::Low);
        let arena = Arena::new(space.clone(), Place::Low);
        let zeros = arena.take(u64::from(ZEROS_BYTES), 64)?;
        zeros.write(0, &vec![0; ZEROS_BYTES as usize]);
        let code = Arc::new(Code::new(programs.clone(), zeros.address, enabled.borders));
        let update = initial_update();
        let initial = arena.take(update.len() as u64, 64)?;
        initial.write(0, &update);
        let samplers = SamplerHeap::new(arena.take(sampler_heap::BYTES, 64)?);
        let sets = Arc::new(Sets::new(arena, zeros.address)?);
        Ok(Arc::new(Device {
            compiler: Compiler::new(space.gpu().parameters().target()),
            enabled,
            chunks: Arc::new(Chunks::new(space.clone(), samplers, initial)),
            kernels: Kernels::new(code.clone()),
            scratch: ScratchMemory::new(space.clone(), programs),
            code,
            sets,
            tiles: Tiles::default(),
            zeros,
            counters: Arc::new(Counters::new(&space)?),
            queue: Queue::new(space.clone())?,
            space,
        }))
    }

    /// Compiles a shader.
    ///
    /// # Errors
    /// The compiler's error.
    pub fn compile(&self, input: Input<'_>, key: &CompileKey) -> Result<CompiledShader, Error> {
        Ok(self.compiler.compile(&mut Scratch::default(), input, key)?)
    }

    /// A program of the driver.
    ///
    /// # Errors
    /// Out of memory.
    #[inline(always)]
    pub fn kernel(&self, kernel: Kernel) -> Result<&Arc<Program>, Error> {
        self.kernels.get(&self.compiler, kernel)
    }

    /// The fragment stage of draws without fragment shader.
    ///
    /// # Errors
    /// The compiler's error.
    pub fn no_fragment(&self) -> Result<Arc<FragmentStage>, Error> {
        self.kernels.no_fragment(self)
    }

    /// The shaders of clears in passes.
    pub(crate) fn clears(&self) -> &ClearShaders {
        &self.kernels.clears
    }
}

#[cfg(test)]
impl Device {
    /// A device in process, for tests: a finding of the device panics.
    pub(crate) fn in_test() -> Arc<Device> {
        Device::with_features(Enabled::default())
    }

    /// The same with features.
    pub(crate) fn with_features(enabled: Enabled) -> Arc<Device> {
        Device::in_test_with(enabled, agx_device::Settings::default(), |found| panic!("{found}"))
    }

    /// A device in process with these settings, for tests.
    pub(crate) fn in_test_with(
        enabled: Enabled,
        settings: agx_device::Settings,
        report: impl FnMut(&agx_device::Finding) + Send + 'static,
    ) -> Arc<Device> {
        Device::of_host(&host_in_test(settings, report), enabled)
    }

    /// Two devices in process on one kernel, for tests: a finding of the device panics.
    pub(crate) fn two_in_test() -> [Arc<Device>; 2] {
        let host = host_in_test(agx_device::Settings::default(), |found| panic!("{found}"));
        [(); 2].map(|()| Device::of_host(&host, Enabled::default()))
    }

    /// A device on a kernel in process, for tests.
    pub(crate) fn of_host(host: &Arc<crate::gpu::Host>, enabled: Enabled) -> Arc<Device> {
        Device::new(Box::new(host.client().expect("a device")), enabled).expect("memory")
    }
}

/// A kernel in process, for tests.
#[cfg(test)]
pub(crate) fn host_in_test(
    settings: agx_device::Settings,
    report: impl FnMut(&agx_device::Finding) + Send + 'static,
) -> Arc<crate::gpu::Host> {
    use crate::gpu::{Host, Outputs};
    let outputs = Outputs { report: Box::new(report), trace: None, statistics: None, recording: None };
    Host::new(agx_device::kernel::Chip::default(), settings, now, outputs)
}

/// Nanoseconds since the first call, for tests.
#[cfg(test)]
fn now() -> u64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed().as_nanos() as u64 + 1
}
