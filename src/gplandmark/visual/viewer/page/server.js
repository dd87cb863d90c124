// SPDX-License-Identifier: MIT
// Requests to the server. A refusal is an Error whose message is the sentence to show.

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

// A heading and the bytes after it.
async function receive(name, values) {
  const buffer = await (await answer(`api/${name}?${query(values)}`)).arrayBuffer();
  const length = new DataView(buffer).getUint32(0, true);
  return [JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))), buffer, 4 + length];
}

export async function receiveMesh(key) {
  const [heading, buffer, start] = await receive("mesh", { key });
  const n = heading.vertices;
  return [heading, [
    new Float32Array(buffer, start, 3 * n),
    new Int8Array(buffer, start + 12 * n, 4 * n),
    new Uint32Array(buffer, start + 16 * n, 3 * heading.triangles),
  ]];
}

export async function receiveColours(key, colouring, step) {
  const [heading, buffer, start] = await receive("colours", { key, colouring, step });
  return [heading.scale, new Uint8Array(buffer, start, 4 * heading.vertices)];
}

export const thumbnail = (key) => `api/thumbnail?${query({ key })}`;
