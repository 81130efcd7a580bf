//! Definitions in the functions of the file tests are replaced by values that no operation with operands computes: registers,
//! special registers, uniforms and constants. Passes that look at the definitions of sources must not expect operands.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use agx_tests::filetest::check::accepted_by_passes;
use agx_tests::filetest::format::{FileTest, FunctionTest};
use rayon::prelude::*;

/// What replaces a definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Leaf {
    /// A register that holds a value when the program starts.
    Preload,
    /// The position in the grid.
    SpecialRegister,
    /// A register of the uniform file.
    Uniform,
    /// A number.
    Constant,
}

impl Leaf {
    const ALL: [Leaf; 4] = [Leaf::Preload, Leaf::SpecialRegister, Leaf::Uniform, Leaf::Constant];

    /// The line that defines a value of `bits` bits instead, if there is one.
    fn definition(self, name: &str, bits: &str) -> Option<String> {
        match (self, bits) {
            (Leaf::Preload, "16" | "32" | "64") => Some(format!("    {name}:{bits} = preload reg=8")),
            (Leaf::SpecialRegister, "32") => Some(format!("    {name}:32 = mfsr sr=80")),
            _ => None,
        }
    }

    /// The source that is read instead, if there is one.
    fn source(self, bits: &str) -> Option<String> {
        let uniform = match bits {
            "16" => "u12h",
            "32" => "u12",
            "64" => "u12_u13",
            _ => return (self == Leaf::Constant).then(|| constant(bits)),
        };
        match self {
            Leaf::Uniform => Some(uniform.to_owned()),
            Leaf::Constant => Some(constant(bits)),
            Leaf::Preload | Leaf::SpecialRegister => None,
        }
    }
}

fn constant(bits: &str) -> String {
    if bits == "1" { "true".to_owned() } else { format!("#5:{bits}") }
}

/// The name and the bits of the only result of an instruction, if it is a scalar that is not a phi.
fn result(line: &str) -> Option<(&str, &str)> {
    let (result, operation) = line.trim().split_once(" = ")?;
    let (name, bits) = result.split_once(':')?;
    let bits = bits.trim_end_matches('~');
    let is_scalar = ["1", "8", "16", "32", "64"].contains(&bits);
    (is_scalar && name.starts_with('%') && !operation.starts_with("phi ")).then_some((name, bits))
}

/// The text with `name` replaced by `source`, where it is the whole name of a value.
fn renamed(text: &str, name: &str, source: &str) -> String {
    let mut parts = text.split(name);
    let mut renamed = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_longer = part.starts_with(|next: char| next.is_ascii_digit());
        renamed.push_str(if is_longer { name } else { source });
        renamed.push_str(part);
    }
    renamed
}

/// The function with the definition in line `at` replaced.
fn replaced(source: &str, at: usize, leaf: Leaf) -> Option<String> {
    let mut lines: Vec<String> = source.lines().map(str::to_owned).collect();
    let line = lines.get(at)?.clone();
    let (name, bits) = result(&line)?;
    if let Some(source) = leaf.source(bits) {
        lines.remove(at);
        return Some(renamed(&(lines.join("\n") + "\n"), name, &source));
    }
    let definition = leaf.definition(name, bits)?;
    lines.remove(at);
    let first = lines.iter().position(|line| line.trim_start().starts_with("b0:"))? + 1;
    lines.insert(if leaf == Leaf::Preload { first } else { at }, definition);
    Some(lines.join("\n") + "\n")
}

fn files_below(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "ir") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Whether a function has values in registers at its start, of which another one would need others.
fn has_own_registers(test: &FileTest, function: &FunctionTest) -> bool {
    function.source.contains("preload") || test.passes.iter().any(|pass| pass == "lower_test_kernel")
}

/// Runs the passes of a file on one of its functions with each definition replaced. Counts the runs, and adds complaints.
fn check(test: &FileTest, function: &FunctionTest, complaints: &mut Vec<String>) -> usize {
    let mut runs = 0;
    for at in 1..function.source.lines().count() {
        for leaf in Leaf::ALL {
            if leaf == Leaf::Preload && has_own_registers(test, function) {
                continue;
            }
            let Some(source) = replaced(&function.source, at, leaf) else { continue };
            let mut changed = function.clone();
            changed.source = source;
            let outcome = catch_unwind(AssertUnwindSafe(|| accepted_by_passes(test, &changed)));
            let complaint = match outcome {
                // The result is not a function that the passes take: a constant where the operation reads none.
                Ok(None) => continue,
                Ok(Some(Ok(()))) => None,
                Ok(Some(Err(message))) => Some(message),
                Err(_) => Some("panic".to_owned()),
            };
            runs += 1;
            complaints.extend(complaint.map(|message| format!("{message}, {leaf:?}\n{}", changed.source)));
        }
    }
    runs
}

#[test]
fn passes_take_leaves_in_place_of_definitions() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
    let check_file = |path: &PathBuf| {
        let (mut complaints, mut runs) = (Vec::new(), 0);
        let text = std::fs::read_to_string(path).expect("UTF-8");
        let test = FileTest::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for function in test.functions.iter().filter(|function| function.errors.is_empty()) {
            runs += check(&test, function, &mut complaints);
        }
        (complaints, runs)
    };
    let found: Vec<(Vec<String>, usize)> = files_below(&root).par_iter().map(check_file).collect();
    let runs: usize = found.iter().map(|(_, runs)| runs).sum();
    let complaints: Vec<String> = found.into_iter().flat_map(|(complaints, _)| complaints).collect();
    assert!(runs > 3000, "{runs} runs");
    assert!(complaints.is_empty(), "{} of {runs}:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn definitions_are_replaced_as_a_whole() {
    let text = "kernel @f(%0:32) stage source {\nb0:\n    %1:32 = iadd %0, %0\n    %10:32 = iadd %1, %1\n    keep %10, %1\n}\n";
    let uniform = "kernel @f(%0:32) stage source {\nb0:\n    %10:32 = iadd u12, u12\n    keep %10, u12\n}\n";
    assert_eq!(replaced(text, 2, Leaf::Uniform).as_deref(), Some(uniform));
    let register = replaced(text, 3, Leaf::Preload).expect("a definition");
    assert!(register.contains("b0:\n    %10:32 = preload reg=8\n    %1:32 = iadd"), "{register}");
    assert_eq!(replaced(text, 4, Leaf::Constant), None);
}
