/** What came out, in one glance. */

import { effect } from "@preact/signals-core";
import { inkOn, stateColor } from "../color";
import type { Part, Progress, Run, Summary } from "../data";
import { append, h } from "../dom";
import { csv } from "../export";
import * as format from "../format";
import { Frame } from "../frame";
import type { App } from "../state";
import { tipped } from "../tooltip";

export function summary(app: App): HTMLElement {
  const root = h("div", { class: "summary", "data-testid": "summary" });
  const where = new Frame({
    id: "where",
    title: "Where the time went",
    about: "Of the predicted time, in the mean over all ranks.",
    csv: () => csv(["what", "ps", "share", "definition"], (app.run.value?.info.summary?.where_it_went ?? []).map((p) => [p.what, p.ps, p.share, p.definition])),
  });
  effect(() => {
    const run = app.run.value?.info;
    root.replaceChildren();
    if (!run) return;
    const progress = app.progress.value[run.id] ?? run.progress;
    if (progress && progress.state !== "ended") append(root, progressCard(progress));
    if (!run.summary) return;
    append(root, headline(run, run.summary, progress), figures(run.summary), hottest(app, run.summary));
    drawWhere(where, run.summary.where_it_went);
    append(root, where.element);
  });
  return root;
}

const states = { running: "Running", ended: "Ended", interrupted: "Interrupted", failed: "Failed" };

function progressCard(p: Progress): HTMLElement {
  const share = p.ranks > 0 ? p.ranks_ended / p.ranks : 0;
  const bar = h("div", { class: "progress", role: "progressbar", "aria-valuenow": Math.round(share * 100), "aria-valuemin": 0, "aria-valuemax": 100 }, h("i", { style: `width:${share * 100}%` }));
  const facts: [string, string][] = [
    ["simulated", format.time(p.simulated_time_ps)],
    ["ranks ended", `${format.count(p.ranks_ended)} of ${format.count(p.ranks)}`],
    ["rate", format.si(p.rate, " packet hops/s")],
    ["real time", format.seconds(p.wall_s)],
    ["left", p.eta_s >= 0 ? format.seconds(p.eta_s) : "not known yet"],
  ];
  return h("section", { class: "card live " + p.state, "data-testid": "progress", "data-state": p.state }, h("strong", null, states[p.state]), bar, h("dl", null, ...facts.flatMap(([k, v]) => [h("dt", null, k), h("dd", null, v)])));
}

function headline(run: Run, sum: Summary, progress: Progress | null | undefined): HTMLElement {
  const running = progress?.state === "running";
  const ps = running ? progress.simulated_time_ps : sum.predicted_ps;
  const [value, unit] = format.time(ps, 4).split("\u202f");
  const slow = sum.slowest_rank;
  return h(
    "section",
    { class: "card headline" },
    h("h2", null, running ? "Simulated so far" : "Predicted time"),
    h("p", { class: "huge", "data-testid": "predicted", "data-ps": ps }, value, h("small", null, "\u202f" + unit)),
    slow && h("p", null, "Slowest rank: ", h("b", { "data-testid": "slowest" }, format.count(slow.rank)), `, ended at ${format.time(slow.end_ps, 4)}`),
    run.network?.title && h("p", { class: "about" }, run.network.title),
    bounds(sum),
  );
}

function bounds(sum: Summary): HTMLElement | null {
  if (sum.bounds.length === 0) return null;
  const rows = [{ what: "prediction", ps: sum.predicted_ps, definition: "What the simulation found." }, ...sum.bounds];
  const most = Math.max(...rows.map((b) => b.ps));
  return h(
    "div",
    { class: "bounds" },
    h("h2", null, "Against what no run can beat"),
    h(
      "ul",
      { class: "bars", "data-testid": "bounds" },
      rows.map((b, i) =>
        tipped(
          h("li", { tabindex: 0 }, h("span", null, b.what), h("i", null, h("em", { class: i === 0 ? "" : "bound", style: `width:${(b.ps / most) * 100}%` })), h("b", null, format.time(b.ps)), h("small", null, i === 0 ? "" : `${format.digits(sum.predicted_ps / b.ps)}×`)),
          b.what,
          () => [b.definition, ["time", format.time(b.ps, 5)]],
        ),
      ),
    ),
  );
}

function figures(sum: Summary): HTMLElement | null {
  // Long words, such as hashes, are at the end of the page.
  const shown = sum.figures.filter((f) => typeof f.value === "number" || f.value.length < 24);
  if (shown.length === 0) return null;
  return h(
    "section",
    { class: "card" },
    h("h2", null, "In figures"),
    h("dl", { class: "figures", "data-testid": "figures" }, ...shown.flatMap((f) => [h("dt", { title: f.definition }, f.what), h("dd", null, format.figure(f.value, f.unit, f.what))])),
  );
}

function hottest(app: App, sum: Summary): HTMLElement | null {
  if (sum.hottest_links.length === 0) return null;
  const pick = (link: number, name: string) => {
    app.picked.value = { kind: "link", rows: Int32Array.of(link), label: name };
  };
  return h(
    "section",
    { class: "card" },
    h("h2", null, "Hottest links"),
    h(
      "ul",
      { class: "bars", "data-testid": "hottest" },
      sum.hottest_links.slice(0, 10).map((l) =>
        h("li", null, h("button", { type: "button", class: "link", onclick: () => pick(l.link, l.name) }, l.name), h("i", null, h("em", { style: `width:${Math.min(1, l.efficiency) * 100}%` })), h("b", null, format.percent(l.efficiency))),
      ),
    ),
  );
}

function drawWhere(frame: Frame, parts: Part[]): void {
  frame.show(parts.length > 0);
  const shown = parts.filter((p) => p.share > 0);
  const segment = (p: Part) =>
    tipped(
      h("div", { class: "segment", tabindex: 0, style: `flex-grow:${p.share};background:${stateColor(p.what)};color:${inkOn(stateColor(p.what))}`, "data-what": p.what, "data-ps": p.ps, "aria-label": `${p.what}: ${format.percent(p.share)}` }, p.share > 0.06 && h("span", null, format.percent(p.share, 2))),
      p.what,
      () => [p.definition, ["time", format.time(p.ps, 4)], ["share", format.percent(p.share)]],
    );
  const key = parts.map((p) => h("li", { title: p.definition }, h("i", { style: `background:${stateColor(p.what)}` }), h("span", null, p.what), h("b", null, format.time(p.ps))));
  frame.body.replaceChildren(h("div", { class: "stack" }, shown.map(segment)), h("ul", { class: "key" }, key));
}
