//! Work on several threads of the host gives the same results for any number of them.

mod support;

use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

use agx_emulator::{
    Access, Binned, Dispatch, FindingKind, Geometry, Memory, Options, Program, Visit, Window, Words,
    dispatch, geometry, render_tiles,
};
use agx_isa::inst::{Operand, Tag};
use agx_isa::table::Opcode;
use support::*;

/// Words that record the threads that used them.
struct Watched {
    words: Vec<AtomicU32>,
    users: Mutex<HashSet<ThreadId>>,
}

impl Words for Watched {
    fn words(&self) -> &[AtomicU32] {
        self.users.lock().expect("no user panics").insert(thread::current().id());
        &self.words
    }
}

impl Watched {
    fn new(count: usize) -> Arc<Watched> {
        let words = (0..count).map(|_| AtomicU32::new(0)).collect();
        Arc::new(Watched { words, users: Mutex::default() })
    }

    /// A memory with the words mapped at the buffer's address.
    fn memory(self: &Arc<Watched>) -> Memory {
        let window = Window::new(self.clone(), 0, 4 * self.words.len() as u64).expect("inside");
        let mut memory = Memory::new();
        memory.map_window(BUFFER, window, Access::READ | Access::WRITE).expect("free");
        memory
    }

    fn values(&self) -> Vec<u32> {
        self.words.iter().map(|word| word.load(Ordering::Relaxed)).collect()
    }

    /// Number of threads that used the words, excluding the test's own.
    fn helpers(&self) -> usize {
        let users = self.users.lock().expect("no user panics");
        users.iter().filter(|id| **id != thread::current().id()).count()
    }
}

/// Options with this number of threads.
fn on(threads: u32) -> Options {
    Options { strict: false, threads, ..options() }
}

fn grid<'a>(program: &'a Program, uniforms: &'a [u16], threads: u32) -> Dispatch<'a> {
    let mut grid = launch(program, uniforms, 37);
    grid.workgroups = [50, 4, 1];
    grid.local_bytes = 256;
    grid.options = on(threads);
    grid
}

/// Sets `r1` to the number of the lane in a grid of 50 workgroups per row and 37 lanes each, and `r0` to that in the
/// workgroup.
fn numbered() -> Code {
    Code::new()
        .special(r(0), 48)
        .special(r(1), 0)
        .special(r(2), 1)
        .op(Opcode::Imadd, &[("dst", r(1)), ("a", r(2)), ("b", i(50)), ("c", r(1))])
        .op(Opcode::Imadd, &[("dst", r(1)), ("a", r(1)), ("b", i(37)), ("c", r(0))])
}

#[test]
fn workgroups_give_the_same_bytes_on_any_number_of_threads() {
    // Byte `lane` becomes the value that the next lane of the workgroup stored in local memory: neighbours in two
    // workgroups share a word, and the last lane reads uninitialised local memory.
    let program = numbered()
        .op(Opcode::Imadd, &[("dst", h(40)), ("a", h(0)), ("b", i(4)), ("c", i(0))])
        .op(Opcode::Iadd, &[("dst", h(41)), ("a", h(40)), ("b", i(4))])
        .op(Opcode::Lstore, &[("data", r(1)), ("base", h(40)), ("index", i(0))])
        .op(Opcode::Barrier, &[])
        .op(Opcode::Lload, &[("dst", r(4)), ("base", h(41)), ("index", i(0))])
        .wait()
        .op(Opcode::Store, &[("data", h(8)), ("base", uu(0)), ("index", r(1)), ("format", i(0))])
        .wait()
        .stop();
    let run = |threads| {
        let words = Watched::new(50 * 4 * 37 / 4);
        let report = dispatch(&mut words.memory(), &grid(&program, &uniforms(), threads)).expect("runs");
        (words.values(), (report.instructions, report.lane_instructions, report.lines), words.helpers())
    };
    let (bytes, counts, helpers) = run(1);
    assert_eq!(helpers, 0, "one thread is the caller's");
    assert_eq!(bytes[1].to_le_bytes(), [5, 6, 7, 8], "lanes 4 to 7");
    for threads in [2, 3, 8] {
        let (other, other_counts, helpers) = run(threads);
        assert!((1..=threads as usize).contains(&helpers), "{helpers} of {threads} threads");
        assert_eq!(bytes, other, "{threads} threads");
        assert_eq!(counts, other_counts, "{threads} threads");
    }
}

#[test]
fn programs_with_device_atomics_stay_on_one_thread() {
    // Word 1 + lane becomes the number of lanes that ran before it.
    let program = numbered()
        .constant(3, 1)
        .op(Opcode::Atomic, &[("dst", r(4)), ("data", r(3)), ("base", uu(0)), ("index", i(0)), ("op", i(0))])
        .wait()
        .op(Opcode::Iadd, &[("dst", r(1)), ("a", r(1)), ("b", i(1))])
        .store(r(4), r(1))
        .stop();
    let run = |threads| {
        let words = Watched::new(1 + 50 * 4 * 37);
        dispatch(&mut words.memory(), &grid(&program, &uniforms(), threads)).expect("runs");
        assert_eq!(words.helpers(), 0);
        words.values()
    };
    let alone = run(1);
    assert_eq!(alone[0], 50 * 4 * 37);
    assert!(run(4) == alone);
}

#[test]
fn the_first_fault_in_grid_order_is_reported() {
    // Workgroups from 20 on store past the end.
    let program = numbered().store(r(1), r(1)).stop();
    for threads in [1, 2, 6] {
        let words = Watched::new(20 * 37);
        let stop = dispatch(&mut words.memory(), &grid(&program, &uniforms(), threads)).expect_err("faults");
        assert!(matches!(stop.finding.kind, FindingKind::Memory(_)), "{stop}");
        assert_eq!(stop.finding.workgroup, [20, 0, 0], "{threads} threads");
    }
}

#[test]
fn strict_runs_stay_on_one_thread() {
    let program = numbered().store(r(1), r(1)).stop();
    let words = Watched::new(50 * 4 * 37);
    let uniforms = uniforms();
    let mut grid = grid(&program, &uniforms, 4);
    grid.options.strict = true;
    dispatch(&mut words.memory(), &grid).expect("runs");
    assert_eq!(words.helpers(), 0);
}

/// Vertices all over the screen and beyond its edges: position at one depth, layer 0 or 1, a number.
fn scattered(count: u32) -> Vec<u32> {
    let mut vertices = Vec::new();
    for number in 1..=count {
        let hash = number.wrapping_mul(2_654_435_761);
        let place = |bits: u32| ((bits & 0xffff) as f32 / 32768.0 - 1.0).to_bits();
        let [depth, w] = [0.5_f32, 1.0].map(f32::to_bits);
        vertices.extend([
            place(hash >> 16),
            place(hash.wrapping_mul(number) >> 7),
            depth,
            w,
            hash >> 5 & 1,
            hash,
        ]);
    }
    vertices
}

#[test]
fn draws_give_the_same_pixels_on_any_number_of_threads() {
    let vertex = pass_through();
    // The sample becomes 3 times its old value plus the triangle's value: the order of the triangles affects the
    // result.
    let value = Operand { tag: Tag::Coefficient, value: 0, ..Operand::imm(0) };
    let program = Code::new()
        .load(r(6), i(0))
        .op(Opcode::Ldcf, &[("dst", r(1)), ("a", value)])
        .wait()
        .op(Opcode::Pixwait, &[("a", i(12))])
        .op(Opcode::LdTile, &[("dst", r(5)), ("samples", i(255))])
        .op(Opcode::Imadd, &[("dst", r(5)), ("a", r(5)), ("b", i(3)), ("c", r(3))])
        .op(Opcode::StTile, &[("data", r(5)), ("samples", i(255))])
        .stop();
    let uniforms = uniforms();
    let stage = |program| stage(program, &uniforms);
    let vertices: Vec<u32> = (0..120).collect();
    let (nothing, zero) = (Code::new().stop(), store_tile(Code::new().constant(5, 0), r(5)).stop());
    let run = |threads| {
        let words = Watched::new(120 * 6);
        words.words.iter().zip(scattered(120)).for_each(|(word, value)| word.store(value, Ordering::Relaxed));
        let mut draw = over_screen(stage(&vertex), stage(&program), &vertices);
        draw.options = on(threads);
        let (mut primitives, mut memory) = (Geometry::default(), words.memory());
        geometry(&mut memory, &draw, ([300, 210], 2), &mut primitives).expect("runs");
        let tiles = Tiles::default();
        let visit = Visit {
            shape: shape([300, 210], 2),
            background: stage(&zero),
            draws: &[Binned { draw, geometry: &primitives }],
            end: stage(&nothing),
            empty_tiles: true,
            depth: &tiles,
            options: on(threads),
        };
        let mut visited = render_tiles(&mut memory, &visit);
        let (report, passed) = visited.draws.pop().expect("one draw");
        let report = report.expect("runs");
        assert_eq!(visited.background.expect("runs").lane_instructions, 2 * 300 * 210 * 4);
        (tiles.pixels(), passed, report.instructions, report.lane_instructions, words.helpers())
    };
    let alone = run(1);
    assert_eq!(alone.4, 0, "one thread is the caller's");
    assert!(alone.1 > 100_000, "{} samples", alone.1);
    for threads in [2, 5] {
        let shared = run(threads);
        assert!(shared.0 == alone.0, "{threads} threads");
        assert_eq!((shared.1, shared.2, shared.3), (alone.1, alone.2, alone.3), "{threads} threads");
        assert!((1..=threads as usize).contains(&shared.4), "{} of {threads} threads", shared.4);
    }
}
