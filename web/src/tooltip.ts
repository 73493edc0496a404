/** The tooltip, of which there is one: it describes what is under the pointer. */

import { append, h } from "./dom";

let box: HTMLElement | undefined;

export type Line = [label: string, value: string] | string;

/** Shows the tooltip next to a position in the window. */
export function showTip(x: number, y: number, title: string, lines: Line[]): void {
  box ??= document.body.appendChild(h("div", { class: "tip", role: "status", "data-testid": "tooltip" }));
  const rows = lines.map((l) => (typeof l === "string" ? h("tr", null, h("td", { colspan: 2 }, l)) : h("tr", null, h("th", null, l[0]), h("td", null, l[1]))));
  box.replaceChildren();
  append(box, h("b", null, title), rows.length > 0 && h("table", null, rows));
  box.hidden = false;
  const { width, height } = box.getBoundingClientRect();
  const left = x + 14 + width > window.innerWidth ? x - width - 14 : x + 14;
  const top = Math.min(Math.max(4, y + 14), window.innerHeight - height - 4);
  box.style.transform = `translate(${Math.max(4, Math.round(left))}px, ${Math.round(top)}px)`;
}

export function hideTip(): void {
  if (box) box.hidden = true;
}

/** Gives an element a tooltip, for pointer and keyboard focus. */
export function tipped<E extends Element>(element: E, title: string, lines: () => Line[]): E {
  const at = (e: Event) => {
    const p = e instanceof MouseEvent ? { x: e.clientX, y: e.clientY } : element.getBoundingClientRect();
    showTip(p.x, p.y, title, lines());
  };
  element.addEventListener("pointermove", at);
  element.addEventListener("focus", at);
  element.addEventListener("pointerleave", hideTip);
  element.addEventListener("blur", hideTip);
  return element;
}
