// The view of scenes: draws one of the scene files into a canvas, and draws again as a value of it advances.

import { find } from "./project.js";
import { connect } from "./report.js";
import { paint } from "./run.js";

const $ = (id) => document.getElementById(id);

/** The value at a path such as `buffers.0.f32.2`, or undefined. */
export const valueAt = (scene, path) => path.split(".").reduce((value, step) => value?.[step], scene);

/** Sets the number at a path. Returns whether there is one. */
function setAt(scene, path, number) {
  const steps = path.split(".");
  const last = steps.pop();
  const place = steps.reduce((value, step) => value?.[step], scene);
  if (typeof place?.[last] !== "number") return false;
  place[last] = number;
  return true;
}

export class DrawView {
  constructor(page) {
    this.page = page;
    $("draw-form").addEventListener("submit", (event) => { event.preventDefault(); this.draw(); });
    $("scene").addEventListener("change", () => { page.project.scene = $("scene").value; this.load(); });
    $("time-path").addEventListener("change", () => { page.project.time.path = $("time-path").value.trim(); this.load(); });
    $("time").addEventListener("change", () => { page.project.time.value = Number($("time").value); });
    $("animate").addEventListener("change", () => { if ($("animate").checked) this.draw(); });
    $("stop-draw").addEventListener("click", () => { $("animate").checked = false; page.machine.stop(); });
  }

  /** Shows the scenes of the project. */
  load() {
    const { project } = this.page;
    const scenes = project.files.filter((file) => file.name.endsWith(".json")).map((file) => file.name);
    if (!scenes.includes(project.scene)) project.scene = scenes[0] ?? "";
    $("scene").replaceChildren(...scenes.map((name) => new Option(name, name, false, name === project.scene)));
    $("draw").disabled = scenes.length === 0;
    $("time-path").value = project.time.path;
    const value = this.scene() && project.time.path ? valueAt(this.scene(), project.time.path) : undefined;
    $("time").value = String(typeof value === "number" ? value : project.time.value);
  }

  scene() {
    try {
      return JSON.parse(find(this.page.project, this.page.project.scene)?.text ?? "null");
    } catch {
      return null;
    }
  }

  /** The project with the value of the form in the scene. */
  timed() {
    const { project } = this.page;
    const scene = this.scene();
    if (!scene || !project.time.path || !setAt(scene, project.time.path, Number($("time").value))) return project;
    const text = JSON.stringify(scene);
    return { ...project, files: project.files.map((file) => (file.name === project.scene ? { ...file, text } : file)) };
  }

  async draw() {
    if (this.isDrawing) return;
    this.isDrawing = true;
    const { page } = this;
    const { project } = page;
    const scale = Number($("scale").value);
    const size = this.scene()?.size?.map((side) => Math.max(1, Math.round(side / scale)));
    const profile = $("profile-draw").checked;
    const request = JSON.stringify({ scene: project.scene, target: project.key.target ?? null, size: size ?? null, profile });
    const note = $("draw-note");
    if (!$("animate").checked) note.textContent = "Drawing…";
    $("stop-draw").disabled = false;
    const { answer, milliseconds } = await page.machine.call("draw", this.timed(), { request });
    this.isDrawing = false;
    $("stop-draw").disabled = !$("animate").checked;
    if (answer.size) {
      paint($("canvas"), answer.size, answer.rgba);
      $("canvas").dataset.drawings = Number($("canvas").dataset.drawings ?? 0) + 1;
      this.showProfiles(answer.profiles);
      note.textContent = `${answer.size.join(" × ")} pixels, ${answer.instructions.toLocaleString("en")} instructions, drawn in ${milliseconds.toFixed(0)} ms.`;
    } else {
      $("animate").checked = false;
      note.replaceChildren();
      if (answer.stopped) note.textContent = "Drawing was stopped.";
      else page.list(note, answer.diagnostics);
    }
    if ($("animate").checked) {
      $("time").value = (Number($("time").value) + 0.1).toFixed(2);
      requestAnimationFrame(() => this.draw());
    }
  }

  /** Lists the lines that the shaders of the draws ran; a line leads to the editor. */
  showProfiles(profiles) {
    $("draw-profiles").replaceChildren(...profiles.map(({ html, files }) => {
      const section = Object.assign(document.createElement("section"), { innerHTML: html });
      connect(section, (line) => this.page.markEditor(line, files));
      return section;
    }));
  }
}
