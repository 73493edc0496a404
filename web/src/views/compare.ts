/** Two or more runs side by side, with equal scales, and their differences. */

import { effect } from "@preact/signals-core";
import { categories, ramp, stateColor } from "../color";
import type { How } from "../data";
import { append, fit, h } from "../dom";
import { csv } from "../export";
import * as format from "../format";
import { Frame, sized } from "../frame";
import { howChoice } from "../how";
import { legend, niceMax } from "../legend";
import { ofLinks, total } from "../load";
import { heightFor, type Projected, project, start } from "../network/camera";
import { layOut } from "../network/layout";
import { coveredBy, paint } from "../network/paint";
import { drawPlot } from "../plot";
import { type App, react } from "../state";
import { type Core, type RunData, topOf } from "../tables";
import { hideTip, showTip, tipped } from "../tooltip";
import { drawnBy } from "../vector";
import { brushless } from "./hover";

export function compare(app: App): HTMLElement[] {
  return [times(app), figures(app), overTime(app), differences(app), networks(app)];
}

/** A figure of each run; undefined for runs without it. */
export interface CompareRow {
  what: string;
  unit: string;
  values: (number | string | undefined)[];
}

export function compareRows(runs: RunData[]): CompareRow[] {
  const rows: CompareRow[] = [];
  const add = (what: string, unit: string, of: (r: RunData) => number | string | undefined) => {
    if (!rows.some((r) => r.what === what)) rows.push({ what, unit, values: runs.map(of) });
  };
  for (const run of runs) {
    const time = run.info.summary?.time;
    if (time) add(time, "ps", (r) => (r.info.summary?.time === time ? r.info.summary.predicted_ps : undefined));
  }
  for (const run of runs) {
    for (const p of run.info.summary?.where_it_went ?? []) add(p.what, "ps", (r) => r.info.summary?.where_it_went.find((q) => q.what === p.what)?.ps);
    for (const f of run.info.summary?.figures ?? []) add(f.what, f.unit, (r) => r.info.summary?.figures.find((q) => q.what === f.what)?.value);
  }
  add("hottest link", "fraction", (r) => r.info.summary?.hottest_links[0]?.utilization);
  return rows;
}

function figures(app: App): HTMLElement {
  const frame = new Frame({
    id: "compare-figures",
    title: "Side by side",
    
    csv: () => csv(["figure", "unit", ...app.runs.value.map((r) => r.info.name)], compareRows(app.runs.value).map((r) => [r.what, r.unit, ...r.values])),
  });
  frame.element.classList.add("tall");
  effect(() => {
    const runs = app.runs.value;
    frame.show(runs.length > 1);
    if (runs.length < 2) return;
    frame.setAbout(`Small print: ratios to ${runs[0].info.name}.`);
    const body = compareRows(runs).map((row) => h("tr", null, h("th", { scope: "row" }, row.what), row.values.map((v, i) => h("td", { class: "n" }, format.figure(brief(v), row.unit, row.what), i > 0 && difference(row.values[0], v)))));
    frame.body.replaceChildren(h("div", { class: "scroll tall" }, h("table", { class: "compare", "data-testid": "compare-table" }, h("thead", null, h("tr", null, h("th"), runs.map((r, i) => h("th", null, dot(i), r.info.name)))), h("tbody", null, body))));
  });
  return frame.element;
}

/** Shortens long words, such as hashes. */
function brief(v: number | string | undefined): number | string | undefined {
  return typeof v === "string" && v.length > 24 ? v.slice(0, 12) + "…" : v;
}

function difference(first: unknown, value: unknown): HTMLElement | null {
  if (typeof first !== "number" || typeof value !== "number" || first === 0) return null;
  return h("small", null, " " + format.ratio(value / first));
}

/** The predicted time of each run and its parts, on one scale. A comparison starts with this chart. */
function times(app: App): HTMLElement {
  const frame = new Frame({ id: "compare-where", title: "Predicted time", csv: () => csv(["run", "what", "ps"], app.runs.value.flatMap((r) => (r.info.summary?.where_it_went ?? []).map((p) => [r.info.name, p.what, p.ps]))) });
  frame.element.classList.add("whole");
  effect(() => {
    const runs = app.runs.value.filter((r) => (r.info.summary?.where_it_went.length ?? 0) > 0);
    frame.show(app.runs.value.length > 1 && runs.length > 0);
    if (runs.length === 0) return;
    const total = (r: RunData) => r.info.summary!.where_it_went.reduce((a, p) => a + p.ps, 0);
    const most = Math.max(1, ...runs.map(total));
    const names = [...new Set(runs.flatMap((r) => r.info.summary!.where_it_went.map((p) => p.what)))];
    // Synthetic traffic has no slowest rank: the parts are those of the message latency.
    const traffic = runs.some((r) => r.info.summary!.divided === "latency of messages");
    const predicted = runs.every((r) => r.info.summary!.time === "predicted time");
    frame.setTitle(traffic ? "Where the time of a message went" : `${predicted ? "Predicted" : "Simulated"} time, and where it went`);
    frame.setAbout(`${traffic ? "Of the mean latency of messages" : "In the mean over all ranks"}; the bars have one scale. Ratios are to ${runs[0].info.name}.`);
    const segments = (r: RunData) => r.info.summary!.where_it_went.filter((p) => p.ps > 0).map((p) => tipped(h("div", { class: "segment", tabindex: 0, style: `flex-grow:${p.ps};background:${stateColor(p.what)}`, "aria-label": `${p.what}: ${format.percent(p.share)}` }), `${r.info.name}: ${p.what}`, () => [p.definition, ["time", format.time(p.ps)], ["share", format.percent(p.share)]]));
    const lanes = runs.map((r, i) => h("div", { class: "lane", "data-testid": "compare-lane" }, h("span", { title: r.info.name }, r.info.name), h("div", { class: "track" }, h("div", { class: "stack", style: `width:${(total(r) / most) * 100}%` }, segments(r))), h("b", null, format.time(total(r))), h("small", null, i === 0 ? "" : format.ratio(total(r) / total(runs[0])))));
    frame.body.replaceChildren(h("div", { class: "lanes" }, lanes), h("ul", { class: "key" }, names.map((n) => h("li", null, h("i", { style: `background:${stateColor(n)}` }), n))));
  });
  return frame.element;
}

/** The fields in which the experiments differ. */
function differences(app: App): HTMLElement {
  const list = () => app.manifest.value.differences ?? [];
  const names = () => app.manifest.value.runs.map((r) => r.name);
  const frame = new Frame({ id: "compare-differences", title: "What differs in the experiments", csv: () => csv(["field", ...names()], list().map((d) => [d.field, ...d.values])) });
  effect(() => {
    frame.show(names().length > 1);
    const rows = list().map((d) => h("tr", null, h("th", { scope: "row" }, d.field), d.values.map((v) => h("td", { title: v }, v === "" ? "–" : v.length > 40 ? v.slice(0, 39) + "…" : v))));
    const table = h("table", { class: "compare" }, h("thead", null, h("tr", null, h("th", null, "field"), names().map((n, i) => h("th", null, dot(i), n)))), h("tbody", null, rows));
    frame.body.replaceChildren(rows.length > 0 ? h("div", { class: "scroll" }, table) : h("p", { class: "empty" }, "The experiments are the same."));
  });
  return frame.element;
}

function dot(run: number): HTMLElement {
  return h("i", { class: "dot", style: `background:${categories[run % categories.length]}` });
}

interface Line {
  name: string;
  color: string;
  points: { x: number; y: number }[];
}

function overTime(app: App): HTMLElement {
  let lines: Line[] = [];
  let width = 0;
  let title = "";
  let unit = "fraction";
  const frame = new Frame({ id: "compare-time", title: "Mean load over time", csv: () => csv(["run", "ps", "mean"], lines.flatMap((l) => l.points.map((p) => [l.name, p.x, p.y]))) });
  const draw = () => {
    if (width === 0 || lines.length === 0) return;
    const d = drawPlot({ x: { title: "simulated time", unit: "ps", min: 0 }, y: { title, unit }, series: lines }, width, 330);
    const places = lines.reduce((a, b) => (b.points.length > a.points.length ? b : a)).points.map((p) => p.x);
    brushless(d, places, (i) => ({ title: format.time(places[i]), lines: lines.map((l): [string, string] => [l.name, format.quantity(nearest(l, places[i]), unit)]) }));
    frame.body.replaceChildren(d.svg, h("ul", { class: "key" }, lines.map((l) => h("li", null, h("i", { style: `background:${l.color}` }), l.name))));
  };
  sized(frame.body, (w) => {
    width = w;
    draw();
  });
  react(
    () => ({ runs: app.runs.value, stat: app.stat.value }),
    async ({ runs, stat }, current) => {
      const found = runs.length > 1 ? await Promise.all(runs.map((r, i) => meanLine(r, stat, categories[i % categories.length]))) : [];
      if (!current()) return;
      lines = found.filter((l) => l !== null);
      const info = runs.flatMap((r) => r.stats()).find((t) => t.stat === stat);
      title = info?.title ?? "load";
      unit = info?.unit ?? "fraction";
      frame.setTitle(`${title}: mean over time`);
      frame.show(lines.length > 1);
      draw();
    },
  );
  effect(() => {
    void app.repaint.value;
    draw();
  });
  return frame.element;
}

function nearest(l: Line, x: number): number {
  const p = l.points.find((q) => q.x >= x);
  return p ? p.y : NaN;
}

async function meanLine(run: RunData, stat: string, color: string): Promise<Line | null> {
  const key = run.findMatrix(stat, "dimension", "mean") ?? run.findMatrix(stat, "level", "mean") ?? run.findMatrix(stat, "router", "mean") ?? run.findMatrix(stat, "link", "mean");
  const bins = run.info.bins;
  if (!key || !bins) return null;
  const m = await run.matrix(key);
  const points = Array.from({ length: m.cols }, (_, c) => {
    let sum = 0;
    for (let r = 0; r < m.rows; r++) sum += m.at(r, c);
    return { x: (c + 0.5) * bins.interval_ps, y: sum / Math.max(1, m.rows) };
  });
  return { name: run.info.name, color, points };
}

/** The networks side by side in the same colours and, if they have the same shape, their difference. */
function networks(app: App): HTMLElement {
  let cores: Core[] = [];
  let width = 0;
  const hows = howChoice(app, "compare-how", "links of a router");
  const frame = new Frame({
    id: "compare-networks",
    title: "Load of the whole run",
    about: "All in the same colours. The colour of a router is that of its links: their mean, or the largest.",
    controls: [hows],
    csv: () => csv(["run", "router", "mean", "largest"], cores.flatMap((c) => routerRows(c, stat(app)))),
  });
  frame.element.classList.add("whole");
  const key = legend();
  const differences = legend();
  const draw = () => {
    if (width > 0 && cores.length > 1) drawNetworks(app, frame, cores, width, key, differences);
  };
  sized(frame.body, (w) => {
    width = w;
    draw();
  });
  react(
    () => app.runs.value,
    async (runs, current) => {
      const found = runs.length > 1 ? await Promise.all(runs.slice(0, 4).map((r) => r.core())) : [];
      if (!current()) return;
      cores = found;
      frame.show(cores.length > 1 && cores.every((c) => c.links.count > 0));
      draw();
    },
  );
  effect(() => {
    void [app.repaint.value, app.map.value, app.how.value, app.stat.value];
    draw();
  });
  return frame.element;
}

function routerRows(c: Core, stat: string): (string | number)[][] {
  const { means, largest } = ofLinks(c, total(c, stat), "mean");
  return Array.from(means, (v, r) => [c.run.info.name, c.routerName(r), v, largest[r]]);
}

/** The statistic, of which whole runs have only two. */
function stat(app: App): "throughput" | "utilization" {
  return app.stat.peek() === "throughput" ? "throughput" : "utilization";
}

type Legend = ReturnType<typeof legend>;

function drawNetworks(app: App, frame: Frame, cores: Core[], width: number, key: Legend, differences: Legend): void {
  const how = app.how.peek();
  const unit = stat(app) === "throughput" ? "bytes/s" : "fraction";
  const loads = cores.map((c) => total(c, stat(app)));
  const routers = cores.map((c, i) => ofLinks(c, loads[i], how).routers);
  const largest = (values: Float32Array, core: Core) => topOf(values.map(Math.abs), core.links.between);
  const most = niceMax(Math.max(...loads.map((v, i) => largest(v, cores[i]))), unit);
  const alike = cores.length === 2 && cores[0].links.count === cores[1].links.count && cores[0].routers.count === cores[1].routers.count;
  const panels = cores.length + (alike ? 1 : 0);
  const columns = Math.max(1, Math.min(panels, 3, Math.floor((width + 12) / 260)));
  const w = Math.floor((width - (columns - 1) * 12) / columns);
  const cells = cores.map((c, i) => panel({ name: c.run.info.name, core: c, links: loads[i], routers: routers[i], unit, how, shadeOf: (v) => (v / most) * 255, colors: ramp(app.map.peek()), width: w }));
  frame.setTitle(stat(app) === "throughput" ? "Link throughput of the whole run" : "Link utilization of the whole run");
  key.set(ramp(app.map.peek()), 0, most, unit, stat(app) === "throughput" ? "throughput of links" : "utilization of links");
  frame.body.replaceChildren(h("div", { class: "panels", style: `grid-template-columns:repeat(${columns},1fr)` }, cells), key.element);
  if (!alike) return;
  const d = loads[1].map((v, l) => v - loads[0][l]);
  const range = niceMax(largest(d, cores[0]), unit);
  const name = `${cores[1].run.info.name} − ${cores[0].run.info.name}`;
  append(frame.body.firstElementChild!, panel({ name, core: cores[0], links: d, routers: routers[1].map((v, r) => v - routers[0][r]), unit, how, shadeOf: (v) => 127.5 + (v / range) * 127.5, colors: ramp("difference"), width: w }));
  differences.set(ramp("difference"), -range, range, unit, "difference");
  append(frame.body, differences.element);
}

interface Panel {
  name: string;
  core: Core;
  links: Float32Array;
  routers: Float32Array;
  unit: string;
  how: How;
  shadeOf: (v: number) => number;
  colors: Uint32Array;
  width: number;
}

function panel({ name, core, links, routers, unit, how, shadeOf, colors, width }: Panel): HTMLElement {
  const canvas = h("canvas", { role: "img", "aria-label": name });
  const scene = layOut(core, core.run.info.network, "flat");
  const height = heightFor(scene, width);
  const c = fit(canvas, width, height);
  const shades = (list: Float32Array) => Uint8Array.from(list, (v) => Math.max(0, Math.min(255, Math.round(shadeOf(v)))));
  const at = project(scene, start, width, height);
  const draw = (to: CanvasRenderingContext2D) => paint(to, { scene, at, links: core.links, linkShade: shades(links), routerShade: shades(routers), ramp: colors, linkMask: null, routerMask: null, withLinks: true, how, width, height });
  draw(c);
  drawnBy(canvas, draw);
  canvas.addEventListener("pointermove", (e) => routerTip(e, canvas, core, at, routers, unit));
  canvas.addEventListener("pointerleave", hideTip);
  return h("div", { class: "panel" }, h("h4", null, name), canvas);
}

/** Describes the router nearest to the pointer, or the routers that share its pixel. */
function routerTip(e: MouseEvent, canvas: HTMLCanvasElement, core: Core, at: Projected, routers: Float32Array, unit: string): void {
  const box = canvas.getBoundingClientRect();
  const [x, y] = [e.clientX - box.left, e.clientY - box.top];
  const several = coveredBy(at, x, y);
  const away = (r: number) => Math.hypot(at.x[r] - x, at.y[r] - y);
  if (several.length === 0) {
    let best = 0;
    for (let r = 1; r < routers.length; r++) if (away(r) < away(best)) best = r;
    if (routers.length > 0 && away(best) < 10) several.push(best);
  }
  if (several.length === 0) return hideTip();
  const mean = several.reduce((sum, r) => sum + routers[r], 0) / several.length;
  const title = several.length === 1 ? `Router ${core.routerName(several[0])}` : `${format.count(several.length)} routers`;
  showTip(e.clientX, e.clientY, title, [[several.length === 1 ? "value" : "mean", format.quantity(mean, unit)]]);
}
