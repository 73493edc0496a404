/** The switch between the mean and the maximum of several values at one position. */

import { effect } from "@preact/signals-core";
import type { How } from "./data";
import { choice } from "./dom";
import type { App } from "./state";

/** All these switches share one choice. Each view creates its own switch. */
export function howChoice(app: App, id: string, what: string): HTMLElement {
  const options: { value: How; text: string; title: string }[] = [
    { value: "mean", text: "Mean", title: `Of several ${what} in one place: their mean` },
    { value: "max", text: "Maximum", title: `Of several ${what} in one place: the largest` },
  ];
  const group = choice(`Several ${what} in one place`, options, app.how.peek(), (how) => (app.how.value = how), id);
  effect(() => {
    group.value = app.how.value;
  });
  return group;
}
