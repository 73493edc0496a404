/** Packets that passed the buffers of the selected routers in the selected period. */

import { stateColor } from "../color";
import { append, h } from "../dom";
import { csv } from "../export";
import * as format from "../format";
import { Frame } from "../frame";
import { hostName, routerName, routersOfHosts } from "../names";
import { type App, type Picked, react } from "../state";
import type { Core, Table } from "../tables";
import { tipped } from "../tooltip";

const waits = [
  { column: "wait_credit_ps", name: "credit", color: stateColor("queueing") },
  { column: "wait_output_ps", name: "output", color: stateColor("serialization") },
  { column: "wait_crossbar_ps", name: "crossbar", color: stateColor("send") },
  { column: "wait_order_ps", name: "order", color: stateColor("overhead") },
];

const shown = 40;

/** Rows of the buffer log for the selected routers, output ports and period. */
export function chosenPackets(log: Table, routers: Uint8Array | null, ports: ((router: number, port: number) => boolean) | null, period: [number, number] | null): number[] {
  const router = log.get("router");
  const port = log.get("out_port");
  const from = log.get("in_ps");
  const to = log.get("out_ps");
  const list: number[] = [];
  for (let i = 0; i < log.rows; i++) {
    if (routers && router && routers[router[i]] !== 1) continue;
    if (ports && router && port && !ports(router[i], port[i])) continue;
    if (period && from && to && (to[i] < period[0] || from[i] >= period[1])) continue;
    list.push(i);
  }
  return list;
}

export function packets(app: App): HTMLElement {
  let log: Table | null = null;
  let rows: number[] = [];
  const names = () => log!.info.columns.map((c) => c.name);
  const frame = new Frame({
    id: "packets",
    title: "Packets through buffers",
    csv: () => (log ? csv(names(), log.cells(rows)) : ""),
  });
  react(
    () => ({ core: app.core.value, mask: app.routerMask.value, span: app.span.value }),
    async ({ core, mask, span }, current) => {
      const run = app.run.peek();
      frame.show(run?.has("buffer_log") ?? false);
      if (!run || !core || !run.has("buffer_log")) return;
      const [table, routers] = await Promise.all([run.table("buffer_log"), routersOfHosts(app)]);
      if (!current() || !table) return;
      log = table;
      rows = chosenPackets(table, mask, throughLinks(core, app.picked.peek()), span);
      rows.sort((a, b) => waited(table, b) - waited(table, a));
      draw(app, frame, table, rows, core, routers);
    },
  );
  return frame.element;
}

/** The routers whose packets were logged, in words. */
function logged(t: Table, core: Core): string {
  const routers = [...new Set(t.get("router") ?? [])];
  const names = routers.slice(0, 8).map((r) => core.routerName(r)).join(", ");
  return routers.length === 0 ? "" : `Those of ${routers.length === 1 ? "router" : "routers"} ${names}${routers.length > 8 ? " and others" : ""} were.`;
}

/** For selected links: a predicate for the output ports that lead to them. */
function throughLinks(core: Core, picked: Picked | null): ((router: number, port: number) => boolean) | null {
  if (picked?.kind !== "link") return null;
  const chosen = new Set(Array.from(picked.rows, (l) => core.links.router[l] * 65536 + core.links.port[l]));
  return (router, port) => chosen.has(router * 65536 + port);
}

function waited(t: Table, r: number): number {
  return waits.reduce((sum, w) => sum + (t.at(w.column, r) || 0), 0);
}

function draw(app: App, frame: Frame, t: Table, rows: number[], core: Core, routers: ReadonlyMap<number, number>): void {
  frame.setTitle("Packets through buffers", `${format.count(rows.length)} packets`);
  frame.setAbout("The longest waits first. Choose routers and a period above.");
  frame.setNote(t.info.note ?? "");
  const most = rows.length > 0 ? Math.max(1, waited(t, rows[0])) : 1;
  const head = ["Router", "VC", "Message", "From → to", "Size", "In", "Stayed", "Waited for"];
  const body = rows.slice(0, shown).map((r) =>
    h(
      "tr",
      null,
      h("td", null, routerName(app, t.at("router", r))),
      h("td", { class: "n" }, t.at("vc", r)),
      h("td", { title: `message ${t.text("message", r)}` }, "…" + t.text("message", r).slice(-5)),
      h("td", null, hostName(app, t.at("source", r), routers), " → ", hostName(app, t.at("destination", r), routers)),
      h("td", { class: "n" }, format.bytes(t.at("size_bytes", r))),
      h("td", { class: "n" }, format.time(t.at("in_ps", r), 4)),
      h("td", { class: "n" }, format.time(t.at("out_ps", r) - t.at("in_ps", r))),
      h("td", null, waitBar(t, r, most)),
    ),
  );
  const key = h("ul", { class: "key" }, waits.map((w) => h("li", null, h("i", { style: `background:${w.color}` }), w.name)));
  frame.body.replaceChildren();
  if (rows.length === 0) frame.body.append(h("p", { class: "empty" }, `No packet that was logged is in this choice. ${logged(t, core)}`));
  else append(frame.body, key, h("div", { class: "scroll" }, h("table", null, h("thead", null, h("tr", null, head.map((x, i) => h("th", { class: [1, 4, 5, 6].includes(i) ? "n" : null }, x)))), h("tbody", null, body))), rows.length > shown && h("p", { class: "note" }, `The first ${shown}; the CSV has all.`));
}

function waitBar(t: Table, r: number, most: number): HTMLElement {
  const bar = h("div", { class: "stack thin", style: `width:${Math.max(2, (waited(t, r) / most) * 96)}px` });
  for (const w of waits) {
    const v = t.at(w.column, r) || 0;
    if (v > 0) append(bar, h("i", { style: `flex-grow:${v};background:${w.color}` }));
  }
  return tipped(bar, "Waited for", () => waits.map((w) => [w.name, format.time(t.at(w.column, r) || 0)]));
}
