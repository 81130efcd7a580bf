//! Many rounds of a target without libFuzzer: `cargo run --release -p agx-fuzz --example soak -- TARGET ROUNDS [SEED]`.
//! A round that panics leaves its bytes in a file; the run goes on and counts them.

#![expect(clippy::print_stdout, reason = "the program's purpose is to print its findings")]

use std::process::ExitCode;

use agx_fuzz::{Generator, TARGETS};

/// Most bytes of a round.
const MOST_BYTES: u64 = 2048;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let target = arguments.first().and_then(|name| TARGETS.iter().find(|(other, _)| other == name));
    let rounds = arguments.get(1).and_then(|text| text.parse::<u64>().ok());
    let seed = arguments.get(2).map_or(Some(1), |text| text.parse::<u64>().ok());
    let (Some((name, target)), Some(rounds), Some(seed)) = (target, rounds, seed) else {
        let names: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
        println!("usage: soak TARGET ROUNDS [SEED], where TARGET is one of {}", names.join(", "));
        return ExitCode::from(2);
    };
    let mut generator = Generator::new(seed);
    let mut failures = 0;
    for round in 0..rounds {
        let length = (generator.next_word() % MOST_BYTES) as usize;
        let data = generator.bytes(length);
        if std::panic::catch_unwind(|| target(&data)).is_err() {
            failures += 1;
            let path = std::env::temp_dir().join(format!("{name}-{seed}-{round}"));
            match std::fs::write(&path, &data) {
                Ok(()) => println!("round {round}: its bytes are in {}", path.display()),
                Err(error) => println!("round {round}: {}: {error}", path.display()),
            }
        }
    }
    println!("{rounds} rounds, {failures} failures");
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
