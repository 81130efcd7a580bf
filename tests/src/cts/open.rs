//! Cases that are known not to pass, each with the reason.

/// The committed list: driver, pattern of names, reason, separated by tabs.
const OPEN: &str = include_str!("../../cts/open.tsv");

/// A row of the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Open<'t> {
    /// `agx` for the project's driver, `mesa` for Mesa's, `both`.
    pub driver: &'t str,
    /// A name in which `*` stands for any text.
    pub pattern: &'t str,
    /// The reason, a sentence.
    pub reason: &'t str,
}

/// The rows for a driver, `agx` or `mesa`.
pub fn rows(driver: &str) -> Vec<Open<'static>> {
    parse(OPEN).filter(|row| row.driver == driver || row.driver == "both").collect()
}

fn parse(text: &str) -> impl Iterator<Item = Open<'_>> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).filter_map(|line| {
        let mut fields = line.split('\t');
        Some(Open { driver: fields.next()?, pattern: fields.next()?, reason: fields.next()? })
    })
}

impl Open<'_> {
    /// Whether the row is about the case.
    pub fn matches(&self, name: &str) -> bool {
        let mut parts = self.pattern.split('*');
        let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else { return false };
        let mut last = None;
        for part in parts {
            let Some(at) = rest.find(part) else { return false };
            rest = &rest[at + part.len()..];
            last = Some(part);
        }
        match last {
            None => rest.is_empty(),
            Some(part) => name.ends_with(part),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        let row = |pattern| Open { driver: "agx", pattern, reason: "" };
        assert!(row("a.b.c").matches("a.b.c"));
        assert!(!row("a.b").matches("a.b.c"));
        assert!(row("a.*.c").matches("a.b.b.c"));
        assert!(!row("a.*.c").matches("a.b.d"));
        assert!(row("a.*").matches("a.b.d"));
        assert!(!row("b.*").matches("a.b.d"));
    }

    #[test]
    fn every_row_has_a_driver_a_pattern_and_a_reason() {
        let lines = OPEN.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        assert_eq!(lines.count(), parse(OPEN).count());
        for row in parse(OPEN) {
            assert!(["agx", "mesa", "both"].contains(&row.driver), "{row:?}");
            assert!(row.pattern.starts_with("dEQP-") && row.reason.ends_with('.'), "{row:?}");
        }
    }
}
