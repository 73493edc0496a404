/** The projection of a scene to pixels: moved and scaled, and rotated if the scene is three-dimensional. */

import type { Scene } from "./layout";

export interface Camera {
  /** Magnification relative to the scale at which everything is visible. */
  zoom: number;
  panX: number;
  panY: number;
  yaw: number;
  pitch: number;
}

export const start: Camera = { zoom: 1, panX: 0, panY: 0, yaw: -0.62, pitch: 0.42 };

export interface Projected {
  x: Float32Array;
  y: Float32Array;
  /** From 0 (near) to 1 (far); null in flat scenes. */
  depth: Float32Array | null;
  /** Pixels per unit of the scene. */
  scale: number;
  /** Projects any point of the scene. */
  at(x: number, y: number, z: number): [number, number];
}

export function project(scene: Scene, camera: Camera, width: number, height: number): Projected {
  return scene.z ? inSpace(scene, scene.z, camera, width, height) : flat(scene, camera, width, height);
}

function extent(values: Float32Array, more: number[]): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const v of values) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  for (const v of more) {
    low = Math.min(low, v);
    high = Math.max(high, v);
  }
  return low <= high ? [low, high] : [0, 1];
}

/** Space, in pixels, for labels above the scene. */
const labels = 22;
/** Space, in pixels, for labels to the left of the scene. */
const levels = 78;

function flat(s: Scene, c: Camera, width: number, height: number): Projected {
  const room = s.frames.length > 0 && !s.bent ? 0.3 : 0.8;
  const top = s.frames.length > 0 && !s.frames.some((f) => f.beside) ? labels : 0;
  // Labels of circles are next to the circles, labels of levels to the left.
  const beside = s.frames.some((f) => f.beside) ? levels : 0;
  const side = s.bent ? 52 : beside / 2;
  const [x0, x1] = extent(s.x, s.frames.flatMap((f) => [f.x - f.w, f.x + f.w]));
  const [y0, y1] = extent(s.y, s.frames.flatMap((f) => [f.y - f.h, f.y + f.h]));
  const whole = Math.min((width - 2 * side) / (x1 - x0 + 2 * room), (height - top * (s.bent ? 1.6 : 1)) / (y1 - y0 + 2 * room));
  const scale = Math.max(0.01, Math.min(whole, 90)) * c.zoom;
  const ox = (width + beside) / 2 + c.panX - ((x0 + x1) / 2) * scale;
  const oy = (height + (s.bent ? 0 : top)) / 2 + c.panY - ((y0 + y1) / 2) * scale;
  const x = new Float32Array(s.x.length);
  const y = new Float32Array(s.x.length);
  for (let i = 0; i < x.length; i++) {
    x[i] = s.x[i] * scale + ox;
    y[i] = s.y[i] * scale + oy;
  }
  return { x, y, depth: null, scale, at: (px, py) => [px * scale + ox, py * scale + oy] };
}

/** The height at which a flat scene fills an image of the given width. */
export function heightFor(s: Scene, width: number): number {
  const [x0, x1] = extent(s.x, s.frames.flatMap((f) => [f.x - f.w, f.x + f.w]));
  const [y0, y1] = extent(s.y, s.frames.flatMap((f) => [f.y - f.h, f.y + f.h]));
  const high = Math.round(((y1 - y0 + 1) / (x1 - x0 + 1)) * width) + (s.frames.length > 0 ? 2 * labels : 0);
  return Math.max(90, Math.min(high, Math.round(width * 0.75)));
}

/** Rotates a point and projects it in perspective; the depth is from 0 (near) to 1 (far). */
function perspective(c: Camera, radius: number): (x: number, y: number, z: number) => [number, number, number] {
  const [sy, cy, sp, cp] = [Math.sin(c.yaw), Math.cos(c.yaw), Math.sin(c.pitch), Math.cos(c.pitch)];
  const far = radius * 4;
  return (x, y, z) => {
    const away = -x * sy + z * cy;
    const depth = y * sp + away * cp;
    const k = far / (far + depth);
    return [(x * cy + z * sy) * k, (y * cp - away * sp) * k, (depth + radius) / (2 * radius)];
  };
}

/**
 * The scale at which a scene fits in its initial orientation, and its centre. It does not depend on the rotation, so
 * that the scene does not jump while it is rotated.
 */
function fitInSpace(s: Scene, z: Float32Array, radius: number, width: number, height: number): { scale: number; x: number; y: number } {
  const view = perspective(start, radius);
  const xs = new Float32Array(s.x.length);
  const ys = new Float32Array(s.x.length);
  for (let i = 0; i < xs.length; i++) [xs[i], ys[i]] = view(s.x[i], s.y[i], z[i]);
  const [x0, x1] = extent(xs, []);
  const [y0, y1] = extent(ys, []);
  return { scale: Math.min(width / (x1 - x0 + 2), height / (y1 - y0 + 2)), x: (x0 + x1) / 2, y: (y0 + y1) / 2 };
}

function inSpace(s: Scene, z: Float32Array, c: Camera, width: number, height: number): Projected {
  const n = s.x.length;
  let radius = 1;
  for (let i = 0; i < n; i++) radius = Math.max(radius, Math.hypot(s.x[i], s.y[i], z[i]));
  const fit = fitInSpace(s, z, radius, width, height);
  const scale = fit.scale * c.zoom;
  const turn = perspective(c, radius);
  const view = (x: number, y: number, w: number): [number, number, number] => {
    const [px, py, depth] = turn(x, y, w);
    return [width / 2 + c.panX + (px - fit.x) * scale, height / 2 + c.panY + (py - fit.y) * scale, depth];
  };
  const out = { x: new Float32Array(n), y: new Float32Array(n), depth: new Float32Array(n) };
  for (let i = 0; i < n; i++) [out.x[i], out.y[i], out.depth[i]] = view(s.x[i], s.y[i], z[i]);
  return { ...out, scale, at: (x, y, w) => view(x, y, w).slice(0, 2) as [number, number] };
}
