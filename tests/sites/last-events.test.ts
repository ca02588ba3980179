// The time of a site's last event, on its way to the directory.
import { expect, test } from 'vitest';
import { createAccount } from '../../server/accounts/accounts.ts';
import type { SiteId } from '../../server/vocabulary/event.ts';
import { createSite, siteById } from '../../server/sites/sites.ts';
import { openLastEvents } from '../../server/sites/last-events.ts';
import { NOON } from '../setup/clock.ts';
import { testDirectory } from '../setup/directory.ts';
import { eventually } from '../setup/eventually.ts';

const HOUR = 3_600_000;

async function world() {
  const directory = await testDirectory('sqlite');
  const { account } = await createAccount(directory, { email: 'ada@example.com', password: 'correct horse' }, NOON);
  const site = await createSite(directory, { accountId: account.id, domain: 'example.com' }, NOON);
  const last = async () => (await siteById(directory, site.id))?.last_event_at;
  return { directory, siteId: site.id, last };
}

test('a quiet site’s event is written at once, others with the next flush, and old ones change nothing', async () => {
  const { directory, siteId, last } = await world();
  await using _ = directory;
  const troubles: unknown[] = [];
  const lastEvents = openLastEvents(directory, (error) => troubles.push(error));
  lastEvents.seen(siteId, NOON);
  await eventually(async () => expect(await last()).toBe(NOON));
  lastEvents.seen(siteId, NOON + 2000);
  lastEvents.seen(siteId, NOON + 1000);
  expect(await last()).toBe(NOON);
  await lastEvents.flush();
  expect(await last()).toBe(NOON + 2000);
  lastEvents.seen(siteId, NOON - 4000 * 24 * HOUR); // an imported log
  await lastEvents.flush();
  expect(await last()).toBe(NOON + 2000);
  lastEvents.seen(siteId, NOON + 13 * HOUR);
  await eventually(async () => expect(await last()).toBe(NOON + 13 * HOUR));
  expect(troubles).toEqual([]);
});

test('when thousands of quiet sites have an event at once, most wait for the flush, and then one more is written immediately again', async () => {
  const { directory, siteId, last } = await world();
  await using _ = directory;
  const lastEvents = openLastEvents(directory, () => undefined);
  for (let n = 0; n < 5000; n += 1) lastEvents.seen(`site_${n}` as SiteId, NOON);
  lastEvents.seen(siteId, NOON);
  expect(await last()).toBeNull();
  await lastEvents.flush();
  expect(await last()).toBe(NOON);
  lastEvents.seen(siteId, NOON + 13 * HOUR);
  await eventually(async () => expect(await last()).toBe(NOON + 13 * HOUR));
});

test('times that the directory refused are written with a later flush, not with every event', async () => {
  const { directory, siteId, last } = await world();
  await using _ = directory;
  const { db } = directory;
  await db.schema.alterTable('sites').renameTo('away').execute();
  const troubles: unknown[] = [];
  const lastEvents = openLastEvents(directory, (error) => troubles.push(error));
  for (let n = 0; n < 5; n += 1) lastEvents.seen(siteId, NOON + n);
  await expect(lastEvents.flush()).rejects.toThrow('sites');
  expect(troubles).toHaveLength(1);
  await db.schema.alterTable('away').renameTo('sites').execute();
  await lastEvents.flush();
  expect(await last()).toBe(NOON + 4);
});
