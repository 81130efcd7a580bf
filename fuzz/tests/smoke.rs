//! Runs every target for about a second on bytes from a fixed seed: the same runs on every machine.

use agx_fuzz::TARGETS;
use agx_random::Random;

/// Runs a target `runs` times; saves the bytes of a run that panics.
fn smoke(name: &str, runs: u32) {
    let (_, target) = TARGETS.iter().find(|(other, _)| *other == name).expect("a target of the table");
    let mut random = Random::new(0x5eed);
    for at in 0..runs {
        let length = (random.next_u64() % 512) as usize;
        let data = random.bytes(length);
        let outcome = std::panic::catch_unwind(|| target(&data));
        if outcome.is_err() {
            let path = format!("{}/{name}-{at}", env!("CARGO_TARGET_TMPDIR"));
            std::fs::write(&path, &data).expect("the folder for temporary files is writable");
            panic!("{name}, run {at} panicked; its bytes are in {path}");
        }
    }
}

#[test]
fn packer() {
    smoke("packer", 3000);
}

#[test]
fn validator() {
    smoke("validator", 800);
}

#[test]
fn spirv() {
    smoke("spirv", 400);
}

#[test]
fn ir_text() {
    smoke("ir_text", 5000);
}

#[test]
fn semantics() {
    smoke("semantics", 150);
}

#[test]
fn structured() {
    smoke("structured", 40);
}

#[test]
fn fragments() {
    smoke("fragments", 12);
}

#[test]
fn pica200() {
    smoke("pica200", 150);
}

#[test]
fn agal() {
    smoke("agal", 600);
}

#[test]
fn tgsi() {
    smoke("tgsi", 100);
}

#[test]
fn wgsl() {
    smoke("wgsl", 60);
}

#[test]
fn assembly() {
    smoke("assembly", 600);
}

#[test]
fn records() {
    smoke("records", 150);
}

#[test]
fn device() {
    smoke("device", 150);
}

#[test]
fn cache() {
    smoke("cache", 300);
}
