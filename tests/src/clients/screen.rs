//! An X server without a display, with its screen in a file.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::picture::Picture;
use crate::device::environment::Environment;

/// Folder of the screen in the environment.
const FOLDER: &str = "opt/agx/screen";

/// Time between two reads of the screen.
const PAUSE: Duration = Duration::from_millis(250);
/// Number of equal reads after which the image is considered final.
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
            // A server without output has no number.
            let _ = BufReader::new(output).read_line(&mut number);
        }
        let number = number.trim().to_owned();
        let screen = Screen { server, number, file: folder.join("Xvfb_screen0") };
        match screen.number.is_empty() {
            true => Err("Xvfb does not start".into()),
            false => Ok(screen),
        }
    }

    /// The display name for programs.
    pub fn display(&self) -> String {
        format!("DISPLAY=:{}", self.number)
    }

    /// Waits until the screen is blank: windows disappear some time after their programs end.
    ///
    /// # Errors
    /// The screen does not become blank, or the file cannot be read.
    pub fn clear(&self) -> Result<(), String> {
        for _ in 0..4 * SAME {
            if self.picture()?.is_blank() {
                return Ok(());
            }
            std::thread::sleep(PAUSE);
        }
        Err("the window of a program that ended stays".into())
    }

    /// The image in a program's window: the first that is not blank and does not change. Waits until the program ends.
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

    /// The current image.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn picture(&self) -> Result<Picture, String> {
        Picture::from_xwd(&std::fs::read(&self.file).map_err(|error| error.to_string())?)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // The server may have ended already.
        drop(self.server.kill());
        drop(self.server.wait());
    }
}
