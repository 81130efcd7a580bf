//! Descriptors of a device in process.
//!
//! A descriptor is one end of a pair of sockets. A mark that can be read from it names what it stands for, also after it was
//! copied or sent to another process. The other end stays here: it is at its end when the last copy was closed.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{Read as _, Write as _};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use agx_device::words::Words;
use rustix::net::{RecvFlags, recv};

/// What descriptors keep alive.
#[derive(Clone)]
pub(super) enum Shared {
    /// Memory, and the kernel's token of it.
    Buffer(Arc<dyn Words>, u64),
    /// A sync object, by the kernel's key.
    Sync(u32),
}

/// What a descriptor stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mark {
    /// An export with this key.
    Export(u64),
    /// A signalled fence.
    Fence {
        /// The work before it ended early.
        failed: bool,
    },
}

/// The start of every mark.
const MAGIC: [u8; 8] = *b"agx-file";
/// Bytes of a mark: the start, the device, the kind, the key.
const BYTES: usize = 32;

impl Mark {
    fn words(self) -> [u64; 2] {
        match self {
            Mark::Export(key) => [1, key],
            Mark::Fence { failed } => [2, failed.into()],
        }
    }

    fn bytes(self, device: u64) -> [u8; BYTES] {
        let [kind, key] = self.words();
        let mut bytes = [0; BYTES];
        let words = [u64::from_le_bytes(MAGIC), device, kind, key];
        bytes.as_chunks_mut::<8>().0.iter_mut().zip(words).for_each(|(to, word)| *to = word.to_le_bytes());
        bytes
    }
}

/// An export, and the end of its pair of sockets that stays here.
struct Export {
    object: Shared,
    end: UnixStream,
}

impl Export {
    /// Whether a descriptor of it is left.
    fn is_open(&self) -> bool {
        let read = (&self.end).read(&mut [0]);
        matches!(read, Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
    }
}

/// The exports of a device.
pub(super) struct Exports {
    /// A number that other devices, in this process and in others, do not have.
    device: u64,
    last: u64,
    live: BTreeMap<u64, Export>,
}

impl Exports {
    /// No exports.
    pub(super) fn new() -> Exports {
        Exports { device: RandomState::new().build_hasher().finish(), last: 0, live: BTreeMap::new() }
    }

    /// Both ends of a pair of sockets, of which the second has a mark.
    fn pair(&self, mark: Mark) -> std::io::Result<(UnixStream, OwnedFd)> {
        let (mut end, given) = UnixStream::pair()?;
        end.write_all(&mark.bytes(self.device))?;
        end.set_nonblocking(true)?;
        Ok((end, given.into()))
    }

    /// A descriptor of an object.
    pub(super) fn give(&mut self, object: Shared) -> std::io::Result<OwnedFd> {
        let (end, given) = self.pair(Mark::Export(self.last + 1))?;
        self.last += 1;
        self.live.insert(self.last, Export { object, end });
        Ok(given)
    }

    /// A descriptor of a signalled fence.
    pub(super) fn fence(&self, failed: bool) -> std::io::Result<OwnedFd> {
        // What was written stays when this end is closed.
        Ok(self.pair(Mark::Fence { failed })?.1)
    }

    /// What a descriptor stands for; `None` if it is not from this device.
    pub(super) fn mark(&self, file: BorrowedFd<'_>) -> Option<Mark> {
        let mut bytes = [0; BYTES];
        let (_, len) = recv(file, &mut bytes, RecvFlags::PEEK | RecvFlags::DONTWAIT).ok()?;
        let key = u64::from_le_bytes(*bytes.last_chunk()?);
        let kinds = [Mark::Export(key), Mark::Fence { failed: key != 0 }];
        kinds.into_iter().find(|mark| len == BYTES && mark.bytes(self.device) == bytes)
    }

    /// The object of a descriptor.
    pub(super) fn find(&self, file: BorrowedFd<'_>) -> Option<Shared> {
        match self.mark(file)? {
            Mark::Export(key) => self.live.get(&key).map(|export| export.object.clone()),
            Mark::Fence { .. } => None,
        }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    /// Removes the objects of which no descriptor is left.
    pub(super) fn sweep(&mut self) -> Vec<Shared> {
        let mut closed = Vec::new();
        self.live.retain(|_, export| {
            let is_open = export.is_open();
            if !is_open {
                closed.push(export.object.clone());
            }
            is_open
        });
        closed
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd as _;

    use super::*;

    #[test]
    fn descriptors_name_their_objects_until_the_last_copy_is_closed() {
        let mut exports = Exports::new();
        let given = exports.give(Shared::Sync(7)).expect("a descriptor");
        let copy = given.try_clone().expect("a copy");
        drop(given);
        assert!(exports.sweep().is_empty());
        assert!(matches!(exports.find(copy.as_fd()), Some(Shared::Sync(7))));
        assert!(matches!(exports.find(copy.as_fd()), Some(Shared::Sync(7))), "the mark stays");
        drop(copy);
        assert!(matches!(*exports.sweep(), [Shared::Sync(7)]));
        assert!(exports.sweep().is_empty());
    }

    #[test]
    fn descriptors_of_others_are_told() {
        let (mut exports, other) = (Exports::new(), Exports::new());
        let given = exports.give(Shared::Sync(1)).expect("a descriptor");
        assert_eq!(other.mark(given.as_fd()), None);
        let fence = other.fence(true).expect("a descriptor");
        assert_eq!(other.mark(fence.as_fd()), Some(Mark::Fence { failed: true }));
        assert!(other.find(fence.as_fd()).is_none());
        assert_eq!(exports.mark(fence.as_fd()), None);
        let (strange, _end) = UnixStream::pair().expect("sockets");
        assert_eq!(exports.mark(strange.as_fd()), None);
        let file = std::fs::File::open("/dev/null").expect("a file");
        assert_eq!(exports.mark(file.as_fd()), None);
    }
}
