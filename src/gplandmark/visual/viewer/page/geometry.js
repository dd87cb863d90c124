// SPDX-License-Identifier: MIT
// Vectors, rotations (quaternions w, x, y, z) and matrices (4 x 4, column by column).

export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scaled = (a, by) => [a[0] * by, a[1] * by, a[2] * by];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const unit = (a) => scaled(a, 1 / (Math.hypot(...a) || 1));

export function turnAbout(axis, angle) {
  const [x, y, z] = unit(axis), s = Math.sin(angle / 2);
  return [Math.cos(angle / 2), s * x, s * y, s * z];
}

// The shortest turn that takes one direction to another.
export function turnOnto(from, to) {
  const a = unit(from), b = unit(to), axis = cross(a, b), sine = Math.hypot(...axis);
  if (sine > 1e-6) return turnAbout(axis, Math.atan2(sine, dot(a, b)));
  return dot(a, b) > 0 ? [1, 0, 0, 0] : turnAbout([0, 1, 0], Math.PI);
}

export function times(a, b) {
  const q = [
    a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
    a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
    a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]];
  const length = Math.hypot(...q);
  return q.map((each) => each / length);
}

export const inverse = (q) => [q[0], -q[1], -q[2], -q[3]];

// The same turn seen in a mirror that swaps left and right.
export const inMirror = (q) => [q[0], q[1], -q[2], -q[3]];

export function turned(q, v) {
  const axis = [q[1], q[2], q[3]], t = scaled(cross(axis, v), 2);
  return add(add(v, scaled(t, q[0])), cross(axis, t));
}

// Between two turns, by a fraction.
export function between(a, b, fraction) {
  const same = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? b.map((x) => -x) : b;
  return times(a.map((x, i) => x + fraction * (same[i] - x)), [1, 0, 0, 0]);
}

// From the scene to the eye: turn about a target, which is `distance` ahead, moved by `pan`.
export function viewMatrix(q, target, pan, distance) {
  const x = turned(q, [1, 0, 0]), y = turned(q, [0, 1, 0]), z = turned(q, [0, 0, 1]);
  const t = turned(q, target);
  return [...x, 0, ...y, 0, ...z, 0, pan[0] - t[0], pan[1] - t[1], -distance - t[2], 1];
}

export function perspective(fieldOfView, aspect, near, far) {
  const f = 1 / Math.tan(fieldOfView / 2);
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1,
    0, 0, 2 * far * near / (near - far), 0];
}
