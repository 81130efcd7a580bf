//! Small programs, instruction by instruction.

#![allow(dead_code, reason = "each test file uses a part")]

use std::collections::BTreeMap;
use std::sync::Mutex;

use agx_emulator::{
    Access, Binding, Comparison, Cull, Dispatch, Draw, Fault, Framebuffer, Memory, MemoryFault, More, Mutant,
    Options, PassShape, Program, Shade, Simd, Stage, States, Stop, Tests, TileDepth, Topology, Viewport,
    step_one,
};
use agx_isa::inst::{Inst, Operand, OperandFlags, Size};
use agx_isa::table::Opcode;
use agx_isa::{encode, minifloat};

/// The address at which [`Code::run`] maps its buffer.
pub const BUFFER: u64 = 0x1_0000;

/// A 32-bit register by number.
pub fn r(number: u8) -> Operand {
    Operand::reg(number * 2, Size::B32)
}

/// A half register by half index.
pub fn h(half: u8) -> Operand {
    Operand::reg(half, Size::B16)
}

/// A 64-bit register by the number of its low word.
pub fn rr(number: u8) -> Operand {
    Operand::reg(number * 2, Size::B64)
}

/// A 64-bit uniform by half-word index.
pub fn uu(half: u16) -> Operand {
    Operand::uniform(half, Size::B64)
}

/// An integer immediate.
pub fn i(value: i32) -> Operand {
    Operand::imm(value as u32)
}

/// A float immediate.
pub fn f(value: f32) -> Operand {
    Operand::imm(u32::from(minifloat::encode(value).expect("a minifloat")))
}

/// The operand with sign extension.
pub fn sx(operand: Operand) -> Operand {
    operand.with(OperandFlags::SX)
}

/// A program under construction.
#[derive(Clone, Default)]
pub struct Code {
    pub bytes: Vec<u8>,
}

impl Code {
    pub fn new() -> Code {
        Code::default()
    }

    /// Appends an instruction with these operands.
    pub fn op(mut self, op: Opcode, operands: &[(&str, Operand)]) -> Code {
        let mut inst = Inst::new(op);
        for (name, operand) in operands {
            assert!(inst.operand(name).is_some(), "{op:?} has no operand {name}");
            inst.set(name, *operand);
        }
        self.bytes.extend_from_slice(&encode(&inst).unwrap_or_else(|error| panic!("{op:?}: {error}")));
        self
    }

    /// `dst = special register`.
    pub fn special(self, dst: Operand, number: i32) -> Code {
        self.op(Opcode::Mfsr, &[("dst", dst), ("sr", i(number))])
    }

    /// A 32-bit constant.
    pub fn constant(self, number: u8, value: u32) -> Code {
        self.op(Opcode::Ldimm32, &[("dst", r(number)), ("a", Operand::imm(value))])
    }

    /// A 16-bit constant.
    pub fn constant16(self, half: u8, value: u16) -> Code {
        self.op(Opcode::Ldimm16, &[("dst", h(half)), ("a", Operand::imm(value.into()))])
    }

    /// Stores register `data` to word `index` of the buffer and waits.
    pub fn store(self, data: Operand, index: Operand) -> Code {
        self.op(Opcode::Store, &[("data", data), ("base", uu(0)), ("index", index)]).op(Opcode::Wait, &[])
    }

    /// Loads word `index` of the buffer, without waiting.
    pub fn load(self, dst: Operand, index: Operand) -> Code {
        self.op(Opcode::Load, &[("dst", dst), ("base", uu(0)), ("index", index)])
    }

    pub fn wait(self) -> Code {
        self.op(Opcode::Wait, &[])
    }

    /// Appends `stop`.
    pub fn stop(self) -> Program {
        let code = self.op(Opcode::Stop, &[]);
        Program::new(&code.bytes)
    }
}

/// A vertex program that copies six words per vertex from the buffer: position, then two varyings.
pub fn pass_through() -> Program {
    let mut code = Code::new()
        .op(Opcode::Imadd, &[("dst", r(7)), ("a", r(5)), ("b", i(6)), ("c", i(0))])
        .op(Opcode::Load, &[("dst", r(8)), ("base", uu(0)), ("index", r(7)), ("mask", i(15))])
        .op(Opcode::Iadd, &[("dst", r(7)), ("a", r(7)), ("b", i(4))])
        .op(Opcode::Load, &[("dst", r(12)), ("base", uu(0)), ("index", r(7)), ("mask", i(3))])
        .wait();
    for slot in 0..6 {
        code = code.op(
            Opcode::StVar,
            &[("data", r(8 + slot)), ("index", i(i32::from(slot))), ("last", i(i32::from(slot == 5)))],
        );
    }
    code.stop()
}

/// The address of the buffer as uniforms 0 to 3.
pub fn uniforms() -> [u16; 4] {
    [BUFFER as u16, (BUFFER >> 16) as u16, 0, 0]
}

/// A memory with a zeroed buffer of `words` words.
pub fn memory(words: usize) -> Memory {
    let mut memory = Memory::new();
    memory.map(BUFFER, vec![0; 4 * words], Access::READ | Access::WRITE).expect("free");
    memory
}

/// The words of the buffer.
pub fn words(memory: &Memory, count: usize) -> Vec<u32> {
    let bytes = memory.bytes(BUFFER, 4 * count).expect("mapped");
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four"))).collect()
}

/// The operation that `AGX_MUTANT` (`mnemonic fault`) breaks, for the mutation test.
pub fn mutant() -> Option<Mutant> {
    let text = std::env::var("AGX_MUTANT").ok()?;
    let (name, fault) = text.split_once(' ')?;
    let op = Opcode::from_name(name)?;
    let fault = Fault::ALL.into_iter().find(|known| format!("{known:?}") == fault)?;
    Some(Mutant { op, fault })
}

/// The default options, with the mutant of the environment.
pub fn options() -> Options {
    Options { mutant: mutant(), ..Options::default() }
}

/// Executes one instruction.
pub fn step(simd: &mut Simd, memory: &mut Memory, bytes: &[u8]) -> Result<(), Stop> {
    simd.set_mutant(mutant());
    step_one(simd, memory, bytes)
}

/// A program of a draw without a preamble.
pub fn stage<'a>(program: &'a Program, uniforms: &'a [u16]) -> Stage<'a> {
    Stage { program, preamble: None, uniforms, states: States::default(), scratch_bytes: 0 }
}

/// A rectangle shaded by a stage.
pub fn rectangle<'a>(fragment: Stage<'a>, rectangle: [u32; 4]) -> Shade<'a> {
    Shade {
        fragment,
        rectangle,
        coefficients: &[],
        depth: 0.5,
        tests: Tests::default(),
        late_tests: false,
        layer: 0,
        keeps_tests: false,
        options: options(),
    }
}

/// Stores a register to the first word of all samples.
pub fn store_tile(code: Code, data: Operand) -> Code {
    code.op(Opcode::Pixwait, &[("a", i(12))]).op(Opcode::StTile, &[("data", data), ("samples", i(255))])
}

/// A framebuffer with one sample of four bytes in tiles of 32 by 32 pixels.
pub fn shape(size: [u32; 2], layers: u32) -> PassShape {
    PassShape {
        size,
        layers,
        tile: [32, 32],
        samples: 1,
        sample_bytes: 4,
        sample_positions: [[0.5; 2]; 4],
        depth_unorm16: false,
        clear: (1.0, 0),
    }
}

/// A pixel: layer, x, y.
pub type Pixel = [u32; 3];

/// Keeps the tiles at their ends, in order, as a depth buffer sees them.
#[derive(Default)]
pub struct Tiles(pub Mutex<Vec<(u32, Framebuffer)>>);

impl TileDepth for Tiles {
    fn load(&self, _: &Memory, _: &mut Framebuffer, _: u32) -> Result<(), MemoryFault> {
        Ok(())
    }

    fn store(&self, _: &mut Memory, tile: &Framebuffer, layer: u32) -> Result<(), MemoryFault> {
        self.0.lock().expect("no user panics").push((layer, tile.clone()));
        Ok(())
    }
}

impl Tiles {
    /// The words of all pixels.
    pub fn pixels(&self) -> BTreeMap<Pixel, u32> {
        let mut pixels = BTreeMap::new();
        for (layer, tile) in &*self.0.lock().expect("no user panics") {
            let [left, top, right, bottom] = tile.rectangle();
            for (x, y) in (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y))) {
                let bytes = tile.colour(x, y, 0).expect("inside");
                let word = u32::from_le_bytes(bytes.try_into().expect("four bytes"));
                assert!(pixels.insert([*layer, x, y], word).is_none(), "two tiles with {x}, {y}");
            }
        }
        pixels
    }

    /// The first pixels of the tiles, in order.
    pub fn order(&self) -> Vec<Pixel> {
        let corner = |(layer, tile): &(u32, Framebuffer)| {
            let [left, top, ..] = tile.rectangle();
            [*layer, left, top]
        };
        self.0.lock().expect("no user panics").iter().map(corner).collect()
    }
}

/// One workgroup of `threads` lanes.
pub fn launch<'a>(program: &'a Program, uniforms: &'a [u16], threads: u32) -> Dispatch<'a> {
    Dispatch {
        program,
        preamble: None,
        uniforms,
        states: States::default(),
        workgroups: [1, 1, 1],
        workgroup_size: [threads, 1, 1],
        threads: None,
        tile: None,
        local_bytes: 0,
        scratch_bytes: 0,
        options: options(),
    }
}

/// Two instances of triangles on two layers of 300 × 210 pixels; coefficient 0 is the number of the provoking vertex.
pub fn over_screen<'a>(vertex: Stage<'a>, fragment: Stage<'a>, vertices: &'a [u32]) -> Draw<'a> {
    let viewport = Viewport { x: 0.0, y: 0.0, width: 300.0, height: 210.0, min_depth: 0.0, max_depth: 1.0 };
    Draw {
        vertex,
        fragment,
        topology: Topology::Triangles,
        vertices,
        instances: 2,
        position_slot: 0,
        point_size_slot: None,
        coefficients: &[Binding::Flat(5)],
        viewport,
        scissor: None,
        line_width: 1.0,
        front_counter_clockwise: false,
        cull: Cull::None,
        provoking_last: false,
        tests: Tests { depth: Comparison::Always, depth_write: true, ..Tests::default() },
        late_tests: false,
        more: More { layer_slot: Some(4), ..More::default() },
        options: options(),
    }
}
