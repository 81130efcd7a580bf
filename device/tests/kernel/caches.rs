//! The shader cache of the device: a launch that rewrites the uniforms of the next one.

use agx_abi::streams::AFTER_LAUNCH;
use agx_device::Settings;
use agx_device::record::compute_barrier;

use crate::client::{BASE, Device, NUMBERS, PLACES, STREAM_BYTES, pieces};
use crate::rules::texts;

/// Bytes of a launch and of the barrier after it.
const LAUNCH: usize = STREAM_BYTES as usize - 8;

/// The findings of two equal launches that store lane numbers over their uniforms, the address to store to. The second one
/// stores to address 1 << 32, which is not mapped, if it reads the new uniforms.
fn rewrites(caches: bool, barrier: [u8; 4]) -> Vec<String> {
    let mut device = Device::with(Settings { caches, ..Settings::default() });
    device.set_up();
    let window = device.kernel.window(1).expect("the buffer");
    for (at, bytes) in pieces(NUMBERS, 0) {
        let bytes = match at {
            at if at == PLACES[2] => {
                let launch = [&bytes[..LAUNCH - 4], &barrier].concat();
                [launch.clone(), launch, bytes[LAUNCH..].to_vec()].concat()
            }
            at if at == PLACES[3] => (BASE + PLACES[3]).to_le_bytes().to_vec(),
            _ => bytes,
        };
        window.store(at, &bytes);
    }
    device.submit(BASE + PLACES[2]).expect("submitted");
    texts(&device)
}

fn is_stale(text: &str) -> bool {
    text.contains("in the shader cache as they were before")
}

fn is_fault(text: &str) -> bool {
    text.contains("at 0x100000000 are not mapped")
}

#[test]
fn shader_words_are_read_anew_after_a_barrier_that_drops_them() {
    let keeps = AFTER_LAUNCH.flag(&compute_barrier::INVALIDATE_SHADERS, false).bytes();
    let found = rewrites(true, AFTER_LAUNCH.bytes());
    assert!(found.iter().any(|text| is_fault(text)) && !found.iter().any(|text| is_stale(text)), "{found:?}");
    let found = rewrites(true, keeps);
    assert!(found.iter().any(|text| is_stale(text)) && !found.iter().any(|text| is_fault(text)), "{found:?}");
    let found = rewrites(false, keeps);
    assert!(found.iter().any(|text| is_fault(text)) && !found.iter().any(|text| is_stale(text)), "{found:?}");
}
