/** The critical path of a run: segments in the order of time, without gaps. */

import type { Numbers } from "./source";
import type { Table } from "./tables";

/** A wait of a segment's message for a link, because of messages between two hosts. */
export interface Holder {
  cause: string;
  ps: number;
  /** Number of messages ahead. */
  messages: number;
  /** Earlier packets of the message itself are ahead. */
  itself: boolean;
  /** Rows in the table of links; -1: several, or not in the table. */
  link: number;
  root: number;
  /** linkDown: there are no messages. */
  rank: number;
  /** Hosts; -1: several, which are listed together. */
  source: number;
  destination: number;
}

/** Holder.rank of a link that was down. */
export const linkDown = -2;

const none = new Float64Array(0);

/** Causes in which the path goes from the sender of a message to its receiver. */
const ways = new Set(["network", "local", "request", "data"]);

export class CriticalPath {
  readonly count: number;
  readonly begin: Numbers;
  readonly end: Numbers;
  readonly rank: Numbers;
  readonly cause: Numbers;
  readonly source: Numbers;
  /** Time of each segment in which its messages wait for others. */
  readonly waits: Numbers;
  readonly causes: string[];

  constructor(
    readonly table: Table,
    private readonly partsTable: Table | null = null,
    private readonly holdersTable: Table | null = null,
    private readonly waysTable: Table | null = null,
  ) {
    this.count = table.rows;
    const get = (name: string) => table.get(name) ?? none;
    this.begin = get("begin_ps");
    this.end = get("end_ps");
    this.rank = get("rank");
    this.cause = get("cause");
    this.source = get("source");
    this.waits = get("waits_ps");
    this.causes = table.dict("cause");
  }

  get span(): number {
    return this.count > 0 ? this.end[this.count - 1] : 0;
  }

  causeOf(i: number): string {
    return this.table.text("cause", i);
  }

  time(i: number): number {
    return this.end[i] - this.begin[i];
  }

  /** The segment that contains a time; the last one after the end. */
  at(t: number): number {
    let [a, b] = [0, this.count - 1];
    while (a < b) {
      const mid = (a + b) >> 1;
      if (this.end[mid] <= t) a = mid + 1;
      else b = mid;
    }
    return a;
  }

  /** Whether a segment is time of a message on its way between ranks. */
  crosses(i: number): boolean {
    return ways.has(this.causeOf(i)) && this.source[i] >= 0 && this.source[i] !== this.rank[i];
  }

  /** The parts of a segment's time, in the order in which the message meets them. */
  parts(i: number): { part: string; ps: number }[] {
    const t = this.partsTable;
    return rowsOf(t, i).map((r) => ({ part: t!.text("part", r), ps: t!.at("part_ps", r) }));
  }

  /** Reports whether it is known who was ahead of messages. */
  get knowsHolders(): boolean {
    return this.holdersTable !== null;
  }

  /** Who held what a segment's message waited for, by descending time. */
  holders(i: number): Holder[] {
    const t = this.holdersTable;
    const of = (name: string, r: number) => t!.at(name, r);
    return rowsOf(t, i).map((r) => ({ cause: t!.text("cause", r), ps: of("wait_ps", r), messages: of("messages", r), itself: of("itself", r) === 1, link: of("link", r), root: of("holder_link", r), rank: of("holder_rank", r), source: of("holder_source", r), destination: of("holder_destination", r) }));
  }

  /** The links that a segment's message passes, as rows of their table; empty if they are not known. */
  way(i: number): number[] {
    const t = this.waysTable;
    return rowsOf(t, i).map((r) => t!.at("link", r));
  }
}

/** The rows of a table that belong to a segment. The table is in the order of segments. */
function rowsOf(t: Table | null, segment: number): number[] {
  const of = t?.get("segment");
  if (!of) return [];
  let [a, b] = [0, of.length];
  while (a < b) {
    const mid = (a + b) >> 1;
    if (of[mid] < segment) a = mid + 1;
    else b = mid;
  }
  const list: number[] = [];
  while (a < of.length && of[a] === segment) list.push(a++);
  return list;
}

/** For each of `width` pixels between two times: the cause with the most time in it; -1: none. */
export function causesIn(p: CriticalPath, from: number, to: number, width: number): Int16Array {
  const out = new Int16Array(width).fill(-1);
  const each = (to - from) / width;
  if (p.count === 0 || !(each > 0)) return out;
  const times = new Float64Array(p.causes.length);
  let i = p.at(from);
  for (let x = 0; x < width; x++) {
    const [a, b] = [from + x * each, from + (x + 1) * each];
    while (i < p.count && p.end[i] <= a) i++;
    times.fill(0);
    for (let k = i; k < p.count && p.begin[k] < b; k++) times[p.cause[k]] += Math.min(b, p.end[k]) - Math.max(a, p.begin[k]);
    let most = 0;
    times.forEach((t, c) => {
      if (t > most) [most, out[x]] = [t, c];
    });
  }
  return out;
}

/** For each pixel: the share of its time in which messages wait for others. Within a segment it is spread evenly. */
export function waitsIn(p: CriticalPath, from: number, to: number, width: number): Float32Array {
  const out = new Float32Array(width);
  const each = (to - from) / width;
  if (p.count === 0 || !(each > 0)) return out;
  let i = p.at(from);
  for (let x = 0; x < width; x++) {
    const [a, b] = [from + x * each, from + (x + 1) * each];
    while (i < p.count && p.end[i] <= a) i++;
    for (let k = i; k < p.count && p.begin[k] < b; k++) {
      const inside = Math.min(b, p.end[k]) - Math.max(a, p.begin[k]);
      out[x] += (inside * p.waits[k]) / Math.max(1, p.time(k)) / each;
    }
  }
  return out;
}
