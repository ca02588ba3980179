// Alerts about slow pages from end to end: measurements become incidents, each told once, and once more when it is over.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listIncidents } from '../../server/notifications/alerts/incidents.ts';
import { previewAlert } from '../../server/notifications/alerts/preview.ts';
import { type AlertContent, alertContent, updateAlert } from '../../server/notifications/alerts/rules.ts';
import type { Directory } from '../../server/directory/open.ts';
import { siteById } from '../../server/sites/sites.ts';
import type { VisitedVitals } from '../../server/vocabulary/event.ts';
import { type Vital, VITAL_NAMES, vitalValue, VITALS } from '../../server/vocabulary/numbers/vitals.ts';
import { LEAST } from '../../server/vocabulary/settings/alerts.ts';
import { wordsOf } from '../../server/vocabulary/settings/alert-words.ts';
import { DAY_MS, HOUR_MS } from '../../server/vocabulary/time/time.ts';
import { FORMS, testDirectory } from '../setup/directory.ts';
import { makeVitals } from '../setup/event.ts';
import { alertWorld, at, DAY } from '../setup/notifications/alerts.ts';
import { type TestStore, testStore } from '../setup/store.ts';

let store: TestStore;
beforeAll(async () => {
  store = await testStore();
});
afterAll(() => store[Symbol.asyncDispose]());

/** A site whose page views can be measured. */
async function world(directory: Directory) {
  const own = await alertWorld(directory, store);
  let serial = 0;
  const measure = (count: number, time: number, given: Partial<VisitedVitals>) =>
    own.store([], [], {
      vitals: Array.from({ length: count }, (_, index) => ({
        ...makeVitals({ site_id: own.siteId, visitor: `v${(serial += 1)}`, time: time + index, ...given }),
        visit_id: 1n,
        entry_page: '/',
        import_id: '',
      })),
    });
  return { ...own, measure };
}

describe.each(FORMS)('alerts about slow pages in %s', (form) => {
  test('a slow page is told once, with its value, and once more when it has recovered', async () => {
    await using directory = await testDirectory(form);
    const own = await world(directory);
    await own.make({ kind: 'speed', page: '/checkout', hours: 1, least: 20 });
    await own.measure(19, at(8, 30), { page: '/checkout', lcp: 5000 });
    await own.measure(200, at(8, 30), { page: '/', lcp: 9000 });
    await own.run(at(9));
    expect(await own.mails()).toEqual([]); // one view too few
    await own.measure(1, at(9, 1), { page: '/checkout/', lcp: 5000 });
    for (const minutes of [5, 10]) await own.run(at(9, minutes));
    const begun =
      'LCP of /checkout on example.com is above 4,000 ms | At 09:05 on 20 Nov 2026, the 75th percentile of 20 page views in the last hour was 5,000 ms: one in four had more. Google calls more than 4,000 ms poor. | ada@example.com';
    expect(await own.mails()).toEqual([begun]);
    // Worse is no news, and neither is a value at the limit.
    await own.measure(100, at(9, 11), { page: '/checkout', lcp: 6000 });
    await own.run(at(9, 15));
    await own.measure(100, at(10, 20), { page: '/checkout', lcp: 3900 });
    for (const minutes of [25, 30]) await own.run(at(10, minutes));
    expect(await own.mails()).toEqual([begun]);
    await own.measure(900, at(10, 31), { page: '/checkout', lcp: 3800 });
    for (const minutes of [35, 40]) await own.run(at(10, minutes));
    expect(await own.mails()).toEqual([
      begun,
      'LCP of /checkout on example.com is below 4,000 ms again | At 10:35 on 20 Nov 2026, the 75th percentile of 1,000 page views in the last hour was 3,800 ms. It was above 4,000 ms for 2 hours, at most 6,000 ms. | ada@example.com',
    ]);
    expect(await listIncidents(directory, { siteId: own.siteId, isLimited: false })).toMatchObject([
      {
        kind: 'speed',
        started_at: at(9, 5),
        ended_at: at(10, 35),
        facts: { vital: 'lcp', page: '/checkout', limit: 4000, hours: 1, value: 3800, views: 1000, highest: 6000 },
      },
    ]);
  });

  test('every vital of the whole site has its own limit, and ends when nothing is measured any more', async () => {
    await using directory = await testDirectory(form);
    const own = await world(directory);
    for (const vital of VITAL_NAMES) await own.make({ kind: 'speed', vital, least: 10, webhooks: [] });
    await own.make({ kind: 'speed', vital: 'cls', above: 0.05, hours: 6, least: 10 });
    const all = (values: Record<Vital, number>) => own.measure(10, at(9), values);
    const limits = Object.fromEntries(VITAL_NAMES.map((vital) => [vital, VITALS[vital].poor])) as Record<Vital, number>;
    await all(limits); // at the limit is not above it
    await own.run(at(9, 5));
    const titles = async () => (await own.mails()).map((mail) => mail.split(' | ')[0]).toSorted();
    expect(await titles()).toEqual(['CLS on example.com is above 0.05']);
    await own.measure(90, at(9, 6), { lcp: 4001, inp: 501, cls: 0.2601, fcp: 3001, ttfb: 1801 });
    await own.run(at(9, 10));
    const above = (vital: Vital) =>
      `${VITALS[vital].label} on example.com is above ${vitalValue(vital, limits[vital])}`;
    const told = ['CLS on example.com is above 0.05', ...VITAL_NAMES.map(above)].toSorted();
    expect(await titles()).toEqual(told);
    await own.run(at(9 + 24, 15));
    const ended = (vital: Vital) => `${VITALS[vital].label} on example.com is no longer measured`;
    expect(await titles()).toEqual([...told, ...[...VITAL_NAMES, 'cls' as const].map(ended)].toSorted());
  });

  test('a changed rule begins anew, and a value that jumps around the limit is told once an hour', async () => {
    await using directory = await testDirectory(form);
    const own = await world(directory);
    const { id, created_at: _, ...content } = await own.make({ kind: 'speed', hours: 1, least: 10 });
    const change = (changed: Partial<AlertContent>, now: number) =>
      updateAlert(
        directory,
        { siteId: own.siteId, accountId: own.account.id, id, content: { ...content, ...changed }, mail: own.mail },
        now,
      );
    await own.measure(10, at(9), { lcp: 4100 });
    await own.run(at(9, 5));
    await change({ above: 4050 }, at(9, 6));
    await own.run(at(9, 10));
    const titles = async () => (await own.mails()).map((mail) => mail.split(' | ')[0]);
    const told = ['LCP on example.com is above 4,000 ms', 'LCP on example.com is above 4,050 ms'];
    expect(await titles()).toEqual(told);
    for (const [index, lcp] of [1000, 9000, 1000, 9000].entries()) {
      await own.measure(10 * 8 ** index, at(9, 11 + index), { lcp });
      await own.run(at(9, 15 + index));
    }
    told.push('LCP on example.com is below 4,050 ms again');
    expect(await titles()).toEqual(told);
    await own.run(at(10));
    expect(await titles()).toEqual([...told, 'LCP on example.com is above 4,050 ms']);
  });

  test('the preview counts as the job does', async () => {
    await using directory = await testDirectory(form);
    const own = await world(directory);
    const site = await siteById(directory, own.siteId);
    if (!site) throw new Error('no site');
    const times = async (content: object) =>
      (
        await previewAlert(
          own.parts,
          { site, content: alertContent.parse({ timezone: 'UTC', kind: 'speed', ...content }) },
          at(8),
        )
      ).times;
    // Slow for an hour on three days, quick for an hour in between; too few views on a fourth; too long ago on the fifth.
    for (const [days, hour, count, lcp] of [
      [31, 5, 100, 9000],
      [9, 5, 30, 9000],
      [7, 5, 100, 9000],
      [7, 9, 100, 9000],
      [7, 13, 900, 1000],
      [4, 5, 100, 9000],
      [2, 5, 100, 9000],
    ] as const)
      await own.measure(count, DAY - days * DAY_MS + hour * HOUR_MS, { lcp, page: '/a/b' });
    expect([
      await times({}),
      await times({ hours: 1 }),
      await times({ page: '/a/**', least: 30 }),
      await times({ page: '/b' }),
      await times({ above: 9000 }),
    ]).toEqual([3, 4, 4, 0, 0]);
  });
});

test('what cannot be watched is refused', () => {
  const problem = (content: object) =>
    alertContent
      .safeParse({ timezone: 'UTC', kind: 'speed', ...content })
      .error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  expect(problem({})).toBeUndefined();
  expect(problem({ vital: 'cls', above: 11 })).toEqual(['above must be at most 10']);
  expect(problem({ above: 60_001 })).toEqual(['above must be at most 60000']);
  for (const wrong of [
    { vital: '__proto__' },
    { above: 0 },
    { above: Infinity },
    { above: -1 },
    { page: 'checkout' },
    { hours: 2 },
    { least: LEAST.from - 1 },
    { least: 10.5 },
  ])
    expect(problem(wrong), JSON.stringify(wrong)).toHaveLength(1);
});

test('a page of a stranger’s spelling stays text', () => {
  const facts = { vital: 'lcp', page: '/<b>', limit: 4000, hours: 1, value: 5000, views: 10 } as const;
  const words = wordsOf(
    { kind: 'speed', started_at: 0, ended_at: null, facts },
    { domain: 'example.com', zone: 'UTC', show: (text) => `[${text}]` },
  );
  expect(words.title).toBe('LCP of [/<b>] on [example.com] is above 4,000 ms');
});
