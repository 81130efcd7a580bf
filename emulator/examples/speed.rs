//! Measures the machine: lane instructions per second, and host instructions per lane instruction, in a loop of
//! arithmetic and in one of loads and stores, with strict mode on and off, and on all threads of the host. Host
//! instructions are counted if valgrind is installed.
//!
//! `speed` measures everything; `speed arithmetic|memory strict|lax ROUNDS` runs one loop once.

#![expect(clippy::print_stdout, reason = "a measurement is for the terminal")]

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Instant;

use agx_emulator::{Access, Dispatch, Memory, Options, Program, Report, States, Window, dispatch};
use agx_isa::encode;
use agx_isa::inst::{Inst, Operand, Size};
use agx_isa::table::Opcode;

/// Address and size of the buffer of the loop of loads and stores.
const BUFFER: u64 = 0x1_0000_0000;
const BYTES: usize = 1 << 20;
/// Iterations of a timed loop, and of one that valgrind counts.
const TIMED: u32 = 4000;
const COUNTED: u32 = 40;
/// Workgroups of a run on several threads.
const SHARED_WORKGROUPS: u32 = 64;
/// Number of runs, of which the fastest counts, because other programs only make runs slower.
const RUNS: usize = 7;

fn r(number: u8) -> Operand {
    Operand::reg(number * 2, Size::B32)
}

fn i(value: i32) -> Operand {
    Operand::imm(value as u32)
}

#[derive(Default)]
struct Code(Vec<u8>);

impl Code {
    fn op(&mut self, op: Opcode, operands: &[(&str, Operand)]) {
        let mut inst = Inst::new(op);
        operands.iter().for_each(|(name, operand)| inst.set(name, *operand));
        self.0.extend_from_slice(&encode(&inst).expect("encodable"));
    }
}

/// Eight times two float and two integer operations.
fn arithmetic(code: &mut Code) {
    for _ in 0..8 {
        code.op(Opcode::Ffma, &[("dst", r(1)), ("a", r(1)), ("b", r(2)), ("c", r(3))]);
        code.op(Opcode::Fadd, &[("dst", r(1)), ("a", r(1)), ("b", r(2))]);
        code.op(Opcode::Iadd, &[("dst", r(4)), ("a", r(4)), ("b", i(1))]);
        code.op(Opcode::Bitop, &[("dst", r(5)), ("a", r(5)), ("b", r(4)), ("table", i(6))]);
    }
}

/// Four times a load, a local store and load, and a store, with their address computations and waits.
fn memory(code: &mut Code) {
    let base = Operand::uniform(0, Size::B64);
    let half = Operand::reg(24, Size::B16);
    for round in 0..4 {
        code.op(Opcode::Iadd, &[("dst", r(5)), ("a", r(6)), ("b", i(32 * round))]);
        code.op(Opcode::Load, &[("dst", r(7)), ("base", base), ("index", r(5))]);
        code.op(Opcode::Wait, &[]);
        code.op(Opcode::Lstore, &[("data", r(7)), ("base", half), ("index", i(0))]);
        code.op(Opcode::Lload, &[("dst", r(8)), ("base", half), ("index", i(0))]);
        code.op(Opcode::Store, &[("data", r(8)), ("base", base), ("index", r(5))]);
    }
    code.op(Opcode::Wait, &[]);
}

/// A program that runs `body` this number of times.
fn looped(rounds: u32, body: fn(&mut Code)) -> Program {
    let mut code = Code::default();
    let constant = |code: &mut Code, number: u8, value: u32| {
        code.op(Opcode::Ldimm32, &[("dst", r(number)), ("a", Operand::imm(value))]);
    };
    code.op(Opcode::Ldimm16, &[("dst", Operand::reg(0, Size::B16)), ("a", i(0))]);
    (1..4).for_each(|number| constant(&mut code, number, 0x3f80_0000 + u32::from(number)));
    constant(&mut code, 4, 0);
    constant(&mut code, 5, 0);
    constant(&mut code, 9, 0);
    constant(&mut code, 10, rounds);
    code.op(Opcode::Mfsr, &[("dst", r(6)), ("sr", i(80))]);
    code.op(
        Opcode::Imadd,
        &[("dst", Operand::reg(24, Size::B16)), ("a", Operand::reg(12, Size::B16)), ("b", i(4)), ("c", i(0))],
    );
    let start = code.0.len();
    body(&mut code);
    code.op(Opcode::Iadd, &[("dst", r(9)), ("a", r(9)), ("b", i(1))]);
    code.op(Opcode::WhileIcmp, &[("a", r(9)), ("b", r(10)), ("cond", i(1)), ("nest", i(1))]);
    let back = start as i32 - code.0.len() as i32;
    code.op(Opcode::JmpAny, &[("target", i(back))]);
    code.op(Opcode::PopExec, &[("nest", i(1))]);
    code.op(Opcode::Stop, &[]);
    Program::new(&code.0)
}

fn run(body: fn(&mut Code), strict: bool, rounds: u32) -> Report {
    let mut memory = Memory::new();
    memory.map(BUFFER, vec![0; BYTES], Access::READ | Access::WRITE).expect("free");
    run_in(&mut memory, body, 4, rounds, Options { strict, ..Options::default() })
}

/// Runs this number of workgroups on several threads with shared memory.
fn run_shared(body: fn(&mut Code), threads: u32) -> Report {
    let words: Box<[AtomicU32]> = (0..BYTES / 4).map(|_| AtomicU32::new(0)).collect();
    let window = Window::new(Arc::new(words), 0, BYTES as u64).expect("inside");
    let mut memory = Memory::new();
    memory.map_window(BUFFER, window, Access::READ | Access::WRITE).expect("free");
    run_in(
        &mut memory,
        body,
        SHARED_WORKGROUPS,
        TIMED / 16,
        Options { strict: false, threads, ..Options::default() },
    )
}

fn run_in(
    memory: &mut Memory,
    body: fn(&mut Code),
    workgroups: u32,
    rounds: u32,
    options: Options,
) -> Report {
    let program = looped(rounds, body);
    let uniforms = [BUFFER as u16, (BUFFER >> 16) as u16, (BUFFER >> 32) as u16, 0];
    let grid = Dispatch {
        program: &program,
        preamble: None,
        uniforms: &uniforms,
        states: States::default(),
        workgroups: [workgroups, 1, 1],
        workgroup_size: [64, 1, 1],
        threads: None,
        tile: None,
        local_bytes: 4096,
        scratch_bytes: 0,
        options,
    };
    dispatch(memory, &grid).expect("runs")
}

/// The loops by name.
const LOOPS: [(&str, fn(&mut Code)); 2] = [("arithmetic", arithmetic), ("memory", memory)];
const MODES: [(&str, bool); 2] = [("strict", true), ("lax", false)];

/// Host instructions of a run of this program, if valgrind is installed.
fn host_instructions(name: &str, mode: &str, rounds: u32) -> Option<u64> {
    let own = std::env::current_exe().ok()?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(own)
        .args([name, mode, &rounds.to_string()])
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = text.lines().find(|line| line.contains("Collected : "))?;
    line.rsplit(' ').next()?.trim().parse().ok()
}

fn measure(name: &str, body: fn(&mut Code), (mode, strict): (&str, bool)) {
    let (mut seconds, mut lanes) = (f64::INFINITY, 0);
    for _ in 0..RUNS {
        let start = Instant::now();
        let report = run(body, strict, TIMED);
        seconds = seconds.min(start.elapsed().as_secs_f64());
        lanes = report.lane_instructions;
        report.findings.iter().for_each(|finding| println!("  {finding}"));
    }
    let counted = [COUNTED, 2 * COUNTED].map(|rounds| host_instructions(name, mode, rounds));
    let lanes_of = |rounds| run(body, strict, rounds).lane_instructions;
    let host = match counted {
        [Some(once), Some(twice)] => {
            let each = (twice - once) as f64 / (lanes_of(2 * COUNTED) - lanes_of(COUNTED)) as f64;
            format!("{each:.1} host instructions each")
        }
        _ => String::from("host instructions not counted: valgrind is not installed"),
    };
    println!(
        "{name}, {mode}: {:.0} million lane instructions a second, {host}",
        lanes as f64 / seconds / 1e6
    );
}

fn measure_shared(name: &str, body: fn(&mut Code), threads: u32) {
    let (mut seconds, mut lanes) = (f64::INFINITY, 0);
    for _ in 0..RUNS {
        let start = Instant::now();
        lanes = run_shared(body, threads).lane_instructions;
        seconds = seconds.min(start.elapsed().as_secs_f64());
    }
    println!(
        "{name}, lax, threads {threads}: {:.0} million lane instructions a second",
        lanes as f64 / seconds / 1e6
    );
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let find = |(name, body): (&str, fn(&mut Code))| match &arguments[..] {
        [loop_name, mode, rounds] if loop_name == name => {
            Some((body, mode == "strict", rounds.parse().ok()?))
        }
        _ => None,
    };
    if let Some((body, strict, rounds)) = LOOPS.into_iter().find_map(find) {
        println!("{} lane instructions", run(body, strict, rounds).lane_instructions);
        return;
    }
    for (name, body) in LOOPS {
        MODES.into_iter().for_each(|mode| measure(name, body, mode));
        let all = std::thread::available_parallelism().map_or(1, |count| count.get() as u32);
        [1, all].into_iter().for_each(|threads| measure_shared(name, body, threads));
    }
}
