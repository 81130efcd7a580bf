//! The chips of which the device can present itself.

/// What the kernel tells of a chip (`drm_asahi_params_global`).
#[derive(PartialEq, Eq, Debug)]
pub struct Model {
    /// Name for options.
    pub name: &'static str,
    /// 13 for G13.
    pub generation: u32,
    /// Letter of the variant.
    pub variant: char,
    /// Revision in binary-coded decimal: 0x11 for B1.
    pub revision: u32,
    /// Number of the system on a chip in binary-coded decimal.
    pub id: u32,
    /// Dies.
    pub dies: u32,
    /// Cores of each cluster, including those that are absent.
    pub cores_per_cluster: u32,
    /// The cores that are present, by cluster.
    pub core_masks: &'static [u64],
}

/// The chip that the device presents by default.
const M1: Model = Model {
    name: "m1",
    generation: 13,
    variant: 'G',
    revision: 0x11,
    id: 0x8103,
    dies: 1,
    cores_per_cluster: 8,
    core_masks: &[0xff],
};

/// Every chip. Clusters and cores are those of the largest version of each chip; `m1-7core` is the smaller M1. The
/// kernel reads revision and masks from the hardware; those here are assumptions.
pub const MODELS: &[Model] = &[
    M1,
    Model { name: "m1-7core", core_masks: &[0xef], ..M1 },
    Model {
        name: "m1-pro",
        generation: 13,
        variant: 'S',
        revision: 0x20,
        id: 0x6000,
        dies: 1,
        cores_per_cluster: 8,
        core_masks: &[0xff; 2],
    },
    Model {
        name: "m1-max",
        generation: 13,
        variant: 'C',
        revision: 0x20,
        id: 0x6001,
        dies: 1,
        cores_per_cluster: 8,
        core_masks: &[0xff; 4],
    },
    Model {
        name: "m1-ultra",
        generation: 13,
        variant: 'D',
        revision: 0x20,
        id: 0x6002,
        dies: 2,
        cores_per_cluster: 8,
        core_masks: &[0xff; 8],
    },
    Model {
        name: "m2",
        generation: 14,
        variant: 'G',
        revision: 0x00,
        id: 0x8112,
        dies: 1,
        cores_per_cluster: 10,
        core_masks: &[0x3ff],
    },
    Model {
        name: "m2-pro",
        generation: 14,
        variant: 'S',
        revision: 0x00,
        id: 0x6020,
        dies: 1,
        cores_per_cluster: 10,
        core_masks: &[0x3ff, 0x1ff],
    },
    Model {
        name: "m2-max",
        generation: 14,
        variant: 'C',
        revision: 0x00,
        id: 0x6021,
        dies: 1,
        cores_per_cluster: 10,
        core_masks: &[0x3ff, 0x1ff, 0x3ff, 0x1ff],
    },
    Model {
        name: "m2-ultra",
        generation: 14,
        variant: 'D',
        revision: 0x00,
        id: 0x6022,
        dies: 2,
        cores_per_cluster: 10,
        core_masks: &[0x3ff, 0x1ff, 0x3ff, 0x1ff, 0x3ff, 0x1ff, 0x3ff, 0x1ff],
    },
];

/// The chip that the device presents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chip {
    /// Its row.
    pub model: &'static Model,
    /// Loads from unmapped addresses give 0, and stores to them do nothing.
    pub soft_faults: bool,
}

impl Chip {
    /// The chip of this name, without soft faults.
    pub fn find(name: &str) -> Option<Chip> {
        MODELS.iter().find(|model| model.name == name).map(|model| Chip { model, soft_faults: false })
    }
}

impl Default for Chip {
    fn default() -> Self {
        Chip { model: &M1, soft_faults: false }
    }
}
