//! Handles of objects that several handles and exported descriptors may share.

use super::Errno;
use super::table::Table;

/// An object with the number of its handles and descriptors.
#[derive(Debug)]
struct Counted<T> {
    object: T,
    owners: u32,
}

/// Objects by handle. An exported object exists until [`Shared::release`]: descriptors have no call when they close.
#[derive(Debug)]
pub(crate) struct Shared<T> {
    /// Handles of the objects.
    handles: Table<u32>,
    objects: Table<Counted<T>>,
}

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Shared { handles: Table::default(), objects: Table::default() }
    }
}

impl<T> Shared<T> {
    /// A handle for a new object.
    pub(crate) fn insert(&mut self, object: T) -> u32 {
        let key = self.objects.insert(Counted { object, owners: 1 });
        self.handles.insert(key)
    }

    pub(crate) fn get(&self, handle: u32) -> Result<&T, Errno> {
        self.objects.get(*self.handles.get(handle)?).map(|counted| &counted.object)
    }

    pub(crate) fn get_mut(&mut self, handle: u32) -> Result<&mut T, Errno> {
        self.objects.get_mut(*self.handles.get(handle)?).map(|counted| &mut counted.object)
    }

    /// Removes a handle, and the object with its last owner.
    pub(crate) fn remove(&mut self, handle: u32) -> Result<(), Errno> {
        let key = self.handles.remove(handle)?;
        self.release(key)
    }

    /// Removes an owner of the object with this key, and the object with the last.
    pub(crate) fn release(&mut self, key: u32) -> Result<(), Errno> {
        let counted = self.objects.get_mut(key)?;
        counted.owners = counted.owners.saturating_sub(1);
        if counted.owners == 0 {
            self.objects.remove(key)?;
        }
        Ok(())
    }

    /// The key of the object of a handle, which gains an owner.
    pub(crate) fn export(&mut self, handle: u32) -> Result<u32, Errno> {
        let key = *self.handles.get(handle)?;
        let counted = self.objects.get_mut(key)?;
        counted.owners = counted.owners.saturating_add(1);
        Ok(key)
    }

    /// The key of the first object that satisfies a condition.
    pub(crate) fn find(&self, is: impl Fn(&T) -> bool) -> Option<u32> {
        self.objects.find(|counted| is(&counted.object))
    }

    /// Visits every object.
    pub(crate) fn for_each(&mut self, mut visit: impl FnMut(&mut T)) {
        self.objects.for_each(|counted| visit(&mut counted.object));
    }

    /// A new handle for the object with this key.
    pub(crate) fn import(&mut self, key: u32) -> Result<u32, Errno> {
        let counted = self.objects.get_mut(key)?;
        counted.owners = counted.owners.saturating_add(1);
        Ok(self.handles.insert(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_of_an_exported_object_share_it() {
        let mut table = Shared::default();
        let first = table.insert(1);
        let key = table.export(first).expect("known");
        let second = table.import(key).expect("known");
        assert_ne!(first, second);
        *table.get_mut(second).expect("known") = 2;
        assert_eq!(table.get(first), Ok(&2));
        assert_eq!(table.remove(first), Ok(()));
        assert_eq!(table.get(second), Ok(&2));
        assert_eq!(table.remove(second), Ok(()));
        // The descriptor still owns it.
        let third = table.import(key).expect("known");
        assert_eq!([table.release(key), table.remove(third)], [Ok(()); 2]);
        assert_eq!(table.import(key), Err(Errno::NOT_FOUND));
    }

    #[test]
    fn an_object_goes_with_its_last_handle() {
        let mut table = Shared::default();
        let handle = table.insert('a');
        assert_eq!(table.remove(handle), Ok(()));
        assert_eq!(table.remove(handle), Err(Errno::NOT_FOUND));
        assert_eq!(table.import(1), Err(Errno::NOT_FOUND));
    }
}
