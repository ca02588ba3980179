// Remembers recent events that match no site, to help owners who wait for a first visit: events for a site from a foreign host, and pages
// whose snippet names an unknown domain. Anybody can send such events, so only few are kept, in memory, for minutes.
import { copyOfText, createBoundedMap } from '../process/bounded-memory.ts';
import type { SiteId } from '../vocabulary/event.ts';

const KEPT_MS = 600_000;
const MAX_BYTES = 262_144;

export type Stray = {
  /** A foreign host whose pages send events for the site. */
  foreign_host?: string;
  /** The unknown domain in the snippet on the site's own pages. */
  other_domain?: string;
};

type Strays = {
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
