//! Reports in Markdown: for people, and a block of lines for `agxc kit-import`.

use std::fmt::Write as _;
use std::path::Path;

use agx_device::Recording;

use crate::experiments::Row;
use crate::outputs::{Difference, Kind, Output, hex};
use crate::process::End;

/// What an experiment came to.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The hardware gave what the machine gives.
    Same,
    /// It gave something else.
    Differs(Vec<Difference>),
    /// The hardware's run did not end well.
    Ended(End),
    /// The machine's run did not end well, which is an error of the kit.
    Kit(End),
    /// It was not run: a sentence.
    Skipped(String),
}

/// The words of verdicts, with what they mean.
const WORDS: [(&str, &str); 6] = [
    ("same", "The GPU gave what the machine gives."),
    ("differs", "The GPU gave something else: the machine, or the driver, is wrong."),
    ("failed", "The run on the GPU ended with an error."),
    ("late", "The run on the GPU did not end in time, and was ended."),
    ("kit", "The run on the machine failed: an error of the kit."),
    ("skipped", "It was not run."),
];

impl Verdict {
    /// Its word in reports.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Same => "same",
            Verdict::Differs(_) => "differs",
            Verdict::Ended(End::Late(_)) => "late",
            Verdict::Ended(_) => "failed",
            Verdict::Kit(_) => "kit",
            Verdict::Skipped(_) => "skipped",
        }
    }
}

/// A file with the submissions of an experiment, for `agxc replay`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recorded {
    /// Its name.
    pub file: String,
    /// Its bytes.
    pub bytes: usize,
    /// Submissions.
    pub submissions: usize,
}

impl Recorded {
    /// What a file has; `None` if it is not a recording.
    pub fn of(path: &Path) -> Option<Recorded> {
        let bytes = std::fs::read(path).ok()?;
        let submissions = Recording::parse(&bytes).ok()?.submissions();
        let file = path.file_name()?.to_string_lossy().into_owned();
        Some(Recorded { file, bytes: bytes.len(), submissions })
    }
}

/// The result of an experiment.
#[derive(Clone)]
pub struct Entry {
    /// The experiment.
    pub row: Row,
    /// What it came to.
    pub verdict: Verdict,
    /// What the hardware gave.
    pub outputs: Vec<Output>,
    /// What it came to with the second driver, and whether both drivers gave the same.
    pub second: Option<(Verdict, bool)>,
    /// The recording of its submissions.
    pub recorded: Option<Recorded>,
}

impl Entry {
    /// Who is wrong, by what the second driver gave: a word, and a sentence.
    pub fn blame(&self) -> Option<(&'static str, &'static str)> {
        let (second, agree) = self.second.as_ref()?;
        let differs = |verdict: &Verdict| matches!(verdict, Verdict::Differs(_) | Verdict::Ended(_));
        Some(match (differs(&self.verdict), differs(second), agree) {
            (_, _, _) if matches!(second, Verdict::Skipped(_) | Verdict::Kit(_)) => {
                ("none", "nothing to compare")
            }
            (false, false, _) => ("none", "both drivers give what the machine gives"),
            (true, false, _) => {
                ("driver", "the second driver gives what the machine gives: the project's driver is wrong")
            }
            (true, true, true) => ("machine", "both drivers give the same: the machine is wrong"),
            (true, true, false) => ("both", "both drivers differ from the machine, and from each other"),
            (false, true, _) => {
                ("second", "only the second driver differs: it is wrong, or Vulkan allows both results")
            }
        })
    }
}

/// A variant of words, and what its experiments came to.
#[derive(Clone)]
pub struct Tried {
    /// The kind of words.
    pub subject: &'static str,
    /// The changes.
    pub variant: String,
    /// Names of experiments, with what they came to.
    pub results: Vec<(&'static str, Verdict)>,
}

impl Tried {
    /// The results in words.
    pub fn words(&self) -> String {
        let words = self.results.iter().map(|(name, verdict)| format!("{name} {}", verdict.word()));
        words.collect::<Vec<_>>().join(", ")
    }
}

/// A report.
#[derive(Clone, Default)]
pub struct Report {
    /// Facts about machine, kernel and kit.
    pub facts: Vec<(&'static str, String)>,
    /// Results in the order of the experiments.
    pub entries: Vec<Entry>,
    /// Variants of words.
    pub tried: Vec<Tried>,
    /// Why it ended early.
    pub stopped: Option<String>,
}

/// Most bytes of a report.
pub const LIMIT: usize = 60_000;
/// Most differences of an experiment that are written, and most characters of a note.
const DIFFERENCES: usize = 8;
const NOTE: usize = 120;

/// FNV-1a, by which outputs that agree are named.
pub fn digest(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// What a verdict says, in words.
fn sentence(verdict: &Verdict) -> String {
    let ended = |end: &End| match end {
        End::Complete => String::from("complete"),
        End::Failed(why) => why.clone(),
        End::Late(seconds) => format!("ended after {seconds} s"),
    };
    match verdict {
        Verdict::Same => String::new(),
        Verdict::Differs(list) => {
            let names: Vec<String> = list.iter().map(|found| format!("`{}`", found.name)).collect();
            format!("in {}", names.join(", "))
        }
        Verdict::Ended(end) | Verdict::Kit(end) => ended(end),
        Verdict::Skipped(why) => why.clone(),
    }
    .replace('|', "/")
}

/// Words as a person reads them: hexadecimal numbers, and the floats that they may be.
fn readable(bytes: &[u8]) -> String {
    let (words, _) = bytes.as_chunks::<4>();
    if words.is_empty() {
        return if bytes.is_empty() { String::from("nothing") } else { hex(bytes) };
    }
    let word = |word: &[u8; 4]| {
        let float = f32::from_le_bytes(*word);
        let is_plain = float == 0.0 || (1e-6..1e9).contains(&float.abs());
        let number = u32::from_le_bytes(*word);
        if is_plain { format!("{number:#010x} ({float})") } else { format!("{number:#010x}") }
    };
    words.iter().map(word).collect::<Vec<_>>().join(", ")
}

impl Report {
    /// Its text.
    pub fn text(&self) -> String {
        let mut text = String::from(
            "# agx-kit report\n\nEach experiment ran on the GPU of this computer and on a software model of it (*the machine*). This report \
             compares the bytes that both gave.\n\n",
        );
        self.summary(&mut text);
        text.push_str("\n| fact | value |\n|---|---|\n");
        for (name, value) in &self.facts {
            let _ = writeln!(text, "| {name} | {value} |");
        }
        self.table(&mut text);
        for entry in &self.entries {
            section(entry, &mut text);
        }
        self.words(&mut text);
        text.push_str("\n## For `agxc kit-import`\n\n```agx-kit 1\n");
        let tried = self.tried.iter().flat_map(|tried| {
            let results = tried.results.iter();
            results.map(|(name, verdict)| {
                format!("word {} {name} {} {}\n", tried.subject, verdict.word(), tried.variant)
            })
        });
        for lines in self.entries.iter().map(lines).chain(tried) {
            if text.len() + lines.len() > LIMIT - 100 {
                text.push_str("cut\n");
                break;
            }
            text.push_str(&lines);
        }
        text.push_str("```\n");
        text
    }

    /// How many experiments came to what, and what the words mean.
    fn summary(&self, text: &mut String) {
        let count = |word: &str| self.entries.iter().filter(|entry| entry.verdict.word() == word).count();
        let _ = writeln!(
            text,
            "**{} experiments: {} same, {} differ.**\n",
            self.entries.len(),
            count("same"),
            count("differs")
        );
        if let Some(why) = &self.stopped {
            let _ = writeln!(text, "**The kit stopped: {why}.**\n");
        }
        for (word, meaning) in WORDS.iter().filter(|(word, _)| count(word) > 0) {
            let _ = writeln!(text, "* *{word}* ({}): {meaning}", count(word));
        }
    }

    /// A line for each experiment.
    fn table(&self, text: &mut String) {
        let has_second = self.entries.iter().any(|entry| entry.second.is_some());
        let (head, line) = if has_second { (" second driver |", "---|") } else { ("", "") };
        let _ = write!(text, "\n| # | experiment | result |{head} |\n|---:|---|---|{line}---|\n");
        for entry in &self.entries {
            let (row, word) = (&entry.row, entry.verdict.word());
            let second = match (&entry.second, has_second) {
                (Some((verdict, _)), _) => format!(" {} |", verdict.word()),
                (None, true) => String::from(" – |"),
                (None, false) => String::new(),
            };
            let found = sentence(&entry.verdict);
            let _ =
                writeln!(text, "| {} | {}: {} | {word} |{second} {found} |", row.number, row.name, row.asks);
        }
    }

    /// The variants of words.
    fn words(&self, text: &mut String) {
        for (at, tried) in self.tried.iter().enumerate() {
            if at == 0 || self.tried.get(at - 1).is_none_or(|before| before.subject != tried.subject) {
                let asks = crate::words::find(tried.subject).map_or("", |subject| subject.asks);
                let _ = write!(
                    text,
                    "\n## Words: {}\n\n{asks} A variant that is *same* makes no difference to the experiment.\n\n| variant | results |\n|---|---|\n",
                    tried.subject
                );
            }
            let _ = writeln!(text, "| `{}` | {} |", tried.variant, tried.words());
        }
    }
}

/// A table of differences.
fn differences(list: &[Difference], who: &str, text: &mut String) {
    let _ = write!(
        text,
        "\n| output | from byte | different words | {who} | machine |\n|---|---:|---:|---|---|\n"
    );
    for Difference { name, at, found, expected, count } in list.iter().take(DIFFERENCES) {
        let _ =
            writeln!(text, "| `{name}` | {at} | {count} | {} | {} |", readable(found), readable(expected));
    }
    if list.len() > DIFFERENCES {
        let _ = writeln!(text, "\n{} more outputs differ.", list.len() - DIFFERENCES);
    }
}

/// The section of an experiment that did not give what the machine gives.
fn section(entry: &Entry, text: &mut String) {
    let Entry { row, verdict, recorded, .. } = entry;
    let blame = entry.blame().filter(|(word, _)| *word != "none");
    let is_plain = matches!(verdict, Verdict::Same | Verdict::Skipped(_));
    if is_plain && blame.is_none() && recorded.is_none() {
        return;
    }
    let _ = write!(
        text,
        "\n## {}. {}: {}\n\n{} The experiment {}.\n",
        row.number,
        row.name,
        verdict.word(),
        row.asks,
        row.does
    );
    if !is_plain {
        let _ = writeln!(text, "\nIt contradicts:\n");
        row.decides.iter().for_each(|assumption| text.push_str(&format!("* {assumption}\n")));
    }
    match verdict {
        Verdict::Differs(list) => differences(list, "GPU", text),
        _ if is_plain => {}
        _ => _ = writeln!(text, "\n{}", sentence(verdict)),
    }
    if let Some((_, blame)) = blame {
        let _ = writeln!(text, "\nSecond driver: {blame}.");
        match &entry.second {
            // It gave what the first driver gave.
            Some((_, true)) | None => {}
            Some((Verdict::Differs(list), false)) => differences(list, "GPU by the second driver", text),
            Some((second, false)) => _ = writeln!(text, "\n{}", sentence(second)),
        }
    }
    if let Some(Recorded { file, bytes, submissions }) = recorded {
        let _ = writeln!(
            text,
            "\nRecording: `{file}` in the folder of this report ({submissions} submissions, {} KB). `agxc replay {file} --strict no` runs it on the \
             machine and names the first byte that the GPU wrote differently; please attach the file.",
            bytes.div_ceil(1000)
        );
    }
}

/// The lines of an experiment.
fn lines(entry: &Entry) -> String {
    let Entry { row, verdict, outputs, recorded, second } = entry;
    let mut text = format!("experiment {} {} {}\n", row.number, row.name, verdict.word());
    for assumption in row.decides {
        let _ = writeln!(text, "decides {assumption}");
    }
    if let (Some((second, _)), Some((blame, _))) = (second, entry.blame()) {
        let _ = writeln!(text, "second {} {blame}", second.word());
    }
    if let Some(Recorded { file, bytes, .. }) = recorded {
        let _ = writeln!(text, "recording {file} {bytes}");
    }
    if let Verdict::Differs(list) = verdict {
        for Difference { name, at, found, expected, count } in list.iter().take(DIFFERENCES) {
            let dash = |bytes: &[u8]| if bytes.is_empty() { String::from("-") } else { hex(bytes) };
            let _ = writeln!(text, "differs {name} {at} {} {} {count}", dash(found), dash(expected));
        }
    }
    for Output { name, kind, bytes } in outputs {
        let _ = match kind {
            Kind::Note => {
                let note: String = String::from_utf8_lossy(bytes).chars().take(NOTE).collect();
                writeln!(text, "note {name} {}", note.replace('\n', " "))
            }
            _ if bytes.len() <= 16 => writeln!(text, "value {name} {}", hex(bytes)),
            _ => writeln!(text, "digest {name} {:016x} {}", digest(bytes), bytes.len()),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::find;

    fn entry(verdict: Verdict, second: Option<(Verdict, bool)>) -> Entry {
        let row = find("arithmetic").expect("an experiment");
        Entry { row, verdict, outputs: Vec::new(), second, recorded: None }
    }

    fn differs() -> Verdict {
        let bytes = |value: f32| value.to_le_bytes().to_vec();
        let (found, expected) = (bytes(1.5), bytes(1.25));
        Verdict::Differs(vec![Difference { name: "floats".into(), at: 8, found, expected, count: 3 }])
    }

    #[test]
    fn two_drivers_tell_who_is_wrong() {
        let blame =
            |own: Verdict, second: Option<(Verdict, bool)>| entry(own, second).blame().map(|(word, _)| word);
        assert_eq!(blame(differs(), None), None);
        assert_eq!(blame(differs(), Some((Verdict::Same, false))), Some("driver"));
        assert_eq!(blame(differs(), Some((differs(), true))), Some("machine"));
        assert_eq!(blame(differs(), Some((differs(), false))), Some("both"));
        assert_eq!(blame(Verdict::Same, Some((differs(), false))), Some("second"));
        assert_eq!(blame(Verdict::Same, Some((Verdict::Same, true))), Some("none"));
        assert_eq!(blame(differs(), Some((Verdict::Skipped(String::new()), false))), Some("none"));
    }

    #[test]
    fn differences_are_readable_and_importable() {
        let mut found = entry(differs(), Some((differs(), true)));
        found.recorded = Some(Recorded { file: "arithmetic.agxrec".into(), bytes: 4096, submissions: 2 });
        let results = vec![("lanes", Verdict::Same), ("triangle", differs())];
        let tried = Tried { subject: "program-kinds", variant: "shader word.BITS_10_15=0".into(), results };
        let report = Report {
            entries: vec![found, entry(Verdict::Same, None)],
            tried: vec![tried],
            ..Report::default()
        };
        let text = report.text();
        for part in [
            "**2 experiments: 1 same, 1 differ.**",
            "0x3fc00000 (1.5) | 0x3fa00000 (1.25)",
            "the machine is wrong",
            "agxc replay arithmetic.agxrec",
            "| `shader word.BITS_10_15=0` | lanes same, triangle differs |",
            "\nsecond differs machine\n",
            "\nrecording arithmetic.agxrec 4096\n",
            "\nword program-kinds triangle differs shader word.BITS_10_15=0\n",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }
}
