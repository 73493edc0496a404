import { expect, test } from "vitest";
import { causeColor, causes, pack } from "../src/color";
import { pieces } from "../src/names";
import { causesIn, CriticalPath, waitsIn } from "../src/path";
import { Table } from "../src/tables";
import { gain, holds } from "../src/views/costs";

const words = ["compute", "network", "receive-software"];

function table(columns: Record<string, number[]>, dicts: Record<string, string[]> = {}): Table {
  const rows = Object.values(columns)[0].length;
  const info = { rows, columns: Object.keys(columns).map((name) => ({ name, type: dicts[name] ? ("str" as const) : ("f64" as const), unit: "", title: name, blob: "", dict: dicts[name] })) };
  return new Table(info, new Map(Object.entries(columns).map(([name, list]) => [name, Float64Array.from(list)])));
}

/** Computation of 40 ps on rank 3, a message of 50 ps to rank 7 that waits for 25 ps, its receive of 10 ps there. */
function path(): CriticalPath {
  const segments = table({ rank: [3, 7, 7], begin_ps: [0, 40, 90], end_ps: [40, 90, 100], cause: [0, 1, 2], source: [-1, 3, 3], waits_ps: [0, 25, 0] }, { cause: words });
  const parts = table({ segment: [1, 1], part: [0, 1], part_ps: [25, 25] }, { part: ["wire", "order"] });
  const holders = table({ segment: [1], cause: [0], wait_ps: [25], messages: [1], itself: [0], link: [5], holder_link: [6], holder_rank: [2], holder_source: [2], holder_destination: [9] }, { cause: ["order"] });
  return new CriticalPath(segments, parts, holders, table({ segment: [1, 1, 1], link: [4, 5, 8] }));
}

test("a segment is found by its time, with its parts, its way and who was ahead", () => {
  const p = path();
  expect([0, 39, 40, 89.5, 90, 100, 1000].map((t) => p.at(t))).toEqual([0, 0, 1, 1, 2, 2, 2]);
  expect([0, 1, 2].map((i) => p.crosses(i))).toEqual([false, true, false]);
  expect(p.parts(1)).toEqual([{ part: "wire", ps: 25 }, { part: "order", ps: 25 }]);
  expect(p.way(1)).toEqual([4, 5, 8]);
  expect(p.way(0).concat(p.way(2))).toEqual([]);
  expect(p.holders(1)).toEqual([{ cause: "order", ps: 25, messages: 1, itself: false, link: 5, root: 6, rank: 2, source: 2, destination: 9 }]);
  expect(p.holders(2)).toEqual([]);
});

test("a pixel has the cause with the most of its time, and the share of waits", () => {
  const p = path();
  expect([...causesIn(p, 0, 100, 10)]).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 1, 2]);
  expect([...causesIn(p, 0, 100, 2)]).toEqual([0, 1]);
  expect([...causesIn(p, 0, 200, 4)]).toEqual([0, 1, -1, -1]);
  expect([...causesIn(p, 85, 95, 2)]).toEqual([1, 2]);
  const waits = waitsIn(p, 0, 100, 4);
  expect(waits.reduce((a, b) => a + b, 0) * 25).toBeCloseTo(25);
  expect([...waitsIn(p, 40, 90, 5)]).toEqual([0.5, 0.5, 0.5, 0.5, 0.5]);
  expect([...causesIn(p, 10, 10, 3)]).toEqual([-1, -1, -1]);
});

test("names in sentences are found, and nothing of a sentence is lost", () => {
  const text = "Ranks 40 to 47 start late; rank 3 waits for host 12 at {link 7}, frank 5.";
  const list = pieces(text);
  expect(list.filter((p) => p.kind !== "text")).toEqual([
    { kind: "ranks", first: 40, last: 47, text: "Ranks 40 to 47" },
    { kind: "ranks", first: 3, last: 3, text: "rank 3" },
    { kind: "host", id: 12 },
    { kind: "link", id: 7 },
  ]);
  expect(list.map((p) => (p.kind === "host" ? `host ${p.id}` : p.kind === "link" ? `{link ${p.id}}` : p.text)).join("")).toBe(text);
});

test("the gain is that of the better direction, and none where both cost time", () => {
  const d = { parameter: "p", unit: "bytes", count: 1, ps: 1, exact: true };
  expect(gain({ ...d, more_ps: -5, less_ps: 6 })).toBe(5);
  expect(gain({ ...d, more_ps: 3, less_ps: -3 })).toBe(3);
  expect(gain({ ...d, more_ps: 0, less_ps: 4 })).toBe(0);
});

test("a derivative says between which values it holds", () => {
  const d = { parameter: "p", unit: "bytes", count: 1, ps: 1, exact: true, more_ps: 1, less_ps: -1 };
  expect(holds(d)).toBe("exact");
  expect(holds({ ...d, exact: false })).toBe("estimated");
  expect(holds({ ...d, range: { from: 199_400, to: 200_600, unit: "ps" } })).toBe("exact from 199.4\u202fns to 200.6\u202fns");
  expect(holds({ ...d, range: { from: 7.5e9, to: 8e9, unit: "bytes/s" } })).toBe("exact from 7.5\u202fGB/s to 8\u202fGB/s");
});

/** What is left of linear red, green and blue for people who lack one kind of cones (Machado and others, 2009). */
const sights = {
  all: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritanopia: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
};

/** The place of a colour in CIELAB, as it is seen. */
function seen(color: string, sight: number[]): number[] {
  const c = pack(color);
  const linear = [0, 8, 16].map((shift) => ((c >> shift) & 255) / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  const by = (m: number[]) => (v: number[]) => [0, 3, 6].map((r) => m[r] * v[0] + m[r + 1] * v[1] + m[r + 2] * v[2]);
  const rgb = by(sight)(linear).map((v) => Math.min(1, Math.max(0, v)));
  const [x, y, z] = by([0.4124, 0.3576, 0.1805, 0.2126, 0.7152, 0.0722, 0.0193, 0.1192, 0.9505])(rgb).map((v, i) => v / [0.9505, 1, 1.089][i]).map((v) => (v > 0.008856 ? Math.cbrt(v) : 7.787 * v + 16 / 116));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

test("any two causes have colours that differ, also for those who lack a kind of cones", () => {
  const names = Object.keys(causes);
  for (const [who, sight] of Object.entries(sights)) {
    const places = names.map((n) => seen(causeColor(n), sight));
    for (let a = 0; a < names.length; a++) {
      for (let b = a + 1; b < names.length; b++) expect(Math.hypot(...places[a].map((v, i) => v - places[b][i])), `${who}: ${names[a]} and ${names[b]}`).toBeGreaterThan(14);
    }
  }
});
