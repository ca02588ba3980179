// The host that a row's icon comes from: for known sources from our lists, for others the registrable domain, and never a private host.
import { expect, test } from 'vitest';
import { readPlaces } from '../../collect/lists/sources.ts';
import { DIMENSION_NAMES } from '../../vocabulary/questions/dimensions.ts';
import { hostOfRow, hostOfSite } from './hosts.ts';

test('a known source has the icon of its main host', () => {
  const known = {
    Google: 'google.com',
    'Hacker News': 'news.ycombinator.com',
    ChatGPT: 'chatgpt.com',
    Bing: 'bing.com',
  };
  for (const [source, host] of Object.entries(known))
    expect([source, hostOfRow('source', source)]).toEqual([source, host]);
  expect(hostOfRow('utm_source', 'google_ads')).toBe('google.com');
  expect(hostOfRow('ai_provider', 'OpenAI')).toBe('chatgpt.com');
  expect(hostOfRow('ai_agent', 'GPTBot')).toBe('chatgpt.com');
  expect(hostOfRow('ai_agent', 'UnknownBot')).toBeUndefined();
});

test('the main host of every source of our lists is a public name', () => {
  const { homes } = readPlaces();
  expect(homes.size).toBeGreaterThan(500);
  const wrong = [...homes].filter(([source, host]) => hostOfRow('source', source) !== host || /[^a-z0-9.-]/.test(host));
  expect(wrong).toEqual([]);
});

test('any other host is cut to its registrable domain', () => {
  expect(hostOfRow('source', 'a1b2c3.links.example.org')).toBe('example.org');
  expect(hostOfRow('source', 'shop.example.co.uk')).toBe('example.co.uk');
  expect(hostOfRow('source', 'someone.github.io')).toBe('someone.github.io');
  expect(hostOfRow('hostname', 'shop.example.org')).toBe('example.org');
  expect(hostOfRow('referrer', 'blog.example.org/2026/a-post')).toBe('example.org');
  expect(hostOfRow('source', 'xn--bcher-kva.de')).toBe('xn--bcher-kva.de');
});

test('a name that is not public has no icon', () => {
  const names = [
    '',
    'newsletter',
    'spring sale',
    'localhost',
    'printer.local',
    'wiki.corp',
    'server.internal',
    'router.lan',
    '127.0.0.1',
    '10.0.0.1',
    '[::1]',
    '169.254.169.254',
    '93.184.215.14',
    '0x7f.1',
    '2130706433',
    'com.example.reader',
    'org.example.app',
    'example.org:6379',
    'user@example.org',
    'example.org?x=.com',
    'co.uk',
    'http://example.org/',
    '//example.org',
    'example.org\n.com',
    '../example.org',
    'exämple.org',
    '__proto__',
  ];
  for (const name of names)
    for (const dimension of DIMENSION_NAMES)
      expect([dimension, name, hostOfRow(dimension, name)]).toEqual([dimension, name, undefined]);
});

test('dimensions whose values are not hosts have no such icon', () => {
  const withHosts = DIMENSION_NAMES.filter((dimension) => hostOfRow(dimension, 'google.com') !== undefined);
  expect(withHosts.sort()).toEqual(['ai_provider', 'hostname', 'referrer', 'source', 'utm_source']);
});

test('a site has the icon of its own host, unless that is on the owner’s machine', () => {
  expect(hostOfSite('shop.example.com')).toBe('shop.example.com');
  for (const domain of ['localhost', 'app.localhost', 'site.test', 'site.local', 'site.example'])
    expect([domain, hostOfSite(domain)]).toEqual([domain, undefined]);
});
