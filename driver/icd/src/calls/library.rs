//! Graphics pipelines from libraries (`VK_EXT_graphics_pipeline_library`).
//!
//! A library keeps what its parts say. The pipeline that has all parts is compiled as if one structure had said everything.

use agx_driver::Error;
use agx_driver::graphics::GraphicsInfo;
use ash::vk;
use ash::vk::GraphicsPipelineLibraryFlagsEXT as Parts;

use super::graphics::graphics_info;
use super::pipeline::all_flags;
use crate::generated::members;
use crate::handles::object;
use crate::objects::Pipeline;
use crate::pointers::find;

const ALL: Parts = Parts::from_raw(
    Parts::VERTEX_INPUT_INTERFACE.as_raw()
        | Parts::PRE_RASTERIZATION_SHADERS.as_raw()
        | Parts::FRAGMENT_SHADER.as_raw()
        | Parts::FRAGMENT_OUTPUT_INTERFACE.as_raw(),
);

/// State of the vertex input and of the fragment parts that commands may set; the rest is that of the rasteriser.
const DYNAMIC: &[(vk::DynamicState, Parts)] = &[
    (vk::DynamicState::PRIMITIVE_TOPOLOGY, Parts::VERTEX_INPUT_INTERFACE),
    (vk::DynamicState::PRIMITIVE_RESTART_ENABLE, Parts::VERTEX_INPUT_INTERFACE),
    (vk::DynamicState::VERTEX_INPUT_BINDING_STRIDE, Parts::VERTEX_INPUT_INTERFACE),
    (vk::DynamicState::DEPTH_TEST_ENABLE, Parts::FRAGMENT_SHADER),
    (vk::DynamicState::DEPTH_WRITE_ENABLE, Parts::FRAGMENT_SHADER),
    (vk::DynamicState::DEPTH_COMPARE_OP, Parts::FRAGMENT_SHADER),
    (vk::DynamicState::DEPTH_BOUNDS, Parts::FRAGMENT_SHADER),
    (vk::DynamicState::DEPTH_BOUNDS_TEST_ENABLE, Parts::FRAGMENT_SHADER),
    (vk::DynamicState::STENCIL_TEST_ENABLE, Parts::FRAGMENT_SHADER),
    (vk::DynamicState::STENCIL_OP, Parts::FRAGMENT_SHADER),
    (vk::DynamicState::STENCIL_COMPARE_MASK, Parts::FRAGMENT_SHADER),
    (vk::DynamicState::STENCIL_WRITE_MASK, Parts::FRAGMENT_SHADER),
    (vk::DynamicState::STENCIL_REFERENCE, Parts::FRAGMENT_SHADER),
    (vk::DynamicState::BLEND_CONSTANTS, Parts::FRAGMENT_OUTPUT_INTERFACE),
];

/// The part that a dynamic state belongs to.
fn part_of(state: vk::DynamicState) -> Parts {
    let known = DYNAMIC.iter().find(|(known, _)| *known == state);
    known.map_or(Parts::PRE_RASTERIZATION_SHADERS, |(_, part)| *part)
}

/// Everything that a structure and its libraries say, and which parts that are.
///
/// # Errors
/// A stage that the driver does not have.
pub(super) fn whole(create: &vk::GraphicsPipelineCreateInfo<'_>) -> Result<(GraphicsInfo, Parts), Error> {
    let list = find::<vk::PipelineLibraryCreateInfoKHR<'_>>(create.p_next);
    let libraries = list.map(members::pipeline_library_create_info_khr_libraries).unwrap_or_default();
    let is_library = all_flags(create.flags, create.p_next).contains(vk::PipelineCreateFlags::LIBRARY_KHR);
    let own = match find::<vk::GraphicsPipelineLibraryCreateInfoEXT<'_>>(create.p_next) {
        Some(own) => own.flags,
        None if is_library || !libraries.is_empty() => Parts::empty(),
        None => ALL,
    };
    let said = graphics_info(create, own)?;
    if own == ALL {
        return Ok((said, ALL));
    }
    let (mut info, mut parts) = (GraphicsInfo::default(), own);
    take(&mut info, &said, own);
    for library in libraries {
        if let Some(Pipeline::Library(library)) = object(*library).map(|library| &**library) {
            take(&mut info, &library.info, library.parts);
            parts |= library.parts;
        }
    }
    Ok((info, parts))
}

/// Takes parts over.
fn take(to: &mut GraphicsInfo, from: &GraphicsInfo, parts: Parts) {
    to.dynamic.extend(from.dynamic.iter().filter(|state| parts.contains(part_of(**state))));
    if parts.contains(Parts::VERTEX_INPUT_INTERFACE) {
        to.attributes.clone_from(&from.attributes);
        to.bindings.clone_from(&from.bindings);
        (to.state.topology, to.state.restart) = (from.state.topology, from.state.restart);
    }
    if parts.contains(Parts::PRE_RASTERIZATION_SHADERS) {
        to.vertex.clone_from(&from.vertex);
        to.state.raster = from.state.raster;
        to.state.viewports.clone_from(&from.state.viewports);
        to.state.scissors.clone_from(&from.state.scissors);
    }
    if parts.contains(Parts::FRAGMENT_SHADER) {
        to.fragment.clone_from(&from.fragment);
        to.state.depth = from.state.depth;
        to.samples.shading = from.samples.shading;
    }
    if parts.contains(Parts::FRAGMENT_OUTPUT_INTERFACE) {
        to.samples = agx_driver::graphics::SampleInfo { shading: to.samples.shading, ..from.samples };
        to.formats.clone_from(&from.formats);
        to.blends.clone_from(&from.blends);
        to.logic_op = from.logic_op;
        to.state.blend = from.state.blend;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_take_what_is_theirs() {
        let mut said = GraphicsInfo::default();
        said.state.topology = vk::PrimitiveTopology::TRIANGLE_FAN;
        said.state.raster.line_width = 2.0;
        said.state.depth.write = true;
        said.samples.mask = 5;
        said.samples.shading = true;
        said.dynamic = vec![vk::DynamicState::VIEWPORT, vk::DynamicState::DEPTH_TEST_ENABLE];
        let mut info = GraphicsInfo::default();
        take(&mut info, &said, Parts::FRAGMENT_OUTPUT_INTERFACE);
        assert_eq!((info.samples.mask, info.samples.shading, info.dynamic.len()), (5, false, 0));
        take(&mut info, &said, Parts::FRAGMENT_SHADER);
        assert!(info.samples.shading && info.state.depth.write);
        assert_eq!(info.dynamic, [vk::DynamicState::DEPTH_TEST_ENABLE]);
        assert_eq!(info.state.topology, vk::PrimitiveTopology::default());
        take(&mut info, &said, Parts::VERTEX_INPUT_INTERFACE | Parts::PRE_RASTERIZATION_SHADERS);
        assert_eq!(info.state.topology, vk::PrimitiveTopology::TRIANGLE_FAN);
        assert_eq!(info.state.raster.line_width, 2.0);
        assert_eq!(info.dynamic.len(), 2);
    }
}
