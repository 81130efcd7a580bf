//! Information about vertex and fragment shaders for a driver, as JSON.

use agx_abi::kernel::{LiteralSampler, PrintfFormat};
use agx_abi::tessellation::{Domain, Spacing, TessellationInfo};
use agx_abi::vertex::{Attribute, RunsAs, Varying};
use agx_abi::{FragmentInfo, GeometryInfo, KernelArgument, KernelInfo, MeshInfo, ShaderInfo};
use serde_json::{Value, json};

use crate::coefficient::CoefficientFile;
use crate::linking::{KnownFile, MovedFile};
use crate::patch::{PatchFile, RowsFile};
use crate::varying::VaryingFile;

/// Attributes by number and output slots.
pub fn vertex(info: &ShaderInfo) -> Value {
    json!({
        "runs_as": if info.runs_as == RunsAs::Compute { "compute" } else { "vertex" },
        "attributes": info.attributes.iter().map(attribute).collect::<Vec<_>>(),
        "varyings": varyings(&info.varyings),
        "known_outputs": info.known_outputs.iter().map(KnownFile::from).collect::<Vec<_>>(),
        "reads_base": info.reads.base,
        "reads_draw_number": info.reads.draw,
    })
}

/// Modes of a geometry shader and the slots in which it stores its outputs.
pub fn geometry(modes: &GeometryInfo, slots: &[Varying]) -> Value {
    let GeometryInfo { input_vertices, corners, invocations, max_vertices, streams } = modes;
    json!({
        "input_vertices": input_vertices,
        "corners": corners,
        "invocations": invocations,
        "max_vertices": max_vertices,
        "streams": streams,
        "varyings": varyings(slots),
    })
}

/// Modes and memory of a tessellation shader.
pub fn tessellation(info: TessellationInfo) -> Value {
    let TessellationInfo { inputs, record, domain, spacing, clockwise, points } = info;
    json!({
        "inputs": RowsFile::from(inputs),
        "record": PatchFile::from(record),
        "domain": domain.map(Domain::name),
        "spacing": spacing.map(Spacing::name),
        "clockwise": clockwise,
        "points": points,
    })
}

/// Memory of a task or mesh shader, and the slots in which the mesh shader stores its outputs.
pub fn mesh(info: &MeshInfo, slots: &[Varying]) -> Value {
    let MeshInfo {
        kind,
        corners,
        vertices,
        primitives,
        vertex_words,
        primitive_words,
        drawn_words,
        payload_bytes,
    } = info;
    json!({
        "kind": kind.name(),
        "corners": corners,
        "vertices": vertices,
        "primitives": primitives,
        "vertex_words": vertex_words,
        "primitive_words": primitive_words,
        "drawn_words": drawn_words,
        "payload_bytes": payload_bytes,
        "varyings": varyings(slots),
    })
}

/// The arguments of an OpenCL kernel.
pub fn kernel(info: &KernelInfo) -> Value {
    let KernelInfo { arguments, block_bytes, fixed_size, formats, samplers } = info;
    let argument = |argument: &KernelArgument| {
        let KernelArgument { name, kind, index, offset, size, align } = argument;
        json!({
            "name": name, "kind": kind.name(), "index": index, "offset": offset, "size": size, "align": align,
        })
    };
    let sampler = |sampler: &LiteralSampler| {
        json!({
            "addressing": sampler.addressing.name(), "normalized": sampler.normalized, "linear": sampler.linear,
        })
    };
    let format = |format: &PrintfFormat| json!({ "text": String::from_utf8_lossy(&format.text), "sizes": format.sizes });
    json!({
        "arguments": arguments.iter().map(argument).collect::<Vec<_>>(),
        "block_bytes": block_bytes,
        "fixed_size": fixed_size,
        "samplers": samplers.iter().map(sampler).collect::<Vec<_>>(),
        "formats": formats.iter().map(format).collect::<Vec<_>>(),
    })
}

fn varyings(slots: &[Varying]) -> Vec<VaryingFile> {
    slots.iter().copied().map(VaryingFile::from).collect()
}

/// Information that only fragment shaders have.
pub fn fragment(info: &FragmentInfo) -> Value {
    // Every field is named, so that the compiler reports new fields.
    let FragmentInfo {
        coefficients,
        moved,
        components,
        opaque,
        dual_source,
        writes_depth,
        depth_layout,
        writes_stencil,
        writes_sample_mask,
        late_tests,
        early_tests,
        needs_helpers,
        sample_shading,
        reads_targets,
        stores_targets,
        interlock,
    } = info;
    json!({
        "coefficients": coefficients.iter().copied().map(CoefficientFile::from).collect::<Vec<_>>(),
        "moved": moved.iter().map(MovedFile::from).collect::<Vec<_>>(),
        "components": components,
        "opaque": opaque,
        "dual_source": dual_source,
        "writes_depth": writes_depth,
        "depth_layout": depth_layout.name(),
        "writes_stencil": writes_stencil,
        "writes_sample_mask": writes_sample_mask,
        "late_tests": late_tests,
        "early_tests": early_tests,
        "needs_helpers": needs_helpers,
        "sample_shading": sample_shading,
        "reads_targets": reads_targets,
        "stores_targets": stores_targets,
        "interlock": interlock,
    })
}

fn attribute(attribute: &Attribute) -> Value {
    json!({ "location": attribute.location, "components": attribute.components })
}

#[cfg(test)]
mod tests {
    use agx_abi::fragment::{CoefficientSource, Interpolation};
    use agx_abi::vertex::Output;

    use super::*;

    #[test]
    fn what_is_interpolated_says_where_it_comes_from() {
        let user = CoefficientSource::User { location: 3, component: 1, interpolation: Interpolation::Flat };
        let of = |source| fragment(&FragmentInfo { coefficients: vec![source], ..FragmentInfo::default() });
        let expected = json!({ "kind": "user", "location": 3, "component": 1, "interpolation": "flat" });
        assert_eq!(of(user)["coefficients"][0], expected);
        let w = json!({ "kind": "one_over_w", "interpolation": "linear" });
        assert_eq!(of(CoefficientSource::OneOverW)["coefficients"][0], w);
    }

    #[test]
    fn slots_say_what_they_hold() {
        let varying = Varying { slot: 7, output: Output::ClipDistance(2) };
        let info = ShaderInfo { varyings: vec![varying], ..ShaderInfo::default() };
        let expected = json!({ "kind": "clip_distance", "index": 2, "slot": 7 });
        assert_eq!(vertex(&info)["varyings"][0], expected);
    }
}
