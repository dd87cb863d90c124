// SPDX-License-Identifier: MIT
// Marks and names over the picture. They keep their size on the screen, and no surface cuts them.

const CHOSEN = "#d900c7", HUMAN = "#147a2e", ALGORITHM = "#1c4f8f", NEWEST = "#e41a1c";
const ANGLES = [-0.6, 0.6, 2.5, -2.5, 0, 3.14, -1.57, 1.57];
const RINGS = [3, 14, 28, 46]; // pixels between a mark and its name; from the second on with a line

// Blue where it is certain, over yellow to red: the radius as a fraction of half the specimen.
const RAMP = [[44, 123, 182], [255, 221, 113], [215, 25, 28]];
export function certaintyColour(fraction) {
  const t = Math.min(Math.max(fraction / 0.3, 0), 1) * 2, at = Math.min(Math.floor(t), 1);
  return RAMP[at].map((from, i) => (from + (t - at) * (RAMP[at + 1][i] - from)) / 255);
}
export const css = (colour) => `rgb(${colour.map((each) => Math.round(255 * each)).join(",")})`;

// `marks`: { x, y, seen, label, chosen, author, newest } in pixels of the page. Returns where names
// are: { label, box, hasLine }.
export function drawMarks(context, marks, { size, names, hidden }) {
  const there = marks.filter((mark) => mark.seen || hidden || mark.chosen);
  const order = [...there].sort((a, b) => a.chosen - b.chosen);
  const boxes = there.map(({ x, y }) => [x - size, y - size, x + size, y + size]);
  if (names) {
    context.font = `600 ${Math.round(10 + size / 2)}px system-ui, sans-serif`;
    const texts = [...there].sort((a, b) => b.chosen - a.chosen)
      .map((mark) => [mark, placed(context, mark, size, boxes)]);
    for (const [mark, text] of texts) drawLine(context, mark, text);
    order.forEach((mark) => drawMark(context, mark, size));
    for (const [mark, text] of texts) drawName(context, mark, text);
    return texts.map(([mark, { box, ring }]) => ({ label: mark.label, box, hasLine: ring !== RINGS[0] }));
  }
  order.forEach((mark) => drawMark(context, mark, size));
  return [];
}

function placed(context, mark, size, boxes) {
  const width = context.measureText(mark.label).width + 4, height = 12 + size / 2;
  let best = null;
  for (const ring of RINGS) for (const angle of ANGLES) {
    const away = size + ring, x = mark.x + away * Math.cos(angle), y = mark.y + away * Math.sin(angle);
    const left = Math.cos(angle) > 0.1 ? x : Math.cos(angle) < -0.1 ? x - width : x - width / 2;
    const box = [left, y - height / 2, left + width, y + height / 2];
    const overlaps = boxes.filter((other) => meet(box, other)).length;
    if (!best || overlaps < best.overlaps) best = { box, overlaps, ring };
    if (!overlaps) break;
    if (best.overlaps === 0) break;
  }
  boxes.push(best.box);
  return best;
}

const meet = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

function drawLine(context, mark, { box, ring }) {
  if (ring === RINGS[0]) return;
  context.strokeStyle = "#444a";
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(mark.x, mark.y);
  context.lineTo(Math.min(Math.max(mark.x, box[0]), box[2]), Math.min(Math.max(mark.y, box[1]), box[3]));
  context.stroke();
}

function drawName(context, mark, { box }) {
  context.textBaseline = "middle";
  context.globalAlpha = mark.seen ? 1 : 0.5;
  context.lineWidth = 3;
  context.lineJoin = "round";
  context.strokeStyle = "#ffffffe0";
  context.fillStyle = mark.chosen ? CHOSEN : "#1a1a1a";
  const y = (box[1] + box[3]) / 2;
  context.strokeText(mark.label, box[0] + 2, y);
  context.fillText(mark.label, box[0] + 2, y);
  context.globalAlpha = 1;
}

function drawMark(context, mark, size) {
  const colour = mark.chosen ? CHOSEN : mark.newest ? NEWEST : mark.author === "human" ? HUMAN : ALGORITHM;
  const radius = mark.chosen ? 1.35 * size : size;
  context.beginPath();
  context.arc(mark.x, mark.y, radius, 0, 2 * Math.PI);
  if (mark.seen) {
    context.fillStyle = colour;
    context.fill();
    context.strokeStyle = "#fff";
    context.lineWidth = 1.5;
  } else {
    context.strokeStyle = colour;
    context.globalAlpha = 0.6;
    context.lineWidth = 1.5;
    context.setLineDash([2, 2]);
  }
  context.stroke();
  context.setLineDash([]);
  context.globalAlpha = 1;
}
