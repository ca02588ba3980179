// Events from servers. They have no visitor, place or browser, so they skip the steps for browsers' hits.
import { attribute } from '../../collect/channel.ts';
import { blankEvent, eventId } from '../../collect/steps.ts';
import { isHostOf, parsePage, type Page } from '../../collect/url.ts';
import { cleanText } from '../../vocabulary/spelling.ts';
import type { Event } from '../../event.ts';
import type { Site } from '../../sites/sites.ts';
import { refused } from './params.ts';
import { MAX_KEY, MAX_VALUE, type SentEvent } from './requests.ts';

/** Query parameters that name the source. All others are dropped, since they may hold anything. */
const SOURCE_PARAMETER = /^(?:utm_.*|ref|source)$/i;

export type Sent = {
  event: SentEvent;
  site: Site;
  /** Recognises a retry of the same event. Undefined if the sender gave no Idempotency-Key. */
  key: string | undefined;
};

export function toEvent({ event, site, key }: Sent, time: number): Event {
  const page = parsePage(event.url);
  if (!page) throw refused('url', 'must be an absolute http or https address');
  const payload = { site: site.domain, name: event.name, url: event.url, props: cleanProps(event.props ?? {}) };
  const hit = { payload, page, address: '', userAgent: '', headers: {}, time, status: 0 };
  return {
    ...blankEvent(hit, site),
    // Ids from browsers never hold NUL, so a page cannot use up a server's idempotency key by guessing it.
    event_id: eventId(site.id, key === undefined ? undefined : `api\0${key}`),
    ...sourceOf(page, site),
  };
}

/** Limits are in characters, and a character can take two of JavaScript's units. Doubling them avoids cutting what was accepted. */
function cleanProps(props: Record<string, string | number>): Record<string, string> {
  const cleaned = Object.entries(props).map(([key, value]) => [
    cleanText(key, 2 * MAX_KEY),
    typeof value === 'number' ? String(value) : cleanText(value, 2 * MAX_VALUE),
  ]);
  return Object.fromEntries(cleaned) as Record<string, string>;
}

/** A server's event has a source only if the query of its URL names one. */
function sourceOf({ hostname, query }: Page, site: Site) {
  const tags = new URLSearchParams([...query].filter(([name]) => SOURCE_PARAMETER.test(name)));
  if (tags.size === 0) return {};
  const isOwnHost = (host: string) => isHostOf(host, site.domain, site.extra_hosts);
  return attribute({ referrer: '', query: tags, hostname, isOwnHost });
}
