/** Playback through time: a strip with the mean load, a scrubber, and the selected period. */

import { effect } from "@preact/signals-core";
import { css, ramp, theme } from "../color";
import { fit, h, perFrame, select } from "../dom";
import * as format from "../format";
import { sized } from "../frame";
import { type App, react } from "../state";

const height = 40;

export function transport(app: App): HTMLElement {
  return new Transport(app).element;
}

class Transport {
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", { tabindex: 0, role: "slider", "aria-label": "Time. Left and right move by a bin, space plays.", "data-testid": "scrubber" });
  private readonly play = h("button", { type: "button", class: "play", "data-testid": "play", onclick: () => this.toggle() });
  private readonly now = h("output", { "data-testid": "now" });
  private readonly chosen = h("span", { class: "chosen" });
  private readonly strip = h("div", { class: "strip" }, this.canvas);
  private means = new Float32Array(0);
  private width = 0;
  private speed = 8;
  private playing = false;
  private last = 0;
  private drag: { from: number; moved: boolean; set: boolean } | null = null;
  private readonly repaint = perFrame(() => this.draw());

  constructor(private readonly app: App) {
    const speeds = ["2", "8", "20", "60"].map((v) => ({ value: v, text: `${v} bins/s` }));
    this.element = h("div", { class: "transport", role: "region", "aria-label": "Time", "data-testid": "transport" }, this.play, select("Speed", speeds, "8", (v) => (this.speed = Number(v)), "speed"), this.strip, this.now, this.chosen);
    sized(this.strip, (w) => {
      this.width = w;
      this.paint();
    });
    this.listen();
    react(
      () => ({ run: app.run.value, bins: app.bins.value, stat: app.stat.value }),
      async ({ run, bins, stat }, current) => {
        this.element.hidden = !bins || bins.count === 0;
        const key = run?.findMatrix(stat, "dimension", "mean") ?? run?.findMatrix(stat, "level", "mean") ?? run?.findMatrix(stat, "router", "mean") ?? run?.findMatrix(stat, "link", "mean");
        if (!run || !key || !bins) return;
        const m = await run.matrix(key);
        if (!current()) return;
        this.means = Float32Array.from({ length: m.cols }, (_, c) => {
          let sum = 0;
          for (let r = 0; r < m.rows; r++) sum += m.at(r, c);
          return sum / Math.max(1, m.rows);
        });
        this.repaint();
      },
    );
    effect(() => {
      void [app.cursor.value, app.period.value, app.picked.value, app.repaint.value, app.map.value];
      this.repaint();
    });
  }

  private toggle(): void {
    this.playing = !this.playing;
    this.repaint();
    if (!this.playing) return;
    const bins = this.app.bins.peek();
    const [a, b] = this.range();
    const at = this.app.cursor.peek();
    if (bins && (at === null || at < a || at >= b - 1)) this.app.cursor.value = a;
    this.last = performance.now();
    const step = (t: number) => {
      if (!this.playing) return;
      const [from, to] = this.range();
      const next = (this.app.cursor.peek() ?? from) + ((t - this.last) / 1000) * this.speed;
      this.last = t;
      if (next >= to) {
        this.playing = false;
        this.app.cursor.value = to - 1;
        return;
      }
      this.app.cursor.value = next;
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  /** The bins of the playback: those of the period. */
  private range(): [number, number] {
    const { period, bins } = this.app;
    const b = bins.peek();
    if (!b) return [0, 0];
    const p = period.peek();
    return p ? [Math.floor(p[0] / b.interval_ps), Math.min(b.count, Math.ceil(p[1] / b.interval_ps))] : [0, b.count];
  }

  private draw(): void {
    const bins = this.app.bins.peek();
    if (!bins || this.width === 0) return;
    this.paint();
    this.play.textContent = this.playing ? "❚❚" : "▶";
    this.play.setAttribute("aria-label", this.playing ? "Pause" : "Play");
    this.words(bins.interval_ps, bins.count);
  }

  /** Draws the strip alone: words would change its width, of which it may just have been told. */
  private paint(): void {
    const bins = this.app.bins.peek();
    if (!bins) return;
    const c = fit(this.canvas, this.width, height);
    c.clearRect(0, 0, this.width, height);
    this.drawMeans(c);
    this.drawPeriod(c, bins.count, bins.interval_ps);
  }

  private drawMeans(c: CanvasRenderingContext2D): void {
    const most = this.means.reduce((a, b) => Math.max(a, b), 0) || 1;
    const colors = ramp(this.app.map.peek());
    // Bins thinner than a pixel are merged by their mean.
    const together = Math.max(1, Math.ceil(this.means.length / Math.max(1, this.width)));
    const w = (this.width / Math.max(1, this.means.length)) * together;
    const bars = Array.from({ length: Math.ceil(this.means.length / together) }, (_, i) => mean(this.means.subarray(i * together, (i + 1) * together)));
    bars.forEach((v, i) => {
      const t = Math.max(1, (v / most) * (height - 6));
      c.fillStyle = css(colors[Math.round((v / most) * 225)]);
      c.fillRect(i * w, height - t, Math.max(1, w - (w > 4 ? 1 : 0)), t);
    });
  }

  private drawPeriod(c: CanvasRenderingContext2D, count: number, interval: number): void {
    const accent = theme("--accent");
    const x = (bin: number) => (bin / count) * this.width;
    const period = this.app.period.peek();
    if (period) {
      const [a, b] = [x(period[0] / interval), x(period[1] / interval)];
      c.fillStyle = theme("--veil");
      c.fillRect(0, 0, a, height);
      c.fillRect(b, 0, this.width - b, height);
      c.strokeStyle = accent;
      c.lineWidth = 1.5;
      c.strokeRect(a, 1, b - a, height - 2);
    }
    const at = this.app.cursor.peek();
    if (at !== null) {
      c.fillStyle = accent;
      c.fillRect(x(Math.floor(at) + 0.5) - 1, 0, 2.5, height);
    }
  }

  private words(interval: number, count: number): void {
    const { app } = this;
    const at = app.cursor.peek();
    const period = app.period.peek();
    const picked = app.picked.peek();
    const bin = at === null ? null : Math.min(count - 1, Math.floor(at));
    this.now.textContent = bin !== null ? format.time(bin * interval, 4) : period ? `${format.time(period[0])} – ${format.time(period[1])}` : "whole run";
    this.now.dataset["bin"] = bin === null ? "" : String(bin);
    this.canvas.setAttribute("aria-valuenow", String(bin ?? 0));
    this.canvas.setAttribute("aria-valuemax", String(count - 1));
    this.canvas.setAttribute("aria-valuetext", this.now.textContent);
    this.chosen.replaceChildren();
    if (picked) this.chosen.append(h("b", { "data-testid": "picked" }, picked.label));
    const any = period !== null || picked !== null || at !== null;
    if (any) this.chosen.append(h("button", { type: "button", class: "quiet", "data-testid": "clear", title: "Back to the whole run and everything", onclick: () => this.clear() }, "✕ clear"));
  }

  private clear(): void {
    this.playing = false;
    this.app.cursor.value = null;
    this.app.clear();
  }

  private listen(): void {
    const { canvas, app } = this;
    const bin = (e: MouseEvent) => {
      const box = canvas.getBoundingClientRect();
      const count = app.bins.peek()?.count ?? 1;
      return Math.max(0, Math.min(count - 1e-6, ((e.clientX - box.left) / box.width) * count));
    };
    canvas.addEventListener("pointerdown", (e) => {
      canvas.setPointerCapture(e.pointerId);
      this.drag = { from: bin(e), moved: false, set: e.shiftKey };
      if (!e.shiftKey) app.cursor.value = bin(e);
    });
    canvas.addEventListener("pointermove", (e) => {
      if (!this.drag) return;
      const to = bin(e);
      if (!this.drag.set) {
        app.cursor.value = to;
        return;
      }
      const interval = app.bins.peek()!.interval_ps;
      app.cursor.value = null;
      app.period.value = [Math.floor(Math.min(this.drag.from, to)) * interval, Math.ceil(Math.max(this.drag.from, to) + 1e-9) * interval];
    });
    canvas.addEventListener("pointerup", () => (this.drag = null));
    canvas.addEventListener("keydown", (e) => this.keys(e));
  }

  private keys(e: KeyboardEvent): void {
    const count = this.app.bins.peek()?.count ?? 1;
    const at = Math.floor(this.app.cursor.peek() ?? 0);
    const to: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: count - 1, PageUp: at - 10, PageDown: at + 10 };
    if (e.key === " ") this.toggle();
    else if (e.key === "Escape") this.clear();
    else if (e.key in to) this.app.cursor.value = Math.max(0, Math.min(count - 1, to[e.key]));
    else return;
    e.preventDefault();
  }
}

function mean(values: Float32Array): number {
  return values.reduce((a, b) => a + b, 0) / Math.max(1, values.length);
}
