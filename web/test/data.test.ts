import { expect, test } from "vitest";
import { MemorySource } from "../dev/build";
import { dragonfly, fatTree, makeRun, torus } from "../dev/networks";
import { csv } from "../src/export";
import { binWindow, maskLinks, maskRouters } from "../src/state";
import { type Core, RunData } from "../src/tables";
import { fromBase64, inflate } from "../src/source";
import { layOut, modes } from "../src/network/layout";
import { pairPanels } from "../src/views/pairs";
import { ofLinks } from "../src/load";
import { chosenPackets } from "../src/views/packets";
import { compareRows } from "../src/views/compare";

async function coreOf(shape: ReturnType<typeof torus>): Promise<Core> {
  const source = new MemorySource();
  const run = makeRun(source, shape, { id: "r0", name: "test", bins: 8, seed: 1, ranks: 8 }).run;
  return new RunData(run, source).core();
}

test("a period covers the bins that it touches, at least one", () => {
  const bins = { interval_ps: 100, count: 10, end_ps: 1000 };
  expect(binWindow(bins, null, null)).toEqual([0, 10]);
  expect(binWindow(bins, [100, 300], null)).toEqual([1, 3]);
  expect(binWindow(bins, [150, 160], null)).toEqual([1, 2]);
  expect(binWindow(bins, [990, 5000], null)).toEqual([9, 10]);
  expect(binWindow(bins, [100, 300], 7.6)).toEqual([7, 8]);
  expect(binWindow(null, null, null)).toEqual([0, 0]);
});

test("routers stand for the links that leave them, links for the routers at their ends", async () => {
  const core = await coreOf(torus([3, 3]));
  const mask = maskLinks(core, { kind: "router", rows: Int32Array.of(4), label: "" });
  const chosen = [...mask.keys()].filter((l) => mask[l] === 1);
  expect(chosen.map((l) => core.links.router[l])).toEqual([4, 4, 4, 4]);
  const routers = maskRouters(core, { kind: "link", rows: Int32Array.of(chosen[0]), label: "" });
  expect([...routers.keys()].filter((r) => routers[r] === 1).sort()).toEqual([4, core.links.to[chosen[0]]].sort());
});

test("a dimension stands for its links", async () => {
  const core = await coreOf(torus([3, 3]));
  const mask = maskLinks(core, { kind: "dimension", rows: Int32Array.of(1), label: "" });
  expect(mask.reduce((a, b) => a + b)).toBe(core.links.count / 2);
});

test("names are coordinates and ports", async () => {
  const core = await coreOf(torus([4, 4, 4]));
  expect(core.routerName(5)).toBe("(1,1,0)");
  expect(core.linkName(0)).toBe("(0,0,0) +x → (1,0,0)");
});

test("no two routers are drawn at one place, in any layout", async () => {
  const shapes = [torus([4, 4]), torus([4, 3, 5]), torus([2, 3, 2, 3]), fatTree(8), dragonfly(4, 2)];
  for (const shape of shapes) {
    const core = await coreOf(shape);
    for (const mode of modes(core, shape.network.layout)) {
      const s = layOut(core, shape.network, mode);
      const places = new Set(Array.from(s.x, (x, r) => [x, s.y[r], s.z?.[r] ?? 0].map((v) => v.toFixed(3)).join()));
      expect(places.size).toBe(shape.network.routers);
    }
  }
});

test("neighbours of a plane are 1 apart", async () => {
  const core = await coreOf(torus([4, 3, 5]));
  const s = layOut(core, core.run.info.network, "flat");
  expect(Math.hypot(s.x[1] - s.x[0], s.y[1] - s.y[0])).toBeCloseTo(1);
  expect(Math.hypot(s.x[4] - s.x[0], s.y[4] - s.y[0])).toBeCloseTo(1);
});

test("load over pairs of dimensions is the mean of the links that leave", async () => {
  const core = await coreOf(torus([2, 3, 2]));
  const values = Float32Array.from({ length: core.links.count }, (_, l) => core.routers.coordinates[0][core.links.router[l]]);
  const panels = pairPanels(core, values, -1);
  expect(panels.map((p) => [p.a, p.b])).toEqual([[0, 1], [0, 2], [1, 2]]);
  expect([...panels[0].mean]).toEqual([0, 1, 0, 1, 0, 1]);
  expect([...panels[2].mean]).toEqual([0.5, 0.5, 0.5, 0.5, 0.5, 0.5]);
});

test("a router's load is the mean of its links, or the largest", async () => {
  const core = await coreOf(torus([3, 3]));
  const values = new Float32Array(core.links.count);
  values[5] = 0.7;
  const { means, largest, routers } = ofLinks(core, values, "mean");
  const r = core.links.router[5];
  expect(core.linksOf("router")[r]).toBe(4);
  expect(means[r]).toBeCloseTo(0.7 / 4);
  expect(largest[r]).toBeCloseTo(0.7);
  expect(means.reduce((a, b) => a + b)).toBeCloseTo(0.7 / 4);
  expect(routers).toBe(means);
  expect(ofLinks(core, values, "max").routers[r]).toBeCloseTo(0.7);
});

test("packets of chosen routers and period only", async () => {
  const source = new MemorySource();
  const run = makeRun(source, torus([4, 4]), { id: "r0", name: "test", bins: 8, seed: 1, ranks: 8 }).run;
  const log = (await new RunData(run, source).table("buffer_log"))!;
  const mask = new Uint8Array(16);
  mask[3] = 1;
  const rows = chosenPackets(log, mask, null, [100_000, 900_000]);
  expect(rows.length).toBeGreaterThan(0);
  for (const r of rows) {
    expect(log.at("router", r)).toBe(3);
    expect(log.at("out_ps", r)).toBeGreaterThanOrEqual(100_000);
    expect(log.at("in_ps", r)).toBeLessThan(900_000);
  }
  expect(chosenPackets(log, null, null, null).length).toBe(log.rows);
});

test("runs are compared figure by figure", () => {
  const source = new MemorySource();
  const make = (id: string, bins: number) => new RunData(makeRun(source, torus([3, 3]), { id, name: id, bins, seed: 1, ranks: 4 }).run, source);
  const rows = compareRows([make("a", 8), make("b", 16)]);
  expect(rows[0].values).toEqual([2_000_000, 4_000_000]);
  expect(new Set(rows.map((r) => r.what)).size).toBe(rows.length);
});

test("values are quoted where they must be", () => {
  expect(csv(["a", "b"], [["x,y", 'say "no"'], [1.5, null]])).toBe('a,b\n"x,y","say ""no"""\n1.5,\n');
});

test("blobs are gzip, or plain", async () => {
  const packed = await new Response(new Blob([Uint8Array.of(1, 2, 250)]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
  expect([...new Uint8Array(await inflate(new Uint8Array(packed)))]).toEqual([1, 2, 250]);
  expect([...new Uint8Array(await inflate(Uint8Array.of(9, 8, 7)))]).toEqual([9, 8, 7]);
});

test("base64 becomes bytes", () => {
  expect([...fromBase64(" AAH6/w== ")]).toEqual([0, 1, 250, 255]);
});
