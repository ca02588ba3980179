// `npm run seed`: fills a demo site, and a second one for its documentation, with realistic traffic, the same on each run. A second run writes only what is missing, also if the
// first was interrupted.
import { type Config, ownOrigin } from '../../config.ts';
import { Refusal } from '../../errors.ts';
import type { AiVisit, Event, Recorded, VisitedEvent } from '../../vocabulary/event.ts';
import { restoreWindows } from '../../live/restore.ts';
import type { Windows } from '../../live/windows.ts';
import type { Progress } from '../progress.ts';
import { settleOrders } from '../../queue/writer/orders.ts';
import { openVisits } from '../../queue/writer/visits.ts';
import { seedEvents, type SeedOptions } from '../../jobs/demo/events.ts';
import { errorsOf } from '../../jobs/demo/errors.ts';
import { vitalsOf } from '../../jobs/demo/vitals.ts';
import { optionsOf, type Seeded, seededIn } from '../../jobs/demo/feed.ts';
import type { Mail } from '../../messages/mail/mail.ts';
import { accountOfEmail, createAccount } from '../../accounts/accounts.ts';
import type { Directory } from '../../directory/open.ts';
import { makeToken } from '../../directory/ids.ts';
import { goals } from '../../sites/definitions/goals.ts';
import { configureSite, createSite, type Site, siteByDomain, touchLastEvents } from '../../sites/sites.ts';
import { knownIds } from '../../store/existing-events.ts';
import type { EventStore } from '../../store/open.ts';
import { defineAll } from './definitions.ts';
import { DAY_MS, dayOf, startOfDay } from '../../vocabulary/time/time.ts';

const CHUNK = 10_000;
const SEED = 20_261_120;
/** The documentation has a site of its own. */
const SECOND = { label: 'docs', section: '/docs' };

type SeedParts = {
  directory: Directory;
  store: EventStore;
  windows: Windows;
  mail: Pick<Mail, 'hasRefusedAny'>;
  config: Config;
};
type SeedWish = {
  domain: string;
  days: number;
  visits: number;
  account: string;
  password?: string | undefined;
  /** Visitors go on coming while a server runs. */
  live?: boolean | undefined;
};
type SeedRun = { now: number; onProgress(progress: Progress): void; signal: AbortSignal };

type Counts = {
  events: number;
  ai_visits: number;
  /** Number of events and AI visits that are new. */
  added: number;
};
type SeedResult = Counts & {
  login: string;
  email: string;
  /** Set only if this run created the account. */
  password?: string;
  dashboard: string;
  site_id: string;
  live: boolean;
};

/** Creates the account and its two sites unless they exist, and fills them. The counts are of both sites. */
export async function seedSite(parts: SeedParts, wish: SeedWish, run: SeedRun): Promise<SeedResult> {
  const { directory, config } = parts;
  const account = await accountFor(directory, wish, run.now);
  const traffic = { days: wish.days, visitsPerDay: wish.visits, seed: SEED };
  const first = { accountId: account.id, domain: wish.domain, traffic, live: wish.live };
  const second = {
    ...first,
    domain: `${SECOND.label}.${wish.domain}`,
    traffic: { ...traffic, seed: SEED + 1, section: SECOND.section },
  };
  const main = await fillSite(parts, first, run);
  const other = await fillSite(parts, second, run);
  await restoreWindows(parts, run.now);
  const base = ownOrigin(config);
  return {
    login: new URL('/login', base).href,
    email: wish.account,
    ...(account.password !== undefined && { password: account.password }),
    dashboard: new URL(`/${main.site.domain}`, base).href,
    site_id: main.site.id,
    live: main.isLive,
    events: main.events + other.events,
    ai_visits: main.ai_visits + other.ai_visits,
    added: main.added + other.added,
  };
}

type SiteWish = {
  accountId: string;
  domain: string;
  traffic: Omit<Seeded, 'at' | 'live'>;
  live: boolean | undefined;
};

async function fillSite(
  parts: SeedParts,
  wish: SiteWish,
  run: SeedRun,
): Promise<Counts & { site: Site; isLive: boolean }> {
  const { directory } = parts;
  const site = await siteFor(directory, wish, run.now);
  const seeded = await rememberedWish(directory, site, { wish, now: run.now });
  const options = optionsOf(site, seeded);
  const counts = await writeSeed(parts.store, options, run);
  if (site.last_event_at === null) {
    // The documentation has no shop, no articles and no launches.
    const isWhole = wish.traffic.section === undefined;
    if (isWhole && (await goals.list(directory, { siteId: site.id })).length === 0)
      await defineAll(parts, { site, options });
    await touchLastEvents(directory, new Map([[site.id, options.now]]));
  }
  return { ...counts, site, isLive: seeded.live ?? false };
}

/** Writes the seed events that the store lacks, with visits assigned as the writer does. */
export async function writeSeed(
  store: Pick<EventStore, 'insert' | 'query' | 'idsAQuery' | 'supersede'>,
  options: SeedOptions,
  run: Pick<SeedRun, 'onProgress' | 'signal'>,
): Promise<{ events: number; ai_visits: number; added: number }> {
  const visits = openVisits(store);
  const counts = { events: 0, ai_visits: 0, added: 0 };
  const from = startOfDay(options.now) - (options.days - 1) * DAY_MS;
  let index = 0;
  for (const chunk of chunksOf(seedEvents(options))) {
    if (run.signal.aborted)
      throw new Refusal('service_unavailable', 'Stopped: run the same command again to continue from here.');
    const events = chunk.filter((entry): entry is Event => entry.kind === 'event');
    const ai_visits = chunk.filter((entry): entry is AiVisit => entry.kind === 'ai_visit');
    // The clock is the event's own time, so that the visits of past days are forgotten.
    const visited = events.flatMap((event) => visits.assign(event, event.time) ?? []);
    counts.events += visited.length;
    counts.ai_visits += ai_visits.length;
    const isNew = !(await isStored(store, [visited, ai_visits]));
    const settled = await settleOrders(store, isNew ? visited : [], events);
    if (isNew) {
      const token = `seed-${options.siteId}-${options.seed}-${dayOf(from)}-${options.days}-${options.visitsPerDay}-${index}`;
      const placed = <Row extends { time: number }>(rows: readonly Row[], event: VisitedEvent) => {
        const { visit_id, entry_page, import_id } = event;
        return rows
          .filter(({ time }) => time <= options.now)
          .map((row) => ({ ...row, visit_id, entry_page, import_id }));
      };
      const vitals = visited.flatMap((event) => {
        const measured = vitalsOf(event, options);
        return placed(measured ? [measured] : [], event);
      });
      const errors = visited.flatMap((event) => placed(errorsOf(event, options), event));
      await store.insert({ events: settled.events, ai_visits, vitals, errors }, token);
      counts.added += visited.length + ai_visits.length;
    }
    await store.supersede(settled.superseded); // an interrupted run may have stored the rows without it
    index += 1;
    const reached = chunk.at(-1)?.time ?? options.now;
    run.onProgress({ done: Math.ceil((reached - from) / DAY_MS), total: options.days });
  }
  run.onProgress({ done: options.days, total: options.days });
  return counts;
}

/**
 * Checks only the first and last row of each table, since a chunk's rows are inserted together, a month at a time. The insert token would
 * not be enough: the store remembers a limited number of tokens.
 */
async function isStored(store: Pick<EventStore, 'query' | 'idsAQuery'>, tables: Recorded[][]): Promise<boolean> {
  const ends = tables.flatMap((rows) => [rows[0], rows.at(-1)].flatMap((row) => row ?? []));
  const known = await knownIds(store, ends);
  return ends.every((entry) => known.has(entry.event_id));
}

function* chunksOf(entries: Iterable<Recorded>): Generator<Recorded[]> {
  let chunk: Recorded[] = [];
  for (const entry of entries) {
    chunk.push(entry);
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

async function accountFor(
  directory: Directory,
  { account: email, password = makeToken(16) }: SeedWish,
  now: number,
): Promise<{ id: string; password?: string }> {
  try {
    return { id: (await accountOfEmail(directory, email)).id };
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'not_found') throw error;
    const made = await createAccount(directory, { email, password, kind: 'demo', plan: 'pro', status: 'active' }, now);
    return { id: made.account.id, password };
  }
}

async function siteFor(directory: Directory, { accountId, domain, traffic }: SiteWish, now: number): Promise<Site> {
  const site = await siteByDomain(directory, domain);
  if (!site) {
    const made = await createSite(directory, { accountId, domain }, startOfDay(now) - traffic.days * DAY_MS);
    // Its first visits are long ago: it needs no next steps.
    await directory.db
      .updateTable('sites')
      .set({ first_event_at: made.created_at })
      .where('id', '=', made.id)
      .execute();
    return made;
  }
  if (site.account_id !== accountId || (site.last_event_at !== null && !seededIn(site.settings)))
    throw new Refusal('bad_request', `${site.domain} is a site with real traffic: choose another --domain.`);
  return site;
}

/** The first run's options stay in force: other options would generate different traffic on top of the existing one. */
async function rememberedWish(
  directory: Directory,
  site: Site,
  { wish: { traffic, live }, now }: { wish: SiteWish; now: number },
): Promise<Seeded> {
  const stored = seededIn(site.settings);
  if (stored && (stored.live || !live)) return stored;
  const seed: Seeded = { ...(stored ?? { ...traffic, at: now }), ...(live && { live }) };
  const settings = { ...site.settings, seed, ...(!stored && { vitals: true, errors: true }) };
  await configureSite(directory, { siteId: site.id, ...(!stored && { currency: 'EUR' }), settings }, now);
  return seed;
}
