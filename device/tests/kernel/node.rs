//! An asynchronous device: commands run on its own thread, in any order that barriers and fences allow.

use std::time::{Duration, Instant};

use agx_device::kernel::Errno;
use agx_device::record::{command_header, compute_command, sync};
use agx_device::{Node, Settings};

use crate::client::{BASE, Caller, Device, PLACES, STREAM_BYTES, pieces};

/// The clock of these tests, in nanoseconds.
fn now() -> u64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// Every lane adds its number and the word at the place, times three, so that the order of launches shows.
const MIX: &str = "mfsr r0, thread_position_in_grid.x\nload.i32.x r1, u0_u1, r0\nwait 0\niadd r2, r1, r1\niadd r1, r2, r1\n\
                   iadd r1, r1, 1\nstore.i32.x r1, u0_u1, r0\nstop\n";
/// Every lane stores seven.
const SEVEN: &str = "mfsr r0, thread_position_in_grid.x\nldimm32 r1, 7\nstore.i32.x r1, u0_u1, r0\nstop\n";

/// Bytes between two launches in the buffer.
const APART: u64 = 0x400;

/// A device with these launches, each [`APART`] after the one before; all use the same results.
fn device(seed: u64, codes: &[&str]) -> Device {
    let settings = Settings { asynchronous: true, seed, ..Settings::default() };
    let mut device = Device::with_clock(settings, now);
    device.set_up();
    let window = device.kernel.window(1).expect("the buffer");
    for (code, at) in codes.iter().zip((0..).map(|number| number * APART)) {
        pieces(code, at).into_iter().for_each(|(place, bytes)| window.store(place, &bytes));
    }
    device
}

/// Commands that run the launches of these numbers, each with its barrier for compute commands.
fn commands(list: &[(u64, u64)]) -> Vec<u8> {
    let one = |(launch, barrier): &(u64, u64)| {
        let stream = BASE + PLACES[2] + launch * APART;
        let end = stream + STREAM_BYTES;
        let fields = [(compute_command::STREAM, stream), (compute_command::STREAM_END, end)];
        let body = compute_command::RECORD.build_raw(&fields);
        let header = command_header::RECORD.build_raw(&[
            (command_header::TYPE, 1),
            (command_header::SIZE, body.len() as u64),
            (command_header::VDM_BARRIER, 0xffff),
            (command_header::CDM_BARRIER, *barrier),
        ]);
        [header, body].concat()
    };
    list.iter().flat_map(one).collect()
}

/// Runs commands on a node of their own until the device is idle; gives the first result.
fn first_result(seed: u64, codes: &[&str], list: &[(u64, u64)]) -> u32 {
    let mut device = device(seed, codes);
    device.submit_bytes(1, &commands(list), &[], [0, 0]).expect("submitted");
    let window = device.kernel.window(1).expect("the buffer");
    let node = Node::new(device.kernel, std::thread::sleep, |_| ());
    node.wait_idle();
    assert_eq!(node.lock().findings(), []);
    let mut bytes = [0; 4];
    window.load(PLACES[4], &mut bytes);
    u32::from_le_bytes(bytes)
}

#[test]
fn barriers_order_commands_and_nothing_else_does() {
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..12 {
        // 7, then 22, then 67.
        let ordered = first_result(seed, &[SEVEN, MIX], &[(0, 0xffff), (1, 1), (1, 2)]);
        assert_eq!(ordered, 67, "seed {seed}");
        seen.insert(first_result(seed, &[SEVEN, MIX], &[(0, 0xffff), (1, 0xffff)]));
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [7, 22], "both orders occur without a barrier");
}

/// Memory has the results when the fence of a submission is signalled, and a wait returns soon after.
#[test]
fn fences_are_signalled_after_the_work() {
    let mut device = device(3, &[MIX]);
    let object = u64::from(device.call(0xbf, vec![0; 8]).expect("made")[0]);
    let window = device.kernel.window(1).expect("the buffer");
    let Device { kernel, mut caller } = device;
    let node = Node::new(kernel, std::thread::sleep, |_| ());
    let mut expected = 0_u32;
    let mut pending = 0;
    for point in 1..=40_u64 {
        let sync = sync::RECORD.build_raw(&[(sync::TYPE, 1), (sync::HANDLE, object), (sync::VALUE, point)]);
        let mut call = caller.submission(1, &commands(&[(0, 0)]), &sync, [0, 1]);
        node.call(0x4a, &mut call, &mut caller).expect("submitted");
        let wait = |deadline: u64, caller: &mut Caller| {
            let mut call = caller.timeline_wait(object as u32, point, deadline);
            node.call(0xca, &mut call, caller)
        };
        pending += u32::from(wait(0, &mut caller) == Err(Errno::TIME));
        wait(u64::MAX >> 1, &mut caller).expect("signalled");
        expected = expected.wrapping_mul(3).wrapping_add(1);
        let mut bytes = [0; 4];
        window.load(PLACES[4], &mut bytes);
        assert_eq!(u32::from_le_bytes(bytes), expected, "point {point}");
    }
    assert!(pending > 0, "no submission returned before its work was done");
}

/// A wait for a point that another thread submits later.
#[test]
fn a_wait_may_come_before_the_submission() {
    let mut device = device(5, &[SEVEN]);
    let object = u64::from(device.call(0xbf, vec![0; 8]).expect("made")[0]);
    let Device { kernel, caller } = device;
    let node = Node::new(kernel, std::thread::sleep, |_| ());
    std::thread::scope(|scope| {
        let mut waiting = caller.clone();
        let node = &node;
        let waiter = scope.spawn(move || {
            let mut call = waiting.timeline_wait(object as u32, 2, u64::MAX >> 1);
            node.call(0xca, &mut call, &mut waiting)
        });
        std::thread::sleep(Duration::from_millis(5));
        let mut caller = caller.clone();
        for point in [1, 2] {
            let sync =
                sync::RECORD.build_raw(&[(sync::TYPE, 1), (sync::HANDLE, object), (sync::VALUE, point)]);
            let mut call = caller.submission(1, &commands(&[(0, 0)]), &sync, [0, 1]);
            node.call(0x4a, &mut call, &mut caller).expect("submitted");
        }
        assert_eq!(waiter.join().expect("no panic"), Ok(()));
    });
}

/// A fault ends a command, and its fence tells; the next submission is not affected.
#[test]
fn faults_arrive_in_the_fence() {
    let mut device = device(1, &[SEVEN]);
    let object = u64::from(device.call(0xbf, vec![0; 8]).expect("made")[0]);
    let Device { kernel, mut caller } = device;
    let node = Node::new(kernel, std::thread::sleep, |_| ());
    let sync = sync::RECORD.build_raw(&[(sync::HANDLE, object)]);
    for (launch, failed) in [(0x100, true), (0, false)] {
        let mut call = caller.submission(1, &commands(&[(launch, 0)]), &sync, [0, 1]);
        node.call(0x4a, &mut call, &mut caller).expect("submitted");
        node.wait_idle();
        assert_eq!(node.lock().outcome(object as u32), Ok(Some(failed)), "launch {launch:#x}");
    }
    assert!(node.lock().findings().iter().all(|finding| finding.fatal && finding.place.submission == 1));
}
