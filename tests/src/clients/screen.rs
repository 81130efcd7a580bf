//! An X server without a display, whose screen is a file.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::picture::Picture;
use crate::device::environment::Environment;

/// Folder of the screen in the tree.
const FOLDER: &str = "opt/agx/screen";

/// Time between two looks at the screen.
const PAUSE: Duration = Duration::from_millis(250);
/// Looks after which a picture that stays as it is counts as what the program draws.
const SAME: u32 = 8;

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

    /// Waits until nothing is shown: windows go some time after their programs.
    ///
    /// # Errors
    /// Something stays, or the file cannot be read.
    pub fn clear(&self) -> Result<(), String> {
        for _ in 0..4 * SAME {
            if self.picture()?.is_blank() {
                return Ok(());
            }
            std::thread::sleep(PAUSE);
        }
        Err("the window of a program that ended stays".into())
    }

    /// The picture that a program's window shows: one that has something in it and stays as it is. It is awaited until the
    /// program ends.
    ///
    /// # Errors
    /// The program ended before.
    pub fn settled(&self, program: &mut Child) -> Result<Picture, String> {
        let mut before: Option<Picture> = None;
        let mut same = 0;
        loop {
            if program.try_wait().map_err(|error| error.to_string())?.is_some() {
                return before.ok_or("nothing was drawn".into());
            }
            let picture = self.picture()?;
            match before {
                Some(known) if known == picture => same += 1,
                _ => same = 0,
            }
            let is_blank = picture.is_blank();
            before = (!is_blank).then_some(picture.clone());
            if !is_blank && same == SAME {
                return Ok(picture);
            }
            std::thread::sleep(PAUSE);
        }
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
