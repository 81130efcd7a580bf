//! The time between two calls of `should_stop`.

use std::backtrace::Backtrace;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use agx_compiler::{CompileKey, CompileLimits, Compiler, Input, Scratch};

/// The calls of a compilation.
#[derive(Clone, Debug, Default)]
pub struct Questions {
    /// The time before each call and after the last one, each the minimum over all compilations.
    pub gaps: Vec<Duration>,
}

impl Questions {
    /// The longest gap.
    pub fn longest(&self) -> Duration {
        self.gaps.iter().copied().max().unwrap_or_default()
    }

    /// Indices of the gaps that are longer than `most`.
    pub fn longer_than(&self, most: Duration) -> Vec<usize> {
        (0..self.gaps.len()).filter(|number| self.gaps[*number] > most).collect()
    }
}

#[derive(Default)]
struct Asked {
    times: Vec<Instant>,
    /// Whether to record the callers.
    traced: bool,
    places: Vec<String>,
}

/// Compiles `input` `rounds` times with the same result.
pub fn measure(input: Input<'_>, key: &CompileKey, rounds: u32) -> Questions {
    let mut best = Questions::default();
    let mut scratch = Scratch::default();
    for _ in 0..rounds {
        let gaps = ask(&mut scratch, input, key, false).0;
        if best.gaps.is_empty() {
            best.gaps = gaps;
            continue;
        }
        // Every compilation makes the same calls; a longer gap in one of them was caused by other programs.
        for (best, gap) in best.gaps.iter_mut().zip(gaps) {
            *best = gap.min(*best);
        }
    }
    best
}

/// The callers of each call in a compilation of `input`: functions of the compiler, the innermost first.
pub fn places(input: Input<'_>, key: &CompileKey) -> Vec<String> {
    let (_, places) = ask(&mut Scratch::default(), input, key, true);
    places
}

/// The functions of the compiler in a printed stack trace.
fn functions(stack: &str) -> String {
    let frames = stack.lines().filter_map(|line| line.split_once(": agx_compiler::"));
    let names = frames.map(|(_, name)| name).filter(|name| !name.starts_with("watch::"));
    names.take(4).collect::<Vec<_>>().join(" < ")
}

fn ask(
    scratch: &mut Scratch,
    input: Input<'_>,
    key: &CompileKey,
    traced: bool,
) -> (Vec<Duration>, Vec<String>) {
    let asked = Arc::new(Mutex::new(Asked { traced, ..Asked::default() }));
    let seen = Arc::clone(&asked);
    let current = Arc::new(Mutex::new(String::new()));
    let pass = Arc::clone(&current);
    let limits = CompileLimits::default().with_should_stop(move || {
        let mut asked = lock(&seen);
        if asked.traced {
            let place = functions(&Backtrace::force_capture().to_string());
            let pass = lock(&pass).clone();
            asked.places.push(format!("{pass}: {place}"));
        }
        asked.times.push(Instant::now());
        false
    });
    let mut key = key.clone();
    key.limits = limits;
    let start = Instant::now();
    // The corpus suite reports failures.
    let mut compile = || drop(Compiler::default().compile(scratch, input, &key));
    if traced {
        tracing::subscriber::with_default(Passes { current }, compile)
    } else {
        compile()
    }
    let end = Instant::now();
    let asked = lock(&asked);
    let marks: Vec<Instant> = [start].into_iter().chain(asked.times.iter().copied()).chain([end]).collect();
    (marks.windows(2).map(|pair| pair[1].duration_since(pair[0])).collect(), asked.places.clone())
}

fn lock<T>(asked: &Mutex<T>) -> MutexGuard<'_, T> {
    asked.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Records the name of the last span, which passes open.
struct Passes {
    current: Arc<Mutex<String>>,
}

struct Name<'n>(&'n mut String);

impl Visit for Name<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "name" {
            value.clone_into(self.0);
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}

impl Subscriber for Passes {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span()
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut name = lock(&self.current);
        span.metadata().name().clone_into(&mut name);
        span.record(&mut Name(&mut name));
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
