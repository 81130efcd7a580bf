// The settings: the key of the compilation, and language, stage and entry point of the active file.

const $ = (id) => document.getElementById(id);
const BOUNDS = ["unchecked", "clamped", "exact"];

export class Settings {
  constructor(page) {
    this.page = page;
    $("kind").replaceChildren(new Option("by name", ""), ...page.lists.languages.map(({ name }) => new Option(name, name)));
    $("chip").replaceChildren(...page.lists.chips.map((name) => new Option(name, name)));
    for (const select of document.querySelectorAll(".robust")) {
      select.replaceChildren(...BOUNDS.map((name) => new Option(name, name)));
      const field = select.id.replace("robust-", "");
      select.addEventListener("change", () => this.set("robustness", { ...page.project.key.robustness, [field]: select.value }));
    }
    $("chip").addEventListener("change", () => this.set("target", $("chip").value));
    $("registers").addEventListener("change", () => this.set("max_gpr_halves", Number($("registers").value) || undefined));
    $("key-json").addEventListener("change", () => this.read());
    $("kind").addEventListener("change", () => this.setKind());
    $("stage").addEventListener("change", () => this.setEntry({ stage: $("stage").value, entry: "" }));
    $("constants").addEventListener("change", () => this.setConstants());
    $("entry").addEventListener("change", () => this.chooseEntry());
  }

  /** Changes a field of the key and compiles. */
  set(field, value) {
    const { key } = this.page.project;
    if (value === undefined || (Array.isArray(value) && value.length === 0)) delete key[field];
    else key[field] = value;
    this.load();
    this.page.compile();
  }

  setKind() {
    const { kinds, active } = this.page.project;
    if ($("kind").value) kinds[active] = $("kind").value;
    else delete kinds[active];
    this.page.showFile(active);
    this.page.compile();
  }

  setConstants() {
    const words = $("constants").value.split(/[\s,]+/).filter(Boolean);
    const { constants, active } = this.page.project;
    if (words.length) constants[active] = words;
    else delete constants[active];
    this.page.compile();
  }

  setEntry(entry) {
    this.page.project.entries[this.page.project.active] = entry;
    this.page.compile();
  }

  chooseEntry() {
    const [stage, entry] = $("entry").value.split("\n");
    this.setEntry(entry ? { stage, entry } : {});
  }

  /** Reads the key that was written as JSON. */
  read() {
    const error = $("key-error");
    try {
      const key = JSON.parse($("key-json").value || "{}");
      if (typeof key !== "object" || key === null || Array.isArray(key)) throw new Error("expected an object");
      this.page.project.key = key;
      error.hidden = true;
      this.load();
      this.page.compile();
    } catch (problem) {
      error.textContent = `The key is not JSON: ${problem.message}`;
      error.hidden = false;
    }
  }

  /** Shows the key of the project. */
  load() {
    const { key } = this.page.project;
    $("chip").value = key.target ?? this.page.lists.chips[0];
    for (const field of ["uniform", "storage", "image"]) $(`robust-${field}`).value = key.robustness?.[field] ?? BOUNDS[0];
    $("registers").value = key.max_gpr_halves ?? "";
    $("key-json").value = Object.keys(key).length ? JSON.stringify(key, null, 1).replace(/\n\s*/g, " ") : "";
    $("key-error").hidden = true;
    this.showOptions();
  }

  /** Shows language and stage of the active file. */
  showFile() {
    const { kinds, entries, constants, active } = this.page.project;
    $("constants").value = (constants[active] ?? []).join(" ");
    $("kind").value = kinds[active] ?? "";
    $("stage").value = entries[active]?.stage ?? "";
    this.showOptions();
  }

  /** Options of the active file's language. */
  showOptions() {
    const { lists, project } = this.page;
    const language = lists.languages.find(({ name }) => name === this.page.language(project.active));
    const fields = (language?.options ?? []).map(([name, meaning]) => {
      const input = Object.assign(document.createElement("input"), { type: "number", min: "0", title: meaning });
      input.value = project.key.options?.find(([known]) => known === name)?.[1] ?? "";
      input.addEventListener("change", () => {
        const others = (project.key.options ?? []).filter(([known]) => known !== name);
        this.set("options", input.value === "" ? others : [...others, [name, Number(input.value)]]);
      });
      const label = document.createElement("label");
      label.append(`${name} `, input);
      label.title = meaning;
      return label;
    });
    $("language-options").replaceChildren(...fields);
  }

  /** Shows the entry points of the module and the one that was compiled. */
  showEntries(points, info) {
    const value = ({ stage, name }) => `${stage}\n${name}`;
    const options = points.filter(({ stage }) => stage).map((point) => new Option(`${point.name} (${point.stage})`, value(point)));
    const only = options.length ? options : [new Option(`${info.entry_point} (${info.stage})`, "")];
    $("entry").replaceChildren(...only);
    if (options.length) $("entry").value = value({ stage: info.stage, name: info.entry_point });
  }
}
