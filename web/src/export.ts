/** Downloads: charts as SVG or PNG, their data as CSV. */

import { theme } from "./color";
import { h } from "./dom";

export function download(name: string, data: Blob): void {
  const url = URL.createObjectURL(data);
  const a = h("a", { href: url, download: name });
  document.body.append(a);
  a.click();
  a.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Comma-separated values, quoted where needed. */
export function csv(head: string[], rows: Iterable<(string | number | boolean | null | undefined)[]>): string {
  const cell = (v: string | number | boolean | null | undefined) => {
    const text = v === null || v === undefined ? "" : String(v);
    return /[",\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  };
  const lines = [head.map(cell).join(",")];
  for (const row of rows) lines.push(row.map(cell).join(","));
  return lines.join("\n") + "\n";
}

const styles = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "opacity", "fill-opacity", "stroke-opacity", "font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline"];

/** The text of an SVG that looks the same outside of the page, with its title above. */
export function standalone(svg: SVGSVGElement, title: string): { text: string; width: number; height: number } {
  const { width, height } = svg.getBoundingClientRect();
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const from = svg.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((e, i) => {
    const computed = getComputedStyle(from[i]);
    e.setAttribute("style", styles.map((n) => `${n}:${computed.getPropertyValue(n)}`).join(";"));
    e.removeAttribute("class");
  });
  const top = 30;
  const whole = height + top;
  const ink = theme("--ink");
  const text =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${whole}" viewBox="0 ${-top} ${width} ${whole}">` +
    `<rect y="${-top}" width="100%" height="100%" fill="${theme("--card")}"/>` +
    `<text x="8" y="-10" font-family="system-ui, sans-serif" font-size="15" font-weight="600" fill="${ink}">${escape(title)}</text>` +
    `<g>${copy.innerHTML}</g></svg>`;
  return { text, width, height: whole };
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

/** A canvas with a title, all canvases of a chart and its SVG in their places, at twice the size. */
export async function picture(body: HTMLElement, title: string): Promise<Blob> {
  const frame = body.getBoundingClientRect();
  const ratio = 2;
  const top = 34;
  const canvas = h("canvas", { width: Math.round(frame.width * ratio), height: Math.round((frame.height + top) * ratio) });
  const c = canvas.getContext("2d")!;
  c.scale(ratio, ratio);
  c.fillStyle = theme("--card");
  c.fillRect(0, 0, frame.width, frame.height + top);
  c.fillStyle = theme("--ink");
  c.font = "600 15px system-ui, sans-serif";
  c.fillText(title, 8, 22);
  for (const part of body.querySelectorAll<HTMLCanvasElement | SVGSVGElement>("canvas, svg.chart")) {
    const at = part.getBoundingClientRect();
    const image = part instanceof HTMLCanvasElement ? part : await rasterize(part);
    if (at.width > 0) c.drawImage(image, at.left - frame.left, at.top - frame.top + top, at.width, at.height);
  }
  return new Promise((done, fail) => canvas.toBlob((b) => (b ? done(b) : fail(new Error("no picture"))), "image/png"));
}

async function rasterize(svg: SVGSVGElement): Promise<HTMLImageElement> {
  const copy = standalone(svg, "");
  const image = new Image();
  const inner = copy.text.replace(/viewBox="[^"]*"/, `viewBox="0 0 ${copy.width} ${copy.height - 30}"`).replace(/height="[\d.]+"/, `height="${copy.height - 30}"`);
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(inner);
  await image.decode();
  return image;
}
