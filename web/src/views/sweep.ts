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
  const draw = () => {
    const t = app.manifest.value.sweep;
    frame.show(t !== null && t.rows.length > 0);
    if (!t) return;
    frame.setTitle("All points", `${format.count(t.rows.length)} points`);
    const rows = sorted(t, by, falling).slice(0, page);
    const head = t.columns.map((c, i) =>
      h("th", { "aria-sort": by === i ? (falling ? "descending" : "ascending") : null }, h("button", { type: "button", onclick: () => ((falling = by === i && !falling), (by = i), draw()) }, c.title || c.name, by === i ? (falling ? " ↓" : " ↑") : "")),
    );
    const body = rows.map((r) => h("tr", null, r.error ? [h("td", { colspan: t.columns.length, class: "bad" }, r.error)] : r.cells.map((v, i) => h("td", { class: typeof v === "number" ? "n" : null }, cell(t, r.cells, i)))));
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
  const parts: Node[] = [document.createTextNode(format.quantity(cells[i], c.unit))];
  const half = c.half ? cells[t.columns.findIndex((x) => x.name === c.half)] : undefined;
  if (typeof half === "number" && half > 0) parts.push(h("small", null, " ± " + format.quantity(half, c.unit)));
  return parts;
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
