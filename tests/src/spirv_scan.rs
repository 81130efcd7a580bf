//! The little of a SPIR-V module that the suites need to know: its entry points.

use agx_abi::Stage;

/// First word of a module.
const MAGIC: u32 = 0x0723_0203;

/// OpEntryPoint, with the number of words before the name.
const OP_ENTRY_POINT: u32 = 15;

/// An entry point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntryPoint {
    /// Its stage; `None` for one this project has no pipeline stage for.
    pub stage: Option<Stage>,
    /// Its name.
    pub name: String,
}

/// The entry points of a module in either byte order, in the order of declaration; as many as can be read.
pub fn entry_points(module: &[u8]) -> Vec<EntryPoint> {
    let words: Vec<u32> = module.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let swapped = words.first() == Some(&MAGIC.swap_bytes());
    let words: Vec<u32> = words.iter().map(|word| if swapped { word.swap_bytes() } else { *word }).collect();
    let mut rest = words.get(5..).unwrap_or_default();
    let mut found = Vec::new();
    while let Some(first) = rest.first() {
        let length = (first >> 16) as usize;
        let Some((instruction, next)) = rest.split_at_checked(length).filter(|_| length > 0) else { break };
        if first & 0xffff == OP_ENTRY_POINT && instruction.len() > 3 {
            let bytes: Vec<u8> = instruction[3..].iter().flat_map(|word| word.to_le_bytes()).collect();
            let name = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
            let stage = match instruction[1] {
                0 => Some(Stage::Vertex),
                4 => Some(Stage::Fragment),
                5 => Some(Stage::Compute),
                _ => None,
            };
            found.push(EntryPoint { stage, name: String::from_utf8_lossy(name).into_owned() });
        }
        rest = next;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(swap: bool) -> Vec<u8> {
        let name = u32::from_le_bytes(*b"main");
        let words = [
            [MAGIC, 0x1_0000, 0, 9, 0].as_slice(),
            &[2 << 16 | 17, 1],
            &[5 << 16 | OP_ENTRY_POINT, 5, 1, name, 0],
            &[5 << 16 | OP_ENTRY_POINT, 4, 2, name, 0],
            &[4 << 16 | OP_ENTRY_POINT, 5313, 3, u32::from_le_bytes(*b"ray\0")],
            // Truncated: four words announced, two there.
            &[4 << 16 | OP_ENTRY_POINT, 0],
        ];
        let to_bytes = |word: u32| if swap { word.to_be_bytes() } else { word.to_le_bytes() };
        words.concat().into_iter().flat_map(to_bytes).collect()
    }

    #[test]
    fn both_byte_orders_and_a_truncated_end() {
        for swap in [false, true] {
            let found = entry_points(&module(swap));
            let found: Vec<_> = found.iter().map(|entry| (entry.stage, entry.name.as_str())).collect();
            assert_eq!(
                found,
                [(Some(Stage::Compute), "main"), (Some(Stage::Fragment), "main"), (None, "ray")]
            );
        }
        assert_eq!(entry_points(&[1, 2, 3]), []);
    }
}
