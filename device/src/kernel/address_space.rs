//! Address spaces and their bindings.

use agx_emulator::{Access, Memory, Window};

use super::Errno;
use super::buffers::{Buffer, PAGE};

/// First address that can be bound, and the end of addresses.
pub(crate) const RANGE: [u64; 2] = [0x4000, 0x7f_ffff_8000];
/// Size of the address range that the kernel reserves.
pub(crate) const KERNEL_BYTES: u64 = 0x2000_0000;

/// An address space.
#[derive(Debug)]
pub(crate) struct AddressSpace {
    pub(crate) memory: Memory,
    /// The range that the kernel reserves.
    kernel: [u64; 2],
}

/// One bind or unbind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bind<'b> {
    /// The buffer; `None` unbinds.
    pub(crate) buffer: Option<&'b Buffer>,
    /// First byte in the buffer.
    pub(crate) offset: u64,
    /// Bytes.
    pub(crate) bytes: u64,
    /// First address.
    pub(crate) address: u64,
    /// Permissions of programs.
    pub(crate) access: Access,
    /// Whether one page is repeated.
    pub(crate) single_page: bool,
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Buffer({} bytes)", self.bytes)
    }
}

impl AddressSpace {
    /// An address space that reserves these addresses for the kernel.
    pub(crate) fn new(kernel: [u64; 2]) -> Result<AddressSpace, Errno> {
        let [start, end] = kernel;
        let inside = start >= RANGE[0] && end <= RANGE[1] && start % PAGE == 0 && end % PAGE == 0;
        if !inside || end.checked_sub(start).is_none_or(|bytes| bytes < KERNEL_BYTES) {
            return Err(Errno::INVALID);
        }
        Ok(AddressSpace { memory: Memory::new(), kernel })
    }

    /// Binds or unbinds; existing bindings in the range are replaced.
    pub(crate) fn bind(&mut self, bind: &Bind<'_>) -> Result<(), Errno> {
        let end = bind.address.checked_add(bind.bytes).ok_or(Errno::INVALID)?;
        let aligned = [bind.address, bind.bytes, bind.offset].iter().all(|value| value % PAGE == 0);
        let free = end <= self.kernel[0] || bind.address >= self.kernel[1];
        if !aligned || !free || bind.address < RANGE[0] || end > RANGE[1] {
            return Err(Errno::INVALID);
        }
        let window = match bind.buffer {
            Some(buffer) => {
                let period = if bind.single_page { PAGE } else { bind.bytes };
                let window = Window::repeated(buffer.words.clone(), bind.offset, bind.bytes, period);
                Some(window.ok_or(Errno::INVALID)?)
            }
            None => None,
        };
        self.memory.clear(bind.address, end);
        match window {
            Some(window) => {
                self.memory.map_window(bind.address, window, bind.access).map_err(|_| Errno::INVALID)
            }
            None => Ok(()),
        }
    }
}
