/**
 * The mean load for each pair of coordinates in two dimensions, which shows where a network with dimensions is uneven.
 */

import { effect } from "@preact/signals-core";
import { css, ramp, shade, theme } from "../color";
import { fit, h, perFrame, select } from "../dom";
import { csv } from "../export";
import * as format from "../format";
import { Frame, sized } from "../frame";
import { howChoice } from "../how";
import { legend, niceMax } from "../legend";
import { load, type Load, type Sources, sources, windowText } from "../load";
import { sizes } from "../network/layout";
import type { How } from "../data";
import { type App, react } from "../state";
import type { Core } from "../tables";
import { hideTip, showTip } from "../tooltip";
import { drawnBy } from "../vector";

/** One panel: the mean over all links that leave routers with the coordinates (a, b). */
export interface Panel {
  a: number;
  b: number;
  width: number;
  height: number;
  mean: Float32Array;
  largest: Float32Array;
  /** Number of links of each cell. */
  links: Int32Array;
}

/** Sets of links that are no dimension: all links including NIC links, links between routers, and NIC links. */
export const [everyLink, routerLinks, nicLinks] = [-1, -2, -3];

/** Reports whether a link is in a dimension, or in one of the sets above. */
function among(core: Core, l: number, set: number): boolean {
  const { between, dimension } = core.links;
  return set === everyLink || (set === nicLinks ? between[l] === 0 : between[l] === 1 && (set === routerLinks || dimension?.[l] === set));
}

/** Means over the links of one dimension or set, for each pair of coordinates. */
export function pairPanels(core: Core, values: Float32Array, dimension: number): Panel[] {
  const c = core.routers.coordinates;
  const dims = sizes(c);
  const { links } = core;
  const panels: Panel[] = [];
  for (let a = 0; a < dims.length; a++) {
    for (let b = a + 1; b < dims.length; b++) {
      const sum = new Float64Array(dims[a] * dims[b]);
      const count = new Int32Array(dims[a] * dims[b]);
      const largest = new Float32Array(dims[a] * dims[b]);
      for (let l = 0; l < links.count; l++) {
        if (!among(core, l, dimension)) continue;
        const r = links.router[l];
        const x = c[a][r];
        const y = c[b][r];
        if (x < 0 || y < 0) continue;
        const i = y * dims[a] + x;
        sum[i] += values[l];
        largest[i] = Math.max(largest[i], values[l]);
        count[i]++;
      }
      panels.push({ a, b, width: dims[a], height: dims[b], mean: Float32Array.from(sum, (v, i) => (count[i] > 0 ? v / count[i] : 0)), largest, links: count });
    }
  }
  return panels;
}

/** The values that the cells show. */
function shown(p: Panel, how: How): Float32Array {
  return how === "mean" ? p.mean : p.largest;
}

/** For each link, the value of the router that it leaves. */
function perLink(core: Core, routers: Float32Array): Float32Array {
  return Float32Array.from({ length: core.links.count }, (_, l) => routers[core.links.router[l]]);
}

/** If only routers have a history: means of their means, and maxima of their links. */
function byRouter(core: Core, load: Load): Panel[] {
  const most = pairPanels(core, perLink(core, load.largest), routerLinks);
  return pairPanels(core, perLink(core, load.means), routerLinks).map((p, i) => ({ ...p, largest: most[i].largest }));
}

interface Place {
  panel: Panel;
  x: number;
  y: number;
  cell: number;
}

export function pairs(app: App): HTMLElement {
  return new Pairs(app).frame.element;
}

class Pairs {
  readonly frame: Frame;
  private readonly canvas = h("canvas", { "data-testid": "pairs-canvas", role: "application", tabindex: 0, "aria-label": "Load over pairs of dimensions. Arrow keys go from cell to cell, page up and down from panel to panel, enter chooses the routers." });
  private readonly key = legend();
  private readonly hows: HTMLElement;
  private core: Core | null = null;
  private sources: Sources = { links: null, means: null, largest: null };
  private load: Load | null = null;
  private dimension = everyLink;
  private panels: Panel[] = [];
  private places: Place[] = [];
  private width = 0;
  private focus: { panel: number; x: number; y: number } | null = null;
  private readonly repaint = perFrame(() => this.draw());

  constructor(private readonly app: App) {
    this.frame = new Frame({ id: "pairs", title: "Load over pairs of dimensions", about: "Each cell is over all links of routers with these two coordinates, NIC links included: their mean, or the largest. Click one to choose those routers.", csv: () => this.csv() });
    this.hows = howChoice(app, "pairs-how", "links");
    this.frame.body.append(this.canvas, this.key.element);
    sized(this.frame.body, (w) => {
      this.width = w;
      this.draw();
    });
    this.canvas.addEventListener("pointermove", (e) => this.tip(e));
    this.canvas.addEventListener("pointerleave", hideTip);
    this.canvas.addEventListener("click", (e) => this.pick(e));
    this.canvas.addEventListener("keydown", (e) => this.keys(e));
    this.canvas.addEventListener("blur", () => ((this.focus = null), hideTip(), this.repaint()));
    react(
      () => ({ core: app.core.value, stat: app.stat.value }),
      async ({ core }, current) => {
        const fits = core !== null && core.routers.coordinates.length >= 2 && core.links.count > 0;
        this.frame.show(fits);
        if (!core || !fits) return;
        const found = await sources(app);
        if (!current()) return;
        this.core = core;
        this.sources = found;
        this.controls(core);
        this.work();
      },
    );
    effect(() => {
      void [app.window.value, app.how.value];
      this.work();
    });
    effect(() => {
      void [app.map.value, app.repaint.value, app.routerMask.value];
      this.repaint();
    });
  }

  private controls(core: Core): void {
    const names = this.names();
    const options = [{ value: String(everyLink), text: "all links" }, { value: String(routerLinks), text: "links between routers" }, { value: String(nicLinks), text: "NIC links" }, ...core.routers.coordinates.map((_, d) => ({ value: String(d), text: `links of ${names[d]}` }))];
    this.frame.setControls(core.links.dimension ? select("Of", options, String(this.dimension), (v) => ((this.dimension = Number(v)), this.work()), "pairs-dimension") : null, this.hows);
  }

  private names(): string[] {
    const given = this.app.run.peek()?.info.network?.dim_names;
    return given && given.length > 0 ? given : [..."xyzabc"];
  }

  private work(): void {
    if (!this.core || this.core !== this.app.core.peek()) return;
    this.load = load(this.app, this.core, this.sources);
    this.panels = this.load.links ? pairPanels(this.core, this.load.links, this.dimension) : byRouter(this.core, this.load);
    if (!this.load.links) this.frame.setControls(this.hows);
    this.frame.show(this.panels.length > 0);
    this.repaint();
  }

  private draw(): void {
    if (this.width === 0 || this.panels.length === 0 || !this.load) return;
    const gap = 46;
    const many = this.panels.length;
    const columns = Math.min(many, many <= 3 ? many : 3, Math.max(1, Math.floor(this.width / 190)));
    const room = (this.width - 4) / columns - gap;
    // All panels have one scale.
    const cell = Math.min(34, ...this.panels.map((p) => Math.min(room / p.width, 260 / p.height)));
    let y = 24;
    let tallest = 0;
    this.places = this.panels.map((panel, i) => {
      const column = i % columns;
      if (column === 0 && i > 0) {
        y += tallest + 52;
        tallest = 0;
      }
      tallest = Math.max(tallest, cell * panel.height);
      return { panel, x: 40 + column * (room + gap), y, cell };
    });
    const height = y + tallest + 34;
    const how = this.app.how.peek();
    const range: [number, number] = [0, niceMax(this.panels.reduce((most, p) => shown(p, how).reduce((a, b) => Math.max(a, b), most), 0), this.load.unit)];
    const paint = (c: CanvasRenderingContext2D) => {
      c.clearRect(0, 0, this.width, height);
      for (const place of this.places) this.drawPanel(c, place, range);
    };
    paint(fit(this.canvas, this.width, height));
    drawnBy(this.canvas, paint);
    this.key.set(ramp(this.app.map.peek()), range[0], range[1], this.load.unit, `${this.load.title}, ${how === "mean" ? "mean" : "largest"} of a cell's links, ${windowText(this.app, (t) => format.time(t))}`);
  }

  private drawPanel(c: CanvasRenderingContext2D, p: Place, [low, high]: [number, number]): void {
    const colors = ramp(this.app.map.peek());
    const { panel, cell } = p;
    const gap = cell > 6 ? 1 : 0;
    const values = shown(panel, this.app.how.peek());
    for (let y = 0; y < panel.height; y++) {
      for (let x = 0; x < panel.width; x++) {
        c.fillStyle = css(colors[shade(values[y * panel.width + x] - low, high - low)]);
        c.fillRect(p.x + x * cell, p.y + (panel.height - 1 - y) * cell, cell - gap + (gap ? 0 : 0.4), cell - gap + (gap ? 0 : 0.4));
      }
    }
    this.outline(c, p);
    const names = this.names();
    c.fillStyle = theme("--soft");
    c.font = "11px " + theme("--font");
    c.textBaseline = "top";
    const bottom = p.y + panel.height * cell + 4;
    c.textAlign = "left";
    c.fillText("0", p.x, bottom);
    c.textAlign = "right";
    c.fillText(String(panel.width - 1), p.x + panel.width * cell, bottom);
    c.textBaseline = "bottom";
    c.fillText("0", p.x - 5, p.y + panel.height * cell);
    c.textBaseline = "top";
    c.fillText(String(panel.height - 1), p.x - 5, p.y);
    c.fillStyle = theme("--ink");
    c.font = "600 12px " + theme("--font");
    c.textAlign = "center";
    c.fillText(names[panel.a], p.x + (panel.width * cell) / 2, bottom);
    c.textBaseline = "middle";
    c.fillText(names[panel.b], p.x - 16, p.y + (panel.height * cell) / 2);
  }

  /** Outlines cells whose routers are all selected, and the cell with the keyboard focus. */
  private outline(c: CanvasRenderingContext2D, p: Place): void {
    const mask = this.app.routerMask.peek();
    const coordinates = this.core?.routers.coordinates;
    const frame = (x: number, y: number) => c.strokeRect(p.x + x * p.cell - 0.5, p.y + (p.panel.height - 1 - y) * p.cell - 0.5, p.cell, p.cell);
    if (mask && coordinates) {
      const none = new Uint8Array(p.panel.width * p.panel.height);
      for (let r = 0; r < mask.length; r++) if (mask[r] === 0) none[coordinates[p.panel.b][r] * p.panel.width + coordinates[p.panel.a][r]] = 1;
      c.strokeStyle = theme("--accent");
      c.lineWidth = 2;
      none.forEach((other, i) => other === 0 && frame(i % p.panel.width, Math.floor(i / p.panel.width)));
    }
    if (this.focus && this.panels[this.focus.panel] === p.panel) {
      c.strokeStyle = theme("--ink");
      c.lineWidth = 2;
      frame(this.focus.x, this.focus.y);
    }
  }

  /** Arrow keys move between cells, page up and down between panels, and enter selects. */
  private keys(e: KeyboardEvent): void {
    const steps: Record<string, [number, number, number]> = { ArrowLeft: [-1, 0, 0], ArrowRight: [1, 0, 0], ArrowUp: [0, 1, 0], ArrowDown: [0, -1, 0], PageUp: [0, 0, -1], PageDown: [0, 0, 1] };
    const step = steps[e.key];
    if (e.key === "Escape") this.app.clear();
    else if (e.key === "Enter" && this.focus) this.choose({ ...this.focus, panel: this.panels[this.focus.panel] });
    else if (step) {
      const at = this.focus ?? { panel: 0, x: step[0] < 0 ? 1 : -1, y: 0 };
      const panel = (at.panel + step[2] + this.panels.length) % this.panels.length;
      const { width, height } = this.panels[panel];
      this.focus = { panel, x: Math.max(0, Math.min(width - 1, at.x + step[0])), y: Math.max(0, Math.min(height - 1, at.y + step[1])) };
      const place = this.places[panel];
      const box = this.canvas.getBoundingClientRect();
      this.say(box.left + place.x + (this.focus.x + 1) * place.cell, box.top + place.y + (height - this.focus.y) * place.cell, { ...this.focus, panel: this.panels[panel] });
    } else return;
    e.preventDefault();
    this.repaint();
  }

  private cell(e: MouseEvent): { panel: Panel; x: number; y: number } | null {
    const box = this.canvas.getBoundingClientRect();
    for (const p of this.places) {
      const x = Math.floor((e.clientX - box.left - p.x) / p.cell);
      const y = p.panel.height - 1 - Math.floor((e.clientY - box.top - p.y) / p.cell);
      if (x >= 0 && y >= 0 && x < p.panel.width && y < p.panel.height) return { panel: p.panel, x, y };
    }
    return null;
  }

  private title(at: { panel: Panel; x: number; y: number }): string {
    const names = this.names();
    return `${names[at.panel.a]} = ${at.x}, ${names[at.panel.b]} = ${at.y}`;
  }

  private tip(e: MouseEvent): void {
    const at = this.cell(e);
    if (at) this.say(e.clientX, e.clientY, at);
    else hideTip();
  }

  private say(x: number, y: number, at: { panel: Panel; x: number; y: number }): void {
    if (!this.load) return;
    const i = at.y * at.panel.width + at.x;
    const { mean, largest, links } = at.panel;
    showTip(x, y, this.title(at), [this.load.title, ["mean", format.quantity(mean[i], this.load.unit)], ["largest", format.quantity(largest[i], this.load.unit)], ["of links", format.count(links[i])]]);
  }

  private pick(e: MouseEvent): void {
    const at = this.cell(e);
    if (at) this.choose(at);
  }

  private choose(at: { panel: Panel; x: number; y: number }): void {
    const c = this.core?.routers.coordinates;
    if (!c) return;
    const rows: number[] = [];
    for (let r = 0; r < this.core!.routers.count; r++) if (c[at.panel.a][r] === at.x && c[at.panel.b][r] === at.y) rows.push(r);
    this.app.picked.value = { kind: "router", rows: Int32Array.from(rows), label: `routers of ${this.title(at)}` };
  }

  private csv(): string {
    const names = this.names();
    return csv(
      ["dimension_1", "coordinate_1", "dimension_2", "coordinate_2", `mean (${this.load?.unit ?? ""})`, `largest (${this.load?.unit ?? ""})`, "links"],
      this.panels.flatMap((p) => Array.from(p.mean, (v, i) => [names[p.a], i % p.width, names[p.b], Math.floor(i / p.width), Number(v.toPrecision(5)), Number(p.largest[i].toPrecision(5)), p.links[i]])),
    );
  }
}
