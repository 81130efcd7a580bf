//! An X server without a display, whose screen is a file.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use super::picture::Picture;
use crate::device::environment::Environment;

/// Folder of the screen in the tree.
const FOLDER: &str = "opt/agx/screen";

/// A running server.
pub struct Screen {
    server: Child,
    number: String,
    file: std::path::PathBuf,
}

impl Screen {
    /// Starts a server inside the environment.
    ///
    /// # Errors
    /// It does not start.
    pub fn start(environment: &Environment) -> Result<Screen, String> {
        let folder = environment.root().join(FOLDER);
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let mut server = Command::new("chroot")
            .arg(environment.root())
            .args(["Xvfb", "-displayfd", "1", "-screen", "0", "320x240x24", "-fbdir"])
            .arg(format!("/{FOLDER}"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| error.to_string())?;
        let mut number = String::new();
        if let Some(output) = server.stdout.take() {
            // A server that says nothing has no number.
            let _ = BufReader::new(output).read_line(&mut number);
        }
        let number = number.trim().to_owned();
        let screen = Screen { server, number, file: folder.join("Xvfb_screen0") };
        match screen.number.is_empty() {
            true => Err("Xvfb does not start".into()),
            false => Ok(screen),
        }
    }

    /// What programs find it by.
    pub fn display(&self) -> String {
        format!("DISPLAY=:{}", self.number)
    }

    /// What it shows.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn picture(&self) -> Result<Picture, String> {
        Picture::from_xwd(&std::fs::read(&self.file).map_err(|error| error.to_string())?)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // A server that ended already needs no end.
        drop(self.server.kill());
        drop(self.server.wait());
    }
}
