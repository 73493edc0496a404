import { expect, test } from "vitest";
import { type Color, mixed, statesIn } from "../src/mix";
import { niceMax } from "../src/legend";
import { pan, Pyramid, zoom } from "../src/pyramid";
import { Matrix, Table, topOf } from "../src/tables";
import type { Numbers } from "../src/source";
import { Timeline } from "../src/timeline";
import { sorted } from "../src/views/sweep";
import { timeTicks } from "../src/views/heatmap";

function matrix(rows: number, cols: number, at: (r: number, c: number) => number): Matrix {
  const data = Float32Array.from({ length: rows * cols }, (_, i) => at(Math.floor(i / cols), i % cols));
  return new Matrix({ title: "", unit: "", rows, cols, row_kind: "link", scale: 1, blob: "", type: "f32", stat: "s", how: "value" }, data);
}

const gray = Uint32Array.from({ length: 256 }, (_, i) => i);

test("one hot cell among a thousand rows stays visible, however few pixels there are", () => {
  for (const hot of [0, 1, 511, 998, 999]) {
    const m = matrix(1000, 6, (r, c) => (r === hot && c === 4 ? 1 : 0));
    const p = new Pyramid(m, Int32Array.from({ length: 1000 }, (_, i) => i));
    for (const height of [3, 64, 333]) {
      const pixels = new Uint32Array(12 * height);
      p.paint(pixels, 12, height, { r0: 0, r1: 1000, c0: 0, c1: 6 }, "max", 1, gray, 7777);
      expect([...pixels].filter((v) => v === 255).length).toBeGreaterThan(0);
      expect(pixels[0 + 12 * (height >> 1)] === 7777 || pixels[12 * (height >> 1)] === 255).toBe(true);
    }
  }
});

test("where pixels are larger than cells each pixel is its cell, in the chosen order", () => {
  const m = matrix(4, 2, (r, c) => (r * 2 + c + 1) / 16);
  const p = new Pyramid(m, Int32Array.of(3, 1));
  const pixels = new Uint32Array(4 * 2);
  p.paint(pixels, 4, 2, { r0: 0, r1: 2, c0: 0, c1: 2 }, "mean", 1, gray, 0);
  expect([...pixels]).toEqual([7, 7, 8, 8, 3, 3, 4, 4].map((v) => Math.round((v / 16) * 255)));
});

/** Returns a generator of numbers from 0 to 1 that are the same in every run. */
function random(seed: number): () => number {
  return () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
}

test("a pixel shows the mean, or the largest, of what it says that it covers; together pixels cover all", () => {
  const next = random(18);
  for (let trial = 0; trial < 60; trial++) {
    const [rows, cols] = [1 + Math.floor(next() * 90), 1 + Math.floor(next() * 20)];
    const m = matrix(rows, cols, () => (next() < 0.4 ? 0 : next()));
    const order = Int32Array.from({ length: rows }, (_, i) => i).sort(() => next() - 0.5);
    const p = new Pyramid(m, order);
    const r0 = next() * (rows - 1) * 0.5;
    const c0 = next() * (cols - 1) * 0.5;
    const view = trial % 3 === 0 ? { r0: 0, r1: rows, c0: 0, c1: cols } : { r0, r1: r0 + Math.max(1, next() * (rows - r0)), c0, c1: c0 + Math.max(1, next() * (cols - c0)) };
    const [width, height] = [1 + Math.floor(next() * 30), 1 + Math.floor(next() * 30)];
    const seen = new Set<number>();
    let [inside, wrong, off] = [true, 0, 0];
    const [mean, largest] = (["mean", "max"] as const).map((how) => {
      const pixels = new Uint32Array(width * height);
      p.paint(pixels, width, height, view, how, 1, gray, 0);
      return pixels;
    });
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const c = p.cover(view, width, height, x, y);
        inside &&= c.r1 > c.r0 && c.c1 > c.c0 && c.r1 <= rows && c.c1 <= cols;
        let [sum, most, count] = [0, 0, 0];
        for (let r = c.r0; r < c.r1; r++) {
          for (let col = c.c0; col < c.c1; col++) {
            const v = m.at(order[r], col);
            seen.add(r * cols + col);
            sum += v;
            count++;
            most = Math.max(most, v);
          }
        }
        wrong = Math.max(wrong, Math.abs(p.mean(c) - sum / count), Math.abs(p.largest(c) - most));
        off = Math.max(off, Math.abs(mean[y * width + x] - (sum / count) * 255), Math.abs(largest[y * width + x] - most * 255));
      }
    }
    expect(inside).toBe(true);
    expect(wrong).toBeLessThan(1e-9);
    expect(off).toBeLessThan(0.51);
    if (trial % 3 === 0) expect(seen.size).toBe(rows * cols);
  }
});

test("means are over the chosen columns", () => {
  const m = matrix(2, 4, (r, c) => r * 10 + c);
  expect([...m.means(1, 3)]).toEqual([1.5, 11.5]);
  expect(m.max()).toBe(13);
});

test("a view never leaves the whole", () => {
  const whole = { r0: 0, r1: 100, c0: 0, c1: 10 };
  let v = zoom(whole, whole, 0.1, 95, null);
  expect(v.r1 - v.r0).toBeCloseTo(10);
  v = pan(v, whole, 50, -3);
  expect(v.r1).toBe(100);
  expect(v.c0).toBe(0);
  expect(zoom(v, whole, 1000, 50, 5)).toEqual(whole);
});

function timeline(rows: [rank: number, begin: number, end: number][]): Timeline {
  const column = (i: number) => Float64Array.from(rows, (r) => r[i]);
  const info = { rows: rows.length, columns: [] };
  return new Timeline(new Table(info, new Map<string, Numbers>([["rank", Int32Array.from(rows, (r) => r[0])], ["begin_ps", column(1)], ["end_ps", column(2)], ["state", new Uint16Array(rows.length)]])));
}

test("time in states is shared out to pixels without loss, and mixed by its shares", () => {
  const next = random(4);
  const rows: [number, number, number][] = [];
  for (let rank = 0; rank < 7; rank++) for (let t = 0; t < 1000; ) rows.push([rank, (t += next() * 40), (t += 1 + next() * 30)]);
  const t = timeline(rows);
  t.state.forEach((_, i) => (t.state[i] = i % 3));
  for (const [a, b, from, to, pixels] of [[0, 7, 0, 1100, 50], [2, 5, 130.5, 400, 7], [3, 4, 200, 201, 3]]) {
    const times = statesIn(t, 3, a, b, from, to, pixels);
    const want = [0, 0, 0];
    rows.forEach(([rank, begin, end], i) => rank >= a && rank < b && (want[i % 3] += Math.max(0, Math.min(to, end) - Math.max(from, begin))));
    for (let s = 0; s < 3; s++) expect(times.filter((_, i) => i % 3 === s).reduce((x, y) => x + y, 0)).toBeCloseTo(want[s], 6);
    const each = ((to - from) / pixels) * (b - a);
    for (let x = 0; x < pixels; x++) expect(times[3 * x] + times[3 * x + 1] + times[3 * x + 2]).toBeLessThanOrEqual(each * (1 + 1e-9));
  }
  const colors: Color[] = [[0, 0, 0], [200, 100, 0]];
  expect(mixed([1, 3], 0, colors, [0, 0, 200], 4, "mean")).toEqual([150, 75, 0]);
  expect(mixed([1, 1], 0, colors, [0, 0, 200], 4, "mean")).toEqual([50, 25, 100]);
  expect(mixed([1, 3], 0, colors, [0, 0, 200], 4, "max")).toEqual([200, 100, 0]);
  expect(mixed([0, 0], 0, colors, [0, 0, 200], 4, "mean")).toBeNull();
});

test("intervals are found by rank and time", () => {
  const t = timeline([[0, 0, 10], [0, 10, 30], [2, 5, 8], [2, 20, 25]]);
  expect(t.ranks).toBe(3);
  expect(t.span).toBe(30);
  expect(t.at(0, 0)).toBe(0);
  expect(t.at(0, 10)).toBe(1);
  expect(t.at(0, 30)).toBe(-1);
  expect(t.at(1, 5)).toBe(-1);
  expect(t.at(2, 8)).toBe(-1);
  expect(t.at(2, 24)).toBe(3);
  expect(t.at(9, 5)).toBe(-1);
});

test("colours end at a round value that is not below the largest", () => {
  expect(niceMax(0.43, "fraction")).toBe(0.5);
  expect(niceMax(0.97, "fraction")).toBe(1);
  expect(niceMax(1.03, "fraction")).toBe(1);
  expect(niceMax(1700, "bytes")).toBe(2000);
  expect(niceMax(0, "fraction")).toBe(1);
  for (let v = 0.001; v < 1e6; v *= 1.7) expect(niceMax(v, "ps")).toBeGreaterThanOrEqual(v);
});

test("a few values far above all others do not take the colours from them", () => {
  const values = Float32Array.from({ length: 10_000 }, (_, i) => (i < 5 ? 1 : 0.2));
  expect(topOf(values, null)).toBeLessThan(0.25);
  expect(topOf(values, null)).toBeGreaterThanOrEqual(0.2);
  expect(topOf(values.map((v) => Math.min(v, 0.25)), null)).toBeCloseTo(0.25);
});


test("ticks of time are round", () => {
  expect(timeTicks(0, 1000, 5)).toEqual([0, 200, 400, 600, 800, 1000]);
});

test("a table is sorted by a column, numbers as numbers", () => {
  const t = { title: "", axes: [], columns: [], curves: [], findings: [], rows: [{ cells: [10, "b"] }, { cells: [9, "a"] }, { cells: [100, "c"] }] };
  expect(sorted(t, 0, false).map((r) => r.cells[0])).toEqual([9, 10, 100]);
  expect(sorted(t, 1, true).map((r) => r.cells[1])).toEqual(["c", "b", "a"]);
});
