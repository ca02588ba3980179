// Random events of people and of servers on some days, with every column that reports count by.
import type { Event } from '../../../server/vocabulary/event.ts';
import { DAY_MS, MINUTE_MS } from '../../../server/vocabulary/time/time.ts';
import { makeEvent } from '../event.ts';
import type { openRandom } from '../api/hostile-input.ts';

type Random = ReturnType<typeof openRandom>;
type Days = { from: number; days: number };

/** Events of some days from `from` on, sorted by time. Each visitor comes on one day only. */
export function drawEvents(random: Random, { from, days }: Days): Event[] {
  const events = Array.from({ length: days }, (_, day) => from + day * DAY_MS).flatMap((start, day) => {
    const people = Array.from({ length: 22 }, (_unused, index) => drawPerson(random, `${day}-${index}`));
    // At distinct minutes, so that no visit has two page views at once; spread over most of the day, and many visits cross an hour.
    const personal = people.flatMap((person) => {
      let at = start + random.number(20 * 60) * MINUTE_MS;
      return Array.from({ length: 1 + random.number(6) }, () => {
        at += (1 + (random.chance(0.15) ? 35 : random.number(25))) * MINUTE_MS;
        return drawEvent(random, person, at);
      }).filter((event) => event.time < start + DAY_MS);
    });
    const ofServers = Array.from({ length: 12 }, () => drawEvent(random, undefined, start + random.number(DAY_MS)));
    return [...personal, ...ofServers];
  });
  return events.sort((x, y) => x.time - y.time);
}

/** The columns that all events of one person share. */
function drawPerson(random: Random, visitor: string) {
  const country = random.pick(['DE', 'FR', 'US']);
  return {
    visitor,
    country,
    region: random.pick(['', `${country}-1`, `${country}-2`]),
    city: random.pick(['', 'Springfield']),
    browser: random.pick(['Firefox', 'Chrome']),
    browser_version: random.pick(['', '140', '141']),
    os: random.pick(['Linux', 'iOS']),
    os_version: random.pick(['', '18']),
  };
}

function drawEvent(random: Random, person: ReturnType<typeof drawPerson> | undefined, time: number) {
  const isServer = person === undefined;
  const name = random.pick([
    ...(isServer ? ['renewal'] : ['pageview', 'pageview', 'pageview', 'engagement', 'outbound_link']),
    'signup',
    'purchase',
  ]);
  const maybe = (...values: string[]) => (isServer && random.chance(0.8) ? '' : random.pick(['', ...values]));
  return makeEvent({
    ...(person ?? { visitor: '', country: '', region: '', browser: '', browser_version: '', os: '', device: 'other' }),
    id: String(random.number(1e8)),
    time,
    name,
    page: random.pick(['/', '/pricing', '/blog', '/blog/a']),
    hostname: random.pick(['example.com', 'shop.example.com']),
    props: name !== 'engagement' && random.chance(0.5) ? { plan: random.pick(['pro', 'starter', '']) } : {},
    ...(random.chance(name === 'purchase' ? 0.9 : 0.05) && name !== 'engagement'
      ? {
          amount: random.pick([String(1 + random.number(100)), '-7.5', '100000', '100001', '-100001']),
          confirmed: isServer,
          currency: random.pick(['EUR', 'EUR', 'USD']),
        }
      : {}),
    interactive: name !== 'engagement' && name !== 'outbound_link',
    engaged_ms: name === 'engagement' ? random.number(60_000) : 0,
    scroll: name === 'engagement' ? random.number(101) : 0,
    channel: maybe('Direct', 'Organic Search'),
    source: maybe('Google', 'Bing'),
    referrer: maybe('google.com/', 'bing.com/'),
    utm_source: maybe('letter', 'ad'),
    utm_medium: maybe('email', 'cpc'),
    utm_campaign: maybe('spring', 'autumn'),
    utm_content: maybe('a', 'b'),
    utm_term: maybe('x', 'y'),
    language: maybe('en', 'de'),
    screen: maybe('LG', 'XS'),
    ...(isServer ? {} : { device: random.pick(['desktop', 'mobile'] as const) }),
  });
}
