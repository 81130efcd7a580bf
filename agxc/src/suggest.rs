//! Names that resemble a mistyped one.

/// Most names that a message suggests.
const MOST: usize = 5;

/// The names that are most like `word`: in another case, with a few letters changed, or with `word` inside.
pub fn similar<'n>(word: &str, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let wanted = word.to_lowercase();
    let allowed = (wanted.chars().count() / 3).max(1);
    let mut found: Vec<(usize, &str)> = Vec::new();
    for name in names {
        let lower = name.to_lowercase();
        let distance = distance(&wanted, &lower);
        let is_inside = wanted.len() > 1 && lower.contains(&wanted);
        if (distance <= allowed || is_inside) && found.iter().all(|(_, known)| *known != name) {
            found.push((distance, name));
        }
    }
    found.sort_unstable();
    found.into_iter().take(MOST).map(|(_, name)| name).collect()
}

/// `; did you mean A or B?`, or nothing.
pub fn question(similar: &[&str]) -> String {
    match similar {
        [] => String::new(),
        [only] => format!("; did you mean {only}?"),
        [first @ .., last] => format!("; did you mean {} or {last}?", first.join(", ")),
    }
}

/// The number of letters to insert, remove or replace to turn `one` into `other`.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, letter) in one.chars().enumerate() {
        let mut diagonal = line;
        row[0] = line + 1;
        for (column, known) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *known);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_suggested_by_likeness() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "ab"), 2);
        let names = ["fadd", "fmadd", "opt_cse", "FSCIB"];
        let of = |word| similar(word, names.into_iter());
        assert_eq!(of("FADD"), ["fadd", "fmadd"]);
        assert_eq!(of("fma"), ["fmadd"]);
        assert_eq!(of("opt_sce"), ["opt_cse"]);
        assert_eq!(of("fscib"), ["FSCIB"]);
        assert!(of("elephant").is_empty() && of("x").is_empty());
        assert_eq!(question(&of("FADD")), "; did you mean fadd or fmadd?");
        assert_eq!(question(&[]), "");
    }
}
