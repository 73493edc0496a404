/** The selected period and set, applied to data by rank and by message. */

import * as format from "./format";
import type { App } from "./state";
import type { RunData, Table } from "./tables";
import type { Timeline } from "./timeline";

/**
 * For each rank: 1 if it is selected, or its router is; null if nothing is selected. Synthetic traffic has NICs instead
 * of ranks.
 */
export async function chosenRanks(app: App, run: RunData): Promise<Uint8Array | null> {
  const picked = app.picked.peek();
  const routers = app.routerMask.peek();
  if (!picked) return null;
  const what = run.has("ranks") ? "rank" : "nic";
  const table = await run.table(`${what}s`, [what, "router"]);
  const at = table?.get("router");
  const number = table?.get(what);
  let most = -1;
  for (const r of number ?? []) most = Math.max(most, r);
  const mask = new Uint8Array(most + 1);
  if (picked.kind === "rank") for (const r of picked.rows) mask[r] = 1;
  else if (at && number && routers) for (let i = 0; i < number.length; i++) if (routers[at[i]] === 1) mask[number[i]] = 1;
  return mask;
}

/** The selection in words; empty if nothing is selected. */
export function choiceText(app: App): string {
  const span = app.span.peek();
  const picked = app.picked.peek();
  return [span && `${format.time(span[0])} – ${format.time(span[1])}`, picked?.label].filter(Boolean).join(", ");
}

/** Rows of the message log: messages sent in the period, from or to selected ranks. */
export function chosenMessages(log: Table, ranks: Uint8Array | null, span: [number, number] | null): number[] {
  const [source, target, sent] = ["source", "destination", "send_ps"].map((n) => log.get(n));
  const list: number[] = [];
  for (let i = 0; i < log.rows; i++) {
    if (span && sent && (sent[i] < span[0] || sent[i] >= span[1])) continue;
    if (ranks && source && target && ranks[source[i]] !== 1 && ranks[target[i]] !== 1) continue;
    list.push(i);
  }
  return list;
}

/** The time that selected ranks spent in each state within a period, by state index. */
export function timeInStates(t: Timeline, ranks: Uint8Array | null, span: [number, number] | null): Float64Array {
  const sums = new Float64Array(t.table.dict("state").length);
  const [from, to] = span ?? [0, Infinity];
  for (let rank = 0; rank < t.ranks; rank++) {
    if (ranks && ranks[rank] !== 1) continue;
    const [first, last] = t.from(rank, from);
    for (let i = first; i < last && t.begin[i] < to; i++) sums[t.state[i]] += Math.min(to, t.end[i]) - Math.max(from, t.begin[i]);
  }
  return sums;
}

/** The quantile of sorted values: the value below which the given share of them lies. */
export function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))];
}

/** The latencies of the given messages, by the classes of a latency table. */
export function latencyClasses(classes: Table, by: "distance" | "size", log: Table, rows: number[]): Map<string, Float64Array> {
  const [sent, got, hops, bytes] = ["send_ps", "delivery_ps", "distance_hops", "bytes"].map((n) => log.get(n)!);
  const lists: number[][] = Array.from({ length: classes.rows }, () => []);
  const from = classes.get(by === "distance" ? "distance_hops" : "from_bytes")!;
  const to = by === "distance" ? null : classes.get("to_bytes")!;
  for (const i of rows) {
    const v = by === "distance" ? hops[i] : bytes[i];
    const k = from.findIndex((a: number, c: number) => (to ? v >= a && v < to[c] : v === a));
    if (k >= 0) lists[k].push(got[i] - sent[i]);
  }
  const sorted = lists.map((l) => Float64Array.from(l).sort());
  const column = (of: (l: Float64Array) => number) => Float64Array.from(sorted, (l) => (l.length > 0 ? of(l) : 0));
  const out = new Map<string, Float64Array>([
    ["count", column((l) => l.length)],
    ["mean_ps", column((l) => l.reduce((a, b) => a + b, 0) / l.length)],
    ["min_ps", column((l) => l[0])],
    ["max_ps", column((l) => l[l.length - 1])],
  ]);
  for (const p of [5, 25, 50, 75, 95, 99]) out.set(`p${p}_ps`, column((l) => quantile(l, p / 100)));
  return out;
}
