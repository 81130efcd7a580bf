//! Deferred operations. The driver defers nothing: its commands are complete when they return, and an operation is complete from
//! the start.

use std::sync::Arc;

use agx_driver::Error;
use ash::vk;

use crate::handles::{give, take};
use crate::objects::Device;

pub(crate) fn create_deferred_operation_khr(
    _: &Arc<Device>,
    out: &mut vk::DeferredOperationKHR,
) -> Result<(), Error> {
    *out = give(Arc::new(()));
    Ok(())
}

pub(crate) fn destroy_deferred_operation_khr(_: &Arc<Device>, operation: vk::DeferredOperationKHR) {
    drop(take(operation));
}

pub(crate) fn get_deferred_operation_max_concurrency_khr(
    _: &Arc<Device>,
    _: vk::DeferredOperationKHR,
) -> u32 {
    0
}

pub(crate) fn get_deferred_operation_result_khr(_: &Arc<Device>, _: vk::DeferredOperationKHR) -> vk::Result {
    vk::Result::SUCCESS
}

pub(crate) fn deferred_operation_join_khr(_: &Arc<Device>, _: vk::DeferredOperationKHR) -> vk::Result {
    vk::Result::SUCCESS
}
