/**
 * A matrix in a given order of rows, preprocessed so that drawing any part of it takes a time about proportional to the
 * number of pixels. A pixel may cover many rows and columns: it shows their mean or their maximum. Means are computed
 * from prefix sums over rows, maxima from rows merged in groups of two, four and so on.
 */

import type { How } from "./data";
import type { Matrix } from "./tables";

type Cells = Uint8Array | Uint16Array | Float32Array;

/** The rows r0 to r1-1 and columns c0 to c1-1 that a pixel covers. */
export interface Cover {
  r0: number;
  r1: number;
  c0: number;
  c1: number;
}

export class Pyramid {
  readonly rows: number;
  readonly cols: number;
  private readonly levels: Cells[];
  /** Prefix sums of each column over the rows; computed on first use. */
  private sums: Float64Array | undefined;

  constructor(
    readonly matrix: Matrix,
    /** Rows of the matrix, in display order. */
    readonly order: Int32Array,
  ) {
    this.rows = order.length;
    this.cols = matrix.cols;
    this.levels = [gather(matrix, order)];
    for (let rows = this.rows; rows > 1; rows = (rows + 1) >> 1) {
      this.levels.push(halve(this.levels[this.levels.length - 1], rows, this.cols));
    }
  }

  /**
   * Draws rows r0 to r1 and columns c0 to c1, which may be fractional, over width × height pixels. A value from 0 to
   * most selects a colour of a ramp of 256; 0 is drawn in the colour idle.
   */
  paint(pixels: Uint32Array, width: number, height: number, view: View, how: How, most: number, ramp: Uint32Array, idle: number): void {
    const factor = most > 0 ? 255 / most : 0;
    const value = how === "mean" ? (c: Cover) => this.mean(c) : (c: Cover) => this.largest(c);
    const columns = Array.from({ length: width }, (_, x) => span(view.c0, view.c1, width, x, this.cols));
    for (let y = 0; y < height; y++) {
      const [r0, r1] = span(view.r0, view.r1, height, y, this.rows);
      for (let x = 0; x < width; x++) {
        const [c0, c1] = columns[x];
        const v = value({ r0, r1, c0, c1 });
        pixels[y * width + x] = v <= most * 1e-6 ? idle : ramp[Math.min(255, Math.round(v * factor))];
      }
    }
  }

  /** The rows and columns that a pixel of an image of the given size covers. */
  cover(view: View, width: number, height: number, x: number, y: number): Cover {
    const [r0, r1] = span(view.r0, view.r1, height, y, this.rows);
    const [c0, c1] = span(view.c0, view.c1, width, x, this.cols);
    return { r0, r1, c0, c1 };
  }

  mean({ r0, r1, c0, c1 }: Cover): number {
    this.sums ??= prefix(this.levels[0], this.rows, this.cols);
    let sum = 0;
    for (let c = c0; c < c1; c++) sum += this.sums[r1 * this.cols + c] - this.sums[r0 * this.cols + c];
    return (sum / ((r1 - r0) * (c1 - c0))) * this.matrix.scale;
  }

  largest({ r0, r1, c0, c1 }: Cover): number {
    let value = 0;
    for (let r = r0; r < r1; ) {
      let level = 0;
      while (level + 1 < this.levels.length && r % 2 ** (level + 1) === 0 && r + 2 ** (level + 1) <= r1) level++;
      const cells = this.levels[level];
      for (let i = (r >> level) * this.cols + c0, end = i + c1 - c0; i < end; i++) if (cells[i] > value) value = cells[i];
      r += 2 ** level;
    }
    return value * this.matrix.scale;
  }
}

/** The steps that pixel `at` touches, if the range from low to high is spread over the given number of pixels. */
function span(low: number, high: number, pixels: number, at: number, count: number): [number, number] {
  const each = (high - low) / pixels;
  const a = Math.min(count - 1, Math.max(0, Math.floor(low + at * each + 1e-9)));
  const b = Math.min(count, Math.max(a + 1, Math.ceil(low + (at + 1) * each - 1e-9)));
  return [a, b];
}

function prefix(cells: Cells, rows: number, cols: number): Float64Array {
  const sums = new Float64Array((rows + 1) * cols);
  for (let i = 0; i < rows * cols; i++) sums[i + cols] = sums[i] + cells[i];
  return sums;
}

/** The visible part of a matrix. */
export interface View {
  r0: number;
  r1: number;
  c0: number;
  c1: number;
}

function gather(m: Matrix, order: Int32Array): Cells {
  const { cols, data } = m;
  const out = new (data.constructor as new (n: number) => Cells)(order.length * cols);
  for (let i = 0; i < order.length; i++) out.set(data.subarray(order[i] * cols, (order[i] + 1) * cols), i * cols);
  return out;
}

function halve(cells: Cells, rows: number, cols: number): Cells {
  const half = (rows + 1) >> 1;
  const out = new (cells.constructor as new (n: number) => Cells)(half * cols);
  for (let r = 0; r < half; r++) {
    const a = 2 * r * cols;
    const b = 2 * r + 1 < rows ? a + cols : a;
    for (let c = 0; c < cols; c++) out[r * cols + c] = Math.max(cells[a + c], cells[b + c]);
  }
  return out;
}

/** Zooms a view in or out around a position, limited to the whole matrix. */
export function zoom(view: View, whole: View, factor: number, row: number | null, col: number | null): View {
  const next = { ...view };
  if (row !== null) [next.r0, next.r1] = zoomed(view.r0, view.r1, whole.r0, whole.r1, factor, row);
  if (col !== null) [next.c0, next.c1] = zoomed(view.c0, view.c1, whole.c0, whole.c1, factor, col);
  return next;
}

function zoomed(a: number, b: number, low: number, high: number, factor: number, at: number): [number, number] {
  const size = Math.min(high - low, Math.max(Math.min(1, high - low), (b - a) * factor));
  const start = at - ((at - a) / (b - a)) * size;
  return within(start, size, low, high);
}

/** Moves a view by rows and columns, limited to the whole matrix. */
export function pan(view: View, whole: View, rows: number, cols: number): View {
  const [r0, r1] = within(view.r0 + rows, view.r1 - view.r0, whole.r0, whole.r1);
  const [c0, c1] = within(view.c0 + cols, view.c1 - view.c0, whole.c0, whole.c1);
  return { r0, r1, c0, c1 };
}

function within(start: number, size: number, low: number, high: number): [number, number] {
  const a = Math.max(low, Math.min(high - size, start));
  return [a, a + size];
}
