/** The colour bar that shows the value of each colour. */

import { css, type Ramp } from "./color";
import { h } from "./dom";
import { quantity } from "./format";

export function legend(): { element: HTMLElement; set(ramp: Ramp, low: number, high: number, unit: string, title: string, more?: boolean): void } {
  const canvas = h("canvas", { width: 256, height: 1, role: "img" });
  const low = h("span");
  const high = h("span");
  const title = h("span", { class: "what" });
  return {
    element: h("div", { class: "legend" }, title, h("span", { class: "scale" }, low, canvas, high)),
    set(ramp, from, to, unit, text, more = false) {
      const c = canvas.getContext("2d")!;
      for (let i = 0; i < 256; i++) {
        c.fillStyle = css(ramp[i]);
        c.fillRect(i, 0, 1, 1);
      }
      low.textContent = quantity(from, unit);
      high.textContent = (more ? "≥ " : "") + quantity(to, unit);
      title.textContent = text;
      canvas.setAttribute("aria-label", `Colours from ${low.textContent} to ${high.textContent}`);
    },
  };
}

/** A rounded value not below the maximum, for the upper end of the colour scale. */
export function niceMax(value: number, unit: string, limit = unit === "fraction" ? 1 : NaN): number {
  if (!(value > 0)) return 1;
  // A value may exceed its limit slightly by rounding, and because a packet counts in the interval in which it starts.
  if (value > 0.8 * limit && value < 1.1 * limit) return limit;
  const size = 10 ** Math.floor(Math.log10(value));
  for (const step of [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]) {
    if (value <= step * size * (1 + 1e-6)) return unit === "fraction" && value <= 1 ? Math.min(1, step * size) : step * size;
  }
  return 10 * size;
}
