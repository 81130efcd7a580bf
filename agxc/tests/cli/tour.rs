//! docs/tour.md shows what the program prints. `BLESS=1` writes the outputs anew.

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
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/tour.md");
    let shown = std::fs::read_to_string(path).unwrap();
    let folder = Folder::new("tour");
    let source = shown.split("```wgsl\n").nth(1).unwrap().split(CLOSE).next().unwrap();
    folder.file("double.wgsl", source.as_bytes());
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
    assert!(commands >= 5, "{commands} commands");
    whole
}

/// The output of a command, standard error last, with a line break at the end.
fn output(command: &str, folder: &Folder) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_agxc"))
        .args(command.split(' '))
        .current_dir(&folder.0)
        .output()
        .unwrap();
    let printed = [output.stdout, output.stderr].concat();
    format!("{}\n", String::from_utf8(printed).unwrap().trim_end())
}
