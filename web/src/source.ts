/** Sources of the manifest and the blobs: the page itself, the server, or memory. */

import type { ColumnType, Manifest, Wish } from "./data";
import { loading } from "./ready";

export type Numbers = Int32Array | Float32Array | Float64Array | Uint8Array | Uint16Array;

export interface Source {
  manifest(): Promise<Manifest>;
  /** The uncompressed array of a blob. Blobs are cached: a name always denotes the same bytes. */
  blob(name: string): Promise<ArrayBuffer>;
  /** Removes cached blobs that no run of the manifest uses. */
  forget(manifest: Manifest): void;
  /** Registers callbacks for updates; does nothing for a complete page. */
  listen(on: Listener): void;
  /** Requests that a period be simulated again. */
  rewind(wish: Wish): Promise<void>;
}

export interface Listener {
  manifest(): void;
  progress(run: string, progress: unknown): void;
  /** The server does not respond; the page retries. */
  lost(): void;
  /** The server responds again. */
  found(): void;
  /** The server has announced its end. */
  ended(): void;
}

/** Data embedded in the page. */
export class EmbeddedSource implements Source {
  private readonly kept = new Map<string, Promise<ArrayBuffer>>();
  constructor(private readonly text: string) {}

  async manifest(): Promise<Manifest> {
    return JSON.parse(this.text) as Manifest;
  }

  blob(name: string): Promise<ArrayBuffer> {
    return remember(this.kept, name, async () => {
      const element = document.getElementById("blob-" + name);
      if (!element) throw new Error(`the page lacks the data "${name}"`);
      return inflate(fromBase64(element.textContent ?? ""));
    });
  }

  forget(): void {}

  listen(): void {}

  async rewind(): Promise<void> {
    throw new Error("the page is a file");
  }
}

/** Data served by `fabricast view`. */
export class ServedSource implements Source {
  private readonly kept = new Map<string, Promise<ArrayBuffer>>();

  async manifest(): Promise<Manifest> {
    return (await ask("data/manifest")).json() as Promise<Manifest>;
  }

  blob(name: string): Promise<ArrayBuffer> {
    return remember(this.kept, name, async () => {
      const answer = await ask("data/blob/" + encodeURIComponent(name));
      return inflate(new Uint8Array(await answer.arrayBuffer()));
    });
  }

  forget(manifest: Manifest): void {
    const text = JSON.stringify(manifest.runs.map((r) => [r.tables, r.matrices]));
    for (const name of this.kept.keys()) if (!text.includes(`"${name}"`)) this.kept.delete(name);
  }

  listen(on: Listener): void {
    const events = new EventSource("data/events");
    events.addEventListener("manifest", () => on.manifest());
    events.addEventListener("progress", (e) => {
      const { id, ...progress } = JSON.parse((e as MessageEvent<string>).data) as { id: string };
      on.progress(id, progress);
    });
    events.addEventListener("open", () => on.found());
    events.addEventListener("error", () => on.lost());
    events.addEventListener("end", () => {
      events.close();
      on.ended();
    });
  }

  async rewind(wish: Wish): Promise<void> {
    await ask("rewinds/", { method: "POST", body: JSON.stringify(wish) });
  }
}

async function ask(path: string, how?: RequestInit): Promise<Response> {
  const answer = await fetch(path, how);
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer;
}

function remember(kept: Map<string, Promise<ArrayBuffer>>, name: string, make: () => Promise<ArrayBuffer>): Promise<ArrayBuffer> {
  let blob = kept.get(name);
  if (!blob) {
    blob = loading(make());
    kept.set(name, blob);
    blob.catch(() => kept.delete(name));
  }
  return blob;
}

export function fromBase64(text: string): Uint8Array {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Decompresses gzip data. Other data is returned unchanged, because a proxy may have decompressed it already. */
export async function inflate(bytes: Uint8Array): Promise<ArrayBuffer> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes.slice().buffer as ArrayBuffer;
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** The array of a blob, which is little-endian like all machines with browsers. */
export function numbers(buffer: ArrayBuffer, type: Exclude<ColumnType, "str">): Numbers {
  switch (type) {
    case "i32":
      return new Int32Array(buffer);
    case "i64":
      return Float64Array.from(new BigInt64Array(buffer), Number);
    case "f32":
      return new Float32Array(buffer);
    case "f64":
      return new Float64Array(buffer);
    case "u8":
      return new Uint8Array(buffer);
    case "u16":
      return new Uint16Array(buffer);
  }
}
