// An event to start from: tests say only what matters to them.
import type { Event, EventId, SiteId, VisitorId } from '../../server/event.ts';

export const SITE = 'site_TESTTESTTESTTEST' as SiteId;
let serial = 0;

/** A page view of the given visitor on `/`, with an id of its own. */
export function makeEvent(
  given: Partial<Omit<Event, 'visitor_id' | 'event_id'>> & { visitor?: string; id?: string } = {},
): Event {
  const { visitor = '1', id = String((serial += 1)), ...rest } = given;
  return {
    kind: 'event',
    site_id: SITE,
    event_id: Buffer.from(id.padStart(8, '0').slice(-8)).toString('hex') as EventId,
    time: Date.UTC(2026, 10, 20, 12),
    visitor_id: (visitor === '' ? '' : Buffer.from(visitor.padStart(8, 'v')).toString('hex').slice(-16)) as VisitorId,
    name: 'pageview',
    hostname: 'example.com',
    page: '/',
    screen: 'LG',
    language: 'en',
    props: {},
    amount: '',
    currency: '',
    confirmed: false,
    interactive: true,
    engaged_ms: 0,
    scroll: 0,
    channel: 'Direct',
    source: '',
    referrer: '',
    utm_source: '',
    utm_medium: '',
    utm_campaign: '',
    utm_content: '',
    utm_term: '',
    country: 'DE',
    region: 'DE-BE',
    city: '',
    browser: 'Firefox',
    browser_version: '140',
    os: 'Linux',
    os_version: '',
    device: 'desktop',
    ...rest,
  };
}

/** A shop whose owner has chosen its currency, as the stats want to know it. */
export const EURO_SHOP = { currency: 'EUR', proposed_currency: null, max_amount: 100_000 };
