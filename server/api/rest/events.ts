// Events that servers send: no visitor, no place, no browser. They pass the site's own switches and go straight to the queue.
import { attribute } from '../../collect/channel.ts';
import { blankEvent, eventId } from '../../collect/steps.ts';
import { isHostOf, parsePage, type Page } from '../../collect/url.ts';
import { cleanText } from '../../vocabulary/spelling.ts';
import type { Event } from '../../event.ts';
import type { Site } from '../../sites/sites.ts';
import { refused } from './params.ts';
import { MAX_KEY, MAX_VALUE, type SentEvent } from './requests.ts';

/** What a query may tell of the source; the rest of it may hold anything, and is dropped. */
const SOURCE_PARAMETER = /^(?:utm_.*|ref|source)$/i;

export type Sent = {
  event: SentEvent;
  site: Site;
  /** Distinguishes the sender's events; undefined where it does not repeat any. */
  key: string | undefined;
};

export function toEvent({ event, site, key }: Sent, time: number): Event {
  const page = parsePage(event.url);
  if (!page) throw refused('url', 'must be an absolute http or https address');
  const payload = { site: site.domain, name: event.name, url: event.url, props: cleanProps(event.props ?? {}) };
  const hit = { payload, page, address: '', userAgent: '', headers: {}, time, status: 0 };
  return {
    ...blankEvent(hit, site),
    // Ids that browsers send hold no NUL: nobody who guesses a server's key can use it up from a page.
    event_id: eventId(site.id, key === undefined ? undefined : `api\0${key}`),
    ...sourceOf(page, site),
  };
}

/** Limits are in characters, of which some take two of JavaScript's units: what was let in is not cut. */
function cleanProps(props: Record<string, string | number>): Record<string, string> {
  const cleaned = Object.entries(props).map(([key, value]) => [
    cleanText(key, 2 * MAX_KEY),
    typeof value === 'number' ? String(value) : cleanText(value, 2 * MAX_VALUE),
  ]);
  return Object.fromEntries(cleaned) as Record<string, string>;
}

/** A server's event comes from somewhere only where its address says so. */
function sourceOf({ hostname, query }: Page, site: Site) {
  const tags = new URLSearchParams([...query].filter(([name]) => SOURCE_PARAMETER.test(name)));
  if (tags.size === 0) return {};
  const isOwnHost = (host: string) => isHostOf(host, site.domain, site.extra_hosts);
  return attribute({ referrer: '', query: tags, hostname, isOwnHost });
}
