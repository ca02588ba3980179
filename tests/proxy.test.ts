// A proxy in front that TRUST_PROXY does not name makes five people one: the log and the dashboard say so.
import { parse } from 'devalue';
import { expect, test } from 'vitest';
import { type Log, openLog } from '../server/log.ts';
import { type TestApp, testApp } from './setup/app.ts';

const PEOPLE = ['81.2.69.160', '81.2.69.161', '81.2.69.162', '2001:db8::1', '2001:db8::2'];

async function visitBy(it: TestApp, addresses: string[]) {
  for (const address of addresses) {
    const payload = { site: 'example.com', name: 'pageview', url: 'https://example.com/' };
    expect((await it.foot(payload, { 'x-forwarded-for': address })).status).toBe(202);
  }
}

async function isWarned(it: TestApp): Promise<boolean> {
  const cookie = await it.logIn('owner@example.com');
  const answer = await fetch(`${it.url}/trpc/session.current`, { headers: { cookie } });
  const { result } = (await answer.json()) as { result: { data: string } };
  return (parse(result.data) as { has_untrusted_proxy: boolean }).has_untrusted_proxy;
}

async function visitors(it: TestApp): Promise<number> {
  await it.settle();
  const [row] = await it.app.store.query<{ visitors: string }>(
    'SELECT uniqExact(visitor_id) AS visitors FROM events',
    {},
  );
  return Number(row?.visitors);
}

test('behind a proxy that is not trusted five people count as one, and owner and log are warned, the log once', async () => {
  const warnings: string[] = [];
  const log = openLog('silent');
  const warn = (message: unknown) => void (String(message).includes('TRUST_PROXY') && warnings.push(String(message)));
  await using it = await testApp({ log: { ...log, warn } as Log });
  await it.addSite();
  await visitBy(it, []);
  expect(await isWarned(it)).toBe(false);
  await visitBy(it, PEOPLE);
  expect(await visitors(it)).toBe(1);
  expect(await isWarned(it)).toBe(true);
  expect(warnings.length).toBe(1);
});

test('behind a proxy that is trusted five people are five, and nobody is warned', async () => {
  await using it = await testApp({ env: { TRUST_PROXY: 'loopback' } });
  await it.addSite();
  await visitBy(it, PEOPLE);
  expect(await visitors(it)).toBe(5);
  expect(await isWarned(it)).toBe(false);
});
