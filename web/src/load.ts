/** The selected statistic of each link and router, over the bins in effect. */

import type { How } from "./data";
import type { App } from "./state";
import { topOf, type Core, type Matrix } from "./tables";

export interface Load {
  /** By link; null if the statistic exists only for routers. */
  links: Float32Array | null;
  /** By router: the mean over its links to other routers. */
  means: Float32Array;
  /** By router: the maximum over these links, and over its NIC links if links have a history. */
  largest: Float32Array;
  /** By router: means or largest, whichever is selected. */
  routers: Float32Array;
  unit: string;
  title: string;
  /** Upper end of the colour scale: over all bins if a single bin is shown, otherwise of the shown values. */
  most: number;
  /** Maximum possible value of the statistic. */
  limit?: number;
}

/** Matrices from which the loads are computed. If null, only the totals of the run are known. */
export interface Sources {
  links: Matrix | null;
  /** By router: means over their links, and the maxima of these links. */
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
  // If only the busiest links have a history, that of routers is used, which all routers have.
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
  // A colour has the same meaning in every bin. A period or the whole run has means, which are lower.
  return { links, ...ofLinks(core, links, how), unit, title, limit, most: b - a === 1 ? main.top() : topOf(links, null) };
}

/** The utilization or throughput of each link over the whole run. */
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

/** For each router, the maximum over its NIC links. */
export function nicLoads(core: Core, links: Float32Array): Float32Array {
  const { between, router, count } = core.links;
  const largest = new Float32Array(core.routers.count);
  for (let l = 0; l < count; l++) if (between[l] === 0 && links[l] > largest[router[l]]) largest[router[l]] = links[l];
  return largest;
}

/**
 * By router: the mean over its links to other routers, the maximum over these and its NIC links, and whichever of both
 * is selected.
 */
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

/** The bins in effect, in words. */
export function windowText(app: App, time: (ps: number) => string): string {
  const bins = app.bins.value;
  if (!bins) return "whole run";
  const [a, b] = app.window.value;
  if (a === 0 && b === bins.count) return "whole run";
  return `${time(a * bins.interval_ps)} – ${time(Math.min(b * bins.interval_ps, bins.end_ps || Infinity))}`;
}
