// The view of stepping: a time line, the active lanes, the code, registers and variables at a time of a run.

import { Breaks } from "./breaks.js";
import { shaderOf } from "./project.js";

const $ = (id) => document.getElementById(id);

/** Buttons, and the steps that they ask for. */
const STEPS = {
  "back-continue": "back-continue", "back-line": "back-line", "back-instruction": "back-instruction", "back-out": "back-out",
  "next-instruction": "instruction", "next-line": "line", "next-continue": "continue", "out-of-loop": "out", "to-end": "end",
};

/** Keys of steps, while the keyboard is in the view and in no field; with Shift, those back. */
const KEYS = { c: "continue", n: "line", i: "instruction", o: "out", e: "end", C: "back-continue", N: "back-line", I: "back-instruction", O: "back-out" };

const TITLES = { waits: "Waits", groups: "SIMD-groups", uniforms: "Uniform registers", textures: "Textures and images", findings: "Findings" };

const SUBJECTS = { grid: "step-grid", pixel: "step-pixel", vertex: "step-vertex" };

/** Why a step ended, other than that it is complete. */
const ENDS = {
  start: "The start.", end: "The end: all SIMD-groups have ended.", limit: "The run has more instructions than the page steps through.",
};

const element = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

const row = (tag, cells) => element("tr", {}, ...cells.map((text) => element(tag, { textContent: text })));

/** The number of lanes in a mask. */
const lanesIn = (mask) => {
  let count = 0;
  for (let rest = mask; rest !== 0; rest = (rest & (rest - 1)) >>> 0) count += 1;
  return count;
};

const numbers = (text) => text.split(",").map((part) => Number(part));

const isCount = (number) => Number.isInteger(number) && number >= 0;

export class StepView {
  constructor(page) {
    this.page = page;
    this.lane = null;
    $("step-form").addEventListener("submit", (event) => { event.preventDefault(); this.start(); });
    $("step-subject").addEventListener("change", () => this.showFields());
    for (const [id, step] of Object.entries(STEPS)) $(id).addEventListener("click", () => this.go(step));
    $("step-time").addEventListener("input", () => this.goTo(Number($("step-time").value)));
    $("step-line").addEventListener("click", (event) => this.clicked(event));
    $("step-result").addEventListener("keydown", (event) => this.pressed(event));
    $("step-code").addEventListener("click", (event) => this.clickedCode(event));
    $("watch-form").addEventListener("submit", (event) => { event.preventDefault(); this.watch($("watch-text").value.trim()); });
    this.breaks = new Breaks(page, () => this.go("stay"));
    this.reset();
  }

  /** Shows the breakpoints of the file in front. */
  showBreaks() {
    this.breaks.show(this.state?.breaks, this.state?.breakpoint);
  }

  pressed(event) {
    const step = KEYS[event.key];
    if (!step || event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input:not([type=range]), select, textarea")) return;
    event.preventDefault();
    // A key that is held down repeats as fast as steps are made.
    if (!event.repeat || !this.isBusy) this.go(step);
  }

  /** Sets a breakpoint at an instruction of the list, or removes it. */
  clickedCode(event) {
    const clicked = event.target.closest("tr");
    if (!clicked) return;
    const { part, offset } = this.run.code[clicked.rowIndex - 1];
    this.breaks.toggle(`*0x${offset.toString(16)}${part === "preamble" ? " preamble" : ""}`);
  }

  /** Adds a watch, or removes it. */
  watch(text) {
    const { step } = this.page.project;
    const others = step.watches.filter((known) => known !== text);
    step.watches = text && others.length === step.watches.length ? [...others, text] : others;
    $("watch-text").value = "";
    this.go("stay");
  }

  /** What can be stepped through in the project. */
  load() {
    const isScene = Boolean(this.page.project.scene);
    $("step-subject").value = isScene ? "pixel" : "grid";
    this.reset();
    this.showFields();
  }

  showFields() {
    for (const [name, id] of Object.entries(SUBJECTS)) $(id).hidden = $("step-subject").value !== name;
  }

  reset() {
    this.run = null;
    this.state = null;
    this.waiting = [];
    $("step-result").hidden = true;
    $("step-problems").replaceChildren();
  }

  /** The request for the run that the form describes; null if the form is wrong. */
  request() {
    const { project } = this.page;
    const subject = $("step-subject").value;
    if (subject === "grid") {
      this.page.runs.store();
      const { resources, groups } = project.run;
      return { grid: { shader: shaderOf(project), resources, groups } };
    }
    const text = $("step-draw").value.trim();
    const common = { scene: project.scene, target: project.key.target ?? null, draw: text ? Number(text) : null };
    if (text && !isCount(common.draw)) return null;
    if (subject === "pixel") {
      const pixel = numbers($("step-place").value);
      return pixel.length === 2 && pixel.every(isCount) ? { drawn: { ...common, pixel } } : null;
    }
    const [vertex, instance] = [Number($("step-number").value), Number($("step-instance").value)];
    return isCount(vertex) && isCount(instance) ? { drawn: { ...common, vertex, instance } } : null;
  }

  async start() {
    this.reset();
    const wanted = this.request();
    const problems = $("step-problems");
    if (!wanted) {
      problems.textContent = "A pixel is X,Y, and the other fields are whole numbers.";
      return;
    }
    problems.textContent = "Preparing the run…";
    $("step-start").disabled = true;
    // A scene is that of the last picture, with its value.
    const project = wanted.drawn ? this.page.draws.timed() : this.page.project;
    const { answer } = await this.page.machine.call("step", project, { request: JSON.stringify(wanted) });
    $("step-start").disabled = false;
    problems.replaceChildren();
    if (!answer.entries) {
      if (answer.stopped) problems.textContent = "The run was stopped.";
      else this.page.list(problems, answer.diagnostics);
      return;
    }
    this.run = answer;
    this.lane = null;
    this.showCode();
    this.showProfile();
    $("step-time").max = String(Math.max(answer.entries.length - 1, 0));
    $("step-note").hidden = answer.whole;
    $("step-result").hidden = false;
    await this.go("stay", 0);
  }

  /** Goes to an entry of the time line. */
  goTo(number) {
    const entry = this.run?.entries[number];
    if (entry) this.go("stay", entry[0]);
  }

  /** Makes a step from a time, or from the present one. Steps that are asked for while one is made wait for their turn. */
  async go(step, from) {
    if (!this.run) return;
    const last = this.waiting.at(-1);
    if (step === "stay" && last?.step === "stay") last.from = from ?? last.from;
    else this.waiting.push({ step, from });
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      for (let next = this.waiting.shift(); next; next = this.waiting.shift()) await this.make(next);
    } finally {
      this.isBusy = false;
    }
  }

  /** Makes one step and shows the state after it. */
  async make({ step, from }) {
    const { run } = this;
    const time = from ?? this.state?.time;
    if (!run || time === undefined) return;
    const { breaks, watches } = this.page.project.step;
    const request = JSON.stringify({ time, step, lane: this.lane, breaks, watches });
    const { answer } = await this.page.machine.call("go", this.page.project, { request });
    if (run !== this.run) return;
    if (answer.time === undefined) {
      this.reset();
      $("step-problems").textContent = "The run has ended with its worker; start again.";
      return;
    }
    this.show(answer);
  }

  /** The entry at a time, or the last one before it. */
  entryAt(time) {
    const { entries } = this.run;
    let [low, high] = [0, entries.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (entries[middle][0] <= time) low = middle;
      else high = middle;
    }
    return low;
  }

  show(state) {
    const before = this.state;
    this.state = state;
    const number = this.entryAt(state.time);
    $("step-time").value = String(number);
    $("step-time").setAttribute("aria-valuetext", this.describe(state));
    $("step-place-now").textContent = this.describe(state);
    this.showLanes(state);
    this.showRegisters(state, before);
    const variables = state.variables.map((cells) => row("td", cells));
    $("step-variables").replaceChildren(...variables);
    $("step-variables-none").hidden = variables.length > 0;
    this.showBreaks();
    this.showWatches(state.watches);
    this.showMore(state.more);
    this.drawLine(number);
    this.markCode(state.at ? number : -1);
    const { at } = state;
    if (at?.line) this.markSource(at.file, at.line);
  }

  describe({ time, stopped, breakpoint, fault, at, lanes }) {
    const ends = fault ?? (stopped === "breakpoint" ? `Breakpoint ${breakpoint}.` : ENDS[stopped]);
    if (!at) return ends ?? "The end.";
    const file = at.line ? `, ${this.run.files[at.file]}:${at.line}` : "";
    const exist = lanes.filter(({ state }) => state !== "absent").length;
    const mask = at.exec.toString(16).padStart(8, "0");
    const place = `Time ${time}: ${lanesIn(at.exec)} of ${exist} lanes active, mask 0x${mask}, ${at.part} 0x${at.offset.toString(16)}${file}`
      + `, workgroup ${at.workgroup.join(",")}, SIMD-group ${at.group}.`;
    return ends ? `${place} ${ends}` : place;
  }

  /** Marks the line in the editor; a file that is not in front is opened. */
  markSource(file, line) {
    const { page } = this;
    const name = this.run.files[file];
    if (name !== page.project.active && page.project.files.some((known) => known.name === name)) {
      page.showFile(name);
      page.compile();
    }
    page.markEditor(`${file}:${line}`, this.run.files);
  }

  showLanes({ lanes, lane }) {
    const focused = document.activeElement?.dataset.lane;
    const buttons = lanes.map(({ state, place, text }, number) => {
      const button = element("button", { type: "button", textContent: String(number), className: `lane ${state}`, title: `${place.join(",")}: ${text}` });
      button.dataset.lane = String(number);
      button.setAttribute("aria-pressed", String(number === lane));
      button.setAttribute("aria-label", `Lane ${number} at ${place.join(",")}, ${text}`);
      // The chosen lane again: steps choose one.
      button.addEventListener("click", () => { this.lane = this.lane === number ? null : number; this.go("stay"); });
      return button;
    });
    $("step-lanes").replaceChildren(...buttons);
    if (focused !== undefined) buttons[Number(focused)]?.focus();
    $("step-lane").textContent = `of lane ${lane}`;
    const reasons = new Map();
    lanes.forEach(({ state, text }, number) => {
      if (state === "inactive") reasons.set(text, [...(reasons.get(text) ?? []), number]);
    });
    $("step-diverged").replaceChildren(...[...reasons].map(([text, numbers]) =>
      element("li", { textContent: `${numbers.length === 1 ? "Lane" : "Lanes"} ${numbers.join(", ")} ${text}` })));
  }

  showWatches(watches) {
    $("step-watch-table").hidden = watches.length === 0;
    $("step-watches").replaceChildren(...watches.map(([text, value]) => {
      const made = row("td", [text, value, ""]);
      const remove = element("button", { type: "button", textContent: "×" });
      remove.setAttribute("aria-label", `Remove the watch ${text}`);
      remove.addEventListener("click", () => { this.watch(text); $("watch-text").focus(); });
      made.lastChild.append(remove);
      return made;
    }));
  }

  /** Parts of the state that the debugger prints. */
  showMore(parts) {
    const shown = parts.filter(([, text]) => text).map(([name, text]) => {
      const printed = element("pre", { className: "values", tabIndex: 0, textContent: text });
      printed.role = "region";
      printed.setAttribute("aria-label", TITLES[name]);
      return [element("h3", { textContent: TITLES[name] }), printed];
    });
    $("step-more").querySelector("div").replaceChildren(...shown.flat());
  }

  showRegisters({ registers, lane }, before) {
    const old = new Map(before?.lane === lane ? before.registers.map(([name, bits]) => [name, bits]) : []);
    const rows = registers.map(([name, bits, integer, float, halves]) => {
      const made = row("td", [name, bits, String(integer), float ?? "", halves.join(" ")]);
      made.classList.toggle("on", before?.lane === lane && old.get(name) !== bits);
      return made;
    });
    $("step-registers").replaceChildren(...rows);
  }

  showCode() {
    const rows = this.run.code.map(({ part, offset, text, line }) => row("td", [`${part} ${offset.toString(16)}`, text, line ? String(line) : ""]));
    $("step-code").replaceChildren(...rows);
  }

  /** The instructions with breakpoints. */
  spots() {
    return new Set(this.state.breaks.flatMap(({ spots }) => spots ?? []));
  }

  /** Marks the instruction of an entry and shows it, and those with breakpoints. */
  markCode(number) {
    const rows = $("step-code").children;
    for (const marked of $("step-code").querySelectorAll(".on")) {
      marked.classList.remove("on");
      marked.removeAttribute("aria-current");
    }
    const spots = this.spots();
    [...rows].forEach((made, index) => made.classList.toggle("break", spots.has(index)));
    const found = rows[this.run.entries[number]?.[1]];
    if (!found) return;
    found.classList.add("on");
    found.setAttribute("aria-current", "step");
    const pane = $("step-code-pane");
    const place = found.offsetTop - pane.clientHeight / 2;
    if (Math.abs(found.offsetTop - pane.scrollTop - pane.clientHeight / 2) > pane.clientHeight / 3) pane.scrollTop = place;
  }

  /** How often the lines ran, and with how many lanes. */
  showProfile() {
    const lines = new Map();
    for (const [, index, exec] of this.run.entries) {
      const { file, line } = this.run.code[index] ?? {};
      const key = line ? `${this.run.files[file]}:${line}` : "(no line)";
      const found = lines.get(key) ?? { count: 0, lanes: 0 };
      lines.set(key, { count: found.count + 1, lanes: found.lanes + lanesIn(exec) });
    }
    const total = Math.max(this.run.entries.length, 1);
    const sorted = [...lines].sort(([, one], [, other]) => other.count - one.count);
    $("step-profile").replaceChildren(...sorted.map(([key, { count, lanes }]) => {
      const made = row("td", [key, String(count), `${((100 * count) / total).toFixed(1)} %`, (lanes / count).toFixed(1)]);
      made.children[2].style.setProperty("--share", `${(100 * count) / total}%`);
      made.children[2].className = "share";
      return made;
    }));
  }

  /**
   * Draws the time line: a column for each instruction or several with a row for each lane, lane 0 at the bottom, the instructions with
   * breakpoints, and the present time. Other SIMD-groups than the present one are pale.
   */
  drawLine(now) {
    const canvas = $("step-line");
    const { entries } = this.run;
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const [width, height] = [canvas.width, canvas.height];
    const [live, other, pale, stall] = ["--live", "--keyword", "--rule", "--stall"].map(colour);
    const pen = canvas.getContext("2d");
    pen.clearRect(0, 0, width, height);
    const columns = Math.min(width, entries.length);
    const each = width / Math.max(columns, 1);
    const tall = height / 32;
    const spots = this.spots();
    const group = entries[now]?.[3].join();
    let [latest, shade] = [-1, false];
    for (let column = 0; column < columns; column += 1) {
      const [, index, exec, own] = entries[Math.floor((column * entries.length) / columns)];
      const line = this.run.code[index]?.line ?? 0;
      if (line !== latest) shade = !shade;
      latest = line;
      pen.fillStyle = own.join() !== group ? pale : shade ? live : other;
      const [x, wide] = [column * each, Math.max(each - 0.5, 0.5)];
      for (let lane = 0; lane < 32; lane += 1) {
        if ((exec >>> lane) & 1) pen.fillRect(x, height - tall * (lane + 1), wide, tall);
      }
      pen.fillStyle = stall;
      if (spots.has(index)) pen.fillRect(x, 0, Math.max(wide, 2), 6);
    }
    pen.fillStyle = stall;
    pen.fillRect(Math.max((now * width) / Math.max(entries.length, 1) - 1, 0), 0, 3, height);
  }

  /** Goes to the time under the pointer. */
  clicked(event) {
    if (!this.run) return;
    const { left, width } = $("step-line").getBoundingClientRect();
    const share = Math.min(Math.max((event.clientX - left) / width, 0), 0.9999);
    this.goTo(Math.floor(share * this.run.entries.length));
  }
}
