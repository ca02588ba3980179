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

test.each([
  ['source', 'a1b2c3.links.example.org', 'example.org'],
  ['source', 'shop.example.co.uk', 'example.co.uk'],
  ['source', 'someone.github.io', 'someone.github.io'],
  ['source', 'xn--bcher-kva.de', 'xn--bcher-kva.de'],
  ['hostname', 'shop.example.org', 'example.org'],
  ['referrer', 'blog.example.org/2026/a-post', 'example.org'],
] as const)('the %s %s is cut to its registrable domain, %s', (dimension, name, host) => {
  expect(hostOfRow(dimension, name)).toBe(host);
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
