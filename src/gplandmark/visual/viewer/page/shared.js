// SPDX-License-Identifier: MIT
// The page in one file: landmarks of one specimen, step by step. It asks no server.

import { linesOf } from "./curves.js";
import { fillLegend } from "./legend.js";
import { meshOf, stepsOf } from "./messages.js";
import { Mouse } from "./mouse.js";
import { Stage } from "./stage.js";

const $ = (selector) => document.querySelector(selector);
const PACE = 600; // milliseconds that a landmark is shown while they are played

const bytes = (selector) => Uint8Array.from(atob($(selector).textContent), (each) => each.charCodeAt(0)).buffer;
const [content, table, rows] = stepsOf(bytes("#steps"));
const chosen = new Set();
let at = rows.length - 1, timer = null;

const display = () => ({
  size: 6, names: $("#names").checked, hidden: false, discs: false,
  step: content.counts[at], chosen, chosenLabels: new Set(),
});
const stage = new Stage($("#stage"), display);
// Of a curve, what lies between landmarks that are shown.
stage.lines = () => content.curves.flatMap(({ name, ids, paths }) => linesOf([{
  name, paths: paths.filter((_, k) => Math.max(ids[k], ids[(k + 1) % ids.length]) < content.counts[at]),
}]));
const mesh = stage.scene.upload(...meshOf(bytes("#mesh")));
new Mouse(stage, {
  tool: "look",
  choose: (id) => { chosen.clear(); chosen.add(id); stage.redraw(); },
  locate: () => { chosen.clear(); stage.redraw(); },
});

function show(step) {
  at = Math.min(Math.max(step, 0), rows.length - 1);
  stage.scene.paint(mesh, Uint32Array.from(rows[at], (row) => table[row]));
  $("#step").value = at;
  $("#shown").textContent = `${content.counts[at]} of ${content.marks.length}`;
  stage.redraw();
}

function play(isPlaying) {
  clearInterval(timer);
  timer = null;
  $("#play").textContent = isPlaying ? "Pause" : "Play";
  if (!isPlaying) return;
  if (at === rows.length - 1) show(0);
  timer = setInterval(() => {
    show(at + 1);
    if (at === rows.length - 1) play(false);
  }, PACE);
}

$("#step").max = at;
$("#step").addEventListener("input", () => { play(false); show(Number($("#step").value)); });
$("#play").addEventListener("click", () => play(!timer));
$("#names").addEventListener("change", () => stage.redraw());
fillLegend($("#legend"), content.scale);
stage.show([{ key: "", content, mesh }], true);
show(at);
