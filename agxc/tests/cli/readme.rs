//! The README shows what the program prints.

use std::process::Command;

use crate::harness::{Folder, out, stderr};

/// The README's examples are real: every block of it that begins with `$ agxc` is run on the file the README shows.
/// Printed results must be the README's; generated code may have changed since, so there only success counts.
#[test]
fn the_readme_is_current() {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md")).unwrap();
    let help = out(&["help"]);
    assert!(readme.contains(help.trim_end()), "README.md should contain the output of `agxc help`:\n{help}");

    let folder = Folder::new("readme");
    let source = readme.split("```wgsl\n").nth(1).unwrap().split("```").next().unwrap();
    folder.file("double.wgsl", source.as_bytes());
    let mut examples = 0;
    for block in readme.split("```\n").filter(|block| block.starts_with("$ agxc")) {
        for example in block.split("$ agxc ").skip(1) {
            let (command, shown) = example.split_once('\n').unwrap();
            check_example(&folder, command, shown);
            examples += 1;
        }
    }
    assert!(examples >= 5, "{examples} examples");
}

fn check_example(folder: &Folder, command: &str, shown: &str) {
    let words: Vec<&str> = command.split(' ').collect();
    let output =
        Command::new(env!("CARGO_BIN_EXE_agxc")).args(&words).current_dir(&folder.0).output().unwrap();
    let printed = String::from_utf8(output.stdout.clone()).unwrap() + &stderr(&output);
    match shown.find("error[") {
        // The message names the place in the generated code.
        Some(at) => {
            assert!(printed.contains(&shown[at..at + "error[AGX0000]".len()]), "{command}: {printed}")
        }
        None => assert_eq!(output.status.code(), Some(0), "{command}: {printed}"),
    }
    if ["explain", "run"].contains(&words[0]) && !shown.contains("error[") {
        assert_eq!(printed.trim_end(), shown.trim_end(), "{command}");
    }
}
