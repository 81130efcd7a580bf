//! libdrm's search for devices, which would otherwise look in folders of the system that do not have the node.

use std::ffi::{c_char, c_int, c_void};

/// Number of kinds of nodes of a device; render nodes are the third.
const NODES: usize = 3;
const RENDER: usize = 2;
/// A device on a platform bus.
const PLATFORM: c_int = 2;
/// Size of a name on the platform bus.
const NAME: usize = 512;

/// `drmDevice` of libdrm.
#[repr(C)]
pub struct Device {
    nodes: *mut *mut c_char,
    available: c_int,
    bus: c_int,
    bus_information: *mut c_void,
    information: *mut c_void,
}

/// The device and all data that it points to, in one allocation, which the C library's `free` can free.
#[repr(C)]
struct Whole {
    device: Device,
    nodes: [*mut c_char; NODES],
    compatible: [*mut c_char; 2],
    /// `drmPlatformDeviceInfo`: a pointer to the list.
    information: *mut c_void,
    bus_name: [c_char; NAME],
    path: [c_char; NAME],
    model: [c_char; NAME],
}

fn copy(into: &mut [c_char; NAME], text: &str) {
    for (place, byte) in into.iter_mut().zip(text.bytes()) {
        *place = byte as c_char;
    }
}

/// A new description of the device; null if memory is exhausted.
fn describe() -> *mut Device {
    // SAFETY: zeroed memory is a valid value of the structure, and all pointers that are set point into the same
    // memory, which does not move.
    unsafe {
        let whole = libc::calloc(1, size_of::<Whole>()) as *mut Whole;
        if whole.is_null() {
            return std::ptr::null_mut();
        }
        copy(&mut (*whole).bus_name, "/soc/agx");
        copy(&mut (*whole).path, crate::NODE.to_str().unwrap_or_default());
        copy(&mut (*whole).model, "apple,agx-g13g");
        (*whole).nodes[RENDER] = (*whole).path.as_mut_ptr();
        (*whole).compatible[0] = (*whole).model.as_mut_ptr();
        (*whole).information = (*whole).compatible.as_mut_ptr() as *mut c_void;
        (*whole).device = Device {
            nodes: (*whole).nodes.as_mut_ptr(),
            available: 1 << RENDER,
            bus: PLATFORM,
            bus_information: (*whole).bus_name.as_mut_ptr() as *mut c_void,
            information: &raw mut (*whole).information as *mut c_void,
        };
        whole as *mut Device
    }
}

/// # Safety
/// As libdrm's `drmGetDevices2`: `devices` is null or has room for `room` pointers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drmGetDevices2(_: u32, devices: *mut *mut Device, room: c_int) -> c_int {
    if !devices.is_null() && room > 0 {
        // SAFETY: the caller's promise.
        unsafe { *devices = describe() };
    }
    1
}

/// # Safety
/// As libdrm's `drmGetDevices`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drmGetDevices(devices: *mut *mut Device, room: c_int) -> c_int {
    // SAFETY: the same function without flags.
    unsafe { drmGetDevices2(0, devices, room) }
}

/// # Safety
/// As libdrm's `drmGetDevice2`: `device` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drmGetDevice2(_: c_int, _: u32, device: *mut *mut Device) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { *device = describe() };
    0
}

/// # Safety
/// As libdrm's `drmGetDevice`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drmGetDevice(fd: c_int, device: *mut *mut Device) -> c_int {
    // SAFETY: the same function without flags.
    unsafe { drmGetDevice2(fd, 0, device) }
}

/// # Safety
/// As libdrm's `drmGetDeviceFromDevId`: `device` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drmGetDeviceFromDevId(_: u64, _: u32, device: *mut *mut Device) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { *device = describe() };
    0
}

/// # Safety
/// As libdrm's `drmFreeDevice`: `device` is null or points to null or to a description from here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drmFreeDevice(device: *mut *mut Device) {
    if !device.is_null() {
        // SAFETY: the description is one allocation from `calloc`.
        unsafe {
            libc::free(*device as *mut c_void);
            *device = std::ptr::null_mut();
        }
    }
}

/// # Safety
/// As libdrm's `drmFreeDevices`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drmFreeDevices(devices: *mut *mut Device, count: c_int) {
    for at in 0..count.max(0) as usize {
        // SAFETY: the caller's promise, element by element.
        unsafe { drmFreeDevice(devices.add(at)) };
    }
}

/// # Safety
/// As libdrm's `drmDevicesEqual`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drmDevicesEqual(a: *mut Device, b: *mut Device) -> c_int {
    c_int::from(a.is_null() == b.is_null())
}

/// # Safety
/// As libdrm's `drmGetRenderDeviceNameFromFd`: the caller frees the name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drmGetRenderDeviceNameFromFd(_: c_int) -> *mut c_char {
    // SAFETY: the path is a C string.
    unsafe { libc::strdup(crate::NODE.as_ptr()) }
}

/// # Safety
/// As libdrm's `drmGetDeviceNameFromFd2`: the caller frees the name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drmGetDeviceNameFromFd2(_: c_int) -> *mut c_char {
    // SAFETY: the path is a C string.
    unsafe { libc::strdup(crate::NODE.as_ptr()) }
}

/// # Safety
/// As libdrm's `drmGetNodeTypeFromFd`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drmGetNodeTypeFromFd(_: c_int) -> c_int {
    RENDER as c_int
}
