"use strict";
// Rows of source and assembly with the same data-l belong together: clicking one marks all, and shows the first of the
// other pane.
(function () {
  const rows = Array.from(document.querySelectorAll("tr[data-l]"));
  function select(line, from) {
    rows.forEach((row) => row.classList.toggle("on", row.dataset.l === line));
    const pane = from && from.closest(".pane");
    document.querySelectorAll(".pane").forEach((other) => {
      const row = other.querySelector("tr.on");
      if (other !== pane && row) {
        other.scrollTop = row.offsetTop - other.clientHeight / 3;
      }
    });
    document.body.dataset.selected = line;
  }
  rows.forEach((row) => row.addEventListener("click", () => select(row.dataset.l, row)));
  document.querySelectorAll("[data-go]").forEach((shape) =>
    shape.addEventListener("click", () => {
      const row = document.getElementById(shape.dataset.go);
      if (row) {
        row.scrollIntoView({ block: "center" });
        if (row.dataset.l) select(row.dataset.l, row);
      }
    }));
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") select("", null); });
})();
