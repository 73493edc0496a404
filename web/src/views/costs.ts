/** What ranks wait for, who makes them wait, and on what the predicted time depends. */

import { effect } from "@preact/signals-core";
import type { Change, Derivative, Why } from "../data";
import { h } from "../dom";
import { csv } from "../export";
import * as format from "../format";
import { Frame } from "../frame";
import { rankName, routersOfHosts, sentence } from "../names";
import { quoted } from "../period";
import { type App, react } from "../state";

const whyOf = (app: App): Why | null => {
  const info = app.run.value?.info.why;
  return info && !info.missing ? info : null;
};

type Cell = Node | string;

export function table(id: string, head: string[], numbers: number[], rows: Cell[][], titles: (string | undefined)[] = []): HTMLElement {
  const of = (i: number) => (numbers.includes(i) ? "n" : null);
  return h("div", { class: "scroll" }, h("table", { "data-testid": id }, h("thead", null, h("tr", null, head.map((x, i) => h("th", { class: of(i) }, x)))), h("tbody", null, rows.map((r, k) => h("tr", { title: titles[k] }, r.map((x, i) => h("td", { class: of(i) }, x)))))));
}

/** Waits of all ranks by kind, and what makes ranks late. */
export function waits(app: App): HTMLElement {
  const frame = new Frame({
    id: "why-waits",
    title: "What all ranks wait for",
    csv: () => {
      const w = whyOf(app)?.waits;
      return csv(["kind", "rank", "ps", "propagated_ps", "waits"], [...(w?.states ?? []).map((s) => [s.state, "", s.ps, "", s.waits]), ...(w?.delays ?? []).map((d) => [d.doing, d.rank, d.direct_ps, d.propagated_ps, ""])]);
    },
  });
  effect(() => {
    const info = whyOf(app);
    frame.show(info !== null && info.waits.wait_ps > 0);
    if (!info) return;
    const { waits } = info;
    const meaning = new Map(info.meanings.map((m) => [m.name, m.meaning]));
    frame.setTitle("What all ranks wait for", `${format.time(waits.wait_ps)} together`);
    frame.setAbout("By kind, and who makes ranks wait for late ones: what that costs others directly, and what is passed on because they are late in turn.");
    const kinds = waits.states.map((s) => [s.state, format.time(s.ps), format.percent(s.ps / Math.max(1, waits.wait_ps)), format.count(s.waits)]);
    const delays = waits.delays.map((d) => [d.rank >= 0 ? h("span", null, rankName(app, d.rank), `: ${doing(d.doing)}`) : doing(d.doing), format.time(d.direct_ps), format.time(d.propagated_ps)]);
    frame.body.replaceChildren(
      table("why-kinds", ["kind", "time", "share", "waits"], [1, 2, 3], kinds, waits.states.map((s) => meaning.get(s.state))),
      ...(delays.length > 0 ? [table("why-delays", ["what makes ranks late", "directly", "passed on"], [1, 2], delays)] : []),
    );
    frame.setNote(waits.imbalance_ps > 0 ? `Imbalance: the computation on the path exceeds the mean of all ranks by ${format.time(waits.imbalance_ps)}, times the number of ranks.` : "");
  });
  return frame.element;
}

const doings: Record<string, string> = { network: "messages on their way", start: "has not started", compute: "computes", overhead: "software of receives", send: "software of sends", others: "others, each less" };

function doing(name: string): string {
  return doings[name] ?? name;
}

/** By how much the predicted time shrinks if a parameter is 1 % better. */
export function gain(d: Derivative): number {
  return Math.max(0, -d.more_ps, -d.less_ps);
}

/** What would help: the parameters on which the predicted time depends. */
export function helps(app: App): HTMLElement {
  const frame = new Frame({
    id: "why-helps",
    title: "What would help",
    csv: () => csv(["parameter", "unit", "count", "ps", "more_ps", "less_ps", "exact", "range_from", "range_to", "range_unit"], (whyOf(app)?.derivatives ?? []).map((d) => [d.parameter, d.unit, d.count, d.ps, d.more_ps, d.less_ps, d.exact, d.range?.from ?? "", d.range?.to ?? "", d.range?.unit ?? ""])),
  });
  effect(() => {
    const info = whyOf(app);
    frame.show(info !== null && info.derivatives.length > 0);
    if (!info) return;
    const list = info.derivatives;
    frame.setTitle("What would help", `${format.count(list.length)} parameter${list.length === 1 ? "" : "s"}`);
    frame.setAbout("How much the predicted time changes if a parameter is 1 % greater, or less, and the gain of the better of both. Exact as long as the path stays critical, for certain between the values of the last column; estimated if messages on it wait for others.");
    const rows = list.map((d) => [d.parameter, format.percent(gain(d) / Math.max(1, info.predicted_ps)), signed(d.more_ps), signed(d.less_ps), counted(d), holds(d)]);
    frame.body.replaceChildren(
      table("why-derivatives", ["parameter", "gain", "1 % greater", "1 % less", "the path has", "holds"], [1, 2, 3, 4], rows),
      ...(info.repeatable && !info.helps ? [h("p", { class: "about" }, "Runs that measure what would help, such as other algorithms, and ranks that do not start late:"), h("div", { class: "rewind-command" }, h("code", null, `fabricast why ${quoted(info.folder)} --what-helps`))] : []),
    );
    frame.setNote(info.unranged ? `How far exact ones hold cannot be told: ${info.unranged}.` : "");
  });
  return frame.element;
}

/** Changes that runs have measured. */
export function measured(app: App): HTMLElement {
  const list = (): Change[] => whyOf(app)?.helps?.what_helps ?? [];
  const frame = new Frame({
    id: "why-measured",
    title: "What would help, by runs",
    csv: () => csv(["change", "first_order_ps", "run_ps", "gain_ps"], list().map((c) => [c.change, c.first_order_ps ?? "", c.run_ps, c.gain_ps])),
  });
  react(
    () => whyOf(app),
    async (info, current) => {
      frame.show(info?.helps !== undefined);
      if (!info?.helps) return;
      const routers = await routersOfHosts(app);
      if (!current()) return;
      frame.setTitle("What would help, by runs", `${format.count(list().length)} run${list().length === 1 ? "" : "s"}`);
      frame.setAbout("The experiment was run again with each of these changes. By the path: what the critical path predicts of the change, as long as no other path becomes critical.");
      const rows = list().map((c) => [h("span", null, sentence(app, c.change, routers)), signed(c.gain_ps), format.percent(c.gain_ps / Math.max(1, info.predicted_ps)), format.time(c.run_ps, 4), c.first_order_ps === undefined ? "–" : format.time(c.first_order_ps, 4)]);
      frame.body.replaceChildren(table("why-changes", ["change", "gain", "of the time", "by the run", "by the path"], [1, 2, 3, 4], rows));
      frame.setNote((info.helps.notes ?? []).join("; "));
    },
  );
  return frame.element;
}

/** How far a derivative holds. */
export function holds(d: Derivative): string {
  if (!d.exact) return "estimated";
  if (!d.range) return "exact";
  const value = d.range.unit === "ps" ? format.time : format.rate;
  return `exact from ${value(d.range.from, 4)} to ${value(d.range.to, 4)}`; // ranges may be narrow
}

function counted(d: Derivative): string {
  return d.unit === "bytes" ? format.traffic(d.count) : d.unit === "ps" ? format.time(d.count) : `${format.count(d.count)} ${d.unit}`;
}

function signed(ps: number): string {
  return (ps < 0 ? "−" : "+") + format.time(Math.abs(ps));
}
