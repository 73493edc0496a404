/** Curves with axes, as SVG, for histories, sweeps and quantiles, which have few points. */

import { scaleLinear, scaleLog, type ScaleContinuousNumeric } from "d3-scale";
import { area, line } from "d3-shape";
import { append, s } from "./dom";
import { axisUnit, digits } from "./format";

export interface PlotAxis {
  title: string;
  unit: string;
  scale?: "linear" | "log";
  min?: number;
  max?: number;
}

export interface PlotPoint {
  x: number;
  y: number;
  /** Half-width of an error bar. */
  error?: number;
  /** The value is above the plotted range: it gets a mark at the upper edge. */
  beyond?: boolean;
  /** There is no value yet: the point gets a mark at the lower edge. */
  missing?: boolean;
}

export interface PlotSeries {
  name: string;
  color: string;
  points: PlotPoint[];
  dashed?: boolean;
  /** Points get marks; otherwise only the line is drawn. */
  marks?: boolean;
  shape?: number;
  step?: boolean;
}

export interface PlotBand {
  color: string;
  opacity: number;
  points: { x: number; low: number; high: number }[];
}

export interface Plot {
  x: PlotAxis;
  y: PlotAxis;
  series: PlotSeries[];
  bands?: PlotBand[];
}

export interface Drawn {
  svg: SVGSVGElement;
  x: (value: number) => number;
  y: (value: number) => number;
  fromX: (pixel: number) => number;
  plot: { left: number; top: number; width: number; height: number };
}

type Scale = ScaleContinuousNumeric<number, number>;

const margin = { left: 62, right: 16, top: 12, bottom: 44 };

export function drawPlot(p: Plot, width: number, height: number): Drawn {
  const plot = { left: margin.left, top: margin.top, width: Math.max(40, width - margin.left - margin.right), height: Math.max(40, height - margin.top - margin.bottom) };
  const xs = p.series.flatMap((t) => t.points.map((q) => q.x)).concat((p.bands ?? []).flatMap((b) => b.points.map((q) => q.x)));
  const ys = p.series.flatMap((t) => t.points.filter((q) => !q.beyond && !q.missing).flatMap((q) => (q.error ? [q.y + q.error, q.y] : [q.y]))).concat((p.bands ?? []).flatMap((b) => b.points.flatMap((q) => [q.low, q.high])));
  const x = scaleOf(p.x, xs, [plot.left, plot.left + plot.width], false);
  const y = scaleOf(p.y, ys, [plot.top + plot.height, plot.top], true);
  const svg = s("svg", { class: "chart", width, height, viewBox: `0 0 ${width} ${height}`, role: "img" });
  const clip = "clip" + Math.round(Math.random() * 1e9).toString(36);
  append(svg, s("defs", null, s("clipPath", { id: clip }, s("rect", { x: plot.left - 6, y: plot.top - 4, width: plot.width + 12, height: plot.height + 8 }))));
  append(svg, axes(p, x, y, plot));
  const inside = s("g", { "clip-path": `url(#${clip})` });
  for (const b of p.bands ?? []) append(inside, bandPath(b, x, y));
  for (const t of p.series) append(inside, seriesPath(t, x, y, p.y.scale === "log", plot.top, plot.top + plot.height));
  append(svg, inside);
  return { svg, x, y, fromX: (pixel) => x.invert(pixel), plot };
}

function scaleOf(axis: PlotAxis, values: number[], range: [number, number], fromZero: boolean): Scale {
  const finite = values.filter((v) => Number.isFinite(v) && (axis.scale !== "log" || v > 0));
  let low = axis.min ?? (finite.length > 0 ? finite.reduce((a, b) => Math.min(a, b)) : 0);
  let high = axis.max ?? (finite.length > 0 ? finite.reduce((a, b) => Math.max(a, b)) : 1);
  if (axis.scale === "log") {
    if (low === high) [low, high] = [low / 2, high * 2];
    return scaleLog().domain([low, high]).range(range).clamp(false);
  }
  if (axis.min === undefined && (fromZero || low < 0.25 * high)) low = Math.min(0, low);
  if (axis.max === undefined && (axis.unit === "fraction" || axis.unit === "share") && high > 0.8 && high < 1.02) high = 1;
  if (low === high) high = low + 1;
  const scale = scaleLinear().domain([low, high]).range(range);
  return fromZero && axis.max === undefined ? scale.nice(5) : scale;
}

function ticks(scale: Scale, axis: PlotAxis, factor: number, room: number): number[] {
  const [low, high] = scale.domain();
  if (axis.scale === "log") {
    const all = scale.ticks(4);
    const [decades, steps] = [[1], [1, 2, 5]].map((list) => all.filter((v) => list.some((k) => Math.abs(v / 10 ** Math.floor(Math.log10(v) + 1e-9) - k) < 1e-6)));
    if (axis.unit === "bytes") return powersOfTwo(low, high, room);
    if (steps.length > 1 && steps.length <= room + 2) return steps;
    return decades.length > 1 ? decades : all.filter((_, i) => i % Math.ceil(all.length / room) === 0);
  }
  const list = scaleLinear().domain([low / factor, high / factor]).ticks(room).map((v) => v * factor);
  return axis.unit === "count" ? list.filter(Number.isInteger) : list;
}

function powersOfTwo(low: number, high: number, room: number): number[] {
  const a = Math.ceil(Math.log2(low) - 1e-9);
  const b = Math.floor(Math.log2(high) + 1e-9);
  const step = Math.max(1, Math.ceil((b - a + 1) / room));
  const list: number[] = [];
  for (let i = a; i <= b; i += step) list.push(2 ** i);
  return list;
}

function axes(p: Plot, x: Scale, y: Scale, plot: Drawn["plot"]): SVGGElement {
  const g = s("g", { class: "axes" });
  const largest = (scale: Scale) => Math.max(...scale.domain().map(Math.abs));
  const ux = axisUnit(largest(x), p.x.unit);
  const uy = axisUnit(largest(y), p.y.unit);
  const bottom = plot.top + plot.height;
  const label = (v: number, u: { factor: number }) => digits(v / u.factor, 4);
  const eachX = p.x.scale === "log" && p.x.unit === "bytes";
  for (const t of ticks(x, p.x, ux.factor, Math.max(3, Math.floor(plot.width / 80)))) {
    const at = x(t);
    const own = eachX ? axisUnit(t, "bytes") : ux;
    append(g, s("line", { class: "grid", x1: at, x2: at, y1: plot.top, y2: bottom }), s("text", { x: at, y: bottom + 16, "text-anchor": "middle" }, eachX ? label(t, own) + "\u202f" + own.unit : label(t, ux)));
  }
  for (const t of ticks(y, p.y, uy.factor, Math.max(3, Math.floor(plot.height / 45)))) {
    const at = y(t);
    append(g, s("line", { class: "grid", x1: plot.left, x2: plot.left + plot.width, y1: at, y2: at }), s("text", { x: plot.left - 8, y: at, "text-anchor": "end", "dominant-baseline": "central" }, label(t, uy)));
  }
  append(g, s("line", { class: "axis", x1: plot.left, x2: plot.left + plot.width, y1: bottom, y2: bottom }));
  // The title of a logarithmic axis says so, except for sizes in powers of two, whose labels make it obvious.
  const named = (axis: PlotAxis, unit: string) => {
    const each = eachX && axis === p.x;
    const notes = [each ? "" : unit, axis.scale === "log" && !each ? "logarithmic" : ""].filter(Boolean).join(", ");
    return axis.title + (notes === "" ? "" : ` (${notes})`);
  };
  append(g, s("text", { class: "name", x: plot.left + plot.width / 2, y: bottom + 36, "text-anchor": "middle" }, named(p.x, ux.unit)));
  append(g, s("text", { class: "name", transform: `translate(14 ${plot.top + plot.height / 2}) rotate(-90)`, "text-anchor": "middle" }, named(p.y, uy.unit)));
  return g;
}

function bandPath(b: PlotBand, x: Scale, y: Scale): SVGPathElement {
  const [low] = y.domain();
  const path = area<PlotBand["points"][number]>()
    .defined((q) => Number.isFinite(q.low) && Number.isFinite(q.high))
    .x((q) => x(q.x))
    .y0((q) => y(Math.max(q.low, low)))
    .y1((q) => y(q.high));
  return s("path", { d: path(b.points) ?? "", fill: b.color, "fill-opacity": b.opacity });
}

function seriesPath(t: PlotSeries, x: Scale, y: Scale, log: boolean, top: number, bottom: number): SVGGElement {
  const good = (q: PlotPoint) => !q.beyond && !q.missing && Number.isFinite(q.x) && Number.isFinite(q.y) && (!log || q.y > 0);
  const path = line<PlotPoint>()
    .defined(good)
    .x((q) => x(q.x))
    .y((q) => y(q.y));
  const g = s("g", { class: "series", stroke: t.color, fill: "none" }, s("path", { d: path(t.points) ?? "", "stroke-width": 2, "stroke-dasharray": t.dashed ? "6 4" : null, "stroke-linejoin": "round" }));
  for (const q of t.points) {
    if (q.beyond && Number.isFinite(q.x)) append(g, beyondMark(x(q.x), top + 4, t.color));
    if (q.missing && Number.isFinite(q.x)) append(g, missingMark(x(q.x), bottom - 4, t.color));
    if (!good(q)) continue;
    if (q.error && q.error > 0) append(g, errorBar(x(q.x), y(q.y - q.error), y(q.y + q.error)));
    if (t.marks) append(g, mark(t.shape ?? 0, x(q.x), y(q.y), t.color));
  }
  return g;
}

function errorBar(x: number, low: number, high: number): SVGPathElement {
  const l = Number.isFinite(low) ? low : high;
  return s("path", { d: `M${x} ${l}V${high}M${x - 4} ${high}h8M${x - 4} ${l}h8`, "stroke-width": 1.3 });
}

/** A hollow arrowhead for a point above the plotted range. */
export function beyondMark(x: number, y: number, color: string): SVGPathElement {
  return s("path", { class: "beyond", d: `M${x} ${y - 4}l4 8h-8z`, fill: "none", stroke: color, "stroke-width": 1.5 });
}

/** A cross for a point without a value. */
export function missingMark(x: number, y: number, color: string): SVGPathElement {
  return s("path", { class: "missing", d: `M${x - 4} ${y - 4}l8 8m0 -8l-8 8`, fill: "none", stroke: color, "stroke-width": 1.5 });
}

/** Series also differ in the shape of their marks, for colour-blind people. */
export function mark(shape: number, x: number, y: number, color: string): SVGPathElement {
  const shapes = [
    `M${x - 3.5} ${y}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0`,
    `M${x - 3.2} ${y - 3.2}h6.4v6.4h-6.4z`,
    `M${x} ${y - 4.4}l4.2 7.4h-8.4z`,
    `M${x} ${y - 4.6}l4.6 4.6l-4.6 4.6l-4.6 -4.6z`,
    `M${x} ${y + 4.4}l4.2 -7.4h-8.4z`,
  ];
  return s("path", { d: shapes[shape % shapes.length], fill: color, stroke: "none" });
}
