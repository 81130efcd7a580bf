//! Handles: small numbers from 1 on for objects; a new object gets the lowest free one.

use super::Errno;

/// Objects by handle.
#[derive(Clone, Debug)]
pub(crate) struct Table<T> {
    objects: Vec<Option<T>>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table { objects: Vec::new() }
    }
}

impl<T> Table<T> {
    /// A handle for a new object.
    pub(crate) fn insert(&mut self, object: T) -> u32 {
        match self.objects.iter_mut().zip(1..).find(|(place, _)| place.is_none()) {
            Some((place, handle)) => {
                *place = Some(object);
                handle
            }
            None => {
                self.objects.push(Some(object));
                self.objects.len() as u32
            }
        }
    }

    pub(crate) fn get(&self, handle: u32) -> Result<&T, Errno> {
        let place = (handle as usize).checked_sub(1).and_then(|at| self.objects.get(at));
        place.and_then(Option::as_ref).ok_or(Errno::NOT_FOUND)
    }

    pub(crate) fn get_mut(&mut self, handle: u32) -> Result<&mut T, Errno> {
        let place = (handle as usize).checked_sub(1).and_then(|at| self.objects.get_mut(at));
        place.and_then(Option::as_mut).ok_or(Errno::NOT_FOUND)
    }

    pub(crate) fn remove(&mut self, handle: u32) -> Result<T, Errno> {
        let place = (handle as usize).checked_sub(1).and_then(|at| self.objects.get_mut(at));
        place.and_then(Option::take).ok_or(Errno::NOT_FOUND)
    }

    /// Visits every object.
    pub(crate) fn for_each(&mut self, visit: impl FnMut(&mut T)) {
        self.objects.iter_mut().flatten().for_each(visit);
    }

    /// The first handle whose object satisfies a condition.
    pub(crate) fn find(&self, is: impl Fn(&T) -> bool) -> Option<u32> {
        let mut handles = self.objects.iter().zip(1..);
        handles.find(|(object, _)| object.as_ref().is_some_and(&is)).map(|(_, handle)| handle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_start_at_one_and_are_used_again() {
        let mut table = Table::default();
        assert_eq!([table.insert('a'), table.insert('b')], [1, 2]);
        assert_eq!(table.remove(1), Ok('a'));
        assert_eq!(table.remove(1), Err(Errno::NOT_FOUND));
        assert_eq!(table.get(0), Err(Errno::NOT_FOUND));
        assert_eq!(table.insert('c'), 1);
        assert_eq!(table.find(|object| *object == 'b'), Some(2));
    }
}
