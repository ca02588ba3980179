// What is left out of a site's numbers, as its settings say. `tests/collect/left-out.test.ts` shows it from the request to the store.
import { describe, expect, test } from 'vitest';
import { leftOutIn, leftOutRules, withRules } from '../sites/left-out.ts';
import { countAgain, leaveOut, leftOutOf } from './left-out.ts';

const NOTHING = { countries: [], pages: [], hostnames: [] };
const HOME = '198.51.100.213';
const OFFICE = '198.51.100.214';
const settings = { path_rules: { case: 'lower' } };

describe('a network whose visits are left out', () => {
  test('is stored as a hash of 128 bits under a key of 256 bits, which goes with the last network', () => {
    const home = leaveOut(settings, HOME);
    const { networks, key } = leftOutIn(home) ?? {};
    expect(networks).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    const both = leaveOut(home, OFFICE);
    expect(leftOutIn(both)).toEqual({ ...NOTHING, networks: [...(networks ?? []), expect.any(String)], key });
    expect(leftOutIn(countAgain(both, OFFICE))).toEqual({ ...NOTHING, networks, key });
    expect(countAgain(countAgain(both, OFFICE), HOME)).toEqual({
      ...settings,
      left_out: { ...NOTHING, networks: [], key: '' },
    });
  });

  test('is known again, alone or among others, and nothing else is', () => {
    const isOwn = (of: Record<string, unknown>, address: string) => leftOutOf(of)?.isOwn(address);
    const home = leaveOut(settings, HOME);
    expect([isOwn(home, HOME), isOwn(home, OFFICE)]).toEqual([true, false]);
    expect([isOwn(leaveOut(home, OFFICE), HOME), isOwn(leaveOut(home, OFFICE), OFFICE)]).toEqual([true, true]);
    expect(isOwn(countAgain(home, HOME), HOME)).toBe(false);
    expect(leftOutOf(settings)).toBeUndefined();
  });

  test('is one of 20 at most: those that were left out first are forgotten, and left out again are the last', () => {
    const addresses = Array.from({ length: 21 }, (_, n) => `198.51.100.${n}`);
    const twenty = addresses.slice(0, 20).reduce(leaveOut, settings);
    const isOwn = (of: Record<string, unknown>) => addresses.map((address) => Number(leftOutOf(of)?.isOwn(address)));
    expect(isOwn(twenty).join('')).toBe('111111111111111111110');
    expect(isOwn(leaveOut(twenty, '198.51.100.20')).join('')).toBe('011111111111111111111');
    const again = leaveOut(twenty, '198.51.100.0');
    expect(isOwn(leaveOut(again, '198.51.100.20')).join('')).toBe('101111111111111111111');
  });
});

test('countries, hosts and a page or several are left out by rules', () => {
  const rules = { countries: ['DE'], pages: ['/private'], hostnames: ['staging.example'] };
  const matcher = leftOutOf(withRules(settings, rules));
  expect([matcher?.isCountry('DE'), matcher?.isCountry('FR')]).toEqual([true, false]);
  expect([matcher?.isHost('staging.example'), matcher?.isHost('example.com')]).toEqual([true, false]);
  expect([matcher?.isPage('/private'), matcher?.isPage('/')]).toEqual([true, false]);
  const several = leftOutOf(withRules(settings, { ...rules, pages: ['/private', '/admin/**'] }));
  expect([several?.isPage('/private'), several?.isPage('/admin/a'), several?.isPage('/')]).toEqual([true, true, false]);
  expect(leftOutOf(withRules(settings, NOTHING))?.isPage('/')).toBe(false);
});

test('a rule has at most 100 entries, and a host may be an address of up to 300 characters', () => {
  const isAllowed = (rules: object) => leftOutRules.safeParse({ ...NOTHING, ...rules }).success;
  const pages = (count: number) => Array.from({ length: count }, (_, n) => `/${n}`);
  expect([isAllowed({ pages: pages(100) }), isAllowed({ pages: pages(101) })]).toEqual([true, false]);
  const address = (length: number) => ['https://staging.example/'.padEnd(length, 'x')];
  expect(leftOutRules.parse({ ...NOTHING, hostnames: address(300) }).hostnames).toEqual(['staging.example']);
  expect(isAllowed({ hostnames: address(301) })).toBe(false);
});
