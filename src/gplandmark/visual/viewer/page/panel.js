// SPDX-License-Identifier: MIT
// The controls beside the picture: buttons, keys, and what they show.

import { fillLegend } from "./legend.js";
import { BRUSHES, TOOLS } from "./mouse.js";

const $ = (selector) => document.querySelector(selector);

export const KEYS = [
  ["N, P", "next and previous specimen"],
  ["C", "mark as checked, saved if need be, and go on; again: not checked"],
  ["1 to 7", "look, add, move, select, mask, curve, not bone"],
  ["[, ]", "smaller and larger brush"],
  ["E", "erase with the brush, or paint"],
  ["Enter", "end the curve that is drawn"],
  ["Delete", "delete the selected landmarks"],
  ["Ctrl+Z, Ctrl+Shift+Z", "undo and redo"],
  ["Ctrl+S", "save"],
  ["R", "show all of the specimen, from the front"],
  ["T", "turn the picture by a quarter, for all specimens"],
  ["B", "the reference beside it, or not"],
  ["L", "go to the list of landmarks; arrows move in it"],
  ["/", "find a specimen by name, Enter opens the first; arrows move in the list"],
  ["H", "names on and off"],
  ["?", "this help"],
  ["Escape", "leave a field, or clear the selection"],
];

export function bindControls(app) {
  const on = (selector, event, does) => $(selector).addEventListener(event, does);
  for (const tool of TOOLS) $("#tools").append(toolButton(app, tool));
  on("#next", "click", () => app.go(1));
  on("#previous", "click", () => app.go(-1));
  on("#check", "click", () => app.check());
  on("#save", "click", () => app.save());
  on("#undo", "click", () => app.edit({ edit: "undo" }));
  on("#redo", "click", () => app.edit({ edit: "redo" }));
  on("#delete", "click", () => deleteChosen(app));
  on("#discard", "click", () => discard(app));
  on("#clear-mask", "click", () => app.edit({ edit: app.tool === "mask" ? "clear mask" : "clear not bone" }));
  on("#propose", "click", () => {
    app.say("Looking for suspicious regions ...");
    app.edit({ edit: "propose not bone" });
  });
  on("#place", "click", () => {
    app.say("Placing landmarks ...");
    app.edit({ edit: "place", count: Number($("#place-count").value) });
  });
  on("#earlier", "click", () => app.edit({ edit: "reorder", id: [...app.chosen][0], by: -1 }));
  on("#later", "click", () => app.edit({ edit: "reorder", id: [...app.chosen][0], by: 1 }));
  on("#kind", "change", () => app.edit({ edit: "kind", ids: [...app.chosen], kind: $("#kind").value }));
  bindName(app);
  on("#colouring", "change", () => app.recolour());
  on("#step", "input", () => {
    app.step = Number($("#step").value);
    if (app.step === app.entry.content.marks.length) app.step = null;
    refreshPanel(app, false);
    app.recolour();
  });
  for (const each of ["#mark-size", "#show-names", "#show-hidden", "#show-discs"]) on(each, "input", () => app.stage.redraw());
  on("#beside", "change", () => app.setBeside($("#beside").value.trim()));
  on("#beside-reference", "click", () => toggleReference(app));
  on("#beside", "focus", () => $("#beside-keys").replaceChildren(
    ...app.listing.specimens.map(({ key }) => Object.assign(document.createElement("option"), { value: key }))));
  on("#reset", "click", () => app.stage.frame(true));
  on("#quarter", "click", () => app.stage.camera.turnQuarter());
  on("#question-no", "click", () => $("#question").close("no"));
  on("#question-yes", "click", () => $("#question").close("yes"));
  on("#help-button", "click", () => $("#help").showModal());
  on("#help-close", "click", () => $("#help").close());
  $("#help-keys").innerHTML = KEYS.map(([key, text]) => `<tr><td><kbd>${key}</kbd></td><td>${text}</td></tr>`).join("");
  document.addEventListener("keydown", (event) => pressed(app, event));
}

function toolButton(app, { name, title, key, hint }) {
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: `${title} (${key})`, title: hint });
  button.dataset.tool = name;
  button.setAttribute("role", "radio");
  button.setAttribute("aria-keyshortcuts", key);
  button.addEventListener("click", () => app.chooseTool(name));
  return button;
}

// The name is stored when it is complete: with Enter, or on leaving the field. Nothing that happens
// meanwhile changes the field.
function bindName(app) {
  const field = $("#label");
  const store = () => {
    const id = Number(field.dataset.id), mark = app.entry?.content.marks.find((each) => each.id === id);
    if (mark && field.value.trim() !== mark.label) app.edit({ edit: "rename", id, label: field.value });
  };
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") { event.preventDefault(); store(); }
    else if (event.key === "Escape") { field.dataset.id = ""; field.blur(); refreshPanel(app, false); }
  });
  field.addEventListener("blur", () => { store(); app.queue.then(() => refreshPanel(app, false)); });
}

function deleteChosen(app) {
  if (app.chosen.size) app.edit({ edit: "delete", ids: [...app.chosen] });
  else app.say("No landmark is selected. Click one first.", true);
}

async function discard(app) {
  const text = "The edits of this specimen that are not saved will be gone. This cannot be undone.";
  if (await app.ask("Discard these edits?", text, "Discard the edits")) app.edit({ edit: "discard" });
}

function toggleReference(app) {
  const { reference } = app.listing;
  if (reference) app.setBeside(app.beside?.key === reference ? "" : reference);
}

function pressed(app, event) {
  const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && !/^(checkbox|range|button)$/.test(event.target.type);
  if (document.querySelector("dialog[open]")) return;
  if (event.ctrlKey || event.metaKey) {
    const key = event.key.toLowerCase();
    const does = { s: () => app.save(), z: () => app.edit({ edit: event.shiftKey ? "redo" : "undo" }), y: () => app.edit({ edit: "redo" }) }[key];
    if (does && (key === "s" || !isTyping)) { event.preventDefault(); document.activeElement?.matches?.("#label") && document.activeElement.blur(); does(); }
    return;
  }
  if (event.key === "Escape") { isTyping ? event.target.blur() : (app.curves.choose(""), app.chooseAll([], false)); return; }
  if (isTyping || event.altKey) return;
  const tool = TOOLS.find((each) => each.key === event.key);
  if (event.key === "Enter" && app.tool === "curve" && app.curves.chosen && !event.target.closest("tr, button, summary, #list")) return app.curves.end();
  const does = tool ? () => app.chooseTool(tool.name) : {
    n: () => app.go(1), p: () => app.go(-1), c: () => app.check(), r: () => app.stage.frame(true), t: () => app.stage.camera.turnQuarter(),
    b: () => toggleReference(app), l: () => $("#landmarks tbody tr")?.focus(), "/": () => $("#search").focus(),
    h: () => $("#show-names").click(), e: () => $("#erase").click(), "[": () => $("#radius").stepDown(), "]": () => $("#radius").stepUp(), "?": () => $("#help").showModal(),
    Delete: () => deleteChosen(app), Backspace: () => deleteChosen(app),
  }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (does) { event.preventDefault(); does(); }
}

// Show the state of the app in all controls; the rows of landmarks only if they may have changed.
export function refreshPanel(app, withRows = true) {
  const { entry, chosen } = app, content = entry?.content, row = app.listing?.specimens.find((each) => each.key === app.key);
  $("#name").textContent = app.key + (content?.unsaved ? " (unsaved)" : "");
  $("#about").textContent = $("#about").title = content ? about(content) : row?.failure ?? "";
  $("#elsewhere").hidden = !content?.elsewhere;
  const isChecked = row?.state === "checked";
  $("#check").setAttribute("aria-pressed", String(isChecked));
  $("#check").textContent = isChecked ? "Checked ✓ (C)" : content?.unsaved ? "Save and mark as checked (C)" : "Mark as checked (C)";
  for (const id of ["save", "undo", "redo", "delete", "place", "step", "output"]) $(`#${id}`).disabled = !content;
  for (const button of $("#tools").children) button.setAttribute("aria-checked", String(button.dataset.tool === app.tool));
  $("#hint").textContent = TOOLS.find((each) => each.name === app.tool).hint;
  app.curves.refresh();
  $("#brush").hidden = !BRUSHES.includes(app.tool);
  $("#propose").hidden = $("#not-bone-share").hidden = app.tool !== "not-bone";
  $("#clear-mask").textContent = app.tool === "mask" ? "Clear all grey" : "Clear all violet";
  showNames(app);
  showLegend(app);
  if (!content) { $("#landmarks tbody").replaceChildren(); $("#chosen").hidden = true; return; }
  $("#not-bone-share").textContent = `${(100 * content.notBone).toFixed(1)} % of the vertices are not bone.`;
  $("#undo").disabled = !content.undo;
  $("#redo").disabled = !content.redo;
  $("#undo").textContent = $("#undo").title = `Undo ${content.undo}`.trim();
  $("#redo").textContent = $("#redo").title = `Redo ${content.redo}`.trim();
  $("#recovered").hidden = !content.recovered;
  $("#recovered span").textContent = content.recovered;
  if (document.activeElement !== $("#output")) $("#output").value = content.output;
  const missing = content.marks.filter((mark) => !mark.point).length;
  $("#landmark-count").textContent = `(${content.marks.length}${missing ? `, ${missing} missing` : ""})`;
  $("#colouring").querySelector("[value=weight]").disabled = !content.weighted;
  Object.assign($("#step"), { max: content.marks.length, value: app.step ?? content.marks.length });
  $("#step-text").textContent = `${app.step ?? content.marks.length} of ${content.marks.length}`;
  showChosen(content, chosen);
  if (withRows) app.landmarks.update(content, chosen);
}

function about(content) {
  const parts = [`${content.vertices.toLocaleString("en")} vertices`];
  if (content.drawn < content.vertices) parts[0] += `, drawn with ${content.drawn.toLocaleString("en")} of them`;
  parts.push(content.scan);
  return parts.join(". ");
}

function showChosen(content, chosen) {
  const marks = content.marks.filter((mark) => chosen.has(mark.id)), field = $("#label");
  $("#chosen").hidden = !marks.length;
  if (!marks.length) return;
  $("#kind").value = marks.every((mark) => mark.kind === marks[0].kind) ? marks[0].kind : "";
  $("#earlier").disabled = $("#later").disabled = field.disabled = marks.length !== 1;
  if (document.activeElement === field && field.dataset.id === String(marks[0].id)) return;
  field.value = marks.length === 1 ? marks[0].label : `${marks.length} landmarks`;
  field.dataset.id = marks.length === 1 ? marks[0].id : "";
}

function showNames(app) {
  const views = app.stage.views;
  $("#view-names").replaceChildren(...(views.length < 2 ? [] : views).map((view) => {
    const name = document.createElement("span");
    const notes = [];
    if (view.entry.key === app.listing?.reference) notes.push("reference");
    if (view.isMirrored) notes.push("other body side");
    name.textContent = view.entry.key + (notes.length ? ` (${notes.join(", ")})` : "");
    name.style.left = `${view.css[0] + view.css[2] / 2}px`;
    return name;
  }));
}

function showLegend(app) {
  const scale = $("#colouring").value === "bone" || $("#colouring").value === "scan" ? null : app.entry?.scale;
  $("#legend").hidden = !scale;
  if (scale) fillLegend($("#legend"), scale);
  drawCurve(app, $("#colouring").value === "variance" ? app.curve?.values : null);
}

// Largest remaining variance after each landmark, on a logarithmic scale.
function drawCurve(app, values) {
  const canvas = $("#curve"), context = canvas.getContext("2d");
  canvas.hidden = !values;
  if (!values) return;
  const low = Math.max(Math.min(...values), 1e-3), height = canvas.height - 30, width = canvas.width - 40;
  const x = (at) => 34 + width * at / Math.max(values.length - 1, 1);
  const y = (value) => 10 + height * Math.log(100 / Math.max(value, low)) / Math.log(100 / Math.min(low, 99));
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.font = "11px system-ui, sans-serif";
  context.fillStyle = "#555";
  context.fillText("100 %", 0, 14);
  context.fillText(`${Number(low.toPrecision(2))} %`, 0, height + 12);
  context.fillText("largest remaining variance, by landmark", 40, canvas.height - 4);
  context.strokeStyle = "#0072B2";
  context.lineWidth = 2;
  context.beginPath();
  values.forEach((value, at) => (at ? context.lineTo(x(at), y(value)) : context.moveTo(x(at), y(value))));
  context.stroke();
  const at = Math.min(app.step ?? values.length - 1, values.length - 1);
  context.fillStyle = "#e41a1c";
  context.beginPath();
  context.arc(x(at), y(values[at]), 4, 0, 7);
  context.fill();
  canvas.setAttribute("aria-label", `Largest remaining variance after ${at} landmarks: ${values[at]} %`);
}
