import { expect, test } from 'vitest';
import { LOOKED_AT, unusualIn } from './unusual';

const row = (name: string, visits: number, before: number | null = null) => ({
  name,
  values: { visits },
  previous: before === null ? null : { visits: before },
});
type Lists = Parameters<typeof unusualIn>[0];
const NOTHING = Object.fromEntries(LOOKED_AT.map((dimension) => [dimension, { rows: [], sum: 0 }])) as unknown as Lists;
const found = (lists: object) =>
  unusualIn({ ...NOTHING, ...lists }, 'example.com').map(({ title, visits, share }) => `${title} ${visits} ${share}`);

test('what no list knows is unusual, whatever its share, the most visits first', () => {
  const lists = {
    browser: { rows: [row('Chrome', 97), row('', 3)], sum: 100 },
    os: { rows: [row('', 5), row('Windows', 95)], sum: 100 },
    device: { rows: [row('desktop', 99), row('other', 1)], sum: 100 },
  };
  expect(found(lists)).toEqual(['Unknown system 5 0.05', 'Unknown browser 3 0.03', 'Unknown kind of device 1 0.01']);
});

test('what is new is unusual with ten visits and a share, if there was a time before', () => {
  const browser = (...rows: object[]) => ({ browser: { rows, sum: 1000 } });
  expect(found(browser(row('Chrome', 900, 800), row('Otter', 10, 0), row('Falkon', 9, 0)))).toEqual([
    'New browser: Otter 10 0.01',
  ]);
  expect(found(browser(row('Chrome', 900, 0), row('Otter', 100, 0)))).toEqual([]);
  expect(found(browser(row('Chrome', 900, 800), row('Otter', 100, 1)))).toEqual([]);
  const source = { source: { rows: [row('Google', 400, 300), row('spam.example', 50, 0), row('', 49, 0)], sum: 1000 } };
  expect(found(source)).toEqual(['New source: spam.example 50 0.05']);
});

test('other hosts than the site are, and can be left out', () => {
  const rows = [row('www.example.com', 90), row('example.com', 5), row('staging.example.com', 5)];
  const [host, ...others] = unusualIn({ ...NOTHING, hostname: { rows, sum: 100 } }, 'example.com');
  expect([host?.host, host?.share, others]).toEqual(['staging.example.com', 0.05, []]);
  expect(host?.filter).toEqual({ dimension: 'hostname', operator: 'is', values: ['staging.example.com'] });
});

test('a site without visits has nothing unusual', () => {
  expect(found({})).toEqual([]);
});
