//! Prints the cost of linking a program: host instructions, if valgrind is installed, and nanoseconds.

#![expect(clippy::print_stdout, reason = "this is what the program is for")]

use std::error::Error;
use std::path::Path;

use agx_tests::link_cost::{PROBE_OPTION, SIZES, instructions, limit, nanoseconds, probe};
use agx_tests::tools::Tools;

fn main() -> Result<(), Box<dyn Error>> {
    if std::env::args().any(|argument| argument == PROBE_OPTION) {
        return Ok(probe()?);
    }
    let program = std::env::current_exe()?;
    let tools = Tools::find(program.parent().unwrap_or(Path::new(".")).join("tool-cache"));
    let times = nanoseconds()?;
    println!("a link of prolog, main part and epilog in a loop over four samples:");
    match instructions(&tools, &program) {
        Ok(counts) => {
            for ((size, count), time) in SIZES.into_iter().zip(counts).zip(times) {
                let most = limit(size);
                println!(
                    "main part of {size:5} bytes: {count:5} instructions of at most {most:5}, {time:6.0} ns"
                );
            }
        }
        Err(reason) => {
            println!("instructions were not counted: {reason}");
            for (size, time) in SIZES.into_iter().zip(times) {
                println!("main part of {size:5} bytes: {time:6.0} ns");
            }
        }
    }
    Ok(())
}
