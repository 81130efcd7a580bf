// Runs the compiler and the machine, so that the page stays responsive. A message has the files that have changed and a
// call; the answer has its number.

import init, { Files, examples, languages, passes } from "./agx_page.js";

let files = null;
let stepping = null;

const lists = () => ({ examples: JSON.parse(examples()), ...JSON.parse(languages()), phases: JSON.parse(passes()) });

const calls = {
  lists,
  example({ name }) {
    const own = new Files();
    const settings = JSON.parse(own.example(name));
    const found = settings.files.map((file) => ({ name: file, bytes: own.contents(file) }));
    own.free();
    return { settings, files: found };
  },
  compile: ({ request }) => JSON.parse(files.compile(request)),
  ir: ({ request }) => JSON.parse(files.ir(request)),
  report: ({ request }) => JSON.parse(files.report(request)),
  compare({ request, kept }) {
    const old = new Files();
    for (const { name, bytes } of kept) old.add(name, bytes);
    const answer = JSON.parse(files.compare(old, request));
    old.free();
    return answer;
  },
  run({ request }) {
    const ran = files.run(request);
    const answer = JSON.parse(ran.answer());
    const bytes = (answer.buffers ?? []).map((_, number) => ran.bytes(number));
    ran.free();
    return { ...answer, contents: bytes };
  },
  step({ request }) {
    stepping?.free();
    const started = files.step_through(request);
    const answer = JSON.parse(started.answer());
    stepping = started.stepping() ?? null;
    started.free();
    return answer;
  },
  go: ({ request }) => (stepping ? JSON.parse(stepping.go(request)) : { diagnostics: [] }),
  draw({ request }) {
    const drawn = files.draw(request);
    const answer = { ...JSON.parse(drawn.answer()), rgba: drawn.rgba() };
    drawn.free();
    return answer;
  },
};

const ready = new Promise((resolve) => {
  self.addEventListener("message", async ({ data }) => {
    if (data.module) {
      await init({ module_or_path: data.module });
      files = new Files();
      resolve();
      return;
    }
    await ready;
    const { number, call, changed, reset } = data;
    if (reset) {
      files.free();
      files = new Files();
    }
    for (const { name, bytes } of changed) files.add(name, bytes);
    const begin = performance.now();
    try {
      const answer = calls[call](data);
      self.postMessage({ number, answer, milliseconds: performance.now() - begin });
    } catch (error) {
      // The engine's stack is smaller than what a program of its own takes for nested texts.
      const isDeep = error instanceof RangeError;
      self.postMessage({ number, trap: String(error?.message ?? error), isDeep });
    }
  });
});
