//! The register files: names, limits of each version, and allowed uses in each stage.

use crate::program::{Stage, Version};

/// A register file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum RegisterFile {
    /// Vertex data.
    Attribute,
    /// Parameters that the application sets.
    Constant,
    /// Scratch registers.
    Temporary,
    /// Position of a vertex, or colour of a fragment.
    Output,
    /// Outputs of vertex programs that fragment programs read.
    Varying,
    /// Textures.
    Sampler,
    /// Depth of a fragment.
    Depth,
    /// Number of the instance.
    Instance,
}

/// A row of the table of register files.
#[derive(Clone, Copy, Debug)]
pub struct FileRow {
    /// The file; its place in [`FILES`] is its number in the byte code.
    pub file: RegisterFile,
    /// Its name in messages.
    pub name: &'static str,
    /// Prefix in the text of vertex programs; empty if they do not have the file.
    pub vertex: &'static str,
    /// Prefix in the text of fragment programs; empty if they do not have the file.
    pub fragment: &'static str,
    /// Other prefixes that the assembler accepts in either stage.
    pub aliases: &'static [&'static str],
    /// Registers of vertex programs in versions 1 to 4.
    pub vertex_count: [u16; 4],
    /// Registers of fragment programs in versions 1 to 4.
    pub fragment_count: [u16; 4],
    /// Maximum number of registers in tolerant mode.
    pub tolerated: u16,
    /// Adobe's error number for a register out of bounds.
    pub bounds_error: u16,
}

const fn row(
    file: RegisterFile,
    names: [&'static str; 3],
    aliases: &'static [&'static str],
    counts: [[u16; 4]; 2],
    tolerated: u16,
    bounds_error: u16,
) -> FileRow {
    let [name, vertex, fragment] = names;
    let [vertex_count, fragment_count] = counts;
    FileRow { file, name, vertex, fragment, aliases, vertex_count, fragment_count, tolerated, bounds_error }
}

/// Every register file.
///
/// Limits are the document's. In addition, Adobe's assembler has four colour outputs from version 2 on, the
/// instance number from version 3 on, and four samplers of vertex programs, which belong to version 4.
pub static FILES: &[FileRow] = &[
    row(RegisterFile::Attribute, ["attribute", "va", ""], &[], [[8, 8, 16, 16], [0; 4]], 16, 3658),
    row(
        RegisterFile::Constant,
        ["constant", "vc", "fc"],
        &[],
        [[128, 250, 250, 250], [28, 64, 200, 200]],
        1024,
        3659,
    ),
    row(RegisterFile::Temporary, ["temporary", "vt", "ft"], &[], [[8, 26, 26, 26]; 2], 256, 3661),
    row(RegisterFile::Output, ["output", "op", "oc"], &["vo", "fo"], [[1; 4], [1, 4, 4, 4]], 4, 3660),
    row(RegisterFile::Varying, ["varying", "v", "v"], &["vi", "fi", "i"], [[8, 10, 10, 10]; 2], 16, 3657),
    row(RegisterFile::Sampler, ["sampler", "vs", "fs"], &[], [[0, 0, 0, 4], [8, 16, 16, 16]], 16, 3656),
    row(RegisterFile::Depth, ["depth", "", "od"], &["fd"], [[0; 4], [0, 1, 1, 1]], 1, 3749),
    row(RegisterFile::Instance, ["instance", "iid", ""], &[], [[0, 0, 1, 1], [0; 4]], 1, 3789),
];

impl RegisterFile {
    /// Its row.
    pub fn row(self) -> &'static FileRow {
        &FILES[self as usize]
    }

    /// Its number in the byte code.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// The file with a number, if there is one.
    pub fn from_number(number: u8) -> Option<RegisterFile> {
        FILES.get(usize::from(number)).map(|row| row.file)
    }

    /// Number of registers of a program.
    pub fn count(self, stage: Stage, version: Version) -> u16 {
        let row = self.row();
        match stage {
            Stage::Vertex => row.vertex_count[version as usize],
            Stage::Fragment => row.fragment_count[version as usize],
        }
    }

    /// The prefix in the text of a stage's programs; empty if the stage does not have the file.
    pub fn prefix(self, stage: Stage) -> &'static str {
        match stage {
            Stage::Vertex => self.row().vertex,
            Stage::Fragment => self.row().fragment,
        }
    }

    /// The name of a register in assembly. Files with a single register have no number.
    pub fn register_name(self, stage: Stage, register: u16) -> String {
        let once = matches!(self, RegisterFile::Output | RegisterFile::Depth | RegisterFile::Instance);
        let prefix = self.prefix(stage);
        if once && register == 0 { prefix.to_owned() } else { format!("{prefix}{register}") }
    }
}
