// WebGPU through Dawn: reads tests, one JSON object a line, runs each as a compute program, and prints the buffers after it.

import { readFileSync, writeSync } from 'node:fs';
import { create, globals } from '/opt/agx/dawn/index.js';

Object.assign(globalThis, globals);

const gpu = create(['backend=vulkan']);
const adapter = await gpu.requestAdapter();
const features = ['shader-f16', 'subgroups'].filter((feature) => adapter.features.has(feature));
const device = await adapter.requestDevice({ requiredFeatures: features });

async function run({ wgsl, buffers }) {
  device.pushErrorScope('validation');
  device.pushErrorScope('internal');
  const module = device.createShaderModule({ code: wgsl });
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
  const { STORAGE, UNIFORM, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
  const made = buffers.map(({ binding, hex }) => {
    const bytes = Buffer.from(hex, 'hex');
    const size = Math.max(Math.ceil(bytes.length / 16) * 16, 16);
    const padded = new Uint8Array(size);
    padded.set(bytes);
    const buffer = device.createBuffer({ size, usage: STORAGE | UNIFORM | COPY_SRC | COPY_DST });
    device.queue.writeBuffer(buffer, 0, padded);
    const copy = device.createBuffer({ size, usage: MAP_READ | COPY_DST });
    return { binding, bytes: bytes.length, size, buffer, copy };
  });
  const entries = made.map(({ binding, buffer }) => ({ binding, resource: { buffer } }));
  const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.dispatchWorkgroups(1);
  pass.end();
  made.forEach(({ buffer, copy, size }) => encoder.copyBufferToBuffer(buffer, 0, copy, 0, size));
  device.queue.submit([encoder.finish()]);
  const errors = [await device.popErrorScope(), await device.popErrorScope()];
  const error = errors.find((found) => found);
  if (error) throw new Error(error.message.split('\n')[0]);
  const after = {};
  for (const { binding, bytes, copy } of made) {
    await copy.mapAsync(GPUMapMode.READ);
    after[binding] = Buffer.from(copy.getMappedRange().slice(0, bytes)).toString('hex');
    copy.unmap();
  }
  return after;
}

for (const line of readFileSync(process.argv[2], 'utf8').split('\n').filter((text) => text)) {
  const test = JSON.parse(line);
  let result;
  try {
    result = { buffers: await run(test) };
  } catch (error) {
    result = { error: String(error.message) };
  }
  writeSync(1, JSON.stringify({ name: test.name, ...result }) + '\n');
}
process.exit(0);
