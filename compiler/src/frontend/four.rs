//! Access to vectors of four by the lowest two bits of an index.

/// A component.
#[inline]
pub fn of<T>([x, y, z, w]: [T; 4], component: impl Into<usize>) -> T {
    match component.into() & 3 {
        0 => x,
        1 => y,
        2 => z,
        _ => w,
    }
}

/// Sets a component.
#[inline]
pub fn set<T>([x, y, z, w]: &mut [T; 4], component: impl Into<usize>, value: T) {
    *match component.into() & 3 {
        0 => x,
        1 => y,
        2 => z,
        _ => w,
    } = value;
}
