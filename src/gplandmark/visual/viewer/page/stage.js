// SPDX-License-Identifier: MIT
// The picture: one view, or two that turn together; what is visible; and where the mouse is.

import { Camera } from "./camera.js";
import { certaintyColour, drawMarks } from "./overlay.js";
import { Scene, depthAt } from "./scene.js";

const RESTING = 60; // milliseconds without a change after which hidden marks are found
const BEHIND = 0.03; // in the scene, that a mark may lie behind the surface and still be seen

export class Stage {
  constructor(element, display) {
    Object.assign(this, { element, display, entries: [], views: [], measured: null, drawn: () => {} });
    this.overlay = element.querySelector("#overlay");
    this.context = this.overlay.getContext("2d");
    this.scene = new Scene(element.querySelector("#scene"));
    this.camera = new Camera(() => this.redraw());
    this.box = null; // a box that is being drawn, in pixels of the page
    this.lines = () => []; // lines over the surface, as lists of points of the scene
    new ResizeObserver(() => this.#resized()).observe(element);
  }

  get ratio() { return window.devicePixelRatio || 1; }

  // Show entries { key, content, mesh } side by side; the first is the one that is edited.
  show(entries, isNew) {
    const count = this.entries.length;
    this.entries = entries.filter(Boolean);
    const before = this.views;
    this.views = this.entries.map((entry, at) => (
      { entry, target: isNew ? [0, 0, 0] : before[at]?.target ?? [0, 0, 0], discs: [],
        marks: before[at]?.entry === entry ? before[at].marks : [] })); // which of them are hidden is known
    // Of a left and a right specimen corresponding sides are shown: the second turns the other way round.
    for (const view of this.views) view.isMirrored = view.entry.content.mirrored !== this.entries[0].content.mirrored;
    this.#arrange();
    if (isNew || count !== this.entries.length) this.frame(isNew);
    this.redraw();
  }

  // Show all of the specimen; from the front if `isReset`.
  frame(isReset) {
    if (!this.views.length) return;
    if (isReset) this.views.forEach((view) => { view.target = [0, 0, 0]; });
    const halves = this.entries.map((entry) => entry.content.half);
    const half = [0, 1, 2].map((axis) => Math.max(...halves.map((each) => each[axis])));
    const [, , width, height] = this.views[0].box;
    this.camera.frame(half, width / height, isReset);
  }

  // Put a landmark in the middle, and that of the same name in the other view.
  aimAt(mark) {
    if (!mark.point) return;
    for (const view of this.views) {
      const same = view.entry.content.marks.find((each) => each.label === mark.label && each.point);
      if (same) view.target = same.point;
    }
    this.redraw();
  }

  // Turn to a landmark, in both views. If it is missing here, show all of both from where the other has it.
  turnTo(mark) {
    this.aimAt(mark);
    const normal = mark.point ? mark.normal : this.#normalOf(mark.label);
    if (!normal) return;
    if (!mark.point) this.views.forEach((view) => { view.target = [0, 0, 0]; });
    this.camera.lookAlong(normal, !!mark.point);
  }

  #normalOf(label) {
    const view = this.views[1], mark = view?.entry.content.marks.find((each) => each.label === label && each.point);
    return mark && (view.isMirrored ? [-mark.normal[0], mark.normal[1], mark.normal[2]] : mark.normal);
  }

  redraw() {
    this.isResting = false;
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.#draw();
    });
  }

  // Where a point of the scene is in a view, in pixels of the page, and how far from the eye.
  project(view, point) {
    const m = view.matrix, p = view.projection, box = view.css;
    const [x, y, z] = [0, 1, 2].map((i) => m[i] * point[0] + m[4 + i] * point[1] + m[8 + i] * point[2] + m[12 + i]);
    return {
      x: box[0] + box[2] * (1 + p[0] * x / -z) / 2,
      y: box[1] + box[3] * (1 - p[5] * y / -z) / 2,
      depth: -z,
    };
  }

  viewAt(x) { return this.views.find(({ css }) => x >= css[0] && x < css[0] + css[2]) ?? this.views[0]; }

  // Line of sight through a place of the page.
  rayAt(view, x, y) {
    const [left, top, width, height] = view.css;
    const across = 2 * (x - left) / width - 1, up = 1 - 2 * (y - top) / height;
    return this.camera.ray(across, up, width / height, view.target);
  }

  // Whether a point of the page shows the specimen.
  isOn(x, y) {
    this.measure();
    return depthAt(this.measured, x * this.ratio, this.overlay.height - y * this.ratio) < Infinity;
  }

  // Whether a projected place is in front of the surface, as far as is known.
  isSeen({ x, y, depth }) {
    const surface = this.measured ? depthAt(this.measured, x * this.ratio, this.overlay.height - y * this.ratio) : Infinity;
    return depth < surface + BEHIND;
  }

  markAt(view, x, y) {
    const reach = Math.max(this.display().size + 4, 8);
    const near = view.marks.filter((mark) => mark.seen && Math.hypot(mark.x - x, mark.y - y) <= reach);
    return near.sort((a, b) => Math.hypot(a.x - x, a.y - y) - Math.hypot(b.x - x, b.y - y))[0];
  }

  // Find which marks are hidden; kept until something moves.
  measure() {
    if (this.isResting) return;
    this.isResting = true;
    this.measured = this.scene.measure(this.views, this.camera);
    for (const view of this.views) this.#placeMarks(view);
  }

  #resized() {
    this.#arrange();
    this.frame(false);
    this.redraw();
  }

  #arrange() {
    const width = this.element.clientWidth, height = this.element.clientHeight, ratio = this.ratio;
    this.scene.resize(Math.round(width * ratio), Math.round(height * ratio));
    Object.assign(this.overlay, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    const each = width / Math.max(this.views.length, 1);
    this.views.forEach((view, at) => {
      view.css = [at * each, 0, each, height];
      view.box = [Math.round(at * each * ratio), 0, Math.round(each * ratio), Math.round(height * ratio)];
      view.mesh = view.entry.mesh;
    });
  }

  #draw() {
    if (!this.views.length) {
      this.scene.draw([], this.camera);
      this.context.clearRect(0, 0, this.overlay.width, this.overlay.height);
      return;
    }
    const display = this.display();
    for (const view of this.views) view.discs = display.discs ? discsOf(view.entry.content, display) : [];
    this.scene.draw(this.views, this.camera);
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      this.measure();
      this.#drawOverlay(display);
      this.drawn();
    }, RESTING);
    this.views.forEach((view) => this.#placeMarks(view));
    this.#drawOverlay(display);
  }

  #placeMarks(view) {
    const display = this.display(), chosen = display.chosen, labels = display.chosenLabels;
    const isFirst = view === this.views[0];
    const known = new Map(view.marks.map((mark) => [mark.id, mark.seen]));
    const shown = view.entry.content.marks.slice(0, isFirst ? display.step : undefined);
    view.marks = shown.filter((mark) => mark.point).map((mark) => {
      const at = this.project(view, mark.point);
      let seen = known.get(mark.id) ?? true;
      if (this.isResting && this.measured) seen = this.isSeen(at);
      const isChosen = isFirst ? chosen.has(mark.id) : labels.has(mark.label);
      return { ...at, id: mark.id, label: mark.label, author: mark.author, seen, chosen: isChosen,
        newest: isFirst && display.step < view.entry.content.marks.length && mark === shown.at(-1) };
    });
  }

  #drawOverlay(display) {
    const { context } = this;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.overlay.width, this.overlay.height);
    for (const view of this.views) {
      context.save();
      context.beginPath();
      context.rect(...view.css);
      context.clip();
      this.#drawLines(view);
      view.names = drawMarks(context, view.marks, display);
      context.restore();
    }
    if (this.views.length > 1) {
      context.fillStyle = "#d5d2cb";
      context.fillRect(this.views[1].css[0], 0, 1, this.views[1].css[3]);
    }
    if (this.box) {
      context.strokeStyle = "#d900c7";
      context.strokeRect(this.box[0], this.box[1], this.box[2] - this.box[0], this.box[3] - this.box[1]);
    }
  }

  #drawLines(view) {
    for (const { points, colour, width } of this.lines(view)) {
      this.context.strokeStyle = colour;
      this.context.lineWidth = width;
      this.context.beginPath();
      let wasSeen = false;
      for (const point of points) {
        const at = this.project(view, point), seen = this.isSeen(at);
        if (seen && wasSeen) this.context.lineTo(at.x, at.y); else this.context.moveTo(at.x, at.y);
        wasSeen = seen;
      }
      this.context.stroke();
    }
  }
}

function discsOf(content, display) {
  return content.marks.filter((mark) => mark.point && mark.radius).map((mark) => ({
    point: mark.point,
    normal: mark.normal,
    radius: mark.radius / content.size,
    colour: display.chosen.has(mark.id) ? [0.85, 0, 0.78] : certaintyColour(mark.radius / content.size),
  }));
}
