import { expect, test } from "vitest";
import { exactTime, parseNumbers, parseTime, quoted } from "../src/period";

test("times are written to the last digit, and read back", () => {
  const cases: [number, string][] = [
    [0, "0ps"],
    [999, "999ps"],
    [1000, "1ns"],
    [1_234_567, "1.234567us"],
    [1_200_000_000, "1.2ms"],
    [10_000_000_000_001, "10.000000000001s"],
  ];
  for (const [ps, text] of cases) {
    expect(exactTime(ps)).toBe(text);
    expect(parseTime(text)).toBe(ps);
  }
  expect(parseTime(" 5 µs ")).toBe(5_000_000);
  for (const text of ["", "5", "us", "-1us", "1.2.3us", "1h"]) expect(parseTime(text)).toBe(null);
});

test("numbers are separated by commas or blanks", () => {
  expect(parseNumbers("")).toEqual([]);
  expect(parseNumbers("1, 2,3 4")).toEqual([1, 2, 3, 4]);
  for (const text of ["-1", "a", "1-3", "1.5"]) expect(parseNumbers(text)).toBe(null);
});

test("words are quoted where a shell needs that", () => {
  expect(quoted("results/long-1.2ms")).toBe("results/long-1.2ms");
  expect(quoted("a b")).toBe("'a b'");
  expect(quoted("it's")).toBe("'it'\\''s'");
  expect(quoted("$(x)")).toBe("'$(x)'");
});
