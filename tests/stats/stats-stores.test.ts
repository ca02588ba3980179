/** @module-tag long */
// Every question of the stats, asked of both forms of the event store over the same rows: chDB in-process, and ClickHouse over HTTP, where
// values are bound by the server and answers come as text. Other tests judge the answers; these must be the same in both.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Stats } from '../../server/stats/run.ts';
import { type EventStore, openStore } from '../../server/store/open.ts';
import { startClickHouse } from '../setup/stores/clickhouse.ts';
import {
  askZoned,
  fillStores,
  narrowedQuestions,
  NOW,
  QUESTIONS,
  statsOf,
  sumDaysOf,
  summedQuestions,
} from '../setup/stats/questions.ts';
import { shareOf, sized } from '../setup/run/harness.ts';
import { testStore } from '../setup/store.ts';
import { viewing } from '../setup/accounts/viewing.ts';

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
    for (const [index, ask] of shareOf(questions, { of: 3, turn: 0 }).entries()) {
      answers.push(await ask(embedded));
      expect(await ask(remote), String(index)).toEqual(answers.at(-1));
    }
    // No equal zeros. A change may have no driver, a list no newcomers, and a day no visitor who sent very much.
    if (!['driver', 'movers', 'newcomers', 'heaviest'].includes(name))
      expect(JSON.stringify(answers)).toMatch(/[:[,][1-9]/);
  });

  test('each question of a viewer, who gets it withheld, changed or refused alike', async () => {
    const viewed = (stats: Stats) => stats.askedBy({ lane: 'viewer' }, viewing({}, NOW));
    const [near, away] = [viewed(embedded), viewed(remote)];
    const answer = (asked: Promise<unknown>) => asked.catch((error: unknown) => String(error));
    let differing = 0;
    for (const [name, questions] of Object.entries(QUESTIONS))
      for (const [index, ask] of questions.entries()) {
        if (index % Math.ceil(questions.length / sized({ short: 1, long: 2 })) > 0) continue; // some of each are enough
        const seen = await answer(ask(near));
        expect(await answer(ask(away)), `${name} ${index}`).toEqual(seen);
        if (JSON.stringify(seen) !== JSON.stringify(await ask(embedded))) differing += 1;
      }
    expect(differing).toBeGreaterThan(sized({ short: 10, long: 20 })); // it is not what members see
  });

  test('random filters of a viewer: in totals, lists and funnels', async () => {
    const viewed = (stats: Stats) => stats.askedBy({ lane: 'viewer' }, viewing({}, NOW));
    const answer = (asked: Promise<unknown>) => asked.catch((error: unknown) => String(error));
    const answers = new Set<string>();
    for (const [index, ask] of narrowedQuestions(8).entries()) {
      const seen = await answer(ask(viewed(embedded)));
      expect(await answer(ask(viewed(remote))), String(index)).toEqual(seen);
      answers.add(JSON.stringify(seen));
    }
    expect(answers.size).toBeGreaterThan(4);
  });

  test('a site with a time zone', async () => {
    expect(await askZoned(remote)).toEqual(await askZoned(embedded));
  });

  test('questions that one answers from sums of days, and the other from events', async () => {
    expect(await sumDaysOf(far)).toBe(2);
    for (const [index, ask] of shareOf(summedQuestions(), { of: 3, turn: 0 }).entries())
      expect(await ask(remote), String(index)).toEqual(await ask(embedded));
  });
});
