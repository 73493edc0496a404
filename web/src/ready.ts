/** Detects when all charts are drawn, so that the page is not printed before. */

import { runFrames } from "./dom";

let under = 0;

/** Counts a request for data until it ends. */
export function loading<T>(data: Promise<T>): Promise<T> {
  under++;
  const over = () => void under--;
  data.then(over, over);
  return data;
}

/** Reports whether charts are waiting for data. */
export function waits(): boolean {
  return under > 0;
}

/** Functions that draw the charts at their current widths. */
const charts = new Set<() => void>();

/** Registers a function that draws a chart immediately, with the data loaded so far. */
export function drawnAtOnce(draw: () => void): void {
  charts.add(draw);
}

/** Immediately draws everything scheduled for the next frames. */
export function drawAll(): void {
  for (const draw of charts) draw();
  runFrames();
}

const quiet = 5; // turns of the event loop during which a chart may still request data

/** Resolves when no chart is waiting for data, and all charts are drawn. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < quiet; turn++) {
    await new Promise((go) => setTimeout(go, 10));
    if (waits()) turn = -1;
  }
  drawAll();
}

/**
 * Delays the page's load event until a promise is settled, so that a browser that prints a page or takes a screenshot
 * after loading includes the charts.
 */
export function holdLoad(until: Promise<unknown>): void {
  const frame = document.createElement("iframe");
  frame.hidden = true;
  frame.setAttribute("aria-hidden", "true");
  document.body.append(frame);
  const inner = frame.contentDocument;
  inner?.open(); // a document that is not closed delays the load event
  const go = () => {
    inner?.close();
    setTimeout(() => frame.remove(), 1000);
  };
  until.then(go, go);
}
