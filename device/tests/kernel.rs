//! The device through its kernel interface, in process: buffers, binds, a compute launch, recording and replay, and
//! rejected calls.

use agx_device::kernel::{Answer, Chip, Errno, Heap, User};
use agx_device::record::{
    Field, bind_op, command_header, compute_command, gem_create, launch, queue_create, sizes, submit, sync,
    usc_preamble, usc_registers, usc_shader, usc_shared, usc_uniform, vm_bind, vm_create,
};
use agx_device::{Kernel, Recording, ReplayError, Settings};
use agx_isa::asm::assemble;

/// Memory of a caller: one range from this address on.
const USER: u64 = 0x1000;
/// Address of the buffer, and base of shader addresses.
const BASE: u64 = 0x11_0000_0000;

struct Caller(Vec<u8>);

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

struct Device {
    kernel: Kernel,
    caller: Caller,
}

impl Device {
    fn new() -> Device {
        Device::with(Settings::default())
    }

    fn with(settings: Settings) -> Device {
        let kernel = Kernel::new(Chip::default(), settings, Box::<Heap>::default(), || 5);
        Device { kernel, caller: Caller(vec![0; 0x1000]) }
    }

    fn call(&mut self, number: u8, mut argument: Vec<u8>) -> Result<Vec<u8>, Errno> {
        assert_eq!(self.kernel.call(number, &mut argument, &mut self.caller)?, Answer::Done);
        Ok(argument)
    }

    /// An address space, a queue, and a buffer of a page at [`BASE`].
    fn set_up(&mut self) {
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

    fn queue(&mut self) -> u64 {
        let queue =
            queue_create::RECORD.build_raw(&[(queue_create::VM, 1), (queue_create::SHADER_BASE, BASE)]);
        queue_create::QUEUE.get(&self.call(0x48, queue).expect("made"))
    }

    fn bind(&mut self, fields: &[(Field, u64)]) -> Result<Vec<u8>, Errno> {
        self.caller.write(USER, &bind_op::RECORD.build_raw(fields)).expect("inside");
        let call = vm_bind::RECORD.build_raw(&[
            (vm_bind::VM, 1),
            (vm_bind::COUNT, 1),
            (vm_bind::STRIDE, 32),
            (vm_bind::POINTER, USER),
        ]);
        self.call(0x44, call)
    }

    fn submit(&mut self, stream: u64) -> Result<Vec<u8>, Errno> {
        self.submit_to(1, 0, [0, 0], stream)
    }

    /// Submits a compute command that waits for this number of compute commands (0: earlier submissions). Unless they
    /// are 0, it waits for a sync object before, and signals another one after.
    fn submit_to(
        &mut self,
        queue: u64,
        barrier: u64,
        [before, after]: [u64; 2],
        stream: u64,
    ) -> Result<Vec<u8>, Errno> {
        let command = compute_command::RECORD.build_raw(&[(compute_command::STREAM, stream)]);
        let header = command_header::RECORD.build_raw(&[
            (command_header::TYPE, 1),
            (command_header::SIZE, command.len() as u64),
            (command_header::CDM_BARRIER, barrier),
        ]);
        let bytes = [header, command].concat();
        self.caller.write(USER, &bytes).expect("inside");
        let syncs = [before, after].into_iter().filter(|handle| *handle != 0);
        let syncs = syncs.flat_map(|handle| sync::RECORD.build_raw(&[(sync::HANDLE, handle)]));
        self.caller.write(USER + 0x800, &syncs.collect::<Vec<_>>()).expect("inside");
        let call = submit::RECORD.build_raw(&[
            (submit::COMMANDS, USER),
            (submit::QUEUE, queue),
            (submit::SIZE, bytes.len() as u64),
            (submit::SYNCS, USER + 0x800),
            (submit::IN_SYNCS, (before != 0).into()),
            (submit::OUT_SYNCS, (after != 0).into()),
        ]);
        self.call(0x4a, call)
    }

    /// Waits on the host for a sync object.
    fn wait(&mut self, handle: u32) {
        self.caller.write(USER, &handle.to_le_bytes()).expect("inside");
        let mut call = vec![0; 40];
        call[..8].copy_from_slice(&USER.to_le_bytes());
        call[16] = 1;
        self.call(0xc3, call).expect("signalled");
    }
}

/// Offsets in the buffer: words of the shader, program, control stream, uniforms, results.
const PLACES: [u64; 5] = [0x40, 0x100, 0x200, 0x300, 0x1000];

/// A launch of 40 threads in workgroups of 32 that stores each thread's number.
fn pieces(code: &str) -> Vec<(u64, Vec<u8>)> {
    let [words, program, stream, uniforms, results] = PLACES;
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
const NUMBERS: &str = "mfsr r0, thread_position_in_grid.x\nstore.i32.x r0, u0_u1, r0\nstop\n";

/// A device with a launch of 40 lanes in its buffer, recorded.
fn launched(code: &str) -> Device {
    let mut device = Device::new();
    device.set_up();
    let window = device.kernel.window(1).expect("the buffer");
    pieces(code).into_iter().for_each(|(at, bytes)| window.store(at, &bytes));
    device.kernel.record();
    device.submit(BASE + PLACES[2]).expect("submitted");
    device
}

fn results(device: &Device) -> Vec<u32> {
    let mut bytes = vec![0; 4 * 48];
    device.kernel.window(1).expect("the buffer").load(PLACES[4], &mut bytes);
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four"))).collect()
}

#[test]
fn a_launch_counts_threads() {
    let device = launched(NUMBERS);
    let expected: Vec<u32> = (0..48).map(|at| if at < 40 { at } else { 0 }).collect();
    assert_eq!(results(&device), expected);
    assert_eq!(device.kernel.findings(), []);
    let statistics = device.kernel.statistics();
    assert_eq!((statistics.submissions, statistics.launches), (1, 1));
    let program = statistics.programs[&(BASE + PLACES[1])];
    assert_eq!((program.instructions, program.lane_instructions), (6, 120));
}

/// Code after the end of a masked region belongs to the program, even if no jump leads there.
#[test]
fn a_region_that_stops_its_lanes_is_not_the_end() {
    let device = launched(
        "ldimm16 r0l, 0\nmfsr r1, thread_position_in_grid.x\nif_icmp.ult r1, 0, nest 1\nstop\npop_exec nest 1\n\
         store.i32.x r1, u0_u1, r1\nstop\n",
    );
    assert_eq!(results(&device)[..41], [(0..40).collect(), vec![0]].concat());
    assert_eq!(device.kernel.findings(), []);
}

#[test]
fn a_recording_replays_without_the_driver() {
    let mut device = launched(NUMBERS);
    let recording = device.kernel.take_recording().expect("recorded");
    let replay =
        Recording::parse(&recording).expect("whole").replay(Settings::default()).expect("consistent");
    assert_eq!(replay.differences, []);
    assert_eq!(replay.findings, []);
    assert_eq!(replay.statistics.launches, 1);
    for len in [0, 7, 20, recording.len() - 1] {
        assert!(Recording::parse(&recording[..len]).is_err(), "{len} bytes");
    }
}

/// A range may be larger than the recording, because pages of zeros are not stored.
#[test]
fn a_recording_with_ranges_beyond_the_addresses_is_rejected() {
    // No pages; one submission with no commands and one range: address, bytes, access, page numbers before and after.
    let recording = |address: u64, bytes: u64| {
        let words = [0, 1, BASE, 0, 1, address, bytes, 1, 0, 0];
        let words: Vec<u8> = words.iter().flat_map(|word: &u64| word.to_le_bytes()).collect();
        [&b"AGXREC\x00\x01"[..], &words].concat()
    };
    assert!(Recording::parse(&recording(BASE, 0x4000)).is_ok());
    let error = ReplayError::Content { number: 1, what: "a range beyond the addresses of the device" };
    for (address, bytes) in [(0, u64::MAX), (u64::MAX, 0x4000), (BASE, 1 << 40)] {
        let found = Recording::parse(&recording(address, bytes)).and_then(|whole| whole.listing(1));
        assert_eq!(found, Err(error.clone()), "{bytes} bytes at {address:#x}");
    }
}

/// The recording for the command-line tests equals the current recording of the device; `BLESS=1` rewrites it.
#[test]
fn the_kept_recording_is_current() {
    let recording = launched(NUMBERS).kernel.take_recording().expect("recorded");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recordings/launch.agxrec");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, &recording).expect("written");
    }
    assert!(std::fs::read(path).is_ok_and(|kept| kept == recording), "{path} differs");
}

#[test]
fn listings_have_every_record_and_the_program() {
    let mut device = launched(NUMBERS);
    let recording = Recording::parse(&device.kernel.take_recording().expect("recorded")).expect("whole");
    let replay = recording.replay(Settings { trace: true, ..Settings::default() }).expect("consistent");
    for piece in ["threads [40, 1, 1]", "uniform word", "store.i32.x r0, u0_u1, r0", "end"] {
        assert!(replay.trace.contains(piece), "{piece}: {}", replay.trace);
    }
}

#[test]
fn wrong_streams_are_findings() {
    let mut device = launched(NUMBERS);
    device.submit(BASE + 0x10_0000).expect("the call itself is right");
    let found = device.kernel.findings().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert!(
        matches!(found.as_slice(), [one] if one.contains("submission 2") && one.contains("not mapped")),
        "{found:?}"
    );
    // A tag of no word, and an unused bit of a launch.
    let window = device.kernel.window(1).expect("the buffer");
    window.store(PLACES[0], &[0x77]);
    window.store(PLACES[2] + 3, &[2]);
    device.submit(BASE + PLACES[2]).expect("the call itself is right");
    let found = device.kernel.findings().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert!(found.iter().any(|text| text.contains("launch: bit 25 is set")), "{found:?}");
    assert!(found.iter().any(|text| text.contains("unknown tag 0x77")), "{found:?}");
}

/// Addresses that a base and an offset place beyond the last one are not mapped.
#[test]
fn addresses_do_not_wrap_around() {
    let mut device = launched(NUMBERS);
    let base = [(queue_create::VM, 1), (queue_create::SHADER_BASE, u64::MAX - 0x20)];
    let queue = device.call(0x48, queue_create::RECORD.build_raw(&base)).expect("made");
    let queue = queue_create::QUEUE.get(&queue);
    device.submit_to(queue, 0, [0, 0], BASE + PLACES[2]).expect("the call itself is right");
    let found = device.kernel.findings().iter().map(|finding| finding.text.as_str()).collect::<Vec<_>>();
    assert!(matches!(found.as_slice(), [one] if one.contains("not mapped")), "{found:?}");
}

/// The operation between two submissions that write the same bytes.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Between {
    Nothing,
    Barrier,
    OtherQueue,
    OtherQueueSynced,
    OtherQueueAfterHost,
}

#[test]
fn commands_without_order_are_findings_where_they_touch_the_same_bytes() {
    use Between::*;
    for (between, ordered) in [
        (Nothing, false),
        (Barrier, true),
        (OtherQueue, false),
        (OtherQueueSynced, true),
        (OtherQueueAfterHost, true),
    ] {
        let mut device = Device::with(Settings { hazards: true, ..Settings::default() });
        device.set_up();
        assert_eq!(device.queue(), 2);
        let object = u64::from(device.call(0xbf, vec![0; 8]).expect("made")[0]);
        let window = device.kernel.window(1).expect("the buffer");
        pieces(NUMBERS).into_iter().for_each(|(at, bytes)| window.store(at, &bytes));
        let stream = BASE + PLACES[2];
        device.submit_to(1, 0xffff, [0, object], stream).expect("submitted");
        if between == OtherQueueAfterHost {
            device.wait(object as u32);
        }
        let queue = if matches!(between, Nothing | Barrier) { 1 } else { 2 };
        let barrier = if between == Nothing { 0xffff } else { 0 };
        let waited = if between == OtherQueueSynced { object } else { 0 };
        device.submit_to(queue, barrier, [waited, 0], stream).expect("submitted");
        let found: Vec<String> =
            device.kernel.findings().iter().map(|finding| finding.text.clone()).collect();
        let expected = "command 0 of submission 2 and command 0 of submission 1 both write 0x1100001000 without \
                        an order between them";
        assert_eq!(found, if ordered { vec![] } else { vec![expected] }, "{between:?}");
    }
}

#[test]
fn calls_refuse_what_the_kernel_refuses() {
    let mut device = Device::new();
    assert_eq!(device.call(0x77, vec![0; 8]), Err(Errno::NO_SUCH_CALL));
    assert_eq!(device.call(0x42, vm_create::RECORD.build_raw(&[])), Err(Errno::INVALID));
    device.set_up();
    let cases: [(&[(Field, u64)], Errno); 5] = [
        (
            &[(bind_op::READ, 1), (bind_op::HANDLE, 9), (bind_op::RANGE, 0x4000), (bind_op::ADDRESS, BASE)],
            Errno::NOT_FOUND,
        ),
        (
            &[(bind_op::READ, 1), (bind_op::HANDLE, 1), (bind_op::RANGE, 0x4001), (bind_op::ADDRESS, BASE)],
            Errno::INVALID,
        ),
        (
            &[(bind_op::READ, 1), (bind_op::HANDLE, 1), (bind_op::RANGE, 0x8000), (bind_op::ADDRESS, BASE)],
            Errno::INVALID,
        ),
        (&[(bind_op::HANDLE, 1), (bind_op::RANGE, 0x4000), (bind_op::ADDRESS, BASE)], Errno::INVALID),
        (
            &[
                (bind_op::READ, 1),
                (bind_op::HANDLE, 1),
                (bind_op::RANGE, 0x4000),
                (bind_op::ADDRESS, 0x20_0000_0000),
            ],
            Errno::INVALID,
        ),
    ];
    for (fields, errno) in cases {
        assert_eq!(device.bind(fields), Err(errno), "{fields:?}");
    }
    device
        .bind(&[
            (bind_op::READ, 1),
            (bind_op::SINGLE_PAGE, 1),
            (bind_op::HANDLE, 1),
            (bind_op::RANGE, 0x10000),
            (bind_op::ADDRESS, 2 * BASE),
        ])
        .expect("a page over and over");
    device
        .bind(&[(bind_op::UNBIND, 1), (bind_op::RANGE, 0x4000), (bind_op::ADDRESS, BASE)])
        .expect("unbound");
    let params = vec![0; 24];
    assert_eq!(device.call(0x40, params), Err(Errno::FAULT), "nowhere to write to");
}

#[test]
fn preambles_have_a_word_of_their_own() {
    let bytes = usc_preamble::RECORD.build_raw(&[
        (usc_preamble::TAG, 0x38),
        (usc_preamble::BITS_8_31, 0xc08000),
        (usc_preamble::CODE, 0x40),
    ]);
    assert_eq!(usc_preamble::RECORD.complaints(&bytes), [""; 0]);
    assert_eq!(usc_preamble::CODE.get(&bytes), 0x40);
}

#[test]
fn a_buffer_beyond_the_memory_is_refused() {
    let mut device = Device::new();
    for size in [9 << 30, 1 << 60] {
        let create = gem_create::RECORD.build_raw(&[(gem_create::SIZE, size)]);
        assert_eq!(device.call(0x45, create), Err(Errno::NO_MEMORY), "{size:#x} bytes");
    }
}
