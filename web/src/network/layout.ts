/**
 * Where routers are drawn: tori and meshes as planes or in space, trees in levels,
 * dragonflies as groups on a circle, hierarchies nested, others as the data says.
 * Neighbouring routers are about 1 apart; y grows downward.
 */

import type { Core } from "../tables";
import type { Layout } from "../data";
import type { Numbers } from "../source";

export interface Scene {
  x: Float32Array;
  y: Float32Array;
  /** Only of scenes in space. */
  z: Float32Array | null;
  /** Circles or boxes behind routers that belong together. */
  frames: FrameShape[];
  /** Size of a router. */
  size: number;
  /** Links longer than this go round and are drawn as stubs; 0: none do. */
  wrapsOver: number;
  /** Links between groups bend toward the middle. */
  bent: boolean;
}

export interface FrameShape {
  kind: "circle" | "box";
  x: number;
  y: number;
  /** Radius, or half of the width. */
  w: number;
  h: number;
  label: string;
}

export type Mode = "flat" | "space";

export function modes(core: Core, layout: Layout): Mode[] {
  return (layout === "torus" || layout === "mesh") && core.routers.coordinates.length >= 2 ? ["flat", "space"] : ["flat"];
}

export function layOut(core: Core, layout: Layout, mode: Mode, dimNames: string[]): Scene {
  const { routers } = core;
  const n = routers.count;
  const { coordinates } = routers;
  if ((layout === "torus" || layout === "mesh") && coordinates.length > 0) {
    return mode === "space" && coordinates.length >= 2 ? space(coordinates, n) : planes(coordinates, n, dimNames);
  }
  if (layout === "tree" && routers.level) return tree(routers.level, n);
  if (layout === "dragonfly" && routers.group) return groups(routers.group, n);
  if (layout === "hierarchy" && routers.group && coordinates.length > 0) return nested(coordinates, routers.group, n, dimNames);
  if (routers.x && routers.y) return placed(routers.x, routers.y, n);
  return routers.group ? groups(routers.group, n) : groups(new Int32Array(n), n);
}

export function sizes(coordinates: Numbers[]): number[] {
  return coordinates.map((c) => {
    let most = 0;
    for (const v of c) if (v > most) most = v;
    return most + 1;
  });
}

/** The first two dimensions are a plane; planes stand side by side. */
export function planes(c: Numbers[], n: number, names: string[]): Scene {
  const dims = sizes(c);
  const [w, t] = [dims[0], dims[1] ?? 1];
  const rest = dims.slice(2);
  const count = rest.reduce((a, b) => a * b, 1);
  const gap = 0.9 + 0.06 * Math.max(w, t);
  const columns = rest.length >= 2 ? rest[0] : columnsFor(count, w + gap, t + gap);
  const x = new Float32Array(n);
  const y = new Float32Array(n);
  const frames: FrameShape[] = [];
  const rise = t + Math.max(gap * 1.25, 0.32 * t);
  const corner = (plane: number): [number, number] => [(plane % columns) * (w + gap), Math.floor(plane / columns) * rise];
  for (let r = 0; r < n; r++) {
    let plane = 0;
    for (let d = c.length - 1; d >= 2; d--) plane = plane * dims[d] + Math.max(0, c[d][r]);
    const [ox, oy] = corner(plane);
    x[r] = ox + Math.max(0, c[0][r]);
    y[r] = oy + (t - 1 - (c[1] ? Math.max(0, c[1][r]) : 0));
  }
  if (count > 1) {
    for (let p = 0; p < count; p++) {
      const [ox, oy] = corner(p);
      frames.push({ kind: "box", x: ox + (w - 1) / 2, y: oy + (t - 1) / 2, w: w / 2 + 0.12, h: t / 2 + 0.12, label: planeLabel(p, rest, names) });
    }
  }
  return { x, y, z: null, frames, size: 0.62, wrapsOver: 1.5, bent: false };
}

function planeLabel(plane: number, rest: number[], names: string[]): string {
  const parts: string[] = [];
  let p = plane;
  rest.forEach((k, i) => {
    parts.push(`${names[i + 2] ?? "xyzabc"[i + 2]} ${p % k}`);
    p = Math.floor(p / k);
  });
  return parts.join(" · ");
}

/** Columns of a grid that is about 4 by 3. */
function columnsFor(count: number, w: number, t: number): number {
  let best = 1;
  let least = Infinity;
  for (let k = 1; k <= count; k++) {
    const off = Math.abs(Math.log((k * w) / (Math.ceil(count / k) * t) / 1.4)) + (2.5 * (k * Math.ceil(count / k) - count)) / count;
    if (off < least) [least, best] = [off, k];
  }
  return best;
}

/** The first three dimensions as a block; further ones as blocks side by side, below, behind. */
export function space(c: Numbers[], n: number): Scene {
  const dims = sizes(c);
  const axes = [new Float32Array(n), new Float32Array(n), new Float32Array(n)];
  const width = [1, 1, 1];
  dims.forEach((k, d) => {
    const axis = axes[d % 3];
    const pitch = width[d % 3];
    for (let r = 0; r < n; r++) axis[r] += Math.max(0, c[d][r]) * pitch;
    width[d % 3] = pitch * k + (d < 3 ? 2 : 4);
  });
  for (const axis of axes) center(axis);
  for (let r = 0; r < n; r++) axes[1][r] = -axes[1][r];
  return { x: axes[0], y: axes[1], z: axes[2], frames: [], size: 0.42, wrapsOver: 1.5, bent: false };
}

function center(axis: Float32Array): void {
  let low = Infinity;
  let high = -Infinity;
  for (const v of axis) {
    low = Math.min(low, v);
    high = Math.max(high, v);
  }
  for (let i = 0; i < axis.length; i++) axis[i] -= (low + high) / 2;
}

/** Levels one above the other, hosts' switches at the bottom. */
export function tree(level: Numbers, n: number): Scene {
  const count = new Map<number, number>();
  for (let r = 0; r < n; r++) count.set(level[r], (count.get(level[r]) ?? 0) + 1);
  const widest = Math.max(1, ...count.values());
  const levels = [...count.keys()].sort((a, b) => b - a);
  const rise = Math.max(1.2, (widest * 0.62) / Math.max(1, levels.length - 1));
  const seen = new Map<number, number>();
  const x = new Float32Array(n);
  const y = new Float32Array(n);
  for (let r = 0; r < n; r++) {
    const i = seen.get(level[r]) ?? 0;
    seen.set(level[r], i + 1);
    x[r] = ((i + 0.5) / count.get(level[r])!) * widest;
    y[r] = levels.indexOf(level[r]) * rise;
  }
  const frames = levels.map((l, i): FrameShape => ({ kind: "box", x: widest / 2, y: i * rise, w: widest / 2 + 0.3, h: Math.max(0.5, widest / 60), label: `level ${l}` }));
  return { x, y, z: null, frames: widest > 2 ? frames : [], size: 0.6, wrapsOver: 0, bent: false };
}

/** Groups on a circle, the routers of each on a circle of their own. */
export function groups(group: Numbers, n: number): Scene {
  const members = new Map<number, number[]>();
  for (let r = 0; r < n; r++) {
    const g = Math.max(0, group[r]);
    const list = members.get(g);
    if (list) list.push(r);
    else members.set(g, [r]);
  }
  const largest = Math.max(1, ...[...members.values()].map((l) => l.length));
  const own = Math.max(0.5, (largest / (2 * Math.PI)) * 1.1);
  const radius = members.size > 1 ? Math.max(2.2 * own, ((2 * own + 1.6) * members.size) / (2 * Math.PI)) : 0;
  const x = new Float32Array(n);
  const y = new Float32Array(n);
  const frames: FrameShape[] = [];
  [...members.entries()].sort((a, b) => a[0] - b[0]).forEach(([g, list], i) => {
    const angle = (2 * Math.PI * i) / members.size;
    const [ox, oy] = [radius * Math.sin(angle), -radius * Math.cos(angle)];
    list.forEach((r, k) => {
      const turn = angle + (2 * Math.PI * k) / list.length;
      x[r] = ox + own * Math.sin(turn);
      y[r] = oy - own * Math.cos(turn);
    });
    if (members.size > 1 && list.length > 1) frames.push({ kind: "circle", x: ox, y: oy, w: own + 0.55, h: own + 0.55, label: `group ${g}` });
  });
  return { x, y, z: null, frames, size: 0.5, wrapsOver: 0, bent: members.size > 1 };
}

/** The outer topology's planes, with the routers of a block around each place. */
export function nested(c: Numbers[], group: Numbers, n: number, names: string[]): Scene {
  const outer = planes(c, n, names);
  const index = new Int32Array(n);
  const size = new Map<string, number>();
  for (let r = 0; r < n; r++) {
    const key = group[r] + "/" + outer.x[r] + "/" + outer.y[r];
    const k = size.get(key) ?? 0;
    index[r] = k;
    size.set(key, k + 1);
  }
  const largest = Math.max(1, ...size.values());
  const own = largest === 1 ? 0 : Math.max(0.5, (largest / (2 * Math.PI)) * 1.1);
  const pitch = 2 * own + 1.2;
  const x = new Float32Array(n);
  const y = new Float32Array(n);
  const frames: FrameShape[] = outer.frames.map((f) => ({ ...f, x: f.x * pitch, y: f.y * pitch, w: f.w * pitch, h: f.h * pitch }));
  for (let r = 0; r < n; r++) {
    const angle = (2 * Math.PI * (index[r] + 0.5)) / largest;
    x[r] = outer.x[r] * pitch + own * Math.sin(angle);
    y[r] = outer.y[r] * pitch - own * Math.cos(angle);
    if (index[r] === 0 && n <= 4000 && largest > 1) frames.push({ kind: "circle", x: outer.x[r] * pitch, y: outer.y[r] * pitch, w: own + 0.4, h: own + 0.4, label: "" });
  }
  return { x, y, z: null, frames, size: 0.5, wrapsOver: pitch * 1.7, bent: false };
}

/** Where the data says, scaled so that neighbours are about 1 apart. */
export function placed(x: Numbers, y: Numbers, n: number): Scene {
  const bounds = (v: Numbers) => {
    let low = Infinity;
    let high = -Infinity;
    for (let i = 0; i < n; i++) {
      low = Math.min(low, v[i]);
      high = Math.max(high, v[i]);
    }
    return high - low;
  };
  const area = Math.max(1e-9, bounds(x)) * Math.max(1e-9, bounds(y), bounds(x) / 50);
  const scale = 1.25 / Math.sqrt(area / Math.max(1, n));
  return { x: Float32Array.from(x, (v) => v * scale), y: Float32Array.from(y, (v) => v * scale), z: null, frames: [], size: 0.5, wrapsOver: 0, bent: false };
}
