/** Functions that create HTML and SVG elements, one line per element. */

type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, unknown>;

const SVG = "http://www.w3.org/2000/svg";

/** Creates an HTML element. Attributes that are functions, such as onclick, become event listeners. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes?: Attributes | null, ...children: (Child | Child[])[]): HTMLElementTagNameMap[K] {
  return build(document.createElement(tag), attributes, children);
}

/** Creates an SVG element. */
export function s<K extends keyof SVGElementTagNameMap>(tag: K, attributes?: Attributes | null, ...children: (Child | Child[])[]): SVGElementTagNameMap[K] {
  return build(document.createElementNS(SVG, tag), attributes, children);
}

function build<E extends Element>(element: E, attributes: Attributes | null | undefined, children: (Child | Child[])[]): E {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, ...children);
  return element;
}

export function append(element: Element, ...children: (Child | Child[])[]): void {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    element.append(typeof child === "number" ? String(child) : child);
  }
}

/** A choice between a few options, drawn as adjacent buttons. */
export function choice<T extends string>(label: string, options: { value: T; text: string; title?: string }[], value: T, choose: (value: T) => void, id?: string): HTMLElement & { value: T } {
  const group = h("div", { class: "choice", role: "radiogroup", "aria-label": label, "data-testid": id });
  const buttons = options.map((o) =>
    h("button", { type: "button", role: "radio", title: o.title, "data-value": o.value, onclick: () => set(o.value, true) }, o.text),
  );
  let now = value;
  const set = (v: T, tell: boolean) => {
    now = v;
    for (const b of buttons) {
      const on = b.dataset["value"] === v;
      b.setAttribute("aria-checked", String(on));
      b.tabIndex = on ? 0 : -1;
    }
    if (tell) choose(v);
  };
  group.addEventListener("keydown", (e) => {
    const step = e.key === "ArrowRight" || e.key === "ArrowDown" ? 1 : e.key === "ArrowLeft" || e.key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    e.preventDefault();
    const at = (buttons.findIndex((b) => b.dataset["value"] === now) + step + buttons.length) % buttons.length;
    set(options[at].value, true);
    buttons[at].focus();
  });
  append(group, buttons);
  set(value, false);
  Object.defineProperty(group, "value", { get: () => now, set: (v: T) => set(v, false) });
  return group as unknown as HTMLElement & { value: T };
}

/** A drop-down list with its label. */
export function select<T extends string>(label: string, options: { value: T; text: string }[], value: T, choose: (value: T) => void, id?: string): HTMLElement & { value: T } {
  const list = h(
    "select",
    { "data-testid": id, "aria-label": label },
    options.map((o) => h("option", { value: o.value, selected: o.value === value }, o.text)),
  );
  list.addEventListener("change", () => choose(list.value as T));
  const field = h("label", { class: "select" }, h("span", null, label), list);
  Object.defineProperty(field, "value", { set: (v: T) => (list.value = v) });
  return field as unknown as HTMLElement & { value: T };
}

const asked = new Set<() => void>();

/** Returns a function that runs the given one at most once per frame. */
export function perFrame(run: () => void): () => void {
  return () => {
    if (asked.has(run)) return;
    asked.add(run);
    requestAnimationFrame(() => asked.delete(run) && run());
  };
}

/** Immediately runs the functions scheduled for the next frame, because printing does not wait for a frame. */
export function runFrames(): void {
  for (const run of [...asked]) {
    asked.delete(run);
    run();
  }
}

/** Sets the size of a canvas, with as many pixels as the screen has, and returns its drawing context. */
export function fit(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  const w = Math.max(1, Math.round(width * ratio));
  const t = Math.max(1, Math.round(height * ratio));
  if (canvas.width !== w || canvas.height !== t) {
    canvas.width = w;
    canvas.height = t;
  }
  canvas.style.width = width + "px";
  canvas.style.height = height + "px";
  const context = canvas.getContext("2d")!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}
