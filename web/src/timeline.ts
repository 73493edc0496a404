/** State intervals of ranks, found by rank and time. */

import type { Numbers } from "./source";
import type { Table } from "./tables";

export class Timeline {
  readonly ranks: number;
  /** Index of the first interval of each rank, with one more entry at the end. */
  private readonly first: Int32Array;
  private readonly none = new Int32Array(0);
  readonly begin: Numbers;
  readonly end: Numbers;
  readonly state: Numbers;

  constructor(readonly table: Table) {
    const rank = table.get("rank") ?? this.none;
    this.begin = table.get("begin_ps") ?? this.none;
    this.end = table.get("end_ps") ?? this.none;
    this.state = table.get("state") ?? this.none;
    let most = -1;
    for (const r of rank) if (r > most) most = r;
    this.ranks = most + 1;
    this.first = new Int32Array(this.ranks + 1);
    for (const r of rank) this.first[r + 1]++;
    for (let r = 0; r < this.ranks; r++) this.first[r + 1] += this.first[r];
  }

  /** The index of the first interval of a rank that ends after time t, and the index after the rank's last interval. */
  from(rank: number, t: number): [number, number] {
    if (rank < 0 || rank >= this.ranks) return [0, 0];
    let a = this.first[rank];
    const last = this.first[rank + 1];
    let b = last;
    while (a < b) {
      const mid = (a + b) >> 1;
      if (this.end[mid] <= t) a = mid + 1;
      else b = mid;
    }
    return [a, last];
  }

  /** The index of a rank's interval that contains time t; -1 if there is none. */
  at(rank: number, t: number): number {
    const [i, last] = this.from(rank, t);
    return i < last && this.begin[i] <= t ? i : -1;
  }

  /** The end time of the last interval. */
  get span(): number {
    let most = 0;
    for (const e of this.end) if (e > most) most = e;
    return most;
  }
}
