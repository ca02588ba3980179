import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { forms } from './frameworks.ts';
import { OWN_MACHINE, reachTrouble } from './script-reach.ts';

const ORIGIN = 'https://stats.example.com';

test.each(forms('example.com', ORIGIN))(
  'the snippet for $label is async, so that no page waits for Footfall',
  ({ code }) => {
    expect(code).toMatch(/\basync\b/);
    expect(code).not.toMatch(/\bdefer\b/);
  },
);

describe('on the owner’s own machine', () => {
  for (const domain of ['localhost', 'app.localhost', 'printer.local'])
    test.each(forms(domain, ORIGIN))(`the snippet of ${domain} for $label says that it counts there`, ({ code }) => {
      expect(code).toMatch(/data-dev|dataset\.dev = ''/);
      expect(code).toContain(domain);
    });

  test.each(forms('example.com', ORIGIN))('and nowhere else: $label', ({ code }) => {
    expect(code).not.toMatch(/dev/);
  });

  test('is what the tracker takes for it', () => {
    const tracker = readFileSync(new URL('../../../tracker/ignore.ts', import.meta.url), 'utf8');
    expect(tracker).toContain(`/${OWN_MACHINE.source}/.test(location.hostname)`);
  });
});

describe('an address of the script that visitors cannot load', () => {
  test('is said beside the snippet', () => {
    for (const origin of ['http://localhost:3000', 'http://127.0.0.1:3000', 'https://10.0.0.5', 'http://[::1]:3000'])
      expect(reachTrouble('example.com', origin)).toContain(`Nobody but you can load the script from ${origin}`);
    expect(reachTrouble('example.com', 'http://stats.example.net')).toMatch(/^Browsers block a script from http:/);
  });

  test('is not said where it is fine', () => {
    expect(reachTrouble('example.com', ORIGIN)).toBeUndefined();
    for (const domain of ['localhost', 'app.localhost'])
      expect(reachTrouble(domain, 'http://localhost:3000')).toBeUndefined();
  });
});
