/** Several concurrent jobs: their times, their slowdown by the others, and the links that they share. */

import { effect } from "@preact/signals-core";
import { categories } from "../color";
import type { Job, SharedLink } from "../data";
import { h } from "../dom";
import { csv } from "../export";
import * as format from "../format";
import { Frame } from "../frame";
import type { App } from "../state";
import { tipped } from "../tooltip";

export function jobs(app: App): HTMLElement[] {
  return [times(app), links(app)];
}

const jobsOf = (app: App): Job[] => (app.run.value?.info.result?.["jobs"] as Job[] | undefined) ?? [];
const linksOf = (app: App): SharedLink[] => (app.run.value?.info.result?.["shared_links"] as SharedLink[] | undefined) ?? [];

const colorOf = (index: number) => categories[index % categories.length];

/** The definition of a job's slowdown. */
const compared = (j: Job) => (j.ranks > 0 ? "its time with the others over that alone" : "the mean latency of its messages with the others over that alone");

/** A bar for each job, from its start to its end, and a table. */
function times(app: App): HTMLElement {
  const frame = new Frame({
    id: "jobs-times",
    title: "Jobs",
    csv: () =>
      csv(
        ["job", "program", "ranks", "hosts", "start_ps", "end_ps", "time_ps", "messages", "payload_bytes", "mean_latency_ps", "mean_wait_ps", "time_alone_ps", "mean_latency_alone_ps", "slowdown", "shared_links"],
        jobsOf(app).map((j) => [j.name, j.program, j.ranks, j.hosts, j.start_ps, j.end_ps, j.time_ps, j.messages, j.payload_bytes, j.latency_ps.mean, j.mean_wait_ps, j.alone?.time_ps ?? "", j.alone?.mean_latency_ps ?? "", j.alone?.slowdown ?? "", j.alone?.shared_links ?? ""]),
      ),
  });
  frame.element.classList.add("whole");
  effect(() => {
    const list = jobsOf(app);
    frame.show(list.length > 0);
    const alone = list.some((j) => j.alone);
    frame.setTitle("Jobs", `${format.count(list.length)} at once`);
    frame.setAbout(alone ? "From start to end. The slowdown compares each with a run of it alone, on the same hosts." : "From start to end. With --interference each runs alone too.");
    const end = Math.max(1, ...list.map((j) => j.end_ps));
    frame.body.replaceChildren(h("div", { class: "lanes" }, list.map((j, i) => lane(j, i, end))), h("div", { class: "scroll" }, table(list, alone)));
  });
  return frame.element;
}

function lane(j: Job, index: number, end: number): HTMLElement {
  const bar = h("div", { class: "segment", tabindex: 0, style: `flex-grow:1;background:${colorOf(index)}`, "data-what": j.name, "data-ps": j.time_ps });
  const tips = () => [["program", j.program], ["start", format.time(j.start_ps, 4)], ["end", format.time(j.end_ps, 4)], ...(j.alone ? [["alone", format.time(j.alone.time_ps, 4)]] : [])] as [string, string][];
  const track = h("div", { class: "track" }, h("div", { class: "stack", style: `margin-left:${(j.start_ps / end) * 100}%;width:${(j.time_ps / end) * 100}%` }, tipped(bar, j.name, tips)));
  return h("div", { class: "lane", "data-testid": "job-lane" }, h("span", { title: j.program }, j.name), track, h("b", null, format.time(j.time_ps)), h("small", { title: compared(j) }, j.alone ? format.ratio(j.alone.slowdown) : ""));
}

function table(list: Job[], alone: boolean): HTMLElement {
  const head = ["job", "program", "ranks", "hosts", "messages", "payload", "mean latency", "waited", ...(alone ? ["time alone", "slowdown", "shared links"] : [])];
  const cells = (j: Job) => [
    j.ranks > 0 ? format.count(j.ranks) : "–",
    format.count(j.hosts),
    format.count(j.messages),
    format.bytes(j.payload_bytes),
    format.time(j.latency_ps.mean),
    j.ranks > 0 ? format.time(j.mean_wait_ps) : "–",
    ...(alone ? [j.alone ? format.time(j.alone.time_ps) : "–", j.alone ? format.ratio(j.alone.slowdown) : "–", j.alone ? format.count(j.alone.shared_links) : "–"] : []),
  ];
  const words = 2; // number of text columns, which precede the numeric ones
  const row = (j: Job, i: number) => h("tr", null, h("th", { scope: "row" }, h("i", { class: "swatch", style: `background:${colorOf(i)}` }), j.name), h("td", { title: j.program }, j.program), cells(j).map((text) => h("td", { class: "n" }, text)));
  return h("table", { "data-testid": "jobs-table" }, h("thead", null, h("tr", null, head.map((text, i) => h("th", { class: i < words ? null : "n" }, text)))), h("tbody", null, list.map(row)));
}

/** The links between routers that are used by several jobs, busiest first. */
function links(app: App): HTMLElement {
  const frame = new Frame({
    id: "jobs-links",
    title: "Links that jobs share",
    csv: () => csv(["link", "utilization", "wire_bytes", "job", "wire_bytes_alone"], linksOf(app).flatMap((l) => l.jobs.map((j) => [l.link, l.utilization, l.wire_bytes, j.job, j.wire_bytes_alone]))),
  });
  frame.element.classList.add("whole");
  effect(() => {
    const list = linksOf(app);
    const all = Number(app.run.value?.info.result?.["shared_link_count"] ?? list.length);
    const names = jobsOf(app).map((j) => j.name);
    const shown = list.slice(0, mostLinks);
    frame.show(list.length > 0);
    frame.setTitle("Links that jobs share", `${format.count(all)} between routers`);
    frame.setAbout("The busiest first: how much of the link's bandwidth is used by all together, divided by what each job sends over it alone.");
    const involved = names.filter((n) => shown.some((l) => l.jobs.some((j) => j.job === n)));
    frame.body.replaceChildren(h("div", { class: "lanes" }, shown.map((l) => shared(l, names))), h("ul", { class: "key" }, involved.map((n) => h("li", null, h("i", { style: `background:${colorOf(names.indexOf(n))}` }), n))));
    frame.setNote(all > shown.length ? `The first ${shown.length}; the CSV has ${list.length}, job_links.parquet all.` : "");
  });
  return frame.element;
}

const mostLinks = 20;

function shared(l: SharedLink, names: string[]): HTMLElement {
  const segment = (j: SharedLink["jobs"][number]) =>
    tipped(h("div", { class: "segment", tabindex: 0, style: `flex-grow:${j.wire_bytes_alone};background:${colorOf(names.indexOf(j.job))}`, "data-what": j.job }), j.job, () => [["sends alone", format.traffic(j.wire_bytes_alone)]]);
  const bar = h("div", { class: "stack", style: `width:${Math.min(1, l.utilization) * 100}%` }, l.jobs.map(segment));
  return h("div", { class: "lane", "data-testid": "job-link" }, h("span", { title: l.link }, l.link), h("div", { class: "track" }, bar), h("b", null, format.percent(l.utilization)), h("small", null, format.traffic(l.wire_bytes)));
}
