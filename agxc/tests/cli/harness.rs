//! Runs the program and looks at what it prints and leaves.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use serde_json::Value;

/// A folder of its own for each test, removed at the end.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("agxc-test-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn file(&self, name: &str, contents: &[u8]) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, contents).unwrap();
        path.to_str().unwrap().to_owned()
    }

    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Starts agxc with pipes.
pub fn start(arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agxc"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Runs agxc with `stdin`.
pub fn agxc_with(arguments: &[&str], stdin: &[u8]) -> Output {
    let mut child = start(arguments);
    // The program may end without reading its input.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    child.wait_with_output().unwrap()
}

pub fn agxc(arguments: &[&str]) -> Output {
    agxc_with(arguments, b"")
}

/// Standard output of a run that must succeed in silence.
pub fn out(arguments: &[&str]) -> String {
    out_with(arguments, b"")
}

/// The same with `stdin`.
pub fn out_with(arguments: &[&str], stdin: &[u8]) -> String {
    let output = agxc_with(arguments, stdin);
    assert_eq!(stderr(&output), "", "{arguments:?}");
    assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A run that must fail with `code`, print nothing, and say `message`.
pub fn fails(arguments: &[&str], stdin: &[u8], code: i32, message: &str) {
    let output = agxc_with(arguments, stdin);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
    assert!(text.contains(message), "{arguments:?}: {text}");
    assert!(output.stdout.is_empty(), "{arguments:?} printed something");
}

pub fn shader(name: &str) -> String {
    format!("{}/shaders/{name}", env!("CARGO_MANIFEST_DIR"))
}

pub fn glslang_is_installed() -> bool {
    Command::new("glslangValidator").arg("--version").output().is_ok()
}

/// Runs agxc where no other program is found.
pub fn alone(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_agxc")).args(arguments).env("PATH", "").output().unwrap()
}

/// A message of an editor's protocol with its header.
pub fn framed(message: &Value) -> String {
    let text = message.to_string();
    format!("Content-Length: {}\r\n\r\n{text}", text.len())
}

/// The next message of an editor's protocol; `None` at the end.
pub fn message(from: &mut BufReader<ChildStdout>) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).unwrap() == 0 {
            return None;
        }
        match line.trim_end().strip_prefix("Content-Length: ") {
            Some(number) => length = number.parse().unwrap(),
            None if line.trim().is_empty() => break,
            None => panic!("{line}"),
        }
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body).unwrap();
    Some(serde_json::from_slice(&body).unwrap())
}
