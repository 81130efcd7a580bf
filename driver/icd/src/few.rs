//! Copies of lists, for commands that are executed later.

use std::ops::Deref;

/// A copy of a list. Up to `N` items need no memory of their own.
pub(crate) enum Few<T, const N: usize> {
    /// A short list: the items and their number.
    Short([T; N], usize),
    /// A longer one.
    Long(Vec<T>),
}

impl<T: Default, const N: usize> FromIterator<T> for Few<T, N> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut items = items.into_iter();
        let mut short = std::array::from_fn(|_| T::default());
        let mut len = 0;
        for (place, item) in short.iter_mut().zip(items.by_ref()) {
            *place = item;
            len += 1;
        }
        if len < N {
            return Few::Short(short, len);
        }
        match items.next() {
            None => Few::Short(short, len),
            Some(next) => Few::Long(short.into_iter().chain([next]).chain(items).collect()),
        }
    }
}

impl<T, const N: usize> Deref for Few<T, N> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Few::Short(items, len) => items.get(..*len).unwrap_or_default(),
            Few::Long(items) => items,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_any_length_are_copied() {
        for len in 0..7 {
            let few: Few<u32, 3> = (0..len).collect();
            assert_eq!(*few, *(0..len).collect::<Vec<u32>>());
            assert_eq!(matches!(few, Few::Short(..)), len <= 3);
        }
    }
}
