//! docs/tour.md and docs/stepping.md show what the program prints. `BLESS=1` writes the outputs anew.

use std::process::Command;

use crate::harness::Folder;

/// The beginning of a block of commands.
const OPEN: &str = "```console\n";
/// The end of a block.
const CLOSE: &str = "```\n";
/// The beginning of the line of a command.
const PROMPT: &str = "$ agxc ";

#[test]
fn the_tour_shows_what_the_program_prints() {
    check("tour.md", "double.wgsl");
}

#[test]
fn the_page_on_stepping_shows_what_the_program_prints() {
    check("stepping.md", "sum.wgsl");
}

/// Checks a page about a shader, which its first block of WGSL has.
fn check(page: &str, name: &str) {
    let path = format!("{}/../docs/{page}", env!("CARGO_MANIFEST_DIR"));
    let shown = std::fs::read_to_string(&path).unwrap();
    let folder = Folder::new(page);
    let source = shown.split("```wgsl\n").nth(1).unwrap().split(CLOSE).next().unwrap();
    folder.file(name, source.as_bytes());
    let printed = with_outputs(&shown, &folder);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, printed).unwrap();
    } else {
        assert_eq!(shown, printed, "BLESS=1 writes the outputs anew");
    }
}

/// The page with what its commands print.
fn with_outputs(page: &str, folder: &Folder) -> String {
    let mut parts = page.split(OPEN);
    let mut whole = parts.next().unwrap().to_owned();
    let mut commands = 0;
    for part in parts {
        let (block, rest) = part.split_once(CLOSE).unwrap();
        whole.push_str(OPEN);
        for line in block.lines().filter(|line| line.starts_with(PROMPT)) {
            whole.push_str(&format!("{line}\n{}", output(&line[PROMPT.len()..], folder)));
            commands += 1;
        }
        whole.push_str(CLOSE);
        whole.push_str(rest);
    }
    assert!(commands >= 4, "{commands} commands");
    whole
}

/// The words of a command; blanks between quotes belong to a word.
fn words(command: &str) -> Vec<String> {
    let pieces = command.split('\'').enumerate();
    pieces
        .flat_map(|(at, piece)| match at % 2 {
            0 => piece.split_whitespace().map(str::to_owned).collect(),
            _ => vec![piece.to_owned()],
        })
        .collect()
}

/// The output of a command, standard error last, with a line break at the end.
fn output(command: &str, folder: &Folder) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_agxc"))
        .args(words(command))
        .current_dir(&folder.0)
        .output()
        .unwrap();
    let printed = [output.stdout, output.stderr].concat();
    format!("{}\n", String::from_utf8(printed).unwrap().trim_end())
}
