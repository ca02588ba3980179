// Generates realistic traffic, always the same for the same options: varying days, two launches, campaigns, a newsletter on Tuesdays, an
// outage, and values that are meant to break something.
import {
  type AiVisit,
  BLANK_EVENT,
  ENGAGEMENT,
  type Event,
  PAGEVIEW,
  type Recorded,
  type SiteId,
} from '../../vocabulary/event.ts';
import { DAY_MS, startOfDay } from '../../vocabulary/time/time.ts';
import { openRandom, type Random } from './random.ts';
import {
  type Arrival,
  BY_ITSELF,
  drawAgent,
  drawArrival,
  drawCampaign,
  drawEarlyAgent,
  drawEntry,
  drawHome,
  drawHour,
  drawMachine,
  drawNastyPage,
  drawNastyValue,
  drawNext,
  drawPlan,
  drawQuery,
  HACKER_NEWS,
  newsletter,
  PRODUCT_HUNT,
} from './world.ts';

export type SeedOptions = {
  siteId: SiteId;
  domain: string;
  /** Only the pages below this path, which becomes the root: those of a site for a part of another. */
  section?: string | undefined;
  /** Number of days; the last is the day of `now`, and it ends at `now`. */
  days: number;
  /** Visits on an ordinary day, without launches and campaigns. Each has about five events. */
  visitsPerDay: number;
  now: number;
  seed: number;
};

/** Yields entries in order of time, and holds one day of them in memory. */
export function* seedEvents(options: SeedOptions): Generator<Recorded> {
  const { days, now } = options;
  for (let start = dayBefore(options, days - 1); start <= now; start += DAY_MS)
    for (const entry of entriesOfDay(options, start)) if (entry.time <= now) yield entry;
}

const dayBefore = ({ now }: Pick<SeedOptions, 'now'>, days: number) => startOfDay(now) - days * DAY_MS;

/** The days on which more people come than usual, the first of those on which nobody does, and the releases that change how fast pages are; `days` after the first day. */
const STORY = {
  hackerNews: 0.35,
  outage: 0.43,
  campaign: 0.5,
  campaignEnd: 0.64,
  productHunt: 0.72,
  newAgents: 0.75,
  slowRelease: 0.8,
  fixedRelease: 0.92,
};
/** The start of a day of the story. */
export const dayOfStory = (options: Pick<SeedOptions, 'days' | 'now'>, part: keyof typeof STORY): number =>
  dayBefore(options, options.days - 1) + Math.floor(options.days * STORY[part]) * DAY_MS;

/** Returns the entries of a UTC day, which starts at `start`, in order of time. Days after the last one go on as it ended. */
export function entriesOfDay(options: SeedOptions, start: number): Recorded[] {
  const { section } = options;
  const index = Math.round((start - dayBefore(options, options.days - 1)) / DAY_MS);
  const entries = drawDay(options, start, index);
  return section === undefined ? entries : entries.flatMap((entry) => withinSection(entry, section));
}

function withinSection(entry: Recorded, section: string): Recorded[] {
  const isAgent = entry.kind === 'ai_visit';
  const page = isAgent ? entry.ai_page : entry.page;
  if (page !== section && !page.startsWith(`${section}/`)) return [];
  const inner = page.slice(section.length) || '/';
  return [isAgent ? { ...entry, ai_page: inner } : { ...entry, page: inner }];
}

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
/** Relative traffic of the weekdays, Sunday to Saturday. */
const WEEK = [0.68, 1.08, 1.14, 1.12, 1.06, 0.96, 0.62];
const TUESDAY = 2;
/** Visits that a launch adds on its day and the following days, as multiples of an ordinary day. */
const ON_HACKER_NEWS = [6, 2.2, 0.8, 0.3];
const ON_PRODUCT_HUNT = [3.5, 1.3, 0.5];

function drawDay({ siteId, domain, days, visitsPerDay, seed }: SeedOptions, start: number, index: number): Recorded[] {
  const since = (part: keyof typeof STORY) => index - Math.floor(days * STORY[part]);
  if (days >= 14 && (since('outage') === 0 || since('outage') === 1)) return [];
  const day = Math.floor(start / DAY_MS);
  const random = openRandom(seed, day);
  const entries: Recorded[] = [];
  const draws = { random, start, entries, site: { site_id: siteId, hostname: domain } };
  const weekday = new Date(start).getUTCDay();
  const growth = 0.75 + 0.5 * Math.min(1, index / Math.max(1, days - 1));
  const ordinary = visitsPerDay * growth * (WEEK[weekday] ?? 1) * (0.9 + 0.2 * random.fraction());

  drawVisits(draws, ordinary, drawArrival);
  drawVisits(draws, visitsPerDay * (ON_HACKER_NEWS[since('hackerNews')] ?? 0), () => HACKER_NEWS);
  drawVisits(draws, visitsPerDay * (ON_PRODUCT_HUNT[since('productHunt')] ?? 0), () => PRODUCT_HUNT);
  if (since('campaign') >= 0 && since('campaignEnd') < 0) drawVisits(draws, ordinary * 0.2, drawCampaign);
  if (weekday === TUESDAY) {
    const letter = newsletter(Math.floor(day / 7) % 100);
    drawVisits({ ...draws, fromHour: 9 }, ordinary * 0.35, () => letter);
  }
  const agentsOf = since('newAgents') < 0 ? drawEarlyAgent : drawAgent;
  for (let left = Math.round(ordinary * 0.2); left > 0; left--) entries.push(drawAiVisit(draws, agentsOf));
  return entries.sort((a, b) => a.time - b.time);
}

type Draws = {
  random: Random;
  start: number;
  entries: Recorded[];
  site: Pick<Event, 'site_id' | 'hostname'>;
  /** Nobody comes before this hour; most come soon after it. */
  fromHour?: number;
};

function drawVisits(draws: Draws, count: number, drawFrom: (random: Random) => Arrival): void {
  const { random, start, fromHour } = draws;
  for (let left = Math.round(count); left > 0; left--) {
    const hour = fromHour === undefined ? drawHour(random) : fromHour + Math.floor(random.wait(1.5));
    const time = start + hour * HOUR_MS + random.between(0, HOUR_MS - 1);
    const arrival = drawFrom(random);
    const visitor = drawVisitor(draws, arrival);
    const endedAt = drawVisit(draws, { visitor, arrival, time });
    if (!random.chance(0.08)) continue;
    // Some return on the same day, as direct visits.
    const again = { ...visitor, ...BY_ITSELF.attribution };
    drawVisit(draws, {
      visitor: again,
      arrival: BY_ITSELF,
      time: endedAt + HOUR_MS + Math.floor(random.wait(3 * HOUR_MS)),
    });
  }
}

/** The fields that all events of a visit share. */
type Visitor = Omit<Event, 'event_id' | 'time' | 'name' | 'page'>;

function drawVisitor({ random, site }: Draws, { attribution }: Arrival): Visitor {
  return {
    ...BLANK_EVENT,
    ...site,
    visitor_id: random.id() as Event['visitor_id'],
    interactive: true,
    ...attribution,
    ...drawHome(random),
    ...drawMachine(random),
  };
}

/** Returns the time at which the visit ended. */
function drawVisit(
  draws: Draws,
  { visitor, arrival, time }: { visitor: Visitor; arrival: Arrival; time: number },
): number {
  const { random } = draws;
  let at = time;
  const record = (name: string, page: string, more?: Partial<Event>) => {
    // Visitor ids expire at midnight, so visits end there.
    if (at >= draws.start + DAY_MS) return;
    const event = { ...visitor, event_id: random.id() as Event['event_id'], time: at, name, page, ...more };
    draws.entries.push(event);
    if (event.amount !== '') drawReports(draws, event);
  };
  const view = (page: string) => {
    record(PAGEVIEW, page);
    const readMs = Math.floor(4 * SECOND_MS + random.wait(50 * SECOND_MS));
    at += readMs;
    if (random.chance(0.7)) {
      const engaged_ms = Math.floor(readMs * (0.5 + 0.5 * random.fraction()));
      record(ENGAGEMENT, page, { engaged_ms, scroll: random.between(5, 100), interactive: false });
    }
  };

  const views = random.chance(arrival.bounces) ? 1 : 2 + Math.min(Math.floor(random.wait(1.8)), 14);
  let page = drawEntry[arrival.entry](random);
  for (let left = views; left > 0; left--) {
    view(random.chance(0.004) ? drawNastyPage(random) : page);
    drawAction(random, page, record);
    at += random.between(200, 3 * SECOND_MS);
    page = drawNext(random);
  }
  if (views > 1 && random.chance(0.07)) drawSignup(random, { view, record });
  return at;
}

type RecordEvent = (name: string, page: string, more?: Partial<Event>) => void;

function drawAction(random: Random, page: string, record: RecordEvent): void {
  if (page.startsWith('/docs') && random.chance(0.08)) {
    const file = random.chance(0.7) ? 'footfall-linux.tar.gz' : 'footfall-docker-compose.yml';
    record('download', page, { props: { file, version: `1.${random.between(0, 6)}` }, interactive: false });
  } else if (page === '/demo' && random.chance(0.4)) record('demo_started', page);
  else if (random.chance(0.03)) {
    const url = random.chance(0.5) ? 'https://github.com/footfall/footfall' : 'https://docs.example.org/a?b=c';
    record('outbound_link', page, { props: { url }, interactive: false });
  } else if (random.chance(0.01)) record('search', page, { props: { query: drawQuery(random) } });
  else if (random.chance(0.003)) {
    record('feedback', page, { props: { text: drawNastyValue(random), rating: String(random.between(1, 5)) } });
  }
}

function drawSignup(random: Random, { view, record }: { view(page: string): void; record: RecordEvent }): void {
  view('/signup');
  if (!random.chance(0.6)) return;
  const { plan, price } = drawPlan(random);
  record('signup', '/signup', { props: { plan, method: random.chance(0.65) ? 'email' : 'github' } });
  view('/welcome');
  if (price === 0 || !random.chance(0.45)) return;
  view('/checkout');
  const isYearly = random.chance(0.3);
  const amount = (isYearly ? price * 10 : price).toFixed(4);
  const props = { plan, interval: isYearly ? 'year' : 'month' };
  record('purchase', '/checkout', { props, amount, currency: 'EUR' });
}

/** The chance that the shop's server confirms a purchase, and then refunds it on the same day. */
const CONFIRMED = 0.8;
const REFUNDED = 0.15;

/**
 * Adds the shop server's reports of a purchase: most payments arrive, and some are refunded. The purchase's id seeds the random numbers,
 * so that the rest of the traffic is the same as without orders.
 */
function drawReports({ start, entries, site }: Draws, purchase: Event): void {
  const random = openRandom(parseInt(purchase.event_id.slice(0, 8), 16), parseInt(purchase.event_id.slice(8), 16));
  purchase.order_id = random.id() as Event['order_id'];
  const report = (name: string, amount: string, waitMs: number) => {
    const time = purchase.time + Math.floor(waitMs);
    if (time >= start + DAY_MS) return;
    const { page, props, currency, order_id } = purchase;
    const event_id = random.id() as Event['event_id'];
    const own = { ...BLANK_EVENT, ...site, event_id, time, name, page, props, currency, order_id };
    entries.push({ ...own, amount, confirmed: true, interactive: true });
  };
  if (!random.chance(CONFIRMED)) return;
  report('payment_received', purchase.amount, random.wait(5 * SECOND_MS));
  if (random.chance(REFUNDED)) report('refund', `-${purchase.amount}`, random.wait(2 * HOUR_MS));
}

const drawServedStatus = (random: Random): number => (random.chance(0.15) ? 304 : 200);

function drawAiVisit({ random, start, site }: Draws, agentsOf: typeof drawAgent): AiVisit {
  const isServed = random.chance(0.93);
  return {
    kind: 'ai_visit',
    ...site,
    event_id: random.id() as AiVisit['event_id'],
    time: start + random.between(0, DAY_MS - 1),
    day: '',
    ...agentsOf(random),
    ai_page: isServed ? drawNext(random) : `/old/${random.between(1, 40)}`,
    status: isServed ? drawServedStatus(random) : 404,
    import_id: '',
  };
}
