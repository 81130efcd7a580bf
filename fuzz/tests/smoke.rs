//! Every target for about a second, on bytes from fixed seeds.

use std::time::{Duration, Instant};

use agx_fuzz::{Generator, TARGETS};

/// Rounds of a target at least and at most, and the time after which no further round begins.
const ROUNDS: std::ops::Range<u32> = 50..20_000;
const BUDGET: Duration = Duration::from_millis(1000);

fn smoke(name: &str) {
    let (_, target) = TARGETS.iter().find(|(other, _)| *other == name).expect("a target of the table");
    let mut generator = Generator::new(0x5eed);
    let begin = Instant::now();
    for round in 0..ROUNDS.end {
        if round >= ROUNDS.start && begin.elapsed() > BUDGET {
            break;
        }
        let length = (generator.next_word() % 512) as usize;
        let data = generator.bytes(length);
        let outcome = std::panic::catch_unwind(|| target(&data));
        assert!(outcome.is_ok(), "{name}, round {round}: panicked on {data:?}");
    }
}

#[test]
fn packer() {
    smoke("packer");
}

#[test]
fn spirv() {
    smoke("spirv");
}

#[test]
fn validator() {
    smoke("validator");
}

#[test]
fn ir_text() {
    smoke("ir_text");
}
