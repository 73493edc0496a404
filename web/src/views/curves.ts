/** Curves of a sweep, such as latency and throughput by load. */

import { effect } from "@preact/signals-core";
import { categories } from "../color";
import type { Curve, CurvePoint, Series } from "../data";
import { append, h, s } from "../dom";
import { csv } from "../export";
import * as format from "../format";
import { Frame, sized } from "../frame";
import { beyondMark, drawPlot, mark, missingMark } from "../plot";
import type { App } from "../state";
import { brushless } from "./hover";

const height = 330;

export function curve(app: App, number: number): HTMLElement {
  const of = () => app.manifest.value.sweep?.curves[number];
  let width = 0;
  const first = of();
  const frame = new Frame({
    id: "curve-" + (first?.name || number),
    title: first?.title || first?.y.title || "Curves",
    csv: () => {
      const c = of();
      return c ? csv(["series", `${c.x.title} (${c.x.unit})`, `${c.y.title} (${c.y.unit})`, "half_width"], c.series.flatMap((t) => t.points.map((p) => [t.name, p.x, marked(p) || p.y, p.error]))) : "";
    },
  });
  const draw = () => {
    const c = of();
    if (c && width > 0) drawCurve(frame, c, width);
  };
  sized(frame.body, (w) => {
    width = w;
    draw();
  });
  effect(() => {
    void [app.manifest.value, app.repaint.value];
    draw();
  });
  return frame.element;
}

/** The colour index of a series. A reference has the colour of the corresponding series. */
function colorOf(c: Curve, t: Series): number {
  const own = c.series.filter((x) => !x.reference);
  const name = t.name.replace(/,? ?\(?reference\)?$/i, "");
  const i = own.findIndex((x) => x.name === t.name || x.name === name);
  return i >= 0 ? i : own.length + c.series.indexOf(t);
}

function drawCurve(frame: Frame, c: Curve, width: number): void {
  const series = c.series.map((t) => {
    const k = colorOf(c, t);
    return { name: t.name, color: categories[k % categories.length], points: t.points, dashed: t.reference, marks: !t.reference, shape: k };
  });
  const d = drawPlot({ x: { ...c.x, max: undefined }, y: c.y, series }, width, height);
  const places = [...new Set(c.series.flatMap((t) => t.points.map((p) => p.x)))].sort((a, b) => a - b);
  brushless(d, places, (i) => ({
    title: `${c.x.title} ${format.quantity(places[i], c.x.unit)}`,
    lines: c.series.flatMap((t) =>
      t.points
        .filter((p) => p.x === places[i])
        .map((p): [string, string] => [t.name || c.y.title, marked(p) || format.quantity(p.y, c.y.unit) + (p.error && p.error > 0 ? ` ± ${format.quantity(p.error, c.y.unit)}` : "")]),
    ),
  }));
  const key = series.map((t) => h("li", null, keyMark(t.color, t.shape, t.dashed ?? false), t.name));
  const signs = [
    keySign(c, "saturated", beyondMark(11, 6, "currentColor")),
    keySign(c, "no result", missingMark(11, 6, "currentColor")),
  ].filter((x) => x !== null);
  frame.body.replaceChildren();
  append(frame.body, d.svg, (series.length > 1 || signs.length > 0) && h("ul", { class: "key" }, series.length > 1 && key, signs));
}

/** What a point is marked as instead of having a y; empty if it has one. */
function marked(p: CurvePoint): string {
  if (p.missing) return "no result";
  return p.beyond ? "saturated" : "";
}

/** Explains a mark, if points have it. */
function keySign(c: Curve, text: string, path: SVGPathElement): HTMLElement | null {
  if (!c.series.some((t) => t.points.some((p) => marked(p) === text))) return null;
  return h("li", { "data-testid": text.replace(" ", "-") }, s("svg", { class: "saturated", width: 22, height: 12, "aria-hidden": "true" }, path), text);
}

function keyMark(color: string, shape: number, dashed: boolean): SVGSVGElement {
  const line = s("line", { x1: 0, x2: 22, y1: 6, y2: 6, stroke: color, "stroke-width": 2, "stroke-dasharray": dashed ? "5 3" : null });
  return s("svg", { width: 22, height: 12, "aria-hidden": "true" }, line, ...(dashed ? [] : [mark(shape, 11, 6, color)]));
}
