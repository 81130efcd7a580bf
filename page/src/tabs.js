// A list of tabs that the keyboard moves through, as the pattern of WAI-ARIA describes it.

/** Shows `items` ({ id, label, panel }) in `list`; `chosen` is told the id. */
export function showTabs(list, items, active, chosen) {
  const focused = list.contains(document.activeElement);
  list.replaceChildren(...items.map(({ id, label, panel }) => {
    const tab = document.createElement("button");
    tab.type = "button";
    tab.role = "tab";
    tab.id = id === active && list.id === "files" ? "file-tab-active" : `${list.id}-tab-${id.replace(/[^\w]/g, "-")}`;
    tab.textContent = label;
    tab.dataset.id = id;
    tab.setAttribute("aria-selected", String(id === active));
    tab.tabIndex = id === active ? 0 : -1;
    if (panel) tab.setAttribute("aria-controls", panel);
    tab.addEventListener("click", () => chosen(id));
    return tab;
  }));
  list.onkeydown = (event) => {
    const at = items.findIndex(({ id }) => id === active);
    const moves = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: items.length - 1 };
    const next = items[(moves[event.key] + items.length) % items.length];
    if (next === undefined) return;
    event.preventDefault();
    chosen(next.id);
    list.querySelector('[aria-selected="true"]')?.focus();
  };
  const selected = list.querySelector('[aria-selected="true"]');
  if (focused) selected?.focus();
  if (selected) list.scrollLeft = Math.min(list.scrollLeft, selected.offsetLeft - list.offsetLeft);
}
