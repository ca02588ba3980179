// Every question of the stats, asked of both forms of the event store over the same rows: chDB in-process, and ClickHouse over HTTP, where
// values are bound by the server and answers come as text. Other tests judge the answers; these must be the same in both.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Stats } from '../server/stats/run.ts';
import { type EventStore, openStore } from '../server/store/open.ts';
import { startClickHouse } from './setup/clickhouse.ts';
import { askZoned, fillStores, QUESTIONS, statsOf, sumDaysOf, summedQuestions } from './setup/questions.ts';
import { testStore } from './setup/store.ts';

const opened = new AsyncDisposableStack();
let embedded: Stats;
let remote: Stats;
let far: EventStore;
beforeAll(async () => {
  const local = opened.use(await testStore());
  const clickhouse = opened.use(await startClickHouse());
  far = await openStore({ url: clickhouse.url, path: '' });
  opened.defer(() => far.close());
  await fillStores([local, far]);
  [embedded, remote] = [statsOf(local), statsOf(far)];
});
afterAll(() => opened.disposeAsync());

describe('both stores give the same answer to', () => {
  test.each(Object.entries(QUESTIONS))('%s', async (name, questions) => {
    const answers: unknown[] = [];
    for (const [index, ask] of questions.entries()) {
      answers.push(await ask(embedded));
      expect(await ask(remote), String(index)).toEqual(answers.at(-1));
    }
    // No equal zeros. A change may have no driver, and a list no newcomers.
    if (!['driver', 'newcomers'].includes(name)) expect(JSON.stringify(answers)).toMatch(/[:[,][1-9]/);
  });

  test('a site with a time zone', async () => {
    expect(await askZoned(remote)).toEqual(await askZoned(embedded));
  });

  test('questions that one answers from sums of days, and the other from events', async () => {
    expect(await sumDaysOf(far)).toBe(2);
    for (const [index, ask] of summedQuestions().entries())
      expect(await ask(remote), String(index)).toEqual(await ask(embedded));
  });
});
