/** @module-tag fault */
// PostgreSQL that goes away: the one server comes back, or a standby takes its place.
import { describe, expect, test } from 'vitest';
import { openDirectory } from '../../server/directory/open.ts';
import { readDatabaseAddress } from '../../server/vocabulary/addresses/postgres.ts';
import { Unavailable } from '../../server/errors.ts';
import { createSite, listSites } from '../../server/sites/sites.ts';
import { testApp } from '../setup/app.ts';
import { directoryPlace } from '../setup/directory.ts';
import { eventually } from '../setup/eventually.ts';
import { makeSynchronous, startCluster, startPostgres, startStandby } from '../setup/stores/postgres.ts';

test('PostgreSQL is reported as Unavailable while it is away, and is used again when it returns', async () => {
  await using postgres = await startPostgres({ own: true });
  await using place = await directoryPlace('sqlite');
  const directory = await openDirectory({ path: place.path, databaseUrl: postgres.url });
  await directory.ping();
  await postgres.kill();
  await expect(directory.ping()).rejects.toBeInstanceOf(Unavailable);
  await expect(directory.ping()).rejects.toBeInstanceOf(Unavailable);
  await expect(openDirectory({ path: place.path, databaseUrl: postgres.url })).rejects.toBeInstanceOf(Unavailable);
  await postgres.restart();
  await directory.ping();
  await directory.close();
});

describe('a primary and its standby', () => {
  test('are followed: requests work again after a fail-over, and nothing that was answered is lost', async () => {
    await using primary = await startCluster();
    await using standby = await startStandby(primary);
    await makeSynchronous(primary);
    // the standby first: it answers, and must not be taken
    const servers = [standby, primary].map(({ port }) => `127.0.0.1:${port}`).join(',');
    const DATABASE_URL = `postgres://postgres@${servers}/postgres?target_session_attrs=read-write`;
    await using server = await testApp({ env: { DATABASE_URL, LOG_LEVEL: 'silent' } });
    const own = await server.addSite('own.example');
    const { directory } = server.app.services;
    const created: string[] = [];
    let isOn = true;
    const create = async (caller: number) => {
      for (let number = 0; isOn; number += 1) {
        const domain = `s${number}.c${caller}.example`;
        const made = createSite(directory, { accountId: own.account_id, domain }, server.clock.now);
        await made.then(
          () => created.push(domain),
          async (error: unknown) => {
            expect(error).toBeInstanceOf(Unavailable);
            await new Promise((resolve) => setTimeout(resolve, 20)); // as long as a caller waits before it tries again
          },
        );
      }
    };
    const callers = Promise.all([1, 2, 3, 4].map(create));
    const grown = async (by: number) => {
      const before = created.length;
      await eventually(() => expect(created.length).toBeGreaterThan(before + by));
    };
    const ready = async () => ((await (await fetch(`${server.url}/readyz`)).json()) as { stores: object }).stores;
    const foot = (id: string) =>
      server.foot({ site: own.domain, name: 'pageview', url: `https://${own.domain}/${id}`, id });
    await grown(50);
    await primary.kill();
    expect(await ready()).toMatchObject({ directory: 'unreachable' });
    server.clock.now += 2000; // cached sites are no longer trusted
    expect((await foot('while-away')).status).toBe(503);
    await standby.promote();
    const promotedAt = performance.now();
    await grown(50);
    expect(performance.now() - promotedAt).toBeLessThan(10_000);
    isOn = false;
    await callers;
    const kept = new Set((await listSites(directory, own.account_id)).map(({ domain }) => domain));
    expect(created.filter((domain) => !kept.has(domain))).toEqual([]);
    expect(await ready()).toMatchObject({ directory: 'ok' });
    server.clock.now += 2000;
    expect((await foot('while-away')).status).toBe(202);
    expect(await server.logIn('owner@own.example')).not.toBe('');
  });

  test('are not written to while none of them is the primary', async () => {
    await using primary = await startCluster();
    await using standby = await startStandby(primary);
    await primary.kill();
    const databaseUrl = `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres`;
    await expect(openDirectory({ databaseUrl, path: '' })).rejects.toThrow(Unavailable);
    await standby.promote();
    const directory = await openDirectory({ databaseUrl, path: '' });
    await directory.ping();
    await directory.close();
  });
});

test('DATABASE_URL names one server or several, and what is wrong with it is said without its password', () => {
  expect(readDatabaseAddress('postgres://u:p@ss@h/x?sslmode=disable')).toEqual([
    'postgres://u:p@ss@h/x?sslmode=disable',
  ]);
  expect(
    readDatabaseAddress('postgresql://u:p@a:1,[::1]:2,c/x?sslmode=no-verify&target_session_attrs=primary'),
  ).toEqual(['a:1', '[::1]:2', 'c'].map((host) => `postgresql://u:p@${host}/x?sslmode=no-verify`));
  for (const wrong of ['mysql://u:secret@a/x', 'postgres://u:secret@a,,b/x', 'postgres://u:secret@a:1x,b/x', 'secret'])
    expect(() => readDatabaseAddress(wrong)).toThrow(/^must be an address such as postgres:\/\/((?!secret).)*$/);
});
