//! Serialised compiled shaders, and keys to find them by, for caches on disk.
//!
//! A cache may be old, truncated or damaged. Bytes are accepted only with this build's identifier and a valid
//! checksum over all of them: anything else costs a compilation and never yields a wrong shader.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use std::hash::Hasher;

use agx_abi::stored::{self, Stored, StoredError};
use agx_abi::{stored_enums, stored_structs};
use siphasher::sip128::{Hasher128, SipHasher13};
use thiserror::Error;

use crate::stats::{Binding, Statistics};
use crate::{
    Bounds, ColourModel, CompileKey, CompiledShader, Compiler, Conversion, GeometryKey, Input, LineRow,
    Robustness, ShaderPart,
};

/// The first bytes of the format.
const MAGIC: [u8; 4] = *b"AGXS";

/// The version of the format around the shader.
const VERSION: u32 = 1;

/// Bytes before the shader: magic, version, build.
const HEADER_BYTES: usize = 4 + 4 + 16;

/// Bytes after it: the checksum.
const CHECKSUM_BYTES: usize = 16;

/// Identifies the build of the compiler: builds that may generate different code have different identifiers.
pub const BUILD_ID: u128 = match u128::from_str_radix(env!("AGX_BUILD_ID"), 16) {
    Ok(id) => id,
    Err(_) => panic!("the build script writes 32 hexadecimal digits"),
};

/// Why bytes are not a compiled shader of this build.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum CacheError {
    /// The bytes do not begin with the magic number.
    #[error("expected a compiled shader, found other bytes")]
    Magic,
    /// Another version of the format.
    #[error("expected format version {VERSION}, found {0}")]
    Version(u32),
    /// A shader of another build of the compiler.
    #[error("expected a shader of build {BUILD_ID:032x}, found one of build {0:032x}")]
    Build(u128),
    /// The bytes were modified or truncated.
    #[error("the checksum does not match: the bytes were modified or truncated")]
    Checksum,
    /// The checksum matches, but the bytes do not decode to a shader.
    #[error("the bytes do not decode to a shader: {0}")]
    Form(#[from] StoredError),
}

stored_structs! {
    CompiledShader { parts info stats sources }
    ShaderPart { role code lines }
    LineRow { offset position }
    Statistics {
        instructions alu fscib ic code_bytes gpr_halves uniform_halves scratch_bytes threads loops spills fills
        preamble_instructions waits cycles stalled_cycles memory_cycles texture_cycles control_cycles binds
    }
    Robustness { uniform storage image }
    Conversion { set binding element planes model narrow bits cosited swizzle }
    GeometryKey { inputs last_provokes stream }
    CompileKey {
        entry_point stage spec_constants options disabled_passes max_gpr_halves layout robustness vertex_as_compute captures_outputs
        geometry stored_rows tessellation mesh fragment_inputs moved vertex_outputs sample_shading sampler_bias pairs_samplers texel_triples conversions workgroup_base workgroup_size
        tile spill_everything schedule_seed validate limits tracks_variables
    }
}

stored_enums! {
    ColourModel { 0 Rgb; 1 Ycbcr; 2 Bt709; 3 Bt601; 4 Bt2020; }
    Bounds { 0 Unchecked; 1 Clamped; 2 Exact; }
    Binding { 0 Alu; 1 Memory; 2 Texture; 3 Control; 4 Registers; 5 Latency; }
}

/// A 128-bit hash that is the same in every build and on every machine.
fn hash(parts: &[&[u8]]) -> u128 {
    let mut hasher = SipHasher13::new_with_keys(0x6167_7863_2d63_6163, 0x6865_2d6b_6579_2031);
    for part in parts {
        // The length separates consecutive parts.
        hasher.write(&(part.len() as u64).to_le_bytes());
        hasher.write(part);
    }
    hasher.finish128().as_u128()
}

impl CompiledShader {
    /// Serialises the shader; [`CompiledShader::from_bytes`] of the same build reads it.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        VERSION.write(&mut bytes);
        BUILD_ID.write(&mut bytes);
        self.write(&mut bytes);
        hash(&[&bytes]).write(&mut bytes);
        bytes
    }

    /// Reads the output of [`CompiledShader::to_bytes`] of the same build.
    ///
    /// # Errors
    /// Fails for other data, for another version or build, and for bytes with even a single modified bit.
    pub fn from_bytes(bytes: &[u8]) -> Result<CompiledShader, CacheError> {
        let rest = bytes.strip_prefix(&MAGIC).ok_or(CacheError::Magic)?;
        let (version, rest) = rest.split_first_chunk().ok_or(CacheError::Checksum)?;
        let version = u32::from_le_bytes(*version);
        if version != VERSION {
            return Err(CacheError::Version(version));
        }
        let (build, rest) = rest.split_first_chunk().ok_or(CacheError::Checksum)?;
        let build = u128::from_le_bytes(*build);
        if build != BUILD_ID {
            return Err(CacheError::Build(build));
        }
        let (shader, checksum) = rest.split_last_chunk::<CHECKSUM_BYTES>().ok_or(CacheError::Checksum)?;
        let covered = bytes.get(..HEADER_BYTES.saturating_add(shader.len())).ok_or(CacheError::Checksum)?;
        if hash(&[covered]) != u128::from_le_bytes(*checksum) {
            return Err(CacheError::Checksum);
        }
        Ok(stored::from_bytes(shader)?)
    }
}

impl CompileKey {
    /// A hash of the key that is the same in every run and on every machine. Builds whose keys have other
    /// fields compute other hashes: store [`BUILD_ID`] with it.
    pub fn stable_hash(&self) -> u128 {
        hash(&[&stored::to_bytes(self)])
    }
}

impl Compiler {
    /// The key under which a cache stores a compilation: a hash of build, chip, language, input and key.
    /// Equal keys mean equal shaders.
    pub fn cache_key(&self, input: Input<'_>, key: &CompileKey) -> u128 {
        hash(&[
            &BUILD_ID.to_le_bytes(),
            self.target().name().as_bytes(),
            input.language.name.as_bytes(),
            &stored::to_bytes(&input.stage),
            input.bytes,
            &stored::to_bytes(key),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scratch;
    use agx_abi::{Stage, Target};

    const KERNEL: &str =
        "kernel @square(%0:32) stage source {\nb0:\n    %1:32 = fmul %0, %0\n    keep %1\n}\n";

    fn conversion() -> Conversion {
        let (set, binding, model) = (1, 2, ColourModel::Bt601);
        Conversion {
            set,
            binding,
            element: 4,
            planes: 3,
            model,
            narrow: true,
            bits: 8,
            cosited: [true, false],
            swizzle: [0, 1, 2, 4],
        }
    }

    fn shader() -> CompiledShader {
        let key = CompileKey::default();
        let mut shader =
            Compiler::default().compile(&mut Scratch::default(), Input::ir(KERNEL), &key).expect("compiles");
        shader.sources.number("a.comp", 3, 1);
        shader.sources.number("b.glsl", 9, 0);
        shader
    }

    #[test]
    fn shaders_round_trip() {
        let shader = shader();
        let found = CompiledShader::from_bytes(&shader.to_bytes()).expect("accepted");
        assert_eq!(found, shader);
        assert_eq!(found.to_bytes(), shader.to_bytes());
        let mut sources = found.sources;
        assert_eq!(sources.number("b.glsl", 9, 0), 2, "positions keep their numbers");
    }

    #[test]
    fn every_flipped_bit_is_rejected() {
        let bytes = shader().to_bytes();
        for bit in 0..8 * bytes.len() {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(CompiledShader::from_bytes(&changed).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn truncated_bytes_and_trailing_bytes_are_rejected() {
        let bytes = shader().to_bytes();
        for length in 0..bytes.len() {
            assert!(CompiledShader::from_bytes(&bytes[..length]).is_err(), "{length} bytes");
        }
        let more = [bytes.as_slice(), &[0]].concat();
        assert_eq!(CompiledShader::from_bytes(&more), Err(CacheError::Checksum));
    }

    #[test]
    fn other_versions_and_builds_are_rejected() {
        let bytes = shader().to_bytes();
        let changed = |at: usize, with: &[u8]| {
            let mut bytes = bytes.clone();
            bytes[at..at + with.len()].copy_from_slice(with);
            CompiledShader::from_bytes(&bytes)
        };
        assert_eq!(changed(0, b"ELF\0"), Err(CacheError::Magic));
        assert_eq!(changed(4, &2_u32.to_le_bytes()), Err(CacheError::Version(2)));
        assert_eq!(changed(8, &7_u128.to_le_bytes()), Err(CacheError::Build(7)));
    }

    #[test]
    fn a_matching_checksum_does_not_make_a_shader() {
        let mut bytes = shader().to_bytes();
        bytes.truncate(HEADER_BYTES);
        bytes.extend([9; 20]);
        let checksum = hash(&[&bytes]);
        checksum.write(&mut bytes);
        assert!(matches!(CompiledShader::from_bytes(&bytes), Err(CacheError::Form(_))));
    }

    #[test]
    fn every_field_of_a_key_changes_its_hash() {
        let change: [fn(&mut CompileKey); 29] = [
            |key| key.entry_point = Some("main".into()),
            |key| key.stage = Some(Stage::Vertex),
            |key| key.spec_constants.push((1, 2)),
            |key| key.options.push(("a".into(), 1)),
            |key| key.disabled_passes.push("opt_cse".into()),
            |key| key.max_gpr_halves = Some(16),
            |key| key.layout = Some(agx_abi::pipeline::PipelineLayout::default()),
            |key| key.robustness.uniform = Bounds::Exact,
            |key| key.robustness.storage = Bounds::Exact,
            |key| key.vertex_as_compute = true,
            |key| key.captures_outputs = true,
            |key| key.geometry = Some(GeometryKey::default()),
            |key| key.stored_rows = Some(agx_abi::tessellation::Rows::default()),
            |key| key.tessellation = Some(agx_abi::tessellation::PatchLayout::default()),
            |key| key.mesh = Some(agx_abi::MeshKind::Task),
            |key| key.vertex_outputs = Some(agx_abi::linking::VertexOutputs::default()),
            |key| {
                let output = agx_abi::vertex::Output::PointSize;
                key.moved = vec![agx_abi::linking::MovedSteps { output, steps: Vec::new() }];
            },
            |key| key.fragment_inputs = Some(vec![agx_abi::fragment::CoefficientSource::OneOverW]),
            |key| key.sample_shading = true,
            |key| key.sampler_bias = true,
            |key| key.pairs_samplers = true,
            |key| key.texel_triples = true,
            |key| key.conversions.push(conversion()),
            |key| key.workgroup_base = true,
            |key| key.workgroup_size = Some([1; 3]),
            |key| {
                let formats = [None; 8];
                key.tile =
                    Some(agx_abi::tile::TilePass { formats, samples: 1, input_attachments: Vec::new() });
            },
            |key| key.spill_everything = true,
            |key| key.schedule_seed = Some(0),
            |key| key.validate = true,
        ];
        let mut hashes = vec![CompileKey::default().stable_hash()];
        for change in change {
            let mut key = CompileKey::default();
            change(&mut key);
            assert_eq!(stored::from_bytes(&stored::to_bytes(&key)), Ok(key.clone()));
            hashes.push(key.stable_hash());
        }
        let count = hashes.len();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), count);
    }

    #[test]
    fn hashes_are_the_same_everywhere() {
        // Expected values were computed once: a change of the hash invalidates every cache.
        assert_eq!(hash(&[b"agx", b""]), hash(&[b"agx", b""]));
        assert_ne!(hash(&[b"agx", b""]), hash(&[b"", b"agx"]));
        let compiler = Compiler::new(Target::G13G);
        let key = CompileKey::default();
        let keys = [
            compiler.cache_key(Input::ir(KERNEL), &key),
            Compiler::new(Target::G14G).cache_key(Input::ir(KERNEL), &key),
            compiler.cache_key(Input::ir(&KERNEL[1..]), &key),
            compiler.cache_key(Input::spirv(KERNEL.as_bytes()), &key),
        ];
        assert!((1..keys.len()).all(|at| keys[at] != keys[0]), "{keys:x?}");
    }
}
