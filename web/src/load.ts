/** The chosen statistic of each link and router in the bins that count now. */

import type { How } from "./data";
import type { App } from "./state";
import { topOf, type Core, type Matrix } from "./tables";

export interface Load {
  /** Of each link; null if the statistic is of routers only. */
  links: Float32Array | null;
  /** Of each router: the mean of the links that leave it to others. */
  means: Float32Array;
  /** Of each router: the largest of them, and of its NIC links where links have a history. */
  largest: Float32Array;
  /** Of each router: the one of both that is chosen. */
  routers: Float32Array;
  unit: string;
  title: string;
  /** Where colours end: of all bins while one is shown, else of what is shown. */
  most: number;
  /** What the statistic may reach. */
  limit?: number;
}

/** Matrices from which loads are taken; null: only the totals of the run are known. */
export interface Sources {
  links: Matrix | null;
  /** Of routers: means over their links, and the largest of these. */
  means: Matrix | null;
  largest: Matrix | null;
}

export async function sources(app: App): Promise<Sources> {
  const run = app.run.peek();
  const stat = app.stat.peek();
  const of = async (kind: "link" | "router", how: How) => {
    const key = run?.findMatrix(stat, kind, how);
    return run && key ? run.matrix(key) : null;
  };
  const [links, means, largest] = await Promise.all([of("link", "mean"), of("router", "mean"), of("router", "max")]);
  return { links, means, largest };
}

export function load(app: App, core: Core, s: Sources): Load {
  const [a, b] = app.window.peek();
  const how = app.how.peek();
  if (!s.links && !s.means) {
    const links = total(core, app.stat.peek());
    const throughput = app.stat.peek() === "throughput";
    const names = throughput ? { unit: "bytes/s", title: "Throughput" } : { unit: "fraction", title: "Utilization" };
    return { links, ...ofLinks(core, links, how), ...names, most: topOf(links, null) };
  }
  // Where only the busiest links have a history, routers, which all have one, stand for them.
  const whole = s.links !== null && (s.links.rows >= core.links.count || !s.means);
  const main = whole ? s.links! : how === "mean" ? s.means! : s.largest!;
  const { unit, title, limit } = main.info;
  if (!whole) {
    const means = s.means!.means(a, b);
    const largest = s.largest!.means(a, b);
    const routers = how === "mean" ? means : largest;
    return { links: null, means, largest, routers, unit, title, limit, most: b - a === 1 ? main.top() : topOf(routers, null) };
  }
  const links = padded(main.means(a, b), core.links.count);
  // Colours mean the same in every bin; a period or the whole run has means, which are lower.
  return { links, ...ofLinks(core, links, how), unit, title, limit, most: b - a === 1 ? main.top() : topOf(links, null) };
}

/** The utilization of each link over the whole run, or its throughput. */
export function total(core: Core, stat: string): Float32Array {
  const { utilization, bandwidth } = core.links;
  return stat === "throughput" ? Float32Array.from(utilization, (v, l) => v * bandwidth[l]) : Float32Array.from(utilization);
}

function padded(values: Float32Array, length: number): Float32Array {
  if (values.length >= length) return values;
  const all = new Float32Array(length);
  all.set(values);
  return all;
}

/** The largest value of a router's own NIC links, for each router. */
export function nicLoads(core: Core, links: Float32Array): Float32Array {
  const { between, router, count } = core.links;
  const largest = new Float32Array(core.routers.count);
  for (let l = 0; l < count; l++) if (between[l] === 0 && links[l] > largest[router[l]]) largest[router[l]] = links[l];
  return largest;
}

/** Of each router: the mean of the links that leave it to others, the largest of these and of its NIC links, and the one that is chosen. */
export function ofLinks(core: Core, links: Float32Array, how: How): Pick<Load, "means" | "largest" | "routers"> {
  const { between, router, count } = core.links;
  const means = new Float32Array(core.routers.count);
  const largest = new Float32Array(core.routers.count);
  const each = core.linksOf("router");
  for (let l = 0; l < count; l++) {
    const r = router[l];
    if (between[l] === 1) means[r] += links[l] / each[r];
    if (links[l] > largest[r]) largest[r] = links[l];
  }
  return { means, largest, routers: how === "mean" ? means : largest };
}

/** What the bins that count are, in words. */
export function windowText(app: App, time: (ps: number) => string): string {
  const bins = app.bins.value;
  if (!bins) return "whole run";
  const [a, b] = app.window.value;
  if (a === 0 && b === bins.count) return "whole run";
  return `${time(a * bins.interval_ps)} – ${time(Math.min(b * bins.interval_ps, bins.end_ps || Infinity))}`;
}
