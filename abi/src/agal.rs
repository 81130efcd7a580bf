//! Interface of shaders compiled from AGAL (Flash's Stage3D): where a driver binds the state that an
//! application sets.
//!
//! * Program constants are uniform blocks, one for each stage ([`VERTEX_CONSTANTS`], [`FRAGMENT_CONSTANTS`]),
//!   because a draw's buffers are common to its shaders. Register n is four 32-bit floats starting at byte 16
//!   · n. A block has all registers of the program's version, or up to the last one that the program names,
//!   whichever is more; registers that the application did not set are zero.
//! * Texture n of a fragment program (`fsn`) is bound at ([`TEXTURE_SET`], n), that of a vertex program (`vsn`) at
//!   ([`VERTEX_TEXTURE_SET`], n), because a draw's textures are common to its shaders.
//! * Its sampler is bound at the same location. A token specifies the sampler state, and two tokens may
//!   specify different states for one texture, so the element of the sampler's binding is the state that a
//!   token specifies: see [`SamplerState`].
//! * Attribute n (`van`) is location n. The prolog fills attributes of fewer than four components from (0, 0,
//!   0, 1).
//! * Varying n is location n of the outputs and inputs between the stages, perspective-correct. Colour output
//!   n is render target n.

/// Set and binding of a vertex program's constants.
pub const VERTEX_CONSTANTS: (u32, u32) = (0, 0);

/// Set and binding of a fragment program's constants.
pub const FRAGMENT_CONSTANTS: (u32, u32) = (0, 1);

/// Size of a constant register in bytes.
pub const REGISTER_BYTES: u32 = 16;

/// The set of a fragment program's textures and samplers; the binding is the number of the sampler register.
pub const TEXTURE_SET: u32 = 1;

/// The set of a vertex program's textures and samplers; the binding is the number of the sampler register.
pub const VERTEX_TEXTURE_SET: u32 = 2;

/// The sampler state of a token, encoded as the element of a sampler's binding: the byte code's numbers, four
/// bits each.
///
/// ```
/// use agx_abi::agal::SamplerState;
///
/// let repeated = SamplerState::Token { filter: 1, mip: 2, wrap: 1 };
/// assert_eq!(repeated.element(), 0x121);
/// assert_eq!(SamplerState::from_element(0x121), Some(repeated));
/// assert_eq!(SamplerState::from_element(SamplerState::Application.element()), Some(SamplerState::Application));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SamplerState {
    /// The state specified by the token.
    Token {
        /// 0 nearest, 1 linear, 2 to 5 anisotropic with 2, 4, 8, 16 samples.
        filter: u8,
        /// 0 one level, 1 the nearest level, 2 two levels.
        mip: u8,
        /// 0 clamp, 1 repeat, 2 clamp u and repeat v, 3 repeat u and clamp v.
        wrap: u8,
    },
    /// The state that the application sets for the sampler register (the token's flag `ignoresampler`).
    Application,
}

/// The element of the application's sampler.
const APPLICATION: u32 = 0x1000;

impl SamplerState {
    /// The element of the binding.
    pub fn element(self) -> u32 {
        match self {
            SamplerState::Token { filter, mip, wrap } => {
                u32::from(filter & 15) | u32::from(mip & 15) << 4 | u32::from(wrap & 15) << 8
            }
            SamplerState::Application => APPLICATION,
        }
    }

    /// Decodes an element.
    pub fn from_element(element: u32) -> Option<SamplerState> {
        let nibble = |shift: u32| (element >> shift) as u8 & 15;
        match element {
            APPLICATION => Some(SamplerState::Application),
            _ if element < APPLICATION && nibble(0) <= 5 && nibble(4) <= 2 && nibble(8) <= 3 => {
                Some(SamplerState::Token { filter: nibble(0), mip: nibble(4), wrap: nibble(8) })
            }
            _ => None,
        }
    }
}
