// Breakpoints, as the words of the debugger's command `break`: of lines, of instructions, with restrictions and conditions.

const $ = (id) => document.getElementById(id);

const LINE = /^(?:(.+?):)?(\d+)(?=\s|$)/;

/** File and line of a breakpoint; null for that of an instruction. The file is undefined if the words have none. */
function placeOf(words) {
  const [, file, line] = LINE.exec(words) ?? [];
  return line ? { file, line: Number(line) } : null;
}

export class Breaks {
  /** `changed` is called when there are others. */
  constructor(page, changed) {
    this.page = page;
    this.changed = changed;
    $("break-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const words = $("break-words").value.trim();
      if (words) this.set([...this.words.filter((known) => known !== words), words]);
      $("break-words").value = "";
    });
  }

  get words() {
    return this.page.project.step.breaks;
  }

  set(words) {
    this.page.project.step.breaks = words;
    this.show();
    this.changed();
  }

  /** Adds the breakpoint with these words, or removes it. */
  toggle(words) {
    const others = this.words.filter((known) => known !== words);
    this.set(others.length < this.words.length ? others : [...others, words]);
  }

  isAt(words, line) {
    const place = placeOf(words);
    return place?.line === line && (place.file ?? this.page.project.active) === this.page.project.active;
  }

  /** Adds a breakpoint at a line of the file in front, or removes those there. */
  toggleLine(line) {
    const others = this.words.filter((words) => !this.isAt(words, line));
    this.set(others.length < this.words.length ? others : [...others, `${this.page.project.active}:${line}`]);
  }

  /** The file in front has other lines: pairs of words and line; a breakpoint whose line is gone has none. */
  moved(lines) {
    const isHere = (words) => this.inFront().some(([known]) => known === words);
    const now = new Map(lines);
    const words = this.words.flatMap((known) => {
      if (!isHere(known)) return [known];
      const line = now.get(known);
      return line ? [known.replace(LINE, (_, file) => (file ? `${file}:${line}` : `${line}`))] : [];
    });
    if (words.join("\n") !== this.words.join("\n")) this.set(words);
  }

  /** A file has another name. */
  renamed(before, name) {
    this.page.project.step.breaks = this.words.map((words) =>
      (placeOf(words)?.file === before ? `${name}${words.slice(before.length)}` : words));
  }

  /** Words and lines of the breakpoints in the file in front. */
  inFront() {
    const { active } = this.page.project;
    const places = this.words.map((words) => [words, placeOf(words)]);
    return places.filter(([, place]) => place && (place.file ?? active) === active).map(([words, { line }]) => [words, line]);
  }

  /** Shows the breakpoints with what a run says of them. */
  show(answers = [], hit = null) {
    const rows = this.words.map((words) => {
      const item = document.createElement("li");
      const found = answers.find((answer) => answer.words === words);
      const text = Object.assign(document.createElement("span"), { className: "words", textContent: words });
      const note = Object.assign(document.createElement("span"), { className: "note" });
      note.textContent = found?.error ?? found?.text?.replace(/^breakpoint/, "number") ?? "";
      note.classList.toggle("error", Boolean(found?.error));
      const remove = Object.assign(document.createElement("button"), { type: "button", textContent: "×" });
      remove.setAttribute("aria-label", `Remove the breakpoint ${words}`);
      remove.addEventListener("click", () => { this.toggle(words); $("break-words").focus(); });
      item.classList.toggle("on", hit !== null && found?.id === hit);
      item.append(remove, text, note);
      return item;
    });
    $("step-breaks").replaceChildren(...rows);
    $("step-breaks").hidden = rows.length === 0;
    this.page.editor.showBreaks(this.inFront());
  }
}
