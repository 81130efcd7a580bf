"use strict";
// Rows of source and assembly, and frames of flame graphs, with the same data-l belong together. `connect` makes a click on one, or the arrow keys in
// its pane, mark all of them, and shows the first of the other panes. `chosen` is told the line, "" for none. It returns
// a function that marks a line.
function connect(root, chosen = () => {}) {
  const rows = () => Array.from(root.querySelectorAll("[data-l]"));
  function mark(line, from) {
    for (const row of rows()) {
      row.classList.toggle("on", row.dataset.l === line);
    }
    for (const pane of root.querySelectorAll(".pane")) {
      const row = pane.querySelector("tr.on");
      if (pane !== from && row) {
        pane.scrollTop = row.offsetTop - pane.clientHeight / 3;
      }
    }
    root.dataset.selected = line;
  }
  function choose(line, from) {
    mark(line, from);
    chosen(line);
  }
  // The row that was chosen last: the rows of a line need not be neighbours.
  let current = null;
  // The next row of another line in a pane, in one direction.
  function step(pane, direction) {
    const all = Array.from(pane.querySelectorAll("tr[data-l]"));
    if (direction < 0) all.reverse();
    const isOn = (row) => row.classList.contains("on");
    const from = current && isOn(current) && all.includes(current) ? all.indexOf(current) : all.findIndex(isOn);
    const next = all.slice(from + 1).find((row) => !isOn(row));
    if (next) {
      current = next;
      choose(next.dataset.l, pane);
      next.scrollIntoView({ block: "nearest" });
    }
  }
  root.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    const shape = target && target.closest("[data-go]");
    const row = shape ? root.querySelector("#" + CSS.escape(shape.dataset.go)) : target && target.closest("[data-l]");
    if (!row) return;
    if (shape) row.scrollIntoView({ block: "center" });
    current = row;
    if (row.dataset.l) choose(row.dataset.l, row.closest(".pane"));
  });
  root.addEventListener("keydown", (event) => {
    const pane = event.target instanceof Element && event.target.matches(".pane") ? event.target : null;
    if (event.key === "Escape" && root.dataset.selected) {
      choose("", null);
    } else if (pane && pane.querySelector("tr[data-l]") && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      step(pane, event.key === "ArrowDown" ? 1 : -1);
    }
  });
  return mark;
}
