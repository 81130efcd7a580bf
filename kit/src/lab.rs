//! What experiments work with: the kernel's calls, Vulkan programs, and a place for outputs.

use std::io::Write as _;
use std::path::PathBuf;

use agx_driver::gpu::{Client, Door, Gpu, Host, Outputs, Pointed};
use vulkan_client::device::{Device, Special};
use vulkan_client::request;

use crate::outputs::{Kind, Output};
use crate::{Problem, entry};

/// Where an experiment runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The hardware, by the project's driver.
    Hardware,
    /// The hardware, by the driver that the Vulkan loader finds.
    Other,
    /// The machine that is linked.
    Machine,
}

impl Side {
    const NAMES: [(Side, &'static str); 3] =
        [(Side::Hardware, "hardware"), (Side::Other, "other"), (Side::Machine, "machine")];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(side, _)| *side == self).map_or("", |(_, name)| name)
    }

    /// The side of a name.
    pub fn of(name: &str) -> Option<Side> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(side, _)| *side)
    }
}

/// The calls of a kernel, and an address space with a queue.
pub trait Kernel {
    /// The calls that the driver uses.
    fn gpu(&self) -> &dyn Gpu;

    /// Any call, with what its structure points to.
    ///
    /// # Errors
    /// The error number of the kernel.
    fn call(&self, number: u8, argument: &mut [u8], pointed: &mut [Pointed<'_>]) -> Result<(), i32>;
}

impl<D: Door> Kernel for Client<D> {
    fn gpu(&self) -> &dyn Gpu {
        self
    }

    fn call(&self, number: u8, argument: &mut [u8], pointed: &mut [Pointed<'_>]) -> Result<(), i32> {
        self.door().call(number, argument, pointed)
    }
}

/// A shader, in WGSL, and the words of `vulkan-client` that run it.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Name of its output.
    pub name: &'static str,
    /// WGSL.
    pub source: &'static str,
    /// A request without shaders.
    pub request: &'static str,
    /// How its result is compared.
    pub kind: Kind,
}

/// A run of an experiment.
pub struct Lab {
    side: Side,
    /// For shaders.
    folder: PathBuf,
}

/// Stages of Vulkan programs, as WGSL and the client name them.
const STAGES: [(&str, &str); 3] = [("@compute", "comp"), ("@vertex", "vert"), ("@fragment", "frag")];

impl Lab {
    /// A run.
    pub fn new(side: Side, folder: PathBuf) -> Lab {
        Lab { side, folder }
    }

    /// Writes an output down: what was found before a crash is not lost.
    pub fn output(&mut self, name: &str, kind: Kind, bytes: &[u8]) {
        let output = Output { name: name.to_owned(), kind, bytes: bytes.to_vec() };
        // Without a reader nothing is lost.
        let _ = writeln!(std::io::stdout(), "{output}");
    }

    /// Writes down what must be the same.
    pub fn exact(&mut self, name: &str, bytes: &[u8]) {
        self.output(name, Kind::Exact, bytes);
    }

    /// Writes down a number that must be the same.
    pub fn number(&mut self, name: &str, number: u64) {
        self.exact(name, &number.to_le_bytes());
    }

    /// Writes down what may differ.
    pub fn note(&mut self, name: &str, text: &str) {
        self.output(name, Kind::Note, text.as_bytes());
    }

    /// The kernel.
    ///
    /// # Errors
    /// There is none, or a call fails.
    pub fn kernel(&self) -> Result<Box<dyn Kernel>, Problem> {
        match self.side {
            Side::Machine => Ok(Box::new(machine()?.client()?)),
            Side::Hardware => match agx_node::open() {
                Some(node) => Ok(Box::new(node?)),
                None => Err("no render node of an AGX GPU is in /dev/dri".into()),
            },
            Side::Other => Err("it needs the project's driver".into()),
        }
    }

    /// Runs Vulkan programs.
    ///
    /// # Errors
    /// A program cannot be compiled or run.
    pub fn programs(&mut self, programs: &[Program]) -> Result<(), Problem> {
        let entry = match self.side {
            Side::Other => entry::loaded()?,
            Side::Hardware | Side::Machine => entry::own(),
        };
        let device = Device::of(entry, Special::default())?;
        programs.iter().try_for_each(|program| {
            let bytes = self.bytes(&device, program)?;
            match program.kind {
                Kind::Note => self.note(program.name, &numbers(&bytes)),
                kind => self.output(program.name, kind, &bytes),
            }
            Ok(())
        })
    }

    /// Runs a Vulkan program that may not end well, and writes down whether it did.
    ///
    /// # Errors
    /// The machine has no device.
    pub fn attempt(&mut self, program: &Program) -> Result<(), Problem> {
        let device = Device::of(entry::own(), Special::default())?;
        let ran = self.bytes(&device, program);
        self.number(program.name, ran.is_ok().into());
        let why = ran.err().map_or_else(|| String::from("complete"), |problem| problem.to_string());
        self.note(&format!("{}-ended", program.name), &why);
        Ok(())
    }

    /// What a program gives on a device.
    fn bytes(&self, device: &Device, program: &Program) -> Result<Vec<u8>, Problem> {
        let file = self.folder.join(format!("{}.{}.spv", program.name, self.side.name()));
        let words = spirv(program.source).map_err(|problem| format!("{}: {problem}", program.name))?;
        std::fs::write(&file, words)?;
        let mut text = format!("case {}\n{}\n", program.name, program.request.trim());
        for (attribute, stage) in STAGES.iter().filter(|(name, _)| program.source.contains(name)) {
            let entry = entry_point(program.source, attribute).ok_or("a stage has no function")?;
            text.push_str(&format!("shader {stage} {} {entry}\n", file.display()));
        }
        text.push_str("end\n");
        let requests = request::parse(&text)?;
        let ran = vulkan_client::run(device, requests.first().ok_or("no request")?);
        std::fs::remove_file(file)?;
        Ok(ran.map_err(|problem| format!("{}: {problem}", program.name))?)
    }
}

/// Words as decimal numbers.
fn numbers(bytes: &[u8]) -> String {
    let words = bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word).to_string());
    words.take(NOTED).collect::<Vec<_>>().join(" ")
}

/// Words of a program's result that a note has.
const NOTED: usize = 4;

/// The name of the function after an attribute.
fn entry_point<'s>(source: &'s str, attribute: &str) -> Option<&'s str> {
    let after = &source[source.find(attribute)?..];
    let name = after[after.find("fn ")?..].strip_prefix("fn ")?;
    name.split('(').next()
}

/// The machine with its kernel.
fn machine() -> Result<std::sync::Arc<Host>, Problem> {
    let chip = match std::env::var("AGX_DEVICE_CHIP") {
        Ok(name) => agx_device::kernel::Chip::find(&name).ok_or("unknown chip")?,
        Err(_) => agx_device::kernel::Chip::default(),
    };
    let outputs = Outputs { report: Box::new(|_| ()), trace: None, statistics: None, recording: None };
    Ok(Host::new(chip, agx_device::Settings::default(), now, outputs))
}

/// Nanoseconds of the monotonic clock.
pub(crate) fn now() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Compiles WGSL to SPIR-V.
fn spirv(source: &str) -> Result<Vec<u8>, Problem> {
    let module = naga::front::wgsl::parse_str(source).map_err(|error| error.emit_to_string(source))?;
    let capabilities = naga::valid::Capabilities::all();
    let mut validator = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities);
    let validator = validator
        .subgroup_stages(naga::valid::ShaderStages::all())
        .subgroup_operations(naga::valid::SubgroupOperationSet::all());
    let info = validator.validate(&module).map_err(|error| error.emit_to_string(source))?;
    let options = naga::back::spv::Options { lang_version: (1, 3), ..Default::default() };
    let words = naga::back::spv::write_vec(&module, &info, &options, None)?;
    Ok(words.into_iter().flat_map(u32::to_le_bytes).collect())
}
