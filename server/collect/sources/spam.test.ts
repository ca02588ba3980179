import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readReferrer } from './referrer.ts';
import { isReferrerSpam } from './spam.ts';

const list = JSON.parse(readFileSync(new URL('../lists/spammers.json', import.meta.url), 'utf8')) as Record<
  string,
  unknown
> & {
  hosts: string[];
};

test('every spammer on the list is recognised, with its subdomains but not with similar names', () => {
  for (const host of list.hosts) {
    expect(isReferrerSpam(host), host).toBe(true);
    expect(isReferrerSpam(`www.${host}`), host).toBe(true);
    const isWithinAnother = list.hosts.some((other) => host.endsWith(`.${other}`) || other === `x${host}`);
    expect(isReferrerSpam(`x${host}`), host).toBe(isWithinAnother);
    expect(isReferrerSpam(`${host}.example`), host).toBe(false);
  }
});

test.each([
  'google.com',
  'www.uptime.com',
  'marinetraffic.com',
  'zoominfo.com',
  'tsatu.edu.ua',
  'drupa.com',
  'sneakerfreaker.com',
  'kharkov.ua',
  'com',
  '',
  'localhost',
  'xn--p1ai',
])('%s is not a spammer', (host) => {
  expect(isReferrerSpam(host)).toBe(false);
});

test('no known source is on the list', () => {
  const known = list.hosts.filter((host) => readReferrer(`https://${host}/`, () => false)?.source !== host);
  expect(known).toEqual([]);
});

test('the list names its origin', () => {
  expect(Object.keys(list)).toEqual(['source', 'licence', 'date', 'command', 'hosts']);
});
