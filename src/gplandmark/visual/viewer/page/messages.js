// SPDX-License-Identifier: MIT
// Bytes of the server or of a shared page: a heading in JSON, and arrays after it.

function unpacked(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  return [JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))), 4 + length];
}

export function meshOf(buffer) {
  const [heading, start] = unpacked(buffer), n = heading.vertices;
  return [heading, [
    new Float32Array(buffer, start, 3 * n),
    new Int8Array(buffer, start + 12 * n, 4 * n),
    new Uint32Array(buffer, start + 16 * n, 3 * heading.triangles),
  ]];
}

export function coloursOf(buffer) {
  const [heading, start] = unpacked(buffer);
  return [heading.scale, new Uint8Array(buffer, start, 4 * heading.vertices)];
}

// What a shared page shows: its heading, a table of colours, and at each step a row of the table for each vertex.
export function stepsOf(buffer) {
  const [heading, start] = unpacked(buffer), n = heading.vertices;
  const table = new Uint32Array(buffer, start, 256), rows = start + table.byteLength;
  return [heading, table, heading.counts.map((_, at) => new Uint8Array(buffer, rows + at * n, n))];
}
