// SPDX-License-Identifier: MIT
// The list of landmarks: all rows, a click selects one and turns the view to it.

import { certaintyColour, css } from "./overlay.js";

export class LandmarkList {
  constructor(body, chose) {
    Object.assign(this, { body, chose, ids: [] });
    body.addEventListener("keydown", (event) => this.#pressed(event));
  }

  // Rows for all landmarks; those that are chosen are marked.
  update(content, chosen) {
    const focused = document.activeElement?.closest?.("tr")?.dataset.id;
    this.ids = content.marks.map((mark) => mark.id);
    this.body.replaceChildren(...content.marks.map((mark) => this.#row(mark, content.size, chosen.has(mark.id))));
    if (focused !== undefined) this.#rowOf(focused)?.focus({ preventScroll: true });
  }

  mark(chosen) {
    for (const row of this.body.children) row.setAttribute("aria-selected", String(chosen.has(Number(row.dataset.id))));
    const first = [...chosen][0];
    if (first !== undefined) this.#rowOf(first)?.scrollIntoView({ block: "nearest" });
  }

  #rowOf(id) { return this.body.querySelector(`tr[data-id="${id}"]`); }

  #row(mark, size, isChosen) {
    const row = document.createElement("tr");
    row.dataset.id = mark.id;
    row.tabIndex = 0;
    row.setAttribute("aria-selected", String(isChosen));
    const radius = document.createElement("td");
    if (mark.radius) {
      const dot = document.createElement("span");
      dot.className = "dot";
      dot.style.background = css(certaintyColour(mark.radius / size));
      radius.append(dot, Number(mark.radius.toPrecision(3)).toString());
    }
    const kind = mark.point ? { semi: "semi", fixed: "fixed", "": "" }[mark.kind] : "missing";
    row.append(cell(mark.label), radius, cell(kind), cell(mark.author === "human" ? "a person" : "gplandmark"));
    row.addEventListener("click", (event) => this.chose(mark.id, event.shiftKey || event.ctrlKey || event.metaKey));
    return row;
  }

  #pressed(event) {
    const row = event.target.closest("tr");
    if (!row) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.chose(Number(row.dataset.id), event.shiftKey);
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const next = event.key === "ArrowDown" ? row.nextElementSibling : row.previousElementSibling;
      if (!next) return;
      next.focus();
      this.chose(Number(next.dataset.id), event.shiftKey);
    }
  }
}

function cell(text) {
  const made = document.createElement("td");
  made.textContent = text;
  return made;
}
