// Access logs as files: what they hold, in which order they are read, and what is not taken.
import { describe, expect, test } from 'vitest';
import { fileOf, gzipOf, readImport, zipOf } from '../../../../tests/setup/imports.ts';
import { LOG_FORMATS, logOf, type Logged } from '../../../../tests/setup/logs.ts';

const AT = Date.UTC(2026, 9, 5, 10);
const request = (second: number, more: Partial<Logged> = {}): Logged => ({
  time: AT + second * 1000,
  address: '203.0.113.7',
  ...more,
});
const combined = (...requests: Logged[]) => logOf('combined', requests);
const secondsOf = (hits: readonly { time: number }[]) => hits.map(({ time }) => Math.floor((time - AT) / 1000));

test('requests for pages become hits with what their door needs', async () => {
  const text = logOf('vhost combined', [
    request(0, { target: '/a?page=2&utm_source=x', referrer: 'https://example.org/q?x=1', status: 304 }),
  ]);
  const { hits, report } = await readImport(fileOf('access.log', text));
  expect(hits).toMatchObject([
    {
      time: AT,
      visitor: '',
      name: 'pageview',
      hostname: 'www.example.com',
      path: '/a?page=2&utm_source=x',
      referrer: 'https://example.org/q?x=1',
      request: { address: '203.0.113.7', status: 304 },
    },
  ]);
  expect(report).toMatchObject({ format: 'access-log', product: 'Access log', kind: 'hits', columns: [], rejected: 0 });
});

test('the report says how many lines there are of each kind, and where the first ones stand that could not be read', async () => {
  const text = [
    combined(
      request(0),
      request(1, { userAgent: 'Other/1' }),
      request(2, { target: '/logo.png' }),
      request(3, { target: '/feed/' }),
      request(4, { method: 'HEAD' }),
      request(5, { status: 404 }),
      request(6, { status: 301 }),
    ),
    '# a comment\n\n',
    ...Array.from({ length: 5 }, () => 'not a request\n'),
    combined(request(86_400, { target: 'http://www.example.com/b' }), request(0, { target: `/${'x'.repeat(3_000)}` })),
    combined(request(0)).replace('2026', '1999'),
    combined(request(0)).replace('2026', '9999'),
    `${'x'.repeat(40_000)}\n`,
  ].join('');
  const { report } = await readImport(fileOf('access.log', text));
  expect(report).toMatchObject({
    days: { from: '2026-10-05', to: '2026-10-06', count: 2 },
    totals: { pageviews: 3, visitors: 3, visits: null },
    rows: 17,
    reasons: { not_a_page: 2, method: 1, unreadable: 5, too_long: 2, no_date: 2 },
    not_served: 2,
  });
  const unreadable = report.examples.filter(({ reason }) => reason === 'unreadable');
  expect(unreadable).toEqual([10, 11, 12].map((line) => ({ file: 'access.log', line, reason: 'unreadable' })));
});

describe('several files are read in the order of time', () => {
  test('in whichever order they were chosen', async () => {
    const files = [
      fileOf('access.log', combined(request(40), request(50))),
      await gzipOf('access.log.2', combined(request(0), request(10))),
      fileOf('access.log.1', combined(request(20), request(30))),
    ];
    const { hits, read, opened } = await readImport(files);
    expect(secondsOf(hits)).toEqual([0, 10, 20, 30, 40, 50]);
    expect(read).toBe(opened.bytes);
  });

  test('side by side where they overlap, each in a format of its own', async () => {
    const files = Object.keys(LOG_FORMATS).map((format, index, all) => {
      const requests = Array.from({ length: 400 }, (_, turn) => request(turn * all.length + index));
      return fileOf(`${index}.log`, logOf(format, requests));
    });
    const { hits, rejected } = await readImport(files.reverse());
    expect(secondsOf(hits)).toEqual(Array.from({ length: hits.length }, (_, second) => second));
    expect([hits.length, rejected]).toEqual([400 * files.length, []]);
  });

  test('also if lines within one are out of order, which stay as they are', async () => {
    const files = [fileOf('a', combined(request(10), request(5), request(30))), fileOf('b', combined(request(20)))];
    expect(secondsOf((await readImport(files)).hits)).toEqual([10, 5, 20, 30]);
  });
});

test('logs in a zip are read beside files that are none', async () => {
  const zip = await zipOf('logs.zip', {
    'a.log': combined(request(0)),
    'b.log': combined(request(1)),
    'read.me': 'Hi',
  });
  const { hits, opened } = await readImport(zip);
  expect([hits.length, opened.left_out]).toEqual([2, ['logs.zip/read.me']]);
});

test('a byte that is not UTF-8 leaves the other lines as they are', async () => {
  const [start = '', end = ''] = combined(request(0, { target: '/café' }), request(1, { target: '/X' })).split('X');
  const { hits } = await readImport(fileOf('access.log', start, Uint8Array.of(0xe9), end));
  expect(hits.map(({ path }) => path)).toEqual(['/café', '/%E9']);
});

test('a log that begins with zeros and with what is no request is a log', async () => {
  const text = `${'\0'.repeat(20_000)}${combined(request(0))}`;
  expect((await readImport(fileOf('a', text))).hits.length).toBe(1);
  expect((await readImport(fileOf('b', `hello\n{"level":"info"}\n${combined(request(0))}`))).hits.length).toBe(1);
});

test('what is no log is refused with a sentence', async () => {
  const refused = async (text: string, as?: 'access-log') =>
    expect(readImport(fileOf('a.log', text), as ? { as } : {})).rejects;
  await (await refused('neither\nof these\n')).toThrow('“a.log” is not an export that Footfall knows.');
  await (await refused('{"level":"info"}\n')).toThrow('access logs of web servers');
  await (
    await refused('date,views\n2025-01-30,2\n', 'access-log')
  ).toThrow('“a.log” is not an access log in a format that Footfall knows.');
});

test('empty logs beside others, as after a rotation, are left out', async () => {
  const files = [
    fileOf('a.log'),
    fileOf('b.log', '#Version: 1.0\n#Fields: date time\n'),
    fileOf('c.log', combined(request(0))),
  ];
  const { hits, opened } = await readImport(files);
  expect([hits.length, opened.left_out]).toEqual([1, ['a.log', 'b.log']]);
  await expect(readImport(files.slice(0, 2))).rejects.toThrow('“a.log” is empty.');
  await expect(readImport(files.slice(1, 2))).rejects.toThrow('“b.log” holds no rows.');
});

test('a log that was chosen twice, once as gz, is refused', async () => {
  const text = combined(request(0), request(1));
  const files = [fileOf('access.log', text), await gzipOf('access.log.gz', text)];
  await expect(readImport(files)).rejects.toThrow(
    '“access.log” and “access.log.gz” begin with the same lines. Choose only one of them.',
  );
});

test('a log and an export do not belong together', async () => {
  const files = [fileOf('a.csv', 'date,views\n2025-01-30,2\n'), fileOf('a.log', combined(request(0)))];
  await expect(readImport(files)).rejects.toThrow('do not belong together');
});
