/** Tooltips for plots of few points: they describe the position nearest to the pointer along the x axis. */

import { append, s } from "../dom";
import type { Drawn } from "../plot";
import { hideTip, showTip, type Line } from "../tooltip";

/** Shows a tooltip and a line at the nearest position; arrow keys move to the next one. */
export function brushless(d: Drawn, places: number[], tell: (index: number) => { title: string; lines: Line[] }): void {
  const { plot } = d;
  const line = s("line", { class: "now", y1: plot.top, y2: plot.top + plot.height, visibility: "hidden" });
  const box = s("rect", { class: "hover", x: plot.left, y: plot.top, width: plot.width, height: plot.height, fill: "transparent", tabindex: 0, role: "application", "aria-label": "Values; arrow keys go from one to the next" });
  let now = -1;
  const show = (i: number, x: number, y: number) => {
    now = i;
    const at = d.x(places[i]);
    line.setAttribute("x1", String(at));
    line.setAttribute("x2", String(at));
    line.setAttribute("visibility", "visible");
    const { title, lines } = tell(i);
    showTip(x, y, title, lines);
  };
  const hide = () => {
    line.setAttribute("visibility", "hidden");
    hideTip();
  };
  box.addEventListener("pointermove", (e) => {
    const x = e.clientX - d.svg.getBoundingClientRect().left;
    let best = -1;
    places.forEach((p, i) => {
      if (best < 0 || Math.abs(d.x(p) - x) < Math.abs(d.x(places[best]) - x)) best = i;
    });
    if (best >= 0) show(best, e.clientX, e.clientY);
  });
  box.addEventListener("pointerleave", hide);
  box.addEventListener("blur", hide);
  box.addEventListener("keydown", (e) => {
    const step = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
    if (step === 0 || places.length === 0) return;
    e.preventDefault();
    const frame = d.svg.getBoundingClientRect();
    const i = Math.max(0, Math.min(places.length - 1, now + step));
    show(i, frame.left + d.x(places[i]), frame.top + plot.top + 20);
  });
  append(d.svg, line, box);
}
