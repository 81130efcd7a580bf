// WebGPU in Deno: a kernel with local memory, and a draw with depth and four samples, whose results are printed.

const adapter = await navigator.gpu.requestAdapter();
const device = await adapter.requestDevice();
device.onuncapturederror = (event) => {
    console.error(event.error.message);
    Deno.exit(1);
};

const COUNT = 256;
const SIDE = 64;
const KERNEL = `
@group(0) @binding(0) var<storage, read_write> data: array<f32>;
var<workgroup> part: array<f32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
    part[lane] = data[id.x];
    workgroupBarrier();
    data[id.x] = sqrt(part[63u - lane]) + sin(f32(id.x));
}`;
const DRAW = `
struct Out { @builtin(position) place: vec4f, @location(0) colour: vec3f }
@vertex fn vertex(@builtin(vertex_index) at: u32) -> Out {
    var places = array(vec2f(-0.9, -0.8), vec2f(0.8, -0.6), vec2f(0.1, 0.9));
    return Out(vec4f(places[at], 0.5, 1.0), vec3f(f32(at == 0), f32(at == 1), f32(at == 2)));
}
@fragment fn fragment(@location(0) colour: vec3f) -> @location(0) vec4f { return vec4f(colour, 1.0); }`;

const usage = GPUBufferUsage;
const data = device.createBuffer({ size: 4 * COUNT, usage: usage.STORAGE | usage.COPY_SRC | usage.COPY_DST });
const back = device.createBuffer({ size: 4 * COUNT, usage: usage.MAP_READ | usage.COPY_DST });
const texels = device.createBuffer({ size: 4 * SIDE * SIDE, usage: usage.MAP_READ | usage.COPY_DST });
device.queue.writeBuffer(data, 0, new Float32Array(COUNT).map((_, at) => at * 0.5));
const kernel = device.createComputePipeline({
    layout: "auto",
    compute: { module: device.createShaderModule({ code: KERNEL }), entryPoint: "main" },
});
const group = device.createBindGroup({
    layout: kernel.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: { buffer: data } }],
});

const attachment = GPUTextureUsage.RENDER_ATTACHMENT;
const texture = (format, sampleCount, usage) =>
    device.createTexture({ size: [SIDE, SIDE], format, sampleCount, usage });
const resolved = texture("rgba8unorm", 1, attachment | GPUTextureUsage.COPY_SRC);
const samples = texture("rgba8unorm", 4, attachment);
const depth = texture("depth24plus", 4, attachment);
const module = device.createShaderModule({ code: DRAW });
const pipeline = device.createRenderPipeline({
    layout: "auto",
    vertex: { module, entryPoint: "vertex" },
    fragment: { module, entryPoint: "fragment", targets: [{ format: "rgba8unorm" }] },
    depthStencil: { format: "depth24plus", depthWriteEnabled: true, depthCompare: "less" },
    multisample: { count: 4 },
});

const encoder = device.createCommandEncoder();
const compute = encoder.beginComputePass();
compute.setPipeline(kernel);
compute.setBindGroup(0, group);
compute.dispatchWorkgroups(COUNT / 64);
compute.end();
encoder.copyBufferToBuffer(data, 0, back, 0, 4 * COUNT);
const pass = encoder.beginRenderPass({
    colorAttachments: [{
        view: samples.createView(),
        resolveTarget: resolved.createView(),
        loadOp: "clear",
        storeOp: "discard",
        clearValue: { r: 0.1, g: 0.2, b: 0.3, a: 1 },
    }],
    depthStencilAttachment: {
        view: depth.createView(),
        depthLoadOp: "clear",
        depthStoreOp: "discard",
        depthClearValue: 1,
    },
});
pass.setPipeline(pipeline);
pass.draw(3);
pass.end();
encoder.copyTextureToBuffer({ texture: resolved }, { buffer: texels, bytesPerRow: 4 * SIDE }, [SIDE, SIDE]);
device.queue.submit([encoder.finish()]);

const hex = async (buffer) => {
    await buffer.mapAsync(GPUMapMode.READ);
    return Array.from(new Uint8Array(buffer.getMappedRange()), (byte) => byte.toString(16).padStart(2, "0")).join("");
};
console.log("f32", await hex(back));
console.log("u8", await hex(texels));
Deno.exit(0);
