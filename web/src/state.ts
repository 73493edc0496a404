/** The state of the page: displayed data and selections, as signals that all views read. */

import { computed, effect, signal } from "@preact/signals-core";
import type { MapName } from "./color";
import type { Bins, How, Manifest, Progress, RowKind } from "./data";
import { type Core, RunData } from "./tables";
import type { Source } from "./source";

/** A selected set. rows are rows of the table of that kind; for dimensions and levels, their indexes. */
export interface Picked {
  kind: RowKind | "rank";
  rows: Int32Array;
  label: string;
}

/** Rows of the table of links. */
export interface Marks {
  way: number[];
  roots: number[];
}

export type Theme = "system" | "light" | "dark";

export class App {
  readonly manifest;
  readonly runs;
  /** Index of the displayed run. */
  readonly current = signal(0);
  readonly run;
  readonly core = signal<Core | null>(null);
  /** The selected period in ps; null: the whole run. */
  readonly period = signal<[number, number] | null>(null);
  /** The current bin of the playback; null: none. */
  readonly cursor = signal<number | null>(null);
  readonly picked = signal<Picked | null>(null);
  /** The chosen segment of the critical path, as a row of its table. */
  readonly segment = signal<number | null>(null);
  /** Links that the network shows besides the selected set: the way of a message, and the roots of its waits. */
  readonly marks = signal<Marks | null>(null);
  /** A period and a rank that the timeline shall show; each request is a new object. */
  readonly look = signal<{ from: number; to: number; rank: number } | null>(null);
  readonly stat = signal("utilization");
  /** How several links, routers, ranks or bins at one position are combined. */
  readonly how = signal<How>("mean");
  readonly map = signal<MapName>("viridis");
  readonly theme = signal<Theme>("system");
  /** Incremented when the colours change. */
  readonly repaint = signal(0);
  /** IDs of the charts that have been drawn at least once. */
  readonly drawn = signal<ReadonlySet<string>>(new Set());
  readonly progress = signal<Record<string, Progress>>({});
  /** Runs that were in progress while the page was open. */
  readonly followed = signal<ReadonlySet<string>>(new Set());
  /** Whether the page's server responds: it may be lost for a while, or have announced its end. */
  readonly server = signal<"there" | "lost" | "ended">("there");

  readonly bins;
  /** The bins in effect: the cursor's bin, those of the period, or all. */
  readonly window;
  /** The selected time in ps: the cursor's bin, or the period; null: the whole run. */
  readonly span;
  /** For each link, 1 if it is selected; null if nothing is selected. */
  readonly linkMask;
  readonly routerMask;

  constructor(
    readonly source: Source,
    manifest: Manifest,
  ) {
    this.manifest = signal(manifest);
    let known: RunData[] = [];
    this.runs = computed(() => (known = this.manifest.value.runs.map((r) => new RunData(r, source, known.find((k) => k.info.id === r.id)))));
    this.run = computed<RunData | undefined>(() => this.runs.value[Math.min(this.current.value, this.runs.value.length - 1)]);
    this.bins = computed(() => this.run.value?.info.bins ?? null);
    this.window = computed(() => binWindow(this.bins.value, this.period.value, this.cursor.value));
    this.span = computed<[number, number] | null>(() => {
      const bins = this.bins.value;
      const at = this.cursor.value;
      if (at === null || !bins) return this.period.value;
      return [Math.floor(at) * bins.interval_ps, (Math.floor(at) + 1) * bins.interval_ps];
    });
    this.linkMask = computed(() => (this.core.value && this.picked.value ? maskLinks(this.core.value, this.picked.value) : null));
    this.routerMask = computed(() => (this.core.value && this.picked.value ? maskRouters(this.core.value, this.picked.value) : null));
    effect(() => {
      const running = [...this.manifest.value.runs.filter((r) => r.progress?.state === "running").map((r) => r.id), ...Object.keys(this.progress.value)];
      const known = this.followed.peek();
      if (running.some((id) => !known.has(id))) this.followed.value = new Set([...known, ...running]);
    });
    effect(() => {
      const run = this.run.value;
      void run?.core().then((core) => {
        if (this.run.peek() === run) this.core.value = core;
      });
    });
  }

  /** Records that a chart has been drawn. */
  drew(chart: string): void {
    if (!this.drawn.peek().has(chart)) this.drawn.value = new Set([...this.drawn.peek(), chart]);
  }

  clear(): void {
    this.period.value = null;
    this.picked.value = null;
  }
}

/** The bins a to b-1 that a period covers, at least one. */
export function binWindow(bins: Bins | null, period: [number, number] | null, cursor: number | null): [number, number] {
  if (!bins || bins.count === 0) return [0, 0];
  if (cursor !== null) {
    const c = Math.min(Math.max(0, Math.floor(cursor)), bins.count - 1);
    return [c, c + 1];
  }
  if (!period) return [0, bins.count];
  const a = Math.min(bins.count - 1, Math.max(0, Math.floor(period[0] / bins.interval_ps)));
  const b = Math.min(bins.count, Math.max(a + 1, Math.ceil(period[1] / bins.interval_ps)));
  return [a, b];
}

/**
 * The links of a selected set. For routers: the links that leave them, and those of their NICs; for ranks: those of
 * their hosts' routers.
 */
export function maskLinks(core: Core, picked: Picked): Uint8Array {
  const { links } = core;
  const mask = new Uint8Array(links.count);
  if (picked.kind === "link") {
    for (const l of picked.rows) mask[l] = 1;
    return mask;
  }
  const of = picked.kind === "dimension" ? links.dimension : picked.kind === "level" ? links.level : links.router;
  if (!of) return mask;
  const chosen = new Set<number>(picked.kind === "rank" ? Array.from(picked.rows, (r) => core.routerOf(r)) : picked.rows);
  for (let l = 0; l < mask.length; l++) if (chosen.has(of[l])) mask[l] = 1;
  return mask;
}

/** The routers of a selected set. For links: the routers at both ends. */
export function maskRouters(core: Core, picked: Picked): Uint8Array {
  const { links } = core;
  const mask = new Uint8Array(core.routers.count);
  if (picked.kind === "router") {
    for (const r of picked.rows) mask[r] = 1;
    return mask;
  }
  const of = maskLinks(core, picked);
  for (let l = 0; l < of.length; l++) {
    if (of[l] === 0) continue;
    mask[links.router[l]] = 1;
    if (links.to[l] >= 0) mask[links.to[l]] = 1;
  }
  return mask;
}

/** Runs an asynchronous reaction. The result of an earlier reaction that ends late is discarded. */
export function react<T>(read: () => T, work: (value: T, current: () => boolean) => Promise<void> | void, failed?: (error: unknown) => void): () => void {
  let turn = 0;
  return effect(() => {
    const value = read();
    const mine = ++turn;
    Promise.resolve(work(value, () => mine === turn)).catch((e: unknown) => {
      console.error(e);
      failed?.(e);
    });
  });
}
