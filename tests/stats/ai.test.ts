// AI visits over time, checked against a slow count in memory over random visits.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agents as knownAgents } from '../../server/collect/lists/ai-agents.ts';
import { assistants } from '../../server/collect/lists/ai-assistants.ts';
import type { AiVisit, SiteId, VisitedEvent } from '../../server/vocabulary/event.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import { openStats, type Stats } from '../../server/stats/run.ts';
import type { Filter } from '../../server/stats/query.ts';
import { AI_ERRORS, providerOf, RENAMED_ASSISTANTS } from '../../server/vocabulary/ai.ts';
import { DAY_MS, startOfDay } from '../../server/vocabulary/time/time.ts';
import { EURO_SHOP as site, makeAiVisit, makeEvent, SITE } from '../setup/event.ts';
import { openRandom } from '../setup/api/hostile-input.ts';
import { type TestStore, testStore } from '../setup/store.ts';
import { viewing } from '../setup/accounts/viewing.ts';

const FIRST_DAY = Date.UTC(2026, 10, 12);
const FROM = FIRST_DAY + 3 * DAY_MS;
const TO = FROM + 3 * DAY_MS;
const random = openRandom(40_404);
const AGENTS = ['GPTBot', 'ChatGPT-User', 'ClaudeBot', 'Bytespider', 'PerplexityBot', 'Amazonbot', 'CCBot'];
const OF: Record<string, string> = {
  GPTBot: 'OpenAI',
  'ChatGPT-User': 'OpenAI',
  ClaudeBot: 'Anthropic',
  Bytespider: 'ByteDance',
  PerplexityBot: 'Perplexity',
  Amazonbot: 'Amazon',
  CCBot: 'Common Crawl',
};

let store: TestStore;
let stats: Stats;
const ai: AiVisit[] = [];
const people: VisitedEvent[] = [];
const question = (filters: Filter[] = []) => ({
  site_id: SITE,
  period: 'custom' as const,
  date_from: '2026-11-15',
  date_to: '2026-11-17',
  compare: 'none' as const,
  filters,
});

beforeAll(async () => {
  store = await testStore();
  stats = openStats(store, () => 1);
  for (let index = 0; index < 400; index += 1) {
    const ai_agent = random.pick(AGENTS);
    const time = FIRST_DAY + random.number(6 * DAY_MS);
    if (ai_agent === 'Bytespider' && time < FROM) continue; // comes for the first time within the period
    const status = random.pick([200, 200, 0, 404, 410, 503]);
    ai.push(makeAiVisit({ time, ai_agent, ai_provider: OF[ai_agent] ?? '', status, ai_page: `/${random.number(5)}` }));
  }
  const visits = openVisits(store);
  const drawn = Array.from({ length: 90 }, (_, visitor) =>
    makeEvent({
      visitor: String(visitor),
      time: FIRST_DAY + random.number(6 * DAY_MS),
      ...random.pick([
        { channel: 'AI assistants', source: random.pick(['ChatGPT', 'Claude', 'Gemini', 'Perplexity']) },
        { channel: 'Organic Search', source: 'Google' },
      ]),
    }),
  );
  people.push(...drawn.sort((a, b) => a.time - b.time).flatMap((event) => visits.assign(event, event.time) ?? []));
  await store.insert({ events: people, ai_visits: ai }, 'all');
});
afterAll(() => store[Symbol.asyncDispose]());

const inPeriod = ({ time }: { time: number }) => time >= FROM && time < TO;
const inPeriodBefore = ({ time }: { time: number }) => time >= FIRST_DAY && time < FROM;

test('daily visits, in total and for the five largest providers, match a slow count', async () => {
  const { providers, points, interval } = await stats.aiOverTime(question(), site, TO);
  const own = ai.filter(inPeriod);
  const sizes = [...Map.groupBy(own, ({ ai_provider }) => ai_provider)].map(([name, rows]) => ({
    name,
    n: rows.length,
  }));
  sizes.sort((a, b) => b.n - a.n || (a.name < b.name ? -1 : 1));
  expect(providers).toEqual(sizes.slice(0, 5).map(({ name }) => name));
  expect(interval).toBe('day');
  expect(points).toEqual(
    [0, 1, 2].map((day) => {
      const time = FROM + day * DAY_MS;
      const ofDay = own.filter((visit) => visit.time >= time && visit.time < time + DAY_MS);
      const by = providers.map((name) => ofDay.filter(({ ai_provider }) => ai_provider === name).length);
      return { time, total: ofDay.length, by };
    }),
  );
});

test('what each provider read and sent back is counted in the period and in its comparison, in total and over time', async () => {
  const { by_provider } = await stats.aiOverTime({ ...question(), compare: 'previous' }, site, TO);
  const reads = (provider: string, from: number) =>
    [0, 1, 2].map((day) => {
      const time = from + day * DAY_MS;
      return ai.filter((row) => row.ai_provider === provider && row.time >= time && row.time < time + DAY_MS).length;
    });
  const sentBy = (provider: string, which: (row: { time: number }) => boolean) =>
    people.filter((row) => which(row) && row.channel === 'AI assistants' && providerOf(row.source) === provider).length;
  const total = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0);
  const expected = [...new Set([...Object.values(OF), 'Google'])].map((provider) => {
    const [points, before] = [reads(provider, FROM), reads(provider, FIRST_DAY)];
    return {
      provider,
      read: total(points),
      sent: sentBy(provider, inPeriod),
      points,
      before,
      previous: { read: total(before), sent: sentBy(provider, inPeriodBefore) },
    };
  });
  expect(by_provider).toEqual(
    expected.sort((a, b) => b.read - a.read || b.sent - a.sent || (a.provider < b.provider ? -1 : 1)),
  );
  const alone = await stats.aiOverTime(question(), site, TO);
  const [{ previous, before } = {}] = alone.by_provider;
  expect([previous, before]).toEqual([null, null]);
});

test('viewers of a share link get no number for a rolling period, and none to compare part of a day with', async () => {
  const viewer = stats.askedBy({}, viewing({}, TO));
  const noon = TO - DAY_MS / 2;
  const today = { ...question(), period: 'today' as const, compare: 'previous' as const };
  const rolling = { ...today, period: '24h' as const };
  const sentTo = async (who: Stats, asked: typeof today | typeof rolling) => {
    const { by_provider } = await who.aiOverTime(asked, site, noon);
    return by_provider.map(({ sent, previous }) => [typeof sent, typeof previous?.sent]);
  };
  const all = <T>(value: T, rows: unknown[]) => rows.map(() => value);
  const [ofToday, ofRolling] = [await sentTo(viewer, today), await sentTo(viewer, rolling)];
  expect(ofToday).toEqual(all(['number', 'object'], ofToday));
  expect(ofRolling).toEqual(all(['object', 'object'], ofRolling));
  const seen = await sentTo(stats, rolling);
  expect([seen.length > 3, seen]).toEqual([true, all(['number', 'number'], seen)]);
});

test('an agent is new for the 30 days after it first came; in the first 30 days of a site, none is new', async () => {
  const agents = async (now: number) => {
    const asked = { ...question(), period: 'yesterday' as const };
    const { new_agents } = await stats.aiOverTime(asked, site, now);
    return new_agents;
  };
  const firstSeen = (agent: string) =>
    Math.min(...ai.filter(({ ai_agent }) => ai_agent === agent).map(({ time }) => time));
  // Bytespider is the only agent that came in the second half; "yesterday" ends at midnight.
  expect(await agents(startOfDay(firstSeen('Bytespider') + 30 * DAY_MS))).toEqual([
    { agent: 'Bytespider', first_seen: firstSeen('Bytespider') },
  ]);
  expect(await agents(startOfDay(firstSeen('Bytespider') + 32 * DAY_MS))).toEqual([]);
  expect(await agents(TO)).toEqual([]);
});

test('the series equals the points of the whole chapter, for members and viewers of a link, and adds up in any interval', async () => {
  const { providers, points } = await stats.aiOverTime(question(), site, TO);
  for (const asking of [stats, stats.askedBy({}, viewing({}, TO))]) {
    const series = await asking.aiSeries({ ...question(), interval: 'day' }, site, TO);
    expect([series.providers, series.points]).toEqual([providers, points]);
    const hours = await asking.aiSeries({ ...question(), interval: 'hour' }, site, TO);
    const ofDays = Map.groupBy(hours.points, ({ time }) => Math.floor(time / DAY_MS) * DAY_MS);
    const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);
    expect(
      [...ofDays].map(([time, list]) => ({
        time,
        total: sum(list.map(({ total }) => total)),
        by: providers.map((_, at) => sum(list.map(({ by }) => by[at] ?? 0))),
      })),
    ).toEqual(points);
  }
});

test('a filter on AI visits narrows the chart, and not what each provider read and sent back', async () => {
  const filter: Filter = { dimension: 'ai_provider', operator: 'is', values: ['OpenAI'] };
  const { providers, by_provider } = await stats.aiOverTime(question([filter]), site, TO);
  expect(providers).toEqual(['OpenAI']);
  expect(by_provider).toEqual((await stats.aiOverTime(question(), site, TO)).by_provider);
});

test('a site without AI visits has none', async () => {
  const empty = { ...question(), site_id: 'site_NOBODYNOBODYNOBO' as SiteId };
  const { providers, points, by_provider, new_agents } = await stats.aiOverTime(empty, site, TO);
  expect([providers, by_provider, new_agents]).toEqual([[], [], []]);
  expect(points.map(({ total }) => total)).toEqual([0, 0, 0]);
});

test('pages that answered agents with an error are listed by a filter on the status', async () => {
  const failed: Filter = { dimension: 'ai_status', operator: 'is', values: [...AI_ERRORS] };
  const asked = { dimension: 'ai_page' as const, metrics: ['ai_visits' as const], page: 1, per_page: 100 };
  const { rows } = await stats.list({ ...question([failed]), ...asked }, site, TO);
  const own = ai.filter(
    (visit) => inPeriod(visit) && (visit.status === 404 || visit.status === 410 || visit.status >= 500),
  );
  const expected = [...Map.groupBy(own, ({ ai_page }) => ai_page)].map(([name, all]) => [name, all.length]);
  expect(rows.map(({ name, values }) => [name, values.ai_visits]).sort()).toEqual(expected.sort());
});

test('every renamed assistant is in the list of assistants, and its provider in the list of agents', () => {
  const names = assistants.map(([name]) => name);
  const providers = new Set(knownAgents.map(({ provider }) => provider));
  for (const name of RENAMED_ASSISTANTS) {
    expect(names).toContain(name);
    expect([...providers], name).toContain(providerOf(name));
  }
});
