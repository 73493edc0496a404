import { h } from "./dom";
import type { Source } from "./source";

/** Opens a report. */
export async function start(source: Source): Promise<void> {
  const app = document.getElementById("app")!;
  const manifest = await source.manifest();
  document.title = manifest.title;
  app.replaceChildren(h("h1", { "data-testid": "title" }, manifest.title), ...manifest.runs.map((r) => h("p", null, r.name)));
}
