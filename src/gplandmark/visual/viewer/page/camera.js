// SPDX-License-Identifier: MIT
// The camera that all views share: they turn, move and zoom together.

import { add, between, inMirror, inverse, scaled, turnAbout, turnOnto, turned, times, unit } from "./geometry.js";

export const FIELD_OF_VIEW = Math.PI / 6;
const MARGIN = 0.9; // of the window that a specimen fills
const CLOSE_UP = 0.5; // distance to a landmark that the view turns to, of that to all of it
const TURNING = 250; // milliseconds

export class Camera {
  constructor(changed) {
    this.changed = changed;
    this.turn = [1, 0, 0, 0];
    this.roll = [1, 0, 0, 0]; // of the view from the front, by quarters
    this.pan = [0, 0];
    this.distance = 4;
    this.whole = 4; // distance that shows all
    this.moving = 0;
    this.isGliding = false;
  }

  // Show all of a specimen with these half extents in a window of this aspect ratio.
  frame(half, aspect, isReset) {
    const isOnSide = Math.abs(this.roll[0] * this.roll[3]) > 0.4; // by an odd number of quarters
    const [wide, high] = isOnSide ? [half[1], half[0]] : half;
    const spread = Math.max(high, wide / aspect) / MARGIN;
    const whole = half[2] + spread / Math.tan(FIELD_OF_VIEW / 2);
    if (isReset) {
      this.turn = this.roll;
      this.pan = [0, 0];
      this.distance = whole;
    } else {
      this.distance *= whole / this.whole;
    }
    this.whole = whole;
    this.changed();
  }

  rotate(dx, dy) {
    const angle = Math.hypot(dx, dy);
    if (!angle) return;
    this.turn = times(turnAbout([dy, dx, 0], angle), this.turn);
    this.changed();
  }

  // Turn the picture by a quarter, also that of the specimens that follow.
  turnQuarter() {
    const quarter = turnAbout([0, 0, 1], -Math.PI / 2);
    this.roll = times(quarter, this.roll);
    this.turn = times(quarter, this.turn);
    this.changed();
  }

  move(dx, dy, height) {
    const perPixel = 2 * this.distance * Math.tan(FIELD_OF_VIEW / 2) / height;
    this.pan = [this.pan[0] + dx * perPixel, this.pan[1] - dy * perPixel];
    this.changed();
  }

  zoom(factor) {
    const before = this.distance;
    this.distance = Math.min(Math.max(before * factor, this.whole / 60), this.whole * 5);
    this.changed();
  }

  // Turn until a direction of the scene points to the viewer, closer or as far away as shows all.
  lookAlong(normal, isCloser) {
    const now = turned(this.turn, unit(normal));
    const goal = now[2] > 0.6 ? this.turn : times(turnOnto(now, [0, 0, 1]), this.turn);
    this.glide(goal, [0, 0], isCloser ? Math.min(this.distance, this.whole * CLOSE_UP) : this.whole);
  }

  glide(turn, pan, distance) {
    const start = performance.now(), from = { turn: this.turn, pan: this.pan, distance: this.distance };
    const number = ++this.moving;
    this.isGliding = true;
    const step = (now) => {
      if (number !== this.moving) return;
      const f = Math.min(1, (now - start) / TURNING), ease = f * f * (3 - 2 * f);
      this.turn = between(from.turn, turn, ease);
      this.pan = from.pan.map((x, i) => x + ease * (pan[i] - x));
      this.distance = from.distance * (distance / from.distance) ** ease;
      this.changed();
      if (f < 1) requestAnimationFrame(step); else this.isGliding = false;
    };
    requestAnimationFrame(step);
  }

  stop() {
    this.moving++;
    this.isGliding = false;
  }

  // From a left specimen to a right one: look at the same side.
  mirror() { this.turn = inMirror(this.turn); }

  // Line of sight through a place of the window, -1 to 1 to the right and upwards: origin, direction.
  ray(x, y, aspect, target) {
    const back = inverse(this.turn), high = Math.tan(FIELD_OF_VIEW / 2);
    const eye = turned(back, [-this.pan[0], -this.pan[1], this.distance]);
    const way = turned(back, unit([x * high * aspect, y * high, -1]));
    return [add(eye, target), scaled(way, 1)];
  }
}
