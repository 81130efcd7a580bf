//! `agxc completions`: a bash script made from the table of commands.

use clap::ArgMatches;

use super::{Arg, COMMANDS, Command, Takes};
use crate::context::Context;
use crate::diagnostic::Failure;
use crate::output;

/// Prints the script.
pub fn run(_options: &ArgMatches, _context: &mut Context) -> Result<(), Failure> {
    output::stdout(script().as_bytes())
}

fn script() -> String {
    let names: Vec<&str> = COMMANDS.iter().map(|command| command.name).collect();
    let cases: String = COMMANDS.iter().map(case).collect();
    format!(
        "_agxc() {{\n  local current=${{COMP_WORDS[COMP_CWORD]}} words=\"{} help\"\n  [ \"$COMP_CWORD\" -gt 1 ] && case \
         ${{COMP_WORDS[1]}} in\n{cases}  esac\n  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n  [ \
         \"$COMP_CWORD\" -gt 1 ] && COMPREPLY+=($(compgen -f -- \"$current\"))\n}}\ncomplete -o filenames -F _agxc agxc\n",
        names.join(" ")
    )
}

/// One arm of the script: the options of `command`.
fn case(command: &Command) -> String {
    let options: Vec<String> =
        command.args.iter().flat_map(|group| group.iter()).filter(is_option).map(dashed).collect();
    format!("    {}) words=\"{} --error-format --help\" ;;\n", command.name, options.join(" "))
}

fn is_option(arg: &&Arg) -> bool {
    !matches!(arg.takes, Takes::Word | Takes::Words)
}

fn dashed(arg: &Arg) -> String {
    format!("--{}", arg.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_and_its_options_are_in_the_script() {
        let script = script();
        for command in COMMANDS {
            assert!(script.contains(&format!("    {}) words=", command.name)), "{}", command.name);
        }
        assert!(script.contains("compile) words=\"--emit "), "{script}");
    }
}
