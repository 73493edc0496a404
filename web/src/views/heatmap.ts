/** Any link statistic over time: rows are links, routers, dimensions or levels. */

import { effect } from "@preact/signals-core";
import { pack, ramp, theme } from "../color";
import type { RowKind } from "../data";
import { choice, fit, h, perFrame, select } from "../dom";
import { csv } from "../export";
import * as format from "../format";
import { Frame, sized } from "../frame";
import { howChoice } from "../how";
import { legend, niceMax } from "../legend";
import { type Cover, Pyramid, pan, type View, zoom } from "../pyramid";
import { type App, react } from "../state";
import type { Core, Matrix, RunData } from "../tables";
import { hideTip, type Line, showTip } from "../tooltip";
import { drawnBy } from "../vector";

/** Selection of link rows: all links, those between routers, or those of NICs. */
type Rows = RowKind | "all" | "nic";
type Order = "place" | "hot";

const left = 112;
const bottom = 40;
const top = 6;
const right = 8;
const height = 372;

export function heatmap(app: App): HTMLElement {
  return new HeatMap(app).frame.element;
}

class HeatMap {
  readonly frame: Frame;
  private readonly canvas = h("canvas", { tabindex: 0, role: "application", "data-testid": "heat-canvas", "aria-label": "Heat map. Arrow keys move, shift and arrows choose a period and rows, enter takes the row, plus and minus zoom, escape clears." });
  private readonly key = legend();
  private readonly kinds = h("span");
  private readonly stats = h("span");
  private width = 0;
  private rows: Rows = "all";
  /** ID of the run whose rows were selected. */
  private opened = "";
  private readonly hows: HTMLElement;
  private order: Order = "place";
  private matrix: Matrix | null = null;
  private core: Core | null = null;
  /** The selected statistic; and the maxima of rows, if the rows shown are means of several links. */
  private pyramid: Pyramid | null = null;
  private largest: Pyramid | null = null;
  private whole: View = { r0: 0, r1: 1, c0: 0, c1: 1 };
  private view: View = this.whole;
  private most = 1;
  private cursor: { row: number; col: number } | null = null;
  private drag: { x: number; y: number; x1: number; y1: number; pan: boolean } | null = null;
  private anchor: { row: number; col: number } | null = null;
  private image = h("canvas");
  private readonly repaint = perFrame(() => this.draw());

  constructor(private readonly app: App) {
    this.frame = new Frame({ id: "heat", title: "Load over time", about: "Drag to choose a period and rows. After a click the wheel zooms rows, with shift time; alt and drag moves. The tip tells what a pixel covers.", csv: () => this.csv() });
    this.hows = howChoice(app, "heat-how", "links and bins");
    this.frame.body.append(this.canvas, this.key.element);
    sized(this.frame.body, (w) => {
      this.width = w;
      this.draw();
    });
    drawnBy(this.canvas, (c) => this.pyramid && this.drawOn(c, this.pyramid));
    this.listen();
    react(
      () => ({ core: app.core.value, stat: app.stat.value, how: app.how.value }),
      async ({ core }, current) => {
        this.controls();
        await this.load(core, current);
      },
    );
    effect(() => {
      void [app.period.value, app.picked.value, app.cursor.value, app.map.value, app.repaint.value, app.linkMask.value];
      this.repaint();
    });
  }

  private controls(): void {
    const run = this.app.run.peek();
    const stats = run?.stats() ?? [];
    this.frame.show(stats.length > 0);
    if (!run || stats.length === 0) return;
    if (!stats.some((t) => t.stat === this.app.stat.peek())) this.app.stat.value = stats[0].stat;
    const have = (kind: RowKind) => Object.values(run.info.matrices).some((m) => m.row_kind === kind && m.rows > 0);
    const options: { value: Rows; text: string }[] = [];
    this.choose(run);
    if (have("link")) options.push({ value: "all", text: "All links" }, { value: "link", text: "Router links" }, { value: "nic", text: "NIC links" });
    if (have("router")) options.push({ value: "router", text: "Routers" });
    if (have("dimension")) options.push({ value: "dimension", text: "Dimensions" });
    if (have("level")) options.push({ value: "level", text: "Levels" });
    if (!options.some((o) => o.value === this.rows)) this.rows = options[0]?.value ?? "all";
    const reload = () => void this.load(this.app.core.peek(), () => true);
    this.stats.replaceChildren(select("Show", stats.map((t) => ({ value: t.stat, text: t.title })), this.app.stat.peek(), (v) => (this.app.stat.value = v), "heat-stat"));
    this.kinds.replaceChildren(choice("Rows", options, this.rows, (v) => ((this.rows = v), this.controls(), reload()), "heat-rows"));
    this.frame.setControls(
      this.stats,
      this.kinds,
      choice("Order", [{ value: "place", text: "By place" }, { value: "hot", text: "Hottest first" }], this.order, (v) => ((this.order = v), reload()), "heat-order"),
      this.hows,
      h("button", { type: "button", class: "quiet", title: "Show all again", "data-testid": "heat-reset", onclick: () => ((this.view = this.whole), this.repaint()) }, "Zoom out"),
    );
  }

  /**
   * Selects the rows of a run that has just been opened: its links, or its routers if only some links have a history.
   * If the hottest link is a NIC link, of which there are comparatively few, the rows are sorted by load.
   */
  private choose(run: RunData): void {
    if (this.opened === run.info.id) return;
    const links = Object.values(run.info.matrices).find((m) => m.row_kind === "link");
    const routers = Object.values(run.info.matrices).some((m) => m.row_kind === "router");
    const partial = links && routers && links.rows < (run.info.tables["links"]?.rows ?? 0);
    const byNIC = run.info.summary?.hottest_links[0]?.nic ?? false;
    this.rows = partial && !byNIC ? "router" : "all";
    this.order = byNIC ? "hot" : "place";
    this.opened = run.info.id;
  }

  private async load(core: Core | null, current: () => boolean): Promise<void> {
    const run = this.app.run.peek();
    const kind: RowKind = this.rows === "nic" || this.rows === "all" ? "link" : this.rows;
    const stat = this.app.stat.peek();
    const how = this.app.how.peek();
    const key = run?.findMatrix(stat, kind, how);
    const most = run?.findMatrix(stat, kind, "max");
    if (!run || !key || !most || !core) return;
    const [matrix, largest] = await Promise.all([run.matrix(key), run.matrix(most)]);
    if (!current()) return;
    const same = this.matrix !== null && this.matrix.info.row_kind === matrix.info.row_kind && this.core?.run.info.id === core.run.info.id;
    this.matrix = matrix;
    this.core = core;
    const order = this.ordered(matrix, core);
    this.pyramid = new Pyramid(matrix, order);
    this.largest = most === key ? null : new Pyramid(largest, order);
    const whole = { r0: 0, r1: Math.max(1, order.length), c0: 0, c1: matrix.cols };
    if (!same || whole.r1 !== this.whole.r1 || whole.c1 !== this.whole.c1) this.view = whole;
    this.whole = whole;
    this.most = niceMax(matrix.top(), matrix.info.unit, matrix.info.limit);
    this.frame.setNote(matrix.info.note ?? "");
    this.frame.setTitle(`${matrix.info.title} over time`, `${format.count(order.length)}${this.outOf(matrix, core, order.length)} ${this.noun(order.length)} · ${matrix.cols} bins of ${format.time(run.info.bins?.interval_ps ?? 0)}`);
    this.draw();
  }

  /** If not all links have a history, the number of links of which those shown are the busiest. */
  private outOf(m: Matrix, core: Core, shown: number): string {
    if (m.info.row_kind !== "link" || m.rows >= core.links.count) return "";
    let all = 0;
    for (let l = 0; l < core.links.count; l++) if (this.among(core, l)) all++;
    return shown < all ? ` of ${format.count(all)}` : "";
  }

  private noun(n: number): string {
    const names: Record<Rows, string> = { all: "link", link: "router link", nic: "NIC link", router: "router", dimension: "dimension", level: "level" };
    return names[this.rows] + (n === 1 ? "" : "s");
  }

  /** Reports whether a link is among the rows. */
  private among(core: Core, link: number): boolean {
    return this.rows === "all" || core.links.between[link] === (this.rows === "nic" ? 0 : 1);
  }

  private ordered(m: Matrix, core: Core): Int32Array {
    let list = Int32Array.from({ length: m.rows }, (_, i) => i);
    if (m.info.row_kind === "link") {
      list = list.filter((l) => this.among(core, l));
      // If only the busiest links have rows, they are the first rows of the table, so that the order must be restored.
      const { router, port } = core.links;
      if (m.rows < core.links.count) list.sort((a, b) => router[a] - router[b] || port[a] - port[b]);
    }
    if (this.order === "hot") {
      const means = m.means(0, m.cols);
      list.sort((a, b) => means[b] - means[a] || a - b);
    }
    return list;
  }

  private name(row: number): string {
    const m = this.matrix!;
    if (m.info.row_names) return m.info.row_names[row] ?? String(row);
    return m.info.row_kind === "link" ? this.core!.linkName(row) : m.info.row_kind === "router" ? this.core!.routerName(row) : String(row);
  }

  private get plot() {
    return { left, top, width: Math.max(10, this.width - left - right), height: height - top - bottom };
  }

  private draw(): void {
    const p = this.pyramid;
    if (!p || this.width === 0) return;
    this.drawOn(fit(this.canvas, this.width, height), p);
    this.canvas.dataset["view"] = [this.view.r0, this.view.r1, this.view.c0, this.view.c1].map((v) => v.toFixed(1)).join();
    this.app.drew("heat");
    this.key.set(ramp(this.app.map.peek()), 0, this.most, this.matrix!.info.unit, `${this.matrix!.info.title}, ${this.app.how.peek() === "mean" ? "mean" : "largest"} of what a pixel covers`, this.matrix!.max() > this.most * 1.02);
  }

  private drawOn(c: CanvasRenderingContext2D, p: Pyramid): void {
    const { plot } = this;
    c.clearRect(0, 0, this.width, height);
    this.paint(c, p, plot);
    this.drawAxes(c, plot);
    this.drawSelection(c, plot);
  }

  private paint(c: CanvasRenderingContext2D, p: Pyramid, plot: HeatMap["plot"]): void {
    const [w, t] = pixels(plot);
    this.image.width = w;
    this.image.height = t;
    const context = this.image.getContext("2d")!;
    const image = context.createImageData(w, t);
    p.paint(new Uint32Array(image.data.buffer), w, t, this.view, this.app.how.peek(), this.most, ramp(this.app.map.peek()), pack(theme("--idle")));
    context.putImageData(image, 0, 0);
    c.imageSmoothingEnabled = false;
    c.drawImage(this.image, plot.left, plot.top, plot.width, plot.height);
  }

  private x(col: number): number {
    return left + ((col - this.view.c0) / (this.view.c1 - this.view.c0)) * this.plot.width;
  }

  private y(row: number): number {
    return top + ((row - this.view.r0) / (this.view.r1 - this.view.r0)) * this.plot.height;
  }

  private drawAxes(c: CanvasRenderingContext2D, plot: HeatMap["plot"]): void {
    const bins = this.app.bins.peek();
    c.fillStyle = theme("--soft");
    c.strokeStyle = theme("--line");
    c.font = "11px " + theme("--font");
    c.strokeRect(plot.left - 0.5, plot.top - 0.5, plot.width + 1, plot.height + 1);
    c.textAlign = "right";
    c.textBaseline = "middle";
    const shown = this.view.r1 - this.view.r0;
    const step = Math.max(1, Math.ceil(shown / Math.floor(plot.height / 18)));
    for (let r = Math.ceil(this.view.r0 / step) * step; r < this.view.r1; r += step) {
      const row = this.pyramid!.order[r];
      const text = this.matrix!.info.row_kind === "link" ? this.core!.linkShort(row) : this.name(row);
      c.fillText(shortened(c, text, left - 12), plot.left - 6, this.y(r + Math.min(step, this.whole.r1 - r) * (step === 1 ? 0.5 : 0)) + (step === 1 ? 0 : 6));
    }
    if (!bins) return;
    c.textBaseline = "top";
    c.textAlign = "center";
    const { interval_ps } = bins;
    const from = this.view.c0 * interval_ps;
    const to = this.view.c1 * interval_ps;
    const u = format.axisUnit(to, "ps");
    for (const t of timeTicks(from, to, Math.max(2, Math.floor(plot.width / 90)))) {
      const x = this.x(t / interval_ps);
      c.beginPath();
      c.moveTo(x, plot.top + plot.height);
      c.lineTo(x, plot.top + plot.height + 4);
      c.stroke();
      c.fillText(format.digits(t / u.factor, 5), x, plot.top + plot.height + 7);
    }
    c.fillText(`simulated time (${u.unit})`, plot.left + plot.width / 2, plot.top + plot.height + 23);
  }

  private drawSelection(c: CanvasRenderingContext2D, plot: HeatMap["plot"]): void {
    const { app } = this;
    const bins = app.bins.peek();
    c.save();
    c.beginPath();
    c.rect(plot.left - 7, plot.top, plot.width + 7, plot.height);
    c.clip();
    const accent = theme("--accent");
    const period = app.period.peek();
    if (period && bins) {
      const x0 = this.x(period[0] / bins.interval_ps);
      const x1 = this.x(period[1] / bins.interval_ps);
      c.fillStyle = theme("--veil");
      c.fillRect(plot.left, plot.top, Math.max(0, x0 - plot.left), plot.height);
      c.fillRect(x1, plot.top, Math.max(0, plot.left + plot.width - x1), plot.height);
      c.strokeStyle = accent;
      c.lineWidth = 1.5;
      c.strokeRect(x0, plot.top + 0.75, x1 - x0, plot.height - 1.5);
    }
    this.markRows(c, plot, accent);
    const play = app.cursor.peek();
    if (play !== null) {
      c.fillStyle = accent;
      c.fillRect(this.x(Math.floor(play)), plot.top, 2, plot.height);
    }
    this.drawCross(c, plot);
    if (this.drag && !this.drag.pan) {
      c.strokeStyle = accent;
      c.setLineDash([4, 3]);
      c.strokeRect(Math.min(this.drag.x, this.drag.x1), Math.min(this.drag.y, this.drag.y1), Math.abs(this.drag.x1 - this.drag.x), Math.abs(this.drag.y1 - this.drag.y));
    }
    c.restore();
  }

  /** Draws a tick next to each row in the selected set. */
  private markRows(c: CanvasRenderingContext2D, plot: HeatMap["plot"], accent: string): void {
    const mask = this.rowMask();
    if (!mask || !this.pyramid) return;
    c.fillStyle = accent;
    const { order } = this.pyramid;
    const a = Math.max(0, Math.floor(this.view.r0));
    const b = Math.min(order.length, Math.ceil(this.view.r1));
    const size = Math.max(1.5, plot.height / (this.view.r1 - this.view.r0));
    let last = -10;
    for (let r = a; r < b; r++) {
      if (mask[order[r]] === 0) continue;
      const y = this.y(r);
      if (size < 2 && y - last < 1) continue;
      last = y;
      c.fillRect(plot.left - 6, y, 4, size);
    }
  }

  private rowMask(): Uint8Array | null {
    const picked = this.app.picked.peek();
    if (!picked || !this.matrix) return null;
    const kind = this.matrix.info.row_kind;
    if (kind === "link") return this.app.linkMask.peek();
    if (kind === "router") return this.app.routerMask.peek();
    if (picked.kind !== kind) return null;
    const mask = new Uint8Array(this.matrix.rows);
    for (const r of picked.rows) mask[r] = 1;
    return mask;
  }

  private drawCross(c: CanvasRenderingContext2D, plot: HeatMap["plot"]): void {
    const at = this.cursor;
    if (!at) return;
    c.strokeStyle = theme("--ink");
    c.lineWidth = 1;
    c.setLineDash([2, 2]);
    c.beginPath();
    const y = this.y(at.row + 0.5);
    const x = this.x(at.col + 0.5);
    c.moveTo(plot.left, y);
    c.lineTo(plot.left + plot.width, y);
    c.moveTo(x, plot.top);
    c.lineTo(x, plot.top + plot.height);
    c.stroke();
    c.setLineDash([]);
  }

  private cell(e: MouseEvent): { row: number; col: number; x: number; y: number; inside: boolean } {
    const box = this.canvas.getBoundingClientRect();
    const x = e.clientX - box.left;
    const y = e.clientY - box.top;
    const { plot, view } = this;
    const col = Math.floor(view.c0 + ((x - plot.left) / plot.width) * (view.c1 - view.c0));
    const row = Math.floor(view.r0 + ((y - plot.top) / plot.height) * (view.r1 - view.r0));
    const inside = x >= plot.left && x < plot.left + plot.width && y >= plot.top && y < plot.top + plot.height;
    return { row: Math.min(this.whole.r1 - 1, Math.max(0, row)), col: Math.min(this.whole.c1 - 1, Math.max(0, col)), x, y, inside };
  }

  private listen(): void {
    const { canvas } = this;
    canvas.addEventListener("pointermove", (e) => this.move(e));
    canvas.addEventListener("pointerleave", () => {
      hideTip();
      this.cursor = null;
      this.repaint();
    });
    canvas.addEventListener("pointerdown", (e) => {
      const at = this.cell(e);
      if (!at.inside || e.button !== 0) return;
      canvas.setPointerCapture(e.pointerId);
      this.drag = { x: at.x, y: at.y, x1: at.x, y1: at.y, pan: e.altKey };
      hideTip();
    });
    canvas.addEventListener("pointerup", (e) => this.drop(e));
    canvas.addEventListener("pointercancel", () => (this.drag = null));
    canvas.addEventListener("dblclick", () => ((this.view = this.whole), this.repaint()));
    canvas.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    canvas.addEventListener("keydown", (e) => this.keys(e));
    canvas.addEventListener("blur", () => hideTip());
  }

  private move(e: PointerEvent): void {
    const at = this.cell(e);
    if (this.drag) {
      if (this.drag.pan) {
        const { plot, view } = this;
        this.view = pan(view, this.whole, ((this.drag.y1 - at.y) / plot.height) * (view.r1 - view.r0), ((this.drag.x1 - at.x) / plot.width) * (view.c1 - view.c0));
      }
      this.drag.x1 = at.x;
      this.drag.y1 = at.y;
      this.repaint();
      return;
    }
    this.cursor = at.inside ? { row: at.row, col: at.col } : null;
    if (at.inside) this.tip(e.clientX, e.clientY, this.coverAt(at.x, at.y));
    else hideTip();
    this.repaint();
  }

  /** The rows and columns covered by the pixel at a position on the canvas. */
  private coverAt(x: number, y: number): Cover {
    const { plot } = this;
    const [w, t] = pixels(plot);
    return this.pyramid!.cover(this.view, w, t, Math.floor(((x - plot.left) / plot.width) * w), Math.floor(((y - plot.top) / plot.height) * t));
  }

  private tip(x: number, y: number, c: Cover): void {
    const p = this.pyramid;
    if (!p) return;
    const { info } = p.matrix;
    const interval = this.app.bins.peek()?.interval_ps ?? 0;
    const rows = c.r1 - c.r0;
    const links = this.linksIn(c);
    const first = this.name(p.order[c.r0]);
    const one = rows * (c.c1 - c.c0) * Math.max(1, links) === 1;
    const value = (v: number) => format.quantity(v, info.unit);
    const covers = [rows > 1 && `${format.count(rows)} ${this.noun(rows)}`, info.row_kind !== "link" && links > 0 && `${format.count(links)} links`, c.c1 - c.c0 > 1 && `${c.c1 - c.c0} bins`].filter(Boolean).join(", ");
    const lines: Line[] = one ? [[info.title, value(p.mean(c))]] : [["mean", value(p.mean(c))], [this.largest || info.row_kind === "link" ? "largest" : "largest mean of a row", value((this.largest ?? p).largest(c))]];
    // Rows that show the maximum over their links have no mean of their own.
    if (info.how === "max" && !one) lines[0] = ["mean of the largest", value(p.mean(c))];
    if (covers !== "") lines.push(["this pixel covers", covers]);
    lines.push(["from", format.time(c.c0 * interval, 4)], ["to", format.time(c.c1 * interval, 4)]);
    showTip(x, y, rows > 1 ? `${first} to ${this.name(p.order[c.r1 - 1])}` : first, one ? lines : [info.title, ...lines]);
  }

  /** The number of links represented by the rows of a part of the map; 0 if they represent none. */
  private linksIn(c: Cover): number {
    const { info } = this.matrix!;
    if (info.stat.startsWith("buffer")) return 0;
    const counts = this.core!.linksOf(info.row_kind);
    let links = 0;
    for (let r = c.r0; r < c.r1; r++) links += counts[this.pyramid!.order[r]] ?? 0;
    return links;
  }

  private drop(e: PointerEvent): void {
    const d = this.drag;
    this.drag = null;
    if (!d || d.pan) return;
    const at = this.cell(e);
    const wide = Math.abs(d.x1 - d.x) > 4;
    const tall = Math.abs(d.y1 - d.y) > 8;
    if (!wide && !tall) {
      if (this.app.picked.peek() && this.rowMask()?.[this.pyramid!.order[at.row]]) this.app.picked.value = null;
      else this.pick(at.row, at.row);
      this.repaint();
      return;
    }
    const { plot, view } = this;
    const col = (x: number) => view.c0 + ((x - plot.left) / plot.width) * (view.c1 - view.c0);
    const row = (y: number) => Math.floor(view.r0 + ((y - plot.top) / plot.height) * (view.r1 - view.r0));
    if (wide) this.choosePeriod(Math.floor(col(Math.min(d.x, d.x1))), Math.ceil(col(Math.max(d.x, d.x1))));
    if (tall) this.pick(row(Math.min(d.y, d.y1)), row(Math.max(d.y, d.y1)));
    this.repaint();
  }

  private choosePeriod(c0: number, c1: number): void {
    const interval = this.app.bins.peek()?.interval_ps ?? 1;
    this.app.cursor.value = null;
    this.app.period.value = [Math.max(0, c0) * interval, Math.min(this.whole.c1, c1) * interval];
  }

  private pick(r0: number, r1: number): void {
    const a = Math.max(0, r0);
    const b = Math.min(this.whole.r1 - 1, r1);
    const rows = this.pyramid!.order.slice(a, b + 1);
    const label = rows.length === 1 ? this.name(rows[0]) : `${format.count(rows.length)} ${this.noun(rows.length)}`;
    this.app.picked.value = { kind: this.matrix!.info.row_kind, rows, label };
  }

  private wheel(e: WheelEvent): void {
    if (document.activeElement !== this.canvas && !e.ctrlKey && !e.shiftKey) return;
    const at = this.cell(e);
    if (!at.inside) return;
    e.preventDefault();
    const { plot, view } = this;
    const amount = Math.exp((e.deltaY || e.deltaX) * 0.0015);
    const row = view.r0 + ((at.y - plot.top) / plot.height) * (view.r1 - view.r0);
    const col = view.c0 + ((at.x - plot.left) / plot.width) * (view.c1 - view.c0);
    this.view = zoom(view, this.whole, amount, e.shiftKey ? null : row, e.shiftKey ? col : null);
    this.repaint();
  }

  private keys(e: KeyboardEvent): void {
    const steps: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], PageUp: [-20, 0], PageDown: [20, 0] };
    const step = steps[e.key];
    if (step) this.step(step, e.shiftKey);
    else if (e.key === "Enter" && this.cursor) this.pick(this.cursor.row, this.cursor.row);
    else if (e.key === "Escape") this.app.clear();
    else if (e.key === "+" || e.key === "-") {
      const at = this.cursor ?? { row: (this.view.r0 + this.view.r1) / 2, col: 0 };
      this.view = zoom(this.view, this.whole, e.key === "+" ? 0.7 : 1 / 0.7, at.row, null);
    } else return;
    e.preventDefault();
    this.repaint();
  }

  private step([rows, cols]: [number, number], extend: boolean): void {
    const at = this.cursor ?? { row: Math.floor(this.view.r0), col: Math.floor(this.view.c0) };
    if (!extend) this.anchor = null;
    else this.anchor ??= { ...at };
    const next = { row: clamp(at.row + rows, 0, this.whole.r1 - 1), col: clamp(at.col + cols, 0, this.whole.c1 - 1) };
    this.cursor = next;
    this.view = pan(this.view, this.whole, outside(next.row, this.view.r0, this.view.r1), outside(next.col, this.view.c0, this.view.c1));
    if (this.anchor) {
      this.choosePeriod(Math.min(this.anchor.col, next.col), Math.max(this.anchor.col, next.col) + 1);
      if (this.anchor.row !== next.row) this.pick(Math.min(this.anchor.row, next.row), Math.max(this.anchor.row, next.row));
    }
    const box = this.canvas.getBoundingClientRect();
    this.tip(box.left + this.x(next.col + 0.5), box.top + this.y(next.row + 0.5), { r0: next.row, r1: next.row + 1, c0: next.col, c1: next.col + 1 });
  }

  private csv(): string {
    const { matrix, pyramid } = this;
    if (!matrix || !pyramid) return "";
    const interval = this.app.bins.peek()?.interval_ps ?? 0;
    const head = [this.noun(1), ...Array.from({ length: matrix.cols }, (_, c) => `${c * interval} ps`)];
    const rows = Array.from(pyramid.order.slice(Math.floor(this.view.r0), Math.ceil(this.view.r1)), (r) => [this.name(r), ...Array.from({ length: matrix.cols }, (_, c) => Number(matrix.at(r, c).toPrecision(5)))]);
    return csv(head, rows);
  }
}

/** The size of an image in screen pixels, of which there may be several per unit. */
function pixels(plot: { width: number; height: number }): [number, number] {
  const ratio = Math.min(2, devicePixelRatio || 1);
  return [Math.max(1, Math.round(plot.width * ratio)), Math.max(1, Math.round(plot.height * ratio))];
}

function clamp(v: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, v));
}

/** The distance that a view must be moved so that a position is visible. */
function outside(at: number, low: number, high: number): number {
  return at < low ? at - low : at + 1 > high ? at + 1 - high : 0;
}

export function timeTicks(from: number, to: number, about: number): number[] {
  const rough = (to - from) / about;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * size).find((v) => v >= rough) ?? rough;
  const list: number[] = [];
  for (let t = Math.ceil(from / step) * step; t <= to * (1 + 1e-9); t += step) list.push(t);
  return list;
}

export function shortened(c: CanvasRenderingContext2D, text: string, width: number): string {
  if (c.measureText(text).width <= width) return text;
  let short = text;
  while (short.length > 1 && c.measureText(short + "…").width > width) short = short.slice(0, -1);
  return short + "…";
}

