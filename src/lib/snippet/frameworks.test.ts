import { describe, expect, test, vi } from 'vitest';
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

  test.each(
    'localhost app.localhost printer.local 127.0.0.1 [::1] example.com local.example localhost.example 1.example'.split(
      ' ',
    ),
  )('the dashboard and the tracker agree on %s', async (hostname) => {
    const page = {};
    vi.stubGlobal('location', { hostname });
    vi.stubGlobal('window', page);
    vi.stubGlobal('parent', page);
    vi.stubGlobal('localStorage', {});
    vi.doMock('../../../tracker/options.ts', () => ({ options: { site: 'example.com' } }));
    vi.resetModules();
    const { isIgnored } = await import('../../../tracker/ignore.ts');
    expect(isIgnored).toBe(OWN_MACHINE.test(hostname));
    vi.unstubAllGlobals();
  });
});

describe('an address of the script that visitors cannot load', () => {
  test('is reported beside the snippet', () => {
    for (const origin of ['http://localhost:3000', 'http://127.0.0.1:3000', 'https://10.0.0.5', 'http://[::1]:3000'])
      expect(reachTrouble('example.com', origin)).toContain(`Nobody but you can load the script from ${origin}`);
    expect(reachTrouble('example.com', 'http://stats.example.net')).toMatch(/^Browsers block a script from http:/);
  });

  test('is not reported if it is reachable', () => {
    expect(reachTrouble('example.com', ORIGIN)).toBeUndefined();
    for (const domain of ['localhost', 'app.localhost'])
      expect(reachTrouble(domain, 'http://localhost:3000')).toBeUndefined();
  });
});
