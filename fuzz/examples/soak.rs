//! A target without libFuzzer, on bytes from a generator: `soak TARGET ROUNDS [SEED]` or `soak TARGET --seconds N [SEED]`.
//! A round that panics leaves its bytes in a file; the run continues and counts them.

#![expect(clippy::print_stdout, reason = "the program's purpose is to print its findings")]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use agx_fuzz::{TARGETS, Target};
use agx_random::Random;

/// Most bytes of a round.
const MOST_BYTES: u64 = 2048;

/// When a run ends.
#[derive(Clone, Copy)]
enum Until {
    Rounds(u64),
    Seconds(u64),
}

/// What the command line asks for.
struct Arguments {
    target: &'static Target,
    until: Until,
    seed: u64,
}

impl Arguments {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Option<Arguments> {
        let name = arguments.next()?;
        let target = TARGETS.iter().find(|(other, _)| *other == name)?;
        let first = arguments.next()?;
        let until = match first.as_str() {
            "--seconds" => Until::Seconds(arguments.next()?.parse().ok()?),
            rounds => Until::Rounds(rounds.parse().ok()?),
        };
        let seed = arguments.next().map_or(Some(1), |text| text.parse().ok())?;
        Some(Arguments { target, until, seed })
    }
}

fn main() -> ExitCode {
    let Some(arguments) = Arguments::parse(std::env::args().skip(1)) else {
        let names: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
        println!(
            "usage: soak TARGET (ROUNDS | --seconds N) [SEED], where TARGET is one of {}",
            names.join(", ")
        );
        return ExitCode::from(2);
    };
    let (rounds, failures) = run(&arguments);
    println!("{rounds} rounds, {failures} failures");
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The number of rounds, and how many of them failed.
fn run(arguments: &Arguments) -> (u64, u64) {
    let (name, target) = arguments.target;
    let seed = arguments.seed;
    let mut random = Random::new(seed);
    let begin = Instant::now();
    let (mut round, mut failures) = (0, 0);
    while match arguments.until {
        Until::Rounds(rounds) => round < rounds,
        Until::Seconds(seconds) => begin.elapsed() < Duration::from_secs(seconds),
    } {
        let length = (random.next_u64() % MOST_BYTES) as usize;
        let data = random.bytes(length);
        if std::panic::catch_unwind(|| target(&data)).is_err() {
            failures += 1;
            let path = std::env::temp_dir().join(format!("{name}-{seed}-{round}"));
            match std::fs::write(&path, &data) {
                Ok(()) => println!("round {round}: its bytes are in {}", path.display()),
                Err(error) => println!("round {round}: {}: {error}", path.display()),
            }
        }
        round += 1;
    }
    (round, failures)
}
