/** Colours: colour maps suitable for colour-blind people, and the colours of the theme. */

import { interpolateCividis, interpolatePuOr, interpolateViridis } from "d3-scale-chromatic";

export type MapName = "viridis" | "cividis";

/** 256 colours as 0xAABBGGRR, which is the byte order of ImageData. */
export type Ramp = Uint32Array;

const ramps = new Map<string, Ramp>();

export function ramp(name: MapName | "difference"): Ramp {
  let r = ramps.get(name);
  if (!r) {
    const at = name === "viridis" ? interpolateViridis : name === "cividis" ? interpolateCividis : (t: number) => interpolatePuOr(1 - t);
    r = Uint32Array.from({ length: 256 }, (_, i) => pack(at(i / 255)));
    ramps.set(name, r);
  }
  return r;
}

/** A CSS colour, "#rrggbb" or "rgb(r, g, b)", as 0xAABBGGRR. */
export function pack(css: string): number {
  let rgb: number[];
  if (css.startsWith("#")) {
    const hex = css.length === 4 ? [...css.slice(1)].map((c) => c + c).join("") : css.slice(1);
    rgb = [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16));
  } else {
    rgb = (css.match(/[\d.]+/g) ?? ["0", "0", "0"]).slice(0, 3).map((n) => Math.round(Number(n)));
  }
  return ((255 << 24) | (rgb[2] << 16) | (rgb[1] << 8) | rgb[0]) >>> 0;
}

export function css(packed: number): string {
  return `rgb(${packed & 255},${(packed >> 8) & 255},${(packed >> 16) & 255})`;
}

/** The colours of a ramp as CSS strings, for drawing on a canvas. */
export function rampStrings(r: Ramp): string[] {
  return Array.from(r, css);
}

/** The index of a value in a ramp from 0 to most. */
export function shade(value: number, most: number): number {
  if (!(most > 0)) return 0;
  const i = (value / most) * 255;
  return i <= 0 || Number.isNaN(i) ? 0 : i >= 255 ? 255 : Math.round(i);
}

/** The colours of Okabe and Ito, ordered so that neighbours also differ in lightness. */
export const categories = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#8C6D31", "#7F7F7F"];

/** Colours of rank states and of the parts of the predicted time. */
const states: Record<string, string> = {
  compute: "#0072B2",
  overhead: "#56B4E9",
  send: "#CC79A7",
  serialization: "#E69F00",
  queueing: "#D55E00",
  "receive-wait": "#E69F00",
  wait: "#9AA3AE",
  waiting: "#9AA3AE",
  travel: "#009E73",
  "late begin": "#8C6D31",
  ended: "#D3D8DF",
  "not over": "#D3D8DF",
  "source queue": "#CC79A7",
  "idle network": "#56B4E9",
};

export function stateColor(state: string): string {
  return states[state] ?? states[state.split(" ")[0]] ?? "#8C6D31";
}

/**
 * Colours of the causes of the critical path. Any two differ for people who see no red, no green or no blue, too: a test
 * computes how they see them.
 */
export const causes: Record<string, string> = {
  compute: "#0072B2",
  "send-software": "#8A99FD",
  "receive-software": "#A5F7EE",
  polling: "#2C31AB",
  network: "#D55E00",
  request: "#E69F00",
  data: "#DFBB6B",
  match: "#A25831",
  local: "#009E73",
  "nic-read": "#D1C0FF",
  "nic-turn": "#600666",
  "one-sided": "#253B1D",
  noise: "#9E89AA",
  start: "#F0F30B",
  traffic: "#63435A",
  unknown: "#C5EFBA",
};

export function causeColor(cause: string): string {
  return causes[cause] ?? causes["unknown"];
}

/** The relative luminance of a colour, from 0 to 1 (WCAG 2.2). */
function luminance(color: string): number {
  const c = pack(color);
  const part = (shift: number) => {
    const v = ((c >> shift) & 255) / 255;
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * part(0) + 0.7152 * part(8) + 0.0722 * part(16);
}

/** The contrast of two colours, from 1 to 21 (WCAG 2.2). Text is legible from 4.5. */
export function contrast(a: string, b: string): number {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

/** Black or white, whichever has more contrast on a colour. */
export function inkOn(color: string): string {
  return ["#000000", "#ffffff"].reduce((a, b) => (contrast(b, color) > contrast(a, color) ? b : a));
}

/** A colour of the theme by its name, such as "--ink". */
export function theme(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
