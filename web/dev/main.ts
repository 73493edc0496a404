/** A page with made-up data. The part of its address after # selects what is shown. */

import { type Manifest, SCHEMA, type Sweep } from "../src/data";
import { start } from "../src/page";
import { MemorySource, random } from "./build";
import { dragonfly, fatTree, irregular, makeRun, superblocks, torus } from "./networks";

const shapes = {
  torus: () => torus([4, 4, 4]),
  large: () => torus([64, 32, 32]),
  mesh: () => torus([12, 8], false),
  tree: () => fatTree(8),
  dragonfly: () => dragonfly(4, 2),
  superblocks: () => superblocks([4, 4, 4, 4]),
  graph: () => irregular(80),
};

function sweep(): Sweep {
  const loads = Array.from({ length: 10 }, (_, i) => 0.05 + i * 0.1);
  const vcs = [2, 4, 8];
  const at = (l: number, v: number) => 900_000 + 500_000 / Math.max(0.04, 0.42 + 0.06 * v - 0.5 * l) + 20_000 * random(l * 100 + v);
  const accepted = (l: number, v: number) => Math.min(l, 0.48 + 0.04 * v);
  return {
    title: "8-ary 2-cube, uniform random traffic",
    axes: ["vcs", "load"],
    columns: [{ name: "vcs", unit: "count" }, { name: "load", unit: "fraction" }, { name: "accepted", unit: "fraction", half: "accepted_half" }, { name: "accepted_half", unit: "fraction" }, { name: "latency_ps", title: "mean latency", unit: "ps", half: "latency_half_ps" }, { name: "latency_half_ps", unit: "ps" }, { name: "stable", unit: "" }],
    rows: vcs.flatMap((v) => loads.map((l) => ({ cells: [v, l, accepted(l, v), 0.004, at(l, v), at(l, v) * 0.03 * (1 + l), accepted(l, v) === l] }))),
    curves: [
      { name: "latency", title: "Latency against load", x: { title: "offered load", unit: "fraction", scale: "linear" }, y: { title: "mean latency", unit: "ps", scale: "linear", max: 8_000_000 }, series: [...vcs.map((v) => ({ name: `vcs=${v}`, points: loads.map((l) => ({ x: l, y: at(l, v), error: at(l, v) * 0.03 * (1 + l) })) })), { name: "vcs=4 (reference)", reference: true, points: loads.map((l) => ({ x: l, y: at(l, 4) * 1.04 })) }] },
      { name: "throughput", title: "Accepted against offered load", x: { title: "offered load", unit: "fraction", scale: "linear" }, y: { title: "accepted", unit: "fraction", scale: "linear" }, series: vcs.map((v) => ({ name: `vcs=${v}`, points: loads.map((l) => ({ x: l, y: accepted(l, v), error: 0.006 })) })) },
    ],
    findings: [
      { that: "more virtual channels do not lower the throughput", holds: true, checked: 12, worst: "0.56 at vcs=2, load=0.95" },
      { that: "zero-load latency is within 5 % of the closed form", holds: true, checked: 3, worst: "1.02 of it" },
      { that: "saturation is above 70 %", holds: false, checked: 1, worst: "0.66", failing: ["vcs=2: 0.56", "vcs=4: 0.64"] },
    ],
  };
}

function manifest(source: MemorySource, what: string): Manifest {
  const [kind, ...more] = what.split(",");
  const base: Manifest = { schema: SCHEMA, version: "0.0", title: "Allreduce, made up", live: false, problems: [], runs: [], sweep: null };
  if (kind === "sweep") return { ...base, title: "Sweep of loads, made up", sweep: sweep() };
  const shape = (shapes[kind as keyof typeof shapes] ?? shapes.torus)();
  const bins = 64;
  const ranks = kind === "large" ? 1024 : Math.min(256, shape.network.hosts);
  base.runs.push(makeRun(source, shape, { id: "r0", name: "dimension order", bins, seed: 1, ranks }).run);
  if (more.includes("compare")) base.runs.push(makeRun(source, shape, { id: "r1", name: "adaptive", bins: bins - 8, seed: 3, ranks }).run);
  if (more.includes("problems")) base.problems.push("The run was interrupted after 12 µs of simulated time: what follows is up to there.", "links.parquet is cut off; the heat map has the first 48 of 64 bins.");
  if (more.includes("live")) base.runs[0].progress = { state: "running", simulated_time_ps: 9.2e6, ranks_ended: 11, ranks: 64, wall_s: 42, eta_s: 95, packets: 1.2e6, packet_hops: 7.9e6, rate: 188_000 };
  return base;
}

const source = new MemorySource();
const what = location.hash.slice(1) || "torus";
source.made = manifest(source, what);
void start(source).then(() => (document.title = "ready"));
window.addEventListener("hashchange", () => location.reload());
