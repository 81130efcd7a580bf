//! Locations of the drivers: the Debian tree from `device/environment/make.sh`, the preloaded library, and the client.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The script in the tree that shows a program in a window of weston, or of an X server in it, both of which draw with Mesa's OpenGL on the
/// device. It needs `/proc`.
pub const WINDOW: &str = "/opt/agx/window.sh";

/// Folder of the libraries in the tree.
pub const LIBRARIES: &str = "usr/lib/x86_64-linux-gnu";

/// Folder of clients in the tree.
const CLIENTS: &str = "opt/agx";

/// Manifest of the project's driver in that folder.
const OWN_MANIFEST: &str = "agx_icd.json";
/// Files in that folder with the device's findings for a client, and its statistics.
const FINDINGS: &str = "findings.txt";
const STATISTICS: &str = "statistics.txt";

/// Folder of the suites' files in the target folder.
const SUITES: &str = "suites";

/// A driver to run programs on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Driver {
    /// Mesa's driver for the hardware, on the device.
    Device,
    /// Mesa's software renderer.
    Lavapipe,
    /// The project's driver, which opens the device in process.
    Own,
    /// The project's driver, which opens the device as a render node of the kernel.
    Node,
}

/// A driver, and options of the device in environment variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Door {
    /// The driver.
    pub driver: Driver,
    /// Names and values of variables.
    pub options: Vec<(&'static str, String)>,
}

impl Door {
    /// A driver with the default options of the device.
    pub const fn plain(driver: Driver) -> Door {
        Door { driver, options: Vec::new() }
    }

    /// The project's driver and a render node that is strict, reads through caches, executes submissions on threads of its own and says
    /// late that they have ended. `seed` chooses delays and whatever else has no order.
    pub fn node(seed: u64) -> Door {
        let yes = || "yes".to_owned();
        let options = vec![
            ("AGX_DEVICE_STRICT", yes()),
            ("AGX_DEVICE_CACHES", yes()),
            ("AGX_DEVICE_ASYNC", seed.to_string()),
        ];
        Door { driver: Driver::Node, options }
    }

    /// The same door with one more option.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: &str) -> Door {
        self.options.push((name, value.to_owned()));
        self
    }
}

/// The drivers and the programs to run on them.
#[derive(Clone, Debug)]
pub struct Environment {
    root: PathBuf,
    scratch: PathBuf,
    shim: PathBuf,
    client: PathBuf,
    /// Version of Mesa.
    pub version: String,
}

impl Environment {
    /// The environment named by `AGX_ENVIRONMENT`, or in its default folder; the error is a sentence about the missing
    /// part. Files of a run are in the folder of `suite` below the target folder.
    ///
    /// # Errors
    /// The folder does not exist, or the library or the client cannot be built.
    pub fn find(suite: &str) -> Result<Environment, String> {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let root =
            std::env::var_os("AGX_ENVIRONMENT").map_or_else(|| workspace.join("../trixie"), PathBuf::from);
        let version = std::fs::read_to_string(root.join("environment.version")).map_err(|_| {
            format!(
                "{} has no environment of the device (device/environment/make.sh makes one)",
                root.display()
            )
        })?;
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace.join("target"), PathBuf::from);
        let scratch = target.join(SUITES).join(suite);
        std::fs::create_dir_all(&scratch).map_err(|error| error.to_string())?;
        build(&workspace.join("Cargo.toml"), &target, &["-p", "agx-device-shim", "-p", "agx-icd"])?;
        let client = target.join("vulkan-client");
        build(&workspace.join("tests/vulkan-client/Cargo.toml"), &client, &[])?;
        let environment = Environment {
            root,
            scratch,
            shim: target.join("release/libagx_device_shim.so"),
            client: client.join("release/vulkan-client"),
            version: version.trim().to_owned(),
        };
        environment.write_manifests()?;
        Ok(environment)
    }

    /// Writes manifests of the drivers with absolute paths: those of the tree name libraries that only its own loader
    /// finds.
    fn write_manifests(&self) -> Result<(), String> {
        let libraries = self.root.join(LIBRARIES);
        let own = self.shim.with_file_name("libvulkan_agx.so");
        let drivers = [
            ("asahi", libraries.join("libvulkan_asahi.so")),
            ("lvp", libraries.join("libvulkan_lvp.so")),
            ("agx", own),
        ];
        for (name, path) in drivers {
            let text = format!(
                "{{\"ICD\":{{\"api_version\":\"1.4.0\",\"library_path\":\"{}\"}},\"file_format_version\":\"1.0.1\"}}",
                path.display()
            );
            std::fs::write(self.manifest(name), text).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn manifest(&self, name: &str) -> PathBuf {
        self.scratch.join(format!("{name}.json"))
    }

    /// The root of the tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder for files of a run.
    pub fn scratch(&self) -> &Path {
        &self.scratch
    }

    /// An empty folder for the results of a driver.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn folder(&self, name: &str) -> Result<PathBuf, String> {
        let folder = self.scratch.join(name);
        // The folder may not exist.
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        Ok(folder)
    }

    /// A command that runs a program of the host with the tree's libraries.
    pub fn command(&self, door: &Door, program: &Path) -> Command {
        let driver = door.driver;
        let libraries = self.root.join(LIBRARIES);
        let mut command = Command::new(self.root.join("lib64/ld-linux-x86-64.so.2"));
        let manifest = match driver {
            Driver::Device => self.manifest("asahi"),
            Driver::Lavapipe => self.manifest("lvp"),
            Driver::Own | Driver::Node => self.manifest("agx"),
        };
        if matches!(driver, Driver::Device | Driver::Node) {
            command.arg("--preload").arg(&self.shim);
        }
        if driver == Driver::Node {
            command.env("AGX_DRIVER", "node");
        }
        command.arg("--library-path").arg(libraries).arg(program);
        command.env("VK_DRIVER_FILES", manifest).env("MESA_SHADER_CACHE_DISABLE", "true");
        command.env("VK_LOADER_LAYERS_DISABLE", "~implicit~");
        command.envs(door.options.iter().map(|(name, value)| (*name, value)));
        command
    }

    /// A command that runs the client, without arguments yet.
    pub fn client(&self, driver: Driver) -> Command {
        self.command(&Door::plain(driver), &self.client)
    }

    /// Copies the library and the scripts of clients to the tree; the error is a sentence about the missing part.
    ///
    /// # Errors
    /// The tree has no clients, or is not writable.
    pub fn prepare_clients(&self) -> Result<(), String> {
        if !self.root.join("environment.clients").exists() {
            return Err(format!(
                "{} has no clients (device/environment/make.sh DIR --clients adds them)",
                self.root.display()
            ));
        }
        let inside = self.root.join(CLIENTS);
        std::fs::create_dir_all(&inside).map_err(|error| error.to_string())?;
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("device/clients");
        let scripts = std::fs::read_dir(scripts).map_err(|error| error.to_string())?;
        let own = self.shim.with_file_name("libvulkan_agx.so");
        let libraries = [self.shim.clone(), own];
        let files = scripts.filter_map(|entry| entry.ok().map(|entry| entry.path())).chain(libraries);
        let manifest = format!(
            "{{\"ICD\":{{\"api_version\":\"1.4.0\",\"library_path\":\"/{CLIENTS}/libvulkan_agx.so\"}},\"file_format_version\":\"1.0.1\"}}"
        );
        std::fs::write(inside.join(OWN_MANIFEST), manifest).map_err(|error| error.to_string())?;
        for file in files {
            let name = file.file_name().unwrap_or_default();
            std::fs::copy(&file, inside.join(name)).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// The manifest of a driver inside the tree.
    fn manifest_inside(&self, driver: Driver) -> String {
        let name = match driver {
            Driver::Device => "asahi_icd",
            Driver::Lavapipe => "lvp_icd",
            Driver::Own | Driver::Node => return format!("{CLIENTS}/{OWN_MANIFEST}"),
        };
        let manifests = "usr/share/vulkan/icd.d";
        let entries = std::fs::read_dir(self.root.join(manifests)).into_iter().flatten().flatten();
        let files = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let file = files.into_iter().find(|file| file.starts_with(name)).unwrap_or_default();
        format!("{manifests}/{file}")
    }

    /// The start of a command with the tree as its root directory; `processes`: in a name space of its own, whose processes are in
    /// `/proc`. They end with it.
    fn as_root(&self, processes: bool) -> Command {
        if !processes {
            let mut command = Command::new("chroot");
            command.arg(&self.root);
            return command;
        }
        let mut command = Command::new("unshare");
        command.args(["--mount", "--pid", "--fork", "--kill-child"]);
        command.arg(format!("--mount-proc={}", self.root.join("proc").display()));
        command.arg("chroot").arg(&self.root);
        command
    }

    /// A command that runs with the tree as its root directory, which needs root privileges. It is stopped after this
    /// number of seconds.
    pub fn inside(&self, door: &Door, variables: &[&str], seconds: u32, words: &[&str]) -> Command {
        let driver = door.driver;
        let mut command = self.as_root(words.first() == Some(&WINDOW));
        command.args(["/usr/bin/env", "-i", "PATH=/usr/bin:/bin", "HOME=/tmp"]);
        command.args(["XDG_RUNTIME_DIR=/tmp", "MESA_SHADER_CACHE_DISABLE=true"]);
        command.arg(format!("VK_DRIVER_FILES=/{}", self.manifest_inside(driver)));
        command.arg("VK_LOADER_LAYERS_DISABLE=~implicit~");
        let report = format!("AGX_DEVICE_REPORT=/{CLIENTS}/{FINDINGS}");
        let statistics = format!("AGX_DEVICE_STATISTICS=/{CLIENTS}/{STATISTICS}");
        // A program may need other libraries to be preloaded first.
        let (preloads, variables): (Vec<&str>, Vec<&str>) =
            variables.iter().partition(|variable| variable.starts_with("LD_PRELOAD="));
        let mut preloads: Vec<String> =
            preloads.iter().map(|variable| variable.trim_start_matches("LD_PRELOAD=").to_owned()).collect();
        if driver == Driver::Node {
            command.arg("AGX_DRIVER=node");
        }
        match driver {
            Driver::Device | Driver::Node => {
                let name = self.shim.file_name().unwrap_or_default().to_string_lossy();
                preloads.insert(0, format!("/{CLIENTS}/{name}"));
                command.args([report, statistics]);
            }
            Driver::Lavapipe => _ = command.arg("LIBGL_ALWAYS_SOFTWARE=1"),
            Driver::Own => _ = command.args([report, statistics]),
        }
        if !preloads.is_empty() {
            command.arg(format!("LD_PRELOAD={}", preloads.join(":")));
        }
        for file in [FINDINGS, STATISTICS] {
            // The file may not exist.
            let _ = std::fs::remove_file(self.root.join(CLIENTS).join(file));
        }
        command.args(door.options.iter().map(|(name, value)| format!("{name}={value}")));
        command.args(variables).args(["timeout", "--kill-after=5"]).arg(seconds.to_string()).args(words);
        command
    }

    /// The device's findings for the latest client.
    pub fn client_findings(&self) -> String {
        std::fs::read_to_string(self.root.join(CLIENTS).join(FINDINGS)).unwrap_or_default()
    }

    /// The device's statistics for the latest client, which must have ended by itself; empty if it did not use the device.
    pub fn client_statistics(&self) -> String {
        std::fs::read_to_string(self.root.join(CLIENTS).join(STATISTICS)).unwrap_or_default()
    }

    /// Whether the device executed anything for the latest client, which must have ended by itself; otherwise the
    /// client did not use the device.
    pub fn client_reached_device(&self) -> bool {
        self.root.join(CLIENTS).join(STATISTICS).exists()
    }

    /// Runs the client on a file of requests. Results are written to `folder`, findings of the device to `report`.
    ///
    /// # Errors
    /// The client failed; the error has its last output.
    pub fn run(&self, door: &Door, requests: &Path, folder: &Path, report: &Path) -> Result<(), String> {
        let output = self
            .command(door, &self.client)
            .arg(requests)
            .arg(folder)
            .env("AGX_DEVICE_REPORT", report)
            .output()
            .map_err(|error| error.to_string())?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(format!("{}: {}", output.status, said.lines().last().unwrap_or("no message")))
    }
}

/// Builds a package in release mode.
fn build(manifest: &Path, target: &Path, more: &[&str]) -> Result<(), String> {
    let output = Command::new(env!("CARGO"))
        .args(["build", "--release", "--quiet", "--manifest-path"])
        .arg(manifest)
        .args(more)
        .env("CARGO_TARGET_DIR", target)
        .output()
        .map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{}: {}", manifest.display(), String::from_utf8_lossy(&output.stderr))),
    }
}
