//! What calls refuse.

use agx_device::kernel::{Chip, Errno, Heap, MODELS};
use agx_device::record::{
    Field, attachment, bind_op, command_header, compute_command, gem_bind_object, gem_create, get_params,
    queue_create, render_command, sync, vm_create,
};
use agx_device::{Kernel, Settings};

use crate::client::{BASE, Caller, Device, USER};

#[test]
fn calls_refuse_what_the_kernel_refuses() {
    let mut device = Device::new();
    assert_eq!(device.call(0x77, vec![0; 8]), Err(Errno::NO_SUCH_CALL));
    assert_eq!(device.call(0x42, vm_create::RECORD.build_raw(&[])), Err(Errno::INVALID));
    device.set_up();
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

/// Changes of a valid call, and the error that they give.
type Refusal = (&'static [(Field, u64)], Errno);

/// Applies each change to the bytes of a valid call.
fn refuses(device: &mut Device, number: u8, valid: &[(Field, u64)], bytes: usize, refusals: &[Refusal]) {
    for (changes, errno) in refusals {
        let mut argument = vec![0; bytes];
        valid.iter().chain(*changes).for_each(|(field, value)| field.set_raw(&mut argument, *value));
        assert_eq!(device.call(number, argument), Err(*errno), "{changes:?}");
    }
}

#[test]
fn binds_refuse_what_the_kernel_refuses() {
    use bind_op::*;
    let mut device = Device::new();
    device.set_up();
    let valid = [(READ, 1), (HANDLE, 1), (RANGE, 0x4000), (ADDRESS, BASE)];
    let cases: [Refusal; 8] = [
        (&[(HANDLE, 9)], Errno::NOT_FOUND),
        (&[(RANGE, 0x4001)], Errno::INVALID),
        (&[(OFFSET, 0x1000)], Errno::INVALID),
        (&[(RANGE, 0x8000)], Errno::INVALID),
        (&[(READ, 0)], Errno::INVALID),
        (&[(ADDRESS, 0x20_0000_0000)], Errno::INVALID),
        (&[(ADDRESS, 0)], Errno::INVALID),
        // An unbind names addresses only.
        (&[(UNBIND, 1), (READ, 0)], Errno::INVALID),
    ];
    for (changes, errno) in cases {
        let fields: Vec<_> = valid.iter().chain(changes).copied().collect();
        let mut op = vec![0; RECORD.bytes];
        fields.iter().for_each(|(field, value)| field.set_raw(&mut op, *value));
        assert_eq!(device.bind_bytes(&op), Err(errno), "{changes:?}");
    }
    let unknown_flag = {
        let mut op = RECORD.build_raw(&valid);
        op[0] |= 0x10;
        op
    };
    assert_eq!(device.bind_bytes(&unknown_flag), Err(Errno::INVALID));
}

/// A longer structure is accepted if the kernel's unknown part is 0, a shorter one if what it lacks may be 0.
#[test]
fn binds_have_any_length() {
    let mut device = Device::new();
    device.set_up();
    let op = bind_op::RECORD.build_raw(&[
        (bind_op::READ, 1),
        (bind_op::HANDLE, 1),
        (bind_op::RANGE, 0x4000),
        (bind_op::ADDRESS, BASE),
    ]);
    let longer = |last: u8| [op.clone(), vec![0, 0, 0, 0, 0, 0, 0, last]].concat();
    device.bind_bytes(&longer(0)).expect("zeros beyond the structure");
    assert_eq!(device.bind_bytes(&longer(1)), Err(Errno::INVALID));
    // Without its address, which would be 0.
    assert_eq!(device.bind_bytes(&op[..24]), Err(Errno::INVALID));
}

#[test]
fn buffers_queues_and_objects_refuse_what_the_kernel_refuses() {
    let mut device = Device::new();
    device.set_up();
    let bytes = gem_create::RECORD.bytes;
    use gem_create::{FLAGS, SIZE, VM};
    let valid = [(SIZE, 0x4000)];
    let wrong: [Refusal; 5] = [
        (&[(SIZE, 0)], Errno::INVALID),
        (&[(FLAGS, 4)], Errno::INVALID),
        (&[(VM, 1)], Errno::INVALID),
        (&[(FLAGS, 2), (VM, 7)], Errno::NOT_FOUND),
        (&[(gem_create::PAD, 1)], Errno::INVALID),
    ];
    refuses(&mut device, 0x45, &valid, bytes, &wrong);
    use queue_create::PRIORITY;
    let valid = [(queue_create::VM, 1), (PRIORITY, 1)];
    let wrong: [Refusal; 4] = [
        (&[(PRIORITY, 2)], Errno::INVALID),
        (&[(PRIORITY, 3)], Errno::INVALID),
        (&[(queue_create::FLAGS, 1)], Errno::INVALID),
        (&[(queue_create::VM, 9)], Errno::NOT_FOUND),
    ];
    refuses(&mut device, 0x48, &valid, queue_create::RECORD.bytes, &wrong);
    use gem_bind_object::{HANDLE, OBJECT, OFFSET, OP, RANGE};
    let valid = [(gem_bind_object::FLAGS, 1), (HANDLE, 1), (RANGE, 0x4000)];
    let wrong: [Refusal; 7] = [
        (&[(gem_bind_object::FLAGS, 0)], Errno::INVALID),
        (&[(RANGE, 0x1000)], Errno::INVALID),
        (&[(OFFSET, 8), (RANGE, 0)], Errno::INVALID),
        (&[(OFFSET, 0x4000)], Errno::INVALID),
        (&[(HANDLE, 9)], Errno::NOT_FOUND),
        (&[(OP, 1), (OBJECT, 1)], Errno::INVALID),
        (&[(OP, 2)], Errno::INVALID),
    ];
    refuses(&mut device, 0x47, &valid, gem_bind_object::RECORD.bytes, &wrong);
    let unbind = gem_bind_object::RECORD.build_raw(&[(OP, 1), (OBJECT, 5)]);
    assert_eq!(device.call(0x47, unbind), Err(Errno::NOT_FOUND));
}

/// A buffer of one address space cannot be bound in another, and neither exported nor used for timestamps.
#[test]
fn private_buffers_stay_in_their_address_space() {
    let mut device = Device::new();
    device.set_up();
    let space = vm_create::RECORD
        .build_raw(&[(vm_create::KERNEL_START, 0x20_0000_0000), (vm_create::KERNEL_END, 0x20_2000_0000)]);
    assert_eq!(vm_create::VM.get(&device.call(0x42, space).expect("made")), 2);
    let create = gem_create::RECORD.build_raw(&[
        (gem_create::SIZE, 0x4000),
        (gem_create::FLAGS, 2),
        (gem_create::VM, 2),
    ]);
    let handle = gem_create::HANDLE.get(&device.call(0x45, create).expect("made"));
    let bind =
        [(bind_op::READ, 1), (bind_op::HANDLE, handle), (bind_op::RANGE, 0x4000), (bind_op::ADDRESS, BASE)];
    assert_eq!(device.bind(&bind), Err(Errno::INVALID));
    assert_eq!(device.kernel.buffer_files().export(handle as u32, 1), Err(Errno::INVALID));
    assert!(device.kernel.buffer_files().export(1, 1).is_ok());
    let times = gem_bind_object::RECORD.build_raw(&[
        (gem_bind_object::FLAGS, 1),
        (gem_bind_object::HANDLE, handle),
        (gem_bind_object::RANGE, 0x4000),
    ]);
    assert_eq!(device.call(0x47, times), Err(Errno::INVALID));
}

/// A buffer that two open nodes have exists until both have closed it.
#[test]
fn open_nodes_close_handles_of_their_own() {
    let mut device = Device::new();
    let create = gem_create::RECORD.build_raw(&[(gem_create::SIZE, 0x4000)]);
    let handle = gem_create::HANDLE.get(&device.call(0x45, create).expect("made")) as u32;
    let token = device.kernel.buffer_files().export(handle, 1).expect("exported");
    let (words, _) = device.kernel.buffer_files().memory(handle).expect("known");
    assert_eq!(
        [2, 2, 1].map(|file| device.kernel.buffer_files().import(token, words.clone(), file)),
        [handle; 3]
    );
    assert_eq!([2, 2].map(|file| device.kernel.buffer_files().close(handle, file)), [Ok(()); 2]);
    assert!(device.kernel.buffer(handle).is_some(), "the first node has it");
    assert_eq!(device.kernel.buffer_files().close(handle, 1), Ok(()));
    assert_eq!(device.kernel.buffer_files().close(handle, 1), Err(Errno::INVALID));
    // Handles of one memory that are closed one by one.
    let adopted = [(); 2].map(|()| device.kernel.buffer_files().adopt(token, words.clone()));
    assert_ne!(adopted[0], adopted[1]);
    assert_eq!(device.kernel.buffer_files().close(adopted[0], 0), Ok(()));
    assert!(device.kernel.buffer(adopted[1]).is_some());
}

/// A command with its header.
fn command(kind: u64, barriers: [u64; 2], body: Vec<u8>) -> Vec<u8> {
    let header = command_header::RECORD.build_raw(&[
        (command_header::TYPE, kind),
        (command_header::SIZE, body.len() as u64),
        (command_header::VDM_BARRIER, barriers[0]),
        (command_header::CDM_BARRIER, barriers[1]),
    ]);
    [header, body].concat()
}

#[test]
fn submissions_refuse_what_the_kernel_refuses() {
    const NONE: u64 = 0xffff;
    let compute = |barriers| {
        command(1, barriers, compute_command::RECORD.build_raw(&[(compute_command::STREAM, BASE)]))
    };
    let attachments = |barriers, body: Vec<u8>| [command(4, barriers, body), compute([NONE; 2])].concat();
    let attachment =
        |flags| attachment::RECORD.build_raw(&[(attachment::SIZE, 64), (attachment::FLAGS, flags)]);
    use render_command::{HEIGHT, LAYERS, SAMPLES, TILE_HEIGHT, TILE_WIDTH, WIDTH};
    let render = |changes: &[(Field, u64)]| {
        let valid =
            [(WIDTH, 16), (HEIGHT, 16), (LAYERS, 1), (SAMPLES, 1), (TILE_WIDTH, 32), (TILE_HEIGHT, 32)];
        let mut body = vec![0; render_command::RECORD.bytes];
        valid.iter().chain(changes).for_each(|(field, value)| field.set_raw(&mut body, *value));
        command(0, [NONE; 2], body)
    };
    let flagged = {
        let mut bytes = render(&[]);
        bytes[command_header::RECORD.bytes] |= 8;
        bytes
    };
    let accepted = [
        compute([0, 0]),
        [compute([NONE; 2]), compute([0, 1])].concat(),
        attachments([NONE; 2], [attachment(0), attachment(0)].concat()),
        [0; 64].iter().flat_map(|_| compute([NONE; 2])).collect(),
        render(&[]),
    ];
    let refused = [
        vec![],
        compute([0, 1]),
        compute([1, 0]),
        attachments([0, NONE], attachment(0)),
        attachments([NONE; 2], attachment(1)),
        attachments([NONE; 2], vec![0; 8]),
        attachments([NONE; 2], vec![0; 24 * 17]),
        command(4, [NONE; 2], attachment(0)),
        command(5, [NONE; 2], vec![]),
        compute([0, 0])[..20].to_vec(),
        [0; 65].iter().flat_map(|_| compute([NONE; 2])).collect(),
        command(1, [0; 2], compute_command::RECORD.build_raw(&[(compute_command::FLAGS, 1)])),
        command(1, [0; 2], [compute_command::RECORD.build_raw(&[]), vec![1]].concat()),
        command(1, [0; 2], compute_command::RECORD.build_raw(&[(compute_command::TIME_END, 3)])),
        render(&[(WIDTH, 0)]),
        render(&[(HEIGHT, 16385)]),
        render(&[(LAYERS, 0)]),
        render(&[(LAYERS, 2049)]),
        render(&[(SAMPLES, 3)]),
        render(&[(TILE_WIDTH, 16)]),
        flagged,
    ];
    for (bytes, wanted) in
        accepted.iter().map(|bytes| (bytes, true)).chain(refused.iter().map(|bytes| (bytes, false)))
    {
        let mut device = Device::new();
        device.set_up();
        let answer = device.submit_bytes(1, bytes, &[], [0, 0]);
        assert_eq!(answer.is_ok(), wanted, "{answer:?} for {bytes:x?}");
    }
}

#[test]
fn sync_objects_of_submissions_follow_the_kernels_rules() {
    let mut device = Device::new();
    device.set_up();
    let body = compute_command::RECORD.build_raw(&[(compute_command::STREAM, BASE)]);
    let commands = command(1, [0xffff; 2], body);
    let object = u64::from(device.call(0xbf, vec![0; 8]).expect("made")[0]);
    let mut submit = |kind: u64, value: u64, counts: [u64; 2]| {
        let sync =
            sync::RECORD.build_raw(&[(sync::TYPE, kind), (sync::HANDLE, object), (sync::VALUE, value)]);
        device.submit_bytes(1, &commands, &sync, counts).map(|_| ())
    };
    // Nothing signals it yet.
    assert_eq!(submit(0, 0, [1, 0]), Err(Errno::INVALID));
    assert_eq!(submit(1, 1, [1, 0]), Err(Errno::INVALID));
    assert_eq!(submit(0, 1, [0, 1]), Err(Errno::INVALID), "a binary object has no points");
    assert_eq!(submit(2, 0, [0, 1]), Err(Errno::INVALID), "no such kind");
    assert_eq!(submit(1, 5, [0, 1]), Ok(()));
    assert_eq!(submit(1, 5, [1, 0]), Ok(()));
    assert_eq!(submit(1, 0, [1, 0]), Ok(()), "point 0 is the latest");
    assert_eq!(submit(1, 6, [1, 0]), Err(Errno::INVALID));
    assert_eq!(submit(0, 0, [0, 1]), Ok(()));
    assert_eq!(submit(1, 1, [1, 0]), Err(Errno::INVALID), "a binary fence has no points");
}

#[test]
fn every_chip_has_its_parameters() {
    for model in MODELS {
        let chip = Chip::find(model.name).expect("its name");
        let kernel = Kernel::new(chip, Settings::default(), Box::<Heap>::default(), || 5);
        let mut device = Device { kernel, caller: Caller(vec![0; 0x1000]) };
        let call = get_params::RECORD.build_raw(&[(get_params::POINTER, USER), (get_params::SIZE, 592)]);
        device.call(0x40, call).expect("read");
        let word = |at: usize| u32::from_le_bytes(device.caller.0[at..at + 4].try_into().expect("four"));
        assert_eq!([word(8), word(12), word(20)], [model.generation, model.variant as u32, model.id]);
        assert_eq!([word(24), word(28)], [model.dies, model.core_masks.len() as u32]);
        let cores: u32 = (0..64).map(|cluster| word(40 + 8 * cluster).count_ones()).sum();
        let expected = match model.name {
            "m1-7core" => 7,
            "m1" => 8,
            "m2" => 10,
            "m1-pro" => 16,
            "m2-pro" => 19,
            "m1-max" => 32,
            "m2-max" => 38,
            "m1-ultra" => 64,
            "m2-ultra" => 76,
            name => panic!("the cores of {name}"),
        };
        assert_eq!(cores, expected, "{}", model.name);
    }
}

#[test]
fn a_buffer_beyond_the_memory_is_refused() {
    let mut device = Device::new();
    for size in [9 << 30, 1 << 60] {
        let create = gem_create::RECORD.build_raw(&[(gem_create::SIZE, size)]);
        assert_eq!(device.call(0x45, create), Err(Errno::NO_MEMORY), "{size:#x} bytes");
    }
}
