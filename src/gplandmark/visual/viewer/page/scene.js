// SPDX-License-Identifier: MIT
// Drawing of surfaces with WebGL 2: one shader for meshes and points, one for their depth.

import { inMirror, perspective, viewMatrix } from "./geometry.js";
import { FIELD_OF_VIEW } from "./camera.js";

const VERTEX = `#version 300 es
uniform mat4 view, projection;
uniform float pointSize;
in vec3 position; in vec3 normal; in vec4 colour;
out vec3 place, facing, above; out vec4 shade;
void main() {
  vec4 seen = view * vec4(position, 1.0);
  place = position; facing = mat3(view) * normal; above = normal; shade = colour;
  gl_Position = projection * seen;
  gl_PointSize = pointSize / -seen.z;
}`;

// Lights as in our pictures: one above to the left, a weaker one below to the right.
const FRAGMENT = `#version 300 es
precision highp float; precision highp sampler2D;
uniform sampler2D discs; uniform int discCount; uniform float lit;
in vec3 place, facing, above; in vec4 shade;
out vec4 pixel;
const vec3 KEY = normalize(vec3(-0.45, 0.45, 0.77)), FILL = normalize(vec3(0.5, -0.5, 0.71));
void main() {
  vec3 colour = mix(vec3(0.62), shade.rgb, 0.28 + 0.72 * shade.a);
  for (int i = 0; i < discCount; i++) {
    vec4 disc = texelFetch(discs, ivec2(i, 0), 0), kind = texelFetch(discs, ivec2(i, 1), 0);
    vec4 up = texelFetch(discs, ivec2(i, 2), 0);
    float away = distance(place, disc.xyz) / disc.w;
    if (away < 1.0 && dot(above, up.xyz) > -0.2) colour = mix(colour, kind.rgb, away > 0.9 ? 0.9 : 0.42);
  }
  vec3 n = normalize(facing);
  if (n.z < 0.0) n = -n;
  float light = 0.30 + 0.62 * max(dot(n, KEY), 0.0) + 0.22 * max(dot(n, FILL), 0.0);
  pixel = vec4(colour * mix(1.0, min(light, 1.0), lit), 1.0);
}`;

const DEPTH = `#version 300 es
precision highp float;
in vec3 place, facing, above; in vec4 shade;
uniform mat4 view; uniform float reach;
out vec4 pixel;
void main() {
  float depth = clamp(-(view * vec4(place, 1.0)).z / reach, 0.0, 0.999999) * 255.0;
  pixel = vec4(floor(depth), floor(fract(depth) * 255.0), floor(fract(depth * 255.0) * 255.0), 255.0) / 255.0;
}`;
const ATTRIBUTES = ["position", "normal", "colour"];
const POINT = 0.024; // diameter of a point of a cloud, in the scene
export const COARSE = 2; // pixels per pixel of the depth picture

export class Scene {
  constructor(canvas) {
    const gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
    if (!gl) throw new Error("This browser cannot draw: it has no WebGL 2. Try Firefox or Chrome.");
    Object.assign(this, { gl, canvas, depths: [] });
    this.colours = linked(gl, VERTEX, FRAGMENT);
    this.depth = linked(gl, VERTEX, DEPTH);
    gl.enable(gl.DEPTH_TEST);
    this.discs = gl.createTexture();
    this.target = { width: 0, height: 0 };
  }

  // Buffers of a mesh that was received.
  upload(heading, arrays) {
    const { gl } = this, [positions, normals, triangles] = arrays;
    const mesh = { vertices: heading.vertices, corners: 3 * heading.triangles, array: gl.createVertexArray() };
    const bone = new Uint32Array(heading.vertices).fill(new Uint32Array(new Uint8Array([...heading.bone, 255]).buffer)[0]);
    mesh.buffers = [positions, normals, bone].map((data, at) => {
      const buffer = gl.createBuffer();
      gl.bindVertexArray(mesh.array);
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, data, at === 2 ? gl.DYNAMIC_DRAW : gl.STATIC_DRAW);
      gl.enableVertexAttribArray(at);
      if (at === 0) gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
      else if (at === 1) gl.vertexAttribPointer(1, 3, gl.BYTE, true, 4, 0);
      else gl.vertexAttribPointer(2, 4, gl.UNSIGNED_BYTE, true, 4, 0);
      return buffer;
    });
    mesh.buffers.push(gl.createBuffer());
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, mesh.buffers[3]);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, triangles, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    return mesh;
  }

  paint(mesh, colours) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, mesh.buffers[2]);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, colours);
  }

  release(mesh) {
    mesh.buffers.forEach((each) => this.gl.deleteBuffer(each));
    this.gl.deleteVertexArray(mesh.array);
  }

  resize(width, height) {
    if (this.canvas.width === width && this.canvas.height === height) return;
    Object.assign(this.canvas, { width, height });
  }

  // Draw all views: { mesh, target, discs, box: [left, bottom, width, height] in pixels }.
  draw(views, camera) {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.disable(gl.SCISSOR_TEST);
    gl.clearColor(1, 1, 1, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    for (const view of views) if (view.mesh) {
      this.#prepare(this.colours, view, camera, view.box);
      this.#sendDiscs(view.discs);
      gl.uniform1f(this.colours.uniforms.lit, view.mesh.corners ? 1 : 0);
      this.#drawMesh(view.mesh);
    }
  }

  // Distances from the eye, for finding what is hidden: one array for each view.
  measure(views, camera) {
    const { gl } = this;
    const width = Math.ceil(this.canvas.width / COARSE), height = Math.ceil(this.canvas.height / COARSE);
    this.#makeTarget(width, height);
    gl.clearColor(1, 1, 1, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const reach = 2 * camera.distance + 4;
    for (const view of views) if (view.mesh) {
      this.#prepare(this.depth, view, camera, view.box.map((each) => each / COARSE));
      gl.uniform1f(this.depth.uniforms.reach, reach);
      this.#drawMesh(view.mesh);
    }
    const pixels = new Uint8Array(4 * width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return { pixels, width, height, reach };
  }

  #prepare(program, view, camera, box) {
    const { gl } = this, aspect = box[2] / box[3];
    gl.viewport(...box);
    gl.useProgram(program);
    view.matrix = viewMatrix(view.isMirrored ? inMirror(camera.turn) : camera.turn, view.target, camera.pan, camera.distance);
    const near = Math.max(camera.distance / 200, 0.005), far = camera.distance + 20;
    view.projection = perspective(FIELD_OF_VIEW, aspect, near, far);
    gl.uniformMatrix4fv(program.uniforms.view, false, view.matrix);
    gl.uniformMatrix4fv(program.uniforms.projection, false, view.projection);
    gl.uniform1f(program.uniforms.pointSize, POINT * box[3] / 2 / Math.tan(FIELD_OF_VIEW / 2));
  }

  #sendDiscs(discs) {
    const { gl } = this, count = Math.min(discs.length, 1024);
    gl.uniform1i(this.colours.uniforms.discCount, count);
    gl.bindTexture(gl.TEXTURE_2D, this.discs);
    const size = Math.max(count, 1), data = new Float32Array(12 * size);
    discs.slice(0, count).forEach(({ point, radius, colour, normal }, at) => {
      data.set([...point, radius], 4 * at);
      data.set([...colour, 1], 4 * (size + at));
      data.set([...normal, 0], 4 * (2 * size + at));
    });
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, size, 3, 0, gl.RGBA, gl.FLOAT, data);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  }

  #drawMesh(mesh) {
    const { gl } = this;
    gl.bindVertexArray(mesh.array);
    if (mesh.corners) gl.drawElements(gl.TRIANGLES, mesh.corners, gl.UNSIGNED_INT, 0);
    else gl.drawArrays(gl.POINTS, 0, mesh.vertices);
    gl.bindVertexArray(null);
  }

  #makeTarget(width, height) {
    const { gl, target } = this;
    if (target.width !== width || target.height !== height) {
      target.buffers?.forEach((each) => gl.deleteRenderbuffer(each));
      target.frame ??= gl.createFramebuffer();
      Object.assign(target, { width, height, buffers: [gl.createRenderbuffer(), gl.createRenderbuffer()] });
      gl.bindFramebuffer(gl.FRAMEBUFFER, target.frame);
      [[gl.RGBA8, gl.COLOR_ATTACHMENT0], [gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT]].forEach(([format, at], i) => {
        gl.bindRenderbuffer(gl.RENDERBUFFER, target.buffers[i]);
        gl.renderbufferStorage(gl.RENDERBUFFER, format, width, height);
        gl.framebufferRenderbuffer(gl.FRAMEBUFFER, at, gl.RENDERBUFFER, target.buffers[i]);
      });
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, target.frame);
  }
}

function linked(gl, vertex, fragment) {
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(program, shader);
  }
  ATTRIBUTES.forEach((name, at) => gl.bindAttribLocation(program, at, name));
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  const names = ["view", "projection", "pointSize", "discs", "discCount", "lit", "reach"];
  program.uniforms = Object.fromEntries(names.map((name) => [name, gl.getUniformLocation(program, name)]));
  return program;
}

// Distance from the eye at a pixel of the canvas, from below; infinite where nothing is drawn.
export function depthAt(measured, x, y) {
  const column = Math.floor(x / COARSE), row = Math.floor(y / COARSE);
  if (column < 0 || row < 0 || column >= measured.width || row >= measured.height) return Infinity;
  const at = 4 * (row * measured.width + column), p = measured.pixels;
  if (p[at] === 255 && p[at + 1] === 255) return Infinity;
  return measured.reach * (p[at] + p[at + 1] / 255 + p[at + 2] / 65025) / 255;
}
