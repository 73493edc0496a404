import { start } from "./page";
import { holdLoad, settled } from "./ready";
import { EmbeddedSource, ServedSource } from "./source";

function open(): void {
  const manifest = document.getElementById("manifest")?.textContent?.trim() ?? "";
  const opened = start(manifest === "" ? new ServedSource() : new EmbeddedSource(manifest));
  if (manifest !== "") holdLoad(opened.then(settled));
}

// The blobs follow the script in the document.
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", open);
else open();
