//! Case files: shaders and programs that use them, expanded over lists of values. `tests/device/compute.cases`
//! describes the format.

use std::collections::BTreeMap;

use thiserror::Error;

/// The reason why a case file is invalid.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}: {what}")]
pub struct CaseError {
    /// The line, from 1 on.
    pub line: usize,
    /// Description.
    pub what: String,
}

/// A shader: its stage and its source, which may contain variables.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Glsl {
    stage: String,
    source: String,
}

/// A shader of a case: stage and source.
pub type Shader = (String, String);

/// One program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// Its name, unique in the file.
    pub name: String,
    /// Its lines, except for shaders and comparison.
    pub lines: Vec<String>,
    /// Its shaders.
    pub shaders: Vec<Shader>,
    /// The words of the comparison rule.
    pub compare: Vec<String>,
}

/// Reads a case file.
///
/// # Errors
/// [`CaseError`].
pub fn parse(text: &str) -> Result<Vec<Case>, CaseError> {
    let mut shaders = BTreeMap::new();
    let mut cases = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            [first, ..] if first.starts_with('#') => {}
            ["glsl", name, stage] => {
                let source: Vec<&str> =
                    lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "endglsl").collect();
                let source = source.join("\n") + "\n";
                shaders.insert((*name).to_owned(), Glsl { stage: (*stage).to_owned(), source });
            }
            ["case", name] => {
                let block: Vec<&str> =
                    lines.by_ref().map(|(_, line)| line.trim()).take_while(|line| *line != "end").collect();
                cases.extend(expand(name, &block, &shaders, number + 1)?);
            }
            _ => {
                return Err(CaseError {
                    line: number + 1,
                    what: format!("expected `glsl` or `case`, found `{line}`"),
                });
            }
        }
    }
    Ok(cases)
}

/// A value for each variable.
type Values = Vec<(String, String)>;

/// Every combination of the values of `each` lines.
fn combinations(block: &[&str]) -> Vec<Values> {
    let mut all: Vec<Values> = vec![Vec::new()];
    for line in block.iter().filter_map(|line| line.strip_prefix("each ")) {
        let mut words = line.split_whitespace();
        let names = words.next().unwrap_or("");
        let separator = if names.contains('/') { '/' } else { ',' };
        let names: Vec<&str> = names.split(separator).collect();
        let choices: Vec<Values> = words
            .map(|word| {
                let values = word.splitn(names.len(), separator);
                names.iter().zip(values).map(|(name, value)| ((*name).to_owned(), unescaped(value))).collect()
            })
            .collect();
        all = all
            .iter()
            .flat_map(|known| choices.iter().map(|more| [known.clone(), more.clone()].concat()))
            .collect();
    }
    all
}

/// `~` is a space, `~~` itself.
fn unescaped(value: &str) -> String {
    value.replace("~~", "\u{1}").replace('~', " ").replace('\u{1}', "~")
}

/// Substitutes values, those with the longest names first; values may refer to others.
fn substituted(text: &str, values: &Values) -> String {
    let mut order: Vec<&(String, String)> = values.iter().collect();
    order.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    let once = |text: String| {
        order.iter().fold(text, |text, (name, value)| text.replace(&format!("${name}"), value))
    };
    once(once(text.to_owned()))
}

fn expand(
    name: &str,
    block: &[&str],
    shaders: &BTreeMap<String, Glsl>,
    line: usize,
) -> Result<Vec<Case>, CaseError> {
    combinations(block)
        .into_iter()
        .map(|values| {
            let mut case = Case {
                name: substituted(name, &values),
                lines: Vec::new(),
                shaders: Vec::new(),
                compare: Vec::new(),
            };
            for text in block.iter().filter(|line| !line.starts_with("each ")) {
                let text = substituted(text, &values);
                let words: Vec<&str> = text.split_whitespace().collect();
                match words.as_slice() {
                    ["shader", _, name] => {
                        let glsl = shaders
                            .get(*name)
                            .ok_or_else(|| CaseError { line, what: format!("unknown shader `{name}`") })?;
                        case.shaders.push((glsl.stage.clone(), substituted(&glsl.source, &values)));
                    }
                    ["compare", rest @ ..] => {
                        case.compare = rest.iter().map(|word| (*word).to_owned()).collect()
                    }
                    [] => {}
                    _ => case.lines.push(text),
                }
            }
            Ok(case)
        })
        .collect()
}

impl Case {
    /// The words after the first line of a key.
    pub fn words(&self, key: &str) -> Option<Vec<&str>> {
        self.lines.iter().find_map(|line| {
            let mut words = line.split_whitespace();
            (words.next() == Some(key)).then(|| words.collect())
        })
    }

    /// Numbers after a key; `or` if there are none.
    pub fn numbers<const N: usize>(&self, key: &str, or: [usize; N]) -> [usize; N] {
        let mut numbers = or;
        for (place, word) in numbers.iter_mut().zip(self.words(key).unwrap_or_default()) {
            *place = word.parse().unwrap_or(*place);
        }
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_expanded_over_every_combination() {
        let text = "glsl a comp\nx $T $N\nendglsl\ncase c-$N-$T\neach N/X one/1~+~2 two/3/4\neach T u i\nkind $X\nshader comp a\ncompare bytes 3\nend\n";
        let cases = parse(text).expect("valid");
        let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names, ["c-one-u", "c-one-i", "c-two-u", "c-two-i"]);
        assert_eq!(cases[1].lines, ["kind 1 + 2"]);
        assert_eq!(cases[2].lines, ["kind 3/4"]);
        assert_eq!(cases[3].shaders, [("comp".to_owned(), "x i two\n".to_owned())]);
        assert_eq!(cases[0].compare, ["bytes", "3"]);
        assert_eq!(parse("case a\nshader comp b\nend\n").expect_err("unknown").what, "unknown shader `b`");
    }
}
