/** The page: header, sections and live updates. It opens a report and keeps it up to date. */

import { effect } from "@preact/signals-core";
import type { Progress } from "./data";
import { SCHEMA } from "./data";
import { append, choice, h } from "./dom";
import { drawAll, settled, waits } from "./ready";
import type { Source } from "./source";
import { App, type Theme } from "./state";
import { blame } from "./views/blame";
import { compare } from "./views/compare";
import { helps, measured, waits as allWaits } from "./views/costs";
import { congestion } from "./views/congestion";
import { curve } from "./views/curves";
import { gantt } from "./views/gantt";
import { heatmap } from "./views/heatmap";
import { history } from "./views/history";
import { jobs } from "./views/jobs";
import { latency } from "./views/latency";
import { network } from "./views/network";
import { packets } from "./views/packets";
import { pairs } from "./views/pairs";
import { rewind } from "./views/rewind";
import { summary } from "./views/summary";
import { findings, sweepTable } from "./views/sweep";
import { transport } from "./views/transport";
import { why } from "./views/why";

/** Opens a report. */
export async function start(source: Source): Promise<void> {
  const root = document.getElementById("app")!;
  try {
    const manifest = await source.manifest();
    const app = new App(source, manifest);
    themes(app);
    draw(app, root);
    listen(app, source);
    effect(() => {
      root.dataset["live"] = String(app.manifest.value.live);
    });
    root.dataset["ready"] = "true";
    opened(app, root);
  } catch (e) {
    console.error(e);
    root.replaceChildren(h("main", { class: "failed" }, h("h1", null, "The report cannot be shown"), h("p", null, e instanceof Error ? e.message : String(e))));
    root.dataset["ready"] = "failed";
  }
}

/** Records the time until the network and the heat map, which wait for most data, are drawn. */
function opened(app: App, root: HTMLElement): void {
  const done = effect(() => {
    const core = app.core.value;
    if (app.runs.value.length > 0 && core === null) return;
    if (core && core.routers.count > 0 && !app.drawn.value.has("network")) return;
    if (core && app.run.value!.stats().length > 0 && !app.drawn.value.has("heat")) return;
    requestAnimationFrame(() =>
      setTimeout(() => {
        root.dataset["openedMs"] ??= String(Math.round(performance.now()));
        done();
      }),
    );
  });
}

function draw(app: App, root: HTMLElement): void {
  const sweep = app.manifest.value.sweep;
  const several = app.manifest.value.runs.length > 1;
  const sections: [string, string, string, HTMLElement[]][] = [
    ["comparison", "Comparison", "halves", several ? compare(app) : []],
    ["summary", "Summary", "wide", [summary(app)]],
    ["why", "Why", "halves", [why(app), allWaits(app), helps(app), measured(app), blame(app)]],
    ["jobs", "Jobs", "wide", jobs(app)],
    ["sweep", "Sweep", "halves", sweep ? [...sweep.curves.map((_, i) => curve(app, i)), findings(app), sweepTable(app)] : []],
    ["space-time", "Space and time", "halves", [transport(app), network(app), heatmap(app), history(app), packets(app)]],
    ["dimensions", "Dimensions", "wide", [pairs(app)]],
    ["ranks", "Ranks", "wide", [gantt(app)]],
    ["congestion", "Congestion", "halves", congestion(app)],
    ["latency", "Latency", "halves", [latency(app, "distance"), latency(app, "size")]],
    ["look-back", "Look back", "wide", [rewind(app)]],
  ];
  const made = sections.filter(([, , , parts]) => parts.length > 0).map(([id, title, form, parts]) => section(id, title, form, parts));
  if (several) nameRun(app, made.find((m) => m.element.id === "summary")!.element);
  const early = h("p", { class: "early" }, "Printed before all charts had their data: print again.");
  const main = h("main", null, early, server(app), problems(app), made.map((m) => m.element));
  root.replaceChildren(header(app, made), main, footer(app));
}

/** Below a comparison, one run is shown. Its heading names that run, and explains how to select another one. */
function nameRun(app: App, section: HTMLElement): void {
  const heading = section.querySelector("h2")!;
  effect(() => {
    heading.textContent = `One run: ${app.run.value?.info.name ?? ""}`;
    heading.title = "The switch at the top of the page shows another";
  });
}

interface Section {
  element: HTMLElement;
  link: HTMLElement;
}

/** A section hides itself and its link while all of its charts are hidden. */
function section(id: string, title: string, form: string, parts: HTMLElement[]): Section {
  const element = h("section", { id, class: "section " + form, "data-testid": "section-" + id }, h("h2", { class: "section-title" }, title), h("div", { class: "grid" }, parts));
  const link = h("a", { href: "#" + id }, title);
  const check = () => {
    const empty = parts.every((p) => p.hidden || (p.classList.contains("summary") && p.childElementCount === 0));
    element.hidden = empty;
    link.hidden = empty;
    const shown = parts.filter((p) => !p.hidden && p.classList.contains("frame") && !p.classList.contains("whole"));
    // The last chart spans two columns if it would be alone in its row. A tall chart is next to two others, if there
    // are two.
    const isTall = (p: HTMLElement) => p.classList.contains("tall") && shown.length > 2;
    shown.forEach((p) => p.classList.toggle("short", !isTall(p)));
    const places = shown.reduce((sum, p) => sum + (isTall(p) ? 2 : 1), 0);
    shown.forEach((p, i) => p.classList.toggle("last-odd", i === shown.length - 1 && places % 2 === 1));
  };
  const watch = new MutationObserver(check);
  for (const p of parts) watch.observe(p, { attributes: true, attributeFilter: ["hidden"], childList: p.classList.contains("summary") });
  check();
  return { element, link };
}

function header(app: App, sections: Section[]): HTMLElement {
  const title = h("h1", { "data-testid": "title" });
  const runs = h("span");
  effect(() => {
    const m = app.manifest.value;
    title.textContent = m.title;
    document.title = (m.live ? "… " : app.followed.value.size > 0 ? "✓ " : "") + m.title + " · Fabricast";
    runs.replaceChildren();
    if (m.runs.length > 1) append(runs, choice("Run", m.runs.map((r, i) => ({ value: String(i), text: r.name })), String(app.current.value), (v) => pickRun(app, Number(v)), "run"));
  });
  return h(
    "header",
    { class: "top" },
    h("div", { class: "brand" }, logo(), h("div", null, h("small", null, "Fabricast"), title)),
    h("nav", { "aria-label": "Sections" }, sections.map((x) => x.link)),
    h("div", { class: "tools" }, runs, themeChoice(app), h("button", { type: "button", class: "quiet", title: "Print, or save as PDF", onclick: () => void settled().then(() => window.print()) }, "Print")),
  );
}

function pickRun(app: App, index: number): void {
  app.clear();
  app.cursor.value = null;
  app.current.value = index;
}

function logo(): HTMLElement {
  const mark = h("span", { class: "logo", "aria-hidden": "true" });
  mark.innerHTML = '<svg viewBox="0 0 32 32" width="30" height="30"><g stroke="currentColor" stroke-width="2.2" opacity=".55"><path d="M6 6h20M6 16h20M6 26h20M6 6v20M16 6v20M26 6v20"/></g><g><circle cx="6" cy="6" r="3.4" fill="#3b528b"/><circle cx="16" cy="6" r="3.4" fill="#21918c"/><circle cx="26" cy="6" r="3.4" fill="#3b528b"/><circle cx="6" cy="16" r="3.4" fill="#21918c"/><circle cx="16" cy="16" r="4.6" fill="#fde725"/><circle cx="26" cy="16" r="3.4" fill="#5ec962"/><circle cx="6" cy="26" r="3.4" fill="#3b528b"/><circle cx="16" cy="26" r="3.4" fill="#5ec962"/><circle cx="26" cy="26" r="3.4" fill="#21918c"/></g></svg>';
  return mark;
}

function problems(app: App): HTMLElement {
  const box = h("div", { class: "problems", role: "alert", "data-testid": "problems" });
  effect(() => {
    const m = app.manifest.value;
    const list = m.schema === SCHEMA ? m.problems : [`This report has the schema ${m.schema}; the page knows ${SCHEMA}. What it can read is shown.`, ...m.problems];
    box.hidden = list.length === 0;
    box.replaceChildren(...list.map((text) => h("p", null, text)));
  });
  return box;
}

function footer(app: App): HTMLElement {
  const hash = h("span", { "data-testid": "hash" });
  effect(() => {
    const result = app.run.value?.info.result;
    const text = result?.["result_hash"];
    hash.textContent = typeof text === "string" ? `result hash ${text}` : "";
  });
  const licences = h("button", { type: "button", class: "link", onclick: () => showLicences() }, "licences");
  return h("footer", null, `Fabricast ${app.manifest.value.version}`, hash, licences);
}

function showLicences(): void {
  const text = document.getElementById("licences")?.textContent ?? "";
  const dialog = h("dialog", { class: "licences" }, h("h2", null, "Licences of what this page uses"), h("pre", null, text), h("form", { method: "dialog" }, h("button", null, "Close")));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function themeChoice(app: App): HTMLElement {
  const options: { value: Theme; text: string; title: string }[] = [
    { value: "light", text: "☀", title: "Light" },
    { value: "system", text: "Auto", title: "As the system" },
    { value: "dark", text: "☾", title: "Dark" },
  ];
  return choice("Theme", options, app.theme.peek(), (v) => (app.theme.value = v), "theme");
}

/** Applies the theme; printing always uses the light theme. */
function themes(app: App): void {
  try {
    const kept = localStorage.getItem("fabricast-theme");
    if (kept === "light" || kept === "dark") app.theme.value = kept;
  } catch {
    // Some browsers have no storage for local files.
  }
  const repaint = () => (app.repaint.value = app.repaint.peek() + 1);
  const set = (theme: Theme) => {
    if (theme === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
    repaint();
  };
  effect(() => {
    const theme = app.theme.value;
    set(theme);
    try {
      localStorage.setItem("fabricast-theme", theme);
    } catch {
      // As above.
    }
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  window.addEventListener("beforeprint", () => {
    set("light");
    document.documentElement.dataset["unfinished"] = String(waits());
    drawAll();
  });
  window.addEventListener("afterprint", () => set(app.theme.peek()));
}

function listen(app: App, source: Source): void {
  let asking = false;
  let again = false;
  // Events during a request may be newer than its response.
  const ask = async (): Promise<void> => {
    if (asking) return void (again = true);
    asking = true;
    try {
      do {
        again = false;
        const m = await source.manifest();
        app.manifest.value = m;
        source.forget(m);
      } while (again);
    } catch (e) {
      console.warn(e);
    } finally {
      asking = false;
    }
  };
  source.listen({
    manifest: () => void ask(),
    progress: (run, progress) => (app.progress.value = { ...app.progress.peek(), [run]: progress as Progress }),
    lost: () => (app.server.value = "lost"),
    found: () => {
      const missed = app.server.peek() === "lost";
      app.server.value = "there";
      if (missed) void ask();
    },
    ended: () => (app.server.value = "ended"),
  });
}

const serverTexts = {
  there: "",
  lost: "Fabricast does not answer, so nothing new is shown. The page asks again every second.",
  ended: "Fabricast has ended. This page stays as it is until it is closed; charts that have not been opened yet may stay empty.",
};

/** Reports that the page's server has ended or does not respond. */
function server(app: App): HTMLElement {
  const box = h("div", { class: "problems", role: "status", "data-testid": "server" });
  effect(() => {
    box.dataset["state"] = app.server.value;
    box.hidden = app.server.value === "there";
    box.replaceChildren(h("p", null, serverTexts[app.server.value]));
  });
  return box;
}
