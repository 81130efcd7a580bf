// The view of the IR before and after a pass.

import { shaderOf } from "./project.js";

const $ = (id) => document.getElementById(id);

/** Lines as elements; those that `other` does not have are marked. */
function lines(text, other, mark) {
  const known = new Map();
  for (const line of other.split("\n")) known.set(line, (known.get(line) ?? 0) + 1);
  return text.split("\n").map((line) => {
    const count = known.get(line) ?? 0;
    known.set(line, count - 1);
    const element = document.createElement(count > 0 ? "span" : mark);
    element.textContent = `${line}\n`;
    return element;
  });
}

export class IrView {
  constructor(page) {
    this.page = page;
    const groups = page.lists.phases.map(({ name, passes }) => {
      const group = Object.assign(document.createElement("optgroup"), { label: `phase ${name}` });
      group.append(new Option(`${name} (whole phase)`, name), ...passes.map((pass) => new Option(pass.name, pass.name)));
      return group;
    });
    $("pass").replaceChildren(new Option("none: from the front end", ""), ...groups);
    $("pass").value = "select";
    $("pass").addEventListener("change", () => this.show());
    $("skip-pass").addEventListener("change", () => this.skip());
  }

  /** The row of the chosen pass or phase. */
  row() {
    const { phases } = this.page.lists;
    const name = $("pass").value;
    return phases.find((phase) => phase.name === name) ?? phases.flatMap(({ passes }) => passes).find((pass) => pass.name === name);
  }

  skip() {
    const { key } = this.page.project;
    const name = $("pass").value;
    const others = (key.disabled_passes ?? []).filter((pass) => pass !== name);
    this.page.settings.set("disabled_passes", $("skip-pass").checked ? [...others, name] : others);
  }

  async show() {
    const { page } = this;
    const row = this.row();
    $("pass-doc").textContent = row?.doc ?? "The IR as the front end builds it.";
    $("skip-pass").disabled = !row?.optional;
    $("skip-pass").checked = (page.project.key.disabled_passes ?? []).includes($("pass").value);
    const request = JSON.stringify({ shader: shaderOf(page.project), step: $("pass").value || null });
    const { answer } = await page.compiler.call("ir", page.project, { request });
    if (answer.before === undefined) return;
    $("ir-before").replaceChildren(...lines(answer.before, answer.after, "del"));
    $("ir-after").replaceChildren(...lines(answer.after, answer.before, "ins"));
  }
}
