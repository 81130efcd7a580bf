// The page: what it shows and when it asks the compiler.

import { DrawView } from "./draw.js";
import { Editor } from "./editor.js";
import { IrView } from "./ir.js";
import { Machine, loadModule } from "./machine.js";
import { connect } from "./report.js";
import { RunView } from "./run.js";
import { Settings } from "./settings.js";
import { StepView } from "./step.js";
import { showTabs } from "./tabs.js";
import { PAIRS } from "./pairs.js";
import { bytesOf, emptyProject, find, fromFragment, makeFile, shaderOf, toFragment } from "./project.js";

const $ = (id) => document.getElementById(id);

const VIEWS = [
  ["assembly", "Assembly"], ["ir", "IR"], ["statistics", "Statistics"], ["interface", "Interface"], ["flow", "Control flow"],
  ["run", "Run"], ["draw", "Draw"], ["step", "Step"], ["compare", "Compare"],
];

/** Milliseconds without typing before the text is compiled. */
const PAUSE = 120;

class Page {
  constructor(module) {
    this.project = emptyProject();
    // Two workers, so that editing continues during a run.
    this.compiler = new Machine(module);
    this.machine = new Machine(module);
    this.view = "assembly";
    this.compiled = null;
    this.kept = null;
  }

  async start() {
    this.lists = (await this.compiler.call("lists", this.project)).answer;
    this.editor = new Editor($("editor"), {
      changed: (text) => this.edited(text),
      moved: (line) => this.markSource(line),
      breakAt: (line) => this.steps.breaks.toggleLine(line),
      breaksMoved: (lines) => this.steps.breaks.moved(lines),
    });
    this.settings = new Settings(this);
    this.ir = new IrView(this);
    this.runs = new RunView(this);
    this.draws = new DrawView(this);
    this.steps = new StepView(this);
    this.mark = connect($("view-assembly"), (line) => this.markEditor(line));
    this.listExamples();
    this.listen();
    this.showView("assembly");
    await this.openAddress();
    window.addEventListener("hashchange", () => this.openAddress());
  }

  /** Opens the project of the address, or the first example. */
  async openAddress() {
    if (location.hash === this.ownFragment) return;
    try {
      const given = await fromFragment(location.hash);
      if (given) return this.openProject(given);
    } catch (error) {
      this.say(`The link is damaged: ${error.message}`);
    }
    await this.openExample(this.lists.examples[0].name);
  }

  listExamples() {
    const row = ({ name, title }) => new Option(`${name}: ${title}`, name);
    $("examples").replaceChildren(...this.lists.examples.map(row), ...PAIRS.map(row));
  }

  listen() {
    $("examples").addEventListener("change", () => this.openExample($("examples").value));
    $("open").addEventListener("click", () => $("file-input").click());
    $("file-input").addEventListener("change", () => this.addFiles($("file-input").files));
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      this.addFiles(event.dataTransfer.files);
    });
    $("add-file").addEventListener("click", () => this.newFile());
    $("rename-file").addEventListener("click", () => this.renameFile());
    $("remove-file").addEventListener("click", () => this.removeFile());
    $("share").addEventListener("click", () => this.share());
    $("report").addEventListener("click", () => this.report());
    $("keep").addEventListener("click", () => this.keep());
  }

  say(text) {
    $("status").textContent = text;
  }

  /** Appends diagnostics as a list; each leads to its place in the editor. */
  list(parent, diagnostics) {
    for (const { severity, code, message, file, line, column, word } of diagnostics ?? []) {
      const item = document.createElement(parent.tagName === "UL" ? "li" : "div");
      item.className = `diagnostic ${severity}`;
      const place = line ? `${file}:${line}:${column ?? 1}` : word != null ? `${file}: word ${word}` : file ?? "";
      item.textContent = `${severity}[${code}]: ${message}`;
      if (line && file === this.project.active) {
        const button = Object.assign(document.createElement("button"), { type: "button", textContent: place });
        button.addEventListener("click", () => this.editor.go(line, column ?? 1));
        item.prepend(button, " ");
      } else if (place) {
        item.prepend(`${place}: `);
      }
      parent.append(item);
    }
  }

  async openExample(name) {
    const pair = PAIRS.find((known) => known.name === name);
    const { settings, files } = pair ?? (await this.compiler.call("example", emptyProject(), { name })).answer;
    $("examples").value = name;
    await this.openProject({
      ...emptyProject(),
      files: files.map(({ name: file, bytes }) => makeFile(file, bytes)),
      active: settings.file,
      key: settings.key ?? {},
      run: { resources: settings.resources ?? {}, groups: settings.groups ?? "1", shown: settings.shown ?? [], picture: settings.picture ?? null },
      scene: settings.scene ?? "",
      time: { path: name === "plasma" ? "buffers.0.f32.2" : "", value: 0 },
    });
  }

  async openProject(project) {
    this.project = project;
    if (!find(project, project.active)) project.active = project.files[0]?.name ?? "";
    this.editor.forget();
    this.settings.load();
    this.runs.load();
    this.steps.load();
    this.showFile(project.active);
    await this.compile();
    const { scene } = project;
    if (this.view === "run" || this.view === "draw") this.showView(scene ? "draw" : "run");
  }

  /** The language of a file for the editor. */
  language(name) {
    const kind = this.project.kinds[name];
    if (kind) return kind;
    const extension = name.split(".").pop();
    return this.lists.languages.find(({ extensions }) => extensions.includes(extension))?.name ?? extension;
  }

  showFile(name) {
    this.project.active = name;
    const file = find(this.project, name);
    const text = file?.text ?? `${file?.bytes?.length ?? 0} bytes that are not text`;
    showTabs($("files"), this.project.files.map(({ name: id }) => ({ id, label: id, panel: "editor" })), name,
      (id) => { this.showFile(id); this.compile(); });
    this.editor.open(name, text, this.language(name), !file || file.text === undefined);
    $("remove-file").disabled = this.project.files.length < 2;
    this.settings.showFile();
    this.steps.showBreaks();
    this.draws.load();
  }

  edited(text) {
    const file = find(this.project, this.project.active);
    if (!file || file.text === undefined) return;
    file.text = text;
    $("output").setAttribute("aria-busy", "true");
    clearTimeout(this.pending);
    this.pending = setTimeout(() => this.compile(), PAUSE);
  }

  async addFiles(list) {
    for (const file of list) {
      const made = makeFile(file.name, new Uint8Array(await file.arrayBuffer()));
      this.project.files = [...this.project.files.filter(({ name }) => name !== file.name), made];
      this.project.active = file.name;
    }
    this.editor.forget();
    this.showFile(this.project.active);
    await this.compile();
  }

  /** A name that no other file has, asked of the reader. */
  askName(before) {
    const name = window.prompt("Name of the file, with the extension of its language", before)?.trim();
    if (!name || name === before) return null;
    if (find(this.project, name)) {
      this.say(`There is a file ${name} already.`);
      return null;
    }
    return name;
  }

  newFile() {
    const name = this.askName("new.wgsl");
    if (!name) return;
    this.project.files.push({ name, text: "" });
    this.showFile(name);
    this.compile();
  }

  renameFile() {
    const file = find(this.project, this.project.active);
    const name = this.askName(file.name);
    if (!name) return;
    this.steps.breaks.renamed(file.name, name);
    for (const table of [this.project.kinds, this.project.entries, this.project.constants]) {
      if (table[file.name]) table[name] = table[file.name];
      delete table[file.name];
    }
    file.name = name;
    this.showFile(name);
    this.compile();
  }

  removeFile() {
    this.project.files = this.project.files.filter(({ name }) => name !== this.project.active);
    this.showFile(this.project.files[0].name);
    this.compile();
  }

  /** Compiles the active file. While the compiler is busy, the last request waits. */
  async compile() {
    clearTimeout(this.pending);
    $("output").setAttribute("aria-busy", "true");
    if (this.isCompiling) {
      this.isWaiting = true;
      return;
    }
    if (this.language(this.project.active) === "json") {
      this.say("A scene file: draw it in the view Draw.");
      this.show({ diagnostics: [] });
      return;
    }
    this.isCompiling = true;
    do {
      this.isWaiting = false;
      const request = JSON.stringify(shaderOf(this.project));
      const { answer, milliseconds } = await this.compiler.call("compile", this.project, { request });
      if (!this.isWaiting) this.show(answer, milliseconds);
    } while (this.isWaiting);
    this.isCompiling = false;
  }

  show(answer, milliseconds) {
    this.compiled = answer.shader ? answer : null;
    const shown = find(this.project, this.project.active);
    if (answer.source && shown?.bytes) this.editor.open(shown.name, answer.source, "spirv", true);
    const errors = answer.diagnostics.filter(({ severity }) => severity === "error").length;
    const list = $("diagnostics");
    list.replaceChildren();
    this.list(list, answer.diagnostics);
    this.editor.diagnose(answer.diagnostics.filter(({ file }) => file === this.project.active));
    if (errors) this.say(errors === 1 ? "1 error" : `${errors} errors`);
    else if (answer.shader) {
      const { stage, entry_point: entry } = answer.shader.info;
      this.say(`${stage} shader ${entry}: ${answer.shader.statistics.instructions} instructions, compiled in ${milliseconds.toFixed(0)} ms`);
    }
    if (answer.entry_points) this.settings.showEntries(answer.entry_points, answer.shader.info);
    this.showSections();
    this.refresh();
    $("output").setAttribute("aria-busy", "false");
  }

  /** The sections of the report, which the compiler makes. An error leaves the last ones, which are dimmed. */
  showSections() {
    for (const [id] of VIEWS.slice(0, 5)) $(`view-${id}`).classList.toggle("stale", !this.compiled);
    const html = this.compiled?.html;
    if (!html) return;
    $("view-assembly").innerHTML = html.summary + html.assembly;
    $("view-statistics").innerHTML = html.summary + html.figures + html.charts;
    $("view-interface").innerHTML = html.interface;
    $("view-flow").innerHTML = html.flow;
  }

  /** What the view in front needs beyond the sections. */
  refresh() {
    if (this.view === "ir") this.ir.show();
    if (this.view === "compare") this.compare();
  }

  showView(id) {
    this.view = id;
    const items = VIEWS.map(([name, label]) => ({ id: name, label, panel: `view-${name}` }));
    showTabs($("views"), items, id, (name) => this.showView(name));
    for (const [name] of VIEWS) {
      const panel = $(`view-${name}`);
      panel.hidden = name !== id;
      panel.role = "tabpanel";
      panel.setAttribute("aria-labelledby", `views-tab-${name}`);
    }
    this.refresh();
  }

  /** Marks the instructions of a line of the editor. */
  markSource(line) {
    const file = this.compiled?.shader.files.indexOf(this.project.active) ?? -1;
    if (file >= 0) this.mark(`${file}:${line}`, null);
    this.editor.mark(0);
  }

  /** Marks the line of an instruction in the editor. */
  markEditor(link, files = this.compiled?.shader.files ?? []) {
    const [file, line] = link.split(":").map(Number);
    const name = files[file];
    this.editor.mark(name === this.project.active ? line : 0);
  }

  async share() {
    const fragment = await toFragment(this.project);
    this.ownFragment = fragment;
    history.replaceState(null, "", fragment);
    try {
      await navigator.clipboard.writeText(location.href);
      this.say(`The link is copied: ${location.href.length.toLocaleString("en")} characters.`);
    } catch {
      this.say("The link is in the address bar.");
    }
  }

  async report() {
    const request = JSON.stringify(shaderOf(this.project));
    const { answer } = await this.compiler.call("report", this.project, { request });
    if (!answer.html) return this.say("An erroneous shader has no report.");
    const link = Object.assign(document.createElement("a"), {
      href: URL.createObjectURL(new Blob([answer.html], { type: "text/html" })), download: `${this.project.active}.html`,
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    this.say(`The report is saved as ${link.download}.`);
  }

  async keep() {
    const files = this.project.files.map((file) => ({ name: file.name, bytes: bytesOf(file) }));
    this.kept = { shader: shaderOf(this.project), files };
    $("compare-note").textContent = `${this.project.active} is kept. Edit it, or change the settings, to compare.`;
    await this.compare();
  }

  async compare() {
    if (!this.kept || !this.compiled) return;
    const request = JSON.stringify({ before: this.kept.shader, after: shaderOf(this.project) });
    const { answer } = await this.compiler.call("compare", this.project, { request, kept: this.kept.files });
    const result = $("compare-result");
    if (answer.html) result.innerHTML = answer.html;
    else {
      result.replaceChildren();
      this.list(result, answer.diagnostics);
    }
  }
}

async function start() {
  try {
    const page = new Page(await loadModule());
    await page.start();
    document.body.dataset.ready = "true";
  } catch (error) {
    $("status").textContent = `The page cannot start: ${error.message}`;
    throw error;
  }
  if ("serviceWorker" in navigator && window.isSecureContext) await navigator.serviceWorker.register("offline.js");
}

start();
