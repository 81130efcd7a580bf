//! Prints the share of each pass in the time to compile the corpus.

#![expect(clippy::print_stdout, reason = "this is what the program is for")]

use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

use agx_tests::corpus::load;
use agx_tests::pass_cost::measure;
use clap::Parser;

/// Measures the passes of the compiler over the corpus.
#[derive(Parser)]
struct Options {
    /// The folder of the reference data.
    #[arg(long, default_value = "../shared")]
    shared: PathBuf,
    /// How often to compile everything; the fastest time counts.
    #[arg(long, default_value_t = 5)]
    rounds: u32,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let items = load(&options.shared)?;
    let rows = measure(&items, options.rounds);
    let all: Duration = rows.iter().map(|row| row.time).sum();
    let compiles = (items.len() as u32).max(1);
    println!("| part | runs | µs for an entry point | share |\n|---|---:|---:|---:|");
    for row in &rows {
        let (time, share) = (row.time / compiles, row.time.as_secs_f64() / all.as_secs_f64() * 100.0);
        println!("| {} | {} | {:.1} | {share:.1} % |", row.name, row.calls, time.as_secs_f64() * 1e6);
    }
    println!("| all | {compiles} | {:.1} | |", (all / compiles).as_secs_f64() * 1e6);
    Ok(())
}
