//! `agxc explain`: explains diagnostic codes, instructions, passes and phases.

use std::fmt::Write as _;

use agx_compiler::internal::pipeline::{self, PASSES, PIPELINE, Pass, PhaseDesc};
use agx_compiler::{ErrorRow, Example};
use agx_isa::Opcode;
use agx_isa::alias::{ALIASES, Alias};
use agx_isa::desc::{InstDesc, Length, OperandDesc, Piece, Role, Unit, WaitBehaviour};
use clap::ArgMatches;

use super::{Arg, Takes, arg};
use crate::codes::{self, Code};
use crate::context::Context;
use crate::diagnostic::Failure;
use crate::output::{self, wrapped};
use crate::statistics::{FIGURES, Figure};
use crate::suggest;

/// Arguments.
pub const ARGS: &[Arg] = &[arg(
    "TOPIC",
    Takes::Word,
    "A code such as AGX0200, a mnemonic such as fadd, a pass such as opt_cse, a phase such as improve, a figure of the statistics such as FSCIB, or `all`",
)];

/// Prints the explanation of a topic, or the list of topics.
pub fn run(options: &ArgMatches, _context: &mut Context) -> Result<(), Failure> {
    let word = options.get_one::<String>("TOPIC").map_or("", String::as_str);
    let text = match word {
        "all" => Some(list()),
        _ => explanation(word),
    };
    match text {
        Some(text) => output::stdout(text.as_bytes()),
        None => {
            let list = "`agxc explain all` lists codes, mnemonics, passes, phases and figures";
            let similar = suggest::similar(word, names());
            let text = match similar.is_empty() {
                true => format!("unknown topic `{word}`; {list}"),
                false => format!("unknown topic `{word}`{} {list}", suggest::question(&similar)),
            };
            Err(Failure::usage(text))
        }
    }
}

/// Names of all topics but the codes.
fn names() -> impl Iterator<Item = &'static str> {
    let instructions = Opcode::ALL.iter().map(|op| op.name()).chain(ALIASES.iter().map(|alias| alias.name));
    let passes = PASSES.iter().map(|pass| pass.name).chain(PIPELINE.iter().map(|phase| phase.name));
    instructions.chain(passes).chain(FIGURES.iter().flat_map(|figure| [figure.title, figure.key]))
}

/// What `word` names: a code of this program or of the compiler, an instruction, its alias, a pass, a phase or a figure.
fn explanation(word: &str) -> Option<String> {
    let instruction = || Opcode::from_name(word).map(|op| instruction_text(op.desc()));
    let alias = || Alias::from_name(word).map(alias_text);
    let pass = || pipeline::find_pass(word).map(pass_text);
    let phase = || PIPELINE.iter().find(|phase| phase.name == word).map(phase_text);
    let is_it =
        |figure: &&Figure| [figure.title, figure.key].iter().any(|name| name.eq_ignore_ascii_case(word));
    let figure = || FIGURES.iter().find(is_it).map(figure_text);
    let row = || code_number(word).and_then(codes::of_compiler).map(row_text);
    let named = || instruction().or_else(alias).or_else(pass).or_else(phase).or_else(figure);
    code(word).map(code_text).or_else(row).or_else(named)
}

fn figure_text(figure: &Figure) -> String {
    let Figure { title, key, description, .. } = figure;
    let better = if figure.higher_is_better { "Higher" } else { "Lower" };
    let facts = format!(
        "{better} values are better. It is `{key}` in JSON, CSV and options; docs/statistics.md has the model."
    );
    format!("{title}: {}\n\n{}\n", wrapped(description), wrapped(&facts))
}

fn pass_text(pass: &Pass) -> String {
    let optional = if pass.optional { "optional" } else { "required" };
    format!("{}: {}\n{}\n{optional}\n", pass.name, pass.doc, wrapped(&pass.contract()))
}

fn phase_text(phase: &PhaseDesc) -> String {
    let steps: Vec<&str> = phase.steps.iter().map(|step| step.name).collect();
    format!(
        "{}: {}\nAfter: stage {}.\n{}\n",
        phase.name,
        phase.doc,
        phase.leaves.name(),
        wrapped(&steps.join(" "))
    )
}

/// The row of an alias and its fixed operands.
fn alias_of(alias: &Alias) -> String {
    let fixed: Vec<String> =
        alias.fixed.iter().map(|(name, operand)| format!("{name} = {}", operand.value)).collect();
    format!("`{}` with {}", alias.op.name(), fixed.join(", "))
}

fn alias_text(alias: &Alias) -> String {
    format!("{}: {}\n\n{}", alias.name, alias_of(alias), instruction_text(alias.op.desc()))
}

/// Every code, mnemonic, pass, phase and figure, a line each.
fn list() -> String {
    let codes = codes::CODES.iter().map(|code| format!("AGX{:04}  {}\n", code.number, code.title));
    let mnemonics =
        Opcode::ALL.iter().map(|op| format!("{}  {}\n", op.name(), first_sentence(op.desc().doc)));
    let aliases = ALIASES.iter().map(|alias| format!("{}  {}\n", alias.name, alias_of(alias)));
    let phases = PIPELINE.iter().map(|phase| format!("{}  {}\n", phase.name, phase.doc));
    let mut passes: Vec<&Pass> = Vec::new();
    for pass in PASSES {
        if passes.iter().all(|known| known.name != pass.name) {
            passes.push(pass);
        }
    }
    let passes = passes.into_iter().map(|pass| format!("{}  {}\n", pass.name, pass.doc));
    let rows = agx_compiler::CODES.iter().flat_map(|rows| rows.iter());
    let rows = rows.filter(|row| row.code >= codes::FIRST_OF_COMPILER);
    let rows = rows.map(|row| format!("AGX{:04}  {}\n", row.code, row.title()));
    let figures = FIGURES.iter().map(|figure| format!("{}  {}\n", figure.title, figure.description));
    codes.chain(rows).chain(mnemonics).chain(aliases).chain(passes).chain(phases).chain(figures).collect()
}

fn first_sentence(text: &str) -> &str {
    text.find(". ").map_or(text, |end| &text[..=end])
}

/// The code that `word` names: `AGX0200`, `agx200` or `201`.
fn code(word: &str) -> Option<&'static Code> {
    codes::find(code_number(word)?)
}

fn code_number(word: &str) -> Option<u16> {
    let upper = word.to_ascii_uppercase();
    upper.strip_prefix("AGX").unwrap_or(&upper).parse().ok()
}

/// A code of the compiler: explanation, kind, and an input that leads to it.
fn row_text(row: &ErrorRow) -> String {
    let (code, title, kind) = (row.code, row.title(), row.kind.name());
    let (explanation, exit) = (wrapped(row.explanation), codes::exit(code) as u8);
    let example = match row.example {
        Example::Spirv { declarations: "", body } => {
            format!("SPIR-V, in an entry point:\n\n{}", indented(body))
        }
        Example::Spirv { declarations, .. } => {
            format!("SPIR-V, among the declarations:\n\n{}", indented(declarations))
        }
        Example::Text { language, text } => format!("{language}:\n\n{}", indented(text)),
        Example::Words(text) => format!("{}\n", wrapped(text)),
    };
    format!("AGX{code:04}: {title}\n\n{explanation}\nKind: {kind}. Exit code {exit}.\n\nExample: {example}")
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}

fn code_text(code: &Code) -> String {
    let (title, explanation) = (code.title, wrapped(code.explanation));
    format!("AGX{:04}: {title}\n\n{explanation}\nExit code {}.\n", code.number, code.exit as u8)
}

/// The row of an instruction as text.
fn instruction_text(desc: &InstDesc) -> String {
    let mut text = wrapped(&format!("{}: {}", desc.name, desc.doc)) + "\n\n";
    for operand in desc.operands {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "  {:<10} {:<10} {} [bits {}]",
            operand.name,
            role(operand),
            operand.kind.name,
            bits(operand.pieces)
        );
    }
    let _ = writeln!(text, "\nlength: {}", length(desc.length));
    if desc.unit != Unit::None {
        let _ = writeln!(
            text,
            "cost: {:?} unit, {} cycles busy, result after {}",
            desc.unit, desc.throughput, desc.latency
        );
    }
    if desc.wait == WaitBehaviour::Async {
        let _ = writeln!(text, "asynchronous: its results are available after a `wait` on its group");
    }
    let _ = writeln!(text, "known from: {}", desc.source);
    if !desc.assumed.is_empty() {
        let _ = writeln!(text, "assumed: {}", desc.assumed);
    }
    text
}

fn role(operand: &OperandDesc) -> &'static str {
    match operand.role {
        Role::Dst => "result",
        Role::Src => "source",
        Role::Mod => "modifier",
        Role::Unknown => "unknown",
    }
}

/// Bit positions, low part first: `9:14, 60:61`.
fn bits(pieces: &[Piece]) -> String {
    let piece = |piece: &Piece| match piece.len {
        1 => piece.lo.to_string(),
        len => format!("{}:{}", piece.lo, piece.lo + len - 1),
    };
    pieces.iter().map(piece).collect::<Vec<_>>().join(", ")
}

fn length(length: Length) -> String {
    match length {
        Length::Fixed(bytes) => format!("{bytes} bytes"),
        Length::Extensible { short, long, l_bit, .. } => {
            format!("{short} bytes, {long} when bit {l_bit} is set")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_mnemonics_are_found() {
        for word in ["AGX0200", "agx200", "200"] {
            assert_eq!(code(word).map(|code| code.number), Some(200), "{word}");
        }
        assert!(code("fadd").is_none());
        let text = instruction_text(Opcode::Fadd.desc());
        assert!(
            text.starts_with("fadd: ")
                && text.contains("dst ")
                && text.contains("4 bytes, 6 when bit 15 is set"),
            "{text}"
        );
        let text = explanation("AGX1102").expect("a code of the compiler");
        assert!(text.contains("Every") || text.contains("OpType") && text.contains("Exit code 1"), "{text}");
        assert!(explanation("opt_cse").is_some_and(|text| text.contains("optional")));
        let list = list();
        assert!(
            list.contains("AGX0402  ")
                && list.contains("AGX1102  An operand is not a type\n")
                && list.contains("\nfadd  ")
                && list.contains("\nopt_cse  "),
            "{list}"
        );
    }
}
