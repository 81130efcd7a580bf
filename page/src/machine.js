// A worker with the compiler, as the page calls it.

import { bytesOf } from "./project.js";

/** The WebAssembly module, which all workers share. */
export const loadModule = async () => {
  const response = await fetch("agx_page_bg.wasm");
  // File servers that do not know the type of the file serve it as bytes.
  return response.headers.get("content-type") === "application/wasm"
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
};

export class Machine {
  constructor(module) {
    this.module = module;
    this.start();
  }

  start() {
    this.worker = new Worker("worker.js", { type: "module" });
    this.worker.postMessage({ module: this.module });
    this.worker.addEventListener("message", ({ data }) => this.finish(data));
    this.worker.addEventListener("error", (event) => this.fail(event.message));
    this.waiting = new Map();
    this.next = 0;
    this.sent = new Map();
  }

  /** Ends what is running. Calls that wait for it get `stopped`. */
  stop(why = "stopped") {
    this.worker.terminate();
    const waiting = this.waiting;
    this.start();
    for (const resolve of waiting.values()) resolve({ answer: { stopped: why, diagnostics: [] }, milliseconds: 0 });
  }

  fail(message, isDeep = false) {
    const problem = isDeep
      ? { code: "AGX2211", message: "the text is nested more deeply than the stack of this browser allows; agxc on a computer allows more" }
      : { code: "AGX0070", message: `internal error: ${message}` };
    const diagnostics = [{ severity: "error", ...problem }];
    const waiting = this.waiting;
    this.worker.terminate();
    this.start();
    for (const resolve of waiting.values()) resolve({ answer: { diagnostics }, milliseconds: 0 });
  }

  finish({ number, answer, trap, isDeep, milliseconds }) {
    // A trap leaves the memory of the module in an unknown state.
    if (trap !== undefined) return this.fail(trap, isDeep);
    this.waiting.get(number)?.({ answer, milliseconds });
    this.waiting.delete(number);
  }

  /** Calls `call` with the files of a project. */
  call(call, project, message = {}) {
    const gone = [...this.sent.keys()].some((name) => !project.files.some((file) => file.name === name));
    if (gone) this.sent.clear();
    const changed = project.files.filter((file) => this.sent.get(file.name) !== (file.text ?? file.bytes));
    for (const file of changed) this.sent.set(file.name, file.text ?? file.bytes);
    const number = this.next++;
    const posted = changed.map((file) => ({ name: file.name, bytes: bytesOf(file) }));
    this.worker.postMessage({ number, call, changed: posted, reset: gone, ...message });
    return new Promise((resolve) => this.waiting.set(number, resolve));
  }
}
