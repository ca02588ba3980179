// Connecting sites with Google and withdrawing their permissions, over a directory that other processes may use too. Run as a program, it
// deletes a site and withdraws its permission, and stops at one statement of that until it is killed.
import { argv } from 'node:process';
import { readConfig } from '../../../server/config.ts';
import { openEncryption } from '../../../server/directory/encryption.ts';
import { type Directory, openDirectory } from '../../../server/directory/open.ts';
import { openLog } from '../../../server/process/log.ts';
import { openSearchConsole, openSearchData } from '../../../server/integrations/search-console/open.ts';
import { deleteSite, type Site } from '../../../server/sites/sites.ts';
import type { EventStore } from '../../../server/store/open.ts';
import { type Point, stopAt } from './stopping.ts';

type Stopped = {
  place: { path: string; databaseUrl: string | undefined };
  env: Record<string, string>;
  siteId: Site['id'];
  now: number;
  point: Point;
};

export async function openWithdrawing(directory: Directory, env: Record<string, string>, now: () => number) {
  const store = { dropSearches: () => Promise.resolve() } as unknown as EventStore;
  const config = readConfig({ DATA_DIR: '/nowhere', ...env });
  const encryption = await openEncryption(directory, undefined, now());
  const mail = { send: () => Promise.resolve(undefined as never) };
  const parts = { directory, config, store, network: undefined, encryption, mail, now, log: openLog('silent') };
  const console = openSearchConsole(parts);
  if (!console) throw new Error('Google is not set up.');
  const { disconnect, withdrawDue } = openSearchData(parts, console);
  return {
    console,
    disconnect,
    /** What the job does. */
    withdrawDue: () => withdrawDue(new AbortController().signal),
    /** Allows it at Google, and comes back. */
    connect: async (site: Pick<Site, 'id' | 'account_id'>, userId: string) => {
      const asker = { userId, sessionId: 'session' };
      const consent = await fetch(await console.connect(asker, site.id), { redirect: 'manual' });
      const { searchParams } = new URL(consent.headers.get('location') ?? '');
      const taken = await console.takeState(asker, searchParams.get('state') ?? '');
      const code = searchParams.get('code') ?? '';
      const made = { siteId: site.id, accountId: site.account_id, by: userId };
      await console.finish({ ...made, code, verifier: taken?.verifier ?? '' });
    },
  };
}

if (import.meta.main) {
  const { place, env, siteId, now, point } = JSON.parse(argv[2] ?? '') as Stopped;
  const directory = await openDirectory(place);
  const watched = { ...directory, db: directory.db.withPlugin(stopAt(point)) };
  const { withdrawDue } = await openWithdrawing(watched, env, () => now);
  await deleteSite(watched, { siteId }, now);
  await withdrawDue();
  await directory.close();
}
