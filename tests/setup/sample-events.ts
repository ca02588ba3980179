// A believable event, and one AI visit, for tests and benchmarks that care only about some of the fields.
import { PAGEVIEW, type AiVisit, type Event, type EventId, type SiteId, type VisitorId } from '../../server/event.ts';
import { NOON } from './clock.ts';

/** 16 hex digits, different for each number and spread like random ones. */
export function hexId(number: number): string {
  return ((BigInt(number) * 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn).toString(16).padStart(16, '0');
}

export const SAMPLE_SITE = 'site_0123456789abcdef' as SiteId;

export function sampleEvent(number: number, changes: Partial<Event> = {}): Event {
  return {
    kind: 'event',
    site_id: SAMPLE_SITE,
    event_id: hexId(number) as EventId,
    time: NOON + number,
    visitor_id: hexId(number + 1_000_000_007) as VisitorId,
    name: PAGEVIEW,
    hostname: 'example.com',
    page: `/articles/${number % 1000}/how-we-count-visitors`,
    screen: 'large',
    language: 'en-GB',
    props: { plan: 'pro', author: 'Ada' },
    amount: '',
    currency: '',
    confirmed: false,
    interactive: true,
    engaged_ms: 0,
    scroll: 0,
    channel: 'Organic Search',
    source: 'Google',
    referrer: 'google.com/',
    utm_source: '',
    utm_medium: '',
    utm_campaign: '',
    utm_content: '',
    utm_term: '',
    country: 'GB',
    region: 'GB-LND',
    city: 'London',
    browser: 'Chrome',
    browser_version: '140',
    os: 'Windows',
    os_version: '11',
    device: 'desktop',
    ...changes,
  };
}

export function sampleAiVisit(number: number, changes: Partial<AiVisit> = {}): AiVisit {
  return {
    kind: 'ai_visit',
    site_id: SAMPLE_SITE,
    event_id: hexId(number) as EventId,
    time: NOON + number,
    ai_provider: 'OpenAI',
    ai_agent: 'GPTBot',
    ai_purpose: 'crawler',
    hostname: 'example.com',
    ai_page: '/pricing',
    status: 200,
    ...changes,
  };
}
