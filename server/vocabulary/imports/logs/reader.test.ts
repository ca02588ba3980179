// Lines of every format as their servers write them, and lines that somebody wrote to break a reader.
import { describe, expect, test } from 'vitest';
import { LOG_FORMATS, logOf } from '../../../../tests/setup/logs.ts';
import type { LogLine } from './line.ts';
import { openLogReader } from './reader.ts';

const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0';
const REQUEST = {
  time: Date.UTC(2026, 9, 5, 10, 0, 7),
  address: '203.0.113.7',
  userAgent: AGENT,
  target: '/docs/a?page=2',
  status: 206,
  referrer: 'https://example.org/from',
};
function readLast(text: string): ReturnType<ReturnType<typeof openLogReader>> {
  const read = openLogReader();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => read(line))
    .at(-1);
}
const parsed = (text: string): LogLine => {
  const found = readLast(text);
  if (found === undefined || found === 'comment') throw new Error(`not read: ${text}`);
  return found;
};
const json = (value: object) => JSON.stringify(value);
/** What a line of JSON needs, with more. */
const jsonLine = (more: object) =>
  json({ ts: 1_791_194_407.25, remote_addr: '203.0.113.7', uri: '/a', status: 200, user_agent: AGENT, ...more });

describe.each(Object.keys(LOG_FORMATS))('a line of %s', (format) => {
  test.each(['203.0.113.7', '2001:db8::7'])('is read, with the address %s', (address) => {
    const { time, ...found } = parsed(logOf(format, [{ ...REQUEST, address }]));
    expect(Math.floor(time / 1000) * 1000).toBe(REQUEST.time);
    expect(found).toMatchObject({ address, method: 'GET', target: '/docs/a?page=2', status: 206, userAgent: AGENT });
    expect(found.referrer).toBe(format === 'AWS ALB' ? '' : REQUEST.referrer);
    expect(['', 'www.example.com']).toContain(found.host);
  });

  test('is read without a user agent, a referrer and a query', () => {
    const line = parsed(logOf(format, [{ ...REQUEST, userAgent: '', referrer: '', target: '/' }]));
    expect(line).toMatchObject({ target: '/', userAgent: '', referrer: '' });
  });
});

describe('the host that was asked for', () => {
  test.each(Object.keys(LOG_FORMATS).filter((name) => !/^combined|^JSON|common|Docker/.test(name)))(
    'is read from %s',
    (format) => {
      expect(parsed(logOf(format, [REQUEST], 'Shop.Example.com')).host).toBe('shop.example.com');
    },
  );

  test.each([
    ['example.com:443', 'example.com'],
    ['[2001:db8::1]:8080', '[2001:db8::1]'],
    ['_', ''],
    ['-', ''],
    ['a b', ''],
    ['x'.repeat(400), ''],
  ])('%s is %s', (host, read) => {
    expect(parsed(jsonLine({ host })).host).toBe(read);
  });
});

describe('a line of the combined format with more before it', () => {
  const rest = `- - [05/Oct/2026:10:00:07 +0000] "GET / HTTP/1.1" 200 5 "-" "${AGENT}"`;
  test.each([
    ['203.0.113.7, 10.0.0.1 ', '203.0.113.7', ''],
    ['www.example.com 203.0.113.7 ', '203.0.113.7', 'www.example.com'],
    ['www.example.com:443 client.example.net ', 'client.example.net', 'www.example.com'],
    ['client.example.net ', 'client.example.net', ''],
    ['::ffff:203.0.113.7 ', '::ffff:203.0.113.7', ''],
    ['<134>Oct  5 10:00:07 web1 nginx: 203.0.113.7 ', '203.0.113.7', ''],
  ])('%s', (start, address, host) => {
    expect(parsed(start + rest)).toMatchObject({ address, host });
  });
});

describe('the time of a line of JSON', () => {
  const SECOND = Date.UTC(2026, 9, 5, 10, 0, 7);
  test.each([
    ['in seconds', { ts: SECOND / 1000 }],
    ['in milliseconds', { ts: SECOND }],
    ['in microseconds', { ts: SECOND * 1000 }],
    ['in nanoseconds, as text', { ts: `${SECOND}000000` }],
    ['as nginx’s msec', { ts: undefined, msec: '1791194407.000' }],
    ['of the common log format', { ts: undefined, time_local: '05/Oct/2026:12:00:07 +0200' }],
    ['in brackets', { ts: undefined, time: '[05/Oct/2026:10:00:07 +0000]' }],
    ['of ISO 8601', { ts: undefined, time_iso8601: '2026-10-05T12:00:07+02:00' }],
    ['as Caddy writes it for people', { ts: '2026/10/05 10:00:07' }],
    ['a day beside a clock', { ts: undefined, date: '2026-10-05', time: '10:00:07' }],
  ])('%s', (_what, time) => {
    expect(parsed(jsonLine(time)).time).toBe(SECOND);
  });
});

describe('a line of JSON', () => {
  test('may have the request in a line of its own, which counts before the rest', () => {
    const line = parsed(jsonLine({ request: 'POST /b?x=1 HTTP/2.0', request_method: 'GET' }));
    expect(line).toMatchObject({ method: 'POST', target: '/b?x=1' });
  });

  test('may have a query beside the path', () => {
    expect(parsed(jsonLine({ args: 'a=1' })).target).toBe('/a?a=1');
    expect(parsed(jsonLine({ uri: '/a?a=1', args: 'a=1' })).target).toBe('/a?a=1');
  });

  test('may have quotes and bytes as nginx writes them without escape=json', () => {
    const target = (escaped: string) => parsed(jsonLine({ uri: '/MARK' }).replace('MARK', escaped)).target;
    expect(target(String.raw`\x22caf\xC3\xA9`)).toBe('/"café');
    expect(target(String.raw`caf\xE9\x22`)).toBe('/caf%E9"');
  });

  test('has only names of its own', () => {
    const line =
      '{"__proto__":{"remote_addr":"203.0.113.7"},"constructor":"x","ts":1791194407,"uri":"/a","status":200}';
    expect(readLast(line)).toBeUndefined();
    const own = jsonLine({}).replace('{', '{"__proto__":{"status":404},"hasOwnProperty":1,"toString":"x",');
    expect(parsed(own)).toMatchObject({ status: 200 });
    expect(({} as { status?: number }).status).toBeUndefined();
  });
});

describe('a line of the extended format', () => {
  const FIELDS = '#Fields: date time c-ip cs-method cs-uri-stem sc-status cs(User-Agent)';
  const LINE = '2026-10-05 10:00:07 203.0.113.7 GET /a 200 A+B';

  test('has plus signs for spaces, or percent signs', () => {
    expect(parsed(`${FIELDS}\n${LINE}`)).toMatchObject({ userAgent: 'A B', target: '/a' });
    const tabbed = LINE.replaceAll(' ', '\t').replace('/a', '/caf%25C3%25A9').replace('A+B', 'A%2520B%2528+C%25');
    expect(parsed(`${FIELDS}\n${tabbed}`)).toMatchObject({ userAgent: 'A B(+C%', target: '/caf%C3%A9' });
  });

  test('needs the line of names, which may change', () => {
    expect(readLast(LINE)).toBeUndefined();
    expect(readLast(`#Fields: date time\n${LINE}`)).toBeUndefined();
    const other = '#Fields: time cs-method c-ip cs-uri-stem sc-status cs(User-Agent)';
    expect(parsed(`#Date: 2026-10-05 00:00:00\n${other}\n10:00:07 GET 203.0.113.7 /b 200 A`)).toMatchObject({
      time: Date.UTC(2026, 9, 5, 10, 0, 7),
      target: '/b',
    });
  });

  test('with a status that its client did not wait for has none', () => {
    expect(parsed(`${FIELDS}\n${LINE.replace(' 200 ', ' 000 ')}`).status).toBe(0);
  });
});

test('lines of several formats may follow each other', () => {
  const texts = Object.keys(LOG_FORMATS).map((format) => logOf(format, [REQUEST]).trimEnd());
  const read = openLogReader();
  const found = texts.flatMap((text) => text.split('\n').map((line) => read(line)));
  expect(found.filter((one) => one === undefined)).toEqual([]);
  expect(found.filter((one) => one !== 'comment').length).toBe(texts.length);
});

test('zeros before a line, as a log has that was cut while its server wrote on, are left out', () => {
  expect(parsed('\0'.repeat(5_000) + logOf('combined', [REQUEST]))).toMatchObject({ address: '203.0.113.7' });
});

const LONG = 32 * 1024;
const FIELDS = '#Fields: date time c-ip cs-method cs-uri-stem sc-status cs(User-Agent)\n';
const HOSTILE: [string, string][] = [
  ['nothing', ' '],
  ['prose', 'neither of these'],
  ['the common format, which lacks the user agent', '1.1.1.1 - - [05/Oct/2026:10:00:07 +0000] "GET / HTTP/1.1" 200 5'],
  ['a quote that never ends', '1.1.1.1 - - [05/Oct/2026:10:00:07 +0000] "GET / HTTP/1.1" 200 5 "-" "Mozilla'],
  ['backslashes', `1.1.1.1 - - [05/Oct/2026:10:00:07 +0000] "GET /${'\\"'.repeat(LONG / 2)}`],
  ['brackets', '[05/Oct/2026:10:00:07 +0000] '.repeat(1_000)],
  [
    'a line of the proxy manager that is cut',
    '[05/Oct/2026:10:00:07 +0000] - 200 200 - GET https a.example "/" [Client',
  ],
  [
    'brackets behind the proxy manager',
    `[05/Oct/2026:10:00:07 +0000] 200 - GET http a "/" ${'[Client 1] '.repeat(3_000)}`,
  ],
  [
    'a load balancer’s line that is cut',
    `https 2026-10-05T10:00:07.123456Z app/a/b 1.1.1.1:1 - ${'0 '.repeat(10_000)}`,
  ],
  [
    'a TLS handshake at a load balancer',
    'https 2026-10-05T10:00:07.123456Z app/a/b 1.1.1.1:1 - -1 -1 -1 400 - 0 0 "- - - " "-" - -',
  ],
  ['deep arrays', `{"a":${'['.repeat(LONG)}`],
  ['deep objects', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`],
  ['JSON that is cut', '{"ts":1791194407,"uri":"/a","status":200'],
  ['JSON of other types', json({ ts: {}, remote_addr: [], uri: true, status: null, user_agent: 7 })],
  ['a number too large', jsonLine({}).replace('1791194407.25', '1e999')],
  ['a day that does not exist', jsonLine({ ts: '2026-02-30T10:00:07Z' })],
  ['a status that does not exist', jsonLine({ status: '20' })],
  ['an address that is none', jsonLine({ remote_addr: '-' })],
  ['a path that is none', jsonLine({ uri: 'javascript:alert(1)' })],
  ['JSON in JSON in JSON', json({ log: json({ log: jsonLine({}) }) })],
  ['an extended line that is cut', `${FIELDS}2026-10-05 10:00:07 1.1.1.1`],
  ['names without end', `#Fields: ${'x '.repeat(LONG)}\n2026-10-05`],
  ['percent signs that decode to nothing', `${FIELDS}2026-10-05\t10:00:07\t1.1.1.1\tGET\t\t200\t%%%E0%A4%A`],
  ['control characters', '\u0001\u0002\u001b[31m'],
  ['a lone surrogate', '\ud800'.repeat(100)],
];

describe('a hostile line', () => {
  test.each(HOSTILE)('is not read: %s', (_what, text) => {
    const startedAt = performance.now();
    expect(readLast(text)).toBeUndefined();
    expect(performance.now() - startedAt).toBeLessThan(500);
  });

  test('is text, whatever it says', () => {
    const agent = `"><img src=x onerror=alert(1)> '; DROP TABLE events; -- \u202e`;
    const line = parsed(jsonLine({ user_agent: `${agent}\ud800`, uri: `/${agent}` }));
    expect([line.userAgent, line.target]).toEqual([`${agent}\ufffd`, `/${agent}`]);
  });
});
