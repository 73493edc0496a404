import { start } from "./page";
import { EmbeddedSource, ServedSource } from "./source";

function open(): void {
  const manifest = document.getElementById("manifest")?.textContent?.trim() ?? "";
  void start(manifest === "" ? new ServedSource() : new EmbeddedSource(manifest));
}

// Blobs stand behind the script.
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", open);
else open();
