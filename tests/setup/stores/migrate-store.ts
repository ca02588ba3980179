// The start of the event store as far as its migrations go, in each of its forms. As a program, it may be killed on the way:
// node tests/setup/stores/migrate-store.ts PLACE SCHEMA KILLED_AT, where PLACE is JSON.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@clickhouse/client';
import { createChdbConnection } from 'chdb/connection';
import { openCluster } from '../../../server/store/cluster-client.ts';
import { type Client, type ClientOptions, openHosts, QUIET } from '../../../server/store/hosts.ts';
import { migrateStore } from '../../../server/store/migrate.ts';

/** As for `openStore`. */
export type StorePlace = { url?: string | undefined; cluster?: string | undefined; path: string };

/** Opens a client that calls `onChange` before each statement that changes something, in a cluster each one that is really sent. */
export async function openMigrating({ url, cluster, path }: StorePlace, onChange = () => undefined): Promise<Client> {
  const watched = (client: Client): Client => ({
    query: (asked) => client.query(asked),
    exec: (asked) => client.exec(asked),
    insert: (asked) => {
      onChange();
      return client.insert(asked);
    },
    command: (asked) => {
      onChange();
      return client.command(asked);
    },
    close: () => client.close(),
  });
  if (url === undefined) {
    await rm(join(path, 'schema.json'), { force: true }); // as the start of a version that has other migrations
    return watched(createClient({ connection: createChdbConnection({ path }) as never, log: QUIET }));
  }
  const open = (options: ClientOptions) => watched(openHosts([url])(options));
  const options = { request_timeout: 30_000, clickhouse_settings: { async_insert: 0 } as const };
  return cluster === undefined ? open(options) : (await openCluster(cluster, open)).open(options);
}

if (process.argv[1] === import.meta.filename) {
  const [, , place = '', schema = '', killedAt] = process.argv;
  let left = Number(killedAt);
  const client = await openMigrating(JSON.parse(place) as StorePlace, () => {
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  });
  await migrateStore(client, '', { folder: new URL(schema) });
  await client.close();
}
