// The view of runs: resources of a compute shader, its result, a picture in a buffer.

import { shaderOf } from "./project.js";
import { connect } from "./report.js";

const $ = (id) => document.getElementById(id);
const KINDS = ["buffer", "texture", "image", "sampler"];
const TYPES = ["u32", "f32", "i32", "u8", "i8", "u16", "i16", "f16", "u64", "i64", "f64"];

const option = (value, selected) => Object.assign(document.createElement("option"), { value, textContent: value, selected });

function labelled(text, control) {
  const label = document.createElement("label");
  label.append(`${text} `, control);
  return label;
}

/** Draws rgba8 pixels into a canvas. */
export function paint(canvas, [width, height], rgba) {
  canvas.width = width;
  canvas.height = height;
  canvas.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(rgba), width, height), 0, 0);
}

export class RunView {
  constructor(page) {
    this.page = page;
    $("run-form").addEventListener("submit", (event) => { event.preventDefault(); this.run(); });
    $("run-form").addEventListener("change", () => this.store());
    $("add-resource").addEventListener("click", () => { this.add("buffer", "", "u32"); });
    $("fill-resources").addEventListener("click", () => this.fill());
    $("stop-run").addEventListener("click", () => page.machine.stop());
    this.files = [];
    connect($("run-result"), (line) => page.markEditor(line, this.files));
  }

  row(kind, spec, type) {
    const row = document.createElement("div");
    row.className = "fields resource";
    const kinds = document.createElement("select");
    kinds.append(...KINDS.map((name) => option(name, name === kind)));
    const value = Object.assign(document.createElement("input"), { value: spec, placeholder: "0.0=f32:1,2,3", spellcheck: false });
    const types = document.createElement("select");
    types.append(...TYPES.map((name) => option(name, name === type)));
    const remove = Object.assign(document.createElement("button"), { type: "button", textContent: "×" });
    remove.setAttribute("aria-label", "Remove this resource");
    remove.addEventListener("click", () => { row.remove(); this.store(); });
    const contents = labelled("Place and contents", value);
    contents.className = "grow";
    row.append(labelled("Kind", kinds), contents, labelled("Show as", types), remove);
    return row;
  }

  add(kind, spec, type) {
    $("resources").append(this.row(kind, spec, type));
  }

  /** Shows the run of the project. */
  load() {
    const { run } = this.page.project;
    $("resources").replaceChildren();
    const types = new Map(run.shown ?? []);
    for (const kind of KINDS) {
      for (const spec of run.resources?.[`${kind}s`] ?? []) this.add(kind, spec, types.get(spec.split("=")[0]) ?? "u32");
    }
    $("groups").value = run.groups ?? "1";
    $("push").value = run.resources?.push ?? "";
    $("picture-place").value = run.picture?.place ?? "";
    $("picture-size").value = run.picture?.size?.join("x") ?? "";
    $("run-result").replaceChildren();
  }

  /** Stores the form in the project. */
  store() {
    const rows = [...$("resources").children].map((row) => [...row.querySelectorAll("select, input")].map((field) => field.value));
    const specs = (kind) => rows.filter(([own, spec]) => own === kind && spec.trim()).map(([, spec]) => spec.trim());
    const size = $("picture-size").value.split("x").map(Number);
    const place = $("picture-place").value.trim();
    this.page.project.run = {
      resources: {
        buffers: specs("buffer"), textures: specs("texture"), images: specs("image"), samplers: specs("sampler"),
        push: $("push").value.trim() || null,
      },
      groups: $("groups").value.trim() || "1",
      shown: rows.map(([, spec, type]) => [spec.split("=")[0].trim(), type]),
      picture: place && size.length === 2 && size.every((side) => side > 0) ? { place, size } : null,
    };
  }

  /** Adds the buffers that the shader reads or writes and that have no contents yet. */
  fill() {
    this.store();
    const known = new Set(this.page.project.run.resources.buffers.map((spec) => spec.split("=")[0]));
    const info = this.page.compiled?.shader?.info;
    for (const { source } of info?.uniforms ?? []) {
      const place = `${source.set}.${source.binding}`;
      if (source.set === undefined || source.binding === undefined || known.has(place)) continue;
      known.add(place);
      this.add("buffer", `${place}=zero:1024`, "f32");
    }
    this.store();
  }

  async run() {
    this.store();
    const { page } = this;
    const { resources, groups, shown, picture } = page.project.run;
    const request = JSON.stringify({ shader: shaderOf(page.project), resources, groups, shown });
    const result = $("run-result");
    result.textContent = "Running…";
    $("stop-run").disabled = false;
    $("run").disabled = true;
    const { answer, milliseconds } = await page.machine.call("run", page.project, { request });
    $("stop-run").disabled = true;
    $("run").disabled = false;
    result.replaceChildren();
    if (answer.stopped) {
      result.textContent = "The run was stopped.";
      return;
    }
    page.list(result, answer.diagnostics);
    if (!answer.buffers) return;
    const counts = document.createElement("p");
    counts.textContent = `${answer.instructions.toLocaleString("en")} instructions, ${answer.lane_instructions.toLocaleString("en")} `
      + `summed over lanes, ${answer.cycles.toLocaleString("en")} cycles estimated; ran in ${milliseconds.toFixed(0)} ms.`;
    result.append(counts);
    const lines = Object.assign(document.createElement("div"), { innerHTML: answer.html });
    answer.buffers.forEach((buffer, number) => this.show(result, buffer, answer.contents[number], picture));
    result.append(lines);
    this.files = answer.files;
  }

  show(result, { place, bytes, text, whole }, contents, picture) {
    const heading = document.createElement("h3");
    const isPicture = picture?.place === place && contents.length >= picture.size[0] * picture.size[1] * 4;
    const part = whole || isPicture ? "" : " (the first values)";
    heading.textContent = `Buffer ${place}, ${bytes.toLocaleString("en")} bytes${part}`;
    result.append(heading);
    if (isPicture) {
      const canvas = document.createElement("canvas");
      canvas.role = "img";
      canvas.setAttribute("aria-label", `The picture in buffer ${place}`);
      paint(canvas, picture.size, contents.subarray(0, picture.size[0] * picture.size[1] * 4));
      result.append(canvas);
      return;
    }
    const values = document.createElement("pre");
    values.className = "values";
    values.tabIndex = 0;
    values.setAttribute("aria-label", `Values of buffer ${place}`);
    values.role = "region";
    values.textContent = text;
    result.append(values);
  }
}
