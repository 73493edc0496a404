/** Made-up tables and matrices, in memory. */

import type { Bins, ColumnInfo, ColumnType, Manifest, MatrixInfo, Network, Run, RowKind, Summary, TableInfo } from "../src/data";
import type { Source } from "../src/source";

export class MemorySource implements Source {
  readonly blobs = new Map<string, ArrayBuffer>();
  constructor(public made: Manifest | null = null) {}

  async manifest(): Promise<Manifest> {
    return this.made!;
  }

  async blob(name: string): Promise<ArrayBuffer> {
    const b = this.blobs.get(name);
    if (!b) throw new Error("no blob " + name);
    return b;
  }

  forget(): void {}
  listen(): void {}
  async rewind(): Promise<void> {}
}

/** A pseudo-random number from 0 to 1, always the same one for a seed. */
export function random(seed: number): number {
  let t = (seed * 2654435761 + 0x6d2b79f5) | 0;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}

export type Values = ArrayLike<number> | string[];

export class RunBuilder {
  readonly run: Run;

  constructor(
    private readonly source: MemorySource,
    id: string,
    name: string,
    network: Network,
    bins: Bins | null,
    summary: Summary,
  ) {
    this.run = { id, name, result: { result_hash: "0f4c1d2be6a94c7713b05e1a9f60d7c2" }, network, bins, progress: null, summary, tables: {}, matrices: {} };
  }

  table(name: string, columns: [name: string, type: ColumnType, unit: string, values: Values][], note?: string): void {
    const infos: ColumnInfo[] = [];
    let rows = 0;
    for (const [column, type, unit, values] of columns) {
      const blob = `${this.run.id}.${name}.${column}`;
      const info: ColumnInfo = { name: column, type, unit, title: column, blob };
      rows = values.length;
      if (type === "str") {
        const words = [...new Set(values as string[])];
        info.dict = words;
        const codes = new Map(words.map((w, i) => [w, i]));
        this.source.blobs.set(blob, Uint16Array.from(values as string[], (w) => codes.get(w)!).buffer);
      } else this.source.blobs.set(blob, typed(type, values as ArrayLike<number>));
      infos.push(info);
    }
    const info: TableInfo = { rows, columns: infos };
    if (note) info.note = note;
    this.run.tables[name] = info;
  }

  matrix(stat: string, kind: RowKind, how: "value" | "mean" | "max", title: string, unit: string, rows: number, cols: number, values: Float32Array, most: number, names: string[] | null = null): void {
    const key = `${kind}_${stat}_${how}`;
    const blob = `${this.run.id}.matrix.${key}`;
    const scale = most / 255;
    this.source.blobs.set(blob, Uint8Array.from(values, (v) => Math.min(255, Math.round(v / scale))).buffer);
    const info: MatrixInfo = { title, unit, rows, cols, row_kind: kind, row_names: names, scale, blob, type: "u8", stat, how };
    this.run.matrices[key] = info;
  }
}

function typed(type: ColumnType, values: ArrayLike<number>): ArrayBuffer {
  switch (type) {
    case "i32":
      return Int32Array.from(values).buffer;
    case "f32":
      return Float32Array.from(values).buffer;
    case "u8":
      return Uint8Array.from(values).buffer;
    case "u16":
      return Uint16Array.from(values).buffer;
    default:
      return Float64Array.from(values).buffer;
  }
}
