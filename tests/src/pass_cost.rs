//! The time of each pass over the corpus, from the compiler's tracing spans.

use std::cmp::Reverse;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use agx_compiler::{CompileKey, Compiler, Input, Scratch};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::corpus::Item;

/// Spans around passes, with their work outside passes.
const OTHER_SPANS: [(&str, &str); 2] = [("compile", "front end and statistics"), ("part", "emission")];

/// A pass, or another part of the compiler with its own span.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Name of the pass, or of the part.
    pub name: String,
    /// Number of runs.
    pub calls: u64,
    /// Time spent in it, without nested spans.
    pub time: Duration,
}

/// Compiles all of `items` `rounds` times. Returns the parts of the compiler, the slowest first, each with its minimum
/// time over the rounds, because other programs disturb the measurement. Shaders that do not compile count up to the
/// error.
pub fn measure(items: &[Item], rounds: u32) -> Vec<Row> {
    let mut rows = round(items);
    for _ in 1..rounds {
        // Every round has the same order.
        for (best, row) in rows.iter_mut().zip(round(items)) {
            best.time = best.time.min(row.time);
        }
    }
    rows.sort_by_key(|row| Reverse(row.time));
    rows
}

/// Compiles all of `items` once. Returns the parts of the compiler in the order in which they first ran.
fn round(items: &[Item]) -> Vec<Row> {
    let meter = Arc::new(Meter::default());
    let compiler = Compiler::default();
    tracing::subscriber::with_default(meter.clone(), || {
        let mut scratch = Scratch::default();
        for item in items {
            let key = item.key(&CompileKey::default());
            // The corpus suite reports failures.
            let _ = compiler.compile(&mut scratch, Input::spirv(&item.module), &key);
        }
    });
    meter.times().rows.clone()
}

/// An open span.
struct Open {
    row: usize,
    since: Instant,
    /// Time of nested spans.
    inside: Duration,
}

#[derive(Default)]
struct Times {
    rows: Vec<Row>,
    open: Vec<Open>,
}

impl Times {
    fn row(&mut self, name: String) -> usize {
        self.rows.iter().position(|row| row.name == name).unwrap_or_else(|| {
            self.rows.push(Row { name, calls: 0, time: Duration::ZERO });
            self.rows.len() - 1
        })
    }
}

/// Measures spans; the number of a span is the index of its row plus one.
#[derive(Default)]
struct Meter {
    times: Mutex<Times>,
}

impl Meter {
    fn times(&self) -> MutexGuard<'_, Times> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Subscriber for Meter {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        // Questions whether tracing is enabled at all are neither spans nor events.
        !metadata.is_event()
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let known = OTHER_SPANS.iter().find(|(name, _)| *name == span.metadata().name());
        let mut name = Name(known.map_or(span.metadata().name(), |(_, part)| part).to_owned());
        if name.0 == "pass" {
            span.record(&mut name);
        }
        Id::from_u64(self.times().row(name.0) as u64 + 1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, span: &Id) {
        let row = span.into_u64() as usize - 1;
        self.times().open.push(Open { row, since: Instant::now(), inside: Duration::ZERO });
    }

    fn exit(&self, _: &Id) {
        let mut times = self.times();
        let Some(open) = times.open.pop() else { return };
        let all = open.since.elapsed();
        let row = &mut times.rows[open.row];
        row.calls += 1;
        row.time += all.saturating_sub(open.inside);
        if let Some(around) = times.open.last_mut() {
            around.inside += all;
        }
    }
}

/// The field `name` of a span, or the span's own name.
struct Name(String);

impl Visit for Name {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "name" {
            self.0 = value.to_owned();
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn fmt::Debug) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_count_without_those_inside() {
        let meter = Arc::new(Meter::default());
        tracing::subscriber::with_default(meter.clone(), || {
            let outer = tracing::debug_span!("part", name = "main").entered();
            for _ in 0..2 {
                let _inner = tracing::debug_span!("pass", name = "opt_dce").entered();
                std::thread::sleep(Duration::from_millis(5));
            }
            drop(outer);
        });
        let rows = meter.times().rows.clone();
        let calls: Vec<(&str, u64)> = rows.iter().map(|row| (row.name.as_str(), row.calls)).collect();
        assert_eq!(calls, [("emission", 1), ("opt_dce", 2)]);
        assert!(rows[1].time >= Duration::from_millis(10) && rows[0].time < rows[1].time, "{rows:?}");
    }
}
