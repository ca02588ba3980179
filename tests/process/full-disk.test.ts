/** @module-tag fault */
// A disk that really fills up: a few megabytes of memory mounted as one. What was accepted is kept, and the rest is refused until there is
// space.
import { expect, test } from 'vitest';
import { testApp, type TestApp } from '../setup/app.ts';
import { eventually } from '../setup/eventually.ts';
import { showsSurvived } from '../setup/run/harness.ts';
import { smallDisk } from '../setup/processes/small-disk.ts';

async function sendAll(server: TestApp, ids: string[], options: { untilRefused?: boolean } = {}) {
  const accepted: string[] = [];
  const refused = new Set<string>();
  for (const id of ids) {
    const url = `https://own.example/${id}?utm_campaign=${'c'.repeat(200)}`;
    const answer = await server.foot({ site: 'own.example', name: 'pageview', url, id });
    if (answer.status === 202) accepted.push(`/${id}`);
    else refused.add(`${answer.status} ${answer.headers.get('retry-after')}`);
    if (options.untilRefused && refused.size > 0) break;
  }
  return { accepted, refused };
}

const names = (what: string, count = 60) => Array.from({ length: count }, (_, number) => `${what}-${number}`);

test.for([
  ['to the last byte', 0],
  ['so far that the queue still takes a little, and the event store nothing', 400_000],
] as const)(
  'a disk full %s loses nothing that was accepted, and recovers when there is space',
  async ([, left], { skip }) => {
    showsSurvived('disk full for the event store');
    await using disk = await smallDisk(48);
    if (!disk) return skip('only root may mount a disk');
    await using server = await testApp({ folder: disk.path, start: true, env: { LOG_LEVEL: 'silent' } });
    await server.addSite('own.example');
    const before = await sendAll(server, names('before'));
    expect(before.refused).toEqual(new Set());

    const empty = disk.fill(left);
    const full = await sendAll(server, names('full', 5000), { untilRefused: true });
    expect(full.refused).toEqual(new Set(['503 5']));
    for (const id of names('meanwhile', 20)) {
      const { accepted, refused } = await sendAll(server, [id]);
      full.accepted.push(...accepted);
      expect([...refused].every((answer) => answer === '503 5')).toBe(true);
    }
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);

    empty();
    await eventually(async () => expect((await sendAll(server, ['again'])).accepted).toEqual(['/again']));
    const after = await sendAll(server, [...names('full'), ...names('after')]); // the refused events are sent again, with the others
    expect(after.refused).toEqual(new Set());
    await server.logIn('owner@own.example');
    await eventually(async () => expect((await server.app.queue.status()).waiting).toBe(0));
    const sql = 'SELECT page, count() AS copies FROM events GROUP BY page ORDER BY page';
    const expected = new Set([...before.accepted, ...full.accepted, ...after.accepted, '/again']);
    const rows = await server.app.store.query<{ page: string; copies: number }>(sql, {});
    expect(rows.map(({ page, copies }) => [page, Number(copies)])).toEqual(
      [...expected].sort().map((page) => [page, 1]),
    );
  },
);
