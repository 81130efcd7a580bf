//! Texts of the IR for the targets that need them: mutations of valid texts, or arbitrary bytes.

use agx_random::Entropy;

/// Functions to mutate.
const SEEDS: [&str; 3] = [
    include_str!("../seeds/arithmetic.ir"),
    include_str!("../seeds/control.ir"),
    include_str!("../seeds/memory.ir"),
];

/// Operands by their first character; one replaces another of the same group.
const OPERANDS: [&str; 5] = [
    "%0 %1 %2 %3 %4 %5 %6 %7 %8 %9",
    "#0 #1 #-1 #31 #64 #1.5 #-0.0 #0x7fc00000 #0xffffffff #0x8000",
    "b0 b1 b2 b3 b4 b5 b6 b7 b8",
    "u0 u4 u4l u4_u5 u100 u[511]:32",
    "true #0 %0 u4 _ false",
];

/// Names of operations with two sources and one result.
const OPERATIONS: [&str; 12] =
    ["fadd", "fmul", "iadd", "isub", "imul", "iand", "ior", "ixor", "umin", "fmax", "ishl", "ushr"];

/// Makes a text from the choices of `entropy`.
pub fn any_text(entropy: &mut Entropy<'_>) -> String {
    if entropy.below(8) == 0 {
        return String::from_utf8_lossy(entropy.rest()).into_owned();
    }
    let mut lines: Vec<String> = SEEDS[entropy.below(SEEDS.len())].lines().map(str::to_owned).collect();
    for _ in 0..=entropy.below(3) {
        change(&mut lines, entropy);
    }
    lines.join("\n") + "\n"
}

/// Swaps, drops or repeats a line, or replaces a word.
fn change(lines: &mut Vec<String>, entropy: &mut Entropy<'_>) {
    if lines.is_empty() {
        return;
    }
    let at = entropy.below(lines.len());
    let other = entropy.below(lines.len());
    match entropy.below(12) {
        0 => lines.swap(at, other),
        1 => drop(lines.remove(at)),
        2 => lines.insert(other, lines[at].clone()),
        3 => lines[at] = with_a_byte_changed(&lines[at], entropy),
        4 => lines[at] = with_another_operation(&lines[at], entropy),
        _ => lines[at] = with_another_operand(&lines[at], entropy),
    }
}

fn with_a_byte_changed(line: &str, entropy: &mut Entropy<'_>) -> String {
    let mut bytes = line.as_bytes().to_vec();
    if !bytes.is_empty() {
        let place = entropy.below(bytes.len());
        bytes[place] = entropy.byte();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn with_another_operation(line: &str, entropy: &mut Entropy<'_>) -> String {
    let new = OPERATIONS[entropy.below(OPERATIONS.len())];
    let old = OPERATIONS.iter().find(|name| line.contains(&format!(" {name} ")));
    old.map_or_else(|| line.to_owned(), |old| line.replace(old, new))
}

/// Replaces an operand on the right-hand side; keeps a comma or suffix after it.
fn with_another_operand(line: &str, entropy: &mut Entropy<'_>) -> String {
    let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    let first = words.iter().position(|word| word == "=").unwrap_or(0);
    let places: Vec<usize> =
        (first..words.len()).filter(|at| words[*at].starts_with(['%', '#', 'b', 'u', 't'])).collect();
    if places.is_empty() {
        return line.to_owned();
    }
    let word = &mut words[places[entropy.below(places.len())]];
    let same = OPERANDS.iter().find(|set| set.starts_with(&word[..1])).unwrap_or(&OPERANDS[0]);
    let choices: Vec<&str> = same.split(' ').collect();
    let end = word.find([',', '.', ':']).unwrap_or(word.len());
    word.replace_range(..end, choices[entropy.below(choices.len())]);
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use agx_random::Random;

    /// Mutations that only break texts would not test the validator and the passes after it.
    #[test]
    fn a_good_share_of_the_texts_is_valid() {
        let mut random = Random::new(3);
        let (mut parsed, mut valid) = (0, 0);
        for _ in 0..1000 {
            let data = random.bytes(64);
            let bump = bumpalo::Bump::new();
            if let Ok(functions) =
                agx_compiler::internal::ir::parse(&bump, &any_text(&mut Entropy::new(&data)))
            {
                parsed += 1;
                valid += u32::from(
                    functions.iter().all(|f| agx_compiler::internal::ir::validate(f, f.stage).is_ok()),
                );
            }
        }
        assert!(parsed > 300 && valid > 100 && valid < parsed, "{parsed} parsed, {valid} valid");
    }
}
