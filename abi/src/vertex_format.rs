//! Formats of vertex attributes.
//!
//! A format is parsed from Vulkan's name, which specifies it completely: letters and bits of the components
//! in memory order, or from the most significant bit down in packed words, and the numeric kind.

/// The numeric kind of an attribute's components, and the kind that the shader reads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum VertexNumeric {
    /// Integers that denote 0 to 1, read as floats.
    Unorm,
    /// Integers that denote −1 to 1, read as floats.
    Snorm,
    /// Unsigned integers, read as floats.
    Uscaled,
    /// Signed integers, read as floats.
    Sscaled,
    /// Unsigned integers.
    Uint,
    /// Signed integers.
    Sint,
    /// Floats.
    Sfloat,
    /// Floats without sign.
    Ufloat,
    /// Unsigned floats with a shared exponent, in the five bits above the components.
    Shared,
}

/// Suffixes of names.
const NUMERICS: [(&str, VertexNumeric); 8] = [
    ("UNORM", VertexNumeric::Unorm),
    ("SNORM", VertexNumeric::Snorm),
    ("USCALED", VertexNumeric::Uscaled),
    ("SSCALED", VertexNumeric::Sscaled),
    ("UINT", VertexNumeric::Uint),
    ("SINT", VertexNumeric::Sint),
    ("SFLOAT", VertexNumeric::Sfloat),
    ("UFLOAT", VertexNumeric::Ufloat),
];

/// The only format with a shared exponent.
const SHARED_EXPONENT: &str = "E5B9G9R9_UFLOAT_PACK32";

/// Bits of a location's component.
const COMPONENT_BITS: u8 = 32;

/// Components of a location.
const LOCATION_COMPONENTS: u8 = 4;

/// The position of a component in an element.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Field {
    /// First bit, counted from the start of the element.
    pub bit: u8,
    /// Number of bits; 0 if the component is absent.
    pub bits: u8,
}

/// A format of vertex attributes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VertexFormat {
    /// Red, green, blue, alpha.
    pub fields: [Field; 4],
    /// Their numeric kind.
    pub numeric: VertexNumeric,
    /// Whether components share one word.
    pub packed: bool,
    /// Bytes of an element.
    pub bytes: u8,
}

impl VertexFormat {
    /// The format with this name (Vulkan's, without prefix); `None` for names that are not attribute formats.
    pub fn from_name(name: &str) -> Option<VertexFormat> {
        if name == SHARED_EXPONENT {
            let fields = [0, 9, 18, 27].map(|bit| Field { bit, bits: if bit < 27 { 9 } else { 0 } });
            return Some(VertexFormat { fields, numeric: VertexNumeric::Shared, packed: true, bytes: 4 });
        }
        let (name, packed) = match name.rsplit_once("_PACK") {
            Some((name, bits)) => (name, Some(bits.parse::<u8>().ok()?)),
            None => (name, None),
        };
        let (components, ending) = name.split_once('_')?;
        let (_, numeric) = *NUMERICS.iter().find(|(known, _)| *known == ending)?;
        let mut fields = [Field::default(); 4];
        let mut order = Vec::new();
        let mut rest = components;
        while let Some(letter) = rest.chars().next() {
            let digits = rest[1..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |end| end + 1);
            let bits: u8 = rest.get(1..digits)?.parse().ok()?;
            order.push(("RGBA".find(letter)?, bits));
            rest = &rest[digits..];
        }
        if packed.is_some() {
            order.reverse();
        }
        let mut end = 0_u16;
        for (at, bits) in order {
            fields[at] = Field { bit: u8::try_from(end).ok()?, bits };
            end += u16::from(bits);
        }
        let bytes = u8::try_from(end / 8).ok()?;
        let format = VertexFormat { fields, numeric, packed: packed.is_some(), bytes };
        format.is_known(packed).then_some(format)
    }

    fn is_known(&self, packed: Option<u8>) -> bool {
        let mut bits: Vec<u8> =
            self.fields.iter().map(|field| field.bits).filter(|bits| *bits != 0).collect();
        bits.sort_unstable();
        let integral = !matches!(self.numeric, VertexNumeric::Sfloat | VertexNumeric::Ufloat);
        match (packed, bits.as_slice()) {
            (Some(32), [8, 8, 8, 8] | [2, 10, 10, 10]) => integral,
            (Some(32), [10, 11, 11]) => self.numeric == VertexNumeric::Ufloat,
            (Some(16), [5, 5, 6] | [1, 5, 5, 5] | [4, 4, 4, 4]) | (Some(8), [4, 4]) => {
                self.numeric == VertexNumeric::Unorm
            }
            (None, [8] | [8, 8] | [8, 8, 8] | [8, 8, 8, 8]) => integral,
            (None, [16] | [16, 16] | [16, 16, 16] | [16, 16, 16, 16]) => {
                self.numeric != VertexNumeric::Ufloat
            }
            (
                None,
                [32]
                | [32, 32]
                | [32, 32, 32]
                | [32, 32, 32, 32]
                | [64]
                | [64, 64]
                | [64, 64, 64]
                | [64, 64, 64, 64],
            ) => {
                matches!(self.numeric, VertexNumeric::Uint | VertexNumeric::Sint | VertexNumeric::Sfloat)
            }
            _ => false,
        }
    }

    /// Size in bits of a component, or of the word if components share one: the required alignment of an
    /// element for a single fetch. 64-bit components are fetched as words, words of four bytes as bytes.
    pub fn unit_bits(&self) -> u8 {
        let largest = self.fields.iter().map(|field| field.bits).max().unwrap_or(COMPONENT_BITS);
        if self.shares_word() { 8 * self.bytes } else { largest.min(COMPONENT_BITS) }
    }

    /// Whether components share a word and are not bytes of it.
    pub fn shares_word(&self) -> bool {
        self.packed && self.fields[0].bits != 8
    }

    /// Number of locations of an attribute: 2 for three or four 64-bit components.
    pub fn locations(&self) -> u32 {
        u32::from(self.bytes).div_ceil(u32::from(LOCATION_COMPONENTS * COMPONENT_BITS / 8))
    }

    /// The format of a location, counted from the attribute's first, and the byte offset in an element at
    /// which it begins: a 64-bit component is two words, the low one first. `None` past the attribute's
    /// locations.
    pub fn at_location(&self, location: u32) -> Option<(VertexFormat, u32)> {
        if location >= self.locations() {
            return None;
        }
        if self.fields.iter().all(|field| field.bits <= COMPONENT_BITS) {
            return Some((*self, 0));
        }
        let first = location * u32::from(LOCATION_COMPONENTS) * u32::from(COMPONENT_BITS) / 8;
        let bytes = (self.bytes - first as u8).min(LOCATION_COMPONENTS * COMPONENT_BITS / 8);
        let mut fields = [Field::default(); 4];
        for (field, at) in fields.iter_mut().zip(0..8 * bytes / COMPONENT_BITS) {
            *field = Field { bit: at * COMPONENT_BITS, bits: COMPONENT_BITS };
        }
        Some((VertexFormat { fields, numeric: VertexNumeric::Uint, packed: false, bytes }, first))
    }

    /// Whether the shader reads integers.
    pub fn is_integer(&self) -> bool {
        matches!(self.numeric, VertexNumeric::Uint | VertexNumeric::Sint)
    }

    /// Whether integers in memory are signed.
    pub fn is_signed(&self) -> bool {
        matches!(self.numeric, VertexNumeric::Snorm | VertexNumeric::Sscaled | VertexNumeric::Sint)
    }
}

/// Names of every attribute format: those that the API requires, and similar ones.
pub fn names() -> Vec<String> {
    let integral = ["UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT"];
    let mut names = Vec::new();
    for bits in [8, 16, 32, 64] {
        let channels: Vec<String> =
            ["R", "G", "B", "A"].iter().map(|letter| format!("{letter}{bits}")).collect();
        let numerics: &[&str] = match bits {
            8 => &integral,
            16 => &["UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "SFLOAT"],
            _ => &["UINT", "SINT", "SFLOAT"],
        };
        for count in 1..=4 {
            names.extend(numerics.iter().map(|numeric| format!("{}_{numeric}", channels[..count].concat())));
        }
    }
    for numeric in integral {
        names.push(format!("B8G8R8A8_{numeric}"));
        names.push(format!("B8G8R8_{numeric}"));
        for layout in ["A8B8G8R8", "A2B10G10R10", "A2R10G10B10"] {
            names.push(format!("{layout}_{numeric}_PACK32"));
        }
    }
    names.push("B10G11R11_UFLOAT_PACK32".into());
    names.push(SHARED_EXPONENT.into());
    names.push("R4G4_UNORM_PACK8".into());
    for layout in [
        "R5G6B5", "B5G6R5", "R5G5B5A1", "B5G5R5A1", "A1R5G5B5", "R4G4B4A4", "B4G4R4A4", "A4R4G4B4",
        "A4B4G4R4",
    ] {
        names.push(format!("{layout}_UNORM_PACK16"));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(bit: u8, bits: u8) -> Field {
        Field { bit, bits }
    }

    #[test]
    fn names_determine_the_layout_of_components() {
        let of = |name| VertexFormat::from_name(name).expect("a format");
        let rgb = of("R16G16B16_SINT");
        assert_eq!(rgb.fields, [field(0, 16), field(16, 16), field(32, 16), field(0, 0)]);
        assert_eq!((rgb.bytes, rgb.packed, rgb.unit_bits()), (6, false, 16));
        let bgra = of("B8G8R8A8_UNORM");
        assert_eq!(bgra.fields, [field(16, 8), field(8, 8), field(0, 8), field(24, 8)]);
        let packed = of("A2R10G10B10_SNORM_PACK32");
        assert_eq!(packed.fields, [field(20, 10), field(10, 10), field(0, 10), field(30, 2)]);
        assert_eq!((packed.bytes, packed.unit_bits()), (4, 32));
        let small = of("B5G5R5A1_UNORM_PACK16");
        assert_eq!(small.fields, [field(1, 5), field(6, 5), field(11, 5), field(0, 1)]);
        assert_eq!((small.bytes, small.unit_bits()), (2, 16));
        assert_eq!(of("E5B9G9R9_UFLOAT_PACK32").fields[..3], [field(0, 9), field(9, 9), field(18, 9)]);
        assert_eq!(of("B10G11R11_UFLOAT_PACK32").fields[..3], [field(0, 11), field(11, 11), field(22, 10)]);
    }

    #[test]
    fn components_of_64_bits_are_words_of_one_or_two_locations() {
        let of = |name: &str| VertexFormat::from_name(name).expect("a format");
        let words = |count: u8| {
            let name = &"R32G32B32A32"[..3 * usize::from(count)];
            of(&format!("{name}_UINT"))
        };
        let three = of("R64G64B64_SFLOAT");
        assert_eq!((three.bytes, three.unit_bits(), three.locations()), (24, 32, 2));
        assert_eq!(three.at_location(0), Some((words(4), 0)));
        assert_eq!(three.at_location(1), Some((words(2), 16)));
        assert_eq!(three.at_location(2), None);
        let one = of("R64_SINT");
        assert_eq!((one.at_location(0), one.at_location(1)), (Some((words(2), 0)), None));
        let other = of("R8G8B8A8_SNORM");
        assert_eq!((other.at_location(0), other.locations()), (Some((other, 0)), 1));
    }

    #[test]
    fn only_listed_names_are_accepted() {
        for name in names() {
            assert!(VertexFormat::from_name(&name).is_some(), "{name}");
        }
        for name in [
            "",
            "R8",
            "R8_",
            "R8_SRGB",
            "R64_UNORM",
            "R8G8_SFLOAT",
            "R5G6B5_UNORM_PACK32",
            "R5G6B5_SNORM_PACK16",
            "E5B9G9R9_UFLOAT",
            "RR_UINT",
            "R300_UINT",
        ] {
            assert_eq!(VertexFormat::from_name(name), None, "{name}");
        }
    }
}
