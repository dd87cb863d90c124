// SPDX-License-Identifier: MIT
// The mouse and its tools. What no tool needs turns the view.

export const TOOLS = [
  { name: "look", title: "Look", key: "1", hint: "Drag to turn. Click a landmark to select it, or the specimen to read coordinates." },
  { name: "add", title: "Add", key: "2", hint: "Click the specimen to add a landmark." },
  { name: "move", title: "Move", key: "3", hint: "Drag a landmark. Or select it, in the picture or the list, and click its new place." },
  { name: "select", title: "Select", key: "4", hint: "Click a landmark, or drag a box around several. Shift adds to the selection." },
  { name: "mask", title: "Mask", key: "5", hint: "Click or drag to paint grey where no landmark shall be placed automatically." },
  { name: "curve", title: "Curve", key: "6", hint: "Click to add points to the curve: on the specimen, or on a landmark to go through it. Its first point closes it, Enter ends it. A click on a line puts a point between; drag points to move them." },
  { name: "not-bone", title: "Not bone", key: "7", hint: "Click or drag to paint violet what is not bone: cracks, plaster, matrix. Commands leave it out, once it is saved." },
];
export const BRUSHES = ["mask", "not-bone"];
const CLICK = 4; // pixels that the mouse may move in a click
const PER_PIXEL = 0.008; // angle

export class Mouse {
  constructor(stage, app) {
    Object.assign(this, { stage, app, held: null });
    const { overlay } = stage;
    overlay.addEventListener("pointerdown", (event) => this.#down(event));
    overlay.addEventListener("pointermove", (event) => this.#move(event));
    overlay.addEventListener("pointerup", (event) => this.#up(event));
    overlay.addEventListener("pointercancel", () => { this.held = null; });
    overlay.addEventListener("contextmenu", (event) => event.preventDefault());
    overlay.addEventListener("wheel", (event) => {
      event.preventDefault();
      stage.camera.stop();
      stage.camera.zoom(Math.exp(Math.min(Math.max(event.deltaY, -200), 200) * 0.0015));
    }, { passive: false });
  }

  #down(event) {
    if (!this.stage.views.length) return;
    this.stage.camera.stop();
    this.stage.measure();
    const x = event.offsetX, y = event.offsetY, view = this.stage.viewAt(x);
    const isFirst = view === this.stage.views[0];
    const mark = this.stage.markAt(view, x, y);
    const { tool } = this.app;
    let does = "turn";
    if (event.button !== 0 || (event.shiftKey && tool !== "select")) does = "pan";
    else if ((tool === "move" || tool === "curve") && mark && isFirst) does = "drag";
    else if (tool === "select" && !mark && isFirst) does = "box";
    else if (BRUSHES.includes(tool) && isFirst && this.stage.isOn(x, y)) does = "paint";
    this.held = { x, y, lastX: x, lastY: y, view, isFirst, mark, does, isMoved: false, isMore: event.shiftKey, button: event.button };
    this.stage.overlay.setPointerCapture(event.pointerId);
    if (does === "drag" && tool === "move") this.app.choose(mark.id, false, false);
    if (does === "paint") this.app.paint(this.stage.rayAt(view, x, y), false);
  }

  #move(event) {
    const { held, stage } = this;
    if (!held) {
      const mark = stage.views.length && stage.markAt(stage.viewAt(event.offsetX), event.offsetX, event.offsetY);
      stage.overlay.style.cursor = mark ? "pointer" : this.app.tool === "look" ? "grab" : "crosshair";
      return;
    }
    const x = event.offsetX, y = event.offsetY, dx = x - held.lastX, dy = y - held.lastY;
    if (Math.hypot(x - held.x, y - held.y) > CLICK) held.isMoved = true;
    if (!held.isMoved) return;
    Object.assign(held, { lastX: x, lastY: y });
    if (held.does === "turn") stage.camera.rotate(dx * PER_PIXEL, dy * PER_PIXEL);
    else if (held.does === "pan") stage.camera.move(dx, dy, stage.element.clientHeight);
    else if (held.does === "box") { stage.box = [held.x, held.y, x, y]; stage.redraw(); }
    else if (held.does === "drag" && stage.isOn(x, y)) {
      this.app.move(held.mark.id, stage.rayAt(held.view, x, y), held.isDragging);
      held.isDragging = true;
    } else if (held.does === "paint" && stage.isOn(x, y)) this.app.paint(stage.rayAt(held.view, x, y), true);
  }

  #up(event) {
    const { held, stage } = this;
    this.held = null;
    if (!held) return;
    if (held.does === "box" && stage.box) {
      const [x0, y0, x1, y1] = stage.box;
      stage.box = null;
      stage.redraw();
      const inside = held.view.marks.filter((mark) => mark.seen
        && (mark.x - x0) * (mark.x - x1) <= 0 && (mark.y - y0) * (mark.y - y1) <= 0);
      this.app.chooseAll(inside.map((mark) => mark.id), held.isMore);
    } else if (!held.isMoved && held.button === 0 && held.does !== "paint") this.#clicked(held, event);
  }

  #clicked({ view, mark, isFirst, isMore }, event) {
    const { app, stage } = this, { tool } = app;
    if (!isFirst) { // the other specimen: its landmarks select ours of the same name
      if (mark) app.chooseLabel(mark.label);
      return;
    }
    if (tool === "curve") return app.curves.clicked(view, mark, stage.rayAt(view, event.offsetX, event.offsetY), event.offsetX, event.offsetY);
    if (mark && tool !== "add") return app.choose(mark.id, isMore || (tool === "select" && event.ctrlKey), false);
    const ray = stage.rayAt(view, event.offsetX, event.offsetY);
    if (tool === "add") app.add(ray);
    else if (tool === "move" && app.chosen.size === 1) app.move([...app.chosen][0], ray, false);
    else if (tool === "move") app.say("First click the landmark to move, then its new place.", true);
    else if (tool === "select") app.chooseAll([], isMore);
    else if (stage.isOn(event.offsetX, event.offsetY)) app.locate(ray);
  }
}
