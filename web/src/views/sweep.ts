/** The table of a sweep, and its findings. */

import { effect } from "@preact/signals-core";
import type { Finding, Sweep, SweepColumn } from "../data";
import { append, h } from "../dom";
import { csv } from "../export";
import * as format from "../format";
import { Frame } from "../frame";
import type { App } from "../state";

const page = 200;

export function sweepTable(app: App): HTMLElement {
  let by = -1;
  let falling = false;
  const frame = new Frame({
    id: "sweep-table",
    title: "All points",
    about: "Click on a column to sort by it.",
    csv: () => {
      const t = app.manifest.value.sweep;
      return t ? csv(t.columns.map((c) => c.name), t.rows.map((r) => r.cells)) : "";
    },
  });
  frame.element.classList.add("whole");
  const draw = () => {
    const t = app.manifest.value.sweep;
    frame.show(t !== null && t.rows.length > 0);
    if (!t) return;
    frame.setTitle("All points", `${format.count(t.rows.length)} points`);
    const rows = sorted(t, by, falling).slice(0, page);
    // Half-widths are shown next to the figures to which they apply.
    const halves = new Set(t.columns.map((c) => c.half));
    const shown = t.columns.map((_, i) => i).filter((i) => !halves.has(t.columns[i].name));
    const isNumber = (i: number) => t.rows.some((r) => typeof r.cells[i] === "number");
    const head = shown.map((i) =>
      h("th", { class: isNumber(i) ? "n" : null, "aria-sort": by === i ? (falling ? "descending" : "ascending") : null }, h("button", { type: "button", onclick: () => ((falling = by === i && !falling), (by = i), draw()) }, t.columns[i].title || t.columns[i].name, by === i ? (falling ? " ↓" : " ↑") : "")),
    );
    const body = rows.map((r) => h("tr", null, r.error ? [h("td", { colspan: shown.length, class: "bad" }, r.error)] : shown.map((i) => h("td", { class: typeof r.cells[i] === "number" ? "n" : null }, cell(t, r.cells, i)))));
    frame.body.replaceChildren(h("div", { class: "scroll tall" }, h("table", null, h("thead", null, h("tr", null, head)), h("tbody", null, body))));
    frame.setNote(t.rows.length > page ? `The first ${page}; the CSV has all.` : "");
  };
  effect(draw);
  return frame.element;
}

export function sorted(t: Sweep, by: number, falling: boolean): Sweep["rows"] {
  if (by < 0) return t.rows;
  const sign = falling ? -1 : 1;
  return t.rows.slice().sort((a, b) => {
    const [x, y] = [a.cells[by], b.cells[by]];
    if (typeof x === "number" && typeof y === "number") return sign * (x - y);
    return sign * String(x ?? "").localeCompare(String(y ?? ""));
  });
}

function cell(t: Sweep, cells: Sweep["rows"][number]["cells"], i: number): Node[] {
  const c: SweepColumn = t.columns[i];
  const value = cells[i];
  const parts: Node[] = [document.createTextNode(typeof value === "boolean" ? (value ? "yes" : "no") : format.quantity(value, c.unit))];
  const half = c.half ? cells[t.columns.findIndex((x) => x.name === c.half)] : undefined;
  if (!c.half) return parts;
  const known = typeof half === "number" && half > 0 && typeof value === "number";
  parts.push(h("small", { class: "plus" }, known ? "± " + format.quantity(half, c.unit) : ""), known ? interval(t, i, value, half) : h("span", { class: "half none" }));
  return parts;
}

/** Draws a confidence interval on a scale from 0 to the maximum value of its column. */
function interval(t: Sweep, column: number, value: number, half: number): HTMLElement {
  const most = Math.max(...t.rows.map((r) => (typeof r.cells[column] === "number" ? r.cells[column] : 0))) || 1;
  const from = Math.max(0, ((value - half) / most) * 100);
  const to = Math.min(100, ((value + half) / most) * 100);
  return h("span", { class: "half", "aria-hidden": "true" }, h("i", { style: `left:${from}%;width:${to - from}%` }));
}

export function findings(app: App): HTMLElement {
  const frame = new Frame({
    id: "findings",
    title: "Findings",
    about: "What is expected of the table, and whether it holds.",
    csv: () => csv(["that", "holds", "checked", "worst"], (app.manifest.value.sweep?.findings ?? []).map((f) => [f.that, f.holds, f.checked, f.worst])),
  });
  effect(() => {
    const list = app.manifest.value.sweep?.findings ?? [];
    frame.show(list.length > 0);
    const judged = list.filter((f) => !f.skipped);
    frame.setTitle("Findings", `${judged.filter((f) => f.holds).length} of ${judged.length} hold`);
    frame.body.replaceChildren(h("ul", { class: "findings" }, list.map(one)));
  });
  return frame.element;
}

function one(f: Finding): HTMLElement {
  const state = f.skipped ? "skipped" : f.holds ? "holds" : "fails";
  const item = h("li", { class: state, "data-state": state }, h("b", null, f.skipped ? "– not judged" : f.holds ? "✓ holds" : "✗ fails"), h("span", null, f.that));
  append(item, f.worst && h("small", null, (f.holds ? "nearest: " : "farthest: ") + f.worst), ...(f.failing ?? []).slice(0, 5).map((x) => h("small", null, x)));
  return item;
}
