/** The critical path as a strip over time, coloured by cause, with the answer in words above it. */

import { effect } from "@preact/signals-core";
import { causeColor, inkOn, theme } from "../color";
import type { Why } from "../data";
import { fit, h, perFrame } from "../dom";
import { csv } from "../export";
import * as format from "../format";
import { Frame, sized } from "../frame";
import { routersOfHosts, sentence } from "../names";
import { causesIn, CriticalPath, waitsIn } from "../path";
import { quoted } from "../period";
import { pan, type View, zoom } from "../pyramid";
import { type App, react } from "../state";
import type { RunData } from "../tables";
import { hideTip, type Line, showTip } from "../tooltip";
import { drawnBy } from "../vector";
import { shortened, timeTicks } from "./heatmap";
import { SegmentDetails } from "./segment";

const side = 8;
const top = 4;
/** Heights of the lanes: causes, and waits for others. */
const lane = 54;
const thin = 14;
const gap = 4;
const height = top + lane + gap + thin + 42;

const label = "The critical path. Left and right arrow go from segment to segment, plus and minus zoom, home and end go to the first and last, enter chooses the period of the segment, escape gives all back.";

/** Loads the tables of a run's path; null if there is none. */
export async function pathOf(run: RunData): Promise<CriticalPath | null> {
  if (!run.has("why_path")) return null;
  const some = (name: string) => (run.has(name) ? run.table(name) : null);
  const [path, parts, holders, ways] = await Promise.all([run.table("why_path"), some("why_parts"), some("why_holders"), some("why_ways")]);
  return path && new CriticalPath(path, parts, holders, ways);
}

export function why(app: App): HTMLElement {
  return new WhyView(app).frame.element;
}

class WhyView {
  readonly frame: Frame;
  private readonly words = h("ul", { class: "sentences", "data-testid": "why-sentences" });
  private readonly canvas = h("canvas", { tabindex: 0, role: "application", "data-testid": "why-canvas", "aria-label": label });
  private readonly key = h("ul", { class: "key", "data-testid": "why-key" });
  private readonly details: SegmentDetails;
  private path: CriticalPath | null = null;
  private info: Why | null = null;
  private routers: ReadonlyMap<number, number> = new Map();
  private whole: View = { r0: 0, r1: 1, c0: 0, c1: 1 };
  private view: View = this.whole;
  private width = 0;
  private drag: { x: number; x1: number; pan: boolean } | null = null;
  private readonly repaint = perFrame(() => this.draw());

  constructor(private readonly app: App) {
    this.frame = new Frame({
      id: "why",
      title: "Why does it take this time?",
      csv: () => this.csv(),
    });
    this.frame.element.classList.add("whole");
    this.details = new SegmentDetails(app, (i) => this.choose(i));
    sized(this.frame.body, (w) => {
      this.width = w;
      this.draw();
    });
    drawnBy(this.canvas, (c) => this.path && this.paint(c, this.path));
    this.listen();
    react(
      () => app.run.value,
      async (run, current) => {
        const info = run?.info.why ?? null;
        this.frame.show(info !== null);
        app.segment.value = null;
        if (!run || !info) return;
        const [path, routers] = await Promise.all([pathOf(run), routersOfHosts(app)]);
        if (current()) this.open(info, path, routers);
      },
    );
    // Links have names when the core is loaded.
    effect(() => {
      void app.core.value;
      if (this.info && this.path) this.say(this.info);
    });
    effect(() => {
      void [app.period.value, app.repaint.value, app.segment.value];
      this.repaint();
    });
  }

  private open(info: Why, path: CriticalPath | null, routers: ReadonlyMap<number, number>): void {
    [this.info, this.path, this.routers] = [info, path, routers];
    this.details.open(path, info, routers);
    if (!path) {
      this.frame.setAbout("");
      this.frame.setControls();
      this.frame.body.replaceChildren(missing(info));
      return;
    }
    this.frame.setTitle("Why does it take this time?", `critical path of ${format.count(info.segments)} segment${info.segments === 1 ? "" : "s"}`);
    this.frame.setAbout("From the end of the rank that ends last back to the beginning, through the messages that ranks wait for: each picosecond belongs to one segment. Click a segment for what it consists of; drag to choose a period, alt and drag to move, after a click the wheel zooms.");
    this.frame.setControls(h("button", { type: "button", class: "quiet", "data-testid": "why-reset", onclick: () => ((this.view = this.whole), this.repaint()) }, "Zoom out"));
    this.whole = { r0: 0, r1: 1, c0: 0, c1: Math.max(1, path.span) };
    this.view = this.whole;
    this.say(info);
    this.key.replaceChildren(...this.keys(info));
    this.frame.body.replaceChildren(this.words, this.canvas, this.key, this.details.element);
    this.frame.setNote(notes(info, path));
    this.draw();
  }

  private say(info: Why): void {
    this.words.replaceChildren(...info.sentences.map((text) => h("li", null, sentence(this.app, text, this.routers))));
  }

  private keys(info: Why): HTMLElement[] {
    const meaning = new Map(info.meanings.map((m) => [m.name, m.meaning]));
    const causes = info.causes.map((c) => h("li", { title: meaning.get(c.cause), "data-what": c.cause, "data-ps": c.ps }, h("i", { style: `background:${causeColor(c.cause)}` }), h("span", null, c.cause), h("b", null, format.time(c.ps)), h("span", null, format.percent(c.share))));
    return [...causes, h("li", { class: "lower" }, h("i", { class: "waiting" }), h("span", null, "below: messages wait for others"))];
  }

  private get plot() {
    return { left: side, width: Math.max(10, this.width - 2 * side) };
  }

  private x(t: number): number {
    return this.plot.left + ((t - this.view.c0) / (this.view.c1 - this.view.c0)) * this.plot.width;
  }

  private draw(): void {
    if (!this.path || this.width === 0) return;
    this.paint(fit(this.canvas, this.width, height), this.path);
    this.canvas.dataset["view"] = [this.view.c0, this.view.c1].join();
    this.canvas.dataset["segment"] = String(this.app.segment.peek() ?? "");
    this.app.drew("why");
  }

  private paint(c: CanvasRenderingContext2D, path: CriticalPath): void {
    const { left, width } = this.plot;
    c.clearRect(0, 0, this.width, height);
    c.save();
    c.beginPath();
    c.rect(left, 0, width, top + lane + gap + thin);
    c.clip();
    this.paintCauses(c, path);
    this.paintWaits(c, path);
    this.nameSegments(c, path);
    this.paintPeriod(c);
    this.paintChosen(c, path);
    c.restore();
    this.paintAxis(c);
  }

  private paintCauses(c: CanvasRenderingContext2D, path: CriticalPath): void {
    const { left, width } = this.plot;
    const pixels = causesIn(path, this.view.c0, this.view.c1, Math.round(width));
    for (let x = 0; x < pixels.length; ) {
      let end = x + 1;
      while (end < pixels.length && pixels[end] === pixels[x]) end++;
      if (pixels[x] >= 0) {
        c.fillStyle = causeColor(path.causes[pixels[x]]);
        c.fillRect(left + x, top, end - x, lane);
      }
      x = end;
    }
  }

  private paintWaits(c: CanvasRenderingContext2D, path: CriticalPath): void {
    const { left, width } = this.plot;
    const y = top + lane + gap;
    c.fillStyle = theme("--idle");
    c.fillRect(left, y, width, thin);
    c.fillStyle = theme("--ink");
    waitsIn(path, this.view.c0, this.view.c1, Math.round(width)).forEach((share, x) => {
      if (share > 0) c.fillRect(left + x, y + thin * (1 - share), 1, thin * share);
    });
  }

  /** Draws the causes, and borders, of segments that are wide enough. */
  private nameSegments(c: CanvasRenderingContext2D, path: CriticalPath): void {
    c.font = "11.5px " + theme("--font");
    c.textAlign = "left";
    c.textBaseline = "middle";
    for (let i = path.at(this.view.c0); i < path.count && path.begin[i] < this.view.c1; i++) {
      const [x0, x1] = [Math.max(this.plot.left, this.x(path.begin[i])), this.x(path.end[i])];
      if (x1 - x0 < 4) continue;
      c.fillStyle = theme("--card");
      c.fillRect(x1 - 0.5, top, 1, lane);
      if (x1 - x0 < 46) continue;
      c.fillStyle = inkOn(causeColor(path.causeOf(i)));
      const wide = Math.min(x1, this.plot.left + this.plot.width) - x0 - 8;
      c.fillText(shortened(c, path.causeOf(i), wide), x0 + 4, top + lane / 2 - 9);
      c.fillText(shortened(c, path.crosses(i) ? `${path.source[i]} → ${path.rank[i]}` : `rank ${path.rank[i]}`, wide), x0 + 4, top + lane / 2 + 8);
    }
  }

  private paintPeriod(c: CanvasRenderingContext2D): void {
    const { left, width } = this.plot;
    const period = this.app.period.peek();
    const tall = lane + gap + thin;
    if (period) {
      const [a, b] = period.map((t) => this.x(t));
      c.fillStyle = theme("--veil");
      c.fillRect(left, top, Math.max(0, a - left), tall);
      c.fillRect(b, top, Math.max(0, left + width - b), tall);
      c.strokeStyle = theme("--accent");
      c.lineWidth = 1.5;
      c.strokeRect(a, top + 1, Math.max(1, b - a), tall - 2);
    }
    if (this.drag && !this.drag.pan) {
      c.fillStyle = theme("--accent");
      c.globalAlpha = 0.25;
      c.fillRect(Math.min(this.drag.x, this.drag.x1), top, Math.abs(this.drag.x1 - this.drag.x), tall);
      c.globalAlpha = 1;
    }
  }

  private paintChosen(c: CanvasRenderingContext2D, path: CriticalPath): void {
    const i = this.app.segment.peek();
    if (i === null) return;
    const [a, b] = [this.x(path.begin[i]), this.x(path.end[i])];
    for (const [color, line] of [[theme("--card"), 5], [theme("--ink"), 2.5]] as const) {
      c.strokeStyle = color;
      c.lineWidth = line;
      c.strokeRect(a, top + 1.5, Math.max(2, b - a), lane - 3);
    }
  }

  private paintAxis(c: CanvasRenderingContext2D): void {
    const { left, width } = this.plot;
    const y = top + lane + gap + thin;
    c.strokeStyle = theme("--line");
    c.lineWidth = 1;
    c.fillStyle = theme("--soft");
    c.font = "11px " + theme("--font");
    c.textAlign = "center";
    c.textBaseline = "top";
    const u = format.axisUnit(this.view.c1, "ps");
    for (const t of timeTicks(this.view.c0, this.view.c1, Math.max(2, Math.floor(width / 100)))) {
      const x = this.x(t);
      c.beginPath();
      c.moveTo(x, y);
      c.lineTo(x, y + 4);
      c.stroke();
      const text = format.digits(t / u.factor, 6);
      const half = c.measureText(text).width / 2;
      c.fillText(text, Math.max(half, Math.min(this.width - half, x)), y + 7);
    }
    c.fillText(`simulated time (${u.unit})`, left + width / 2, y + 23);
  }

  private listen(): void {
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (e) => {
      if (e.button !== 0) return;
      canvas.setPointerCapture(e.pointerId);
      const x = this.pixel(e);
      this.drag = { x, x1: x, pan: e.altKey };
      hideTip();
    });
    canvas.addEventListener("pointermove", (e) => this.move(e));
    canvas.addEventListener("pointerup", (e) => this.drop(e));
    canvas.addEventListener("pointercancel", () => (this.drag = null));
    canvas.addEventListener("pointerleave", hideTip);
    canvas.addEventListener("dblclick", () => ((this.view = this.whole), this.repaint()));
    canvas.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    canvas.addEventListener("keydown", (e) => this.press(e));
  }

  private pixel(e: MouseEvent): number {
    return e.clientX - this.canvas.getBoundingClientRect().left;
  }

  private time(x: number): number {
    const t = this.view.c0 + ((x - this.plot.left) / this.plot.width) * (this.view.c1 - this.view.c0);
    return Math.max(0, Math.min(this.whole.c1, t));
  }

  private move(e: PointerEvent): void {
    const x = this.pixel(e);
    const d = this.drag;
    if (!d) return this.tip(e.clientX, e.clientY, this.time(x));
    if (d.pan) this.view = pan(this.view, this.whole, 0, ((d.x1 - x) / this.plot.width) * (this.view.c1 - this.view.c0));
    d.x1 = x;
    this.repaint();
  }

  private drop(e: PointerEvent): void {
    const d = this.drag;
    this.drag = null;
    if (!d || d.pan || !this.path) return;
    if (Math.abs(d.x1 - d.x) > 4) {
      this.app.cursor.value = null;
      this.app.period.value = [this.time(Math.min(d.x, d.x1)), this.time(Math.max(d.x, d.x1))];
    } else this.choose(this.path.at(this.time(this.pixel(e))));
    this.repaint();
  }

  /** Chooses a segment: the network shows the way of its message, or the rank that works. */
  private choose(i: number | null): void {
    const { app, path } = this;
    if (!path || i === null || i < 0 || i >= path.count) return;
    app.segment.value = i;
    const way = path.way(i);
    const roots = [...new Set(path.holders(i).map((w) => w.root))].filter((l) => l >= 0);
    app.marks.value = { way, roots };
    if (way.length > 0) app.picked.value = { kind: "link", rows: Int32Array.from(way), label: `way of the message from rank ${path.source[i]} to rank ${path.table.at("destination", i)}` };
    else app.picked.value = { kind: "rank", rows: Int32Array.of(path.rank[i]), label: `rank ${path.rank[i]}` };
    this.follow(path, i);
  }

  /** Moves the view to a segment that is out of sight. */
  private follow(path: CriticalPath, i: number): void {
    const { view } = this;
    if (path.end[i] > view.c0 && path.begin[i] < view.c1) return;
    this.view = pan(view, this.whole, 0, (path.begin[i] + path.end[i]) / 2 - (view.c0 + view.c1) / 2);
  }

  private tip(x: number, y: number, t: number): void {
    const { path } = this;
    if (!path) return;
    const i = path.at(t);
    const lines: Line[] = [["from", format.time(path.begin[i], 5)], ["lasts", format.time(path.time(i), 4)], ["of the whole", format.percent(path.time(i) / Math.max(1, path.span))]];
    if (path.waits[i] > 0) lines.push(["waits for others", format.time(path.waits[i], 4)]);
    const together = path.table.at("segments", i);
    if (together > 1) lines.push(`${format.count(together)} short segments, mostly ${path.causeOf(i)}`);
    showTip(x, y, `${path.causeOf(i)}, ${path.crosses(i) ? `rank ${path.source[i]} → rank ${path.rank[i]}` : `rank ${path.rank[i]}`}`, lines);
  }

  private wheel(e: WheelEvent): void {
    if (document.activeElement !== this.canvas && !e.ctrlKey) return;
    e.preventDefault();
    this.view = zoom(this.view, this.whole, Math.exp((e.deltaY || e.deltaX) * 0.0015), null, this.time(this.pixel(e)));
    this.repaint();
  }

  private press(e: KeyboardEvent): void {
    const { app, path } = this;
    if (!path) return;
    const now = app.segment.peek();
    const steps: Record<string, number> = { ArrowLeft: (now ?? 1) - 1, ArrowRight: (now ?? -1) + 1, Home: 0, End: path.count - 1 };
    if (e.key in steps) this.choose(Math.max(0, Math.min(path.count - 1, steps[e.key])));
    else if (e.key === "+" || e.key === "-") this.view = zoom(this.view, this.whole, e.key === "+" ? 0.7 : 1 / 0.7, null, now === null ? (this.view.c0 + this.view.c1) / 2 : (path.begin[now] + path.end[now]) / 2);
    else if (e.key === "Enter" && now !== null) app.period.value = [path.begin[now], path.end[now]];
    else if (e.key === "Escape") [app.segment.value, app.marks.value] = [null, null] as const, app.clear();
    else return;
    e.preventDefault();
    this.repaint();
  }

  private csv(): string {
    const t = this.path?.table;
    return t ? csv(t.info.columns.map((c) => c.name), t.cells(Array.from({ length: t.rows }, (_, r) => r))) : "";
  }
}

/** What a page without a path says. */
function missing(info: Why): HTMLElement {
  const { folder, repeatable } = info;
  const command = info.not_recorded && repeatable ? `fabricast run ${quoted(folder + "/experiment.yaml")} --record ${info.record} --out ${quoted(folder.replace(/\/+$/, "") + "-why")}` : "";
  const hint = info.not_recorded && !repeatable ? " Run the program again with record.causes." : "";
  return h("div", { "data-testid": "why-missing" }, h("p", null, info.missing + hint), command !== "" && h("div", { class: "rewind-command" }, h("code", null, command)));
}

/** What the strip leaves out. */
function notes(info: Why, path: CriticalPath): string {
  const list = [...(info.notes ?? [])];
  if (path.count < info.segments) list.push(`The shortest neighbours are drawn together: ${format.count(path.count)} segments in place of ${format.count(info.segments)}. The sums are those of all.`);
  if (info.ties > 0) list.push(`${format.count(info.ties)} wait${info.ties === 1 ? "" : "s"} on the path had two ends at the same time; it follows what the model handles first.`);
  return list.join(" ");
}
