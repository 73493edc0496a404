/** Two or more runs side by side: the same scales, and the differences. */

import { effect } from "@preact/signals-core";
import { categories, ramp, stateColor } from "../color";
import { append, fit, h } from "../dom";
import { csv } from "../export";
import * as format from "../format";
import { Frame, sized } from "../frame";
import { legend, niceMax } from "../legend";
import { ofRouters } from "../load";
import { project, start } from "../network/camera";
import { layOut } from "../network/layout";
import { paint } from "../network/paint";
import { drawPlot } from "../plot";
import { type App, react } from "../state";
import type { Core, RunData } from "../tables";
import { tipped } from "../tooltip";
import { drawnBy } from "../vector";
import { brushless } from "./hover";

export function compare(app: App): HTMLElement[] {
  return [figures(app), overTime(app), times(app), networks(app)];
}

/** A figure of each run; those that a run lacks are undefined. */
export interface CompareRow {
  what: string;
  unit: string;
  values: (number | string | undefined)[];
}

export function compareRows(runs: RunData[]): CompareRow[] {
  const rows: CompareRow[] = [{ what: "predicted time", unit: "ps", values: runs.map((r) => r.info.summary?.predicted_ps) }];
  const add = (what: string, unit: string, of: (r: RunData) => number | string | undefined) => {
    if (!rows.some((r) => r.what === what)) rows.push({ what, unit, values: runs.map(of) });
  };
  for (const run of runs) {
    for (const p of run.info.summary?.where_it_went ?? []) add(p.what, "ps", (r) => r.info.summary?.where_it_went.find((q) => q.what === p.what)?.ps);
    for (const f of run.info.summary?.figures ?? []) add(f.what, f.unit, (r) => r.info.summary?.figures.find((q) => q.what === f.what)?.value);
  }
  add("hottest link", "fraction", (r) => r.info.summary?.hottest_links[0]?.efficiency);
  return rows;
}

function figures(app: App): HTMLElement {
  const frame = new Frame({
    id: "compare-figures",
    title: "Side by side",
    about: "Small print: relative to the first run.",
    csv: () => csv(["figure", "unit", ...app.runs.value.map((r) => r.info.name)], compareRows(app.runs.value).map((r) => [r.what, r.unit, ...r.values])),
  });
  frame.element.classList.add("tall");
  effect(() => {
    const runs = app.runs.value;
    frame.show(runs.length > 1);
    if (runs.length < 2) return;
    const body = compareRows(runs).map((row) => h("tr", null, h("th", { scope: "row" }, row.what), row.values.map((v, i) => h("td", { class: "n" }, format.figure(brief(v), row.unit, row.what), i > 0 && difference(row.values[0], v)))));
    frame.body.replaceChildren(h("div", { class: "scroll tall" }, h("table", { class: "compare", "data-testid": "compare-table" }, h("thead", null, h("tr", null, h("th"), runs.map((r, i) => h("th", null, h("i", { class: "dot", style: `background:${categories[i % categories.length]}` }), r.info.name)))), h("tbody", null, body))));
  });
  return frame.element;
}

/** Long words, such as hashes, by their beginning. */
function brief(v: number | string | undefined): number | string | undefined {
  return typeof v === "string" && v.length > 24 ? v.slice(0, 12) + "…" : v;
}

function difference(first: unknown, value: unknown): HTMLElement | null {
  if (typeof first !== "number" || typeof value !== "number" || first === 0) return null;
  const d = value / first - 1;
  const times = value / first;
  const text = times >= 3 || (times > 0 && times <= 1 / 3) ? `${format.digits(times)}×` : Math.abs(d) < 0.0005 ? "same" : (d > 0 ? "+" : "−") + format.percent(Math.abs(d));
  return h("small", null, " " + text);
}

function times(app: App): HTMLElement {
  const frame = new Frame({ id: "compare-where", title: "Where the time went", about: "Of the predicted time, in the mean over all ranks; the bars have one scale.", csv: () => csv(["run", "what", "ps"], app.runs.value.flatMap((r) => (r.info.summary?.where_it_went ?? []).map((p) => [r.info.name, p.what, p.ps]))) });
  effect(() => {
    const runs = app.runs.value.filter((r) => (r.info.summary?.where_it_went.length ?? 0) > 0);
    frame.show(app.runs.value.length > 1 && runs.length > 0);
    const total = (r: RunData) => r.info.summary!.where_it_went.reduce((a, p) => a + p.ps, 0);
    const most = Math.max(1, ...runs.map(total));
    const names = [...new Set(runs.flatMap((r) => r.info.summary!.where_it_went.map((p) => p.what)))];
    const bars = runs.map((r) =>
      h(
        "div",
        { class: "lane" },
        h("span", null, r.info.name),
        h("div", { class: "stack", style: `width:${(total(r) / most) * 100}%` }, r.info.summary!.where_it_went.filter((p) => p.ps > 0).map((p) => tipped(h("div", { class: "segment", tabindex: 0, style: `flex-grow:${p.ps};background:${stateColor(p.what)}` }), `${r.info.name}: ${p.what}`, () => [p.definition, ["time", format.time(p.ps)], ["share", format.percent(p.share)]]))),
        h("b", null, format.time(total(r))),
      ),
    );
    frame.body.replaceChildren(h("div", { class: "lanes" }, bars), h("ul", { class: "key" }, names.map((n) => h("li", null, h("i", { style: `background:${stateColor(n)}` }), n))));
  });
  return frame.element;
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

/** The networks beside one another in the same colours; if they are alike, the difference too. */
function networks(app: App): HTMLElement {
  const frame = new Frame({
    id: "compare-networks",
    title: "Load of the whole run, side by side",
    csv: () => csv(["run", "router", "hottest_link_efficiency"], cores.flatMap((c) => Array.from(ofRouters(c, Float32Array.from(c.links.efficiency)), (v, r) => [c.run.info.name, c.routerName(r), v]))),
  });
  frame.element.classList.add("whole");
  const key = legend();
  const differences = legend();
  let cores: Core[] = [];
  let width = 0;
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
    void [app.repaint.value, app.map.value];
    draw();
  });
  return frame.element;
}

type Legend = ReturnType<typeof legend>;

function drawNetworks(app: App, frame: Frame, cores: Core[], width: number, key: Legend, differences: Legend): void {
  const loads = cores.map((c) => Float32Array.from(c.links.efficiency));
  const most = niceMax(Math.max(...cores.map((c, i) => ofRouters(c, loads[i]).reduce((a, b) => Math.max(a, b), 0))), "fraction");
  const alike = cores.length === 2 && cores[0].links.count === cores[1].links.count && cores[0].routers.count === cores[1].routers.count;
  const panels = cores.length + (alike ? 1 : 0);
  const columns = Math.min(panels, 3);
  const w = Math.floor((width - (columns - 1) * 12) / columns);
  const cells = cores.map((c, i) => panel(c.run.info.name, c, loads[i], (v) => (v / most) * 255, ramp(app.map.peek()), w));
  key.set(ramp(app.map.peek()), 0, most, "fraction", "link efficiency");
  frame.body.replaceChildren(h("div", { class: "panels", style: `grid-template-columns:repeat(${columns},1fr)` }, cells), key.element);
  if (!alike) return;
  const d = loads[1].map((v, l) => v - loads[0][l]);
  const range = niceMax(d.reduce((a, v, l) => (cores[0].links.between[l] === 1 ? Math.max(a, Math.abs(v)) : a), 0), "fraction");
  append(frame.body.firstElementChild!, panel(`${cores[1].run.info.name} − ${cores[0].run.info.name}`, cores[0], d, (v) => 127.5 + (v / range) * 127.5, ramp("difference"), w));
  differences.set(ramp("difference"), -range, range, "fraction", "difference");
  append(frame.body, differences.element);
}

function panel(name: string, core: Core, values: Float32Array, shadeOf: (v: number) => number, colors: Uint32Array, width: number): HTMLElement {
  const canvas = h("canvas", { role: "img", "aria-label": name });
  const height = Math.round(width * 0.75);
  const c = fit(canvas, width, height);
  const info = core.run.info.network;
  const scene = layOut(core, info, "flat");
  const shades = (list: Float32Array) => Uint8Array.from(list, (v) => Math.max(0, Math.min(255, Math.round(shadeOf(v)))));
  // Of differences the one that is farthest from 0 counts, of loads the largest.
  const routers = new Float32Array(core.routers.count);
  for (let l = 0; l < values.length; l++) {
    const r = core.links.router[l];
    if (core.links.between[l] === 1 && Math.abs(values[l]) > Math.abs(routers[r])) routers[r] = values[l];
  }
  const draw = (to: CanvasRenderingContext2D) => paint(to, { scene, at: project(scene, start, width, height), links: core.links, linkShade: shades(values), routerShade: shades(routers), ramp: colors, linkMask: null, routerMask: null, withLinks: true, width, height });
  draw(c);
  drawnBy(canvas, draw);
  return h("div", { class: "panel" }, h("h4", null, name), canvas);
}
