/** The main results at a glance. */

import { effect } from "@preact/signals-core";
import { inkOn, stateColor } from "../color";
import type { Part, Progress, Run, Summary } from "../data";
import { append, h } from "../dom";
import { csv } from "../export";
import * as format from "../format";
import { Frame } from "../frame";
import { chosenRanks, choiceText, timeInStates } from "../choice";
import { type App, react } from "../state";
import type { Core } from "../tables";
import { Timeline } from "../timeline";
import { tipped } from "../tooltip";

export function summary(app: App): HTMLElement {
  const root = h("div", { class: "summary", "data-testid": "summary" });
  const where = new Frame({
    id: "where",
    title: "Where the time went",
    csv: () => csv(["what", "ps", "share", "definition"], (app.run.value?.info.summary?.where_it_went ?? []).map((p) => [p.what, p.ps, p.share, p.definition])),
  });
  const hot = h("section", { class: "card", "data-testid": "hottest-card" });
  const during = h("div", { class: "during", "data-testid": "during" });
  effect(() => {
    const run = app.run.value?.info;
    root.replaceChildren();
    if (!run) return;
    const progress = progressOf(app, run);
    if (progress) append(root, progressCard(progress));
    if (!run.summary) return;
    append(root, headline(app, run, run.summary, progress), figures(run.summary), hot);
    drawWhere(where, run.summary, during);
    append(root, where.element);
  });
  followLinks(app, hot);
  followRanks(app, during);
  return root;
}

interface Hot {
  link: number;
  name: string;
  utilization: number;
}

/** The hottest links of the whole run or of the selection. */
function followLinks(app: App, card: HTMLElement): void {
  react(
    () => ({ run: app.run.value, core: app.core.value, window: app.window.value, mask: app.linkMask.value }),
    async ({ run, core, window: [a, b], mask }, current) => {
      const all = run?.info.summary?.hottest_links ?? [];
      const key = run?.findMatrix("utilization", "link", "max");
      const chosen = choiceText(app) !== "" && key !== undefined && core !== null;
      const links = chosen ? hottestOf(core, (await run!.matrix(key)).means(a, b), mask) : all;
      if (!current()) return;
      card.hidden = all.length === 0;
      drawHottest(app, card, links, chosen ? choiceText(app) : "");
    },
  );
}

const most = 10;

function hottestOf(core: Core, values: Float32Array, mask: Uint8Array | null): Hot[] {
  const rows: number[] = [];
  for (let l = 0; l < values.length; l++) if (values[l] > 0 && (!mask || mask[l] === 1)) rows.push(l);
  rows.sort((x, y) => values[y] - values[x] || x - y);
  return rows.slice(0, most).map((link) => ({ link, name: core.linkName(link), utilization: values[link] }));
}

/** Below the parts of the predicted time: the activities of ranks in the selection, if they were recorded. */
function followRanks(app: App, box: HTMLElement): void {
  react(
    () => ({ run: app.run.value, span: app.span.value, picked: app.picked.value, mask: app.routerMask.value }),
    async ({ run, span, picked }, current) => {
      box.hidden = !(span || picked) || !run?.has("timeline");
      if (box.hidden) return;
      const [table, ranks] = await Promise.all([run!.table("timeline"), chosenRanks(app, run!)]);
      if (!current() || !table) return;
      const times = timeInStates(new Timeline(table), ranks, span);
      const all = times.reduce((x, y) => x + y, 0);
      const count = ranks ? ranks.reduce((x, y) => x + y, 0) : run!.info.tables["ranks"]?.rows || 1;
      const parts = table.dict("state").map((what, i) => ({ what, ps: times[i] / Math.max(1, count), share: all > 0 ? times[i] / all : 0, definition: "Of the recorded time of the chosen ranks in the chosen period; the time is that of the mean rank." }));
      const label = `What ${format.count(count)} rank${count === 1 ? "" : "s"} did in: ${choiceText(app)}`;
      box.replaceChildren(h("h4", null, label), all > 0 ? stack(parts) : h("p", { class: "about" }, "Nothing was recorded there."), all > 0 ? key(parts) : "");
    },
  );
}

const states = { running: "Running", ended: "The run has ended", interrupted: "Interrupted", failed: "Failed: the terminal says why" };

/** The progress of a run; null if it had ended before the page was opened. */
export function progressOf(app: App, run: Run): Progress | null {
  if (run.result && !run.progress) return app.followed.value.has(run.id) ? endOf(run) : null;
  const told = app.progress.value[run.id];
  if (!told || (run.progress && run.progress.state !== "running")) return run.progress;
  return told;
}

/** The final progress of a run, computed from its result. */
function endOf(run: Run): Progress {
  const result = run.result as { ranks?: number; packets?: number; packet_hops?: number; host?: { wall_s?: number } };
  const [ranks, hops, wall] = [result.ranks ?? 0, result.packet_hops ?? 0, result.host?.wall_s ?? 0];
  return { state: "ended", simulated_time_ps: run.summary?.predicted_ps ?? 0, ranks_ended: ranks, ranks, wall_s: wall, eta_s: 0, packets: result.packets ?? 0, packet_hops: hops, rate: wall > 0 ? hops / wall : 0 };
}

function progressCard(p: Progress): HTMLElement {
  const share = p.state === "ended" ? 1 : p.ranks > 0 ? p.ranks_ended / p.ranks : 0;
  const bar = h("div", { class: "progress", role: "progressbar", "aria-valuenow": Math.round(share * 100), "aria-valuemin": 0, "aria-valuemax": 100 }, h("i", { style: `width:${share * 100}%` }));
  const facts: [string, string][] = [
    ["simulated", format.time(p.simulated_time_ps)],
    ...(p.ranks > 0 ? [["ranks ended", `${format.count(p.ranks_ended)} of ${format.count(p.ranks)}`] as [string, string]] : []),
    ["rate", format.si(p.rate, " packet hops/s")],
    ["real time", format.seconds(p.wall_s)],
    ...(p.state === "running" ? [["left", p.eta_s >= 0 ? format.seconds(p.eta_s) : "not known yet"] as [string, string]] : []),
  ];
  return h("section", { class: "card live " + p.state, "data-testid": "progress", "data-state": p.state }, h("strong", null, states[p.state]), bar, h("dl", null, ...facts.flatMap(([k, v]) => [h("dt", null, k), h("dd", null, v)])));
}

function headline(app: App, run: Run, sum: Summary, progress: Progress | null | undefined): HTMLElement {
  const running = progress?.state === "running";
  const ps = running ? progress.simulated_time_ps : sum.predicted_ps;
  const [value, unit] = format.time(ps, 4).split("\u202f");
  const slow = sum.slowest_rank;
  const { state, ranks, ranks_ended } = (run.result ?? {}) as { state?: string; ranks?: number; ranks_ended?: number };
  const title = running ? "Simulated so far" : state === "interrupted" ? "Simulated until the interruption" : sum.time === "predicted time" ? "Predicted time" : "Simulated time";
  return h(
    "section",
    { class: "card headline" },
    h("h2", null, title),
    h("p", { class: "huge", "data-testid": "predicted", "data-ps": ps }, value, h("small", null, "\u202f" + unit)),
    state === "interrupted" && h("p", { "data-testid": "interrupted" }, sum.divided === "time of ranks" ? `${format.count(ranks_ended ?? 0)} of ${format.count(ranks ?? 0)} ranks had ended. ` : "", "This is no prediction."),
    slow && h("p", null, "Slowest rank: ", h("button", { type: "button", class: "link", "data-testid": "slowest", title: "Choose the router of its host", onclick: () => pickRank(app, slow.rank) }, format.count(slow.rank)), `, ended at ${format.time(slow.end_ps, 4)}`),
    run.network?.title && h("p", { class: "about" }, run.network.title),
    bounds(sum),
  );
}

/** Selects the router of a rank's host. */
function pickRank(app: App, rank: number): void {
  const router = app.core.peek()?.routerOf(rank) ?? -1;
  if (router >= 0) app.picked.value = { kind: "router", rows: Int32Array.of(router), label: `router of rank ${rank}` };
}

function bounds(sum: Summary): HTMLElement | null {
  if (sum.bounds.length === 0) return null;
  const rows = [{ what: "prediction", ps: sum.predicted_ps, definition: "What the simulation found." }, ...sum.bounds];
  const most = Math.max(...rows.map((b) => b.ps));
  return h(
    "div",
    { class: "bounds" },
    h("h2", { title: "Ratios: the prediction over the bound" }, "Against what no run can beat"),
    h(
      "ul",
      { class: "bars", "data-testid": "bounds" },
      rows.map((b, i) =>
        tipped(
          h("li", { tabindex: 0 }, h("span", null, b.what), h("i", null, h("em", { class: i === 0 ? "" : "bound", style: `width:${(b.ps / most) * 100}%` })), h("b", null, format.time(b.ps)), h("small", null, i === 0 ? "" : format.ratio(sum.predicted_ps / b.ps))),
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

function drawHottest(app: App, card: HTMLElement, links: Hot[], choice: string): void {
  const pick = (link: number, name: string) => {
    app.picked.value = { kind: "link", rows: Int32Array.of(link), label: name };
  };
  const rows = links.slice(0, most).map((l) =>
    h("li", null, h("button", { type: "button", class: "link", title: `${l.name}: choose this link`, onclick: () => pick(l.link, l.name) }, l.name), h("i", null, h("em", { style: `width:${Math.min(1, l.utilization) * 100}%` })), h("b", null, format.percent(l.utilization))),
  );
  card.replaceChildren(h("h2", null, "Hottest links", choice !== "" && h("span", { class: "of" }, ` in: ${choice}`)), h("ul", { class: "bars", "data-testid": "hottest" }, rows));
  if (rows.length === 0) append(card, h("p", { class: "about" }, "None of them carried anything."));
}

function drawWhere(frame: Frame, sum: Summary, during: HTMLElement): void {
  const parts = sum.where_it_went;
  frame.show(parts.length > 0);
  frame.setAbout(sum.divided === "latency of messages" ? "Of the latency of messages, in the mean over all." : `Of the ${sum.time}, in the mean over all ranks.`);
  frame.body.replaceChildren(stack(parts), key(parts), during);
}

function stack(parts: Part[]): HTMLElement {
  const segment = (p: Part) =>
    tipped(
      h("div", { class: "segment", tabindex: 0, style: `flex-grow:${p.share};background:${stateColor(p.what)};color:${inkOn(stateColor(p.what))}`, "data-what": p.what, "data-ps": p.ps, "aria-label": `${p.what}: ${format.percent(p.share)}` }, p.share > 0.06 && h("span", { class: p.share < 0.13 ? "narrow" : null }, format.percent(p.share, 2))),
      p.what,
      () => [p.definition, ["time", format.time(p.ps, 4)], ["share", format.percent(p.share)]],
    );
  return h("div", { class: "stack" }, parts.filter((p) => p.share > 0).map(segment));
}

function key(parts: Part[]): HTMLElement {
  return h("ul", { class: "key" }, parts.map((p) => h("li", { title: p.definition }, h("i", { style: `background:${stateColor(p.what)}` }), h("span", null, p.what), h("b", null, format.time(p.ps)))));
}
