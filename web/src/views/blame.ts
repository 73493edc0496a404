/** For how long messages waited for one another, as a matrix of ranks, hosts, jobs or links. */

import { effect, signal } from "@preact/signals-core";
import { css, inkOn, ramp, shade } from "../color";
import type { BlameLine, BlameMatrix } from "../data";
import { h, select } from "../dom";
import { csv } from "../export";
import * as format from "../format";
import { Frame } from "../frame";
import { hostName, linkName, rankName, routersOfHosts } from "../names";
import { type App, react } from "../state";
import { tipped } from "../tooltip";

const titles: Record<string, string> = { rank: "ranks", job: "jobs", flow: "hosts", link: "links waited for", root: "roots of congestion" };

export function blame(app: App): HTMLElement {
  const chosen = signal("");
  let routers: ReadonlyMap<number, number> = new Map();
  const shown = (): BlameMatrix | undefined => {
    const all = app.run.value?.info.why?.matrices ?? [];
    return all.find((m) => m.name === chosen.value) ?? all[0];
  };
  const frame = new Frame({ id: "why-blame", title: "Who waited for whom", csv: () => text(shown()) });
  frame.element.classList.add("whole");
  const draw = () => {
    const m = shown();
    if (m) frame.body.replaceChildren(matrix(app, m, routers));
  };
  react(
    () => app.run.value,
    async (run, current) => {
      const all = run?.info.why?.matrices ?? [];
      frame.show(all.length > 0);
      if (all.length === 0) return;
      frame.setControls(select("Of", all.map((m) => ({ value: m.name, text: titles[m.name] ?? m.name })), all[0].name, (v) => (chosen.value = v), "why-blame-of"));
      chosen.value = all[0].name;
      const found = await routersOfHosts(app);
      if (!current()) return;
      routers = found;
      draw();
    },
  );
  effect(() => {
    const m = shown();
    void [app.map.value, app.repaint.value, app.core.value];
    if (!m) return;
    frame.setTitle("Who waited for whom", `${format.time(m.total_ps)} of waiting`);
    frame.setAbout(`For how long ${m.title}, along the last packets of all messages. The largest rows and columns; the last ones hold the rest, so that all cells sum to the whole.`);
    draw();
  });
  return frame.element;
}

function name(app: App, l: BlameLine, routers: ReadonlyMap<number, number>): Node | string {
  switch (l.kind) {
    case "rank":
      return rankName(app, l.id);
    case "host":
      return hostName(app, l.id, routers);
    case "link":
      return linkName(app, l.id, true);
  }
  return l.name;
}

function matrix(app: App, m: BlameMatrix, routers: ReadonlyMap<number, number>): HTMLElement {
  const colors = ramp(app.map.peek());
  // The rest is not a single rank or link, so the colours are those of the others.
  const single = m.cells.flatMap((row, i) => row.filter((_, k) => m.rows[i].kind !== "others" && m.columns[k].kind !== "others"));
  const most = Math.max(1, ...single);
  const cell = (v: number, i: number, k: number) => {
    const color = css(colors[shade(Math.min(v, most), most)]);
    const td = h("td", { tabindex: i === 0 && k === 0 ? 0 : -1, "data-ps": v, "data-at": `${i},${k}`, style: v > 0 ? `background:${color};color:${inkOn(hex(color))}` : null }, v > 0 ? format.percent(v / Math.max(1, m.total_ps), 1).replace("\u202f%", "") : "");
    return tipped(td, `${m.rows[i].name}, because of ${m.columns[k].name}`, () => [["waited", format.time(v, 4)], ["of all waits", format.percent(v / Math.max(1, m.total_ps))], ["of the row", format.percent(v / Math.max(1, m.rows[i].ps))]]);
  };
  const head = h("tr", null, h("th", null, "% of all waits"), h("th", { class: "n" }, "together"), m.columns.map((l) => h("th", { class: "upright", scope: "col" }, h("span", null, name(app, l, routers)))));
  const rows = m.rows.map((l, i) => h("tr", null, h("th", { scope: "row" }, name(app, l, routers)), h("td", { class: "n" }, format.time(l.ps)), m.cells[i].map((v, k) => cell(v, i, k))));
  const body = h("tbody", { "aria-label": "Arrow keys go from cell to cell" }, rows);
  body.addEventListener("keydown", (e) => walk(body, e));
  return h("div", { class: "scroll tall" }, h("table", { class: "blame", "data-testid": "why-matrix", "data-ps": m.total_ps }, h("thead", null, head), body));
}

/** Arrow keys go from cell to cell, of which one takes the focus of the tabulator. */
function walk(body: HTMLElement, e: KeyboardEvent): void {
  const steps: Record<string, [number, number]> = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  const step = steps[e.key];
  const from = e.target as HTMLElement;
  if (!step || !from.dataset["at"]) return;
  const [i, k] = from.dataset["at"].split(",").map(Number);
  const to = body.querySelector<HTMLElement>(`[data-at="${i + step[0]},${k + step[1]}"]`);
  if (!to) return;
  e.preventDefault();
  from.tabIndex = -1;
  to.tabIndex = 0;
  to.focus();
}

/** "rgb(r,g,b)" as "#rrggbb". */
function hex(color: string): string {
  return "#" + (color.match(/\d+/g) ?? []).map((n) => Number(n).toString(16).padStart(2, "0")).join("");
}

function text(m: BlameMatrix | undefined): string {
  if (!m) return "";
  return csv(["row", "column", "wait_ps"], m.cells.flatMap((row, i) => row.map((v, k) => [m.rows[i].name, m.columns[k].name, v])));
}
