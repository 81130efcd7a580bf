//! The suites of the scoreboard, with a file for each.

mod ablation;
pub mod agal;
mod amber;
pub mod amber_compute;
pub mod amber_fragment;
pub mod clients;
pub mod corpus;
pub mod corpus_run;
pub mod cost;
mod cts;
mod cts_gl;
pub mod dawn;
pub mod device;
mod device_cost;
mod device_words;
pub mod emulation;
pub mod encoding;
pub mod pica;
pub mod quality;
mod recorded;
mod recording;
mod scenes;
pub mod shaderlib;
pub mod tgsi;
mod varyings;
pub mod vulkan;
pub mod webgpu;
mod work;

use std::path::Path;

use agx_compiler::CompileKey;

use crate::device::environment::{Door, Driver};
use crate::outcome::SuiteReport;
use crate::shared::DataError;
use crate::tools::Tools;

/// The inputs of a suite.
#[derive(Debug)]
pub struct Context<'c> {
    /// Folder of the reference material.
    pub shared: &'c Path,
    /// A file or folder with additional cases, for suites that read cases.
    pub cases: Option<&'c Path>,
    /// Only cases whose name contains this.
    pub filter: Option<&'c str>,
    /// External programs.
    pub tools: &'c Tools,
    /// One in this number of cases, for suites that draw samples; `None` for the suite's own number.
    pub one_in: Option<u64>,
    /// Settings of all compilations; suites set entry point, stage and specialization constants.
    pub key: &'c CompileKey,
    /// Seed of the machine's scheduler.
    pub seed: u64,
    /// Seed of a render node, through which suites of the project's driver then run; `None`: the driver opens the device in process.
    pub node: Option<u64>,
}

impl Context<'_> {
    /// How suites reach the device with the project's driver.
    fn own(&self) -> Door {
        self.node.map_or(Door::plain(Driver::Own), Door::node)
    }
}

/// What a suite needs beside the repository and the reference material.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needs {
    /// Packages of the host system.
    Host,
    /// The environment of `device/environment/make.sh`.
    Environment,
    /// The environment with `--clients`.
    Clients,
    /// A build of Khronos' suites, which `AGX_CTS` and `AGX_CTS_GL` name.
    Khronos,
}

/// A suite.
#[derive(Debug)]
pub struct Suite {
    /// Name on the command line and in the report.
    pub name: &'static str,
    /// What it needs; a suite that needs more than packages of the host may be absent when floors are checked.
    pub needs: Needs,
    /// Description.
    pub doc: &'static str,
    /// Runs it.
    pub run: fn(&Context<'_>) -> Result<SuiteReport, DataError>,
}

/// Every suite, in the order of the report.
pub const SUITES: &[Suite] = &[
    Suite {
        name: "encoding",
        needs: Needs::Host,
        doc: "instructions decode and encode to the same bytes",
        run: encoding::run,
    },
    Suite {
        name: "emulation",
        needs: Needs::Host,
        doc: "single instructions executed over 32 lanes",
        run: emulation::run,
    },
    Suite {
        name: "webgpu",
        needs: Needs::Host,
        doc: "WebGPU conformance tests: WGSL compute",
        run: webgpu::run,
    },
    Suite {
        name: "shaderlib",
        needs: Needs::Host,
        doc: "Vulkan conformance shader library: GLSL compute",
        run: shaderlib::run,
    },
    Suite {
        name: "amber-compute",
        needs: Needs::Host,
        doc: "Amber tests: SPIR-V compute",
        run: amber_compute::run,
    },
    Suite {
        name: "amber-fragment",
        needs: Needs::Host,
        doc: "Amber tests: SPIR-V fragment",
        run: amber_fragment::run,
    },
    Suite { name: "pica", needs: Needs::Host, doc: "PICA200 vertex runs recorded by others", run: pica::run },
    Suite {
        name: "pica-programs",
        needs: Needs::Host,
        doc: "PICA200 programs with expected outputs, from files",
        run: pica::programs,
    },
    Suite { name: "agal", needs: Needs::Host, doc: "AGAL programs with inputs from files", run: agal::run },
    Suite {
        name: "tgsi",
        needs: Needs::Host,
        doc: "TGSI programs against the interpreter, and from files",
        run: tgsi::run,
    },
    Suite { name: "corpus", needs: Needs::Host, doc: "real SPIR-V modules compile", run: corpus::run },
    Suite {
        name: "corpus-run",
        needs: Needs::Host,
        doc: "real shaders leave the same with and without optimisation",
        run: corpus_run::run,
    },
    Suite {
        name: "quality",
        needs: Needs::Host,
        doc: "our statistics against the baseline's",
        run: quality::run,
    },
    Suite {
        name: "ablation",
        needs: Needs::Host,
        doc: "what each optional pass gains, against the book",
        run: ablation::run,
    },
    Suite {
        name: "cost",
        needs: Needs::Host,
        doc: "host instructions to compile against the baseline's",
        run: cost::run,
    },
    Suite {
        name: "device",
        needs: Needs::Environment,
        doc: "Mesa's driver on the device against lavapipe",
        run: device::run,
    },
    Suite {
        name: "driver",
        needs: Needs::Environment,
        doc: "our own driver on the device against lavapipe",
        run: device::driver,
    },
    Suite {
        name: "driver-node",
        needs: Needs::Environment,
        doc: "our own driver and a render node of the device against lavapipe",
        run: device::node,
    },
    Suite {
        name: "device-cost",
        needs: Needs::Environment,
        doc: "what the device executes for our own driver and for Mesa's",
        run: device_cost::run,
    },
    Suite {
        name: "device-words",
        needs: Needs::Environment,
        doc: "the records that our own driver and Mesa's write, field by field",
        run: device_words::run,
    },
    Suite {
        name: "work",
        needs: Needs::Environment,
        doc: "what the device executes for real shaders, through our own driver and Mesa's",
        run: work::run,
    },
    Suite {
        name: "recording",
        needs: Needs::Environment,
        doc: "host instructions of Vulkan calls through our own driver and Mesa's",
        run: recording::run,
    },
    Suite {
        name: "scenes",
        needs: Needs::Clients,
        doc: "what the device reads for scenes of vkmark and glmark2, through our own driver and Mesa's",
        run: scenes::run,
    },
    Suite {
        name: "varyings",
        needs: Needs::Environment,
        doc: "what our own driver and Mesa's tell the rasteriser of varyings",
        run: varyings::run,
    },
    Suite {
        name: "clients",
        needs: Needs::Clients,
        doc: "other people's programs on the device against lavapipe",
        run: clients::run,
    },
    Suite {
        name: "dawn",
        needs: Needs::Clients,
        doc: "WebGPU conformance tests through Dawn on our own driver",
        run: dawn::run,
    },
    Suite {
        name: "vulkan",
        needs: Needs::Environment,
        doc: "conformance suites through Mesa's driver on the device",
        run: vulkan::run,
    },
    Suite {
        name: "driver-vulkan",
        needs: Needs::Environment,
        doc: "conformance suites through our own driver on the device",
        run: vulkan::driver,
    },
    Suite {
        name: "cts",
        needs: Needs::Khronos,
        doc: "Khronos' Vulkan suite through our own driver on the device",
        run: cts::run,
    },
    Suite {
        name: "cts-mesa",
        needs: Needs::Khronos,
        doc: "Khronos' Vulkan suite through Mesa's driver on the device",
        run: cts::mesa,
    },
    Suite {
        name: "cts-gl",
        needs: Needs::Khronos,
        doc: "Khronos' OpenGL and OpenGL ES suites through zink on our own driver",
        run: cts_gl::run,
    },
];

/// The suite called `name`.
pub fn find(name: &str) -> Option<&'static Suite> {
    SUITES.iter().find(|suite| suite.name == name)
}

/// Whether floors accept that the suite called `name` was not run.
pub fn may_be_absent(name: &str) -> bool {
    find(name).is_some_and(|suite| suite.needs != Needs::Host)
}
