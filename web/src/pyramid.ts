/**
 * A matrix in a chosen order of rows, with its rows put together by two, by four and
 * so on, so that a picture of any part of it takes as long as it has pixels. What is
 * put together keeps its largest value: a hot link among cold ones stays visible.
 */

import type { Matrix } from "./tables";

type Cells = Uint8Array | Uint16Array | Float32Array;

export class Pyramid {
  readonly rows: number;
  readonly cols: number;
  private readonly levels: Cells[];

  constructor(
    readonly matrix: Matrix,
    /** Rows of the matrix, in the order in which they are shown. */
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
   * Draws rows r0 to r1 and columns c0 to c1, which may be fractions, over width × height
   * pixels. Values are looked up in a ramp of 256 colours from 0 to most; 0 is drawn as idle.
   */
  paint(pixels: Uint32Array, width: number, height: number, view: View, most: number, ramp: Uint32Array, idle: number): void {
    const { cols } = this;
    const perPixel = (view.r1 - view.r0) / height;
    const level = Math.min(this.levels.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, perPixel)))));
    const cells = this.levels[level];
    const size = 2 ** level;
    const last = Math.ceil(this.rows / size) - 1;
    const factor = most > 0 ? (255 * this.matrix.scale) / most : 0;
    const from = new Int32Array(width + 1);
    for (let x = 0; x <= width; x++) from[x] = Math.floor(view.c0 + (x * (view.c1 - view.c0)) / width);
    for (let y = 0; y < height; y++) {
      const a = Math.min(last, Math.floor((view.r0 + y * perPixel) / size));
      const b = Math.min(last, Math.max(a, Math.ceil((view.r0 + (y + 1) * perPixel) / size) - 1));
      for (let x = 0; x < width; x++) {
        let value = 0;
        const c0 = Math.min(cols - 1, Math.max(0, from[x]));
        const c1 = Math.min(cols, Math.max(c0 + 1, from[x + 1]));
        for (let r = a; r <= b; r++) {
          for (let i = r * cols + c0, end = r * cols + c1; i < end; i++) if (cells[i] > value) value = cells[i];
        }
        pixels[y * width + x] = value === 0 ? idle : ramp[Math.min(255, Math.round(value * factor))];
      }
    }
  }
}

/** The part of a matrix that is shown. */
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

/** Makes a view smaller or larger around a place, within the whole. */
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

/** Moves a view by rows and columns, within the whole. */
export function pan(view: View, whole: View, rows: number, cols: number): View {
  const [r0, r1] = within(view.r0 + rows, view.r1 - view.r0, whole.r0, whole.r1);
  const [c0, c1] = within(view.c0 + cols, view.c1 - view.c0, whole.c0, whole.c1);
  return { r0, r1, c0, c1 };
}

function within(start: number, size: number, low: number, high: number): [number, number] {
  const a = Math.max(low, Math.min(high - size, start));
  return [a, a + size];
}
