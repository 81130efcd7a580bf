//! A single SIMD-group: executes single instructions on explicit state.

use crate::core::{Core, Launch, Traffic};
use crate::dispatch::Stop;
use crate::exec::stack;
use crate::findings::Finding;
use crate::group::{Group, LANES};
use crate::local::Local;
use crate::memory::Memory;
use crate::mutant::Mutant;
use crate::notebook::finding;
use crate::profile::Report;
use crate::program::Op;
use crate::registers::Uniforms;
use crate::rng::Garbage;
use crate::step::step;
use crate::textures::StateFile;

/// Local memory of the SIMD-group, in bytes.
const LOCAL_BYTES: u32 = 32768;
/// Stack of its lanes, in bytes.
const SCRATCH_BYTES: u32 = 4096;

/// A SIMD-group of 32 lanes with its uniforms and local memory. Registers that were not set have random contents.
#[derive(Clone, Debug)]
pub struct Simd {
    group: Group,
    uniforms: Uniforms,
    local: Local,
    states: StateFile,
    findings: Vec<Finding>,
    mutant: Option<Mutant>,
}

impl Default for Simd {
    fn default() -> Self {
        Simd::new()
    }
}

impl Simd {
    /// All lanes active, nothing set.
    pub fn new() -> Simd {
        let garbage = Garbage::new(0);
        Simd {
            group: Group::new(&garbage.registers, u32::MAX),
            uniforms: Uniforms::new(&[], &garbage.uniforms),
            local: Local::new(LOCAL_BYTES, 0),
            states: StateFile::default(),
            findings: Vec::new(),
            mutant: None,
        }
    }

    /// A half register of a lane (0..32); r5l = 10.
    pub fn register(&self, half: u8, lane: usize) -> u16 {
        self.group.half(half, lane % LANES)
    }

    /// Sets a half register of a lane (0..32).
    pub fn set_register(&mut self, half: u8, lane: usize, value: u16) {
        let lane = lane % LANES;
        self.group.set_half(half, lane, value);
        self.group.defined[usize::from(half)] |= 1 << lane;
    }

    /// A half-word of the uniform file (0..512).
    pub fn uniform(&self, half: u16) -> u16 {
        self.uniforms.read(half, agx_isa::inst::Size::B16) as u16
    }

    /// Sets a half-word of the uniform file (0..512).
    pub fn set_uniform(&mut self, half: u16, value: u16) {
        self.uniforms.write(half, value);
    }

    /// Active lanes, bit i = lane i.
    pub fn exec(&self) -> u32 {
        self.group.exec
    }

    /// Activates exactly these lanes.
    pub fn set_exec(&mut self, exec: u32) {
        self.group.exec = exec;
    }

    /// Breaks an operation, to test whether a test detects it.
    pub fn set_mutant(&mut self, mutant: Option<Mutant>) {
        self.mutant = mutant;
    }

    /// Findings of strict mode since the last call.
    pub fn take_findings(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.findings)
    }
}

/// Executes the first instruction of `bytes`. Jumps are not followed; the program counter stays at 0.
pub fn step_one(simd: &mut Simd, memory: &mut Memory, bytes: &[u8]) -> Result<(), Stop> {
    let op = Op::new(bytes, 0);
    let launch = Launch {
        workgroup_size: [LANES as u32, 1, 1],
        stack_words: stack::limit_words(SCRATCH_BYTES),
        mutant: simd.mutant,
        ..Launch::default()
    };
    let mut core = Core {
        memory,
        uniforms: &mut simd.uniforms,
        local: &mut simd.local,
        states: &mut simd.states,
        frame: None,
        launch,
        notes: Vec::new(),
        order: None,
        viewer: 0,
        races: None,
        traffic: Traffic::default(),
        helper: None,
    };
    let outcome = step(&op, &mut simd.group, &mut core, true);
    let notes = std::mem::take(&mut core.notes);
    for note in notes {
        simd.findings.push(finding(note, op.text(), false, &simd.group));
    }
    match outcome {
        Ok(_) => Ok(()),
        Err(fault) => {
            let finding = finding(fault, op.text(), false, &simd.group);
            let report = Report { findings: vec![finding.clone()], ..Report::default() };
            Err(Stop { finding: Box::new(finding), report: Box::new(report) })
        }
    }
}
