/** The frame of every chart: title, unit, controls, downloads, full size. */

import { append, h } from "./dom";
import { download, picture, raster } from "./export";
import { drawnAtOnce } from "./ready";

export interface FrameOptions {
  /** Also used as data-testid and as prefix of file names. */
  id: string;
  title: string;
  unit?: string;
  /** A sentence under the title that explains the chart. */
  about?: string;
  controls?: (Node | null | false)[];
  /** The data as CSV. */
  csv?: () => string | Promise<string>;
}

export class Frame {
  readonly element: HTMLElement;
  readonly body = h("div", { class: "body" });
  private readonly heading: HTMLElement;
  private readonly unit = h("span", { class: "unit" });
  private readonly about = h("p", { class: "about" });
  private readonly note = h("p", { class: "note", role: "status" });
  private readonly controls = h("div", { class: "controls" });

  constructor(private readonly o: FrameOptions) {
    this.heading = h("h3", { id: o.id + "-title" }, o.title);
    append(this.controls, ...(o.controls ?? []).filter(Boolean));
    this.element = h(
      "figure",
      { class: "frame", "data-testid": o.id, "aria-labelledby": o.id + "-title" },
      h("header", null, h("div", { class: "titles" }, this.heading, this.unit), this.menu()),
      this.about,
      this.controls,
      this.body,
      this.note,
    );
    this.setTitle(o.title, o.unit ?? "");
    this.setAbout(o.about ?? "");
    this.setNote("");
  }

  setTitle(title: string, unit = ""): void {
    this.o.title = title;
    this.heading.textContent = title;
    this.unit.textContent = unit;
  }

  setAbout(text: string): void {
    this.about.textContent = text;
    this.about.hidden = text === "";
  }

  setNote(text: string): void {
    this.note.textContent = text;
    this.note.hidden = text === "";
  }

  setControls(...controls: (Node | null | false)[]): void {
    this.controls.replaceChildren();
    append(this.controls, ...controls.filter(Boolean));
  }

  show(on: boolean): void {
    this.element.hidden = !on;
  }

  private menu(): HTMLElement {
    const { id, csv } = this.o;
    const button = (text: string, title: string, test: string, onclick: () => void) => h("button", { type: "button", class: "quiet", title, "aria-label": `${title}: ${this.o.title}`, "data-testid": `${id}-${test}`, onclick }, text);
    return h(
      "div",
      { class: "menu" },
      button("SVG", "Download as SVG", "svg", () => download(id + ".svg", new Blob([picture(this.body, this.o.title).svg], { type: "image/svg+xml" }))),
      button("PNG", "Download as PNG", "png", () => void raster(picture(this.body, this.o.title)).then((b) => download(id + ".png", b))),
      csv && button("CSV", "Download the data as CSV", "csv", () => void Promise.resolve(csv()).then((text) => download(id + ".csv", new Blob([text], { type: "text/csv" })))),
      button("⤢", "Full size, and back", "full", () => this.enlarge()),
    );
  }

  /** Enlarges the chart to the whole window, for talks; Escape restores it. */
  private enlarge(): void {
    const on = this.element.classList.toggle("full");
    document.body.classList.toggle("has-full", on);
    if (!on) return;
    const back = (e: KeyboardEvent) => {
      if (e.key !== "Escape") return;
      this.element.classList.remove("full");
      document.body.classList.remove("has-full");
      document.removeEventListener("keydown", back, true);
      e.stopPropagation();
    };
    document.addEventListener("keydown", back, true);
  }
}

/** Calls draw with the width of an element, and again when the width changes, before that is shown. */
export function sized(element: HTMLElement, draw: (width: number) => void): void {
  let last = 0;
  const look = () => {
    const width = Math.floor(element.clientWidth);
    if (width > 0 && width !== last) {
      last = width;
      draw(width);
    }
  };
  new ResizeObserver(look).observe(element);
  drawnAtOnce(look);
}
