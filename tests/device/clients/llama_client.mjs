// llama.cpp as node-llama-cpp has it: a language model answers on the processor and on Vulkan, with and without flash attention.
// The answers must be the same words.

import { getLlama, LlamaLogLevel } from '/opt/agx/llama/node_modules/node-llama-cpp/dist/index.js';

const START = [1, ...Array.from({ length: 40 }, (_, at) => 3 + ((at * 37) % 256))];
const WORDS = 24;

async function answer(gpu, flashAttention) {
  const llama = await getLlama({ gpu, build: 'never', skipDownload: true, logLevel: LlamaLogLevel.error });
  if (gpu) console.log(await llama.getGpuDeviceNames());
  const model = await llama.loadModel({ modelPath: process.argv[2], gpuLayers: gpu ? 99 : 0, useMmap: false });
  const context = await model.createContext({ contextSize: 256, flashAttention });
  const words = [];
  for await (const word of context.getSequence().evaluate(START, { temperature: 0 })) {
    if (words.push(word) === WORDS) break;
  }
  return words.join(' ');
}

const expected = await answer(false, false);
const found = [await answer('vulkan', false), await answer('vulkan', true)];
console.log([expected, ...found].join('\n'));
process.exit(found.every((words) => words === expected) ? 0 : 1);
