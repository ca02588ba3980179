// Which days the store is asked about, so that whoever looks through periods waits for one statement less.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { openVersions, type VersionOf } from '../../../server/stats/answer-cache.ts';
import type { RunStatement } from '../../../server/stats/sql/sql.ts';
import { openSumming } from '../../../server/stats/days/sum-days.ts';
import { openSummedDays, type SummedDay } from '../../../server/stats/days/summed-days.ts';
import { DAY_MS, dayOf, readDay } from '../../../server/vocabulary/time/time.ts';
import { summaryQuestion } from '../../../server/stats/query.ts';
import { type TestApp, testApp } from '../../setup/app.ts';
import { fail } from '../../setup/stats/closed-days.ts';
import { EURO_SHOP, makeEvent, SITE, visitedEvent } from '../../setup/event.ts';

let server: TestApp;
let versions: ReturnType<typeof openVersions>;
let asked: string[];
let find: (from: string, to: string) => Promise<SummedDay[]>;

beforeAll(async () => {
  server = await testApp();
  const { store } = server.app;
  const events = ['2026-09-30', '2026-10-03', '2026-10-20', '2026-11-02'].map((day) => eventOn(day));
  await store.insert({ events, ai_visits: [] }, 'all');
  const sumDays = openSumming({ store, versions: openVersions(), onFailed: fail });
  expect(await sumDays({ now: at('2026-11-04'), leastRows: 1 })).toBe(4);
  return () => server[Symbol.asyncDispose]();
});

beforeEach(() => {
  versions = openVersions();
  open(versions.of);
});

const at = (day: string) => readDay(day) ?? NaN;
const eventOn = (day: string) => visitedEvent(makeEvent({ time: at(day) + DAY_MS / 2, visitor: day }));

/** Finds the days from one day to another, and notes which days the store is asked about. */
function open(versionOf: VersionOf): void {
  asked = [];
  const summedDays = openSummedDays(versionOf);
  const run: RunStatement = ({ range }, { sql, bound }) => {
    asked.push(`${dayOf(range.from)} to ${dayOf(range.to - DAY_MS)}`);
    return server.app.store.query(sql, bound);
  };
  find = (from, to) =>
    summedDays(run, { site_id: SITE, range: { from: at(from), to: at(to) + DAY_MS, zone: undefined }, payments: '' });
}

const withRows = (days: SummedDay[]) => days.filter(({ summing }) => summing !== '').map(({ day }) => day);

test('the first question is about whole months, and those after it within them about nothing', async () => {
  const days = await find('2026-10-10', '2026-11-01');
  expect(asked).toEqual(['2026-10-01 to 2026-11-30']);
  expect(days).toHaveLength(23);
  expect(withRows(days)).toEqual(['2026-10-20']);
  expect(withRows(await find('2026-10-01', '2026-11-03'))).toEqual(['2026-10-03', '2026-10-20', '2026-11-02']);
  expect(asked).toHaveLength(1);
});

test('days before and after what is known are asked about alone, up to the ends of their months', async () => {
  await find('2026-10-10', '2026-10-12');
  expect(withRows(await find('2026-09-29', '2026-11-02'))).toEqual([
    '2026-09-30',
    '2026-10-03',
    '2026-10-20',
    '2026-11-02',
  ]);
  expect(asked).toEqual(['2026-10-01 to 2026-10-31', '2026-09-01 to 2026-11-30']);
  await find('2026-08-31', '2026-09-02');
  expect(asked.at(-1)).toBe('2026-08-01 to 2026-08-31');
});

test('a day on which something was stored is asked about alone', async () => {
  await find('2026-10-10', '2026-10-12');
  versions.stored([eventOn('2026-10-12')]);
  expect(await find('2026-10-01', '2026-10-31')).toHaveLength(31);
  expect(asked).toEqual(['2026-10-01 to 2026-10-31', '2026-10-12 to 2026-10-12']);
});

test('where nothing may be kept, nothing more is asked about', async () => {
  open(() => undefined);
  await find('2026-10-10', '2026-10-12');
  await find('2026-10-10', '2026-10-12');
  expect(asked).toEqual(['2026-10-10 to 2026-10-12', '2026-10-10 to 2026-10-12']);
});

test('what is stored on a day that is known shows at once, whatever part of the process stores it', async () => {
  const site = await server.addSite('known.example');
  const { services, store } = server.app;
  const visits = async (period: string) => {
    const question = summaryQuestion.parse({ site_id: site.id, period });
    const { metrics } = await services.stats.summary(question, EURO_SHOP, server.clock.now);
    return metrics.find(({ name }) => name === 'visits')?.value;
  };
  expect(await visits('today')).toBe(0); // now the days of this month are known
  const yesterday = makeEvent({ site_id: site.id, time: server.clock.now - DAY_MS });
  await store.insert({ events: [visitedEvent(yesterday)], ai_visits: [] }, 'yesterday'); // as `manage seed` does
  expect(await visits('7d')).toBe(1);
});
