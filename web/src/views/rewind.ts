/** Simulates a period of the run again with more recorded, by a command or by the server. */

import { effect, signal } from "@preact/signals-core";
import type { LookBack, Rewind, Wish } from "../data";
import { append, h, s } from "../dom";
import * as format from "../format";
import { Frame } from "../frame";
import { exactTime, parseNumbers, parseTime, quoted } from "../period";
import type { App } from "../state";

export function rewind(app: App): HTMLElement {
  return new View(app).frame.element;
}

/** Maximum number of routers or ranks that a selection fills into the form. */
const most = 1000;

/** The fraction of the run that a click selects. */
const clicked = 1 / 64;

const height = 30;

class View {
  readonly frame: Frame;
  private readonly line = s("svg", { class: "rewind-line", height, width: "100%", preserveAspectRatio: "none", viewBox: `0 0 1000 ${height}`, tabindex: 0, role: "slider", "aria-label": "Period of the run. Arrows move it, + and - change its length.", "data-testid": "rewind-line" });
  private readonly from = this.field("rewind-from", "From", "1.2ms");
  private readonly length = this.field("rewind-length", "Length", "to the end");
  private readonly routers = this.field("rewind-routers", "Packets at routers", "none");
  private readonly ranks = this.field("rewind-ranks", "Ranks", "all");
  private readonly records = h("div", { class: "rewind-records", role: "group", "aria-label": "What is recorded" });
  private readonly command = h("code", { "data-testid": "rewind-command" });
  private readonly copy = h("button", { type: "button", "data-testid": "rewind-copy", onclick: () => void this.copied() }, "Copy");
  private readonly run = h("button", { type: "button", "data-testid": "rewind-run", onclick: () => void this.ask() }, "Simulate again");
  private readonly list = h("ul", { class: "rewind-list", "data-testid": "rewind-list" });
  /** The text of an invalid field or a refused request. */
  private readonly fault = signal("");
  /** Incremented when a field changes. */
  private readonly changed = signal(0);
  private drag: number | null = null;

  constructor(private readonly app: App) {
    this.frame = new Frame({
      id: "rewind",
      title: "Look back",
      about: "A period of the run can be simulated again from the checkpoint before it, with more recorded. Drag over the line, or choose a period in any chart; routers and ranks are those chosen.",
    });
    append(
      this.frame.body,
      this.line,
      h("div", { class: "rewind-fields" }, [this.from, this.length, this.routers, this.ranks].map((f) => f.parentElement)),
      this.records,
      h("div", { class: "rewind-command" }, this.command, this.copy, this.run),
      this.list,
    );
    this.listen();
    effect(() => this.choices(this.back));
    effect(() => this.followPeriod());
    effect(() => this.followSet());
    effect(() => this.show());
    effect(() => this.tell());
  }

  private field(id: string, label: string, hint: string): HTMLInputElement {
    const input = h("input", { type: "text", placeholder: hint, spellcheck: "false", "data-testid": id, onchange: () => this.typed() });
    h("label", null, h("span", null, label), input);
    return input;
  }

  private get back(): LookBack | null {
    return this.app.run.value?.info.look_back ?? null;
  }

  /** Creates the checkboxes for the kinds of data to record. */
  private choices(back: LookBack | null): void {
    this.frame.show(back !== null);
    const names = back?.records ?? [];
    const known = [...this.records.querySelectorAll("input")].map((i) => i.value);
    if (names.join() === known.join()) return;
    const box = (name: string) => h("label", null, h("input", { type: "checkbox", value: name, checked: true, "data-testid": "rewind-" + name, onchange: () => this.typed() }), name);
    this.records.replaceChildren(...names.map(box));
  }

  /** Fills the fields with the period selected in any chart. */
  private followPeriod(): void {
    const span = this.app.span.value;
    const end = this.back?.end_ps ?? 0;
    this.from.value = span ? exactTime(span[0]) : "";
    this.length.value = span && span[1] < end ? exactTime(span[1] - span[0]) : "";
    this.fault.value = "";
    this.news();
  }

  private followSet(): void {
    const picked = this.app.picked.value;
    const mask = picked && picked.kind !== "rank" ? this.app.routerMask.value : null;
    const routers = mask ? Array.from(mask.keys()).filter((r) => mask[r] === 1) : [];
    const ranks = picked?.kind === "rank" ? Array.from(picked.rows) : [];
    this.routers.value = routers.length <= most ? routers.join(", ") : "";
    this.ranks.value = ranks.length <= most ? ranks.join(", ") : "";
    this.news();
  }

  /** Applies the typed period to all charts. */
  private typed(): void {
    const end = this.back?.end_ps ?? 0;
    const from = parseTime(this.from.value);
    const length = this.length.value.trim() === "" ? null : parseTime(this.length.value);
    this.fault.value = "";
    if (this.from.value.trim() !== "" && from === null) this.fault.value = `found ${this.from.value}, expected a time such as 1.2ms`;
    else if (this.length.value.trim() !== "" && !length) this.fault.value = `found ${this.length.value}, expected a length such as 100us`;
    else if (from !== null && from < end) this.choose(from, length === null ? end : Math.min(end, from + length));
    else if (from !== null) this.fault.value = `found ${this.from.value}, expected a time before the end, ${exactTime(end)}`;
    for (const input of [this.routers, this.ranks]) if (!parseNumbers(input.value)) this.fault.value = `found ${input.value}, expected numbers such as 0, 5, 17`;
    this.news();
  }

  private choose(from: number, to: number): void {
    this.app.cursor.value = null;
    this.app.period.value = [from, to];
  }

  private listen(): void {
    const { line } = this;
    const at = (e: MouseEvent) => {
      const box = line.getBoundingClientRect();
      const end = this.back?.end_ps ?? 0;
      // Rounds to a power of ten below the time of a pixel, so that the time has few digits.
      const grain = 10 ** Math.max(0, Math.floor(Math.log10(end / 1000)));
      return Math.round((Math.max(0, Math.min(1, (e.clientX - box.left) / box.width)) * end) / grain) * grain;
    };
    line.addEventListener("pointerdown", (e) => {
      line.setPointerCapture(e.pointerId);
      const end = this.back?.end_ps ?? 0;
      this.drag = at(e);
      const from = Math.min(this.drag, Math.floor(end * (1 - clicked)));
      this.choose(from, from + Math.ceil(end * clicked));
    });
    line.addEventListener("pointermove", (e) => {
      if (this.drag === null) return;
      const to = at(e);
      if (to !== this.drag) this.choose(Math.min(this.drag, to), Math.max(this.drag, to));
    });
    for (const end of ["pointerup", "pointercancel"]) line.addEventListener(end, () => (this.drag = null));
    line.addEventListener("keydown", (e) => this.keys(e));
  }

  private keys(e: KeyboardEvent): void {
    const end = this.back?.end_ps ?? 0;
    const [a, b] = this.app.span.peek() ?? [0, Math.ceil(end * clicked)];
    const step = Math.ceil(end * clicked);
    const length = b - a;
    const moved = (from: number) => this.choose(Math.max(0, Math.min(end - length, from)), Math.max(0, Math.min(end - length, from)) + length);
    if (e.key === "ArrowLeft") moved(a - step);
    else if (e.key === "ArrowRight") moved(a + step);
    else if (e.key === "+") this.choose(a, Math.min(end, b + step));
    else if (e.key === "-") this.choose(a, Math.max(a + Math.ceil(length / 2), b - step));
    else if (e.key === "Escape") this.app.period.value = null;
    else return;
    e.preventDefault();
  }

  private news(): void {
    this.changed.value = this.changed.peek() + 1;
  }

  /** The request described by the form; null if it is incomplete. */
  private wish(): Wish | null {
    const run = this.app.run.value;
    const routers = parseNumbers(this.routers.value);
    const ranks = parseNumbers(this.ranks.value);
    const records = [...this.records.querySelectorAll("input")].filter((i) => i.checked).map((i) => i.value);
    if (!run || !routers || !ranks || records.length === 0 || this.from.value === "" || this.fault.value !== "") return null;
    return { run: run.info.id, from: this.from.value, length: this.length.value, records, routers, ranks };
  }

  private show(): void {
    void this.changed.value;
    const back = this.back;
    if (!back) return;
    this.draw(back, this.app.span.value);
    const wish = this.wish();
    this.command.textContent = wish ? commandOf(back, wish) : "";
    this.command.parentElement!.hidden = !wish;
    this.run.hidden = !this.app.manifest.value.can_rewind;
    this.run.disabled = this.app.server.value !== "there" || (this.app.manifest.value.rewinds ?? []).some((r) => r.state === "running");
    this.frame.setNote(this.fault.value !== "" ? this.fault.value : wish ? this.hint(back, wish) : "No period is chosen, or nothing to record.");
  }

  private hint(back: LookBack, wish: Wish): string {
    const from = parseTime(wish.from) ?? 0;
    const before = back.checkpoints_ps.filter((c) => c <= from);
    const begin = before.length > 0 ? `the checkpoint at ${format.time(before[before.length - 1], 4)}` : "the beginning, as no checkpoint is before";
    return `It is simulated from ${begin}.` + (this.app.manifest.value.can_rewind ? "" : " The command is for the folder in which the report was made.");
  }

  /** Draws the run as a line from start to end, with checkpoints as strokes. */
  private draw(back: LookBack, span: [number, number] | null): void {
    const x = (t: number) => (1000 * Math.min(t, back.end_ps)) / back.end_ps;
    this.line.replaceChildren(s("rect", { x: 0, y: 8, width: 1000, height: height - 16, class: "rewind-all" }));
    if (span) append(this.line, s("rect", { x: x(span[0]), y: 2, width: Math.max(2, x(span[1]) - x(span[0])), height: height - 4, class: "rewind-period" }));
    for (const c of back.checkpoints_ps) append(this.line, s("line", { x1: x(c), x2: x(c), y1: 4, y2: height - 4, class: "rewind-checkpoint", "vector-effect": "non-scaling-stroke" }, s("title", null, `checkpoint at ${format.time(c, 4)}`)));
    this.line.setAttribute("aria-valuetext", span ? `${format.time(span[0])} – ${format.time(span[1])}` : "no period");
  }

  private async copied(): Promise<void> {
    const text = this.command.textContent ?? "";
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Without permission for the clipboard, the text is selected, so that a key copies it.
      getSelection()?.selectAllChildren(this.command);
      return;
    }
    this.copy.textContent = "Copied";
    setTimeout(() => (this.copy.textContent = "Copy"), 1500);
  }

  private async ask(): Promise<void> {
    const wish = this.wish();
    if (!wish) return;
    this.run.disabled = true;
    try {
      await this.app.source.rewind(wish);
    } catch (e) {
      this.fault.value = e instanceof Error ? e.message : String(e);
    }
    this.news();
  }

  /** Lists the requests sent to the server. */
  private tell(): void {
    const all = this.app.manifest.value.rewinds ?? [];
    this.list.hidden = all.length === 0;
    this.list.replaceChildren(...all.map((r) => h("li", { "data-testid": "rewind-item", "data-state": r.state }, words(r), r.address && h("a", { href: r.address, target: "_blank", "data-testid": "rewind-open" }, "open its report"))));
  }
}

function words(r: Rewind): string {
  const what = `${r.run}, from ${r.from}` + (r.length ? ` for ${r.length}` : " to the end");
  if (r.state === "failed") return `${what}: failed. ${r.why ?? ""} `;
  return r.state === "running" ? `${what}: is being simulated` : `${what}: recorded in ${r.folder}; `;
}

/** The command line for a request. */
export function commandOf(back: LookBack, w: Wish): string {
  const words = ["fabricast", "rewind", back.folder, "--to", w.from];
  if (w.length !== "") words.push("--for", w.length);
  words.push("--record", w.records.join(","));
  if (w.routers.length > 0) words.push("--routers", w.routers.join(","));
  if (w.ranks.length > 0) words.push("--ranks", w.ranks.join(","));
  return [...words, "--out", `${back.folder}-${w.from}`].map(quoted).join(" ");
}
