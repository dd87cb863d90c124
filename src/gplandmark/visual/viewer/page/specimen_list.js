// SPDX-License-Identifier: MIT
// The list of specimens. Only the rows in view exist, so that 5,000 specimens are as quick as five.

import { thumbnail } from "./server.js";

const HEIGHT = 64; // pixels of a row, as in the style sheet
const MORE = 6; // rows above and below those in view

export class SpecimenList {
  constructor(element, controls, opened) {
    Object.assign(this, { element, controls, opened, all: [], shown: [], key: "", rows: new Map() });
    this.space = document.createElement("div");
    element.append(this.space);
    element.addEventListener("scroll", () => this.#render());
    new ResizeObserver(() => this.#render()).observe(element);
    element.addEventListener("keydown", (event) => this.#pressed(event));
    for (const control of Object.values(controls)) control.addEventListener("input", () => this.#filter());
    controls.search.addEventListener("keydown", (event) => { // browsers empty the field, but do not always say so
      if (event.key === "Escape") { controls.search.value = ""; this.#filter(); }
      if (event.key === "Enter" && this.shown.length) { controls.search.blur(); opened(this.shown[0].key); }
    });
  }

  update(specimens) {
    this.all = specimens;
    this.#filter();
  }

  select(key) {
    this.key = key;
    const at = this.shown.findIndex((each) => each.key === key);
    if (at >= 0) {
      const top = at * HEIGHT, { scrollTop, clientHeight } = this.element;
      if (top < scrollTop) this.element.scrollTop = top;
      else if (top + HEIGHT > scrollTop + clientHeight) this.element.scrollTop = top + HEIGHT - clientHeight;
    }
    this.#render();
  }

  // The key that comes some rows after the present one; undefined at the end of the list.
  neighbour(by) {
    const at = this.shown.findIndex((each) => each.key === this.key);
    if (at < 0) return this.#afterGone(by);
    return this.shown[at + by]?.key;
  }

  // The present one is filtered out: go on from where it would be.
  #afterGone(by) {
    const order = this.#sorted(this.all), at = order.findIndex((each) => each.key === this.key);
    const listed = new Set(this.shown.map((each) => each.key));
    for (let next = at + by; next >= 0 && next < order.length; next += by) {
      if (listed.has(order[next].key)) return order[next].key;
    }
    return undefined;
  }

  #sorted(specimens) {
    const order = this.controls.order.value;
    if (order !== "name") return specimens;
    return [...specimens].sort((a, b) => a.key.localeCompare(b.key, undefined, { numeric: true }));
  }

  #filter() {
    const text = this.controls.search.value.trim().toLowerCase(), state = this.controls.filter.value;
    this.shown = this.#sorted(this.all).filter((each) => each.key.toLowerCase().includes(text) && isIn(each, state));
    this.space.style.height = `${this.shown.length * HEIGHT}px`;
    document.querySelector("#count").textContent =
      this.shown.length === this.all.length ? `${this.all.length}` : `${this.shown.length} of ${this.all.length}`;
    this.rows.forEach((row) => row.remove());
    this.rows.clear();
    this.#render();
  }

  #render() {
    const first = Math.max(0, Math.floor(this.element.scrollTop / HEIGHT) - MORE);
    const last = Math.min(this.shown.length, first + Math.ceil(this.element.clientHeight / HEIGHT) + 2 * MORE);
    const wanted = new Set(this.shown.slice(first, last).map((each) => each.key));
    this.rows.forEach((row, key) => {
      if (!wanted.has(key)) { row.remove(); this.rows.delete(key); }
    });
    for (let at = first; at < last; at++) {
      const specimen = this.shown[at];
      let row = this.rows.get(specimen.key);
      if (!row) {
        row = this.#row(specimen, at);
        this.rows.set(specimen.key, row);
        this.element.append(row);
      }
      row.style.top = `${at * HEIGHT}px`;
      row.setAttribute("aria-selected", String(specimen.key === this.key));
      if (specimen.key === this.key) this.element.setAttribute("aria-activedescendant", row.id);
    }
  }

  #row(specimen, at) {
    const row = document.createElement("div");
    row.className = "specimen";
    row.id = `specimen-${at}`;
    row.dataset.key = specimen.key;
    row.setAttribute("role", "option");
    row.setAttribute("aria-setsize", String(this.shown.length));
    row.setAttribute("aria-posinset", String(at + 1));
    const picture = document.createElement("img");
    Object.assign(picture, { alt: "", loading: "lazy", src: thumbnail(specimen.key) });
    picture.addEventListener("error", () => picture.replaceWith(Object.assign(document.createElement("span"), { className: "blank" })));
    const text = document.createElement("div");
    text.className = "text";
    const name = document.createElement("b");
    name.textContent = name.title = specimen.key;
    text.append(name, ...labels(specimen), certainty(specimen));
    row.append(picture, text);
    row.addEventListener("click", () => this.opened(specimen.key));
    return row;
  }

  #pressed(event) {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    const key = event.key === "Home" ? this.shown[0]?.key : event.key === "End" ? this.shown.at(-1)?.key : undefined;
    if (by === undefined && key === undefined) return;
    event.preventDefault();
    const at = this.shown.findIndex((each) => each.key === this.key);
    const to = key ?? this.shown[Math.min(Math.max(at + by, 0), this.shown.length - 1)]?.key;
    if (to !== undefined && to !== this.key) this.opened(to);
  }
}

function isIn(specimen, state) {
  if (!state) return true;
  if (state === "unchecked") return specimen.state !== "checked";
  return state === "unsaved" ? specimen.unsaved : specimen.state === state;
}

function labels(specimen) {
  const words = [[specimen.state, specimen.state]];
  if (specimen.unsaved) words.push(["unsaved", "unsaved"]);
  if (specimen.elsewhere) words.push(["elsewhere", "edited elsewhere"]);
  return words.flatMap(([kind, text]) => {
    const label = document.createElement("span");
    label.className = `state ${kind.replace(" ", "-")}`;
    label.textContent = text;
    return [label, " "];
  });
}

function certainty(specimen) {
  const line = document.createElement("div");
  line.className = "small";
  if (specimen.failure) line.textContent = line.title = specimen.failure;
  else if (specimen.uncertainty !== null) {
    line.textContent = `uncertainty ${(100 * specimen.uncertainty).toPrecision(2)} %`;
    line.title = "Mean 90 % radius of its landmarks, of the root of the area; of a batch, the largest remaining variance.";
  }
  return line;
}
