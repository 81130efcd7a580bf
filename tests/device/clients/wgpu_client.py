"""WebGPU through wgpu: a kernel and a draw, whose results are printed."""

import struct

import wgpu

ADAPTER = wgpu.gpu.request_adapter_sync(power_preference="high-performance")
# It would take OpenGL where it hides the driver.
assert ADAPTER.info["backend_type"] == "Vulkan", ADAPTER.summary
DEVICE = ADAPTER.request_device_sync()

KERNEL = """
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;
var<workgroup> part: array<f32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
    part[lane] = a[id.x];
    workgroupBarrier();
    var sum = 0.0;
    for (var at = 0u; at <= lane; at++) { sum += part[at]; }
    b[id.x] = sum * 0.5 + f32(id.x % 7u);
}
"""

DRAW = """
struct Out { @builtin(position) place: vec4f, @location(0) colour: vec3f }
@vertex fn vertex(@builtin(vertex_index) at: u32) -> Out {
    var places = array(vec2f(-0.8, -0.7), vec2f(0.9, -0.5), vec2f(0.1, 0.85));
    var colours = array(vec3f(1.0, 0.2, 0.1), vec3f(0.1, 0.9, 0.3), vec3f(0.2, 0.3, 1.0));
    return Out(vec4f(places[at], 0.0, 1.0), colours[at]);
}
@fragment fn fragment(in: Out) -> @location(0) vec4f {
    return vec4f(in.colour * (0.75 + 0.25 * sin(in.place.x * 0.4)), 1.0);
}
"""


def kernel():
    count = 1024
    usage = wgpu.BufferUsage.STORAGE
    data = struct.pack(f"{count}f", *((at * 37 % 101) / 8 for at in range(count)))
    source = DEVICE.create_buffer_with_data(data=data, usage=usage)
    result = DEVICE.create_buffer(size=4 * count, usage=usage | wgpu.BufferUsage.COPY_SRC)
    module = DEVICE.create_shader_module(code=KERNEL)
    pipeline = DEVICE.create_compute_pipeline(layout="auto", compute={"module": module, "entry_point": "main"})
    entries = [{"binding": 0, "resource": {"buffer": source}}, {"binding": 1, "resource": {"buffer": result}}]
    group = DEVICE.create_bind_group(layout=pipeline.get_bind_group_layout(0), entries=entries)
    encoder = DEVICE.create_command_encoder()
    work = encoder.begin_compute_pass()
    work.set_pipeline(pipeline)
    work.set_bind_group(0, group)
    work.dispatch_workgroups(count // 64)
    work.end()
    DEVICE.queue.submit([encoder.finish()])
    return bytes(DEVICE.queue.read_buffer(result))


def draw():
    side = 64
    usage = wgpu.TextureUsage.RENDER_ATTACHMENT | wgpu.TextureUsage.COPY_SRC
    target = DEVICE.create_texture(size=(side, side, 1), format="rgba8unorm", usage=usage)
    module = DEVICE.create_shader_module(code=DRAW)
    pipeline = DEVICE.create_render_pipeline(
        layout="auto",
        vertex={"module": module, "entry_point": "vertex"},
        primitive={"topology": "triangle-list"},
        fragment={"module": module, "entry_point": "fragment", "targets": [{"format": "rgba8unorm"}]},
    )
    encoder = DEVICE.create_command_encoder()
    attachment = {
        "view": target.create_view(),
        "clear_value": (0.1, 0.1, 0.2, 1.0),
        "load_op": "clear",
        "store_op": "store",
    }
    work = encoder.begin_render_pass(color_attachments=[attachment])
    work.set_pipeline(pipeline)
    work.draw(3)
    work.end()
    DEVICE.queue.submit([encoder.finish()])
    layout = {"bytes_per_row": 4 * side, "rows_per_image": side}
    return bytes(DEVICE.queue.read_texture({"texture": target}, layout, (side, side, 1)))


print("f32", kernel().hex())
print("u8", draw().hex())
