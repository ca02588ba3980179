// The log format as Apache httpd and nginx document it, and as real servers break it.
import { describe, expect, test } from 'vitest';
import { readCombined } from './combined.ts';
import { MAX_LINE_BYTES } from './line.ts';

const REST = '"https://example.org/a" "Mozilla/5.0 (X11)"';
const line = (request: string, rest = `200 2326 ${REST}`) =>
  `203.0.113.7 - frank [10/Oct/2025:13:55:36 -0700] "${request}" ${rest}`;

describe('a line of the combined format', () => {
  test('is read with its own time zone', () => {
    expect(readCombined(line('GET /apache_pb.gif HTTP/1.0'))).toEqual({
      address: '203.0.113.7',
      time: Date.UTC(2025, 9, 10, 20, 55, 36),
      method: 'GET',
      target: '/apache_pb.gif',
      status: 200,
      bytes: '2326',
      referrer: 'https://example.org/a',
      userAgent: 'Mozilla/5.0 (X11)',
      host: '',
    });
  });

  test('may contain IPv6 addresses, host names, user names with spaces, and extra fields at its end', () => {
    const text = '2001:db8::1 - Ada Byron [01/Jan/2026:00:00:00 +0530] "GET / HTTP/2.0" 304 - "-" "-" "x" rt=0.1';
    expect(readCombined(text)).toMatchObject({ address: '2001:db8::1', bytes: '-', referrer: '', userAgent: '' });
    expect(readCombined(text)?.time).toBe(Date.UTC(2025, 11, 31, 18, 30));
    expect(readCombined(text.replace('2001:db8::1', 'host.example.net'))?.address).toBe('host.example.net');
  });

  test('may contain quotes and bytes as either server escapes them', () => {
    const apache = readCombined(
      line(String.raw`GET /caf\xc3\xa9?q=\"a\\b\" HTTP/1.1`, `200 1 "-" "A \\"quoted\\" agent"`),
    );
    expect(apache).toMatchObject({ target: '/café?q="a\\b"', userAgent: 'A "quoted" agent' });
    expect(readCombined(line(String.raw`GET /?q=\x22a\x5C HTTP/1.1`))?.target).toBe('/?q="a\\');
    expect(readCombined(line(String.raw`GET /caf\xE9 HTTP/1.1`))?.target).toBe('/caf%E9'); // no UTF-8
  });

  test('may lack a version, contain a space in the target, or be a request to a proxy', () => {
    expect(readCombined(line('GET /'))?.target).toBe('/');
    expect(readCombined(line('GET /a b HTTP/1.1'))?.target).toBe('/a b');
    expect(readCombined(line('GET http://other.example/ HTTP/1.1'))?.target).toBe('http://other.example/');
  });

  test.each([
    ['nothing', ''],
    ['prose', 'not a log at all'],
    ['a TLS handshake', line(String.raw`\x16\x03\x01\x02`)],
    ['no request', line('-')],
    ['the common format, which lacks the user agent', line('GET / HTTP/1.1', '200 5')],
    ['a quote that never ends', line('GET / HTTP/1.1', '200 5 "-" "Mozilla')],
    ['a day that does not exist', line('GET /').replace('10/Oct', '31/Feb')],
    ['an hour that does not exist', line('GET /').replace(':13:', ':24:')],
    ['a misspelt month', line('GET /').replace('Oct', 'Okt')],
  ])('is not %s', (_what, text) => {
    expect(readCombined(text)).toBeUndefined();
  });

  test('is read to the end, up to the longest line that a file may hold', () => {
    const spaces = ' '.repeat(MAX_LINE_BYTES - line('GET /').length);
    expect(readCombined(line(`GET /${spaces}a`))?.target).toBe(`/${spaces}a`);
    expect(readCombined(`${line('GET /').slice(0, -1)}${'\\"'.repeat(16_000)}`)).toBeUndefined();
    expect(readCombined('[10/Oct/2025:13:55:36 -0700] "'.repeat(1000))).toBeUndefined();
  });
});
