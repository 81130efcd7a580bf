//! The device through its kernel interface, in process: buffers, binds, a compute launch, recording and replay,
//! rejected calls, and an asynchronous device.

mod caches;
mod calls;
mod client;
mod node;
mod rules;
mod tiles;

use agx_device::record::{queue_create, usc_preamble};
use agx_device::{Recording, ReplayError, Settings};

use client::{BASE, Device, NUMBERS, PLACES, launched, pieces, results};

#[test]
fn a_launch_counts_threads() {
    let device = launched(NUMBERS);
    let expected: Vec<u32> = (0..48).map(|at| if at < 40 { at } else { 0 }).collect();
    assert_eq!(results(&device), expected);
    assert_eq!(device.kernel.findings(), []);
    let statistics = device.kernel.statistics();
    assert_eq!((statistics.submissions, statistics.launches), (1, 1));
    let program = &statistics.programs[&(BASE + PLACES[1])];
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
    let device = launched(NUMBERS);
    let recording = device.kernel.recording().expect("recorded");
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
    let recording = launched(NUMBERS).kernel.recording().expect("recorded");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recordings/launch.agxrec");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, &recording).expect("written");
    }
    assert!(std::fs::read(path).is_ok_and(|kept| kept == recording), "{path} differs");
}

#[test]
fn listings_have_every_record_and_the_program() {
    let device = launched(NUMBERS);
    let recording = Recording::parse(&device.kernel.recording().expect("recorded")).expect("whole");
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
        pieces(NUMBERS, 0).into_iter().for_each(|(at, bytes)| window.store(at, &bytes));
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
fn preambles_have_a_word_of_their_own() {
    let bytes = usc_preamble::RECORD.build_raw(&[
        (usc_preamble::TAG, 0x38),
        (usc_preamble::BITS_8_31, 0xc08000),
        (usc_preamble::CODE, 0x40),
    ]);
    assert_eq!(usc_preamble::RECORD.complaints(&bytes), [""; 0]);
    assert_eq!(usc_preamble::CODE.get(&bytes), 0x40);
}
