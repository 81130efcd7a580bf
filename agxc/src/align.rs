//! Aligns two sequences by their longest common subsequence, for listings side by side.

/// Larger tables are not built; sequences that long are paired in order.
const MAX_CELLS: usize = 1 << 23;

/// Rows of an alignment: indices into the first and the second sequence. Elements of both sides in one row are equal,
/// or one replaces the other.
pub fn align<T: PartialEq>(a: &[T], b: &[T]) -> Vec<(Option<usize>, Option<usize>)> {
    let prefix = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (rest_a, rest_b) = (a.get(prefix..).unwrap_or_default(), b.get(prefix..).unwrap_or_default());
    let suffix = rest_a.iter().rev().zip(rest_b.iter().rev()).take_while(|(a, b)| a == b).count();
    let middle_a = rest_a.get(..rest_a.len() - suffix).unwrap_or_default();
    let middle_b = rest_b.get(..rest_b.len() - suffix).unwrap_or_default();
    let mut rows: Vec<_> = (0..prefix).map(|index| (Some(index), Some(index))).collect();
    let shifted = |(x, y): (Option<usize>, Option<usize>)| (x.map(|x| x + prefix), y.map(|y| y + prefix));
    rows.extend(paired(middle(middle_a, middle_b), middle_a, middle_b).into_iter().map(shifted));
    rows.extend((0..suffix).map(|back| (Some(a.len() - suffix + back), Some(b.len() - suffix + back))));
    rows
}

/// Rows of equal elements, and of elements that only one side has.
fn middle<T: PartialEq>(a: &[T], b: &[T]) -> Vec<(Option<usize>, Option<usize>)> {
    let width = b.len() + 1;
    if (a.len() + 1).saturating_mul(width) > MAX_CELLS {
        return (0..a.len()).map(|x| (Some(x), None)).chain((0..b.len()).map(|y| (None, Some(y)))).collect();
    }
    // lengths[x][y]: length of the longest common subsequence of a[x..] and b[y..].
    let mut lengths = vec![0u32; (a.len() + 1) * width];
    for x in (0..a.len()).rev() {
        for y in (0..b.len()).rev() {
            lengths[x * width + y] = match a[x] == b[y] {
                true => lengths[(x + 1) * width + y + 1] + 1,
                false => lengths[(x + 1) * width + y].max(lengths[x * width + y + 1]),
            };
        }
    }
    let (mut x, mut y, mut rows) = (0, 0, Vec::new());
    while x < a.len() || y < b.len() {
        let both = x < a.len() && y < b.len();
        if both && a[x] == b[y] {
            rows.push((Some(x), Some(y)));
            (x, y) = (x + 1, y + 1);
        } else if y == b.len() || (both && lengths[(x + 1) * width + y] >= lengths[x * width + y + 1]) {
            rows.push((Some(x), None));
            x += 1;
        } else {
            rows.push((None, Some(y)));
            y += 1;
        }
    }
    rows
}

/// Pairs elements that only one side has with elements of the other side at the same position.
fn paired<T: PartialEq>(
    rows: Vec<(Option<usize>, Option<usize>)>,
    a: &[T],
    b: &[T],
) -> Vec<(Option<usize>, Option<usize>)> {
    let equal = |row: &(Option<usize>, Option<usize>)| matches!(row, (Some(x), Some(y)) if a[*x] == b[*y]);
    let mut paired = Vec::with_capacity(rows.len());
    for run in rows.chunk_by(|one, other| equal(one) == equal(other)) {
        if run.first().is_some_and(equal) {
            paired.extend_from_slice(run);
            continue;
        }
        let left: Vec<usize> = run.iter().filter_map(|row| row.0).collect();
        let right: Vec<usize> = run.iter().filter_map(|row| row.1).collect();
        let rows = 0..left.len().max(right.len());
        paired.extend(rows.map(|index| (left.get(index).copied(), right.get(index).copied())));
    }
    paired
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(a: &str, b: &str) -> Vec<String> {
        let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
        let letter = |text: &[char], at: Option<usize>| at.map_or('.', |at| text[at]);
        align(&a, &b).into_iter().map(|(x, y)| format!("{}{}", letter(&a, x), letter(&b, y))).collect()
    }

    #[test]
    fn equal_elements_stand_side_by_side() {
        assert_eq!(texts("abcd", "abcd"), ["aa", "bb", "cc", "dd"]);
        assert_eq!(texts("abd", "abcd"), ["aa", "bb", ".c", "dd"]);
        assert_eq!(texts("axyd", "abd"), ["aa", "xb", "y.", "dd"]);
        assert_eq!(texts("", "a"), [".a"]);
        assert_eq!(texts("kitten", "sitting"), ["ks", "ii", "tt", "tt", "ei", "nn", ".g"]);
    }
}
