// SPDX-License-Identifier: MIT
// The start page: folders to open, and commands to run.

import { ask, send } from "./server.js";

const $ = (selector) => document.querySelector(selector);
const LOOKING = 700; // milliseconds between two looks at a running command
const COUNT = 40;

function say(text, isRefused = false) {
  $("#message").textContent = text;
  $("#message").classList.toggle("refused", isRefused);
}

// Do something, and show what is wrong if it is refused.
const trying = (does) => async (...values) => {
  say("");
  try { await does(...values); } catch (error) { say(error.message, true); }
};

const open = trying(async (folder) => { location.href = (await send("open", { folder })).address; });

const look = trying(async (path) => {
  const { folder, parent, inside, scans, command } = await ask("folder", { path });
  $("#path").value = folder;
  $("#found").textContent = command ? `Results of ${command}.` : scans ? `${scans} scans.` : "No scans here.";
  const rows = inside.map((name) => [name, `${folder}/${name}`]);
  if (parent !== folder) rows.unshift(["..", parent]);
  $("#inside").replaceChildren(...rows.map(([name, to]) => item(name, () => look(to))));
});

function item(text, does) {
  const row = document.createElement("li"), button = document.createElement("button");
  Object.assign(button, { type: "button", textContent: text });
  button.addEventListener("click", does);
  row.append(button);
  return row;
}

function field(name, title, value, type = "text") {
  const label = document.createElement("label"), input = document.createElement("input");
  Object.assign(input, { name, type, value, spellcheck: false });
  label.append(`${title} `, input);
  return label;
}

function form(name, { title, text, folders, output, has_count }) {
  const made = document.createElement("details"), head = document.createElement("summary");
  made.dataset.command = name;
  head.textContent = title;
  const about = document.createElement("p"), button = document.createElement("button");
  about.textContent = text;
  Object.assign(button, { type: "button", className: "main", textContent: title });
  const titles = { scans: "Folder of scans", experts: "Folder or file with the expert's landmarks" };
  const rows = folders.map((each) => field(each, titles[each] ?? each, ""));
  if (has_count) rows.push(field("count", "Number of landmarks", COUNT, "number"));
  rows.push(field("output", "Folder for the results", output));
  made.append(head, about, ...rows, button);
  made.addEventListener("toggle", () => {
    const scans = made.querySelector("[name=scans]");
    if (made.open && scans && !scans.value) scans.value = $("#path").value;
  });
  button.addEventListener("click", trying(async () => {
    const values = Object.fromEntries([...made.querySelectorAll("input")].map((input) => [input.name, input.value]));
    watch((await send("run", { command: name, ...values })).number);
  }));
  return made;
}

let watched = -1;

async function watch(number) {
  watched = number;
  $("#running").hidden = false;
  $("#running").scrollIntoView();
  $("#stop").onclick = trying(async () => say((await send("stop", { number })).done));
  while (watched === number) {
    let state;
    try { state = await ask("command", { number }); } catch (error) { return say(error.message, true); }
    $("#command").textContent = state.command;
    const lines = $("#lines"), isAtEnd = lines.scrollTop + lines.clientHeight > lines.scrollHeight - 20;
    lines.textContent = state.lines.join("\n");
    if (isAtEnd) lines.scrollTop = lines.scrollHeight;
    const isDone = state.code !== null;
    $("#stop").hidden = isDone;
    $("#ended").textContent = !isDone ? "Running ..." : state.code === 0 ? "Done." : state.code === 3
      ? "Done, but some scans failed: the list says which." : "It ended with an error: see the last line above.";
    $("#see").hidden = !isDone || (state.code !== 0 && state.code !== 3);
    $("#see").onclick = () => open(state.output);
    $("#report").hidden = !state.report;
    $("#report").href = `report/${number}`;
    document.body.dataset.code = state.code ?? "";
    if (isDone) return;
    await new Promise((resolve) => setTimeout(resolve, LOOKING));
  }
}

const start = trying(async () => {
  const { recent, folder, forms, running } = await ask("start");
  $("#recent").replaceChildren(...recent.length ? recent.map((each) => item(each, () => open(each))) : ["None yet."]);
  $("#forms").replaceChildren(...Object.entries(forms).map(([name, each]) => form(name, each)));
  $("#look").addEventListener("click", () => look($("#path").value));
  $("#open").addEventListener("click", () => open($("#path").value));
  $("#path").addEventListener("keydown", (event) => { if (event.key === "Enter") look($("#path").value); });
  await look(folder);
  if (running.length) watch(running.length - 1);
});

start();
