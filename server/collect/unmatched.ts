// What arrived lately and belongs nowhere, to tell the owner who waits for a first visit: events of a site from a foreign host, and
// pages whose snippet names no site. In memory alone; anyone can send such events, so it is bounded and forgotten soon.
import { copyOfText, createBoundedMap } from '../bounded-memory.ts';
import type { SiteId } from '../event.ts';

const KEPT_MS = 600_000;
const MAX_BYTES = 262_144;

export type Stray = {
  /** A host that is not the site's, whose pages send events for it. */
  foreign_host?: string;
  /** What the snippet on the site's own pages names, and is no site here. */
  other_domain?: string;
};

export type Strays = {
  foreignHost(siteId: SiteId, hostname: string, now: number): void;
  unknownSite(hostname: string, named: string, now: number): void;
  of(site: { id: SiteId; domain: string }, now: number): Stray;
};

export function openStrays(): Strays {
  const notes = createBoundedMap<{ text: string; at: number }>(MAX_BYTES, ({ text }) => 2 * text.length + 40);
  const note = (key: string, text: string, at: number) => notes.set(key, { text: copyOfText(text), at });
  const recent = (key: string, now: number) => {
    const found = notes.get(key);
    return found && now - found.at < KEPT_MS ? found.text : undefined;
  };
  return {
    foreignHost: (siteId, hostname, now) => note(siteId, hostname, now),
    unknownSite: (hostname, named, now) => note(`host ${hostname}`, named, now),
    of: ({ id, domain }, now) => {
      const foreign_host = recent(id, now);
      const other_domain = recent(`host ${domain}`, now) ?? recent(`host www.${domain}`, now);
      return {
        ...(foreign_host !== undefined && { foreign_host }),
        ...(other_domain !== undefined && { other_domain }),
      };
    },
  };
}
