/** Columns and matrices of a run, loaded on first use. */

import type { How, MatrixInfo, RowKind, Run, TableInfo } from "./data";
import { numbers, type Numbers, type Source } from "./source";

/** A table, with some of its columns. */
export class Table {
  readonly rows: number;
  constructor(
    readonly info: TableInfo,
    private readonly columns: Map<string, Numbers>,
    /** Columns whose integers exceed the precision of a JavaScript number. */
    private readonly exact: Map<string, BigInt64Array> = new Map(),
  ) {
    this.rows = info.rows;
  }

  /** All columns of some rows, for a CSV file. */
  cells(rows: number[]): (string | number)[][] {
    return rows.map((r) => this.info.columns.map((c) => (c.type === "str" || c.type === "i64" ? this.text(c.name, r) : this.at(c.name, r))));
  }

  /** A numeric column, or the word indexes of a column of words; undefined if there is no such column. */
  get(name: string): Numbers | undefined {
    return this.columns.get(name);
  }

  at(name: string, row: number): number {
    return this.columns.get(name)?.[row] ?? NaN;
  }

  dict(name: string): string[] {
    return this.info.columns.find((c) => c.name === name)?.dict ?? [];
  }

  text(name: string, row: number): string {
    const exact = this.exact.get(name);
    if (exact) return String(exact[row]);
    const codes = this.columns.get(name);
    return codes ? (this.dict(name)[codes[row]] ?? "") : "";
  }

  unit(name: string): string {
    return this.info.columns.find((c) => c.name === name)?.unit ?? "";
  }

  title(name: string): string {
    return this.info.columns.find((c) => c.name === name)?.title ?? name;
  }
}

type Cells = Uint8Array | Uint16Array | Float32Array;

/** A statistic by row and bin. */
export class Matrix {
  readonly rows: number;
  readonly cols: number;
  readonly scale: number;
  constructor(
    readonly info: MatrixInfo,
    readonly data: Cells,
  ) {
    this.rows = info.rows;
    this.cols = info.cols;
    this.scale = info.scale || 1;
  }

  at(row: number, col: number): number {
    return this.data[row * this.cols + col] * this.scale;
  }

  /** The mean of each row over columns a to b-1. */
  means(a: number, b: number): Float32Array {
    const { data, cols } = this;
    const out = new Float32Array(this.rows);
    const factor = this.scale / Math.max(1, b - a);
    for (let r = 0; r < out.length; r++) {
      let sum = 0;
      for (let i = r * cols + a, end = r * cols + b; i < end; i++) sum += data[i];
      out[r] = sum * factor;
    }
    return out;
  }

  private highest: number | undefined;
  private largest: number | undefined;

  /** The upper end of the colour scale; nearly all nonzero cells are below it. */
  top(): number {
    this.highest ??= topOf(this.data, null) * this.scale;
    return this.highest;
  }

  /** The maximum value. */
  max(): number {
    if (this.largest === undefined) {
      let most = 0;
      for (let i = 0; i < this.data.length; i++) if (this.data[i] > most) most = this.data[i];
      this.largest = most * this.scale;
    }
    return this.largest;
  }
}

/** The maximum; or if a few values far exceed all others, a value exceeded by only 1 in 250. */
export function topOf(values: ArrayLike<number>, only: Uint8Array | null): number {
  let most = 0;
  for (let i = 0; i < values.length; i++) if (values[i] > most && (!only || only[i] === 1)) most = values[i];
  const counts = new Float64Array(513);
  let all = 0;
  for (let i = 0; i < values.length; i++) {
    if (!(values[i] > 0) || (only && only[i] === 0)) continue;
    counts[Math.floor((values[i] / most) * 512)]++;
    all++;
  }
  let above = 0;
  let bin = 512;
  while (bin > 0 && above + counts[bin] <= all / 250) above += counts[bin--];
  const usual = ((bin + 1) / 512) * most;
  return usual * 1.4 < most ? usual : most;
}

/** The statistics offered first; the others follow them. */
const firstStats = ["utilization", "throughput"];

/** A run and its loaded data. */
export class RunData {
  private readonly matrices = new Map<string, Promise<Matrix>>();
  private coreOnce: Promise<Core> | undefined;

  constructor(
    readonly info: Run,
    private readonly source: Source,
    /** The same run before an update; unchanged data is reused. */
    before?: RunData,
  ) {
    if (before?.coreOnce && sameArrays(before.info.tables, info.tables)) this.coreOnce = before.coreOnce.then((c) => new Core(this, c.links, c.routers, c.ranks));
  }

  has(table: string): boolean {
    return (this.info.tables[table]?.rows ?? 0) > 0;
  }

  /** A table with the named columns, or with all; missing columns are omitted. */
  async table(name: string, wanted?: string[]): Promise<Table | null> {
    const info = this.info.tables[name];
    if (!info) return null;
    const columns = info.columns.filter((c) => !wanted || wanted.includes(c.name));
    const exact = new Map<string, BigInt64Array>();
    const loaded = await Promise.all(
      columns.map(async (c): Promise<[string, Numbers]> => {
        const buffer = await this.source.blob(c.blob);
        if (c.type === "i64") exact.set(c.name, new BigInt64Array(buffer));
        const codes = (c.dict?.length ?? 0) > 65536 ? "i32" : "u16";
        return [c.name, numbers(buffer, c.type === "str" ? codes : c.type)];
      }),
    );
    return new Table(info, new Map(loaded), exact);
  }

  /** The statistics for which there is a matrix, with title and unit. */
  stats(): { stat: string; title: string; unit: string }[] {
    const seen = new Map<string, { stat: string; title: string; unit: string }>();
    for (const m of Object.values(this.info.matrices)) {
      if (!seen.has(m.stat) || m.row_kind === "link") seen.set(m.stat, { stat: m.stat, title: m.title, unit: m.unit });
    }
    const place = (stat: string) => (firstStats.indexOf(stat) + firstStats.length + 1) % (firstStats.length + 1);
    return [...seen.values()].sort((a, b) => place(a.stat) - place(b.stat));
  }

  /** The statistics by which the network can be coloured; without bins, those of the whole run. */
  colours(): { stat: string; title: string; unit: string }[] {
    const stats = this.stats();
    return stats.length > 0 ? stats : [{ stat: "utilization", title: "Utilization", unit: "fraction" }, { stat: "throughput", title: "Throughput", unit: "bytes/s" }];
  }

  findMatrix(stat: string, kind: RowKind, how: How): string | undefined {
    const all = Object.entries(this.info.matrices).filter(([, m]) => m.stat === stat && m.row_kind === kind);
    return (all.find(([, m]) => m.how === how) ?? all[0])?.[0];
  }

  matrix(key: string): Promise<Matrix> {
    let m = this.matrices.get(key);
    if (!m) {
      const info = this.info.matrices[key];
      m = info.parts ? this.assembled(info, info.parts) : this.source.blob(info.blob).then((b) => new Matrix(info, numbers(b, info.type) as Cells));
      this.matrices.set(key, m);
    }
    return m;
  }

  /** The values of a matrix that is stored in parts. */
  private async assembled(info: MatrixInfo, parts: NonNullable<MatrixInfo["parts"]>): Promise<Matrix> {
    const blocks = await Promise.all(parts.map(async (p) => numbers(await this.source.blob(p.blob), p.type)));
    const data = new Float32Array(info.rows * info.cols);
    let first = 0;
    parts.forEach((p, k) => {
      for (let r = 0; r < info.rows; r++) for (let c = 0; c < p.cols; c++) data[r * info.cols + first + c] = blocks[k][r * p.cols + c] * p.scale;
      first += p.cols;
    });
    return new Matrix({ ...info, scale: 1, type: "f32" }, data);
  }

  /** Links and routers, which nearly all views need. */
  core(): Promise<Core> {
    this.coreOnce ??= loadCore(this);
    return this.coreOnce;
  }
}

/** Reports whether the tables of links and routers are the same arrays. */
function sameArrays(a: Run["tables"], b: Run["tables"]): boolean {
  const arrays = (t: Run["tables"]) => ["links", "routers"].flatMap((name) => t[name]?.columns.map((c) => c.blob) ?? []).join();
  return arrays(a) === arrays(b);
}

/** The kind of links between routers, as a word in the column of kinds. */
export const BETWEEN = "router";

export interface Links {
  count: number;
  router: Numbers;
  port: Numbers;
  to: Numbers;
  /** 1: between routers, 0: between a router and a NIC. */
  between: Uint8Array;
  dimension: Numbers | undefined;
  level: Numbers | undefined;
  utilization: Numbers;
  /** Bytes per second. */
  bandwidth: Numbers;
  bytes: Numbers;
  table: Table;
}

export interface Routers {
  count: number;
  coordinates: Numbers[];
  level: Numbers | undefined;
  group: Numbers | undefined;
  x: Numbers | undefined;
  y: Numbers | undefined;
  z: Numbers | undefined;
  table: Table;
}

/** The network of a run. */
export class Core {
  constructor(
    readonly run: RunData,
    readonly links: Links,
    readonly routers: Routers,
    /** Ranks with their hosts' routers; null if there are none. */
    readonly ranks: Table | null = null,
  ) {}

  private readonly counts = new Map<RowKind, Int32Array>();

  /** The number of links that each row of a kind represents; for routers, their links to other routers. */
  linksOf(kind: RowKind): Int32Array {
    let counts = this.counts.get(kind);
    if (counts) return counts;
    const { links } = this;
    const of = kind === "router" ? links.router : kind === "dimension" ? links.dimension : kind === "level" ? links.level : undefined;
    let rows = kind === "router" ? this.routers.count : kind === "link" ? links.count : 0;
    if (kind !== "router") for (const row of of ?? []) rows = Math.max(rows, row + 1);
    counts = new Int32Array(rows).fill(of ? 0 : 1);
    if (of) for (let l = 0; l < links.count; l++) if (of[l] >= 0 && (kind === "level" || links.between[l] === 1)) counts[of[l]]++;
    this.counts.set(kind, counts);
    return counts;
  }

  routerName(r: number): string {
    if (r < 0) return "";
    const name = this.routers.table.text("name", r);
    if (name !== "") return name;
    const c = this.routers.coordinates;
    return c.length > 0 ? "(" + c.map((d) => d[r]).join(",") + ")" : String(r);
  }

  /** A link's name as the command prints it, for small spaces. A link between routers is named after its start. */
  linkShort(l: number): string {
    const port = this.links.table.text("port_name", l);
    const kind = this.links.table.text("kind", l);
    const router = this.routerName(this.links.router[l]);
    if (port === "") return this.linkName(l);
    return kind === "injection" ? `${port} to ${router}` : kind === "ejection" ? `${router} to ${port}` : `${router} ${port}`;
  }

  private hosted: Map<number, number[]> | undefined;

  /** The ranks on hosts of a router. */
  ranksAt(router: number): number[] {
    if (!this.hosted) {
      this.hosted = new Map();
      const [rank, at] = [this.ranks?.get("rank"), this.ranks?.get("router")];
      for (let i = 0; rank && at && i < at.length; i++) this.hosted.set(at[i], [...(this.hosted.get(at[i]) ?? []), rank[i]]);
    }
    return this.hosted.get(router) ?? [];
  }

  /** The router of a rank's host; -1 if unknown. */
  routerOf(rank: number): number {
    const [ranks, at] = [this.ranks?.get("rank"), this.ranks?.get("router")];
    return at?.[ranks?.indexOf(rank) ?? -1] ?? -1;
  }

  linkName(l: number): string {
    const { links } = this;
    const kind = links.table.text("kind", l);
    const router = this.routerName(links.router[l]);
    const nic = links.table.at("nic", l);
    if (kind === "injection") return `NIC ${nic} → ${router}`;
    if (kind === "ejection") return `${router} → NIC ${nic}`;
    const port = links.table.text("port_name", l);
    return `${router} ${port} → ${this.routerName(links.to[l])}`;
  }
}

async function loadCore(run: RunData): Promise<Core> {
  const wanted = ["router", "port", "to_router", "nic", "kind", "class", "dimension", "level", "port_name", "wire_bytes", "utilization_fraction", "bandwidth_bytes_per_s", "busy_fraction", "packets"];
  const [links, routers, ranks] = await Promise.all([run.table("links", wanted), run.table("routers"), run.table("ranks", ["rank", "router"])]);
  const l = links ?? new Table({ rows: 0, columns: [] }, new Map());
  const r = routers ?? new Table({ rows: run.info.network?.routers ?? 0, columns: [] }, new Map());
  return new Core(run, coreLinks(l), coreRouters(r), ranks);
}

function coreLinks(t: Table): Links {
  const none = new Int32Array(t.rows);
  const kinds = t.dict("kind");
  const codes = t.get("kind");
  const between = new Uint8Array(t.rows).fill(1);
  if (codes) for (let i = 0; i < t.rows; i++) between[i] = kinds[codes[i]] === BETWEEN ? 1 : 0;
  return {
    count: t.rows,
    router: t.get("router") ?? none,
    port: t.get("port") ?? none,
    to: t.get("to_router") ?? none,
    between,
    dimension: t.get("dimension"),
    level: t.get("level"),
    utilization: t.get("utilization_fraction") ?? none,
    bandwidth: t.get("bandwidth_bytes_per_s") ?? none,
    bytes: t.get("wire_bytes") ?? none,
    table: t,
  };
}

function coreRouters(t: Table): Routers {
  const coordinates: Numbers[] = [];
  for (let d = 0; d < 7; d++) {
    const c = t.get("c" + d);
    if (c && c.length > 0 && c.some((v) => v >= 0)) coordinates.push(c);
  }
  return { count: t.rows, coordinates, level: t.get("level"), group: t.get("group"), x: t.get("x"), y: t.get("y"), z: t.get("z"), table: t };
}
