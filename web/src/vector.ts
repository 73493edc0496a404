/**
 * A drawing context that writes SVG instead of pixels, so that canvas drawings can also be downloaded as SVG. It
 * implements the part of CanvasRenderingContext2D that this page uses.
 */

import { h } from "./dom";

type Paint = (c: CanvasRenderingContext2D) => void;

const painters = new WeakMap<HTMLCanvasElement, Paint>();

/** Registers the function that draws a canvas. The drawing must not depend on the pixels of the canvas. */
export function drawnBy(canvas: HTMLCanvasElement, paint: Paint): void {
  painters.set(canvas, paint);
}

/** The contents of a canvas as SVG elements: drawn again, or as an image of its pixels. */
export function vectorOf(canvas: HTMLCanvasElement, width: number, height: number): string {
  const paint = painters.get(canvas);
  if (!paint) return image(canvas.toDataURL(), 0, 0, width, height, true);
  const c = new SVGContext();
  paint(c as unknown as CanvasRenderingContext2D);
  return c.text();
}

export function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

function image(address: string, x: number, y: number, width: number, height: number, smooth: boolean): string {
  return `<image href="${address}" x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" preserveAspectRatio="none"${smooth ? "" : ' style="image-rendering:pixelated"'}/>`;
}

/** A number rounded to the visible precision. */
function n(v: number): string {
  return String(Math.round(v * 100) / 100);
}

interface State {
  fillStyle: string;
  strokeStyle: string;
  lineWidth: number;
  lineJoin: string;
  globalAlpha: number;
  font: string;
  textAlign: string;
  textBaseline: string;
  imageSmoothingEnabled: boolean;
  dash: number[];
  open: number;
}

const first: State = { fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, lineJoin: "miter", globalAlpha: 1, font: "10px sans-serif", textAlign: "left", textBaseline: "alphabetic", imageSmoothingEnabled: true, dash: [], open: 0 };

let ruler: CanvasRenderingContext2D | null = null;
/** Canvas pixels per unit of the image, for drawing pixel by pixel. */
const ratio = 2;
let clips = 0;

class SVGContext {
  private out: string[] = [];
  private path = "";
  private stack: State[] = [];
  private s: State = { ...first };

  constructor() {
    for (const name of Object.keys(first) as (keyof State)[]) {
      if (name !== "dash" && name !== "open") Object.defineProperty(this, name, { get: () => this.s[name], set: (v: never) => (this.s[name] = v) });
    }
  }

  text(): string {
    while (this.stack.length > 0) this.restore();
    return this.out.join("") + "</g>".repeat(this.s.open);
  }

  save(): void {
    this.stack.push({ ...this.s });
    this.s.open = 0;
  }

  restore(): void {
    this.out.push("</g>".repeat(this.s.open));
    this.s = this.stack.pop() ?? { ...first };
  }

  clip(): void {
    const id = `clip-${++clips}`;
    this.out.push(`<clipPath id="${id}"><path d="${this.path}"/></clipPath><g clip-path="url(#${id})">`);
    this.s.open++;
  }

  setLineDash(dash: number[]): void {
    this.s.dash = dash;
  }

  beginPath(): void {
    this.path = "";
  }

  moveTo(x: number, y: number): void {
    this.path += `M${n(x)} ${n(y)}`;
  }

  lineTo(x: number, y: number): void {
    this.path += `${this.path === "" ? "M" : "L"}${n(x)} ${n(y)}`;
  }

  quadraticCurveTo(cx: number, cy: number, x: number, y: number): void {
    this.path += `Q${n(cx)} ${n(cy)} ${n(x)} ${n(y)}`;
  }

  closePath(): void {
    this.path += "Z";
  }

  /** Supports only full circles. */
  arc(x: number, y: number, r: number): void {
    this.path += `M${n(x - r)} ${n(y)}a${n(r)} ${n(r)} 0 1 0 ${n(2 * r)} 0a${n(r)} ${n(r)} 0 1 0 ${n(-2 * r)} 0Z`;
  }

  rect(x: number, y: number, w: number, t: number): void {
    this.path += `M${n(x)} ${n(y)}h${n(w)}v${n(t)}h${n(-w)}Z`;
  }

  roundRect(x: number, y: number, w: number, t: number, r: number): void {
    const k = Math.max(0, Math.min(r, w / 2, t / 2));
    const turn = (dx: number, dy: number) => `a${n(k)} ${n(k)} 0 0 1 ${n(dx)} ${n(dy)}`;
    this.path += `M${n(x + k)} ${n(y)}h${n(w - 2 * k)}${turn(k, k)}v${n(t - 2 * k)}${turn(-k, k)}h${n(2 * k - w)}${turn(-k, -k)}v${n(2 * k - t)}${turn(k, -k)}Z`;
  }

  fill(): void {
    this.out.push(`<path d="${this.path}" fill="${this.s.fillStyle}"${this.alpha()}/>`);
  }

  stroke(): void {
    this.out.push(`<path d="${this.path}" fill="none"${this.line()}/>`);
  }

  fillRect(x: number, y: number, w: number, t: number): void {
    this.out.push(`<path d="M${n(x)} ${n(y)}h${n(w)}v${n(t)}h${n(-w)}Z" fill="${this.s.fillStyle}"${this.alpha()}/>`);
  }

  strokeRect(x: number, y: number, w: number, t: number): void {
    this.out.push(`<path d="M${n(x)} ${n(y)}h${n(w)}v${n(t)}h${n(-w)}Z" fill="none"${this.line()}/>`);
  }

  clearRect(): void {}

  fillText(text: string, x: number, y: number): void {
    this.write(text, x, y, ` fill="${this.s.fillStyle}"${this.alpha()}`);
  }

  strokeText(text: string, x: number, y: number): void {
    this.write(text, x, y, ` fill="none"${this.line()}`);
  }

  measureText(text: string): TextMetrics {
    ruler ??= h("canvas").getContext("2d")!;
    ruler.font = this.s.font;
    return ruler.measureText(text);
  }

  drawImage(source: HTMLCanvasElement, x: number, y: number, w: number, t: number): void {
    this.out.push(image(source.toDataURL(), x, y, w, t, this.s.imageSmoothingEnabled));
  }

  getTransform(): { a: number } {
    return { a: ratio };
  }

  getImageData(_x: number, _y: number, w: number, t: number): ImageData {
    return new ImageData(w, t);
  }

  putImageData(data: ImageData): void {
    const canvas = h("canvas", { width: data.width, height: data.height });
    canvas.getContext("2d")!.putImageData(data, 0, 0);
    this.out.push(image(canvas.toDataURL(), 0, 0, data.width / ratio, data.height / ratio, false));
  }

  private write(text: string, x: number, y: number, look: string): void {
    const { font, textAlign, textBaseline } = this.s;
    const anchor = textAlign === "center" ? "middle" : textAlign === "right" || textAlign === "end" ? "end" : "start";
    const size = parseFloat(/([\d.]+)px/.exec(font)?.[1] ?? "10");
    // SVG viewers differ in their support of baselines.
    const down = textBaseline === "middle" ? 0.35 : textBaseline === "top" ? 0.8 : textBaseline === "bottom" ? -0.2 : 0;
    this.out.push(`<text x="${n(x)}" y="${n(y + down * size)}" text-anchor="${anchor}" style="font:${escape(font).replaceAll("&quot;", "'")}"${look}>${escape(text)}</text>`);
  }

  private alpha(): string {
    return this.s.globalAlpha < 1 ? ` opacity="${n(this.s.globalAlpha)}"` : "";
  }

  private line(): string {
    const { strokeStyle, lineWidth, lineJoin, dash } = this.s;
    return ` stroke="${strokeStyle}" stroke-width="${n(lineWidth)}"${lineJoin === "round" ? ' stroke-linejoin="round"' : ""}${dash.length > 0 ? ` stroke-dasharray="${dash.join(" ")}"` : ""}${this.alpha()}`;
  }
}
