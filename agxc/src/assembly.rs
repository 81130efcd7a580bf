//! Listings as text. `.part` lines divide a listing into the parts of a shader; labels are local to a part.
//!
//! ```text
//! .part main                  ; roles: main, preamble, prolog, epilog
//!     fadd r0, r1, r2
//! .part main continues        ; another part follows in memory: the code need not end with `stop`
//! ```
//!
//! A text without `.part` lines is one main part. The directives `.file` and `.loc` name source positions; assembling
//! ignores them.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use agx_abi::PartRole;
use agx_compiler::Location;
use agx_isa::asm::{self, AsmError};

use crate::diagnostic::{Diagnostic, Failure};

/// Roles by the names they have in listings and options.
pub const ROLES: [(&str, PartRole); 4] = [
    ("main", PartRole::Main),
    ("preamble", PartRole::Preamble),
    ("prolog", PartRole::Prolog),
    ("epilog", PartRole::Epilog),
];

/// Lower-case name of a role.
pub fn role_name(role: PartRole) -> &'static str {
    ROLES.iter().find(|(_, known)| *known == role).map_or("main", |(name, _)| name)
}

/// The role called `name`.
pub fn role(name: &str) -> Result<PartRole, Failure> {
    let found = ROLES.iter().find(|(known, _)| *known == name);
    found.map(|(_, role)| *role).ok_or_else(|| {
        Failure::usage(format!("unknown part `{name}`; expected main, preamble, prolog or epilog"))
    })
}

/// A part of a listing, assembled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Role.
    pub role: PartRole,
    /// Another part follows it in memory.
    pub continues: bool,
    /// Machine code.
    pub code: Vec<u8>,
}

/// The line that begins a part, with its size as a comment.
pub fn directive(role: PartRole, continues: bool, size_bytes: usize) -> String {
    let continues = if continues { " continues" } else { "" };
    format!("{:<28}; {size_bytes} bytes\n", format!(".part {}{continues}", role_name(role)))
}

/// Assembles every part of `text` from the file called `name`.
///
/// # Errors
/// A line that cannot be assembled, is not a directive, or repeats a part; a text without instructions.
pub fn parts(text: &str, name: &str) -> Result<Vec<Part>, Failure> {
    let at = |line: usize, column: usize, message: String| {
        let location = Location::Text { line: line as u32, column: column as u32 };
        Failure::from(Diagnostic::new(301, message).in_file(name).at(location))
    };
    let mut parts: Vec<Part> = Vec::new();
    for section in sections(text).map_err(|(line, message)| at(line, 1, message))? {
        if parts.iter().any(|part| part.role == section.role) {
            let role = role_name(section.role);
            return Err(at(section.first_line, 1, format!("the part `{role}` appears twice")));
        }
        let code = asm::assemble(&section.text).map_err(|AsmError { line, column, problem }| {
            at(line.saturating_add(section.first_line), column, problem.to_string())
        })?;
        parts.push(Part { role: section.role, continues: section.continues, code });
    }
    // A listing may have a part without instructions, but a text without instructions is not a listing.
    let has_heading = text.lines().any(|line| line.trim_start().starts_with(".part"));
    if !has_heading && parts.iter().all(|part| part.code.is_empty()) {
        let nothing = Diagnostic::new(301, "expected instructions, found none");
        return Err(nothing.in_file(name).into());
    }
    Ok(parts)
}

/// The text of one part.
struct Section {
    role: PartRole,
    continues: bool,
    /// Number of lines before the section's first line.
    first_line: usize,
    text: String,
}

/// Divides a listing at its `.part` lines. Text before the first `.part` line is a main section, unless it is only
/// comments.
fn sections(text: &str) -> Result<Vec<Section>, (usize, String)> {
    let main = Section { role: PartRole::Main, continues: false, first_line: 0, text: String::new() };
    let mut sections = vec![main];
    for (number, line) in (1..).zip(text.lines()) {
        let code = line.split(';').next().unwrap_or_default().trim();
        if let Some(words) = code.strip_prefix(".part") {
            let (role, continues) = heading(words).map_err(|message| (number, message))?;
            sections.push(Section { role, continues, first_line: number, text: String::new() });
        } else if let Some(section) = sections.last_mut() {
            // Position lines become empty, so that the others keep their numbers.
            section.text.push_str(if is_position(code) { "" } else { line });
            section.text.push('\n');
        }
    }
    let is_blank = |section: &Section| {
        section.text.lines().all(|line| line.split(';').next().unwrap_or_default().trim().is_empty())
    };
    if sections.len() > 1 && sections.first().is_some_and(is_blank) {
        sections.remove(0);
    }
    Ok(sections)
}

/// Whether a line is a directive that names a source position.
fn is_position(code: &str) -> bool {
    matches!(code.split_whitespace().next(), Some(".file" | ".loc"))
}

/// The words after `.part`.
fn heading(words: &str) -> Result<(PartRole, bool), String> {
    let mut words = words.split_whitespace();
    let name = words.next().unwrap_or_default();
    let role = ROLES.iter().find(|(known, _)| *known == name).map(|(_, role)| *role);
    let role = role.ok_or_else(|| {
        format!("unknown part `{name}`; expected `.part` and main, preamble, prolog or epilog")
    })?;
    match (words.next(), words.next()) {
        (None, _) => Ok((role, false)),
        (Some("continues"), None) => Ok((role, true)),
        (Some(word), _) => Err(format!("unexpected `{word}`; expected `continues` or the end of the line")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_labels_of_their_own() {
        let text = "; heading\n.part main continues ; 4 bytes\nL0: jmp_none L0\n.part preamble\nL0: stop\n";
        let found = parts(text, "a.s").unwrap();
        let code = |text: &str| asm::assemble(text).unwrap();
        let main = Part { role: PartRole::Main, continues: true, code: code("L0: jmp_none L0") };
        let preamble = Part { role: PartRole::Preamble, continues: false, code: code("stop") };
        assert_eq!(found, [main, preamble]);
    }

    #[test]
    fn a_text_without_parts_is_the_main_part() {
        let found = parts("  stop\n", "a.s").unwrap();
        assert_eq!((found.len(), found[0].role, found[0].continues), (1, PartRole::Main, false));
    }

    #[test]
    fn errors_name_the_line_of_the_whole_text() {
        for (text, line, message) in [
            (".part main\nstop\n.part preamble\n frob r0\n", 4, "expected an instruction"),
            ("stop\n.part main\nstop\n", 2, "the part `main` appears twice"),
            (".part tail\n", 1, "unknown part `tail`"),
            (".part main ends\n", 1, "unexpected `ends`"),
        ] {
            let Err(Failure::Problems(problems)) = parts(text, "a.s") else { panic!("{text} assembles") };
            assert!(problems[0].message.contains(message), "{text}: {problems:?}");
            assert!(matches!(problems[0].location, Location::Text { line: found, .. } if found == line));
        }
    }
}
