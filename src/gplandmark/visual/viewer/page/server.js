// SPDX-License-Identifier: MIT
// Requests to the server. A refusal is an Error whose message is the sentence to show.

import { coloursOf, meshOf } from "./messages.js";

export const ENDED = "The viewer has ended. Start it again in the terminal; no edit is lost.";

async function answer(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error(ENDED);
  }
  if (response.ok) return response;
  let text = `The server refused: ${response.status}.`;
  try {
    text = (await response.json()).error ?? text;
  } catch { /* not JSON: the number must do */ }
  throw new Error(text);
}

const query = (values) => new URLSearchParams(Object.entries(values).filter(([, each]) => each !== undefined));

export const ask = async (name, values = {}) => (await answer(`api/${name}?${query(values)}`)).json();

export async function send(name, content) {
  const headers = { "Content-Type": "application/json" };
  return (await answer(`api/${name}`, { method: "POST", headers, body: JSON.stringify(content) })).json();
}

const receive = async (name, values) => (await answer(`api/${name}?${query(values)}`)).arrayBuffer();

export const receiveMesh = async (key) => meshOf(await receive("mesh", { key }));

export const receiveColours = async (key, colouring, step) => coloursOf(await receive("colours", { key, colouring, step }));

export const thumbnail = (key) => `api/thumbnail?${query({ key })}`;
