/** The network drawn in its own shape, coloured by load, with playback through time. */

import { effect } from "@preact/signals-core";
import { type MapName, ramp, shade, theme } from "../color";
import { choice, fit, h, perFrame, select } from "../dom";
import { csv } from "../export";
import * as format from "../format";
import { Frame, sized } from "../frame";
import { howChoice } from "../how";
import { legend, niceMax } from "../legend";
import { type Load, load, nicLoads, type Sources, sources, windowText } from "../load";
import { type Camera, type Projected, project, start } from "../network/camera";
import { layOut, type Mode, modes, type Scene } from "../network/layout";
import { coveredBy, paint, type Segment } from "../network/paint";
import { type App, react } from "../state";
import type { Core } from "../tables";
import { hideTip, type Line, showTip } from "../tooltip";
import { drawnBy } from "../vector";

export function network(app: App): HTMLElement {
  return new NetworkView(app).frame.element;
}

const about = {
  flat: "Click a router or link for its history and packets. Drag moves, the wheel zooms after a click, shift and drag chooses an area.",
  space: "Click a router or link for its history and packets. Drag turns, the wheel zooms after a click. Short strokes are links that go round.",
};

class NetworkView {
  readonly frame: Frame;
  private readonly canvas = h("canvas", { tabindex: 0, role: "application", "data-testid": "network-canvas", "aria-label": "The network. Arrow keys move or turn it, plus and minus zoom, n and p go to the next and previous router, enter takes it." });
  private readonly key = legend();
  private readonly hows: HTMLElement;
  private core: Core | null = null;
  private sources: Sources = { links: null, means: null, largest: null };
  private load: Load | null = null;
  private scene: Scene | null = null;
  private at: Projected | null = null;
  private segments: Segment[] = [];
  private camera: Camera = { ...start };
  private mode: Mode = "flat";
  private withLinks = true;
  private width = 0;
  private focus = -1;
  private stats: (HTMLElement & { value: string }) | null = null;
  private drag: { x: number; y: number; moved: boolean; area: boolean; x1: number; y1: number } | null = null;
  private readonly repaint = perFrame(() => this.draw());

  constructor(private readonly app: App) {
    this.frame = new Frame({ id: "network", title: "The network", about: about.flat, csv: () => this.csv() });
    this.hows = howChoice(app, "network-how", "links of a router, or routers");
    this.frame.body.append(this.canvas, this.key.element);
    sized(this.frame.body, (w) => {
      this.width = w;
      this.draw();
    });
    drawnBy(this.canvas, (c) => this.core && this.scene && this.load && this.paint(c, this.core, this.scene, this.load));
    this.listen();
    react(
      () => ({ core: app.core.value, stat: app.stat.value }),
      async ({ core }, current) => {
        this.frame.show(core !== null && core.routers.count > 0);
        if (!core) return;
        const found = await sources(app);
        if (!current()) return;
        const fresh = core.run.info.id !== this.core?.run.info.id || core.routers.count !== this.core.routers.count;
        this.core = core;
        this.sources = found;
        if (fresh) this.open(core);
        if (this.stats) this.stats.value = app.stat.peek();
        this.recolor();
      },
    );
    effect(() => {
      void [app.window.value, app.how.value];
      this.recolor();
    });
    effect(() => {
      void [app.routerMask.value, app.linkMask.value, app.map.value, app.repaint.value, app.marks.value];
      this.repaint();
    });
  }

  private open(core: Core): void {
    const info = core.run.info.network;
    const layout = info?.layout ?? "graph";
    const options = modes(core, layout);
    const many = core.routers.count > 20_000;
    this.mode = options.includes("space") && core.routers.coordinates.length === 3 && !many ? "space" : "flat";
    this.camera = { ...start };
    this.frame.setTitle(info?.title ?? "The network");
    const stats = core.run.colours();
    this.stats = stats.length > 1 ? select("Show", stats.map((t) => ({ value: t.stat, text: t.title })), this.app.stat.peek(), (v) => (this.app.stat.value = v), "network-stat") : null;
    this.frame.setControls(
      this.stats,
      this.hows,
      options.length > 1 && choice("Drawn", [{ value: "flat", text: "Planes" }, { value: "space", text: "3-D" }], this.mode, (m) => this.turn(m), "network-mode"),
      choice("Links", [{ value: "yes", text: "Links" }, { value: "no", text: "Routers only" }], this.withLinks ? "yes" : "no", (v) => ((this.withLinks = v === "yes"), this.repaint()), "network-links"),
      choice<MapName>("Colours", [{ value: "viridis", text: "Viridis" }, { value: "cividis", text: "Cividis" }], this.app.map.peek(), (m) => (this.app.map.value = m), "map"),
      h("button", { type: "button", class: "quiet", "data-testid": "network-reset", onclick: () => ((this.camera = { ...start }), this.repaint()) }, "Fit"),
    );
    this.place();
  }

  private turn(mode: Mode): void {
    this.mode = mode;
    this.camera = { ...start };
    this.place();
    this.repaint();
  }

  private place(): void {
    const core = this.core!;
    const info = core.run.info.network;
    this.scene = layOut(core, info, this.mode);
    this.frame.setAbout(about[this.mode]);
  }

  private recolor(): void {
    if (!this.core || this.core !== this.app.core.peek()) return;
    this.load = load(this.app, this.core, this.sources);
    this.repaint();
  }

  private get height(): number {
    return this.frame.element.classList.contains("full") ? Math.max(360, window.innerHeight - 190) : 372;
  }

  private draw(): void {
    const { core, scene } = this;
    if (!core || !scene || !this.load || this.width === 0) return;
    this.paint(fit(this.canvas, this.width, this.height), core, scene, this.load);
    this.canvas.dataset["window"] = this.app.window.peek().join("-");
    this.canvas.dataset["zoom"] = this.camera.zoom.toFixed(2);
    this.app.drew("network");
  }

  private paint(c: CanvasRenderingContext2D, core: Core, scene: Scene, load: Load): void {
    const { app } = this;
    const most = niceMax(load.most, load.unit, load.limit);
    const shades = (values: Float32Array) => Uint8Array.from(values, (v) => shade(v, most));
    this.at = project(scene, this.camera, this.width, this.height);
    this.segments = paint(c, {
      scene,
      at: this.at,
      links: core.links,
      linkShade: load.links ? shades(load.links) : null,
      routerShade: shades(load.routers),
      ramp: ramp(app.map.peek()),
      linkMask: app.linkMask.peek(),
      routerMask: app.routerMask.peek(),
      withLinks: this.withLinks,
      how: app.how.peek(),
      name: (r) => core.routerName(r),
      width: this.width,
      height: this.height,
    });
    this.drawMarks(c);
    this.drawArea(c);
    this.key.set(ramp(app.map.peek()), 0, most, load.unit, `${load.title}, ${windowText(app, (t) => format.time(t))}; routers: ${app.how.peek() === "mean" ? "mean of their links to others" : load.links ? "largest of their links" : "largest of their links to others"}; short strokes beside routers: NIC links`, load.links !== null && load.routers.some((v) => v > most * 1.02));
  }

  /** Draws the way of a message of the critical path, and dashed the links at the roots of its waits. */
  private drawMarks(c: CanvasRenderingContext2D): void {
    const marks = this.app.marks.peek();
    this.canvas.dataset["marks"] = marks ? `${marks.way.length},${marks.roots.length}` : "";
    this.frame.setNote(marks && marks.way.length > 0 ? `Thick: the way of the message of the chosen segment of the critical path. ${marks.roots.length > 0 ? "Dashed: links at the root of what it waited for." : ""}` : "");
    if (!marks) return;
    const [way, roots] = [new Set(marks.way), new Set(marks.roots)];
    for (const s of this.segments) {
      if (way.has(s.link)) stroke(c, s, theme("--accent"), 3.5, []);
      if (roots.has(s.link)) stroke(c, s, theme("--bad"), 3, [5, 3]);
    }
  }

  private drawArea(c: CanvasRenderingContext2D): void {
    const accent = getComputedStyle(this.canvas).getPropertyValue("--accent");
    c.strokeStyle = accent;
    if (this.drag?.area) {
      const d = this.drag;
      c.setLineDash([4, 3]);
      c.strokeRect(Math.min(d.x, d.x1), Math.min(d.y, d.y1), Math.abs(d.x1 - d.x), Math.abs(d.y1 - d.y));
      c.setLineDash([]);
    }
    if (this.focus >= 0 && this.at) {
      c.lineWidth = 2;
      c.beginPath();
      c.arc(this.at.x[this.focus], this.at.y[this.focus], 9, 0, 2 * Math.PI);
      c.stroke();
    }
  }

  private listen(): void {
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (e) => {
      if (e.button !== 0) return;
      canvas.setPointerCapture(e.pointerId);
      const at = this.pixel(e);
      this.drag = { ...at, moved: false, area: e.shiftKey, x1: at.x, y1: at.y };
      hideTip();
    });
    canvas.addEventListener("pointermove", (e) => this.move(e));
    canvas.addEventListener("pointerup", (e) => this.drop(e));
    canvas.addEventListener("pointercancel", () => (this.drag = null));
    canvas.addEventListener("pointerleave", hideTip);
    canvas.addEventListener("dblclick", () => ((this.camera = { ...start }), this.repaint()));
    canvas.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    canvas.addEventListener("keydown", (e) => this.keys(e));
  }

  private pixel(e: MouseEvent): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    return { x: e.clientX - box.left, y: e.clientY - box.top };
  }

  private move(e: PointerEvent): void {
    const at = this.pixel(e);
    const d = this.drag;
    if (!d) {
      this.tip(e.clientX, e.clientY, at);
      return;
    }
    if (!d.moved && Math.hypot(at.x - d.x, at.y - d.y) < 4) return;
    d.moved = true;
    const [dx, dy] = [at.x - d.x1, at.y - d.y1];
    d.x1 = at.x;
    d.y1 = at.y;
    if (!d.area) this.shift(dx, dy);
    this.repaint();
  }

  private shift(dx: number, dy: number): void {
    if (this.scene?.z) {
      this.camera.yaw += dx * 0.008;
      this.camera.pitch = Math.max(-1.5, Math.min(1.5, this.camera.pitch + dy * 0.008));
    } else {
      this.camera.panX += dx;
      this.camera.panY += dy;
    }
  }

  private drop(e: PointerEvent): void {
    const d = this.drag;
    this.drag = null;
    if (!d) return;
    if (!d.moved) this.click(this.pixel(e));
    else if (d.area) this.chooseArea(d);
    this.repaint();
  }

  private click(at: { x: number; y: number }): void {
    const r = this.routerAt(at);
    if (r >= 0) return this.pickRouter(r);
    const s = this.linkAt(at);
    const { app, core } = this;
    app.picked.value = s ? { kind: "link", rows: Int32Array.of(s.link), label: core!.linkName(s.link) } : null;
  }

  private pickRouter(r: number): void {
    this.app.picked.value = { kind: "router", rows: Int32Array.of(r), label: "router " + this.core!.routerName(r) };
  }

  private chooseArea(d: { x: number; y: number; x1: number; y1: number }): void {
    const { x, y } = this.at!;
    const rows: number[] = [];
    for (let r = 0; r < x.length; r++) {
      if (x[r] >= Math.min(d.x, d.x1) && x[r] <= Math.max(d.x, d.x1) && y[r] >= Math.min(d.y, d.y1) && y[r] <= Math.max(d.y, d.y1)) rows.push(r);
    }
    this.app.picked.value = rows.length > 0 ? { kind: "router", rows: Int32Array.from(rows), label: `${format.count(rows.length)} routers` } : null;
  }

  private routerAt(p: { x: number; y: number }): number {
    if (!this.at || !this.scene) return -1;
    const { x, y, depth, scale } = this.at;
    const reach = Math.max(4, Math.min(13, (scale * this.scene.size) / 2 + 2));
    let best = -1;
    let least = Infinity;
    for (let r = 0; r < x.length; r++) {
      const away = Math.hypot(x[r] - p.x, y[r] - p.y);
      const rank = depth ? depth[r] + away / 1000 : away;
      if (away <= reach && rank < least) [least, best] = [rank, r];
    }
    return best;
  }

  private linkAt(p: { x: number; y: number }): Segment | null {
    let best: Segment | null = null;
    let least = 4.5;
    for (const s of this.segments) {
      const away = s.bent ? Math.min(toSegment(p, s.x0, s.y0, mid(s.x0, s.cx, s.x1), mid(s.y0, s.cy, s.y1)), toSegment(p, mid(s.x0, s.cx, s.x1), mid(s.y0, s.cy, s.y1), s.x1, s.y1)) : toSegment(p, s.x0, s.y0, s.x1, s.y1);
      if (away < least) [least, best] = [away, s];
    }
    return best;
  }

  private tip(x: number, y: number, at: { x: number; y: number }): void {
    const { core, load } = this;
    if (!core || !load) return;
    const several = this.at && this.scene ? coveredBy(this.at, at.x, at.y) : [];
    if (several.length > 1) return this.pixelTip(x, y, several);
    const r = this.routerAt(at);
    const s = r < 0 ? this.linkAt(at) : null;
    this.canvas.style.cursor = r >= 0 || s ? "pointer" : "grab";
    if (r >= 0) this.routerTip(x, y, r);
    else if (s && load.links) showTip(x, y, core.linkName(s.link), [[load.title, format.quantity(load.links[s.link], load.unit)], ["in all", format.traffic(core.links.bytes[s.link])]]);
    else hideTip();
  }

  private routerTip(x: number, y: number, r: number): void {
    const { core, load } = this;
    const t = core!.routers.table;
    const group = core!.routers.group?.[r] ?? -1;
    const links = core!.linksOf("router")[r];
    const value = (v: number) => format.quantity(v, load!.unit);
    const same = load!.means[r] === load!.largest[r];
    const values: Line[] = same ? [[load!.title, value(load!.means[r])]] : [load!.title, ["mean", value(load!.means[r])], ["largest", value(load!.largest[r])]];
    showTip(x, y, "Router " + core!.routerName(r), [
      ...values,
      ...(load!.links ? [["largest of NIC links", value(nicLoads(core!, load!.links)[r])] as [string, string]] : []),
      ...(links > 0 ? [["links to others", format.count(links)] as [string, string]] : []),
      ...ranksLine(core!.ranksAt(r)),
      ["passed, in all", format.traffic(t.at("wire_bytes", r))],
      ...(group >= 0 ? [["group", String(group)] as [string, string]] : []),
    ]);
  }

  /** Describes routers that share a pixel. */
  private pixelTip(x: number, y: number, routers: number[]): void {
    const { core, load } = this;
    const each = core!.linksOf("router");
    const mean = routers.reduce((sum, r) => sum + load!.means[r], 0) / routers.length;
    const largest = routers.reduce((most, r) => Math.max(most, load!.largest[r]), 0);
    const links = routers.reduce((sum, r) => sum + each[r], 0);
    showTip(x, y, `${format.count(routers.length)} routers`, [
      load!.title,
      ["mean", format.quantity(mean, load!.unit)],
      ["largest", format.quantity(largest, load!.unit)],
      ["this pixel covers", `${format.count(links)} links`],
      ["from router", core!.routerName(routers[0])],
      ["to router", core!.routerName(routers[routers.length - 1])],
    ]);
  }

  private wheel(e: WheelEvent): void {
    if (document.activeElement !== this.canvas && !e.ctrlKey) return;
    e.preventDefault();
    const at = this.pixel(e);
    this.zoom(Math.exp(-e.deltaY * 0.0015), at.x, at.y);
  }

  private zoom(factor: number, x: number, y: number): void {
    const c = this.camera;
    const next = Math.max(0.5, Math.min(400, c.zoom * factor));
    const k = next / c.zoom;
    c.panX = (x - this.width / 2) * (1 - k) + c.panX * k;
    c.panY = (y - this.height / 2) * (1 - k) + c.panY * k;
    c.zoom = next;
    this.repaint();
  }

  private keys(e: KeyboardEvent): void {
    const moves: Record<string, [number, number]> = { ArrowLeft: [-24, 0], ArrowRight: [24, 0], ArrowUp: [0, -24], ArrowDown: [0, 24] };
    const move = moves[e.key];
    const n = this.core?.routers.count ?? 0;
    if (move) this.shift(move[0], move[1]);
    else if (e.key === "+") this.zoom(1.25, this.width / 2, this.height / 2);
    else if (e.key === "-") this.zoom(0.8, this.width / 2, this.height / 2);
    else if (e.key === "n" || e.key === "p") {
      this.focus = (this.focus + (e.key === "n" ? 1 : -1) + n) % n;
      const box = this.canvas.getBoundingClientRect();
      this.routerTip(box.left + this.at!.x[this.focus], box.top + this.at!.y[this.focus], this.focus);
    } else if (e.key === "Enter" && this.focus >= 0) this.pickRouter(this.focus);
    else if (e.key === "Escape") this.app.clear();
    else return;
    e.preventDefault();
    this.repaint();
  }

  private csv(): string {
    const { core, load } = this;
    if (!core || !load) return "";
    if (!load.links) return csv(["router", load.title], Array.from(load.routers, (v, r) => [core.routerName(r), v]));
    return csv(["link", "router", "to_router", `${load.title} (${load.unit})`], Array.from(load.links, (v, l) => [core.linkName(l), core.links.router[l], core.links.to[l], Number(v.toPrecision(5))]));
  }
}

const mostNamed = 8;

/** The ranks on a router's hosts, as a line of its tooltip. */
function ranksLine(ranks: number[]): Line[] {
  if (ranks.length === 0) return [];
  const more = ranks.length - mostNamed;
  return [[ranks.length === 1 ? "rank" : "ranks", ranks.slice(0, mostNamed).join(", ") + (more > 0 ? ` and ${format.count(more)} more` : "")]];
}

/** Draws a link with an arrowhead in its middle. */
function stroke(c: CanvasRenderingContext2D, s: Segment, color: string, width: number, dash: number[]): void {
  const [x, y] = s.bent ? [mid(s.x0, s.cx, s.x1), mid(s.y0, s.cy, s.y1)] : [(s.x0 + s.x1) / 2, (s.y0 + s.y1) / 2];
  const angle = Math.atan2(s.y1 - s.y0, s.x1 - s.x0);
  c.strokeStyle = color;
  c.fillStyle = color;
  c.lineWidth = width;
  c.setLineDash(dash);
  c.beginPath();
  c.moveTo(s.x0, s.y0);
  if (s.bent) c.quadraticCurveTo(s.cx, s.cy, s.x1, s.y1);
  else c.lineTo(s.x1, s.y1);
  c.stroke();
  c.setLineDash([]);
  c.beginPath();
  c.moveTo(x + 5 * Math.cos(angle), y + 5 * Math.sin(angle));
  for (const turn of [2.5, -2.5]) c.lineTo(x + 6 * Math.cos(angle + turn), y + 6 * Math.sin(angle + turn));
  c.fill();
}

function mid(a: number, control: number, b: number): number {
  return 0.25 * a + 0.5 * control + 0.25 * b;
}

function toSegment(p: { x: number; y: number }, x0: number, y0: number, x1: number, y1: number): number {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const t = Math.max(0, Math.min(1, ((p.x - x0) * dx + (p.y - y0) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(p.x - x0 - t * dx, p.y - y0 - t * dy);
}
