//! The cases of a program of Khronos' suites, and samples of them.

use std::path::Path;

use siphasher::sip::SipHasher13;

/// How the names of all cases start.
const PACKAGES: [&str; 3] = ["dEQP-", "KHR-", "GTF-"];

/// Which cases of the list run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample<'s> {
    /// Only names that contain this.
    pub filter: Option<&'s str>,
    /// One in this number of cases, chosen by a hash of the name. A case keeps its place in the sample when others are
    /// added or removed, and a sample of one in `n` contains every sample of one in `k * n`.
    pub one_in: u64,
}

impl Sample<'_> {
    /// Whether the sample contains the case.
    pub fn contains(&self, name: &str) -> bool {
        self.filter.is_none_or(|filter| name.contains(filter))
            && hash(name).is_multiple_of(self.one_in.max(1))
    }
}

/// A hash of a name that is equal on every machine.
fn hash(name: &str) -> u64 {
    SipHasher13::new().hash(name.as_bytes())
}

/// The names in `text`: one per line, with or without the `TEST: ` of exported lists. Other lines are ignored.
pub fn names(text: &str) -> impl Iterator<Item = &str> {
    let names = text.lines().map(|line| line.trim().trim_start_matches("TEST: "));
    names.filter(|line| PACKAGES.iter().any(|package| line.starts_with(package)))
}

/// The text of a list: a file, or all `.txt` files of a folder and its folders, in the order of their names.
///
/// # Errors
/// A sentence with the file that cannot be read.
pub fn read(path: &Path) -> Result<String, String> {
    let at = |error: std::io::Error| format!("{}: {error}", path.display());
    if !path.is_dir() {
        return std::fs::read_to_string(path).map_err(at);
    }
    let entries = std::fs::read_dir(path).map_err(at)?;
    let mut entries: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    let is_list = |path: &Path| path.is_dir() || path.extension().is_some_and(|extension| extension == "txt");
    let texts: Result<Vec<String>, String> =
        entries.iter().filter(|path| is_list(path)).map(|path| read(path)).collect();
    Ok(texts?.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_nested_and_have_the_size_that_was_asked_for() {
        let names: Vec<String> = (0..40_000).map(|at| format!("dEQP-VK.group.case_{at}")).collect();
        let count =
            |one_in| names.iter().filter(|name| Sample { filter: None, one_in }.contains(name)).count();
        assert_eq!(count(1), 40_000);
        assert!((900..1100).contains(&count(40)), "{}", count(40));
        let (small, large) = (Sample { filter: None, one_in: 400 }, Sample { filter: None, one_in: 40 });
        assert!(names.iter().filter(|name| small.contains(name)).all(|name| large.contains(name)));
        let filtered = Sample { filter: Some("case_12"), one_in: 1 };
        assert!(filtered.contains("dEQP-VK.group.case_123"));
        assert!(!filtered.contains("dEQP-VK.group.case_213"));
    }

    #[test]
    fn the_sample_is_the_same_on_every_machine() {
        let sample = Sample { filter: None, one_in: 4 };
        let names =
            ["dEQP-VK.api.smoke.triangle", "dEQP-VK.a", "dEQP-VK.b", "dEQP-VK.c", "dEQP-VK.d", "dEQP-VK.e"];
        let chosen: Vec<&str> = names.into_iter().filter(|name| sample.contains(name)).collect();
        assert_eq!(chosen, ["dEQP-VK.e"]);
    }

    #[test]
    fn lists_are_names_or_exported_lines() {
        let text = "GROUP: dEQP-VK.api\nTEST: dEQP-VK.api.a\ndEQP-VK.api.b\n\nKHR-GL46.c\n# note\n";
        assert_eq!(names(text).collect::<Vec<_>>(), ["dEQP-VK.api.a", "dEQP-VK.api.b", "KHR-GL46.c"]);
    }
}
