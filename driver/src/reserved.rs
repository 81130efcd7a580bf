//! Addresses whose pages applications bind to memory one by one, and what buffers and images are bound to.
//!
//! Pages without memory show one page of the address space, which all of them share and whose contents are undefined
//! (`residencyNonResidentStrict` is not offered).

use std::sync::Arc;

use agx_abi::page_table;

use crate::Error;
use crate::gpu::PAGE;
use crate::memory::{Allocation, Place, Space, rounded};

/// Addresses whose pages are bound one by one.
pub struct Reserved {
    space: Arc<Space>,
    /// First address.
    pub address: u64,
    /// Bytes, a multiple of a page.
    pub bytes: u64,
    /// The page tables of its textures.
    tables: Vec<PageTable>,
}

/// The page table of the textures of a plane: the texels of pages without memory read as zeros, and programs can ask for them.
pub struct PageTable {
    memory: Allocation,
    /// First byte of the plane in the resource.
    start: u64,
    /// Bytes from one layer to the next, and layers.
    layer: u64,
    layers: u64,
}

impl PageTable {
    /// The table of a plane none of whose pages has memory: the first byte in the resource, bytes from one layer to the next, and
    /// layers.
    ///
    /// # Errors
    /// Out of memory or addresses.
    pub fn new(space: &Arc<Space>, start: u64, layer: u64, layers: u32) -> Result<PageTable, Error> {
        let layers = u64::from(layers);
        let memory = space.allocate(layers * page_table::layer_bytes(layer), Place::High)?;
        Ok(PageTable { memory, start, layer, layers })
    }

    /// The first byte of the table of a layer.
    fn offset(&self, layer: u64) -> u64 {
        layer * page_table::layer_bytes(self.layer)
    }

    /// Enters pages of the resource, which is at an address if they have memory.
    fn enter(&self, pages: &Pages, resource: u64) {
        for offset in (pages.offset..pages.offset + pages.bytes).step_by(PAGE as usize) {
            let Some(place) = offset.checked_sub(self.start) else { continue };
            let (layer, byte) = (place / self.layer, place % self.layer);
            if layer < self.layers {
                let entry = pages.memory.as_ref().map_or(0, |_| page_table::entry(resource + offset));
                self.memory.write_words(self.offset(layer) + page_table::entry_offset(byte), &[entry]);
            }
        }
    }
}

impl Reserved {
    /// At least `bytes` bytes of addresses without memory, followed by an unmapped page, with the page tables of their
    /// textures.
    ///
    /// # Errors
    /// Out of memory or addresses.
    pub fn new(space: &Arc<Space>, bytes: u64, tables: Vec<PageTable>) -> Result<Reserved, Error> {
        let bytes = rounded(bytes)?;
        let address = space.take(bytes, Place::High)?;
        let reserved = Reserved { space: space.clone(), address, bytes, tables };
        reserved.bind(&Pages { offset: 0, bytes, memory: None })?;
        Ok(reserved)
    }

    /// The address of the page table of the plane that begins at a byte, from a layer on.
    pub fn table(&self, start: u64, layer: u32) -> Option<u64> {
        self.tables
            .iter()
            .find(|table| table.start == start)
            .map(|table| table.memory.address + table.offset(layer.into()))
    }

    /// Binds pages, or removes their memory.
    ///
    /// # Errors
    /// The pages are outside of the resource or of the memory, or the call fails.
    pub fn bind(&self, pages: &Pages) -> Result<(), Error> {
        let Pages { offset, bytes, ref memory } = *pages;
        let in_pages = [offset, bytes].iter().all(|place| place.is_multiple_of(PAGE));
        let inside = offset.checked_add(bytes).is_some_and(|end| end <= self.bytes);
        if !in_pages || !inside {
            return Err(Error::Invalid { what: "sparse memory is bound outside of its resource" });
        }
        let address = self.address + offset;
        self.tables.iter().for_each(|table| table.enter(pages, self.address));
        match memory {
            Some((memory, from)) => {
                let inside = from.checked_add(bytes).is_some_and(|end| end <= memory.bytes);
                if !inside || !from.is_multiple_of(PAGE) {
                    return Err(Error::Invalid { what: "sparse memory is bound outside of its allocation" });
                }
                self.space.gpu().bind(memory.handle(), *from, address, bytes)
            }
            None => self.space.gpu().bind_page(self.space.unbound_page()?, address, bytes),
        }
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.space.gpu().unbind(self.address, self.bytes);
        self.space.give(self.address, self.bytes, Place::High);
    }
}

/// Pages of a resource, and what they are bound to.
#[derive(Clone)]
pub struct Pages {
    /// First byte in the resource.
    pub offset: u64,
    /// Bytes.
    pub bytes: u64,
    /// The memory and the first byte there, unless the pages have none.
    pub memory: Option<(Arc<Allocation>, u64)>,
}

/// Pages of a resource that a queue binds.
pub struct PageBind {
    /// The resource.
    pub resource: Arc<Reserved>,
    /// Its pages.
    pub pages: Pages,
}

/// What a buffer or an image is bound to.
#[derive(Clone)]
pub enum Backing {
    /// Memory, from this byte on.
    Memory(Arc<Allocation>, u64),
    /// Pages that are bound one by one.
    Sparse(Arc<Reserved>),
}

impl Backing {
    /// The first address.
    #[inline]
    pub fn address(&self) -> u64 {
        match self {
            Backing::Memory(memory, offset) => memory.address + offset,
            Backing::Sparse(reserved) => reserved.address,
        }
    }

    /// The memory and the first byte there, unless pages are bound one by one.
    pub fn memory(&self) -> Option<(&Arc<Allocation>, u64)> {
        match self {
            Backing::Memory(memory, offset) => Some((memory, *offset)),
            Backing::Sparse(_) => None,
        }
    }

    /// The addresses whose pages are bound one by one.
    pub fn reserved(&self) -> Option<&Arc<Reserved>> {
        match self {
            Backing::Sparse(reserved) => Some(reserved),
            Backing::Memory(..) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;

    fn word(allocation: &Allocation, offset: u64) -> u32 {
        let mut bytes = [0; 4];
        allocation.read(offset, &mut bytes);
        u32::from_le_bytes(bytes)
    }

    /// Fills words with commands.
    fn fill(device: &Arc<Device>, address: u64, bytes: u64, word: u32) {
        use crate::command::{CommandBuffer, Level};
        use crate::queue::Submission;
        let mut commands = CommandBuffer::new(device.clone(), Level::Primary);
        commands.begin();
        commands.record(move |recorder| recorder.fill_memory(address, bytes, word));
        commands.end().expect("records");
        let submission = Submission { commands: vec![commands.commands()], ..Submission::default() };
        device.queue.submit(vec![submission]).expect("runs");
        device.queue.wait_idle().expect("ends");
    }

    #[test]
    fn pages_show_the_memory_that_they_are_bound_to() {
        let device = Device::in_test();
        let memory = Arc::new(device.space.allocate(2 * PAGE, Place::High).expect("memory"));
        let reserved = Reserved::new(&device.space, 4 * PAGE, Vec::new()).expect("addresses");
        let bind = |page: u64, from: Option<u64>| {
            let memory = from.map(|from| (memory.clone(), from * PAGE));
            reserved.bind(&Pages { offset: page * PAGE, bytes: PAGE, memory })
        };
        // Without memory, stores have no effect on memory.
        fill(&device, reserved.address, 4 * PAGE, 7);
        assert_eq!((word(&memory, 0), word(&memory, PAGE)), (0, 0));
        bind(1, Some(1)).expect("binds");
        bind(3, Some(0)).expect("binds");
        fill(&device, reserved.address + PAGE, PAGE, 1);
        fill(&device, reserved.address + 3 * PAGE, PAGE, 3);
        assert_eq!((word(&memory, 0), word(&memory, PAGE)), (3, 1));
        bind(1, None).expect("unbinds");
        fill(&device, reserved.address + PAGE, PAGE, 9);
        assert_eq!(word(&memory, PAGE), 1);
        assert!(bind(4, Some(0)).is_err() && bind(0, Some(2)).is_err());
    }

    #[test]
    fn a_table_tells_which_pages_have_memory() {
        let device = Device::in_test();
        let memory = Arc::new(device.space.allocate(2 * PAGE, Place::High).expect("memory"));
        // A plane of two layers, of two pages each, after a page.
        let table = PageTable::new(&device.space, PAGE, 2 * PAGE, 2).expect("memory");
        let reserved = Reserved::new(&device.space, 5 * PAGE, vec![table]).expect("addresses");
        let table = &reserved.tables[0];
        assert_eq!(reserved.table(PAGE, 1), Some(table.memory.address + page_table::layer_bytes(2 * PAGE)));
        assert_eq!(reserved.table(0, 0), None);
        let entries = || [0, 4, 2048, 2052].map(|at| word(&table.memory, at));
        assert_eq!(entries(), [0; 4]);
        let bind = |memory| reserved.bind(&Pages { offset: 2 * PAGE, bytes: 2 * PAGE, memory });
        bind(Some((memory.clone(), 0))).expect("binds");
        let entry = |page: u64| page_table::entry(reserved.address + page * PAGE);
        assert_eq!(entries(), [0, entry(2), entry(3), 0]);
        bind(None).expect("unbinds");
        assert_eq!(entries(), [0; 4]);
    }
}
