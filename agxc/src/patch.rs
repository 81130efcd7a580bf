//! Tessellated patches as JSON: written with a shader's information, read as `stored_rows` and `tessellation` of a key.

use agx_abi::tessellation::{PatchLayout, Rows};
use serde::{Deserialize, Serialize};

/// The rows of a vertex or patch in memory.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowsFile {
    #[serde(default)]
    built_ins: u8,
    locations: u64,
}

impl RowsFile {
    /// The rows.
    pub fn read(self) -> Rows {
        Rows { built_ins: self.built_ins, locations: self.locations }
    }
}

impl From<Rows> for RowsFile {
    fn from(Rows { built_ins, locations }: Rows) -> RowsFile {
        RowsFile { built_ins, locations }
    }
}

/// The record of a patch in memory.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PatchFile {
    patch: RowsFile,
    vertex: RowsFile,
    vertices: u32,
}

impl PatchFile {
    /// The layout of the record.
    pub fn read(self) -> PatchLayout {
        PatchLayout { patch: self.patch.read(), vertex: self.vertex.read(), vertices: self.vertices }
    }
}

impl From<PatchLayout> for PatchFile {
    fn from(PatchLayout { patch, vertex, vertices }: PatchLayout) -> PatchFile {
        PatchFile { patch: patch.into(), vertex: vertex.into(), vertices }
    }
}
