//! Interrupted render passes: what a driver forgets is reported, and lost.

use agx_abi::tile::TileLayout;
use agx_device::Settings;
use agx_device::record::*;

use crate::client::{BASE, Device};
use crate::rules::{Drawn, texts};

/// Offsets of the occlusion counter and of the depth buffer.
const COUNTER_AT: u64 = 0x700;
const DEPTH_AT: u64 = 0x2000;

/// Vertices of a triangle that covers the viewport, at half its depth.
const TRIANGLE: &str = "ldimm16 r0l, 0\nldimm32 r1, 0xbf800000\nldimm32 r2, 0x40400000\n\
    ldimm32 r3, 0x3f000000\nldimm32 r4, 0x3f800000\n\
    if_icmp.ult r5, 2, nest 1\nldimm32 r1, 0x40400000\nldimm32 r2, 0xbf800000\npop_exec nest 1\n\
    if_icmp.ult r5, 1, nest 1\nldimm32 r1, 0xbf800000\npop_exec nest 1\n\
    st_var r1, 0\nst_var r2, 1\nst_var r3, 2\nst_var r4, 3\nstop\n";

/// A pass that draws the same triangle twice into a depth buffer and counts the samples that are nearer than those before.
fn twice() -> Drawn {
    use render_command as c;
    let mut drawn = Drawn::default();
    (drawn.vertex, drawn.times) = (TRIANGLE.into(), 2);
    let control = zls_control::new().flag(&zls_control::Z_STORE, true).set_raw(&zls_control::Z_FORMAT, 2);
    drawn.command = drawn
        .command
        .set(&c::DEPTH_BASE, BASE + DEPTH_AT)
        .set(&c::DEPTH_STRIDE, 1)
        .set(&c::ZLS_CONTROL, control.bits())
        .set(&c::CLEAR_DEPTH, 0xffff)
        .set(&c::OCCLUSION, BASE + COUNTER_AT)
        .flag(&c::EMPTY_TILES, true);
    drawn.controls[0] = drawn.controls[0].set(&fragment_control::VISIBILITY, 2);
    drawn.face = drawn.face.flag(&fragment_face::NO_DEPTH_WRITE, false).set(&fragment_face::DEPTH_COMPARE, 1);
    drawn.cull[0] = drawn.cull[0].flag(&cull::DISCARD, false);
    drawn
}

/// The counter after a pass.
fn counted(device: &Device) -> u64 {
    let mut bytes = [0; 8];
    device.kernel.window(1).expect("the buffer").load(COUNTER_AT, &mut bytes);
    u64::from_le_bytes(bytes)
}

/// Whole passes, and passes interrupted between the draws, in several orders of tiles.
fn settings() -> impl Iterator<Item = Settings> {
    let whole = Settings::default().parameter_bytes;
    [(whole, 0), (1, 0), (1, 5), (whole, 9)].into_iter().map(|(parameter_bytes, seed)| Settings {
        parameter_bytes,
        seed,
        ..Settings::default()
    })
}

/// The scissor has 40 by 40 pixels; the second triangle is not nearer than the first.
#[test]
fn an_interruption_changes_nothing() {
    for settings in settings() {
        let device = twice().run(settings);
        assert_eq!(texts(&device), [""; 0]);
        assert_eq!(counted(&device), 1600, "{settings:?}");
        let interruptions = device.kernel.statistics().interruptions;
        assert_eq!(interruptions, if settings.parameter_bytes == 1 { 2 } else { 0 });
    }
}

#[test]
fn depth_that_is_not_stored_is_lost() {
    let mut drawn = twice();
    let control = zls_control::new().set_raw(&zls_control::Z_FORMAT, 2);
    drawn.command = drawn.command.set(&render_command::ZLS_CONTROL, control.bits());
    for settings in settings() {
        let device = drawn.run(settings);
        let found = texts(&device);
        let expected = "Z_STORE is no; a conformant driver writes yes";
        assert!(found.iter().any(|text| text.contains(expected)), "{found:?}");
        assert_eq!(counted(&device), if settings.parameter_bytes == 1 { 3200 } else { 1600 });
    }
}

/// A change, and a part of the finding for it.
type Deviation = (&'static str, fn(&mut Drawn));

#[test]
fn what_an_interruption_needs_is_checked() {
    use render_command as c;
    let cases: [Deviation; 4] = [
        ("PARTIAL_BACKGROUND is 0x0; a conformant driver writes low bits 4", |drawn| {
            drawn.command = drawn.command.set(&c::PARTIAL_BACKGROUND, 0);
        }),
        ("PARTIAL_END_OF_TILE is 0x0; a conformant driver writes low bits 4", |drawn| {
            drawn.command = drawn.command.set(&c::PARTIAL_END_OF_TILE, 0);
        }),
        ("the unknown tag", |drawn| {
            drawn.command = drawn.command.set(&c::PARTIAL_END_OF_TILE, 0x1004);
        }),
        ("a conformant driver writes the bytes of a sample in the pass", |drawn| {
            drawn.local = Some(TileLayout { sample_bytes: 24, ..TileLayout::default() });
        }),
    ];
    for (expected, change) in cases {
        let mut drawn = twice();
        change(&mut drawn);
        let device = drawn.run(Settings { parameter_bytes: 1, ..Settings::default() });
        let found = texts(&device);
        assert!(found.iter().any(|text| text.contains(expected)), "{expected}: {found:?}");
    }
}
