//! What goes wrong in the driver, and what Vulkan calls it.

use agx_abi::record::FieldError;
use agx_compiler::CompileError;
use agx_compiler::link::LinkError;
use ash::vk;
use thiserror::Error;

/// An error of the driver.
#[derive(Clone, Debug, Error)]
pub enum Error {
    /// Addresses or memory of the device are used up.
    #[error("the device has no memory left for {bytes} bytes")]
    DeviceMemory {
        /// Bytes that were asked for.
        bytes: u64,
    },
    /// A pool has no room for what is to be allocated from it.
    #[error("the descriptor pool has no room left")]
    PoolMemory,
    /// The kernel refused a call.
    #[error("the kernel refused `{call}` with error {number}")]
    Kernel {
        /// The call.
        call: &'static str,
        /// The error number.
        number: i32,
    },
    /// A program on the device did what it must not do.
    #[error("the device is lost: {finding}")]
    Lost {
        /// What the device says.
        finding: String,
    },
    /// Something that the driver does not advertise.
    #[error("{what} is not supported")]
    Unsupported {
        /// What.
        what: &'static str,
    },
    /// A format that the driver does not have, or not for this use.
    #[error("the format {0:?} is not supported for this use")]
    Format(vk::Format),
    /// A shader does not compile.
    #[error("a shader does not compile: {0}")]
    Compile(#[from] CompileError),
    /// Shaders do not fit each other.
    #[error("the shaders do not link: {0}")]
    Link(#[from] LinkError),
    /// State is beyond what a record holds.
    #[error("the state does not fit its record: {0}")]
    Record(#[from] FieldError),
    /// An object that is not in the state for the call.
    #[error("the call is not valid here: {what}")]
    Invalid {
        /// What is wrong.
        what: &'static str,
    },
    /// A pipeline is not in the cache, and may not be compiled.
    #[error("the pipeline has to be compiled")]
    CompileRequired,
    /// The binary of a shader comes from elsewhere.
    #[error("the shader's binary is not one of this driver, or is damaged")]
    Binary,
    /// What was asked for is not there yet.
    #[error("not ready")]
    NotReady,
    /// What was waited for did not happen in time.
    #[error("time is over")]
    Timeout,
    /// The window is gone or has changed.
    #[error("the surface is lost: {what}")]
    Surface {
        /// What happened.
        what: String,
    },
    /// The window has another size than the swapchain.
    #[error("the swapchain does not fit its surface any more")]
    OutOfDate,
}

impl Error {
    /// Vulkan's code.
    pub fn code(&self) -> vk::Result {
        match self {
            Error::DeviceMemory { .. } => vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
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
            Error::Surface { .. } => vk::Result::ERROR_SURFACE_LOST_KHR,
            Error::OutOfDate => vk::Result::ERROR_OUT_OF_DATE_KHR,
        }
    }
}
