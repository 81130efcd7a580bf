//! The time of each pass, for --verbose, from the spans of the compiler.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;
use tracing::Subscriber;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;

/// Name of the spans of passes.
const PASS: &str = "pass";

/// Runs and time of a pass.
#[derive(Clone, Copy, Default)]
struct Total {
    runs: u32,
    time: Duration,
}

/// Runs and times by the names of passes.
#[derive(Clone, Default)]
pub struct Times(Arc<Mutex<FxHashMap<String, Total>>>);

/// A span of a pass.
struct Running {
    name: String,
    begin: Instant,
}

impl Times {
    /// Starts to collect times; another log keeps its place.
    pub fn start() -> Times {
        let times = Times::default();
        let subscriber = tracing_subscriber::registry().with(times.clone().with_filter(LevelFilter::DEBUG));
        // If a log was started, it gets the spans, and the table stays empty.
        let _ = tracing::subscriber::set_global_default(subscriber);
        times
    }

    fn totals(&self) -> MutexGuard<'_, FxHashMap<String, Total>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A line for each pass, the longest first; nothing without passes.
    pub fn table(&self) -> String {
        let totals = self.totals();
        let mut rows: Vec<(&String, &Total)> = totals.iter().collect();
        rows.sort_by(|one, other| (other.1.time, one.0).cmp(&(one.1.time, other.0)));
        let mut text = String::new();
        if rows.is_empty() {
            return text;
        }
        let all: Duration = rows.iter().map(|(_, total)| total.time).sum();
        let all = all.as_secs_f64().max(f64::MIN_POSITIVE);
        // Writing to a string does not fail.
        let _ = write!(text, "{:<28} {:>6} {:>9} {:>6}", "pass", "runs", "ms", "share");
        for (name, Total { runs, time }) in rows {
            let seconds = time.as_secs_f64();
            let (milliseconds, share) = (1e3 * seconds, 100.0 * seconds / all);
            let _ = write!(text, "\n{name:<28} {runs:>6} {milliseconds:>9.3} {share:>5.1}%");
        }
        text
    }
}

/// Reads the name of a pass from the fields of its span.
struct Name(String);

impl Visit for Name {
    fn record_debug(&mut self, _field: &Field, _value: &dyn std::fmt::Debug) {}

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "name" {
            value.clone_into(&mut self.0);
        }
    }
}

impl<S: Subscriber + for<'l> LookupSpan<'l>> Layer<S> for Times {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id).filter(|span| span.name() == PASS) else { return };
        let mut name = Name(String::new());
        attributes.record(&mut name);
        span.extensions_mut().insert(Running { name: name.0, begin: Instant::now() });
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        if let Some(Running { name, begin }) = span.extensions_mut().remove::<Running>() {
            let mut totals = self.totals();
            let total = totals.entry(name).or_default();
            total.runs += 1;
            total.time += begin.elapsed();
        }
    }
}
