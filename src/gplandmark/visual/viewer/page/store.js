// SPDX-License-Identifier: MIT
// Specimens that were received, with their buffers: the last ones seen, and the next one.

import { ask, receiveMesh } from "./server.js";

const KEPT = 5;

export class Store {
  constructor(scene) {
    Object.assign(this, { scene, entries: new Map(), inUse: () => [] });
  }

  // The specimen with a key: { key, content, mesh }, received once.
  load(key) {
    let promise = this.entries.get(key);
    if (promise) this.entries.delete(key); // and put at the end, as the latest
    else promise = this.#receive(key);
    this.entries.set(key, promise);
    this.#forget();
    return promise;
  }

  async #receive(key) {
    try {
      const [content, [heading, arrays]] = await Promise.all([ask("specimen", { key }), receiveMesh(key)]);
      return { key, content, mesh: this.scene.upload(heading, arrays), painted: "bone" };
    } catch (error) {
      this.entries.delete(key); // so that the next attempt asks again
      throw error;
    }
  }

  #forget() {
    const used = this.inUse();
    for (const [key, promise] of this.entries) {
      if (this.entries.size <= KEPT) return;
      if (used.includes(key)) continue;
      this.entries.delete(key);
      promise.then(({ mesh }) => this.scene.release(mesh), () => {});
    }
  }
}
