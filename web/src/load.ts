/** The chosen statistic of each link and router in the bins that count now. */

import type { App } from "./state";
import { topOf, type Core, type Matrix } from "./tables";

export interface Load {
  /** Of each link; null if the statistic is of routers only. */
  links: Float32Array | null;
  /** Of each router: the largest of the links that leave it to others. */
  routers: Float32Array;
  unit: string;
  title: string;
  /** Where colours end: of all bins while one is shown, else of what is shown. */
  most: number;
}

/** Matrices from which loads are taken; null: only the totals of the run are known. */
export interface Sources {
  links: Matrix | null;
  routers: Matrix | null;
}

/** How: what of a router's links stands for them where not all links have a history. */
export async function sources(app: App, how: "mean" | "max" = "max"): Promise<Sources> {
  const run = app.run.peek();
  const stat = app.stat.peek();
  const of = async (kind: "link" | "router") => {
    const key = run?.findMatrix(stat, kind, how);
    return run && key ? run.matrix(key) : null;
  };
  const [links, routers] = await Promise.all([of("link"), of("router")]);
  return { links, routers };
}

export function load(app: App, core: Core, s: Sources): Load {
  const [a, b] = app.window.peek();
  if (!s.links && !s.routers) {
    const links = Float32Array.from(core.links.efficiency);
    return { links, routers: ofRouters(core, links), unit: "fraction", title: "Link efficiency", most: topOf(links, core.links.between) };
  }
  // Where only the busiest links have a history, routers, which all have one, stand for them.
  const whole = s.links !== null && (s.links.rows >= core.links.count || !s.routers);
  const links = whole ? padded(s.links!.means(a, b), core.links.count) : null;
  const info = (whole ? s.links : s.routers)!.info;
  const routers = links ? ofRouters(core, links) : s.routers!.means(a, b);
  // Colours mean the same in every bin; a period or the whole run has means, which are lower.
  const most = b - a === 1 ? (whole ? s.links : s.routers)!.top() : links ? topOf(links, core.links.between) : topOf(routers, null);
  return { links, routers, unit: info.unit, title: info.title, most };
}

function padded(values: Float32Array, length: number): Float32Array {
  if (values.length >= length) return values;
  const all = new Float32Array(length);
  all.set(values);
  return all;
}

export function ofRouters(core: Core, links: Float32Array): Float32Array {
  const { between, router, count } = core.links;
  const out = new Float32Array(core.routers.count);
  for (let l = 0; l < count; l++) if (between[l] === 1 && links[l] > out[router[l]]) out[router[l]] = links[l];
  return out;
}

/** What the bins that count are, in words. */
export function windowText(app: App, time: (ps: number) => string): string {
  const bins = app.bins.value;
  if (!bins) return "whole run";
  const [a, b] = app.window.value;
  if (a === 0 && b === bins.count) return "whole run";
  return `${time(a * bins.interval_ps)} – ${time(Math.min(b * bins.interval_ps, bins.end_ps || Infinity))}`;
}
