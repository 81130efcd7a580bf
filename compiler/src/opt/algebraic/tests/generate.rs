//! Generates `selection.rs` from the rules.

use std::fmt::Write;

use super::super::pattern::{Mod, Node, Rule, default_mod, literal};
use super::super::rules::GROUPS;
use crate::ir::Op;

/// The generated file.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/opt/algebraic/selection.rs");

/// The file before its functions.
const HEAD: &str = "\
//! Which rules may match an instruction. Generated from `rules.rs`: `BLESS=1 cargo test -p agx-compiler --lib
//! selection_is_that_of_the_rules` writes it.

use agx_isa::table::Opcode;

use super::pattern::Shape::{Constant, Made};
use super::pattern::Subject;
use crate::ir::IrOp;
use crate::ir::Op::{self, Hw, Ir};

/// The rules of `op` that may match an instruction of that operation, a bit for each.
#[inline(always)]
pub(super) fn candidates(op: Op, s: Subject<'_, '_>) -> u128 {
    match op {
";

/// Maximum number of sources and of modifiers that are asked about.
const MOST_ASKED: usize = 3;

/// The widths of constants.
const WIDTHS: [u8; 5] = [1, 8, 16, 32, 64];

/// A question about an instruction.
#[derive(Clone, Copy, PartialEq)]
enum Question {
    /// What a modifier is.
    Modifier(usize),
    /// What a source is.
    Source(usize),
    /// Whether two sources are equal.
    Equal(usize, usize),
    /// Whether a source is defined by an operation whose first source is another source.
    Repeats(usize, usize),
}

/// An answer.
#[derive(Clone, Copy, PartialEq)]
enum Answer {
    /// A modifier, or the bits of a constant.
    Number(u64),
    /// A constant that no rule names.
    Constant,
    Made(Op),
    Yes,
    /// None of those that any rule asks for.
    Other,
}

/// The arguments of the pattern of a rule.
fn args(rule: &Rule) -> &'static [Node] {
    match rule.from {
        Node::Apply(_, _, args) => args,
        _ => &[],
    }
}

/// The modifier that a rule asks for; `None` if it accepts any.
fn modifier(rule: &Rule, place: usize) -> Option<u64> {
    let Node::Apply(op, mods, _) = rule.from else { return None };
    match mods.iter().find(|named| named.place == place).map(|named| named.is) {
        None => Some(default_mod(op, place).into()),
        Some(Mod::Is(number)) => Some(number.into()),
        Some(Mod::Bind(_) | Mod::Flip(_)) => None,
    }
}

/// Whether the pattern of a rule names a modifier.
fn names(rule: &Rule, place: usize) -> bool {
    matches!(rule.from, Node::Apply(_, mods, _) if mods.iter().any(|named| named.place == place))
}

/// The answers that a rule accepts; empty if it accepts all.
fn accepted(rule: &Rule, question: Question) -> Vec<Answer> {
    let args = args(rule);
    match question {
        Question::Modifier(place) => modifier(rule, place).map(Answer::Number).into_iter().collect(),
        Question::Source(index) => match args.get(index) {
            Some(Node::Apply(op, ..)) => vec![Answer::Made(*op)],
            Some(Node::Const(_)) => vec![Answer::Constant],
            Some(number @ (Node::Int(_) | Node::Float(_))) => {
                WIDTHS.iter().filter_map(|width| literal(*number, *width)).map(Answer::Number).collect()
            }
            _ => Vec::new(),
        },
        Question::Equal(first, second) => match (args.get(first), args.get(second)) {
            (Some(Node::Any(a)), Some(Node::Any(b))) if a == b => vec![Answer::Yes],
            _ => Vec::new(),
        },
        Question::Repeats(maker, other) => match (args.get(maker), args.get(other)) {
            (Some(Node::Apply(_, _, [Node::Any(a), ..])), Some(Node::Any(b))) if a == b => vec![Answer::Yes],
            _ => Vec::new(),
        },
    }
}

/// Whether a rule may match where a question has an answer.
fn accepts(rule: &Rule, question: Question, answer: Answer) -> bool {
    let accepted = accepted(rule, question);
    let is_number = matches!((question, answer), (Question::Source(_), Answer::Number(_)));
    accepted.is_empty() || accepted.contains(&answer) || is_number && accepted.contains(&Answer::Constant)
}

/// The questions, in order. Most instructions fail at the last source, where constants are.
fn questions() -> impl Iterator<Item = Question> {
    let modifiers = (0..MOST_ASKED).map(Question::Modifier);
    let sources = (0..MOST_ASKED).rev().map(Question::Source);
    let pairs = [(0, 1), (0, 2), (1, 2)];
    let equal = pairs.map(|(first, second)| Question::Equal(first, second));
    let repeats = pairs.into_iter().flat_map(|(a, b)| [Question::Repeats(a, b), Question::Repeats(b, a)]);
    modifiers.chain(sources).chain(equal).chain(repeats)
}

/// The rules that may match where a question has an answer.
fn mask(rules: &[Rule], question: Question, answer: Answer) -> u128 {
    let fits = |rule: &Rule| u128::from(accepts(rule, question, answer));
    rules.iter().enumerate().map(|(at, rule)| fits(rule) << at).sum()
}

/// The expression for the rules that may match, by the answer to a question; `None` if that does not matter.
fn choice(rules: &[Rule], question: Question) -> Option<String> {
    let mut answers: Vec<Answer> = Vec::new();
    for answer in rules.iter().flat_map(|rule| accepted(rule, question)) {
        if !answers.contains(&answer) {
            answers.push(answer);
        }
    }
    // Constants that rules name come before all others.
    answers.sort_by_key(|answer| match answer {
        Answer::Number(number) => (0, *number),
        Answer::Constant => (1, 0),
        _ => (2, 0),
    });
    let has_constant = answers.contains(&Answer::Constant);
    let mut arms: Vec<(Vec<Answer>, u128)> = Vec::new();
    for answer in answers {
        let is_number = matches!(answer, Answer::Number(_));
        let otherwise = if is_number && has_constant { Answer::Constant } else { Answer::Other };
        let fitting = mask(rules, question, answer);
        match arms.iter_mut().find(|(_, known)| *known == fitting) {
            _ if fitting == mask(rules, question, otherwise) => {}
            // Answers with the same rules share an arm.
            Some((known, _)) => known.push(answer),
            None => arms.push((vec![answer], fitting)),
        }
    }
    arms.push((Vec::new(), mask(rules, question, Answer::Other)));
    let arm = |(answers, fitting): &(Vec<Answer>, u128)| {
        let pattern = if answers.is_empty() { "_".to_owned() } else { patterns(question, answers) };
        format!("{pattern} => {fitting:#x},")
    };
    let arms: Vec<String> = arms.iter().map(arm).collect();
    // Arms for yes and no take a line.
    let (start, end) = if arms.len() > 2 { ("\n        ", "\n    ") } else { (" ", " ") };
    let lines = arms.join(start);
    (arms.len() > 1).then(|| format!("match {} {{{start}{lines}{end}}}", asked(question)))
}

/// The function `name` for `rules`.
fn function(name: &str, rules: &[Rule]) -> String {
    // A modifier that no rule names has its default.
    let is_named = |question: &Question| match question {
        Question::Modifier(place) => rules.iter().any(|rule| names(rule, *place)),
        _ => true,
    };
    let choices: Vec<String> =
        questions().filter(is_named).filter_map(|question| choice(rules, question)).collect();
    let mut text = format!("\nfn {name}(s: Subject<'_, '_>) -> u128 {{\n");
    for (number, choice) in choices.iter().enumerate() {
        let known = if number > 0 { "rules & " } else { "" };
        text += &match number + 1 == choices.len() {
            true => format!("    {known}{choice}\n}}\n"),
            false => format!("    let rules = {known}{choice};\n    if rules == 0 {{ return 0; }}\n"),
        };
    }
    text
}

/// How the generated file asks a question about the subject `s`.
fn asked(question: Question) -> String {
    match question {
        Question::Modifier(place) => format!("s.modifier({place})"),
        Question::Source(index) => format!("s.shape({index})"),
        Question::Equal(first, second) => format!("s.equal({first}, {second})"),
        Question::Repeats(maker, other) => format!("s.repeats({maker}, {other})"),
    }
}

/// How it writes answers.
fn patterns(question: Question, answers: &[Answer]) -> String {
    let patterns: Vec<String> = answers.iter().map(|answer| pattern(question, *answer)).collect();
    patterns.join(" | ")
}

/// How a pattern writes an answer.
fn pattern(question: Question, answer: Answer) -> String {
    match (question, answer) {
        (Question::Source(_), Answer::Number(number)) => format!("Constant({number:#x})"),
        (_, Answer::Number(number)) => number.to_string(),
        (_, Answer::Constant) => "Constant(_)".into(),
        (_, Answer::Made(op)) => format!("Made({})", named(op)),
        (_, Answer::Yes) => "true".into(),
        (_, Answer::Other) => "_".into(),
    }
}

/// How a pattern names an operation.
fn named(op: Op) -> String {
    match op {
        Op::Hw(op) => format!("Hw(Opcode::{op:?})"),
        Op::Ir(op) => format!("Ir(IrOp::{op:?})"),
    }
}

/// The text of the file.
fn generated() -> String {
    let mut text = HEAD.to_owned();
    let name = |op: Op| op.name().replace('.', "_");
    for (op, _) in GROUPS {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "        {} => {}(s),", named(*op), name(*op));
    }
    text += "        _ => 0,\n    }\n}\n";
    for (op, rules) in GROUPS {
        text += &function(&name(*op), rules);
    }
    text
}

#[test]
fn selection_is_that_of_the_rules() {
    let text = generated();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(FILE, &text).expect("a writable file");
    }
    let known = std::fs::read_to_string(FILE).expect("selection.rs");
    let differs = known.lines().zip(text.lines()).find(|(known, text)| known != text);
    assert!(known == text, "BLESS=1 writes selection.rs anew: {differs:?}");
}
