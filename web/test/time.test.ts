import { expect, test } from "vitest";
import { niceMax, niceRange } from "../src/legend";
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
      p.paint(pixels, 12, height, { r0: 0, r1: 1000, c0: 0, c1: 6 }, 1, gray, 7777);
      expect([...pixels].filter((v) => v === 255).length).toBeGreaterThan(0);
      expect(pixels[0 + 12 * (height >> 1)] === 7777 || pixels[12 * (height >> 1)] === 255).toBe(true);
    }
  }
});

test("where pixels are larger than cells each pixel is its cell, in the chosen order", () => {
  const m = matrix(4, 2, (r, c) => (r * 2 + c + 1) / 16);
  const p = new Pyramid(m, Int32Array.of(3, 1));
  const pixels = new Uint32Array(4 * 2);
  p.paint(pixels, 4, 2, { r0: 0, r1: 2, c0: 0, c1: 2 }, 1, gray, 0);
  expect([...pixels]).toEqual([7, 7, 8, 8, 3, 3, 4, 4].map((v) => Math.round((v / 16) * 255)));
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

test("a range begins at 0 unless that hides how values differ", () => {
  expect(niceRange([0.1, 0.5], "fraction")).toEqual([0, 0.5]);
  const [low, high] = niceRange([0.41, 0.48], "fraction");
  expect(low).toBeCloseTo(0.41);
  expect(high).toBeCloseTo(0.48);
  const [from, to] = niceRange([0.1319, 0.1321], "fraction"); // so alike that they should look alike
  expect(to - from).toBeGreaterThan(0.01);
  expect(from).toBeLessThan(0.1319);
});

test("ticks of time are round", () => {
  expect(timeTicks(0, 1000, 5)).toEqual([0, 200, 400, 600, 800, 1000]);
});

test("a table is sorted by a column, numbers as numbers", () => {
  const t = { title: "", axes: [], columns: [], curves: [], findings: [], rows: [{ cells: [10, "b"] }, { cells: [9, "a"] }, { cells: [100, "c"] }] };
  expect(sorted(t, 0, false).map((r) => r.cells[0])).toEqual([9, 10, 100]);
  expect(sorted(t, 1, true).map((r) => r.cells[1])).toEqual(["c", "b", "a"]);
});
