/** What a segment of the critical path consists of: the message, its way, its parts, and who was ahead of it. */

import { effect } from "@preact/signals-core";
import type { Why } from "../data";
import { h } from "../dom";
import * as format from "../format";
import { hostName, linkName, rankName, routerName } from "../names";
import { type CriticalPath, type Holder, linkDown } from "../path";
import type { App } from "../state";

export class SegmentDetails {
  readonly element = h("div", { class: "details", "data-testid": "why-details" });
  private path: CriticalPath | null = null;
  private info: Why | null = null;
  private routers: ReadonlyMap<number, number> = new Map();

  constructor(
    private readonly app: App,
    private readonly choose: (segment: number) => void,
  ) {
    effect(() => {
      void [app.segment.value, app.core.value];
      this.draw();
    });
  }

  open(path: CriticalPath | null, info: Why, routers: ReadonlyMap<number, number>): void {
    [this.path, this.info, this.routers] = [path, info, routers];
    this.draw();
  }

  private draw(): void {
    const { path } = this;
    const i = this.app.segment.peek();
    this.element.hidden = !path || i === null || i >= path.count;
    if (!path || i === null || i >= path.count) return;
    this.element.dataset["ps"] = String(path.time(i));
    this.element.replaceChildren(this.heading(path, i), h("div", { class: "columns" }, this.facts(path, i), this.parts(path, i)), ...this.ahead(path, i));
  }

  private heading(path: CriticalPath, i: number): HTMLElement {
    const { app } = this;
    const button = (text: string, title: string, onclick: () => void, off = false) => h("button", { type: "button", class: "quiet", title, disabled: off, onclick }, text);
    const show = (id: string) => document.querySelector(`[data-testid="${id}"]`)?.scrollIntoView({ block: "center" });
    return h(
      "header",
      null,
      h("h4", null, `${path.causeOf(i)}, ${format.time(path.time(i), 4)}`, h("small", null, ` segment ${format.count(i + 1)} of ${format.count(path.count)}, ${format.percent(path.time(i) / Math.max(1, path.span))} of the predicted time`)),
      h(
        "div",
        { class: "buttons" },
        button("← Previous", "The segment before it", () => this.choose(i - 1), i === 0),
        button("Next →", "The segment after it", () => this.choose(i + 1), i + 1 >= path.count),
        button("Choose its period", "Other charts show this period", () => (app.period.value = [path.begin[i], path.end[i]])),
        app.run.peek()?.has("timeline") === true && button("In the timeline", "Show it in what ranks do", () => ((app.look.value = { from: path.begin[i], to: path.end[i], rank: path.rank[i] }), show("gantt"))),
        button("In the network", "Show the way of its message", () => show("network")),
      ),
    );
  }

  private facts(path: CriticalPath, i: number): HTMLElement {
    const rows: [string, (Node | string)[]][] = [
      ["what", [this.meaning(path.causeOf(i))]],
      ["time", [`${format.time(path.begin[i], 6)} to ${format.time(path.end[i], 6)}`]],
      ["rank", this.place(path.rank[i])],
    ];
    const together = path.table.at("segments", i);
    if (together > 1) rows.push(["holds", [`${format.count(together)} short segments, of which this is the longest`]]);
    const t = path.table;
    const [source, target] = [t.at("source", i), t.at("destination", i)];
    if (source >= 0) {
      const name = t.text("collective", i);
      rows.push(["message", [`${format.traffic(t.at("payload_bytes", i))}, tag ${t.at("tag", i)}${name === "" ? "" : `, of ${name}`}, sent at ${format.time(t.at("send_ps", i), 6)}`]]);
      rows.push(["from", this.place(source)], ["to", this.place(target)]);
      const way = this.way(path, i);
      if (way.length > 0) rows.push(["way", way]);
    }
    return h("dl", { class: "facts" }, ...rows.flatMap(([what, said]) => [h("dt", null, what), h("dd", null, said)]));
  }

  /** A rank, with its host's router. */
  private place(rank: number): (Node | string)[] {
    const { app } = this;
    const router = app.core.peek()?.routerOf(rank) ?? -1;
    return [rankName(app, rank), ...(router >= 0 ? [" at router ", routerName(app, router)] : [])];
  }

  private way(path: CriticalPath, i: number): (Node | string)[] {
    const way = path.way(i);
    if (way.length > 0) return way.flatMap((l, k) => (k > 0 ? [" · ", linkName(this.app, l, true)] : [linkName(this.app, l, true)]));
    if (!path.crosses(i) || path.causeOf(i) === "local") return [];
    return ["not known, because routing is random or adaptive; --record causes=full records it"];
  }

  private meaning(word: string): string {
    return this.info?.meanings.find((m) => m.name === word)?.meaning ?? word;
  }

  private parts(path: CriticalPath, i: number): HTMLElement | "" {
    const list = path.parts(i);
    if (list.length === 0) return "";
    const most = Math.max(...list.map((p) => p.ps));
    const waits = new Set(this.info?.parts.filter((p) => p.waits).map((p) => p.part));
    const row = (p: { part: string; ps: number }) => h("li", { title: this.meaning(p.part) }, h("span", null, p.part), h("i", null, h("em", { class: waits.has(p.part) ? "waiting" : "", style: `width:${(p.ps / most) * 100}%` })), h("b", null, format.time(p.ps)), h("small", null, waits.has(p.part) ? "waits" : ""));
    return h("div", null, h("h5", null, "Its time in the network, in the order in which the message meets it"), h("ul", { class: "bars", "data-testid": "why-parts" }, list.map(row)));
  }

  private ahead(path: CriticalPath, i: number): HTMLElement[] {
    const list = path.holders(i);
    if (list.length === 0) {
      if (path.waits[i] === 0) return [];
      return [h("p", { class: "about" }, path.knowsHolders ? "What this message waited for was held by none that is recorded." : "Who was ahead is not recorded: --record causes=full does so.")];
    }
    const head = ["Waited", "as", "for", "because of", "which passed, at the root"];
    const body = list.map((w) => h("tr", null, h("td", { class: "n" }, format.time(w.ps)), h("td", { title: this.meaning(w.cause) }, w.cause), ...this.holder(w)));
    return [h("h5", null, "Who was ahead, and the root of the congestion"), h("div", { class: "scroll" }, h("table", { "data-testid": "why-ahead" }, h("thead", null, h("tr", null, head.map((x, k) => h("th", { class: k === 0 ? "n" : null }, x)))), h("tbody", null, body)))];
  }

  private holder(w: Holder): HTMLElement[] {
    const { app } = this;
    if (w.source < 0) return [h("td", { colspan: 3 }, `shorter waits together, for ${format.count(w.messages)} messages`)];
    if (w.rank === linkDown) return [h("td", null, linkName(app, w.link)), h("td", null, "none: the link was down"), h("td", null, linkName(app, w.root))];
    const whose = w.itself ? ["its own earlier packets"] : [...(w.rank >= 0 ? [rankName(app, w.rank), ": "] : []), hostName(app, w.source, this.routers), " → ", hostName(app, w.destination, this.routers), ...(w.messages > 1 ? [`, ${format.count(w.messages)} messages`] : [])];
    return [h("td", null, linkName(app, w.link)), h("td", null, whose), h("td", null, linkName(app, w.root))];
  }
}
