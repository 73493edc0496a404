/** Downloads: charts as SVG or PNG, and their data as CSV. */

import { theme } from "./color";
import { h } from "./dom";
import { escape, vectorOf } from "./vector";

export function download(name: string, data: Blob): void {
  const url = URL.createObjectURL(data);
  const a = h("a", { href: url, download: name });
  document.body.append(a);
  a.click();
  a.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Formats comma-separated values, quoted where necessary. */
export function csv(head: string[], rows: Iterable<(string | number | boolean | null | undefined)[]>): string {
  const cell = (v: string | number | boolean | null | undefined) => {
    const text = v === null || v === undefined ? "" : String(v);
    return /[",\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  };
  const lines = [head.map(cell).join(",")];
  for (const row of rows) lines.push(row.map(cell).join(","));
  return lines.join("\n") + "\n";
}

export interface Picture {
  svg: string;
  width: number;
  height: number;
}

const top = 36;
const side = 10;

/** A chart with its title above, as an SVG that does not depend on the page. */
export function picture(body: HTMLElement, title: string): Picture {
  const box = body.getBoundingClientRect();
  const [width, height] = [Math.ceil(box.width) + 2 * side, Math.ceil(box.height) + top + side];
  const parts: string[] = [];
  draw(body, box, parts);
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${-side} ${-top} ${width} ${height}">` +
    `<rect x="${-side}" y="${-top}" width="100%" height="100%" fill="${theme("--card")}"/>` +
    `<text x="0" y="-14" font-family="system-ui, sans-serif" font-size="15" font-weight="600" fill="${theme("--ink")}">${escape(title)}</text>` +
    `${parts.join("")}</svg>`;
  return { svg, width, height };
}

/** Converts an SVG to PNG, at twice the size. */
export async function raster(p: Picture): Promise<Blob> {
  const image = new Image();
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(p.svg);
  await image.decode();
  const canvas = h("canvas", { width: p.width * 2, height: p.height * 2 });
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) => canvas.toBlob((b) => (b ? done(b) : fail(new Error("no picture"))), "image/png"));
}

/** Draws an element and its contents (backgrounds, texts, canvases, charts), positioned relative to a box. */
function draw(element: Element, box: DOMRect, parts: string[]): void {
  const at = element.getBoundingClientRect();
  if (at.width === 0 || at.height === 0 || element.classList.contains("visually-hidden")) return;
  const move = `transform="translate(${at.left - box.left} ${at.top - box.top})"`;
  if (element instanceof HTMLCanvasElement) {
    parts.push(`<g ${move}>${vectorOf(element, at.width, at.height)}</g>`);
    return;
  }
  if (element instanceof SVGSVGElement) {
    parts.push(`<g ${move}>${styled(element)}</g>`);
    return;
  }
  const look = getComputedStyle(element);
  if (!/^rgba\(.*, 0\)$|transparent/.test(look.backgroundColor)) parts.push(`<rect x="${at.left - box.left}" y="${at.top - box.top}" width="${at.width}" height="${at.height}" rx="${Math.min(parseFloat(look.borderTopLeftRadius) || 0, at.height / 2)}" fill="${look.backgroundColor}"/>`);
  for (const child of element.childNodes) {
    if (child instanceof Element) draw(child, box, parts);
    else if (child instanceof Text) write(child, look, box, parts);
  }
}

/** Draws text with the line breaks of the page. */
function write(text: Text, look: CSSStyleDeclaration, box: DOMRect, parts: string[]): void {
  const range = document.createRange();
  let line = { text: "", left: 0, top: -1, bottom: 0 };
  const flush = () => {
    if (line.text.trim() === "" || line.bottom > box.bottom + 1) return;
    const size = parseFloat(look.fontSize);
    const base = (line.top + line.bottom) / 2 - box.top + 0.35 * size;
    parts.push(`<text x="${line.left - box.left}" y="${base}" font-family="${escape(look.fontFamily).replaceAll("&quot;", "'")}" font-size="${size}" font-weight="${look.fontWeight}" fill="${look.color}">${escape(line.text.trim())}</text>`);
  };
  for (const word of text.data.matchAll(/\S+\s*/g)) {
    range.setStart(text, word.index);
    range.setEnd(text, word.index + word[0].trimEnd().length);
    const at = range.getBoundingClientRect();
    if (Math.abs(at.top - line.top) > 2) {
      flush();
      line = { text: "", left: at.left, top: at.top, bottom: at.bottom };
    }
    line.text += word[0];
  }
  flush();
}

const styles = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "opacity", "fill-opacity", "stroke-opacity", "font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline", "visibility"];

/** The contents of an SVG with their computed styles inlined, so that they need no style sheet. */
function styled(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const from = svg.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((e, i) => {
    const computed = getComputedStyle(from[i]);
    e.setAttribute("style", styles.map((name) => `${name}:${computed.getPropertyValue(name)}`).join(";"));
    e.removeAttribute("class");
  });
  return new XMLSerializer().serializeToString(copy).replace(/^<svg[^>]*>/, "").replace(/<\/svg>$/, "");
}
