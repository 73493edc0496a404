/** When all charts are drawn: so that nothing is printed before. */

import { runFrames } from "./dom";

let under = 0;

/** Counts data that is being loaded. */
export function loading<T>(data: Promise<T>): Promise<T> {
  under++;
  const over = () => void under--;
  data.then(over, over);
  return data;
}

/** Whether charts wait for data. */
export function waits(): boolean {
  return under > 0;
}

/** What draws the charts, by their present widths. */
const charts = new Set<() => void>();

/** Notes what draws a chart at once, as far as its data is there. */
export function drawnAtOnce(draw: () => void): void {
  charts.add(draw);
}

/** Draws now what would be drawn in the next frames. */
export function drawAll(): void {
  for (const draw of charts) draw();
  runFrames();
}

const quiet = 5; // turns of the event loop in which a chart may ask for more data

/** Ends when no chart waits for data, and all are drawn. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < quiet; turn++) {
    await new Promise((go) => setTimeout(go, 10));
    if (waits()) turn = -1;
  }
  drawAll();
}

/**
 * Puts the page's load event off until a promise is settled, so that a browser which prints, or takes a picture of,
 * a page that has loaded has its charts.
 */
export function holdLoad(until: Promise<unknown>): void {
  const frame = document.createElement("iframe");
  frame.hidden = true;
  frame.setAttribute("aria-hidden", "true");
  document.body.append(frame);
  const inner = frame.contentDocument;
  inner?.open(); // a document that is not closed has not loaded
  const go = () => {
    inner?.close();
    setTimeout(() => frame.remove(), 1000);
  };
  until.then(go, go);
}
