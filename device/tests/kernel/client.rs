//! A caller of the kernel, and a launch to submit.

use agx_device::kernel::{Answer, Chip, Errno, Heap, User};
use agx_device::record::{
    Field, bind_op, command_header, compute_command, gem_create, launch, queue_create, sizes, submit, sync,
    usc_registers, usc_shader, usc_shared, usc_uniform, vm_bind, vm_create,
};
use agx_device::{Kernel, Settings};
use agx_isa::asm::assemble;

/// Memory of a caller: one range from this address on.
pub const USER: u64 = 0x1000;
/// Address of the buffer, and base of shader addresses.
pub const BASE: u64 = 0x11_0000_0000;

#[derive(Clone)]
pub struct Caller(pub Vec<u8>);

impl User for Caller {
    fn read(&mut self, address: u64, into: &mut [u8]) -> Result<(), Errno> {
        let at = address.checked_sub(USER).ok_or(Errno::FAULT)? as usize;
        into.copy_from_slice(self.0.get(at..at + into.len()).ok_or(Errno::FAULT)?);
        Ok(())
    }

    fn write(&mut self, address: u64, from: &[u8]) -> Result<(), Errno> {
        let at = address.checked_sub(USER).ok_or(Errno::FAULT)? as usize;
        self.0.get_mut(at..at + from.len()).ok_or(Errno::FAULT)?.copy_from_slice(from);
        Ok(())
    }
}

impl Caller {
    /// The structure of a submission, whose commands and sync objects go to the caller's memory; `counts` are the objects
    /// waited for and those signalled.
    pub fn submission(&mut self, queue: u64, commands: &[u8], syncs: &[u8], counts: [u64; 2]) -> Vec<u8> {
        let at = USER + commands.len() as u64;
        self.write(USER, commands).expect("inside");
        self.write(at, syncs).expect("inside");
        submit::RECORD.build_raw(&[
            (submit::COMMANDS, USER),
            (submit::QUEUE, queue),
            (submit::SIZE, commands.len() as u64),
            (submit::SYNCS, at),
            (submit::IN_SYNCS, counts[0]),
            (submit::OUT_SYNCS, counts[1]),
        ])
    }

    /// The structure of a wait for a point, also one that is not submitted yet.
    pub fn timeline_wait(&mut self, handle: u32, point: u64, deadline: u64) -> Vec<u8> {
        self.write(USER, &handle.to_le_bytes()).expect("inside");
        self.write(USER + 8, &point.to_le_bytes()).expect("inside");
        let words = [USER, USER + 8, deadline, 1 | 3 << 32, 0, 0];
        words.iter().flat_map(|word: &u64| word.to_le_bytes()).collect()
    }
}

pub struct Device {
    pub kernel: Kernel,
    pub caller: Caller,
}

impl Device {
    pub fn new() -> Device {
        Device::with(Settings::default())
    }

    pub fn with(settings: Settings) -> Device {
        Device::with_clock(settings, || 5)
    }

    pub fn with_clock(settings: Settings, clock: fn() -> u64) -> Device {
        let kernel = Kernel::new(Chip::default(), settings, Box::<Heap>::default(), clock);
        Device { kernel, caller: Caller(vec![0; 0x2000]) }
    }

    pub fn call(&mut self, number: u8, mut argument: Vec<u8>) -> Result<Vec<u8>, Errno> {
        assert_eq!(self.kernel.call(number, &mut argument, &mut self.caller)?, Answer::Done);
        Ok(argument)
    }

    /// An address space, a queue, and a buffer of a page at [`BASE`].
    pub fn set_up(&mut self) {
        let space = vm_create::RECORD
            .build_raw(&[(vm_create::KERNEL_START, 0x20_0000_0000), (vm_create::KERNEL_END, 0x20_2000_0000)]);
        assert_eq!(vm_create::VM.get(&self.call(0x42, space).expect("made")), 1);
        assert_eq!(self.queue(), 1);
        let buffer =
            self.call(0x45, gem_create::RECORD.build_raw(&[(gem_create::SIZE, 0x4000)])).expect("made");
        assert_eq!(gem_create::HANDLE.get(&buffer), 1);
        self.bind(&[
            (bind_op::READ, 1),
            (bind_op::WRITE, 1),
            (bind_op::HANDLE, 1),
            (bind_op::RANGE, 0x4000),
            (bind_op::ADDRESS, BASE),
        ])
        .expect("bound");
    }

    pub fn queue(&mut self) -> u64 {
        let queue =
            queue_create::RECORD.build_raw(&[(queue_create::VM, 1), (queue_create::SHADER_BASE, BASE)]);
        queue_create::QUEUE.get(&self.call(0x48, queue).expect("made"))
    }

    pub fn bind(&mut self, fields: &[(Field, u64)]) -> Result<Vec<u8>, Errno> {
        self.bind_bytes(&bind_op::RECORD.build_raw(fields))
    }

    pub fn bind_bytes(&mut self, op: &[u8]) -> Result<Vec<u8>, Errno> {
        self.caller.write(USER, op).expect("inside");
        let call = vm_bind::RECORD.build_raw(&[
            (vm_bind::VM, 1),
            (vm_bind::COUNT, 1),
            (vm_bind::STRIDE, op.len() as u64),
            (vm_bind::POINTER, USER),
        ]);
        self.call(0x44, call)
    }

    pub fn submit(&mut self, stream: u64) -> Result<Vec<u8>, Errno> {
        self.submit_to(1, 0, [0, 0], stream)
    }

    /// Submits a compute command that waits for this number of compute commands (0: earlier submissions). Unless they
    /// are 0, it waits for a sync object before, and signals another one after.
    pub fn submit_to(
        &mut self,
        queue: u64,
        barrier: u64,
        [before, after]: [u64; 2],
        stream: u64,
    ) -> Result<Vec<u8>, Errno> {
        let fields =
            [(compute_command::STREAM, stream), (compute_command::STREAM_END, stream + STREAM_BYTES)];
        let command = compute_command::RECORD.build_raw(&fields);
        let header = command_header::RECORD.build_raw(&[
            (command_header::TYPE, 1),
            (command_header::SIZE, command.len() as u64),
            (command_header::CDM_BARRIER, barrier),
        ]);
        let syncs = [before, after].into_iter().filter(|handle| *handle != 0);
        let syncs = syncs.flat_map(|handle| sync::RECORD.build_raw(&[(sync::HANDLE, handle)]));
        let counts = [before, after].map(|handle| u64::from(handle != 0));
        self.submit_bytes(queue, &[header, command].concat(), &syncs.collect::<Vec<_>>(), counts)
    }

    /// Submits commands with sync objects; `counts` are those waited for and those signalled.
    pub fn submit_bytes(
        &mut self,
        queue: u64,
        commands: &[u8],
        syncs: &[u8],
        counts: [u64; 2],
    ) -> Result<Vec<u8>, Errno> {
        let call = self.caller.submission(queue, commands, syncs, counts);
        self.call(0x4a, call)
    }

    /// Waits on the host for a sync object.
    pub fn wait(&mut self, handle: u32) {
        self.caller.write(USER, &handle.to_le_bytes()).expect("inside");
        let mut call = vec![0; 40];
        call[..8].copy_from_slice(&USER.to_le_bytes());
        call[16] = 1;
        self.call(0xc3, call).expect("signalled");
    }
}

/// Bytes of the control stream: launch, two sizes, barrier, end.
pub const STREAM_BYTES: u64 = 8 + 12 + 12 + 4 + 8;
/// Offsets in the buffer: words of the shader, program, control stream, uniforms, results.
pub const PLACES: [u64; 5] = [0x40, 0x100, 0x200, 0x300, 0x1000];

/// A launch of 40 threads in workgroups of 32, with everything but the results `more` bytes after its place.
pub fn pieces(code: &str, more: u64) -> Vec<(u64, Vec<u8>)> {
    let results = PLACES[4];
    let [words, program, stream, uniforms, _] = PLACES.map(|place| place + more);
    let shader = [
        usc_uniform::RECORD.build_raw(&[
            (usc_uniform::TAG, 0x1d),
            (usc_uniform::COUNT, 4),
            (usc_uniform::ADDRESS, (BASE + uniforms) >> 2),
        ]),
        usc_shared::RECORD.build_raw(&[(usc_shared::TAG, 0x4d), (usc_shared::LAYOUT, 0x24)]),
        usc_shader::RECORD.build_raw(&[
            (usc_shader::TAG, 0x0d),
            (usc_shader::BITS_10_15, 3),
            (usc_shader::CODE, program),
        ]),
        usc_registers::RECORD.build_raw(&[(usc_registers::TAG, 0x8d), (usc_registers::COUNT, 1)]),
        vec![0x88, 0],
    ];
    let control = [
        launch::RECORD.build_raw(&[
            (launch::TEXTURES, 1),
            (launch::PREAMBLE_REGISTERS, 1),
            (launch::PIPELINE, words >> 6),
        ]),
        sizes::RECORD.build_raw(&[(sizes::X, 40), (sizes::Y, 1), (sizes::Z, 1)]),
        sizes::RECORD.build_raw(&[(sizes::X, 32), (sizes::Y, 1), (sizes::Z, 1)]),
        agx_abi::streams::AFTER_LAUNCH.bytes().to_vec(),
        vec![0, 0, 0, 0x40, 0, 0, 0, 0],
    ];
    vec![
        (words, shader.concat()),
        (program, assemble(code).expect("valid")),
        (stream, control.concat()),
        (uniforms, (BASE + results).to_le_bytes().to_vec()),
    ]
}

/// Every lane stores its number.
pub const NUMBERS: &str = "mfsr r0, thread_position_in_grid.x\nstore.i32.x r0, u0_u1, r0\nstop\n";

/// A device with a launch of 40 lanes in its buffer, recorded.
pub fn launched(code: &str) -> Device {
    let mut device = Device::new();
    device.set_up();
    let window = device.kernel.window(1).expect("the buffer");
    pieces(code, 0).into_iter().for_each(|(at, bytes)| window.store(at, &bytes));
    device.kernel.record();
    device.submit(BASE + PLACES[2]).expect("submitted");
    device
}

pub fn results(device: &Device) -> Vec<u32> {
    let mut bytes = vec![0; 4 * 48];
    device.kernel.window(1).expect("the buffer").load(PLACES[4], &mut bytes);
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four"))).collect()
}
