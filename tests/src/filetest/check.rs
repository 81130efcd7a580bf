//! Runs the functions of a file test and compares the results with the expectations.

use agx_abi::linking::VertexOutputs;
use agx_abi::{PartRole, Target, UniformRange, UniformSource};
use agx_compiler::internal::Context;
use agx_compiler::internal::End;
use agx_compiler::internal::Reg;
use agx_compiler::internal::divergence;
use agx_compiler::internal::ir::interpret::{FlatMemory, InterpretError, Limits};
use agx_compiler::internal::ir::print::Registers;
use agx_compiler::internal::ir::{Entity, Function, Stage, interpret, parse_with_registers, validate};
use agx_compiler::internal::pipeline::{find_pass, run_pass};
use agx_compiler::{CompileError, CompileKey, Input};
use agx_emulator::Options;
use agx_emulator::launch::Launch;
use bumpalo::Bump;

use super::format::{FileTest, FunctionTest, Run, STAGES, instruction_lines};
use super::literal;
use crate::driver::compile;

/// Names on the first line other than passes: print the parsed function, check the rules of the stage, print with
/// divergent values marked.
const NOT_PASSES: [&str; 3] = ["print", "validate", DIVERGENCE];
const DIVERGENCE: &str = "divergence";

/// The result of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verdict {
    /// Every difference to the expectations, with its line.
    pub complaints: Vec<String>,
    /// The printed output of each function, if the file has expected output.
    pub outputs: Vec<Option<Vec<String>>>,
}

/// Runs every function of `test`.
pub fn check(test: &FileTest) -> Verdict {
    let mut verdict = Verdict::default();
    for function in &test.functions {
        let (output, complaints) = check_function(test, function);
        verdict.outputs.push(output);
        verdict.complaints.extend(complaints);
    }
    verdict
}

type Output = Option<Vec<String>>;

fn check_function(test: &FileTest, function: &FunctionTest) -> (Output, Vec<String>) {
    let bump = Bump::new();
    let mut complaints = Vec::new();
    let mut found = Vec::new();
    let mut output = None;
    match parse_with_registers(&bump, &function.source).as_deref_mut() {
        Ok([(f, registers)]) => {
            complaints.extend(interpret_runs("interpreter", function, f));
            let before = body(&f.with_registers(registers).to_string());
            found = run_passes(test, function, f, registers);
            let after = if test.passes.iter().any(|name| name == DIVERGENCE) {
                body(&f.with_notes(&divergence(f, agx_abi::Stage::Compute).notes(f)).to_string())
            } else {
                body(&f.with_registers(registers).to_string())
            };
            if function.unchanged && before != after {
                complaints.push(at_head(function, &format!("not unchanged:\n{}", after.join("\n"))));
            }
            complaints.extend(interpret_runs("interpreter after the passes", function, f));
            let wanted = !function.unchanged && function.runs.is_empty() && function.errors.is_empty();
            output = (function.output.is_some() || wanted).then_some(after);
        }
        Ok(functions) => {
            complaints.push(at_head(function, &format!("{} functions instead of one", functions.len())));
        }
        Err(error) => found.push((error_line(function, error), error.to_string())),
    }
    if let (Some(expected), Some(output)) = (&function.output, &output)
        && expected != output
    {
        complaints.push(at_head(function, &difference(expected, output)));
    }
    complaints.extend(unmet(&function.errors, &found));
    if !function.expects_something() {
        let message = "nothing is expected of this function; BLESS=1 writes what is printed";
        complaints.push(at_head(function, message));
    }
    for run in &function.runs {
        complaints.extend(at_run(run, run_on_machine(function, run)));
    }
    (output, complaints)
}

/// Runs the passes of `test` on a function: `None` if it is not valid before them, else what they or the validator complain
/// about.
pub fn accepted_by_passes(test: &FileTest, function: &FunctionTest) -> Option<Result<(), String>> {
    let bump = Bump::new();
    let mut functions = parse_with_registers(&bump, &function.source).ok()?;
    let [(f, registers)] = functions.as_mut_slice() else { return None };
    if f.stage >= Stage::Allocated || validate(f, f.stage).is_err() {
        return None;
    }
    let messages = run_passes(test, function, f, registers);
    Some(messages.into_iter().next().map_or(Ok(()), |(_, message)| Err(message)))
}

fn at_head(function: &FunctionTest, message: &str) -> String {
    format!("line {}: {message}", function.first_line + 1)
}

fn at_run(run: &Run, result: Result<(), String>) -> Option<String> {
    result.err().map(|message| format!("line {}: {message}", run.line + 1))
}

/// Runs the passes; returns their and the validator's messages, each with its line.
fn run_passes(
    test: &FileTest,
    function: &FunctionTest,
    f: &mut Function<'_>,
    registers: &mut Registers,
) -> Vec<(usize, String)> {
    let at_head = |error: String| vec![(function.first_line, error)];
    let setting = |name: &str| test.settings.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
    let mut key = CompileKey::default();
    key.max_gpr_halves = setting("max_gpr_halves").map(|halves| halves as u16);
    key.spill_everything = setting("spill_everything").is_some_and(|value| value != 0);
    key.vertex_outputs = setting("paired").filter(|value| *value != 0).map(|_| VertexOutputs::default());
    let mut context = Context::new(Target::default(), &key);
    context.facts.info.scratch_bytes = setting("scratch_bytes").unwrap_or(0);
    if let Some(words) = setting("constant_words") {
        // The section counts from 0; its address is in u0_u1.
        context.facts.info.constants = (0..words).flat_map(u32::to_le_bytes).collect();
        context.facts.info.uniforms =
            vec![UniformRange { start: 0, halves: 4, source: UniformSource::ConstantAddress }];
    }
    context.facts.info.stage = STAGES[setting("stage").unwrap_or(0) as usize];
    context.facts.end = End::of(&context.facts.info, PartRole::Main);
    for value in f.values.keys() {
        context.back_end.allocation.reg[value] = registers[value].map(|half| Reg { half: half as u8 });
    }
    for name in &test.passes {
        let result = match find_pass(name) {
            Some(pass) if pass.takes(f.stage) => {
                run_pass(pass, f, &mut context, true).map_err(|error| error.to_string())
            }
            Some(pass) => Err(format!(
                "{name} needs stage {}, the function is at {}",
                pass.stages.0.name(),
                f.stage.name()
            )),
            None if NOT_PASSES.contains(&name.as_str()) => Ok(()),
            None => Err(format!("unknown pass {name}")),
        };
        if let Err(error) = result {
            return at_head(error);
        }
        if name == "validate" {
            return violations(function, f);
        }
    }
    for value in f.values.keys() {
        registers[value] = context.back_end.allocation.half(value);
    }
    Vec::new()
}

fn violations(function: &FunctionTest, f: &Function<'_>) -> Vec<(usize, String)> {
    let lines = instruction_lines(&function.source);
    let line_of = |inst: usize| function.first_line + lines.get(inst).copied().unwrap_or(0);
    let violations = validate(f, f.stage).err().unwrap_or_default();
    violations
        .into_iter()
        .map(|violation| {
            (violation.inst.map_or(function.first_line, |inst| line_of(inst.index())), violation.message)
        })
        .collect()
}

/// Line of the file for an error of the parser.
fn error_line(function: &FunctionTest, error: &CompileError) -> usize {
    match error.location {
        agx_compiler::Location::Text { line, .. } => function.first_line + line as usize - 1,
        _ => function.first_line,
    }
}

/// Expected messages that are missing, and unexpected messages.
fn unmet(expected: &[(usize, String)], found: &[(usize, String)]) -> Vec<String> {
    let fits = |(line, text): &(usize, String), (at, message): &(usize, String)| {
        line == at && message.contains(text)
    };
    let missing = expected.iter().filter(|wanted| !found.iter().any(|message| fits(wanted, message)));
    let surplus = found.iter().filter(|message| !expected.iter().any(|wanted| fits(wanted, message)));
    missing
        .map(|(line, text)| format!("line {}: no error `{text}`", line + 1))
        .chain(surplus.map(|(line, text)| format!("line {}: unexpected error: {text}", line + 1)))
        .collect()
}

/// The printed function without header and closing brace, and without the label if it has a single block.
fn body(text: &str) -> Vec<String> {
    let mut lines: Vec<&str> = text.lines().skip(1).map(str::trim_end).collect();
    lines.pop();
    let is_label = |line: &&&str| !line.starts_with(' ') && line.ends_with(':');
    if lines.iter().filter(is_label).count() > 1 {
        return lines.into_iter().map(str::to_owned).collect();
    }
    lines.iter().skip(1).map(|line| line.trim_start().to_owned()).collect()
}

fn difference(expected: &[String], output: &[String]) -> String {
    let at =
        (0..expected.len().max(output.len())).find(|at| expected.get(*at) != output.get(*at)).unwrap_or(0);
    let line = |lines: &[String]| lines.get(at).map_or("nothing".into(), |line| format!("`{line}`"));
    format!(
        "output line {}: expected {}, printed {}; all that is printed:\n{}",
        at + 1,
        line(expected),
        line(output),
        output.join("\n")
    )
}

/// Literals as bits.
fn all_bits(literals: &[String]) -> Result<Vec<u64>, String> {
    literals
        .iter()
        .map(|text| literal::bits(text).ok_or_else(|| format!("expected a number, found {text}")))
        .collect()
}

/// Interprets the function with the arguments of each run, if possible: not after register allocation, and not after
/// parameters are read from the uniform file.
fn interpret_runs(who: &str, function: &FunctionTest, f: &Function<'_>) -> Vec<String> {
    let run = |run: &Run| -> Result<(), String> {
        let arguments = all_bits(&run.arguments)?;
        if f.stage > Stage::Machine || f.params.len() != arguments.len() {
            return Ok(());
        }
        match interpret(f, &arguments, &[], &mut FlatMemory::default(), Limits::default()) {
            // The interpreter lists the values that were kept on the executed path, the machine has an entry for each
            // source of `keep`.
            Ok(outcome) if outcome.kept.len() < run.results.len() => Ok(()),
            Ok(outcome) => compare(who, &run.results, &outcome.kept),
            Err(InterpretError::Unsupported(_)) => Ok(()),
            Err(error) => Err(format!("{who}: {error}")),
        }
    };
    function.runs.iter().filter_map(|each| at_run(each, run(each))).collect()
}

/// Compiles the function and runs it on the machine.
fn run_on_machine(function: &FunctionTest, run: &Run) -> Result<(), String> {
    let arguments = all_bits(&run.arguments)?;
    if run.results.is_empty() {
        return Err("a run must have results".into());
    }
    let mut key = CompileKey::default();
    key.validate = true;
    let shader = compile(Input::ir(&function.source), &key)
        .map_err(|outcome| outcome.reason().unwrap_or_default().to_owned())?;
    let mut results = vec![0; run.results.len()];
    let report = Launch {
        code: shader.part(PartRole::Main).unwrap_or_default(),
        preamble: shader.part(PartRole::Preamble),
        info: &shader.info,
        buffers: &mut [],
        textures: &mut [],
        samplers: &[],
        push_constants: &[],
        arguments: &arguments,
        results: &mut results,
        workgroups: [1, 1, 1],
        options: Options::default(),
    }
    .run()
    .map_err(|error| format!("machine: {error}"))?;
    if let Some(finding) = report.findings.first() {
        return Err(format!("machine: {finding}"));
    }
    compare("machine", &run.results, &results)
}

fn compare(who: &str, expected: &[String], got: &[u64]) -> Result<(), String> {
    for (index, (literal, got)) in expected.iter().zip(got).enumerate() {
        if !literal::matches(literal, *got) {
            return Err(format!("{who}: result {index} is {got:#x}, expected {literal}"));
        }
    }
    if expected.len() == got.len() {
        return Ok(());
    }
    Err(format!("{who}: {} results, expected {}", got.len(), expected.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(text: &str) -> Vec<String> {
        check(&FileTest::parse(text).expect("well-formed")).complaints
    }

    const DEAD: &str =
        "test opt_dce\nkernel @f(%0:32) stage source {\nb0:\n    %1:32 = fadd %0, %0\n    keep %0\n}\n";

    #[test]
    fn the_right_output_is_accepted_and_others_are_not() {
        assert_eq!(complaints(&format!("{DEAD}; keep %0\n")), Vec::<String>::new());
        let wrong = complaints(&format!("{DEAD}; keep %1\n"));
        assert!(
            wrong[0].starts_with("line 2: output line 1: expected `keep %1`, printed `keep %0`"),
            "{wrong:?}"
        );
        assert_eq!(complaints(&format!("{DEAD}; keep %0\n; trap\n")).len(), 1);
        assert_eq!(complaints(DEAD).len(), 1, "nothing expected");
        assert!(complaints(&format!("{DEAD}; unchanged\n"))[0].contains("not unchanged"));
    }

    #[test]
    fn errors_are_expected_on_their_line() {
        let text = |at: &str, below: &str| {
            format!(
                "test validate\nkernel @f(%0:32) stage source {{\nb0:\n    %1:32 = fadd %7, %0{at}\n    keep %1\n}}\n{below}"
            )
        };
        let found = complaints(&text("", "; unchanged\n"));
        assert!(found.iter().all(|complaint| complaint.starts_with("line 4: unexpected error")), "{found:?}");
        assert!(!found.is_empty());
        let wrong = complaints(&text("  ; error: no such message", ""));
        assert!(wrong.iter().any(|complaint| complaint == "line 4: no error `no such message`"), "{wrong:?}");
    }

    #[test]
    fn unknown_passes_are_errors() {
        let text = DEAD.replace("opt_dce", "opt_nothing");
        let found = complaints(&format!("{text}; keep %0\n"));
        assert!(found.iter().any(|complaint| complaint.contains("unknown pass opt_nothing")), "{found:?}");
    }

    #[test]
    fn results_are_compared() {
        assert_eq!(compare("x", &["1.0".into()], &[0x3f80_0000]), Ok(()));
        assert!(compare("x", &["1.0".into()], &[0x3f80_0001]).is_err());
        assert!(compare("x", &["1".into()], &[1, 2]).is_err());
    }
}
