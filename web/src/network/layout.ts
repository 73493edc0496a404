/**
 * Positions of routers: tori and meshes as planes or in space, trees in levels, dragonflies as groups on a circle,
 * hierarchies nested, other networks at the coordinates in the data. Neighbouring routers are about 1 apart; y grows
 * downward.
 */

import type { Core } from "../tables";
import type { Layout, Network } from "../data";
import type { Numbers } from "../source";

export interface Scene {
  x: Float32Array;
  y: Float32Array;
  /** Null in flat scenes. */
  z: Float32Array | null;
  /** Circles or boxes around groups of routers. */
  frames: FrameShape[];
  /** Size of a router. */
  size: number;
  /** Null for networks without dimensions. */
  grid: Grid | null;
  /** Links between groups are curved toward the centre. */
  bent: boolean;
}

/** How links of a network with dimensions are drawn. */
export interface Grid {
  /** By router: its coordinates, or those of its block in a hierarchy. */
  coordinates: Numbers[];
  /** Links of this and higher dimensions lead to other planes or blocks, and are drawn as short strokes. */
  drawn: number;
  /**
   * If true, all routers of a row are connected, and longer links are drawn as arcs. Otherwise longer links are
   * wraparound links, drawn as strokes that point outward.
   */
  arcs: boolean;
}

export interface FrameShape {
  kind: "circle" | "box";
  x: number;
  y: number;
  /** Radius, or half the width. */
  w: number;
  h: number;
  label: string;
  /** Free space above the box; undefined: enough. */
  above?: number;
  /** The label is to the left of the box, with one line per part. */
  beside?: boolean;
}

export type Mode = "flat" | "space";

export function modes(core: Core, layout: Layout): Mode[] {
  return (layout === "torus" || layout === "mesh") && core.routers.coordinates.length >= 2 ? ["flat", "space"] : ["flat"];
}

export function layOut(core: Core, network: Network | null, mode: Mode): Scene {
  const { routers } = core;
  const n = routers.count;
  const { coordinates } = routers;
  const layout: Layout = network?.layout ?? "graph";
  if ((layout === "torus" || layout === "mesh") && coordinates.length > 0) {
    const arcs = network?.kind === "hyperx";
    return mode === "space" && coordinates.length >= 2 ? space(coordinates, n, arcs) : planes(coordinates, n, network?.dim_names ?? [], arcs);
  }
  if (layout === "tree" && routers.level) return tree(routers.level, n);
  if (layout === "dragonfly" && routers.group) return groups(routers.group, n);
  if (layout === "hierarchy" && routers.group) {
    const outer = network?.outer;
    if (outer?.dims && routers.group.every((g) => g >= 0)) return nested(blockCoordinates(routers.group, outer.dims), routers.group, n, outer.dimension_names ?? [], outer.kind === "hyperx");
    if (routers.x && routers.y) return framed(placed(routers.x, routers.y, n), routers.group);
  }
  if (routers.x && routers.y) return placed(routers.x, routers.y, n);
  return routers.group ? groups(routers.group, n) : groups(new Int32Array(n), n);
}

/** Coordinates of the blocks of a hierarchy in the outer network. Block indexes vary fastest in the first dimension. */
function blockCoordinates(block: Numbers, dims: number[]): Numbers[] {
  let size = 1;
  return dims.map((k) => {
    const each = size;
    size *= k;
    return Int32Array.from(block, (b) => Math.floor(b / each) % k);
  });
}

export function sizes(coordinates: Numbers[]): number[] {
  return coordinates.map((c) => {
    let most = 0;
    for (const v of c) if (v > most) most = v;
    return most + 1;
  });
}

/** A scene in which the first two dimensions form a plane, and the planes are side by side. */
export function planes(c: Numbers[], n: number, names: string[], arcs = false): Scene {
  const dims = sizes(c);
  const [w, t] = [dims[0], dims[1] ?? 1];
  const rest = dims.slice(2);
  const count = rest.reduce((a, b) => a * b, 1);
  const gap = 0.9 + 0.06 * Math.max(w, t);
  const columns = rest.length >= 2 ? wholeColumns(rest, w + gap, t + gap) : columnsFor(count, w + gap, t + gap);
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
      frames.push({ kind: "box", x: ox + (w - 1) / 2, y: oy + (t - 1) / 2, w: w / 2 + 0.12, h: t / 2 + 0.12, label: planeLabel(p, rest, names), above: p < columns ? undefined : rise - t - 0.24 });
    }
  }
  return { x, y, z: null, frames, size: 0.62, grid: { coordinates: c, drawn: 2, arcs }, bent: false };
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

/** The number of columns for planes of several dimensions: the first of these run to the right, the others downward. */
function wholeColumns(rest: number[], w: number, t: number): number {
  const all = rest.reduce((a, b) => a * b, 1);
  const off = (k: number) => Math.abs(Math.log((k * w) / ((all / k) * t) / 1.4));
  let best = rest[0];
  rest.slice(0, -1).reduce((k, d) => {
    if (off(k * d) < off(best)) best = k * d;
    return k * d;
  }, 1);
  return best;
}

/** The number of columns of a grid with an aspect ratio of about 4:3. */
function columnsFor(count: number, w: number, t: number): number {
  let best = 1;
  let least = Infinity;
  for (let k = 1; k <= count; k++) {
    const off = Math.abs(Math.log((k * w) / (Math.ceil(count / k) * t) / 1.4)) + (2.5 * (k * Math.ceil(count / k) - count)) / count;
    if (off < least) [least, best] = [off, k];
  }
  return best;
}

/**
 * A scene in which the first three dimensions form a cuboid; further dimensions repeat it side by side, below and
 * behind.
 */
export function space(c: Numbers[], n: number, arcs = false): Scene {
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
  return { x: axes[0], y: axes[1], z: axes[2], frames: [], size: 0.42, grid: { coordinates: c, drawn: 3, arcs }, bent: false };
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

/** A scene of levels stacked on one another, with the switches of hosts at the bottom. */
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
  const frames = levels.map((l, i): FrameShape => ({ kind: "box", x: widest / 2, y: i * rise, w: widest / 2 + 0.3, h: Math.max(0.5, widest / 60), label: `level ${l}: ${count.get(l)} switches`, beside: true }));
  return { x, y, z: null, frames: widest > 2 ? frames : [], size: 0.6, grid: null, bent: false };
}

/** A scene of groups on a circle, each with its routers on a smaller circle. */
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
  // The distance leaves space for labels between the circles.
  const radius = members.size > 1 ? Math.max(2.2 * own, (own + 1.1) / Math.sin(Math.PI / members.size)) : 0;
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
  return { x, y, z: null, frames, size: 0.5, grid: null, bent: members.size > 1 };
}

/** A scene of the outer topology's planes, with the routers of a block around each position. */
export function nested(c: Numbers[], block: Numbers, n: number, names: string[], arcs = false): Scene {
  const outer = planes(c, n, names, arcs);
  const index = new Int32Array(n);
  const members = new Map<number, number>();
  for (let r = 0; r < n; r++) {
    index[r] = members.get(block[r]) ?? 0;
    members.set(block[r], index[r] + 1);
  }
  const own = ring(Math.max(1, ...members.values()));
  const pitch = 2 * own + 1.6;
  const x = new Float32Array(n);
  const y = new Float32Array(n);
  const frames: FrameShape[] = outer.frames.map((f) => ({ ...f, x: f.x * pitch, y: f.y * pitch, w: f.w * pitch, h: f.h * pitch, above: f.above === undefined ? undefined : f.above * pitch }));
  for (let r = 0; r < n; r++) {
    const size = members.get(block[r])!;
    const angle = (2 * Math.PI * (index[r] + 0.5)) / size;
    x[r] = outer.x[r] * pitch + own * Math.sin(angle);
    y[r] = outer.y[r] * pitch - own * Math.cos(angle);
    if (index[r] === 0 && n <= 4000 && size > 1) frames.push({ kind: "circle", x: outer.x[r] * pitch, y: outer.y[r] * pitch, w: own + 0.45, h: own + 0.45, label: "" });
  }
  return { x, y, z: null, frames, size: 0.5, grid: outer.grid, bent: false };
}

/** The radius of a circle on which the given number of routers are about 1 apart. */
function ring(count: number): number {
  return count === 1 ? 0 : Math.max(0.6, (count / (2 * Math.PI)) * 1.1);
}

/** Adds a circle around the routers of each block to a scene. */
function framed(s: Scene, block: Numbers): Scene {
  const of = new Map<number, number[]>();
  block.forEach((b: number, r: number) => b >= 0 && of.set(b, [...(of.get(b) ?? []), r]));
  for (const list of of.values()) {
    if (list.length < 2) continue;
    const mean = (v: Float32Array) => list.reduce((a, r) => a + v[r], 0) / list.length;
    const [x, y] = [mean(s.x), mean(s.y)];
    const radius = Math.max(...list.map((r) => Math.hypot(s.x[r] - x, s.y[r] - y))) + 0.45;
    s.frames.push({ kind: "circle", x, y, w: radius, h: radius, label: "" });
  }
  return s;
}

/** A scene with the coordinates in the data, scaled so that neighbours are about 1 apart. */
export function placed(x: Numbers, y: Numbers, n: number): Scene {
  const extent = (v: Numbers) => {
    let [low, high] = [Infinity, -Infinity];
    for (const value of v) [low, high] = [Math.min(low, value), Math.max(high, value)];
    return high - low;
  };
  const area = Math.max(1e-9, extent(x)) * Math.max(1e-9, extent(y), extent(x) / 50);
  const scale = 1.25 / Math.sqrt(area / Math.max(1, n));
  return { x: Float32Array.from(x, (v) => v * scale), y: Float32Array.from(y, (v) => v * scale), z: null, frames: [], size: 0.5, grid: null, bent: false };
}
