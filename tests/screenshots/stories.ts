// Six sites, each with one story. Whoever sees only the screenshot should be able to say what happened, and why.
import type { Event, SiteId } from '../../server/vocabulary/event.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import { seedEvents } from '../../server/jobs/demo/events.ts';
import type { EventStore } from '../../server/store/open.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, startOfDay } from '../../server/vocabulary/time/time.ts';
import { hexId, makeEvent } from '../setup/event.ts';

type Told = { events: Event[]; today: number; siteId: SiteId; domain: string };
type Story = { domain: string; query: string; currency?: string; tell(told: Told): Event[] };

const LOUD = new Set(['Hacker News', 'Product Hunt', 'newsletter']);
const DAYS = 29;

/** One page view for each of `count` new visitors, spread over the hours. */
function crowd({ siteId, domain, today }: Told, count: number, [from, to]: [number, number], given: Partial<Event>) {
  return Array.from({ length: count }, (_, number) => {
    const minutes = from * 60 + Math.floor((number / count) * (to - from) * 60);
    const id = hexId(900_000 + number);
    return makeEvent({
      site_id: siteId,
      hostname: domain,
      time: today + minutes * MINUTE_MS,
      event_id: id as Event['event_id'],
      visitor_id: id as Event['visitor_id'],
      ...given,
    });
  });
}

/** A payment at the end of every other visit to the prices. */
function payments(events: Event[]): Event[] {
  const last = new Map<string, Event>();
  for (const event of events) if (event.page === '/pricing') last.set(event.visitor_id, event);
  return [...last.values()]
    .filter((_, number) => number % 2 === 0)
    .map((event, number) => ({
      ...event,
      event_id: hexId(700_000 + number) as Event['event_id'],
      name: 'purchase',
      page: '/checkout',
      time: event.time + MINUTE_MS,
      amount: '29',
      currency: 'EUR',
      referrer: '',
    }));
}

export const STORIES: Record<string, Story> = {
  launch: {
    domain: 'rocket.example',
    query: '?period=today',
    tell: (told) => {
      const like = { source: 'Hacker News', referrer: 'news.ycombinator.com/', channel: 'Organic Social' } as const;
      const countries = ['US', 'GB', 'DE', 'IN', 'CA'];
      const arrived = crowd(told, 420, [11, 15.5], { ...like, page: '/blog/how-we-count' });
      return [...told.events, ...arrived.map((event, n) => ({ ...event, country: countries[n % 5] ?? '' }))];
    },
  },
  outage: {
    domain: 'harbour.example',
    query: '?period=today',
    tell: ({ events, today }) =>
      events.filter(({ time }) => time < today + 9.2 * HOUR_MS || time > today + 13.8 * HOUR_MS),
  },
  campaign: {
    domain: 'meadow.example',
    query: '?period=today',
    tell: (told) => {
      const like = { source: 'newsletter', utm_source: 'newsletter', utm_medium: 'email', utm_campaign: 'spring-sale' };
      return [...told.events, ...crowd(told, 190, [8, 15], { ...like, channel: 'Email', page: '/pricing' })];
    },
  },
  'bot-wave': {
    domain: 'lantern.example',
    query: '?period=today',
    tell: (told) => [
      ...told.events,
      ...crowd(told, 640, [12, 14], { country: 'SG', region: '', browser: 'Chrome', os: 'Linux', page: '/' }),
    ],
  },
  'payment-problem': {
    domain: 'orchard.example',
    currency: 'EUR',
    query: '?period=today&metric=revenue',
    tell: ({ events, today }) => [
      ...events,
      ...payments(events).filter(({ time, country }) => time < today || country !== 'US'),
    ],
  },
  'quiet-week': {
    domain: 'willow.example',
    query: '?period=7d',
    tell: ({ events, today }) =>
      events.filter(({ time, visitor_id }) => time < today - 7 * DAY_MS || Number(`0x${visitor_id.slice(-2)}`) % 5 < 3),
  },
};

export async function writeStory(store: EventStore, name: string, { siteId, now }: { siteId: SiteId; now: number }) {
  const story = STORIES[name];
  if (!story) throw new Error(`There is no story ${name}.`);
  const options = { siteId, domain: story.domain, days: DAYS, visitsPerDay: 260, now, seed: 7 };
  const usual = [...seedEvents(options)].filter((entry): entry is Event => entry.kind === 'event');
  const loud = new Set(usual.filter(({ source }) => LOUD.has(source)).map(({ visitor_id }) => visitor_id));
  const events = usual.filter(
    ({ visitor_id, amount, name: sent }) => !loud.has(visitor_id) && !amount && sent !== 'payment_received',
  );
  const told = story.tell({ events, today: startOfDay(now), siteId, domain: story.domain });
  const visits = openVisits(store);
  const rows = told.toSorted((x, y) => x.time - y.time).flatMap((event) => visits.assign(event, event.time) ?? []);
  await store.insert({ events: rows, ai_visits: [] }, `story-${name}`);
}
