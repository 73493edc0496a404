/** Names of ranks, hosts, routers and links as buttons that choose them, for all views. */

import { h } from "./dom";
import type { App, Picked } from "./state";

function button(app: App, text: string, picked: Picked | null): HTMLElement {
  if (!picked) return h("span", null, text);
  return h("button", { type: "button", class: "link", title: `Choose ${picked.label}`, onclick: () => (app.picked.value = picked) }, text);
}

export function rankName(app: App, rank: number, text = `rank ${rank}`): HTMLElement {
  return button(app, text, { kind: "rank", rows: Int32Array.of(rank), label: `rank ${rank}` });
}

/** Consecutive ranks. */
export function ranksName(app: App, first: number, last: number, text: string): HTMLElement {
  const rows = Int32Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
  return button(app, text, { kind: "rank", rows, label: `ranks ${first} to ${last}` });
}

export function routerName(app: App, router: number): HTMLElement {
  const name = app.core.peek()?.routerName(router) ?? String(router);
  return button(app, name, router < 0 ? null : { kind: "router", rows: Int32Array.of(router), label: `router ${name}` });
}

/** A host chooses the router of its first NIC. */
export function hostName(app: App, host: number, routers: ReadonlyMap<number, number>): HTMLElement {
  const router = routers.get(host);
  return button(app, `host ${host}`, router === undefined ? null : { kind: "router", rows: Int32Array.of(router), label: `router of host ${host}` });
}

/** A link, which is the output port of a router, by its row in the table of links. */
export function linkName(app: App, link: number, short = false): HTMLElement {
  const core = app.core.peek();
  if (!core || link < 0 || link >= core.links.count) return h("span", null, "another link");
  const name = core.linkName(link);
  return button(app, short ? core.linkShort(link) : name, { kind: "link", rows: Int32Array.of(link), label: name });
}

/** The router of each host's first NIC. */
export async function routersOfHosts(app: App): Promise<Map<number, number>> {
  const table = await app.run.peek()?.table("nics", ["host", "router"]);
  const [host, router] = [table?.get("host"), table?.get("router")];
  const map = new Map<number, number>();
  for (let i = 0; host && router && i < host.length; i++) if (!map.has(host[i])) map.set(host[i], router[i]);
  return map;
}

/** What a sentence consists of: words, ranks, hosts and links. */
export type Piece = { kind: "text"; text: string } | { kind: "ranks"; first: number; last: number; text: string } | { kind: "host"; id: number } | { kind: "link"; id: number };

/** Divides a sentence of the report. {link 7} stands for the link in row 7 of the table of links. */
export function pieces(sentence: string): Piece[] {
  const list: Piece[] = [];
  let from = 0;
  const words = (to: number) => to > from && list.push({ kind: "text", text: sentence.slice(from, to) });
  for (const m of sentence.matchAll(/\{link (\d+)\}|\b[Rr]ank (\d+)|\b[Rr]anks (\d+) to (\d+)|\bhost (\d+)/g)) {
    words(m.index);
    if (m[1] !== undefined) list.push({ kind: "link", id: Number(m[1]) });
    else if (m[5] !== undefined) list.push({ kind: "host", id: Number(m[5]) });
    else list.push({ kind: "ranks", first: Number(m[2] ?? m[3]), last: Number(m[2] ?? m[4]), text: m[0] });
    from = m.index + m[0].length;
  }
  words(sentence.length);
  return list;
}

/** A sentence whose ranks, hosts and links can be chosen. */
export function sentence(app: App, text: string, routers: ReadonlyMap<number, number>): (Node | string)[] {
  return pieces(text).map((p) => {
    if (p.kind === "text") return p.text;
    if (p.kind === "link") return linkName(app, p.id);
    if (p.kind === "host") return hostName(app, p.id, routers);
    return p.first === p.last ? rankName(app, p.first, p.text) : ranksName(app, p.first, p.last, p.text);
  });
}
