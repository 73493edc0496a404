import { expect, test } from "vitest";
import { categories, contrast, inkOn, ramp, rampStrings, stateColor } from "../src/color";

test("contrast is that of WCAG", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21);
  expect(contrast("#ffffff", "#009e73")).toBeCloseTo(3.42, 1);
});

test("text is read on every colour: those of states, categories, ramps, and any other", () => {
  const random = Array.from({ length: 2000 }, (_, i) => `rgb(${(i * 97) % 256},${(i * 57) % 256},${(i * 201) % 256})`);
  const states = ["compute", "overhead", "send", "serialization", "queueing", "wait", "travel", "late begin", "ended", "not over", "idle network", "another"].map(stateColor);
  for (const c of [...states, ...categories, ...rampStrings(ramp("viridis")), ...rampStrings(ramp("cividis")), ...random]) expect(contrast(inkOn(c), c), c).toBeGreaterThanOrEqual(4.5);
});
