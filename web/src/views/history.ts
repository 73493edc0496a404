/** The selected set over time: mean and maximum over its links or routers. */

import { effect } from "@preact/signals-core";
import { append, h, s } from "../dom";
import { csv } from "../export";
import * as format from "../format";
import { Frame, sized } from "../frame";
import { drawPlot, type Drawn, type PlotPoint } from "../plot";
import { type App, react } from "../state";
import type { Matrix } from "../tables";
import { hideTip, showTip } from "../tooltip";
import { theme } from "../color";

const height = 316;

const nicColor = "#D55E00";

export function history(app: App): HTMLElement {
  return new History(app).frame.element;
}

class History {
  readonly frame: Frame;
  private matrix: Matrix | null = null;
  private mean: PlotPoint[] = [];
  private most: PlotPoint[] = [];
  /** The maximum over all NIC links, while nothing is selected. */
  private nics: PlotPoint[] | null = null;
  private width = 0;
  private label = "";

  constructor(private readonly app: App) {
    this.frame = new Frame({ id: "history", title: "History", csv: () => csv(["begin_ps", "mean", "largest", ...(this.nics ? ["largest_nic_link"] : [])], this.mean.map((p, i) => [p.x, p.y, this.most[i].y, ...(this.nics ? [this.nics[i].y] : [])])) });
    sized(this.frame.body, (w) => {
      this.width = w;
      this.draw();
    });
    react(
      () => ({ core: app.core.value, stat: app.stat.value, mask: app.linkMask.value, routers: app.routerMask.value }),
      async ({ core, stat, mask, routers }, current) => {
        const run = app.run.peek();
        const link = run?.findMatrix(stat, "link", "max");
        const partial = core !== null && link !== undefined && run!.info.matrices[link].rows < core.links.count;
        const byRouter = run?.findMatrix(stat, "router", "mean");
        // If only the busiest links have a history, that of routers is used, unless links are selected.
        const key = link && !(partial && byRouter && app.picked.peek()?.kind !== "link") ? link : byRouter;
        this.frame.show(key !== undefined && core !== null);
        if (!run || !key || !core) return;
        const m = await run.matrix(key);
        if (!current()) return;
        this.matrix = m;
        this.sum(m, m.info.row_kind === "link" ? mask : routers, m.info.row_kind === "link" ? core.links.between : null);
        this.draw();
      },
    );
    effect(() => {
      void [app.period.value, app.cursor.value, app.repaint.value];
      this.draw();
    });
  }

  private sum(m: Matrix, mask: Uint8Array | null, between: Uint8Array | null): void {
    const sums = new Float64Array(m.cols);
    const most = new Float64Array(m.cols);
    const nics = new Float64Array(m.cols);
    let [rows, ofNics] = [0, 0];
    for (let r = 0; r < m.rows; r++) {
      if (!mask && between && between[r] === 0) {
        ofNics++;
        for (let c = 0, i = r * m.cols; c < m.cols; c++, i++) if (m.data[i] > nics[c]) nics[c] = m.data[i];
        continue;
      }
      if (mask && mask[r] === 0) continue;
      rows++;
      for (let c = 0, i = r * m.cols; c < m.cols; c++, i++) {
        const v = m.data[i];
        sums[c] += v;
        if (v > most[c]) most[c] = v;
      }
    }
    const interval = this.app.bins.peek()?.interval_ps ?? 1;
    // A packet counts in the interval in which it starts, so a value may exceed the full bandwidth and is limited to
    // it.
    const whole = m.info.limit ?? (m.info.stat === "utilization" ? 1 : Infinity);
    const points = (value: (c: number) => number) => Array.from({ length: m.cols }, (_, c) => ({ x: (c + 0.5) * interval, y: Math.min(whole, value(c) * m.scale) }));
    this.mean = points((c) => (rows > 0 ? sums[c] / rows : 0));
    this.most = points((c) => most[c]);
    this.nics = ofNics > 0 ? points((c) => nics[c]) : null;
    const noun = m.info.row_kind === "link" ? "links" : "routers";
    this.label = this.app.picked.peek()?.label ?? `all ${noun}`;
    const each = m.info.row_kind === "router" && m.info.how === "mean" && m.info.stat !== "buffer_mean" ? "mean over the links of each router" : "";
    this.frame.setTitle(`History: ${this.label}`, [rows === 1 ? "" : `${format.count(rows)} ${noun}`, each].filter(Boolean).join(" · "));
  }

  private draw(): void {
    const m = this.matrix;
    const bins = this.app.bins.peek();
    if (!m || !bins || this.width === 0) return;
    const one = this.mean.every((p, i) => p.y === this.most[i].y);
    const color = theme("--accent");
    const d = drawPlot(
      {
        x: { title: "simulated time", unit: "ps", min: 0, max: bins.count * bins.interval_ps },
        y: { title: m.info.title, unit: m.info.unit },
        series: [...(one ? [] : [{ name: "largest", color: "#E69F00", points: this.most }]), { name: one ? "value" : "mean", color, points: this.mean }, ...(this.nics ? [{ name: "largest NIC link", color: nicColor, points: this.nics, dashed: true }] : [])],
      },
      this.width,
      height,
    );
    this.overlay(d);
    const item = (ink: string, text: string) => h("li", null, h("i", { style: `background:${ink}` }), text);
    const between = this.nics ? " between routers" : "";
    const key = one && !this.nics ? null : h("ul", { class: "key", "data-testid": "history-key" }, !one && item("#E69F00", "largest" + between), item(color, (one ? "value" : "mean") + between), this.nics && item(nicColor, "largest NIC link"));
    this.frame.body.replaceChildren();
    append(this.frame.body, d.svg, key);
  }

  private overlay(d: Drawn): void {
    const { period, cursor, bins } = this.app;
    const p = period.peek();
    const at = cursor.peek();
    if (p) append(d.svg, s("rect", { class: "period", x: d.x(p[0]), y: d.plot.top, width: Math.max(1, d.x(p[1]) - d.x(p[0])), height: d.plot.height }));
    if (at !== null) {
      const x = d.x((Math.floor(at) + 0.5) * bins.peek()!.interval_ps);
      append(d.svg, s("line", { class: "now", x1: x, x2: x, y1: d.plot.top, y2: d.plot.top + d.plot.height }));
    }
    brush(d, bins.peek()!.interval_ps, (a, b) => (this.app.period.value = [a, b]), (x, y, t) => this.tip(x, y, t));
  }

  private tip(x: number, y: number, t: number): void {
    const m = this.matrix!;
    const bins = this.app.bins.peek()!;
    const c = Math.max(0, Math.min(m.cols - 1, Math.floor(t / bins.interval_ps)));
    showTip(x, y, format.time(c * bins.interval_ps, 4), [
      ["mean", format.quantity(this.mean[c].y, m.info.unit)],
      ["largest", format.quantity(this.most[c].y, m.info.unit)],
      ...(this.nics ? [["largest NIC link", format.quantity(this.nics[c].y, m.info.unit)] as [string, string]] : []),
    ]);
  }
}

/** Lets the user select a period by dragging over a plot whose x axis is time. */
export function brush(d: Drawn, interval: number, choose: (from: number, to: number) => void, tip: (x: number, y: number, t: number) => void): void {
  const box = s("rect", { class: "brush", x: d.plot.left, y: d.plot.top, width: d.plot.width, height: d.plot.height, fill: "transparent" });
  const shown = s("rect", { class: "period", y: d.plot.top, height: d.plot.height, width: 0 });
  let from: number | null = null;
  const px = (e: PointerEvent) => e.clientX - d.svg.getBoundingClientRect().left;
  box.addEventListener("pointerdown", (e) => {
    box.setPointerCapture(e.pointerId);
    from = px(e);
  });
  box.addEventListener("pointermove", (e) => {
    if (from === null) return tip(e.clientX, e.clientY, d.fromX(px(e)));
    shown.setAttribute("x", String(Math.min(from, px(e))));
    shown.setAttribute("width", String(Math.abs(px(e) - from)));
  });
  box.addEventListener("pointerleave", hideTip);
  box.addEventListener("pointerup", (e) => {
    const start = from;
    from = null;
    if (start === null || Math.abs(px(e) - start) < 4) return;
    const [a, b] = [d.fromX(Math.min(start, px(e))), d.fromX(Math.max(start, px(e)))];
    choose(Math.max(0, Math.floor(a / interval) * interval), Math.ceil(b / interval) * interval);
  });
  append(d.svg, shown, box);
}
