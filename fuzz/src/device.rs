//! The device behind the kernel's interface: every call and submission has a result, and repeating them gives
//! the same results.

use agx_abi::record::{
    bind_op, command_header, compute_command, gem_create, launch, queue_create, render_command, sizes,
    submit, usc_preamble, usc_registers, usc_shader, usc_shared, usc_uniform, vm_bind, vm_create,
};
use agx_device::kernel::{Chip, Errno, Heap, User};
use agx_device::{Kernel, Settings};

use agx_random::Entropy;

/// Address of the caller's memory.
const USER: u64 = 0x1000;
/// Bytes of the caller's memory.
const USER_BYTES: usize = 0x1000;
/// Address of the buffer.
const BASE: u64 = 0x11_0000_0000;
/// Bytes of the buffer.
const BUFFER_BYTES: u64 = 0x4000;
/// Offsets in the buffer.
const WORDS: u64 = 0x40;
const PROGRAM: u64 = 0x100;
const STREAM: u64 = 0x200;
const UNIFORMS: u64 = 0x300;
const RESULTS: u64 = 0x1000;
/// Maximum number of bytes of a buffer.
const HEAP_BYTES: u64 = 1 << 18;
/// Maximum number of instructions of a SIMD-group.
const STEPS: u64 = 200;
/// Number of the first kernel call; there are about as many calls.
const FIRST_CALL: u8 = 0x40;
const CALLS: usize = 14;

/// `store.i32.x` of the thread's number.
const CODE: &str = "mfsr r0, thread_position_in_grid.x\nstore.i32.x r0, u0_u1, r0\nstop\n";

/// Sets up a launch, mutates its control stream by the choices in `data`, submits it, and makes other calls.
pub fn device(data: &[u8]) {
    let [first, second] = [(); 2].map(|()| {
        let mut client = Client::new();
        client.act(&mut Entropy::new(data));
        client.seen()
    });
    assert_eq!(first, second, "the same calls gave other results");
}

/// The caller's memory, which begins at [`USER`].
struct Caller(Vec<u8>);

impl Caller {
    fn place(&mut self, address: u64, len: usize) -> Result<&mut [u8], Errno> {
        let at = usize::try_from(address.checked_sub(USER).ok_or(Errno::FAULT)?).map_err(|_| Errno::FAULT)?;
        let end = at.checked_add(len).ok_or(Errno::FAULT)?;
        self.0.get_mut(at..end).ok_or(Errno::FAULT)
    }
}

impl User for Caller {
    fn read(&mut self, address: u64, into: &mut [u8]) -> Result<(), Errno> {
        into.copy_from_slice(self.place(address, into.len())?);
        Ok(())
    }

    fn write(&mut self, address: u64, from: &[u8]) -> Result<(), Errno> {
        self.place(address, from.len())?.copy_from_slice(from);
        Ok(())
    }
}

/// A driver with one queue and one buffer.
struct Client {
    kernel: Kernel,
    caller: Caller,
    answers: Vec<String>,
}

impl Client {
    fn new() -> Client {
        let settings = Settings { max_steps: STEPS, trace: true, ..Settings::default() };
        let kernel = Kernel::new(Chip::default(), settings, Box::new(Heap::new(HEAP_BYTES)), || 5);
        let mut client = Client { kernel, caller: Caller(vec![0; USER_BYTES]), answers: Vec::new() };
        client.call(
            0x42,
            vm_create::RECORD.build_raw(&[
                (vm_create::KERNEL_START, 0x20_0000_0000),
                (vm_create::KERNEL_END, 0x20_2000_0000),
            ]),
        );
        client.call(
            0x48,
            queue_create::RECORD.build_raw(&[(queue_create::VM, 1), (queue_create::SHADER_BASE, BASE)]),
        );
        client.call(0x45, gem_create::RECORD.build_raw(&[(gem_create::SIZE, BUFFER_BYTES)]));
        client.user(&bind_op::RECORD.build_raw(&[
            (bind_op::READ, 1),
            (bind_op::WRITE, 1),
            (bind_op::HANDLE, 1),
            (bind_op::RANGE, BUFFER_BYTES),
            (bind_op::ADDRESS, BASE),
        ]));
        let bind = [(vm_bind::VM, 1), (vm_bind::COUNT, 1), (vm_bind::STRIDE, 32), (vm_bind::POINTER, USER)];
        client.call(0x44, vm_bind::RECORD.build_raw(&bind));
        client
    }

    fn call(&mut self, number: u8, mut argument: Vec<u8>) {
        let answer = self.kernel.call(number, &mut argument, &mut self.caller);
        self.answers.push(format!("{number:#x}: {answer:?} {argument:x?}"));
    }

    /// Writes bytes to the start of the caller's memory.
    fn user(&mut self, bytes: &[u8]) {
        self.caller.0[..bytes.len()].copy_from_slice(bytes);
    }

    fn act(&mut self, entropy: &mut Entropy<'_>) {
        let mut pieces = pieces();
        change(&mut pieces, entropy);
        if let Some(window) = self.kernel.window(1) {
            pieces.iter().for_each(|(at, bytes)| window.store(*at, bytes));
        }
        self.submit(entropy);
        while !entropy.is_empty() && self.answers.len() < 40 {
            match entropy.below(4) {
                0 => self.submit(entropy),
                _ => self.any_call(entropy),
            }
        }
    }

    /// Submits the control stream as a compute command, or sometimes as a render command, with a field
    /// changed.
    fn submit(&mut self, entropy: &mut Entropy<'_>) {
        let (kind, of, stream) = match entropy.below(4) {
            0 => (0, &render_command::RECORD, render_command::STREAM),
            _ => (1, &compute_command::RECORD, compute_command::STREAM),
        };
        let mut command = of.build_raw(&[(stream, BASE + STREAM)]);
        if entropy.flip() {
            let field = &of.fields[entropy.below(of.fields.len())];
            field.set_raw(&mut command, interesting(entropy));
        }
        let header = command_header::RECORD
            .build_raw(&[(command_header::TYPE, kind), (command_header::SIZE, command.len() as u64)]);
        let bytes = [header, command].concat();
        self.user(&bytes);
        let size = bytes.len() as u64;
        let call = [(submit::COMMANDS, USER), (submit::QUEUE, 1), (submit::SIZE, size)];
        self.call(0x4a, submit::RECORD.build_raw(&call));
    }

    /// A call with small numbers and with addresses and sizes that are likely to be valid.
    fn any_call(&mut self, entropy: &mut Entropy<'_>) {
        let number = FIRST_CALL + entropy.below(CALLS) as u8;
        let argument: Vec<u8> = (0..8).flat_map(|_| interesting(entropy).to_le_bytes()).collect();
        let len = [8, 16, 24, 32, 40, 48, 56, 64][entropy.below(8)];
        self.call(number, argument[..len].to_vec());
    }

    /// All observable results.
    fn seen(&mut self) -> (Vec<String>, Vec<String>, String) {
        let findings = self.kernel.findings().iter().map(ToString::to_string).collect();
        (std::mem::take(&mut self.answers), findings, self.kernel.take_trace())
    }
}

/// A number that calls and records use.
fn interesting(entropy: &mut Entropy<'_>) -> u64 {
    match entropy.below(6) {
        0 => 0,
        1 => u64::from(entropy.byte() & 3),
        2 => USER + u64::from(entropy.byte()),
        3 => BASE + (u64::from(entropy.word()) & 0x7fff),
        4 => BUFFER_BYTES << entropy.below(3),
        _ => u64::from(entropy.word()) << entropy.below(33),
    }
}

/// The parts of a launch of 40 threads, with their offsets in the buffer.
fn pieces() -> [(u64, Vec<u8>); 4] {
    let words = [
        usc_uniform::RECORD.build_raw(&[
            (usc_uniform::TAG, 0x1d),
            (usc_uniform::COUNT, 4),
            (usc_uniform::ADDRESS, (BASE + UNIFORMS) >> 2),
        ]),
        usc_shared::RECORD.build_raw(&[(usc_shared::TAG, 0x4d), (usc_shared::LAYOUT, 0x24)]),
        usc_shader::RECORD.build_raw(&[
            (usc_shader::TAG, 0x0d),
            (usc_shader::BITS_10_15, 3),
            (usc_shader::CODE, PROGRAM),
        ]),
        usc_registers::RECORD.build_raw(&[(usc_registers::TAG, 0x8d), (usc_registers::COUNT, 1)]),
        usc_preamble::RECORD.build_raw(&[]),
    ];
    let control = [
        launch::RECORD.build_raw(&[
            (launch::TEXTURES, 1),
            (launch::PREAMBLE_REGISTERS, 1),
            (launch::PIPELINE, WORDS >> 6),
        ]),
        sizes::RECORD.build_raw(&[(sizes::X, 40), (sizes::Y, 1), (sizes::Z, 1)]),
        sizes::RECORD.build_raw(&[(sizes::X, 32), (sizes::Y, 1), (sizes::Z, 1)]),
        vec![0, 0, 0, 0x40, 0, 0, 0, 0],
    ];
    let code = agx_isa::asm::assemble(CODE).unwrap_or_else(|error| panic!("{error}"));
    [
        (WORDS, words.concat()),
        (PROGRAM, code),
        (STREAM, control.concat()),
        (UNIFORMS, (BASE + RESULTS).to_le_bytes().to_vec()),
    ]
}

/// Bytes of the launch record and of the two sizes, which are not mutated: an arbitrary grid could run for
/// hours.
const KEPT: std::ops::Range<usize> = launch::RECORD.bytes..launch::RECORD.bytes + 2 * sizes::RECORD.bytes;

/// Mutates a few bytes or words of the parts.
fn change(pieces: &mut [(u64, Vec<u8>)], entropy: &mut Entropy<'_>) {
    for _ in 0..entropy.below(4) {
        let piece = entropy.below(pieces.len());
        let (place, bytes) = &mut pieces[piece];
        let at = entropy.below(bytes.len());
        if *place == STREAM && KEPT.contains(&at) {
            continue;
        }
        match entropy.below(3) {
            0 => bytes[at] ^= 1 << entropy.below(8),
            1 => bytes[at] = entropy.byte(),
            _ => bytes.truncate(at.max(4)),
        }
    }
}
