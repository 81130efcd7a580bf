//! Errors of the driver, and their Vulkan codes.

use agx_abi::record::FieldError;
use agx_compiler::CompileError;
use agx_compiler::link::LinkError;
use ash::vk;
use thiserror::Error;

/// An error of the driver.
#[derive(Clone, Debug, Error)]
pub enum Error {
    /// Out of device addresses or device memory.
    #[error("the device has no memory left for {bytes} bytes")]
    DeviceMemory {
        /// Requested bytes.
        bytes: u64,
    },
    /// The process has too many descriptors.
    #[error("the process has too many open files for another descriptor")]
    Descriptors,
    /// A descriptor that is not what it should be.
    #[error("the descriptor is not one of this kind that the device can use")]
    ExternalHandle,
    /// Memory cannot be mapped at an address.
    #[error("the memory cannot be mapped there")]
    Mapping,
    /// Planes that are not placed as the modifier requires.
    #[error("an image with this modifier cannot have its planes at these places")]
    PlaneLayout,
    /// A requested address is taken, or outside the range of such addresses.
    #[error("memory at address {address:#x} is not available")]
    Address {
        /// The address.
        address: u64,
    },
    /// A pool is exhausted.
    #[error("the descriptor pool has no room left")]
    PoolMemory,
    /// A kernel call failed.
    #[error("the kernel refused `{call}` with error {number}")]
    Kernel {
        /// The call.
        call: &'static str,
        /// The error number.
        number: i32,
    },
    /// A program violated a rule of the device.
    #[error("the device is lost: {finding}")]
    Lost {
        /// The device's finding.
        finding: String,
    },
    /// A feature that the driver does not advertise.
    #[error("{what} is not supported")]
    Unsupported {
        /// The feature.
        what: &'static str,
    },
    /// A format that is not supported, or not for this use.
    #[error("the format {0:?} is not supported for this use")]
    Format(vk::Format),
    /// A shader does not compile.
    #[error("a shader does not compile: {0}")]
    Compile(#[from] CompileError),
    /// Shaders do not fit each other.
    #[error("the shaders do not link: {0}")]
    Link(#[from] LinkError),
    /// State that does not fit into a record.
    #[error("the state does not fit its record: {0}")]
    Record(#[from] FieldError),
    /// An object is in the wrong state for the call.
    #[error("the call is not valid here: {what}")]
    Invalid {
        /// Description.
        what: &'static str,
    },
    /// A pipeline is not in the cache, and compiling is forbidden.
    #[error("the pipeline has to be compiled")]
    CompileRequired,
    /// The binary of a shader is from another driver.
    #[error("the shader's binary is not one of this driver, or is damaged")]
    Binary,
    /// A result is not available yet.
    #[error("not ready")]
    NotReady,
    /// A wait timed out.
    #[error("the time limit has passed")]
    Timeout,
    /// The application has not taken as many timings of presentations as it wants to be kept.
    #[error("no more timings of presentations are kept; those that are known have to be taken")]
    TimingsFull,
    /// The window was closed or has changed.
    #[error("the surface is lost: {what}")]
    Surface {
        /// Description.
        what: String,
    },
    /// The sizes of window and swapchain differ.
    #[error("the swapchain no longer fits its surface")]
    OutOfDate,
}

/// `VK_ERROR_PRESENT_TIMING_QUEUE_FULL_EXT`.
const PRESENT_TIMING_QUEUE_FULL: i32 = -1_000_208_000;

impl Error {
    /// Vulkan's code.
    pub fn code(&self) -> vk::Result {
        match self {
            Error::DeviceMemory { .. } => vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
            Error::Descriptors => vk::Result::ERROR_TOO_MANY_OBJECTS,
            Error::ExternalHandle => vk::Result::ERROR_INVALID_EXTERNAL_HANDLE,
            Error::Mapping => vk::Result::ERROR_MEMORY_MAP_FAILED,
            Error::PlaneLayout => vk::Result::ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT,
            Error::Address { .. } => vk::Result::ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS,
            Error::PoolMemory => vk::Result::ERROR_OUT_OF_POOL_MEMORY,
            Error::Kernel { .. } | Error::Lost { .. } => vk::Result::ERROR_DEVICE_LOST,
            Error::Unsupported { .. } => vk::Result::ERROR_FEATURE_NOT_PRESENT,
            Error::Format(_) => vk::Result::ERROR_FORMAT_NOT_SUPPORTED,
            Error::Compile(_) | Error::Link(_) | Error::Record(_) | Error::Invalid { .. } => {
                vk::Result::ERROR_UNKNOWN
            }
            Error::Binary => vk::Result::INCOMPATIBLE_SHADER_BINARY_EXT,
            Error::CompileRequired => vk::Result::PIPELINE_COMPILE_REQUIRED,
            Error::NotReady => vk::Result::NOT_READY,
            Error::Timeout => vk::Result::TIMEOUT,
            Error::TimingsFull => vk::Result::from_raw(PRESENT_TIMING_QUEUE_FULL),
            Error::Surface { .. } => vk::Result::ERROR_SURFACE_LOST_KHR,
            Error::OutOfDate => vk::Result::ERROR_OUT_OF_DATE_KHR,
        }
    }
}
