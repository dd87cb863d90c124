// SPDX-License-Identifier: MIT
// Curves over the surface: drawn by clicks, listed, and edited.

const $ = (selector) => document.querySelector(selector);
const REACH = 6; // pixels from a line at which a click means it
const COLOUR = "#0b7a75", CHOSEN = "#d900c7";

// The lines of curves; those of the chosen one stand out.
export function linesOf(curves, chosen) {
  return curves.flatMap(({ name, paths }) => {
    const isChosen = !!chosen && name === chosen;
    return paths.map((points) => ({ points, colour: isChosen ? CHOSEN : COLOUR, width: isChosen ? 3 : 2 }));
  });
}

export class Curves {
  constructor(app) {
    // The name of the chosen curve, which clicks extend; and those of curves on specimens seen before.
    Object.assign(this, { app, name: "", names: [] });
    app.stage.lines = (view) => this.#lines(view);
    const on = (selector, event, does) => $(selector).addEventListener(event, does);
    on("#curve-new", "click", () => this.begin());
    on("#curve-closed", "change", () => this.#edit({ edit: "close curve", closed: $("#curve-closed").checked }));
    on("#curve-space", "click", () => this.#edit({ edit: "space evenly", count: Number($("#curve-points").value) }));
    on("#curve-delete", "click", () => this.#delete());
    on("#curve-name", "keydown", (event) => {
      if (event.key === "Enter") { event.preventDefault(); this.#rename(); }
      else if (event.key === "Escape") { $("#curve-name").value = this.name; $("#curve-name").blur(); }
    });
    on("#curve-name", "blur", () => this.#rename());
  }

  get all() { return this.app.entry?.content.curves ?? []; }

  get chosen() { return this.all.find((curve) => curve.name === this.name); }

  // Another specimen comes: the curves that are drawn there get the same names, in the same order.
  leave() {
    this.names.push(...this.all.map((curve) => curve.name).filter((name) => !this.names.includes(name)));
    this.name = "";
  }

  // The next click begins another curve.
  begin() {
    this.choose("");
    this.app.chooseTool("curve");
    this.app.say("Click the specimen, or a landmark, where the curve begins.");
  }

  end() {
    const { chosen } = this;
    this.choose("");
    if (chosen) this.app.say(`${chosen.name} has ${chosen.ids.length} points. The next click begins another curve.`);
  }

  choose(name) {
    this.name = name;
    this.refresh();
    this.app.stage.redraw();
  }

  // A click with the tool for curves: on a landmark, on a line, or on the surface.
  clicked(view, mark, ray, x, y) {
    const line = mark ? null : this.#lineAt(view, x, y);
    if (line) {
      this.choose(line.name);
      this.#edit({ edit: "insert", after: line.after, ray });
      return;
    }
    const isNew = !this.chosen, there = this.all.map((curve) => curve.name);
    const where = mark ? { id: mark.id } : { ray };
    const curve = this.chosen?.name ?? this.names.find((name) => !there.includes(name)) ?? "";
    this.app.edit({ edit: "draw", curve, ...where }, () => {
      if (isNew) this.name = this.all.at(-1)?.name ?? "";
      if (this.chosen?.closed) this.name = ""; // it is complete
    });
  }

  refresh() {
    const { all, chosen } = this;
    if (!chosen) this.name = "";
    $("#curve-count").textContent = all.length ? `(${all.length})` : "";
    $("#curves").hidden = !all.length;
    $("#curves tbody").replaceChildren(...all.map((curve) => this.#row(curve)));
    $("#chosen-curve").hidden = !chosen;
    if (!chosen) return;
    if (document.activeElement !== $("#curve-name")) $("#curve-name").value = chosen.name;
    $("#curve-closed").checked = chosen.closed;
    if (document.activeElement !== $("#curve-points")) $("#curve-points").value = Math.max(chosen.ids.length, 10);
  }

  #row(curve) {
    const row = document.createElement("tr");
    row.tabIndex = 0;
    row.setAttribute("aria-selected", String(curve.name === this.name));
    for (const text of [curve.name, curve.ids.length, curve.closed ? "closed" : "open"]) {
      row.append(Object.assign(document.createElement("td"), { textContent: text }));
    }
    const choose = () => this.choose(curve.name === this.name ? "" : curve.name);
    row.addEventListener("click", choose);
    row.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(); }
    });
    return row;
  }

  #edit(asked) { if (this.chosen) this.app.edit({ ...asked, curve: this.name }); }

  #rename() {
    const name = $("#curve-name").value.trim();
    if (!this.chosen || !name || name === this.name) return;
    this.app.edit({ edit: "rename curve", curve: this.name, name }, () => { this.name = name; });
  }

  #delete() {
    const { chosen, app } = this;
    if (!chosen) return;
    const others = new Set(this.all.filter((curve) => curve !== chosen).flatMap((curve) => curve.ids));
    const own = app.entry.content.marks.filter((mark) => chosen.ids.includes(mark.id) && mark.kind === "semi" && !others.has(mark.id));
    app.edit({ edit: "delete curve", curve: chosen.name }, () => {
      app.chooseAll(own.map((mark) => mark.id), false);
    }).then(() => { if (own.length) app.say(`${chosen.name} is deleted. Its points are selected: Delete removes them, too.`); });
  }

  #lines(view) {
    const isFirst = view === this.app.stage.views[0];
    return linesOf(view.entry.content.curves ?? [], isFirst ? this.name : "");
  }

  // The line under the mouse: the name of its curve, and the point that it comes from.
  #lineAt(view, x, y) {
    let best = null;
    for (const { name, ids, paths } of this.all) paths.forEach((points, at) => {
      const seen = points.map((point) => this.app.stage.project(view, point))
        .map((place) => ({ ...place, seen: this.app.stage.isSeen(place) }));
      for (let i = 1; i < seen.length; i++) {
        if (!seen[i - 1].seen || !seen[i].seen) continue;
        const away = distance(x, y, seen[i - 1], seen[i]);
        if (away <= REACH && (!best || away < best.away)) best = { name, after: ids[at], away };
      }
    });
    return best;
  }
}

function distance(x, y, a, b) {
  const dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
  const t = length ? Math.min(Math.max(((x - a.x) * dx + (y - a.y) * dy) / length, 0), 1) : 0;
  return Math.hypot(x - a.x - t * dx, y - a.y - t * dy);
}
