import { expect, test } from "vitest";
import { axisUnit, bytes, count, digits, figure, percent, quantity, rate, ratio, seconds, time } from "../src/format";

const plain = (text: string) => text.replaceAll("\u202f", " ");

test("ratios have one form", () => {
  const cases: [number, string][] = [[20.13, "20.1x"], [20, "20x"], [0.2401, "0.24x"], [1, "="], [1.004, "1.004x"], [0.996, "0.996x"], [1234, "1234x"], [0.00877, "0.00877x"]];
  for (const [value, text] of cases) expect(ratio(value)).toBe(text);
});

test("digits keeps three of them, and no trailing zeros", () => {
  const cases: [number, string][] = [
    [0, "0"],
    [1, "1"],
    [1.5, "1.5"],
    [123456, "123456"],
    [0.012345, "0.0123"],
    [-2.3456, "-2.35"],
    [NaN, "–"],
  ];
  for (const [value, want] of cases) expect(digits(value)).toBe(want);
});

test("times get the unit in which they are at least 1", () => {
  expect(plain(time(999))).toBe("999 ps");
  expect(plain(time(1000))).toBe("1 ns");
  expect(plain(time(999_700))).toBe("1 µs");
  expect(plain(time(12_345_678))).toBe("12.3 µs");
  expect(plain(time(3.2e12))).toBe("3.2 s");
});

test("sizes are binary, rates decimal", () => {
  expect(plain(bytes(65536))).toBe("64 KiB");
  expect(plain(rate(2.5e9))).toBe("2.5 GB/s");
  expect(plain(count(1234567))).toBe("1 234 567");
});

test("shares", () => {
  expect(plain(percent(0.4567))).toBe("45.7 %");
  expect(plain(percent(0.0001))).toBe("< 0.1 %");
  expect(plain(percent(1))).toBe("100 %");
  expect(plain(percent(0))).toBe("0 %");
});

test("quantity follows the unit", () => {
  expect(plain(quantity(1500, "ps"))).toBe("1.5 ns");
  expect(plain(quantity(75_497_472, "bytes"))).toBe("75.5 MB");
  expect(plain(figure(261_632, "messages", "messages sent"))).toBe("261 632");
  expect(plain(figure(0.75, "s", "simulated in"))).toBe("0.75 s");
  expect(plain(quantity(0.5, "fraction"))).toBe("50 %");
  expect(quantity("text", "ps")).toBe("text");
  expect(quantity(null, "ps")).toBe("–");
});

test("an axis has one unit for all its values", () => {
  expect(axisUnit(25_000_000, "ps")).toEqual({ factor: 1e6, unit: "µs" });
  expect(axisUnit(0.9, "fraction")).toEqual({ factor: 0.01, unit: "%" });
});

test("real time", () => {
  expect(plain(seconds(125))).toBe("2 min 5 s");
  expect(plain(seconds(7260))).toBe("2 h 1 min");
});
