// SPDX-License-Identifier: MIT
// The page of a collection: what is shown, what is chosen, and what the server is asked for.

import { Curves } from "./curves.js";
import { bindControls, refreshPanel } from "./panel.js";
import { LandmarkList } from "./landmark_list.js";
import { Mouse } from "./mouse.js";
import { SpecimenList } from "./specimen_list.js";
import { Stage } from "./stage.js";
import { Store } from "./store.js";
import { ask, receiveColours, send } from "./server.js";

const $ = (selector) => document.querySelector(selector);
const LISTING_PAUSE = 700; // milliseconds between two readings of the list

class App {
  constructor() {
    Object.assign(this, { tool: "look", chosen: new Set(), entry: null, beside: null, key: "", listing: null });
    this.queue = Promise.resolve();
    this.stage = new Stage($("#stage"), () => this.display());
    this.store = new Store(this.stage.scene);
    this.store.inUse = () => [this.key, this.beside?.key];
    this.specimens = new SpecimenList(
      $("#list"), { search: $("#search"), filter: $("#filter"), order: $("#order") }, (key) => this.open(key));
    this.landmarks = new LandmarkList($("#landmarks tbody"), (id, isMore) => this.choose(id, isMore, true));
    this.mouse = new Mouse(this.stage, this);
    this.curves = new Curves(this);
    this.stage.drawn = () => this.#showHidden();
    bindControls(this);
    window.addEventListener("hashchange", () => this.#openAddressed());
  }

  async start() {
    await this.readListing();
    const { specimens, folder } = this.listing;
    document.title = `${folder.split(/[\\/]/).at(-1)} – gplandmark`;
    $("#title").textContent = $("#title").title = folder;
    document.body.classList.toggle("single", !!this.listing.single);
    $("#to-report").hidden = !this.listing.report;
    $("#to-start").hidden = !this.listing.start;
    $("#beside-reference").hidden = !this.listing.reference;
    if (this.listing.beside) await this.setBeside(this.listing.beside);
    const first = specimens.find((each) => each.key === this.listing.first) ?? specimens.find((each) => each.state !== "checked" && each.state !== "failed") ?? specimens[0];
    if (!await this.#openAddressed()) await this.open(first.key);
    this.#watch();
  }

  async #openAddressed() {
    const key = decodeURIComponent(location.hash.slice(1));
    if (!key || key === this.key || !this.listing.specimens.some((each) => each.key === key)) return key === this.key && !!key;
    await this.open(key);
    return true;
  }

  // What the controls of the display are set to.
  display() {
    const marks = this.entry?.content.marks ?? [];
    return {
      size: Number($("#mark-size").value), names: $("#show-names").checked, hidden: $("#show-hidden").checked,
      discs: $("#show-discs").checked, step: this.step ?? marks.length, chosen: this.chosen,
      chosenLabels: new Set(marks.filter((mark) => this.chosen.has(mark.id)).map((mark) => mark.label)),
    };
  }

  async open(key) {
    const began = performance.now();
    this.curves.leave();
    this.key = key;
    this.specimens.select(key);
    const soon = setTimeout(() => this.key === key && this.say(`Reading ${key} ...`), 150);
    let entry = null, problem = "";
    try {
      entry = await this.store.load(key);
    } catch (error) {
      problem = error.message;
    }
    clearTimeout(soon);
    if (this.key !== key) return; // a person has gone on meanwhile
    history.replaceState(null, "", `#${encodeURIComponent(key)}`);
    const same = this.#sameMark(entry);
    if (same && entry.content.mirrored !== this.entry.content.mirrored) this.stage.camera.mirror();
    Object.assign(this, { entry, step: null, chosen: new Set(same ? [same.id] : []) });
    this.say(problem, true);
    this.stage.show(entry ? [entry, this.beside] : [], !same);
    if (same) this.stage.aimAt(same);
    refreshPanel(this);
    this.#recolour();
    requestAnimationFrame(() => requestAnimationFrame(() => {
      Object.assign(document.body.dataset, { shown: key, milliseconds: (performance.now() - began).toFixed(0) });
      const next = this.specimens.neighbour(1);
      if (next !== undefined) this.store.load(next).catch(() => {}); // it says so when it is opened
    }));
    if (entry) await this.#reread(entry);
    if (entry) this.#countInside(entry);
  }

  // On matched specimens a person may follow one landmark through all of them, close up.
  #sameMark(entry) {
    if (!this.listing.reference || !entry || this.chosen.size !== 1) return null;
    const label = this.entry?.content.marks.find((mark) => this.chosen.has(mark.id))?.label;
    return entry.content.marks.find((mark) => mark.label === label && mark.point) ?? null;
  }

  go(by) {
    const key = this.specimens.neighbour(by);
    if (key === undefined) this.say(by > 0 ? "This is the last specimen of the list." : "This is the first specimen of the list.");
    else this.open(key);
  }

  async setBeside(key) {
    try {
      this.beside = key ? await this.store.load(key) : null;
    } catch (error) {
      this.beside = null;
      this.say(error.message, true);
    }
    $("#beside").value = this.beside?.key ?? "";
    if (this.entry) this.stage.show([this.entry, this.beside], false);
    refreshPanel(this);
    this.#recolour();
  }

  choose(id, isMore, isTurned) {
    const chosen = isMore ? new Set(this.chosen) : new Set();
    if (isMore && this.chosen.has(id)) chosen.delete(id); else chosen.add(id);
    this.chosen = chosen;
    this.#chose();
    const mark = this.entry?.content.marks.find((each) => each.id === id);
    if (mark && isTurned) this.stage.turnTo(mark);
    if (mark && !mark.point) this.say(`${mark.label} is missing here. ${this.tool === "move" ? "Click" : "Choose Move (3) and click"} its place.`);
  }

  chooseTool(name) {
    this.tool = name;
    refreshPanel(this, false);
  }

  chooseLabel(label) {
    const mark = this.entry?.content.marks.find((each) => each.label === label);
    if (mark) this.choose(mark.id, false, false);
  }

  chooseAll(ids, isMore) {
    this.chosen = new Set(isMore ? [...this.chosen, ...ids] : ids);
    this.#chose();
  }

  #chose() {
    this.landmarks.mark(this.chosen);
    refreshPanel(this, false);
    this.stage.redraw();
  }

  add(ray) {
    const before = new Set(this.entry.content.marks.map((mark) => mark.id));
    this.edit({ edit: "add", ray }, () => {
      this.chosen = new Set(this.entry.content.marks.map((mark) => mark.id).filter((id) => !before.has(id)));
    });
  }

  move(id, ray, joined) { this.edit({ edit: "move", id, ray, joined: !!joined }, null, joined ? `move ${id}` : ""); }

  paint(ray, joined) {
    const radius = Number($("#radius").value), erase = $("#erase").checked;
    this.edit({ edit: this.tool === "mask" ? "paint" : "paint not bone", ray, radius, erase, joined });
  }

  async locate(ray) {
    try {
      const { point, vertex } = await send("locate", { key: this.key, ray });
      this.say(`x ${point.map((each) => Number(each.toPrecision(7))).join("   ").replace("   ", "   y ").replace(/ {3}(?=[^y ])/, "   z ")}   nearest vertex ${vertex}`);
    } catch (error) { this.say(error.message, true); }
  }

  // Edits are done one after the other. A waiting one of the same name is replaced, as in a drag.
  edit(asked, then = null, name = "") {
    const { key, entry } = this;
    if (!entry) return this.queue;
    if (name && this.waiting?.name === name) { this.waiting.asked = asked; return this.queue; }
    const job = { name, asked };
    this.waiting = job;
    this.queue = this.queue.then(async () => {
      if (this.waiting === job) this.waiting = null;
      try {
        const { done, specimen } = await send("edit", { ...job.asked, key });
        take(entry, specimen);
        if (this.entry !== entry) return;
        then?.();
        this.say(done);
      } catch (error) {
        if (this.entry === entry) this.say(error.message, true);
        await this.#reread(entry);
      }
      this.#changed(entry);
    });
    return this.queue;
  }

  async save(isAgreed = false) {
    const { key, entry } = this;
    await this.queue;
    try {
      const { done, question, specimen } = await send("save", { key, output: $("#output").value.trim(), agreed: isAgreed });
      if (question) {
        this.say(`Not saved yet. ${question}`, true);
        return await this.ask("Replace this file?", question, "Replace the file") ? this.save(true) : false;
      }
      take(entry, specimen);
      this.#changed(entry);
      this.say(done);
      this.readListing();
      return true;
    } catch (error) {
      this.say(error.message, true);
      return false;
    }
  }

  // Mark the specimen as checked, saved if need be, and go on to the next one.
  async check() {
    const { key, entry } = this, row = this.listing.specimens.find((each) => each.key === key);
    const isChecked = row.state !== "checked";
    await this.queue;
    if (isChecked && entry?.content.unsaved && !await this.save()) return;
    try {
      this.say((await send("check", { key, checked: isChecked })).done);
    } catch (error) { return this.say(error.message, true); }
    const next = this.specimens.neighbour(1), isOver = isChecked && next !== undefined && this.key === key;
    await Promise.all([isOver ? this.open(next) : null, this.readListing()]);
  }

  // A question in a dialog; true if a person agrees. Enter and Escape mean no.
  ask(title, text, agree) {
    const dialog = $("#question");
    $("#question-title").textContent = title;
    dialog.querySelector("p").textContent = text;
    $("#question-yes").textContent = agree;
    dialog.returnValue = "";
    dialog.showModal();
    $("#question-no").focus();
    return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true }));
  }

  say(text, isRefused = false) {
    const box = $("#message");
    box.textContent = text;
    box.classList.toggle("refused", isRefused && !!text);
  }

  async readListing() {
    this.listing = await ask("collection");
    this.specimens.update(this.listing.specimens);
    this.specimens.select(this.key);
    const done = this.listing.specimens.filter((each) => each.state === "checked").length;
    $("#progress").textContent = `${done} of ${this.listing.specimens.length} checked`;
    if (this.listing.problem) this.say(this.listing.problem, true);
    refreshPanel(this);
  }

  async #watch() {
    let seen = this.listing.changes;
    for (;;) {
      try {
        const { changes } = await ask("changes", { since: seen });
        if (changes !== seen) {
          seen = changes;
          await this.readListing();
          if (this.entry) await this.#reread(this.entry);
        }
        if (this.isLost) { this.isLost = false; this.say("The viewer is there again."); }
        await new Promise((resolve) => setTimeout(resolve, LISTING_PAUSE));
      } catch (error) {
        this.isLost = true;
        this.say(error.message, true);
        await new Promise((resolve) => setTimeout(resolve, 3000));
      }
    }
  }

  // What another window or program changed.
  async #reread(entry) {
    try {
      const content = await ask("specimen", { key: entry.key });
      if (JSON.stringify(content) === JSON.stringify(entry.content)) return;
      if (take(entry, content)) this.#changed(entry);
    } catch { /* the list says what is wrong with it */ }
  }

  #changed(entry) {
    if (entry !== this.entry && entry !== this.beside) return;
    this.#countInside(entry);
    const there = new Set(this.entry.content.marks.map((mark) => mark.id));
    this.chosen = new Set([...this.chosen].filter((id) => there.has(id)));
    this.stage.show([this.entry, this.beside], false);
    refreshPanel(this);
    this.#recolour();
  }

  recolour() { return this.#recolour(); }

  // Colours of all specimens in view, unless they have them already.
  async #recolour() {
    const colouring = $("#colouring").value;
    for (const entry of [this.entry, this.beside]) if (entry) {
      const step = colouring === "variance" && entry === this.entry ? this.step ?? undefined : undefined;
      const { masked, version } = entry.content;
      const wanted = colouring === "bone" && !masked ? "bone" : `${colouring} ${step} ${colouring === "variance" || masked ? version : ""}`;
      if (entry.painted === wanted) continue;
      entry.painted = wanted;
      try {
        const [scale, colours] = await receiveColours(entry.key, colouring, step);
        if (entry.painted !== wanted) continue;
        entry.scale = scale;
        this.stage.scene.paint(entry.mesh, colours);
      } catch (error) {
        entry.painted = "";
        this.say(error.message, true);
        if (colouring !== "bone") { $("#colouring").value = "bone"; return this.#recolour(); }
      }
    }
    this.stage.redraw();
    refreshPanel(this, false);
    if (colouring === "variance") this.curve = await this.#readCurve();
    refreshPanel(this, false);
  }

  async #readCurve() {
    const { entry } = this;
    if (!entry) return null;
    const known = `${entry.key} ${entry.content.version}`;
    if (this.curve?.known === known) return this.curve;
    try {
      return { known, values: await ask("curve", { key: entry.key }) };
    } catch { return null; }
  }

  // How many landmarks no side shows; asked for last, for it takes a while, and not within edits.
  async #countInside(entry) {
    const { version, unsaved } = entry.content;
    if (this.entry !== entry || unsaved || entry.counted === version) return;
    entry.counted = version;
    try {
      entry.inside = await ask("inside", { key: entry.key });
      if (this.entry === entry) this.#showHidden();
    } catch { /* it is only a hint */ }
  }

  #showHidden() {
    const view = this.stage.views[0];
    const hidden = view?.marks.filter((mark) => !mark.seen).length ?? 0;
    const inside = this.entry?.inside ?? 0;
    const lines = [];
    if (hidden) lines.push(`${hidden} of ${view.marks.length} landmarks ${hidden === 1 ? "is" : "are"} behind ${this.beside ? this.key : "the specimen"}.`);
    if (inside) lines.push(`${inside} cannot be seen from any side: 'gplandmark place --outer-only' avoids that.`);
    $("#hidden-note").textContent = lines.join(" ");
  }
}

// Keep what the server sent, unless an answer that was made later has come before it.
function take(entry, content) {
  const isNew = content.version >= entry.content.version;
  if (isNew) entry.content = content;
  return isNew;
}

const app = new App();
// Whether nothing moves, and where a landmark is on the screen: for tests and for curious people.
window.gplandmark = {
  app,
  isStill: () => app.stage.isResting && !app.stage.camera.isGliding,
  where(label) {
    app.stage.measure();
    const box = app.stage.overlay.getBoundingClientRect();
    const mark = app.stage.views[0]?.marks.find((each) => each.label === label);
    return mark && { x: box.x + mark.x, y: box.y + mark.y, seen: mark.seen };
  },
};
app.start().catch((error) => app.say(error.message, true));
