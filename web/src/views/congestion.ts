/** Networks that pause or drop packets: who paused whom, and windows and rates of flows over time. */

import { effect } from "@preact/signals-core";
import { categories } from "../color";
import { append, h } from "../dom";
import { csv } from "../export";
import * as format from "../format";
import { Frame, sized } from "../frame";
import { drawPlot, type PlotSeries } from "../plot";
import { type App, react } from "../state";
import type { Table } from "../tables";
import { table } from "./costs";
import { brushless } from "./hover";

interface Root {
  link: string;
  class: number;
  paused_ps: number;
  links: number;
  nics: number;
  depth: number;
}

interface Sender {
  link: string;
  for: string;
  class: number;
  pauses: number;
  paused_ps: number;
  passed_on: number;
  passed_on_ps: number;
  first_ps: number;
  longest_ps: number;
}

interface Pauses {
  links: number;
  roots: Root[];
  paused: Sender[];
}

export function congestion(app: App): HTMLElement[] {
  return [roots(app), senders(app), ...courses.map((c) => course(app, c))];
}

const pausesOf = (app: App): Pauses | null => (app.run.value?.info.result?.["pauses"] as Pauses | undefined) ?? null;

/** The class in a row, if there are several. */
const several = (list: { class: number }[]) => list.some((x) => x.class > 0);

/** Where pauses began, and how far they spread. */
function roots(app: App): HTMLElement {
  const frame = new Frame({
    id: "pause-roots",
    title: "Where pauses began",
    csv: () => csv(["link", "class", "paused_ps", "links", "nics", "depth"], (pausesOf(app)?.roots ?? []).map((r) => [r.link, r.class, r.paused_ps, r.links, r.nics, r.depth])),
  });
  effect(() => {
    const p = pausesOf(app);
    frame.show(p !== null);
    if (!p) return;
    frame.setTitle("Where pauses began", `${format.count(p.links)} links paused`);
    frame.setAbout("Links for which packets waited when their router paused those before it, while the link was not paused itself. From there pauses spread: links and NICs that were paused for it, or for one that was, and how many pauses follow from one another.");
    const classes = several(p.roots);
    const rows = p.roots.map((r) => [r.link, ...(classes ? [String(r.class)] : []), format.time(r.paused_ps), format.count(r.links), format.count(r.nics), format.count(r.depth)]);
    frame.body.replaceChildren(table("pause-roots-table", ["link", ...(classes ? ["class"] : []), "pauses together", "links paused", "of these NICs", "pauses in a row"], classes ? [1, 2, 3, 4, 5] : [1, 2, 3, 4], rows));
  });
  return frame.element;
}

const mostShown = 20;

/** Who was paused, for which link. */
function senders(app: App): HTMLElement {
  const frame = new Frame({
    id: "paused",
    title: "Who was paused",
    csv: () => csv(["link", "for", "class", "pauses", "paused_ps", "passed_on", "passed_on_ps", "first_ps", "longest_ps"], (pausesOf(app)?.paused ?? []).map((s) => [s.link, s.for, s.class, s.pauses, s.paused_ps, s.passed_on, s.passed_on_ps, s.first_ps, s.longest_ps])),
  });
  effect(() => {
    const p = pausesOf(app);
    frame.show(p !== null);
    if (!p) return;
    frame.setAbout("The link whose sender was paused by the router at its end, and the link of that router for which the packets waited. Passed on: that link was paused itself.");
    const classes = several(p.paused);
    const rows = p.paused.slice(0, mostShown).map((s) => [s.link, s.for, ...(classes ? [String(s.class)] : []), format.count(s.pauses), format.time(s.paused_ps), format.percent(s.passed_on_ps / Math.max(1, s.paused_ps)), format.time(s.longest_ps)]);
    frame.body.replaceChildren(table("paused-table", ["paused", "for", ...(classes ? ["class"] : []), "pauses", "time", "passed on", "longest"], classes ? [2, 3, 4, 5, 6] : [2, 3, 4, 5], rows));
    frame.setNote(p.paused.length > mostShown ? `The first ${mostShown}; the CSV has ${p.paused.length}, pauses.parquet all.` : "");
  });
  return frame.element;
}

interface Course {
  id: string;
  title: string;
  about: string;
  unit: string;
  /** The value of a row; NaN if there is none. */
  value: (t: Table, row: number) => number;
}

const courses: Course[] = [
  { id: "flow-windows", title: "Windows of flows", about: "Bytes on the wire that might be under way, at the end of each interval in which something happened.", unit: "bytes", value: (t, r) => (t.at("window_bytes", r) >= 0 ? t.at("window_bytes", r) : NaN) },
  { id: "flow-limits", title: "Rates at which flows might send", about: "At the end of each interval; none where the link alone limits them.", unit: "bytes/s", value: (t, r) => t.at("rate_bytes_per_s", r) || NaN },
  { id: "flow-rates", title: "What flows sent", about: "Bytes on the wire in each interval, sent again or not, over its length.", unit: "bytes/s", value: (t, r) => (t.at("wire_bytes", r) / t.at("interval_ps", r)) * 1e12 },
];

/** A line for each flow, over time. */
function course(app: App, c: Course): HTMLElement {
  let flows: Table | null = null;
  let bins: Table | null = null;
  let width = 0;
  const frame = new Frame({
    id: c.id,
    title: c.title,
    about: c.about,
    csv: () => (bins ? csv(bins.info.columns.map((x) => x.name), bins.cells(Array.from({ length: bins.rows }, (_, r) => r))) : ""),
  });
  const draw = () => {
    if (flows && bins && width > 0) frame.body.replaceChildren(...lines(c, flows, bins, width));
  };
  sized(frame.body, (w) => {
    width = w;
    draw();
  });
  react(
    () => app.run.value,
    async (run, current) => {
      const [f, b] = run?.has("flow_bins") ? await Promise.all([run.table("flows"), run.table("flow_bins")]) : [null, null];
      if (!current()) return;
      [flows, bins] = [f, b];
      frame.show(f !== null && b !== null && Array.from({ length: b.rows }, (_, r) => c.value(b, r)).some((v) => !Number.isNaN(v)));
      draw();
    },
  );
  effect(() => {
    void app.repaint.value;
    draw();
  });
  return frame.element;
}

const mostLines = 10;
const height = 300;

function lines(c: Course, flows: Table, bins: Table, width: number): Node[] {
  const list: PlotSeries[] = Array.from({ length: Math.min(flows.rows, mostLines) }, (_, i) => ({ name: nameOf(flows, i), color: categories[i % categories.length], points: [], step: c.unit === "bytes" }));
  for (let r = 0; r < bins.rows; r++) {
    const to = list[bins.at("flow", r)];
    const y = c.value(bins, r);
    if (to && !Number.isNaN(y)) to.points.push({ x: bins.at("begin_ps", r), y });
  }
  const series = list.filter((s) => s.points.length > 0);
  const d = drawPlot({ x: { title: "time", unit: "ps" }, y: { title: c.title, unit: c.unit, min: 0 }, series }, width, height);
  const places = [...new Set(series.flatMap((s) => s.points.map((p) => p.x)))].sort((a, b) => a - b);
  brushless(d, places, (i) => ({
    title: format.time(places[i], 4),
    lines: series.flatMap((s) => s.points.filter((p) => p.x === places[i]).map((p): [string, string] => [s.name, format.quantity(p.y, c.unit)])),
  }));
  const key = h("ul", { class: "key" });
  append(key, ...series.map((s) => h("li", null, h("i", { style: `background:${s.color}` }), s.name)));
  return [d.svg, key, ...(flows.rows > mostLines ? [h("p", { class: "note" }, `The first ${mostLines} of ${flows.rows} flows.`)] : [])];
}

function nameOf(flows: Table, row: number): string {
  return `NIC ${flows.at("source_nic", row)} to ${flows.at("destination_nic", row)}`;
}
