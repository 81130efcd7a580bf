//! Converts pointers of the application to references and slices.
//!
//! Every function here relies on the valid usage of the command whose parameter it gets: pointers are null only if the
//! command allows it, point to as many elements as the command specifies, and stay valid while it runs.

use std::ffi::{CStr, c_char, c_void};

use agx_driver::Error;
use ash::vk;

use crate::handles::{Dispatched, dispatched_object};
use crate::newer::NOT_ENOUGH_SPACE;

/// The object of a command's first parameter.
///
/// # Safety
/// The driver made the handle, it was not destroyed, and access to it is synchronised as the command requires.
pub(crate) unsafe fn dispatched<'a, H: Dispatched + 'a>(handle: H) -> H::Lent<'a> {
    // SAFETY: the caller's promise.
    unsafe { dispatched_object(handle) }
}

/// The target of a parameter.
///
/// # Safety
/// See the module.
pub(crate) unsafe fn reference<'a, T>(pointer: *const T) -> &'a T {
    // SAFETY: the caller's promise.
    unsafe { &*pointer }
}

/// The destination of a result.
///
/// # Safety
/// See the module.
pub(crate) unsafe fn out<'a, T>(pointer: *mut T) -> &'a mut T {
    // SAFETY: the caller's promise.
    unsafe { &mut *pointer }
}

/// A slice of `len` elements; empty for a null pointer.
///
/// # Safety
/// See the module.
pub(crate) unsafe fn slice<'a, T>(pointer: *const T, len: usize) -> &'a [T] {
    if pointer.is_null() || len == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(pointer, len) }
}

/// `len` elements that are `stride` bytes apart.
///
/// # Safety
/// See the module.
pub(crate) unsafe fn strided<T: Copy>(pointer: *const T, len: usize, stride: usize) -> Vec<T> {
    // SAFETY: the caller's promise; elements need not be aligned.
    (0..len).map(|at| unsafe { pointer.byte_add(at * stride).read_unaligned() }).collect()
}

/// A slice of `len` elements for a command to write.
///
/// # Safety
/// See the module.
pub(crate) unsafe fn slice_mut<'a, T>(pointer: *mut T, len: usize) -> &'a mut [T] {
    if pointer.is_null() || len == 0 {
        return &mut [];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts_mut(pointer, len) }
}

/// A string; an empty one for a null pointer.
///
/// # Safety
/// See the module.
pub(crate) unsafe fn text<'a>(pointer: *const c_char) -> &'a CStr {
    // SAFETY: the caller's promise.
    unsafe { text_of(pointer) }.unwrap_or_default()
}

/// A string, unless the pointer is null.
///
/// # Safety
/// See the module.
pub(crate) unsafe fn text_of<'a>(pointer: *const c_char) -> Option<&'a CStr> {
    // SAFETY: the caller's promise.
    (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) })
}

/// Several strings.
///
/// # Safety
/// See the module.
pub(crate) unsafe fn texts<'a>(pointer: *const *const c_char, len: usize) -> Vec<&'a CStr> {
    // SAFETY: the caller's promise.
    unsafe { slice(pointer, len) }.iter().filter_map(|text| unsafe { text_of(*text) }).collect()
}

/// A count and an array: without an array, the count is set.
pub(crate) struct Fill<C, T> {
    count: *mut C,
    room: *mut T,
}

/// Types of counts.
pub(crate) trait Count: Copy {
    fn from_len(len: usize) -> Self;
    fn to_len(self) -> usize;
}

impl Count for u32 {
    fn from_len(len: usize) -> u32 {
        len as u32
    }
    fn to_len(self) -> usize {
        self as usize
    }
}

impl Count for usize {
    fn from_len(len: usize) -> usize {
        len
    }
    fn to_len(self) -> usize {
        self
    }
}

impl<C: Count, T> Fill<C, T> {
    /// # Safety
    /// See the module.
    pub(crate) unsafe fn new(count: *mut C, room: *mut T) -> Fill<C, T> {
        Fill { count, room }
    }

    /// Calls `put` for as many items as the array has room for, or sets the count.
    pub(crate) fn fill<I>(self, items: &[I], mut put: impl FnMut(&I, &mut T)) -> vk::Result {
        // SAFETY: the promise to `new`.
        unsafe {
            if self.room.is_null() {
                *self.count = C::from_len(items.len());
                return vk::Result::SUCCESS;
            }
            let room = (*self.count).to_len();
            let slots = std::slice::from_raw_parts_mut(self.room, room.min(items.len()));
            items.iter().zip(slots).for_each(|(item, slot)| put(item, slot));
            *self.count = C::from_len(room.min(items.len()));
            if room < items.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
        }
    }
}

impl<C: Count> Fill<C, c_void> {
    /// Copies bytes, or sets the count.
    pub(crate) fn bytes(self, bytes: &[u8]) -> vk::Result {
        Fill { count: self.count, room: self.room.cast::<u8>() }.fill(bytes, |byte, slot| *slot = *byte)
    }
}

impl Fill<usize, c_void> {
    /// Copies all bytes, or none if the array is too small; or sets the count.
    pub(crate) fn whole(self, bytes: &[u8]) -> vk::Result {
        self.all_or(bytes, 0, vk::Result::INCOMPLETE)
    }

    /// Copies all bytes, or tells how much memory they need.
    pub(crate) fn exactly(self, bytes: &[u8]) -> vk::Result {
        self.all_or(bytes, bytes.len(), NOT_ENOUGH_SPACE)
    }

    /// Copies all bytes, or sets the count; if the array is too small, sets another count and gives another result.
    fn all_or(self, bytes: &[u8], count: usize, result: vk::Result) -> vk::Result {
        // SAFETY: the promise to `new`.
        let is_short = unsafe { !self.room.is_null() && *self.count < bytes.len() };
        if is_short {
            // SAFETY: as above.
            unsafe { *self.count = count };
            return result;
        }
        self.bytes(bytes)
    }
}

/// Converts results of calls to results of entry points.
pub(crate) trait Outcome {
    fn outcome(self) -> vk::Result;
}

impl Outcome for vk::Result {
    fn outcome(self) -> vk::Result {
        self
    }
}

impl Outcome for Result<(), Error> {
    #[inline(always)]
    fn outcome(self) -> vk::Result {
        match self {
            Ok(()) => vk::Result::SUCCESS,
            Err(error) => failure(error),
        }
    }
}

impl Outcome for Result<vk::Result, Error> {
    #[inline(always)]
    fn outcome(self) -> vk::Result {
        match self {
            Ok(result) => result,
            Err(error) => failure(error),
        }
    }
}

/// The result for an error, which is reported unless it is one that applications expect.
#[cold]
fn failure(error: Error) -> vk::Result {
    if !matches!(error, Error::Timeout | Error::NotReady | Error::CompileRequired | Error::Binary) {
        crate::report(&error.to_string());
    }
    error.code()
}

/// The result of an entry point.
#[inline(always)]
pub(crate) fn outcome(outcome: impl Outcome) -> vk::Result {
    outcome.outcome()
}

/// The structure with a type in a chain.
pub(crate) fn find<'a, T: vk::TaggedStructure>(next: *const c_void) -> Option<&'a T> {
    let mut found = None;
    each(next, |kind, structure| {
        if kind == T::STRUCTURE_TYPE && found.is_none() {
            // SAFETY: the tag identifies the type.
            found = Some(unsafe { &*structure.cast::<T>() });
        }
    });
    found
}

/// Calls `visit` for every structure of a chain.
pub(crate) fn each(mut next: *const c_void, mut visit: impl FnMut(vk::StructureType, *const c_void)) {
    while !next.is_null() {
        // SAFETY: structures of chains begin with these members.
        let base = unsafe { &*next.cast::<vk::BaseInStructure<'_>>() };
        visit(base.s_type, next);
        next = base.p_next.cast();
    }
}

/// The structure with a type in a chain, for a command to write.
pub(crate) fn find_mut<'a, T: vk::TaggedStructure>(next: *mut c_void) -> Option<&'a mut T> {
    let mut found = None;
    each_mut(next, |kind, structure| {
        if kind == T::STRUCTURE_TYPE {
            // SAFETY: the tag identifies the type, and no other reference to the structure exists.
            found = Some(unsafe { &mut *structure.cast::<T>() });
        }
    });
    found
}

/// Calls `visit` for every structure of a chain that a command writes.
pub(crate) fn each_mut(mut next: *mut c_void, mut visit: impl FnMut(vk::StructureType, *mut c_void)) {
    while !next.is_null() {
        // SAFETY: structures of chains begin with these members.
        let base = unsafe { &*next.cast::<vk::BaseOutStructure<'_>>() };
        let (kind, after) = (base.s_type, base.p_next);
        visit(kind, next);
        next = after.cast();
    }
}

/// The bytes at an offset from a pointer of the application.
pub(crate) fn bytes_at<'a>(pointer: *const c_void, offset: usize, len: usize) -> &'a [u8] {
    // SAFETY: update templates specify the number of bytes at each offset.
    unsafe { slice(pointer.cast::<u8>().wrapping_add(offset), len) }
}

/// The structure at an offset from a pointer of the application.
pub(crate) fn read_at<T: Copy>(pointer: *const c_void, offset: usize) -> T {
    // SAFETY: valid usage: writes and update templates specify the contents at each offset.
    unsafe { pointer.cast::<u8>().wrapping_add(offset).cast::<T>().read_unaligned() }
}
