/** Activities of ranks over time, optionally with messages as arrows. */

import { effect } from "@preact/signals-core";
import { inkOn, pack, stateColor, theme } from "../color";
import { choice, fit, h, perFrame } from "../dom";
import { csv } from "../export";
import * as format from "../format";
import { Frame, sized } from "../frame";
import { pan, type View, zoom } from "../pyramid";
import { type App, react } from "../state";
import type { Table } from "../tables";
import { chosenRanks } from "../choice";
import type { Numbers } from "../source";
import { howChoice } from "../how";
import type { CriticalPath } from "../path";
import { type Color, mixed, statesIn } from "../mix";
import { Timeline } from "../timeline";
import { hideTip, type Line, showTip } from "../tooltip";
import { drawnBy } from "../vector";
import { shortened, timeTicks } from "./heatmap";
import { pathOf } from "./why";

const left = 76;
const top = 6;
const bottom = 40;
const height = 420;
/** Maximum number of arrows that can still be distinguished. */
const mostArrows = 1500;

export function gantt(app: App): HTMLElement {
  return new Gantt(app).frame.element;
}

/** Blocks of ranks with the share of each state, used if there are too many ranks to store all spans. */
interface Blocks {
  table: Table;
  states: string[];
  ranks: number;
}

class Gantt {
  readonly frame: Frame;
  private readonly canvas = h("canvas", { tabindex: 0, role: "application", "data-testid": "gantt-canvas", "aria-label": "Rank timeline. Arrow keys move, plus and minus zoom time, star and underscore zoom ranks, escape clears." });
  private readonly key = h("ul", { class: "key" });
  private timeline: Timeline | null = null;
  private blocks: Blocks | null = null;
  private messages: Table | null = null;
  private path: CriticalPath | null = null;
  private withPath = true;
  private readonly hows: HTMLElement;
  private arrows = false;
  /** For each rank, 1 if it is selected. */
  private chosen: Uint8Array | null = null;
  private whole: View = { r0: 0, r1: 1, c0: 0, c1: 1 };
  private view: View = this.whole;
  private width = 0;
  private arrowNote = "";
  private drag: { x: number; y: number; x1: number; y1: number; pan: boolean } | null = null;
  private readonly repaint = perFrame(() => this.draw());

  constructor(private readonly app: App) {
    this.frame = new Frame({ id: "gantt", title: "What ranks do", about: "Drag to choose a period, alt and drag to move. Click a rank to choose it. After a click the wheel zooms time, with shift ranks; double-click shows all. The tip tells what a pixel covers.", csv: () => this.csv() });
    this.hows = howChoice(app, "gantt-how", "ranks and intervals");
    this.frame.body.append(this.canvas, this.key);
    sized(this.frame.body, (w) => {
      this.width = w;
      this.draw();
    });
    drawnBy(this.canvas, (c) => this.paint(c));
    this.listen();
    react(
      () => app.run.value,
      async (run, current) => {
        this.frame.show(run !== undefined && (run.has("timeline") || run.has("rank_blocks")));
        if (!run) return;
        const [timeline, blocks, messages, path] = await Promise.all([run.has("timeline") ? run.table("timeline") : null, run.has("rank_blocks") ? run.table("rank_blocks") : null, run.has("messages") ? run.table("messages") : null, pathOf(run)]);
        if (!current()) return;
        this.path = path;
        this.open(timeline, blocks, messages, run.info.summary?.predicted_ps ?? 0);
      },
    );
    react(
      () => ({ run: app.run.value, picked: app.picked.value, mask: app.routerMask.value }),
      async ({ run }, current) => {
        const chosen = run ? await chosenRanks(app, run) : null;
        if (!current()) return;
        this.chosen = chosen;
        this.repaint();
      },
    );
    effect(() => {
      void [app.period.value, app.cursor.value, app.repaint.value, app.how.value, app.segment.value];
      this.repaint();
    });
    effect(() => {
      const look = app.look.value;
      if (look) this.show(look.from, look.to, look.rank);
    });
  }

  /** Shows a period with some time around it, and a rank with its neighbours. */
  private show(from: number, to: number, rank: number): void {
    const [time, ranks] = [Math.max(1, 3 * (to - from)), Math.min(this.whole.r1, 24)];
    const next = { r0: rank - ranks / 2, r1: rank + ranks / 2, c0: (from + to - time) / 2, c1: (from + to + time) / 2 };
    this.view = pan({ ...next, c0: Math.max(0, next.c0), c1: Math.min(this.whole.c1, next.c1) }, this.whole, 0, 0);
    this.repaint();
  }

  private open(timeline: Table | null, blocks: Table | null, messages: Table | null, predicted: number): void {
    this.timeline = timeline ? new Timeline(timeline) : null;
    this.blocks = blocks ? { table: blocks, states: blocks.info.columns.map((c) => c.name).filter((n) => !/_ps$|rank/.test(n)), ranks: 1 + Array.from(blocks.get("last_rank") ?? []).reduce((a, b) => Math.max(a, b), -1) } : null;
    this.messages = messages;
    const ranks = Math.max(this.timeline?.ranks ?? 0, this.blocks?.ranks ?? 0);
    const whole = { r0: 0, r1: Math.max(1, ranks), c0: 0, c1: Math.max(1, this.timeline?.span ?? 0, predicted) };
    if (whole.r1 !== this.whole.r1 || this.view.c1 > whole.c1 || this.view.c1 === this.whole.c1) this.view = whole;
    this.whole = whole;
    const states = this.timeline ? timeline!.dict("state") : (this.blocks?.states ?? []);
    this.key.replaceChildren(...states.map((t) => h("li", null, h("i", { style: `background:${stateColor(t)}` }), t)));
    this.frame.setTitle("What ranks do", `${format.count(ranks)} ranks`);
    this.frame.setControls(
      messages !== null && choice("Messages", [{ value: "no", text: "No messages" }, { value: "yes", text: "Messages as arrows" }], this.arrows ? "yes" : "no", (v) => ((this.arrows = v === "yes"), this.repaint()), "gantt-arrows"),
      this.path !== null && choice("Critical path", [{ value: "yes", text: "Critical path" }, { value: "no", text: "Without" }], this.withPath ? "yes" : "no", (v) => ((this.withPath = v === "yes"), this.repaint()), "gantt-path"),
      timeline !== null && this.hows,
      h("button", { type: "button", class: "quiet", "data-testid": "gantt-reset", onclick: () => ((this.view = this.whole), this.repaint()) }, "Zoom out"),
    );
    this.draw();
  }

  private get plot() {
    return { left, top, width: Math.max(10, Math.floor(this.width - left - 8)), height: height - top - bottom };
  }

  private x(t: number): number {
    return left + ((t - this.view.c0) / (this.view.c1 - this.view.c0)) * this.plot.width;
  }

  private y(rank: number): number {
    return top + ((rank - this.view.r0) / (this.view.r1 - this.view.r0)) * this.plot.height;
  }

  private draw(): void {
    if (this.width === 0 || (!this.timeline && !this.blocks)) return;
    this.arrowNote = "";
    this.canvas.dataset["arrows"] = "0";
    this.paint(fit(this.canvas, this.width, height));
    this.frame.setNote([this.arrowNote, this.timeline?.table.info.note, this.messages?.info.note && this.arrows ? `Messages: ${this.messages.info.note}` : ""].filter(Boolean).join(" "));
    this.canvas.dataset["view"] = [this.view.r0, this.view.r1, this.view.c0, this.view.c1].join();
  }

  private paint(c: CanvasRenderingContext2D): void {
    const { plot } = this;
    c.clearRect(0, 0, this.width, height);
    c.fillStyle = theme("--ground");
    c.fillRect(plot.left, plot.top, plot.width, plot.height);
    c.save();
    c.beginPath();
    c.rect(plot.left, plot.top, plot.width, plot.height);
    c.clip();
    // If rows are thinner than a pixel, blocks of ranks are drawn, if there are any.
    if (this.blocks && (!this.timeline || plot.height / (this.view.r1 - this.view.r0) < 1)) this.drawBlocks(c, this.blocks);
    else if (this.timeline) this.drawRanks(c, this.timeline);
    if (this.arrows && this.messages) this.drawArrows(c, this.messages);
    this.drawChosen(c);
    if (this.path && this.withPath) this.drawPath(c, this.path);
    c.restore();
    this.drawAxes(c);
  }

  /** Draws the critical path: along the rank that works, and from rank to rank with messages. */
  private drawPath(c: CanvasRenderingContext2D, path: CriticalPath): void {
    const { c0, c1 } = this.view;
    const chosen = this.app.segment.peek();
    c.lineJoin = "round";
    for (const [color, width] of [[theme("--card"), 4.5], [theme("--ink"), 2]] as const) {
      c.strokeStyle = color;
      c.lineWidth = width;
      c.beginPath();
      for (let i = path.at(c0); i < path.count && path.begin[i] < c1; i++) this.addSegment(c, path, i);
      c.stroke();
    }
    if (chosen === null || chosen >= path.count) return;
    c.strokeStyle = theme("--bad");
    c.lineWidth = 3.5;
    c.beginPath();
    this.addSegment(c, path, chosen);
    c.stroke();
  }

  private addSegment(c: CanvasRenderingContext2D, path: CriticalPath, i: number): void {
    const from = path.crosses(i) ? path.source[i] : path.rank[i];
    c.moveTo(this.x(path.begin[i]), this.y(from + 0.5));
    c.lineTo(this.x(path.end[i]), this.y(path.rank[i] + 0.5));
  }

  /**
   * A pixel that covers several intervals or ranks mixes their colours, or has the colour of the state with the most
   * time.
   */
  private drawRanks(c: CanvasRenderingContext2D, t: Timeline): void {
    const states = t.table.dict("state");
    const size = this.plot.height / (this.view.r1 - this.view.r0);
    for (const [a, b] of this.rankRows(t)) {
      const tall = Math.max(1, (b - a) * size - (size > 5 ? 1 : 0));
      this.drawRow(c, statesIn(t, states.length, a, b, this.view.c0, this.view.c1, this.plot.width), b - a, this.y(a), tall, states);
      if (size > 13) this.nameIntervals(c, t, a, tall);
    }
  }

  /** The ranges of ranks that share a row of pixels; a single rank if there is enough space. */
  private rankRows(t: Timeline): [number, number][] {
    const { r0, r1 } = this.view;
    const first = Math.max(0, Math.floor(r0));
    const last = Math.min(t.ranks, Math.ceil(r1));
    const together = Math.max(1, Math.ceil((r1 - r0) / this.plot.height));
    const rows: [number, number][] = [];
    for (let a = first - (first % together); a < last; a += together) rows.push([a, Math.min(last, a + together)]);
    return rows;
  }

  private drawRow(c: CanvasRenderingContext2D, times: Float64Array, ranks: number, y: number, tall: number, states: string[]): void {
    const colors = states.map((s) => rgb(stateColor(s)));
    const ground = rgb(theme("--ground"));
    const { width } = this.plot;
    const whole = ((this.view.c1 - this.view.c0) / width) * ranks;
    const how = this.app.how.peek();
    let from = 0;
    let color = "";
    for (let x = 0; x <= width; x++) {
      const mix = x < width ? mixed(times, x * states.length, colors, ground, whole, how) : null;
      const next = mix ? `rgb(${mix.join()})` : "";
      if (next === color && x < width) continue;
      if (color !== "") {
        c.fillStyle = color;
        c.fillRect(left + from, y, x - from, tall);
      }
      [from, color] = [x, next];
    }
  }

  /** Draws names in those intervals of a rank that are wide enough. */
  private nameIntervals(c: CanvasRenderingContext2D, t: Timeline, rank: number, tall: number): void {
    const { c0, c1 } = this.view;
    const [from, last] = t.from(rank, c0);
    for (let i = from; i < last && t.begin[i] < c1; i++) {
      const x0 = Math.max(left, this.x(t.begin[i]));
      const x1 = Math.min(left + this.plot.width, this.x(t.end[i]));
      if (x1 - x0 > 60) this.nameInterval(c, t, i, x0, x1, this.y(rank), tall);
    }
  }

  private nameInterval(c: CanvasRenderingContext2D, t: Timeline, i: number, x0: number, x1: number, y: number, tall: number): void {
    const collective = t.table.text("collective", i);
    const step = t.table.at("step", i);
    const text = collective ? collective + (step >= 0 ? ` · step ${step}` : "") : t.table.text("state", i);
    c.fillStyle = inkOn(stateColor(t.table.text("state", i)));
    c.font = "11px " + theme("--font");
    c.textAlign = "left";
    c.textBaseline = "middle";
    c.fillText(shortened(c, text, x1 - x0 - 10), x0 + 5, y + tall / 2 + 0.5);
  }

  private drawBlocks(c: CanvasRenderingContext2D, b: Blocks): void {
    const t = b.table;
    const get = (n: string) => t.get(n) ?? new Int32Array(t.rows);
    const [first, last, begin, end] = [get("first_rank"), get("last_rank"), get("begin_ps"), get("end_ps")];
    const shares = b.states.map((n) => t.get(n)!);
    for (let i = 0; i < t.rows; i++) {
      if (end[i] < this.view.c0 || begin[i] > this.view.c1 || last[i] < this.view.r0 || first[i] > this.view.r1) continue;
      const x0 = this.x(begin[i]);
      const w = this.x(end[i]) - x0 + 0.4;
      let y = this.y(first[i]);
      const tall = this.y(last[i] + 1) - y;
      b.states.forEach((name, k) => {
        const part = shares[k][i] * tall;
        if (part <= 0) return;
        c.fillStyle = stateColor(name);
        c.fillRect(x0, y, w, part + 0.4);
        y += part;
      });
    }
  }

  private drawArrows(c: CanvasRenderingContext2D, m: Table): void {
    const [source, target, sent, got] = ["source", "destination", "send_ps", "delivery_ps"].map((n) => m.get(n) ?? new Int32Array(m.rows));
    const size = this.plot.height / (this.view.r1 - this.view.r0);
    c.strokeStyle = theme("--ink");
    c.fillStyle = theme("--ink");
    c.lineWidth = 1;
    c.globalAlpha = 0.55;
    const list = this.inSight(source, target, sent, got);
    // Draws an evenly spread subset of the messages, so that no time or rank looks empty.
    const every = Math.ceil(list.length / mostArrows);
    for (let k = 0; k < list.length; k += every) {
      const i = list[k];
      arrow(c, this.x(sent[i]), this.y(source[i] + 0.5), this.x(got[i]), this.y(target[i] + 0.5), size > 6);
    }
    c.globalAlpha = 1;
    this.canvas.dataset["arrows"] = String(every > 0 ? Math.ceil(list.length / every) : 0);
    const whose = this.chosen ? "from or to the chosen ranks " : "";
    this.arrowNote = every > 1 ? `One in ${every} of the ${format.count(list.length)} messages ${whose}in sight is drawn: zoom in, or click a rank, for all.` : `${format.count(list.length)} messages ${whose}in sight.`;
  }

  /** Messages in flight in the visible part, from or to selected ranks. */
  private inSight(source: Numbers, target: Numbers, sent: Numbers, got: Numbers): number[] {
    const { view, chosen } = this;
    const list: number[] = [];
    for (let i = 0; i < sent.length; i++) {
      if (got[i] < view.c0 || sent[i] > view.c1) continue;
      if (Math.max(source[i], target[i]) < view.r0 || Math.min(source[i], target[i]) > view.r1) continue;
      if (chosen && chosen[source[i]] !== 1 && chosen[target[i]] !== 1) continue;
      list.push(i);
    }
    return list;
  }

  private drawChosen(c: CanvasRenderingContext2D): void {
    const { plot } = this;
    const period = this.app.period.peek();
    const accent = theme("--accent");
    if (period) {
      const [a, b] = period.map((t) => this.x(t));
      c.fillStyle = theme("--veil");
      c.fillRect(plot.left, plot.top, Math.max(0, a - plot.left), plot.height);
      c.fillRect(b, plot.top, Math.max(0, plot.left + plot.width - b), plot.height);
      c.strokeStyle = accent;
      c.lineWidth = 1.5;
      c.strokeRect(a, plot.top + 1, b - a, plot.height - 2);
    }
    const bins = this.app.bins.peek();
    const at = this.app.cursor.peek();
    if (at !== null && bins) {
      c.fillStyle = accent;
      c.fillRect(this.x((Math.floor(at) + 0.5) * bins.interval_ps) - 1, plot.top, 2, plot.height);
    }
    if (this.drag && !this.drag.pan) {
      c.fillStyle = accent;
      c.globalAlpha = 0.25;
      c.fillRect(Math.min(this.drag.x, this.drag.x1), plot.top, Math.abs(this.drag.x1 - this.drag.x), plot.height);
      c.globalAlpha = 1;
    }
    if (this.chosen) this.veilOthers(c, this.chosen);
  }

  /** Draws a veil over ranks that are not selected. */
  private veilOthers(c: CanvasRenderingContext2D, chosen: Uint8Array): void {
    const { plot, view } = this;
    c.fillStyle = theme("--veil");
    const b = Math.min(this.whole.r1, Math.ceil(view.r1));
    for (let r = Math.max(0, Math.floor(view.r0)); r < b; ) {
      let end = r;
      while (end < b && chosen[end] !== 1) end++;
      if (end > r) c.fillRect(plot.left, this.y(r), plot.width, this.y(end) - this.y(r));
      r = end + 1;
    }
  }

  private drawAxes(c: CanvasRenderingContext2D): void {
    const { plot, view } = this;
    c.strokeStyle = theme("--line");
    c.lineWidth = 1;
    c.strokeRect(plot.left - 0.5, plot.top - 0.5, plot.width + 1, plot.height + 1);
    c.fillStyle = theme("--soft");
    c.font = "11px " + theme("--font");
    c.textAlign = "right";
    c.textBaseline = "middle";
    const shown = view.r1 - view.r0;
    const step = 2 ** Math.max(0, Math.ceil(Math.log2(shown / (plot.height / 18))));
    for (let r = Math.ceil(view.r0 / step) * step; r < view.r1; r += step) c.fillText((step === 1 ? "rank " : "") + r, plot.left - 6, this.y(r + Math.min(0.5 * step, step === 1 ? 0.5 : 0)) + (step > 1 ? 6 : 0));
    c.textAlign = "center";
    c.textBaseline = "top";
    const u = format.axisUnit(view.c1, "ps");
    for (const t of timeTicks(view.c0, view.c1, Math.max(2, Math.floor(plot.width / 100)))) {
      const x = this.x(t);
      c.beginPath();
      c.moveTo(x, plot.top + plot.height);
      c.lineTo(x, plot.top + plot.height + 4);
      c.stroke();
      c.fillText(format.digits(t / u.factor, 6), x, plot.top + plot.height + 7);
    }
    c.fillText(`simulated time (${u.unit})`, plot.left + plot.width / 2, plot.top + plot.height + 23);
  }

  private place(e: MouseEvent): { x: number; y: number; rank: number; t: number; inside: boolean } {
    const box = this.canvas.getBoundingClientRect();
    const x = e.clientX - box.left;
    const y = e.clientY - box.top;
    const { plot, view } = this;
    const t = view.c0 + ((x - plot.left) / plot.width) * (view.c1 - view.c0);
    const rank = Math.floor(view.r0 + ((y - plot.top) / plot.height) * (view.r1 - view.r0));
    return { x, y, rank, t, inside: x >= plot.left && x <= plot.left + plot.width && y >= plot.top && y <= plot.top + plot.height };
  }

  private listen(): void {
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (e) => {
      const at = this.place(e);
      if (!at.inside || e.button !== 0) return;
      canvas.setPointerCapture(e.pointerId);
      this.drag = { x: at.x, y: at.y, x1: at.x, y1: at.y, pan: e.altKey };
      hideTip();
    });
    canvas.addEventListener("pointermove", (e) => this.move(e));
    canvas.addEventListener("pointerup", (e) => this.drop(e));
    canvas.addEventListener("pointercancel", () => (this.drag = null));
    canvas.addEventListener("pointerleave", hideTip);
    canvas.addEventListener("dblclick", () => ((this.view = this.whole), this.repaint()));
    canvas.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    canvas.addEventListener("keydown", (e) => this.keys(e));
  }

  private move(e: PointerEvent): void {
    const at = this.place(e);
    const d = this.drag;
    if (!d) {
      if (at.inside) this.tip(e, at.rank, at.t);
      else hideTip();
      return;
    }
    if (d.pan) this.shift(d.y1 - at.y, d.x1 - at.x);
    d.x1 = at.x;
    d.y1 = at.y;
    this.repaint();
  }

  private shift(dy: number, dx: number): void {
    const { plot, view } = this;
    this.view = pan(view, this.whole, (dy / plot.height) * (view.r1 - view.r0), (dx / plot.width) * (view.c1 - view.c0));
  }

  private drop(e: PointerEvent): void {
    const d = this.drag;
    this.drag = null;
    if (!d || d.pan) return;
    const at = this.place(e);
    if (Math.abs(d.x1 - d.x) > 4) {
      const { plot, view } = this;
      const time = (x: number) => Math.max(0, view.c0 + ((x - plot.left) / plot.width) * (view.c1 - view.c0));
      this.app.cursor.value = null;
      this.app.period.value = [time(Math.min(d.x, d.x1)), time(Math.max(d.x, d.x1))];
    } else if (at.rank >= 0 && at.rank < this.whole.r1) void this.pickRank(at.rank);
    this.repaint();
  }

  /** Selecting a rank selects its host's router. */
  private async pickRank(rank: number): Promise<void> {
    const ranks = await this.app.run.peek()?.table("ranks", ["rank", "router"]);
    const router = ranks?.get("router")?.[rank];
    if (this.chosen?.[rank] === 1) return void (this.app.picked.value = null);
    if (router !== undefined && router >= 0) this.app.picked.value = { kind: "router", rows: Int32Array.of(router), label: `router of rank ${rank}` };
    else this.app.picked.value = { kind: "rank", rows: Int32Array.of(rank), label: `rank ${rank}` };
  }

  /** Describes what a pixel covers: the shares of states, if it covers more than one interval. */
  private tip(e: MouseEvent, rank: number, t: number): void {
    const line = this.timeline;
    if (!line) return this.blockTip(e, rank, t);
    const each = (this.view.c1 - this.view.c0) / this.plot.width;
    const begin = this.view.c0 + Math.floor((t - this.view.c0) / each) * each;
    const [a, b] = this.rankRows(line).find(([x, y]) => rank >= x && rank < y) ?? [rank, rank + 1];
    const states = line.table.dict("state");
    const times = statesIn(line, states.length, a, b, begin, begin + each, 1);
    if (b - a > 1 || line.from(rank, begin)[0] + 1 < line.from(rank, begin + each - 1)[0]) {
      const whole = each * (b - a);
      const shares = states.map((s, i): [string, number] => [s, times[i] / whole]).filter(([, v]) => v > 0).sort((x, y) => y[1] - x[1]);
      const rest = 1 - shares.reduce((sum, [, v]) => sum + v, 0);
      if (rest > 0.0005) shares.push(["nothing recorded", rest]);
      const lines: Line[] = shares.map(([s, v]) => [s, format.percent(v)]);
      showTip(e.clientX, e.clientY, b - a > 1 ? `ranks ${a} to ${b - 1}` : `rank ${a}`, [...lines, ["this pixel covers", `${format.time(begin, 4)} to ${format.time(begin + each, 4)}`]]);
      return;
    }
    const i = line.at(rank, t);
    if (i < 0) return showTip(e.clientX, e.clientY, `rank ${rank}`, [["time", format.time(t, 4)]]);
    const collective = line.table.text("collective", i);
    const step = line.table.at("step", i);
    const peer = line.table.at("peer", i);
    showTip(e.clientX, e.clientY, `rank ${rank}: ${line.table.text("state", i)}`, [
      ...(collective ? [["collective", collective + (step >= 0 ? `, step ${step}` : "")] as [string, string]] : []),
      ...(peer >= 0 ? [["with rank", String(peer)] as [string, string]] : []),
      ...(this.app.core.peek() ? [["at router", this.app.core.peek()!.routerName(this.app.core.peek()!.routerOf(rank))] as [string, string]] : []),
      ["from", format.time(line.begin[i], 5)],
      ["lasts", format.time(line.end[i] - line.begin[i], 4)],
    ]);
  }

  /** For ranks stored only as blocks: describes the shares of the block at a position. */
  private blockTip(e: MouseEvent, rank: number, t: number): void {
    const b = this.blocks;
    const get = (n: string) => b?.table.get(n);
    const [first, last, begin, end] = [get("first_rank"), get("last_rank"), get("begin_ps"), get("end_ps")];
    const i = first && last && begin && end ? first.findIndex((r: number, k: number) => r <= rank && rank <= last[k] && begin[k] <= t && t < end[k]) : -1;
    if (!b || i < 0) return hideTip();
    const shares = b.states.map((s): [string, string] => [s, format.percent(b.table.at(s, i))]);
    showTip(e.clientX, e.clientY, `ranks ${first![i]} to ${last![i]}`, [...shares, ["from", format.time(begin![i], 4)], ["to", format.time(end![i], 4)]]);
  }

  private wheel(e: WheelEvent): void {
    if (document.activeElement !== this.canvas && !e.ctrlKey && !e.shiftKey) return;
    const at = this.place(e);
    if (!at.inside) return;
    e.preventDefault();
    const amount = Math.exp((e.deltaY || e.deltaX) * 0.0015);
    this.view = zoom(this.view, this.whole, amount, e.shiftKey ? at.rank : null, e.shiftKey ? null : at.t);
    this.repaint();
  }

  private keys(e: KeyboardEvent): void {
    const moves: Record<string, [number, number]> = { ArrowLeft: [0, -40], ArrowRight: [0, 40], ArrowUp: [-30, 0], ArrowDown: [30, 0] };
    const move = moves[e.key];
    const { view } = this;
    if (move) this.shift(move[0], move[1]);
    else if (e.key === "+" || e.key === "-") this.view = zoom(view, this.whole, e.key === "+" ? 0.7 : 1 / 0.7, null, (view.c0 + view.c1) / 2);
    else if (e.key === "*" || e.key === "_") this.view = zoom(view, this.whole, e.key === "*" ? 0.7 : 1 / 0.7, (view.r0 + view.r1) / 2, null);
    else if (e.key === "Escape") this.app.clear();
    else return;
    e.preventDefault();
    this.repaint();
  }

  private csv(): string {
    const t = this.timeline?.table ?? this.blocks?.table;
    if (!t) return "";
    const columns = t.info.columns;
    return csv(columns.map((c) => c.name), t.cells(Array.from({ length: t.rows }, (_, r) => r)));
  }
}

function arrow(c: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number, head: boolean): void {
  c.beginPath();
  c.moveTo(x0, y0);
  c.lineTo(x1, y1);
  c.stroke();
  if (!head) return;
  const angle = Math.atan2(y1 - y0, x1 - x0);
  c.beginPath();
  c.moveTo(x1, y1);
  c.lineTo(x1 - 7 * Math.cos(angle - 0.4), y1 - 7 * Math.sin(angle - 0.4));
  c.lineTo(x1 - 7 * Math.cos(angle + 0.4), y1 - 7 * Math.sin(angle + 0.4));
  c.fill();
}

function rgb(css: string): Color {
  const c = pack(css);
  return [c & 255, (c >> 8) & 255, (c >> 16) & 255];
}
