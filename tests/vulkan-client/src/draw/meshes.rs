//! Draws of meshes: `meshes X Y Z` and further numbers of workgroups, each of a draw; with `indirect` they are in memory, and with
//! `counted N` their number is too.

use ash::vk;

use crate::Error;
use crate::device::Device;
use crate::request::{Request, number};

/// Statistics of meshes of which the API leaves nothing to drivers.
pub const STATISTICS: vk::QueryPipelineStatisticFlags = vk::QueryPipelineStatisticFlags::from_raw(
    vk::QueryPipelineStatisticFlags::TASK_SHADER_INVOCATIONS_EXT.as_raw()
        | vk::QueryPipelineStatisticFlags::MESH_SHADER_INVOCATIONS_EXT.as_raw(),
);

/// Bytes between the parameters of draws in memory: more than they take.
const STRIDE: u32 = 20;

/// Draws meshes.
///
/// # Errors
/// The driver has no meshes, or unknown words.
pub fn draw(device: &Device, commands: vk::CommandBuffer, request: &Request) -> Result<(), Error> {
    let functions = device.meshes.as_ref().ok_or("the driver does not offer meshes")?;
    let words = request.words("meshes").unwrap_or_default();
    let sizes: Vec<u32> = words.iter().map(|word| number(word)).collect::<Result<_, _>>()?;
    let draws = sizes.as_chunks::<3>().0;
    if !request.has("indirect") {
        // SAFETY: a pass has begun in the command buffer.
        draws.iter().for_each(|[x, y, z]| unsafe { functions.cmd_draw_mesh_tasks(commands, *x, *y, *z) });
        return Ok(());
    }
    let words = draws.iter().flat_map(|[x, y, z]| [*x, *y, *z, 0xdead, 0xdead]);
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    let (buffer, most) = (device.buffer(&bytes)?.buffer, draws.len() as u32);
    // SAFETY: as above; the buffers are this device's.
    unsafe {
        if request.has("counted") {
            let [count] = request.numbers("counted", [0])?;
            let count = device.buffer(&count.to_le_bytes())?.buffer;
            functions.cmd_draw_mesh_tasks_indirect_count(commands, buffer, 0, count, 0, most, STRIDE);
        } else {
            functions.cmd_draw_mesh_tasks_indirect(commands, buffer, 0, most, STRIDE);
        }
    }
    Ok(())
}
