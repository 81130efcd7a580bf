//! `agxc completions`: completion scripts, generated from the table of commands.

use clap::ArgMatches;

use super::{Arg, COMMANDS, Command, Takes, arg};
use crate::cli::GLOBALS;
use crate::context::Context;
use crate::diagnostic::Failure;
use crate::emit::EMITS;
use crate::output;

/// Arguments.
pub const ARGS: &[Arg] = &[arg("SHELL", Takes::Optional, "bash (default), zsh, fish or powershell")];

/// A shell: its name, and its script.
type Shell = (&'static str, fn() -> String);

const SHELLS: [Shell; 4] = [("bash", bash), ("zsh", zsh), ("fish", fish), ("powershell", powershell)];

/// Prints the script of a shell.
pub fn run(options: &ArgMatches, _context: &mut Context) -> Result<(), Failure> {
    let name = options.get_one::<String>("SHELL").map_or("bash", String::as_str);
    let (_, script) = SHELLS.iter().find(|(known, _)| *known == name).ok_or_else(|| {
        Failure::usage(format!("unknown shell `{name}`; expected bash, zsh, fish or powershell"))
    })?;
    output::stdout(script().as_bytes())
}

/// The options of a command, the global ones last.
fn options(command: &'static Command) -> impl Iterator<Item = &'static Arg> {
    command.args.iter().flat_map(|group| group.iter()).filter(is_option).chain(GLOBALS)
}

fn is_option(arg: &&'static Arg) -> bool {
    !matches!(arg.takes, Takes::Word | Takes::Words | Takes::Optional | Takes::Rest)
}

/// The values that an option accepts; empty if it accepts any.
fn values(arg: &Arg) -> Vec<&'static str> {
    match (arg.name, arg.takes) {
        (_, Takes::Choice(values)) => values.to_vec(),
        ("emit", _) => EMITS.iter().map(|row| row.name).collect(),
        ("target" | "to-target", _) => agx_abi::Target::ALL.iter().map(|(name, _)| *name).collect(),
        ("stage", _) => vec!["vertex", "fragment", "compute"],
        _ => Vec::new(),
    }
}

fn names() -> String {
    COMMANDS.iter().map(|command| command.name).collect::<Vec<_>>().join(" ")
}

fn bash() -> String {
    let case = |command: &'static Command| {
        let words: Vec<String> = options(command).map(|arg| format!("--{}", arg.name)).collect();
        format!("    {}) words=\"{} --help\" ;;\n", command.name, words.join(" "))
    };
    let cases: String = COMMANDS.iter().map(case).collect();
    let mut all: Vec<&'static Arg> = COMMANDS.iter().flat_map(options).collect();
    all.sort_unstable_by_key(|arg| arg.name);
    all.dedup_by_key(|arg| arg.name);
    let value = |arg: &&'static Arg| match values(arg) {
        values if values.is_empty() => String::new(),
        values => format!("    --{}) words=\"{}\" ;;\n", arg.name, values.join(" ")),
    };
    let values: String = all.iter().map(value).collect();
    format!(
        "_agxc() {{\n  local current=${{COMP_WORDS[COMP_CWORD]}} words=\"{} help\"\n  [ \"$COMP_CWORD\" -gt 1 ] && case \
         ${{COMP_WORDS[1]}} in\n{cases}  esac\n  [ \"$COMP_CWORD\" -gt 1 ] && case ${{COMP_WORDS[COMP_CWORD-1]}} \
         in\n{values}  esac\n  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n  [ \"$COMP_CWORD\" -gt 1 ] && \
         COMPREPLY+=($(compgen -f -- \"$current\"))\n}}\ncomplete -o filenames -F _agxc agxc\n",
        names()
    )
}

/// `text` within single quotes of zsh and fish.
fn quoted(text: &str) -> String {
    text.replace('\'', "'\\''")
}

fn zsh() -> String {
    let command = |command: &'static Command| {
        format!("    '{}:{}'\n", command.name, quoted(&command.doc.replace(':', "\\:")))
    };
    let commands: String = COMMANDS.iter().map(command).collect();
    let cases: String = COMMANDS.iter().map(zsh_case).collect();
    format!(
        "#compdef agxc\n_agxc() {{\n  local -a commands=(\n{commands}  )\n  if (( CURRENT == 2 )); then\n    \
         _describe command commands\n    return\n  fi\n  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  \
         case $command in\n{cases}  esac\n}}\nif [ \"$funcstack[1]\" = _agxc ]; then _agxc \"$@\"; else compdef _agxc agxc; fi\n"
    )
}

fn zsh_case(command: &'static Command) -> String {
    let option = |arg: &'static Arg| {
        let doc = quoted(&arg.doc.replace('[', "(").replace(']', ")").replace(':', "\\:"));
        let repeated = if matches!(arg.takes, Takes::Values(_)) { "*" } else { "" };
        let value = match (arg.takes, values(arg)) {
            (Takes::Nothing, _) => String::new(),
            (_, values) if values.is_empty() => ":value:_files".to_owned(),
            (_, values) => format!(":value:({})", values.join(" ")),
        };
        format!(" \\\n        '{repeated}--{}[{doc}]{value}'", arg.name)
    };
    let options: String = options(command).map(option).collect();
    format!("    {})\n      _arguments{options} \\\n        '*:file:_files' ;;\n", command.name)
}

fn fish() -> String {
    let mut text = String::new();
    for command in COMMANDS {
        let (name, doc) = (command.name, quoted(command.doc));
        text.push_str(&format!("complete -c agxc -n __fish_use_subcommand -f -a {name} -d '{doc}'\n"));
        for arg in options(command) {
            let short = arg.short.map_or_else(String::new, |letter| format!(" -s {letter}"));
            let value = match (arg.takes, values(arg)) {
                (Takes::Nothing, _) => String::new(),
                (_, values) if values.is_empty() => " -r".to_owned(),
                (_, values) => format!(" -x -a '{}'", values.join(" ")),
            };
            let doc = quoted(arg.doc);
            text.push_str(&format!(
                "complete -c agxc -n '__fish_seen_subcommand_from {name}' -l {}{short}{value} -d '{doc}'\n",
                arg.name
            ));
        }
    }
    text
}

fn powershell() -> String {
    let case = |command: &'static Command| {
        let words: Vec<String> = options(command).map(|arg| format!("'--{}'", arg.name)).collect();
        format!("    '{}' {{ {} }}\n", command.name, words.join(", "))
    };
    let cases: String = COMMANDS.iter().map(case).collect();
    let names: Vec<String> = COMMANDS.iter().map(|command| format!("'{}'", command.name)).collect();
    format!(
        "Register-ArgumentCompleter -Native -CommandName agxc -ScriptBlock {{\n  param($wordToComplete, $commandAst, \
         $cursorPosition)\n  $elements = $commandAst.CommandElements\n  $isFirst = $elements.Count -le 1 -or \
         ($elements.Count -eq 2 -and $wordToComplete)\n  $words = if ($isFirst) {{ {} }} else {{\n  switch \
         ($elements[1].Extent.Text) {{\n{cases}  }} }}\n  $words | Where-Object {{ $_ -like \"$wordToComplete*\" }} | \
         ForEach-Object {{\n    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)\n  }}\n}}\n",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_and_option_is_in_every_script() {
        for (shell, script) in SHELLS {
            let script = script();
            for command in COMMANDS {
                assert!(script.contains(command.name), "{shell} {}", command.name);
                for arg in options(command) {
                    // fish writes long options as `-l name`.
                    let written =
                        if shell == "fish" { format!("-l {}", arg.name) } else { format!("--{}", arg.name) };
                    assert!(script.contains(&written), "{shell} {} {written}", command.name);
                }
            }
        }
        assert!(bash().contains("    --emit) words=\"asm asm-loc bin json "), "{}", bash());
    }
}
