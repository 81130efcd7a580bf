//! `make install-tool`: the program, its manual pages and completions.

use std::path::Path;
use std::process::Command;

use crate::harness::Folder;

#[test]
#[cfg(target_os = "linux")]
fn the_program_is_installed_with_its_pages_and_completions() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let built = Path::new(env!("CARGO_BIN_EXE_agxc")).parent().expect("a folder");
    // The Makefile is not part of the package.
    if !root.join("Makefile").exists() || Command::new("make").arg("--version").output().is_err() {
        eprintln!("skipped: no Makefile or no `make`");
        return;
    }
    let folder = Folder::new("installed");
    let stage = folder.0.as_path();
    let run = |target: &str| {
        let mut command = Command::new("make");
        command.current_dir(&root).env_remove("MAKEFLAGS").args(["-s", target, "CARGO=true", "PREFIX=/usr"]);
        command.arg(format!("BUILT={}", built.display())).arg(format!("DESTDIR={}", stage.display()));
        let made = command.output().expect("make starts");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    };
    run("install-tool");
    let read = |path: &str| std::fs::read_to_string(stage.join("usr").join(path)).expect(path);
    assert!(read("share/bash-completion/completions/agxc").contains("complete"));
    assert!(read("share/zsh/site-functions/_agxc").starts_with("#compdef agxc"));
    assert!(read("share/fish/vendor_completions.d/agxc.fish").contains("complete -c agxc"));
    assert!(read("share/man/man1/agxc.1").starts_with(".TH AGXC 1"));
    assert!(read("share/man/man1/agxc-compile.1").starts_with(".TH"));
    let version =
        Command::new(stage.join("usr/bin/agxc")).arg("--version").output().expect("the program starts");
    assert!(String::from_utf8_lossy(&version.stdout).starts_with("agxc "));
    run("uninstall");
    assert!(!stage.join("usr/bin/agxc").exists() && !stage.join("usr/share/man/man1/agxc.1").exists());
}
