import { describe, expect, test } from 'vitest';
import { SAMPLES, VISITOR_OF_UMAMI } from '../../../../../tests/setup/exports.ts';
import { fileOf, gzipOf, readImport } from '../../../../../tests/setup/imports.ts';
import { openSessions } from './sessions.ts';

const dump = (...sections: string[]) => fileOf('umami.sql', sections.map((section) => `${section}\n`).join(''));
const copy = (table: string, columns: string, ...rows: string[]) =>
  [`COPY ${table} (${columns}) FROM stdin;`, ...rows, '\\.'].join('\n');
const EVENTS = 'website_id, session_id, created_at, url_path, event_type';
const event = (website: string, session: string, path = '/') =>
  [website, session, '2025-01-30 10:00:00+00', path, '1'].join('\t');

describe('a dump of the database of Umami', () => {
  test('is joined to hits, which have the host of their event, or else of their website', async () => {
    const [file] = SAMPLES['umami dump'].files('example.com');
    const { opened, hits, report } = await readImport(file ?? []);
    expect(opened).toMatchObject({ format: 'umami', kind: 'hits' });
    expect(hits).toHaveLength(4);
    expect(hits[0]).toEqual({
      time: Date.UTC(2025, 0, 30, 10, 0, 0, 250),
      visitor: 's1',
      name: 'pageview',
      hostname: 'example.com',
      path: '/a\\b?utm_source=x',
      referrer: 'https://google.com',
      ...VISITOR_OF_UMAMI,
    });
    expect(hits.slice(1)).toMatchObject([
      { name: 'signup', hostname: 'example.com', browser: 'Edge' },
      { hostname: 'elsewhere.example', browser: 'Firefox', country: 'FR', city: '', screen_width: 0 },
      { hostname: 'example.com', browser: '', visitor: 's3', time: Date.UTC(2025, 0, 31, 9) },
    ]);
    expect(JSON.stringify([hits, opened])).not.toMatch(/ann|secret|Title/);
    expect(report).toMatchObject({ totals: { pageviews: 3, visitors: 3 }, rejected: 0 });
  });

  test('of an older release has the host and the region in its sessions', async () => {
    const sessions = copy(
      'session',
      'session_id, website_id, hostname, browser, subdivision1, country',
      's\tw\tOld.example\tie\tUS-TX\tUS',
    );
    const { hits } = await readImport(
      await gzipOf('umami.sql.gz', `${sessions}\n${copy('public.website_event', EVENTS, event('w', 's'))}\n`),
    );
    expect(hits).toMatchObject([{ hostname: 'old.example', browser: 'Internet Explorer', region: 'US-TX' }]);
  });

  test('without hosts is read if it has one website, and refused if it has several', async () => {
    const one = await readImport(dump(copy('public.website_event', EVENTS, event('w', 's'))));
    expect(one.hits).toMatchObject([{ hostname: '', path: '/' }]);
    const two = dump(copy('public.website_event', EVENTS, event('w', 's'), event('x', 't')));
    await expect(readImport(two)).rejects.toThrow(
      '“umami.sql” has hits of several websites, and line 3 does not say of which. Dump the table website too.',
    );
  });

  test('reports rows that are broken, and one that was cut off, by their lines', async () => {
    const rows = [event('w', 's'), 'w\ts', `${event('w', 's')}\tmore`, event('w', 's', 'x'.repeat(70_000))];
    const text = `${copy('public.website_event', EVENTS, ...rows).slice(0, -2)}w\ts\t2025-01`;
    const { report, rejected } = await readImport(fileOf('umami.sql', text));
    expect(report.totals.pageviews).toBe(1);
    expect(rejected.map(({ line, reason }) => [line, reason])).toEqual([
      [3, 'short_row'],
      [4, 'unreadable'],
      [5, 'too_long'],
      [6, 'unreadable'],
    ]);
  });

  test.each([
    ['PGDMP\u0001\u000f', "is a dump in PostgreSQL's own form. Dump it with pg_dump --format=plain."],
    [
      "--\n-- PostgreSQL database dump\n--\nINSERT INTO public.website_event VALUES ('a');",
      'has INSERT statements in line 4. Dump it without --inserts and --column-inserts.',
    ],
    ['--\n-- PostgreSQL database dump\n--\n', 'is a dump of PostgreSQL without the table website_event.'],
    [copy('website_event', 'website_id, session_id', 'w\ts'), "has a table website_event that is not Umami's."],
  ])('in another form is refused with what to do: %j', async (text, sentence) => {
    await expect(readImport(fileOf('umami.sql', text))).rejects.toThrow(`“umami.sql” ${sentence}`);
  });
});

test('sessions are bounded, and share their values', () => {
  const sessions = openSessions(2, 'umami.sql');
  for (let id = 0; id < 2_000_000; id++) sessions.add(`s${id}`, ['Chrome', `city ${id % 1_000}`]);
  sessions.add('s5', ['Firefox', '']);
  expect([sessions.get('s5', 0), sessions.get('s5', 1), sessions.get('s1999999', 1), sessions.get('none', 0)]).toEqual([
    'Firefox',
    '',
    'city 999',
    '',
  ]);
  expect(() => sessions.add('another', [])).toThrow('“umami.sql” has more than 2,000,000 sessions');
  const names = openSessions(1, 'umami.sql');
  expect(() => {
    for (let id = 0; id < 500_000; id++) names.add('s', [`city ${id}`]);
  }).toThrow('“umami.sql” has more than 500,000 values of sessions');
});
