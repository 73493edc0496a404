/** Latency by distance and by message size: median and bands of quantiles. */

import { effect } from "@preact/signals-core";
import { h } from "../dom";
import { csv } from "../export";
import * as format from "../format";
import { Frame, sized } from "../frame";
import { drawPlot, type Plot, type PlotAxis } from "../plot";
import { type App, react } from "../state";
import { type RunData, Table } from "../tables";
import { theme } from "../color";
import { chosenMessages, chosenRanks, choiceText, latencyClasses } from "../choice";
import { brushless } from "./hover";

const height = 300;

export function latency(app: App, by: "distance" | "size"): HTMLElement {
  return new Latency(app, by).frame.element;
}

class Latency {
  readonly frame: Frame;
  /** Latencies of the selected messages. */
  private table: Table | null = null;
  private width = 0;
  private whose = "";

  constructor(
    private readonly app: App,
    private readonly by: "distance" | "size",
  ) {
    const name = "latency_by_" + by;
    this.frame = new Frame({
      id: "latency-" + by,
      title: by === "distance" ? "Latency by distance" : "Latency by message size",
      about: "From send to delivery.",
      csv: () => {
        const t = this.table;
        return t ? csv(t.info.columns.map((c) => c.name), t.cells(Array.from({ length: t.rows }, (_, r) => r))) : "";
      },
    });
    sized(this.frame.body, (w) => {
      this.width = w;
      this.draw();
    });
    react(
      () => ({ run: app.run.value, span: app.span.value, picked: app.picked.value, mask: app.routerMask.value }),
      async ({ run, span, picked }, current) => {
        this.frame.show(run?.has(name) ?? false);
        if (!run?.has(name)) return;
        const all = await run.table(name);
        const chosen = all && (span || picked) && run.has("messages") ? await this.choose(run, all) : all;
        if (!current()) return;
        this.table = chosen;
        this.whose = chosen !== all ? `Messages sent in: ${choiceText(app)}${picked ? " (from or to ranks there)" : ""}. ` : span || picked ? "Of the whole run: its messages were not recorded. " : "From send to delivery. ";
        this.draw();
      },
    );
    effect(() => {
      void app.repaint.value;
      this.draw();
    });
  }

  private async choose(run: RunData, all: Table): Promise<Table> {
    const [log, ranks] = await Promise.all([run.table("messages", ["source", "destination", "send_ps", "delivery_ps", "distance_hops", "bytes"]), chosenRanks(this.app, run)]);
    const values = latencyClasses(all, this.by, log!, chosenMessages(log!, ranks, this.app.span.peek()));
    return new Table({ ...all.info, note: log!.info.note }, new Map(all.info.columns.map((c) => [c.name, values.get(c.name) ?? all.get(c.name)!])));
  }

  /**
   * The extent of a row: from its minimum to its maximum size; for a single distance or size, a little to both sides.
   */
  private span(r: number): [number, number] {
    const t = this.table!;
    if (this.by === "distance") return [t.at("distance_hops", r) - 0.25, t.at("distance_hops", r) + 0.25];
    const from = Math.max(1, t.at("from_bytes", r));
    const to = t.at("to_bytes", r);
    return to > from + 1 ? [from, to] : [from / 1.06, from * 1.06];
  }

  /** The centre of a row's span. */
  private x(r: number): number {
    const [a, b] = this.span(r);
    return this.by === "distance" ? (a + b) / 2 : Math.sqrt(a * b);
  }

  /** The positions of a row's points: both ends of its span if the row represents several sizes, or is the only one. */
  private places(r: number, few: boolean): number[] {
    return few || this.by === "size" ? this.span(r) : [this.x(r)];
  }

  private draw(): void {
    const t = this.table;
    if (!t || this.width === 0) return;
    const rows = Array.from({ length: t.rows }, (_, r) => r).filter((r) => !(t.at("count", r) === 0));
    this.frame.setNote(t.info.note ?? "");
    if (rows.length === 0) {
      this.frame.setAbout(this.whose);
      this.frame.body.replaceChildren(h("p", { class: "empty" }, "No recorded message is in this choice."));
      return;
    }
    const color = theme("--accent");
    const few = rows.length === 1;
    const points = (name: string) => rows.flatMap((r) => this.places(r, few).map((x) => ({ x, y: t.at(name, r) })));
    const band = (low: string, high: string, opacity: number) => ({ color, opacity, points: rows.flatMap((r) => this.places(r, few).map((x) => ({ x, low: t.at(low, r), high: t.at(high, r) }))) });
    const has = (...names: string[]) => names.every((n) => t.get(n) !== undefined);
    const spread = Math.max(...rows.map((r) => t.at("p99_ps", r))) / Math.max(1, Math.min(...rows.map((r) => t.at(has("p5_ps") ? "p5_ps" : "p50_ps", r))));
    const x: PlotAxis = this.by === "distance" ? { title: "distance in hops (links between routers)", unit: "count", scale: "linear" } : { title: "message size", unit: "bytes", scale: "log" };
    if (few) Object.assign(x, this.by === "distance" ? { min: this.x(rows[0]) - 1, max: this.x(rows[0]) + 1 } : { min: this.span(rows[0])[0] / 2, max: this.span(rows[0])[1] * 2 });
    const plot: Plot = {
      x,
      y: { title: "latency", unit: "ps", scale: spread > 60 ? "log" : "linear" },
      bands: [has("p5_ps", "p95_ps") ? band("p5_ps", "p95_ps", 0.16) : band("p50_ps", "p95_ps", 0.16), ...(has("p25_ps", "p75_ps") ? [band("p25_ps", "p75_ps", 0.3)] : [])],
      series: [
        { name: "99 %", color: theme("--soft"), points: points("p99_ps"), dashed: true },
        { name: "median", color, points: points("p50_ps"), marks: !few && this.by === "distance" },
      ],
    };
    const d = drawPlot(plot, this.width, height);
    this.frame.setAbout(`${this.whose}Line: median; ${has("p25_ps") ? "bands: the middle half, and 5 to 95 %" : "band: up to 95 %"}; dashed: 99 %.${this.by === "size" ? " Each step stands for the sizes that it covers." : ""}`);
    brushless(d, rows.map((r) => this.x(r)), (k) => this.lines(rows[k]));
    this.frame.body.replaceChildren(d.svg, h("p", { class: "visually-hidden" }, `${rows.length} classes`));
  }

  private lines(r: number): { title: string; lines: [string, string][] } {
    const t = this.table!;
    const title = this.by === "distance" ? `${t.at("distance_hops", r)} ${t.at("distance_hops", r) === 1 ? "hop" : "hops"}` : sizes(t.at("from_bytes", r), t.at("to_bytes", r));
    const names: [string, string][] = [["99 %", "p99_ps"], ["95 %", "p95_ps"], ["75 %", "p75_ps"], ["median", "p50_ps"], ["25 %", "p25_ps"], ["5 %", "p5_ps"], ["mean", "mean_ps"], ["largest", "max_ps"]];
    return { title, lines: [["messages", format.count(t.at("count", r))], ...names.filter(([, n]) => t.get(n)).map(([text, n]): [string, string] => [text, format.time(t.at(n, r))])] };
  }
}

/** Formats a class of sizes: a single size, or from one size to less than another. */
function sizes(from: number, to: number): string {
  return to <= from + 1 ? format.bytes(from) : `${format.bytes(from)} to less than ${format.bytes(to)}`;
}
