//! Pipelines that are made again from binaries (`VK_KHR_pipeline_binary`).
//!
//! The crate `ash` does not have the extension, so its structures are defined here, as far as they are used.

use std::ffi::{CStr, c_void};

use ash::vk::{self, Handle as _};

use crate::Error;
use crate::device::Device;

/// The extension.
pub const NAME: &CStr = c"VK_KHR_pipeline_binary";

/// Defines structures with their types.
macro_rules! structures {
    ($($(#[$doc:meta])* $name:ident $number:literal { $($field:ident: $kind:ty = $value:expr,)* })*) => {
        $(
            $(#[$doc])*
            #[repr(C)]
            pub struct $name {
                s_type: vk::StructureType,
                p_next: *const c_void,
                $($field: $kind,)*
            }

            impl Default for $name {
                fn default() -> $name {
                    let s_type = <$name as vk::TaggedStructure>::STRUCTURE_TYPE;
                    $name { s_type, p_next: std::ptr::null(), $($field: $value,)* }
                }
            }

            // SAFETY: the structure begins with its type and the link of the chain.
            unsafe impl vk::TaggedStructure for $name {
                const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw($number);
            }
        )*
    };
}

structures! {
    /// Whether there are binaries.
    Features 1_000_483_000 { pipeline_binaries: vk::Bool32 = vk::FALSE, }
    /// What binaries are made of.
    Create 1_000_483_001 {
        keys_and_data: *const KeysAndData = std::ptr::null(),
        pipeline: vk::Pipeline = vk::Pipeline::null(),
        parameters: *const c_void = std::ptr::null(),
    }
    /// What a pipeline is made of.
    Given 1_000_483_002 { count: u32 = 0, binaries: *const u64 = std::ptr::null(), }
    /// The name of a binary.
    Key 1_000_483_003 { size: u32 = 0, key: [u8; 32] = [0; 32], }
    /// The pipeline whose data is released.
    Release 1_000_483_005 { pipeline: vk::Pipeline = vk::Pipeline::null(), }
    /// The binary whose data is read.
    DataOf 1_000_483_006 { binary: u64 = 0, }
    /// Where binaries are stored.
    Handles 1_000_483_009 { count: u32 = 0, binaries: *mut u64 = std::ptr::null_mut(), }
}

// SAFETY: features are part of the chain that asks for them and of the chain of a device.
unsafe impl vk::ExtendsPhysicalDeviceFeatures2 for Features {}

#[repr(C)]
struct Data {
    size: usize,
    data: *const c_void,
}

#[repr(C)]
struct KeysAndData {
    count: u32,
    keys: *const Key,
    data: *const Data,
}

/// The flag of pipelines whose data is captured.
const CAPTURE: vk::PipelineCreateFlags2KHR = vk::PipelineCreateFlags2KHR::from_raw(1 << 31);

type CreateBinaries =
    unsafe extern "system" fn(vk::Device, &Create, *const c_void, &mut Handles) -> vk::Result;
type DestroyBinary = unsafe extern "system" fn(vk::Device, u64, *const c_void);
type GetData =
    unsafe extern "system" fn(vk::Device, &DataOf, &mut Key, &mut usize, *mut c_void) -> vk::Result;
type ReleaseData = unsafe extern "system" fn(vk::Device, &Release, *const c_void) -> vk::Result;
/// A function of any type.
type Function = unsafe extern "system" fn();

/// Functions of binaries.
pub struct Functions {
    create: CreateBinaries,
    destroy: DestroyBinary,
    data: GetData,
    release: ReleaseData,
}

impl Functions {
    /// The functions of a device; `None` if it does not have them.
    pub fn new(instance: &ash::Instance, device: &ash::Device) -> Option<Functions> {
        // SAFETY: the device is this instance's, and the functions have these types.
        unsafe {
            let find =
                |name: &CStr| (instance.fp_v1_0().get_device_proc_addr)(device.handle(), name.as_ptr());
            Some(Functions {
                create: std::mem::transmute::<Function, CreateBinaries>(find(
                    c"vkCreatePipelineBinariesKHR",
                )?),
                destroy: std::mem::transmute::<Function, DestroyBinary>(find(c"vkDestroyPipelineBinaryKHR")?),
                data: std::mem::transmute::<Function, GetData>(find(c"vkGetPipelineBinaryDataKHR")?),
                release: std::mem::transmute::<Function, ReleaseData>(find(
                    c"vkReleaseCapturedPipelineDataKHR",
                )?),
            })
        }
    }

    /// The binaries of a pipeline or of data.
    fn create(&self, device: vk::Device, from: &Create) -> Result<Vec<u64>, Error> {
        let mut handles = Handles::default();
        // SAFETY: structures live through the calls, and the array has as many slots as said.
        unsafe {
            (self.create)(device, from, std::ptr::null(), &mut handles).result()?;
            let mut list = vec![0; handles.count as usize];
            handles.binaries = list.as_mut_ptr();
            (self.create)(device, from, std::ptr::null(), &mut handles).result()?;
            Ok(list)
        }
    }

    /// The key and the data of a binary.
    fn data(&self, device: vk::Device, binary: u64) -> Result<(Key, Vec<u8>), Error> {
        let (of, mut key, mut size) = (DataOf { binary, ..DataOf::default() }, Key::default(), 0);
        // SAFETY: structures live through the calls, and the array has as many bytes as said.
        unsafe {
            (self.data)(device, &of, &mut key, &mut size, std::ptr::null_mut()).result()?;
            let mut data = vec![0; size];
            size -= 1;
            if (self.data)(device, &of, &mut key, &mut size, data.as_mut_ptr().cast()).as_raw()
                != -1_000_483_000
                || size != data.len()
            {
                return Err("data were written to memory that is too small".into());
            }
            (self.data)(device, &of, &mut key, &mut size, data.as_mut_ptr().cast()).result()?;
            Ok((key, data))
        }
    }

    /// The data of the pipeline's binaries, with their keys; the pipeline's own are released.
    fn captured(&self, device: vk::Device, pipeline: vk::Pipeline) -> Result<Vec<(Key, Vec<u8>)>, Error> {
        let binaries = self.create(device, &Create { pipeline, ..Create::default() })?;
        // SAFETY: the pipeline and the binaries are this device's.
        unsafe {
            let release = Release { pipeline, ..Release::default() };
            (self.release)(device, &release, std::ptr::null()).result()?;
        }
        let data = binaries.iter().map(|binary| self.data(device, *binary)).collect();
        // SAFETY: as above.
        binaries.iter().for_each(|binary| unsafe { (self.destroy)(device, *binary, std::ptr::null()) });
        data
    }

    /// The binaries of saved data.
    fn saved(&self, device: vk::Device, saved: Vec<(Key, Vec<u8>)>) -> Result<Vec<u64>, Error> {
        let (keys, data): (Vec<_>, Vec<_>) = saved.into_iter().unzip();
        let list: Vec<_> =
            data.iter().map(|data| Data { size: data.len(), data: data.as_ptr().cast() }).collect();
        let all = KeysAndData { count: keys.len() as u32, keys: keys.as_ptr(), data: list.as_ptr() };
        self.create(device, &Create { keys_and_data: &raw const all, ..Create::default() })
    }
}

/// A pipeline made of the saved binaries of another one, without modules. `make` makes one with a chain and with or without modules.
/// Drivers that have no binaries make an ordinary one.
///
/// # Errors
/// Vulkan's error, or a wrong result of the driver.
pub fn remade(
    device: &Device,
    make: impl Fn(*const c_void, bool) -> Result<vk::Pipeline, Error>,
) -> Result<vk::Pipeline, Error> {
    let Some(binaries) = &device.binaries else { return make(std::ptr::null(), true) };
    let handle = device.functions.handle();
    let flags = vk::PipelineCreateFlags2CreateInfoKHR::default().flags(CAPTURE);
    let first = make((&raw const flags).cast(), true)?;
    let saved = binaries.captured(handle, first)?;
    // SAFETY: the pipeline is not used.
    unsafe { device.functions.destroy_pipeline(first, None) };
    let damage = |(key, data): &(Key, Vec<u8>)| {
        let damaged = data.iter().map(|byte| byte ^ 0x5a).collect();
        (Key { key: key.key, size: key.size, ..Key::default() }, damaged)
    };
    let damaged = binaries.saved(handle, saved.iter().map(damage).collect())?;
    let kept = binaries.saved(handle, saved)?;
    let given =
        |list: &[u64]| Given { count: list.len() as u32, binaries: list.as_ptr(), ..Given::default() };
    // Modules stand in for damaged binaries.
    let given_damaged = given(&damaged);
    make((&raw const given_damaged).cast(), true)?;
    let given_kept = given(&kept);
    let whole = make((&raw const given_kept).cast(), false)?;
    // SAFETY: the binaries are this device's.
    kept.iter().for_each(|binary| unsafe { (binaries.destroy)(handle, *binary, std::ptr::null()) });
    if whole.is_null() { Err("no pipeline".into()) } else { Ok(whole) }
}
