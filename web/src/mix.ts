/** Time in rank states by pixel, for pixels that cover several ranks or intervals. */

import type { How } from "./data";
import type { Timeline } from "./timeline";

/** The time in each state, for each of the given number of pixels between two times, over ranks a to b-1. */
export function statesIn(t: Timeline, states: number, a: number, b: number, from: number, to: number, pixels: number): Float64Array {
  const times = new Float64Array(pixels * states);
  const each = (to - from) / pixels;
  for (let rank = a; rank < b; rank++) {
    const [first, last] = t.from(rank, from);
    for (let i = first; i < last && t.begin[i] < to; i++) {
      const begin = Math.max(from, t.begin[i]);
      const end = Math.min(to, t.end[i]);
      const x1 = Math.min(pixels - 1, Math.floor((end - from) / each));
      for (let x = Math.max(0, Math.floor((begin - from) / each)); x <= x1; x++) {
        times[x * states + t.state[i]] += Math.max(0, Math.min(end, from + (x + 1) * each) - Math.max(begin, from + x * each));
      }
    }
  }
  return times;
}

export type Color = [number, number, number];

/**
 * The colour of a pixel: the colours of its states mixed by their times, with the ground colour for time in no state;
 * or the colour of the state with the most time. Null if the pixel covers no time.
 */
export function mixed(times: ArrayLike<number>, at: number, colors: Color[], ground: Color, whole: number, how: How): Color | null {
  let sum = 0;
  let most = 0;
  for (let s = 0; s < colors.length; s++) {
    sum += times[at + s];
    if (times[at + s] > times[at + most]) most = s;
  }
  if (!(sum > 0)) return null;
  if (how === "max") return colors[most];
  const rest = Math.max(0, whole - sum);
  const part = (k: number) => {
    let v = ground[k] * rest;
    for (let s = 0; s < colors.length; s++) v += colors[s][k] * times[at + s];
    return Math.round(v / (sum + rest));
  };
  return [part(0), part(1), part(2)];
}
