//! `agxc list-targets`.

use agx_abi::Target;
use clap::ArgMatches;

use crate::context::Context;
use crate::diagnostic::Failure;
use crate::output;

/// Names of the products that hold a chip.
fn products(target: Target) -> &'static str {
    match target {
        Target::G13G => "M1",
        Target::G13X => "M1 Pro, M1 Max, M1 Ultra",
        Target::G14G => "M2",
        Target::G14X => "M2 Pro, M2 Max, M2 Ultra",
    }
}

/// Prints every target with its products.
pub fn run(_options: &ArgMatches, _context: &mut Context) -> Result<(), Failure> {
    let lines: String =
        Target::ALL.iter().map(|(name, target)| format!("{name}  {}\n", products(*target))).collect();
    output::stdout(lines.as_bytes())
}
