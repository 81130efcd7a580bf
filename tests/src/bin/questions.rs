//! Prints the longest time between two calls of `should_stop`, for the corpus and for large shaders.

#![expect(clippy::print_stdout, reason = "this is what the program is for")]

use std::cmp::Reverse;
use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

use agx_compiler::{CompileKey, Input};
use agx_tests::corpus::load;
use agx_tests::questions::{Questions, measure, places};
use agx_tests::shapes::{Builder, SHAPES};
use clap::Parser;

/// Measures the time between calls of `should_stop`.
#[derive(Parser)]
struct Options {
    /// The folder of the reference data.
    #[arg(long, default_value = "../shared")]
    shared: PathBuf,
    /// How often to compile everything; the shortest time counts.
    #[arg(long, default_value_t = 5)]
    rounds: u32,
    /// Elements of the generated shaders.
    #[arg(long, default_value_t = 4096)]
    size: u32,
    /// Shaders to list.
    #[arg(long, default_value_t = 20)]
    rows: usize,
    /// Only shaders whose name contains this
    #[arg(long, default_value = "")]
    filter: String,
    /// Gaps to count, in µs and more
    #[arg(long, default_value_t = 500)]
    limit: u64,
    /// Print the callers before and after each of these gaps
    #[arg(long)]
    places: bool,
}

impl Options {
    fn limit(&self) -> Duration {
        Duration::from_micros(self.limit)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let mut shaders: Vec<(String, Vec<u8>, CompileKey)> = Vec::new();
    for item in load(&options.shared)? {
        shaders.push((item.name(), item.module.clone(), item.key(&CompileKey::default())));
    }
    for (name, shape) in SHAPES {
        shaders.push(((*name).to_owned(), Builder::module(*shape, options.size), CompileKey::default()));
    }
    shaders.retain(|(name, _, _)| name.contains(&options.filter));
    let ask =
        |(_, module, key): &(String, Vec<u8>, CompileKey)| measure(Input::spirv(module), key, options.rounds);
    let mut rows: Vec<(Questions, usize)> = shaders.iter().map(ask).zip(0..).collect();
    rows.sort_by_key(|(questions, _)| Reverse(questions.longest()));
    println!(
        "| shader | questions | ms in all | µs between two, at most | longer than the limit |\n|---|---:|---:|---:|---:|"
    );
    for (questions, index) in rows.iter().take(options.rows) {
        let (name, module, key) = &shaders[*index];
        let all: Duration = questions.gaps.iter().sum();
        let long = questions.longer_than(options.limit());
        println!(
            "| {name} | {} | {:.1} | {:.0} | {} |",
            questions.gaps.len() - 1,
            all.as_secs_f64() * 1e3,
            questions.longest().as_secs_f64() * 1e6,
            long.len()
        );
        if options.places {
            let places = places(Input::spirv(module), key);
            let place = |number: usize| places.get(number).map_or("the end", String::as_str);
            for number in long {
                let from = if number == 0 { "the start" } else { place(number - 1) };
                println!(
                    "  {:.0} µs\n    from {from}\n    to {}",
                    questions.gaps[number].as_secs_f64() * 1e6,
                    place(number)
                );
            }
        }
    }
    Ok(())
}
