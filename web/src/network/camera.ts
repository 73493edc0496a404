/** From the scene to pixels: moved and enlarged, and turned if it is in space. */

import type { Scene } from "./layout";

export interface Camera {
  /** Pixels of a unit, on top of the scale that shows all. */
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
  /** From 0, near, to 1, far; null in flat scenes. */
  depth: Float32Array | null;
  /** Pixels of a unit. */
  scale: number;
  /** Any place of the scene. */
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

function flat(s: Scene, c: Camera, width: number, height: number): Projected {
  const room = s.bent ? 1.3 : s.frames.length > 0 ? 0.4 : 0.8;
  const [x0, x1] = extent(s.x, s.frames.flatMap((f) => [f.x - f.w, f.x + f.w]));
  const [y0, y1] = extent(s.y, s.frames.flatMap((f) => [f.y - f.h, f.y + f.h]));
  const whole = Math.min(width / (x1 - x0 + 2 * room), height / (y1 - y0 + 2 * room + (s.frames.length > 0 ? 0.6 : 0)));
  const scale = Math.min(whole, 90) * c.zoom;
  const ox = width / 2 + c.panX - ((x0 + x1) / 2) * scale;
  const oy = height / 2 + c.panY - ((y0 + y1) / 2) * scale;
  const x = new Float32Array(s.x.length);
  const y = new Float32Array(s.x.length);
  for (let i = 0; i < x.length; i++) {
    x[i] = s.x[i] * scale + ox;
    y[i] = s.y[i] * scale + oy;
  }
  return { x, y, depth: null, scale, at: (px, py) => [px * scale + ox, py * scale + oy] };
}

function inSpace(s: Scene, z: Float32Array, c: Camera, width: number, height: number): Projected {
  const n = s.x.length;
  let radius = 1;
  for (let i = 0; i < n; i++) radius = Math.max(radius, Math.hypot(s.x[i], s.y[i], z[i]));
  const scale = ((Math.min(width, height) / 2) * 1.06 * c.zoom) / (radius + 0.6);
  const [sy, cy, sp, cp] = [Math.sin(c.yaw), Math.cos(c.yaw), Math.sin(c.pitch), Math.cos(c.pitch)];
  const far = radius * 4;
  const turn = (x: number, y: number, w: number): [number, number, number] => {
    const tx = x * cy + w * sy;
    const tz = -x * sy + w * cy;
    const ty = y * cp - tz * sp;
    return [tx, ty, y * sp + tz * cp];
  };
  const view = (x: number, y: number, w: number): [number, number, number] => {
    const [tx, ty, tz] = turn(x, y, w);
    const k = (scale * far) / (far + tz);
    return [width / 2 + c.panX + tx * k, height / 2 + c.panY + ty * k, (tz + radius) / (2 * radius)];
  };
  const out = { x: new Float32Array(n), y: new Float32Array(n), depth: new Float32Array(n) };
  for (let i = 0; i < n; i++) [out.x[i], out.y[i], out.depth[i]] = view(s.x[i], s.y[i], z[i]);
  return { ...out, scale, at: (x, y, w) => view(x, y, w).slice(0, 2) as [number, number] };
}
