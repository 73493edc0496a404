/** What is shown and selected: signals that all views read. */

import { computed, effect, signal } from "@preact/signals-core";
import type { MapName } from "./color";
import type { Bins, How, Manifest, Progress, RowKind } from "./data";
import { type Core, RunData } from "./tables";
import type { Source } from "./source";

/** A chosen set. Rows are those of the table of that kind; of dimensions and levels, their numbers. */
export interface Picked {
  kind: RowKind | "rank";
  rows: Int32Array;
  label: string;
}

export type Theme = "system" | "light" | "dark";

export class App {
  readonly manifest;
  readonly runs;
  /** Number of the run that is shown. */
  readonly current = signal(0);
  readonly run;
  readonly core = signal<Core | null>(null);
  /** The chosen period in ps; null is all of the run. */
  readonly period = signal<[number, number] | null>(null);
  /** The bin at which play stands; null: none. */
  readonly cursor = signal<number | null>(null);
  readonly picked = signal<Picked | null>(null);
  readonly stat = signal("utilization");
  /** What stands for several links, routers, ranks or bins in one place. */
  readonly how = signal<How>("mean");
  readonly map = signal<MapName>("viridis");
  readonly theme = signal<Theme>("system");
  /** Counts changes of the colours in force. */
  readonly repaint = signal(0);
  /** Charts that have been drawn once, by their ids. */
  readonly drawn = signal<ReadonlySet<string>>(new Set());
  readonly progress = signal<Record<string, Progress>>({});
  /** Runs that went on while the page was open. */
  readonly followed = signal<ReadonlySet<string>>(new Set());
  /** Whether what serves the page is there: it may be gone for a while, or have said that it ends. */
  readonly server = signal<"there" | "lost" | "ended">("there");

  readonly bins;
  /** Bins that count now: that of the cursor, those of the period, or all. */
  readonly window;
  /** The time that is chosen, in ps: the bin of the cursor, or the period; null is all of the run. */
  readonly span;
  /** 1 for each link that is chosen; null: no choice. */
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

  /** Notes that a chart has been drawn. */
  drew(chart: string): void {
    if (!this.drawn.peek().has(chart)) this.drawn.value = new Set([...this.drawn.peek(), chart]);
  }

  clear(): void {
    this.period.value = null;
    this.picked.value = null;
  }
}

/** The bins from a to before b that a period covers, at least one. */
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

/** Links that belong to a chosen set: of routers those that leave them, and those of their NICs; of ranks those of the routers of their hosts. */
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

/** Routers that belong to a chosen set: of links those at either end. */
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

/** Runs an asynchronous reaction; an older one that ends late is not applied. */
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
