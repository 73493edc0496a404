/** Made-up networks, with load that moves through them. */

import type { Network, Summary } from "../src/data";
import { type MemorySource, random, RunBuilder, type Values } from "./build";

interface Shape {
  network: Network;
  coordinates: number[][];
  level?: number[];
  group?: number[];
  x?: number[];
  y?: number[];
  links: [from: number, to: number, port: string, dimension: number, level: number][];
}

const interval = 250_000;

export function torus(dims: number[], wrap = true): Shape {
  const n = dims.reduce((a, b) => a * b, 1);
  const names = [..."xyzabc"].slice(0, dims.length);
  const coordinates: number[][] = [];
  let stride = 1;
  const strides: number[] = [];
  for (const k of dims) {
    const s = stride;
    strides.push(s);
    coordinates.push(Array.from({ length: n }, (_, r) => Math.floor(r / s) % k));
    stride *= k;
  }
  const links: Shape["links"] = [];
  for (let r = 0; r < n; r++) {
    dims.forEach((k, d) => {
      for (const sign of [1, -1]) {
        const c = coordinates[d][r] + sign;
        if (!wrap && (c < 0 || c >= k)) continue;
        links.push([r, r + (((c + k) % k) - coordinates[d][r]) * strides[d], (sign > 0 ? "+" : "-") + names[d], d, -1]);
      }
    });
  }
  const network: Network = { kind: wrap ? "torus" : "mesh", layout: wrap ? "torus" : "mesh", title: `${dims.length}-D ${wrap ? "torus" : "mesh"} of ${dims.join(" × ")} routers, one host each`, dims, wrap: dims.map(() => wrap), dim_names: names, routers: n, hosts: n, nics: n, links: links.length };
  return { network, coordinates, links };
}

export function fatTree(k: number): Shape {
  const half = k / 2;
  const leaves = k * half;
  const level = [...Array(leaves).fill(1), ...Array(leaves).fill(2), ...Array(half * half).fill(3)];
  const links: Shape["links"] = [];
  const both = (a: number, b: number, l: number, i: number) => links.push([a, b, "up" + i, -1, l], [b, a, "down" + i, -1, l]);
  for (let pod = 0; pod < k; pod++) {
    for (let i = 0; i < half; i++) {
      for (let j = 0; j < half; j++) {
        both(pod * half + i, leaves + pod * half + j, 1, j);
        both(leaves + pod * half + i, 2 * leaves + i * half + j, 2, j);
      }
    }
  }
  const n = level.length;
  return { network: { kind: "fat-tree", layout: "tree", title: `Fat tree of ${k}-port switches, 3 levels`, level_names: ["hosts", "level1", "level2"], routers: n, hosts: leaves * half, nics: leaves * half, links: links.length }, coordinates: [], level, links };
}

export function dragonfly(a: number, hGlobal: number): Shape {
  const groups = a * hGlobal + 1;
  const n = a * groups;
  const group = Array.from({ length: n }, (_, r) => Math.floor(r / a));
  const links: Shape["links"] = [];
  for (let g = 0; g < groups; g++) {
    for (let i = 0; i < a; i++) {
      for (let j = 0; j < a; j++) if (i !== j) links.push([g * a + i, g * a + j, "local" + j, -1, 0]);
    }
    for (let p = 0; p < a * hGlobal; p++) {
      const to = p < g ? p : p + 1;
      const back = g < to ? g : g - 1;
      links.push([g * a + Math.floor(p / hGlobal), to * a + Math.floor(back / hGlobal), "global" + (p % hGlobal), -1, 1]);
    }
  }
  return { network: { kind: "dragonfly", layout: "dragonfly", title: `Dragonfly of ${groups} groups of ${a} routers`, level_names: ["local", "global"], routers: n, hosts: 2 * n, nics: 2 * n, links: links.length }, coordinates: [], group, links };
}

export function superblocks(dims: number[]): Shape {
  const outer = torus(dims);
  const blocks = outer.network.routers;
  const n = blocks * 4;
  const group = Array.from({ length: n }, (_, r) => r >> 2);
  const links: Shape["links"] = [];
  for (let b = 0; b < blocks; b++) for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) if (i !== j) links.push([b * 4 + i, b * 4 + j, "to" + j, -1, 0]);
  for (const [from, to, port, d] of outer.links) links.push([from * 4 + (d % 4), to * 4 + (d % 4), "outer/" + port, d, 1]);
  return {
    network: { ...outer.network, kind: "hierarchy", layout: "hierarchy", title: `4.5-D torus: superblocks of 4 routers in a torus of ${dims.join(" × ")}`, routers: n, hosts: 2 * n, nics: 2 * n, links: links.length },
    coordinates: outer.coordinates.map((c) => group.map((b) => c[b])),
    group,
    links,
  };
}

export function irregular(n: number): Shape {
  const x = Array.from({ length: n }, (_, i) => Math.sqrt(i + 0.5) * Math.cos(i * 2.39996) + random(i));
  const y = Array.from({ length: n }, (_, i) => Math.sqrt(i + 0.5) * Math.sin(i * 2.39996) + random(i + 9999));
  const links: Shape["links"] = [];
  for (let a = 0; a < n; a++) for (let b = 0; b < n; b++) if (a !== b && Math.hypot(x[a] - x[b], y[a] - y[b]) < 2.1) links.push([a, b, "to" + b, -1, -1]);
  return { network: { kind: "file", layout: "graph", title: `Network of a file: ${n} routers`, routers: n, hosts: n, nics: n, links: links.length }, coordinates: [], x, y, links };
}

/** The load of a link in a bin: a wave that moves through the network, with hot spots. */
function loadOf(shape: Shape, l: number, bin: number, bins: number, seed: number): number {
  const [from, , , d, level] = shape.links[l];
  const n = shape.network.routers;
  const at = from / n;
  const phase = bin / bins;
  const wave = Math.exp(-(((at - phase * 1.3 + 0.15) * 5) ** 2));
  const c = shape.coordinates;
  const hot = c.length > 1 ? Math.exp(-((c[0][from] / shape.network.dims![0] - 0.5) ** 2 + (c[1][from] / shape.network.dims![1] - 0.4) ** 2) * 14) : random(from * 7 + seed) ** 5;
  const way = d >= 0 ? 1 - 0.17 * d : level >= 1 ? 0.9 : 0.55;
  const v = way * (0.12 + 0.45 * wave + 0.55 * hot * Math.sin(Math.PI * phase) ** 2) + 0.09 * random(l * 131 + bin + seed);
  return phase > 0.94 ? v * 0.15 : Math.min(1, v);
}

export interface RunOptions {
  id: string;
  name: string;
  bins: number;
  seed: number;
  /** Number of ranks in the timeline. */
  ranks: number;
}

export function makeRun(source: MemorySource, shape: Shape, o: RunOptions): RunBuilder {
  const { network, links } = shape;
  const end = o.bins * interval;
  const cells = new Float32Array(links.length * o.bins);
  for (let l = 0; l < links.length; l++) for (let b = 0; b < o.bins; b++) cells[l * o.bins + b] = loadOf(shape, l, b, o.bins, o.seed);
  const mean = Float32Array.from({ length: links.length }, (_, l) => cells.subarray(l * o.bins, (l + 1) * o.bins).reduce((a, b) => a + b, 0) / o.bins);
  const b = new RunBuilder(source, o.id, o.name, network, { interval_ps: interval, count: o.bins, end_ps: end }, summaryOf(shape, mean, end, o.seed));
  linkTable(b, shape, mean, end);
  routerTable(b, shape, mean);
  matrices(b, shape, cells, o.bins);
  latencies(b, shape);
  timeline(b, o.ranks, end);
  bufferLog(b, shape, end);
  return b;
}

function name(shape: Shape, r: number): string {
  return shape.coordinates.length > 0 ? "(" + shape.coordinates.map((c) => c[r]).join(",") + ")" : String(r);
}

function summaryOf(shape: Shape, mean: Float32Array, end: number, seed: number): Summary {
  const hot = Array.from(mean.keys()).sort((a, b) => mean[b] - mean[a]).slice(0, 8);
  const shares = [["compute", 0.34 - 0.03 * seed, "The program itself computes."], ["overhead", 0.07, "In the communication library: calls, matching, copies."], ["serialization", 0.27, "Bytes pass the slowest link of their way, which takes size over bandwidth."], ["queueing", 0.2 + 0.03 * seed, "Packets wait for credits, outputs and crossbars that others use."], ["waiting", 0.12, "A message was not sent yet."]] as const;
  return {
    predicted_ps: end,
    time: "predicted time",
    divided: "time of ranks",
    where_it_went: shares.map(([what, share, definition]) => ({ what, share, ps: Math.round(share * end), definition })),
    slowest_rank: { rank: Math.floor(shape.network.routers * 0.61), end_ps: end },
    hottest_links: hot.map((l) => ({ link: l, name: `${name(shape, shape.links[l][0])} ${shape.links[l][2]} → ${name(shape, shape.links[l][1])}`, nic: false, utilization: mean[l], wire_bytes: mean[l] * end * 0.0025 })),
    bounds: [{ what: "bandwidth", ps: end * 0.62, definition: "The busiest link at full bandwidth, without a gap." }, { what: "own work", ps: end * 0.41, definition: "What the slowest rank computes and spends in calls." }, { what: "zero load", ps: end * 0.18, definition: "Every message alone in the network." }],
    figures: [
      { what: "messages", value: 1_245_184 + seed, unit: "count" },
      { what: "payload", value: 1_275_068_416, unit: "bytes" },
      { what: "packets", value: 4_980_736, unit: "count" },
      { what: "mean latency", value: 4_821_000 + 120_000 * seed, unit: "ps" },
      { what: "99 % latency", value: 18_210_000, unit: "ps" },
      { what: "mean link load", value: mean.reduce((a, v) => a + v, 0) / mean.length, unit: "fraction" },
      { what: "throughput", value: 84.2e9, unit: "bytes/s" },
    ],
  };
}

function linkTable(b: RunBuilder, s: Shape, mean: Float32Array, end: number): void {
  const of = (i: 0 | 1 | 3 | 4) => s.links.map((l) => l[i]);
  b.table("links", [
    ["router", "i32", "", of(0)],
    ["port", "i32", "", s.links.map((_, i) => i % 6)],
    ["to_router", "i32", "", of(1)],
    ["kind", "str", "", s.links.map(() => "router")],
    ["dimension", "i32", "", of(3)],
    ["level", "i32", "", of(4)],
    ["port_name", "str", "", s.links.map((l) => l[2])],
    ["wire_bytes", "f64", "bytes", Array.from(mean, (v) => Math.round(v * end * 0.0025))],
    ["utilization_fraction", "f32", "fraction", mean],
  ]);
}

function routerTable(b: RunBuilder, s: Shape, mean: Float32Array): void {
  const bytes = new Float64Array(s.network.routers);
  s.links.forEach((l, i) => (bytes[l[0]] += mean[i] * 6e8));
  const columns: [string, "i32" | "f32" | "f64", string, Values][] = s.coordinates.map((c, d) => ["c" + d, "i32", "", c]);
  if (s.level) columns.push(["level", "i32", "", s.level]);
  if (s.group) columns.push(["group", "i32", "", s.group]);
  if (s.x) columns.push(["x", "f32", "", s.x], ["y", "f32", "", s.y!]);
  columns.push(["wire_bytes", "f64", "bytes", bytes]);
  b.table("routers", columns);
}

function matrices(b: RunBuilder, s: Shape, cells: Float32Array, bins: number): void {
  const stalls = s.links.length > 100_000 ? cells : cells.map((v) => Math.max(0, v - 0.45) * 1.2);
  const title: [string, string, Float32Array][] = [["utilization", "Link utilization", cells], ["no_credit", "Waited for credit", stalls]];
  for (const [stat, text, values] of s.links.length > 100_000 ? title.slice(0, 1) : title) {
    b.matrix(stat, "link", "value", text, "fraction", s.links.length, bins, values, 1);
    grouped(b, s, stat, text, values, bins, "router", s.links.map((l) => l[0]), s.network.routers, null);
    if (s.network.dim_names && s.coordinates.length > 0) grouped(b, s, stat, text, values, bins, "dimension", s.links.map((l) => l[3]), s.network.dim_names.length, s.network.dim_names);
    else if (s.network.level_names) grouped(b, s, stat, text, values, bins, "level", s.links.map((l) => l[4]), s.network.level_names.length, s.network.level_names);
  }
}

function grouped(b: RunBuilder, s: Shape, stat: string, title: string, cells: Float32Array, bins: number, kind: "router" | "dimension" | "level", of: number[], rows: number, names: string[] | null): void {
  const most = new Float32Array(rows * bins);
  const sum = new Float32Array(rows * bins);
  const count = new Float32Array(rows);
  for (let l = 0; l < s.links.length; l++) {
    if (of[l] < 0) continue;
    count[of[l]]++;
    for (let c = 0; c < bins; c++) {
      const v = cells[l * bins + c];
      const i = of[l] * bins + c;
      sum[i] += v;
      if (v > most[i]) most[i] = v;
    }
  }
  b.matrix(stat, kind, "max", title, "fraction", rows, bins, most, 1, names);
  b.matrix(stat, kind, "mean", title, "fraction", rows, bins, sum.map((v, i) => v / Math.max(1, count[Math.floor(i / bins)])), 1, names);
}

function latencies(b: RunBuilder, s: Shape): void {
  const quantiles = (base: number, spread: number): number[] => [0.7, 0.8, 0.9, 1, 1.25, 1.9, 2.6, 3.8].map((q) => base * (1 + (q - 1) * spread));
  const names = ["min_ps", "p5_ps", "p25_ps", "p50_ps", "p75_ps", "p95_ps", "p99_ps", "max_ps"];
  const far = s.coordinates.length > 0 ? Math.min(40, s.network.dims!.reduce((a, k) => a + (k >> 1), 0)) : 6;
  const hops = Array.from({ length: far + 1 }, (_, i) => i);
  const byHops = hops.map((x) => quantiles(900_000 + 140_000 * x, 0.5 + x / far));
  b.table("latency_by_distance", [["distance_hops", "i32", "", hops], ["count", "f64", "count", hops.map((x) => 1000 * (far - Math.abs(x - far / 2)))], ["mean_ps", "f64", "ps", byHops.map((q) => q[3] * 1.1)], ...names.map((n, i): [string, "f64", string, number[]] => [n, "f64", "ps", byHops.map((q) => q[i])])]);
  const sizes = Array.from({ length: 15 }, (_, i) => 2 ** (i + 5));
  const bySize = sizes.map((x) => quantiles(700_000 + x * 210, 1.1));
  b.table("latency_by_size", [["from_bytes", "f64", "bytes", sizes], ["to_bytes", "f64", "bytes", sizes.map((x) => 2 * x)], ["count", "f64", "count", sizes.map((_, i) => 5000 - i * 200)], ["mean_ps", "f64", "ps", bySize.map((q) => q[3] * 1.1)], ...names.map((n, i): [string, "f64", string, number[]] => [n, "f64", "ps", bySize.map((q) => q[i])])]);
}

function timeline(b: RunBuilder, ranks: number, end: number): void {
  const rank: number[] = [];
  const begin: number[] = [];
  const stop: number[] = [];
  const state: string[] = [];
  const collective: string[] = [];
  const step: number[] = [];
  const peer: number[] = [];
  const message: number[][] = [[], [], [], [], []];
  for (let r = 0; r < ranks; r++) {
    let t = Math.round(random(r) * end * 0.02);
    for (let k = 0; t < end * 0.97 && k < 60; k++) {
      const other = r ^ (1 << k % Math.max(1, Math.floor(Math.log2(ranks))));
      for (const [what, length] of [["compute", 0.012 + 0.008 * random(r + 31 * k)], ["overhead", 0.0015], ["send", 0.003], ["receive-wait", 0.005 + 0.012 * random(r * 3 + k)]] as const) {
        const l = Math.round(length * end);
        rank.push(r);
        begin.push(t);
        stop.push(t + l);
        state.push(what);
        collective.push(what === "compute" ? "" : "allreduce");
        step.push(what === "compute" ? -1 : k % 6);
        peer.push(what === "compute" ? -1 : other);
        if (what === "send" && other < ranks) [r, other, t, t + l * 2.4, 4096].forEach((v, i) => message[i].push(v));
        t += l;
      }
    }
  }
  b.table("timeline", [["rank", "i32", "", rank], ["begin_ps", "f64", "ps", begin], ["end_ps", "f64", "ps", stop], ["state", "str", "", state], ["collective", "str", "", collective], ["step", "i32", "", step], ["peer", "i32", "", peer]]);
  b.table("messages", [["source", "i32", "", message[0]], ["destination", "i32", "", message[1]], ["send_ps", "f64", "ps", message[2]], ["delivery_ps", "f64", "ps", message[3]], ["bytes", "f64", "bytes", message[4]]]);
}

function bufferLog(b: RunBuilder, s: Shape, end: number): void {
  const n = 3000;
  const all = Array.from({ length: n }, (_, i) => i);
  const into = all.map((i) => Math.round(random(i) * end * 0.9));
  const wait = (k: number) => all.map((i) => Math.round(random(i * 4 + k) ** 6 * 900_000));
  const waits = [0, 1, 2, 3].map(wait);
  const pick = (k: number) => all.map((i) => Math.floor(random(i * 5 + k) * s.network.routers));
  b.table("buffer_log", [["router", "i32", "", all.map((i) => Math.floor(random(i + 77) * Math.min(40, s.network.routers)))], ["port", "i32", "", all.map((i) => i % 6)], ["vc", "i32", "", all.map((i) => i % 2)], ["message", "f64", "", all.map((i) => i * 17)], ["source", "i32", "", pick(1)], ["destination", "i32", "", pick(2)], ["size_bytes", "f64", "bytes", all.map(() => 2048)], ["in_ps", "f64", "ps", into], ["out_ps", "f64", "ps", all.map((i) => into[i] + 120_000 + waits[0][i] + waits[1][i] + waits[2][i] + waits[3][i])], ...["credit", "output", "crossbar", "order"].map((w, k): [string, "f64", string, number[]] => [`wait_${w}_ps`, "f64", "ps", waits[k]])]);
}
