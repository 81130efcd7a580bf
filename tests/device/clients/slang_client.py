"""slangpy: a kernel and a draw in Slang, compiled by its own compiler; results are printed."""

import numpy as np
import slangpy as spy

KERNEL = """
struct Row { float3 a; uint16_t b; };
groupshared float part[64];
[shader("compute")] [numthreads(64, 1, 1)]
void kernel(uint3 id : SV_DispatchThreadID, uint at : SV_GroupIndex, StructuredBuffer<float> x,
            RWStructuredBuffer<float> y, uniform float scale) {
    part[at] = x[id.x] * scale;
    GroupMemoryBarrierWithGroupSync();
    Row rows[3];
    for (int i = 0; i < 3; i++) { rows[i].a = float3(part[(at + i) % 64], i, sin(part[(at * 5) % 64])); rows[i].b = uint16_t(at + i); }
    float sum = 0.0;
    for (int i = 0; i < 12; i++) { Row row = rows[(i * at) % 3]; sum += dot(row.a, float3(1, 2, 3)) + float(row.b); }
    y[id.x] = sum;
}
struct Corner { float4 place : SV_Position; float3 colour; };
[shader("vertex")] Corner corner(uint at : SV_VertexID) {
    float2 places[3] = { float2(-0.8, -0.7), float2(0.9, -0.5), float2(0.1, 0.85) };
    float3 colours[3] = { float3(1, 0.2, 0.1), float3(0.1, 0.9, 0.3), float3(0.2, 0.3, 1) };
    return { float4(places[at], 0, 1), colours[at] };
}
[shader("fragment")] float4 pixel(Corner corner) : SV_Target { return float4(corner.colour, 1); }
"""

device = spy.Device(type=spy.DeviceType.vulkan)
module = device.load_module_from_source("client", KERNEL)
kernel = device.create_compute_kernel(device.link_program([module], [module.entry_point("kernel")]))
values = np.random.default_rng(1).uniform(-2, 2, 256).astype(np.float32)
source = device.create_buffer(element_count=256, struct_size=4, usage=spy.BufferUsage.shader_resource, data=values)
result = device.create_buffer(element_count=256, struct_size=4, usage=spy.BufferUsage.unordered_access)
kernel.dispatch(thread_count=[256, 1, 1], x=source, y=result, scale=1.25)
print("f32", result.to_numpy().tobytes().hex())

SIDE = 40
target = device.create_texture(
    format=spy.Format.rgba32_float, width=SIDE, height=SIDE, usage=spy.TextureUsage.render_target
)
program = device.link_program([module], [module.entry_point("corner"), module.entry_point("pixel")])
pipeline = device.create_render_pipeline(program=program, input_layout=None, targets=[{"format": target.format}])
commands = device.create_command_encoder()
attachment = {"view": target.create_view({}), "clear_value": [0.1, 0.2, 0.3, 1.0]}
with commands.begin_render_pass({"color_attachments": [attachment]}) as render:
    render.bind_pipeline(pipeline)
    render.set_render_state(
        {"viewports": [spy.Viewport.from_size(SIDE, SIDE)], "scissor_rects": [spy.ScissorRect.from_size(SIDE, SIDE)]}
    )
    render.draw({"vertex_count": 3})
device.submit_command_buffer(commands.finish())
# As bytes: interpolation may differ in the last bits.
print("u8", (target.to_numpy() * 255).round().astype(np.uint8).tobytes().hex())
