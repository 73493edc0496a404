/**
 * Draws a scene on a canvas: few routers with lines and borders, many as coloured squares that are written pixel by
 * pixel, so that 65,536 routers take only milliseconds.
 */

import { pack, type Ramp, rampStrings, theme } from "../color";
import type { How } from "../data";
import type { Links } from "../tables";
import type { Projected } from "./camera";
import type { FrameShape, Grid, Scene } from "./layout";

export interface Paint {
  scene: Scene;
  at: Projected;
  links: Links;
  /** Shade, 0 to 255, of each link and router; null: no values. */
  linkShade: Uint8Array | null;
  routerShade: Uint8Array;
  ramp: Ramp;
  /** Links and routers outside the mask are faint. */
  linkMask: Uint8Array | null;
  routerMask: Uint8Array | null;
  withLinks: boolean;
  /** How several routers in one pixel are combined. */
  how: How;
  /** Names of routers, drawn where there is space. */
  name?: (router: number) => string;
  width: number;
  height: number;
}

/** Maximum numbers of routers, and of links, that are drawn with lines. */
const fineRouters = 5000;
const fineLinks = 16000;

/** A link as drawn, used to find the link under the pointer. */
export interface Segment {
  link: number;
  x0: number;
  y0: number;
  x1: number;
  y1: number;
  cx: number;
  cy: number;
  bent: boolean;
}

export function paint(c: CanvasRenderingContext2D, p: Paint): Segment[] {
  c.clearRect(0, 0, p.width, p.height);
  const visible = inSight(p);
  drawFrames(c, p);
  if (visible.length > fineRouters) {
    paintMany(c, p, visible);
    drawFrameLabels(c, p);
    return [];
  }
  const segments = p.withLinks ? segmentsOf(p, visible) : [];
  drawLinks(c, p, segments);
  drawRouters(c, p, visible);
  drawFrameLabels(c, p);
  drawNames(c, p, visible);
  return segments;
}

function inSight(p: Paint): Int32Array {
  const { x, y, scale } = p.at;
  const room = scale;
  const list = new Int32Array(x.length);
  let n = 0;
  for (let i = 0; i < x.length; i++) {
    if (x[i] > -room && x[i] < p.width + room && y[i] > -room && y[i] < p.height + room) list[n++] = i;
  }
  return list.subarray(0, n);
}

function drawFrames(c: CanvasRenderingContext2D, p: Paint): void {
  c.strokeStyle = theme("--line");
  c.fillStyle = theme("--ground");
  c.lineWidth = 1;
  for (const f of p.scene.frames) {
    const { x, y, w, t } = place(p, f);
    if (x + w < 0 || x - w > p.width || y + t < 0 || y - t > p.height) continue;
    c.beginPath();
    if (f.kind === "circle") c.arc(x, y, w, 0, 2 * Math.PI);
    else c.roundRect(x - w, y - t, 2 * w, 2 * t, Math.min(6, w / 4, t / 4));
    c.fill();
    c.stroke();
  }
}

function place(p: Paint, f: FrameShape): { x: number; y: number; w: number; t: number } {
  const [x, y] = p.at.at(f.x, f.y, 0);
  return { x, y, w: f.w * p.at.scale, t: f.h * p.at.scale };
}

/** Space, in pixels, that a label needs above a box. */
const leastRoom = 14;

/** Labels are above boxes or to the left of them, and outside circles, where they overlap few links. */
function drawFrameLabels(c: CanvasRenderingContext2D, p: Paint): void {
  const [mx, my] = p.at.at(0, 0, 0);
  for (const f of p.scene.frames) {
    const { x, y, w, t } = place(p, f);
    if (f.label === "" || w < 14) continue;
    c.font = `${Math.min(12, Math.max(10, w / 5))}px ` + theme("--font");
    const wide = c.measureText(f.label).width;
    if (f.beside) {
      f.label.split(": ").forEach((line, i, all) => write(c, line, x - w - 8, y + (i - (all.length - 1) / 2) * 14, "right"));
    } else if (f.kind === "circle") {
      const away = Math.hypot(x - mx, y - my) || 1;
      write(c, f.label, x + ((x - mx) / away) * (w + 8 + wide / 2), y + ((y - my) / away) * (w + 10), "center");
    } else {
      // Centred in the free space above the box, if there is any.
      const room = (f.above ?? Infinity) * p.at.scale;
      if (wide <= 2 * w + 8 && room >= leastRoom) write(c, f.label, x - w, y - t - Math.min(12, room / 2), "left");
    }
  }
}

const farNames = 42;

/** Draws names below routers that are far enough apart. */
function drawNames(c: CanvasRenderingContext2D, p: Paint, visible: Int32Array): void {
  if (!p.name || p.at.depth || p.at.scale < farNames || visible.length > 600) return;
  c.font = "11px " + theme("--font");
  const below = Math.min(26, p.at.scale * p.scene.size) / 2 + 8;
  for (const r of visible) {
    const name = p.name(r);
    if (c.measureText(name).width < p.at.scale * 1.4) write(c, name, p.at.x[r], p.at.y[r] + below, "center");
  }
}

/** Draws text that is legible on any background. */
function write(c: CanvasRenderingContext2D, text: string, x: number, y: number, align: CanvasTextAlign): void {
  c.textAlign = align;
  c.textBaseline = "middle";
  c.lineJoin = "round";
  c.lineWidth = 3.5;
  c.strokeStyle = theme("--card");
  c.strokeText(text, x, y);
  c.fillStyle = theme("--ink");
  c.fillText(text, x, y);
}

function segmentsOf(p: Paint, visible: Int32Array): Segment[] {
  const { links, at, scene } = p;
  const seen = new Uint8Array(at.x.length);
  for (const r of visible) seen[r] = 1;
  const list: Segment[] = [];
  const parallel = links.count < 4000 && !at.depth;
  const cables = new Map<number, number>();
  const [mx, my] = at.at(0, 0, 0);
  const stub = stubs(p);
  for (let l = 0; l < links.count && list.length < fineLinks; l++) {
    const a = links.router[l];
    if (links.between[l] === 0) {
      if (seen[a] === 1) list.push(stub(l));
      continue;
    }
    const b = links.to[l];
    if (b < 0 || (seen[a] === 0 && seen[b] === 0)) continue;
    const s: Segment = { link: l, x0: at.x[a], y0: at.y[a], x1: at.x[b], y1: at.y[b], cx: 0, cy: 0, bent: false };
    if (scene.bent && !sameFrame(scene, a, b)) bend(s, mx, my);
    else if (!scene.grid || onGrid(s, at, scene.grid, a, b)) {
      if (parallel) aside(s, Math.min(2.2, at.scale * 0.05) * (1 + 2 * nth(cables, a * at.x.length + b)));
    }
    list.push(s);
  }
  return list;
}

/**
 * Draws NIC links as short strokes: below the routers of trees, otherwise outward from their corners. Of the two
 * directions of a NIC, the one into the router is on the right in its direction of travel.
 */
function stubs(p: Paint): (link: number) => Segment {
  const { links, at, scene } = p;
  const nic = links.table.get("nic");
  const first = new Map<number, [number, number]>(); // minimum and maximum NIC of each router
  for (let l = 0; l < links.count; l++) {
    if (links.between[l] === 1) continue;
    const n = nic?.[l] ?? 0;
    const [low, high] = first.get(links.router[l]) ?? [n, n];
    first.set(links.router[l], [Math.min(low, n), Math.max(high, n)]);
  }
  const below = scene.frames.some((f) => f.beside);
  const long = at.scale * (scene.size / 2 + 0.26);
  return (link) => {
    const r = links.router[link];
    const [low, high] = first.get(r)!;
    const part = ((nic?.[link] ?? 0) - low) / (high - low + 1);
    const turn = below ? Math.PI * (0.25 + 0.5 * (part + 0.5 / (high - low + 1))) : 2 * Math.PI * (part + 0.125);
    const end = [at.x[r] + long * Math.cos(turn), at.y[r] + long * Math.sin(turn)];
    const enters = links.table.text("kind", link) === "injection";
    const [x0, y0, x1, y1] = enters ? [end[0], end[1], at.x[r], at.y[r]] : [at.x[r], at.y[r], end[0], end[1]];
    const s: Segment = { link, x0, y0, x1, y1, cx: 0, cy: 0, bent: false };
    aside(s, Math.min(2.2, at.scale * 0.05));
    return s;
  };
}

/** The number of earlier occurrences of a key. */
function nth(seen: Map<number, number>, key: number): number {
  const n = seen.get(key) ?? 0;
  seen.set(key, n + 1);
  return n;
}

/** Shapes a link of a network with dimensions. Returns true if it is a straight line between the routers. */
function onGrid(s: Segment, at: Projected, grid: Grid, a: number, b: number): boolean {
  const d = grid.coordinates.findIndex((c) => c[a] !== c[b]);
  if (d < 0) return true;
  const step = grid.coordinates[d][b] - grid.coordinates[d][a];
  const near = Math.abs(step) === 1;
  if (d >= grid.drawn) {
    strokeOut(s, at.scale, d, near || grid.arcs ? step > 0 : step < 0);
    return false;
  }
  if (near) return true;
  if (grid.arcs) arch(s);
  else outward(s, 0.55 / Math.abs(step));
  return false;
}

/** Draws a link to another plane as a slanted stroke: upward for a larger coordinate, downward for a smaller one. */
function strokeOut(s: Segment, scale: number, dimension: number, up: boolean): void {
  const angle = [-0.785, -2.356, -0.35, -2.79][(dimension + 2) % 4] + (up ? 0 : Math.PI);
  s.x1 = s.x0 + Math.cos(angle) * 0.52 * scale;
  s.y1 = s.y0 + Math.sin(angle) * 0.52 * scale;
}

/** Draws half of a wraparound link, pointing outward; the other half is at the other end. */
function outward(s: Segment, k: number): void {
  [s.x1, s.y1] = [s.x0 - (s.x1 - s.x0) * k, s.y0 - (s.y1 - s.y0) * k];
}

/** Draws a link that passes other routers of its row as an arc; the opposite direction is on the other side. */
function arch(s: Segment): void {
  s.bent = true;
  s.cx = (s.x0 + s.x1) / 2 + (s.y1 - s.y0) * 0.34;
  s.cy = (s.y0 + s.y1) / 2 - (s.x1 - s.x0) * 0.34;
}

const frameOf = new WeakMap<Scene, Int32Array>();

/** Reports whether both routers are in the same circle. */
function sameFrame(s: Scene, a: number, b: number): boolean {
  let of = frameOf.get(s);
  if (!of) {
    of = new Int32Array(s.x.length).fill(-1);
    s.frames.forEach((f, i) => {
      for (let r = 0; r < of!.length; r++) if (Math.hypot(s.x[r] - f.x, s.y[r] - f.y) <= f.w) of![r] = i;
    });
    frameOf.set(s, of);
  }
  return of[a] >= 0 && of[a] === of[b];
}

function bend(s: Segment, mx: number, my: number): void {
  s.bent = true;
  s.cx = ((s.x0 + s.x1) / 2 - mx) * 0.45 + mx;
  s.cy = ((s.y0 + s.y1) / 2 - my) * 0.45 + my;
}

/** Shifts a link sideways, so that both directions of a cable are visible. */
function aside(s: Segment, by: number): void {
  const length = Math.hypot(s.x1 - s.x0, s.y1 - s.y0) || 1;
  const dx = (-(s.y1 - s.y0) / length) * by;
  const dy = ((s.x1 - s.x0) / length) * by;
  s.x0 += dx;
  s.x1 += dx;
  s.y0 += dy;
  s.y1 += dy;
}

function drawLinks(c: CanvasRenderingContext2D, p: Paint, segments: Segment[]): void {
  const colors = rampStrings(p.ramp);
  const plain = theme("--line");
  const base = Math.max(0.6, Math.min(3.4, p.at.scale * 0.075)) * (segments.length > 6000 ? 0.6 : segments.length > 700 ? 0.75 : 1);
  const crowded = segments.length > 250 || p.scene.bent;
  // The hottest links are drawn last, on top.
  const shades = p.linkShade;
  const order = shades ? segments.slice().sort((a, b) => shades[a.link] - shades[b.link]) : segments;
  for (const s of order) {
    const shade = shades ? shades[s.link] : 0;
    const chosen = !p.linkMask || p.linkMask[s.link] === 1;
    c.globalAlpha = chosen ? (crowded ? 0.3 + 0.7 * Math.min(1, shade / 150) : shade === 0 ? 0.5 : 1) : 0.1;
    c.strokeStyle = shades && shade > 0 ? colors[shade] : plain;
    c.lineWidth = base * (shade > 0 ? 0.7 + 0.9 * (shade / 255) : 0.6) * (p.linkMask && chosen ? 1.5 : 1);
    c.beginPath();
    c.moveTo(s.x0, s.y0);
    if (s.bent) c.quadraticCurveTo(s.cx, s.cy, s.x1, s.y1);
    else c.lineTo(s.x1, s.y1);
    c.stroke();
  }
  c.globalAlpha = 1;
}

function drawRouters(c: CanvasRenderingContext2D, p: Paint, visible: Int32Array): void {
  const colors = rampStrings(p.ramp);
  const { x, y, depth, scale } = p.at;
  const order = depth ? Array.from(visible).sort((a, b) => depth[b] - depth[a]) : visible;
  const size = Math.max(2, Math.min(26, scale * p.scene.size));
  const rim = theme("--line"); // visible around the darkest colour in the dark theme and the lightest in the light theme
  const accent = theme("--accent");
  for (const r of order) {
    const chosen = !p.routerMask || p.routerMask[r] === 1;
    const own = depth ? size * (1.25 - 0.55 * depth[r]) : size;
    c.globalAlpha = chosen ? (depth ? 1 - 0.35 * depth[r] : 1) : 0.18;
    c.fillStyle = colors[p.routerShade[r]];
    c.beginPath();
    if (depth) c.arc(x[r], y[r], own / 2, 0, 2 * Math.PI);
    else c.roundRect(x[r] - own / 2, y[r] - own / 2, own, own, own * 0.22);
    c.fill();
    if (own > 6) {
      c.lineWidth = p.routerMask && chosen ? 2 : 1;
      c.strokeStyle = p.routerMask && chosen ? accent : rim;
      c.stroke();
    }
  }
  c.globalAlpha = 1;
}

const depthSteps = 12;

/** Routers of flat scenes share pixels if they are less than this many screen pixels apart. */
const apart = 2;

/**
 * The first pixel, and the one after the last, of a router at a position; the router is as wide as the distance to its
 * neighbours.
 */
function extent(at: number, whole: number): [number, number] {
  const a = Math.floor(at - whole / 2);
  return [a, Math.max(a + 1, Math.ceil(at + whole / 2))];
}

/**
 * The routers that share the screen pixel at a position; empty if routers have pixels of their own, or hide one
 * another.
 */
export function coveredBy(at: Projected, x: number, y: number): number[] {
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  const whole = at.scale * ratio;
  if (at.depth || whole >= apart || at.x.length <= fineRouters) return [];
  const [px, py] = [Math.floor(x * ratio), Math.floor(y * ratio)];
  const over = (v: number, pixel: number) => {
    const [a, b] = extent(v * ratio, whole);
    return pixel >= a && pixel < b;
  };
  const list: number[] = [];
  for (let r = 0; r < at.x.length; r++) if (over(at.x[r], px) && over(at.y[r], py)) list.push(r);
  return list;
}

/** Draws pixels shared by several routers, in the colour of their mean or maximum. */
function paintShared(c: CanvasRenderingContext2D, p: Paint, visible: Int32Array, ratio: number): void {
  const w = Math.round(p.width * ratio);
  const t = Math.round(p.height * ratio);
  const image = c.getImageData(0, 0, w, t);
  const pixels = new Uint32Array(image.data.buffer);
  const [plain, faint] = [p.ramp, depthTables(p.ramp, false)[depthSteps]];
  const sums = new Float64Array(w * t);
  const counts = new Uint32Array(w * t);
  const chosen = new Uint8Array(w * t);
  for (const r of visible) {
    const [xa, xb] = extent(p.at.x[r] * ratio, p.at.scale * ratio);
    const [ya, yb] = extent(p.at.y[r] * ratio, p.at.scale * ratio);
    const shade = p.routerShade[r];
    for (let y = Math.max(0, ya); y < Math.min(t, yb); y++) {
      for (let x = Math.max(0, xa); x < Math.min(w, xb); x++) {
        const i = y * w + x;
        sums[i] = p.how === "mean" ? sums[i] + shade : Math.max(sums[i], shade);
        counts[i]++;
        if (!p.routerMask || p.routerMask[r] === 1) chosen[i] = 1;
      }
    }
  }
  for (let i = 0; i < counts.length; i++) {
    if (counts[i] > 0) pixels[i] = (chosen[i] === 1 ? plain : faint)[Math.round(p.how === "mean" ? sums[i] / counts[i] : sums[i])];
  }
  c.putImageData(image, 0, 0);
}

/** Draws routers as squares of pixels; nearer routers hide those behind. */
function paintMany(c: CanvasRenderingContext2D, p: Paint, visible: Int32Array): void {
  const ratio = c.getTransform().a;
  if (!p.at.depth && p.at.scale * ratio < apart) return paintShared(c, p, visible, ratio);
  const w = Math.round(p.width * ratio);
  const t = Math.round(p.height * ratio);
  const image = c.getImageData(0, 0, w, t);
  const pixels = new Uint32Array(image.data.buffer);
  const { x, y, depth, scale } = p.at;
  const tables = depthTables(p.ramp, depth !== null);
  const nearest = depth ? new Float32Array(w * t).fill(2) : null;
  const whole = scale * ratio;
  for (const r of visible) {
    const chosen = !p.routerMask || p.routerMask[r] === 1;
    const shade = p.routerShade[r];
    const color = chosen ? tables[depth ? Math.min(depthSteps - 1, Math.max(0, Math.floor(depth[r] * depthSteps))) : 0][shade] : tables[depthSteps][shade];
    // In space, routers with low values are small, so that those with high values are visible between them.
    const size = depth ? Math.max(1, Math.round(whole * (0.2 + 0.7 * (shade / 255)))) : Math.max(1, Math.floor(whole * 0.92));
    const x0 = Math.round(x[r] * ratio - size / 2);
    const y0 = Math.round(y[r] * ratio - size / 2);
    fillSquare(pixels, nearest, depth ? depth[r] : 0, w, t, x0, y0, size, color);
  }
  c.putImageData(image, 0, 0);
}

function fillSquare(pixels: Uint32Array, nearest: Float32Array | null, depth: number, w: number, t: number, x0: number, y0: number, size: number, color: number): void {
  const xa = Math.max(0, x0);
  const xb = Math.min(w, x0 + size);
  const ya = Math.max(0, y0);
  const yb = Math.min(t, y0 + size);
  for (let y = ya; y < yb; y++) {
    for (let i = y * w + xa, end = y * w + xb; i < end; i++) {
      if (nearest) {
        if (nearest[i] <= depth) continue;
        nearest[i] = depth;
      }
      pixels[i] = color;
    }
  }
}

/** Versions of the ramp mixed with the background, more for greater depth; the last one is for unselected routers. */
function depthTables(ramp: Ramp, deep: boolean): Ramp[] {
  const ground = pack(theme("--card"));
  const mix = (k: number) =>
    ramp.map((c) => {
      const part = (shift: number) => Math.round(((c >> shift) & 255) * (1 - k) + ((ground >> shift) & 255) * k) << shift;
      return ((255 << 24) | part(16) | part(8) | part(0)) >>> 0;
    });
  const list = Array.from({ length: depthSteps }, (_, i) => (deep ? mix((i / depthSteps) * 0.42) : ramp));
  return [...list, mix(0.86)];
}
