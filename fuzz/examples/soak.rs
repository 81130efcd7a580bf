//! A target without libFuzzer, on bytes from a generator: `soak TARGET ROUNDS [SEED]` or `soak TARGET --seconds N [SEED]`.
//! A round that panics leaves its bytes in a file; the run continues and counts them. `soak TARGET --file FILE` repeats one.

#![expect(clippy::print_stdout, reason = "the program's purpose is to print its findings")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use agx_fuzz::{TARGETS, Target};
use agx_random::Random;

/// Most bytes of a round.
const MOST_BYTES: u64 = 2048;

/// When a run ends.
#[derive(Clone)]
enum Until {
    Rounds(u64),
    Seconds(u64),
    /// After one round on the bytes of this file.
    File(PathBuf),
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
            "--file" => Until::File(arguments.next()?.into()),
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
            "usage: soak TARGET (ROUNDS | --seconds N) [SEED], or soak TARGET --file FILE, where TARGET is one of {}",
            names.join(", ")
        );
        return ExitCode::from(2);
    };
    let (rounds, failures) = match &arguments.until {
        Until::File(path) => match std::fs::read(path) {
            Ok(data) => (1, u64::from(!passes(arguments.target.1, &data))),
            Err(error) => {
                println!("{}: {error}", path.display());
                return ExitCode::from(2);
            }
        },
        _ => run(&arguments),
    };
    println!("{rounds} rounds, {failures} failures");
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Whether a target accepts these bytes; it says on standard error why not.
fn passes(target: fn(&[u8]), data: &[u8]) -> bool {
    std::panic::catch_unwind(|| target(data)).is_ok()
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
        Until::File(_) => false,
    } {
        let length = (random.next_u64() % MOST_BYTES) as usize;
        let data = random.bytes(length);
        if !passes(*target, &data) {
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
